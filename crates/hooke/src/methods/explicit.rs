//! What explicit methods share: the total force, and pins.

use super::{Dissipation, Potential, Precision, World, objective};
use crate::kernels::Kernels;
use crate::lanes::rows;
use crate::math::{Point, flat, flat_mut};
use crate::model::{At, Model};
use crate::report::StepReport;
use crate::state::State;
use crate::team::Disjoint;

/// The workspace of an explicit method.
#[derive(Default)]
pub(crate) struct Explicit {
    potential: Potential,
    dissipation: Dissipation,
    places: Vec<Point>,
    /// Gravity and constant forces (N), and what turns forces into accelerations: 1/m, or 1 on
    /// pinned coordinates.
    loads: Vec<Point>,
    weights: Vec<Point>,
}

impl Explicit {
    pub(crate) fn new(precision: Precision) -> Self {
        Self { potential: Potential::new(precision), ..Self::default() }
    }

    pub(crate) fn prepare(&mut self, model: &Model, kernels: Kernels) {
        self.potential.prepare(model, kernels);
        self.dissipation.prepare(model);
        self.places.resize(model.places().len(), Point::ZERO);
        let particles = 0..model.particles();
        self.loads.clear();
        self.loads.extend(particles.clone().map(|i| model.load(i)));
        self.weights.clear();
        self.weights.extend(particles.map(|i| {
            let w = 1.0 / model.masses()[i];
            Point::from(model.fixed()[i].map(|fixed| if fixed { 1.0 } else { w }))
        }));
    }

    /// `a = M⁻¹ f(x, v)` at the start of the step, and `update(x, v, a)` on the coordinates of all
    /// particles; then pins.
    pub(crate) fn advance(
        &mut self,
        world: World<'_>,
        state: &mut State,
        a: &mut [Point],
        report: &mut StepReport,
        update: impl Fn(&mut [f64], &mut [f64], &[f64]) + Sync,
    ) {
        let State { positions, velocities, .. } = &world.start;
        let [x, v] = [&mut state.positions, &mut state.velocities].map(|x| Disjoint::new(x));
        let level = self.potential.level();
        self.accelerate(world, 0.0, positions, velocities, a, |first, a| {
            let range = first..first + a.len();
            // SAFETY: every particle is in one part.
            let [x, v] = unsafe { [&x, &v].map(|x| flat_mut(x.slice(range.clone()))) };
            rows::with(level, || update(x, v, flat(a)));
        });
        Self::hold(world, 1.0, &mut state.positions, &mut state.velocities);
        Self::reactions(world, state, a, report);
    }

    /// `out = M⁻¹ f(x, v)` a fraction `s` of the step through; the force itself on pinned
    /// coordinates, for the reactions.
    pub(crate) fn acceleration(
        &mut self,
        world: World<'_>,
        s: f64,
        x: &[Point],
        v: &[Point],
        out: &mut [Point],
    ) {
        self.accelerate(world, s, x, v, out, |_, _| {});
    }

    /// As [`Explicit::acceleration`], then `then(first, part)` on its parts.
    fn accelerate(
        &mut self,
        world: World<'_>,
        s: f64,
        x: &[Point],
        v: &[Point],
        out: &mut [Point],
        then: impl Fn(usize, &[Point]) + Sync,
    ) {
        let World { model, control, team, .. } = world;
        self.places.resize(control.places().len(), Point::ZERO);
        for (k, place) in self.places.iter_mut().enumerate() {
            *place = control.place(k, s);
        }
        let at = At { x, places: &self.places };
        let dissipation = &mut self.dissipation;
        let damped = !dissipation.is_empty();
        let mut damping = |out: &mut [Point]| {
            let air = |at| control.air(model, at, s);
            dissipation.freeze(model, x, v, &air, team);
            dissipation.gradient(|i| v[i], 1.0, out, team);
        };
        let more: Option<&mut dyn FnMut(&mut [Point])> =
            if damped { Some(&mut damping) } else { None };
        let (loads, weights) = (&self.loads, &self.weights);
        let level = self.potential.level();
        let accelerate = |first: usize, part: &mut [Point]| {
            let [loads, weights] = [flat(&loads[first..]), flat(&weights[first..])];
            rows::accelerate(level, flat_mut(part), loads, weights);
            then(first, part);
            0.0
        };
        self.potential.gradient(world, at, more, accelerate, out);
    }

    /// Sets pinned coordinates to where they are a fraction `s` of the step through, with the
    /// velocity of that motion.
    pub(crate) fn hold(world: World<'_>, s: f64, x: &mut [Point], v: &mut [Point]) {
        objective::hold(world, s, x);
        for (pin, &target) in world.model.pins().iter().zip(world.control.pins()) {
            let i = pin.particle as usize;
            for axis in (0..3).filter(|&axis| pin.axes[axis]) {
                v[i][axis] = (target[axis] - world.start.positions[i][axis]) / world.h;
            }
        }
    }

    /// Notes the forces (N) that hold the pins: what the acceleration asks for beyond `force`.
    pub(crate) fn reactions(
        world: World<'_>,
        after: &State,
        force: &[Point],
        report: &mut StepReport,
    ) {
        for (pin, reaction) in world.model.pins().iter().zip(&mut report.reactions) {
            let i = pin.particle as usize;
            let m = world.model.masses()[i];
            for axis in (0..3).filter(|&axis| pin.axes[axis]) {
                let change = after.velocities[i][axis] - world.start.velocities[i][axis];
                reaction[axis] = m * change / world.h - force[i][axis];
            }
        }
    }
}
