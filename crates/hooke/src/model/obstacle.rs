//! Obstacles: what particles do not enter, where it stands at a time, and how a particle leaves it.

mod closed_mesh;
mod pose;
mod shape;

pub use closed_mesh::ClosedMesh;
pub use pose::{Frame, Pose};
pub use shape::Shape;

use super::{Invalid, invalid};
use crate::math::Point;

/// Something particles do not enter.
#[derive(Clone, Debug)]
pub struct Obstacle {
    /// What it looks like, in its own frame.
    pub shape: Shape,
    /// Where it stands and how it is turned.
    pub pose: Pose,
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
    pub fn distance(&self, x: Point, t: f64) -> (f64, Point) {
        self.distance_in(&self.pose.at(t), x)
    }

    /// [`Obstacle::distance`] where it stands in `frame`: for many points at one time.
    #[inline]
    pub fn distance_in(&self, frame: &Frame, x: Point) -> (f64, Point) {
        let (distance, normal) = self.shape.distance(frame.local(x), self.thickness);
        (distance, frame.turn * normal)
    }

    /// A distance (m) that is not above the one of [`Obstacle::distance_in`]: the same nearby, and
    /// cheap far away, where only that it is far matters.
    #[inline]
    pub fn at_least_in(&self, frame: &Frame, x: Point) -> f64 {
        self.shape.at_least(frame.local(x), self.thickness)
    }

    /// Where the point of the obstacle that is at `x` at time `t` was `h` earlier (m).
    pub fn came_from(&self, x: Point, t: f64, h: f64) -> Point {
        x - self.moved(x, t, h)
    }

    /// The velocity (m/s) of the point of the obstacle that is at `x` at the end `t` of a step.
    pub fn velocity(&self, x: Point, t: f64, h: f64) -> Point {
        self.moved(x, t, h) * (1.0 / h)
    }

    /// The smallest feature (m): what goes less far between two looks does not pass through unseen.
    pub fn size(&self) -> f64 {
        self.shape.size()
    }

    /// How far the point of the obstacle that is at `x` has moved over the step that ends at `t`.
    fn moved(&self, x: Point, t: f64, h: f64) -> Point {
        if !self.pose.moves() {
            return Point::ZERO;
        }
        let (now, before) = (self.pose.at(t), self.pose.at(t - h));
        let local = now.local(x);
        (now.origin - before.origin) + (now.turn * local - before.turn * local)
    }

    /// Whether it can be added to a model, or what is wrong with it.
    pub fn check(&self) -> Result<(), Invalid> {
        self.shape.check()?;
        if !self.pose.is_finite() {
            return invalid(format!("{} must be somewhere finite", self.shape.name()));
        }
        if !self.thickness.is_finite() || self.thickness < 0.0 {
            return invalid(format!("thickness must be ≥ 0 m (got {})", self.thickness));
        }
        if let Shape::Box { half, inside_out: true } = self.shape
            && self.thickness >= half.x.min(half.y).min(half.z)
        {
            return invalid("thickness must be less than half a room");
        }
        if let Response::Bounce { restitution, friction } = self.response {
            if !(0.0..=1.0).contains(&restitution) {
                return invalid(format!("restitution must be from 0 to 1 (got {restitution})"));
            }
            if !friction.is_finite() || friction < 0.0 {
                return invalid(format!("friction must be ≥ 0 (got {friction})"));
            }
        }
        Ok(())
    }
}
