//! Messages to the page about a scene and its steps, as JSON.

use super::exploded::limit;
use super::run::Run;
use super::shape::Shape;
use crate::catalog::value;
use hooke::model::{self, Boundary, Obstacle};
use hooke::{Simulation, Vec3};
use hooke_scene::EndParts;
use serde_json::{Map, Value, json};

/// How many residuals of a step are sent.
const RESIDUALS: usize = 200;

/// The runs: method (null for rigid bodies alone), settings, size.
pub(super) fn runs(runs: &[Run]) -> Value {
    let run = |run: &Run| {
        let choice = &run.scene.document().method;
        let settings: Map<String, Value> =
            choice.settings.iter().map(|(name, given)| (name.clone(), value(given))).collect();
        json!({
            "method": run.scene.document().method_name(),
            "settings": settings,
            "particles": run.simulation.model().particles(),
        })
    };
    Value::Array(runs.iter().map(run).collect())
}

/// A scene that was opened.
pub(super) fn opened(shape: &Shape, all: &[Run], controls: Value) -> Option<Value> {
    let first = all.first()?;
    let (scene, simulation) = (&first.scene, &first.simulation);
    let document = scene.document();
    let bodies = [&shape.bodies[..], &shape.rigid].concat();
    Some(json!({
        "is": "opened",
        "title": document.title,
        "text": scene.text(),
        "runs": runs(all),
        "h": scene.step_length(),
        "duration": document.time.duration,
        "points": simulation.model().particles() + shape.rigid.len(),
        "triangles": shape.surface.triangles.as_flattened(),
        "springs": shape.surface.edges.as_flattened(),
        "lengths": shape.surface.lengths,
        "bodies": bodies,
        "bones": shape.bones.as_flattened(),
        "pens": shape.pens.iter().map(pen).collect::<Vec<_>>(),
        "pins": pins(simulation),
        "obstacles": obstacles(simulation),
        "attractors": attractors(first),
        "camera": { "eye": shape.eye, "target": shape.target, "up": [0, 1, 0] },
        "style": shape.style,
        "ground": shape.ground,
        "controls": controls,
    }))
}

/// The end of a chain that draws, and when it does.
fn pen(end: &EndParts) -> Value {
    json!({ "particle": end.particle, "down": end.pen })
}

/// The particles that are pinned.
pub(super) fn pins(simulation: &Simulation) -> Vec<u32> {
    simulation.model().pins().iter().map(|pin| pin.particle.index() as u32).collect()
}

/// The obstacles at their current positions.
fn obstacles(simulation: &Simulation) -> Vec<Value> {
    let obstacle = |(obstacle, mut outgoing): (&Obstacle, Value)| {
        match obstacle.shape.boundary() {
            Boundary::HalfSpace => outgoing["shape"] = json!("halfspace"),
            Boundary::Room { half } => {
                outgoing["shape"] = json!("room");
                outgoing["half"] = json!(vector(half));
            }
            Boundary::Round { .. } | Boundary::Faces => {
                let surface = obstacle.shape.surface();
                let vertices: Vec<_> = surface.vertices.iter().map(|&v| vector(v)).collect();
                outgoing["shape"] = json!("solid");
                outgoing["vertices"] = json!(vertices.as_flattened());
                outgoing["triangles"] = json!(surface.triangles.as_flattened());
                outgoing["mesh"] = json!(matches!(obstacle.shape, model::Shape::Mesh(_)));
            }
        }
        outgoing
    };
    let obstacles = simulation.model().obstacles();
    obstacles.iter().zip(frames(simulation)).map(obstacle).collect()
}

/// Positions and rotations of the obstacles now.
fn frames(simulation: &Simulation) -> Vec<Value> {
    let time = simulation.state().time;
    let frame = |obstacle: &Obstacle| {
        let model::Frame { origin, rotation } = obstacle.pose.at(time);
        json!({ "position": vector(origin), "rotation": rotation.0.as_flattened() })
    };
    simulation.model().obstacles().iter().map(frame).collect()
}

/// Positions of the attractors now, without anchors that tie something to a rigid body.
fn attractors(run: &Run) -> Vec<[f64; 3]> {
    let time = run.simulation.state().time;
    let tied = |k: u32| run.rigid.iter().any(|parts| parts.tied.contains(&k));
    let anchors = (0..).zip(run.simulation.model().anchors());
    anchors.filter(|(k, _)| !tied(*k)).map(|(_, anchor)| vector(anchor.at(time))).collect()
}

fn vector(point: Vec3) -> [f64; 3] {
    point.to_array()
}

/// The report of the last step of a run, with the seconds per step that reporting takes.
pub(super) fn report(index: usize, run: &mut Run, reporting: f64) -> Value {
    let (bound, parts) = run.simulation.stability().unwrap_or((hooke::StabilityLimit::None, 1));
    let part = run.simulation.step_length() / f64::from(parts);
    let seconds = run.ledger.seconds();
    let report = run.simulation.report();
    let (energy, tally) = (&report.energy, run.ledger.tally);
    let work = &tally.work;
    let solve = report.solve.as_ref();
    let first = report.residuals.len().saturating_sub(RESIDUALS);
    let mut outgoing = json!({
        "is": "report",
        "run": index,
        "step": report.step,
        "time": report.time,
        "energy": {
            "kinetic": energy.kinetic,
            "elastic": energy.elastic,
            "gravitational": energy.gravitational,
            "field": energy.field,
            "total": energy.total(),
        },
        "work": {
            "damping": work.damping,
            "external": work.external,
            "contact": work.contact,
            "limit": work.limit,
        },
        "numerical": tally.numerical,
        "taken": report.seconds.total > 0.0,
        "residual": solve.map(|solve| solve.residual),
        "scale": solve.map(|solve| solve.scale),
        "residuals": report.residuals[first..],
        "iterations": solve.map(|solve| solve.iterations),
        "end": solve.map(|solve| solve.end.to_string()),
        "strain": report.strain.map(|strain| strain.value),
        "inverted": report.inverted,
        "contacts": report.contact.map(|contact| contact.pairs),
        "substeps": report.substeps,
        "limit": limit(bound),
        "seconds": {
            "total": seconds.total,
            "method": seconds.method,
            "assembly": seconds.assembly,
            "factorization": seconds.factorization,
            "solution": seconds.solution,
            "limit": seconds.limit,
            "contact": seconds.contact,
            "rigid_bodies": seconds.rigid_bodies,
            "chains": seconds.chains,
            "measure": seconds.measure,
            "reporting": reporting,
        },
    });
    if let Some(gain) = tally.watch.gain() {
        outgoing["gain"] = json!({ "step": gain.step, "message": gain.tell(bound, part) });
    }
    if let Some(error) = run.error {
        outgoing["error"] = json!(error);
    }
    let model = run.simulation.model();
    if model.obstacles().iter().any(|obstacle| obstacle.pose.moves()) {
        outgoing["obstacles"] = json!(frames(&run.simulation));
    }
    if model.anchors().iter().any(model::Motion::moves) {
        outgoing["attractors"] = json!(attractors(run));
    }
    outgoing
}
