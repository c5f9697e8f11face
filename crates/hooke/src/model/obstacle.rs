//! Obstacles for particles, and how a particle leaves them.

use super::{Invalid, Motion, invalid};
use crate::math::Point;

/// Something particles do not enter.
#[derive(Clone, Debug)]
pub struct Obstacle {
    /// What it looks like.
    pub shape: Shape,
    /// How a particle leaves it.
    pub response: Response,
}

/// The shape of an obstacle, as a signed distance.
#[derive(Clone, Debug)]
pub enum Shape {
    /// Everything behind the plane through `point` with outward normal `normal`.
    HalfSpace {
        /// A point on the plane (m).
        point: Point,
        /// The direction out of the obstacle.
        normal: Point,
    },
    /// A ball.
    Sphere {
        /// The centre (m).
        centre: Motion,
        /// The radius (m).
        radius: f64,
    },
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
    /// The distance (m) to the surface, negative inside, and the direction out, at time `t`.
    pub fn distance(&self, x: Point, t: f64) -> (f64, Point) {
        match &self.shape {
            Shape::HalfSpace { point, normal } => {
                let n = normal.unit();
                ((x - *point).dot(n), n)
            }
            Shape::Sphere { centre, radius } => {
                let out = x - centre.at(t);
                let distance = out.norm();
                let n = if distance > 0.0 { out.unit() } else { Point::AXES[1] };
                (distance - radius, n)
            }
        }
    }

    /// The velocity (m/s) of the obstacle over the step that ends at `t`.
    pub fn velocity(&self, t: f64, h: f64) -> Point {
        match &self.shape {
            Shape::Sphere { centre, .. } if centre.moves() => {
                (centre.at(t) - centre.at(t - h)) * (1.0 / h)
            }
            _ => Point::ZERO,
        }
    }

    pub(super) fn check(&self) -> Result<(), Invalid> {
        match &self.shape {
            Shape::HalfSpace { point, normal } => {
                if !point.is_finite() || !normal.is_finite() || normal.norm() == 0.0 {
                    return invalid(
                        "a half-space needs a finite point and a normal that is not zero",
                    );
                }
            }
            Shape::Sphere { centre, radius } => {
                if !centre.is_finite() {
                    return invalid("the centre of a sphere must be somewhere finite");
                }
                if !radius.is_finite() || *radius <= 0.0 {
                    return invalid(format!("the radius of a sphere must be > 0 m (got {radius})"));
                }
            }
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
