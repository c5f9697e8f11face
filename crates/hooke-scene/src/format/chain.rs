//! Chains: joints that bring their ends to targets, draw and carry pins.

use super::{Course, Rotation, Vertices};
use crate::field::{Bounds, Kind, Value, above, at_least, between, mismatch, registered, table};
use crate::files::FileName;
use crate::problem::Sink;
use crate::source::Node;
use hooke::Vec3;
use toml::de::DeValue;

registered! {
    /// The solver of a chain.
    pub struct ChainSolver: hooke::chains::SOLVERS.iter().map(|solver| solver.name);
}

/// A joint by its number, counted from 0, or by its name.
#[derive(Clone, Debug, PartialEq)]
pub enum JointRef {
    /// By number.
    Number(u32),
    /// By name.
    Name(String),
}

impl Value for JointRef {
    fn kind(bounds: Bounds) -> Kind {
        Kind::Either(vec![u32::kind(bounds), Kind::Text])
    }

    fn read(node: &Node<'_>, bounds: Bounds, sink: &mut Sink) -> Option<Self> {
        match node.get_ref() {
            DeValue::String(name) => Some(Self::Name(name.to_string())),
            DeValue::Integer(_) | DeValue::Float(_) => {
                u32::read(node, bounds, sink).map(Self::Number)
            }
            _ => mismatch::<Self>(node, bounds, sink),
        }
    }
}

table! {
    /// A joint that rotates about one axis.
    pub struct Hinge as "hinge" {
        /// The axis at rest, in the frame of the joint.
        axis: Vec3, or "[0, 0, 1]";
        /// Smallest and largest angle.
        limits: [f64; 2], unit "°", within between(-180.0, 180.0), or "[-180, 180]";
    }
}

table! {
    /// The limits of a ball joint.
    pub struct BallJoint as "ball joint" {
        /// Largest angle of its bone from its rest direction.
        swing: f64, unit "°", within between(0.0, 180.0), or "180";
        /// Smallest and largest rotation about the bone.
        twist: [f64; 2], unit "°", within between(-180.0, 180.0), or "[-180, 180]";
    }
}

table! {
    /// A joint of a chain. By default it rotates freely.
    pub struct ChainJoint as "joint" {
        /// Its name.
        name: Option<String>, eg "\"elbow\"";
        /// Its parent; default: the previous joint.
        parent: Option<JointRef>, eg "0";
        /// Position in the frame of its parent; for the first joint, relative to the root of the chain.
        offset: Vec3, unit "m", or "[0, 0, 0]";
        /// Rotation at rest, in the frame of its parent.
        rotate: Option<Rotation>, eg "{ axis = [0, 0, 1], degrees = 30 }";
        /// Whether it cannot rotate.
        fixed: bool, or "false";
        /// Rotates about one axis.
        hinge: Option<Hinge>, eg "{ axis = [0, 0, 1], limits = [0, 150] }";
        /// Rotates about all axes, within limits.
        ball: Option<BallJoint>, eg "{ swing = 60, twist = [-30, 30] }";
        at most one of [fixed, hinge, ball];
    }
}

table! {
    /// A curve that a pen draws in one stroke. Expressions are written with numbers, `+ - * / ^`, brackets,
    /// `t`, `pi`, `e`, `sin`, `cos`, `tan`, `asin`, `acos`, `atan`, `atan2`, `sqrt`, `hypot`, `exp`, `ln`, `abs`, `sign`,
    /// `floor`, `min`, `max` and `clamp(x, low, high)`; comparisons (`<`, `<=`, `>`, `>=`, `==`, `!=`) are 1 or 0, so that
    /// pieces add up: `(t < 1)*t + (1 <= t)*(2 - t)`.
    pub struct Curve as "curve" {
        /// To the right: an expression of t such as `0.3 cos(2 pi t)`.
        x: String, eg "\"cos(t)\"";
        /// Upwards: an expression of t.
        y: String, eg "\"sin(t)\"";
        /// First and last value of t.
        range: [f64; 2], or "[0, 1]";
        /// Offset of x and y, after scaling.
        offset: [f64; 2], unit "m", or "[0, 0]";
        /// Scale of x and y.
        scale: f64, within between(-1e9, 1e9), or "1.0";
    }
}

table! {
    /// A drawing of the pen at the end of a chain: at constant speed, lifted between strokes.
    pub struct Drawing as "drawing" {
        /// Text in single-stroke letters, or in outlines with a font.
        text: Option<String>, eg "\"HOOKE\"";
        /// Curves by expressions, one after the other.
        curves: Option<Vec<Curve>>, eg "[{ x = \"cos(t)\", y = \"sin(t)\", range = [0, 6.2832] }]";
        /// A font file (TTF or OTF) beside the scene, whose outlines are drawn.
        font: Option<FileName>, eg "\"font.ttf\"";
        /// Height of capital letters.
        size: f64, unit "m", within above(0.0), or "0.3";
        /// The origin of the plane: where text starts, at the foot of its first letter.
        at: Vec3, unit "m", or "[0, 0, 0]";
        /// The direction in which text runs.
        right: Vec3, or "[1, 0, 0]";
        /// The direction upwards in the plane; the pen is lifted along right × up.
        up: Vec3, or "[0, 1, 0]";
        /// Speed of the pen.
        speed: f64, unit "m/s", within above(0.0), or "0.5";
        /// Lift between strokes.
        lift: f64, unit "m", within at_least(0.0), or "0.05";
        /// Distance between two samples of its path.
        spacing: f64, unit "m", within above(0.0), or "0.005";
        /// Start time; until then the pen waits at the first stroke.
        start: f64, unit "s", within at_least(0.0), or "0";
        exactly one of [text, curves];
    }
}

table! {
    /// A target of a joint of a chain.
    pub struct ChainTarget as "target" {
        /// The joint; default: the last one.
        joint: Option<JointRef>, eg "\"hand\"";
        /// A position, or keyframes of it.
        position: Option<Course>, unit "m", eg "[0.5, 0.5, 0]";
        /// The drawing of a pen at the joint.
        draw: Option<Drawing>, eg "{ text = \"HOOKE\" }";
        /// Weight relative to other targets.
        weight: f64, within between(1e-9, 1e9), or "1.0";
        exactly one of [position, draw];
    }
}

table! {
    /// The preferred direction of the bend of a chain.
    pub struct ChainPole as "pole" {
        /// The joint that bends, such as an elbow.
        joint: JointRef, eg "1";
        /// Direction of the bend: a point.
        position: Vec3, unit "m", eg "[0, 1, 0]";
    }
}

table! {
    /// Vertices that a joint carries.
    pub struct Carry as "carry" {
        /// The joint; default: the last one.
        joint: Option<JointRef>, eg "\"hand\"";
        /// The deformable; required if there are several.
        body: Option<String>, eg "\"cloth\"";
        /// The vertices of a group.
        group: Option<String>, eg "\"corner\"";
        /// One vertex or a list of them.
        at: Option<Vertices>, eg "[0, 19]";
        exactly one of [group, at];
    }
}

table! {
    /// A chain or tree of joints whose ends follow targets.
    pub struct Chain as "chain" {
        /// Its name.
        name: Option<String>, eg "\"arm\"";
        /// The lengths of its bones, one after the other.
        bones: Option<Vec<f64>>, unit "m", within at_least(0.0), eg "[0.4, 0.3, 0.2]";
        /// Its joints, parents before their children.
        joints: Option<Vec<ChainJoint>>, eg "[{}, { offset = [0.4, 0, 0] }]";
        /// A skeleton file beside the scene: .bvh, .urdf, or the first skin of .gltf and .glb.
        file: Option<FileName>, eg "\"arm.urdf\"";
        /// The direction of bones at rest.
        along: Vec3, or "[1, 0, 0]";
        /// Scale relative to the file.
        scale: f64, within between(1e-9, 1e9), or "1.0";
        /// Position of its root; with a file, an offset.
        root: Vec3, unit "m", or "[0, 0, 0]";
        /// Default of its joints: a hinge.
        hinge: Option<Hinge>, eg "{ axis = [0, 0, 1], limits = [-150, 150] }";
        /// Default of its joints: a ball joint, within limits.
        ball: Option<BallJoint>, eg "{ swing = 60 }";
        /// The solver.
        solver: ChainSolver;
        /// Maximum number of sweeps per step.
        iterations: u32, or "200";
        /// The distance, relative to the length of the chain, at which a target is reached.
        tolerance: f64, within between(0.0, 1.0), or "1e-6";
        /// Whether targets out of reach are detected before the first sweep.
        range: bool, or "true";
        /// Share of the distance that the last sweeps must remove for a solve to continue; 0 disables the test.
        stall: f64, within between(0.0, 1.0), or "1e-3";
        /// Number of restarts of a stalled solve, from other poses within limits.
        restarts: u32, within between(0.0, 1e6), or "20";
        /// Largest angular speed of its joints; default: no limit.
        speed: Option<f64>, unit "°/s", within above(0.0), eg "180";
        /// Time constant of its motion toward the target.
        lag: f64, unit "s", within at_least(0.0), or "0";
        /// Number of initial poses of a solve; the solution nearest to the last pose is used.
        starts: u32, within between(1.0, 1000.0), or "1";
        /// Seed of the initial poses.
        seed: u32, or "0";
        /// Targets of its ends.
        targets: Vec<ChainTarget>, eg "[{ position = [0.5, 0.5, 0] }]", or "[]";
        /// Preferred direction of its bend; with one target.
        pole: Option<ChainPole>, eg "{ joint = 1, position = [0, 1, 0] }";
        /// The vertices it carries.
        carry: Vec<Carry>, eg "[{ body = \"cloth\", group = \"corners\" }]", or "[]";
        exactly one of [bones, joints, file];
        at most one of [hinge, ball];
    }
}
