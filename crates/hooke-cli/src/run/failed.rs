//! What a run that left the finite numbers leaves behind: why, and its last good state.

use super::job::Job;
use crate::failure::Failure;
use crate::media;
use hooke::Vec3;
use hooke::math::Quat;
use hooke::rigid::RigidBodyState;
use hooke_scene::json::{point, points, results};
use serde_json::Value;
use std::io::Write;
use std::path::Path;

const FILE: &str = "failure.json";

/// Writes the reason and the last good state.
pub(super) fn write(job: &Job, sentence: &str) -> Result<(), Failure> {
    let state = job.simulation.state();
    let rotation = |rotation: &Quat| {
        let Quat { w, v } = rotation;
        Value::from_iter([*w, v.x, v.y, v.z])
    };
    let of_bodies = |of: fn(&RigidBodyState) -> Vec3| {
        Value::from_iter(state.rigid_bodies.iter().map(|body| point(of(body))))
    };
    let json = Value::from_iter([
        ("reason", Value::from(sentence)),
        (
            "method",
            match state.positions.is_empty() && !state.rigid_bodies.is_empty() {
                true => Value::Null,
                false => Value::from(job.scene.document().method.info.name),
            },
        ),
        ("frames", Value::from(job.summary.frames)),
        ("step", Value::from(state.step)),
        ("time", Value::from(state.time)),
        ("positions", points(&state.positions)),
        ("velocities", points(&state.velocities)),
        ("joints", Value::from_iter(state.joints.iter().map(rotation))),
        ("body_positions", of_bodies(|body| body.pose.position)),
        (
            "body_rotations",
            Value::from_iter(state.rigid_bodies.iter().map(|body| rotation(&body.pose.rotation))),
        ),
        ("body_velocities", of_bodies(|body| body.twist.linear)),
        ("body_angular_velocities", of_bodies(|body| body.twist.angular)),
    ]);
    let path = job.folder.join(FILE);
    media::write_whole(&path, |file| {
        writeln!(file, "{}", results(&json)).map_err(Failure::file(&path))
    })
}

/// Removes what an earlier run left.
pub(super) fn clear(folder: &Path) -> Result<(), Failure> {
    let path = folder.join(FILE);
    match std::fs::remove_file(&path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(Failure::file(&path)(error))
        }
        _ => Ok(()),
    }
}
