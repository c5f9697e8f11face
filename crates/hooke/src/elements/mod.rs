//! Elements and dampers in batches, one batch for each law: what a model holds and methods evaluate.
//!
//! [`law`] and [`damper`] say what a formula must state, and `laws` and `dampers` state it. A [`Batch`] holds all
//! elements of one law and loops over them; methods see it as [`Elements`]. [`StencilBatch`] and [`EnclosureBatch`]
//! have elements with any number of corners. `compute` evaluates whole models with them.

mod batch;
mod constraint_rows;
pub(crate) mod damper;
mod damper_batch;
mod element_coloring;
mod enclosure;
pub(crate) mod frozen;
mod gather;
mod incidence;
mod inertia;
pub(crate) mod law;
mod material_groups;
mod projection_sweep;
pub mod role;
mod stencil;
mod traits;

pub use batch::Batch;
pub use constraint_rows::ConstraintRows;
pub use damper_batch::{DamperBatch, Dampers, RateBatch};
pub use element_coloring::ElementColoring;
pub use enclosure::EnclosureBatch;
pub use gather::GatherOf;
pub use incidence::{Incidence, VertexTerms};
pub use inertia::Inertia;
pub use projection_sweep::{MOST_ROWS, ProjectedParticle, Sweep};
pub use stencil::StencilBatch;
pub use traits::{
    At, ElementConstraints, ElementEnergy, ElementSprings, ElementStore, ElementStrain,
    ElementView, Elements, RowView, VertexEnergy,
};

pub(crate) use gather::Gather;
pub(crate) use projection_sweep::{Apply, ComplianceMode};
