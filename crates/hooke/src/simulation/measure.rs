//! Measurement of the state for the report, and the reference energy for its change.

use super::Simulation;
use crate::clock::Stopwatch;
use crate::measure::Measure;
use crate::report::RigidBodyReport;

impl Simulation {
    /// Updates the springs after edits of the model.
    pub(super) fn fit_spring_kernels(&mut self) {
        if self.spring_kernels.fit(&self.model, self.kernels) {
            self.spring_cache_is_current = false;
        }
    }

    /// Writes energies, momenta and strain of the state to the report. `stepped`: the control is
    /// still that of the start of the step.
    pub(super) fn measure(&mut self, stepped: bool) {
        self.fit_spring_kernels();
        let (model, spring_kernels, pool) = (&self.model, &self.spring_kernels, &self.pool);
        let anchors = if stepped { self.substep_control.anchors() } else { self.control.anchors() };
        let measure = Measure { model, spring_kernels, anchors, pool };
        let clock = Stopwatch::start();
        let springs = spring_kernels.measure(&self.state.positions, &mut self.spring_cache, pool);
        (self.spring_seconds, self.spring_cache_is_current) = (clock.seconds(), true);
        let measured = measure.all(&self.state, springs);
        let report = &mut self.report;
        report.step = self.state.step;
        report.time = self.state.time;
        report.energy = measured.energy;
        report.numerical = report.energy.total() - self.energy - report.work.total();
        self.energy = report.energy.total();
        report.momentum = measured.momentum;
        report.angular_momentum = measured.angular_momentum;
        if !model.rigid_bodies().is_empty() {
            let bodies = report.rigid_bodies.get_or_insert_default();
            let measured = measure.rigid_bodies(&self.state);
            let RigidBodyReport { contacts, deepest, joints, .. } = *bodies;
            *bodies = RigidBodyReport { contacts, deepest, joints, ..measured };
        }
        if stepped && model.checks_intersections() {
            let found = model.intersections(&self.state.positions, 0).count;
            report.contact.get_or_insert_default().intersections = Some(found);
        }
        report.strain = measured.strain;
        report.inverted = measured.inverted;
    }

    /// Resets the reference energy, so that edits do not count as errors of the method.
    pub(super) fn rebase(&mut self) {
        self.fit_spring_kernels();
        let (model, spring_kernels, pool) = (&self.model, &self.spring_kernels, &self.pool);
        let measure = Measure { model, spring_kernels, anchors: self.control.anchors(), pool };
        self.energy = measure.energies(&self.state).total();
    }
}
