//! Obstacles, and whether any body starts inside one.

use super::shape::surface;
use super::{Compiled, Counts};
use crate::format::{Capsule, Document, Obstacle, ObstacleMesh, Response};
use crate::problem::Sink;
use crate::scene::Files;
use crate::words::number;
use hooke::Point;
use hooke::model::{self, ClosedMesh, Invalid, Motion, Pose, Shape};

/// What is this much (m) inside an obstacle without thickness is on its surface: rounding does that.
const ON_IT: f64 = 1e-9;

/// Adds the obstacles.
pub(super) fn add(
    document: &Document,
    files: &Files,
    compiled: &mut Compiled,
    counts: &mut Counts<'_>,
    sink: &mut Sink,
) {
    let whole = !sink.failed();
    for (index, obstacle) in document.obstacles.iter().enumerate() {
        let built = build(obstacle, files, counts, sink);
        if counts.exceeded {
            return;
        }
        let Some(built) = built else { continue };
        match compiled.model.add_obstacle(built) {
            // Where a body could not be built, it is not known where the others start.
            Ok(()) if whole => tell_inside(index, document, compiled, sink),
            Ok(()) => {}
            Err(invalid) => sink.error(obstacle.spot, invalid.0),
        }
    }
}

/// An obstacle as the engine takes it, or messages.
fn build(
    obstacle: &Obstacle,
    files: &Files,
    counts: &mut Counts<'_>,
    sink: &mut Sink,
) -> Option<model::Obstacle> {
    let (shape, centre, up) = shape(obstacle, files, counts, sink)?;
    let motion = motion(obstacle, centre, sink)?;
    let mut pose = match Pose::facing(motion, up) {
        Ok(pose) => pose,
        Err(Invalid(sentence)) => {
            sink.error(obstacle.spot, sentence);
            return None;
        }
    };
    if let Some(rotation) = &obstacle.rotate {
        let Ok(turned) = pose.turned(rotation.axis, rotation.degrees.to_radians()) else {
            sink.error_in(rotation.spot, "axis", "must not be zero");
            return None;
        };
        pose = turned;
    }
    let (restitution, friction) = (obstacle.restitution, obstacle.friction);
    let response = match obstacle.response {
        Response::Bounce => model::Response::Bounce { restitution, friction },
        Response::PushOut => model::Response::PushOut,
    };
    let thickness = obstacle.thickness;
    if let Some(room) = obstacle.r#box.as_ref().filter(|room| room.inside_out) {
        let most = 0.5 * room.size.into_iter().fold(f64::MAX, f64::min);
        if thickness >= most {
            let sentence = format!(
                "must be less than half the room, {} m (got {})",
                number(most),
                number(thickness)
            );
            sink.error_in(obstacle.spot, "thickness", sentence);
            return None;
        }
    }
    Some(model::Obstacle { shape, pose, response, thickness })
}

/// The shape of an obstacle, its centre, and where its own y axis points.
fn shape(
    obstacle: &Obstacle,
    files: &Files,
    counts: &mut Counts<'_>,
    sink: &mut Sink,
) -> Option<(Shape, Point, Point)> {
    let up = Point::AXES[1];
    if let Some(floor) = &obstacle.floor {
        Some((Shape::HalfSpace, Point::new(0.0, floor.height, 0.0), up))
    } else if let Some(half_space) = &obstacle.half_space {
        if half_space.normal == Point::ZERO {
            sink.error_in(half_space.spot, "normal", "must not be zero");
            return None;
        }
        Some((Shape::HalfSpace, half_space.point, half_space.normal))
    } else if let Some(given) = &obstacle.r#box {
        let half = Point::from(given.size) * 0.5;
        Some((Shape::Box { half, inside_out: given.inside_out }, given.centre, up))
    } else if let Some(sphere) = &obstacle.sphere {
        Some((Shape::Sphere { radius: sphere.radius }, sphere.centre, up))
    } else if let Some(capsule) = &obstacle.capsule {
        bar(capsule, sink)
    } else if let Some(mesh) = &obstacle.mesh {
        let closed = closed(mesh, files, counts, sink)?;
        Some((Shape::Mesh(closed.into()), mesh.centre, up))
    } else {
        None
    }
}

fn bar(capsule: &Capsule, sink: &mut Sink) -> Option<(Shape, Point, Point)> {
    let along = capsule.to - capsule.from;
    if along == Point::ZERO {
        sink.error_in(capsule.spot, "to", "is the same place as from; a ball is a sphere");
        return None;
    }
    let shape = Shape::Capsule { radius: capsule.radius, half_length: 0.5 * along.norm() };
    Some((shape, capsule.from.lerp(capsule.to, 0.5), along))
}

/// The closed surface of a mesh file.
fn closed(
    mesh: &ObstacleMesh,
    files: &Files,
    counts: &mut Counts<'_>,
    sink: &mut Sink,
) -> Option<ClosedMesh> {
    let (positions, triangles) = surface(&mesh.file, mesh.scale, mesh.spot, (files, counts), sink)?;
    let closed = ClosedMesh::new(positions, triangles);
    closed.map_err(|invalid| sink.error_in(mesh.spot, "file", invalid.0)).ok()
}

/// How the centre of an obstacle moves, and the obstacle turns.
fn motion(obstacle: &Obstacle, centre: Point, sink: &mut Sink) -> Option<Motion> {
    let mut motion = match &obstacle.keyframes {
        None => Motion::still(centre),
        Some(keyframes) => Motion::along(keyframes.track(sink)?).shifted(centre),
    };
    if let Some(turn) = &obstacle.turn {
        motion = motion.turned(turn.turn(centre, sink)?);
    }
    if let Some(spin) = &obstacle.spin {
        let Ok(turn) = model::Turn::steady(centre, spin.axis, spin.rate.to_radians()) else {
            sink.error_in(spin.spot, "axis", "must not be zero");
            return None;
        };
        motion = motion.turned(turn);
    }
    Some(motion)
}

/// Tells bodies that start deeper inside an obstacle than its thickness. What pins hold stays where
/// they hold it.
fn tell_inside(index: usize, document: &Document, compiled: &Compiled, sink: &mut Sink) {
    let Some(obstacle) = compiled.model.obstacles().last() else { return };
    let frame = obstacle.pose.at(compiled.start.time);
    let bound = -obstacle.thickness.max(ON_IT);
    for (body, parts) in document.bodies.iter().zip(&compiled.bodies) {
        let mut deepest = (bound, 0);
        for particle in parts.particles.clone() {
            let Some(&x) = compiled.start.positions.get(particle as usize) else { return };
            let (distance, _) = obstacle.distance_in(&frame, x);
            if distance < deepest.0 && compiled.model.fixed()[particle as usize] != [true; 3] {
                deepest = (distance, particle - parts.particles.start);
            }
        }
        if deepest.0 < bound {
            let (depth, vertex) = (number(-deepest.0), deepest.1);
            let sentence = format!(
                "vertex {vertex} starts {depth} m inside obstacles[{index}]; move one of them apart"
            );
            sink.error(body.spot, sentence);
        }
    }
}
