//! Tetrahedral meshes made here: blocks, balls and tori, every tetrahedron of positive volume.
//!
//! One file per shape. A mesh goes into a model through [`TetrahedronMesh`](super::TetrahedronMesh),
//! which gives each vertex a quarter of every tetrahedron at it and tells vertices that have none.

mod ball;
mod block;
mod torus;

pub use ball::Ball;
pub use block::Block;
pub use torus::Torus;

use super::{ModelError, invalid_shape, too_many};
use crate::math::Vec3;
use std::collections::BTreeMap;

/// A tetrahedral mesh.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Solid {
    /// Vertices (m).
    pub positions: Vec<Vec3>,
    /// Tetrahedra of positive volume: seen from the first corner, the others turn counter-clockwise
    /// about the direction to them.
    pub tetrahedra: Vec<[u32; 4]>,
}

impl Solid {
    /// The volume (m³).
    pub fn volume(&self) -> f64 {
        let volume = |corners: &[u32; 4]| volume(corners.map(|i| self.positions[i as usize]));
        self.tetrahedra.iter().map(volume).sum()
    }

    /// Its skin: the vertices of the surface alone, and the triangles between them, which face
    /// outwards and leave no gap.
    pub fn skin(&self) -> (Vec<Vec3>, Vec<[u32; 3]>) {
        let mut triangles = surface(&self.tetrahedra);
        let mut new = vec![None; self.positions.len()];
        let mut positions = Vec::new();
        for corner in triangles.as_flattened_mut() {
            let old = *corner as usize;
            *corner = *new[old].get_or_insert_with(|| {
                positions.push(self.positions[old]);
                positions.len() as u32 - 1
            });
        }
        (positions, triangles)
    }

    /// Turns every tetrahedron to positive volume.
    fn rotated(mut self) -> Self {
        for corners in &mut self.tetrahedra {
            if volume(corners.map(|i| self.positions[i as usize])) < 0.0 {
                corners.swap(2, 3);
            }
        }
        self
    }
}

/// The volume (m³) of a tetrahedron, negative where it is inside out.
pub fn volume([a, b, c, d]: [Vec3; 4]) -> f64 {
    (b - a).cross(c - a).dot(d - a) / 6.0
}

/// The triangles that belong to one tetrahedron only, facing outwards where volumes are positive;
/// ascending by their vertices.
pub fn surface(tetrahedra: &[[u32; 4]]) -> Vec<[u32; 3]> {
    let mut faces: BTreeMap<[u32; 3], ([u32; 3], u32)> = BTreeMap::new();
    for &[a, b, c, d] in tetrahedra {
        for face in [[a, c, b], [a, b, d], [a, d, c], [b, c, d]] {
            let mut key = face;
            key.sort_unstable();
            faces.entry(key).or_insert((face, 0)).1 += 1;
        }
    }
    faces.into_values().filter(|(_, sharing)| *sharing == 1).map(|(face, _)| face).collect()
}

/// The sharpest and the bluntest angle between two faces of a tetrahedron, as cosines: of a regular
/// one, both are 1/3.
pub fn dihedral_cosines([a, b, c, d]: [Vec3; 4]) -> [f64; 2] {
    // Outward normals of positively turned corners.
    let normal = |p: Vec3, q: Vec3, r: Vec3| (q - p).cross(r - p).unit();
    let normals = [normal(a, c, b), normal(a, b, d), normal(a, d, c), normal(b, c, d)];
    let mut ends = [f64::MIN, f64::MAX];
    for (index, one) in normals.iter().enumerate() {
        for other in &normals[..index] {
            let cosine = -one.dot(*other);
            ends = [ends[0].max(cosine), ends[1].min(cosine)];
        }
    }
    ends
}

/// Refuses counts of which one is zero, or so large that vertices cannot be numbered.
fn check_counts(kind: &str, counts: &[(&str, u32, u32)], vertices: u128) -> Result<(), ModelError> {
    for (name, count, least) in counts {
        if count < least {
            return invalid_shape(format!("a {kind} needs at least {least} {name} (got {count})"));
        }
    }
    if vertices > u128::from(u32::MAX) {
        return too_many(format!("a {kind} of {vertices} vertices is too large"));
    }
    Ok(())
}
