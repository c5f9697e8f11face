//! The model: a scene compiled. Particles, elements, dampers, pins, forces and obstacles, changed
//! by edits only; every edit advances a version, so that a method redoes the least.

mod batch;
mod colours;
mod damping;
mod enclosure;
mod forces;
mod gather;
pub mod grid;
mod limit;
mod links;
mod locking;
pub mod mesh;
mod motion;
mod net;
mod obstacle;
mod pins;
mod rigid;
pub mod rope;
mod rows;
pub mod solid;
mod stencil;
pub mod surface;
mod sweep;
mod vertices;
mod visits;

pub use batch::{At, Batch, ElementView, Elements, GatherOf, RowView};
pub use damping::{DamperBatch, Dampers, RateBatch};
pub use enclosure::EnclosureBatch;
pub use forces::{Air, Ether, Gust};
pub use grid::{Diagonals, Grid};
pub use limit::{Inertia, StrainLimit, SweepOrder};
pub use locking::Locking;
pub use mesh::{TetrahedronMesh, TriangleMesh};
pub use motion::{Interpolation, Motion, Track, Turn};
pub use obstacle::{ClosedMesh, Frame, Obstacle, Pose, Response, Shape};
pub use pins::{Hold, Pin};
pub(crate) use rigid::Tether;
pub use rope::Rope;
pub use rows::Rows;
pub use solid::{Ball, Block, Solid, Torus};
pub use stencil::StencilBatch;
pub use sweep::{Bead, MOST_ROWS, Sweep};
pub use vertices::{Joints, Vertex};
pub use visits::Visits;

pub(crate) use colours::{Colours, Turns};
pub(crate) use enclosure::check_closed;
pub(crate) use gather::Gather;
pub(crate) use links::Links;
pub(crate) use net::{Neighbourhood, Net, Proposal, Seen, SingleNet, VertexNet};
pub(crate) use sweep::{Effect, Yield};

use crate::bodies::{Body, Joint};
use crate::chains::Rig;
use crate::dampers::{DamperInfo, Dashpot, StrainDashpot};
use crate::laws::{Attachment, LawInfo, Rod, Spring, StrainSpring};
use crate::linalg::Pattern;
use crate::math::Point;
use std::sync::atomic::{AtomicU64, Ordering};

/// What is wrong with a model, in one sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalid(pub String);

impl std::fmt::Display for Invalid {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Invalid {}

pub(crate) fn invalid<T>(sentence: impl Into<String>) -> Result<T, Invalid> {
    Err(Invalid(sentence.into()))
}

/// A thing with its article: a spring, an attachment.
pub(crate) fn a(name: &str) -> String {
    format!("{} {name}", if name.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" })
}

/// Counts the edits of each kind, so that a method knows what to redo: nothing for forces, the
/// numeric part for values and pins, everything for topology.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Versions {
    /// Which model.
    pub model: u64,
    /// Which particles and elements there are.
    pub topology: u64,
    /// Masses, stiffnesses, rest values.
    pub values: u64,
    /// Which coordinates are pinned.
    pub pins: u64,
    /// Gravity, constant forces, wind.
    pub forces: u64,
}

impl Versions {
    /// What a symbolic analysis depends on.
    pub(crate) fn symbolic(&self) -> (u64, u64) {
        (self.model, self.topology)
    }

    /// What a numeric factorisation depends on.
    pub(crate) fn numeric(&self) -> [u64; 4] {
        [self.model, self.topology, self.values, self.pins]
    }

    /// What the lists of elements depend on.
    pub(crate) fn elements(&self) -> [u64; 3] {
        [self.model, self.topology, self.values]
    }
}

/// Which element: the batch and its place within.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ElementId {
    /// Index into [`Model::elements`].
    pub batch: usize,
    /// Index within the batch.
    pub index: usize,
}

/// A pair of coefficients of springs of one family, and their damping.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpringFamily {
    /// How stiff.
    pub stiffness: Stiffness,
    /// How damped.
    pub damping: SpringDamping,
}

impl SpringFamily {
    /// Undamped springs of stiffness `k` (N/m).
    pub const fn stiffness(k: f64) -> Self {
        Self { stiffness: Stiffness::PerLength(k), damping: SpringDamping::None }
    }

    /// Undamped rods of a compliance (m/N), rigid at 0.
    pub const fn rods(compliance: f64) -> Self {
        Self { stiffness: Stiffness::Compliance(compliance), damping: SpringDamping::None }
    }
}

/// How stiff a spring is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stiffness {
    /// k (N/m), the same for every length.
    PerLength(f64),
    /// Y (N), `k = Y/l`.
    PerStrain(f64),
    /// α (m/N), `k = 1/α`: a rod, rigid at 0.
    Compliance(f64),
}

/// How a spring is damped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SpringDamping {
    /// Not at all.
    None,
    /// β (N·s/m).
    PerVelocity(f64),
    /// k_d (N·s), `β = k_d/l`.
    PerStrainRate(f64),
}

/// A physical scene, compiled.
#[derive(Default)]
pub struct Model {
    rest: Vec<Point>,
    masses: Vec<f64>,
    elements: Vec<Box<dyn Elements>>,
    dampers: Vec<Box<dyn Dampers>>,
    triangles: Vec<[u32; 3]>,
    tetrahedra: Vec<[u32; 4]>,
    pins: Vec<Pin>,
    fixed: Vec<[bool; 3]>,
    hold: Hold,
    places: Vec<Motion>,
    gravity: Point,
    forces: Vec<Point>,
    ether: Option<Ether>,
    air: Air,
    obstacles: Vec<Obstacle>,
    bodies: Vec<Body>,
    joints: Vec<Joint>,
    tethers: Vec<Tether>,
    /// Obstacles and bodies.
    solids: Vec<Obstacle>,
    contact_stiffness: Option<f64>,
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
        Self { gravity: Point::new(0.0, -9.81, 0.0), versions, ..Self::default() }
    }

    // Particles

    /// Adds a particle at its rest position with a mass (kg); returns its index.
    pub fn add_particle(&mut self, rest: Point, mass: f64) -> Result<u32, Invalid> {
        let index = self.rest.len();
        if !rest.is_finite() {
            return invalid(format!("particle {index}: its position must be finite"));
        }
        check_mass(index, mass)?;
        if index >= u32::MAX as usize {
            return invalid("a model holds at most 4294967295 particles");
        }
        self.rest.push(rest);
        self.masses.push(mass);
        self.fixed.push([false; 3]);
        self.versions.topology += 1;
        Ok(index as u32)
    }

    /// The number of particles.
    pub fn particles(&self) -> usize {
        self.rest.len()
    }

    /// Rest positions (m).
    pub fn rest(&self) -> &[Point] {
        &self.rest
    }

    /// Masses (kg).
    pub fn masses(&self) -> &[f64] {
        &self.masses
    }

    /// Changes a mass (kg). Elements that were given a mass of their own, such as a weight or an
    /// attractor, keep it.
    pub fn set_mass(&mut self, particle: u32, mass: f64) -> Result<(), Invalid> {
        self.check_particle(particle)?;
        check_mass(particle as usize, mass)?;
        self.masses[particle as usize] = mass;
        self.versions.values += 1;
        Ok(())
    }

    /// The inverse mass (1/kg) along an axis: zero where pinned.
    pub fn inverse_mass(&self, particle: usize, axis: usize) -> f64 {
        if self.fixed[particle][axis] { 0.0 } else { 1.0 / self.masses[particle] }
    }

    // Elements

    /// Adds an element of any law. Rest values are computed from the rest positions unless given.
    pub fn add_element(
        &mut self,
        law: &LawInfo,
        corners: &[u32],
        rest: Option<&[f64]>,
        material: &[f64],
    ) -> Result<ElementId, Invalid> {
        self.push_element(law, corners, rest, material, None)
    }

    fn push_element(
        &mut self,
        law: &LawInfo,
        corners: &[u32],
        rest: Option<&[f64]>,
        material: &[f64],
        place: Option<u32>,
    ) -> Result<ElementId, Invalid> {
        for &corner in corners {
            self.check_particle(corner)?;
        }
        let batch = match self
            .elements
            .iter()
            .position(|batch| (batch.law().identity)() == (law.identity)())
        {
            Some(batch) => batch,
            None => {
                self.elements.push((law.batch)());
                self.elements.len() - 1
            }
        };
        let index = self.elements[batch].push(corners, rest, material, place, &self.rest)?;
        // An element of one particle couples nothing: the pattern stays.
        if corners.len() > 1 {
            self.versions.topology += 1;
        } else {
            self.versions.values += 1;
        }
        Ok(ElementId { batch, index })
    }

    /// Adds a spring of stiffness `k` (N/m); `rest_length` (m) from the rest positions if `None`.
    pub fn add_spring(
        &mut self,
        i: u32,
        j: u32,
        k: f64,
        rest_length: Option<f64>,
    ) -> Result<ElementId, Invalid> {
        let family = SpringFamily::stiffness(k);
        self.add_spring_of(i, j, &family, rest_length)
    }

    /// Adds a spring with the coefficients and damping of a family.
    pub fn add_spring_of(
        &mut self,
        i: u32,
        j: u32,
        family: &SpringFamily,
        rest_length: Option<f64>,
    ) -> Result<ElementId, Invalid> {
        let rest = rest_length.map(|l| [l]);
        let rest = rest.as_ref().map(|r| &r[..]);
        // The damper first: where either is refused, neither is added.
        match family.damping {
            SpringDamping::None => {}
            SpringDamping::PerVelocity(beta) => {
                let dashpot = crate::dampers::info::<Dashpot, 2, 0, 1>();
                self.add_damper(&dashpot, &[i, j], None, &[beta])?;
            }
            SpringDamping::PerStrainRate(kd) => {
                let dashpot = crate::dampers::info::<StrainDashpot, 2, 1, 1>();
                self.add_damper(&dashpot, &[i, j], rest, &[kd])?;
            }
        }
        match family.stiffness {
            Stiffness::PerLength(k) => {
                self.add_element(&crate::laws::info::<Spring, 2, 1, 1>(), &[i, j], rest, &[k])
            }
            Stiffness::PerStrain(y) => {
                self.add_element(&crate::laws::info::<StrainSpring, 2, 1, 1>(), &[i, j], rest, &[y])
            }
            Stiffness::Compliance(alpha) => {
                self.add_element(&crate::laws::info::<Rod, 2, 1, 1>(), &[i, j], rest, &[alpha])
            }
        }
    }

    /// All elements, one batch per law.
    pub fn elements(&self) -> &[Box<dyn Elements>] {
        &self.elements
    }

    /// The law and index of the first rigid element, which has constraints but no energy.
    pub fn first_rigid(&self) -> Option<(&'static str, usize)> {
        self.elements.iter().find_map(|batch| Some((batch.law().name, batch.rigid()?)))
    }

    /// Changes the material values of one group of a batch.
    pub fn set_material(
        &mut self,
        batch: usize,
        group: usize,
        values: &[f64],
    ) -> Result<(), Invalid> {
        match self.elements.get_mut(batch) {
            Some(batch) => batch.set_material(group, values)?,
            None => return invalid(format!("there is no element batch {batch}")),
        }
        self.versions.values += 1;
        Ok(())
    }

    /// Adds a damper of any kind.
    pub fn add_damper(
        &mut self,
        kind: &DamperInfo,
        corners: &[u32],
        rest: Option<&[f64]>,
        material: &[f64],
    ) -> Result<(), Invalid> {
        for &corner in corners {
            self.check_particle(corner)?;
        }
        let batch = match self
            .dampers
            .iter()
            .position(|batch| (batch.kind().identity)() == (kind.identity)())
        {
            Some(batch) => batch,
            None => {
                self.dampers.push((kind.batch)());
                self.dampers.len() - 1
            }
        };
        self.dampers[batch].push(corners, rest, material, &self.rest)?;
        self.versions.topology += 1;
        Ok(())
    }

    /// All dampers, one batch per kind.
    pub fn dampers(&self) -> &[Box<dyn Dampers>] {
        &self.dampers
    }

    /// Which particles elements and dampers couple, without the dense parts of [`Elements::rank_ones`].
    pub fn pattern(&self) -> Pattern {
        let elements =
            self.elements.iter().flat_map(|b| (0..b.couplings()).map(move |e| b.coupled(e)));
        let dampers = self.dampers.iter().flat_map(|b| (0..b.len()).map(move |e| b.corners(e)));
        Pattern::new(self.particles(), elements.chain(dampers))
    }

    // Surface

    /// Adds a triangle of the surface: drawn, blown on, exported.
    pub fn add_triangle(&mut self, corners: [u32; 3]) -> Result<(), Invalid> {
        for corner in corners {
            self.check_particle(corner)?;
        }
        self.triangles.push(corners);
        self.versions.topology += 1;
        Ok(())
    }

    /// The triangles of the surface.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Adds a tetrahedron of the volume.
    pub fn add_tetrahedron(&mut self, corners: [u32; 4]) -> Result<(), Invalid> {
        for corner in corners {
            self.check_particle(corner)?;
        }
        self.tetrahedra.push(corners);
        self.versions.topology += 1;
        Ok(())
    }

    /// The tetrahedra of the volume.
    pub fn tetrahedra(&self) -> &[[u32; 4]] {
        &self.tetrahedra
    }

    /// The volume of each particle (m³): a quarter of every tetrahedron at it.
    pub fn volumes(&self) -> Vec<f64> {
        let mut volumes = vec![0.0; self.particles()];
        for corners in &self.tetrahedra {
            let [a, b, c, d] = corners.map(|corner| self.rest[corner as usize]);
            let volume = ((b - a).cross(c - a).dot(d - a) / 6.0).abs();
            for &corner in corners {
                volumes[corner as usize] += 0.25 * volume;
            }
        }
        volumes
    }

    /// How much freedom inextensible edges would leave the surface.
    pub fn locking(&self) -> Locking {
        Locking::of(&self.triangles)
    }

    // Pins and places

    /// Pins a particle along the given axes to a motion.
    pub fn pin(&mut self, particle: u32, axes: [bool; 3], motion: Motion) -> Result<(), Invalid> {
        self.check_particle(particle)?;
        if axes == [false; 3] {
            return invalid(format!("the pin of particle {particle} holds no axis"));
        }
        if self.fixed[particle as usize] != [false; 3] {
            return invalid(format!("particle {particle} is pinned twice"));
        }
        if !motion.is_finite() {
            return invalid(format!("the pin of particle {particle} must be somewhere finite"));
        }
        self.versions.pins += 1;
        self.pins.push(Pin { particle, axes, motion, serial: self.versions.pins });
        self.fixed[particle as usize] = axes;
        Ok(())
    }

    /// Pins a particle where it rests.
    pub fn pin_at_rest(&mut self, particle: u32) -> Result<(), Invalid> {
        self.check_particle(particle)?;
        self.pin(particle, [true; 3], Motion::still(self.rest[particle as usize]))
    }

    /// Releases a pinned particle.
    pub fn unpin(&mut self, particle: u32) {
        self.pins.retain(|pin| pin.particle != particle);
        if let Some(fixed) = self.fixed.get_mut(particle as usize) {
            *fixed = [false; 3];
        }
        self.versions.pins += 1;
    }

    /// The pins.
    pub fn pins(&self) -> &[Pin] {
        &self.pins
    }

    /// Which coordinates are pinned.
    pub fn fixed(&self) -> &[[bool; 3]] {
        &self.fixed
    }

    /// How pins are held.
    pub fn hold(&self) -> Hold {
        self.hold
    }

    /// Changes how pins are held.
    pub fn set_hold(&mut self, hold: Hold) {
        self.hold = hold;
        self.versions.pins += 1;
    }

    /// Adds a place that attachments and attractors refer to; returns its index.
    pub fn add_place(&mut self, motion: Motion) -> Result<u32, Invalid> {
        if !motion.is_finite() {
            return invalid("a place must be somewhere finite");
        }
        self.places.push(motion);
        self.versions.forces += 1;
        Ok((self.places.len() - 1) as u32)
    }

    /// The places and how they move.
    pub fn places(&self) -> &[Motion] {
        &self.places
    }

    /// Lets a place move in another way from now on.
    pub fn move_place(&mut self, place: u32, motion: Motion) -> Result<(), Invalid> {
        if !motion.is_finite() {
            return invalid("a place must be somewhere finite");
        }
        match self.places.get_mut(place as usize) {
            Some(own) => *own = motion,
            None => return invalid(format!("there is no place {place}")),
        }
        self.versions.forces += 1;
        Ok(())
    }

    /// Adds an element of one particle whose first three rest values are a place. The remaining
    /// rest values are the particle's mass where the law has them.
    pub fn add_placed(
        &mut self,
        law: &LawInfo,
        particle: u32,
        place: u32,
        material: &[f64],
    ) -> Result<ElementId, Invalid> {
        self.check_particle(particle)?;
        let Some(motion) = self.places.get(place as usize) else {
            return invalid(format!("there is no place {place}"));
        };
        let p = motion.at(0.0);
        let rest = [p.x, p.y, p.z, self.masses[particle as usize]];
        let placed = law.corners == 1 && law.rest_values >= 3;
        let Some(rest) = rest.get(..law.rest_values).filter(|_| placed) else {
            return invalid(format!("the law {} does not refer to a place", law.name));
        };
        self.push_element(law, &[particle], Some(rest), material, Some(place))
    }

    /// Attaches a particle to a place by a spring of zero length, `w` in N/m: a pin by penalty, or
    /// a grab.
    pub fn attach(&mut self, particle: u32, place: u32, w: f64) -> Result<ElementId, Invalid> {
        self.add_placed(&crate::laws::info::<Attachment, 1, 3, 1>(), particle, place, &[w])
    }

    /// Removes every element that refers to a place; later elements of its batch move up.
    pub fn detach(&mut self, place: u32) {
        for batch in &mut self.elements {
            batch.remove_placed(place);
        }
        self.versions.values += 1;
    }

    // Chains

    /// Adds a chain whose ends follow places and which carries pins; returns its index.
    pub fn add_chain(&mut self, rig: Rig) -> Result<usize, Invalid> {
        rig.check(self.particles(), self.places.len())?;
        self.chains.push(rig);
        self.versions.forces += 1;
        Ok(self.chains.len() - 1)
    }

    /// The chains.
    pub fn chains(&self) -> &[Rig] {
        &self.chains
    }

    // Forces

    /// Gravity (m/s²).
    pub fn gravity(&self) -> Point {
        self.gravity
    }

    /// Changes gravity (m/s²).
    pub fn set_gravity(&mut self, gravity: Point) -> Result<(), Invalid> {
        if !gravity.is_finite() {
            return invalid("gravity must be finite");
        }
        self.gravity = gravity;
        self.versions.forces += 1;
        Ok(())
    }

    /// Adds a constant force (N) to a particle.
    pub fn add_force(&mut self, particle: u32, force: Point) -> Result<(), Invalid> {
        self.check_particle(particle)?;
        if !force.is_finite() {
            return invalid(format!("the force on particle {particle} must be finite"));
        }
        self.forces.resize(self.rest.len(), Point::ZERO);
        self.forces[particle as usize] += force;
        self.versions.forces += 1;
        Ok(())
    }

    /// Gravity and constant forces on a particle (N).
    pub fn load(&self, particle: usize) -> Point {
        let constant = self.forces.get(particle).copied().unwrap_or(Point::ZERO);
        self.gravity * self.masses[particle] + constant
    }

    /// The constant force on a particle (N).
    pub fn force(&self, particle: usize) -> Point {
        self.forces.get(particle).copied().unwrap_or(Point::ZERO)
    }

    /// Whether any particle has a constant force.
    pub fn has_constant_forces(&self) -> bool {
        !self.forces.is_empty()
    }

    /// Drag of the whole space on velocities.
    pub fn ether(&self) -> Option<Ether> {
        self.ether
    }

    /// Changes the drag of the whole space.
    pub fn set_ether(&mut self, ether: Option<Ether>) -> Result<(), Invalid> {
        ether.map_or(Ok(()), Ether::check)?;
        self.ether = ether;
        self.versions.forces += 1;
        Ok(())
    }

    /// The wind.
    pub fn air(&self) -> &Air {
        &self.air
    }

    /// Changes the wind.
    pub fn set_air(&mut self, air: Air) -> Result<(), Invalid> {
        air.check()?;
        self.air = air;
        self.versions.forces += 1;
        Ok(())
    }

    /// Adds an obstacle for particles.
    pub fn add_obstacle(&mut self, obstacle: Obstacle) -> Result<(), Invalid> {
        self.add_obstacles(vec![obstacle])
    }

    /// Adds many obstacles, or none where one of them makes no sense: in one go, as each alone has to make room before
    /// the rigid bodies.
    pub fn add_obstacles(&mut self, obstacles: Vec<Obstacle>) -> Result<(), Invalid> {
        obstacles.iter().try_for_each(Obstacle::check)?;
        let before = self.obstacles.len();
        self.solids.splice(before..before, obstacles.iter().cloned());
        self.obstacles.extend(obstacles);
        self.versions.forces += 1;
        Ok(())
    }

    /// The obstacles.
    pub fn obstacles(&self) -> &[Obstacle] {
        &self.obstacles
    }

    /// How stiffly a particle within an obstacle's thickness is pressed out, κ (N/m), for methods that hold
    /// contact in their solve. `None`: of each particle, so that its own weight settles it by a thousandth of
    /// the thickness, and not less than elements hold it.
    pub fn contact_stiffness(&self) -> Option<f64> {
        self.contact_stiffness
    }

    /// Changes κ (N/m).
    pub fn set_contact_stiffness(&mut self, stiffness: Option<f64>) -> Result<(), Invalid> {
        if let Some(stiffness) = stiffness.filter(|value| !value.is_finite() || *value <= 0.0) {
            return invalid(format!("the contact stiffness must be > 0 N/m (got {stiffness})"));
        }
        self.contact_stiffness = stiffness;
        self.versions.forces += 1;
        Ok(())
    }

    /// How often what was edited.
    pub fn versions(&self) -> Versions {
        self.versions
    }

    fn check_particle(&self, particle: u32) -> Result<(), Invalid> {
        if (particle as usize) < self.rest.len() {
            return Ok(());
        }
        let count = self.rest.len();
        invalid(format!("there is no particle {particle}: the model has {count} particles"))
    }
}

fn check_mass(index: usize, mass: f64) -> Result<(), Invalid> {
    if mass.is_finite() && mass > 0.0 {
        return Ok(());
    }
    invalid(format!("particle {index}: mass must be a finite number > 0 (got {mass})"))
}
