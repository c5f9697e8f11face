//! Rigid bodies and joints of a model, and how particles see them.

use super::{ElementId, Invalid, Model, Motion, Obstacle, Pose, Response, invalid};
use crate::bodies::{Body, Joint};
use crate::math::Point;

/// A particle that is attached to a body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tether {
    pub(crate) particle: u32,
    pub(crate) body: u32,
    /// Where on the body (m), in its own axes.
    pub(crate) local: Point,
    /// The place that follows the body, and the spring to it.
    pub(crate) place: u32,
    element: ElementId,
    group: usize,
    /// The stiffness that was asked for, and the one the spring has (N/m).
    stiffness: f64,
    pub(crate) taken: f64,
}

impl Model {
    /// Adds a rigid body; returns its index.
    pub fn add_body(&mut self, body: Body) -> Result<u32, Invalid> {
        body.check()?;
        if self.bodies.len() >= i32::MAX as usize {
            return invalid("a model holds at most 2147483647 bodies");
        }
        self.solids.push(Obstacle {
            shape: body.shape.clone(),
            pose: Pose::still(body.start.placement.position),
            response: Response::Bounce { restitution: body.restitution, friction: body.friction },
            thickness: body.thickness,
        });
        self.bodies.push(body);
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

    /// Attaches a particle to a body where both start, by a spring of zero length and a stiffness (N/m). The spring
    /// is softened to what the mass of the body allows in a step: `1/(1/k + h²/m)` for one at its centre.
    pub fn attach_to_body(
        &mut self,
        particle: u32,
        body: u32,
        stiffness: f64,
    ) -> Result<(), Invalid> {
        self.check_particle(particle)?;
        let Some(start) = self.bodies.get(body as usize).map(|body| body.start.placement) else {
            let count = self.bodies.len();
            return invalid(format!("there is no body {body}: the model has {count} bodies"));
        };
        let at = self.rest[particle as usize];
        let place = self.add_place(Motion::still(at))?;
        // A little apart from all others, so that its material is its own.
        let taken = stiffness * (1.0 - 1e-12 * (1.0 + self.tethers.len() as f64));
        let element = self.attach(particle, place, taken)?;
        let group = self.elements[element.batch].view(element.index).group;
        let local = start.local(at);
        self.tethers.push(Tether {
            particle,
            body,
            local,
            place,
            element,
            group,
            stiffness,
            taken,
        });
        Ok(())
    }

    pub(crate) fn tethers(&self) -> &[Tether] {
        &self.tethers
    }

    /// Softens what holds on to bodies for steps of `h` (s), as contacts with bodies are.
    pub(crate) fn soften_tethers(&mut self, h: f64) {
        let size = |tether: &Tether| {
            let body = &self.bodies[tether.body as usize];
            (1.0 / body.mass().mass + tether.local.norm2() / body.principal().moments.z).sqrt()
        };
        let mut sums = vec![0.0; self.bodies.len()];
        self.tethers.iter().for_each(|tether| sums[tether.body as usize] += size(tether));
        let gives: Vec<f64> = self
            .tethers
            .iter()
            .map(|tether| h * h * size(tether) * sums[tether.body as usize])
            .collect();
        for (k, gives) in gives.into_iter().enumerate() {
            let Tether { element, group, stiffness, taken, .. } = self.tethers[k];
            let soft = 1.0 / (1.0 / stiffness + gives);
            if soft != taken && self.set_material(element.batch, group, &[soft]).is_ok() {
                self.tethers[k].taken = soft;
            }
        }
    }

    /// What particles do not enter: the obstacles, then the bodies, whose places are in the state.
    pub(crate) fn solids(&self) -> &[Obstacle] {
        &self.solids
    }
}
