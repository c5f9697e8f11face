//! Limits of strain: how far elements may be stretched or compressed, whatever their stiffness.

use super::{Model, ModelError, invalid_value};
use crate::math::Vec3;
use crate::settings::choice;

choice! {
    /// In which order a sweep visits the elements.
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
    /// In which order a sweep visits the elements.
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

/// What resists when elements are projected.
#[derive(Clone, Copy, Debug)]
pub struct Inertia<'a> {
    /// Masses (kg).
    pub masses: &'a [f64],
    /// Which coordinates are pinned.
    pub fixed: &'a [[bool; 3]],
}

impl Inertia<'_> {
    /// Gives the corners of an element a shape, where their center of mass stays. Pinned coordinates
    /// stay, too, as if infinitely heavy; where several differ from the shape, their mean is met.
    pub(crate) fn settle<const N: usize>(
        self,
        corners: [u32; N],
        shape: [Vec3; N],
        x: &mut [Vec3],
    ) {
        let corners = corners.map(|corner| corner as usize);
        for axis in 0..3 {
            let pinned = corners.iter().any(|&i| self.fixed[i][axis]);
            let (mut shift, mut sum) = (0.0, 0.0);
            for (&i, q) in corners.iter().zip(&shape) {
                let weight = match (pinned, self.fixed[i][axis]) {
                    (false, _) => self.masses[i],
                    (true, fixed) => f64::from(u8::from(fixed)),
                };
                shift += weight * (x[i][axis] - q[axis]);
                sum += weight;
            }
            let shift = shift / sum;
            for (&i, q) in corners.iter().zip(&shape).filter(|(i, _)| !self.fixed[**i][axis]) {
                x[i][axis] = q[axis] + shift;
            }
        }
    }
}
