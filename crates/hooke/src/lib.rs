//! Mass-spring systems and cloth: one model, every classic method, every step says how true it is.
//!
//! A [`Model`] is a physical scene; a [`Method`] advances its [`State`]; a [`StepReport`] says what
//! each step was worth. The tour in one program:
//!
//! ```
//! use hooke::{End, Grid, Model, Simulation};
//!
//! // A cloth of 10 × 10 particles, pinned at two corners.
//! let mut model = Model::new();
//! let cloth = Grid::square(10);
//! cloth.add_to(&mut model)?;
//! model.pin_at_rest(cloth.index(0, 0))?;
//! model.pin_at_rest(cloth.index(9, 0))?;
//!
//! // A second of backward Euler, solved by Newton's method.
//! let mut simulation = Simulation::new(model, "newton", 1.0 / 60.0)?;
//! for _ in 0..60 {
//!     let report = simulation.step()?;
//!     assert_eq!(report.solve.map(|solve| solve.end), Some(End::Converged));
//! }
//! assert!(simulation.state().positions[99].y < -0.9);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! From here: [`laws`] are the energies, [`dampers`] the losses, [`methods`] the ways to step,
//! [`model`] what scenes are built from. A step runs from [`Simulation::step`] through one file in
//! [`methods`] to one formula in [`laws`].

pub mod bodies;
pub mod chains;
pub mod contact;
mod control;
pub mod dampers;
mod energy_watch;
mod games;
mod kernels;
mod lanes;
pub mod laws;
mod limit;
pub mod linalg;
pub mod math;
mod measure;
pub mod methods;
pub mod model;
mod report;
pub mod settings;
mod simulation;
mod snapshot;
pub mod stability;
mod state;
mod team;

pub use control::Control;
pub use energy_watch::{EnergyWatch, Gain};
pub use games::{Grab, Pick};
pub use kernels::Kernels;
pub use math::Point;
pub use methods::{Limit, Method, Refusal};
pub use model::{Grid, Invalid, Model, Rope};
pub use report::{
    BodyReport, ChainReport, Constraints, Contact, ElementOf, End, Energies, Limited, Seconds,
    Solve, StepReport, Strain, Work,
};
pub use simulation::{Diverged, MOST_SUBSTEPS, Simulation, StepError, Substeps};
pub use snapshot::Snapshot;
pub use state::State;
pub use team::Team;

/// The programs in the documentation pages, compiled and run.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../../../README.md")]
    mod readme {}

    macro_rules! pages {
        ($($name:ident = $file:literal;)*) => {
            $(#[doc = include_str!(concat!("../../../docs/", $file))] mod $name {})*
        };
    }
    pages! {
        concepts = "concepts.md";
        laws_attachment = "laws/attachment.md";
        laws_attractor = "laws/attractor.md";
        laws_baraff_witkin_shear = "laws/baraff-witkin-shear.md";
        laws_baraff_witkin_stretch = "laws/baraff-witkin-stretch.md";
        laws_bridson_bending = "laws/bridson-bending.md";
        laws_buoyancy = "laws/buoyancy.md";
        laws_corotated = "laws/corotated.md";
        laws_curved_bending = "laws/curved-bending.md";
        laws_dashpot = "laws/dashpot.md";
        laws_dihedral = "laws/dihedral.md";
        laws_drag = "laws/drag.md";
        laws_linear_attractor = "laws/linear-attractor.md";
        laws_neo_hookean = "laws/neo-hookean.md";
        laws_pressure = "laws/pressure.md";
        laws_quadratic_bending = "laws/quadratic-bending.md";
        laws_quadratic_wind = "laws/quadratic-wind.md";
        laws_spring = "laws/spring.md";
        laws_strain_band = "laws/strain-band.md";
        laws_strain_band_membrane = "laws/strain-band-membrane.md";
        laws_strain_dashpot = "laws/strain-dashpot.md";
        laws_strain_spring = "laws/strain-spring.md";
        laws_stvk = "laws/stvk.md";
        laws_stvk_membrane = "laws/stvk-membrane.md";
        laws_vertex_bending = "laws/vertex-bending.md";
        laws_weight = "laws/weight.md";
        laws_wind = "laws/wind.md";
        tutorial = "tutorial.md";
    }
}
