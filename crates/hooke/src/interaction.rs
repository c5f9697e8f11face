//! What game code calls: steps under a varying frame rate, picking, grabbing.

use crate::chains::Carried;
use crate::grab::{ActiveGrab, Grip};
use crate::math::Vec3;
use crate::model::{AnchorId, ModelError, Motion, ParticleId, RigidBodyId, invalid_value};
use crate::simulation::{Simulation, StepError};

/// Something held by [`Simulation::grab`] or [`Simulation::grab_body`], until [`Simulation::release`].
#[derive(Debug, PartialEq, Eq)]
pub struct Grab {
    anchor: AnchorId,
    /// Whether the anchor is the goal of a chain, which stays when it is let go.
    goal: bool,
}

/// What a ray met first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pick {
    /// The nearest particle to where the ray met the surface, or passed.
    pub particle: ParticleId,
    /// How far along the ray (m).
    pub distance: f64,
    /// Where.
    pub point: Vec3,
}

impl Simulation {
    /// Steps as often as `seconds` of a frame ask for (at most `most` times, dropping the rest),
    /// and keeps the remainder for [`Simulation::interpolated`]. Returns the steps taken.
    pub fn advance(&mut self, seconds: f64, most: u32) -> Result<u32, StepError> {
        let h = self.step_length();
        let mut remainder = self.frame_remainder + seconds.max(0.0);
        let mut taken = 0;
        self.frame_remainder = 0.0;
        while remainder >= h && taken < most {
            self.step()?;
            remainder -= h;
            taken += 1;
        }
        self.frame_remainder = remainder.min(h);
        Ok(taken)
    }

    /// A particle's position (m) at the moment [`Simulation::advance`] reached, between the last
    /// two steps.
    pub fn interpolated(&self, particle: impl Into<ParticleId>) -> Option<Vec3> {
        let particle = particle.into().index();
        let now = *self.state().positions.get(particle)?;
        let before = *self.before.positions.get(particle)?;
        Some(before.lerp(now, self.frame_remainder / self.step_length()))
    }

    /// What a ray meets first: a triangle of the surface, or where there is none the particle it
    /// passes within `radius` (m).
    pub fn pick(&self, origin: Vec3, direction: Vec3, radius: f64) -> Option<Pick> {
        let direction = direction.unit();
        let x = &self.state().positions;
        let mut best: Option<Pick> = None;
        for triangle in self.model().triangles() {
            let [Some(&a), Some(&b), Some(&c)] = triangle.map(|corner| x.get(corner as usize))
            else {
                continue;
            };
            let Some(distance) = intersect(origin, direction, [a, b, c]) else { continue };
            if best.is_some_and(|pick| pick.distance <= distance) {
                continue;
            }
            let point = origin + direction * distance;
            let near = [a, b, c].map(|corner| (corner - point).norm2());
            let nearest = (0..3).min_by(|&i, &j| near[i].total_cmp(&near[j])).unwrap_or(0);
            best = Some(Pick { particle: ParticleId(triangle[nearest]), distance, point });
        }
        if best.is_some() {
            return best;
        }
        for (i, &at) in x.iter().enumerate() {
            let distance = (at - origin).dot(direction);
            let passes = (at - origin - direction * distance).norm() <= radius;
            if passes && distance >= 0.0 && best.is_none_or(|pick| distance < pick.distance) {
                best = Some(Pick { particle: ParticleId(i as u32), distance, point: at });
            }
        }
        best
    }

    /// Holds a particle by a spring of `stiffness` (N/m) to an anchor that starts where it is. A joint of a
    /// chain is held by its goal instead, or the last goal of its chain: the chain follows, and the goal
    /// then stays where it is let go.
    pub fn grab(
        &mut self,
        particle: impl Into<ParticleId>,
        stiffness: f64,
    ) -> Result<Grab, ModelError> {
        let particle = particle.into();
        let Some(&at) = self.state().positions.get(particle.index()) else {
            let count = self.state().positions.len();
            return Err(ModelError::UnknownParticle { particle, count });
        };
        if let Some(anchor) = self.goal_of(particle) {
            self.model_mut().move_anchor(anchor, Motion::still(at))?;
            self.control_mut().reset_anchor(anchor, at);
            return Ok(Grab { anchor, goal: true });
        }
        let anchor = self.take_anchor(at)?;
        if let Err(invalid) = self.model_mut().attach(particle, anchor, stiffness) {
            self.free_anchors.push(anchor);
            return Err(invalid);
        }
        self.grabs.push(ActiveGrab { what: Grip::Particle(particle), anchor, stiffness });
        Ok(Grab { anchor, goal: false })
    }

    /// Holds a rigid body at its point that is at `at` (m) in the world, by a damped spring of `stiffness` (N/m) to an
    /// anchor that starts there.
    pub fn grab_body(
        &mut self,
        body: RigidBodyId,
        at: Vec3,
        stiffness: f64,
    ) -> Result<Grab, ModelError> {
        let Some(state) = self.state().rigid_bodies.get(body.index()) else {
            let count = self.state().rigid_bodies.len();
            return Err(ModelError::UnknownRigidBody { body, count });
        };
        if !at.is_finite() || !stiffness.is_finite() || stiffness <= 0.0 {
            return invalid_value("a grab needs a finite point and a finite stiffness > 0 N/m");
        }
        let local = state.pose.local(at);
        let anchor = self.take_anchor(at)?;
        self.grabs.push(ActiveGrab { what: Grip::RigidBody(body, local), anchor, stiffness });
        Ok(Grab { anchor, goal: false })
    }

    /// Sends a grab's anchor to a position (m) by the end of the next step.
    pub fn move_grab(&mut self, grab: &Grab, to: Vec3) -> Result<(), ModelError> {
        self.control_mut().set_anchor(grab.anchor, to)
    }

    /// Lets go.
    pub fn release(&mut self, grab: Grab) {
        if grab.goal {
            return;
        }
        self.grabs.retain(|active| active.anchor != grab.anchor);
        self.model_mut().detach(grab.anchor);
        self.free_anchors.push(grab.anchor);
    }
}

impl Simulation {
    /// An anchor at a position (m): one that a grab has left, or a new one.
    fn take_anchor(&mut self, at: Vec3) -> Result<AnchorId, ModelError> {
        let anchor = match self.free_anchors.pop() {
            Some(anchor) => anchor,
            None => self.model_mut().add_anchor(Motion::still(at))?,
        };
        self.control_mut().reset_anchor(anchor, at);
        Ok(anchor)
    }

    /// The anchor that a joint's particle follows.
    fn goal_of(&self, particle: ParticleId) -> Option<AnchorId> {
        self.model().chains().iter().find_map(|rig| {
            let joint =
                |carried: &&Carried| carried.particle == particle && carried.offset == Vec3::ZERO;
            let joint = rig.carried.iter().find(joint)?.joint;
            let own = rig.goals.iter().find(|goal| goal.joint == joint);
            own.or(rig.goals.last()).map(|goal| goal.anchor)
        })
    }
}

/// How far along a ray a triangle lies (Möller & Trumbore 1997), from either side.
fn intersect(origin: Vec3, direction: Vec3, [a, b, c]: [Vec3; 3]) -> Option<f64> {
    let (e1, e2) = (b - a, c - a);
    let p = direction.cross(e2);
    let det = e1.dot(p);
    if det == 0.0 {
        return None;
    }
    let s = origin - a;
    let u = s.dot(p) / det;
    let q = s.cross(e1);
    let v = direction.dot(q) / det;
    let t = e2.dot(q) / det;
    (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && t >= 0.0).then_some(t)
}
