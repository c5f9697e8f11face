//! What a run that left the finite numbers leaves behind: why, and its last good state.

use super::job::Job;
use crate::failure::Failure;
use crate::media;
use hooke::Point;
use hooke::bodies::Moving;
use hooke::math::Quat;
use hooke_scene::json::Json;
use std::io::Write;
use std::path::Path;

const FILE: &str = "failure.json";

/// Writes the reason and the last good state.
pub(super) fn write(job: &Job, sentence: &str) -> Result<(), Failure> {
    let state = job.simulation.state();
    let turn = |turn: &Quat| {
        let Quat { w, v } = turn;
        Json::numbers([*w, v.x, v.y, v.z])
    };
    let points = |of: fn(&Moving) -> Point| {
        Json::list(state.bodies.iter().map(|body| Json::point(of(body))))
    };
    let json = Json::object([
        ("reason", Json::text(sentence)),
        ("method", Json::text(job.scene.document().method.info.name)),
        ("frames", Json::count(job.summary.frames)),
        ("step", Json::count(state.step)),
        ("time", Json::Number(state.time)),
        ("positions", Json::points(&state.positions)),
        ("velocities", Json::points(&state.velocities)),
        ("joints", Json::list(state.joints.iter().map(turn))),
        ("body_positions", points(|body| body.placement.position)),
        ("body_turns", Json::list(state.bodies.iter().map(|body| turn(&body.placement.turn)))),
        ("body_velocities", points(|body| body.twist.linear)),
        ("body_spins", points(|body| body.twist.angular)),
    ]);
    let path = job.folder.join(FILE);
    media::write_whole(&path, |file| writeln!(file, "{json}").map_err(Failure::file(&path)))
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
