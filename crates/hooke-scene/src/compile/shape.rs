//! The shape of a body: vertices, families of springs and surface, whatever it was written as.

use super::Counts;
use super::mesh::{check_elements, of_tetrahedra, of_triangles, tell_unused};
use super::mesh_repair::{self, Origin};
use super::solid;
use super::start::out_of_reach;
use crate::estimate::{self, Fill};
use crate::files::{FileName, Files};
use crate::format::{Deformable, Grid, Rope};
use crate::import::{ErrorKind, Limits, Mesh};
use crate::limits;
use crate::problem::{Cause, Sink, SourceOffset};
use hooke::Vec3;
use hooke::laws::Store;
use hooke::model::{self, Model, ModelError, SpringFamily};

/// The families of springs, in the order they are built.
pub(super) const FAMILIES: [&str; 3] = ["structural", "shear", "bend"];

/// A body's vertices and how they are joined, before masses and materials.
#[derive(Default)]
pub(super) struct Shape {
    pub(super) positions: Vec<Vec3>,
    /// Each vertex's share of the whole mass.
    pub(super) shares: Vec<f64>,
    /// Its share where the mass is given per area, if that is another one.
    pub(super) by_area: Option<Vec<f64>>,
    /// What a density is multiplied by: length (m), area (m²) or volume (m³).
    pub(super) measure: f64,
    /// The springs of each of [`FAMILIES`].
    pub(super) springs: [Vec<[u32; 2]>; 3],
    pub(super) triangles: Vec<[u32; 3]>,
    pub(super) tetrahedra: Vec<[u32; 4]>,
    /// Groups that a mesh file names.
    pub(super) groups: Vec<(String, Vec<u32>)>,
}

/// How large a body is.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Size {
    pub(super) vertices: u64,
    /// Springs, elements of laws, dampers, triangles and tetrahedra.
    pub(super) elements: u64,
    /// What it puts into a method's system.
    pub(super) fill: Fill,
}

/// How large a body is, before anything is built; of a mesh file nothing is known yet.
pub(super) fn estimate(body: &Deformable) -> Size {
    let solid = solid::Of::body(body);
    let [vertices, tetrahedra, triangles] = match (&solid, &body.grid, &body.rope) {
        (Some(solid), ..) => solid.counts(),
        (_, Some(grid), _) => {
            let vertices = u64::from(grid.columns) * u64::from(grid.rows);
            [vertices, 0, vertices.saturating_mul(2)]
        }
        (_, _, Some(rope)) => [u64::from(rope.links) + 1, 0, 0],
        _ => {
            let length = |list: Option<usize>| list.unwrap_or(0) as u64;
            [
                length(body.positions.as_ref().map(Vec::len)),
                length(body.tetrahedra.as_ref().map(Vec::len)),
                length(body.triangles.as_ref().map(Vec::len)),
            ]
        }
    };
    let hollow = solid.as_ref().is_some_and(|solid| solid.hollow);
    let vertices = if hollow { triangles / 2 + 2 } else { vertices };
    let filled = tetrahedra > 0 && !hollow;
    let given = (body.springs.len() + body.elements.len()) as u64;
    let mut elements = elements(body, vertices, [tetrahedra, triangles], filled);
    elements = elements.saturating_add(given);
    let fill = match &solid {
        Some(solid) if filled => solid.fill(),
        _ if filled => of_volume(vertices),
        _ => of_surface(body, [vertices, triangles, elements]),
    };
    Size { vertices, elements, fill }
}

/// The fill of tetrahedra that are as wide as they are long.
fn of_volume(vertices: u64) -> Fill {
    Fill::solid(vertices, libm::cbrt(vertices as f64), false)
}

/// The fill of what is no volume, from what joins its vertices.
fn of_surface(body: &Deformable, [vertices, triangles, elements]: [u64; 3]) -> Fill {
    let wanted = |family: bool, neighbors: f64| if family { neighbors } else { 0.0 };
    let made = body.material.is_some();
    if let Some(rope) = &body.rope {
        let bend = wanted(body.bend.is_some(), 2.0);
        return Fill::surface(u64::from(rope.links) + 1, elements, 2.0 + bend, true);
    }
    // Along the edges of triangles, and across them to the next but one.
    let of_triangles = wanted(triangles > 0 && (made || body.membrane.is_some()), 6.0);
    let across = wanted(triangles > 0 && (made || body.bending.is_some()), 11.0);
    let [edges, skips] = if body.grid.is_some() { [4.0, 4.0] } else { [6.0, 6.0] };
    let diagonals = match body.grid.as_ref().map(|grid| grid.diagonals) {
        Some(model::Diagonals::Both) => 4.0,
        _ => 2.0,
    };
    let springs =
        wanted(body.structural.is_some(), edges) + wanted(body.shear.is_some(), diagonals);
    let given = 2.0 * (body.springs.len() + body.elements.len()) as f64 / vertices.max(1) as f64;
    let near = springs.max(of_triangles);
    let far = wanted(body.bend.is_some(), skips).max(across);
    Fill::surface(vertices, elements, near + far + given.min(1e3), false)
}

/// How large a body is, once it is built.
pub(super) fn size(body: &Deformable, shape: &Shape) -> Size {
    let [vertices, tetrahedra, triangles] =
        [shape.positions.len(), shape.tetrahedra.len(), shape.triangles.len()].map(|n| n as u64);
    let filled = tetrahedra > 0;
    let elements = elements(body, vertices, [tetrahedra, triangles], filled);
    let fill = match filled {
        true => of_volume(vertices),
        false => of_surface(body, [vertices, triangles, elements]),
    };
    Size { vertices, elements, fill }
}

/// How many elements a body's fields make, at most.
fn elements(
    body: &Deformable,
    vertices: u64,
    [tetrahedra, triangles]: [u64; 2],
    filled: bool,
) -> u64 {
    let edges = if filled {
        vertices.saturating_add(tetrahedra).saturating_add(triangles / 2)
    } else {
        vertices.saturating_mul(2).max(triangles.saturating_mul(3) / 2)
    };
    let families = [&body.structural, &body.shear, &body.bend];
    let springs: u64 = families
        .iter()
        .filter_map(|family| family.as_ref())
        .map(|family| match (family.damping, family.strain_damping) {
            (None, None) => 1,
            _ => 2,
        })
        .sum();
    let made = body.material.is_some();
    let of_surface = [
        body.membrane.is_some(),
        body.bending.is_some(),
        body.pressure.is_some(),
        body.bulk_modulus.is_some(),
    ];
    let of_surface = of_surface.into_iter().map(u64::from).sum::<u64>().max(u64::from(made) * 2);
    let folds = body.bending.as_ref().is_some_and(|bending| bending.damping.is_some());
    let strains = body.membrane.as_ref().is_some_and(|membrane| membrane.damping.is_some());
    let damped = 2 * u64::from(folds) + 3 * u64::from(strains);
    let of_surface = if filled { 0 } else { of_surface + damped };
    let per_triangle = 1 + u64::from(body.wind.is_some()) + of_surface;
    // A tetrahedron also has faces and edges to be compared while a body is built.
    let per_tetrahedron = 2 + u64::from(filled && (made || body.solid.is_some()));
    [
        (vertices, u64::from(body.drag.is_some())),
        (edges, springs),
        (triangles, per_triangle),
        (tetrahedra, per_tetrahedron),
    ]
    .into_iter()
    .fold(0, |sum: u64, (count, each)| sum.saturating_add(count.saturating_mul(each)))
}

/// How often all vertices of a body are looked through for those that something concerns.
pub(super) fn searches(body: &Deformable) -> u64 {
    let points = body.groups.values().filter_map(|group| group.nearest.as_ref()).map(Vec::len);
    let searches = body.groups.len()
        + points.sum::<usize>()
        + body.materials.len()
        + body.forces.iter().filter(|force| force.group.is_some()).count()
        + body.pins.iter().filter(|pin| pin.group.is_some()).count();
    searches as u64
}

/// Builds a body's shape.
pub(super) fn build(
    body: &Deformable,
    files: &Files,
    counts: &Counts<'_>,
    sink: &mut Sink,
) -> Option<Shape> {
    if (body.triangles.is_some() || body.tetrahedra.is_some()) && body.positions.is_none() {
        let field = if body.triangles.is_some() { "triangles" } else { "tetrahedra" };
        sink.error_in(
            body.source_offset,
            field,
            "requires positions, which the deformable does not have",
        );
        return None;
    }
    let mut wanted = [&body.structural, &body.shear, &body.bend].map(Option::is_some);
    wanted[0] |= body.rope.is_some() && body.material.is_some();
    let (field, built) = if let Some(grid) = &body.grid {
        check_directions(grid, sink)?;
        ("grid", of_grid(grid, wanted))
    } else if let Some(rope) = &body.rope {
        check_families(body, wanted, [true, false, true], "rope", sink)?;
        if rope.from == rope.to {
            sink.warning_in(
                rope.source_offset,
                "to",
                "is the same point as from: the rope has no length",
            );
        }
        ("rope", of_rope(rope, wanted))
    } else if let Some(solid) = solid::Of::body(body) {
        solid.check(body, sink)?;
        let (kind, has) = match solid.hollow {
            true => ("surface", [true, false, true]),
            false => ("solid", [true, false, false]),
        };
        check_families(body, wanted, has, kind, sink)?;
        (solid.field, solid.shape(wanted))
    } else if let Some(mesh) = &body.mesh {
        let mesh = read_file(mesh, (files, counts), (body.source_offset, "mesh"), sink)?;
        if mesh.triangles.is_empty() && mesh.tets.is_empty() {
            sink.error_in(
                body.source_offset,
                "mesh",
                "the file has neither triangles nor tetrahedra",
            );
            return None;
        }
        let positions: Vec<Vec3> = mesh.positions.into_iter().map(Vec3::from).collect();
        check_reach(&positions, body.source_offset, "mesh", sink)?;
        let mut tell = |sentence| sink.warning_in(body.source_offset, "mesh", sentence);
        let shape = if mesh.tets.is_empty() {
            let triangles =
                mesh_repair::triangles(&positions, &mesh.triangles, Origin::File, &mut tell);
            check_families(body, wanted, [true, false, true], "mesh of triangles", sink)?;
            of_triangles(&positions, &triangles, wanted)
        } else {
            let tetrahedra =
                mesh_repair::tetrahedra(&positions, &mesh.tets, Origin::File, &mut tell);
            check_families(body, wanted, [true, false, false], "mesh of tetrahedra", sink)?;
            of_tetrahedra(&positions, &tetrahedra, wanted)
        };
        ("mesh", shape.map(|shape| Shape { groups: mesh.groups, ..shape }))
    } else {
        explicit(body, wanted, sink)?
    };
    let shape = built
        .map_err(|invalid| sink.error_in(body.source_offset, field, invalid.to_string()))
        .ok()?;
    check_reach(&shape.positions, body.source_offset, field, sink)?;
    Some(shape)
}

/// Tells vertices so far away that every run would count as diverged.
fn check_reach(
    positions: &[Vec3],
    source_offset: SourceOffset,
    field: &str,
    sink: &mut Sink,
) -> Option<()> {
    let Some((vertex, sentence)) = out_of_reach(positions) else { return Some(()) };
    match field {
        "positions" => {
            sink.error_in(source_offset, format!("positions[{vertex}]"), format!("is {sentence}"))
        }
        field => sink.error_in(source_offset, field, format!("vertex {vertex} is {sentence}")),
    }
    None
}

/// Tells a grid whose directions span no area.
fn check_directions(grid: &Grid, sink: &mut Sink) -> Option<()> {
    for (direction, field) in [(grid.across, "across"), (grid.down, "down")] {
        if direction == Vec3::ZERO {
            sink.error_in(grid.source_offset, field, "must not be zero");
            return None;
        }
    }
    let parallel = grid.across.unit().cross(grid.down.unit()).norm() <= 1e-9;
    if parallel && grid.columns > 1 && grid.rows > 1 {
        sink.error_in(
            grid.source_offset,
            "down",
            "is parallel to across: the cloth would have no area",
        );
        return None;
    }
    Some(())
}

/// Reads a mesh file that a field names; what was changed on load is told.
fn read_file(
    name: &FileName,
    (files, counts): (&Files, &Counts<'_>),
    (source_offset, field): (SourceOffset, &str),
    sink: &mut Sink,
) -> Option<Mesh> {
    let most = |count: u64, bytes: u64| count.min(counts.room() / bytes) as usize;
    let limits = Limits {
        vertices: most(limits::PARTICLES, estimate::VERTEX),
        elements: most(limits::ELEMENTS, estimate::ELEMENT),
        bytes: (2 << 30).min(counts.room() / 4),
    };
    let mesh = match files.mesh(name, &limits) {
        Ok(mesh) => mesh,
        Err(error) => {
            let cause = match error.kind {
                ErrorKind::Content => Cause::Input,
                ErrorKind::Io => Cause::File,
                ErrorKind::Limit => Cause::Limit,
            };
            sink.error_of(cause, source_offset, field, error.to_string());
            return None;
        }
    };
    for note in &mesh.notes {
        sink.warning_in(source_offset, field, note.clone());
    }
    Some(mesh)
}

/// Positions (m) and triangles of the mesh file of an obstacle or a rigid body.
pub(super) fn surface(
    file: &FileName,
    scale: f64,
    source_offset: SourceOffset,
    (files, counts): (&Files, &mut Counts<'_>),
    sink: &mut Sink,
) -> Option<(Vec<Vec3>, Vec<[u32; 3]>)> {
    let read = read_file(file, (files, counts), (source_offset, "file"), sink)?;
    let size = Size { elements: read.triangles.len() as u64, ..Size::default() };
    if !counts.add(size, source_offset, sink) {
        return None;
    }
    if read.triangles.is_empty() {
        sink.error_in(source_offset, "file", "the file has no triangles");
        return None;
    }
    let positions: Vec<Vec3> = read.positions.into_iter().map(|x| Vec3::from(x) * scale).collect();
    check_reach(&positions, source_offset, "file", sink)?;
    let mut tell = |sentence| sink.warning_in(source_offset, "file", sentence);
    let triangles = mesh_repair::triangles(&positions, &read.triangles, Origin::File, &mut tell);
    Some((positions, triangles))
}

/// Tells families of springs that a kind of body does not have.
fn check_families(
    body: &Deformable,
    wanted: [bool; 3],
    has: [bool; 3],
    kind: &str,
    sink: &mut Sink,
) -> Option<()> {
    for ((name, wanted), has) in FAMILIES.iter().zip(wanted).zip(has) {
        if wanted && !has {
            sink.error_in(body.source_offset, *name, format!("a {kind} has no such springs"));
            return None;
        }
    }
    Some(())
}

/// Stands for "a spring of this family" while a shape is built.
pub(super) fn mark(family: usize, wanted: bool) -> Option<SpringFamily> {
    wanted.then(|| SpringFamily::stiffness(family as f64 + 1.0))
}

/// Takes the shape out of a model that one of the engine's builders has filled.
pub(super) fn harvest(model: &Model, measure: f64) -> Shape {
    let mut shape = Shape {
        positions: model.rest().to_vec(),
        shares: model.masses().to_vec(),
        measure,
        triangles: model.triangles().to_vec(),
        tetrahedra: model.tetrahedra().to_vec(),
        ..Shape::default()
    };
    for batch in model.elements().iter().filter(|batch| batch.law().store == Store::Elastic) {
        let materials = batch.materials();
        for element in 0..batch.len() {
            let view = batch.view(element);
            let family = materials.get(view.group).and_then(|values| values.first());
            let family = family.map_or(0, |mark| *mark as usize - 1);
            if let (Some(springs), [i, j]) = (shape.springs.get_mut(family), &view.corners[..]) {
                springs.push([*i, *j]);
            }
        }
    }
    shape
}

fn of_grid(grid: &Grid, wanted: [bool; 3]) -> Result<Shape, ModelError> {
    let [across, down] = [grid.across, grid.down].map(Vec3::unit);
    let [width, height] = grid.size;
    let (across, down) = (across * width, down * height);
    let mut model = Model::new();
    model::Grid {
        columns: grid.columns,
        rows: grid.rows,
        origin: grid.corner,
        across,
        down,
        mass: 1.0,
        structural: mark(0, wanted[0]),
        shear: mark(1, wanted[1]),
        bend: mark(2, wanted[2]),
        diagonals: grid.diagonals,
    }
    .add_to(&mut model)?;
    let mut shape = harvest(&model, across.cross(down).norm());
    shape.by_area = Some(shares_of_cells(grid));
    if grid.arc > 0.0 {
        bend_rows(grid, width, &mut shape.positions);
    }
    Ok(shape)
}

/// Each vertex's share of a grid's area: a quarter of every cell at it, whichever way the cell is cut, so
/// that the grid stays mirror symmetric.
fn shares_of_cells(grid: &Grid) -> Vec<f64> {
    let cells = |location: u32, count: u32| match location {
        _ if count == 1 => 2.0,
        0 => 1.0,
        last if last + 1 == count => 1.0,
        _ => 2.0,
    };
    let all = 4.0 * f64::from(grid.columns.max(2) - 1) * f64::from(grid.rows.max(2) - 1);
    let row = |row: u32| {
        let down = cells(row, grid.rows);
        (0..grid.columns).map(move |column| cells(column, grid.columns) * down / all)
    };
    (0..grid.rows).flat_map(row).collect()
}

/// Lays the rows of a flat grid on parts of circles as long as they are.
fn bend_rows(grid: &Grid, width: f64, positions: &mut [Vec3]) {
    let across = grid.across.unit();
    let out = grid.down.cross(across).unit();
    let arc = grid.arc.to_radians();
    let radius = width / arc;
    let (_, end) = libm::sincos(0.5 * arc);
    let last = f64::from(grid.columns.max(2) - 1);
    for (index, x) in positions.iter_mut().enumerate() {
        let column = (index % grid.columns.max(1) as usize) as f64;
        let along = width * (column / last - 0.5);
        let (sin, cos) = libm::sincos(along / radius);
        *x += across * (radius * sin - along) + out * (radius * (cos - end));
    }
}

fn of_rope(rope: &Rope, wanted: [bool; 3]) -> Result<Shape, ModelError> {
    let mut model = Model::new();
    let structural = SpringFamily::stiffness(1.0);
    let Rope { from, to, links, .. } = *rope;
    model::Rope { from, to, links, mass: 1.0, structural, bend: mark(2, wanted[2]) }
        .add_to(&mut model)?;
    let mut shape = harvest(&model, (to - from).norm());
    if !wanted[0] {
        shape.springs[0].clear();
    }
    Ok(shape)
}

/// Vertices given one by one, with or without a mesh over them.
fn explicit(
    body: &Deformable,
    wanted: [bool; 3],
    sink: &mut Sink,
) -> Option<(&'static str, Result<Shape, ModelError>)> {
    let positions = body.positions.as_deref().unwrap_or_default();
    check_reach(positions, body.source_offset, "positions", sink)?;
    let (triangles, tetrahedra) = (body.triangles.as_deref(), body.tetrahedra.as_deref());
    let mut built = match (triangles, tetrahedra) {
        (Some(_), Some(_)) => {
            sink.error_in(
                body.source_offset,
                "tetrahedra",
                "stands beside triangles; give one of them",
            );
            return None;
        }
        (Some(triangles), None) => {
            check_families(body, wanted, [true, false, true], "mesh of triangles", sink)?;
            check_elements(triangles, positions.len(), body, "triangles", sink)?;
            let mut tell = |sentence| sink.warning_in(body.source_offset, "triangles", sentence);
            let triangles = mesh_repair::triangles(positions, triangles, Origin::Scene, &mut tell);
            tell_unused(positions, &triangles, "triangle", &mut tell);
            ("triangles", of_triangles(positions, &triangles, wanted))
        }
        (None, Some(tetrahedra)) => {
            check_families(body, wanted, [true, false, false], "mesh of tetrahedra", sink)?;
            check_elements(tetrahedra, positions.len(), body, "tetrahedra", sink)?;
            let mut tell = |sentence| sink.warning_in(body.source_offset, "tetrahedra", sentence);
            let tetrahedra =
                mesh_repair::tetrahedra(positions, tetrahedra, Origin::Scene, &mut tell);
            tell_unused(positions, &tetrahedra, "tetrahedron", &mut tell);
            ("tetrahedra", of_tetrahedra(positions, &tetrahedra, wanted))
        }
        (None, None) => {
            check_families(body, wanted, [false; 3], "body of single particles", sink)?;
            let shape = Shape {
                positions: positions.to_vec(),
                shares: vec![1.0 / positions.len().max(1) as f64; positions.len()],
                ..Shape::default()
            };
            ("positions", Ok(shape))
        }
    };
    let alike = body.mass.is_some() || body.masses.is_some();
    if let (Ok(shape), true) = (&mut built.1, alike) {
        let count = shape.shares.len() as f64;
        shape.shares.fill(1.0 / count);
    }
    Some(built)
}
