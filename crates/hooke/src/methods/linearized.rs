//! Linearized backward Euler: one Newton iteration from x_t.
//!
//! `[M − hD − h² ∂f/∂x] v' = M v + h (f(x, v) − D v)`, `x' = x + h v'`: the β family at β = 1, and
//! the implicit Euler of many courses. Its report measures the distance of the step from the
//! minimum of backward Euler.
//!
//! Order 1. One factorization a step. Baraff & Witkin 1998.

use super::beta::{Beta, BetaSettings};
use super::shared::system::Projection;
use super::{
    Cancellation, Configured, Facts, Method, Refusal, StabilityLimit, StepContext, Unknowns,
};
use crate::kernels::Kernels;
use crate::linalg::LinearSettings;
use crate::model::Model;
use crate::report::StepReport;
use crate::settings::settings;
use crate::stability::Stability;
use crate::state::State;

pub(super) const FACTS: Facts = Facts {
    doc: "One Newton iteration of backward Euler from the start of the step.",
    order: 1,
    cost: "1 factorization",
    stable: "every h of a linear model; may gain energy on a nonlinear one",
    good: "one solve per step at a fixed cost",
    bad: "large rotations in a step: there is no iteration",
    reference: "Baraff & Witkin 1998",
    cancellation: Cancellation::Filtered,
    unknowns: Unknowns::Blocks,
};

settings! {
    /// Settings of linearized backward Euler.
    pub struct LinearizedSettings {
        /// Treatment of the negative part of the Hessian.
        projection: Projection = Projection::Graded;
        with linear: LinearSettings;
    }
}

/// The method.
pub struct Linearized(Beta);

impl Configured for Linearized {
    type Settings = LinearizedSettings;
    fn with(settings: LinearizedSettings) -> Self {
        let LinearizedSettings { projection, linear } = settings;
        Self(Beta::with(BetaSettings { beta: 1.0, projection, linear }))
    }
}

impl Method for Linearized {
    fn prepare(&mut self, model: &Model, kernels: Kernels) -> Result<(), Refusal> {
        self.0.prepare(model, kernels)
    }

    fn step(&mut self, context: StepContext<'_>, state: &mut State, report: &mut StepReport) {
        self.0.step(context, state, report);
    }

    fn limit(&self, stability: &Stability) -> StabilityLimit {
        self.0.limit(stability)
    }
}
