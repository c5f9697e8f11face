//! Meshes from files of other programs.

use std::path::Path;

/// A mesh as plain arrays. Every index is below `positions.len()` and every number is finite.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Vertex positions (m).
    pub positions: Vec<[f64; 3]>,
    /// Triangles.
    pub triangles: Vec<[u32; 3]>,
    /// Tetrahedra.
    pub tets: Vec<[u32; 4]>,
    /// Named vertex groups.
    pub groups: Vec<(String, Vec<u32>)>,
    /// What was changed or left out on load, one sentence each.
    pub notes: Vec<String>,
}

/// Bounds that a file may not exceed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Number of vertices.
    pub vertices: usize,
    /// Number of edges, triangles and tetrahedra together.
    pub elements: usize,
    /// Size of the file (bytes).
    pub bytes: u64,
}

/// Why a mesh cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportError(String);

impl std::fmt::Display for ImportError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ImportError {}

/// Reads a mesh, choosing the format by the file's extension.
pub fn read(path: &Path, _limits: &Limits) -> Result<Mesh, ImportError> {
    Err(ImportError(format!("{}: no reader for mesh files is built in", path.display())))
}
