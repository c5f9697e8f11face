//! Symplectic (semi-implicit) Euler.
//!
//! `v' = v + h M⁻¹ f(x, v)`, then `x' = x + h v'`.
//!
//! Order 1. One force evaluation a step. Stable for `hω < 2`, where energy stays bounded and
//! angular momentum is conserved to round-off. de Vogelaere 1956; Hairer, Lubich & Wanner 2006.

use super::shared::explicit::Explicit;
use super::{
    Cancellation, Configured, Facts, Method, Precision, Refusal, StabilityLimit, StepContext,
    Unknowns,
};
use crate::kernels::Kernels;
use crate::math::Vec3;
use crate::model::Model;
use crate::report::StepReport;
use crate::settings::settings;
use crate::stability::Stability;
use crate::state::State;

pub(super) const FACTS: Facts = Facts {
    doc: "Velocity by the old force, position by the new velocity.",
    order: 1,
    cost: "1 force evaluation",
    stable: "hω < 2",
    good: "soft springs and small steps; bounded energy over long times",
    bad: "stiff springs: many sub-steps",
    reference: "Hairer, Lubich & Wanner 2006, Geometric Numerical Integration",
    cancellation: Cancellation::Yes,
    unknowns: Unknowns::None,
};

settings! {
    /// Settings of symplectic Euler.
    pub struct SymplecticEulerSettings {
        /// Precision of the forces of springs.
        precision: Precision = Precision::Exact;
    }
}

/// The method.
pub struct SymplecticEuler {
    explicit: Explicit,
    a: Vec<Vec3>,
}

impl Configured for SymplecticEuler {
    type Settings = SymplecticEulerSettings;
    fn with(settings: SymplecticEulerSettings) -> Self {
        Self { explicit: Explicit::new(settings.precision), a: Vec::new() }
    }
}

impl Method for SymplecticEuler {
    fn prepare(&mut self, model: &Model, kernels: Kernels) -> Result<(), Refusal> {
        self.explicit.prepare(model, kernels);
        self.a.resize(model.particles(), Vec3::ZERO);
        Ok(())
    }

    fn step(&mut self, context: StepContext<'_>, state: &mut State, report: &mut StepReport) {
        let h = context.h;
        self.explicit.advance(context, state, &mut self.a, report, |x, v, a| {
            for ((x, v), a) in x.iter_mut().zip(v).zip(a) {
                *v += a * h;
                *x += *v * h;
            }
        });
    }

    fn limit(&self, stability: &Stability) -> StabilityLimit {
        stability.symplectic()
    }
}
