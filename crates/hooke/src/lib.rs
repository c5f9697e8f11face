//! Mass-spring systems and cloth: one model, every classic method, every step says how true it is.
//!
//! A [`Model`] is a physical scene; a [`Method`] advances its [`State`]; a [`StepReport`] says what
//! each step was worth. The tour in one program:
//!
//! ```
//! use hooke::methods::NewtonSettings;
//! use hooke::{End, Grid, Model, Simulation};
//!
//! // A cloth of 10 × 10 particles, pinned at two corners.
//! let mut model = Model::new();
//! let cloth = Grid::square(10).add_to(&mut model)?;
//! model.pin_at_rest(cloth.at(0, 0))?;
//! model.pin_at_rest(cloth.at(9, 0))?;
//!
//! // A second of backward Euler, solved by Newton's method.
//! let settings = NewtonSettings { iterations: 20, ..Default::default() };
//! let mut simulation = Simulation::new(model, settings, 1.0 / 60.0)?;
//! for _ in 0..60 {
//!     let report = simulation.step()?;
//!     assert_eq!(report.solve.map(|solve| solve.end), Some(End::Converged));
//! }
//! assert!(simulation.state().positions[99].y < -0.9);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Methods are given by their settings ([`methods::NewtonSettings`], [`methods::XpbdSettings`], …), as
//! themselves (`Rk4::default()`, or your own [`Method`]), or by a name of [`methods::METHODS`]: `"newton"`
//! ([`IntoMethod`]). A model of rigid bodies alone needs none: [`Simulation::rigid`].
//!
//! What `add_*` returns is a handle ([`ParticleId`], [`AnchorId`], [`RigidBodyId`], …) that edits take and whose
//! `index()` is its index in the lists of the model and the [`State`]. What is refused is a [`ModelError`], a
//! [`Refusal`] or a [`StepError`], each a kind to match on and a sentence to show.
//!
//! From here: [`laws`] are the energies, [`dampers`] the losses, [`methods`] the time-stepping methods,
//! [`model`] what scenes are built from. A step runs from [`Simulation::step`] through one file in
//! [`methods`] to one formula in [`laws`].

#![deny(unnameable_types)]

mod bytes;
pub mod chains;
mod clock;
mod collision;
pub mod compute;
pub mod contact;
mod control;
pub mod dampers;
mod elements;
mod energy_watch;
mod error;
mod grab;
mod handles;
mod interaction;
mod kernels;
mod lanes;
pub mod laws;
pub mod linalg;
pub mod math;
mod measure;
pub mod methods;
pub mod model;
mod report;
pub mod rigid;
pub mod settings;
mod simulation;
mod snapshot;
pub mod stability;
mod state;
mod step_context;
mod strain_limiting;
mod thread_pool;

#[cfg(target_arch = "wasm32")]
pub use clock::set_clock;
pub use collision::{Intersection, Intersections};
pub use control::Control;
pub use energy_watch::{EnergyWatch, Gain};
pub use interaction::{Grab, Pick};
pub use kernels::Kernels;
pub use math::Vec3;
pub use methods::{IntoMethod, Method, Refusal, StabilityLimit};
pub use model::{
    AnchorId, ChainId, ContactMaterial, DamperId, Deformable, ElementId, Grid, GridParticles,
    JointId, MaterialId, Model, ModelError, ObstacleId, ParticleId, Particles, PinId, RigidBodyId,
    Rope,
};
pub use report::{
    ChainReport, Constraints, Contact, ElementOf, End, Energies, Limited, RigidBodyReport, Seconds,
    Solve, StepReport, Strain, Work,
};
pub use simulation::{Diverged, MOST_SUBSTEPS, PHASES, Simulation, StepError, Substeps};
pub use snapshot::Snapshot;
pub use state::State;
pub use thread_pool::ThreadPool;
