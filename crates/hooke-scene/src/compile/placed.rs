//! The shapes of obstacles and rigid bodies, from the one table of both to the engine's.

use super::Counts;
use super::shape::surface;
use crate::files::Files;
use crate::format::Shape;
use crate::format::shape::Capsule;
use crate::problem::{Sink, SourceOffset};
use hooke::Vec3;
use hooke::model;

/// A shape, and where it stands in what it is the shape of.
pub(super) struct Placed {
    pub(super) form: Form,
    /// Its center (m).
    pub(super) center: Vec3,
    /// Where its own y axis points, of any length.
    pub(super) up: Vec3,
    /// The table that says so, and the field of it that is wrong where the engine refuses.
    pub(super) source_offset: SourceOffset,
    pub(super) field: &'static str,
}

/// A shape of the engine, or the surface of a mesh file, which bodies and obstacles make different
/// use of.
pub(super) enum Form {
    Shape(model::Shape),
    Mesh { positions: Vec<Vec3>, triangles: Vec<[u32; 3]> },
}

impl Placed {
    /// The shape that a table describes, or messages.
    pub(super) fn of(
        shape: &Shape,
        files: &Files,
        counts: &mut Counts<'_>,
        sink: &mut Sink,
    ) -> Option<Self> {
        let up = Vec3::AXES[1];
        let of =
            |form: model::Shape, center: Vec3, source_offset: SourceOffset, field: &'static str| {
                Some(Self { form: Form::Shape(form), center, up, source_offset, field })
            };
        if let Some(floor) = &shape.floor {
            let center = Vec3::new(0.0, floor.height, 0.0);
            of(model::Shape::HalfSpace, center, floor.source_offset, "height")
        } else if let Some(plane) = &shape.half_space {
            if plane.normal == Vec3::ZERO {
                sink.error_in(plane.source_offset, "normal", "must not be zero");
                return None;
            }
            let placed = of(model::Shape::HalfSpace, plane.point, plane.source_offset, "normal");
            placed.map(|placed| Self { up: plane.normal, ..placed })
        } else if let Some(given) = &shape.r#box {
            let half = Vec3::from(given.size) * 0.5;
            let form = model::Shape::Box { half, inside_out: given.inside_out };
            of(form, given.center, given.source_offset, "size")
        } else if let Some(ball) = &shape.sphere {
            of(
                model::Shape::Sphere { radius: ball.radius },
                ball.center,
                ball.source_offset,
                "radius",
            )
        } else if let Some(capsule) = &shape.capsule {
            let (half_length, center, up) = bar(capsule, sink)?;
            let form = model::Shape::Capsule { radius: capsule.radius, half_length };
            of(form, center, capsule.source_offset, "radius").map(|placed| Self { up, ..placed })
        } else {
            let mesh = shape.mesh.as_ref()?;
            let (positions, triangles) =
                surface(&mesh.file, mesh.scale, mesh.source_offset, (files, counts), sink)?;
            let form = Form::Mesh { positions, triangles };
            Some(Self {
                form,
                center: mesh.center,
                up,
                source_offset: mesh.source_offset,
                field: "file",
            })
        }
    }
}

/// Half the length of a bar, its center, and where it points.
fn bar(capsule: &Capsule, sink: &mut Sink) -> Option<(f64, Vec3, Vec3)> {
    let (field, sentence) = match (capsule.from, capsule.to, capsule.length) {
        (None, None, Some(length)) => return Some((0.5 * length, Vec3::ZERO, Vec3::AXES[1])),
        (Some(from), Some(to), None) if from != to => {
            let along = to - from;
            return Some((0.5 * along.norm(), from.lerp(to, 0.5), along));
        }
        (Some(_), Some(_), _) => ("to", "is the same point as from; a ball is a sphere"),
        (Some(_), None, _) => ("to", "is missing; it goes with from"),
        (None, ..) => ("to", "goes with from"),
    };
    sink.error_in(capsule.source_offset, field, sentence);
    None
}
