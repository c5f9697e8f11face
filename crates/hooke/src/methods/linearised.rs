//! Linearised backward Euler: one Newton iteration from x_t.
//!
//! `[M − hD − h² ∂f/∂x] v' = M v + h (f(x, v) − D v)`, `x' = x + h v'`: the β family at β = 1, and
//! the implicit Euler of many courses. Its report measures how far the step is from the minimum
//! of backward Euler.
//!
//! Order 1. One factorisation a step. Baraff & Witkin 1998.

use super::beta::{Beta, BetaSettings};
use super::system::Projection;
use super::{Cancellation, Configured, Facts, Limit, Method, Refusal, Unknowns, World};
use crate::kernels::Kernels;
use crate::linalg::LinearSettings;
use crate::model::Model;
use crate::report::StepReport;
use crate::settings::settings;
use crate::stability::Stability;
use crate::state::State;

pub(super) const FACTS: Facts = Facts {
    doc: "One Newton iteration of backward Euler from where the step starts.",
    order: 1,
    cost: "1 factorisation",
    stable: "every h of a linear model; may gain energy on a nonlinear one",
    good: "one solve a step at a fixed cost",
    bad: "large turns in a step: it is not iterated",
    reference: "Baraff & Witkin 1998",
    cancellation: Cancellation::Filtered,
    unknowns: Unknowns::Blocks,
};

settings! {
    /// Settings of linearised backward Euler.
    pub struct LinearisedSettings {
        /// What is done about the negative part of the Hessian.
        projection: Projection = Projection::Graded;
        with linear: LinearSettings;
    }
}

/// The method.
pub struct Linearised(Beta);

impl Configured for Linearised {
    type Settings = LinearisedSettings;
    fn with(settings: LinearisedSettings) -> Self {
        let LinearisedSettings { projection, linear } = settings;
        Self(Beta::with(BetaSettings { beta: 1.0, projection, linear }))
    }
}

impl Method for Linearised {
    fn prepare(&mut self, model: &Model, kernels: Kernels) -> Result<(), Refusal> {
        self.0.prepare(model, kernels)
    }

    fn step(&mut self, world: World<'_>, state: &mut State, report: &mut StepReport) {
        self.0.step(world, state, report);
    }

    fn limit(&self, stability: &Stability) -> Limit {
        self.0.limit(stability)
    }
}
