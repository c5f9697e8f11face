//! The format of scenes, `format = 1`: every table and field, declared once.
//!
//! SI units, y up, right-handed. One file per part of a scene.

mod chain;
mod continuum;
mod deformable;
mod group;
mod method;
mod motion;
mod obstacle;
mod rigid;
mod settings;
pub mod shape;
mod solid;
mod spring;
mod strain_limit;
mod time;
mod view;
mod world;

pub use crate::values::{Each, Seconds, Vertices};
pub use chain::{
    BallJoint, Carry, Chain, ChainJoint, ChainPole, ChainSolver, ChainTarget, Curve, Drawing,
    Hinge, JointRef,
};
pub use continuum::{Bending, BendingLaw, Membrane, MembraneLaw, SolidLaw, SolidPart};
pub use deformable::{
    Deformable, Force, Grid, How, Pin, Rope, Rotation, Start, SurfaceWind, WindLaw,
};
pub use group::{Border, Group, Plane};
pub use method::MethodChoice;
pub use motion::{Course, Keyframes, RotationKeyframes};
pub use obstacle::{Obstacle, Response, Spin};
pub use rigid::{
    Attach, Repeat, Rigid, RigidBallJoint, RigidDistanceJoint, RigidHingeJoint, RigidJoint,
    RigidSliderJoint,
};
pub use settings::Settings;
pub use shape::Shape;
pub use solid::{Ball, Beam, Cuboid, Torus};
pub use spring::{Element, Family, Material, Spring};
pub use strain_limit::StrainLimit;
pub use time::Time;
pub use view::{Camera, Style, View};
pub use world::{Attraction, Attractor, GlobalDamping, Gust, PinEnforcement, Water, Wind, World};

pub(crate) use continuum::{of_bending, of_membranes, usual_laws};
pub(crate) use method::{DEFAULT as DEFAULT_METHOD, settings as method_settings};

use crate::field::{between, table};
use hooke::rigid::RigidBodySettings;

table! {
    /// A scene: its objects and its settings.
    pub struct Document as "scene" {
        /// The version of this format: 1.
        format: u32, within between(1.0, 1.0), eg "1";
        /// The name of the scene.
        title: String, or "\"Untitled\"";
        /// One sentence on what it shows.
        about: Option<String>, eg "\"A square of cloth, held by two corners.\"";
        /// Time.
        time: Time, or "{}";
        /// The method of particles: `name` and its settings. Rigid bodies alone need none.
        method: MethodChoice, or "{}";
        /// Gravity, wind, water and other global settings.
        world: World, or "{}";
        /// Cloth, ropes and solids.
        deformables: Vec<Deformable>, or "[]";
        /// Joints that follow targets.
        chains: Vec<Chain>, or "[]";
        /// Rigid bodies.
        rigid_bodies: Vec<Rigid>, or "[]";
        /// Joints between rigid bodies.
        joints: Vec<RigidJoint>, or "[]";
        /// The method of rigid bodies.
        rigid_method: Settings<RigidBodySettings>, or "{}";
        /// Points that attract or repel.
        attractors: Vec<Attractor>, or "[]";
        /// Obstacles.
        obstacles: Vec<Obstacle>, or "[]";
        /// Limits on the stretch of springs and membranes.
        strain_limit: Option<StrainLimit>, eg "{ max = 1.1 }";
        /// The camera.
        view: View, or "{}";
    }
}

/// Everything a scene may hold, as data.
pub fn describe() -> crate::field::TableInfo {
    <Document as crate::field::Fields>::info()
}

impl Document {
    /// The method that steps the particles; `None` for a scene of rigid bodies alone, which has none.
    pub fn method_name(&self) -> Option<&'static str> {
        let no_particles = self.deformables.is_empty() && self.chains.is_empty();
        (!no_particles || self.rigid_bodies.is_empty()).then_some(self.method.info.name)
    }
}
