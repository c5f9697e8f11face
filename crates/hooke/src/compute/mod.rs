//! How a model is evaluated: the kernels of springs, the Hessian, and the orders in which elements and vertices are
//! visited.
//!
//! [`Elements`] are the batches of a model, one for each law. Springs take a faster path past the batches:
//! `spring_kernels` sums the forces of all springs of a model at once, in diagonals on grids (`dia`) and in sliced
//! ELLPACK elsewhere (`sell`). Position-based methods project rows one after the other: in the order of an
//! [`ElementColoring`], springs as `DistanceConstraints`. Methods that move one vertex at a time use a
//! `VertexColoring`.

pub(crate) mod assembly;
mod distance_constraints;
mod spring_kernels;
mod vertex_coloring;

pub use crate::elements::{
    At, Batch, ConstraintRows, DamperBatch, Dampers, ElementColoring, ElementConstraints,
    ElementEnergy, ElementSprings, ElementStore, ElementStrain, ElementView, Elements,
    EnclosureBatch, GatherOf, Incidence, Inertia, MOST_ROWS, ProjectedParticle, RateBatch, RowView,
    StencilBatch, Sweep, VertexEnergy, VertexTerms,
};

pub(crate) use crate::elements::{Apply, ComplianceMode, Gather};
pub(crate) use distance_constraints::DistanceConstraints;
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
