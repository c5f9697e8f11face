//! What the elements at one vertex say about it, for methods that move vertices one by one.

use super::Gather;
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
    /// From the corners that are used, in order, each with the slot of its particle.
    pub(crate) fn new(slots: usize, owners: impl Iterator<Item = (usize, u32)> + Clone) -> Self {
        Self { gather: Gather::chosen(slots, owners) }
    }

    /// The corners at the vertex of a slot, counted over all elements.
    #[inline]
    pub(crate) fn at(&self, slot: usize) -> impl Iterator<Item = usize> {
        self.gather.at(slot).iter().map(|&corner| corner as usize)
    }
}
