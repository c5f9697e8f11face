//! Methods for rigid bodies side by side on a scene of rigid bodies alone: a table, and an animation.

use super::median;
use crate::args::Output;
use crate::failure::Failure;
use crate::interrupt;
use crate::out::columns;
use crate::progress;
use hooke::StepError;
use hooke_media::Stage;
use hooke_render::{Bounds, GifWriter, Image, Settings, Theme, contact_sheet};
use hooke_scene::Scene;
use hooke_scene::recording::{Frame, Header};
use serde_json::Value;
use std::fmt::Write;
use std::path::Path;
use std::time::Instant;

/// What is compared: a name, and the fields of `rigid_method` it stands for.
const VARIANTS: [(&str, &[(&str, &str)]); 4] = [
    ("impulse", &[("rigid_method.name", "impulse"), ("rigid_method.rule", "physical")]),
    (
        "impulse, classic rule",
        &[("rigid_method.name", "impulse"), ("rigid_method.rule", "classic")],
    ),
    ("shape-matching", &[("rigid_method.name", "shape-matching"), ("rigid_method.polar", "fit")]),
    (
        "shape-matching, polar map",
        &[("rigid_method.name", "shape-matching"), ("rigid_method.polar", "map")],
    ),
];

/// What moves slower than this (m/s, and rad/s) is at rest.
const REST: f64 = 1e-2;

/// The most pictures of the animation; browsers play no more than thirty a second well.
const PICTURES: usize = 60;

/// The result of one variant.
pub(super) struct Outcome {
    name: &'static str,
    frames: Vec<Frame>,
    milliseconds: Option<f64>,
    /// The energy (J) at the start and at the end, and all its rises.
    energy: [f64; 2],
    rises: f64,
    /// The deepest overlap (m) of all steps.
    deepest: f64,
    /// When the last body came to rest (s).
    rest: Option<f64>,
    /// Why it stopped early.
    stopped: Option<String>,
}

/// Runs the scene with every variant.
pub(super) fn run(
    scene: &Scene,
    frames: u64,
    threads: usize,
    output: &Output,
) -> Result<Vec<Outcome>, Failure> {
    let bar = progress::bar(frames * VARIANTS.len() as u64, "frames", output);
    let mut outcomes = Vec::new();
    for (name, fields) in VARIANTS {
        let mut own = scene.clone();
        for (path, value) in fields {
            own.set(path, value)?;
        }
        let mut outcome = Outcome {
            name,
            frames: Vec::new(),
            milliseconds: None,
            energy: [0.0; 2],
            rises: 0.0,
            deepest: 0.0,
            rest: None,
            stopped: None,
        };
        match own.simulation(threads) {
            Ok(simulation) => {
                simulate(&own, simulation, frames, &mut outcome, &mut || bar.inc(1))?;
            }
            Err(refused) => outcome.stopped = Some(refused.to_string()),
        }
        outcomes.push(outcome);
    }
    bar.finish_and_clear();
    Ok(outcomes)
}

fn simulate(
    scene: &Scene,
    mut simulation: hooke::Simulation,
    frames: u64,
    outcome: &mut Outcome,
    step: &mut dyn FnMut(),
) -> Result<(), Failure> {
    let mut times = Vec::new();
    let mut before = simulation.report().energy.total();
    outcome.energy = [before; 2];
    outcome.frames.push(Frame::of(0, simulation.state()));
    for frame in 1..=frames {
        for _ in 0..scene.steps_per_frame() {
            interrupt::check()?;
            let clock = Instant::now();
            let report = match simulation.step_unless(&interrupt::requested) {
                Ok(report) => report,
                Err(stopped @ StepError::Stopped) => return Err(stopped.into()),
                Err(diverged) => {
                    outcome.stopped = Some(diverged.to_string());
                    return Ok(());
                }
            };
            times.push(clock.elapsed().as_secs_f64() * 1e3);
            let now = report.energy.total();
            outcome.rises += (now - before).max(0.0);
            outcome.energy[1] = now;
            outcome.deepest =
                outcome.deepest.max(report.rigid_bodies.map_or(0.0, |report| report.deepest));
            before = now;
            let state = simulation.state();
            let moves = |body: &hooke::rigid::RigidBodyState| {
                body.twist.linear.norm().max(body.twist.angular.norm()) > REST
            };
            match state.rigid_bodies.iter().any(moves) {
                true => outcome.rest = None,
                false => outcome.rest = outcome.rest.or(Some(state.time)),
            }
        }
        outcome.frames.push(Frame::of(frame, simulation.state()));
        step();
    }
    outcome.milliseconds = median(times.into_iter());
    Ok(())
}

/// For people.
pub(super) fn text(outcomes: &[Outcome], scene: &Scene) -> String {
    let heads =
        ["rigid bodies by", "ms a step", "energy (J)", "gained (J)", "deepest (mm)", "at rest (s)"];
    let mut lines = vec![heads.map(String::from).to_vec()];
    for outcome in outcomes {
        let number = |value: Option<f64>, digits: usize| {
            value.map_or("-".into(), |value| format!("{value:.digits$}"))
        };
        let [start, end] = outcome.energy;
        lines.push(vec![
            outcome.name.into(),
            number(outcome.milliseconds, 3),
            format!("{start:.3} → {end:.3}"),
            format!("{:.1e}", outcome.rises),
            format!("{:.2}", outcome.deepest * 1e3),
            number(outcome.rest, 2),
        ]);
    }
    let mut out = format!("{}: each variant runs from the start\n\n", scene.document().title);
    out.push_str(&columns(&lines));
    for outcome in outcomes {
        if let Some(why) = &outcome.stopped {
            let _ = write!(out, "\n{}: {why}", outcome.name);
        }
    }
    let _ = write!(out, "\nat rest: all speeds stay below {REST} m/s and rad/s");
    out
}

/// For programs.
pub(super) fn json(outcomes: &[Outcome], scene: &Scene) -> Value {
    let rows = outcomes.iter().map(|outcome| {
        let number = |value: Option<f64>| value.map_or(Value::Null, Value::from);
        Value::from_iter([
            ("rigid_method", Value::from(outcome.name)),
            ("milliseconds", number(outcome.milliseconds)),
            ("energy_start_j", Value::from(outcome.energy[0])),
            ("energy_end_j", Value::from(outcome.energy[1])),
            ("energy_gained_j", Value::from(outcome.rises)),
            ("deepest_m", Value::from(outcome.deepest)),
            ("rest_s", number(outcome.rest)),
            ("stopped", outcome.stopped.as_deref().map_or(Value::Null, Value::from)),
        ])
    });
    Value::from_iter([
        ("title", Value::from(scene.document().title.as_str())),
        ("rigid_methods", Value::from_iter(rows)),
    ])
}

/// An animation of all that ran, side by side.
pub(super) fn draw(
    outcomes: &[Outcome],
    scene: &Scene,
    folder: &Path,
    output: &Output,
) -> Result<(), Failure> {
    let stage = Stage::new(&Header::of(scene, &scene.compile()?), scene);
    let ran: Vec<&Outcome> = outcomes.iter().filter(|outcome| !outcome.frames.is_empty()).collect();
    let longest = ran.iter().map(|outcome| outcome.frames.len()).max().unwrap_or(0);
    let mut bounds = Bounds::EMPTY;
    for frame in ran.iter().flat_map(|outcome| &outcome.frames) {
        bounds = bounds.union(&stage.bounds(frame));
    }
    let settings = Settings { width: 420, height: 270, samples: 2, ..Settings::default() };
    let sheet = |index: usize| -> Result<Image, Failure> {
        let mut pictures = Vec::new();
        for outcome in &ran {
            let frame = &outcome.frames[index.min(outcome.frames.len() - 1)];
            pictures.push((stage.draw(frame, &[], &bounds, &settings)?, outcome.name));
        }
        let pictures: Vec<_> = pictures.iter().map(|(image, name)| (image, *name)).collect();
        Ok(contact_sheet(&pictures, 2, Theme::Paper)?)
    };
    let typical = [0, longest / 2, longest - 1].into_iter().map(sheet);
    let typical = typical.collect::<Result<Vec<_>, _>>()?;
    let bar = progress::bar(longest as u64, "pictures", output);
    let every = longest.div_ceil(PICTURES).max((scene.fps() / 30.0).ceil() as usize);
    let mut bytes = Vec::new();
    let mut gif = GifWriter::new(&mut bytes, scene.fps() / every as f64, &typical)?;
    for index in (0..longest).step_by(every) {
        interrupt::check()?;
        gif.add(&sheet(index)?)?;
        bar.inc(every as u64);
    }
    gif.finish()?;
    bar.finish_and_clear();
    super::write(&folder.join("rigid.gif"), &bytes)
}
