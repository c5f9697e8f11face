//! Obstacles: what particles do not enter, where it stands at a time, and how a particle leaves it.

mod closed_mesh;
mod pose;
mod shape;
mod surface;

pub use closed_mesh::ClosedMesh;
pub use pose::{Frame, ObstacleMotion};
pub use shape::{Boundary, Shape};
pub use surface::Surface;

use super::{Model, ModelError, ObstacleId, invalid_value};
use crate::math::Vec3;

/// Something particles do not enter.
#[derive(Clone, Debug)]
pub struct Obstacle {
    /// What it looks like, in its own frame.
    pub shape: Shape,
    /// Where it stands and how it is turned.
    pub pose: ObstacleMotion,
    /// How a particle leaves it.
    pub response: Response,
    /// How far from the surface contact begins, δ (m).
    pub thickness: f64,
}

/// How a particle that has entered leaves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Response {
    /// It is set onto the surface and bounces: with the normal and tangential parts of its
    /// relative velocity, `v_N ← −e v_N`, `v_T ← max(1 − μ(1+e)|v_N|/|v_T|, 0) v_T`.
    Bounce {
        /// Restitution e, 0 to 1.
        restitution: f64,
        /// Friction μ ≥ 0.
        friction: f64,
    },
    /// It is set onto the surface and given the velocity of that push: `v ← v + Δx/h`.
    PushOut,
}

impl Obstacle {
    /// The distance (m) to the surface, negative inside, and the direction in which it grows, at
    /// time `t` (s). The thickness is not taken off.
    pub fn distance(&self, x: Vec3, t: f64) -> (f64, Vec3) {
        self.distance_in(&self.pose.at(t), x)
    }

    /// [`Obstacle::distance`] where it stands in `frame`: for many points at one time.
    #[inline]
    pub fn distance_in(&self, frame: &Frame, x: Vec3) -> (f64, Vec3) {
        let (distance, normal) = self.shape.distance(frame.local(x), self.thickness);
        (distance, frame.rotation * normal)
    }

    /// A distance (m) that is not above the one of [`Obstacle::distance_in`]: the same nearby, and
    /// cheap far away, where only that it is far matters.
    #[inline]
    pub fn at_least_in(&self, frame: &Frame, x: Vec3) -> f64 {
        self.shape.at_least(frame.local(x), self.thickness)
    }

    /// Where the point of the obstacle that is at `x` at time `t` was `h` earlier (m).
    pub fn came_from(&self, x: Vec3, t: f64, h: f64) -> Vec3 {
        x - self.moved(x, t, h)
    }

    /// The velocity (m/s) of the point of the obstacle that is at `x` at the end `t` of a step.
    pub fn velocity(&self, x: Vec3, t: f64, h: f64) -> Vec3 {
        self.moved(x, t, h) * (1.0 / h)
    }

    /// The smallest feature (m): what goes less far between two looks does not pass through unseen.
    pub fn size(&self) -> f64 {
        self.shape.size()
    }

    /// How far the point of the obstacle that is at `x` has moved over the step that ends at `t`.
    fn moved(&self, x: Vec3, t: f64, h: f64) -> Vec3 {
        if !self.pose.moves() {
            return Vec3::ZERO;
        }
        let (now, before) = (self.pose.at(t), self.pose.at(t - h));
        let local = now.local(x);
        (now.origin - before.origin) + (now.rotation * local - before.rotation * local)
    }

    /// Whether it can be added to a model, or what is wrong with it.
    pub fn check(&self) -> Result<(), ModelError> {
        self.shape.check()?;
        if !self.pose.is_finite() {
            return invalid_value(format!("the position of {} must be finite", self.shape.name()));
        }
        if !self.thickness.is_finite() || self.thickness < 0.0 {
            return invalid_value(format!("thickness must be ≥ 0 m (got {})", self.thickness));
        }
        if let Shape::Box { half, inside_out: true } = self.shape
            && self.thickness >= half.x.min(half.y).min(half.z)
        {
            return invalid_value("thickness must be less than half a room");
        }
        if let Response::Bounce { restitution, friction } = self.response {
            if !(0.0..=1.0).contains(&restitution) {
                return invalid_value(format!(
                    "restitution must be from 0 to 1 (got {restitution})"
                ));
            }
            if !friction.is_finite() || friction < 0.0 {
                return invalid_value(format!("friction must be ≥ 0 (got {friction})"));
            }
        }
        Ok(())
    }
}

impl Model {
    /// Adds an obstacle for particles.
    pub fn add_obstacle(&mut self, obstacle: Obstacle) -> Result<ObstacleId, ModelError> {
        self.add_obstacles(vec![obstacle]).map(|added| added[0])
    }

    /// Adds many obstacles, or none where one of them is invalid. This is faster than one by one: obstacles are
    /// stored before the rigid bodies, which are shifted once.
    pub fn add_obstacles(
        &mut self,
        obstacles: Vec<Obstacle>,
    ) -> Result<Vec<ObstacleId>, ModelError> {
        obstacles.iter().try_for_each(Obstacle::check)?;
        let before = self.obstacles.len();
        let added = (before..before + obstacles.len()).map(|k| ObstacleId(k as u32)).collect();
        self.solids.splice(before..before, obstacles.iter().cloned());
        self.obstacles.extend(obstacles);
        self.versions.forces += 1;
        Ok(added)
    }

    /// The obstacles.
    pub fn obstacles(&self) -> &[Obstacle] {
        &self.obstacles
    }

    /// How stiffly a particle within an obstacle's thickness is pressed out, κ (N/m), for methods that hold
    /// contact in their solve. `None`: of each particle, so that its own weight settles it by a thousandth of
    /// the thickness, and not less than elements hold it.
    pub fn contact_stiffness(&self) -> Option<f64> {
        self.contact_stiffness
    }

    /// Changes κ (N/m).
    pub fn set_contact_stiffness(&mut self, stiffness: Option<f64>) -> Result<(), ModelError> {
        if let Some(stiffness) = stiffness.filter(|value| !value.is_finite() || *value <= 0.0) {
            return invalid_value(format!(
                "the contact stiffness must be > 0 N/m (got {stiffness})"
            ));
        }
        self.contact_stiffness = stiffness;
        self.versions.forces += 1;
        Ok(())
    }
}
