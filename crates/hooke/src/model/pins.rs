//! Pins: coordinates that are given, not computed.

use super::{Model, ModelError, Motion, ParticleId, PinId, invalid_value};

/// A particle whose motion is given along some axes.
#[derive(Clone, Debug)]
pub struct Pin {
    /// The particle.
    pub particle: ParticleId,
    /// Along which axes.
    pub axes: [bool; 3],
    /// Where it is.
    pub motion: Motion,
    /// Its handle, never given to another pin.
    pub id: PinId,
}

/// How pins are enforced. (Pins by penalty are attachments.)
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PinEnforcement {
    /// The pinned coordinates are removed from the unknowns: exact, in every method.
    #[default]
    Elimination,
    /// Forces on pinned coordinates and their derivatives are canceled; a pinned particle keeps
    /// the velocity it starts with. For explicit methods, and as a filter in conjugate gradients.
    Cancellation,
}

impl Model {
    /// Pins a particle along the given axes to a motion.
    pub fn pin(
        &mut self,
        particle: impl Into<ParticleId>,
        axes: [bool; 3],
        motion: Motion,
    ) -> Result<PinId, ModelError> {
        let particle = self.check_particle(particle)?;
        if axes == [false; 3] {
            return invalid_value(format!("the pin of particle {particle} holds no axis"));
        }
        if self.fixed[particle.index()] != [false; 3] {
            return Err(ModelError::PinnedTwice { particle });
        }
        if !motion.is_finite() {
            return invalid_value(format!(
                "the position of the pin of particle {particle} must be finite"
            ));
        }
        self.versions.pins += 1;
        let id = PinId(self.versions.pins);
        self.pins.push(Pin { particle, axes, motion, id });
        self.fixed[particle.index()] = axes;
        Ok(id)
    }

    /// Pins a particle where it rests.
    pub fn pin_at_rest(&mut self, particle: impl Into<ParticleId>) -> Result<PinId, ModelError> {
        let particle = self.check_particle(particle)?;
        self.pin(particle, [true; 3], Motion::still(self.rest[particle.index()]))
    }

    /// Releases a pinned particle.
    pub fn unpin(&mut self, particle: impl Into<ParticleId>) {
        let particle = particle.into();
        self.pins.retain(|pin| pin.particle != particle);
        if let Some(fixed) = self.fixed.get_mut(particle.index()) {
            *fixed = [false; 3];
        }
        self.versions.pins += 1;
    }

    /// The pins.
    pub fn pins(&self) -> &[Pin] {
        &self.pins
    }

    /// Which coordinates are pinned.
    pub fn fixed(&self) -> &[[bool; 3]] {
        &self.fixed
    }

    /// How pins are enforced.
    pub fn pin_enforcement(&self) -> PinEnforcement {
        self.pin_enforcement
    }

    /// Changes how pins are enforced.
    pub fn set_pin_enforcement(&mut self, pin_enforcement: PinEnforcement) {
        self.pin_enforcement = pin_enforcement;
        self.versions.pins += 1;
    }
}
