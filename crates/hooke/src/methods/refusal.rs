//! Why a method will not run a model: a kind a program can match on, and a sentence for a person.

use super::METHODS;
use crate::model::ModelError;
use crate::settings::{Kind, Value};

/// Why a method will not run a model. The text is one sentence that says what would do.
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
        /// Those it has.
        known: Vec<&'static str>,
    },
    /// A setting is not one of those it takes.
    InvalidSetting {
        /// Its name.
        name: String,
        /// What it takes.
        kind: Kind,
        /// What was given.
        value: Value,
    },
    /// A step that is not finite or not above 0.
    InvalidStep {
        /// Its length (s).
        h: f64,
    },
    /// The model has particles, and no method was given for them.
    NoMethod {
        /// How many.
        particles: usize,
    },
    /// An element has a constraint and no energy, which the method cannot hold.
    HardConstraint {
        /// The law of the element.
        law: &'static str,
        /// Its index among those of the law.
        element: usize,
    },
    /// The method cannot hold elements of a law.
    UnsupportedLaw {
        /// The law.
        law: &'static str,
        /// Why, and what would do.
        sentence: String,
    },
    /// The method cannot hold pins the way the model asks for.
    UnsupportedPins {
        /// Why, and what would do.
        sentence: String,
    },
    /// Steps would have to be cut into too many parts.
    TooManySubsteps {
        /// How many would be needed.
        needed: f64,
        /// The length of a step (s).
        h: f64,
        /// The step below which the method is stable (s).
        limit: f64,
        /// How many are allowed.
        most: u32,
    },
    /// The method grows at every step of this model.
    Unstable,
    /// The system is too large, or too many things meet in one place.
    TooLarge {
        /// What is, and what would do.
        sentence: String,
    },
    /// Rigid bodies touch at too many places.
    TooManyContacts {
        /// How many are allowed.
        most: usize,
    },
    /// Something is wrong with the model itself.
    Model(ModelError),
}

impl From<ModelError> for Refusal {
    fn from(error: ModelError) -> Self {
        Self::Model(error)
    }
}

impl Refusal {
    /// Where a method cannot cancel forces at pins.
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
