//! Meshes as shapes, of a scene's own lists or of a file: through the engine's builders, with what
//! those do not take told before.

use super::groups::no_vertex;
use super::shape::{Shape, harvest, mark};
use crate::format::Deformable;
use crate::problem::Sink;
use hooke::Vec3;
use hooke::model::{Model, ModelError, TetrahedronMesh, TriangleMesh};

/// Tells corners that are no vertex or occur twice, with their location in the text.
pub(super) fn check_elements<const N: usize>(
    elements: &[[u32; N]],
    vertices: usize,
    body: &Deformable,
    field: &str,
    sink: &mut Sink,
) -> Option<()> {
    for (index, element) in elements.iter().enumerate() {
        for (k, &corner) in element.iter().enumerate() {
            let sentence = if corner as usize >= vertices {
                no_vertex(corner, vertices)
            } else if element[..k].contains(&corner) {
                format!("names vertex {corner} twice")
            } else {
                continue;
            };
            sink.error_in(body.source_offset, format!("{field}[{index}][{k}]"), sentence);
            return None;
        }
    }
    Some(())
}

/// Tells vertices that no element uses.
pub(super) fn tell_unused<const N: usize>(
    positions: &[Vec3],
    elements: &[[u32; N]],
    element: &str,
    tell: &mut dyn FnMut(String),
) {
    let location = Used::of(positions, elements).location;
    let mut unused = (0..location.len()).filter(|&vertex| location[vertex].is_none());
    match (unused.next(), unused.count()) {
        (None, _) => {}
        (Some(first), 0) => tell(format!("vertex {first} belongs to no {element}")),
        (Some(first), more) => {
            let all = more + 1;
            tell(format!("{all} vertices belong to no {element}; the first is vertex {first}"));
        }
    }
}

/// The shape of a surface.
pub(super) fn of_triangles(
    positions: &[Vec3],
    triangles: &[[u32; 3]],
    wanted: [bool; 3],
) -> Result<Shape, ModelError> {
    let used = Used::of(positions, triangles);
    let (own, triangles) = (used.positions(positions), used.elements(triangles));
    let mut model = Model::new();
    let (structural, bend) = (mark(0, wanted[0]), mark(2, wanted[2]));
    TriangleMesh { positions: &own, triangles: &triangles, mass: 1.0, structural, bend }
        .add_to(&mut model)?;
    let area = |&[a, b, c]: &[u32; 3]| {
        let [a, b, c] = [a, b, c].map(|i| model.rest()[i as usize]);
        0.5 * (b - a).cross(c - a).norm()
    };
    Ok(used.restore(harvest(&model, triangles.iter().map(area).sum()), positions))
}

/// The shape of a solid.
pub(super) fn of_tetrahedra(
    positions: &[Vec3],
    tetrahedra: &[[u32; 4]],
    wanted: [bool; 3],
) -> Result<Shape, ModelError> {
    let used = Used::of(positions, tetrahedra);
    let (own, tetrahedra) = (used.positions(positions), used.elements(tetrahedra));
    let mut model = Model::new();
    let structural = mark(0, wanted[0]);
    TetrahedronMesh { positions: &own, tetrahedra: &tetrahedra, mass: 1.0, structural }
        .add_to(&mut model)?;
    Ok(used.restore(harvest(&model, model.volumes().iter().sum()), positions))
}

/// The vertices that elements use, in order. The engine's builders take no others, for those would
/// have no mass; a scene may give them one.
struct Used {
    vertices: Vec<u32>,
    /// The index of each vertex among them.
    location: Vec<Option<u32>>,
}

impl Used {
    fn of<const N: usize>(positions: &[Vec3], elements: &[[u32; N]]) -> Self {
        let mut location = vec![None; positions.len()];
        for &corner in elements.as_flattened() {
            if let Some(location) = location.get_mut(corner as usize) {
                *location = Some(0);
            }
        }
        let vertices: Vec<u32> = (0u32..)
            .zip(&location)
            .filter(|(_, location)| location.is_some())
            .map(|(i, _)| i)
            .collect();
        for (new, &old) in (0u32..).zip(&vertices) {
            location[old as usize] = Some(new);
        }
        Self { vertices, location }
    }

    fn positions(&self, positions: &[Vec3]) -> Vec<Vec3> {
        self.vertices.iter().map(|&vertex| positions[vertex as usize]).collect()
    }

    /// Elements by the indices of their corners; a corner that is no vertex stays none.
    fn elements<const N: usize>(&self, elements: &[[u32; N]]) -> Vec<[u32; N]> {
        let location = |corner: u32| self.location.get(corner as usize).copied().flatten();
        elements.iter().map(|corners| corners.map(|i| location(i).unwrap_or(u32::MAX))).collect()
    }

    /// A shape of the used vertices with all vertices again.
    fn restore(&self, mut shape: Shape, positions: &[Vec3]) -> Shape {
        let old = |corner: &mut u32| *corner = self.vertices[*corner as usize];
        shape.springs.iter_mut().flat_map(|springs| springs.as_flattened_mut()).for_each(old);
        shape.triangles.as_flattened_mut().iter_mut().for_each(old);
        shape.tetrahedra.as_flattened_mut().iter_mut().for_each(old);
        let share = |location: &Option<u32>| {
            location.map_or(0.0, |location| shape.shares[location as usize])
        };
        shape.shares = self.location.iter().map(share).collect();
        shape.positions = positions.to_vec();
        shape
    }
}
