//! The β family: one linear solve for the new velocity.
//!
//! `[M − hD − βh² ∂f/∂x] v' = M v + h (f(x, v) − D v)`, `D = ∂f/∂v`, `x' = x + h v'`.
//!
//! β = 0 is symplectic Euler (with implicit damping), β = 1 linearized backward Euler. β = ½ is the
//! "midpoint" of many courses: of first order, with damping by `1/√(1 + (hω)²/2)` per step.
//!
//! Order 1. One factorization a step. Stable at every step of a linear model for β ≥ ½, else for
//! `hω < 2/√(1−2β)`. On a nonlinear model it may gain energy, as the solve is not repeated.

use super::shared::backward_euler::OBJECTIVE;
use super::shared::objective::{self, Evaluation, Objective};
use super::shared::system::{Coefficients, Outcome, Projection, System};
use super::{
    Cancellation, Configured, Facts, Method, Refusal, StabilityLimit, StepContext, Unknowns,
};
use crate::compute::At;
use crate::kernels::Kernels;
use crate::linalg::{LinearSettings, Operator};
use crate::math::Vec3;
use crate::model::Model;
use crate::report::{End, StepReport};
use crate::settings::settings;
use crate::stability::Stability;
use crate::state::State;

pub(super) const FACTS: Facts = Facts {
    doc: "One linear solve between symplectic (β = 0) and linearized backward Euler (β = 1).",
    order: 1,
    cost: "1 factorization",
    stable: "every h of a linear model for β ≥ ½, else hω < 2/√(1−2β)",
    good: "one solve per step, with adjustable damping",
    bad: "large rotations in a step: there is no iteration",
    reference: "Wang 2021, GAMES103 lecture 5; Baraff & Witkin 1998 for β = 1",
    cancellation: Cancellation::Filtered,
    unknowns: Unknowns::Blocks,
};

settings! {
    /// Settings of the β family.
    pub struct BetaSettings {
        /// How implicit: 0 is symplectic Euler, 1 linearized backward Euler.
        beta: f64 = 0.5, "", [0.0, 1.0];
        /// Treatment of the negative part of the Hessian.
        projection: Projection = Projection::Graded;
        with linear: LinearSettings;
    }
}

/// The method.
pub struct Beta {
    beta: f64,
    system: System,
    objective: Objective,
    force: Vec<Vec3>,
    v: Vec<Vec3>,
    delta: Vec<Vec3>,
}

impl Configured for Beta {
    type Settings = BetaSettings;
    fn with(settings: BetaSettings) -> Self {
        let [force, v, delta] = [const { Vec::new() }; 3];
        let system = System::new(settings.linear, settings.projection);
        Self { beta: settings.beta, system, objective: Objective::default(), force, v, delta }
    }
}

impl Method for Beta {
    fn prepare(&mut self, model: &Model, kernels: Kernels) -> Result<(), Refusal> {
        self.objective.prepare(model, kernels);
        for buffer in [&mut self.force, &mut self.v, &mut self.delta] {
            buffer.resize(model.particles(), Vec3::ZERO);
        }
        self.system.prepare(model, kernels)
    }

    fn step(&mut self, context: StepContext<'_>, state: &mut State, report: &mut StepReport) {
        let StepContext { model, pool, h, .. } = context;
        let from = (&state.positions[..], &state.velocities[..]);
        self.objective.begin(context, h, 1.0, from, report);
        let x = &state.positions;

        // Start from the old velocity, or that of the pins on pinned coordinates.
        self.v.copy_from_slice(&state.velocities);
        for (pin, &target) in model.pins().iter().zip(context.control.pins()) {
            let i = pin.particle.index();
            for axis in (0..3).filter(|&axis| pin.axes[axis]) {
                self.v[i][axis] = (target[axis] - x[i][axis]) / h;
            }
        }

        // r = M v + h (f − D v) − A v* for Δ = v' − v*: the force whose damping is taken at rest.
        let objective = &mut self.objective;
        let at = At { x, anchors: context.control.anchors() };
        objective.potential.gradient(context, at, None, |_, _| 0.0, &mut self.force);
        objective.dissipation.gradient(|_| Vec3::ZERO, 1.0, &mut self.force, pool);
        let (v, force) = (&self.v, &self.force);
        let mut rhs = |a: Operator<'_>, b: &mut [Vec3]| {
            a.multiply(v, b, pool);
            for i in 0..x.len() {
                let momentum = state.velocities[i] * model.masses()[i];
                b[i] = momentum + (model.load(i) - force[i]) * h - b[i];
            }
        };
        let c = Coefficients { mass: 1.0, damping: h, stiffness: self.beta * h * h };
        self.system.begin();
        let at = objective.at(x);
        let beside = (&objective.dissipation, &objective.contacts);
        let solved = self.system.solve(context, c, at, beside, &mut rhs, &mut self.delta);
        // The impulse of the pins: A v' − (M v + h (f − D v)) on their rows.
        for (pin, (reaction, impulse)) in model
            .pins()
            .iter()
            .zip(report.reactions.iter_mut().zip(self.system.supplied(&self.delta)))
        {
            for axis in (0..3).filter(|&axis| pin.axes[axis]) {
                reaction[axis] = impulse[axis] / h;
            }
        }
        let scale = objective.scale(context, &mut self.force).value;
        let linear = self.system.residual(context, &self.delta, &mut self.force) / h;
        if solved.is_ok() {
            for (v, &delta) in self.v.iter_mut().zip(&self.delta) {
                *v += delta;
            }
        }
        for ((x, v), &new) in state.positions.iter_mut().zip(&mut state.velocities).zip(&self.v) {
            *x += new * h;
            *v = new;
        }
        objective::hold(context, 1.0, &mut state.positions);

        // The residual of backward Euler at the end.
        let backward = objective.gradient(context, &state.positions, &mut self.force);
        let nonlinear = self.beta == 1.0;
        let residual = if nonlinear { backward } else { linear };
        let effort = solved.unwrap_or_else(|effort| effort);
        report.residuals.clear();
        report.residuals.push(residual);
        let end = match solved {
            Err(_) => End::Factorization,
            Ok(_) if residual <= 1e-8 * scale => End::Converged,
            Ok(_) => End::Cap,
        };
        let here = Evaluation { value: objective.value(context, &state.positions), residual };
        let objective = if nonlinear { OBJECTIVE } else { "the linear system" };
        effort.report(Outcome { end, objective, iterations: 1, here, scale }, report);
    }

    fn limit(&self, stability: &Stability) -> StabilityLimit {
        stability.beta(self.beta)
    }
}
