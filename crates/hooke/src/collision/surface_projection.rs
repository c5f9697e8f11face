//! Keeps surfaces apart after the step of a method that does not hold their contact in its solve, and after what else
//! moves particles behind a solve.
//!
//! Every gap that the step would close below the thickness δ is opened again, sweep by sweep, by
//! `Δxᵢ = wᵢ n mᵢ⁻¹ λ`, and the displacement across it is shortened by at most μ times as much (Coulomb). Then the feasible
//! state where the step started follows by the certified advance, and velocities change by `Δx/h`. Linear momentum is
//! kept but for what the advance shortens.

use super::advance::{Advance, mobility};
use super::candidates::Candidates;
use super::closest_points::{Features, weighted};
use crate::math::Vec3;
use crate::model::Model;
use crate::report::{Contact, StepReport};
use crate::state::State;
use crate::thread_pool::ThreadPool;

/// The most sweeps.
const SWEEPS: u32 = 16;

/// The time (s) in which a gap that is too small opens by the thickness.
const RECOVERY: f64 = 0.02;

/// A gap that must not close.
struct Row {
    features: Features,
    weights: [f64; 4],
    n: Vec3,
    /// The least gap at the end of the step (m).
    least: f64,
    friction: f64,
    /// r at the start of the step (m).
    start: Vec3,
    /// What it was opened by (kg·m).
    pressed: f64,
}

/// The projection, with its workspace.
#[derive(Default)]
pub(crate) struct SurfaceProjection {
    on: bool,
    candidates: Candidates,
    advance: Advance,
    rows: Vec<Row>,
    /// Where the particles are (m), and where they were to go.
    feasible: Vec<Vec3>,
    target: Vec<Vec3>,
}

impl SurfaceProjection {
    pub(crate) fn prepare(&mut self, model: &Model) {
        self.on = self.candidates.prepare(model);
    }

    /// Whether anything can touch.
    pub(crate) fn is_on(&self) -> bool {
        self.on
    }

    /// Moves the particles of a step of `h` seconds to where no surface has passed another since `from`; `rows`
    /// where the method has not held their contact in its solve. Tells `displaced` who was moved.
    pub(crate) fn resolve(
        &mut self,
        (model, pool): (&Model, &ThreadPool),
        (h, rows): (f64, bool),
        from: &[Vec3],
        (start, state): (&State, &mut State),
        displaced: &mut dyn FnMut(usize, &State),
        report: &mut StepReport,
    ) {
        if !self.on || from == state.positions {
            return;
        }
        self.feasible.clear();
        self.feasible.extend_from_slice(from);
        self.target.clone_from(&state.positions);
        self.candidates.cover(model, from, &self.target, pool);
        if !self.candidates.list.is_empty() && rows {
            let told = self.open_gaps(model, h);
            report.contact = Some(report.contact.unwrap_or_default().join(told));
        }
        let Self { candidates, advance, feasible, target, .. } = self;
        advance.advance(model, candidates, feasible, target, pool);
        report.too_fast = report.too_fast.or(candidates.too_long);
        for (i, &x) in feasible.iter().enumerate() {
            let z = state.positions[i];
            if x == z {
                continue;
            }
            state.positions[i] = x;
            for axis in (0..3).filter(|&axis| !model.fixed()[i][axis]) {
                let change = (x[axis] - z[axis]) / h;
                state.velocities[i][axis] += change;
                let mean = 0.5 * (start.velocities[i][axis] + state.velocities[i][axis]);
                report.work.contact += model.masses()[i] * change * mean;
            }
            displaced(i, state);
        }
    }

    /// Moves the target until no gap is too small, or [`SWEEPS`] are over.
    fn open_gaps(&mut self, model: &Model, h: f64) -> Contact {
        let Self { candidates, rows, feasible, target, .. } = self;
        rows.clear();
        let mut least_distance: Option<f64> = None;
        for candidate in &candidates.list {
            let features = candidate.features;
            let corners = features.corners(feasible);
            let closest = features.closest(corners);
            let distance = closest.offset.norm();
            let n = closest.offset.unit();
            let least = candidate.thickness.min(distance + candidate.thickness * h / RECOVERY);
            least_distance = Some(least_distance.map_or(distance, |known| known.min(distance)));
            let end = n.dot(weighted(closest.weights, features.corners(target)));
            // What stays beyond twice the thickness needs no row, whatever the others do.
            if distance.min(end) < 2.0 * candidate.thickness {
                rows.push(Row {
                    features,
                    weights: closest.weights,
                    n,
                    least,
                    friction: candidate.friction,
                    start: closest.offset,
                    pressed: 0.0,
                });
            }
        }
        for _ in 0..SWEEPS {
            let mut any = false;
            for row in &mut *rows {
                any |= row.open(model, target);
            }
            if !any {
                break;
            }
        }
        let surface_pairs = rows.iter().filter(|row| row.pressed > 0.0).count();
        Contact { surface_pairs, least_distance, ..Contact::default() }
    }
}

/// Gaps that miss by less than this, relative to what is wanted, are left.
const ENOUGH: f64 = 1e-3;

impl Row {
    /// Opens the gap at `x` where it is too small; whether it was.
    fn open(&mut self, model: &Model, x: &mut [Vec3]) -> bool {
        let vertices = self.features.vertices.map(|i| i as usize);
        let r = weighted(self.weights, self.features.corners(x));
        let missing = self.least - self.n.dot(r);
        if missing <= ENOUGH * self.least {
            return false;
        }
        let give = |along: Vec3| -> f64 {
            let one = |(&i, w): (&usize, f64)| w * w * mobility(model, i, along);
            vertices.iter().zip(self.weights).map(one).sum()
        };
        let along = give(self.n);
        if along == 0.0 {
            return false;
        }
        let pressed = missing / along;
        self.pressed += pressed;
        let mut push = self.n * pressed;
        let slid = r - self.start;
        let slid = slid - self.n * slid.dot(self.n);
        let far = slid.norm();
        if far > 0.0 && self.friction > 0.0 {
            let across = slid * (1.0 / far);
            let give = give(across);
            if give > 0.0 {
                push -= across * (self.friction * pressed).min(far / give);
            }
        }
        for (&i, weight) in vertices.iter().zip(self.weights) {
            for axis in 0..3 {
                x[i][axis] += push[axis] * weight * model.inverse_mass(i, axis);
            }
        }
        true
    }
}
