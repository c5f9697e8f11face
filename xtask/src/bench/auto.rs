//! `cargo xtask bench auto`: every gallery scene that Newton's method runs, under it and under `auto`, in turn.
//!
//! Whole runs of the command on one thread, at the tolerances both have by default. `auto` may take
//! at most twice as long, and every step ends converged.

use super::programs::output;
use super::report::{Machine, line, significant};
use super::save;
use super::statistics::median;
use crate::stage::{Outcome, passes, root, target};
use serde_json::{Value, json};
use std::process::Command;

const FRAMES: &str = "20";
const ROUNDS: usize = 3;
/// How many times Newton's time `auto` may take.
const MOST: f64 = 2.0;
/// Steps shorter than this (s) are too short to compare.
const SHORTEST: f64 = 2e-4;

/// A scene under both methods.
struct Row {
    scene: String,
    /// Seconds a step.
    newton: f64,
    auto: f64,
    steps: u64,
    not_converged: u64,
    chosen: String,
}

impl Row {
    fn ratio(&self) -> f64 {
        self.auto / self.newton
    }

    fn is_good(&self) -> bool {
        let quick = self.ratio() <= MOST || self.auto < SHORTEST;
        quick && self.not_converged == 0
    }

    fn json(&self) -> Value {
        json!({"scene": self.scene, "newton": self.newton, "auto": self.auto, "steps": self.steps,
            "not_converged": self.not_converged, "chosen": self.chosen})
    }
}

/// Measures every scene; fails where `auto` is slow or does not converge.
pub(super) fn compare() -> Result<Outcome, String> {
    let mut build = Command::new(env!("CARGO"));
    if passes(build.args(["build", "--release"])) != Outcome::Passed {
        return Err("the command does not build".into());
    }
    let machine = Machine::here(false);
    let listed: Value = ask(&["scenes"])?;
    let names = listed.as_array().ok_or("cannot read the list of scenes")?;
    let mut rows = Vec::new();
    for name in names.iter().filter_map(|scene| scene["name"].as_str()) {
        println!("auto, {name}");
        rows.extend(measure(name)?);
    }
    let told: Vec<_> = rows.iter().map(Row::json).collect();
    save("-auto", &markdown(&machine, &rows), &json!({"machine": machine.json(), "scenes": told}))?;
    let wrong: Vec<_> = rows.iter().filter(|row| !row.is_good()).collect();
    for row in &wrong {
        println!("{}: {:.2}×, {} not converged", row.scene, row.ratio(), row.not_converged);
    }
    Ok(if wrong.is_empty() && !rows.is_empty() { Outcome::Passed } else { Outcome::Failed })
}

/// A scene under both; `None` where one of them refuses it or it solves nothing.
fn measure(name: &str) -> Result<Option<Row>, String> {
    let (mut newton, mut auto, mut last) = (Vec::new(), Vec::new(), Value::Null);
    for _ in 0..ROUNDS {
        for (method, seconds) in [("newton", &mut newton), ("auto", &mut auto)] {
            let folder = target().join("bench-auto");
            let out = folder.to_string_lossy();
            let run = ["run", name, "--method", method, "--frames", FRAMES, "--threads", "1"];
            let told = ask(&[&run[..], &["--export", "none", "--out", &out, "--force"]].concat());
            let Ok(told) = told else { return Ok(None) };
            let Some(milliseconds) = told["milliseconds_per_step"].as_f64() else {
                return Err(format!("cannot read the summary of {name}"));
            };
            seconds.push(1e-3 * milliseconds);
            last = told;
        }
    }
    let Some(not_converged) = last["steps_not_converged"].as_u64() else { return Ok(None) };
    Ok(Some(Row {
        scene: name.into(),
        newton: median(&newton).unwrap_or(f64::NAN),
        auto: median(&auto).unwrap_or(f64::NAN),
        steps: last["steps"].as_u64().unwrap_or(0),
        not_converged,
        chosen: last["chosen"].as_str().unwrap_or("").split(',').next().unwrap_or("").into(),
    }))
}

/// What the command answers to words, as JSON.
fn ask(words: &[&str]) -> Result<Value, String> {
    let mut command = Command::new(target().join("release/hooke"));
    let text = output(command.args(words).arg("--json").current_dir(root()))?;
    serde_json::from_str(&text).map_err(|error| format!("cannot read the answer: {error}"))
}

fn markdown(machine: &Machine, rows: &[Row]) -> String {
    let mut text = machine.head();
    line(
        &mut text,
        "Gallery scenes under newton (to 1e-8) and auto (to 1e-4), one thread: milliseconds a step, medians.\n",
    );
    line(&mut text, "| scene | newton | auto | auto / newton | not converged | auto chose |");
    line(&mut text, "|---|---|---|---|---|---|");
    for row in rows {
        let [newton, auto] = [row.newton, row.auto].map(|seconds| significant(1e3 * seconds));
        let Row { scene, not_converged, steps, chosen, .. } = row;
        let ratio = row.ratio();
        let rest = format!("{ratio:.2} | {not_converged} of {steps} | {chosen} |");
        line(&mut text, &format!("| {scene} | {newton} | {auto} | {rest}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_or_unconverged_rows_are_told() {
        let row = |auto: f64, not_converged: u64| Row {
            scene: "flag".into(),
            newton: 1e-3,
            auto,
            steps: 20,
            not_converged,
            chosen: "newton".into(),
        };
        assert!(row(1.9e-3, 0).is_good());
        assert!(!row(2.1e-3, 0).is_good());
        assert!(!row(1e-3, 1).is_good());
        let text = markdown(&Machine::here(false), &[row(2e-3, 0)]);
        assert!(text.ends_with("| flag | 1.00 | 2.00 | 2.00 | 0 of 20 | newton |\n"), "{text}");
    }
}
