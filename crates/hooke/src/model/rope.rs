//! The rope: particles in a row, joined by springs.

use super::{ContactMaterial, Model, ModelError, Particles, SpringFamily, invalid_shape, too_many};
use crate::math::Vec3;

/// A straight rope of `links` springs.
#[derive(Clone, Debug)]
pub struct Rope {
    /// One end (m).
    pub from: Vec3,
    /// The other end (m).
    pub to: Vec3,
    /// Springs along the rope; it has one more particle.
    pub links: u32,
    /// The mass of the whole (kg), the same for every particle.
    pub mass: f64,
    /// Springs along the rope.
    pub structural: SpringFamily,
    /// Springs that skip one particle.
    pub bend: Option<SpringFamily>,
}

impl Rope {
    /// Adds particles and springs to a model; returns its particles.
    pub fn add_to(&self, model: &mut Model) -> Result<Particles, ModelError> {
        if self.links < 1 {
            return invalid_shape("a rope needs at least one link");
        }
        if self.links == u32::MAX {
            return too_many("a rope of 4294967295 links is too large");
        }
        let first = model.particles() as u32;
        let count = self.links + 1;
        for i in 0..count {
            let x = self.from.lerp(self.to, f64::from(i) / f64::from(self.links));
            model.add_particle(x, self.mass / f64::from(count))?;
        }
        for i in first..first + self.links {
            model.add_spring_of(i, i + 1, &self.structural, None)?;
            model.add_segment([i, i + 1])?;
        }
        if let Some(family) = &self.bend {
            for i in first..first + self.links - 1 {
                model.add_spring_of(i, i + 2, family, None)?;
            }
        }
        let particles = Particles { first, count };
        model.add_deformable(particles, ContactMaterial::default())?;
        Ok(particles)
    }
}
