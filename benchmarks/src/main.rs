//! Hooke's side of `cargo xtask bench`: writes the scene that every program reads, and runs it
//! through the public interface in the default build.
//!
//! `write N H SCENE [STEPS]` writes a cloth of N × N particles that is stepped by H seconds, at its
//! start or after so many steps.
//! `run METHOD THREADS SCENE RESULT STEPS [SETTING=VALUE …]` steps it and prints the seconds of the
//! set-up, of every step and within them, and iterations.
//! `judge SCENE RESULT [BEST]` says what a result is worth: the objective of one step, the greatest
//! stretch, and the distance and gap to the best result of one step.
//! `edits N` changes a running cloth and prints what each change cost.
//! `memory N METHOD` steps a cloth once and prints the memory it took.
//! `pile N STEPS` drops N boxes, beside rapier3d where the feature `rapier3d` is on.
//! `pose KIND BONES TARGETS FILE` writes chains and targets; `reach FILE SOLVER TOLERANCE` solves them.
//! `count KERNEL` runs a kernel for callgrind, which counts the instructions in `counted`.
//!
//! What is printed is one line of JSON.

mod chains;
mod count;
mod edits;
mod judge;
mod memory;
mod pile;
mod run;
mod scene;

use scene::Scene;
use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match command(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("hooke-bench: {error}");
            ExitCode::FAILURE
        }
    }
}

fn command(words: &[&str]) -> Result<(), Box<dyn Error>> {
    match words {
        ["write", n, h, scene, steps @ ..] if steps.len() < 2 => {
            let steps = steps.first().map_or(Ok(0), |steps| steps.parse())?;
            Scene::cloth(n.parse()?, h.parse()?)?.after(steps)?.write(Path::new(scene))?;
        }
        ["run", method, threads, scene, result, steps, settings @ ..] => {
            let scene = Scene::read(Path::new(scene))?;
            let report = run::run(&scene, method, threads.parse()?, steps.parse()?, settings)?;
            scene::write_state(Path::new(result), &report.state)?;
            println!("{}", report.json());
        }
        ["judge", scene, result, best @ ..] if best.len() < 2 => {
            let scene = Scene::read(Path::new(scene))?;
            let best = best.first().map(|path| scene.positions_in(Path::new(path))).transpose()?;
            let positions = scene.positions_in(Path::new(result))?;
            println!("{}", judge::judge(&scene, &positions, best.as_deref()));
        }
        ["edits", n] => println!("{}", edits::edits(n.parse()?)?),
        ["memory", n, method] => println!("{}", memory::memory(n.parse()?, method)?),
        ["pile", n, steps] => println!("{}", pile::pile(n.parse()?, steps.parse()?)?),
        ["pose", kind, bones, targets, file] => {
            std::fs::write(file, chains::problem(kind, bones.parse()?, targets.parse()?)?)?;
        }
        ["reach", file, solver, tolerance] => {
            println!("{}", chains::solve(Path::new(file), solver, tolerance.parse()?)?);
        }
        ["count", kernel] => count::count(kernel)?,
        _ => {
            let usage = "write N H SCENE [STEPS] | run METHOD THREADS SCENE RESULT STEPS … | \
                         judge SCENE RESULT [BEST] | edits N | memory N METHOD | pile N STEPS | \
                         pose KIND BONES TARGETS FILE | reach FILE SOLVER TOLERANCE | count KERNEL";
            return Err(format!("usage: {usage}").into());
        }
    }
    Ok(())
}
