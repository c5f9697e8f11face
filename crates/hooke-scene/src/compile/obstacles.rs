//! Obstacles, and whether any body starts inside one.

use super::placed::{Form, Placed};
use super::{Compiled, Counts, DeformableParts};
use crate::files::Files;
use crate::format::{Document, Obstacle, Response};
use crate::problem::{Sink, SourceOffset};
use crate::words::number;
use hooke::Vec3;
use hooke::model::{self, ClosedMesh, Motion, ObstacleMotion, Shape};
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
            Err(invalid) => sink.error(obstacle.source_offset, invalid.to_string()),
        }
        all.push(built);
    }
    if !sink.failed()
        && let Err(invalid) = compiled.model.add_obstacles(all)
    {
        sink.error_in(SourceOffset::ROOT, "obstacles", invalid.to_string());
    }
}

/// Some particles of a body that follow each other, and a ball around where they start.
struct Cluster {
    particles: Range<u32>,
    center: Vec3,
    radius: f64,
}

/// How many particles a cluster has.
const CLUSTER: usize = 64;

/// The particles of every body in clusters, so that an obstacle far from all of them is done with one look.
fn clusters(compiled: &Compiled) -> Vec<Vec<Cluster>> {
    let of_body = |parts: &DeformableParts| {
        let starts = parts.particles.clone().step_by(CLUSTER);
        let cluster = |first: u32| {
            let particles = first..parts.particles.end.min(first + CLUSTER as u32);
            let range = particles.start as usize..particles.end as usize;
            let positions = compiled.start.positions.get(range).unwrap_or_default();
            let center = match positions {
                [first, .., last] => first.lerp(*last, 0.5),
                [only] => *only,
                [] => Vec3::ZERO,
            };
            let radius = positions.iter().map(|x| (*x - center).norm()).fold(0.0, f64::max);
            Cluster { particles, center, radius }
        };
        starts.map(cluster).collect()
    };
    compiled.deformables.iter().map(of_body).collect()
}

/// An obstacle as the engine takes it, or messages.
fn build(
    obstacle: &Obstacle,
    files: &Files,
    counts: &mut Counts<'_>,
    sink: &mut Sink,
) -> Option<model::Obstacle> {
    let placed = Placed::of(&obstacle.shape, files, counts, sink)?;
    let shape = match placed.form {
        Form::Shape(shape) => shape,
        Form::Mesh { positions, triangles } => match ClosedMesh::new(positions, triangles) {
            Ok(closed) => Shape::Mesh(closed.into()),
            Err(error) => {
                let sentence = error.to_string();
                sink.error_in(placed.source_offset, placed.field, sentence);
                return None;
            }
        },
    };
    let motion = motion(obstacle, placed.center, sink)?;
    let mut pose = match ObstacleMotion::facing(motion, placed.up) {
        Ok(pose) => pose,
        Err(invalid) => {
            sink.error(obstacle.source_offset, invalid.to_string());
            return None;
        }
    };
    if let Some(rotation) = &obstacle.rotate {
        let Ok(rotated) = pose.rotated(rotation.axis, rotation.degrees.to_radians()) else {
            sink.error_in(rotation.source_offset, "axis", "must not be zero");
            return None;
        };
        pose = rotated;
    }
    let (restitution, friction) = (obstacle.restitution, obstacle.friction);
    let response = match obstacle.response {
        Response::Bounce => model::Response::Bounce { restitution, friction },
        Response::PushOut => model::Response::PushOut,
    };
    let thickness = obstacle.thickness;
    if let Some(room) = obstacle.shape.r#box.as_ref().filter(|room| room.inside_out) {
        let most = 0.5 * room.size.into_iter().fold(f64::MAX, f64::min);
        if thickness >= most {
            let sentence = format!(
                "must be less than half the room, {} m (got {})",
                number(most),
                number(thickness)
            );
            sink.error_in(obstacle.source_offset, "thickness", sentence);
            return None;
        }
    }
    Some(model::Obstacle { shape, pose, response, thickness })
}

/// How the center of an obstacle moves, and the obstacle turns.
fn motion(obstacle: &Obstacle, center: Vec3, sink: &mut Sink) -> Option<Motion> {
    let mut motion = match &obstacle.keyframes {
        None => Motion::still(center),
        Some(keyframes) => Motion::along(keyframes.track(sink)?).shifted(center),
    };
    if let Some(rotation) = &obstacle.rotation_keyframes {
        motion = motion.rotated(rotation.rotate(center, sink)?);
    }
    if let Some(spin) = &obstacle.spin {
        let Ok(rotation) = model::Rotation::steady(center, spin.axis, spin.rate.to_radians())
        else {
            sink.error_in(spin.source_offset, "axis", "must not be zero");
            return None;
        };
        motion = motion.rotated(rotation);
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
    for ((body, parts), clusters) in
        document.deformables.iter().zip(&compiled.deformables).zip(bodies)
    {
        let mut deepest = (bound, 0);
        // A signed distance changes by at most the distance between two points.
        let near = |cluster: &&Cluster| {
            obstacle.distance_in(&frame, cluster.center).0 - cluster.radius <= bound
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
            sink.error(body.source_offset, sentence);
        }
    }
}
