//! Keeps the invariants of ARCHITECTURE.md true.
#![allow(clippy::unwrap_used, missing_docs)]

use std::path::{Path, PathBuf};

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// Every source file below a folder, with its text.
fn files(folder: &str) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut folders = vec![source().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let text = std::fs::read_to_string(&path).unwrap();
                found.push((path, text));
            }
        }
    }
    assert!(!found.is_empty());
    found
}

/// The lines of code of a file, without comments.
fn code(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.trim_start().starts_with("//"))
}

#[track_caller]
fn never(folder: &str, words: &[&str], why: &str) {
    for (path, text) in files(folder) {
        for line in code(&text) {
            for word in words {
                assert!(!line.contains(word), "{}: {why}: {line}", path.display());
            }
        }
    }
}

#[test]
fn laws_and_dampers_never_see_a_method() {
    for folder in ["laws", "dampers"] {
        never(folder, &["methods"], "laws and dampers never see a method");
    }
}

#[test]
fn methods_never_name_a_law() {
    let names = [
        "Spring",
        "Rod",
        "Attachment",
        "Attractor",
        "Weight",
        "Buoyancy",
        "Drag",
        "Dashpot",
        "Wind",
        "Stvk",
        "Corotated",
        "NeoHookean",
        "Dihedral",
        "Bending",
        "BaraffWitkin",
        "Pressure",
        "Volume",
    ];
    never("methods", &names, "methods never name a law or damper");
}

#[test]
fn the_engine_opens_no_file_and_prints_nothing() {
    let words = ["std::fs", "std::net", "println!", "eprintln!", "print!(", "dbg!", "std::io"];
    never("", &words, "the engine opens no file or socket and prints nothing");
}

#[test]
fn numbers_come_from_one_library_on_every_machine() {
    let functions = "sin cos tan sin_cos asin acos atan atan2 sinh cosh tanh asinh acosh atanh exp \
                     exp2 exp_m1 ln ln_1p log log2 log10 powf powi cbrt hypot mul_add";
    let words: Vec<String> = functions
        .split_whitespace()
        .flat_map(|name| [format!(".{name}("), format!("f64::{name}")])
        .collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let why = "the platform's functions differ in the last bit: take libm's, or a product";
    for folder in ["", "../../hooke-scene/src/compile", "../../hooke-scene/src/import"] {
        never(folder, &words, why);
    }
}

#[test]
fn only_lanes_and_the_native_factor_choose_instructions() {
    for (path, text) in files("") {
        let within = |folder| path.components().any(|part| part.as_os_str() == folder);
        let native = path.ends_with("linalg/cholesky.rs") || within("cholesky") || within("lanes");
        for line in code(&text) {
            let chooses = ["faer", "std::arch", "target_feature", "is_x86_feature_detected"];
            let found = chooses.iter().any(|word| line.contains(word));
            assert!(!found || native, "{}: {line}", path.display());
        }
    }
}

#[test]
fn every_file_says_why_it_exists() {
    for (path, text) in files("") {
        assert!(text.starts_with("//! "), "{} must start with //!", path.display());
    }
}

#[test]
fn every_law_damper_and_method_is_listed() {
    let shared = [
        "mod",
        "deformation",
        "frozen",
        "finite_volume",
        "hinge",
        "lame",
        "damper_rows",
        "dissipation",
        "energy_guard",
        "explicit",
        "objective",
        "parts",
        "potential",
        "projection",
        "levels",
        "settings",
        "start",
        "system",
        "global",
        "redundancy",
        "saddle",
        "relaxation",
        "vertices",
        "anderson",
        "chebyshev",
        "lbfgs",
    ];
    for folder in ["laws", "dampers", "methods"] {
        let list = std::fs::read_to_string(source().join(folder).join("mod.rs")).unwrap();
        for (path, _) in files(folder) {
            let stem = path.file_stem().unwrap().to_str().unwrap().to_string();
            if shared.contains(&stem.as_str()) {
                continue;
            }
            // Whatever the file exports must stand in the list below the imports.
            let exported = list
                .lines()
                .find(|line| line.starts_with(&format!("pub use {stem}::")))
                .unwrap_or_else(|| panic!("{stem} is not exported from {folder}"));
            let (_, listed) = list.split_once("pub trait").unwrap();
            let names = exported.split("::").nth(1).unwrap();
            let names = names.trim_matches(|c: char| "{};".contains(c)).split(", ");
            let mut found = 0;
            for name in names.filter(|name| !name.ends_with("Settings")) {
                assert!(
                    listed.contains(&format!("{name}<")) || listed.contains(&format!("<{name}")),
                    "{name} of {folder}/{stem}.rs is not in the list"
                );
                found += 1;
            }
            assert!(found > 0);
        }
    }
}

#[test]
fn the_map_names_every_folder() {
    let map = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ARCHITECTURE.md");
    let map = std::fs::read_to_string(map).unwrap();
    for entry in std::fs::read_dir(source()).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            let name = path.file_name().unwrap().to_str().unwrap();
            assert!(map.contains(&format!("crates/hooke/src/{name}")), "{name} is not on the map");
        }
    }
}
