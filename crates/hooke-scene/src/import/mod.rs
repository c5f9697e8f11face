//! Reads meshes from files of other programs.
//!
//! [`read`] chooses the format by the file's extension; each format module also has a `parse`
//! function over bytes. Any bytes give an error or a mesh: memory is bounded by the file's own
//! size and by [`Limits`], counts declared in a file are never trusted, and nothing panics.
//!
//! Coordinates are taken as they are written, without a change of axes or units: glTF prescribes
//! meters and y up, the other formats say nothing.

mod builder;
mod error;
pub mod gltf;
pub mod msh;
pub mod obj;
pub mod ply;
mod reader;
pub mod skeleton;
pub mod stl;
pub mod tetgen;

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

pub use error::{ErrorKind, FileLocation, ImportError};
use error::{Result, quote};

use crate::words;

/// The extensions [`read`] understands, in lower case.
pub const EXTENSIONS: [&str; 8] = ["obj", "ply", "stl", "gltf", "glb", "msh", "node", "ele"];

/// A mesh as plain arrays. Every index is below `positions.len()` and every number is finite.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Mesh {
    /// Vertex positions in the file's unit (meters in glTF).
    pub positions: Vec<[f64; 3]>,
    /// Triangles by vertex index, wound as in the file.
    pub triangles: Vec<[u32; 3]>,
    /// Tetrahedra by vertex index, ordered as in the file.
    pub tets: Vec<[u32; 4]>,
    /// Explicit line elements, if the file has any; the edges of triangles are not listed.
    pub edges: Vec<[u32; 2]>,
    /// One texture coordinate per vertex, origin at the lower left.
    pub uvs: Option<Vec<[f64; 2]>>,
    /// Named vertex groups (`g`, `o` and `usemtl` of OBJ, solids of STL, physical groups of msh,
    /// node and mesh names of glTF, regions and markers of TetGen), each sorted.
    pub groups: Vec<(String, Vec<u32>)>,
    /// What was changed or left out on load, one sentence each.
    pub notes: Vec<String>,
}

/// Bounds that a file may not exceed, so that a hostile one cannot exhaust the memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Number of vertices.
    pub vertices: usize,
    /// Number of edges, triangles and tetrahedra together.
    pub elements: usize,
    /// Size in bytes of the file and all files it refers to, together.
    pub bytes: u64,
}

impl Default for Limits {
    /// 10 million vertices, 50 million elements, 2 GiB.
    fn default() -> Self {
        Self { vertices: 10_000_000, elements: 50_000_000, bytes: 2 << 30 }
    }
}

/// Reads a mesh, choosing the format by the extension (in any case): see [`EXTENSIONS`].
///
/// A `.gltf` may refer to files beside it by plain names; `.node` and `.ele` are read as a pair,
/// whichever of the two is named.
pub fn read(path: &Path, limits: &Limits) -> std::result::Result<Mesh, ImportError> {
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let parse = match extension.as_str() {
        "obj" => obj::parse,
        "ply" => ply::parse,
        "stl" => stl::parse,
        "msh" => msh::parse,
        "gltf" | "glb" => return gltf::read(path, limits),
        "node" | "ele" => return tetgen::read(path, limits),
        other => return Err(unknown_extension(other).in_file(path)),
    };
    let bytes = load(path, limits.bytes)?;
    parse(&bytes, limits).map_err(|error| error.in_file(path))
}

/// The files beside a mesh or skeleton that are read with it: the buffers of a `.gltf`, the other file of TetGen's pair.
pub fn companions(path: &Path) -> Vec<PathBuf> {
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    match extension.as_str() {
        "gltf" => gltf::companions(path),
        "node" | "ele" => tetgen::companions(path),
        _ => Vec::new(),
    }
}

fn unknown_extension(extension: &str) -> ImportError {
    let known = EXTENSIONS.map(|known| format!(".{known}")).join(" ");
    let found = match extension {
        "" => "the file name has no extension".to_owned(),
        other => format!("meshes of type {} cannot be read", quote(other.as_bytes())),
    };
    ImportError::content(FileLocation::File, format!("{found}; convert it to one of {known}"))
}

/// The content of a regular file of at most `limit` bytes.
pub(crate) fn load(path: &Path, limit: u64) -> Result<Vec<u8>> {
    load_unnamed(path, limit).map_err(|error| error.in_file(path))
}

fn load_unnamed(path: &Path, limit: u64) -> Result<Vec<u8>> {
    let failed = |error| ImportError::io(format!("cannot be read: {}", words::io(&error)));
    if !path.metadata().map_err(failed)?.is_file() {
        return Err(ImportError::io("cannot be read: not a regular file"));
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(failed)?;
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > limit {
        let message = format!("more than {limit} bytes; simplify the mesh or raise the limit");
        return Err(ImportError::limit(FileLocation::File, message));
    }
    Ok(bytes)
}
