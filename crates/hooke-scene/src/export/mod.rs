//! Writes recorded simulations for other programs.
//!
//! A recording is anything that implements [`Frames`]; [`export`] streams it frame by frame into
//! one of the [`Format`]s. Files appear under their names only when they are complete. Positions
//! are metres with the y axis up, velocities metres per second, times seconds.

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

use hooke::bodies::Moving;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

pub use error::ExportError;
use source::Source;

/// Coordinates beyond this, in metres, are refused by formats of 32-bit floats: differences of
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
    pub bodies: &'a [[u32; 2]],
}

/// The state of all particles at one time.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Frame {
    /// Time in seconds.
    pub time: f64,
    /// Positions in metres, one per particle.
    pub positions: Vec<[f64; 3]>,
    /// Velocities in metres per second, one per particle.
    pub velocities: Vec<[f64; 3]>,
    /// Further named quantities, one value per particle each.
    pub scalars: Vec<(String, Vec<f64>)>,
    /// Where rigid bodies are and how they move, as many as the topology has.
    pub bodies: Vec<Moving>,
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

/// The formats a recording can be exported to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// NumPy archive of double-precision arrays: Python, Julia and MATLAB (through toolboxes).
    Npz,
    /// Binary glTF with morph targets: browsers, Blender, game engines, phones.
    Glb,
    /// Universal Scene Description as text: Houdini, Maya, Blender, Omniverse, usdview.
    Usda,
    /// Point cache with an OBJ beside it: Blender's Mesh Cache, 3ds Max, Cinema 4D.
    Pc2,
    /// VTK time series: ParaView, VisIt, PyVista.
    Pvd,
    /// A folder of Wavefront OBJ files: nearly every modelling program.
    Obj,
    /// A folder of binary PLY files: MeshLab, Blender, Open3D, trimesh.
    Ply,
}

impl Format {
    /// All formats, in the order they are listed to users.
    pub const ALL: [Self; 7] =
        [Self::Npz, Self::Glb, Self::Usda, Self::Pc2, Self::Pvd, Self::Obj, Self::Ply];

    /// The name users type.
    pub fn name(self) -> &'static str {
        match self {
            Self::Npz => "npz",
            Self::Glb => "glb",
            Self::Usda => "usda",
            Self::Pc2 => "pc2",
            Self::Pvd => "pvd",
            Self::Obj => "obj",
            Self::Ply => "ply",
        }
    }

    /// One sentence for users: what it is and who reads it.
    pub fn about(self) -> &'static str {
        match self {
            Self::Npz => "NumPy arrays in double precision, for Python and Julia.",
            Self::Glb => "Binary glTF with morph targets, for browsers, Blender and game engines.",
            Self::Usda => "Universal Scene Description as text, for Houdini, Maya and Blender.",
            Self::Pc2 => "Point cache with an OBJ beside it, for Blender's Mesh Cache and 3ds Max.",
            Self::Pvd => "VTK time series of VTU files, for ParaView, VisIt and PyVista.",
            Self::Obj => "A folder of Wavefront OBJ files, for nearly every modelling program.",
            Self::Ply => "A folder of binary PLY files, for MeshLab, Blender and trimesh.",
        }
    }

    /// The usual target for a recording called `stem`: a file name, or a folder name for the
    /// formats with one file per frame.
    pub fn file_name(self, stem: &str) -> String {
        match self {
            Self::Obj | Self::Ply => format!("{stem}_{}", self.name()),
            _ => format!("{stem}.{}", self.name()),
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that is none of the [`Format`]s.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{}` is no export format; the formats are {}", name.escape_debug(), Format::ALL.map(Format::name).join(", "))]
pub struct UnknownFormat {
    /// What was given instead.
    pub name: String,
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        (Self::ALL.into_iter())
            .find(|format| format.name().eq_ignore_ascii_case(name))
            .ok_or_else(|| UnknownFormat { name: name.to_owned() })
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

/// Exports a recording to `target`: a file, or a folder for [`Format::Obj`] and [`Format::Ply`].
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
    let mut source = Source::new(frames, progress)?;
    match format {
        Format::Npz => npz::write(&mut source, target),
        Format::Glb => glb::write(&mut source, target),
        Format::Usda => usda::write(&mut source, target),
        Format::Pc2 => pc2::write(&mut source, target),
        Format::Pvd => pvd::write(&mut source, target),
        Format::Obj => obj::write(&mut source, target),
        Format::Ply => ply::write(&mut source, target),
    }
}
