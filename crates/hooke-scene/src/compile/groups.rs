//! Named groups of a body's vertices, found on its rest shape.

use super::shape::Shape;
use crate::format::{Deformable, Group, Vertices};
use crate::problem::{Sink, SourceOffset};
use crate::words::{count, hint, number};
use hooke::Vec3;
use std::collections::{BTreeMap, HashSet};

/// The vertices of each group, as particles of the model, ascending.
#[derive(Clone, Debug, Default)]
pub(crate) struct Groups(BTreeMap<String, Vec<u32>>);

impl Groups {
    /// Finds a body's groups; its particles start at `first`.
    pub(super) fn of(body: &Deformable, shape: &Shape, first: u32, sink: &mut Sink) -> Self {
        let mut groups = BTreeMap::new();
        for (name, vertices) in &shape.groups {
            groups.insert(name.clone(), vertices.iter().map(|vertex| first + vertex).collect());
        }
        for (name, group) in &body.groups {
            let tail = format!("groups.{name}");
            if groups.contains_key(name) {
                sink.error_in(body.source_offset, tail, "the mesh file already names a group so");
                continue;
            }
            let Some(mut vertices) = select(group, shape, sink) else { continue };
            vertices.sort_unstable();
            vertices.dedup();
            if vertices.is_empty() {
                sink.warning_in(
                    body.source_offset,
                    tail,
                    format!("contains no vertex{}", why(group, shape)),
                );
            }
            groups.insert(name.clone(), vertices.iter().map(|vertex| first + vertex).collect());
        }
        Self(groups)
    }

    pub(super) fn get(&self, name: &str) -> Option<&[u32]> {
        self.0.get(name).map(Vec::as_slice)
    }

    /// The group that the field `tail` of a table names, or a message.
    pub(super) fn find(
        &self,
        name: &str,
        location: SourceOffset,
        tail: &str,
        sink: &mut Sink,
    ) -> Option<&[u32]> {
        if let Some(group) = self.get(name) {
            return Some(group);
        }
        if sink.enough() {
            return None;
        }
        let hint = match self.0.is_empty() {
            true => "; the deformable has no groups".into(),
            false => hint(name, self.0.keys().map(String::as_str)),
        };
        sink.error_in(location, tail, format!("there is no group {name:?}{hint}"));
        None
    }

    /// The particles that either `group` or `at` of a table names.
    pub(super) fn chosen(
        &self,
        group: Option<&str>,
        at: Option<&Vertices>,
        particles: std::ops::Range<u32>,
        location: SourceOffset,
        sink: &mut Sink,
    ) -> Option<Vec<u32>> {
        if let Some(name) = group {
            return self.find(name, location, "group", sink).map(<[u32]>::to_vec);
        }
        let vertices = at.map(|vertices| vertices.0.as_slice()).unwrap_or_default();
        let count = particles.end - particles.start;
        if vertices.is_empty() {
            sink.warning_in(location, "at", "names no vertex");
        }
        let mut chosen = Vec::with_capacity(vertices.len());
        let mut seen = HashSet::with_capacity(vertices.len());
        for (index, vertex) in vertices.iter().enumerate() {
            let tail = || if vertices.len() > 1 { format!("at[{index}]") } else { "at".into() };
            if *vertex >= count {
                sink.error_in(location, tail(), no_vertex(*vertex, count as usize));
                return None;
            }
            if seen.insert(*vertex) {
                chosen.push(particles.start + vertex);
            } else {
                let sentence = format!("names vertex {vertex} twice; it counts once");
                sink.warning_in(location, tail(), sentence);
            }
        }
        Some(chosen)
    }
}

/// What to say about a vertex that a body does not have.
pub(super) fn no_vertex(vertex: u32, vertices: usize) -> String {
    let vertices = count(vertices as u64, "vertex", "vertices");
    format!("there is no vertex {vertex}: the deformable has {vertices}")
}

/// The vertices of a group, or a message.
fn select(group: &Group, shape: &Shape, sink: &mut Sink) -> Option<Vec<u32>> {
    let wanted = |keep: &dyn Fn(Vec3) -> bool| -> Vec<u32> {
        (0u32..).zip(&shape.positions).filter(|(_, x)| keep(**x)).map(|(i, _)| i).collect()
    };
    Some(if let Some(plane) = &group.plane {
        let normal = plane.normal.unit();
        if normal == Vec3::ZERO {
            sink.error_in(plane.source_offset, "normal", "must not be zero");
            return None;
        }
        wanted(&|x| (x - plane.point).dot(normal).abs() <= plane.within)
    } else if let Some([low, high]) = group.r#box {
        wanted(&|x| (0..3).all(|axis| (low[axis]..=high[axis]).contains(&x[axis])))
    } else if group.border.is_some() {
        border(&shape.triangles)
    } else if let Some(Vertices(vertices)) = &group.vertices {
        let count = shape.positions.len();
        if let Some(index) = vertices.iter().position(|vertex| *vertex as usize >= count) {
            let tail =
                if vertices.len() > 1 { format!("vertices[{index}]") } else { "vertices".into() };
            sink.error_in(group.source_offset, tail, no_vertex(vertices[index], count));
            return None;
        }
        vertices.clone()
    } else {
        let points = group.nearest.as_deref().unwrap_or_default();
        points.iter().filter_map(|location| nearest_vertex(*location, &shape.positions)).collect()
    })
}

/// Why a group holds no vertex, where that is plain.
fn why(group: &Group, shape: &Shape) -> String {
    if group.border.is_some() && shape.triangles.is_empty() {
        return ": the deformable has no triangles".into();
    }
    if let Some([low, high]) = group.r#box
        && let Some(axis) = (0..3).find(|&axis| low[axis] > high[axis])
    {
        let (name, low, high) = (["x", "y", "z"][axis], number(low[axis]), number(high[axis]));
        return format!(": the box goes down along {name}, from {low} to {high}");
    }
    String::new()
}

fn nearest_vertex(location: Vec3, positions: &[Vec3]) -> Option<u32> {
    let distance = |x: Vec3| (x - location).norm2();
    (0u32..).zip(positions).min_by(|a, b| distance(*a.1).total_cmp(&distance(*b.1))).map(|(i, _)| i)
}

/// The vertices of edges with one triangle.
fn border(triangles: &[[u32; 3]]) -> Vec<u32> {
    let mut edges: BTreeMap<[u32; 2], u32> = BTreeMap::new();
    for &[a, b, c] in triangles {
        for [i, j] in [[a, b], [b, c], [c, a]] {
            *edges.entry([i.min(j), i.max(j)]).or_default() += 1;
        }
    }
    edges.into_iter().filter(|(_, count)| *count == 1).flat_map(|(edge, _)| edge).collect()
}
