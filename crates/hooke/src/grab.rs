//! Grabs: springs from anchors that are moved by hand to what they hold.

use crate::math::{Mat3, Vec3};
use crate::model::{AnchorId, Model, ParticleId, RigidBodyId};
use crate::report::BodyImpulse;
use crate::rigid::RigidBodyState;
use crate::rigid::impulse::contact_matrix;

/// What a grab holds, by a spring (N/m) to an anchor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ActiveGrab {
    pub(crate) what: Grip,
    pub(crate) anchor: AnchorId,
    pub(crate) stiffness: f64,
}

/// What the spring of a grab pulls at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Grip {
    /// A particle; the spring is an element of the model.
    Particle(ParticleId),
    /// A rigid body, and where on it (m), in its own axes.
    RigidBody(RigidBodyId, Vec3),
}

impl ActiveGrab {
    /// What the grab does to a rigid body in a step of `h` (s): a spring to its anchor, damped critically, both at the
    /// end of the step, `j = (1 + (h²k + hc) K)⁻¹ h (k (to − x − h v) − c v)`, v with what gravity adds.
    pub(crate) fn impulse(
        &self,
        model: &Model,
        bodies: &[RigidBodyState],
        anchors: &[Vec3],
        h: f64,
    ) -> Option<BodyImpulse> {
        let Grip::RigidBody(index, local) = self.what else { return None };
        let (body, state) = (&model.rigid_bodies()[index.index()], &bodies[index.index()]);
        let (mass, at) = (body.mass().mass, state.pose.world(local));
        let arm = at - state.pose.position;
        let v = state.twist.at(arm) + model.gravity() * h;
        let k = contact_matrix(1.0 / mass, &body.inverse_inertia_in(state.pose.rotation), arm);
        let damping = 2.0 * (self.stiffness * mass).sqrt();
        let system = Mat3::IDENTITY + k * (h * h * self.stiffness + h * damping);
        let stretch = anchors[self.anchor.index()] - at - v * h;
        let impulse = system.inverse() * ((stretch * self.stiffness - v * damping) * h);
        Some(BodyImpulse { body: index.0, at, impulse })
    }

    /// What it is, for a person.
    pub(crate) fn name(&self) -> String {
        match self.what {
            Grip::Particle(particle) => format!("particle {particle}"),
            Grip::RigidBody(body, _) => format!("rigid body {body}"),
        }
    }
}
