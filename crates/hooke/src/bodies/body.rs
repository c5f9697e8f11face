//! A rigid body: a shape with a mass, where it starts, and how it moves.

use super::mass::{Mass, Principal};
use crate::math::{Mat3, Point, Quat};
use crate::model::{ClosedMesh, Frame, Invalid, Shape, invalid};
use std::sync::Arc;

/// Where a body is and how it is turned: `x = position + turn · local`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Placement {
    /// The centre of mass (m).
    pub position: Point,
    /// The turn from the body's own axes to those of the world.
    pub turn: Quat,
}

impl Placement {
    /// At a place, not turned.
    pub fn at(position: Point) -> Self {
        Self { position, turn: Quat::IDENTITY }
    }

    /// A place of the body in the world (m).
    #[inline]
    pub fn world(&self, local: Point) -> Point {
        self.position + self.turn.turn(local)
    }

    /// A place of the world in the body's own axes (m).
    #[inline]
    pub fn local(&self, x: Point) -> Point {
        self.turn.inverse().turn(x - self.position)
    }

    /// Another placement as it is seen from this one.
    #[inline]
    pub fn seen(&self, other: &Self) -> Self {
        let turn = self.turn.inverse();
        Self { position: turn.turn(other.position - self.position), turn: turn * other.turn }
    }

    /// As obstacles have it.
    pub fn frame(&self) -> Frame {
        Frame { origin: self.position, turn: self.turn.matrix() }
    }

    /// Whether every number is finite.
    pub fn is_finite(&self) -> bool {
        self.position.is_finite() && self.turn.is_finite()
    }
}

/// How a body moves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Twist {
    /// The velocity of the centre of mass (m/s).
    pub linear: Point,
    /// The angular velocity (rad/s), in the axes of the world.
    pub angular: Point,
}

impl Twist {
    /// The velocity (m/s) of the point at an arm (m) from the centre.
    #[inline]
    pub fn at(&self, arm: Point) -> Point {
        self.linear + self.angular.cross(arm)
    }

    /// Whether every number is finite.
    pub fn is_finite(&self) -> bool {
        self.linear.is_finite() && self.angular.is_finite()
    }
}

/// Where a body is and how it moves: what the state knows of it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Moving {
    /// Where it is.
    pub placement: Placement,
    /// How it moves.
    pub twist: Twist,
}

impl Moving {
    /// Position (m), turn (w, x, y, z), velocity (m/s) and angular velocity (rad/s), one after the other.
    pub fn numbers(&self) -> [f64; 13] {
        let Self { placement: Placement { position: x, turn: q }, twist } = self;
        let Twist { linear: v, angular: a } = twist;
        [x.x, x.y, x.z, q.w, q.v.x, q.v.y, q.v.z, v.x, v.y, v.z, a.x, a.y, a.z]
    }

    /// From what [`Moving::numbers`] gave.
    pub(crate) fn of_numbers(n: &[f64; 13]) -> Self {
        let at = |k: usize| Point::new(n[k], n[k + 1], n[k + 2]);
        let placement = Placement { position: at(0), turn: Quat { w: n[3], v: at(4) } };
        Self { placement, twist: Twist { linear: at(7), angular: at(10) } }
    }

    /// Whether every number is finite.
    pub fn is_finite(&self) -> bool {
        self.placement.is_finite() && self.twist.is_finite()
    }
}

/// A rigid body. Its own axes have their origin at its centre of mass.
#[derive(Clone, Debug)]
pub struct Body {
    /// What it looks like, about its centre of mass.
    pub shape: Shape,
    /// Whether a mesh touches others with its convex hull: fast, and exact for convex ones. Otherwise with
    /// all its triangles; two such bodies then touch with the vertices of each in the other.
    pub hull: bool,
    /// Its mass, with the centre at the origin.
    mass: Mass,
    principal: Principal,
    /// Where it starts, and how it moves there.
    pub start: Moving,
    /// Restitution e, 0 to 1. Of two that touch, the greater counts.
    pub restitution: f64,
    /// Friction μ ≥ 0. Of two that touch, the root of the product counts.
    pub friction: f64,
    /// Rolling friction (m): the torque that resists rolling and spinning is at most this times the normal force. Of two
    /// that touch, the greater counts. Under impulses only.
    pub rolling: f64,
    /// How far from its surface particles touch it (m).
    pub thickness: f64,
}

impl Body {
    /// A solid of a density (kg/m³). A mesh is moved so that its centre of mass is at the origin, and starts
    /// where it was given.
    pub fn solid(shape: Shape, density: f64) -> Result<Self, Invalid> {
        let mut mass = Mass::of_shape(&shape, density)?;
        let (shape, centre) = match shape {
            Shape::Mesh(mesh) => {
                let centre = mass.centre;
                let moved = mesh.vertices().iter().map(|&x| x - centre).collect();
                let mesh = ClosedMesh::new(moved, mesh.triangles().to_vec())?;
                (Shape::Mesh(Arc::new(mesh)), centre)
            }
            other => (other, Point::ZERO),
        };
        mass.centre = Point::ZERO;
        let start = Moving { placement: Placement::at(centre), twist: Twist::default() };
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
        vertices: &[Point],
        triangles: &[[u32; 3]],
        density: f64,
    ) -> Result<Self, Invalid> {
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
    pub fn set_mass(&mut self, mass: f64) -> Result<(), Invalid> {
        let by = mass / self.mass.mass;
        let changed = Mass { mass, centre: Point::ZERO, inertia: self.mass.inertia * by };
        changed.check()?;
        self.mass = changed;
        self.principal = changed.principal();
        Ok(())
    }

    /// Gives it another inertia (kg·m²) about its centre of mass, in its own axes. Of its principal moments none may be greater
    /// than the sum of the others.
    pub fn set_inertia(&mut self, inertia: Mat3) -> Result<(), Invalid> {
        let changed = Mass { inertia, ..self.mass };
        let finite = inertia.0.iter().flatten().all(|value| value.is_finite());
        if !finite || inertia != inertia.transpose() || inertia.cholesky().is_none() {
            return invalid("the inertia of a body must be symmetric, finite and positive");
        }
        let principal = changed.principal();
        let Point { x, y, z } = principal.moments;
        if x > (y + z) * (1.0 + 1e-9) {
            return invalid(format!(
                "no solid has the moments of inertia {x}, {y} and {z} kg·m²: none may be greater than the \
                 sum of the others"
            ));
        }
        (self.mass, self.principal) = (changed, principal);
        Ok(())
    }

    /// The inertia (kg·m²) in the axes of the world.
    pub fn inertia_in(&self, turn: Quat) -> Mat3 {
        let r = turn.matrix();
        r * self.mass.inertia * r.transpose()
    }

    /// The inverse inertia (1/kg·m²) in the axes of the world.
    pub fn inverse_inertia_in(&self, turn: Quat) -> Mat3 {
        let m = self.principal.moments;
        let r = (turn * self.principal.axes).matrix();
        r.scaled_columns(Point::new(1.0 / m.x, 1.0 / m.y, 1.0 / m.z)) * r.transpose()
    }

    /// The kinetic energy (J) of a motion.
    pub fn kinetic(&self, moving: &Moving) -> f64 {
        let Twist { linear, angular } = moving.twist;
        let local = moving.placement.turn.inverse().turn(angular);
        0.5 * (self.mass.mass * linear.norm2() + local.dot(self.mass.inertia * local))
    }

    /// The momentum (kg·m/s) of a motion, and the angular momentum (kg·m²/s) about the origin.
    pub fn momenta(&self, moving: &Moving) -> [Point; 2] {
        let Moving { placement: Placement { position, turn }, twist } = moving;
        let linear = twist.linear * self.mass.mass;
        let spin = turn.turn(self.mass.inertia * turn.inverse().turn(twist.angular));
        [linear, spin + position.cross(linear)]
    }

    /// Whether the rest of the engine can hold it.
    pub(crate) fn check(&self) -> Result<(), Invalid> {
        self.shape.check()?;
        self.mass.check()?;
        if !self.start.is_finite() {
            return invalid("a body must start somewhere finite, with a finite velocity");
        }
        if !(0.0..=1.0).contains(&self.restitution) {
            return invalid(format!("restitution must be from 0 to 1 (got {})", self.restitution));
        }
        for (what, value) in [
            ("friction", self.friction),
            ("rolling friction", self.rolling),
            ("thickness", self.thickness),
        ] {
            if !value.is_finite() || value < 0.0 {
                return invalid(format!("the {what} of a body must be ≥ 0 (got {value})"));
            }
        }
        Ok(())
    }
}
