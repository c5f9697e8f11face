//! The common part of a minimization of g: scale, stopping test, energy guard and report.
//!
//! A solve has converged if `‖∇g‖ ≤ tolerance · scale`, see [`Objective::scale`]. Each method
//! supplies only the iteration that decreases g.

use super::energy_guard::EnergyGuard;
use super::objective::{self, Evaluation, Objective};
use super::scale::Scale;
use super::system::{Effort, Outcome};
use crate::contact::MOST_UPDATES;
use crate::math::Vec3;
use crate::methods::StepContext;
use crate::report::{End, StepReport};

/// Positions (m) and ∇g (N) there.
#[derive(Default)]
pub(crate) struct Iterate {
    pub(crate) x: Vec<Vec3>,
    pub(crate) gradient: Vec<Vec3>,
}

impl Iterate {
    pub(crate) fn resize(&mut self, particles: usize) {
        self.x.resize(particles, Vec3::ZERO);
        self.gradient.resize(particles, Vec3::ZERO);
    }
}

/// Stopping criteria of a solve.
#[derive(Clone, Copy)]
pub(crate) struct Limits {
    /// The maximum number of iterations.
    pub(crate) iterations: u32,
    /// The tolerance on ‖∇g‖, relative to the scale.
    pub(crate) tolerance: f64,
}

/// One minimization of g.
pub(crate) struct Minimization<'a> {
    pub(crate) context: StepContext<'a>,
    pub(crate) g: &'a mut Objective,
    pub(crate) x: &'a mut Vec<Vec3>,
    pub(crate) gradient: &'a mut Vec<Vec3>,
    /// Keeps a solve that stops early from adding energy.
    pub(crate) guard: Option<&'a mut EnergyGuard>,
    pub(crate) limits: Limits,
    pub(crate) scale: Scale,
    /// g and ‖∇g‖ at `x`, if they were evaluated.
    pub(crate) here: Evaluation,
    pub(crate) iterations: u32,
    pub(crate) effort: Effort,
    report: &'a mut StepReport,
}

impl<'a> Minimization<'a> {
    /// Starts at the positions of `iterate`.
    pub(crate) fn new(
        context: StepContext<'a>,
        g: &'a mut Objective,
        iterate: &'a mut Iterate,
        guard: Option<&'a mut EnergyGuard>,
        limits: Limits,
        report: &'a mut StepReport,
    ) -> Self {
        let Iterate { x, gradient } = iterate;
        let scale = g.scale(context, gradient);
        let here = Evaluation { value: f64::NAN, residual: f64::NAN };
        let effort = Effort::none();
        Self { context, g, x, gradient, guard, limits, scale, here, iterations: 0, effort, report }
    }

    /// Evaluates g at `x`.
    pub(crate) fn evaluate_value(&mut self) {
        self.here.value = self.g.value(self.context, self.x);
    }

    /// Evaluates ∇g at `x`.
    pub(crate) fn evaluate_gradient(&mut self) {
        self.here.residual = self.g.gradient(self.context, self.x, self.gradient);
    }

    /// Evaluates both, in one pass if there are only springs.
    pub(crate) fn evaluate(&mut self) {
        self.here = self.g.evaluate(self.context, self.x, self.gradient);
    }

    /// Updates lagged contact at `x`, where g and ∇g are known, and updates both. Returns whether g
    /// has changed.
    pub(crate) fn update_lagged(&mut self) -> bool {
        let (context, tolerance) = (self.context, self.limits.tolerance);
        let there = self.g.update_lagged(
            context,
            self.x,
            self.here,
            self.gradient,
            tolerance,
            MOST_UPDATES,
        );
        self.here = there.unwrap_or(self.here);
        there.is_some()
    }

    /// Records the residual. Returns why the solve can stop, if so.
    pub(crate) fn settled(&mut self) -> Option<End> {
        let residual = self.here.residual;
        self.report.residuals.push(residual);
        if !self.g.contacts.surfaces.has_arrived() {
            return None;
        }
        self.g.end(self.context, &self.scale, self.x, residual, self.limits.tolerance)
    }

    /// Whether all iterations are used up.
    pub(crate) fn exhausted(&self) -> Option<End> {
        (self.iterations == self.limits.iterations).then_some(End::Cap)
    }

    /// Ends the solve at `x`, where g and ∇g are known.
    pub(crate) fn finish(self, objective: &'static str, end: End) {
        let Self { context, g, x, gradient, scale, mut here, iterations, effort, report, .. } =
            self;
        if let Some(guard) = self.guard.filter(|_| !end.is_settled()) {
            here = guard.apply(context, (g, &scale), here, (x, gradient), report);
        }
        objective::reactions(context.model, gradient, report);
        effort.report(Outcome { end, objective, iterations, here, scale: scale.value }, report);
    }

    /// Ends the solve early, so that another method can continue from `x`. Returns its cost so far.
    pub(crate) fn abandon(self) -> (u32, Effort) {
        (self.iterations, self.effort)
    }
}
