//! Every command of the README and of the pages on the command does what it says.
#![allow(clippy::unwrap_used, missing_docs)]

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

/// The lines of a page's shell blocks.
fn commands(page: &str) -> Vec<String> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(page);
    let page = std::fs::read_to_string(page).unwrap();
    let blocks = page.split("```sh\n").skip(1);
    blocks.flat_map(|block| block.split("```").next().unwrap().lines().map(String::from)).collect()
}

/// A command that serves until it is told to end; no browser is opened for it here.
fn starts_and_ends(arguments: &str, folder: &Path) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_hooke"))
        .args(arguments.split_whitespace())
        .args((!arguments.contains("--no-open")).then_some("--no-open"))
        .args(["--port", "0"])
        .current_dir(folder)
        .env("TMPDIR", folder)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(line.starts_with("http://127.0.0.1:"), "{arguments}: {line}");
}

#[test]
fn every_command_runs() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("readme");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let mut ran = 0;
    for line in commands("README.md") {
        let (line, remark) = line.split_once(" # ").unwrap_or((&line, ""));
        if let Some(example) = line.strip_prefix("cargo run --release -p hooke --example ") {
            // The examples run as tests of the engine.
            let root = Path::new(env!("CARGO_MANIFEST_DIR"));
            let file = root.join(format!("../hooke/examples/{example}.rs"));
            assert!(file.exists(), "{line}");
            continue;
        }
        if line == "cargo xtask test" {
            continue;
        }
        let arguments = line.strip_prefix("cargo run --release -- ");
        let arguments = arguments.unwrap_or_else(|| panic!("a command of another kind: {line}"));
        ran += 1;
        if arguments.starts_with("studio") {
            starts_and_ends(arguments, &folder);
            continue;
        }
        let output = Command::new(env!("CARGO_BIN_EXE_hooke"))
            .args(arguments.replace('\'', "").split_whitespace())
            .current_dir(&folder)
            .output()
            .unwrap();
        let expected =
            remark.strip_prefix("ends with exit code ").map_or(0, |code| code.parse().unwrap());
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(expected), "{line}\n{said}");
    }
    assert!(ran >= 20);
    for file in [
        "runs/hanging-cloth-001/preview.png",
        "runs/hanging-cloth-001/animation.gif",
        "runs/hanging-cloth-001/animation.glb",
        "runs/hanging-cloth-001/report.csv",
        "runs/hanging-cloth-001/timing.csv",
        "gallery.png",
        "flag.gif",
        "windy/animation.npz",
        "windy/animation.pvd",
    ] {
        assert!(folder.join(file).metadata().is_ok_and(|file| file.len() > 0), "{file}");
    }
}

#[test]
fn every_command_of_the_pages_runs() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pages");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::create_dir(folder.join("my")).unwrap();
    let scene = Path::new(env!("CARGO_MANIFEST_DIR")).join("../hooke-scene/scenes/rope.toml");
    std::fs::copy(scene, folder.join("my/scene.toml")).unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let pages = std::fs::read_dir(root.join("docs")).unwrap();
    let pages = pages.map(|page| format!("docs/{}", page.unwrap().file_name().display()));
    for page in pages.filter(|page| page.ends_with(".md")) {
        for line in commands(&page) {
            let line = line.split_once(" # ").map_or(line.as_str(), |(line, _)| line);
            if line.starts_with("cargo run") {
                // Examples that write pages or are run as tests of their crate.
                let words: Vec<_> = line.split_whitespace().collect();
                let after = |option| words.iter().skip_while(|word| **word != option).nth(1);
                let crate_of = after("-p").unwrap_or_else(|| panic!("{page}: {line}"));
                let name = after("--example").unwrap_or_else(|| panic!("{page}: {line}"));
                let file = root.join(format!("crates/{crate_of}/examples/{name}"));
                let there = file.with_extension("rs").exists() || file.join("main.rs").exists();
                assert!(there || *name == "NAME", "{page}: {line}");
                continue;
            }
            let arguments = line.strip_prefix("hooke ").unwrap_or_else(|| panic!("{page}: {line}"));
            if arguments.starts_with("studio") {
                starts_and_ends(arguments, &folder);
                continue;
            }
            let output = Command::new(env!("CARGO_BIN_EXE_hooke"))
                .args(arguments.split_whitespace())
                .current_dir(&folder)
                .output()
                .unwrap();
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{page}: {line}\n{said}");
        }
    }
}
