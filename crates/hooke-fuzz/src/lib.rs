//! What is fuzzed: any bytes give an error or a result, never a panic, a hang or a flood of memory.
//!
//! One function per target takes bytes and checks what comes of them; it panics where the promise
//! is broken. The targets in `fuzz/` at the root of the project call these functions with bytes that
//! libFuzzer makes up; the tests here call them with every file of `fuzz/corpus`. A [`meter`] counts
//! the memory that a call takes.

mod any_scene;
mod checkpoint;
mod checksum;
mod choices;
mod meshes;
pub mod meter;
mod recording;
mod scene;
mod skeleton;

pub use any_scene::any_scene;
pub use checkpoint::parse_checkpoint;
pub use meshes::{parse_gltf, parse_msh, parse_obj, parse_ply, parse_stl, parse_tetgen};
pub use recording::parse_recording;
pub use scene::parse_scene;
pub use skeleton::parse_skeleton;

/// Every target: its name, that of its folder in the corpus, and its function.
pub const TARGETS: &[(&str, fn(&[u8]))] = &[
    ("any_scene", any_scene),
    ("parse_checkpoint", parse_checkpoint),
    ("parse_gltf", parse_gltf),
    ("parse_msh", parse_msh),
    ("parse_obj", parse_obj),
    ("parse_ply", parse_ply),
    ("parse_recording", parse_recording),
    ("parse_scene", parse_scene),
    ("parse_skeleton", parse_skeleton),
    ("parse_stl", parse_stl),
    ("parse_tetgen", parse_tetgen),
];

/// A message is a sentence or a few, however long the words of the file are (characters).
const LONGEST_MESSAGE: usize = 2000;

/// Checks that a message is fit to be shown.
fn check_message(message: &str) {
    assert!(!message.is_empty(), "a message says something");
    let length = message.chars().count();
    assert!(length <= LONGEST_MESSAGE, "a message of {length} characters");
    let commands = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
    assert!(!message.contains(commands), "a message with commands for a terminal: {message:?}");
}
