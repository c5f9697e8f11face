//! How stiff is a bent sheet? Every bending law on a cylinder, against the theory of plates.
//!
//! A flat sheet is rolled onto a cylinder of curvature κ without stretching, folded along several
//! directions. A plate of rigidity D then stores `½ D κ²` per area. The table shows the energy of each
//! law over that of the plate, all with the same D (Bridson's with 12 D, as its angle asks for).
//! Hinges depend on the mesh and on the fold; the vertex form does not.

use hooke::compute::At;
use hooke::laws::{self, LawInfo};
use hooke::math::noise;
use hooke::model::surface;
use hooke::{Model, ThreadPool, Vec3};
use std::error::Error;

/// The rigidity D of every sheet (N·m).
pub const RIGIDITY: f64 = 1e-3;
/// The curvature of the cylinder (1/m).
pub const CURVATURE: f64 = 0.5;
/// Directions of the fold (°).
pub const FOLDS: [f64; 5] = [0.0, 22.5, 45.0, 90.0, 135.0];
/// The laws of bending.
pub const LAWS: [&str; 5] =
    ["vertex-bending", "dihedral", "bridson-bending", "quadratic-bending", "curved-bending"];

/// The meshes. The last has its vertices moved about, and in each cell the diagonal of Delaunay.
pub const MESHES: [&str; 4] = ["one diagonal", "alternating diagonals", "equilateral", "irregular"];

/// A flat sheet of `n × n` cells, a meter wide.
pub struct Sheet {
    /// One of [`MESHES`].
    pub name: &'static str,
    /// Where it rests (m).
    pub vertices: Vec<[f64; 2]>,
    /// Its triangles.
    pub triangles: Vec<[u32; 3]>,
}

impl Sheet {
    /// A sheet with the mesh of that name.
    pub fn new(name: &'static str, n: u32) -> Self {
        let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
        let equilateral = name == "equilateral";
        for row in 0..=n {
            for column in 0..=n {
                let shift = if equilateral { 0.5 * f64::from(row % 2) } else { 0.0 };
                let height = if equilateral { 0.75f64.sqrt() } else { 1.0 };
                let [mut x, mut y] = [f64::from(column) + shift, height * f64::from(row)];
                let inside = (1..n).contains(&row) && (1..n).contains(&column);
                if name == "irregular" && inside {
                    x += 0.3 * random(2 * vertices.len());
                    y += 0.3 * random(2 * vertices.len() + 1);
                }
                vertices.push([x / f64::from(n), y / f64::from(n)]);
            }
        }
        for row in 0..n {
            for column in 0..n {
                let at = |column: u32, row: u32| row * (n + 1) + column;
                let [a, b] = [at(column, row), at(column + 1, row)];
                let [c, d] = [at(column, row + 1), at(column + 1, row + 1)];
                let other = match name {
                    "one diagonal" => false,
                    "alternating diagonals" => (row + column) % 2 == 1,
                    "irregular" => is_delaunay([a, b, d, c].map(|i| vertices[i as usize])),
                    _ => row % 2 == 0,
                };
                triangles.extend(if other {
                    [[a, b, c], [b, d, c]]
                } else {
                    [[a, b, d], [a, d, c]]
                });
            }
        }
        Self { name, vertices, triangles }
    }

    /// The sheet rolled up: s runs around, t along the cylinder.
    pub fn rolled(&self, fold: f64, curvature: f64) -> Vec<Vec3> {
        let (sine, cosine) = fold.to_radians().sin_cos();
        let anchor = |&[x, y]: &[f64; 2]| {
            let (s, t) = (cosine * x + sine * y, cosine * y - sine * x);
            let angle = curvature * s;
            Vec3::new(angle.sin() / curvature, (1.0 - angle.cos()) / curvature, t)
        };
        self.vertices.iter().map(anchor).collect()
    }

    /// The sheet as it lies flat.
    pub fn flat(&self) -> Vec<Vec3> {
        self.vertices.iter().map(|&[x, y]| Vec3::new(x, 0.0, y)).collect()
    }

    /// The sheet as a model that rests at `rest` and resists bending by one law.
    pub fn model(&self, law: &LawInfo, rest: &[Vec3]) -> Result<Model, Box<dyn Error>> {
        let mut model = Model::new();
        for &x in rest {
            model.add_particle(x, 1.0)?;
        }
        if law.name == "vertex-bending" {
            for ring in surface::rings(&self.triangles) {
                model.add_element(law, &ring, None, &[RIGIDITY])?;
            }
        } else {
            let factor = if law.name == "bridson-bending" { 12.0 } else { 1.0 };
            for hinge in surface::hinges(&self.triangles)? {
                model.add_element(law, &hinge, None, &[factor * RIGIDITY])?;
            }
        }
        Ok(model)
    }

    /// The sheet with a spring across every inner edge, the classic cheap bending.
    pub fn springs(&self) -> Result<Model, Box<dyn Error>> {
        let mut model = Model::new();
        for x in self.flat() {
            model.add_particle(x, 1.0)?;
        }
        for [_, _, a, b] in surface::hinges(&self.triangles)? {
            model.add_spring(a, b, 1.0, None)?;
        }
        Ok(model)
    }

    /// The energy (J) of a plate of the sheet's area.
    pub fn plate(&self, curvature: f64) -> f64 {
        let area = |&[a, b, c]: &[u32; 3]| {
            let [a, b, c] = [a, b, c].map(|i| self.vertices[i as usize]);
            0.5 * ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])).abs()
        };
        0.5 * RIGIDITY * curvature * curvature * self.triangles.iter().map(area).sum::<f64>()
    }
}

/// A repeatable number in [−1, 1).
fn random(index: usize) -> f64 {
    (noise::mix(index as u64 + 1) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

/// Whether the diagonal from the second to the fourth corner of a cell is the one of Delaunay: the
/// angles opposite it sum to less than 180°.
fn is_delaunay([a, b, c, d]: [[f64; 2]; 4]) -> bool {
    let angle = |at: [f64; 2], p: [f64; 2], q: [f64; 2]| {
        let [u, v] = [p, q].map(|p| [p[0] - at[0], p[1] - at[1]]);
        (u[0] * v[1] - u[1] * v[0]).abs().atan2(u[0] * v[0] + u[1] * v[1])
    };
    angle(a, b, d) + angle(c, b, d) < std::f64::consts::PI
}

/// The energy (J) of a model at a state.
pub fn energy(model: &Model, x: &[Vec3]) -> f64 {
    let pool = ThreadPool::new(1);
    model.elements().iter().map(|batch| batch.energy(At { x, anchors: &[] }, &pool)).sum()
}

/// Prints the table as Markdown.
pub fn main() -> Result<(), Box<dyn Error>> {
    println!("| mesh | law | {} |", FOLDS.map(|fold| format!("{fold}°")).join(" | "));
    println!("|---|---|{}", "---|".repeat(FOLDS.len()));
    for mesh in MESHES {
        let sheet = Sheet::new(mesh, 40);
        for name in LAWS {
            let model = sheet.model(laws::find(name).ok_or("not registered")?, &sheet.flat())?;
            let ratios = FOLDS.map(|fold| {
                energy(&model, &sheet.rolled(fold, CURVATURE)) / sheet.plate(CURVATURE)
            });
            let row = ratios.map(|ratio| format!("{ratio:.2}")).join(" | ");
            println!("| {} | {name} | {row} |", sheet.name);
            for ratio in ratios {
                let expected = if name == "vertex-bending" { 0.8..1.2 } else { 2.0..10.0 };
                assert!(expected.contains(&ratio), "{name} on {mesh}: {ratio}");
            }
        }

        // Springs across edges: no rigidity at all, since twice the curvature costs sixteen times the energy.
        let model = sheet.springs()?;
        let growth = FOLDS.map(|fold| {
            let [one, two] = [1.0, 2.0].map(|k| energy(&model, &sheet.rolled(fold, k * CURVATURE)));
            two / one
        });
        let row = growth.map(|growth| format!("×{growth:.1}")).join(" | ");
        println!("| {} | springs, at twice the curvature | {row} |", sheet.name);
        assert!(growth.iter().all(|growth| (15.0..17.0).contains(growth)), "{growth:?}");
    }
    Ok(())
}
