//! What the elements at one vertex say about it, for methods that move vertices one by one.

use super::{Colours, Elements, Gather};
use crate::math::{Mat3, Point};

/// Energy, gradient and diagonal block at one vertex.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Vertex {
    /// The energy of the elements at it (J).
    pub energy: f64,
    /// What rounding of these energies goes with (J): their sizes, and forces times positions.
    pub size: f64,
    /// ∂E/∂x (N).
    pub gradient: Point,
    /// ∂²E/∂x² (N/m).
    pub block: Mat3,
}

/// Which corners of which elements meet at each vertex, in the order of their colours.
#[derive(Default)]
pub struct Joints {
    gather: Gather,
}

impl Joints {
    /// From the corners that are used, in order, each with its particle.
    pub(crate) fn new(
        colours: &Colours,
        owners: impl Iterator<Item = (usize, u32)> + Clone,
    ) -> Self {
        let owners = owners.map(|(corner, i)| (corner, colours.slot(i)));
        Self { gather: Gather::chosen(colours.len(), owners) }
    }

    /// Of a batch.
    pub(crate) fn of(colours: &Colours, elements: &dyn Elements) -> Self {
        let corners = (0..elements.len()).flat_map(|e| elements.corners(e).iter().copied());
        Self::new(colours, corners.enumerate())
    }

    /// The corners at the vertex of a slot, counted over all elements.
    #[inline]
    pub(crate) fn at(&self, slot: usize) -> impl Iterator<Item = usize> {
        self.gather.at(slot).iter().map(|&corner| corner as usize)
    }
}
