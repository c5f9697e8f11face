//! Forward (explicit) Euler.
//!
//! `x' = x + h v`, `v' = v + h M⁻¹ f(x, v)`.
//!
//! Order 1. One force evaluation a step. Grows at every step without damping, by `√(1 + (hω)²)`;
//! with a damping rate γ it needs `h < γ/ω²`. Euler 1768.

use super::shared::explicit::Explicit;
use super::{
    Cancellation, Configured, Facts, Method, NoSettings, Refusal, StabilityLimit, StepContext,
    Unknowns,
};
use crate::kernels::Kernels;
use crate::math::Vec3;
use crate::model::Model;
use crate::report::StepReport;
use crate::stability::Stability;
use crate::state::State;

pub(super) const FACTS: Facts = Facts {
    doc: "Position by the old velocity, velocity by the old force.",
    order: 1,
    cost: "1 force evaluation",
    stable: "h < γ/ω² with damping rate γ; never without damping",
    good: "showing instability in a course",
    bad: "everything else: it gains energy at every step",
    reference: "Euler 1768, Institutionum calculi integralis",
    cancellation: Cancellation::Yes,
    unknowns: Unknowns::None,
};

/// The method.
#[derive(Default)]
pub struct ForwardEuler {
    explicit: Explicit,
    a: Vec<Vec3>,
}

impl Configured for ForwardEuler {
    type Settings = NoSettings;
    fn with(_: NoSettings) -> Self {
        Self::default()
    }
}

impl Method for ForwardEuler {
    fn prepare(&mut self, model: &Model, kernels: Kernels) -> Result<(), Refusal> {
        self.explicit.prepare(model, kernels);
        self.a.resize(model.particles(), Vec3::ZERO);
        Ok(())
    }

    fn step(&mut self, context: StepContext<'_>, state: &mut State, report: &mut StepReport) {
        let h = context.h;
        self.explicit.advance(context, state, &mut self.a, report, |x, v, a| {
            for ((x, v), a) in x.iter_mut().zip(v).zip(a) {
                *x += *v * h;
                *v += a * h;
            }
        });
    }

    fn limit(&self, stability: &Stability) -> StabilityLimit {
        stability.forward_euler()
    }
}
