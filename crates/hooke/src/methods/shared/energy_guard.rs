//! Keeps a solve that stops early from adding energy.
//!
//! With `P(x) = E(x) − fᵀx`, convex, `v = (x − x₀)/h`, and x₀ equal to x_t with pins at their
//! targets, the minimum of g satisfies
//!
//! `½|v|²_M + P(x) + h vᵀ∂D/∂v ≤ ½|v_t|²_M + P(x₀)`
//!
//! A step ends with no more energy than it began with, minus the loss to dampers and plus the work
//! of pins. An iterate before the minimum may exceed that bound, by
//!
//! `g(x) − g(x₀) + v_tᵀMv − ½|v_t|²_M + h (vᵀ∂D/∂v − D(v) + D(0))`
//!
//! over free coordinates, which costs one more energy evaluation than the report of g. Then the
//! step is shortened toward a motion below the bound: the mean motion of every connected part, so
//! that falling and flying parts continue, or else x₀. Before that, free parts move as a whole to
//! where g is lowest.

use super::objective::{Evaluation, Objective, hold};
use super::parts::Parts;
use super::scale::Scale;
use crate::math::Vec3;
use crate::methods::StepContext;
use crate::model::Model;
use crate::report::StepReport;

/// The guard, with its workspace.
#[derive(Default)]
pub(crate) struct EnergyGuard {
    pub(crate) parts: Parts,
    /// x₀ (m).
    origin: Vec<Vec3>,
    /// The safe motion, and the trial between it and the iterate (m).
    safe: Vec<Vec3>,
    trial: Vec<Vec3>,
}

/// The maximum number of halvings of a step.
const HALVINGS: u32 = 10;

/// Relative differences of energies that are below rounding.
const NOISE: f64 = 64.0 * f64::EPSILON;

impl EnergyGuard {
    pub(crate) fn prepare(&mut self, model: &Model) {
        self.parts.prepare(model);
    }

    /// Whether a part can move as a whole: it has no pins, and there are no contacts.
    pub(crate) fn is_free(&self, g: &Objective) -> bool {
        !self.parts.are_pinned() && g.contacts.is_empty()
    }

    /// Corrects the end `x` of a solve that has not converged, where g and `gradient` are known.
    /// Returns the evaluation at the new end.
    pub(crate) fn apply(
        &mut self,
        context: StepContext<'_>,
        (g, scale): (&mut Objective, &Scale),
        mut here: Evaluation,
        (x, gradient): (&mut [Vec3], &mut [Vec3]),
        report: &mut StepReport,
    ) -> Evaluation {
        let mut moved = self.is_free(g);
        if moved {
            self.parts.descend(context, g, gradient, x);
            here.value = g.value(context, x);
        }
        if let Some(value) = self.shorten(context, g, scale, here.value, x) {
            report.shortened += 1;
            here.value = value;
            moved = true;
        }
        if moved {
            here.residual = g.gradient(context, x, gradient);
            if let Some(last) = report.residuals.last_mut() {
                *last = here.residual;
            }
        }
        here
    }

    /// Shortens a step to `x`, with g equal to `value`, that would add energy; returns g (J) at the
    /// new end.
    fn shorten(
        &mut self,
        context: StepContext<'_>,
        g: &Objective,
        scale: &Scale,
        value: f64,
        x: &mut [Vec3],
    ) -> Option<f64> {
        let Self { parts, origin, safe, trial } = self;
        origin.clone_from(&context.start.positions);
        hold(context, 1.0, origin);
        let level = g.value(context, origin);
        let adds = |value: f64, x: &[Vec3]| {
            let excess = value - level + excess_of_motion(context, g, x, origin);
            excess > scale.noise() + NOISE * (value.abs() + level.abs())
        };
        if !adds(value, x) {
            return None;
        }
        trial.resize(x.len(), Vec3::ZERO);
        for mean in [true, false] {
            safe.clone_from(origin);
            if mean {
                parts.move_by_mean(context.model, x, safe);
            }
            let mut share = 1.0;
            for halving in 0..=HALVINGS {
                share = if halving < HALVINGS { 0.5 * share } else { 0.0 };
                for ((trial, &safe), &x) in trial.iter_mut().zip(&*safe).zip(&*x) {
                    *trial = safe + (x - safe) * share;
                }
                let value = g.value(context, trial);
                if !adds(value, trial) {
                    x.copy_from_slice(trial);
                    return Some(value);
                }
            }
        }
        // x₀ adds no energy except by rounding.
        x.copy_from_slice(origin);
        Some(level)
    }
}

/// `v_tᵀMv − ½|v_t|²_M + h (vᵀ∂D/∂v − D(v) + D(0))` (J) over free coordinates.
fn excess_of_motion(context: StepContext<'_>, g: &Objective, x: &[Vec3], origin: &[Vec3]) -> f64 {
    let StepContext { model, start, pool, .. } = context;
    let by = 1.0 / g.h;
    let one = |i: usize| {
        let (before, v) = (start.velocities[i], (x[i] - origin[i]) * by);
        let free = (0..3).filter(|&axis| !model.fixed()[i][axis]);
        let sum: f64 = free.map(|axis| before[axis] * (v[axis] - 0.5 * before[axis])).sum();
        model.masses()[i] * sum
    };
    let motion = pool.sum(x.len(), |range| range.map(one).sum());
    let damping = &g.dissipation;
    if damping.is_empty() {
        return motion;
    }
    let v = |i: usize| (x[i] - g.base[i]) * by;
    let lost = -damping.power(v, pool) - damping.value(v, pool);
    motion + g.h * (lost + damping.value(|i| (origin[i] - g.base[i]) * by, pool))
}
