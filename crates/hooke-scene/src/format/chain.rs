//! Chains: joints that bring their ends to targets, draw and carry pins.

use super::{Course, Rotation, Vertices};
use crate::field::{Bounds, Kind, Value, above, at_least, between, choice, mismatch, table};
use crate::files::FileName;
use crate::problem::Sink;
use crate::source::Node;
use hooke::Point;
use toml::de::DeValue;

choice! {
    /// How a chain brings its ends to their targets.
    pub enum ChainSolver {
        /// Cyclic coordinate descent: joint by joint, from the end to the root.
        Ccd = "ccd",
        /// Forward and backward reaching: places first, turns after them.
        Fabrik = "fabrik",
        /// All joints at once, by small turns.
        LeastSquares = "damped-least-squares",
    }
}

impl ChainSolver {
    /// Its name in the engine.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ccd => "ccd",
            Self::Fabrik => "fabrik",
            Self::LeastSquares => "damped-least-squares",
        }
    }
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
    /// A joint that turns about one axis.
    pub struct Hinge as "hinge" {
        /// The axis in the joint's frame at rest.
        axis: Point, or "[0, 0, 1]";
        /// The least and the greatest angle.
        limits: [f64; 2], unit "°", within between(-180.0, 180.0), or "[-180, 180]";
    }
}

table! {
    /// The limits of a joint that turns any way.
    pub struct BallJoint as "ball joint" {
        /// How far its bone may lean away from its rest.
        swing: f64, unit "°", within between(0.0, 180.0), or "180";
        /// The least and the greatest turn about the bone.
        twist: [f64; 2], unit "°", within between(-180.0, 180.0), or "[-180, 180]";
    }
}

table! {
    /// A joint of a chain. It turns any way where nothing else is said.
    pub struct ChainJoint as "joint" {
        /// Its name.
        name: Option<String>, eg "\"elbow\"";
        /// The joint it hangs on; the one before when left out.
        parent: Option<JointRef>, eg "0";
        /// Where it is in its parent's frame; the first joint: from the root of the chain.
        offset: Point, unit "m", or "[0, 0, 0]";
        /// How it is turned in its parent's frame when it rests.
        rotate: Option<Rotation>, eg "{ axis = [0, 0, 1], degrees = 30 }";
        /// Whether it does not turn at all.
        fixed: bool, or "false";
        /// About one axis.
        hinge: Option<Hinge>, eg "{ axis = [0, 0, 1], limits = [0, 150] }";
        /// Any way, within limits.
        ball: Option<BallJoint>, eg "{ swing = 60, twist = [-30, 30] }";
        at most one of [fixed, hinge, ball];
    }
}

table! {
    /// A piece of a curve that a pen draws without being lifted. Expressions are written with numbers, `+ - * / ^`, brackets,
    /// `t`, `pi`, `e`, `sin`, `cos`, `tan`, `asin`, `acos`, `atan`, `atan2`, `sqrt`, `hypot`, `exp`, `ln`, `abs`, `sign`,
    /// `floor`, `min`, `max` and `clamp(x, low, high)`; comparisons (`<`, `<=`, `>`, `>=`, `==`, `!=`) are 1 or 0, so that
    /// pieces add up: `(t < 1)*t + (1 <= t)*(2 - t)`.
    pub struct Curve as "curve" {
        /// To the right: an expression of t such as `0.3 cos(2 pi t)`.
        x: String, eg "\"cos(t)\"";
        /// Upwards: an expression of t.
        y: String, eg "\"sin(t)\"";
        /// Where t starts and ends.
        range: [f64; 2], or "[0, 1]";
        /// What is added to x and y, after they are scaled.
        offset: [f64; 2], unit "m", or "[0, 0]";
        /// How much larger x and y are drawn.
        scale: f64, within between(-1e9, 1e9), or "1.0";
    }
}

table! {
    /// What the pen at the end of a chain draws: at constant speed, lifted between strokes.
    pub struct Drawing as "drawing" {
        /// Letters of single strokes; or outlines, with a font.
        text: Option<String>, eg "\"HOOKE\"";
        /// Curves by expressions, one after the other.
        curves: Option<Vec<Curve>>, eg "[{ x = \"cos(t)\", y = \"sin(t)\", range = [0, 6.2832] }]";
        /// A font file (TTF or OTF) beside the scene, whose outlines are drawn.
        font: Option<FileName>, eg "\"font.ttf\"";
        /// How high capital letters are.
        size: f64, unit "m", within above(0.0), or "0.3";
        /// The origin of the plane: where text starts, at the foot of its first letter.
        at: Point, unit "m", or "[0, 0, 0]";
        /// The direction in which text runs.
        right: Point, or "[1, 0, 0]";
        /// The direction upwards in the plane; the pen is lifted along right × up.
        up: Point, or "[0, 1, 0]";
        /// How fast the pen moves.
        speed: f64, unit "m/s", within above(0.0), or "0.5";
        /// How far it is lifted between strokes.
        lift: f64, unit "m", within at_least(0.0), or "0.05";
        /// The way between two points of its path.
        spacing: f64, unit "m", within above(0.0), or "0.005";
        /// When it starts; until then it waits at the first stroke.
        start: f64, unit "s", within at_least(0.0), or "0";
        exactly one of [text, curves];
    }
}

table! {
    /// Where a joint of a chain is asked to be.
    pub struct ChainTarget as "target" {
        /// The joint; the last one when left out.
        joint: Option<JointRef>, eg "\"hand\"";
        /// A place, or keyframes of it.
        place: Option<Course>, unit "m", eg "[0.5, 0.5, 0]";
        /// What a pen there draws.
        draw: Option<Drawing>, eg "{ text = \"HOOKE\" }";
        /// How much it counts beside other targets.
        weight: f64, within between(1e-9, 1e9), or "1.0";
        exactly one of [place, draw];
    }
}

table! {
    /// Where the bend of a chain leans.
    pub struct ChainPole as "pole" {
        /// The joint that leans, such as an elbow.
        joint: JointRef, eg "1";
        /// Towards which place.
        place: Point, unit "m", eg "[0, 1, 0]";
    }
}

table! {
    /// Vertices that a joint takes along.
    pub struct Carry as "carry" {
        /// The joint; the last one when left out.
        joint: Option<JointRef>, eg "\"hand\"";
        /// The body; needed where there are several.
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
        along: Point, or "[1, 0, 0]";
        /// How much larger it is than the file says.
        scale: f64, within between(1e-9, 1e9), or "1.0";
        /// Where its root is; with a file, what is added to it.
        root: Point, unit "m", or "[0, 0, 0]";
        /// How joints turn that do not say it themselves: about one axis.
        hinge: Option<Hinge>, eg "{ axis = [0, 0, 1], limits = [-150, 150] }";
        /// How joints turn that do not say it themselves: any way, within limits.
        ball: Option<BallJoint>, eg "{ swing = 60 }";
        /// How its ends are brought to their targets.
        solver: ChainSolver, or "\"ccd\"";
        /// Most sweeps of a step.
        iterations: u32, or "200";
        /// The distance, relative to the length of the chain, at which a target is reached.
        tolerance: f64, within between(0.0, 1.0), or "1e-6";
        /// Whether a target out of reach is known before anything is tried.
        range: bool, or "true";
        /// The part of the distance that the last sweeps must take away for a solve to go on; 0 lets it.
        stall: f64, within between(0.0, 1.0), or "1e-3";
        /// How often a solve that comes to rest short of its targets looks again, from another pose within limits.
        restarts: u32, within between(0.0, 1e6), or "20";
        /// The greatest angular speed of its joints; without it, any.
        speed: Option<f64>, unit "°/s", within above(0.0), eg "180";
        /// The time in which it goes 1 − 1/e of the way to where it should be.
        lag: f64, unit "s", within at_least(0.0), or "0";
        /// From how many poses a solution is looked for; the one nearest to the last pose is kept.
        starts: u32, within between(1.0, 1000.0), or "1";
        /// Which poses.
        seed: u32, or "0";
        /// Where its ends are asked to be.
        targets: Vec<ChainTarget>, eg "[{ place = [0.5, 0.5, 0] }]", or "[]";
        /// Where its bend leans; with one target.
        pole: Option<ChainPole>, eg "{ joint = 1, place = [0, 1, 0] }";
        /// What it takes along.
        carry: Vec<Carry>, eg "[{ body = \"cloth\", group = \"corners\" }]", or "[]";
        exactly one of [bones, joints, file];
        at most one of [hinge, ball];
    }
}
