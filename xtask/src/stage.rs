//! Stages of a command: each is run, timed and counted.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// How a stage ended.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Passed,
    Skipped,
    Failed,
}

/// The stages so far.
pub(crate) struct Stages {
    clock: Instant,
    /// What all of them may take (s).
    most: f64,
    done: Vec<(String, Outcome, f64)>,
}

impl Stages {
    /// Of which all may take `most` seconds.
    pub(crate) fn new(most: f64) -> Self {
        Self { clock: Instant::now(), most, done: Vec::new() }
    }

    /// Runs a stage and notes its outcome and time.
    pub(crate) fn run(&mut self, name: &str, stage: impl FnOnce() -> Outcome) {
        println!("== {name}");
        let clock = Instant::now();
        let outcome = stage();
        self.done.push((name.into(), outcome, clock.elapsed().as_secs_f64()));
    }

    /// Runs cargo as a stage.
    pub(crate) fn cargo(&mut self, name: &str, arguments: &[&str], environment: &[(&str, &str)]) {
        self.run(name, || {
            let mut command = Command::new(env!("CARGO"));
            command.args(arguments).envs(environment.iter().copied());
            passes(&mut command)
        });
    }

    /// Prints the table of stages; failed also where all of it took too long.
    pub(crate) fn finish(self) -> Outcome {
        println!();
        for (name, outcome, seconds) in &self.done {
            let word = match outcome {
                Outcome::Passed => "passed",
                Outcome::Skipped => "skipped",
                Outcome::Failed => "FAILED",
            };
            println!("{name:16} {word:8} {seconds:7.1} s");
        }
        let seconds = self.clock.elapsed().as_secs_f64();
        println!("{:16} {:8} {seconds:7.1} s", "all", "");
        let slow = seconds > self.most;
        if slow {
            println!("the tests took longer than {} s: make them quicker", self.most);
        }
        let count = |wanted| self.done.iter().filter(|(_, outcome, _)| *outcome == wanted).count();
        let [passed, failed, skipped] =
            [Outcome::Passed, Outcome::Failed, Outcome::Skipped].map(count);
        println!("{passed} passed, {failed} failed, {skipped} skipped");
        if failed > 0 || slow { Outcome::Failed } else { Outcome::Passed }
    }
}

/// Runs a command from the root of the project; whether it succeeded.
pub(crate) fn passes(command: &mut Command) -> Outcome {
    match command.current_dir(root()).status() {
        Ok(status) if status.success() => Outcome::Passed,
        Ok(_) => Outcome::Failed,
        Err(error) => {
            println!("could not start {:?}: {error}", command.get_program());
            Outcome::Failed
        }
    }
}

/// The root of the project.
pub(crate) fn root() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent().unwrap_or(own).to_path_buf()
}

/// Where cargo builds.
pub(crate) fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or(root().join("target"), PathBuf::from)
}
