//! `cargo xtask test --sanitize`: the engine's tests under what watches memory and threads.
//!
//! The address sanitizer sees reads and writes outside of what was allocated, the thread sanitizer two
//! threads at one number without an order between them, and Miri, which interprets, what the language
//! leaves undefined; of instructions beyond the plain ones Miri sees none. All need a nightly compiler;
//! without one the sanitizers are asked of the compiler that is there, by `RUSTC_BOOTSTRAP`.

use crate::stage::{Outcome, Stages, passes, root, target};
use std::path::Path;
use std::process::Command;

/// How what is missing is had.
const INSTALL: &str = "rustup toolchain install nightly --component rust-src,miri";

/// Tests for the address sanitizer: those of the engine, and those that read files of other programs.
const MEMORY: [&[&str]; 3] = [
    &["--package", "hooke", "--lib"],
    &["--package", "hooke", "--test", "engine"],
    &["--package", "hooke-scene", "--lib"],
];

/// Tests for the thread sanitizer: those that share work out.
const THREADS: [&[&str]; 2] = [
    &[
        "--package",
        "hooke",
        "--lib",
        "--",
        "thread_pool",
        "spring_kernels",
        "linalg",
        "element_coloring",
    ],
    &["--package", "hooke", "--test", "engine", "--", "determinism"],
];

/// Tests that Miri can run in minutes: what reads and writes through pointers.
const INTERPRETED: [&str; 6] =
    ["lanes", "thread_pool", "dia", "element_coloring", "vec3", "snapshot"];

/// Runs all of it; what cannot be run fails where it is `required`.
pub(crate) fn check(stages: &mut Stages, required: bool) {
    stages.run("address", || sanitized("address", &MEMORY));
    stages.run("threads", || sanitized("thread", &THREADS));
    stages.run("miri", || interpreted(required));
}

/// Whether a nightly compiler is installed.
fn has_nightly() -> bool {
    let mut ask = Command::new("cargo");
    ask.args(["+nightly", "--version"]).output().is_ok_and(|run| run.status.success())
}

/// Cargo with a compiler that has sanitizers, and what it says of itself.
fn cargo() -> (Command, Command) {
    let [mut cargo, mut rustc] = ["cargo", "rustc"].map(Command::new);
    if has_nightly() {
        cargo.arg("+nightly");
        rustc.arg("+nightly");
    } else {
        cargo.env("RUSTC_BOOTSTRAP", "1");
    }
    (cargo, rustc)
}

/// Runs tests with everything built anew for a sanitizer, in a folder of its own.
fn sanitized(sanitizer: &str, tests: &[&[&str]]) -> Outcome {
    let (_, mut rustc) = cargo();
    let told = rustc.args(["--print", "host-tuple", "--print", "sysroot"]).output();
    let told = told.map_or(String::new(), |run| String::from_utf8_lossy(&run.stdout).into_owned());
    let [host, sysroot] = told.lines().collect::<Vec<_>>()[..] else {
        println!("the compiler does not say what it is: {INSTALL}");
        return Outcome::Failed;
    };
    let library = Path::new(sysroot).join("lib/rustlib");
    let runtime = library.join(host).join("lib");
    let short = if sanitizer == "address" { "asan" } else { "tsan" };
    let has = |name: &str| name.ends_with(&format!("_rt.{short}.a"));
    let found = std::fs::read_dir(&runtime).into_iter().flatten().flatten();
    if !found.into_iter().any(|entry| has(&entry.file_name().to_string_lossy())) {
        println!("there is no {sanitizer} sanitizer for {host}: {INSTALL}");
        return Outcome::Failed;
    }
    // The standard library is watched as well where its source is there.
    let with_std = library.join("src/rust/library").exists();
    let folder = target().join(format!("sanitize-{sanitizer}"));
    let mut flags = format!("-Zsanitizer={sanitizer}");
    if !with_std {
        flags += " -Cunsafe-allow-abi-mismatch=sanitizer";
    }
    let known = root().join("xtask/thread-sanitizer.supp");
    for tests in tests {
        let (mut cargo, _) = cargo();
        cargo.args(["test", "--profile", "checked", "--target", host, "--target-dir"]);
        cargo.arg(&folder);
        if with_std {
            cargo.arg("-Zbuild-std");
        } else {
            cargo.env("TSAN_OPTIONS", format!("suppressions={}", known.display()));
        }
        cargo.args(*tests).env("RUSTFLAGS", &flags);
        // Quick to build, and its stack traces name functions.
        cargo.env("CARGO_PROFILE_CHECKED_OPT_LEVEL", "1").env("CARGO_PROFILE_CHECKED_DEBUG", "0");
        if passes(&mut cargo) != Outcome::Passed {
            return Outcome::Failed;
        }
    }
    Outcome::Passed
}

/// Has Miri interpret some tests.
fn interpreted(required: bool) -> Outcome {
    let mut ask = Command::new("cargo");
    let there = ask.args(["+nightly", "miri", "--version"]).output();
    if !there.is_ok_and(|run| run.status.success()) {
        println!("Miri is not installed: {INSTALL}");
        return if required { Outcome::Failed } else { Outcome::Skipped };
    }
    let mut cargo = Command::new("cargo");
    cargo.args(["+nightly", "miri", "test", "--package", "hooke", "--lib", "--target-dir"]);
    cargo.arg(target().join("sanitize-miri")).arg("--").args(INTERPRETED);
    passes(&mut cargo)
}
