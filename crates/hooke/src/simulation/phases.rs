//! The phases of a step, in fixed order ([`PHASES`]), one function each.

use super::Simulation;
use crate::clock::Stopwatch;
use crate::math::Vec3;
use crate::measure::Measure;
use crate::methods::StepContext;
use crate::report::BodyImpulse;
use crate::rigid::{Acting, touch};
use crate::state::State;
use crate::strain_limiting;

/// The phases of [`Simulation::step`], in order. The first and the last are run once a step, all others once
/// in each of the substeps it is cut into.
///
/// 1. Chains follow their goals to where those are at the end of the step.
/// 2. Control: keyframes of pins, anchors, wind and obstacles are evaluated for the end of the substep. Anchors
///    that move do work on what is attached to them.
/// 3. Global damping scales all free velocities.
/// 4. Dampers are frozen at the start of the substep, for methods that do not take them ahead.
/// 5. Dynamics: the method advances positions and velocities of particles.
/// 6. Body impulses: what tethers and grabs did to rigid bodies is gathered.
/// 7. Work of dampers, pins and constant forces along the displacement is booked.
/// 8. Strain limiting projects elements that are outside the limit.
/// 9. Contact: particles that are too near an obstacle, and that the dynamics left there, are set back.
/// 10. Rigid bodies meet particles, then are stepped.
/// 11. Surfaces of deformables that would pass through each other, and that the dynamics left there, are kept apart.
/// 12. Report: energies, momenta and the worst strain of the state are measured.
pub const PHASES: [&str; 12] = [
    "chains",
    "control",
    "global damping",
    "dampers",
    "dynamics",
    "body impulses",
    "work",
    "strain limiting",
    "contact",
    "rigid bodies",
    "surfaces",
    "report",
];

/// A substep of a step.
#[derive(Clone, Copy)]
pub(super) struct Substep {
    /// Its index, and the number of substeps.
    pub(super) index: u32,
    pub(super) of: u32,
    /// Its length (s).
    pub(super) h: f64,
    /// Whether it starts in the state before the step, unchanged.
    pub(super) starts_the_step: bool,
    /// Whether the spring quantities of the last report are valid at its start.
    pub(super) spring_cache: bool,
}

impl Substep {
    /// The state at its start.
    fn start<'a>(self, before: &'a State, start: &'a State) -> &'a State {
        if self.starts_the_step { before } else { start }
    }
}

impl Simulation {
    /// One substep: all [`PHASES`] except the first and the last.
    pub(super) fn substep(&mut self, substep: Substep) {
        self.evaluate_control(substep);
        self.apply_global_damping(substep);
        self.freeze_dampers();
        self.advance_dynamics(substep);
        self.gather_body_impulses(substep);
        self.book_work(substep);
        self.apply_strain_limiting(substep);
        self.resolve_contact(substep);
        self.step_rigid_bodies(substep);
        self.separate_surfaces(substep);
    }

    /// Evaluates pins, anchors, wind, obstacles and bodies over the substep, and books the work of
    /// moving anchors.
    fn evaluate_control(&mut self, Substep { index, of, h, .. }: Substep) {
        let [start, end] = [index, index + 1].map(|part| self.time(f64::from(part), of));
        let fractions = [index, index + 1].map(|part| f64::from(part) / f64::from(of));
        let (model, state, rigid_bodies) = (&self.model, &self.state, &self.rigid_bodies);
        let control = &mut self.substep_control;
        control.evaluate(&self.control, model, state, [start, end], fractions, h);
        control.set_frames(model, [start, end], |index| {
            let body = &state.rigid_bodies[index];
            [body.pose, rigid_bodies.predict(model, index, body, h)].map(|pose| pose.frame())
        });
        for tether in model.tethers() {
            let frames = &control.frames()[model.obstacles().len() + tether.body as usize];
            let [from, to] = [0, 1].map(|end: usize| frames[end].world(tether.local));
            control.move_anchor(tether.anchor, from, to);
        }
        if control.anchors_move() {
            let (spring_kernels, pool) = (&self.spring_kernels, &self.pool);
            let energy = |anchors: &[Vec3]| {
                Measure { model, spring_kernels, anchors, pool }.energies(state).field
            };
            self.report.work.external +=
                energy(control.anchors()) - energy(control.anchors_before());
        }
    }

    /// Scales free velocities, before any force acts.
    fn apply_global_damping(&mut self, substep: Substep) {
        let (model, state) = (&self.model, &mut self.state);
        let Some(damping) = model.global_damping() else { return };
        let a = damping.factor(self.h, substep.of);
        for (i, v) in state.velocities.iter_mut().enumerate() {
            for axis in (0..3).filter(|&axis| !model.fixed()[i][axis]) {
                let energy = 0.5 * model.masses()[i] * v[axis] * v[axis];
                self.report.work.damping -= energy * (1.0 - a * a);
                v[axis] *= a;
            }
        }
        self.method.slowed(a, model, state);
    }

    /// Freezes dampers at the start of the substep. For methods that freeze them later, see
    /// [`Simulation::book_work`].
    fn freeze_dampers(&mut self) {
        if !self.dissipation.is_empty() && !self.method.damped_ahead() {
            let (model, State { positions, velocities, .. }) = (&self.model, &self.state);
            let air = |at| self.substep_control.air(model, at, 1.0);
            self.dissipation.freeze(model, positions, velocities, &air, &self.pool);
        }
    }

    /// Runs the method, which advances positions and velocities of particles.
    fn advance_dynamics(&mut self, substep: Substep) {
        let state = &mut self.state;
        if !substep.starts_the_step {
            self.substep_start.copy_from(state, &self.pool);
        }
        let context = StepContext {
            model: &self.model,
            control: &self.substep_control,
            start: substep.start(&self.before, &self.substep_start),
            spring_kernels: &self.spring_kernels,
            spring_cache: substep.spring_cache.then_some(&self.spring_cache),
            pool: &self.pool,
            h: substep.h,
        };
        self.report.body_impulses.clear();
        let (clock, contact) = (Stopwatch::start(), self.report.seconds.contact);
        self.method.step(context, state, &mut self.report);
        let seconds = &mut self.report.seconds;
        seconds.method += clock.seconds() - (seconds.contact - contact);
        if self.surface_projection.is_on() && self.method.contact_in_solve() {
            self.after_dynamics.clone_from(&self.state.positions);
        }
    }

    /// Collects impulses of tethers and grabs on rigid bodies, in addition to those of contacts in
    /// the method's solve.
    fn gather_body_impulses(&mut self, Substep { h, .. }: Substep) {
        let (model, state) = (&self.model, &self.state);
        let (anchors, impulses) = (self.substep_control.anchors(), &mut self.report.body_impulses);
        impulses.extend(model.tethers().iter().map(|tether| {
            let x = state.positions[tether.particle as usize];
            let to = anchors[tether.anchor as usize];
            BodyImpulse { body: tether.body, at: x, impulse: (x - to) * (tether.taken * h) }
        }));
        let grabs = self.grabs.iter();
        impulses
            .extend(grabs.filter_map(|grab| grab.impulse(model, &state.rigid_bodies, anchors, h)));
    }

    /// Books the work of the substep's forces along its displacement.
    fn book_work(&mut self, substep: Substep) {
        let (model, state, pool, h) = (&self.model, &self.state, &self.pool, substep.h);
        let start = substep.start(&self.before, &self.substep_start);
        let work = &mut self.report.work;
        let displacement = |i: usize| state.positions[i] - start.positions[i];
        if !self.dissipation.is_empty() {
            let velocity = |i: usize| displacement(i) * (1.0 / h);
            if self.method.damped_ahead() {
                let [x, v] = &mut self.midpoint;
                x.clear();
                x.extend(
                    (0..model.particles()).map(|i| start.positions[i] + displacement(i) * 0.5),
                );
                v.clear();
                v.extend((0..model.particles()).map(velocity));
                let air = |at| self.substep_control.air(model, at, 0.5);
                self.dissipation.freeze(model, x, v, &air, pool);
            }
            work.damping += h * self.dissipation.power(velocity, pool);
        }
        for (pin, &reaction) in model.pins().iter().zip(&self.report.reactions) {
            // The inertia of a pin is booked as the change of its kinetic energy.
            let i = pin.particle.index();
            let m = model.masses()[i];
            for axis in (0..3).filter(|&axis| pin.axes[axis]) {
                let (v0, v1) = (start.velocities[i][axis], state.velocities[i][axis]);
                work.external += (reaction[axis] - m * (v1 - v0) / h) * displacement(i)[axis]
                    + 0.5 * m * (v1 * v1 - v0 * v0);
            }
        }
        if model.has_constant_forces() {
            work.external +=
                (0..model.particles()).map(|i| model.force(i).dot(displacement(i))).sum::<f64>();
        }
    }

    /// The total energy (J) of the state during a substep.
    fn energy_in_substep(&self) -> f64 {
        let (model, spring_kernels, pool) = (&self.model, &self.spring_kernels, &self.pool);
        let anchors = self.substep_control.anchors();
        Measure { model, spring_kernels, anchors, pool }.energies(&self.state).total()
    }

    /// Projects elements outside the strain limit.
    fn apply_strain_limiting(&mut self, substep: Substep) {
        let clock = Stopwatch::start();
        if let Some(limit) = self.model.limit().copied() {
            let before = strain_limiting::excess(&self.model, &limit, &self.state.positions);
            let (mut after, mut sweeps) = (before, 0);
            if before > 0.0 {
                let energy = self.energy_in_substep();
                let (model, state, method) = (&self.model, &mut self.state, &mut self.method);
                sweeps = strain_limiting::resolve(
                    model,
                    &limit,
                    substep.h,
                    state,
                    &mut self.strain_limited,
                    &mut |particle, state| method.displaced(particle, state),
                );
                after = strain_limiting::excess(model, &limit, &state.positions);
                self.report.work.limit += self.energy_in_substep() - energy;
            }
            strain_limiting::book(&mut self.report, before, after, sweeps);
        }
        self.report.seconds.limit += clock.seconds();
    }

    /// Moves out particles that are too close to an obstacle, if the method has no contact in its
    /// solve.
    fn resolve_contact(&mut self, substep: Substep) {
        let clock = Stopwatch::start();
        let (model, state, report) = (&self.model, &mut self.state, &mut self.report);
        if !model.obstacles().is_empty() {
            let start = substep.start(&self.before, &self.substep_start);
            let solved = self.method.contact_in_solve();
            let deepest = report.contact.get_or_insert_default().deepest;
            let left = !solved || deepest > 0.0 || model.limit().is_some();
            let (projection, method) = (&mut self.contact_projection, &mut self.method);
            let frames = self.substep_control.frames();
            if left && projection.any(model, (start, state), frames, solved, &self.pool) {
                let displaced = &mut |particle, state: &State| method.displaced(particle, state);
                projection.resolve(model, substep.h, solved, (start, state), displaced, report);
            }
        }
        report.seconds.contact += clock.seconds();
    }

    /// Steps rigid bodies under the impulses of the substep, after their contact with particles.
    fn step_rigid_bodies(&mut self, Substep { h, .. }: Substep) {
        let clock = Stopwatch::start();
        if !self.model.rigid_bodies().is_empty() {
            let energy = self.energy_in_substep();
            let (model, state, report) = (&self.model, &mut self.state, &mut self.report);
            let (frames, method) = (self.substep_control.frames(), &mut self.method);
            if !method.contact_in_solve() {
                let contact = report.contact.get_or_insert_default();
                let displaced = &mut |particle, state: &State| method.displaced(particle, state);
                touch(model, frames, h, state, displaced, contact);
            }
            let mut bodies = report.rigid_bodies.unwrap_or_default();
            let acting = Acting { frames, impulses: &report.body_impulses, h };
            self.rigid_bodies.step(model, &mut state.rigid_bodies, acting, &mut bodies);
            let acted = bodies.contacts > 0 || !acting.impulses.is_empty();
            report.rigid_bodies = Some(bodies);
            if acted || !model.joints().is_empty() {
                self.report.work.contact += self.energy_in_substep() - energy;
            }
        }
        self.report.seconds.rigid_bodies += clock.seconds();
    }

    /// Keeps surfaces of deformables from passing through each other, if the method does not, or if
    /// particles were moved after its solve.
    fn separate_surfaces(&mut self, substep: Substep) {
        let clock = Stopwatch::start();
        let solved = self.method.contact_in_solve();
        let start = substep.start(&self.before, &self.substep_start);
        let from = if solved { &self.after_dynamics } else { &start.positions };
        let (state, method) = (&mut self.state, &mut self.method);
        self.surface_projection.resolve(
            (&self.model, &self.pool),
            (substep.h, !solved),
            from,
            (start, state),
            &mut |particle, state| method.displaced(particle, state),
            &mut self.report,
        );
        self.report.seconds.contact += clock.seconds();
    }
}
