//! No frame of a run has an intersection, as `ipctk` sees it: a judge that is not ours. It is installed with the readers
//! of exports; their stage of `cargo xtask test` runs what needs it.

mod common;

use common::{folder, hooke, stderr};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Scenes of the gallery and of this test, and after how many frames each ends.
const SCENES: [(&str, &str); 3] = [("hanging-cloth", "60"), ("jelly", "40"), ("sheets.toml", "40")];

/// A sheet falls onto a sheet that is pinned at its corners.
const SHEETS: &str = r#"format = 1
[time]
step = "1/60"
duration = 2.0
fps = 30
[world]
contact_between = true
[[deformables]]
grid = { columns = 12, rows = 12, size = [1, 1], corner = [-0.5, 0, -0.5], across = [1, 0, 0], down = [0, 0, 1] }
mass = 0.3
structural = { stiffness = 1000, damping = 0.1 }
shear = { stiffness = 500, damping = 0.1 }
self_contact = true
pins = [{ at = [0, 11, 132, 143] }]
[[deformables]]
grid = { columns = 12, rows = 12, size = [0.6, 0.6], corner = [-0.25, 0.1, -0.32], across = [1, 0, 0], down = [0, 0, 1] }
mass = 0.1
structural = { stiffness = 500, damping = 0.05 }
shear = { stiffness = 200, damping = 0.05 }
self_contact = true
"#;

fn python() -> Option<PathBuf> {
    let venv = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/readers/venv");
    let python = venv.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    let has = Command::new(&python).args(["-c", "import ipctk"]).output();
    has.is_ok_and(|output| output.status.success()).then_some(python)
}

/// What the judge says of a recording, every tenth frame of it.
fn judge(python: &Path, recording: &Path) -> Result<(), String> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/judge/intersections.py");
    let output = Command::new(python).arg(script).arg(recording).output().expect("python starts");
    if output.status.success() { Ok(()) } else { Err(stderr(&output)) }
}

/// Runs a scene and exports it for NumPy.
fn recorded(folder: &Path, scene: &str, frames: &str) -> PathBuf {
    for arguments in [
        &["run", scene, "--frames", frames, "--out", "run"][..],
        &["export", "run", "--to", "npz", "--out", "out"],
    ] {
        let output = hooke(folder, arguments);
        assert!(output.status.success(), "{scene}: {}", stderr(&output));
    }
    let mut files = std::fs::read_dir(folder.join("out")).expect("a folder");
    files.next().expect("an export").expect("an export").path()
}

#[test]
#[ignore = "needs ipctk: the stage of readers of cargo xtask test"]
fn an_independent_judge_finds_no_intersection() {
    let python = python().expect("ipctk: `cargo xtask test --install` installs it");
    for (scene, frames) in SCENES {
        let folder = folder(&format!("judge-{scene}"));
        std::fs::write(folder.join("sheets.toml"), SHEETS).expect("a scene");
        let judged = judge(&python, &recorded(&folder, scene, frames));
        assert!(judged.is_ok(), "{scene}: {judged:?}");
    }
}

#[test]
fn the_judge_and_the_command_see_an_intersection() {
    let folder = folder("judge-through");
    let grid = |more: &str| {
        format!(
            "[[deformables]]\ngrid = {{ columns = 5, rows = 5{more} }}\nmass = 1\nstructural = {{ stiffness = 10 }}\n"
        )
    };
    let cross = ", corner = [-0.49, -0.53, -0.51], down = [0, 0, 1]";
    let world = |more: &str| format!("[world]\ngravity = [0, 0, 0]\n{more}");
    let scene = format!("format = 1\n{}{}", grid(""), grid(cross));
    let refused = scene.clone() + &world("contact_between = true\n");
    std::fs::write(folder.join("refused.toml"), refused).expect("a scene");
    std::fs::write(folder.join("ignored.toml"), scene + &world("")).expect("a scene");

    let refused = hooke(&folder, &["check", "refused.toml"]);
    assert_eq!(refused.status.code(), Some(3));
    assert!(stderr(&refused).contains("deformables[0] and deformables[1] intersect at the start"));
    let Some(python) = python() else { return };
    let judged = judge(&python, &recorded(&folder, "ignored.toml", "1"));
    assert!(judged.is_err_and(|said| said.contains("frames that intersect: [0, 1]")));
}
