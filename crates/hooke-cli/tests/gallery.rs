//! Every command with its defaults on every scene of the gallery, over a frame or two: each ends well, and
//! every number it leaves behind is finite.

mod common;

use common::{folder, hooke, stderr, stdout};
use hooke_scene::gallery;
use serde_json::Value;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What one command said, once it ended well.
fn said(folder: &Path, arguments: &[&str]) -> Result<String, String> {
    let output = hooke(folder, arguments);
    match output.status.code() {
        Some(0) => Ok(stdout(&output)),
        code => {
            Err(format!("hooke {} ended with {code:?}: {}", arguments.join(" "), stderr(&output)))
        }
    }
}

/// The same as JSON; its energies, counts and times are numbers.
fn told(folder: &Path, arguments: &[&str], numbers: &[&str]) -> Result<Value, String> {
    let text = said(folder, &[arguments, &["--json"]].concat())?;
    let value: Value = serde_json::from_str(&text).map_err(|error| format!("{error}:\n{text}"))?;
    match numbers.iter().find(|name| !value[**name].is_number()) {
        None => Ok(value),
        Some(name) => Err(format!("hooke {}: {name} is no number: {text}", arguments.join(" "))),
    }
}

/// Every cell of a table that is meant as a number is finite.
fn check_table(path: &Path) -> Result<(), String> {
    let text =
        std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut rows = text.lines();
    let heads: Vec<_> = rows.next().unwrap_or_default().split(',').collect();
    for (index, row) in rows.enumerate() {
        let cells: Vec<_> = row.split(',').collect();
        if cells.len() != heads.len() {
            return Err(format!("{}: row {index} has {} cells", path.display(), cells.len()));
        }
        for (head, cell) in heads.iter().zip(&cells) {
            if cell.parse::<f64>().is_ok_and(|number| !number.is_finite()) {
                return Err(format!("{}: row {index}: {head} is {cell}", path.display()));
            }
        }
    }
    Ok(())
}

/// Everything that can be done with one scene.
fn walk(folder: &Path, name: &str) -> Result<(), String> {
    let ran = [
        "frames",
        "steps",
        "seconds",
        "energy_at_start",
        "energy_at_end",
        "work_damping",
        "work_external",
        "work_contact",
        "work_limit",
        "numerical",
    ];
    told(folder, &["run", name, "--frames", "1"], &ran)?;
    let out = format!("runs/{name}-001");
    let run = folder.join(&out);
    told(folder, &["resume", &out, "--frames", "2", "--export", "none"], &ran)?;
    check_table(&run.join("report.csv"))?;
    check_table(&run.join("timing.csv"))?;

    told(folder, &["check", name], &["frames", "step", "memory_bytes", "recording_bytes"])?;
    told(folder, &["eval", name], &[])?;
    told(folder, &["eval", name, "--steps", "1"], &[])?;
    told(folder, &["render", &out, "--size", "320x180"], &[])?;
    told(folder, &["export", &out, "--to", "npz"], &[])?;

    compare(folder, name, &["--frames", "1", "--targets", "3"])
}

/// Every method, solver or way to step is a row with an error, or with the reason why it has none.
fn compare(folder: &Path, name: &str, options: &[&str]) -> Result<(), String> {
    let compared = told(folder, &[&["compare", name], options].concat(), &[])?;
    let list = |field: &str| compared[field].as_array().map_or(0, Vec::len);
    let methods = hooke::methods::METHODS.len();
    if list("methods") != methods && list("rigid_methods") != 4 && list("chains") == 0 {
        return Err(format!("compare {name}: not every method is a row: {compared}"));
    }
    for row in compared["methods"].as_array().into_iter().flatten() {
        if row["error"].is_number() == row["stopped"].is_string() {
            return Err(format!("compare {name}: {row}"));
        }
    }
    let frames = folder.join(format!("compare/{name}-001/frames.csv"));
    if frames.exists() { check_table(&frames) } else { Ok(()) }
}

/// Checks every scene of the gallery, each in a folder of its own.
fn check_gallery(kind: &str, check: fn(&Path, &str) -> Result<(), String>) {
    let next = AtomicUsize::new(0);
    let failures = std::thread::scope(|scope| {
        let work = || {
            let mut failures = Vec::new();
            while let Some(entry) = gallery().get(next.fetch_add(1, Ordering::Relaxed)) {
                let folder = folder(&format!("{kind}-{}", entry.name));
                if let Err(sentence) = check(&folder, entry.name) {
                    failures.push(format!("{}: {sentence}", entry.name));
                }
                let _ = std::fs::remove_dir_all(&folder);
            }
            failures
        };
        let threads = [scope.spawn(work), scope.spawn(work)];
        threads.map(|thread| thread.join().expect("a walk")).concat()
    });
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn every_command_runs_on_every_scene() {
    check_gallery("walk", walk);
}

#[test]
fn a_method_that_refuses_names_itself() {
    let folder = folder("refuses");
    for method in ["vbd", "pbd", "xpbd", "hierarchical-pbd"] {
        let told = stderr(&hooke(&folder, &["run", "water-balloon", "--method", method]));
        assert!(told.starts_with(&format!("error: {method} cannot ")), "{told}");
    }
}

/// What a person types first, on one scene of each kind: all methods, solvers of chains, methods of rigid bodies.
#[test]
fn compare_needs_no_options() {
    let folder = folder("compare-plain");
    for (name, rows) in [("spring", "newton"), ("chain", "constrained"), ("initials", "ccd")] {
        let told = said(&folder, &["compare", name]).expect("a comparison");
        assert!(told.contains(rows), "{told}");
    }
}

#[test]
#[ignore = "takes minutes: cargo xtask test --gallery"]
fn compare_needs_no_options_on_any_scene() {
    check_gallery("compare", |folder, name| compare(folder, name, &[]));
}
