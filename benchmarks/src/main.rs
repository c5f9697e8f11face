//! Hooke's side of `cargo xtask bench`: writes the scene that every program reads, and runs it
//! through the public interface in the default build.
//!
//! `hooke-bench write N H SCENE` writes a cloth of N × N particles that is stepped by H seconds.
//! `hooke-bench run SCENE RESULT METHOD THREADS STEPS [SETTING=VALUE …]` steps it and prints one
//! line of JSON: seconds of the set-up, of every step and within them, and iterations.
//! `hooke-bench judge SCENE BEST RESULT` says what a result is worth: the gap to the best result of
//! one step, where it is the end of one step, and the greatest stretch.

mod judge;
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
        ["write", n, h, scene] => {
            Scene::cloth(n.parse()?, h.parse()?)?.write(Path::new(scene))?;
        }
        ["run", scene, result, method, threads, steps, settings @ ..] => {
            let scene = Scene::read(Path::new(scene))?;
            let report = run::run(&scene, method, threads.parse()?, steps.parse()?, settings)?;
            scene::write_state(Path::new(result), &report.state)?;
            println!("{}", report.json());
        }
        ["judge", scene, best, result] => {
            let scene = Scene::read(Path::new(scene))?;
            let best = scene::read_positions(Path::new(best))?;
            let positions = scene::read_positions(Path::new(result))?;
            let n = scene.state().positions.len();
            if best.len() != n || positions.len() != n {
                return Err("the result is not of this scene".into());
            }
            let (gap, stretch) = (judge::gap(&scene, &best, &positions), scene.stretch(&positions));
            println!("{{\"gap\": {gap:e}, \"stretch\": {stretch:e}}}");
        }
        _ => {
            let usage = "write N H SCENE | run SCENE RESULT METHOD THREADS STEPS … | \
                         judge SCENE BEST RESULT";
            return Err(format!("usage: {usage}").into());
        }
    }
    Ok(())
}
