//! Deformables: particles that form one body with a surface, and how that surface touches itself and others.

use super::{Model, ModelError, ParticleId, Particles, invalid_value};

/// How the surface of a deformable touches: itself, other deformables, rigid bodies and obstacles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactMaterial {
    /// The thickness (m): two surfaces touch where their distance is the mean of both.
    pub thickness: f64,
    /// Whether parts of the surface touch each other.
    pub self_contact: bool,
    /// The coefficient μ of Coulomb friction; that of a pair is `√(μ_A μ_B)`.
    pub friction: f64,
}

impl Default for ContactMaterial {
    fn default() -> Self {
        Self { thickness: 1e-3, self_contact: false, friction: 0.3 }
    }
}

/// Particles that form one body.
#[derive(Clone, Copy, Debug)]
pub struct Deformable {
    /// Its particles.
    pub particles: Particles,
    /// How its surface touches.
    pub contact: ContactMaterial,
}

impl Model {
    /// Declares particles, all of them after those of deformables before, as one deformable. Its surface is what
    /// triangles and segments its particles have; particles of no deformable touch only obstacles.
    pub fn add_deformable(
        &mut self,
        particles: Particles,
        contact: ContactMaterial,
    ) -> Result<(), ModelError> {
        let Particles { first, count } = particles;
        let begins = self.deformables.last().map_or(0, |last| last.particles.indices().end as u32);
        if first < begins || u64::from(first) + u64::from(count) > self.particles() as u64 {
            let end = u64::from(first) + u64::from(count);
            return invalid_value(format!(
                "particles {first} to {end} cannot be a deformable: they must exist and follow those of the last one"
            ));
        }
        contact.check()?;
        self.deformables.push(Deformable { particles, contact });
        self.versions.topology += 1;
        Ok(())
    }

    /// Changes how the surface of a deformable touches.
    pub fn set_contact(
        &mut self,
        deformable: usize,
        contact: ContactMaterial,
    ) -> Result<(), ModelError> {
        contact.check()?;
        let count = self.deformables.len();
        let Some(own) = self.deformables.get_mut(deformable) else {
            return invalid_value(format!("there is no deformable {deformable} among {count}"));
        };
        own.contact = contact;
        self.versions.topology += 1;
        Ok(())
    }

    /// The deformables, in the order of their particles.
    pub fn deformables(&self) -> &[Deformable] {
        &self.deformables
    }

    /// Adds a segment of a rope or a net: it touches as edges of triangles do.
    pub fn add_segment(&mut self, ends: [impl Into<ParticleId>; 2]) -> Result<(), ModelError> {
        let ends = ends.map(|end| end.into().0);
        for end in ends {
            self.check_particle(end)?;
        }
        self.segments.push(ends);
        self.versions.topology += 1;
        Ok(())
    }

    /// The segments of ropes and nets.
    pub fn segments(&self) -> &[[u32; 2]] {
        &self.segments
    }

    /// Sets whether different deformables touch each other; they do not unless told so.
    pub fn set_contact_between(&mut self, on: bool) {
        self.contact_between = on;
        self.versions.topology += 1;
    }

    /// Whether any deformables touch each other or themselves.
    pub fn surfaces_touch(&self) -> bool {
        self.contact_between && self.deformables.len() > 1
            || self.deformables.iter().any(|deformable| deformable.contact.self_contact)
    }

    /// Sets whether each step ends with an exact test for intersections, which its report counts.
    pub fn set_check_intersections(&mut self, on: bool) {
        self.check_intersections = on;
    }

    /// Whether each step ends with an exact test for intersections.
    pub fn checks_intersections(&self) -> bool {
        self.check_intersections
    }

    /// Whether different deformables touch each other.
    pub fn contact_between(&self) -> bool {
        self.contact_between
    }
}

impl ContactMaterial {
    fn check(&self) -> Result<(), ModelError> {
        let Self { thickness, friction, .. } = *self;
        if !(thickness > 0.0 && thickness.is_finite()) {
            return invalid_value(format!("a thickness must be finite and > 0 (got {thickness})"));
        }
        if !(0.0..=1e6).contains(&friction) {
            return invalid_value(format!("a friction must be from 0 to 1e6 (got {friction})"));
        }
        Ok(())
    }
}
