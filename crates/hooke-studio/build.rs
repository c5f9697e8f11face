//! Builds the page of the studio and lists its files for the program to carry.
//!
//! A published crate brings the page built, in `page`. A checkout brings its source, in `web`,
//! which is built here with npm. Without Node the program carries one page that says how to get the
//! real one, and everything else works; under `CI=true` that is an error.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the page is built from, besides `web/src` and `web/public`.
const SOURCES: [&str; 6] =
    ["index.html", "package.json", "package-lock.json", "tsconfig.json", "vite.config.ts", "src"];

fn main() {
    let here = PathBuf::from(variable("CARGO_MANIFEST_DIR"));
    let out = PathBuf::from(variable("OUT_DIR"));
    println!("cargo:rerun-if-env-changed=CI");
    println!("cargo:rerun-if-changed=build.rs");
    let built = here.join("page");
    let folder = if built.join("index.html").is_file() {
        println!("cargo:rerun-if-changed=page");
        built
    } else {
        let web = here.join("web");
        for source in SOURCES {
            println!("cargo:rerun-if-changed={}", web.join(source).display());
        }
        match build(&web, &out.join("page")) {
            Ok(folder) => folder,
            Err(why) if variable("CI") == "true" => {
                println!("cargo:error=the page of the studio is not built: {why}");
                return;
            }
            Err(why) => {
                println!("cargo:warning=the page of the studio is not built: {why}");
                println!("cargo:rerun-if-changed=stub");
                here.join("stub")
            }
        }
    };
    carry(&folder, &out.join("files.rs"));
    println!("cargo:rerun-if-changed=pictures");
    carry(&here.join("pictures"), &out.join("pictures.rs"));
}

/// Writes the list of a folder's files with their bytes, as code.
fn carry(folder: &Path, to: &Path) {
    let mut files = Vec::new();
    list(folder, folder, &mut files);
    files.sort();
    let mut code = String::from("&[\n");
    for (name, path) in files {
        let _ = writeln!(code, "    ({name:?}, include_bytes!({:?})),", path.display().to_string());
    }
    code.push(']');
    if let Err(error) = std::fs::write(to, code) {
        println!("cargo:error={} cannot be written: {error}", to.display());
    }
}

fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}

/// Builds the page into `to`, or says why it cannot be.
fn build(web: &Path, to: &Path) -> Result<PathBuf, String> {
    if !web.join("package-lock.json").is_file() {
        return Err("its source is not here".into());
    }
    if !Command::new(npm()).arg("--version").output().is_ok_and(|run| run.status.success()) {
        return Err("there is no npm; install Node.js 20 or newer and build again".into());
    }
    if !installed(web) {
        run(web, &["ci", "--no-audit", "--no-fund"])?;
    }
    let target = to.display().to_string();
    run(web, &["run", "build", "--", "--outDir", &target, "--emptyOutDir"])?;
    match to.join("index.html").is_file() {
        true => Ok(to.to_owned()),
        false => Err("npm run build wrote no index.html".into()),
    }
}

/// Whether the packages of the lock file are there.
fn installed(web: &Path) -> bool {
    let age = |path: &str| web.join(path).metadata().and_then(|data| data.modified());
    match (age("node_modules/.package-lock.json"), age("package-lock.json")) {
        (Ok(installed), Ok(wanted)) => installed >= wanted,
        _ => false,
    }
}

fn npm() -> &'static str {
    if cfg!(windows) { "npm.cmd" } else { "npm" }
}

fn run(web: &Path, arguments: &[&str]) -> Result<(), String> {
    let told = format!("npm {}", arguments[0]);
    let output = Command::new(npm())
        .args(arguments)
        .current_dir(web)
        .output()
        .map_err(|error| format!("{told}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    let last: Vec<&str> =
        text.lines().rev().filter(|line| !line.trim().is_empty()).take(6).collect();
    let last: Vec<&str> = last.into_iter().rev().collect();
    Err(format!("{told} failed: {}", last.join(" | ")))
}

/// Every file below a folder, with its path from there.
fn list(root: &Path, folder: &Path, files: &mut Vec<(String, PathBuf)>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            list(root, &path, files);
        } else if let Ok(name) = path.strip_prefix(root) {
            files.push((format!("/{}", name.display()).replace('\\', "/"), path));
        }
    }
}
