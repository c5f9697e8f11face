//! The implicit midpoint rule.
//!
//! `u = argmin g` of backward Euler over h/2, then `x' = 2u − x`, `v' = 2 v_mid − v` with
//! `v_mid = (u − x)/(h/2)`.
//!
//! Dampers are taken at `x + (h/2) v` and at v half a step ahead by the acceleration of the step before,
//! within h² of the middle.
//!
//! Order 2. A Newton solve a step. Stable at every step of a linear model (|λ| = 1); on a nonlinear one it
//! may gain energy where hω is large. Time-reversible without dampers, keeps angular momentum.
//! Hairer, Lubich & Wanner 2006.

use super::explicit::Explicit;
use super::newton::{Minimiser, MinimizerSettings};
use super::objective::{self, Objective};
use super::start::{Memory, Start};
use super::{Cancellation, Configured, Facts, Limit, Method, Refusal, Unknowns, World};
use crate::kernels::Kernels;
use crate::math::Point;
use crate::model::Model;
use crate::report::StepReport;
use crate::stability::Stability;
use crate::state::State;

pub(super) const FACTS: Facts = Facts {
    doc: "Backward Euler to the middle of the step, then extrapolated to its end.",
    order: 2,
    cost: "1 factorisation per iteration",
    stable: "every h of a linear model; may gain energy on a nonlinear one",
    good: "energy and angular momentum over long times",
    bad: "stiff models at large steps: they ring, undamped; friction under what bends: some percent off",
    reference: "Hairer, Lubich & Wanner 2006, Geometric Numerical Integration",
    cancellation: Cancellation::Filtered,
    unknowns: Unknowns::Blocks,
};

/// The method.
pub struct ImplicitMidpoint {
    start: Start,
    minimiser: Minimiser,
    objective: Objective,
    memory: Memory,
    u: Vec<Point>,
    /// Velocities at which dampers are taken (m/s).
    v: Vec<Point>,
}

impl Configured for ImplicitMidpoint {
    type Settings = MinimizerSettings;
    fn with(settings: MinimizerSettings) -> Self {
        Self {
            start: settings.start,
            minimiser: Minimiser::new(settings),
            objective: Objective::default(),
            memory: Memory::default(),
            u: Vec::new(),
            v: Vec::new(),
        }
    }
}

impl Method for ImplicitMidpoint {
    fn prepare(&mut self, model: &Model, kernels: Kernels) -> Result<(), Refusal> {
        self.objective.prepare(model, kernels);
        self.u.resize(model.particles(), Point::ZERO);
        self.v.resize(model.particles(), Point::ZERO);
        self.minimiser.prepare(model, kernels)
    }

    fn step(&mut self, world: World<'_>, state: &mut State, report: &mut StepReport) {
        let half = 0.5 * world.h;
        let from = (&state.positions[..], &state.velocities[..]);
        for (u, (&x, &v)) in self.u.iter_mut().zip(from.0.iter().zip(from.1)) {
            *u = x + v * half;
        }
        objective::hold(world, 0.5, &mut self.u);
        self.memory.ahead(world, half, &mut self.v);
        report.residuals.clear();
        self.objective.begin_damped(world, half, 0.5, from, (&self.u, &self.v));
        self.memory.start(self.start, world, half, &self.objective.y, &mut self.u);
        objective::hold(world, 0.5, &mut self.u);
        self.minimiser.minimise(
            world,
            &mut self.objective,
            ("midpoint", None),
            &mut self.u,
            report,
        );
        self.memory.keep(world);
        // g holds the inertia of reaching v_mid within h/2; over the step only half of it acts.
        for (pin, reaction) in world.model.pins().iter().zip(&mut report.reactions) {
            let i = pin.particle as usize;
            for axis in (0..3).filter(|&axis| pin.axes[axis]) {
                let v_mid = (self.u[i][axis] - state.positions[i][axis]) / half;
                let change = v_mid - state.velocities[i][axis];
                reaction[axis] -= world.model.masses()[i] * change / world.h;
            }
        }
        for ((x, v), &u) in state.positions.iter_mut().zip(&mut state.velocities).zip(&self.u) {
            *v = (u - *x) * (2.0 / half) - *v;
            *x = u * 2.0 - *x;
        }
        // A pin moves as it is told, at the mean velocity of the step.
        Explicit::hold(world, 1.0, &mut state.positions, &mut state.velocities);
    }

    fn damped_ahead(&self) -> bool {
        true
    }

    fn limit(&self, _: &Stability) -> Limit {
        Limit::Linear
    }

    fn save(&self, memory: &mut Vec<f64>) {
        self.memory.save(memory);
    }

    fn restore(&mut self, memory: &[f64]) {
        self.memory.restore(memory);
    }
}
