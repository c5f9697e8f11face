//! Everything that fuzzing has found interesting, again: no panic, and memory within bounds.
#![allow(clippy::unwrap_used, missing_docs)]

use hooke_fuzz::TARGETS;
use hooke_fuzz::meter::{Meter, measure};
use std::path::{Path, PathBuf};

#[global_allocator]
static ALLOCATOR: Meter = Meter;

/// Bytes that any input may take, and how many more for every byte of its own.
const FREE: usize = 72 << 20;
const PER_BYTE: usize = 1000;

fn fuzz() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz")
}

/// The names in a folder, sorted.
fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn every_target_is_listed_built_and_has_a_corpus() {
    let listed: Vec<_> = TARGETS.iter().map(|(name, _)| (*name).to_owned()).collect();
    let built: Vec<_> = names(&fuzz().join("fuzz_targets"));
    let built: Vec<_> = built.iter().map(|name| name.trim_end_matches(".rs")).collect();
    assert_eq!(listed, built);
    assert_eq!(listed, names(&fuzz().join("corpus")));
    let manifest = std::fs::read_to_string(fuzz().join("Cargo.toml")).unwrap();
    for name in &listed {
        assert!(manifest.contains(&format!("path = \"fuzz_targets/{name}.rs\"")), "{name}");
    }
}

fn replay(target: &str) {
    let (_, run) = TARGETS.iter().find(|(name, _)| *name == target).unwrap();
    let folder = fuzz().join("corpus").join(target);
    let names = names(&folder);
    assert!(!names.is_empty());
    for name in names {
        let bytes = std::fs::read(folder.join(&name)).unwrap();
        let ((), taken) = measure(|| run(&bytes));
        let most = FREE + PER_BYTE * bytes.len();
        assert!(taken.peak <= most, "{target}/{name}: {} of {most} bytes", taken.peak);
    }
}

macro_rules! replays {
    ($($target:ident)*) => {
        $(#[test] fn $target() { replay(stringify!($target)); })*

        #[test]
        fn every_target_is_replayed() {
            assert!(TARGETS.iter().map(|(name, _)| *name).eq([$(stringify!($target)),*]));
        }
    };
}

replays! {
    any_scene parse_checkpoint
    parse_gltf parse_msh parse_obj parse_ply parse_recording parse_scene parse_skeleton
    parse_stl parse_tetgen
}

/// The meter itself, without which the bounds above would mean nothing.
#[test]
fn memory_is_counted() {
    let (kept, taken) = measure(|| {
        drop(vec![1_u8; 1000]);
        vec![2_u8; 300]
    });
    assert_eq!(kept.len(), 300);
    assert_eq!((taken.peak, taken.bytes), (1000, 1300));
}
