//! The shapes of obstacles as signed distances φ, in their own frame with the centre at the origin.

use super::ClosedMesh;
use crate::math::Point;
use crate::model::{Invalid, invalid};
use std::sync::Arc;

/// The shape of an obstacle, in its own frame.
#[derive(Clone, Debug)]
pub enum Shape {
    /// Everything below y = 0.
    HalfSpace,
    /// A box about the origin, or a room: everything outside of a box.
    Box {
        /// Half its size along each axis (m).
        half: Point,
        /// Whether it is a room. The edges between its walls are rounded by the thickness, so that
        /// the push out of two walls is one smooth push.
        inside_out: bool,
    },
    /// A ball about the origin.
    Sphere {
        /// The radius (m).
        radius: f64,
    },
    /// Everything less than a radius away from a piece of the y axis.
    Capsule {
        /// The radius (m).
        radius: f64,
        /// Half the length of the piece (m).
        half_length: f64,
    },
    /// The inside of a closed surface.
    Mesh(Arc<ClosedMesh>),
}

impl Shape {
    /// φ (m) and its gradient, of unit length. Only the inner edges of a room depend on the
    /// thickness (m).
    #[inline]
    pub fn distance(&self, x: Point, thickness: f64) -> (f64, Point) {
        match self {
            Self::HalfSpace => (x.y, Point::AXES[1]),
            Self::Box { half, inside_out: false } => of_box(x, *half),
            Self::Box { half, inside_out: true } => {
                let inner = *half - Point::new(thickness, thickness, thickness);
                let (distance, normal) = of_box(x, inner);
                (thickness - distance, normal * -1.0)
            }
            Self::Sphere { radius } => {
                let (distance, normal) = from_centre(x);
                (distance - radius, normal)
            }
            Self::Capsule { radius, half_length } => {
                let nearest = Point::new(0.0, x.y.clamp(-half_length, *half_length), 0.0);
                let (distance, normal) = match x - nearest {
                    Point::ZERO => (0.0, Point::AXES[0]),
                    arm => from_centre(arm),
                };
                (distance - radius, normal)
            }
            Self::Mesh(mesh) => mesh.distance(x),
        }
    }

    /// A distance (m) that is not above φ, cheap to compute far away.
    #[inline]
    pub fn at_least(&self, x: Point, thickness: f64) -> f64 {
        match self {
            Self::Mesh(mesh) => mesh.at_least(x),
            _ => self.distance(x, thickness).0,
        }
    }

    /// The least thickness (m) of what is solid.
    pub fn size(&self) -> f64 {
        match self {
            Self::HalfSpace | Self::Box { inside_out: true, .. } => f64::INFINITY,
            Self::Box { half, inside_out: false } => 2.0 * half.x.min(half.y).min(half.z),
            Self::Sphere { radius } | Self::Capsule { radius, .. } => 2.0 * radius,
            Self::Mesh(mesh) => mesh.thinnest(),
        }
    }

    /// How far it reaches from its centre (m); a half-space and a room have no end.
    pub fn reach(&self) -> f64 {
        match self {
            Self::HalfSpace | Self::Box { inside_out: true, .. } => f64::INFINITY,
            Self::Box { half, inside_out: false } => half.norm(),
            Self::Sphere { radius } => *radius,
            Self::Capsule { radius, half_length } => radius + half_length,
            Self::Mesh(mesh) => mesh.reach(),
        }
    }

    /// What a sentence calls it.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::HalfSpace => "a half-space",
            Self::Box { inside_out: false, .. } => "a box",
            Self::Box { inside_out: true, .. } => "a room",
            Self::Sphere { .. } => "a sphere",
            Self::Capsule { .. } => "a capsule",
            Self::Mesh(_) => "an obstacle",
        }
    }

    pub(crate) fn check(&self) -> Result<(), Invalid> {
        let name = self.name();
        let above = |what: &str, value: f64| match value.is_finite() && value > 0.0 {
            true => Ok(()),
            false => invalid(format!("the {what} of {name} must be > 0 m (got {value})")),
        };
        match self {
            Self::HalfSpace | Self::Mesh(_) => Ok(()),
            Self::Box { half, .. } => {
                half.to_array().into_iter().try_for_each(|half| above("half size", half))
            }
            Self::Sphere { radius } => above("radius", *radius),
            Self::Capsule { radius, half_length } => {
                above("radius", *radius)?;
                match half_length.is_finite() && *half_length >= 0.0 {
                    true => Ok(()),
                    false => invalid(format!(
                        "the half length of a capsule must be ≥ 0 m (got {half_length})"
                    )),
                }
            }
        }
    }
}

/// The distance from the origin, and the direction.
#[inline]
fn from_centre(x: Point) -> (f64, Point) {
    let distance = x.norm();
    (distance, if distance > 0.0 { x.unit() } else { Point::AXES[1] })
}

/// The signed distance of a box about the origin.
#[inline]
fn of_box(x: Point, half: Point) -> (f64, Point) {
    let beyond = [x.x.abs() - half.x, x.y.abs() - half.y, x.z.abs() - half.z];
    let side = |axis: usize| if x[axis] < 0.0 { -1.0 } else { 1.0 };
    let mut nearest = 0;
    for axis in 1..3 {
        if beyond[axis] > beyond[nearest] {
            nearest = axis;
        }
    }
    let mut normal = Point::ZERO;
    if beyond.iter().filter(|value| **value > 0.0).count() < 2 {
        normal[nearest] = side(nearest);
        return (beyond[nearest], normal);
    }
    for axis in 0..3 {
        normal[axis] = side(axis) * beyond[axis].max(0.0);
    }
    let distance = normal.norm();
    (distance, normal * (1.0 / distance))
}
