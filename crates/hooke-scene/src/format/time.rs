//! How time passes.

use super::Seconds;
use crate::field::{above, table};
use hooke::Substeps;

table! {
    /// Time: the length of a step, the length of the run, and the recorded frames.
    pub struct Time as "time" {
        /// Length of a step: a number, or a fraction in quotes.
        step: Seconds, unit "s", within above(0.0), or "\"1/60\"";
        /// Length of the run.
        duration: f64, unit "s", within above(0.0), or "3.0";
        /// Recorded frames per second, a whole number of steps each; default: every step.
        fps: Option<f64>, unit "1/s", within above(0.0), eg "30";
        /// Sub-steps of a step: as many as stability needs, or a number.
        substeps: Substeps, or "\"auto\"";
    }
}
