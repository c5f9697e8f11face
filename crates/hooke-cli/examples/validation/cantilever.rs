//! A cantilever of tetrahedra: against an independent solution of the same mesh, and against the
//! theory of beams as the mesh gets finer.

use super::Outcome;
use super::statics::{apart, settle};
use hooke::model::TetrahedronMesh;
use hooke::model::solid::Block;
use hooke::{Model, Vec3, laws};
use hooke_render::chart::{Axis, Chart, Mark, Series};
use serde_json::Value;
use std::path::Path;

const LENGTH: f64 = 1.0;
const HEIGHT: f64 = 0.1;
const YOUNG: f64 = 1e6;
const DENSITY: f64 = 1000.0;
/// So small that the beam stays nearly straight (m/s²).
const GRAVITY: f64 = 2e-3;

/// Cells across the beam; along it there are five times as many.
pub const CELLS: [u32; 7] = [1, 2, 3, 4, 6, 8, 12];

/// The distance (m) from the solution in `cantilever_tets.json`, and how far that sags (m).
pub fn same_mesh() -> Outcome<[f64; 2]> {
    let file = "../hooke/tests/engine/reference/cantilever_tets.json";
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    let case: Value = serde_json::from_str(&std::fs::read_to_string(file)?)?;
    let inputs = &case["inputs"];
    let list = |value: &Value| value.as_array().cloned().ok_or("not a list");
    let number = |value: &Value| value.as_f64().ok_or("not a number");
    let index = |value: &Value| value.as_u64().map(|index| index as u32).ok_or("not an index");
    let point = |value: &Value| -> Outcome<Vec3> {
        Ok(Vec3::new(number(&value[0])?, number(&value[1])?, number(&value[2])?))
    };
    let mut model = Model::new();
    model.set_gravity(point(&inputs["gravity"])?)?;
    for (x, mass) in list(&inputs["nodes"])?.iter().zip(list(&inputs["lumped_mass"])?) {
        model.add_particle(point(x)?, number(&mass)?)?;
    }
    let law = laws::find("stvk").ok_or("not registered")?;
    let material = [number(&inputs["young"])?, number(&inputs["poisson"])?];
    for tetrahedron in list(&inputs["tets"])? {
        let corners = list(&tetrahedron)?.iter().map(index).collect::<Result<Vec<u32>, _>>()?;
        model.add_element(law, &corners, None, &material)?;
    }
    for node in list(&inputs["fixed_nodes"])? {
        model.pin_at_rest(index(&node)?)?;
    }
    let expected = list(&case["outputs"]["positions_equilibrium"])?;
    let expected = expected.iter().map(point).collect::<Outcome<Vec<Vec3>>>()?;
    let start = model.rest().to_vec();
    let found = settle(model, start)?;
    Ok([apart(&found, &expected), number(&case["outputs"]["tip_deflection"])?])
}

/// The sag (m) of the tip in the theory of Timoshenko, for a square section and no Poisson's ratio.
pub fn theory() -> f64 {
    let area = HEIGHT * HEIGHT;
    let load = DENSITY * area * GRAVITY;
    let bending = YOUNG * area * area / 12.0;
    let shear = 5.0 / 6.0 * (0.5 * YOUNG) * area;
    load * LENGTH.powi(4) / (8.0 * bending) + load * LENGTH * LENGTH / (2.0 * shear)
}

/// The sag (m) of the tip of a beam so many cells high.
pub fn sag(cells: u32) -> Outcome<f64> {
    let edges = [[LENGTH, 0.0, 0.0], [0.0, HEIGHT, 0.0], [0.0, 0.0, HEIGHT]];
    let solid = Block {
        corner: Vec3::ZERO,
        edges: edges.map(Vec3::from),
        cells: [5 * cells, cells, cells],
    };
    let solid = solid.mesh()?;
    let mut model = Model::new();
    model.set_gravity(Vec3::new(0.0, -GRAVITY, 0.0))?;
    TetrahedronMesh {
        positions: &solid.positions,
        tetrahedra: &solid.tetrahedra,
        mass: DENSITY * solid.volume(),
        structural: None,
    }
    .add_to(&mut model)?;
    let law = laws::find("stvk").ok_or("not registered")?;
    for corners in &solid.tetrahedra {
        model.add_element(law, corners, None, &[YOUNG, 0.0])?;
    }
    let at = |x: f64| {
        let near = move |(_, p): &(usize, &Vec3)| (p.x - x).abs() < 1e-9;
        solid.positions.iter().enumerate().filter(near).map(|(index, _)| index)
    };
    for index in at(0.0) {
        model.pin_at_rest(index as u32)?;
    }
    let found = settle(model, solid.positions.clone())?;
    let tip: Vec<f64> = at(LENGTH).map(|index| solid.positions[index].y - found[index].y).collect();
    Ok(tip.iter().sum::<f64>() / tip.len() as f64)
}

/// The order of convergence between the last two meshes.
pub fn order(sags: &[(u32, f64)]) -> f64 {
    let [.., (coarse, one), (fine, other)] = sags else { return f64::NAN };
    let [one, other] = [one, other].map(|sag| 1.0 - sag / theory());
    (one / other).ln() / (f64::from(*fine) / f64::from(*coarse)).ln()
}

/// How much of the theory's sag is missing, against cells.
pub fn chart(sags: &[(u32, f64)]) -> Chart {
    let points: Vec<[f64; 2]> =
        sags.iter().map(|&(cells, sag)| [f64::from(cells), 1.0 - sag / theory()]).collect();
    let [x, y] = points.last().copied().unwrap_or([1.0; 2]);
    let guide = [0.4 * x, x].map(|cells: f64| [cells, 0.6 * y * (x / cells).powi(2)]);
    Chart {
        title: "A cantilever of linear tetrahedra".into(),
        x: Axis::log("cells across the beam"),
        y: Axis::log("1 − sag / Timoshenko's"),
        series: vec![
            Series::new("error", Mark::Both, points),
            Series::new("second order", Mark::Guide, guide.into()),
        ],
    }
}
