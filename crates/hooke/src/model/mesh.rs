//! Unstructured meshes: one spring per edge, and across each interior edge of a surface one more.

use super::{ContactMaterial, Model, ModelError, Particles, SpringFamily, invalid_shape};
use crate::math::{Vec3, is_flat_tetrahedron, is_flat_triangle, longest_edge};
use std::collections::{BTreeMap, BTreeSet};

/// A triangle mesh as cloth.
#[derive(Clone, Debug)]
pub struct TriangleMesh<'a> {
    /// Vertices (m).
    pub positions: &'a [Vec3],
    /// Triangles.
    pub triangles: &'a [[u32; 3]],
    /// The mass of the whole (kg), a third of each triangle's share at its corners.
    pub mass: f64,
    /// Springs along edges.
    pub structural: Option<SpringFamily>,
    /// Springs across interior edges, between the opposite vertices.
    pub bend: Option<SpringFamily>,
}

/// A tetrahedral mesh as a lattice of springs. Edge springs do not see inversion.
#[derive(Clone, Debug)]
pub struct TetrahedronMesh<'a> {
    /// Vertices (m).
    pub positions: &'a [Vec3],
    /// Tetrahedra.
    pub tetrahedra: &'a [[u32; 4]],
    /// The mass of the whole (kg), a quarter of each tetrahedron's share at its corners.
    pub mass: f64,
    /// Springs along edges.
    pub structural: Option<SpringFamily>,
}

impl TriangleMesh<'_> {
    /// Adds particles, springs and triangles to a model; returns its particles, one for each vertex.
    pub fn add_to(&self, model: &mut Model) -> Result<Particles, ModelError> {
        let mut shares = Vec::with_capacity(self.triangles.len());
        let mut edges: BTreeMap<(u32, u32), Vec<u32>> = BTreeMap::new();
        let mut seen = BTreeSet::new();
        for (index, triangle) in self.triangles.iter().enumerate() {
            let [a, b, c] = *triangle;
            let [x, y, z] = corners(self.positions, triangle, "triangle", index)?;
            let area = 0.5 * (y - x).cross(z - x).norm();
            if !area.is_finite() || !longest_edge(&[x, y, z]).is_finite() {
                return invalid_shape(format!(
                    "triangle {index} {triangle:?} is too large for its area"
                ));
            }
            if is_flat_triangle([x, y, z]) {
                return invalid_shape(format!("triangle {index} {triangle:?} has no area"));
            }
            shares.push(area);
            let mut key = *triangle;
            key.sort_unstable();
            if !seen.insert(key) {
                return invalid_shape(format!("triangle {index} {triangle:?} is there twice"));
            }
            for (i, j, opposite) in [(a, b, c), (b, c, a), (c, a, b)] {
                let across = edges.entry((i.min(j), i.max(j))).or_default();
                across.push(opposite);
                if across.len() > 2 {
                    return invalid_shape(format!(
                        "the edge between vertices {i} and {j} belongs to three triangles; \
                         a cloth's edges have at most two"
                    ));
                }
            }
        }
        let first = add_particles(model, self.positions, self.triangles, &shares, self.mass)?;
        if let Some(family) = &self.structural {
            for &(i, j) in edges.keys() {
                model.add_spring_of(first + i, first + j, family, None)?;
            }
        }
        if let Some(family) = &self.bend {
            // Two vertices may lie opposite across several edges, or share one.
            let mut pairs = BTreeSet::new();
            for across in edges.values() {
                if let [i, j] = across[..]
                    && !edges.contains_key(&(i.min(j), i.max(j)))
                {
                    pairs.insert((i.min(j), i.max(j)));
                }
            }
            for (i, j) in pairs {
                model.add_spring_of(first + i, first + j, family, None)?;
            }
        }
        for triangle in self.triangles {
            model.add_triangle(triangle.map(|i| first + i))?;
        }
        let particles = Particles { first, count: model.particles() as u32 - first };
        model.add_deformable(particles, ContactMaterial::default())?;
        Ok(particles)
    }
}

impl TetrahedronMesh<'_> {
    /// Adds particles, springs, tetrahedra and their outer triangles to a model; returns
    /// its particles, one for each vertex.
    pub fn add_to(&self, model: &mut Model) -> Result<Particles, ModelError> {
        let mut shares = Vec::with_capacity(self.tetrahedra.len());
        let mut edges = BTreeSet::new();
        let mut seen = BTreeSet::new();
        // The outward face of a tetrahedron, and how many share it.
        let mut faces: BTreeMap<[u32; 3], ([u32; 3], u32)> = BTreeMap::new();
        for (index, tetrahedron) in self.tetrahedra.iter().enumerate() {
            let [a, b, c, d] = *tetrahedron;
            let [x0, x1, x2, x3] = corners(self.positions, tetrahedron, "tetrahedron", index)?;
            let volume = (x1 - x0).cross(x2 - x0).dot(x3 - x0) / 6.0;
            let name = || format!("tetrahedron {index} {tetrahedron:?}");
            if !volume.is_finite() || !longest_edge(&[x0, x1, x2, x3]).is_finite() {
                return invalid_shape(format!("{} is too large for its volume", name()));
            }
            if is_flat_tetrahedron([x0, x1, x2, x3]) {
                return invalid_shape(format!("{} has no volume", name()));
            }
            let mut key = *tetrahedron;
            key.sort_unstable();
            if !seen.insert(key) {
                return invalid_shape(format!("{} is there twice", name()));
            }
            shares.push(volume.abs());
            for (i, j) in [(a, b), (a, c), (a, d), (b, c), (b, d), (c, d)] {
                edges.insert((i.min(j), i.max(j)));
            }
            for face in [[a, c, b], [a, b, d], [a, d, c], [b, c, d]] {
                let outward = if volume > 0.0 { face } else { [face[0], face[2], face[1]] };
                let mut key = face;
                key.sort_unstable();
                let (_, sharing) = faces.entry(key).or_insert((outward, 0));
                *sharing += 1;
                if *sharing > 2 {
                    return invalid_shape(format!(
                        "the face of vertices {}, {} and {} belongs to three tetrahedra; a body's \
                         faces have at most two",
                        key[0], key[1], key[2]
                    ));
                }
            }
        }
        let first = add_particles(model, self.positions, self.tetrahedra, &shares, self.mass)?;
        if let Some(family) = &self.structural {
            for &(i, j) in &edges {
                model.add_spring_of(first + i, first + j, family, None)?;
            }
        }
        for tetrahedron in self.tetrahedra {
            model.add_tetrahedron(tetrahedron.map(|i| first + i))?;
        }
        // A face of two tetrahedra is inside.
        for (face, _) in faces.values().filter(|(_, sharing)| *sharing == 1) {
            model.add_triangle(face.map(|i| first + i))?;
        }
        let particles = Particles { first, count: model.particles() as u32 - first };
        model.add_deformable(particles, ContactMaterial::default())?;
        Ok(particles)
    }
}

fn corners<const N: usize>(
    positions: &[Vec3],
    element: &[u32; N],
    kind: &str,
    index: usize,
) -> Result<[Vec3; N], ModelError> {
    let mut out = [Vec3::ZERO; N];
    for (k, &i) in element.iter().enumerate() {
        match positions.get(i as usize) {
            Some(&x) if !element[..k].contains(&i) => out[k] = x,
            Some(_) => return invalid_shape(format!("{kind} {index} names vertex {i} twice")),
            None => {
                let count = positions.len();
                return invalid_shape(format!(
                    "{kind} {index} refers to vertex {i}, but the mesh has {count} vertices"
                ));
            }
        }
    }
    Ok(out)
}

/// Adds the vertices, each with its share of the mass.
fn add_particles<const N: usize>(
    model: &mut Model,
    positions: &[Vec3],
    elements: &[[u32; N]],
    shares: &[f64],
    mass: f64,
) -> Result<u32, ModelError> {
    let first = model.particles() as u32;
    let whole: f64 = shares.iter().sum();
    let mut masses = vec![0.0; positions.len()];
    for (element, share) in elements.iter().zip(shares) {
        for &i in element {
            masses[i as usize] += mass * share / (whole * N as f64);
        }
    }
    for (i, (&x, &m)) in positions.iter().zip(&masses).enumerate() {
        if m == 0.0 {
            return invalid_shape(format!(
                "vertex {i} belongs to no element and would have no mass"
            ));
        }
        model.add_particle(x, m)?;
    }
    Ok(first)
}
