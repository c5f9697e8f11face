//! Meshes as shapes, of a scene's own lists or of a file: through the engine's builders, with what
//! those do not take told before.

use super::groups::no_vertex;
use super::shape::{Shape, harvest, mark};
use crate::format::Body;
use crate::problem::Sink;
use hooke::Point;
use hooke::model::{Invalid, Model, TetrahedronMesh, TriangleMesh};

/// Tells corners that are no vertex or occur twice, with the place they are written at.
pub(super) fn check_elements<const N: usize>(
    elements: &[[u32; N]],
    vertices: usize,
    body: &Body,
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
            sink.error_in(body.spot, format!("{field}[{index}][{k}]"), sentence);
            return None;
        }
    }
    Some(())
}

/// Tells vertices that no element uses.
pub(super) fn tell_unused<const N: usize>(
    positions: &[Point],
    elements: &[[u32; N]],
    element: &str,
    tell: &mut dyn FnMut(String),
) {
    let place = Used::of(positions, elements).place;
    let mut unused = (0..place.len()).filter(|&vertex| place[vertex].is_none());
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
    positions: &[Point],
    triangles: &[[u32; 3]],
    wanted: [bool; 3],
) -> Result<Shape, Invalid> {
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
    positions: &[Point],
    tetrahedra: &[[u32; 4]],
    wanted: [bool; 3],
) -> Result<Shape, Invalid> {
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
    /// The place of each vertex among them.
    place: Vec<Option<u32>>,
}

impl Used {
    fn of<const N: usize>(positions: &[Point], elements: &[[u32; N]]) -> Self {
        let mut place = vec![None; positions.len()];
        for &corner in elements.as_flattened() {
            if let Some(place) = place.get_mut(corner as usize) {
                *place = Some(0);
            }
        }
        let vertices: Vec<u32> =
            (0u32..).zip(&place).filter(|(_, place)| place.is_some()).map(|(i, _)| i).collect();
        for (new, &old) in (0u32..).zip(&vertices) {
            place[old as usize] = Some(new);
        }
        Self { vertices, place }
    }

    fn positions(&self, positions: &[Point]) -> Vec<Point> {
        self.vertices.iter().map(|&vertex| positions[vertex as usize]).collect()
    }

    /// Elements by the places of their corners; a corner that is no vertex stays none.
    fn elements<const N: usize>(&self, elements: &[[u32; N]]) -> Vec<[u32; N]> {
        let place = |corner: u32| self.place.get(corner as usize).copied().flatten();
        elements.iter().map(|corners| corners.map(|i| place(i).unwrap_or(u32::MAX))).collect()
    }

    /// A shape of the used vertices with all vertices again.
    fn restore(&self, mut shape: Shape, positions: &[Point]) -> Shape {
        let old = |corner: &mut u32| *corner = self.vertices[*corner as usize];
        shape.springs.iter_mut().flat_map(|springs| springs.as_flattened_mut()).for_each(old);
        shape.triangles.as_flattened_mut().iter_mut().for_each(old);
        shape.tetrahedra.as_flattened_mut().iter_mut().for_each(old);
        let share = |place: &Option<u32>| place.map_or(0.0, |place| shape.shares[place as usize]);
        shape.shares = self.place.iter().map(share).collect();
        shape.positions = positions.to_vec();
        shape
    }
}
