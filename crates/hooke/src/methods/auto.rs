//! Chooses another method by the kind of the model and the tolerance.
//!
//! The first matching row of [`TABLE`] decides. Nothing is timed during a run, so the choice is the
//! same on every machine. It is repeated when the model is edited. The numbers in the table are
//! those of "Which method should I use?", measured by
//! `cargo run --profile checked -p hooke-cli --example which_method`.
//!
//! Order 1: every row is backward Euler.

use super::shared::refusals::cancels_pins;
use super::{
    Cancellation, Configured, Facts, Method, Refusal, StabilityLimit, StepContext, Unknowns, find,
};
use crate::kernels::Kernels;
use crate::laws::Proxy;
use crate::model::Model;
use crate::report::StepReport;
use crate::settings::{Value, settings};
use crate::stability::Stability;
use crate::state::State;

pub(super) const FACTS: Facts = Facts {
    doc: "One of the other methods, chosen by the model and the tolerance.",
    order: 1,
    cost: "that of the chosen method",
    stable: "every h",
    good: "a first choice, and scenes that are edited while they run",
    bad: "conserving energy: every choice is backward Euler",
    reference: "docs/which-method.md",
    cancellation: Cancellation::Yes,
    unknowns: Unknowns::Blocks,
};

settings! {
    /// Settings of the choice.
    pub struct AutoSettings {
        /// Tolerance on ‖∇g‖, relative to the acting forces.
        tolerance: f64 = 1e-4, "", [0.0, 1.0];
    }
}

/// The properties of a model that decide.
struct Measured {
    particles: usize,
    rigid: bool,
    canceled: bool,
    /// Whether all proxies and damper bounds are true bounds, not estimates.
    bounded: bool,
    tolerance: f64,
}

impl Measured {
    fn of(model: &Model, tolerance: f64) -> Self {
        let laws = model.elements().iter().all(|batch| batch.law().proxy == Proxy::Bound);
        Self {
            particles: model.particles(),
            rigid: model.first_hard_constraint().is_some(),
            canceled: cancels_pins(model),
            bounded: laws && model.dampers().iter().all(|batch| batch.bounded()),
            tolerance,
        }
    }
}

/// The number of particles from which a constant matrix pays off.
const LARGE: usize = 400;
/// The number of particles from which a new matrix per iteration costs too much.
const HUGE: usize = 50_000;
/// The tolerances from which a constant matrix pays off: in general, and where a new matrix per
/// iteration costs too much.
const LOOSE: f64 = 1e-2;
const COARSE: f64 = 1e-6;

/// A row of the table: its condition, its method and settings, and the reason.
struct Row {
    fits: fn(&Measured) -> bool,
    method: &'static str,
    settings: &'static [(&'static str, Choice)],
    why: &'static str,
}

/// The value of a setting.
enum Choice {
    Text(&'static str),
    Number(f64),
}

/// The first matching row is used; the last one always matches.
const TABLE: &[Row] = &[
    Row {
        fits: |seen| seen.rigid,
        method: "constrained",
        settings: &[],
        why: "constrained, because an element is rigid",
    },
    Row {
        fits: |seen| seen.canceled,
        method: "newton",
        settings: &[("solver", Choice::Text("pcg-filtered"))],
        why: "newton with pcg-filtered, because pins are held by force cancellation",
    },
    Row {
        fits: |seen| seen.bounded && seen.particles >= HUGE && seen.tolerance >= COARSE,
        method: "quasi-newton",
        settings: &[
            ("accelerator", Choice::Text("anderson")),
            ("iterations", Choice::Number(400.0)),
        ],
        why: "quasi-newton with anderson, because the model has 50 000 particles or more, all laws bound their \
              stiffness, and a factorization per iteration would take too long",
    },
    Row {
        fits: |seen| seen.bounded && seen.particles >= LARGE && seen.tolerance >= LOOSE,
        method: "quasi-newton",
        settings: &[
            ("accelerator", Choice::Text("anderson")),
            ("iterations", Choice::Number(200.0)),
            ("fallback", Choice::Text("newton")),
        ],
        why: "quasi-newton with anderson, because the model has 400 particles or more, all laws bound their \
              stiffness, and many cheap iterations reach a tolerance of 1e-2 or more sooner; newton \
              continues if they stall",
    },
    Row {
        fits: |_| true,
        method: "newton",
        settings: &[],
        why: "newton, because the model is small, its laws have no bounds or the tolerance is tight, so few \
              expensive iterations are faster",
    },
];

/// The method.
pub struct Auto {
    settings: AutoSettings,
    /// The row of the table and the method built from it.
    chosen: Option<(usize, Box<dyn Method>)>,
}

impl Auto {
    /// A sentence for every row of the table: the choice and its reason.
    pub fn choices() -> impl Iterator<Item = &'static str> {
        TABLE.iter().map(|row| row.why)
    }
}

impl Row {
    fn build(&self, tolerance: f64) -> Result<Box<dyn Method>, Refusal> {
        let missing = || Refusal::UnknownMethod { name: self.method.to_owned() };
        let mut values = vec![("tolerance".to_owned(), Value::from(tolerance))];
        for (name, choice) in self.settings {
            let value = match choice {
                Choice::Text(text) => Value::from(*text),
                Choice::Number(number) => Value::from(*number),
            };
            values.push(((*name).to_owned(), value));
        }
        (find(self.method).ok_or_else(missing)?.build)(&values)
    }
}

impl Configured for Auto {
    type Settings = AutoSettings;
    fn with(settings: AutoSettings) -> Self {
        Self { settings, chosen: None }
    }
}

impl Method for Auto {
    fn prepare(&mut self, model: &Model, kernels: Kernels) -> Result<(), Refusal> {
        let tolerance = self.settings.tolerance;
        let seen = Measured::of(model, tolerance);
        let row = TABLE.iter().position(|row| (row.fits)(&seen)).unwrap_or(TABLE.len() - 1);
        let (_, method) = match self.chosen.take() {
            Some(chosen) if chosen.0 == row => self.chosen.insert(chosen),
            _ => self.chosen.insert((row, TABLE[row].build(tolerance)?)),
        };
        method.prepare(model, kernels)
    }

    fn step(&mut self, context: StepContext<'_>, state: &mut State, report: &mut StepReport) {
        if let Some((row, method)) = &mut self.chosen {
            report.chosen = Some(TABLE[*row].why);
            method.step(context, state, report);
        }
    }

    fn limit(&self, stability: &Stability) -> StabilityLimit {
        self.chosen.as_ref().map_or(StabilityLimit::None, |(_, method)| method.limit(stability))
    }

    fn accepts_hard_constraints(&self) -> bool {
        true
    }

    fn contact_in_solve(&self) -> bool {
        self.chosen.as_ref().is_none_or(|(_, method)| method.contact_in_solve())
    }

    fn displaced(&mut self, particle: usize, state: &State) {
        if let Some((_, method)) = &mut self.chosen {
            method.displaced(particle, state);
        }
    }

    fn slowed(&mut self, a: f64, model: &Model, state: &State) {
        if let Some((_, method)) = &mut self.chosen {
            method.slowed(a, model, state);
        }
    }

    /// The row is saved first: the memory of another row cannot be used.
    fn save(&self, memory: &mut Vec<f64>) {
        if let Some((row, method)) = &self.chosen {
            memory.push(*row as f64);
            method.save(memory);
        }
    }

    fn restore(&mut self, memory: &[f64]) {
        if let Some((row, method)) = &mut self.chosen {
            match memory.split_first() {
                Some((&saved, rest)) if saved == *row as f64 => method.restore(rest),
                _ => method.restore(&[]),
            }
        }
    }
}
