//! What of a system is drawn: its triangles, the surface of its tetrahedra, its springs or its
//! bare particles; and the smooth normals of a surface.

use super::Topology;
use super::error::{ExportError, Result};

/// An owned and checked [`Topology`].
pub(super) struct Cells {
    pub(super) triangles: Vec<[u32; 3]>,
    pub(super) edges: Vec<[u32; 2]>,
    pub(super) tets: Vec<[u32; 4]>,
    pub(super) uvs: Option<Vec<[f64; 2]>>,
    /// The surface of each rigid body: its first vertex, and the first after it.
    pub(super) rigid_bodies: Vec<[u32; 2]>,
}

/// The primitives a renderer shows.
pub(super) enum Shape {
    Triangles(Vec<[u32; 3]>),
    Lines(Vec<[u32; 2]>),
    Points,
}

impl Cells {
    pub(super) fn new(topology: &Topology, particles: usize) -> Result<Self> {
        let corners = (topology.triangles.as_flattened().iter())
            .chain(topology.edges.as_flattened())
            .chain(topology.tets.as_flattened());
        if let Some(&corner) = corners.max()
            && corner as usize >= particles
        {
            let message = format!("an element refers to particle {corner} of {particles}");
            return Err(ExportError::Content(message));
        }
        if let Some(uvs) = topology.uvs {
            let finite =
                uvs.as_flattened().iter().all(|value| value.abs() <= super::LARGEST_SINGLE);
            if uvs.len() != particles || !finite {
                let message = "texture coordinates must be finite and one for each particle";
                return Err(ExportError::Content(message.to_owned()));
            }
        }
        Ok(Self {
            triangles: topology.triangles.to_vec(),
            edges: topology.edges.to_vec(),
            tets: topology.tets.to_vec(),
            uvs: topology.uvs.map(<[_]>::to_vec),
            rigid_bodies: topology.rigid_bodies.to_vec(),
        })
    }

    pub(super) fn shape(&self) -> Shape {
        if !self.triangles.is_empty() {
            Shape::Triangles(self.triangles.clone())
        } else if !self.tets.is_empty() {
            Shape::Triangles(surface(&self.tets))
        } else if !self.edges.is_empty() {
            Shape::Lines(self.edges.clone())
        } else {
            Shape::Points
        }
    }
}

/// The faces that belong to one tetrahedron only, wound outwards for tetrahedra of positive volume.
fn surface(tets: &[[u32; 4]]) -> Vec<[u32; 3]> {
    let mut faces: Vec<([u32; 3], [u32; 3])> = tets
        .iter()
        .flat_map(|&[a, b, c, d]| [[a, c, b], [a, b, d], [a, d, c], [b, c, d]])
        .map(|face| {
            let mut key = face;
            key.sort_unstable();
            (key, face)
        })
        .collect();
    faces.sort_unstable();
    faces
        .chunk_by(|(a, _), (b, _)| a == b)
        .filter_map(|same| match same {
            [(_, face)] => Some(*face),
            _ => None,
        })
        .collect()
}

/// Unit normals at the vertices, weighted by area; straight up where a vertex has no area.
pub(super) fn normals(positions: &[[f64; 3]], triangles: &[[u32; 3]]) -> Vec<[f64; 3]> {
    let mut sums = vec![[0.0; 3]; positions.len()];
    for triangle in triangles {
        let [Some(a), Some(b), Some(c)] = triangle.map(|corner| positions.get(corner as usize))
        else {
            continue;
        };
        let [ux, uy, uz] = subtract(*b, *a);
        let [vx, vy, vz] = subtract(*c, *a);
        let area = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
        for &corner in triangle {
            if let Some(sum) = sums.get_mut(corner as usize) {
                *sum = add(*sum, area);
            }
        }
    }
    for sum in &mut sums {
        let length = sum.iter().map(|value| value * value).sum::<f64>().sqrt();
        *sum = if length > 0.0 { sum.map(|value| value / length) } else { [0.0, 1.0, 0.0] };
    }
    sums
}

pub(super) fn add([a, b, c]: [f64; 3], [x, y, z]: [f64; 3]) -> [f64; 3] {
    [a + x, b + y, c + z]
}

pub(super) fn subtract([a, b, c]: [f64; 3], [x, y, z]: [f64; 3]) -> [f64; 3] {
    [a - x, b - y, c - z]
}

pub(super) fn single(vector: [f64; 3]) -> [f32; 3] {
    vector.map(|value| value as f32)
}

/// The smallest box around some vectors, as its lower and upper corner.
pub(super) fn bounds<T: Copy + PartialOrd>(
    vectors: impl IntoIterator<Item = [T; 3]>,
) -> Option<[[T; 3]; 2]> {
    let smaller = |a, b| if b < a { b } else { a };
    let larger = |a, b| if b > a { b } else { a };
    vectors.into_iter().map(|vector| [vector; 2]).reduce(|[low, high], [vector, _]| {
        let ([a, b, c], [d, e, f], [x, y, z]) = (low, high, vector);
        [[smaller(a, x), smaller(b, y), smaller(c, z)], [larger(d, x), larger(e, y), larger(f, z)]]
    })
}
