//! The method of models without particles: rigid bodies and chains need none.

use super::{Method, Refusal, StabilityLimit, StepContext};
use crate::kernels::Kernels;
use crate::model::Model;
use crate::report::StepReport;
use crate::stability::Stability;
use crate::state::State;

/// Does nothing, and rejects models with particles.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoParticles;

impl Method for NoParticles {
    fn prepare(&mut self, model: &Model, _: Kernels) -> Result<(), Refusal> {
        match model.particles() {
            0 => Ok(()),
            particles => Err(Refusal::NoMethod { particles }),
        }
    }

    fn step(&mut self, _: StepContext<'_>, _: &mut State, _: &mut StepReport) {}

    fn limit(&self, _: &Stability) -> StabilityLimit {
        StabilityLimit::None
    }

    fn accepts_hard_constraints(&self) -> bool {
        true
    }

    fn contact_in_solve(&self) -> bool {
        true
    }
}
