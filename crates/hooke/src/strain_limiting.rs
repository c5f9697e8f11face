//! Strain limiting: after the dynamics, springs and membranes that are stretched or compressed
//! beyond the limit are projected one after the other, in sweeps.
//!
//! A spring has the stretch `σ = |x_ij|/l`, a membrane the two singular values of its F. They are
//! clamped to `[min, max]`, and the corners move to the clamped shape about the same center of
//! mass: for a spring `x_i −= m_j/(m_i + m_j) (|x_ij| − σ₀l) d`,
//! `x_j += m_i/(m_i + m_j) (|x_ij| − σ₀l) d`. A pinned coordinate has infinite mass. Velocities
//! change by `(x_new − x)/h`, so momentum is conserved where nothing is pinned. Energy is not
//! conserved; its change is booked as the work of the limit.

use crate::compute::Inertia;
use crate::math::Vec3;
use crate::model::{Model, StrainLimit, SweepOrder};
use crate::report::{Limited, StepReport};
use crate::state::State;

/// Sweeps end when no element exceeds the limit by more than this.
const SETTLED: f64 = 1e-13;

/// The largest violation of the limit (in σ).
pub(crate) fn excess(model: &Model, limit: &StrainLimit, x: &[Vec3]) -> f64 {
    let range = [limit.min, limit.max];
    let worst = |worst: f64, excess: f64| if excess > worst { excess } else { worst };
    model.elements().iter().map(|batch| batch.excess(x, range)).fold(0.0, worst)
}

/// Projects the positions of a step of length `h` (s), corrects the velocities, and calls
/// `displaced` for every particle that moved. `moved` is overwritten.
pub(crate) fn resolve(
    model: &Model,
    limit: &StrainLimit,
    h: f64,
    state: &mut State,
    moved: &mut Vec<Vec3>,
    displaced: &mut dyn FnMut(usize, &State),
) -> u32 {
    moved.clone_from(&state.positions);
    let inertia = Inertia { masses: model.masses(), fixed: model.fixed() };
    let range = [limit.min, limit.max];
    let mut sweeps = 0;
    while sweeps < limit.iterations {
        let backwards = limit.order == SweepOrder::Alternating && sweeps % 2 == 1;
        let mut worst = 0.0;
        let mut sweep = |k: usize| {
            let met = model.elements()[k].limit(moved, inertia, range, backwards);
            worst = if met > worst { met } else { worst };
        };
        let batches = 0..model.elements().len();
        if backwards {
            batches.rev().for_each(&mut sweep);
        } else {
            batches.for_each(&mut sweep);
        }
        if worst <= SETTLED {
            break;
        }
        sweeps += 1;
    }
    for (i, &x) in moved.iter().enumerate() {
        let change = x - state.positions[i];
        if change != Vec3::ZERO {
            state.positions[i] = x;
            state.velocities[i] += change * (1.0 / h);
            displaced(i, state);
        }
    }
    sweeps
}

/// Adds the strain limiting of a substep to a report.
pub(crate) fn book(report: &mut StepReport, before: f64, after: f64, sweeps: u32) {
    let now = Limited { before, after, sweeps };
    report.limit = Some(report.limit.unwrap_or_default().join(now));
}
