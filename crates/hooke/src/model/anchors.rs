//! Anchors: points that attachments and attractors hold on to.

use super::{
    AnchorId, ElementId, Model, ModelError, Motion, ParticleId, invalid_element, invalid_value,
};
use crate::laws::{Attachment, LawInfo};

impl Model {
    /// Adds an anchor that attachments and attractors refer to.
    pub fn add_anchor(&mut self, motion: Motion) -> Result<AnchorId, ModelError> {
        if !motion.is_finite() {
            return invalid_value("the position of an anchor must be finite");
        }
        self.anchors.push(motion);
        self.versions.forces += 1;
        Ok(AnchorId((self.anchors.len() - 1) as u32))
    }

    /// The anchors and how they move.
    pub fn anchors(&self) -> &[Motion] {
        &self.anchors
    }

    /// Changes the motion of an anchor from now on.
    pub fn move_anchor(&mut self, anchor: AnchorId, motion: Motion) -> Result<(), ModelError> {
        if !motion.is_finite() {
            return invalid_value("the position of an anchor must be finite");
        }
        match self.anchors.get_mut(anchor.index()) {
            Some(own) => *own = motion,
            None => return Err(ModelError::UnknownAnchor { anchor }),
        }
        self.versions.forces += 1;
        Ok(())
    }

    /// Adds an element of one particle whose first three rest values are an anchor. The remaining
    /// rest values are the particle's mass where the law has them.
    pub fn add_anchored(
        &mut self,
        law: &LawInfo,
        particle: impl Into<ParticleId>,
        anchor: AnchorId,
        material: &[f64],
    ) -> Result<ElementId, ModelError> {
        let particle = self.check_particle(particle)?;
        let Some(motion) = self.anchors.get(anchor.index()) else {
            return Err(ModelError::UnknownAnchor { anchor });
        };
        let p = motion.at(0.0);
        let rest = [p.x, p.y, p.z, self.masses[particle.index()]];
        let placed = law.corners == 1 && law.rest_values >= 3;
        let Some(rest) = rest.get(..law.rest_values).filter(|_| placed) else {
            return invalid_element(format!("the law {} does not refer to an anchor", law.name));
        };
        self.push_element(law, &[particle.0], Some(rest), material, Some(anchor.0))
    }

    /// Attaches a particle to an anchor by a spring of zero length, `w` in N/m: a pin by penalty, or
    /// a grab.
    pub fn attach(
        &mut self,
        particle: impl Into<ParticleId>,
        anchor: AnchorId,
        w: f64,
    ) -> Result<ElementId, ModelError> {
        self.add_anchored(&crate::laws::info::<Attachment, 1, 3, 1>(), particle, anchor, &[w])
    }

    /// Removes every element that refers to an anchor; later elements of its batch move up.
    pub fn detach(&mut self, anchor: AnchorId) {
        for batch in &mut self.elements {
            batch.remove_anchored(anchor.0);
        }
        self.versions.values += 1;
    }
}
