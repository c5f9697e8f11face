//! A step of backward Euler as a minimization: `x' = argmin g`, `v' = (x' − x)/h`.
//!
//! Newton's method, quasi-Newton steps and vertex block descent find the same x'. This module holds
//! the work before and after their iterations.

use super::energy_guard::EnergyGuard;
use super::minimization::{Iterate, Limits, Minimization};
use super::objective::{self, Objective};
use super::start::{Memory, Start};
use crate::kernels::Kernels;
use crate::methods::{Precision, StepContext};
use crate::model::Model;
use crate::report::StepReport;
use crate::state::State;

/// The name of g in reports.
pub(crate) const OBJECTIVE: &str = "backward Euler";

/// The common part of a step, with its workspace.
pub(crate) struct BackwardEuler {
    pub(crate) objective: Objective,
    pub(crate) iterate: Iterate,
    start: Start,
    guarded: bool,
    memory: Memory,
    guard: EnergyGuard,
}

impl BackwardEuler {
    /// With contact in g. If `guarded`, a solve that stops early must not add energy.
    pub(crate) fn new(start: Start, guarded: bool, precision: Precision) -> Self {
        Self {
            objective: Objective::new(precision).with_contacts(),
            iterate: Iterate::default(),
            start,
            guarded,
            memory: Memory::default(),
            guard: EnergyGuard::default(),
        }
    }

    pub(crate) fn prepare(&mut self, model: &Model, kernels: Kernels) {
        self.objective.prepare(model, kernels);
        self.guard.prepare(model);
        self.iterate.resize(model.particles());
    }

    /// Sets up g for a step from `state`.
    pub(crate) fn begin(
        &mut self,
        context: StepContext<'_>,
        state: &State,
        report: &mut StepReport,
    ) {
        let from = (&state.positions[..], &state.velocities[..]);
        self.objective.begin(context, context.h, 1.0, from, report);
    }

    /// Sets the initial guess.
    pub(crate) fn initialize(&mut self, context: StepContext<'_>) {
        let Self { objective, iterate, start, memory, .. } = self;
        memory.start(*start, context, context.h, &objective.y, &mut iterate.x);
        objective::hold(context, 1.0, &mut iterate.x);
        let slide = |i: usize| memory.slide(*start, context, i);
        objective.contacts.start(context.model, slide, &mut iterate.x);
    }

    /// The minimization of g from the current iterate.
    pub(crate) fn minimization<'a>(
        &'a mut self,
        context: StepContext<'a>,
        limits: Limits,
        report: &'a mut StepReport,
    ) -> Minimization<'a> {
        let guard = self.guarded.then_some(&mut self.guard);
        Minimization::new(context, &mut self.objective, &mut self.iterate, guard, limits, report)
    }

    /// Uses the iterate as the end of the step.
    pub(crate) fn finish(
        &mut self,
        context: StepContext<'_>,
        state: &mut State,
        report: &mut StepReport,
    ) {
        self.memory.keep(context);
        self.objective.contacts.hold_apart(context, &mut self.iterate.x, report);
        state.arrive(&self.iterate.x, context.h, context.pool);
        self.objective.contacts.finish(context, state, report);
    }

    pub(crate) fn save(&self, memory: &mut Vec<f64>) {
        self.objective.contacts.save(memory);
        self.memory.save(memory);
    }

    pub(crate) fn restore(&mut self, memory: &[f64]) {
        self.memory.restore(self.objective.contacts.restore(memory));
    }
}
