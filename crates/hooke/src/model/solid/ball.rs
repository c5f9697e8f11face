//! The ball: the twenty tetrahedra between its middle and an icosahedron, each cut into layers that
//! are bent into spheres.
//!
//! Every vertex of the last layer lies on the sphere, so the volume is a little less than the
//! ball's and comes nearer with the square of the layers.

use super::{ModelError, Solid, check_counts, invalid_shape};
use crate::math::Vec3;
use std::collections::HashMap;

/// A ball of `layers` layers around its middle: `20·layers³` tetrahedra.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ball {
    /// Its middle (m).
    pub center: Vec3,
    /// Its radius (m).
    pub radius: f64,
    /// How many layers.
    pub layers: u32,
}

/// A lattice point inside one of the twenty: how many steps toward each corner of its face.
type Steps = [u32; 3];

impl Ball {
    /// How many vertices it has.
    pub fn vertices(&self) -> u128 {
        let n = u128::from(self.layers);
        (10 * n * n * n + 15 * n * n + 11 * n + 3) / 3
    }

    /// The mesh; the first vertex is the middle.
    pub fn mesh(&self) -> Result<Solid, ModelError> {
        check_counts("ball", &[("layer", self.layers, 1)], self.vertices())?;
        if !(self.radius > 0.0 && self.radius.is_finite()) {
            return invalid_shape(format!(
                "the radius of a ball must be > 0 (got {})",
                self.radius
            ));
        }
        let directions = icosahedron();
        let mut vertices =
            Vertices { ball: self, directions, known: HashMap::new(), solid: Solid::default() };
        vertices.index([0; 3], [0; 3]);
        for face in faces(&directions) {
            self.fill(face, &mut vertices);
        }
        Ok(vertices.solid.rotated())
    }

    /// The tetrahedra between the middle and a face of the icosahedron. A tetrahedral lattice has
    /// tetrahedra that point outwards, others that point inwards, and octahedra between them.
    fn fill(&self, face: [usize; 3], vertices: &mut Vertices<'_>) {
        let n = self.layers;
        for i in 0..n {
            for j in 0..n - i {
                for k in 0..n - i - j {
                    let mut at = |x, y, z| vertices.index(face, [i + x, j + y, k + z]);
                    let [a, b, c] = [at(1, 0, 0), at(0, 1, 0), at(0, 0, 1)];
                    let base = at(0, 0, 0);
                    let room = n - i - j - k;
                    if room >= 2 {
                        let opposite = [at(0, 1, 1), at(1, 0, 1), at(1, 1, 0)];
                        if room >= 3 {
                            let tip = at(1, 1, 1);
                            let [d, e, f] = opposite;
                            vertices.solid.tetrahedra.push([d, e, f, tip]);
                        }
                        vertices.octahedron([a, b, c], opposite);
                    }
                    vertices.solid.tetrahedra.push([base, a, b, c]);
                }
            }
        }
    }
}

/// The vertices of a ball, each made when it is first asked for.
struct Vertices<'a> {
    ball: &'a Ball,
    directions: [Vec3; 12],
    /// By steps toward corners of the icosahedron: a lattice point on the side of a face belongs
    /// to its neighbor too.
    known: HashMap<[(usize, u32); 3], u32>,
    solid: Solid,
}

impl Vertices<'_> {
    fn index(&mut self, face: [usize; 3], steps: Steps) -> u32 {
        let mut key = [0, 1, 2].map(|side| (face[side], steps[side]));
        for (corner, steps) in &mut key {
            *corner = if *steps == 0 { 0 } else { *corner };
        }
        key.sort_unstable();
        if let Some(&index) = self.known.get(&key) {
            return index;
        }
        let mut direction = Vec3::ZERO;
        for (corner, steps) in key {
            direction += self.directions[corner] * f64::from(steps);
        }
        let layer = f64::from(steps.iter().sum::<u32>()) / f64::from(self.ball.layers);
        let index = self.solid.positions.len() as u32;
        self.solid.positions.push(self.ball.center + direction.unit() * (layer * self.ball.radius));
        self.known.insert(key, index);
        index
    }

    /// Four tetrahedra around the shortest diagonal of an octahedron.
    fn octahedron(&mut self, corners: [u32; 3], opposite: [u32; 3]) {
        let x = |corner: u32| self.solid.positions[corner as usize];
        let length = |d: usize| (x(corners[d]) - x(opposite[d])).norm();
        // The first of equal ones, whatever rounding makes of them.
        let mut shortest = 0;
        for diagonal in 1..3 {
            if length(diagonal) < (1.0 - 1e-9) * length(shortest) {
                shortest = diagonal;
            }
        }
        let [one, other] = [(shortest + 1) % 3, (shortest + 2) % 3];
        let ring = [corners[one], corners[other], opposite[one], opposite[other]];
        for side in 0..4 {
            let (from, to) = (ring[side], ring[(side + 1) % 4]);
            self.solid.tetrahedra.push([corners[shortest], opposite[shortest], from, to]);
        }
    }
}

/// The corners of an icosahedron, as unit vectors.
fn icosahedron() -> [Vec3; 12] {
    let golden = 0.5 * (1.0 + 5f64.sqrt());
    let mut out = [Vec3::ZERO; 12];
    for (index, corner) in out.iter_mut().enumerate() {
        let sign = |bit: usize| if index & bit == 0 { 1.0 } else { -1.0 };
        let (long, short) = (golden * sign(1), sign(2));
        *corner = match index / 4 {
            0 => Vec3::new(short, long, 0.0),
            1 => Vec3::new(0.0, short, long),
            _ => Vec3::new(long, 0.0, short),
        }
        .unit();
    }
    out
}

/// The faces of the icosahedron: three corners that are neighbors.
fn faces(corners: &[Vec3; 12]) -> Vec<[usize; 3]> {
    // Neighbors are 1.05 apart, others 1.7 or more.
    let near = |i: usize, j: usize| (corners[i] - corners[j]).norm() < 1.4;
    let mut faces = Vec::with_capacity(20);
    for i in 0..12 {
        for j in i + 1..12 {
            faces.extend(
                (j + 1..12).filter(|&k| near(i, j) && near(j, k) && near(k, i)).map(|k| [i, j, k]),
            );
        }
    }
    faces
}
