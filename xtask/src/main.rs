//! The project's own commands.
//!
//! `cargo xtask test` is the one test command: formatting, lints, documentation, tests, the
//! files we write checked by readers that are not ours, and the studio's page in a browser. It builds once, in the `checked` profile
//! (optimized, with debug assertions), prints the seconds of every stage, and fails above a limit
//! of time, so that it stays quick enough to be run.
//!
//! Three stages are too heavy for every time, and run where they are named, alone: `--sanitize` (the
//! sanitizers of a nightly compiler, and Miri), `--faults` (every call to the system fails once) and
//! `--gallery` (every scene compared under every method).
//!
//! `cargo xtask bench` measures Hooke beside C++ with Eigen and CHOLMOD.

mod bench;
mod readers;
mod sanitize;
mod stage;
mod studio;

use stage::{Outcome, Stages};
use std::process::ExitCode;

/// A whole test run may take this long, cold, on two cores.
const MOST_SECONDS: f64 = 40.0 * 60.0;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["test"] => test(false),
        ["test", "--install"] => test(true),
        ["test", "--sanitize"] => heavy(sanitize::check),
        ["test", "--faults"] => heavy(|stages, _| ignored(stages, "faults")),
        ["test", "--gallery"] => heavy(|stages, _| ignored(stages, "gallery")),
        ["bench", ref words @ ..] => match bench::command(words) {
            Some(Outcome::Failed) => ExitCode::FAILURE,
            Some(_) => ExitCode::SUCCESS,
            None => usage(),
        },
        _ => usage(),
    }
}

fn usage() -> ExitCode {
    eprintln!("usage: cargo xtask test [--install | --sanitize | --faults | --gallery]");
    eprintln!("       cargo xtask bench [--quick | --smoke] [--install]");
    eprintln!(
        "       cargo xtask bench course | accuracy | auto | peers | chains | pile | edits | memory | counts | \
         studio [--install]"
    );
    eprintln!(
        "  test       format, lints, documentation, tests, foreign readers, the studio's page"
    );
    eprintln!(
        "             --sanitize  the engine's tests under the address and thread sanitizers"
    );
    eprintln!("                         of a nightly compiler, and under Miri");
    eprintln!("             --faults    every write, sync, rename and allocation fails once");
    eprintln!("             --gallery   every scene is compared under every method");
    eprintln!("  bench      Hooke beside C++ with Eigen and CHOLMOD, into benchmarks/results");
    eprintln!("             --quick   the smaller cloths, in three minutes");
    eprintln!("             --smoke   one small round: only whether the answers agree");
    eprintln!("             course    the table of a course's report, on a cloth of 47 × 47");
    eprintln!(
        "             accuracy  the time of a frame to an accuracy, by every implicit method"
    );
    eprintln!("             auto      every gallery scene under auto, beside newton");
    eprintln!("             peers     other engines, from PyPI: time, and what it bought");
    eprintln!("             chains    inverse kinematics beside three.js and ikpy");
    eprintln!("             pile      a thousand boxes beside rapier3d");
    eprintln!("             edits     what it costs to change a running cloth");
    eprintln!("             memory    bytes per particle, up to a million particles");
    eprintln!("             counts    instructions of the inner kernels, by valgrind, against");
    eprintln!("                       benchmarks/counts.json; --accept records them");
    eprintln!("             studio    frames a second to a page, and grab-to-screen latency");
    eprintln!("  --install  also install what is read or measured beside: Python and Node");
    eprintln!("             packages for test and peers, Debian packages for the rest");
    ExitCode::from(2)
}

/// Stages that run only where they are named, however long they take.
fn heavy(run: impl FnOnce(&mut Stages, bool)) -> ExitCode {
    let mut stages = Stages::new(f64::INFINITY);
    run(&mut stages, ci());
    finish(stages)
}

/// The tests of one file of the command that are ignored by default.
fn ignored(stages: &mut Stages, file: &'static str) {
    let tests = ["test", "--profile", "checked", "--package", "hooke-cli", "--test", file];
    let all = ["--", "--ignored", "--nocapture"];
    stages.cargo(file, &[&tests[..], &all].concat(), &[]);
}

fn ci() -> bool {
    std::env::var("CI").is_ok_and(|value| value == "true")
}

fn finish(stages: Stages) -> ExitCode {
    match stages.finish() {
        Outcome::Passed => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

/// Runs every stage to its end, so that one failure does not hide another.
fn test(install: bool) -> ExitCode {
    let ci = ci();
    let mut stages = Stages::new(MOST_SECONDS);
    let profile = ["--profile", "checked"];
    stages.cargo("format", &["fmt", "--all", "--check"], &[]);
    let lints = ["clippy", "--workspace", "--all-targets"];
    stages.cargo("lints", &[&lints[..], &profile, &["--", "-D", "warnings"]].concat(), &[]);
    let documentation = ["doc", "--workspace", "--no-deps"];
    stages.cargo(
        "documentation",
        &[&documentation[..], &profile].concat(),
        &[("RUSTDOCFLAGS", "-D warnings")],
    );
    stages.cargo(
        "tests",
        &[&["test", "--workspace", "--no-fail-fast"][..], &profile].concat(),
        &[],
    );
    stages.run("readers", || readers::check(ci || install, ci));
    stages.run("studio", || studio::check(ci || install, ci));
    stages.run("bench", || bench::smoke(ci || install));
    finish(stages)
}
