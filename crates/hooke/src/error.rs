//! What can be wrong with a model: a kind a program can match on, and a sentence for a person.

use crate::handles::{AnchorId, MaterialId, ParticleId, RigidBodyId};

/// What is wrong with a model, or with an edit of it. The text is one sentence.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ModelError {
    /// There is no such particle.
    UnknownParticle {
        /// Which.
        particle: ParticleId,
        /// How many there are.
        count: usize,
    },
    /// There is no such rigid body.
    UnknownRigidBody {
        /// Which.
        body: RigidBodyId,
        /// How many there are.
        count: usize,
    },
    /// There is no such anchor.
    UnknownAnchor {
        /// Which.
        anchor: AnchorId,
    },
    /// The pin was removed.
    UnknownPin,
    /// There is no such material.
    UnknownMaterial {
        /// Which.
        material: MaterialId,
    },
    /// There is no solver of chains of this name.
    UnknownSolver {
        /// The name.
        name: String,
        /// Those there are.
        known: Vec<&'static str>,
    },
    /// A mass that is not finite or not above 0.
    InvalidMass {
        /// Of which particle.
        particle: ParticleId,
        /// The mass (kg).
        mass: f64,
    },
    /// A particle that is pinned already.
    PinnedTwice {
        /// Which.
        particle: ParticleId,
    },
    /// A value that is not finite, or out of its range.
    InvalidValue {
        /// What is wrong.
        sentence: String,
    },
    /// A shape or mesh that cannot be: flat, open, inside out, or naming vertices it has not.
    InvalidShape {
        /// What is wrong.
        sentence: String,
    },
    /// An element or damper with the wrong corners, rest values or material values for its law.
    InvalidElement {
        /// What is wrong.
        sentence: String,
    },
    /// A joint of rigid bodies that cannot be held.
    InvalidJoint {
        /// What is wrong.
        sentence: String,
    },
    /// A chain, or what it is to follow, that cannot be solved.
    InvalidChain {
        /// What is wrong.
        sentence: String,
    },
    /// A state or snapshot that is not of this model.
    WrongState {
        /// What is wrong.
        sentence: String,
    },
    /// More than a model holds.
    TooMany {
        /// Of what.
        sentence: String,
    },
}

impl std::fmt::Display for ModelError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::UnknownParticle { particle, count } => {
                write!(f, "there is no particle {particle}: the model has {count} particles")
            }
            Self::UnknownRigidBody { body, count } => {
                write!(f, "there is no rigid body {body}: the model has {count} rigid bodies")
            }
            Self::UnknownAnchor { anchor } => write!(f, "there is no anchor {anchor}"),
            Self::UnknownPin => f.write_str("there is no such pin: it was removed"),
            Self::UnknownMaterial { material: MaterialId { batch, group } } => {
                write!(f, "there is no material {group} of element batch {batch}")
            }
            Self::UnknownSolver { name, known } => {
                write!(f, "there is no solver {name:?}; there are {}", known.join(", "))
            }
            Self::InvalidMass { particle, mass } => {
                write!(f, "particle {particle}: mass must be a finite number > 0 (got {mass})")
            }
            Self::PinnedTwice { particle } => write!(f, "particle {particle} is pinned twice"),
            Self::InvalidValue { sentence }
            | Self::InvalidShape { sentence }
            | Self::InvalidElement { sentence }
            | Self::InvalidJoint { sentence }
            | Self::InvalidChain { sentence }
            | Self::WrongState { sentence }
            | Self::TooMany { sentence } => f.write_str(sentence),
        }
    }
}

impl std::error::Error for ModelError {}

/// A thing with its article: a spring, an attachment.
pub(crate) fn a(name: &str) -> String {
    format!("{} {name}", if name.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" })
}

macro_rules! refusals {
    ($($name:ident: $variant:ident;)+) => {
        $(pub(crate) fn $name<T>(sentence: impl Into<String>) -> Result<T, ModelError> {
            Err(ModelError::$variant { sentence: sentence.into() })
        })+
    };
}

refusals! {
    invalid_value: InvalidValue;
    invalid_shape: InvalidShape;
    invalid_element: InvalidElement;
    invalid_joint: InvalidJoint;
    invalid_chain: InvalidChain;
    wrong_state: WrongState;
    too_many: TooMany;
}
