//! A recording with its stage: any moment of it as a picture, all of it as an export.

use crate::{MediaError, Stage};
use hooke::model::Surface;
use hooke_render::{Bounds, Image, Settings};
use hooke_scene::Scene;
use hooke_scene::export::{self, ExportError, Frames, Topology};
use hooke_scene::format::Style;
use hooke_scene::recording::{FILE, Header, Reader};
use std::cell::OnceCell;
use std::path::Path;

/// A recording being shown.
pub struct Clip {
    reader: Reader,
    stage: Stage,
    bounds: Bounds,
    /// For exports only.
    surfaces: OnceCell<Surfaces>,
}

struct Surfaces {
    /// Triangles of the particles, and those of rigid bodies, whose vertices come after all particles.
    triangles: Vec<[u32; 3]>,
    /// The vertices of each rigid body, from and to.
    rigid_bodies: Vec<[u32; 2]>,
}

/// At most this many frames are measured to place the camera.
const MEASURED: u64 = 60;

/// What has grown this much since the start has exploded: the camera does not follow it.
const EXPLODED: f32 = 20.0;

impl Clip {
    /// Opens a recording, or the one in a run's folder.
    pub fn open(path: &Path) -> Result<Self, MediaError> {
        let mut file = path.to_path_buf();
        if path.is_dir() {
            file = path.join(FILE);
            if !file.exists() {
                let sentence = format!("holds no recording ({FILE}); hooke run makes one");
                return Err(MediaError::Unfit(path.to_owned(), sentence));
            }
        }
        let mut reader = Reader::open(&file)?;
        if reader.frames() == 0 {
            return Err(MediaError::Unfit(file, "has no whole frame".into()));
        }
        let folder = file.parent().unwrap_or(Path::new(""));
        let header = reader.header();
        let scene = Scene::parse_in(header.scene.as_str(), header.title.as_str(), folder)?;
        let stage = Stage::new(header, &scene);
        let mut bounds = reader.frame(0).map_or(Bounds::EMPTY, |frame| stage.bounds(&frame));
        let most = EXPLODED * extent(&bounds);
        let stride = reader.frames().div_ceil(MEASURED).max(1);
        for index in (0..reader.frames()).step_by(stride as usize) {
            // A damaged frame is told when it is asked for.
            let Ok(frame) = reader.frame(index) else { continue };
            let own = stage.bounds(&frame);
            if extent(&own) <= most || bounds.is_empty() {
                bounds = bounds.union(&own);
            }
        }
        Ok(Self { reader, stage, bounds, surfaces: OnceCell::new() })
    }

    /// Draws something else than the scene asks for.
    pub fn draw_as(&mut self, style: Style) {
        self.stage.draw_as(style);
    }

    /// Whether there is nothing to show.
    pub fn is_bare(&self) -> bool {
        let header = self.reader.header();
        header.particles == 0 && header.rigid_bodies.is_empty()
    }

    /// Whole frames of the recording.
    pub fn frames(&self) -> u64 {
        self.reader.frames()
    }

    /// Recorded frames per second.
    pub fn fps(&self) -> f64 {
        self.reader.header().fps
    }

    /// The frame a single picture shows: the scene's moment, or the last.
    pub fn moment(&self) -> u64 {
        let last = self.frames() - 1;
        match self.stage.moment() {
            Some(seconds) => ((seconds * self.fps()).round().max(0.0) as u64).min(last),
            None => last,
        }
    }

    /// A frame as a picture.
    pub fn image(&mut self, index: u64, settings: &Settings) -> Result<Image, MediaError> {
        let frame = self.reader.frame(index)?;
        let first = index.saturating_sub(self.stage.trails() as u64);
        let past: Result<Vec<_>, _> = (first..index).map(|k| self.reader.frame(k)).collect();
        self.stage.draw(&frame, &past?, &self.bounds, settings)
    }
}

/// The greatest side of a box (m), not below a centimeter.
fn extent(bounds: &Bounds) -> f32 {
    (0..3).map(|k| bounds.max[k] - bounds.min[k]).fold(0.01, f32::max)
}

/// The surface of every rigid body.
fn rigid_surfaces(header: &Header) -> impl Iterator<Item = &Surface> {
    header.rigid_bodies.iter().filter_map(|surface| header.surfaces.get(*surface as usize))
}

fn all_surfaces(header: &Header) -> Surfaces {
    let (mut triangles, mut rigid_bodies) = (header.triangles.clone(), Vec::new());
    let mut first = header.particles as u32;
    for surface in rigid_surfaces(header) {
        triangles.extend(surface.triangles.iter().map(|t| t.map(|corner| first + corner)));
        let end = first + surface.vertices.len() as u32;
        rigid_bodies.push([first, end]);
        first = end;
    }
    Surfaces { triangles, rigid_bodies }
}

impl Frames for Clip {
    fn len(&self) -> usize {
        self.reader.frames() as usize
    }

    fn particles(&self) -> usize {
        let header = self.reader.header();
        header.particles as usize
            + rigid_surfaces(header).map(|it| it.vertices.len()).sum::<usize>()
    }

    fn fps(&self) -> f64 {
        self.reader.header().fps
    }

    fn topology(&self) -> Topology<'_> {
        let header = self.reader.header();
        let Surfaces { triangles, rigid_bodies } =
            self.surfaces.get_or_init(|| all_surfaces(header));
        Topology {
            triangles,
            edges: &header.edges,
            tets: &header.tetrahedra,
            uvs: None,
            rigid_bodies,
        }
    }

    fn read(&mut self, index: usize, frame: &mut export::Frame) -> Result<(), ExportError> {
        let recorded = self.reader.frame(index as u64)?;
        frame.time = recorded.time;
        frame.positions.clear();
        frame.positions.extend(recorded.positions.iter().map(|x| x.to_array()));
        frame.velocities.clear();
        frame.velocities.extend(recorded.velocities.iter().map(|v| v.to_array()));
        let surfaces = rigid_surfaces(self.reader.header());
        for (surface, moving) in surfaces.zip(&recorded.rigid_bodies) {
            for x in surface.placed(&moving.pose) {
                let arm = x - moving.pose.position;
                frame.positions.push(x.to_array());
                frame.velocities.push(moving.twist.at(arm).to_array());
            }
        }
        frame.rigid_bodies.clone_from(&recorded.rigid_bodies);
        Ok(())
    }

    fn name(&self) -> &str {
        &self.reader.header().title
    }
}
