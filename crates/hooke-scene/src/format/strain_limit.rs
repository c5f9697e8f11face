//! Limits of strain.

use crate::field::{above, at_least, between, table};
use hooke::model::SweepOrder;

table! {
    /// Limits on the stretch of springs and membranes, independent of their stiffness: after
    /// every step those outside are projected.
    pub struct StrainLimit as "strain limit" {
        /// Smallest length relative to that at rest, or smallest singular value of F.
        min: f64, within at_least(0.0), or "0";
        /// The largest.
        max: f64, within above(0.0), eg "1.1";
        /// Maximum number of sweeps over all elements per sub-step.
        iterations: u32, within between(1.0, 1e6), or "20";
        /// The order in which a sweep visits the elements.
        order: SweepOrder, or "\"given\"";
    }
}
