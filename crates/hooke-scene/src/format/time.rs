//! How time passes.

use super::Seconds;
use crate::field::{above, table};
use hooke::Substeps;

table! {
    /// How time passes: the length of a step, of the run, and how much of it is recorded.
    pub struct Time as "time" {
        /// Length of a step: a number, or a fraction in quotes.
        step: Seconds, unit "s", within above(0.0), or "\"1/60\"";
        /// Length of the run.
        duration: f64, unit "s", within above(0.0), or "3.0";
        /// Recorded frames per second, a whole number of steps each; every step when left out.
        fps: Option<f64>, unit "1/s", within above(0.0), eg "30";
        /// Into how many parts a step is cut: as many as stability needs, or a count.
        substeps: Substeps, or "\"auto\"";
    }
}
