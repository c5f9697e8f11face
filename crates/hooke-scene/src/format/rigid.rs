//! Rigid bodies: shapes with a mass that move as a whole, joints between them, and how they are stepped.

use super::{Rotation, Spin, Vertices};
use crate::field::{Bounds, above, at_least, between, choice, of, table};
use crate::files::FileName;
use crate::limits::FRICTION;
use hooke::Point;
use hooke::laws::{Attachment, Law};

table! {
    /// A rigid box.
    pub struct RigidBox as "rigid box" {
        /// Width, height and depth.
        size: [f64; 3], unit "m", within above(0.0), eg "[0.4, 0.2, 0.2]";
    }
}

table! {
    /// A rigid ball.
    pub struct RigidSphere as "rigid sphere" {
        /// Its radius.
        radius: f64, unit "m", within above(0.0), eg "0.1";
    }
}

table! {
    /// A rigid bar with round ends, along its own y axis.
    pub struct RigidCapsule as "rigid capsule" {
        /// Its radius.
        radius: f64, unit "m", within above(0.0), eg "0.02";
        /// From the centre of one round end to that of the other.
        length: f64, unit "m", within above(0.0), eg "0.2";
    }
}

table! {
    /// The inside of a closed surface of triangles.
    pub struct RigidMesh as "rigid mesh" {
        /// A mesh file, beside the scene: .obj, .ply, .stl, .gltf, .glb, .msh.
        file: FileName, eg "\"jack.obj\"";
        /// How much larger it is than the file says.
        scale: f64, within between(1e-9, 1e9), or "1.0";
        /// Whether it touches with its convex hull: fast, and exact where it is convex. Otherwise with all its
        /// triangles.
        hull: bool, or "true";
    }
}

table! {
    /// The same body many times: a stack, a row, a wall or a pile.
    pub struct Repeat as "repeat" {
        /// How many along x, y and z.
        count: [u32; 3], within between(1.0, 1000.0), eg "[1, 10, 1]";
        /// From one to the next along x, y and z.
        step: Point, unit "m", or "[0, 0, 0]";
        /// How far every other layer (along y) is moved: the bond of a wall.
        shift: Point, unit "m", or "[0, 0, 0]";
        /// Greatest random displacement along each axis, so that a pile does not stand by symmetry.
        noise: f64, unit "m", within at_least(0.0), or "0";
        /// Which random displacements.
        seed: u32, or "1";
    }
}

table! {
    /// Vertices of a deformable body that a spring of no length ties to the rigid one, each to the place where it starts.
    pub struct Attach as "attach" {
        /// Which body, where there are several.
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
    /// A body that moves and turns as a whole. Nothing bends it.
    pub struct Rigid as "rigid body" {
        /// Its name, for joints; of a repeated one `name[0]`, `name[1]` and so on, x first, then z, then y.
        name: Option<String>, eg "\"brick\"";
        /// A box.
        r#box: Option<RigidBox>, eg "{ size = [0.4, 0.2, 0.2] }";
        /// A ball.
        sphere: Option<RigidSphere>, eg "{ radius = 0.1 }";
        /// A bar with round ends, along its own y axis.
        capsule: Option<RigidCapsule>, eg "{ radius = 0.02, length = 0.2 }";
        /// A closed surface.
        mesh: Option<RigidMesh>, eg "{ file = \"jack.obj\" }";
        /// Its density; 1000 where neither density nor mass is given.
        density: Option<f64>, unit "kg/m³", within between(1e-6, 1e9), eg "600";
        /// Its mass, instead of a density.
        mass: Option<f64>, unit "kg", within between(1e-9, 1e12), eg "2.5";
        /// Its moments of inertia about its own x, y and z axes through the centre of mass, instead of those of its shape.
        inertia: Option<[f64; 3]>, unit "kg·m²", within above(0.0), eg "[0.02, 0.02, 0.005]";
        /// Where its centre starts; of a mesh: where the origin of the file comes to be.
        position: Point, unit "m", or "[0, 0, 0]";
        /// How it is turned at the start, about that place.
        rotate: Option<Rotation>, eg "{ axis = [0, 0, 1], degrees = 20 }";
        /// The velocity of its centre of mass at the start.
        velocity: Point, unit "m/s", or "[0, 0, 0]";
        /// How it turns at the start, about its centre of mass.
        spin: Option<Spin>, eg "{ axis = [0, 1, 0], rate = 360 }";
        /// How much of the speed of an impact comes back. Of two that touch, the greater counts.
        restitution: f64, within between(0.0, 1.0), or "0.0";
        /// Coulomb friction. Of two that touch, the root of the product counts.
        friction: f64, within between(0.0, FRICTION), or "0.5";
        /// Rolling friction: the torque that resists rolling and spinning is at most this times the normal force, under impulses. Of
        /// two that touch, the greater counts.
        rolling: f64, unit "m", within at_least(0.0), or "0";
        /// How far from its surface vertices of deformable bodies touch it.
        thickness: f64, unit "m", within at_least(0.0), or "0.001";
        /// The same body many times.
        repeat: Option<Repeat>, eg "{ count = [1, 10, 1], step = [0, 0.2, 0] }";
        /// Vertices of deformable bodies that are tied to it; not to a repeated one.
        attach: Vec<Attach>, or "[]";
        exactly one of [r#box, sphere, capsule, mesh];
        at most one of [density, mass];
    }
}

table! {
    /// Two bodies turn about one point.
    pub struct BallHold as "ball joint of rigid bodies" {
        /// What the swing is measured from.
        axis: Point, or "[0, 1, 0]";
        /// How far that axis may swing; any way when left out.
        swing: Option<f64>, unit "°", within between(0.0, 180.0), eg "60";
    }
}

table! {
    /// Two bodies turn about one axis.
    pub struct HingeHold as "hinge of rigid bodies" {
        /// The axis.
        axis: Point, or "[0, 0, 1]";
        /// The least and the greatest angle, 0 at the start; any when left out.
        limits: Option<[f64; 2]>, unit "°", within between(-180.0, 180.0), eg "[-30, 90]";
    }
}

table! {
    /// A body slides along an axis of the other, and does not turn against it.
    pub struct SliderHold as "slider of rigid bodies" {
        /// The axis.
        axis: Point, or "[1, 0, 0]";
        /// The least and the greatest way, 0 at the start; any when left out.
        limits: Option<[f64; 2]>, unit "m", eg "[-0.5, 0.5]";
    }
}

table! {
    /// Two places, one of each body, keep their distance: a rod or a string.
    pub struct DistanceHold as "distance joint of rigid bodies" {
        /// Where it holds the first, at the start; its centre of mass when left out.
        from: Option<Point>, unit "m", eg "[0, 1, 0]";
        /// Where it holds the second or the world, at the start; the centre of mass of the second when left out.
        to: Option<Point>, unit "m", eg "[0, 2, 0]";
        /// The least and the greatest distance: from 0 for a string; that of the start when left out.
        limits: Option<[f64; 2]>, unit "m", within at_least(0.0), eg "[0, 1.5]";
    }
}

table! {
    /// A joint between two rigid bodies, or a rigid body and the world. Everything is told where the bodies start.
    pub struct RigidJoint as "joint of rigid bodies" {
        /// The names of two bodies; one alone is joined to the world.
        between: Option<Vec<String>>, eg "[\"door\", \"frame\"]";
        /// The name of a repeated body: each of it is joined to the next.
        row: Option<String>, eg "\"link\"";
        /// A point they share.
        ball: Option<BallHold>, eg "{ swing = 60 }";
        /// An axis they share.
        hinge: Option<HingeHold>, eg "{ axis = [0, 1, 0], limits = [0, 120] }";
        /// A way along an axis.
        slider: Option<SliderHold>, eg "{ axis = [1, 0, 0], limits = [0, 0.5] }";
        /// A rod or a string.
        distance: Option<DistanceHold>, eg "{ limits = [0, 1.5] }";
        /// Where a ball, hinge or slider is; midway between the two centres when left out, and at the centre of a body that is
        /// joined to the world.
        at: Option<Point>, unit "m", eg "[0, 1, 0]";
        /// Whether the two bodies touch each other.
        touch: bool, or "false";
        exactly one of [between, row];
        exactly one of [ball, hinge, slider, distance];
    }
}

choice! {
    /// How rigid bodies are stepped.
    pub enum RigidStep {
        /// Velocities and impulses.
        Impulse = "impulse",
        /// Points that move alone and are matched with the shape.
        ShapeMatching = "shape-matching",
    }
}

choice! {
    /// The rule of an impact.
    pub enum ImpactRule {
        /// Sticking or sliding, never with a gain of energy.
        Physical = "physical",
        /// The whole velocity at the contact is prescribed.
        Classic = "classic",
    }
}

choice! {
    /// Which rotation shape matching takes.
    pub enum MatchedTurn {
        /// The rotation that fits best.
        Fit = "fit",
        /// The rotation nearest to the best linear map; for flat bodies, which have none, the one that fits best.
        Map = "map",
    }
}

table! {
    /// How rigid bodies are stepped; `[method]` is for everything else.
    pub struct RigidMethod as "rigid method" {
        /// The method of all rigid bodies.
        name: RigidStep, or "\"impulse\"";
        /// The rule of an impact, under impulses.
        rule: ImpactRule, or "\"physical\"";
        /// Into how many parts a step is cut for contacts and joints.
        parts: u32, within between(1.0, 1000.0), or "8";
        /// How fast an overlap is pressed apart, under impulses: the frequency of the spring that does it.
        frequency: f64, unit "Hz", within between(0.01, 1e4), or "60";
        /// The damping ratio of that spring.
        damping_ratio: f64, within between(0.0, 1e3), or "10";
        /// Which rotation shape matching takes.
        polar: MatchedTurn, or "\"fit\"";
        /// How far points go back to their shape under shape matching, 1 for rigid bodies.
        stiffness: f64, within between(0.0, 1.0), or "1";
    }
}
