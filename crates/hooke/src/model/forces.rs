//! What acts on the whole space: ether drag and wind.

use super::{Invalid, Motion, invalid};
use crate::math::Point;
use crate::math::noise::noise;

/// Drag of the whole space: velocities shrink once a step, before forces act.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Ether {
    /// `v ← a v` once a step, 0 ≤ a ≤ 1: what courses write; its meaning depends on the step.
    Factor(f64),
    /// `v ← e^{−γh} v`, γ in 1/s: the same for every step.
    Rate(f64),
}

impl Ether {
    pub(super) fn check(self) -> Result<(), Invalid> {
        match self {
            Self::Factor(a) if !(0.0..=1.0).contains(&a) => {
                invalid(format!("the factor of ether drag must be from 0 to 1 (got {a})"))
            }
            Self::Rate(rate) if !(rate.is_finite() && rate >= 0.0) => {
                invalid(format!("the rate of ether drag must be ≥ 0 per second (got {rate})"))
            }
            _ => Ok(()),
        }
    }

    /// The factor for one of `substeps` parts of a step of `h` seconds in all.
    pub fn factor(self, h: f64, substeps: u32) -> f64 {
        let n = f64::from(substeps);
        match self {
            Self::Factor(a) => libm::pow(a, 1.0 / n),
            Self::Rate(gamma) => libm::exp(-gamma * h / n),
        }
    }
}

/// The wind: a mean velocity that may change in time, and gusts.
#[derive(Clone, Debug, Default)]
pub struct Air {
    /// The mean velocity (m/s).
    pub mean: Motion,
    /// Seeded disturbances.
    pub gust: Option<Gust>,
}

/// Gusts: smooth noise, a pure function of seed, place and time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gust {
    /// The greatest disturbance per axis (m/s).
    pub strength: f64,
    /// The size of an eddy (m).
    pub length: f64,
    /// How long an eddy lasts (s).
    pub period: f64,
    /// Which noise.
    pub seed: u64,
}

impl Air {
    /// The wind (m/s) at a place and time when its mean is `mean`.
    pub fn velocity(&self, mean: Point, x: Point, t: f64) -> Point {
        match self.gust {
            None => mean,
            Some(gust) => {
                let eddy = noise(gust.seed, x * (1.0 / gust.length), t / gust.period);
                mean + eddy * gust.strength
            }
        }
    }

    /// A speed (m/s) the wind does not exceed.
    pub fn greatest(&self) -> f64 {
        self.mean.greatest() + self.gust.map_or(0.0, |gust| gust.strength * 3f64.sqrt())
    }

    pub(super) fn check(&self) -> Result<(), Invalid> {
        if !self.mean.is_finite() {
            return invalid("the wind must be finite");
        }
        let Some(Gust { strength, length, period, .. }) = self.gust else { return Ok(()) };
        if !(strength.is_finite() && strength >= 0.0) {
            return invalid(format!("the strength of a gust must be ≥ 0 m/s (got {strength})"));
        }
        for (value, what) in [(length, "length"), (period, "period")] {
            if !(value.is_finite() && value > 0.0) {
                return invalid(format!("the {what} of a gust must be > 0 (got {value})"));
            }
        }
        Ok(())
    }
}
