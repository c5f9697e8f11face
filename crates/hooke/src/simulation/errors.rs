//! Why a step was not taken.

use crate::methods::{Refusal, StabilityLimit};
use crate::model::ParticleId;

/// A step whose result is not finite. The simulation still has the state before it.
#[derive(Clone, Debug, PartialEq)]
pub struct Diverged {
    /// The step that failed.
    pub step: u64,
    /// The first particle that is not finite, if known.
    pub particle: Option<ParticleId>,
    /// The quantity that is not finite: a "position" or "velocity", or a global quantity such as
    /// "residual" or "energy".
    pub quantity: &'static str,
    /// The length of a substep (s).
    pub h: f64,
    /// The method's limit.
    pub limit: StabilityLimit,
}

impl std::fmt::Display for Diverged {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { step, particle, quantity, h, limit } = self;
        write!(f, "step {step}: the {quantity}")?;
        if let Some(particle) = particle {
            write!(f, " of particle {particle}")?;
        }
        write!(f, " is no longer finite; {}", limit.blame(*h))
    }
}

impl std::error::Error for Diverged {}

/// Why a step was not taken.
#[derive(Clone, Debug, PartialEq)]
pub enum StepError {
    /// After an edit, the method does not support the model.
    Refused(Refusal),
    /// The state is not finite.
    Diverged(Diverged),
    /// Surfaces move so far past each other within a step that their contact cannot be detected.
    TooFast {
        /// The step that failed.
        step: u64,
        /// The length (s) of a step that would work.
        below: f64,
    },
    /// It was stopped by the caller ([`Simulation::step_unless`](crate::Simulation::step_unless)).
    Stopped,
}

impl From<Refusal> for StepError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<Diverged> for StepError {
    fn from(diverged: Diverged) -> Self {
        Self::Diverged(diverged)
    }
}

impl std::fmt::Display for StepError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Refused(refusal) => refusal.fmt(f),
            Self::Diverged(diverged) => diverged.fmt(f),
            Self::TooFast { step, below } => write!(
                f,
                "step {step}: surfaces in contact move past each other by more than sixteen of their edges; use a \
                 step below {below:.1e} s"
            ),
            Self::Stopped => f.write_str("stopped"),
        }
    }
}

impl std::error::Error for StepError {}
