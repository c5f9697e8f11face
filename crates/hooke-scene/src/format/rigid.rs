//! Rigid bodies: shapes with a mass that move as a whole, joints between them, and how they are stepped.

use super::{Rotation, Shape, Spin, Vertices};
use crate::field::{Bounds, above, at_least, between, of, table};
use crate::limits::FRICTION;
use hooke::Vec3;
use hooke::laws::{Attachment, Law};

table! {
    /// Copies of the body: a stack, a row, a wall or a pile.
    pub struct Repeat as "repeat" {
        /// Number of copies along x, y and z.
        count: [u32; 3], within between(1.0, 1000.0), eg "[1, 10, 1]";
        /// Distance between copies along x, y and z.
        step: Vec3, unit "m", or "[0, 0, 0]";
        /// Displacement of every other layer (along y): the bond of a wall.
        shift: Vec3, unit "m", or "[0, 0, 0]";
        /// Largest random displacement along each axis, to break symmetry.
        noise: f64, unit "m", within at_least(0.0), or "0";
        /// Seed of the random displacements.
        seed: u32, or "1";
    }
}

table! {
    /// Vertices of a deformable that springs of rest length zero attach to the rigid body, each at its initial position.
    pub struct Attach as "attach" {
        /// The deformable; required if there are several.
        body: Option<String>, eg "\"cloth\"";
        /// A group of its vertices.
        group: Option<String>, eg "\"corners\"";
        /// Its vertices by number, counted from 0.
        at: Option<Vertices>, eg "[0, 19]";
        /// The stiffness of each spring.
        stiffness: f64, unit "N/m", within Bounds { open: true, ..of(Attachment::PARAMS[0]) }, or "10000";
        exactly one of [group, at];
    }
}

table! {
    /// A rigid body.
    pub struct Rigid as "rigid body" {
        /// Its name, for joints; of a repeated one `name[0]`, `name[1]` and so on, x first, then z, then y.
        name: Option<String>, eg "\"brick\"";
        /// Its density; default 1000 if there is no mass.
        density: Option<f64>, unit "kg/m³", within between(1e-6, 1e9), eg "600";
        /// Its mass, instead of a density.
        mass: Option<f64>, unit "kg", within between(1e-9, 1e12), eg "2.5";
        /// Its moments of inertia about its own x, y and z axes through the center of mass, instead of those of its shape.
        inertia: Option<[f64; 3]>, unit "kg·m²", within above(0.0), eg "[0.02, 0.02, 0.005]";
        /// Initial position, added to the center of its shape; for a mesh, the position of the origin of its file.
        position: Vec3, unit "m", or "[0, 0, 0]";
        /// Initial rotation about that point.
        rotate: Option<Rotation>, eg "{ axis = [0, 0, 1], degrees = 20 }";
        /// The velocity of its center of mass at the start.
        velocity: Vec3, unit "m/s", or "[0, 0, 0]";
        /// Initial angular velocity, about its center of mass.
        spin: Option<Spin>, eg "{ axis = [0, 1, 0], rate = 360 }";
        /// Coefficient of restitution. For two touching bodies, the larger value counts.
        restitution: f64, within between(0.0, 1.0), or "0.0";
        /// Coulomb friction. For two touching bodies, the root of the product counts.
        friction: f64, within between(0.0, FRICTION), or "0.5";
        /// Rolling friction, with impulses: the torque against rolling and spinning is at most this length times the normal force. For
        /// two touching bodies, the larger value counts.
        rolling: f64, unit "m", within at_least(0.0), or "0";
        /// Contact distance of vertices of deformables from its surface.
        thickness: f64, unit "m", within at_least(0.0), or "0.001";
        /// Copies of the body.
        repeat: Option<Repeat>, eg "{ count = [1, 10, 1], step = [0, 0.2, 0] }";
        /// Vertices of deformables attached to it; not for repeated bodies.
        attach: Vec<Attach>, or "[]";
        with shape: Shape;
        at most one of [density, mass];
    }
}

table! {
    /// Two bodies rotate about a common point.
    pub struct RigidBallJoint as "ball joint of rigid bodies" {
        /// Reference axis of the swing.
        axis: Vec3, or "[0, 1, 0]";
        /// Largest angle of that axis; default: no limit.
        swing: Option<f64>, unit "°", within between(0.0, 180.0), eg "60";
    }
}

table! {
    /// Two bodies rotate about a common axis.
    pub struct RigidHingeJoint as "hinge of rigid bodies" {
        /// The axis.
        axis: Vec3, or "[0, 0, 1]";
        /// Smallest and largest angle, 0 at the start; default: no limits.
        limits: Option<[f64; 2]>, unit "°", within between(-180.0, 180.0), eg "[-30, 90]";
    }
}

table! {
    /// A body slides along an axis of the other, without relative rotation.
    pub struct RigidSliderJoint as "slider of rigid bodies" {
        /// The axis.
        axis: Vec3, or "[1, 0, 0]";
        /// Smallest and largest displacement, 0 at the start; default: no limits.
        limits: Option<[f64; 2]>, unit "m", eg "[-0.5, 0.5]";
    }
}

table! {
    /// Two points, one of each body, keep their distance: a rod or a string.
    pub struct RigidDistanceJoint as "distance joint of rigid bodies" {
        /// Initial position of its point on the first body; default: the center of mass.
        from: Option<Vec3>, unit "m", eg "[0, 1, 0]";
        /// Initial position of its point on the second body or in the world; default: the center of mass of the second body.
        to: Option<Vec3>, unit "m", eg "[0, 2, 0]";
        /// Smallest and largest distance, from 0 for a string; default: the initial distance.
        limits: Option<[f64; 2]>, unit "m", within at_least(0.0), eg "[0, 1.5]";
    }
}

table! {
    /// A joint between two rigid bodies, or a rigid body and the world. Positions and axes refer to the initial poses.
    pub struct RigidJoint as "joint of rigid bodies" {
        /// The names of two bodies; a single one is joined to the world.
        between: Option<Vec<String>>, eg "[\"door\", \"frame\"]";
        /// The name of a repeated body: joins each copy to the next.
        row: Option<String>, eg "\"link\"";
        /// A common point.
        ball: Option<RigidBallJoint>, eg "{ swing = 60 }";
        /// A common axis.
        hinge: Option<RigidHingeJoint>, eg "{ axis = [0, 1, 0], limits = [0, 120] }";
        /// Motion along an axis.
        slider: Option<RigidSliderJoint>, eg "{ axis = [1, 0, 0], limits = [0, 0.5] }";
        /// A rod or a string.
        distance: Option<RigidDistanceJoint>, eg "{ limits = [0, 1.5] }";
        /// Position of a ball, hinge or slider; default: midway between the two centers, or the
        /// center of a body that is joined to the world.
        at: Option<Vec3>, unit "m", eg "[0, 1, 0]";
        /// Whether the two bodies collide with each other.
        touch: bool, or "false";
        exactly one of [between, row];
        exactly one of [ball, hinge, slider, distance];
    }
}
