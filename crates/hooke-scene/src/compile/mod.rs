//! From a scene to the engine's model and its start.
//!
//! One file per part: a body's [`shape`], its [`mesh`] and its [`mesh_repair`], the [`solid`]s that the
//! engine makes, its [`groups`], its masses and forces ([`deformable`]), its [`materials`] and their elements
//! ([`continuum`]), its [`springs`], its [`start`] and [`pins`], the [`world`] around all bodies, the
//! [`obstacles`], the [`chains`] with the [`drawing`] of their pens, the [`rigid`] bodies with their
//! [`joints`], and warnings about [`unused_fields`].

mod chains;
mod continuum;
mod deformable;
mod drawing;
mod groups;
mod intersections;
mod joints;
mod materials;
mod mesh;
mod mesh_repair;
mod obstacles;
mod pins;
mod placed;
mod rigid;
mod shape;
mod solid;
mod springs;
mod start;
mod unused_fields;
mod world;

use crate::estimate;
use crate::files::Files;
use crate::format::{Document, MethodChoice};
use crate::limits;
use crate::problem::{Problems, Sink, SourceOffset};
pub use chains::{ChainParts, EndParts};
use groups::Groups;
use hooke::model::{AnchorId, ElementId};
use hooke::{Model, State, Vec3};
pub use rigid::RigidParts;
use shape::Size;
use std::ops::Range;

/// A scene, compiled.
pub struct Compiled {
    /// The physical scene.
    pub model: Model,
    /// Where it starts.
    pub start: State,
    /// Every spring, and every bone of a chain, as a pair of particles in the order of the scene: what is
    /// drawn.
    pub edges: Vec<[u32; 2]>,
    /// The bodies.
    pub deformables: Vec<DeformableParts>,
    /// The chains, their particles after those of bodies.
    pub chains: Vec<ChainParts>,
    /// The rigid bodies, as they are written: each with those it repeats.
    pub rigid: Vec<RigidParts>,
    /// Which elements refer to which anchor.
    pub(crate) placed: Vec<(ElementId, AnchorId)>,
    /// What a run is estimated to take at its peak (bytes).
    pub memory: u64,
    /// What may not be as meant.
    pub warnings: Problems,
}

impl Compiled {
    /// Whether there are rigid bodies and no particles, so that no method for particles is used.
    pub fn is_rigid_alone(&self) -> bool {
        self.model.particles() == 0 && !self.model.rigid_bodies().is_empty()
    }
}

/// Which particles belong to a body.
#[derive(Clone, Debug)]
pub struct DeformableParts {
    /// Its name, empty where it has none.
    pub name: String,
    /// Its particles.
    pub particles: Range<u32>,
    pub(crate) groups: Groups,
}

impl DeformableParts {
    /// The particles of a named group.
    pub fn group(&self, name: &str) -> Option<&[u32]> {
        self.groups.get(name)
    }
}

/// Compiles a scene; what is wrong goes to the sink. Where the run ends (s) is given if its length
/// is the file's own: a run cut short from outside leaves some of the scene unused on purpose.
pub(crate) fn compile(
    document: &Document,
    text: u64,
    files: &Files,
    memory: Option<u64>,
    end: Option<f64>,
    sink: &mut Sink,
) -> Option<Compiled> {
    let mut compiled = Compiled {
        model: Model::new(),
        start: State::default(),
        edges: Vec::new(),
        deformables: Vec::new(),
        chains: Vec::new(),
        rigid: Vec::new(),
        placed: Vec::new(),
        memory: 0,
        warnings: Problems::default(),
    };
    if document.deformables.is_empty()
        && document.chains.is_empty()
        && document.rigid_bodies.is_empty()
    {
        sink.warning_in(SourceOffset::ROOT, "deformables", "there are none: nothing will move");
    }
    let mut counts = Counts {
        particles: 0,
        fill: estimate::Fill::default(),
        elements: 0,
        choices: 0,
        rigid: 0,
        surfaces: 0,
        points: 0,
        text,
        method: &document.method,
        memory: memory.unwrap_or(u64::MAX),
        exceeded: false,
    };
    for body in &document.deformables {
        deformable::add(body, files, &mut compiled, &mut counts, sink);
        if counts.exceeded {
            return None;
        }
    }
    chains::add(document, files, &mut compiled, &mut counts, sink);
    if counts.exceeded {
        return None;
    }
    rigid::add(document, files, &mut compiled, &mut counts, sink);
    if counts.exceeded {
        return None;
    }
    joints::add(document, &mut compiled, sink);
    compiled.memory = counts.bytes();
    world::add(document, &mut compiled, &mut counts, sink);
    if counts.exceeded {
        return None;
    }
    obstacles::add(document, files, &mut compiled, &mut counts, sink);
    if counts.exceeded {
        return None;
    }
    rigid::tell_overlaps(document, &compiled, sink);
    intersections::refuse(document, &compiled, sink);
    if let Some(camera) = document.view.camera.as_ref().filter(|camera| camera.from == camera.to) {
        sink.error_in(camera.source_offset, "to", "is the same point as from");
    }
    unused_fields::tell(document, &compiled, end, sink);
    compiled.start.velocities.resize(compiled.model.particles(), Vec3::ZERO);
    compiled.start.joints = chains::at_rest(&compiled);
    (!sink.failed()).then_some(compiled)
}

/// What all bodies ask for together.
struct Counts<'a> {
    particles: u64,
    /// What they put into a method's system.
    fill: estimate::Fill,
    elements: u64,
    choices: u64,
    /// Rigid bodies.
    rigid: u64,
    /// Their surfaces: one for all copies of a body.
    surfaces: u64,
    /// Points that pens go through.
    points: u64,
    /// Bytes of the scene's text.
    text: u64,
    method: &'a MethodChoice,
    /// The most bytes.
    memory: u64,
    exceeded: bool,
}

impl Counts<'_> {
    /// What a run of it takes.
    fn bytes(&self) -> u64 {
        estimate::memory(self.particles, self.elements, self.fill, self.method)
            + estimate::RIGID * self.rigid
            + estimate::SURFACE * self.surfaces
            + estimate::POINT * self.points
            + estimate::CHOICE * self.choices
            + estimate::TEXT * self.text
    }

    /// How many bytes are left to take.
    fn room(&self) -> u64 {
        self.memory.saturating_sub(self.bytes())
    }

    /// Adds points that a pen goes through; `false` where that is too many.
    fn add_points(&mut self, points: u64, location: SourceOffset, sink: &mut Sink) -> bool {
        self.points = self.points.saturating_add(points);
        self.check(location, sink)
    }

    /// Adds rigid bodies; `false` where that is too many.
    fn add_rigid(&mut self, bodies: u64, location: SourceOffset, sink: &mut Sink) -> bool {
        self.rigid = self.rigid.saturating_add(bodies);
        self.surfaces += 1;
        self.check(location, sink)
    }

    /// Adds what a body asks for; `false` where that is too much.
    fn add(&mut self, size: Size, location: SourceOffset, sink: &mut Sink) -> bool {
        self.particles = self.particles.saturating_add(size.vertices);
        self.fill = self.fill.and(size.fill);
        self.elements = self.elements.saturating_add(size.elements);
        self.check(location, sink)
    }

    /// Adds what is looked through to find the vertices of groups, pins and so on; `false` where
    /// that is too much.
    fn choose(
        &mut self,
        vertices: u64,
        searches: u64,
        location: SourceOffset,
        sink: &mut Sink,
    ) -> bool {
        self.choices = self.choices.saturating_add(vertices.saturating_mul(searches));
        self.check(location, sink)
    }

    fn check(&mut self, location: SourceOffset, sink: &mut Sink) -> bool {
        for (count, most, what) in [
            (self.particles, limits::PARTICLES, "particles"),
            (self.elements, limits::ELEMENTS, "elements, dampers, triangles and tetrahedra"),
            (self.choices, limits::CHOICES, "choices among vertices"),
            (self.rigid, limits::RIGID, "rigid bodies"),
        ] {
            if count > most {
                sink.limit(
                    location,
                    format!("brings the scene to {count} {what}, the limit is {most}"),
                );
                self.exceeded = true;
                return false;
            }
        }
        let bytes = self.bytes();
        if bytes > self.memory {
            let [needed, most] = [bytes, self.memory].map(estimate::bytes);
            let parts = [
                (self.particles, format!("particles under {}", self.method.info.name)),
                (self.rigid, "rigid bodies".into()),
                (self.points, "points that pens draw".into()),
            ];
            let parts: Vec<_> = parts.iter().filter(|(count, _)| *count > 0).collect();
            let parts: Vec<_> =
                parts.iter().map(|(count, what)| format!("{count} {what}")).collect();
            let what = if parts.is_empty() { "its text".into() } else { parts.join(" and ") };
            sink.limit(
                location,
                format!(
                    "needs about {needed} for {what}, the limit is {most}; --memory changes it"
                ),
            );
            self.exceeded = true;
            return false;
        }
        true
    }
}
