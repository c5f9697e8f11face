//! Solvers side by side on the chains of a scene: a table, and the plot that answers which needs fewer
//! iterations.

use super::write;
use crate::failure::Failure;
use crate::media::write_png;
use crate::out::columns;
use hooke::Model;
use hooke_render::chart::{Axis, Chart, Figure, Mark, Series};
use hooke_scene::Scene;
use hooke_scene::compare::{Aim, Trial, solvers};
use serde_json::Value;
use std::fmt::Write;
use std::path::Path;

/// Pixels of the plot in SVG; the PNG has twice as many.
const SIZE: [u32; 2] = [960, 440];

/// One chain of a scene.
pub(super) struct Tried {
    name: String,
    joints: usize,
    trials: Vec<Trial>,
}

/// Tries every solver on every chain of a model that follows something.
pub(super) fn run(model: &Model, names: &[String], targets: usize) -> Result<Vec<Tried>, Failure> {
    let mut all = Vec::new();
    for (index, rig) in model.chains().iter().enumerate() {
        let Some(goal) = rig.goals.first() else { continue };
        let trials = solvers(&rig.chain, goal.joint, &rig.settings, targets);
        let trials = trials.map_err(|invalid| Failure::Usage(invalid.to_string()))?;
        let name = names.get(index).filter(|name| !name.is_empty());
        let name = name.cloned().unwrap_or_else(|| format!("chains[{index}]"));
        all.push(Tried { name, joints: rig.chain.len(), trials });
    }
    match all.is_empty() {
        true => Err(Failure::Usage("no chain of the scene follows a target".into())),
        false => Ok(all),
    }
}

/// For people.
pub(super) fn text(tried: &[Tried], scene: &Scene) -> String {
    let mut out = format!("{}: random targets, each solved from rest\n", scene.document().title);
    for Tried { name, joints, trials } in tried {
        let _ = writeln!(out, "\n{name}, {joints} joints");
        let heads = [
            "targets",
            "solver",
            "reached",
            "iterations",
            "most",
            "error",
            "worst",
            "µs",
            "joint step (°)",
        ];
        let mut lines = vec![heads.map(String::from).to_vec()];
        for trial in trials {
            lines.push(vec![
                trial.aim.name().into(),
                trial.solver.into(),
                format!("{} of {}", trial.reached, trial.targets),
                trial.iterations[0].to_string(),
                trial.iterations[1].to_string(),
                format!("{:.1e}", trial.error[0]),
                format!("{:.1e}", trial.error[1]),
                format!("{:.1}", trial.microseconds),
                format!("{:.1}", trial.step.to_degrees()),
            ]);
        }
        out.push_str(&columns(&lines));
        if let Some(least) = fewest(trials) {
            let _ = writeln!(out, "\nfewest iterations where targets can be reached: {least}");
        }
    }
    out.push_str(
        "errors are relative to the length of the chain; values are medians unless stated otherwise",
    );
    out
}

/// The solver with the fewest iterations at targets that can be reached.
fn fewest(trials: &[Trial]) -> Option<&'static str> {
    let fair = trials.iter().filter(|trial| trial.aim == Aim::Reachable);
    let most = fair.clone().map(|trial| trial.reached).max()?;
    // One that gives up early does not count.
    let fair = fair.filter(|trial| 20 * trial.reached >= 19 * most);
    fair.min_by_key(|trial| trial.iterations[0]).map(|trial| trial.solver)
}

/// For programs.
pub(super) fn json(tried: &[Tried], scene: &Scene) -> Value {
    let chains = tried.iter().map(|Tried { name, joints, trials }| {
        let rows = trials.iter().map(|trial| {
            Value::from_iter([
                ("targets", Value::from(trial.aim.name())),
                ("solver", Value::from(trial.solver)),
                ("count", Value::from(trial.targets as u64)),
                ("reached", Value::from(trial.reached as u64)),
                ("median_iterations", Value::from(u64::from(trial.iterations[0]))),
                ("most_iterations", Value::from(u64::from(trial.iterations[1]))),
                ("median_error", Value::from(trial.error[0])),
                ("worst_error", Value::from(trial.error[1])),
                ("microseconds", Value::from(trial.microseconds)),
                ("worst_joint_step_rad", Value::from(trial.step)),
                (
                    "error_per_iteration",
                    Value::from_iter(trial.curve.iter().map(|e| Value::from(*e))),
                ),
            ])
        });
        Value::from_iter([
            ("chain", Value::from(name.as_str())),
            ("joints", Value::from(*joints as u64)),
            ("fewest_iterations", fewest(trials).map_or(Value::Null, Value::from)),
            ("trials", Value::from_iter(rows)),
        ])
    });
    Value::from_iter([
        ("title", Value::from(scene.document().title.as_str())),
        ("chains", Value::from_iter(chains)),
    ])
}

/// The error per iteration, and how many targets are reached after how many.
pub(super) fn draw(tried: &[Tried], folder: &Path) -> Result<(), Failure> {
    for (index, Tried { name, trials, .. }) in tried.iter().enumerate() {
        let reachable = || trials.iter().filter(|trial| trial.aim == Aim::Reachable);
        let series = |values: fn(&Trial) -> Vec<[f64; 2]>| -> Vec<Series> {
            reachable().map(|t| Series::new(t.solver, Mark::Line, values(t))).collect()
        };
        let error = Chart {
            title: format!("{name}: error per iteration"),
            x: Axis::linear("iteration"),
            y: Axis::log("median distance / length"),
            series: series(|t| points(&t.curve, 1e-16)),
        };
        let done = Chart {
            title: "Targets reached".into(),
            x: Axis::linear("iteration"),
            y: Axis::linear("part of all"),
            series: series(|t| points(&t.done, 0.0)),
        };
        let figure = Figure { columns: 2, charts: vec![error, done], ..Figure::default() };
        let stem = if index == 0 { "iterations".into() } else { format!("iterations-{index}") };
        let [width, height] = SIZE;
        write(&folder.join(format!("{stem}.svg")), figure.svg(width, height).as_bytes())?;
        let double = Figure { text: 2.0 * figure.text, ..figure };
        write_png(&double.image(2 * width, 2 * height)?, &folder.join(format!("{stem}.png")))?;
    }
    Ok(())
}

fn points(values: &[f64], least: f64) -> Vec<[f64; 2]> {
    values.iter().enumerate().map(|(k, value)| [k as f64, value.max(least)]).collect()
}
