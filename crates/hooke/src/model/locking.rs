//! The locking report: how much freedom inextensible edges would leave a surface.
//!
//! For a triangulated surface of Euler characteristic χ with n_b boundary edges,
//! `n_edges = 3(n_v − χ) − n_b`, so stiff edges leave `3 n_v − n_edges = 3χ + n_b` degrees of
//! freedom, six of them rigid: they stop the cloth from bending.

use std::collections::{HashMap, HashSet};

/// Counts of a triangulated surface and what they mean for bending.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Locking {
    /// Vertices used by triangles.
    pub vertices: usize,
    /// Edges.
    pub edges: usize,
    /// Edges with one triangle.
    pub boundary: usize,
    /// Triangles.
    pub triangles: usize,
}

impl Locking {
    /// Counts a surface.
    pub fn of(triangles: &[[u32; 3]]) -> Self {
        let mut vertices = HashSet::new();
        let mut edges: HashMap<(u32, u32), usize> = HashMap::new();
        for &[a, b, c] in triangles {
            vertices.extend([a, b, c]);
            for (i, j) in [(a, b), (b, c), (c, a)] {
                *edges.entry((i.min(j), i.max(j))).or_default() += 1;
            }
        }
        Self {
            vertices: vertices.len(),
            edges: edges.len(),
            boundary: edges.values().filter(|&&count| count == 1).count(),
            triangles: triangles.len(),
        }
    }

    /// The Euler characteristic χ.
    pub fn euler(&self) -> i64 {
        self.vertices as i64 - self.edges as i64 + self.triangles as i64
    }

    /// Degrees of freedom left by inextensible edges, rigid motions included.
    pub fn limits(&self) -> i64 {
        3 * self.vertices as i64 - self.edges as i64
    }

    /// The share of the particles' 3n degrees of freedom that is left.
    pub fn ratio(&self) -> f64 {
        if self.vertices == 0 {
            return 1.0;
        }
        self.limits() as f64 / (3 * self.vertices) as f64
    }
}
