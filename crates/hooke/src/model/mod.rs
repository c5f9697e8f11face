//! The model: a scene compiled. Particles, elements, dampers, pins, forces and obstacles, changed
//! by edits only; every edit advances a version, so that a method redoes the least.

mod anchors;
mod deformable;
mod elements;
mod forces;
pub mod grid;
mod locking;
pub mod mesh;
mod mesh_elements;
mod motion;
mod obstacle;
mod particles;
mod pins;
pub(crate) mod rigid;
pub mod rope;
pub mod solid;
mod spring_family;
mod strain_limit;
pub mod surface;
mod versions;

pub use crate::error::ModelError;
pub(crate) use crate::error::{
    invalid_element, invalid_joint, invalid_shape, invalid_value, too_many, wrong_state,
};
pub use crate::handles::{
    AnchorId, ChainId, DamperId, ElementId, GridParticles, JointId, MaterialId, ObstacleId,
    ParticleId, Particles, PinId, RigidBodyId,
};
pub use deformable::{ContactMaterial, Deformable};
pub use forces::{Air, GlobalDamping, Gust};
pub use grid::{Diagonals, Grid};
pub use locking::Locking;
pub use mesh::{TetrahedronMesh, TriangleMesh};
pub use motion::{Interpolation, Motion, Rotation, Track};
pub use obstacle::{
    Boundary, ClosedMesh, Frame, Obstacle, ObstacleMotion, Response, Shape, Surface,
};
pub use pins::{Pin, PinEnforcement};
pub(crate) use rigid::Tether;
use rigid::{Joint, RigidBody};
pub use rope::Rope;
pub use solid::{Ball, Block, Solid, Torus};
pub use spring_family::{SpringDamping, SpringFamily, Stiffness};
pub use strain_limit::{StrainLimit, SweepOrder};
pub use versions::Versions;

use crate::chains::Rig;
use crate::elements::{Dampers, Elements};
use crate::math::Vec3;
use std::sync::atomic::{AtomicU64, Ordering};

/// A physical scene, compiled.
#[derive(Default)]
pub struct Model {
    rest: Vec<Vec3>,
    masses: Vec<f64>,
    elements: Vec<Box<dyn Elements>>,
    dampers: Vec<Box<dyn Dampers>>,
    deformables: Vec<Deformable>,
    triangles: Vec<[u32; 3]>,
    segments: Vec<[u32; 2]>,
    tetrahedra: Vec<[u32; 4]>,
    pins: Vec<Pin>,
    fixed: Vec<[bool; 3]>,
    pin_enforcement: PinEnforcement,
    anchors: Vec<Motion>,
    gravity: Vec3,
    forces: Vec<Vec3>,
    global_damping: Option<GlobalDamping>,
    air: Air,
    obstacles: Vec<Obstacle>,
    rigid_bodies: Vec<RigidBody>,
    joints: Vec<Joint>,
    tethers: Vec<Tether>,
    /// Obstacles and bodies.
    solids: Vec<Obstacle>,
    contact_stiffness: Option<f64>,
    contact_between: bool,
    check_intersections: bool,
    limit: Option<StrainLimit>,
    chains: Vec<Rig>,
    versions: Versions,
}

impl Model {
    /// An empty model with gravity −9.81 m/s² along y.
    pub fn new() -> Self {
        static MODELS: AtomicU64 = AtomicU64::new(1);
        let model = MODELS.fetch_add(1, Ordering::Relaxed);
        let versions = Versions { model, ..Versions::default() };
        Self { gravity: Vec3::new(0.0, -9.81, 0.0), versions, ..Self::default() }
    }

    /// Adds a chain whose ends follow anchors and which carries pins.
    pub fn add_chain(&mut self, rig: Rig) -> Result<ChainId, ModelError> {
        rig.check(self.particles(), self.anchors.len())?;
        self.chains.push(rig);
        self.versions.forces += 1;
        Ok(ChainId((self.chains.len() - 1) as u32))
    }

    /// The chains.
    pub fn chains(&self) -> &[Rig] {
        &self.chains
    }

    /// How often what was edited.
    pub fn versions(&self) -> Versions {
        self.versions
    }
}
