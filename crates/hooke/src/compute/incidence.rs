//! What the elements at one vertex say about it, for methods that move vertices one by one.

use super::{Elements, Gather, VertexColoring};
use crate::math::{Mat3, Vec3};

/// Energy, gradient and diagonal block at one vertex.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct VertexTerms {
    /// The energy of the elements at it (J).
    pub energy: f64,
    /// What rounding of these energies goes with (J): their sizes, and forces times positions.
    pub size: f64,
    /// ∂E/∂x (N).
    pub gradient: Vec3,
    /// ∂²E/∂x² (N/m).
    pub block: Mat3,
}

/// Which corners of which elements meet at each vertex, in the order of their colors.
#[derive(Default)]
pub struct Incidence {
    gather: Gather,
}

impl Incidence {
    /// From the corners that are used, in order, each with its particle.
    pub(crate) fn new(
        colors: &VertexColoring,
        owners: impl Iterator<Item = (usize, u32)> + Clone,
    ) -> Self {
        let owners = owners.map(|(corner, i)| (corner, colors.slot(i)));
        Self { gather: Gather::chosen(colors.len(), owners) }
    }

    /// Of a batch.
    pub(crate) fn of(colors: &VertexColoring, elements: &dyn Elements) -> Self {
        let corners = (0..elements.len()).flat_map(|e| elements.corners(e).iter().copied());
        Self::new(colors, corners.enumerate())
    }

    /// The corners at the vertex of a slot, counted over all elements.
    #[inline]
    pub(crate) fn at(&self, slot: usize) -> impl Iterator<Item = usize> {
        self.gather.at(slot).iter().map(|&corner| corner as usize)
    }
}
