//! The shapes of obstacles and rigid bodies, in their own frame with the center at the origin: signed
//! distance φ, size, mass, points and triangles. All that is known of a shape stands here.

use super::ClosedMesh;
use super::surface::{self, Surface};
use crate::math::{Mat3, Vec3};
use crate::model::rigid::Mass;
use crate::model::{ModelError, invalid_value};
use std::f64::consts::PI;
use std::sync::Arc;

/// The shape of an obstacle or a rigid body, in its own frame.
#[derive(Clone, Debug)]
pub enum Shape {
    /// Everything below y = 0.
    HalfSpace,
    /// A box about the origin, or a room: everything outside of a box.
    Box {
        /// Half its size along each axis (m).
        half: Vec3,
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

/// What a shape looks like: what is drawn, and by what.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Boundary {
    /// A plane without end.
    HalfSpace,
    /// The walls of a room.
    Room {
        /// Half its size along each axis (m).
        half: Vec3,
    },
    /// Everything less than a radius away from a piece of the y axis, or from the origin.
    Round {
        /// The radius (m).
        radius: f64,
        /// Half the length of the piece (m), 0 for a ball.
        half_length: f64,
    },
    /// The triangles of [`Shape::surface`].
    Faces,
}

impl Shape {
    /// φ (m) and its gradient, of unit length. Only the inner edges of a room depend on the
    /// thickness (m).
    #[inline]
    pub fn distance(&self, x: Vec3, thickness: f64) -> (f64, Vec3) {
        match self {
            Self::HalfSpace => (x.y, Vec3::AXES[1]),
            Self::Box { half, inside_out: false } => of_box(x, *half),
            Self::Box { half, inside_out: true } => {
                let inner = *half - Vec3::new(thickness, thickness, thickness);
                let (distance, normal) = of_box(x, inner);
                (thickness - distance, normal * -1.0)
            }
            Self::Sphere { radius } => {
                let (distance, normal) = from_center(x);
                (distance - radius, normal)
            }
            Self::Capsule { radius, half_length } => {
                let nearest = Vec3::new(0.0, x.y.clamp(-half_length, *half_length), 0.0);
                let (distance, normal) = match x - nearest {
                    Vec3::ZERO => (0.0, Vec3::AXES[0]),
                    arm => from_center(arm),
                };
                (distance - radius, normal)
            }
            Self::Mesh(mesh) => mesh.distance(x),
        }
    }

    /// A distance (m) that is not above φ, cheap to compute far away.
    #[inline]
    pub fn at_least(&self, x: Vec3, thickness: f64) -> f64 {
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

    /// How far it reaches from its center (m); a half-space and a room have no end.
    pub fn reach(&self) -> f64 {
        match self {
            Self::HalfSpace | Self::Box { inside_out: true, .. } => f64::INFINITY,
            Self::Box { half, inside_out: false } => half.norm(),
            Self::Sphere { radius } => *radius,
            Self::Capsule { radius, half_length } => radius + half_length,
            Self::Mesh(mesh) => mesh.reach(),
        }
    }

    /// What it looks like.
    pub fn boundary(&self) -> Boundary {
        match self {
            Self::HalfSpace => Boundary::HalfSpace,
            Self::Box { half, inside_out: true } => Boundary::Room { half: *half },
            Self::Sphere { radius } => Boundary::Round { radius: *radius, half_length: 0.0 },
            Self::Capsule { radius, half_length } => {
                Boundary::Round { radius: *radius, half_length: *half_length }
            }
            Self::Box { inside_out: false, .. } | Self::Mesh(_) => Boundary::Faces,
        }
    }

    /// Its surface; none of what has no end.
    pub fn surface(&self) -> Surface {
        match self {
            Self::HalfSpace | Self::Box { inside_out: true, .. } => Surface::default(),
            Self::Box { half, inside_out: false } => surface::cuboid(*half),
            Self::Sphere { radius } => surface::ball(*radius),
            Self::Capsule { radius, half_length } => surface::bar(*radius, *half_length),
            Self::Mesh(mesh) => Surface {
                vertices: mesh.vertices().to_vec(),
                triangles: mesh.triangles().to_vec(),
                dark: Vec::new(),
            },
        }
    }

    /// Some points on its surface that stand for all of it; none of what has no end.
    pub(crate) fn points(&self) -> Vec<Vec3> {
        match self {
            Self::Mesh(mesh) => mesh.vertices().to_vec(),
            Self::Sphere { radius } => surface::points_of_ball(*radius).collect(),
            Self::Capsule { radius, half_length } => surface::points_of_ball(*radius)
                .flat_map(|x| {
                    let up = Vec3::AXES[1] * *half_length;
                    [x + up, x - up]
                })
                .collect(),
            Self::Box { half, .. } => (0..8)
                .map(|k| {
                    let side = |bit: u32| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
                    half.times(Vec3::new(side(0), side(1), side(2)))
                })
                .collect(),
            Self::HalfSpace => Vec::new(),
        }
    }

    /// Its mass at a density (kg/m³); `None` of what has no end.
    pub(crate) fn mass(&self, density: f64) -> Option<Result<Mass, ModelError>> {
        let diagonal = |mass: f64, [x, y, z]: [f64; 3]| Mass {
            mass,
            center: Vec3::ZERO,
            inertia: Mat3([[x, 0.0, 0.0], [0.0, y, 0.0], [0.0, 0.0, z]]),
        };
        Some(Ok(match self {
            Self::HalfSpace | Self::Box { inside_out: true, .. } => return None,
            Self::Box { half, inside_out: false } => {
                let mass = density * 8.0 * half.x * half.y * half.z;
                let [x, y, z] = half.to_array().map(|half| mass / 3.0 * half * half);
                diagonal(mass, [y + z, x + z, x + y])
            }
            Self::Sphere { radius } => {
                let mass = density * 4.0 / 3.0 * PI * radius * radius * radius;
                diagonal(mass, [0.4 * mass * radius * radius; 3])
            }
            Self::Capsule { radius: r, half_length: l } => {
                // A cylinder and two half balls, whose own centers are 3r/8 beyond its ends.
                let cylinder = density * PI * r * r * 2.0 * l;
                let ball = density * 4.0 / 3.0 * PI * r * r * r;
                let along = 0.5 * cylinder * r * r + 0.4 * ball * r * r;
                let across = cylinder * (0.25 * r * r + l * l / 3.0)
                    + ball * (0.4 * r * r + l * l + 0.75 * l * r);
                diagonal(cylinder + ball, [across, along, across])
            }
            Self::Mesh(mesh) => {
                return Some(Mass::of_mesh(mesh.vertices(), mesh.triangles(), density));
            }
        }))
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

    pub(crate) fn check(&self) -> Result<(), ModelError> {
        let name = self.name();
        let above = |what: &str, value: f64| match value.is_finite() && value > 0.0 {
            true => Ok(()),
            false => invalid_value(format!("the {what} of {name} must be > 0 m (got {value})")),
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
                    false => invalid_value(format!(
                        "the half length of a capsule must be ≥ 0 m (got {half_length})"
                    )),
                }
            }
        }
    }
}

/// The distance from the origin, and the direction.
#[inline]
fn from_center(x: Vec3) -> (f64, Vec3) {
    let distance = x.norm();
    (distance, if distance > 0.0 { x.unit() } else { Vec3::AXES[1] })
}

/// The signed distance of a box about the origin.
#[inline]
fn of_box(x: Vec3, half: Vec3) -> (f64, Vec3) {
    let beyond = [x.x.abs() - half.x, x.y.abs() - half.y, x.z.abs() - half.z];
    let side = |axis: usize| if x[axis] < 0.0 { -1.0 } else { 1.0 };
    let mut nearest = 0;
    for axis in 1..3 {
        if beyond[axis] > beyond[nearest] {
            nearest = axis;
        }
    }
    let mut normal = Vec3::ZERO;
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
