//! Valid files cut anywhere, and with any bit flipped, through everything a target checks.
//! The mesh formats are damaged so in the tests of hooke-scene, which also know their files.
#![allow(clippy::unwrap_used, missing_docs)]

use hooke_fuzz::{parse_checkpoint, parse_recording, parse_scene, parse_tetgen};
use std::path::Path;

fn seed(target: &str, name: &str) -> Vec<u8> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    std::fs::read(corpus.join(target).join(name)).unwrap()
}

fn damage(run: fn(&[u8]), mut bytes: Vec<u8>) {
    for length in 0..=bytes.len() {
        run(&bytes[..length]);
    }
    for bit in 0..8 * bytes.len() {
        bytes[bit / 8] ^= 1 << (bit % 8);
        run(&bytes);
        bytes[bit / 8] ^= 1 << (bit % 8);
    }
}

#[test]
fn scene() {
    let bytes = seed("parse_scene", "seed-every-part");
    let text = std::str::from_utf8(&bytes).unwrap();
    let scene = hooke_scene::Scene::parse(text, "scene.toml").unwrap();
    scene.simulation(1).unwrap().step().unwrap();
    damage(parse_scene, bytes);
}

#[test]
fn checkpoint() {
    damage(parse_checkpoint, seed("parse_checkpoint", "seed-bdf2"));
}

#[test]
fn recording() {
    damage(parse_recording, seed("parse_recording", "seed-three-frames"));
}

#[test]
fn tetgen() {
    damage(parse_tetgen, seed("parse_tetgen", "seed-node-ele"));
}
