//! Writes recorded simulations for other programs.
//!
//! A recording is anything that implements [`Frames`]; [`export`] streams it frame by frame into
//! one of the [`Format`]s. Files appear under their names only when they are complete. Positions
//! are meters with the y axis up, velocities meters per second, times seconds.

mod error;
mod files;
mod glb;
mod npz;
mod obj;
mod pc2;
mod ply;
mod pvd;
mod shape;
mod source;
mod usda;

use hooke::rigid::RigidBodyState;
use std::fmt;
use std::path::{Path, PathBuf};

pub use error::ExportError;
use source::Source;

/// Coordinates beyond this, in meters, are refused by formats of 32-bit floats: differences of
/// two such numbers still fit.
const LARGEST_SINGLE: f64 = 1e38;

/// How particles hang together, constant over a recording.
#[derive(Debug, Clone, Copy, Default)]
pub struct Topology<'a> {
    /// Triangles by particle index. They are what renderers show, when there are any.
    pub triangles: &'a [[u32; 3]],
    /// Springs by particle index, drawn as lines when there are neither triangles nor tetrahedra.
    pub edges: &'a [[u32; 2]],
    /// Tetrahedra by particle index. Without triangles, renderers show their common surface.
    pub tets: &'a [[u32; 4]],
    /// One texture coordinate per particle, origin at the lower left.
    pub uvs: Option<&'a [[f64; 2]]>,
    /// The surface of each rigid body among the particles: its first vertex, and the first after it.
    pub rigid_bodies: &'a [[u32; 2]],
}

/// The state of all particles at one time.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Frame {
    /// Time in seconds.
    pub time: f64,
    /// Positions in meters, one per particle.
    pub positions: Vec<[f64; 3]>,
    /// Velocities in meters per second, one per particle.
    pub velocities: Vec<[f64; 3]>,
    /// Where rigid bodies are and how they move, as many as the topology has.
    pub rigid_bodies: Vec<RigidBodyState>,
}

/// A recording that can be read frame by frame, some formats read it more than once.
pub trait Frames {
    /// Number of frames.
    fn len(&self) -> usize;
    /// Whether there are no frames.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Number of particles, the same in all frames.
    fn particles(&self) -> usize;
    /// Frames a second of simulated time.
    fn fps(&self) -> f64;
    /// How the particles hang together.
    fn topology(&self) -> Topology<'_>;
    /// Replaces the content of `frame` by frame `index`, which is below [`len`](Self::len).
    fn read(&mut self, index: usize, frame: &mut Frame) -> Result<(), ExportError>;
    /// What the recording is called in files that hold a name.
    fn name(&self) -> &str;
}

/// A format a recording can be exported to, described by its exporter's own file.
#[derive(Debug, Clone, Copy)]
pub struct Format {
    /// The name users type, and the ending of its files.
    pub name: &'static str,
    /// What it is.
    pub title: &'static str,
    /// Who reads it.
    pub readers: &'static str,
    /// What files it makes.
    pub files: Files,
    write: fn(&mut Source, &Path) -> error::Result<Report>,
}

/// What files an exporter makes of a recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Files {
    /// One.
    One,
    /// One that names or needs others beside it.
    Several,
    /// A folder with one per frame.
    PerFrame,
}

impl Format {
    /// All formats, in the order they are listed to users; the first is what is made where nobody
    /// chooses.
    pub const ALL: &[Self] = &[
        glb::FORMAT,
        usda::FORMAT,
        pc2::FORMAT,
        pvd::FORMAT,
        npz::FORMAT,
        obj::FORMAT,
        ply::FORMAT,
    ];

    /// A format by its name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|format| format.name == name)
    }

    /// The usual target for a recording called `stem`: a file name, or a folder name for the
    /// formats with one file per frame.
    pub fn file_name(self, stem: &str) -> String {
        match self.files {
            Files::PerFrame => format!("{stem}_{}", self.name),
            Files::One | Files::Several => format!("{stem}.{}", self.name),
        }
    }
}

impl PartialEq for Format {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Format {}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name)
    }
}

/// What an export wrote.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// The files written, the one to open first.
    pub files: Vec<PathBuf>,
    /// What differs from the recording, one sentence each.
    pub notes: Vec<String>,
}

/// Exports a recording to `target`: a file, or a folder for formats of one file per frame.
///
/// `progress` is called after each frame with the steps done and the steps in all, which are more
/// than the frames for formats that are written in several passes. Existing files are replaced;
/// an existing folder only if it holds an earlier export and nothing else.
pub fn export(
    frames: &mut dyn Frames,
    format: Format,
    target: &Path,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Report, ExportError> {
    (format.write)(&mut Source::new(frames, progress)?, target)
}
