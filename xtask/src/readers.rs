//! Exports checked by readers that are not ours: gltf-validator, three.js, usd-core, pyvista,
//! trimesh and NumPy, and frames judged by ipctk, from PyPI and npm in versions pinned beside the scripts.

use crate::stage::{Outcome, passes, root, target};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Writes sample exports and has them read; packages are installed only where `install` says so.
/// Without them the stage is skipped, unless they are `required`.
pub(crate) fn check(install: bool, required: bool) -> Outcome {
    let scripts = root().join("crates/hooke-scene/tests/readers");
    let work = root().join("target/readers");
    if let Err(error) = std::fs::create_dir_all(&work) {
        println!("could not create {}: {error}", work.display());
        return Outcome::Failed;
    }
    if install && !(install_python(&scripts, &work) && install_node(&scripts, &work)) {
        return Outcome::Failed;
    }
    let (python, node) = (python(&work), work.join("node/readers.mjs"));
    if !python.exists() || !node.exists() {
        println!("skipped: `cargo xtask test --install` installs the readers' packages");
        return if required { Outcome::Failed } else { Outcome::Skipped };
    }
    let samples = work.join("samples");
    // Built with the tests, whose features it shares.
    let build = ["build", "--quiet", "--workspace", "--examples", "--profile", "checked"];
    if passes(Command::new(env!("CARGO")).args(build)) != Outcome::Passed {
        return Outcome::Failed;
    }
    let mut write = Command::new(target().join("checked/examples/export_sample"));
    write.arg(&samples);
    let mut by_python = Command::new(python);
    by_python.arg(scripts.join("readers.py")).arg(&samples);
    let mut by_node = Command::new("node");
    by_node.arg(node).arg(&samples);
    for command in [&mut write, &mut by_python, &mut by_node] {
        if passes(command) != Outcome::Passed {
            return Outcome::Failed;
        }
    }
    // A judge of intersections, with the tests' own build.
    let judge =
        ["test", "--quiet", "--workspace", "--profile", "checked", "--test", "intersections"];
    passes(Command::new(env!("CARGO")).args(judge).args(["--", "--ignored"]))
}

fn python(work: &Path) -> PathBuf {
    work.join(if cfg!(windows) { "venv/Scripts/python.exe" } else { "venv/bin/python" })
}

/// A virtual environment with the pinned packages.
fn install_python(scripts: &Path, work: &Path) -> bool {
    let venv = work.join("venv");
    let created = python(work).exists()
        || passes(Command::new("python3").args(["-m", "venv"]).arg(venv)) == Outcome::Passed;
    created
        && passes(
            Command::new(python(work))
                .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"])
                .arg(scripts.join("requirements.txt")),
        ) == Outcome::Passed
}

/// A folder with the script, its lock file and what that asks for.
fn install_node(scripts: &Path, work: &Path) -> bool {
    let node = work.join("node");
    if std::fs::create_dir_all(&node).is_err() {
        return false;
    }
    for file in ["package.json", "package-lock.json", ".npmrc", "readers.mjs"] {
        if let Err(error) = std::fs::copy(scripts.join(file), node.join(file)) {
            println!("could not copy {file}: {error}");
            return false;
        }
    }
    let npm = if cfg!(windows) { "npm.cmd" } else { "npm" };
    passes(
        Command::new(npm).args(["ci", "--silent", "--no-audit", "--no-fund", "--prefix"]).arg(node),
    ) == Outcome::Passed
}
