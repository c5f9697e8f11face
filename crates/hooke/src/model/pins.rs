//! Pins: coordinates that are given, not computed.

use super::Motion;

/// A particle whose motion is given along some axes.
#[derive(Clone, Debug)]
pub struct Pin {
    /// The particle.
    pub particle: u32,
    /// Along which axes.
    pub axes: [bool; 3],
    /// Where it is.
    pub motion: Motion,
    /// Tells pins apart, also when one is removed and another made.
    pub(crate) serial: u64,
}

/// How hard pins are held. (Pins by penalty are attachments.)
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hold {
    /// The pinned coordinates are removed from the unknowns: exact, in every method.
    #[default]
    Elimination,
    /// Forces on pinned coordinates and their derivatives are cancelled; a pinned particle keeps
    /// the velocity it starts with. For explicit methods, and as a filter in conjugate gradients.
    Cancellation,
}
