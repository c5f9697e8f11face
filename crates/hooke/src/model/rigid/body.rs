//! A rigid body: a shape with a mass, where it starts, and how it moves.

use super::mass::{Mass, Principal};
use crate::math::{Mat3, Quat, Vec3};
use crate::model::{ClosedMesh, Frame, ModelError, Shape, invalid_value};
use std::sync::Arc;

/// Where a body is and how it is turned: `x = position + turn · local`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pose {
    /// The center of mass (m).
    pub position: Vec3,
    /// The turn from the body's own axes to those of the world.
    pub rotation: Quat,
}

impl Pose {
    /// At a position, not rotated.
    pub fn at(position: Vec3) -> Self {
        Self { position, rotation: Quat::IDENTITY }
    }

    /// A point of the body in the world (m).
    #[inline]
    pub fn world(&self, local: Vec3) -> Vec3 {
        self.position + self.rotation.rotate(local)
    }

    /// A point of the world in the body's own axes (m).
    #[inline]
    pub fn local(&self, x: Vec3) -> Vec3 {
        self.rotation.inverse().rotate(x - self.position)
    }

    /// Another placement as it is seen from this one.
    #[inline]
    pub fn seen(&self, other: &Self) -> Self {
        let rotation = self.rotation.inverse();
        Self {
            position: rotation.rotate(other.position - self.position),
            rotation: rotation * other.rotation,
        }
    }

    /// As obstacles have it.
    pub fn frame(&self) -> Frame {
        Frame { origin: self.position, rotation: self.rotation.matrix() }
    }

    /// Whether every number is finite.
    pub fn is_finite(&self) -> bool {
        self.position.is_finite() && self.rotation.is_finite()
    }
}

/// How a body moves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Twist {
    /// The velocity of the center of mass (m/s).
    pub linear: Vec3,
    /// The angular velocity (rad/s), in the axes of the world.
    pub angular: Vec3,
}

impl Twist {
    /// The velocity (m/s) of the point at an arm (m) from the center.
    #[inline]
    pub fn at(&self, arm: Vec3) -> Vec3 {
        self.linear + self.angular.cross(arm)
    }

    /// Whether every number is finite.
    pub fn is_finite(&self) -> bool {
        self.linear.is_finite() && self.angular.is_finite()
    }
}

/// Where a body is and how it moves: what the state knows of it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RigidBodyState {
    /// Where it is.
    pub pose: Pose,
    /// How it moves.
    pub twist: Twist,
}

impl RigidBodyState {
    /// Position (m), turn (w, x, y, z), velocity (m/s) and angular velocity (rad/s), one after the other.
    pub fn numbers(&self) -> [f64; 13] {
        let Self { pose: Pose { position: x, rotation: q }, twist } = self;
        let Twist { linear: v, angular: a } = twist;
        [x.x, x.y, x.z, q.w, q.v.x, q.v.y, q.v.z, v.x, v.y, v.z, a.x, a.y, a.z]
    }

    /// From what [`RigidBodyState::numbers`] gave.
    pub(crate) fn of_numbers(n: &[f64; 13]) -> Self {
        let at = |k: usize| Vec3::new(n[k], n[k + 1], n[k + 2]);
        let pose = Pose { position: at(0), rotation: Quat { w: n[3], v: at(4) } };
        Self { pose, twist: Twist { linear: at(7), angular: at(10) } }
    }

    /// Whether every number is finite.
    pub fn is_finite(&self) -> bool {
        self.pose.is_finite() && self.twist.is_finite()
    }
}

/// A rigid body. Its own axes have their origin at its center of mass.
#[derive(Clone, Debug)]
pub struct RigidBody {
    /// Its shape, about its center of mass.
    pub shape: Shape,
    /// Whether a mesh touches others with its convex hull: fast, and exact for convex ones. Otherwise with
    /// all its triangles; two such bodies then touch with the vertices of each in the other.
    pub hull: bool,
    /// Its mass, with the center at the origin.
    mass: Mass,
    principal: Principal,
    /// Where it starts, and how it moves there.
    pub start: RigidBodyState,
    /// Restitution e, 0 to 1. For two touching bodies, the larger value counts.
    pub restitution: f64,
    /// Friction μ ≥ 0. Of two that touch, the root of the product counts.
    pub friction: f64,
    /// Rolling friction (m): the torque that resists rolling and spinning is at most this times the normal force. Of two
    /// that touch, the greater counts. Under impulses only.
    pub rolling: f64,
    /// How far from its surface particles touch it (m).
    pub thickness: f64,
}

impl RigidBody {
    /// A solid of a density (kg/m³). A mesh is moved so that its center of mass is at the origin, and starts
    /// where it was given.
    pub fn solid(shape: Shape, density: f64) -> Result<Self, ModelError> {
        let mut mass = Mass::of_shape(&shape, density)?;
        let (shape, center) = match shape {
            Shape::Mesh(mesh) => {
                let center = mass.center;
                let moved = mesh.vertices().iter().map(|&x| x - center).collect();
                let mesh = ClosedMesh::new(moved, mesh.triangles().to_vec())?;
                (Shape::Mesh(Arc::new(mesh)), center)
            }
            other => (other, Vec3::ZERO),
        };
        mass.center = Vec3::ZERO;
        let start = RigidBodyState { pose: Pose::at(center), twist: Twist::default() };
        Ok(Self {
            shape,
            hull: true,
            principal: mass.principal(),
            mass,
            start,
            restitution: 0.0,
            friction: 0.5,
            rolling: 0.0,
            thickness: 1e-3,
        })
    }

    /// The inside of a closed mesh of a density (kg/m³), its triangles counter-clockwise seen from outside.
    pub fn of_mesh(
        vertices: &[Vec3],
        triangles: &[[u32; 3]],
        density: f64,
    ) -> Result<Self, ModelError> {
        // For the sentence that speaks of a body.
        Mass::of_mesh(vertices, triangles, density)?;
        let mesh = ClosedMesh::new(vertices.to_vec(), triangles.to_vec())?;
        Self::solid(Shape::Mesh(Arc::new(mesh)), density)
    }

    /// Its mass and inertia.
    pub fn mass(&self) -> &Mass {
        &self.mass
    }

    /// The axes about which it turns without wobbling.
    pub fn principal(&self) -> &Principal {
        &self.principal
    }

    /// Gives it another mass (kg), spread alike.
    pub fn set_mass(&mut self, mass: f64) -> Result<(), ModelError> {
        let by = mass / self.mass.mass;
        let changed = Mass { mass, center: Vec3::ZERO, inertia: self.mass.inertia * by };
        changed.check()?;
        self.mass = changed;
        self.principal = changed.principal();
        Ok(())
    }

    /// Gives it another inertia (kg·m²) about its center of mass, in its own axes. Of its principal moments none may be greater
    /// than the sum of the others.
    pub fn set_inertia(&mut self, inertia: Mat3) -> Result<(), ModelError> {
        let changed = Mass { inertia, ..self.mass };
        let finite = inertia.0.iter().flatten().all(|value| value.is_finite());
        if !finite || inertia != inertia.transpose() || inertia.cholesky().is_none() {
            return invalid_value("the inertia of a body must be symmetric, finite and positive");
        }
        let principal = changed.principal();
        let Vec3 { x, y, z } = principal.moments;
        if x > (y + z) * (1.0 + 1e-9) {
            return invalid_value(format!(
                "no solid has the moments of inertia {x}, {y} and {z} kg·m²: none may be greater than the \
                 sum of the others"
            ));
        }
        (self.mass, self.principal) = (changed, principal);
        Ok(())
    }

    /// The inertia (kg·m²) in the axes of the world.
    pub fn inertia_in(&self, rotation: Quat) -> Mat3 {
        let r = rotation.matrix();
        r * self.mass.inertia * r.transpose()
    }

    /// The inverse inertia (1/kg·m²) in the axes of the world.
    pub fn inverse_inertia_in(&self, rotation: Quat) -> Mat3 {
        let m = self.principal.moments;
        let r = (rotation * self.principal.axes).matrix();
        r.scaled_columns(Vec3::new(1.0 / m.x, 1.0 / m.y, 1.0 / m.z)) * r.transpose()
    }

    /// The kinetic energy (J) of a motion.
    pub fn kinetic(&self, moving: &RigidBodyState) -> f64 {
        let Twist { linear, angular } = moving.twist;
        let local = moving.pose.rotation.inverse().rotate(angular);
        0.5 * (self.mass.mass * linear.norm2() + local.dot(self.mass.inertia * local))
    }

    /// The momentum (kg·m/s) of a motion, and the angular momentum (kg·m²/s) about the origin.
    pub fn momenta(&self, moving: &RigidBodyState) -> [Vec3; 2] {
        let RigidBodyState { pose: Pose { position, rotation }, twist } = moving;
        let linear = twist.linear * self.mass.mass;
        let spin = rotation.rotate(self.mass.inertia * rotation.inverse().rotate(twist.angular));
        [linear, spin + position.cross(linear)]
    }

    /// Whether the rest of the engine can hold it.
    pub(crate) fn check(&self) -> Result<(), ModelError> {
        self.shape.check()?;
        self.mass.check()?;
        if !self.start.is_finite() {
            return invalid_value("the initial pose and velocity of a rigid body must be finite");
        }
        if !(0.0..=1.0).contains(&self.restitution) {
            return invalid_value(format!(
                "restitution must be from 0 to 1 (got {})",
                self.restitution
            ));
        }
        for (what, value) in [
            ("friction", self.friction),
            ("rolling friction", self.rolling),
            ("thickness", self.thickness),
        ] {
            if !value.is_finite() || value < 0.0 {
                return invalid_value(format!("the {what} of a body must be ≥ 0 (got {value})"));
            }
        }
        Ok(())
    }
}
