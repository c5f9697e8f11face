//! `cargo xtask bench chains`: inverse kinematics beside three.js (npm) and ikpy (PyPI), on the same chains and
//! targets, from the same rest, to the same error.
//!
//! three.js solves chains of ball joints by cyclic descent, in as many sweeps as ours; the bar is for our fastest
//! solver, which gets there in fewer. ikpy solves hinges and chooses its accuracy itself: ours goes on until it is at
//! least as near.

use super::peers::python;
use super::programs::Programs;
use super::report::{Machine, judged, line, significant};
use super::save;
use super::statistics::Summary;
use crate::stage::{Outcome, passes, root};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;

const ROUNDS: u32 = 5;

/// Chains of each kind, and how many targets they have.
const BALLS: [u32; 3] = [4, 8, 16];
const HINGES: [u32; 2] = [4, 7];
const TARGETS: u32 = 1000;
/// ikpy solves so many of them.
const FEW: u32 = 40;

/// The distance to reach beside three.js, in lengths of the chain.
const TOLERANCE: f64 = 1e-4;
/// That beside ikpy is what ikpy reached, and not above this.
const FINE: f64 = 1e-6;

/// How many times as long as our fastest solver they are to take.
const BARS: [(&str, &str, f64); 2] =
    [("three.js", "fabrik", 10.0), ("ikpy", "damped-least-squares", 1000.0)];

/// What one contestant did on one chain.
struct Solved {
    way: String,
    peer: &'static str,
    chain: String,
    /// Seconds of a solve, per round, ours and theirs.
    ours: Vec<f64>,
    theirs: Vec<f64>,
    /// What was last told of both.
    told: [Value; 2],
}

/// Runs every chain with Hooke and with whoever is there.
pub(super) fn compare(install: bool) -> Result<Outcome, String> {
    let programs = Programs::hooke_alone()?;
    let machine = Machine::here(false);
    let folder = root().join("target/bench/chains");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let node = three(&folder, install);
    let python = ikpy(install);
    let mut all = Vec::new();
    for bones in BALLS {
        let file = problem(&programs, &folder, "ball", bones)?;
        for way in ["ccd", "fabrik"] {
            let Some(script) = &node else { continue };
            let solved = rounds("three.js", way, &file, bones, "ball joints", |_| {
                let words = [path(script)?, path(&file)?, TOLERANCE.to_string()];
                let theirs = told(Command::new("node").args(words))?;
                Ok((ours(&programs, &file, way, TOLERANCE)?, theirs))
            })?;
            all.push(solved);
        }
    }
    for bones in HINGES {
        let file = problem(&programs, &folder, "hinges", bones)?;
        if let Some(python) = &python {
            let way = "damped-least-squares";
            let solved = rounds("ikpy", way, &file, bones, "hinges", |_| {
                let script = root().join("benchmarks/peers/ikpy_chain.py");
                let words = [path(&script)?, path(&file)?, FEW.to_string()];
                let theirs = told(Command::new(python).args(words))?;
                let reached = theirs["error"].as_f64().unwrap_or(FINE) / length(&file)?;
                Ok((ours(&programs, &file, way, reached.clamp(1e-12, FINE))?, theirs))
            })?;
            all.push(solved);
        }
    }
    let rows: Vec<_> = all.iter().filter_map(row).collect();
    save(
        "-chains",
        &markdown(&machine, &all),
        &json!({"machine": machine.json(), "chains": rows}),
    )?;
    Ok(Outcome::Passed)
}

fn path(path: &Path) -> Result<String, String> {
    path.to_str().map(str::to_owned).ok_or_else(|| format!("{} is no text", path.display()))
}

/// Both in turn, some rounds.
fn rounds(
    peer: &'static str,
    way: &str,
    file: &Path,
    bones: u32,
    kind: &str,
    mut round: impl FnMut(u32) -> Result<(Value, Value), String>,
) -> Result<Solved, String> {
    let mut solved = Solved {
        way: way.into(),
        peer,
        chain: format!("{bones} bones, {kind}"),
        ours: Vec::new(),
        theirs: Vec::new(),
        told: [Value::Null, Value::Null],
    };
    for number in 1..=ROUNDS {
        println!("{}: {peer}, round {number} of {ROUNDS}", file.display());
        let (ours, theirs) = round(number)?;
        let seconds = |told: &Value| told["seconds"].as_f64().ok_or("no time was told");
        solved.ours.push(seconds(&ours)?);
        solved.theirs.push(seconds(&theirs)?);
        solved.told = [ours, theirs];
    }
    Ok(solved)
}

fn problem(programs: &Programs, folder: &Path, kind: &str, bones: u32) -> Result<PathBuf, String> {
    let file = folder.join(format!("{kind}-{bones}.txt"));
    let words = [kind.to_owned(), bones.to_string(), TARGETS.to_string(), path(&file)?];
    let output = programs.hooke().arg("pose").args(words).output();
    match output {
        Ok(output) if output.status.success() => Ok(file),
        Ok(output) => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
        Err(error) => Err(error.to_string()),
    }
}

/// The sum of the bones of a problem (m).
fn length(file: &Path) -> Result<f64, String> {
    let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
    let bones = text.lines().next().unwrap_or_default().split(' ');
    Ok(bones.filter_map(|word| word.parse::<f64>().ok()).sum())
}

fn ours(programs: &Programs, file: &Path, way: &str, tolerance: f64) -> Result<Value, String> {
    let words = ["reach".to_owned(), path(file)?, way.to_owned(), format!("{tolerance:e}")];
    told(programs.hooke().args(words))
}

/// The line of JSON that a program prints.
fn told(command: &mut Command) -> Result<Value, String> {
    let output = command.output().map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())
}

/// The script beside three.js, installed where that is wanted; says where it is left out.
fn three(folder: &Path, install: bool) -> Option<PathBuf> {
    let node = folder.join("node");
    let script = node.join("three_ccd.mjs");
    let made = std::fs::create_dir_all(&node).is_ok()
        && std::fs::copy(root().join("benchmarks/peers/three_ccd.mjs"), &script).is_ok();
    let there = || node.join("node_modules/three").is_dir();
    if made && !there() && install {
        let npm = if cfg!(windows) { "npm.cmd" } else { "npm" };
        let words = ["install", "--silent", "--no-audit", "--no-fund", "--prefix"];
        passes(Command::new(npm).args(words).arg(&node).arg("three@0.180.0"));
    }
    let ready = made && there();
    if !ready {
        println!("three.js is left out: `cargo xtask bench chains --install` installs it");
    }
    ready.then_some(script)
}

/// Python with ikpy, installed where that is wanted; says where it is left out.
fn ikpy(install: bool) -> Option<PathBuf> {
    let imports = || {
        let output = Command::new(python()).args(["-c", "import ikpy.chain"]).output();
        output.is_ok_and(|output| output.status.success())
    };
    if install && !imports() {
        let venv = root().join("target/bench/venv");
        if !python().exists() {
            passes(Command::new("python3").args(["-m", "venv"]).arg(venv));
        }
        let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "ikpy==4.2.1"];
        passes(Command::new(python()).args(pip));
    }
    let ready = imports();
    if !ready {
        println!("ikpy is left out: `cargo xtask bench chains --install` installs it");
    }
    ready.then(python)
}

/// Their time over ours within rounds, and the bar where there is one.
fn ratio(solved: &Solved) -> Option<(Summary, Option<f64>)> {
    let ratios: Vec<_> =
        solved.theirs.iter().zip(&solved.ours).map(|(theirs, ours)| theirs / ours).collect();
    let bar = BARS.iter().find(|(peer, way, _)| *peer == solved.peer && *way == solved.way);
    Some((Summary::of(&ratios)?, bar.map(|bar| bar.2)))
}

fn row(solved: &Solved) -> Option<Value> {
    let (ratio, bar) = ratio(solved)?;
    let [ours, theirs] = [&solved.ours, &solved.theirs].map(|rounds| Summary::of(rounds));
    Some(json!({"chain": solved.chain, "ours": solved.way, "theirs": solved.peer, "bar": bar,
        "ratio": ratio.median, "min": ratio.least, "max": ratio.greatest,
        "our_seconds": ours?.median, "their_seconds": theirs?.median,
        "our_solves": solved.told[0], "their_solves": solved.told[1]}))
}

fn markdown(machine: &Machine, all: &[Solved]) -> String {
    let mut text = machine.head();
    line(
        &mut text,
        "Inverse kinematics: the same chains and targets, every solve from rest. Beside three.js \
         both go to 1e-4 of the length of the chain; beside ikpy, which chooses its accuracy \
         itself, ours goes to the same error at least. Errors are medians (m).\n",
    );
    line(
        &mut text,
        "| chain | Hooke | µs | reached | error | theirs | µs | reached | error | bar | their time over ours | |",
    );
    line(&mut text, &"|---".repeat(12));
    for solved in all {
        let Some((ratio, bar)) = ratio(solved) else { continue };
        let [ours, theirs] = [&solved.ours, &solved.theirs].map(|rounds| {
            Summary::of(rounds).map_or("–".into(), |time| significant(1e6 * time.median))
        });
        let cell = |who: usize, name: &str| solved.told[who][name].to_string();
        let error = |who: usize| {
            solved.told[who]["error"].as_f64().map_or("–".into(), |error| format!("{error:.0e}"))
        };
        let reached = |who: usize| format!("{} of {}", cell(who, "reached"), cell(who, "of"));
        line(
            &mut text,
            &format!(
                "| {} | {} | {ours} | {} | {} | {} | {theirs} | {} | {} | {} | {} |",
                solved.chain,
                solved.way,
                reached(0),
                error(0),
                solved.peer,
                reached(1),
                error(1),
                bar.map_or("–".into(), |bar| bar.to_string()),
                judged(&ratio, bar),
            ),
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_tells_both_sides_and_the_bar() {
        let solved = Solved {
            way: "fabrik".into(),
            peer: "three.js",
            chain: "4 bones, ball joints".into(),
            ours: vec![1e-6, 2e-6, 3e-6],
            theirs: vec![2e-5, 3e-5, 3e-5],
            told: [
                json!({"error": 1e-4, "reached": 9, "of": 10}),
                json!({"error": 2e-4, "reached": 8, "of": 10}),
            ],
        };
        let text = markdown(&Machine::here(false), &[solved]);
        let row = "| fabrik | 2.00 | 9 of 10 | 1e-4 | three.js | 30.0 | 8 of 10 | 2e-4 | 10 | 15.0 (10.0–20.0) | reached |";
        assert!(text.contains(row), "{text}");
    }
}
