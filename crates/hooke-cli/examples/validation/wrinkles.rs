//! Wrinkles of a sheet on a soft bed: their length against the rigidity.
//!
//! A long strip lies on a bed of springs and has grown along its length, but its ends are held.
//! It buckles into waves of length `λ = 2π (D/K)^(1/4)`, K the stiffness of the bed per area, once
//! the compression reaches `2 √(DK)` per width: the wavelength at which that is least.

use super::Outcome;
use super::statics::{random, settle};
use hooke::laws::{self, Law, StvkMembrane};
use hooke::model::surface;
use hooke::{Model, Vec3};
use hooke_render::chart::{Axis, Chart, Mark, Series};
use std::f64::consts::{SQRT_2, TAU};

/// Stiffness of the bed (N/m³).
pub const BED: f64 = 1e4;
/// The strain at which the strip buckles; it sets how stiff the membrane is.
const CRITICAL: f64 = 5e-3;
/// Cells of a millimeter along the strip.
const COLUMNS: u32 = 2000;
const CELL: f64 = 1e-3;
/// Rows of vertices across it.
const ROWS: u32 = 3;
/// How far it grows, in parts of what makes it buckle: slowly about there.
const GROWTH: [f64; 5] = [0.9, 0.98, 1.0, 1.02, 1.1];

/// Rigidities (N·m), half a decade apart.
pub fn rigidities() -> Vec<f64> {
    (0..=6).map(|k| 10f64.powf(-6.0 + 0.5 * f64::from(k))).collect()
}

/// The wavelength (m) in theory.
pub fn theory(rigidity: f64) -> f64 {
    TAU * (rigidity / BED).powf(0.25)
}

fn index(column: u32, row: u32) -> u32 {
    row * (COLUMNS + 1) + column
}

/// The strip, grown by a strain.
fn strip(rigidity: f64, growth: f64) -> Outcome<Model> {
    let mut model = Model::new();
    model.set_gravity(Vec3::ZERO)?;
    for row in 0..ROWS {
        for column in 0..=COLUMNS {
            let x = Vec3::new(CELL * f64::from(column), 0.0, CELL * f64::from(row));
            model.add_particle(x, 1e-5)?;
        }
    }
    let mut triangles = Vec::new();
    for row in 0..ROWS - 1 {
        for column in 0..COLUMNS {
            let [a, b] = [index(column, row), index(column + 1, row)];
            let [c, d] = [index(column, row + 1), index(column + 1, row + 1)];
            triangles.extend([[a, b, d], [a, d, c]]);
        }
    }
    let membrane = laws::find("stvk-membrane").ok_or("not registered")?;
    let (stiffness, thickness) = (2.0 * (rigidity * BED).sqrt() / CRITICAL, 1e-3);
    let material = [stiffness / thickness, 0.0, thickness];
    for corners in &triangles {
        let grown = corners.map(|i| model.rest()[i as usize]);
        let grown = grown.map(|x| Vec3::new(x.x * (1.0 + growth), x.y, x.z));
        let rest = StvkMembrane::rest(grown).ok_or("a triangle without area")?;
        model.add_element(membrane, corners, Some(&rest), &material)?;
    }
    let bending = laws::find("vertex-bending").ok_or("not registered")?;
    for ring in surface::rings(&triangles) {
        model.add_element(bending, &ring, None, &[rigidity])?;
    }
    // The strip is cut from a wide sheet: beyond its long edges the sheet goes on as in a mirror.
    for (edge, inner) in [(0, 1), (ROWS - 1, ROWS - 2)] {
        for column in 1..COLUMNS {
            let corners = [(column, edge), (column - 1, edge), (column + 1, edge), (column, inner)];
            let corners = corners.map(|(column, row)| index(column, row));
            let weights = [-4.0, 1.0, 1.0, 2.0].map(|weight| weight / (CELL * SQRT_2));
            model.add_element(bending, &corners, Some(&weights), &[rigidity])?;
        }
    }
    let attachment = laws::find("attachment").ok_or("not registered")?;
    for row in 0..ROWS {
        let share = if row == 0 || row == ROWS - 1 { 0.5 } else { 1.0 } * CELL * CELL;
        for column in 0..=COLUMNS {
            let particle = index(column, row);
            let is_end = column == 0 || column == COLUMNS;
            model.pin(
                particle,
                [is_end, is_end, true],
                hooke::model::Motion::still(model.rest()[particle as usize]),
            )?;
            model.add_element(attachment, &[particle], None, &[BED * share])?;
            // A bed that is not quite even: a hundredth of the waves that will come.
            let wave = (0.4 * CRITICAL).sqrt() * theory(rigidity) / TAU;
            let force = 1e-2 * wave * BED * share * random(column as usize);
            model.add_force(particle, Vec3::new(0.0, force, 0.0))?;
        }
    }
    Ok(model)
}

/// The heights (m) along the middle of the strip, once it has wrinkled.
pub fn profile(rigidity: f64) -> Outcome<Vec<f64>> {
    let mut positions = strip(rigidity, 0.0)?.rest().to_vec();
    for growth in GROWTH {
        positions = settle(strip(rigidity, growth * CRITICAL)?, positions)?;
    }
    Ok((0..=COLUMNS).map(|column| positions[index(column, ROWS / 2) as usize].y).collect())
}

/// The wavelength (m) from the zeros of a profile, without those near the ends.
pub fn wavelength(profile: &[f64]) -> f64 {
    let margin = profile.len() / 10;
    let zeros: Vec<f64> = (margin..profile.len() - margin)
        .filter(|&k| (profile[k] < 0.0) != (profile[k + 1] < 0.0))
        .map(|k| CELL * (k as f64 + profile[k] / (profile[k] - profile[k + 1])))
        .collect();
    match zeros[..] {
        [first, .., last] => 2.0 * (last - first) / (zeros.len() - 1) as f64,
        _ => f64::NAN,
    }
}

/// The exponent of a power law through points, by least squares of logarithms.
pub fn exponent(points: &[[f64; 2]]) -> f64 {
    let logs: Vec<[f64; 2]> = points.iter().map(|point| point.map(f64::ln)).collect();
    let count = logs.len() as f64;
    let [x, y] = [0, 1].map(|k| logs.iter().map(|log| log[k]).sum::<f64>() / count);
    let covariance: f64 = logs.iter().map(|log| (log[0] - x) * (log[1] - y)).sum();
    covariance / logs.iter().map(|log| (log[0] - x).powi(2)).sum::<f64>()
}

/// Measured wavelengths against rigidity.
pub fn chart(points: &[[f64; 2]]) -> Chart {
    let theory = points.iter().map(|&[rigidity, _]| [rigidity, theory(rigidity)]);
    Chart {
        title: "Wrinkles of a sheet on a bed".into(),
        x: Axis::log("rigidity D (N·m)"),
        y: Axis::log("wavelength (m)"),
        series: vec![
            Series::new("measured", Mark::Dots, points.to_vec()),
            Series::new("2π (D/K)^(1/4)", Mark::Guide, theory.collect()),
        ],
    }
}
