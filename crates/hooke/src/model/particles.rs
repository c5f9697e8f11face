//! The particles of a model.

use super::{Model, ModelError, ParticleId, invalid_value, too_many};
use crate::math::Vec3;

impl Model {
    /// Adds a particle at its rest position with a mass (kg).
    pub fn add_particle(&mut self, rest: Vec3, mass: f64) -> Result<ParticleId, ModelError> {
        let index = self.rest.len();
        if !rest.is_finite() {
            return invalid_value(format!("particle {index}: its position must be finite"));
        }
        check_mass(index, mass)?;
        if index >= u32::MAX as usize {
            return too_many("a model holds at most 4294967295 particles");
        }
        self.rest.push(rest);
        self.masses.push(mass);
        self.fixed.push([false; 3]);
        self.versions.topology += 1;
        Ok(ParticleId(index as u32))
    }

    /// The number of particles.
    pub fn particles(&self) -> usize {
        self.rest.len()
    }

    /// Rest positions (m).
    pub fn rest(&self) -> &[Vec3] {
        &self.rest
    }

    /// Masses (kg).
    pub fn masses(&self) -> &[f64] {
        &self.masses
    }

    /// Changes a mass (kg). Elements that were given a mass of their own, such as a weight or an
    /// attractor, keep it.
    pub fn set_mass(
        &mut self,
        particle: impl Into<ParticleId>,
        mass: f64,
    ) -> Result<(), ModelError> {
        let particle = self.check_particle(particle)?.index();
        check_mass(particle, mass)?;
        self.masses[particle] = mass;
        self.versions.values += 1;
        Ok(())
    }

    /// The inverse mass (1/kg) along an axis: zero where pinned.
    pub(crate) fn inverse_mass(&self, particle: usize, axis: usize) -> f64 {
        if self.fixed[particle][axis] { 0.0 } else { 1.0 / self.masses[particle] }
    }

    /// The particle, where there is one.
    pub(super) fn check_particle(
        &self,
        particle: impl Into<ParticleId>,
    ) -> Result<ParticleId, ModelError> {
        let particle = particle.into();
        if particle.index() < self.rest.len() {
            return Ok(particle);
        }
        Err(ModelError::UnknownParticle { particle, count: self.rest.len() })
    }
}

fn check_mass(index: usize, mass: f64) -> Result<(), ModelError> {
    if mass.is_finite() && mass > 0.0 {
        return Ok(());
    }
    Err(ModelError::InvalidMass { particle: ParticleId(index as u32), mass })
}
