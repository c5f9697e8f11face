//! One step: split into substeps, checked, and undone if it fails.

use super::phases::Substep;
use super::{Diverged, Simulation, StepError};
use crate::clock::Stopwatch;
use crate::lanes::rows;
use crate::math::{Vec3, flat};
use crate::methods::{Refusal, StabilityLimit};
use crate::model::ParticleId;
use crate::report::StepReport;
use crate::state::State;

/// The quantity that is not finite, and its particle, if known.
type NotFinite = (Option<usize>, &'static str);

impl Simulation {
    /// Takes one step: all [`PHASES`](crate::PHASES), in that order. On failure the state is
    /// unchanged.
    pub fn step(&mut self) -> Result<&StepReport, StepError> {
        self.take_step(None)
    }

    /// As [`Simulation::step`], but calls `stop` before the step and between its substeps. If it
    /// returns true, the state and the method's memory are restored to those before the step.
    pub fn step_unless(&mut self, stop: &dyn Fn() -> bool) -> Result<&StepReport, StepError> {
        self.take_step(Some(stop))
    }

    fn take_step(&mut self, stop: Option<&dyn Fn() -> bool>) -> Result<&StepReport, StepError> {
        let clock = Stopwatch::start();
        let asked = || stop.is_some_and(|stop| stop());
        if asked() {
            return Err(StepError::Stopped);
        }
        self.prepare()?;
        let Some(plan) = self.plan else { return Ok(&self.report) };
        let n = plan.substeps;
        let snapshot = (stop.is_some() && n > 1).then(|| self.snapshot());
        self.before.copy_from(&self.state, &self.pool);
        let spring_cache =
            std::mem::take(&mut self.spring_cache_is_current) && self.spring_kernels.shares();
        self.report.clear();
        self.report.reactions.resize(self.model.pins().len(), Vec3::ZERO);

        self.follow_chains()?;
        let h = self.h / f64::from(n);
        for index in 0..n {
            if let Some(snapshot) = snapshot.as_ref().filter(|_| index > 0 && asked()) {
                self.restore(snapshot).map_err(Refusal::from)?;
                return Err(StepError::Stopped);
            }
            let starts_the_step = index == 0 && self.model.global_damping().is_none();
            let spring_cache = spring_cache && starts_the_step;
            self.substep(Substep { index, of: n, h, starts_the_step, spring_cache });
            self.check_substep(h, plan.limit)?;
        }
        self.state.step = self.before.step + 1;
        self.state.time = self.time(f64::from(n), n);
        if !self.state.time.is_finite() {
            return Err(self.give_up((None, "time"), h, plan.limit).into());
        }
        self.report.substeps = n;
        self.measure_report();
        if let Some(quantity) = self.report.first_not_finite() {
            return Err(self.give_up((None, quantity), h, plan.limit).into());
        }
        self.control.settle(&self.substep_control);
        self.report.seconds.total = clock.seconds();
        Ok(&self.report)
    }

    /// Moves chains to their goals at the end of the step.
    fn follow_chains(&mut self) -> Result<(), Refusal> {
        if self.model.chains().is_empty() {
            return Ok(());
        }
        let clock = Stopwatch::start();
        let (end, report) = (self.time(1.0, 1), &mut self.report.chains);
        let (model, control, state) = (&self.model, &mut self.control, &mut self.state);
        let followed = self.chains.step(model, control, state, [end, self.h], report);
        self.report.seconds.chains += clock.seconds();
        if followed.is_err() {
            self.state.copy_from(&self.before, &self.pool);
            self.chains.show(&self.model, &self.state);
        }
        Ok(followed?)
    }

    /// Measures the state at the end of the step into the report.
    fn measure_report(&mut self) {
        let (shared, clock) = (self.spring_cache.was_used(), Stopwatch::start());
        self.measure(true);
        // A method that uses the spring quantities of the report is charged for them.
        let springs = if shared { self.spring_seconds } else { 0.0 };
        self.report.seconds.method += springs;
        self.report.seconds.measure += clock.seconds() - springs;
    }

    /// Fails the step if a substep of `h` seconds ended in a state that is not finite, moved
    /// surfaces too fast, or had too many contacts.
    fn check_substep(&mut self, h: f64, limit: StabilityLimit) -> Result<(), StepError> {
        if let Some(not_finite) = self.not_finite() {
            return Err(self.give_up(not_finite, h, limit).into());
        }
        if let Some(ratio) = self.report.too_fast.filter(|ratio| ratio.is_finite()) {
            let step = self.before.step + 1;
            self.give_up((None, "contacts"), h, limit);
            return Err(StepError::TooFast { step, below: h / ratio });
        }
        if let Some(most) = self.rigid_bodies.too_many_contacts() {
            self.give_up((None, "contacts"), h, limit);
            return Err(Refusal::TooManyContacts { most }.into());
        }
        Ok(())
    }

    /// The quantity of the state that is not finite, if any.
    fn not_finite(&self) -> Option<NotFinite> {
        let State { positions, velocities, .. } = &self.state;
        let level = self.spring_kernels.level();
        let sum = self.pool.sum(positions.len(), |range| {
            let [x, v] = [positions, velocities].map(|points| flat(&points[range.clone()]));
            rows::not_finite(level, x) + rows::not_finite(level, v)
        });
        if sum != 0.0
            && let Some((particle, quantity)) = self.state.first_not_finite()
        {
            return Some((Some(particle), quantity));
        }
        if self.state.rigid_bodies.iter().any(|body| !body.is_finite()) {
            return Some((None, "pose of a rigid body"));
        }
        let lost = self.report.solve.is_some_and(|solve| !solve.residual.is_finite());
        lost.then_some((None, "residual"))
    }

    /// Restores the state before the step.
    fn give_up(
        &mut self,
        (particle, quantity): NotFinite,
        h: f64,
        limit: StabilityLimit,
    ) -> Diverged {
        self.state.copy_from(&self.before, &self.pool);
        self.chains.show(&self.model, &self.state);
        self.method.restore(&[]);
        self.rigid_bodies.forget();
        self.report.clear();
        self.rebase();
        self.measure(false);
        let particle = particle.map(|particle| ParticleId::new(particle as u32));
        Diverged { step: self.before.step + 1, particle, quantity, h, limit }
    }

    /// The time (s) after `part` of `n` parts of the step that starts at `before`. It is counted
    /// from the last change of the step length, never summed.
    pub(super) fn time(&self, part: f64, n: u32) -> f64 {
        let (step, time) = self.origin;
        time + ((self.before.step - step) as f64 + part / f64::from(n)) * self.h
    }
}
