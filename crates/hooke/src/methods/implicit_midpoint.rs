//! The implicit midpoint rule.
//!
//! `u = argmin g` of backward Euler over h/2, then `x' = 2u − x`, `v' = 2 v_mid − v` with
//! `v_mid = (u − x)/(h/2)`.
//!
//! Order 2 (1 with dashpots or wind, whose geometry is taken at the start of the step). A Newton
//! solve a step. Stable at every step in the linear sense (|λ| = 1), time-reversible, keeps
//! angular momentum. Hairer, Lubich & Wanner 2006.

use super::newton::{Minimiser, NewtonSettings};
use super::objective::{self, Objective};
use super::start::{Memory, Start};
use super::{Cancellation, Configured, Facts, Limit, Method, Refusal, World};
use crate::math::Point;
use crate::model::Model;
use crate::report::StepReport;
use crate::stability::Stability;
use crate::state::State;

pub(super) const FACTS: Facts = Facts {
    doc: "Backward Euler to the middle of the step, then extrapolated to its end.",
    order: 2,
    cost: "1 factorisation per iteration",
    stable: "every h on linear problems, without damping",
    reference: "Hairer, Lubich & Wanner 2006, Geometric Numerical Integration",
    cancellation: Cancellation::Filtered,
};

/// The method.
pub struct ImplicitMidpoint {
    start: Start,
    minimiser: Minimiser,
    objective: Objective,
    memory: Memory,
    u: Vec<Point>,
}

impl Configured for ImplicitMidpoint {
    type Settings = NewtonSettings;
    fn with(settings: NewtonSettings) -> Self {
        Self {
            start: settings.start,
            minimiser: Minimiser::new(settings),
            objective: Objective::default(),
            memory: Memory::default(),
            u: Vec::new(),
        }
    }
}

impl Method for ImplicitMidpoint {
    fn prepare(&mut self, model: &Model) -> Result<(), Refusal> {
        self.objective.prepare(model);
        self.u.resize(model.particles(), Point::ZERO);
        self.minimiser.prepare(model)
    }

    fn step(&mut self, world: World<'_>, state: &mut State, report: &mut StepReport) {
        let half = 0.5 * world.h;
        let from = (&state.positions[..], &state.velocities[..]);
        self.objective.begin(world, half, 0.5, from, state, report);
        self.memory.start(self.start, world, half, state, &self.objective.y, &mut self.u);
        objective::hold(world, &state.positions, 0.5, &mut self.u);
        self.minimiser.minimise(world, &mut self.objective, "midpoint", state, &mut self.u, report);
        self.memory.keep(state, world.h);
        for ((x, v), &u) in state.positions.iter_mut().zip(&mut state.velocities).zip(&self.u) {
            *v = (u - *x) * (2.0 / half) - *v;
            *x = u * 2.0 - *x;
        }
        objective::hold(world, &self.objective.base, 1.0, &mut state.positions);
    }

    fn limit(&self, _: &Stability) -> Limit {
        Limit::None
    }

    fn save(&self, memory: &mut Vec<f64>) {
        self.memory.save(memory);
    }

    fn restore(&mut self, memory: &[f64]) {
        self.memory.restore(memory);
    }
}
