//! Common parts of explicit methods: the total force, and pins.

use super::objective;
use crate::compute::At;
use crate::kernels::Kernels;
use crate::lanes::rows;
use crate::math::{Vec3, flat, flat_mut};
use crate::methods::{Dissipation, Potential, Precision, StepContext};
use crate::model::Model;
use crate::report::StepReport;
use crate::state::State;
use crate::thread_pool::Disjoint;

/// The workspace of an explicit method.
#[derive(Default)]
pub(crate) struct Explicit {
    potential: Potential,
    dissipation: Dissipation,
    anchors: Vec<Vec3>,
    /// Gravity and constant forces (N), and the factors from forces to accelerations: 1/m, or 1 on
    /// pinned coordinates.
    loads: Vec<Vec3>,
    weights: Vec<Vec3>,
}

impl Explicit {
    pub(crate) fn new(precision: Precision) -> Self {
        Self { potential: Potential::new(precision), ..Self::default() }
    }

    pub(crate) fn prepare(&mut self, model: &Model, kernels: Kernels) {
        self.potential.prepare(model, kernels);
        self.dissipation.prepare(model);
        self.anchors.resize(model.anchors().len(), Vec3::ZERO);
        let particles = 0..model.particles();
        self.loads.clear();
        self.loads.extend(particles.clone().map(|i| model.load(i)));
        self.weights.clear();
        self.weights.extend(particles.map(|i| {
            let w = 1.0 / model.masses()[i];
            Vec3::from(model.fixed()[i].map(|fixed| if fixed { 1.0 } else { w }))
        }));
    }

    /// Computes `a = M⁻¹ f(x, v)` at the start of the step, calls `update(x, v, a)` on the
    /// coordinates of all particles, then sets the pins.
    pub(crate) fn advance(
        &mut self,
        context: StepContext<'_>,
        state: &mut State,
        a: &mut [Vec3],
        report: &mut StepReport,
        update: impl Fn(&mut [f64], &mut [f64], &[f64]) + Sync,
    ) {
        let State { positions, velocities, .. } = &context.start;
        let [x, v] = [&mut state.positions, &mut state.velocities].map(|x| Disjoint::new(x));
        let level = self.potential.level();
        self.accelerate(context, 0.0, positions, velocities, a, |first, a| {
            let range = first..first + a.len();
            // SAFETY: every particle is in exactly one part.
            let [x, v] = unsafe { [&x, &v].map(|x| flat_mut(x.slice(range.clone()))) };
            rows::with(level, || update(x, v, flat(a)));
        });
        Self::hold(context, 1.0, &mut state.positions, &mut state.velocities);
        Self::reactions(context, state, a, report);
    }

    /// `out = M⁻¹ f(x, v)` at the fraction `s` of the step; on pinned coordinates the force itself,
    /// for the reactions.
    pub(crate) fn acceleration(
        &mut self,
        context: StepContext<'_>,
        s: f64,
        x: &[Vec3],
        v: &[Vec3],
        out: &mut [Vec3],
    ) {
        self.accelerate(context, s, x, v, out, |_, _| {});
    }

    /// As [`Explicit::acceleration`], then `then(first, part)` on its parts.
    fn accelerate(
        &mut self,
        context: StepContext<'_>,
        s: f64,
        x: &[Vec3],
        v: &[Vec3],
        out: &mut [Vec3],
        then: impl Fn(usize, &[Vec3]) + Sync,
    ) {
        let StepContext { model, control, pool, .. } = context;
        self.anchors.resize(control.anchors().len(), Vec3::ZERO);
        for (k, anchor) in self.anchors.iter_mut().enumerate() {
            *anchor = control.anchor(k, s);
        }
        let at = At { x, anchors: &self.anchors };
        let dissipation = &mut self.dissipation;
        let damped = !dissipation.is_empty();
        let mut damping = |out: &mut [Vec3]| {
            let air = |at| control.air(model, at, s);
            dissipation.freeze(model, x, v, &air, pool);
            dissipation.gradient(|i| v[i], 1.0, out, pool);
        };
        let more: Option<&mut dyn FnMut(&mut [Vec3])> =
            if damped { Some(&mut damping) } else { None };
        let (loads, weights) = (&self.loads, &self.weights);
        let level = self.potential.level();
        let accelerate = |first: usize, part: &mut [Vec3]| {
            let [loads, weights] = [flat(&loads[first..]), flat(&weights[first..])];
            rows::accelerate(level, flat_mut(part), loads, weights);
            then(first, part);
            0.0
        };
        self.potential.gradient(context, at, more, accelerate, out);
    }

    /// Sets pinned coordinates to their positions at the fraction `s` of the step, with the
    /// velocity of that motion.
    pub(crate) fn hold(context: StepContext<'_>, s: f64, x: &mut [Vec3], v: &mut [Vec3]) {
        objective::hold(context, s, x);
        for (pin, &target) in context.model.pins().iter().zip(context.control.pins()) {
            let i = pin.particle.index();
            for axis in (0..3).filter(|&axis| pin.axes[axis]) {
                v[i][axis] = (target[axis] - context.start.positions[i][axis]) / context.h;
            }
        }
    }

    /// Records the forces (N) of the pins: the force for the acceleration minus `force`.
    pub(crate) fn reactions(
        context: StepContext<'_>,
        after: &State,
        force: &[Vec3],
        report: &mut StepReport,
    ) {
        for (pin, reaction) in context.model.pins().iter().zip(&mut report.reactions) {
            let i = pin.particle.index();
            let m = context.model.masses()[i];
            for axis in (0..3).filter(|&axis| pin.axes[axis]) {
                let change = after.velocities[i][axis] - context.start.velocities[i][axis];
                reaction[axis] = m * change / context.h - force[i][axis];
            }
        }
    }
}
