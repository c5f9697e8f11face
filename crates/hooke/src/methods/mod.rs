//! Methods: time integrators. One file per method; [`METHODS`] lists them all.
//!
//! A method owns its workspace, compares the model's versions with those it prepared for, and
//! updates only what has changed. Laws do not depend on methods, and no method names a law.

mod auto;
mod bdf2;
mod beta;
mod constrained;
mod forward_euler;
mod hierarchical_pbd;
mod implicit_midpoint;
mod into_method;
mod linearized;
mod newton;
mod no_particles;
mod pbd;
mod quasi_newton;
mod refusal;
mod rk4;
pub(crate) mod shared;
mod symplectic_euler;
mod vbd;
mod velocity_verlet;
mod xpbd;

pub use auto::{Auto, AutoSettings};
pub use bdf2::{Bdf2, Bdf2Settings};
pub use beta::{Beta, BetaSettings};
pub use constrained::{Constrained, ConstrainedSettings};
pub use forward_euler::ForwardEuler;
pub use hierarchical_pbd::{HierarchicalPbd, HierarchicalPbdSettings};
pub use implicit_midpoint::{ImplicitMidpoint, ImplicitMidpointSettings};
pub use into_method::IntoMethod;
pub use linearized::{Linearized, LinearizedSettings};
pub use newton::{Newton, NewtonSettings};
pub use no_particles::NoParticles;
pub use pbd::{Firmness, Pbd, PbdSettings, Sweeping};
pub use quasi_newton::{QuasiNewton, QuasiNewtonSettings};
pub use refusal::Refusal;
pub use rk4::Rk4;
pub use shared::accelerate::{Accelerator, Fallback};
pub use shared::projection::Order;
pub use shared::relaxation::VbdAccelerator;
pub use shared::start::Start;
pub use shared::system::Projection;
pub use shared::vertex_blocks::{VertexHessian, VertexOrder};
pub use symplectic_euler::{SymplecticEuler, SymplecticEulerSettings};
pub use vbd::{Vbd, VbdSettings};
pub use velocity_verlet::VelocityVerlet;
pub use xpbd::{Xpbd, XpbdSettings};

pub(crate) use shared::dissipation::Dissipation;
pub use shared::potential::Precision;

pub(crate) use shared::potential::Potential;

pub use crate::stability::StabilityLimit;
pub use crate::step_context::StepContext;

use crate::kernels::Kernels;
use crate::model::{ElementId, Model};
use crate::report::StepReport;
use crate::settings::{Configure, SettingInfo, Value};
use crate::stability::Stability;
use crate::state::State;

/// A time integrator.
pub trait Method: Send {
    /// Prepares for a model and kernels; only what changed since the last call is updated.
    fn prepare(&mut self, model: &Model, kernels: Kernels) -> Result<(), Refusal>;

    /// Advances positions and velocities by `context.h`.
    fn step(&mut self, context: StepContext<'_>, state: &mut State, report: &mut StepReport);

    /// The step below which the method is stable.
    fn limit(&self, stability: &Stability) -> StabilityLimit;

    /// Whether it supports rigid elements, which have rows but no energy.
    fn accepts_hard_constraints(&self) -> bool {
        false
    }

    /// Whether its solve includes contact with obstacles. Otherwise particles are moved out of
    /// obstacles after the step.
    fn contact_in_solve(&self) -> bool {
        false
    }

    /// Whether dampers are evaluated within h² of the middle of the step or later, as second order
    /// requires. Then their work is booked at the middle, otherwise at the start.
    fn damped_ahead(&self) -> bool {
        false
    }

    /// Called when a contact has changed the position and velocity of a particle after a step, so
    /// that a method with memory does not take differences across the jump.
    fn displaced(&mut self, _particle: usize, _state: &State) {}

    /// Called when global drag has multiplied every free velocity by `a` before a step, so that a
    /// method with memory scales its stored velocities too.
    fn slowed(&mut self, _a: f64, _model: &Model, _state: &State) {}

    /// Calls `each` with the multipliers of every element's rows in the last substep of the last
    /// step, for methods with multipliers.
    fn multipliers(&self, _model: &Model, _each: &mut dyn FnMut(ElementId, &[f64])) {}

    /// Appends everything besides the state that is kept from step to step.
    fn save(&self, _memory: &mut Vec<f64>) {}

    /// Restores what [`Method::save`] wrote; an empty slice clears the memory.
    fn restore(&mut self, _memory: &[f64]) {}
}

/// The registry entry of a method.
pub struct MethodInfo {
    /// The name in scenes.
    pub name: &'static str,
    /// Other names for it.
    pub aliases: &'static [&'static str],
    /// A one-sentence description.
    pub doc: &'static str,
    /// The order of accuracy in the step.
    pub order: u32,
    /// The cost of a step.
    pub cost: &'static str,
    /// Its stability.
    pub stable: &'static str,
    /// Its strengths.
    pub good: &'static str,
    /// Its weaknesses.
    pub bad: &'static str,
    /// Its source in the literature.
    pub reference: &'static str,
    /// Whether pins can be held by force cancellation; if `Filtered`, only with a solver that
    /// filters.
    pub cancellation: Cancellation,
    /// The linear system it solves in a step.
    pub unknowns: Unknowns,
    /// Its settings.
    pub settings: fn() -> Vec<SettingInfo>,
    /// Builds it with the given settings.
    pub build: fn(&[(String, Value)]) -> Result<Box<dyn Method>, Refusal>,
}

impl MethodInfo {
    /// Whether it supports rigid elements, which have rows but no energy.
    pub fn accepts_hard_constraints(&self) -> bool {
        (self.build)(&[]).is_ok_and(|method| method.accepts_hard_constraints())
    }
}

impl MethodInfo {
    /// Whether its solve includes contact with obstacles. Otherwise particles are moved out of
    /// obstacles after the step.
    pub fn contact_in_solve(&self) -> bool {
        (self.build)(&[]).is_ok_and(|method| method.contact_in_solve())
    }
}

/// Rejects a model with a rigid element if the method does not support it.
pub(crate) fn refuse_hard_constraints(method: &dyn Method, model: &Model) -> Result<(), Refusal> {
    let Some((law, element)) =
        model.first_hard_constraint().filter(|_| !method.accepts_hard_constraints())
    else {
        return Ok(());
    };
    Err(Refusal::HardConstraint { law, element })
}

/// Whether a method can hold pins by force cancellation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cancellation {
    /// Yes.
    Yes,
    /// Only with filtered conjugate gradients.
    Filtered,
    /// No.
    No,
}

/// The linear system that a method solves in a step: it takes most of the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unknowns {
    /// None.
    None,
    /// One number for each pair of coupled particles, the same for x, y and z.
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
                let known = M::Settings::describe().iter().map(|s| s.name).collect();
                return Err(Refusal::UnknownSetting { name: name.clone(), known });
            }
            Err(kind) => {
                let (name, value) = (name.clone(), value.clone());
                return Err(Refusal::InvalidSetting { name, kind, value });
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

/// The facts of a method, defined in its own file.
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

/// All methods. A new method needs one file and one line here.
pub const METHODS: &[MethodInfo] = &[
    entry::<ForwardEuler>("forward-euler", &["explicit-euler"], forward_euler::FACTS),
    entry::<SymplecticEuler>("symplectic-euler", &["semi-implicit-euler"], symplectic_euler::FACTS),
    entry::<VelocityVerlet>("velocity-verlet", &["verlet"], velocity_verlet::FACTS),
    entry::<Rk4>("rk4", &["runge-kutta-4"], rk4::FACTS),
    entry::<Beta>("beta", &[], beta::FACTS),
    entry::<Linearized>("linearized-backward-euler", &["linearized"], linearized::FACTS),
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

/// The method with a name or alias.
pub fn find(name: &str) -> Option<&'static MethodInfo> {
    METHODS.iter().find(|method| method.name == name || method.aliases.contains(&name))
}

crate::settings::settings! {
    /// No settings.
    pub struct NoSettings {}
}
