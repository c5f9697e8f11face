//! Rigid bodies and joints of a model, and how particles see them.

mod body;
mod joint;
mod mass;

pub use body::{Pose, RigidBody, RigidBodyState, Twist};
pub use joint::{Joint, JointKind};
pub use mass::{Mass, Principal};

use super::{
    ElementId, JointId, MaterialId, Model, ModelError, Motion, Obstacle, ObstacleMotion,
    ParticleId, Response, RigidBodyId, too_many,
};
use crate::math::Vec3;

/// A particle that is attached to a body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tether {
    pub(crate) particle: u32,
    pub(crate) body: u32,
    /// Where on the body (m), in its own axes.
    pub(crate) local: Vec3,
    /// The anchor that follows the body, and the spring to it.
    pub(crate) anchor: u32,
    material: MaterialId,
    /// The stiffness that was asked for, and the one the spring has (N/m).
    stiffness: f64,
    pub(crate) taken: f64,
}

impl Model {
    /// Adds a rigid body.
    pub fn add_rigid_body(&mut self, body: RigidBody) -> Result<RigidBodyId, ModelError> {
        body.check()?;
        if self.rigid_bodies.len() >= i32::MAX as usize {
            return too_many("a model holds at most 2147483647 rigid bodies");
        }
        self.solids.push(Obstacle {
            shape: body.shape.clone(),
            pose: ObstacleMotion::still(body.start.pose.position),
            response: Response::Bounce { restitution: body.restitution, friction: body.friction },
            thickness: body.thickness,
        });
        self.rigid_bodies.push(body);
        self.versions.forces += 1;
        Ok(RigidBodyId((self.rigid_bodies.len() - 1) as u32))
    }

    /// The rigid bodies.
    pub fn rigid_bodies(&self) -> &[RigidBody] {
        &self.rigid_bodies
    }

    /// Joins two bodies, or a body and the world.
    pub fn add_joint(&mut self, joint: Joint) -> Result<JointId, ModelError> {
        joint.check(self.rigid_bodies.len())?;
        self.joints.push(joint);
        self.versions.forces += 1;
        Ok(JointId((self.joints.len() - 1) as u32))
    }

    /// The joints.
    pub fn joints(&self) -> &[Joint] {
        &self.joints
    }

    /// Attaches a particle to a body where both start, by a spring of zero length and a stiffness (N/m). The spring
    /// is softened to what the mass of the body allows in a step: `1/(1/k + h²/m)` for one at its center.
    pub fn attach_to_body(
        &mut self,
        particle: impl Into<ParticleId>,
        body: RigidBodyId,
        stiffness: f64,
    ) -> Result<(), ModelError> {
        let particle = self.check_particle(particle)?;
        let Some(start) = self.rigid_bodies.get(body.index()).map(|body| body.start.pose) else {
            let count = self.rigid_bodies.len();
            return Err(ModelError::UnknownRigidBody { body, count });
        };
        let at = self.rest[particle.index()];
        let anchor = self.add_anchor(Motion::still(at))?;
        // A little apart from all others, so that its material is its own.
        let taken = stiffness * (1.0 - 1e-12 * (1.0 + self.tethers.len() as f64));
        let element = self.attach(particle, anchor, taken)?;
        let ElementId { batch, index } = element;
        let material = MaterialId { batch, group: self.elements[batch].view(index).group };
        let local = start.local(at);
        self.tethers.push(Tether {
            particle: particle.0,
            body: body.0,
            local,
            anchor: anchor.0,
            material,
            stiffness,
            taken,
        });
        Ok(())
    }

    pub(crate) fn tethers(&self) -> &[Tether] {
        &self.tethers
    }

    /// Softens the attachments to bodies for steps of `h` (s), as contacts with bodies are softened.
    pub(crate) fn soften_tethers(&mut self, h: f64) {
        let size = |tether: &Tether| {
            let body = &self.rigid_bodies[tether.body as usize];
            (1.0 / body.mass().mass + tether.local.norm2() / body.principal().moments.z).sqrt()
        };
        let mut sums = vec![0.0; self.rigid_bodies.len()];
        self.tethers.iter().for_each(|tether| sums[tether.body as usize] += size(tether));
        let gives: Vec<f64> = self
            .tethers
            .iter()
            .map(|tether| h * h * size(tether) * sums[tether.body as usize])
            .collect();
        for (k, gives) in gives.into_iter().enumerate() {
            let Tether { material, stiffness, taken, .. } = self.tethers[k];
            let soft = 1.0 / (1.0 / stiffness + gives);
            if soft != taken && self.set_material(material, &[soft]).is_ok() {
                self.tethers[k].taken = soft;
            }
        }
    }

    /// What particles do not enter: the obstacles, then the bodies, whose positions are in the state.
    pub(crate) fn solids(&self) -> &[Obstacle] {
        &self.solids
    }
}
