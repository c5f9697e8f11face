//! Limits of strain.

use crate::field::{above, at_least, between, choice, table};

choice! {
    /// In which order a sweep visits the elements.
    pub enum SweepOrder {
        /// As they stand in the scene.
        Given = "given",
        /// Every second sweep backwards.
        Alternating = "alternating",
    }
}

table! {
    /// How far springs and membranes may be stretched or compressed, whatever their stiffness: after
    /// every step those outside are projected.
    pub struct Limit as "limit" {
        /// The least length relative to that at rest, or least singular value of F.
        min: f64, within at_least(0.0), or "0";
        /// The greatest.
        max: f64, within above(0.0), eg "1.1";
        /// Most sweeps over all elements in a step.
        iterations: u32, within between(1.0, 1e6), or "20";
        /// In which order a sweep visits the elements.
        order: SweepOrder, or "\"given\"";
    }
}
