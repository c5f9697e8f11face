//! What acts on the whole space: global damping and wind.

use super::{Model, ModelError, Motion, ParticleId, invalid_value};
use crate::math::Vec3;
use crate::math::noise::noise;

/// Drag of the whole space: velocities shrink once a step, before forces act.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum GlobalDamping {
    /// `v ← a v` once a step, 0 ≤ a ≤ 1: what courses write; its meaning depends on the step.
    Factor(f64),
    /// `v ← e^{−γh} v`, γ in 1/s: the same for every step.
    Rate(f64),
}

impl GlobalDamping {
    pub(super) fn check(self) -> Result<(), ModelError> {
        match self {
            Self::Factor(a) if !(0.0..=1.0).contains(&a) => invalid_value(format!(
                "the factor of global_damping drag must be from 0 to 1 (got {a})"
            )),
            Self::Rate(rate) if !(rate.is_finite() && rate >= 0.0) => invalid_value(format!(
                "the rate of global_damping drag must be ≥ 0 per second (got {rate})"
            )),
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

/// Gusts: smooth noise, a pure function of seed, position and time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gust {
    /// The greatest disturbance per axis (m/s).
    pub strength: f64,
    /// The size of an eddy (m).
    pub length: f64,
    /// How long an eddy lasts (s).
    pub period: f64,
    /// Seed of the noise.
    pub seed: u64,
}

impl Air {
    /// The wind (m/s) at a position and time when its mean is `mean`.
    pub fn velocity(&self, mean: Vec3, x: Vec3, t: f64) -> Vec3 {
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

    pub(super) fn check(&self) -> Result<(), ModelError> {
        if !self.mean.is_finite() {
            return invalid_value("the wind must be finite");
        }
        let Some(Gust { strength, length, period, .. }) = self.gust else { return Ok(()) };
        if !(strength.is_finite() && strength >= 0.0) {
            return invalid_value(format!(
                "the strength of a gust must be ≥ 0 m/s (got {strength})"
            ));
        }
        for (value, what) in [(length, "length"), (period, "period")] {
            if !(value.is_finite() && value > 0.0) {
                return invalid_value(format!("the {what} of a gust must be > 0 (got {value})"));
            }
        }
        Ok(())
    }
}

impl Model {
    /// Gravity (m/s²).
    pub fn gravity(&self) -> Vec3 {
        self.gravity
    }

    /// Changes gravity (m/s²).
    pub fn set_gravity(&mut self, gravity: Vec3) -> Result<(), ModelError> {
        if !gravity.is_finite() {
            return invalid_value("gravity must be finite");
        }
        self.gravity = gravity;
        self.versions.forces += 1;
        Ok(())
    }

    /// Adds a constant force (N) to a particle.
    pub fn add_force(
        &mut self,
        particle: impl Into<ParticleId>,
        force: Vec3,
    ) -> Result<(), ModelError> {
        let particle = self.check_particle(particle)?;
        if !force.is_finite() {
            return invalid_value(format!("the force on particle {particle} must be finite"));
        }
        self.forces.resize(self.rest.len(), Vec3::ZERO);
        self.forces[particle.index()] += force;
        self.versions.forces += 1;
        Ok(())
    }

    /// Gravity and constant forces on a particle (N).
    pub fn load(&self, particle: usize) -> Vec3 {
        let constant = self.forces.get(particle).copied().unwrap_or(Vec3::ZERO);
        self.gravity * self.masses[particle] + constant
    }

    /// The constant force on a particle (N).
    pub fn force(&self, particle: usize) -> Vec3 {
        self.forces.get(particle).copied().unwrap_or(Vec3::ZERO)
    }

    /// Whether any particle has a constant force.
    pub fn has_constant_forces(&self) -> bool {
        !self.forces.is_empty()
    }

    /// Drag of the whole space on velocities.
    pub fn global_damping(&self) -> Option<GlobalDamping> {
        self.global_damping
    }

    /// Changes the drag of the whole space.
    pub fn set_global_damping(
        &mut self,
        global_damping: Option<GlobalDamping>,
    ) -> Result<(), ModelError> {
        global_damping.map_or(Ok(()), GlobalDamping::check)?;
        self.global_damping = global_damping;
        self.versions.forces += 1;
        Ok(())
    }

    /// The wind.
    pub fn air(&self) -> &Air {
        &self.air
    }

    /// Changes the wind.
    pub fn set_air(&mut self, air: Air) -> Result<(), ModelError> {
        air.check()?;
        self.air = air;
        self.versions.forces += 1;
        Ok(())
    }
}
