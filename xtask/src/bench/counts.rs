//! `cargo xtask bench counts`: instructions of the inner kernels, counted by valgrind's callgrind
//! and compared with those recorded in `benchmarks/counts.json`. A count does not care what else
//! the machine does.
//!
//! Valgrind knows no AVX-512, so what is counted is the path for AVX2.

use super::programs::{Programs, install_packages, output};
use crate::stage::{Outcome, root};
use serde_json::{Map, Value, json};
use std::process::Command;

/// What `hooke-bench count` runs, and what that is.
const KERNELS: [(&str, &str); 4] = [
    ("explicit", "a step of symplectic-euler, N = 47"),
    ("quasi-newton", "a step of quasi-newton, 10 iterations, N = 47"),
    ("newton", "an iteration of newton, N = 20"),
    ("set-up", "the set-up of quasi-newton, N = 47"),
];

/// A kernel may take this many times as many instructions as recorded.
const MOST: f64 = 1.05;

/// Counts every kernel; records the counts where `accept` says so, compares them otherwise.
pub(super) fn compare(install: bool, accept: bool) -> Result<Outcome, String> {
    let version = || output(Command::new("valgrind").arg("--version"));
    if install && version().is_err() {
        install_packages(&["valgrind"]);
    }
    let valgrind = version().map_err(|error| {
        format!("{error}; `cargo xtask bench counts --install` installs valgrind")
    })?;
    let programs = Programs::hooke_alone()?;
    let mut counts = Map::new();
    for (kernel, what) in KERNELS {
        counts.insert(what.into(), count(&programs, kernel)?.into());
    }
    let compiler = output(Command::new("rustc").arg("--version"))?;
    let now = json!({"compiler": compiler.trim(), "valgrind": valgrind.trim(), "counts": counts});
    let path = root().join("benchmarks/counts.json");
    if accept {
        let written = std::fs::write(&path, format!("{now:#}\n"));
        written.map_err(|error| format!("could not record the counts: {error}"))?;
    }
    let recorded = std::fs::read_to_string(&path).map_err(|error| error.to_string());
    let recorded = recorded
        .and_then(|text| serde_json::from_str::<Value>(&text).map_err(|error| error.to_string()));
    let recorded = recorded.map_err(|error| format!("benchmarks/counts.json: {error}"))?;
    if recorded["compiler"] != now["compiler"] {
        println!("recorded with {}, counted with {}", recorded["compiler"], now["compiler"]);
    }
    let (table, outcome) = table(&counts, &recorded["counts"]);
    println!("{table}");
    Ok(outcome)
}

/// The instructions of a kernel.
fn count(programs: &Programs, kernel: &str) -> Result<u64, String> {
    println!("counting {kernel}");
    let file = root().join(format!("target/bench/callgrind-{}.out", std::process::id()));
    let hooke = programs.hooke();
    let mut command = Command::new("valgrind");
    command
        .args(["--tool=callgrind", "--collect-atstart=no"])
        .arg("--toggle-collect=hooke_bench::count::counted*")
        .arg(format!("--callgrind-out-file={}", file.display()))
        .arg(hooke.get_program())
        .args(["count", kernel]);
    output(&mut command)?;
    let text = std::fs::read_to_string(&file).map_err(|error| error.to_string())?;
    // It is in the way of nobody.
    let _ = std::fs::remove_file(&file);
    total(&text).ok_or("callgrind counted nothing".into())
}

/// The total of a file of callgrind.
fn total(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("totals:"))?;
    line.split_whitespace().next()?.parse().ok().filter(|&total| total > 0)
}

/// Counts beside those recorded, and whether none has grown too much.
fn table(counts: &Map<String, Value>, recorded: &Value) -> (String, Outcome) {
    let mut text = String::from("| | instructions | recorded | change |\n|---|---|---|---|");
    let mut outcome = Outcome::Passed;
    for (what, now) in counts {
        let [now, before] = [now, &recorded[what]].map(|count| count.as_f64().unwrap_or(f64::NAN));
        let change = now / before;
        let grown = change.is_nan() || change > MOST;
        let note = if grown { ", too much" } else { "" };
        text +=
            &format!("\n| {what} | {now} | {before} | {:+.2} %{note} |", 100.0 * (change - 1.0));
        if grown {
            outcome = Outcome::Failed;
        }
    }
    if outcome == Outcome::Failed {
        text += "\n\n`cargo xtask bench counts --accept` records what was meant";
    }
    (text, outcome)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_are_read() {
        assert_eq!(total("events: Ir\n\ntotals: 1234\n"), Some(1234));
        assert_eq!(total("summary: 5\ntotals: 0"), None);
    }

    #[test]
    fn growth_above_a_twentieth_fails() {
        let counts = |count: u64| Map::from_iter([("step".to_string(), json!(count))]);
        let judge = |now, before| table(&counts(now), &json!({"step": before})).1;
        assert!(judge(105, 100) == Outcome::Passed);
        assert!(judge(50, 100) == Outcome::Passed);
        assert!(judge(106, 100) == Outcome::Failed);
        assert!(table(&counts(1), &json!({})).1 == Outcome::Failed);
    }

    #[test]
    fn every_kernel_is_recorded() {
        let path = root().join("benchmarks/counts.json");
        let recorded: Value =
            serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        for (_, what) in KERNELS {
            assert!(recorded["counts"][what].as_u64().is_some(), "{what}");
        }
    }
}
