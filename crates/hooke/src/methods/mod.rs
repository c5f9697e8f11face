//! Methods: ways to advance a state. One file per method; [`METHODS`] is the one list.
//!
//! A method owns its workspace, compares the model's versions with those it prepared for, and
//! redoes the least. Laws never see a method, and no method names a law.

mod accelerate;
mod auto;
mod bdf2;
mod beta;
mod constrained;
mod damper_rows;
mod dissipation;
mod energy_guard;
mod explicit;
mod forward_euler;
mod global;
mod hierarchical_pbd;
mod implicit_midpoint;
mod levels;
mod linearised;
mod newton;
mod objective;
mod parts;
mod pbd;
mod potential;
mod projection;
mod quasi_newton;
mod redundancy;
mod relaxation;
mod rk4;
mod saddle;
mod start;
mod symplectic_euler;
mod system;
mod vbd;
mod velocity_verlet;
mod vertices;
mod xpbd;

pub use accelerate::{Accelerator, Fallback};
pub use auto::{Auto, AutoSettings};
pub use bdf2::Bdf2;
pub use beta::{Beta, BetaSettings};
pub use constrained::{Constrained, ConstrainedSettings};
pub use forward_euler::ForwardEuler;
pub use hierarchical_pbd::{HierarchicalPbd, HierarchicalPbdSettings};
pub use implicit_midpoint::ImplicitMidpoint;
pub use linearised::{Linearised, LinearisedSettings};
pub use newton::{MinimizerSettings, Newton, NewtonSettings};
pub use pbd::{Pbd, PbdSettings};
pub use quasi_newton::{QuasiNewton, QuasiNewtonSettings};
pub use relaxation::VbdAccelerator;
pub use rk4::Rk4;
pub use start::Start;
pub use symplectic_euler::{SymplecticEuler, SymplecticEulerSettings};
pub use system::Projection;
pub use vbd::{Vbd, VbdSettings};
pub use velocity_verlet::VelocityVerlet;
pub use vertices::{VertexHessian, VertexOrder};
pub use xpbd::{Xpbd, XpbdSettings};

pub(crate) use dissipation::Dissipation;
pub use potential::Precision;

pub(crate) use potential::{Potential, each_rank_one};

use crate::control::Control;
use crate::kernels::Kernels;
use crate::math::Point;
use crate::model::{ElementId, Model, Net, Seen};
use crate::report::StepReport;
use crate::settings::{Configure, SettingInfo, Value};
use crate::stability::Stability;
use crate::state::State;
use crate::team::Team;

/// Why a method will not run a model: one sentence that says what would do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal(pub String);

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Refusal {}

/// What a step is taken in.
#[derive(Clone, Copy)]
pub struct World<'a> {
    /// The scene.
    pub model: &'a Model,
    /// What comes from outside.
    pub control: &'a Control,
    /// The state at the start of the step.
    pub start: &'a State,
    /// The model's springs.
    pub(crate) net: &'a Net,
    /// What they were found to do at the start of the step, if it was looked at.
    pub(crate) seen: Option<&'a Seen>,
    /// The threads.
    pub team: &'a Team,
    /// The length of the step (s).
    pub h: f64,
}

impl<'a> World<'a> {
    /// What the springs do at `x`, if that is where the step starts and it was looked at.
    pub(crate) fn seen_at(&self, x: &[Point]) -> Option<&'a Seen> {
        let here = std::ptr::eq(x, self.start.positions.as_slice());
        self.seen.filter(|_| here).map(Seen::using)
    }
}

/// A way to advance a state.
pub trait Method: Send {
    /// Makes ready for a model and kernels; only what changed since the last call is redone.
    fn prepare(&mut self, model: &Model, kernels: Kernels) -> Result<(), Refusal>;

    /// Advances positions and velocities by `world.h`.
    fn step(&mut self, world: World<'_>, state: &mut State, report: &mut StepReport);

    /// The step below which the method is stable.
    fn limit(&self, stability: &Stability) -> Limit;

    /// Whether it runs models with rigid elements, which have rows but no energy.
    fn rigid(&self) -> bool {
        false
    }

    /// Whether it holds contact with obstacles in its solve; others are set back after the step.
    fn contact_in_solve(&self) -> bool {
        false
    }

    /// Whether dampers are taken within h² of the middle of the step or later, as second order needs: then
    /// their work is booked for its middle, else for its start.
    fn damped_ahead(&self) -> bool {
        false
    }

    /// Called when a contact has set a particle to another position and velocity after a step, so
    /// that a method with memory does not look back across the jump.
    fn displaced(&mut self, _particle: usize, _state: &State) {}

    /// Called when ether drag has multiplied every free velocity by `a` before a step, so that a
    /// method with memory slows what it remembers, too.
    fn slowed(&mut self, _a: f64, _model: &Model, _state: &State) {}

    /// Calls `each` with the multipliers of every element's rows in the last part of the last step, for methods
    /// that have any.
    fn multipliers(&self, _model: &Model, _each: &mut dyn FnMut(ElementId, &[f64])) {}

    /// Appends all that survives a step besides the state.
    fn save(&self, _memory: &mut Vec<f64>) {}

    /// Takes back what [`Method::save`] wrote; an empty slice forgets.
    fn restore(&mut self, _memory: &[f64]) {}
}

/// A stability limit. Its text is what every command says of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Limit {
    /// Stable at every step.
    None,
    /// Stable at every step of a model whose forces are linear in positions and velocities, and
    /// nothing is promised on others.
    Linear,
    /// Stable below this step (s).
    Below(f64),
    /// Grows at every step, for lack of damping.
    Never,
}

impl std::fmt::Display for Limit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::None => f.write_str("stable at every step"),
            Self::Linear => f.write_str(
                "stable at every step of a linear model; may gain energy on a nonlinear one",
            ),
            Self::Below(limit) => write!(f, "stable below {limit:.3e} s"),
            Self::Never => f.write_str("grows at every step for lack of damping"),
        }
    }
}

impl Limit {
    /// Whether steps of `h` seconds are known to be unstable.
    pub fn exceeded(self, h: f64) -> bool {
        match self {
            Self::None | Self::Linear => false,
            Self::Below(limit) => h >= limit,
            Self::Never => true,
        }
    }

    /// Why a run in steps of `h` seconds went wrong, and what to do: half a sentence.
    pub fn blame(self, h: f64) -> String {
        match self {
            Self::Below(limit) if h > limit => format!(
                "the step of {h:.3e} s is above the method's limit of {limit:.3e} s: use substeps = \
                 \"auto\" or an implicit method"
            ),
            Self::Below(_) | Self::None => {
                format!(
                    "the forces grew beyond what a step of {h:.3e} s can follow: take shorter steps"
                )
            }
            Self::Linear => format!(
                "the method is stable on linear models only, and a step of {h:.3e} s is too long for \
                 this one: take shorter steps, or newton"
            ),
            Self::Never => "the method grows at every step without damping".into(),
        }
    }
}

/// What the registry knows about a method.
pub struct MethodInfo {
    /// The name in scenes.
    pub name: &'static str,
    /// Other names for it.
    pub aliases: &'static [&'static str],
    /// One sentence on what it is.
    pub doc: &'static str,
    /// The order of its error in the step.
    pub order: u32,
    /// What a step costs.
    pub cost: &'static str,
    /// When it is stable.
    pub stable: &'static str,
    /// What it is good at.
    pub good: &'static str,
    /// What it is bad at.
    pub bad: &'static str,
    /// Where it comes from.
    pub reference: &'static str,
    /// Whether pins can be held by force cancellation; with a solver's filter where `Filtered`.
    pub cancellation: Cancellation,
    /// Which system it solves in a step.
    pub unknowns: Unknowns,
    /// Its settings.
    pub settings: fn() -> Vec<SettingInfo>,
    /// Builds it with the given settings.
    pub build: fn(&[(String, Value)]) -> Result<Box<dyn Method>, Refusal>,
}

impl MethodInfo {
    /// Whether it runs models with rigid elements, which have rows but no energy.
    pub fn rigid(&self) -> bool {
        (self.build)(&[]).is_ok_and(|method| method.rigid())
    }
}

impl MethodInfo {
    /// Whether it holds contact with obstacles in its solve; others are set back after the step.
    pub fn contact_in_solve(&self) -> bool {
        (self.build)(&[]).is_ok_and(|method| method.contact_in_solve())
    }
}

/// Refuses a model with a rigid element to a method that cannot run it.
pub(crate) fn refuse_rigid(method: &dyn Method, model: &Model) -> Result<(), Refusal> {
    let Some((law, element)) = model.first_rigid().filter(|_| !method.rigid()) else {
        return Ok(());
    };
    let would_do: Vec<_> =
        METHODS.iter().filter(|info| info.rigid()).map(|info| info.name).collect();
    Err(Refusal(format!(
        "{law} {element} is rigid: it has no energy, only a constraint, which this method cannot \
         keep; give it a compliance above 0, or use {}",
        would_do.join(" or ")
    )))
}

/// Whether a method can hold pins by force cancellation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cancellation {
    /// Yes.
    Yes,
    /// With the filtered conjugate gradients.
    Filtered,
    /// No.
    No,
}

/// Which system a method solves in a step: what most of its memory goes into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unknowns {
    /// None.
    None,
    /// One number for each pair of coupled particles, for x, y and z alike.
    Numbers,
    /// A 3×3 block for each pair of coupled particles.
    Blocks,
}

/// A method whose settings are a struct.
pub trait Configured: Method + Sized + 'static {
    /// The settings.
    type Settings: Configure;
    /// The method with these settings.
    fn with(settings: Self::Settings) -> Self;
}

fn build<M: Configured>(values: &[(String, Value)]) -> Result<Box<dyn Method>, Refusal> {
    let mut settings = M::Settings::default();
    for (name, value) in values {
        match settings.set(name, value) {
            Ok(true) => {}
            Ok(false) => {
                let known: Vec<_> = M::Settings::describe().iter().map(|s| s.name).collect();
                let known = if known.is_empty() { "none".into() } else { known.join(", ") };
                return Err(Refusal(format!(
                    "the method has no setting '{name}'; it has: {known}"
                )));
            }
            Err(kind) => {
                return Err(Refusal(format!("the setting '{name}' must be {kind} (got {value})")));
            }
        }
    }
    Ok(Box::new(M::with(settings)))
}

const fn entry<M: Configured>(
    name: &'static str,
    aliases: &'static [&'static str],
    facts: Facts,
) -> MethodInfo {
    MethodInfo {
        name,
        aliases,
        doc: facts.doc,
        order: facts.order,
        cost: facts.cost,
        stable: facts.stable,
        good: facts.good,
        bad: facts.bad,
        reference: facts.reference,
        cancellation: facts.cancellation,
        unknowns: facts.unknowns,
        settings: M::Settings::describe,
        build: build::<M>,
    }
}

/// The facts of a method that stand in its own file.
pub(crate) struct Facts {
    doc: &'static str,
    order: u32,
    cost: &'static str,
    stable: &'static str,
    good: &'static str,
    bad: &'static str,
    reference: &'static str,
    cancellation: Cancellation,
    unknowns: Unknowns,
}

/// Refuses elements that couple all their particles at once.
fn refuse_wholes(method: &str, model: &Model) -> Result<(), Refusal> {
    match model.elements().iter().find(|batch| batch.rank_ones() > 0) {
        None => Ok(()),
        Some(batch) => Err(Refusal(format!(
            "{method} cannot hold elements of {}, which couple all their particles at once; newton \
             or quasi-newton would do",
            batch.law().name
        ))),
    }
}

/// Every method. A new one is one file and one line here.
pub const METHODS: &[MethodInfo] = &[
    entry::<ForwardEuler>("forward-euler", &["explicit-euler"], forward_euler::FACTS),
    entry::<SymplecticEuler>("symplectic-euler", &["semi-implicit-euler"], symplectic_euler::FACTS),
    entry::<VelocityVerlet>("velocity-verlet", &["verlet"], velocity_verlet::FACTS),
    entry::<Rk4>("rk4", &["runge-kutta-4"], rk4::FACTS),
    entry::<Beta>("beta", &[], beta::FACTS),
    entry::<Linearised>("linearised-backward-euler", &["linearised"], linearised::FACTS),
    entry::<Newton>("newton", &["backward-euler"], newton::FACTS),
    entry::<ImplicitMidpoint>("implicit-midpoint", &["midpoint"], implicit_midpoint::FACTS),
    entry::<Bdf2>("bdf2", &[], bdf2::FACTS),
    entry::<QuasiNewton>(
        "quasi-newton",
        &["fast-mass-spring", "projective-dynamics"],
        quasi_newton::FACTS,
    ),
    entry::<Constrained>("constrained", &["constrained-dynamics"], constrained::FACTS),
    entry::<Vbd>("vbd", &["vertex-block-descent"], vbd::FACTS),
    entry::<Pbd>("pbd", &["position-based-dynamics"], pbd::FACTS),
    entry::<Xpbd>("xpbd", &["extended-position-based-dynamics"], xpbd::FACTS),
    entry::<HierarchicalPbd>("hierarchical-pbd", &["hpbd"], hierarchical_pbd::FACTS),
    entry::<Auto>("auto", &[], auto::FACTS),
];

/// The method of a name or alias.
pub fn find(name: &str) -> Option<&'static MethodInfo> {
    METHODS.iter().find(|method| method.name == name || method.aliases.contains(&name))
}

crate::settings::settings! {
    /// No settings.
    pub struct NoSettings {}
}
