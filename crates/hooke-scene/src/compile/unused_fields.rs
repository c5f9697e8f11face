//! Fields that change nothing as the scene stands. Whoever wrote one meant something by it, so each
//! is told: as a warning, for the scene runs.

use super::Compiled;
use crate::format::{Deformable, Document, How, Obstacle, PinEnforcement, Response, Style};
use crate::problem::{Sink, SourceOffset};
use crate::words::number;
use hooke::model::Diagonals;
use hooke::rigid::RigidBodyMethod;
use hooke::settings::Value;
use std::collections::HashMap;

/// Warns about fields without effect. The run is known to end at `end` (s), where the file says so.
pub(super) fn tell(document: &Document, compiled: &Compiled, end: Option<f64>, sink: &mut Sink) {
    time(document, sink);
    method(document, compiled, sink);
    let world = &document.world;
    let hard = |body: &Deformable| body.pins.iter().any(|pin| pin.how == How::Hard);
    if world.pins == PinEnforcement::ForceCancellation && !document.deformables.iter().any(hard) {
        sink.warning_in(world.source_offset, "pins", "has no effect: no body has hard pins");
    }
    let mut names = HashMap::new();
    for (index, body) in document.deformables.iter().enumerate() {
        if let Some(name) = &body.name
            && let Some(earlier) = names.insert(name.as_str(), index)
        {
            let sentence = format!("is the name of deformables[{earlier}] too");
            sink.warning_in(body.source_offset, "name", sentence);
        }
        of_body(body, document, sink);
    }
    if document.world.contact_stiffness.is_some()
        && document.obstacles.is_empty()
        && document.rigid_bodies.is_empty()
    {
        let sentence = "has no effect: there are no obstacles";
        sink.warning_in(document.world.source_offset, "contact_stiffness", sentence);
    }
    for obstacle in &document.obstacles {
        for field in ["restitution", "friction"] {
            if obstacle.response == Response::PushOut && obstacle.writes(field) {
                let sentence = "has no effect beside response = \"push-out\"";
                sink.warning_in(obstacle.source_offset, field, sentence);
            }
        }
        if let Some(mesh) = obstacle.shape.mesh.as_ref().filter(|mesh| mesh.writes("hull")) {
            let sentence = "has no effect: an obstacle touches with all its triangles";
            sink.warning_in(mesh.source_offset, "hull", sentence);
        }
    }
    rigid_method(document, sink);
    view(document, compiled, end, sink);
}

fn time(document: &Document, sink: &mut Sink) {
    let time = &document.time;
    let frame = time.fps.map_or(time.step.0, |fps| 1.0 / fps);
    if time.duration < 0.5 * frame {
        let frame = number(frame);
        let sentence = format!("is shorter than a frame: one frame of {frame} s is run");
        sink.warning_in(time.source_offset, "duration", sentence);
    }
}

fn method(document: &Document, compiled: &Compiled, sink: &mut Sink) {
    if compiled.is_rigid_alone() && document.writes("method") {
        let sentence = "has no effect: the scene has rigid bodies alone; rigid_method is for them";
        sink.warning_in(SourceOffset::ROOT, "method", sentence);
        return;
    }
    let method = &document.method;
    let direct = Value::Text("cholesky".into());
    if method.settings.iter().all(|(name, value)| name != "solver" || *value == direct) {
        for (field, _) in method.settings.iter().filter(|(name, _)| name.starts_with("cg_")) {
            let sentence = "has no effect: the solver is \"cholesky\"";
            sink.warning_in(method.source_offset, field, sentence);
        }
    }
}

fn rigid_method(document: &Document, sink: &mut Sink) {
    let method = &document.rigid_method;
    let (other, fields): (_, &[&str]) = match method.chosen.name {
        RigidBodyMethod::Impulse => ("shape-matching", &["polar", "stiffness"]),
        RigidBodyMethod::ShapeMatching => ("impulse", &["rule", "frequency", "damping_ratio"]),
    };
    for field in fields.iter().filter(|field| method.writes(field)) {
        let sentence = format!("has no effect: it requires name = {other:?}");
        sink.warning_in(method.source_offset, *field, sentence);
    }
    if method.chosen.name == RigidBodyMethod::ShapeMatching {
        for rigid in document.rigid_bodies.iter().filter(|rigid| rigid.writes("rolling")) {
            let sentence = "has no effect: shape matching knows no rolling friction";
            sink.warning_in(rigid.source_offset, "rolling", sentence);
        }
    }
}

fn of_body(body: &Deformable, document: &Document, sink: &mut Sink) {
    if body.volume.is_some() && document.world.water.is_none() {
        sink.warning_in(body.source_offset, "volume", "has no effect: there is no world.water");
    }
    if let Some(grid) = body.grid.as_ref().filter(|grid| grid.writes("diagonals"))
        && body.shear.is_none()
        && grid.diagonals != Diagonals::Alternating
    {
        sink.warning_in(grid.source_offset, "diagonals", "has no effect without shear");
    }
    if let Some(grid) = body.grid.as_ref().filter(|grid| grid.arc > 0.0 && grid.columns < 2) {
        sink.warning_in(grid.source_offset, "arc", "has no effect on a single column");
    }
    if let Some(start) = &body.start {
        if start.velocities.is_some() && start.writes("velocity") {
            sink.warning_in(start.source_offset, "velocity", "has no effect beside velocities");
        }
        if start.noise == 0.0 && start.writes("seed") {
            sink.warning_in(start.source_offset, "seed", "has no effect without noise");
        }
    }
}

fn view(document: &Document, compiled: &Compiled, end: Option<f64>, sink: &mut Sink) {
    let view = &document.view;
    if view.style == Style::Cloth && compiled.model.triangles().is_empty() {
        let sentence = "has no effect: no body has triangles, so springs are drawn";
        sink.warning_in(view.source_offset, "style", sentence);
    }
    let floor = document.obstacles.iter().position(Obstacle::is_level_floor);
    if let Some(index) = floor.filter(|_| !view.ground) {
        let sentence = format!("has no effect: the floor of obstacles[{index}] is drawn");
        sink.warning_in(view.source_offset, "ground", sentence);
    }
    if let Some(end) = end.filter(|end| view.moment.is_some_and(|moment| moment > *end)) {
        let end = number(end);
        let sentence = format!("is after the end of the run at {end} s: pictures show the end");
        sink.warning_in(view.source_offset, "moment", sentence);
    }
}
