//! The format of scenes, `format = 1`: every table and field, declared once.
//!
//! SI units, y up, right-handed. One file per part of a scene.

mod body;
mod chain;
mod continuum;
mod group;
mod limit;
mod method;
mod motion;
mod obstacle;
mod rigid;
mod solid;
mod spring;
mod time;
mod view;
mod world;

pub use crate::values::{Each, Seconds, Vertices};
pub use body::{
    Body, Diagonals, Force, Grid, How, Pin, Rope, Rotation, Start, SurfaceWind, WindLaw,
};
pub use chain::{
    BallJoint, Carry, Chain, ChainJoint, ChainPole, ChainSolver, ChainTarget, Curve, Drawing,
    Hinge, JointRef,
};
pub use continuum::{Bending, BendingLaw, Membrane, MembraneLaw, SolidLaw, SolidPart};
pub use group::{Border, Group, Plane};
pub use limit::{Limit, SweepOrder};
pub use method::MethodChoice;
pub use motion::{Course, Interpolation, Keyframes, Turn};
pub use obstacle::{
    Capsule, Floor, HalfSpace, Obstacle, ObstacleBox, ObstacleMesh, Response, Sphere, Spin,
};
pub use rigid::{
    Attach, BallHold, DistanceHold, HingeHold, ImpactRule, MatchedTurn, Repeat, Rigid, RigidBox,
    RigidCapsule, RigidJoint, RigidMesh, RigidMethod, RigidSphere, RigidStep, SliderHold,
};
pub use solid::{Ball, Beam, Cuboid, Torus};
pub use spring::{Element, Family, Material, Spring};
pub use time::Time;
pub use view::{Camera, Style, View};
pub use world::{Attraction, Attractor, Ether, Gust, PinsHeld, Water, Wind, World};

pub(crate) use method::{DEFAULT as DEFAULT_METHOD, settings as method_settings};

use crate::field::{between, table};

table! {
    /// A scene: what there is, and how it is run.
    pub struct Document as "scene" {
        /// The version of this format: 1.
        format: u32, within between(1.0, 1.0), eg "1";
        /// The name of the scene.
        title: String, or "\"Untitled\"";
        /// One sentence on what it shows.
        about: Option<String>, eg "\"A square of cloth, held by two corners.\"";
        /// How time passes.
        time: Time, or "{}";
        /// How steps are taken: `name`, and the settings of that method.
        method: MethodChoice, or "{}";
        /// What acts everywhere.
        world: World, or "{}";
        /// What moves.
        bodies: Vec<Body>, or "[]";
        /// Joints that follow targets.
        chains: Vec<Chain>, or "[]";
        /// Bodies that move as a whole.
        rigid: Vec<Rigid>, or "[]";
        /// What joins rigid bodies.
        joints: Vec<RigidJoint>, or "[]";
        /// How rigid bodies are stepped.
        rigid_method: RigidMethod, or "{}";
        /// Places that pull or push.
        attractors: Vec<Attractor>, or "[]";
        /// What particles do not enter.
        obstacles: Vec<Obstacle>, or "[]";
        /// How far springs and membranes may be stretched or compressed.
        limit: Option<Limit>, eg "{ max = 1.1 }";
        /// How pictures are taken.
        view: View, or "{}";
    }
}

/// Everything a scene may hold, as data.
pub fn describe() -> crate::field::TableInfo {
    <Document as crate::field::Fields>::info()
}
