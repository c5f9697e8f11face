//! How a model is computed: batches of elements and dampers, the kernels of springs, and the orders in which
//! elements and vertices are visited.
//!
//! A [`Batch`] holds all elements of one law and passes over them; methods see it as [`Elements`]. Springs take a
//! faster path past the batches: `spring_kernels` sums the forces of all springs of a model at once, in diagonals
//! on grids (`dia`) and in sliced ELLPACK elsewhere (`sell`). Position-based methods project rows one after the
//! other: in the order of an [`ElementColoring`], springs as `DistanceConstraints`. Methods that move one vertex at
//! a time use a `VertexColoring`.

pub(crate) mod assembly;
mod batch;
mod constraint_rows;
mod damper_batch;
mod distance_constraints;
mod element_coloring;
mod elements;
mod enclosure;
mod gather;
mod incidence;
mod material_groups;
mod projection_sweep;
mod spring_kernels;
mod stencil;
mod vertex_coloring;

pub use batch::Batch;
pub use constraint_rows::ConstraintRows;
pub use damper_batch::{DamperBatch, Dampers, RateBatch};
pub use element_coloring::ElementColoring;
pub use elements::{
    At, ElementConstraints, ElementEnergy, ElementSprings, ElementStore, ElementStrain,
    ElementView, Elements, RowView, VertexEnergy,
};
pub use enclosure::EnclosureBatch;
pub use gather::GatherOf;
pub use incidence::{Incidence, VertexTerms};
pub use projection_sweep::{MOST_ROWS, ProjectedParticle, Sweep};
pub use stencil::StencilBatch;

pub(crate) use distance_constraints::DistanceConstraints;
pub(crate) use enclosure::check_closed;
pub(crate) use gather::Gather;
pub(crate) use projection_sweep::{Apply, ComplianceMode};
pub(crate) use spring_kernels::{
    Neighborhood, Proposal, SingleSpringKernels, SpringCache, SpringKernels, VertexSprings,
};
pub(crate) use vertex_coloring::{ColoringOrder, VertexColoring};

/// The element stretched or compressed most.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strain {
    /// Its relative stretch, negative under compression.
    pub value: f64,
    /// Its law.
    pub law: &'static str,
    /// Its index within that law.
    pub element: usize,
}
