//! Unstructured meshes: one spring per edge, and across each interior edge of a surface one more.

use super::{Invalid, Model, SpringFamily, invalid};
use crate::math::Point;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// An element of less area or volume than this, relative to its longest edge, has none: rounding
/// makes up the rest.
const FLAT: f64 = 1e-14;

/// Whether a triangle has no area.
pub fn is_flat_triangle(corners: [Point; 3]) -> bool {
    let [a, b, c] = corners;
    let longest = longest(&corners);
    0.5 * (b - a).cross(c - a).norm() <= FLAT * longest * longest
}

/// Whether a tetrahedron has no volume.
pub fn is_flat_tetrahedron(corners: [Point; 4]) -> bool {
    let [a, b, c, d] = corners;
    let longest = longest(&corners);
    (b - a).cross(c - a).dot(d - a).abs() / 6.0 <= FLAT * longest * longest * longest
}

/// A triangle mesh as cloth.
#[derive(Clone, Debug)]
pub struct TriangleMesh<'a> {
    /// Vertices (m).
    pub positions: &'a [Point],
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
    pub positions: &'a [Point],
    /// Tetrahedra.
    pub tetrahedra: &'a [[u32; 4]],
    /// The mass of the whole (kg), a quarter of each tetrahedron's share at its corners.
    pub mass: f64,
    /// Springs along edges.
    pub structural: Option<SpringFamily>,
}

impl TriangleMesh<'_> {
    /// Adds particles, springs and triangles to a model; returns the particles.
    pub fn add_to(&self, model: &mut Model) -> Result<Range<u32>, Invalid> {
        let mut shares = Vec::with_capacity(self.triangles.len());
        let mut edges: BTreeMap<(u32, u32), Vec<u32>> = BTreeMap::new();
        let mut seen = BTreeSet::new();
        for (index, triangle) in self.triangles.iter().enumerate() {
            let [a, b, c] = *triangle;
            let [x, y, z] = corners(self.positions, triangle, "triangle", index)?;
            let area = 0.5 * (y - x).cross(z - x).norm();
            if !area.is_finite() || !longest(&[x, y, z]).is_finite() {
                return invalid(format!("triangle {index} {triangle:?} is too large for its area"));
            }
            if is_flat_triangle([x, y, z]) {
                return invalid(format!("triangle {index} {triangle:?} has no area"));
            }
            shares.push(area);
            let mut key = *triangle;
            key.sort_unstable();
            if !seen.insert(key) {
                return invalid(format!("triangle {index} {triangle:?} is there twice"));
            }
            for (i, j, opposite) in [(a, b, c), (b, c, a), (c, a, b)] {
                let across = edges.entry((i.min(j), i.max(j))).or_default();
                across.push(opposite);
                if across.len() > 2 {
                    return invalid(format!(
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
        Ok(first..model.particles() as u32)
    }
}

impl TetrahedronMesh<'_> {
    /// Adds particles, springs, tetrahedra and their outer triangles to a model; returns the
    /// particles.
    pub fn add_to(&self, model: &mut Model) -> Result<Range<u32>, Invalid> {
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
            if !volume.is_finite() || !longest(&[x0, x1, x2, x3]).is_finite() {
                return invalid(format!("{} is too large for its volume", name()));
            }
            if is_flat_tetrahedron([x0, x1, x2, x3]) {
                return invalid(format!("{} has no volume", name()));
            }
            let mut key = *tetrahedron;
            key.sort_unstable();
            if !seen.insert(key) {
                return invalid(format!("{} is there twice", name()));
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
                    return invalid(format!(
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
        Ok(first..model.particles() as u32)
    }
}

/// The greatest distance (m) between two corners.
fn longest(corners: &[Point]) -> f64 {
    let from = |(k, &a): (usize, &Point)| corners[..k].iter().map(move |&b| (b - a).norm());
    corners.iter().enumerate().flat_map(from).fold(0.0, f64::max)
}

fn corners<const N: usize>(
    positions: &[Point],
    element: &[u32; N],
    kind: &str,
    index: usize,
) -> Result<[Point; N], Invalid> {
    let mut out = [Point::ZERO; N];
    for (k, &i) in element.iter().enumerate() {
        match positions.get(i as usize) {
            Some(&x) if !element[..k].contains(&i) => out[k] = x,
            Some(_) => return invalid(format!("{kind} {index} names vertex {i} twice")),
            None => {
                let count = positions.len();
                return invalid(format!(
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
    positions: &[Point],
    elements: &[[u32; N]],
    shares: &[f64],
    mass: f64,
) -> Result<u32, Invalid> {
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
            return invalid(format!("vertex {i} belongs to no element and would have no mass"));
        }
        model.add_particle(x, m)?;
    }
    Ok(first)
}
