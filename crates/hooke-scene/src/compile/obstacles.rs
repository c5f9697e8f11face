//! Obstacles, and whether any body starts inside one.

use super::shape::surface;
use super::{BodyParts, Compiled, Counts};
use crate::files::Files;
use crate::format::{Capsule, Document, Obstacle, ObstacleMesh, Response};
use crate::problem::{Place, Sink};
use crate::words::number;
use hooke::Point;
use hooke::model::{self, ClosedMesh, Invalid, Motion, Pose, Shape};
use std::ops::Range;

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
    // Where a body could not be built, it is not known where the others start.
    let bodies = if sink.failed() { Vec::new() } else { clusters(compiled) };
    let mut all = Vec::with_capacity(document.obstacles.len());
    for (index, obstacle) in document.obstacles.iter().enumerate() {
        let built = build(obstacle, files, counts, sink);
        if counts.exceeded {
            return;
        }
        let Some(built) = built else { continue };
        match built.check() {
            Ok(()) => tell_inside(index, &built, document, compiled, &bodies, sink),
            Err(invalid) => sink.error(obstacle.spot, invalid.0),
        }
        all.push(built);
    }
    if !sink.failed()
        && let Err(invalid) = compiled.model.add_obstacles(all)
    {
        sink.error_in(Place::ROOT, "obstacles", invalid.0);
    }
}

/// Some particles of a body that follow each other, and a ball around where they start.
struct Cluster {
    particles: Range<u32>,
    centre: Point,
    radius: f64,
}

/// How many particles a cluster has.
const CLUSTER: usize = 64;

/// The particles of every body in clusters, so that an obstacle far from all of them is done with one look.
fn clusters(compiled: &Compiled) -> Vec<Vec<Cluster>> {
    let of_body = |parts: &BodyParts| {
        let starts = parts.particles.clone().step_by(CLUSTER);
        let cluster = |first: u32| {
            let particles = first..parts.particles.end.min(first + CLUSTER as u32);
            let range = particles.start as usize..particles.end as usize;
            let places = compiled.start.positions.get(range).unwrap_or_default();
            let centre = match places {
                [first, .., last] => first.lerp(*last, 0.5),
                [only] => *only,
                [] => Point::ZERO,
            };
            let radius = places.iter().map(|x| (*x - centre).norm()).fold(0.0, f64::max);
            Cluster { particles, centre, radius }
        };
        starts.map(cluster).collect()
    };
    compiled.bodies.iter().map(of_body).collect()
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
fn tell_inside(
    index: usize,
    obstacle: &model::Obstacle,
    document: &Document,
    compiled: &Compiled,
    bodies: &[Vec<Cluster>],
    sink: &mut Sink,
) {
    let frame = obstacle.pose.at(compiled.start.time);
    let bound = -obstacle.thickness.max(ON_IT);
    for ((body, parts), clusters) in document.bodies.iter().zip(&compiled.bodies).zip(bodies) {
        let mut deepest = (bound, 0);
        // A distance changes by no more than the way between two places.
        let near = |cluster: &&Cluster| {
            obstacle.distance_in(&frame, cluster.centre).0 - cluster.radius <= bound
        };
        for particle in clusters.iter().filter(near).flat_map(|near| near.particles.clone()) {
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
