//! The studio's page: what it computes, and what it does in a real browser with the program behind
//! it that the tests have built.

use crate::bench::programs::install_packages;
use crate::stage::{Outcome, passes, root, target};
use std::path::PathBuf;
use std::process::Command;

/// The names under which the browser is found.
const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// Tests the page; the browser is installed only where `install` says so. Without what it needs the
/// stage is skipped, unless it is `required`.
pub(crate) fn check(install: bool, required: bool) -> Outcome {
    if let Err(missing) = ready(install) {
        println!("skipped: {missing}");
        return if required { Outcome::Failed } else { Outcome::Skipped };
    }
    for script in ["test", "test:browser"] {
        let mut run = Command::new(npm());
        run.args(["run", "--silent", script, "--prefix"]).arg(page());
        run.env("HOOKE", target().join("checked/hooke"));
        if passes(&mut run) != Outcome::Passed {
            return Outcome::Failed;
        }
    }
    Outcome::Passed
}

/// Whether there is what the page's tests need, or what is missing.
pub(crate) fn ready(install: bool) -> Result<(), &'static str> {
    if !starts(npm()) {
        return Err("the studio's page needs Node.js 20 or newer");
    }
    if !page().join("node_modules/playwright-core").exists() {
        return Err("build hooke-studio with Node.js there: that installs the page's packages");
    }
    if install && !BROWSERS.into_iter().any(starts) {
        install_packages(&["chromium"]);
    }
    match BROWSERS.into_iter().any(starts) {
        true => Ok(()),
        false => Err("`cargo xtask test --install` installs Chromium, in which the page is tested"),
    }
}

fn starts(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|run| run.status.success())
}

/// The folder of the page.
pub(crate) fn page() -> PathBuf {
    root().join("crates/hooke-studio/web")
}

fn npm() -> &'static str {
    if cfg!(windows) { "npm.cmd" } else { "npm" }
}
