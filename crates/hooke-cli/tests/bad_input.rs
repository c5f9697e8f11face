//! What a person is told who asks for something that cannot be done, and what a tool is told.

mod common;

use common::{command, folder, hooke, page, stderr, stdout};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Stdio;

fn json_of(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}:\n{text}"))
}

/// Checks how each command ends and exactly what it says.
#[track_caller]
fn check(folder: &Path, cases: &[(&[&str], i32, &str)]) {
    for (arguments, code, said) in cases {
        let output = hooke(folder, arguments);
        assert_eq!(stderr(&output), *said, "{arguments:?}");
        assert_eq!(output.status.code(), Some(*code), "{arguments:?}");
    }
}

const PAIR: &str = "format = 1\ntitle = \"Pair\"\n[time]\nstep = 0.01\nduration = 0.05\n[[deformables]]\n\
    positions = [[0, 0, 0], [1, 0, 0]]\nmasses = 1\n\
    springs = [{ between = [0, 1], stiffness = 100, rest_length = 0.5 }]\npins = [{ at = 0 }]\n";

/// A folder with a scene.
fn with_scene(name: &str) -> PathBuf {
    let folder = folder(name);
    std::fs::write(folder.join("pair.toml"), PAIR).expect("a scene");
    folder
}

/// What follows a mistake in the command line.
const HELP: &str = "\n\nFor more information, try '--help'.\n";

#[test]
fn usage() {
    let folder = with_scene("bad-usage");
    let usage = |sentence: &str, usage: &str| format!("error: {sentence}\n\nUsage: {usage}{HELP}");
    check(
        &folder,
        &[
            (
                &["runn"],
                2,
                &usage(
                    "unrecognized subcommand 'runn'\n\n  tip: a similar subcommand exists: 'run'",
                    "hooke [OPTIONS] <COMMAND>",
                ),
            ),
            (
                &["run", "pair.toml", "--frmes", "3"],
                2,
                &usage(
                    "unexpected argument '--frmes' found\n\n  tip: a similar argument exists: '--frames'",
                    "hooke run --frames <N> <SCENE>",
                ),
            ),
            (
                &["run", "pair.toml", "--export", "pngg"],
                2,
                &format!(
                    "error: invalid value 'pngg' for '--export <LIST>'\n  [possible values: png, gif, \
                     mp4, glb, usda, pc2, pvd, npz, obj, ply, none]\n\n  tip: a similar value exists: \
                     'png'{HELP}"
                ),
            ),
            (
                &["run", "pair.toml", "--frames", "many"],
                2,
                &format!(
                    "error: invalid value 'many' for '--frames <N>': invalid digit found in string{HELP}"
                ),
            ),
            (
                &["run", "pair.toml", "--set", "title"],
                2,
                &format!(
                    "error: invalid value 'title' for '--set <PATH=VALUE>': must be PATH=VALUE{HELP}"
                ),
            ),
            (
                &["render", "run", "--size", "big"],
                2,
                &format!(
                    "error: invalid value 'big' for '--size <WxH>': must be WIDTHxHEIGHT{HELP}"
                ),
            ),
            (&["methods", "newtn"], 2, "error: there is no method newtn; did you mean newton?\n"),
            (&["man", "ru"], 2, "error: there is no command ru; did you mean run?\n"),
        ],
    );
}

#[test]
fn scenes_that_are_not_there() {
    let folder = with_scene("bad-scenes");
    std::fs::create_dir_all(folder.join("old/empty")).expect("folders");
    std::fs::write(folder.join("old/scene.toml"), PAIR).expect("a scene");
    std::fs::write(folder.join("data.toml"), b"\x7fELF\0\0\0").expect("a file");
    check(
        &folder,
        &[
            (
                &["run", "hanging-clot"],
                2,
                "error: there is no file and no scene of the gallery named hanging-clot; did you mean \
                 hanging-cloth?\n",
            ),
            (
                &["run", "nothing-like-it"],
                2,
                "error: there is no file and no scene of the gallery named nothing-like-it; there are: \
                 hanging-cloth, curtain, flag, limited-flag, cloth-on-sphere, spinning-sphere, moving-box, \
                 cloth-through-ring, flag-against-pole, skirt, jelly, jelly-stairs, cantilever, \
                 twisting-bar, inflated-ball, water-balloon, curved-shell, table-edge, wall-and-ball, dominoes, \
                 box-stack, wrecking-ball, spinning-tops, bouncing-jack, …\n",
            ),
            (
                &["run", "pai.toml"],
                5,
                "error: pai.toml: there is no such file; did you mean pair.toml?\n",
            ),
            (&["run", "old"], 5, "error: old: is a folder; did you mean old/scene.toml?\n"),
            (&["run", "old/empty"], 5, "error: old/empty: is a folder; name a scene file\n"),
            (
                &["run", "data.toml"],
                3,
                "error: data.toml: is not a text file; a scene is written in TOML\n",
            ),
        ],
    );
    assert!(!folder.join("runs").exists(), "nothing is left behind");
}

#[test]
fn outputs_that_cannot_be_written() {
    let folder = with_scene("bad-outputs");
    std::fs::write(folder.join("file"), "").expect("a file");
    check(
        &folder,
        &[
            (
                &["run", "pair.toml", "--out", "file", "-q"],
                5,
                "error: file: already exists and is not a folder\n",
            ),
            (
                &["run", "pair.toml", "--out", "file/below", "-q"],
                5,
                "error: file/below: a part of its path is a file, not a folder\n",
            ),
            (
                &["new", "nowhere/scene.toml"],
                5,
                "error: nowhere/scene.toml: there is no such file or folder\n",
            ),
            (&["new", "file"], 5, "error: file: already exists; --force overwrites it\n"),
            (&["render", "nowhere"], 5, "error: nowhere: there is no such file or folder\n"),
            (
                &["render", "."],
                5,
                "error: .: holds no recording (recording.hooke); hooke run makes one\n",
            ),
            (
                &["export", ".", "--to", "glb"],
                5,
                "error: .: holds no recording (recording.hooke); hooke run makes one\n",
            ),
            (
                &["render", "file"],
                3,
                "error: file: is not a recording, or its beginning is missing\n",
            ),
        ],
    );
}

#[cfg(unix)]
#[test]
fn a_folder_that_may_not_be_written() {
    use std::os::unix::fs::PermissionsExt;
    let folder = with_scene("bad-locked");
    let locked = folder.join("locked");
    std::fs::create_dir(&locked).expect("a folder");
    std::fs::set_permissions(&locked, PermissionsExt::from_mode(0o555)).expect("it");
    // Whoever may do everything may write here too.
    let forbidden = std::fs::write(locked.join("try"), "").is_err();
    let run = hooke(&folder, &["run", "pair.toml", "--out", "locked/run", "-q"]);
    if forbidden {
        assert_eq!(stderr(&run), "error: locked/run: permission is denied\n");
        assert_eq!(run.status.code(), Some(5));
    } else {
        assert_eq!(run.status.code(), Some(0), "{}", stderr(&run));
    }
}

/// A disk that is full, as standard output and as a file.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk() {
    let folder = with_scene("bad-full");
    for arguments in [
        &["methods"][..],
        &["--help"],
        &["run", "--help"],
        &["--version"],
        &["eval", "pair.toml"],
        &["run", "pair.toml", "--out", "out"],
        &["new", "-"],
    ] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("a full disk");
        let ended = command(&folder, arguments).stdout(full).output().expect("hooke starts");
        let said = (ended.status.code(), stderr(&ended));
        assert_eq!(
            said,
            (Some(5), "error: standard output: the disk is full\n".into()),
            "{arguments:?}"
        );
    }
    check(
        &folder,
        &[(&["new", "/dev/full", "--force"], 5, "error: /dev/full: the disk is full\n")],
    );
}

/// Whoever stops reading is not told about it.
#[cfg(unix)]
#[test]
fn a_closed_pipe() {
    let folder = with_scene("bad-pipe");
    for arguments in
        [&["schema"][..], &["--help"], &["run", "pair.toml"], &["laws"], &["completions", "bash"]]
    {
        let mut child = command(&folder, arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("hooke starts");
        drop(child.stdout.take());
        let ended = child.wait_with_output().expect("it ends");
        let said = (ended.status.code(), stderr(&ended));
        assert_eq!(said, (Some(0), String::new()), "{arguments:?}");
    }
}

/// Warnings stand before the run, with their lines; `--quiet` leaves them out.
#[test]
fn warnings() {
    let folder = with_scene("bad-warnings");
    let text = PAIR.replace("masses = 1\n", "masses = 1\nvolume = 2\n");
    std::fs::write(folder.join("pair.toml"), text).expect("a scene");
    let warning = "warning: pair.toml:9: deformables[0].volume: has no effect: there is no world.water\n  \
                   9 | volume = 2\n    |          ^\n";
    check(
        &folder,
        &[
            (&["run", "pair.toml", "--out", "a", "--export", "none"], 0, warning),
            (&["run", "pair.toml", "--out", "b", "--export", "none", "--quiet"], 0, ""),
            (&["eval", "pair.toml"], 0, warning),
            (
                &["run", "pair.toml", "--out", "a", "--export", "none"],
                5,
                &format!(
                    "{warning}error: a: contains a run; hooke resume continues it, --force starts again\n"
                ),
            ),
        ],
    );
}

/// An entry of what tools are told.
fn entry(severity: &str, file: &str, at: [u64; 2], path: &str, message: &str) -> Value {
    json!({
        "severity": severity, "file": file, "line": at[0], "column": at[1], "path": path,
        "message": message,
    })
}

fn with(mut entry: Value, field: &str, value: impl Into<Value>) -> Value {
    entry[field] = value.into();
    entry
}

/// Everything a command has to say is one array of the same entries, whatever went wrong.
#[test]
fn errors_for_tools() {
    let folder = with_scene("bad-json");
    let text = PAIR.replace("masses = 1\n", "masses = 1\nvolume = 2\n");
    std::fs::write(folder.join("warned.toml"), &text).expect("a scene");
    std::fs::write(folder.join("wrong.toml"), text.replace("[0, 1]", "[0, 7]")).expect("a scene");
    std::fs::write(folder.join("file"), "").expect("a file");
    let error = |code: i32, file: &str, message: &str| {
        with(entry("error", file, [0, 0], "", message), "code", code)
    };
    let warning = |file: &str| {
        let message = "has no effect: there is no world.water";
        entry("warning", file, [9, 10], "deformables[0].volume", message)
    };
    let vertex = "there is no vertex 7: the deformable has 2 vertices";
    let vertex =
        entry("error", "wrong.toml", [10, 28], "deformables[0].springs[0].between[1]", vertex);
    let set = entry("error", "pair.toml", [0, 0], "time.step", "must be > 0 (got 0)");
    for (arguments, code, told) in [
        (&["run", "warned.toml", "--out", "a"][..], 0, vec![warning("warned.toml")]),
        (
            &["run", "warned.toml", "--out", "file"],
            5,
            vec![warning("warned.toml"), error(5, "file", "already exists and is not a folder")],
        ),
        (&["run", "wrong.toml"], 3, vec![with(vertex, "code", 3), warning("wrong.toml")]),
        (
            &["run", "pair.toml", "--set", "time.step=0"],
            3,
            vec![with(with(set, "option", "--set time.step=0"), "code", 3)],
        ),
        (
            &["run", "pair.toml", "--frmes", "3"],
            2,
            vec![error(
                2,
                "",
                "unexpected argument '--frmes' found; tip: a similar argument exists: '--frames'",
            )],
        ),
        (
            &["run", "pair.toml", "--export", "pngg"],
            2,
            vec![error(
                2,
                "",
                "invalid value 'pngg' for '--export <LIST>' [possible values: png, gif, mp4, glb, \
                 usda, pc2, pvd, npz, obj, ply, none]; tip: a similar value exists: 'png'",
            )],
        ),
        (
            &["export"],
            2,
            vec![error(
                2,
                "",
                "the following required arguments were not provided: --to <LIST>; <RECORDING>",
            )],
        ),
        (
            &["run", "hanging-clot"],
            2,
            vec![error(
                2,
                "",
                "there is no file and no scene of the gallery named hanging-clot; did you mean \
                 hanging-cloth?",
            )],
        ),
        (
            &["run", "pair.toml", "--method", "forward-euler"],
            3,
            vec![error(
                3,
                "",
                "forward Euler without damping grows at every step: add drag, set substeps to a number \
                 to watch it grow, or use symplectic-euler",
            )],
        ),
        (
            &["render", "file"],
            3,
            vec![error(3, "file", "is not a recording, or its beginning is missing")],
        ),
        (&["render", "nowhere"], 5, vec![error(5, "nowhere", "there is no such file or folder")]),
        (&["methods"], 0, Vec::new()),
    ] {
        let output = hooke(&folder, &[arguments, &["--json-errors"]].concat());
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {}", stderr(&output));
        if told.is_empty() {
            assert_eq!(stderr(&output), "");
        } else {
            assert_eq!(json_of(&stderr(&output)), Value::from(told), "{arguments:?}");
        }
    }
}

/// A run that diverges: the step, the particle and the limit, and what was kept.
#[test]
fn a_numerical_failure_for_tools() {
    let folder = with_scene("bad-diverged");
    let arguments = [
        "run",
        "pair.toml",
        "--method",
        "rk4",
        "--out",
        "out",
        "--export",
        "none",
        "--json-errors",
        "--set",
        "time.substeps=1",
        "--set",
        "deformables[0].springs[0].stiffness=1e7",
        "--set",
        "time.duration=1",
    ];
    let run = hooke(&folder, &arguments);
    assert_eq!(run.status.code(), Some(4), "{}", stderr(&run));
    let told = json_of(&stderr(&run));
    assert_eq!(told[0]["code"], 4);
    let message = told[0]["message"].as_str().expect("a message");
    let begin = "step 3: particle 1 is more than 1e12 m away; the step of 1.000e-2 s is above the \
                 method's limit of 8.944e-4 s: use substeps = \"auto\" or an implicit method; ";
    assert!(message.starts_with(begin), "{message}");
}

/// Problems beyond the first twenty are counted.
#[test]
fn many_problems_for_tools() {
    let folder = folder("bad-many");
    let bad = "{ between = [0, 1], stiffness = -1 }, ".repeat(25);
    let text = PAIR.replace("{ between = [0, 1], stiffness = 100, rest_length = 0.5 }", &bad);
    std::fs::write(folder.join("many.toml"), text).expect("a scene");
    let run = hooke(&folder, &["run", "many.toml", "--json-errors"]);
    let told = json_of(&stderr(&run));
    let told = told.as_array().expect("an array");
    assert_eq!(told.len(), 21);
    assert!(told[..20].iter().all(|entry| entry["code"] == 3 && entry["line"] == 9));
    assert_eq!(told[20], entry("note", "", [0, 0], "", "5 more problems not listed"));
    let run = hooke(&folder, &["run", "many.toml"]);
    assert_eq!(run.status.code(), Some(3));
    assert!(stderr(&run).ends_with("^^\n… and 5 more problems\n"), "{}", stderr(&run));
}

/// `--json` tells the files that were written.
#[test]
fn results_for_tools() {
    let folder = with_scene("bad-results");
    let run = hooke(&folder, &["run", "pair.toml", "--out", "run", "--export", "none", "-q"]);
    assert_eq!(run.status.code(), Some(0), "{}", stderr(&run));
    for (arguments, files) in [
        (&["render", "run", "--out", "a.png", "--size", "64x36"][..], vec!["a.png"]),
        (
            &["export", "run", "--to", "npz,ply", "--out", "files"],
            vec!["files/animation.npz", "files/animation_ply/frame_00000.ply"],
        ),
        (&["new", "fresh.toml"], vec!["fresh.toml"]),
    ] {
        let output = hooke(&folder, &[arguments, &["--json"]].concat());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let told = json_of(&stdout(&output));
        let listed: Vec<_> =
            told["files"].as_array().expect("files").iter().filter_map(Value::as_str).collect();
        assert_eq!(listed[..files.len()], files[..], "{told}");
        assert!(listed.iter().all(|file| folder.join(file).is_file()), "{told}");
        assert!(told["notes"].is_array(), "{told}");
    }
}

/// The page on messages shows what tools are really told.
#[test]
fn the_page_shows_what_tools_are_told() {
    let folder = folder("bad-page");
    let page = page("messages.md");
    let blocks = |kind: &str| -> Vec<&str> {
        let start = format!("```{kind}\n");
        page.split(start.as_str()).skip(1).filter_map(|rest| rest.split("```").next()).collect()
    };
    std::fs::write(folder.join("scene.toml"), blocks("toml")[0]).expect("a scene");
    let run = hooke(&folder, &["run", "scene.toml", "--json-errors"]);
    assert_eq!(stderr(&run), blocks("json")[0]);
    let new = hooke(&folder, &["new", "fresh.toml", "--json"]);
    assert_eq!(stdout(&new), blocks("json")[1]);
    for code in ["0", "2", "3", "4", "5", "6", "130"] {
        assert!(page.contains(&format!("\n| {code} | ")), "{code}");
    }
}
