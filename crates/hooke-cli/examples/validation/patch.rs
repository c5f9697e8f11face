//! The patch test: an affine displacement of the boundary gives the same one inside.

use super::Outcome;
use super::statics::{apart, random, settle};
use hooke::laws::{Corotated, Law, NeoHookean, Stvk, StvkMembrane, info};
use hooke::model::Motion;
use hooke::model::solid::{Block, surface};
use hooke::{Model, Vec3};

/// What one law makes of the test.
pub struct Patch {
    /// The law.
    pub law: &'static str,
    /// Elements in the patch.
    pub elements: usize,
    /// The greatest distance (m) of a particle from the affine map.
    pub off: f64,
    /// The greatest difference of an element's stress from the mean, over the mean.
    pub spread: f64,
}

/// Cells along each side of a patch, a meter long.
const CELLS: u32 = 4;

/// Three stretches and three shears.
fn affine(x: Vec3) -> Vec3 {
    Vec3::new(
        1.08 * x.x + 0.05 * x.y + 0.02 * x.z + 0.3,
        0.03 * x.x + 0.95 * x.y - 0.04 * x.z,
        -0.02 * x.x + 0.01 * x.y + 1.04 * x.z,
    )
}

/// Every law.
pub fn patches() -> Outcome<Vec<Patch>> {
    let material = [1e5, 0.3];
    Ok(vec![
        solid::<Stvk>(material)?,
        solid::<Corotated>(material)?,
        solid::<NeoHookean>(material)?,
        membrane()?,
    ])
}

/// Moves what is inside by up to a fifth of a cell, so that the mesh has no symmetry.
fn jitter(positions: &mut [Vec3], is_border: &[bool], axes: [f64; 3]) {
    for (index, x) in positions.iter_mut().enumerate().filter(|(index, _)| !is_border[*index]) {
        let [a, b, c] = [0, 1, 2].map(|axis| axes[axis] * random(3 * index + axis));
        *x += Vec3::new(a, b, c) * (0.2 / f64::from(CELLS));
    }
}

/// The particles and their pins, settled from the rest positions.
fn settled(mut model: Model, is_border: &[bool]) -> Outcome<Vec<Vec3>> {
    model.set_gravity(Vec3::ZERO)?;
    let mut start = model.rest().to_vec();
    for (index, x) in start.iter_mut().enumerate().filter(|(index, _)| is_border[*index]) {
        *x = affine(*x);
        model.pin(index as u32, [true; 3], Motion::still(*x))?;
    }
    settle(model, start)
}

fn patch<const N: usize>(
    law: &'static str,
    [rest, found]: [&[Vec3]; 2],
    elements: &[[u32; N]],
    stress: impl Fn([Vec3; N], [Vec3; N]) -> [Vec3; 3],
) -> Patch {
    let stresses: Vec<[Vec3; 3]> = elements
        .iter()
        .map(|corners| {
            stress(corners.map(|i| rest[i as usize]), corners.map(|i| found[i as usize]))
        })
        .collect();
    let mean = [0, 1, 2].map(|k| {
        let sum = stresses.iter().fold(Vec3::ZERO, |sum, stress| sum + stress[k]);
        sum * (1.0 / stresses.len() as f64)
    });
    let size = |stress: &[Vec3; 3]| stress.iter().map(|row| row.norm2()).sum::<f64>().sqrt();
    let off_mean = |stress: &[Vec3; 3]| size(&[0, 1, 2].map(|k| stress[k] - mean[k]));
    let mapped: Vec<Vec3> = rest.iter().map(|&x| affine(x)).collect();
    Patch {
        law,
        elements: elements.len(),
        off: apart(found, &mapped),
        spread: stresses.iter().map(off_mean).fold(0.0, f64::max) / size(&mean),
    }
}

/// P from the forces of an element: `P = Σ_k ∂E/∂x_k (X_k − X_0)ᵀ / size`, by columns.
fn nominal<const N: usize>(gradient: [Vec3; N], rest: [Vec3; N], size: f64) -> [Vec3; 3] {
    [0, 1, 2].map(|axis| {
        let terms = gradient.iter().zip(rest).skip(1);
        terms.fold(Vec3::ZERO, |sum, (g, x)| sum + *g * ((x - rest[0])[axis] / size))
    })
}

fn solid<L: Law<4, 10, 2>>(material: [f64; 2]) -> Outcome<Patch> {
    let edges = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(Vec3::from);
    let mut solid = Block { corner: Vec3::ZERO, edges, cells: [CELLS; 3] }.mesh()?;
    let mut is_border = vec![false; solid.positions.len()];
    surface(&solid.tetrahedra).as_flattened().iter().for_each(|&i| is_border[i as usize] = true);
    jitter(&mut solid.positions, &is_border, [1.0; 3]);
    let mut model = Model::new();
    for &x in &solid.positions {
        model.add_particle(x, 1.0)?;
    }
    for corners in &solid.tetrahedra {
        model.add_element(&info::<L, 4, 10, 2>(), corners, None, &material)?;
    }
    let found = settled(model, &is_border)?;
    Ok(patch(L::NAME, [&solid.positions, &found], &solid.tetrahedra, |rest_at, x| {
        let Some(rest) = L::rest(rest_at) else { return [Vec3::ZERO; 3] };
        nominal(L::gradient(x, rest, material), rest_at, rest[9])
    }))
}

fn membrane() -> Outcome<Patch> {
    let material = [1e5, 0.3, 1e-3];
    let side = CELLS + 1;
    let (mut positions, mut is_border, mut triangles) = (Vec::new(), Vec::new(), Vec::new());
    for row in 0..side {
        for column in 0..side {
            let [x, z] = [column, row].map(|k| f64::from(k) / f64::from(CELLS));
            positions.push(Vec3::new(x, 0.0, z));
            is_border.push([row, column].iter().any(|&k| k == 0 || k == CELLS));
            if row < CELLS && column < CELLS {
                let [a, c] = [row * side + column, (row + 1) * side + column];
                triangles.extend([[a, a + 1, c + 1], [a, c + 1, c]]);
            }
        }
    }
    jitter(&mut positions, &is_border, [1.0, 0.0, 1.0]);
    let mut model = Model::new();
    for &x in &positions {
        model.add_particle(x, 1.0)?;
    }
    for corners in &triangles {
        model.add_element(&info::<StvkMembrane, 3, 5, 3>(), corners, None, &material)?;
    }
    let found = settled(model, &is_border)?;
    Ok(patch(StvkMembrane::NAME, [&positions, &found], &triangles, |rest_at, x| {
        let Some(rest) = StvkMembrane::rest(rest_at) else { return [Vec3::ZERO; 3] };
        nominal(StvkMembrane::gradient(x, rest, material), rest_at, rest[4])
    }))
}
