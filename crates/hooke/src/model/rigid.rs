//! Rigid bodies and joints of a model, and how particles see them.

use super::{Invalid, Model, Obstacle, Pose, Response, invalid};
use crate::bodies::{Body, Joint};

impl Model {
    /// Adds a rigid body; returns its index.
    pub fn add_body(&mut self, body: Body) -> Result<u32, Invalid> {
        body.check()?;
        if self.bodies.len() >= u32::MAX as usize {
            return invalid("a model holds at most 4294967295 bodies");
        }
        self.bodies.push(body);
        self.gather_solids();
        self.versions.forces += 1;
        Ok((self.bodies.len() - 1) as u32)
    }

    /// The rigid bodies.
    pub fn bodies(&self) -> &[Body] {
        &self.bodies
    }

    /// Joins two bodies, or a body and the world; returns the index of the joint.
    pub fn add_joint(&mut self, joint: Joint) -> Result<u32, Invalid> {
        joint.check(self.bodies.len())?;
        self.joints.push(joint);
        self.versions.forces += 1;
        Ok((self.joints.len() - 1) as u32)
    }

    /// The joints.
    pub fn joints(&self) -> &[Joint] {
        &self.joints
    }

    /// What particles do not enter: the obstacles, then the bodies, whose places are in the state.
    pub(crate) fn solids(&self) -> &[Obstacle] {
        &self.solids
    }

    pub(super) fn gather_solids(&mut self) {
        self.solids.clear();
        self.solids.extend_from_slice(&self.obstacles);
        self.solids.extend(self.bodies.iter().map(|body| Obstacle {
            shape: body.shape.clone(),
            pose: Pose::still(body.start.placement.position),
            response: Response::Bounce {
                restitution: body.restitution,
                friction: body.friction,
            },
            thickness: body.thickness,
        }));
    }
}
