//! The implicit midpoint rule.
//!
//! `u = argmin g` of backward Euler over h/2, then `x' = 2u − x`, `v' = 2 v_mid − v` with
//! `v_mid = (u − x)/(h/2)`.
//!
//! Dampers are evaluated at `x + (h/2) v` and at v extrapolated by half a step with the
//! acceleration of the previous step, within h² of the middle.
//!
//! Order 2. One Newton solve a step. Stable at every step of a linear model (|λ| = 1); on a
//! nonlinear one it may gain energy if hω is large. Time-reversible without dampers, conserves
//! angular momentum. Hairer, Lubich & Wanner 2006.

use super::newton::{Minimizer, MinimizerSettings, minimizer_settings};
use super::shared::explicit::Explicit;
use super::shared::minimization::{Iterate, Minimization};
use super::shared::objective::{self, Objective};
use super::shared::start::{Memory, Start};
use super::{
    Cancellation, Configured, Facts, Method, Refusal, StabilityLimit, StepContext, Unknowns,
};
use crate::kernels::Kernels;
use crate::math::Vec3;
use crate::model::Model;
use crate::report::StepReport;
use crate::stability::Stability;
use crate::state::State;

pub(super) const FACTS: Facts = Facts {
    doc: "Backward Euler to the middle of the step, then extrapolated to its end.",
    order: 2,
    cost: "1 factorization per iteration",
    stable: "every h of a linear model; may gain energy on a nonlinear one",
    good: "energy and angular momentum over long times",
    bad: "stiff models at large steps: undamped vibrations; friction of deformables: some percent off",
    reference: "Hairer, Lubich & Wanner 2006, Geometric Numerical Integration",
    cancellation: Cancellation::Filtered,
    unknowns: Unknowns::Blocks,
};

minimizer_settings! {
    /// Settings of the implicit midpoint rule.
    pub struct ImplicitMidpointSettings {}
}

/// The method.
pub struct ImplicitMidpoint {
    start: Start,
    minimizer: Minimizer,
    objective: Objective,
    memory: Memory,
    /// u (m).
    middle: Iterate,
    /// Velocities at which dampers are evaluated (m/s).
    v: Vec<Vec3>,
}

impl Configured for ImplicitMidpoint {
    type Settings = ImplicitMidpointSettings;
    fn with(settings: ImplicitMidpointSettings) -> Self {
        Self::new(settings.start, settings.minimizer())
    }
}

impl ImplicitMidpoint {
    pub(super) fn new(start: Start, minimizer: MinimizerSettings) -> Self {
        Self {
            start,
            minimizer: Minimizer::new(minimizer),
            objective: Objective::default(),
            memory: Memory::default(),
            middle: Iterate::default(),
            v: Vec::new(),
        }
    }
}

impl Method for ImplicitMidpoint {
    fn prepare(&mut self, model: &Model, kernels: Kernels) -> Result<(), Refusal> {
        self.objective.prepare(model, kernels);
        self.middle.resize(model.particles());
        self.v.resize(model.particles(), Vec3::ZERO);
        self.minimizer.prepare(model, kernels)
    }

    fn step(&mut self, context: StepContext<'_>, state: &mut State, report: &mut StepReport) {
        let half = 0.5 * context.h;
        let from = (&state.positions[..], &state.velocities[..]);
        for (u, (&x, &v)) in self.middle.x.iter_mut().zip(from.0.iter().zip(from.1)) {
            *u = x + v * half;
        }
        objective::hold(context, 0.5, &mut self.middle.x);
        self.memory.ahead(context, half, &mut self.v);
        report.residuals.clear();
        self.objective.begin_damped(context, half, 0.5, from, (&self.middle.x, &self.v));
        self.memory.start(self.start, context, half, &self.objective.y, &mut self.middle.x);
        objective::hold(context, 0.5, &mut self.middle.x);
        let (g, limits) = (&mut self.objective, self.minimizer.limits());
        let solve = Minimization::new(context, g, &mut self.middle, None, limits, report);
        self.minimizer.minimize(solve, "midpoint");
        self.memory.keep(context);
        // g contains the inertia of reaching v_mid within h/2; over the whole step only half of it
        // acts.
        for (pin, reaction) in context.model.pins().iter().zip(&mut report.reactions) {
            let i = pin.particle.index();
            for axis in (0..3).filter(|&axis| pin.axes[axis]) {
                let v_mid = (self.middle.x[i][axis] - state.positions[i][axis]) / half;
                let change = v_mid - state.velocities[i][axis];
                reaction[axis] -= context.model.masses()[i] * change / context.h;
            }
        }
        for ((x, v), &u) in
            state.positions.iter_mut().zip(&mut state.velocities).zip(&self.middle.x)
        {
            *v = (u - *x) * (2.0 / half) - *v;
            *x = u * 2.0 - *x;
        }
        // A pin follows its target, at the mean velocity of the step.
        Explicit::hold(context, 1.0, &mut state.positions, &mut state.velocities);
    }

    fn damped_ahead(&self) -> bool {
        true
    }

    fn limit(&self, _: &Stability) -> StabilityLimit {
        StabilityLimit::Linear
    }

    fn save(&self, memory: &mut Vec<f64>) {
        self.memory.save(memory);
    }

    fn restore(&mut self, memory: &[f64]) {
        self.memory.restore(memory);
    }
}
