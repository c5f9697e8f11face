//! Limits of strain: how far elements may be stretched or compressed, whatever their stiffness.

use super::{Model, ModelError, invalid_value};
use crate::settings::choice;

choice! {
    /// The order in which a sweep visits the elements.
    pub enum SweepOrder {
        /// As they were added to the model.
        Given = "given",
        /// Every second sweep backwards.
        Alternating = "alternating",
    }
}

/// Between what the stretch σ of springs and membranes is kept: 1 is at rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StrainLimit {
    /// The least σ.
    pub min: f64,
    /// The greatest σ.
    pub max: f64,
    /// Most sweeps over all elements.
    pub iterations: u32,
    /// The order in which a sweep visits the elements.
    pub order: SweepOrder,
}

impl StrainLimit {
    fn check(&self) -> Result<(), ModelError> {
        let Self { min, max, .. } = self;
        if !(min.is_finite() && max.is_finite()) {
            return invalid_value(format!("a strain limit must be finite (got {min} to {max})"));
        }
        if *min < 0.0 {
            return invalid_value(format!("min of a strain limit must be ≥ 0 (got {min})"));
        }
        if min > max {
            return invalid_value(format!(
                "min of a strain limit must not be above max (got {min} and {max})"
            ));
        }
        if *max == 0.0 {
            return invalid_value("max of a strain limit must be > 0");
        }
        Ok(())
    }
}

impl Model {
    /// Limits the strain of all springs and membranes, or sets them free.
    pub fn set_limit(&mut self, limit: Option<StrainLimit>) -> Result<(), ModelError> {
        if let Some(limit) = &limit {
            limit.check()?;
        }
        self.limit = limit;
        Ok(())
    }

    /// The limit of strain.
    pub fn limit(&self) -> Option<&StrainLimit> {
        self.limit.as_ref()
    }
}
