//! Why a method rejects a model: a kind that programs can match on, and a sentence for people.

use super::METHODS;
use crate::model::ModelError;
use crate::settings::{Kind, Value};

/// Why a method rejects a model. The text is one sentence that says what would work.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Refusal {
    /// There is no method of this name.
    UnknownMethod {
        /// The name.
        name: String,
    },
    /// The method has no setting of this name.
    UnknownSetting {
        /// The name.
        name: String,
        /// The settings it has.
        known: Vec<&'static str>,
    },
    /// A setting has an invalid value.
    InvalidSetting {
        /// Its name.
        name: String,
        /// The values it accepts.
        kind: Kind,
        /// The given value.
        value: Value,
    },
    /// A step that is not finite or not above 0.
    InvalidStep {
        /// Its length (s).
        h: f64,
    },
    /// The model has particles, but no method was given.
    NoMethod {
        /// The number of particles.
        particles: usize,
    },
    /// An element has a constraint but no energy, which the method does not support.
    HardConstraint {
        /// The law of the element.
        law: &'static str,
        /// Its index among those of the law.
        element: usize,
    },
    /// The method does not support elements of a law.
    UnsupportedLaw {
        /// The law.
        law: &'static str,
        /// The reason, and what would work.
        sentence: String,
    },
    /// The method does not support the model's kind of pins.
    UnsupportedPins {
        /// The reason, and what would work.
        sentence: String,
    },
    /// A step would need too many substeps.
    TooManySubsteps {
        /// The number of substeps needed.
        needed: f64,
        /// The length of a step (s).
        h: f64,
        /// The step (s) below which the method is stable.
        limit: f64,
        /// The maximum number.
        most: u32,
    },
    /// The method is unstable at every step of this model.
    Unstable,
    /// The system is too large, or too many elements meet at one particle.
    TooLarge {
        /// The reason, and what would work.
        sentence: String,
    },
    /// Rigid bodies have too many contact points.
    TooManyContacts {
        /// The maximum number.
        most: usize,
    },
    /// The model is invalid.
    Model(ModelError),
}

impl From<ModelError> for Refusal {
    fn from(error: ModelError) -> Self {
        Self::Model(error)
    }
}

impl Refusal {
    /// For a method that does not support pins by force cancellation.
    pub(crate) fn no_cancellation(method: &str) -> Self {
        let sentence =
            format!("{method} cannot hold pins by force cancellation; pins by elimination work");
        Self::UnsupportedPins { sentence }
    }
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::UnknownMethod { name } => {
                let names: Vec<_> = METHODS.iter().map(|info| info.name).collect();
                write!(f, "there is no method '{name}'; there are: {}", names.join(", "))
            }
            Self::UnknownSetting { name, known } => {
                let known = if known.is_empty() { "none".into() } else { known.join(", ") };
                write!(f, "the method has no setting '{name}'; it has: {known}")
            }
            Self::InvalidSetting { name, kind, value } => {
                write!(f, "the setting '{name}' must be {kind} (got {value})")
            }
            Self::InvalidStep { h } => {
                write!(f, "the step must be a finite number > 0 s (got {h})")
            }
            Self::NoMethod { particles } => write!(
                f,
                "the model has {particles} particles, and no method steps them; newton would do"
            ),
            Self::HardConstraint { law, element } => {
                let would_do: Vec<_> = METHODS
                    .iter()
                    .filter(|info| info.accepts_hard_constraints())
                    .map(|info| info.name)
                    .collect();
                write!(
                    f,
                    "{law} {element} is rigid: it has no energy, only a constraint, which this \
                     method cannot keep; give it a compliance above 0, or use {}",
                    would_do.join(" or ")
                )
            }
            Self::TooManySubsteps { needed, h, limit, most } => {
                write!(f, "the method needs ")?;
                match *needed < 1e9 {
                    true => write!(f, "{needed}")?,
                    false => write!(f, "{needed:.1e}")?,
                }
                write!(
                    f,
                    " sub-steps of a step of {h} s (its limit is {limit:.2e} s, at most {most} are \
                     taken); newton or quasi-newton would do"
                )
            }
            Self::Unstable => f.write_str(
                "forward Euler without damping grows at every step: add drag, set substeps to a \
                 number to watch it grow, or use symplectic-euler",
            ),
            Self::TooManyContacts { most } => write!(
                f,
                "the rigid bodies touch at more than {most} points, which is what the memory \
                 allows: take fewer bodies, or let them start apart"
            ),
            Self::UnsupportedLaw { sentence, .. }
            | Self::UnsupportedPins { sentence }
            | Self::TooLarge { sentence } => f.write_str(sentence),
            Self::Model(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Refusal {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Model(error) => Some(error),
            _ => None,
        }
    }
}
