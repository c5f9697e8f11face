//! Preparation of a step after edits, and the number of substeps.

use super::Simulation;
use crate::methods::{Refusal, StabilityLimit, refuse_hard_constraints};
use crate::model::{PinEnforcement, Versions};
use crate::stability::Stability;

/// The number of substeps of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Substeps {
    /// As many as needed for stability.
    #[default]
    Auto,
    /// A fixed number, stable or not.
    Fixed(u32),
}

/// The maximum number of substeps of [`Substeps::Auto`].
pub const MOST_SUBSTEPS: u32 = 100_000;

/// The share of the stability limit that [`Substeps::Auto`] uses.
const MARGIN: f64 = 0.9;

/// The number of substeps, and the model for which it was computed.
#[derive(Clone, Copy)]
pub(super) struct Plan {
    versions: Versions,
    pub(super) substeps: u32,
    pub(super) limit: StabilityLimit,
    /// The bound of the speed through the air (m/s) for which it is valid.
    air: f64,
}

impl Simulation {
    /// The method's stability limit and the number of substeps.
    pub fn stability(&mut self) -> Result<(StabilityLimit, u32), Refusal> {
        self.prepare()?;
        Ok(self.plan.map_or((StabilityLimit::None, 1), |plan| (plan.limit, plan.substeps)))
    }

    /// A power of two above the largest speed (m/s) through the air, if a damper grows with it. It
    /// depends only on the current state, so a restored run has the same number of substeps.
    fn air_speed_bound(&self) -> f64 {
        if self.model.dampers().iter().all(|batch| batch.bounded()) {
            return 0.0;
        }
        let fastest = self.state.velocities.iter().map(|v| v.norm2()).fold(0.0, f64::max).sqrt();
        let wind = self.model.air().greatest() + self.control.wind().norm();
        let mut power = 1.0;
        while power < fastest + wind {
            power *= 2.0;
        }
        power
    }

    /// Updates everything that edits have invalidated.
    pub(super) fn prepare(&mut self) -> Result<(), Refusal> {
        if !self.model.tethers().is_empty() {
            self.model.soften_tethers(self.h);
        }
        let versions = self.model.versions();
        let holds = |plan: Plan| plan.versions == versions && self.air_speed_bound() == plan.air;
        if self.plan.is_some_and(holds) {
            return Ok(());
        }
        self.fit();
        self.refuse_moving_pins()?;
        self.chains.fit(&self.model, &self.state)?;
        refuse_hard_constraints(&*self.method, &self.model)?;
        self.fit_spring_kernels();
        self.method.prepare(&self.model, self.kernels)?;
        self.dissipation.prepare(&self.model);
        self.surface_projection.prepare(&self.model);
        self.rigid_bodies.prepare(&self.model)?;
        let air = self.air_speed_bound();
        let stability = Stability::of(&self.model, air, self.h);
        let limit = self.method.limit(&stability);
        let substeps = self.count_substeps(limit)?;
        self.plan = Some(Plan { versions, substeps, limit, air });
        self.rebase();
        Ok(())
    }

    /// Rejects moving pins in a model that holds pins by force cancellation.
    fn refuse_moving_pins(&self) -> Result<(), Refusal> {
        if self.model.pin_enforcement() != PinEnforcement::Cancellation {
            return Ok(());
        }
        let moves = self.model.pins().iter().any(|pin| pin.motion.moves());
        let carried = self.model.chains().iter().any(|rig| !rig.carried.is_empty());
        if !moves && !carried {
            return Ok(());
        }
        let what = if moves { "keyframes" } else { "chains" };
        let sentence =
            format!("pins by force cancellation cannot follow {what}; use elimination or penalty");
        Err(Refusal::UnsupportedPins { sentence })
    }

    /// The number of substeps under a stability limit.
    fn count_substeps(&self, limit: StabilityLimit) -> Result<u32, Refusal> {
        match (self.substeps, limit) {
            (Substeps::Fixed(n), _) => Ok(n.max(1)),
            (Substeps::Auto, StabilityLimit::None | StabilityLimit::Linear) => Ok(1),
            (Substeps::Auto, StabilityLimit::Below(limit)) => {
                let needed = (self.h / (MARGIN * limit)).ceil().max(1.0);
                if needed <= f64::from(MOST_SUBSTEPS) {
                    return Ok(needed as u32);
                }
                let (h, most) = (self.h, MOST_SUBSTEPS);
                Err(Refusal::TooManySubsteps { needed, h, limit, most })
            }
            (Substeps::Auto, StabilityLimit::Never) => Err(Refusal::Unstable),
        }
    }
}
