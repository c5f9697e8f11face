//! Velocity Verlet.
//!
//! `x' = x + h v + ½h² a(x, v)`, `v' = v + ½h (a(x, v) + a(x', v + h a))`.
//!
//! Order 2. Two force evaluations a step. Stable for `hω < 2`; time-reversible, conserves angular
//! momentum to round-off, and energy stays bounded. Verlet 1967; Swope et al. 1982.

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
    doc: "Position by half the old acceleration, velocity by the mean of old and new.",
    order: 2,
    cost: "2 force evaluations",
    stable: "hω < 2",
    good: "free motion of soft springs, with little error and hardly any drift",
    bad: "stiff springs: many sub-steps; friction of deformables: some percent off",
    reference: "Verlet 1967; Swope, Andersen, Berens & Wilson 1982",
    cancellation: Cancellation::Yes,
    unknowns: Unknowns::None,
};

/// The method.
#[derive(Default)]
pub struct VelocityVerlet {
    explicit: Explicit,
    a: Vec<Vec3>,
    a_new: Vec<Vec3>,
}

impl Configured for VelocityVerlet {
    type Settings = NoSettings;
    fn with(_: NoSettings) -> Self {
        Self::default()
    }
}

impl Method for VelocityVerlet {
    fn prepare(&mut self, model: &Model, kernels: Kernels) -> Result<(), Refusal> {
        self.explicit.prepare(model, kernels);
        self.a.resize(model.particles(), Vec3::ZERO);
        self.a_new.resize(model.particles(), Vec3::ZERO);
        Ok(())
    }

    fn step(&mut self, context: StepContext<'_>, state: &mut State, report: &mut StepReport) {
        let h = context.h;
        let (x, v) = (&mut state.positions, &mut state.velocities);
        self.explicit.acceleration(context, 0.0, x, v, &mut self.a);
        for ((x, v), &a) in x.iter_mut().zip(v.iter_mut()).zip(&self.a) {
            *x += *v * h + a * (0.5 * h * h);
            *v += a * h;
        }
        Explicit::hold(context, 1.0, x, v);
        self.explicit.acceleration(context, 1.0, x, v, &mut self.a_new);
        for i in 0..v.len() {
            self.a[i] = (self.a[i] + self.a_new[i]) * 0.5;
            v[i] = context.start.velocities[i] + self.a[i] * h;
        }
        Explicit::hold(context, 1.0, x, v);
        Explicit::reactions(context, state, &self.a, report);
    }

    fn damped_ahead(&self) -> bool {
        true
    }

    fn limit(&self, stability: &Stability) -> StabilityLimit {
        stability.symplectic()
    }
}
