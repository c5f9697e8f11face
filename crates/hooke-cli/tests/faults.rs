//! Every call to the system fails once, and nothing is lost.
//!
//! As SQLite's tests do: the first write, sync, rename, … below the folder of a run fails, then the
//! second, and so on until a command ends without having met its fault. Each time it ends with one
//! sentence and its exit code, what was written before stands, and the next start goes on to the bits
//! of a run that met no fault. `faults/shim.c` is what fails.
//!
//! These take minutes: `cargo xtask test --faults` runs them.
#![cfg(all(target_os = "linux", target_env = "gnu"))]

mod common;

use common::{command, folder, stderr};
use hooke_scene::export::Format;
use hooke_scene::recording::{Checkpoint, FILE, Frame, Reader};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Which call fails, and how.
#[derive(Clone, Copy, Debug)]
struct Fault {
    at: u64,
    /// Whether all calls after it fail as well.
    on: bool,
    how: &'static str,
}

/// A disk that is full for a moment or for good, a device that fails once or for good, and a write
/// of which half fits, where the rest goes or not.
const KINDS: [(&str, bool); 6] = [
    ("full", false),
    ("full", true),
    ("broken", false),
    ("broken", true),
    ("short", false),
    ("short", true),
];

/// The library that fails.
fn shim(folder: &Path) -> PathBuf {
    let (source, library) =
        (Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/faults/shim.c"), folder.join("shim.so"));
    let built = Command::new("cc")
        .args(["-O1", "-Wall", "-Werror", "-shared", "-fPIC", "-o"])
        .args([&library, &source])
        .arg("-ldl")
        .status()
        .expect("faults are injected by a library in C: install a C compiler named cc");
    assert!(built.success(), "cc could not build {}", source.display());
    library
}

/// A place to inject faults in: a scene, the library, and `out`, below which calls are counted.
struct Bench {
    folder: PathBuf,
    shim: PathBuf,
}

impl Bench {
    fn new(name: &str) -> Self {
        let folder = folder(&format!("faults-{name}"));
        let scene = "format = 1\ntitle = \"Net\"\n[time]\nstep = 0.005\nfps = 100\nduration = 0.05\n\
             [method]\nname = \"newton\"\n[[obstacles]]\nfloor = { height = -0.65 }\n\
             [[deformables]]\ngrid = { columns = 4, rows = 4, size = [0.6, 0.6] }\nmass = 0.1\n\
             [deformables.structural]\nstiffness = 60\n[[deformables.pins]]\nat = 0\n";
        std::fs::write(folder.join("scene.toml"), scene).expect("a scene");
        let shim = shim(&folder);
        Self { folder, shim }
    }

    fn out(&self) -> PathBuf {
        self.folder.join("out")
    }

    fn note(&self) -> PathBuf {
        self.folder.join("note")
    }

    /// A command that meets no fault.
    fn calm(&self, arguments: &[&str]) -> Output {
        let output = command(&self.folder, arguments).output().expect("hooke starts");
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", stderr(&output));
        output
    }

    /// A command that meets a fault, and what failed; `None` where it made fewer calls.
    fn fault(
        &self,
        fault: Fault,
        more: &[(&str, &str)],
        words: &[&str],
    ) -> (Output, Option<String>) {
        let _ = std::fs::remove_file(self.note());
        let mut command = command(&self.folder, words);
        command.env("LD_PRELOAD", &self.shim).env("FAULT_NOTE", self.note());
        command.env("FAULT_AT", fault.at.to_string()).env("FAULT_HOW", fault.how);
        if fault.on {
            command.env("FAULT_ON", "1");
        }
        if more.is_empty() {
            command.env("FAULT_ROOT", self.out());
        }
        let output = command.envs(more.iter().copied()).output().expect("hooke starts");
        (output, std::fs::read_to_string(self.note()).ok())
    }

    /// Meets the first fault, the second, and so on: `prepare` makes the folder, `check` is told what
    /// failed and how the command ended.
    fn walk(&self, words: &[&str], prepare: impl Fn(), check: impl Fn(Fault, &str, &Output)) {
        for (how, on) in KINDS {
            let mut met = 0;
            for at in 1.. {
                prepare();
                let fault = Fault { at, on, how };
                let (output, failed) = self.fault(fault, &[], words);
                let Some(failed) = failed else {
                    assert_eq!(output.status.code(), Some(0), "{fault:?}: {}", stderr(&output));
                    break;
                };
                met += 1;
                check(fault, &failed, &output);
            }
            println!(
                "{words:?} with {how}, {}: {met} faults",
                if on { "for good" } else { "once" }
            );
            assert!(met > 20, "{words:?} met {met} faults only");
        }
    }
}

/// That a command either did all it should or ended with one sentence and such a code; whether it did.
fn ended(fault: Fault, failed: &str, output: &Output, codes: &[i32]) -> bool {
    let told = stderr(output);
    match output.status.code() {
        Some(0) => true,
        Some(code) if codes.contains(&code) => {
            let one = told.starts_with("error: ") && told.trim_end().lines().count() == 1;
            assert!(one, "{fault:?}, {failed}: {told}");
            false
        }
        other => panic!("{fault:?}, {failed}: exit code {other:?}: {told}"),
    }
}

/// All frames of a recording that are whole; none where there is no recording.
fn frames(folder: &Path) -> Vec<Frame> {
    let Ok(mut reader) = Reader::open(&folder.join(FILE)) else { return Vec::new() };
    (0..reader.frames()).map_while(|index| reader.frame(index).ok()).collect()
}

/// All files below a folder but those that hold times, with their bytes.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(&next).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if !path.ends_with("timing.csv") && !path.ends_with("checkpoint.hooke") {
                all.insert(path.clone(), std::fs::read(&path).expect("a file"));
            }
        }
    }
    all
}

/// Temporary names of files and folders below a folder.
fn temporary(folder: &Path) -> Vec<String> {
    let mut all = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(&next).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.contains(".part") {
                all.push(name);
            } else if entry.path().is_dir() {
                folders.push(entry.path());
            }
        }
    }
    all
}

/// That nothing under a temporary name is left, unless removing is what failed.
fn is_tidy(fault: Fault, failed: &str, folder: &Path) {
    let left = temporary(folder);
    let could_not = fault.on || failed.starts_with("unlink");
    assert!(left.is_empty() || could_not, "{fault:?}, {failed}: left {left:?}");
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder").flatten() {
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &to);
        } else {
            std::fs::copy(entry.path(), to).expect("a copy");
        }
    }
}

/// What every fault leaves of a run: frames of the run without faults, and at least those of the
/// checkpoint and those that the sentence calls safe. Going on, or starting anew where there is no
/// checkpoint, gives the same bits.
fn survives(
    bench: &Bench,
    fault: Fault,
    failed: &str,
    output: &Output,
    anew: &[&str],
    on: &[&str],
) {
    let (out, calm) = (bench.out(), bench.folder.join("calm"));
    let kept = frames(&out);
    let whole = frames(&calm);
    assert!(kept.len() <= whole.len() && kept[..] == whole[..kept.len()], "{fault:?}, {failed}");
    let found = Checkpoint::load(&out, |checkpoint| checkpoint.frame < kept.len() as u64).ok();
    let told = stderr(output);
    let safe = told.split(" frames are safe").next().filter(|before| *before != told);
    if let Some(safe) = safe.and_then(|before| before.rsplit(' ').next()?.parse::<u64>().ok()) {
        let held = found.as_ref().map_or(0, |found| found.checkpoint.frame + 1);
        assert!(held >= safe, "{fault:?}, {failed}: {safe} frames are said to be safe, not {held}");
    }
    bench.calm(if found.is_some() { on } else { anew });
    let [now, expected] = [&out, &calm].map(|folder| {
        contents(folder)
            .into_iter()
            .map(|(path, bytes)| (path.strip_prefix(folder).expect("below").to_owned(), bytes))
            .filter(|(path, _)| !path.to_string_lossy().contains(".part"))
            .collect::<BTreeMap<_, _>>()
    });
    assert!(
        now == expected,
        "{fault:?}, {failed}: other bits: {:?} and {:?}",
        now.keys(),
        expected.keys()
    );
}

const RUN: [&str; 7] = ["run", "scene.toml", "--export", "none", "--checkpoint", "0", "--out"];

#[test]
#[ignore = "takes a minute: cargo xtask test --faults"]
fn a_run_survives_every_fault() {
    let bench = Bench::new("run");
    let target = bench.out();
    let out = target.to_str().expect("a path of text");
    bench.calm(&[&RUN[..], &["calm"]].concat());
    let words = [&RUN[..], &[out]].concat();
    let (anew, on) = ([&words[..], &["--force"]].concat(), ["resume", out, "--export", "none"]);
    bench.walk(
        &words,
        || drop(std::fs::remove_dir_all(out)),
        |fault, failed, output| {
            ended(fault, failed, output, &[5]);
            is_tidy(fault, failed, &bench.out());
            survives(&bench, fault, failed, output, &anew, &on);
        },
    );
}

#[test]
#[ignore = "takes a minute: cargo xtask test --faults"]
fn a_resumed_run_survives_every_fault() {
    let bench = Bench::new("resume");
    let target = bench.out();
    let out = target.to_str().expect("a path of text");
    let [begun, calm] = ["begun", "calm"].map(|name| bench.folder.join(name));
    bench.calm(&[&RUN[..], &["begun"]].concat());
    copy(&begun, &calm);
    let rest = ["--frames", "9", "--export", "none", "--checkpoint", "0"];
    bench.calm(&[&["resume", "calm"][..], &rest].concat());
    let words = [&["resume", out][..], &rest].concat();
    bench.walk(
        &words,
        || {
            let _ = std::fs::remove_dir_all(out);
            copy(&begun, Path::new(out));
        },
        |fault, failed, output| {
            ended(fault, failed, output, &[5]);
            is_tidy(fault, failed, &bench.out());
            assert!(Checkpoint::load(Path::new(out), |_| true).is_ok(), "{fault:?}, {failed}");
            survives(&bench, fault, failed, output, &words, &words);
        },
    );
}

#[test]
#[ignore = "takes a minute: cargo xtask test --faults"]
fn an_export_is_whole_or_not_there() {
    let bench = Bench::new("export");
    let out = bench.out();
    let target = out.to_string_lossy().into_owned();
    bench.calm(&[&RUN[..], &["calm", "--frames", "2"]].concat());
    // What is there before is of another run, so that old and new files differ.
    bench
        .calm(&[&RUN[..], &["other", "--frames", "1", "--set", "world.gravity=[0,-1,0]"]].concat());
    let formats: Vec<String> = Format::ALL.iter().map(Format::to_string).collect();
    let formats = formats.join(",");
    let words = ["export", "calm", "--to", &formats, "--force", "--out", &target];
    bench.calm(&words);
    let new = contents(&out);
    let recording = contents(&bench.folder.join("calm"));
    let _ = std::fs::remove_dir_all(&out);
    bench.calm(&["export", "other", "--to", &formats, "--out", &target]);
    let (old, before) = (contents(&out), bench.folder.join("before"));
    copy(&out, &before);
    for there in [false, true] {
        bench.walk(
            &words,
            || {
                let _ = std::fs::remove_dir_all(&out);
                if there {
                    copy(&before, &out);
                }
            },
            |fault, failed, output| {
                let done = ended(fault, failed, output, &[5]);
                is_tidy(fault, failed, &out);
                let now = if out.exists() { contents(&out) } else { BTreeMap::new() };
                for (path, bytes) in &now {
                    let whole = path.to_string_lossy().contains(".part")
                        || new.get(path) == Some(bytes)
                        || (there && old.get(path) == Some(bytes));
                    assert!(whole, "{fault:?}, {failed}: {}", path.display());
                }
                if there && !fault.on {
                    for path in old.keys().filter(|path| new.contains_key(*path)) {
                        assert!(now.contains_key(path), "{fault:?}, {failed}: {}", path.display());
                    }
                }
                assert!(!done || new.iter().all(|(path, bytes)| now.get(path) == Some(bytes)));
                assert!(contents(&bench.folder.join("calm")) == recording);
                bench.calm(&words);
                let now = contents(&out);
                assert!(new.iter().all(|(path, bytes)| now.get(path) == Some(bytes)));
            },
        );
    }
}

#[test]
#[ignore = "takes a minute: cargo xtask test --faults"]
fn out_of_memory_damages_nothing() {
    let bench = Bench::new("memory");
    let target = bench.out();
    let out = target.to_str().expect("a path of text");
    bench.calm(&[&RUN[..], &["calm"]].concat());
    let words = [&RUN[..], &[out]].concat();
    let (anew, on) = ([&words[..], &["--force"]].concat(), ["resume", out, "--export", "none"]);
    let mut met = 0;
    // Small allocations are many and fail alike: every one of some size, then each time farther on.
    for (bytes, stride) in [("4096", 1), ("256", 7), ("1", 97)] {
        for at in (1..).step_by(stride) {
            let _ = std::fs::remove_dir_all(out);
            let fault = Fault { at, on: false, how: "full" };
            let (output, failed) = bench.fault(fault, &[("FAULT_BYTES", bytes)], &words);
            let Some(failed) = failed else {
                assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
                break;
            };
            met += 1;
            let failed = format!("{failed}of {bytes} bytes");
            // What the C library asks for itself comes back as an error of a file.
            ended(fault, &failed, &output, &[6, 5]);
            survives(&bench, fault, &failed, &output, &anew, &on);
        }
    }
    println!("out of memory: {met} faults");
    assert!(met > 100, "{met} faults only");
}
