//! Named groups of a body's vertices, found on its rest shape.

use super::shape::Shape;
use crate::format::{Body, Group, Vertices};
use crate::nearest;
use crate::problem::{Place, Sink};
use hooke::Point;
use std::collections::BTreeMap;

/// The vertices of each group, as particles of the model, ascending.
#[derive(Clone, Debug, Default)]
pub(crate) struct Groups(BTreeMap<String, Vec<u32>>);

impl Groups {
    /// Finds a body's groups; its particles start at `first`.
    pub(super) fn of(body: &Body, shape: &Shape, first: u32, sink: &mut Sink) -> Self {
        let mut groups = BTreeMap::new();
        for (name, vertices) in &shape.groups {
            groups.insert(name.clone(), vertices.iter().map(|vertex| first + vertex).collect());
        }
        for (name, group) in &body.groups {
            let tail = format!("groups.{name}");
            if groups.contains_key(name) {
                sink.error_in(body.spot, tail, "the mesh file already names a group so");
                continue;
            }
            let mut vertices = select(group, shape, sink);
            vertices.sort_unstable();
            vertices.dedup();
            if vertices.is_empty() {
                sink.warning_in(body.spot, tail, "holds no vertex");
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
        place: Place,
        tail: &str,
        sink: &mut Sink,
    ) -> Option<&[u32]> {
        if let Some(group) = self.get(name) {
            return Some(group);
        }
        if sink.enough() {
            return None;
        }
        let names: Vec<_> = self.0.keys().map(String::as_str).collect();
        let hint = match nearest(name, names.iter().copied()) {
            Some(near) => format!("did you mean {near:?}?"),
            None if names.is_empty() => "the body has no groups".into(),
            None => format!("there are: {}", names.join(", ")),
        };
        sink.error_in(place, tail, format!("there is no group {name:?}; {hint}"));
        None
    }

    /// The particles that either `group` or `at` of a table names.
    pub(super) fn chosen(
        &self,
        group: Option<&str>,
        at: Option<&Vertices>,
        particles: std::ops::Range<u32>,
        place: Place,
        sink: &mut Sink,
    ) -> Option<Vec<u32>> {
        if let Some(name) = group {
            return self.find(name, place, "group", sink).map(<[u32]>::to_vec);
        }
        let vertices = at.map(|vertices| vertices.0.as_slice()).unwrap_or_default();
        let count = particles.end - particles.start;
        for (index, vertex) in vertices.iter().enumerate() {
            if *vertex >= count {
                let tail = if vertices.len() > 1 { format!("at[{index}]") } else { "at".into() };
                sink.error_in(place, tail, no_vertex(*vertex, count as usize));
                return None;
            }
        }
        Some(vertices.iter().map(|vertex| particles.start + vertex).collect())
    }
}

/// What to say about a vertex that a body does not have.
pub(super) fn no_vertex(vertex: u32, count: usize) -> String {
    format!("there is no vertex {vertex}: the body has {count} vertices")
}

fn select(group: &Group, shape: &Shape, sink: &mut Sink) -> Vec<u32> {
    let wanted = |keep: &dyn Fn(Point) -> bool| -> Vec<u32> {
        (0u32..).zip(&shape.positions).filter(|(_, x)| keep(**x)).map(|(i, _)| i).collect()
    };
    if let Some(plane) = &group.plane {
        let normal = plane.normal.unit();
        if normal == Point::ZERO {
            sink.error_in(plane.spot, "normal", "must not be zero");
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
            sink.error_in(group.spot, tail, no_vertex(vertices[index], count));
            return Vec::new();
        }
        vertices.clone()
    } else {
        let places = group.nearest.as_deref().unwrap_or_default();
        places.iter().filter_map(|place| nearest_vertex(*place, &shape.positions)).collect()
    }
}

fn nearest_vertex(place: Point, positions: &[Point]) -> Option<u32> {
    let distance = |x: Point| (x - place).norm2();
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
