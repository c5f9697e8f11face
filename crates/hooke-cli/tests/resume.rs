//! A run that is stopped, however it is stopped, goes on to the same bits.

mod common;

use common::{command, files, folder, hooke, stderr, stdout};
use hooke_scene::recording::{CHECKPOINT, Checkpoint, Frame, Reader};
use hooke_scene::{Scene, gallery};
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// A net with drag and a limit of strain that swings down onto a floor.
fn scene(method: &str, frames: u32) -> String {
    format!(
        "format = 1\ntitle = \"Net\"\n[time]\nstep = 0.005\nfps = 100\nduration = {}\n\
         [method]\nname = \"{method}\"\n[strain_limit]\nmax = 1.03\n\
         [[obstacles]]\nfloor = {{ height = -0.65 }}\n\
         [[deformables]]\ngrid = {{ columns = 4, rows = 4, size = [0.6, 0.6] }}\nmass = 0.1\ndrag = 0.01\n\
         [deformables.structural]\nstiffness = 60\n[[deformables.pins]]\nat = 0\n",
        f64::from(frames) / 100.0
    )
}

/// Rigid bodies that touch, a chain that follows a target, and a cloth that falls on a body and the floor.
fn crowd(method: &str, frames: u32) -> String {
    format!(
        "format = 1\ntitle = \"Crowd\"\n[time]\nstep = 0.005\nfps = 100\nduration = {}\n\
         [method]\nname = \"{method}\"\n[[obstacles]]\nfloor = {{}}\n\
         [[rigid_bodies]]\nbox = {{ size = [0.2, 0.1, 0.2] }}\nposition = [0, 0.05, 0]\n\
         repeat = {{ count = [1, 3, 1], step = [0, 0.1, 0], noise = 0.001 }}\n\
         [[rigid_bodies]]\nsphere = {{ radius = 0.05 }}\nposition = [-0.2, 0.25, 0]\n\
         velocity = [3, 0, 0]\nrestitution = 0.3\n\
         [[deformables]]\ngrid = {{ columns = 4, rows = 4, size = [0.3, 0.3], corner = [0, 0.4, 0] }}\n\
         mass = 0.05\ndrag = 0.01\n[deformables.structural]\nstiffness = 6\n\
         [[chains]]\nbones = [0.2, 0.2, 0.2]\nroot = [1, 0, 0]\nspeed = 300\n\
         targets = [{{ position = {{ times = [0, 1], points = [[1.1, 0.3, 0], [1.4, 0, 0.2]] }} }}]\n",
        f64::from(frames) / 100.0
    )
}

fn run(folder: &Path, out: &str) -> Child {
    let arguments =
        ["run", "scene.toml", "--out", out, "--force", "--export", "none", "--checkpoint", "0"];
    spawn(folder, &arguments)
}

fn resume(folder: &Path, out: &str) -> Child {
    spawn(folder, &["resume", out, "--export", "none", "--checkpoint", "0"])
}

fn spawn(folder: &Path, arguments: &[&str]) -> Child {
    let mut command = command(folder, arguments);
    command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("hooke starts")
}

/// What must not depend on how often a run was stopped.
fn product(folder: &Path) -> (Vec<u8>, Vec<u8>) {
    let read = |name: &str| std::fs::read(folder.join(name)).expect("a file of the run");
    (read("recording.hooke"), read("report.csv"))
}

/// A small generator of moments; the seed makes failures repeatable as far as a clock allows.
struct Moments(u64);

impl Moments {
    fn next(&mut self, below: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % below
    }
}

#[test]
fn two_hundred_kills_lose_nothing() {
    let mut moments = Moments(0x5EED);
    let (mut kills, mut prev_seen) = (0, 0);
    let scenes: [fn(&str, u32) -> String; 2] = [scene, crowd];
    let methods = hooke::methods::METHODS.iter().map(|info| info.name);
    let mut runs = methods.flat_map(|name| scenes.map(|scene| (name, scene))).cycle();
    while kills < 200 {
        let (method, scene) = runs.next().expect("a cycle");
        let folder = folder(&format!("kill-{kills}-{method}"));
        std::fs::write(folder.join("scene.toml"), scene(method, 100)).expect("a scene");
        let clock = Instant::now();
        let straight = run(&folder, "straight").wait_with_output().expect("it ends");
        assert!(straight.status.success(), "{method}: {}", stderr(&straight));
        // Long enough for some frames, so that every run ends in spite of its kills.
        let longest = (clock.elapsed().as_micros() as u64 / 8).max(30_000);
        let mut child = run(&folder, "killed");
        let mut frames = 0;
        loop {
            std::thread::sleep(Duration::from_micros(moments.next(longest)));
            let done = child.try_wait().expect("a child").is_some();
            child.kill().expect("SIGKILL");
            let ended = child.wait_with_output().expect("it ends");
            if done {
                assert!(ended.status.success(), "{method}: {}", stderr(&ended));
                break;
            }
            kills += 1;
            // Whatever was killed where: once there is a checkpoint there always is one, it never
            // goes back, and the recording holds at least its frames.
            let killed = folder.join("killed");
            prev_seen += u32::from(killed.join(format!("{CHECKPOINT}.prev")).exists());
            let reader = Reader::open(&killed.join("recording.hooke"));
            let held = reader.as_ref().map_or(0, Reader::frames);
            match Checkpoint::load(&killed, |checkpoint| checkpoint.frame < held) {
                Ok(found) => {
                    assert!(found.checkpoint.frame >= frames, "{method}: a checkpoint went back");
                    frames = found.checkpoint.frame;
                    child = resume(&folder, "killed");
                }
                Err(error) => {
                    assert_eq!(frames, 0, "{method}: {error}");
                    child = run(&folder, "killed");
                }
            }
        }
        let [straight, killed] = ["straight", "killed"].map(|name| product(&folder.join(name)));
        assert!(straight == killed, "{method}: other bits after kills");
        let _ = std::fs::remove_dir_all(&folder);
    }
    assert!(prev_seen > 20, "the checkpoint before was there {prev_seen} times");
}

#[test]
fn every_gallery_scene_goes_on_to_the_same_bits() {
    let folder = folder("gallery");
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some(entry) = gallery().get(next.fetch_add(1, Ordering::Relaxed)) {
            goes_on(&folder, entry.name);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(work);
        }
    });
}

/// A scene in one process and in two: where bodies touch, long enough for that to matter.
fn goes_on(folder: &Path, name: &str) {
    let scene = Scene::gallery(name).expect(name);
    let bodies = !scene.document().rigid_bodies.is_empty();
    let [half, whole] = if bodies { ["11", "24"] } else { ["2", "4"] };
    let [straight, stopped] = ["straight", "stopped"].map(|how| format!("{name}-{how}"));
    let success = |arguments: &[&str]| {
        let output = hooke(folder, &[arguments, &["--export", "none"]].concat());
        assert!(output.status.success(), "{name}: {}", stderr(&output));
    };
    success(&["run", name, "--frames", whole, "--out", &straight]);
    success(&["run", name, "--frames", half, "--out", &stopped]);
    success(&["resume", &stopped, "--frames", whole]);
    // All but the header, which holds the scene with its own number of frames.
    let frames = |out: &str| -> Vec<Frame> {
        let mut reader = Reader::open(&folder.join(out).join("recording.hooke")).expect(name);
        (0..reader.frames()).map(|index| reader.frame(index).expect(name)).collect()
    };
    let [one, two] = [&straight, &stopped].map(|out| (frames(out), product(&folder.join(out)).1));
    assert!(one == two, "{name}: other bits after it was stopped");
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_goes_on_to_the_same_bits() {
    let folder = folder("go-on");
    std::fs::write(folder.join("scene.toml"), scene("bdf2", 400)).expect("a scene");
    let mut child = run(&folder, "out");
    while !folder.join("out").join(CHECKPOINT).exists() {
        std::thread::sleep(Duration::from_millis(1));
    }
    let second = hooke(&folder, &["resume", "out"]);
    assert_eq!(second.status.code(), Some(5));
    assert_eq!(stderr(&second), "error: out/recording.hooke: another run is writing it\n");
    let kill = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.expect("kill").success());
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    let resumed = hooke(&folder, &["resume", "out", "--export", "none"]);
    assert_eq!(resumed.status.code(), Some(0), "{}", stderr(&resumed));
    let told = stdout(&resumed);
    assert!(told.starts_with("Net: continues after frame "), "{told}");
    assert!(told.contains("frames     401 (800 steps)\n"), "{told}");
    assert!(run(&folder, "straight").wait().expect("it ends").success());
    assert!(product(&folder.join("out")) == product(&folder.join("straight")));

    // A finished run can be made longer.
    let longer = hooke(&folder, &["resume", "out", "--frames", "410", "--export", "none"]);
    assert!(stdout(&longer).starts_with("Net: continues after frame 400, 10 to go\n"));
    let reader = Reader::open(&folder.join("out/recording.hooke")).expect("a recording");
    assert_eq!(reader.frames(), 411);
    let shorter = hooke(&folder, &["resume", "out", "--frames", "5"]);
    assert_eq!(shorter.status.code(), Some(2));
    assert_eq!(stderr(&shorter), "error: out: 410 frames are already recorded\n");
    let done = hooke(&folder, &["resume", "out", "--export", "png"]);
    assert!(stdout(&done).starts_with("Net: all 410 frames are recorded\n"), "{}", stdout(&done));
    assert!(files(&folder.join("out")).contains(&"preview.png".to_owned()));
}

#[test]
fn what_cannot_be_resumed_says_why() {
    let folder = folder("cannot");
    std::fs::write(folder.join("scene.toml"), scene("newton", 5)).expect("a scene");
    assert!(run(&folder, "out").wait().expect("it ends").success());
    let out = folder.join("out");
    let checkpoint = out.join(CHECKPOINT);
    let good = std::fs::read(&checkpoint).expect("a checkpoint");

    let mut bad = good.clone();
    bad[50] ^= 1;
    std::fs::write(&checkpoint, bad).expect("a damaged checkpoint");
    let alone = hooke(&folder, &["resume", "out"]);
    assert_eq!(alone.status.code(), Some(3));
    assert_eq!(
        stderr(&alone),
        "error: out/checkpoint.hooke: is damaged; there is no checkpoint to continue from, start \
         again with hooke run out/scene.toml --out out --force\n"
    );
    std::fs::write(out.join(format!("{CHECKPOINT}.prev")), &good).expect("the one before");
    let saved = hooke(&folder, &["resume", "out", "--export", "none"]);
    assert_eq!(saved.status.code(), Some(0), "{}", stderr(&saved));
    assert!(
        stdout(&saved).starts_with(
            "note: out/checkpoint.hooke: is damaged; continuing from out/checkpoint.hooke.prev\n"
        ),
        "{}",
        stdout(&saved)
    );

    // A checkpoint of another scene.
    std::fs::write(folder.join("scene.toml"), scene("rk4", 5)).expect("a scene");
    assert!(run(&folder, "other").wait().expect("it ends").success());
    std::fs::copy(folder.join("other").join(CHECKPOINT), &checkpoint).expect("a copy");
    let foreign = hooke(&folder, &["resume", "out"]);
    assert_eq!(foreign.status.code(), Some(3));
    assert!(stderr(&foreign).starts_with("error: out: the scene is no longer what it was"));
    let none = hooke(&folder, &["resume", "nowhere"]);
    assert_eq!(none.status.code(), Some(5));
    assert!(stderr(&none).starts_with("error: nowhere/recording.hooke: "), "{}", stderr(&none));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_keeps_the_last_checkpoint() {
    let folder = folder("full");
    std::fs::write(folder.join("scene.toml"), scene("newton", 200)).expect("a scene");
    // No file may grow beyond 64 KiB; writing more fails as on a full disk.
    let limited = format!(
        "ulimit -f 64; exec {} run scene.toml --out out --checkpoint 0 --export none",
        env!("CARGO_BIN_EXE_hooke")
    );
    let full = std::process::Command::new("bash")
        .args(["-c", &limited])
        .current_dir(&folder)
        .output()
        .expect("bash starts");
    assert_eq!(full.status.code(), Some(5), "{}", stderr(&full));
    let out = folder.join("out");
    let found = Checkpoint::load(&out, |_| true).expect("the last checkpoint");
    let frames = found.checkpoint.frame + 1;
    assert!(frames > 10);
    let end = format!(
        "; {frames} frames are safe: once there is room again, hooke resume out continues it\n"
    );
    let begin = "error: out/recording.hooke: the file would be larger than the system allows";
    assert!(stderr(&full).starts_with(begin), "{}", stderr(&full));
    assert!(stderr(&full).ends_with(&end), "{}", stderr(&full));
    assert!(resume(&folder, "out").wait().expect("it ends").success());
    assert!(run(&folder, "straight").wait().expect("it ends").success());
    assert!(product(&out) == product(&folder.join("straight")));
}

#[test]
fn determinism_can_be_checked_by_anybody() {
    let folder = folder("determinism");
    std::fs::write(folder.join("scene.toml"), scene("quasi-newton", 8)).expect("a scene");
    let arguments = ["run", "scene.toml", "--check-determinism", "--export", "none"];
    let checked = hooke(&folder, &arguments);
    assert_eq!(checked.status.code(), Some(0), "{}", stderr(&checked));
    let verdict = "8 frames computed three times, on 1 and 2 threads: same bits\n";
    assert!(stdout(&checked).ends_with(verdict), "{}", stdout(&checked));
    // Bodies that touch, a chain and a cloth.
    std::fs::write(folder.join("scene.toml"), crowd("newton", 8)).expect("a scene");
    let checked = hooke(&folder, &[&arguments[..], &["--force"]].concat());
    assert_eq!(checked.status.code(), Some(0), "{}", stderr(&checked));
}

#[test]
fn a_failed_run_leaves_its_reason_and_last_state() {
    let folder = folder("failed");
    let arguments = ["run", "course-stiffness", "--set", "time.step=0.033", "--out", "out"];
    let arguments = [&arguments[..], &["--export", "none"]].concat();
    assert_eq!(hooke(&folder, &arguments).status.code(), Some(4));
    let text = std::fs::read_to_string(folder.join("out/failure.json")).expect("the reason");
    let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert!(json["reason"].as_str().is_some_and(|reason| reason.contains("above the method's")));
    let positions = json["positions"].as_array().expect("positions");
    assert!(!positions.is_empty() && json["step"].as_u64().is_some_and(|step| step > 5));
}

/// Sends a signal to a run.
#[cfg(unix)]
fn signal(child: &Child, name: &str) {
    let kill = std::process::Command::new("kill").args([name, &child.id().to_string()]).status();
    assert!(kill.expect("kill").success());
}

/// Waits for the first checkpoint of a run.
#[cfg(unix)]
fn begun(folder: &Path) {
    while !folder.join(CHECKPOINT).exists() {
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[cfg(unix)]
#[test]
fn whatever_stops_a_run_saves_it() {
    let folder = folder("signals");
    std::fs::write(folder.join("scene.toml"), scene("newton", 4000)).expect("a scene");
    for name in ["INT", "TERM", "HUP"] {
        // The checkpoint of the start is the only one that is not asked for.
        let arguments =
            ["run", "scene.toml", "--out", name, "--export", "none", "--checkpoint", "1e6"];
        let child = spawn(&folder, &arguments);
        begun(&folder.join(name));
        std::thread::sleep(Duration::from_millis(100));
        signal(&child, &format!("-{name}"));
        let ended = child.wait_with_output().expect("it ends");
        assert_eq!(ended.status.code(), Some(130), "{name}: {}", stderr(&ended));
        let saved = Checkpoint::load(&folder.join(name), |_| true).expect("a checkpoint");
        let frames = saved.checkpoint.frame + 1;
        assert!(frames > 1, "{name}");
        let told = format!(
            "error: stopped; {frames} frames are saved in {name}: hooke resume {name} continues it\n"
        );
        assert_eq!(stderr(&ended), told);
    }
    // What was started to survive its terminal does.
    std::fs::write(folder.join("scene.toml"), scene("newton", 200)).expect("a scene");
    let hooke = env!("CARGO_BIN_EXE_hooke");
    let deaf = format!("trap '' HUP; exec {hooke} run scene.toml --out deaf --export none");
    let mut child = std::process::Command::new("bash")
        .args(["-c", &deaf])
        .current_dir(&folder)
        .stdout(Stdio::null())
        .spawn()
        .expect("bash starts");
    begun(&folder.join("deaf"));
    signal(&child, "-HUP");
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
}

#[cfg(unix)]
#[test]
fn a_stop_is_heard_between_sub_steps() {
    let folder = folder("sub-steps");
    // A frame of a step of a hundred thousand parts takes minutes.
    let long = scene("rk4", 10)
        .replace("[method]", "substeps = 100000\n[method]")
        .replace("columns = 4, rows = 4", "columns = 60, rows = 60");
    std::fs::write(folder.join("scene.toml"), long).expect("a scene");
    let child = run(&folder, "out");
    begun(&folder.join("out"));
    std::thread::sleep(Duration::from_millis(300));
    let clock = std::time::Instant::now();
    signal(&child, "-INT");
    let ended = child.wait_with_output().expect("it ends");
    assert_eq!(ended.status.code(), Some(130), "{}", stderr(&ended));
    assert!(clock.elapsed() < Duration::from_secs(10), "{:?}", clock.elapsed());
    let told = "error: stopped; 1 frames are saved in out: hooke resume out continues it\n";
    assert_eq!(stderr(&ended), told);
    let found = Checkpoint::load(&folder.join("out"), |_| true).expect("a checkpoint");
    assert_eq!((found.checkpoint.frame, found.checkpoint.snapshot.state().step), (0, 0));
}

/// A run of a few frames, and the bytes of one of its files.
fn finished(name: &str, file: &str) -> (std::path::PathBuf, Vec<u8>) {
    let folder = folder(name);
    std::fs::write(folder.join("scene.toml"), scene("newton", 6)).expect("a scene");
    assert!(run(&folder, "out").wait().expect("it ends").success());
    let bytes = std::fs::read(folder.join("out").join(file)).expect("a file of the run");
    (folder, bytes)
}

#[test]
fn frames_are_verified_before_a_run_goes_on() {
    let (folder, good) = finished("flipped", "recording.hooke");
    let again = "start again with hooke run out/scene.toml --out out --force\n";
    let frame = good.len() / 10;
    for back in [1, 3 * frame, 5 * frame] {
        let mut bad = good.clone();
        let at = bad.len() - 40 - back;
        bad[at] ^= 1;
        std::fs::write(folder.join("out/recording.hooke"), &bad).expect("a damaged recording");
        let resumed = hooke(&folder, &["resume", "out", "--frames", "8", "--export", "none"]);
        let told = stderr(&resumed);
        assert_eq!(resumed.status.code(), Some(3), "{told}");
        assert!(told.starts_with("error: out/recording.hooke: frame "), "{told}");
        assert!(told.ends_with(&format!(" is damaged; {again}")), "{told}");
        // Whoever reads it is told the same, with the same code.
        let damaged = told.split(';').next().expect("a sentence").to_owned() + "\n";
        let frame = damaged.split_whitespace().rev().nth(2).expect("a frame");
        for arguments in [
            &["export", "out", "--to", "npz", "--out", "files"][..],
            &["export", "out", "--to", "glb", "--out", "files"],
            &["render", "out", "--frame", frame, "--out", "damaged.png"],
        ] {
            let read = hooke(&folder, arguments);
            let said = (read.status.code(), stderr(&read));
            assert_eq!(said, (Some(3), damaged.clone()), "{arguments:?}");
        }
        // The frames that are whole can still be had.
        let arguments = ["render", "out", "--frame", "0", "--out", "first.png", "--force"];
        assert_eq!(hooke(&folder, &arguments).status.code(), Some(0));
        assert_eq!(
            std::fs::read(folder.join("out/recording.hooke")).expect("it"),
            bad,
            "untouched"
        );
    }
}

#[test]
fn a_table_cut_short_is_told() {
    for name in ["report.csv", "timing.csv"] {
        let (folder, bytes) = finished(&format!("cut-{name}"), name);
        let path = folder.join("out").join(name);
        std::fs::write(&path, &bytes[..bytes.len() / 2]).expect("a shorter table");
        let resumed = hooke(&folder, &["resume", "out", "--frames", "8", "--export", "none"]);
        let told = stderr(&resumed);
        assert_eq!(resumed.status.code(), Some(3), "{told}");
        let begin = format!("error: out/{name}: is truncated: {} bytes ", bytes.len() / 2);
        assert!(told.starts_with(&begin), "{told}");
        assert_eq!(std::fs::read(&path).expect("it").len(), bytes.len() / 2, "untouched");
    }
}

/// What was deleted during a run is not called safe.
#[cfg(unix)]
#[test]
fn a_deleted_folder_is_not_safe() {
    let folder = folder("deleted");
    std::fs::write(folder.join("scene.toml"), scene("newton", 4000)).expect("a scene");
    for again in [false, true] {
        let child = run(&folder, "out");
        begun(&folder.join("out"));
        std::fs::rename(folder.join("out"), folder.join(format!("away-{again}"))).expect("renamed");
        if again {
            std::fs::create_dir(folder.join("out")).expect("a folder in its place");
        }
        let ended = child.wait_with_output().expect("it ends");
        assert_eq!(ended.status.code(), Some(5), "{}", stderr(&ended));
        assert!(!stderr(&ended).contains("safe"), "{}", stderr(&ended));
        // Whether it is missed before the checkpoint is written or just then.
        let gone = ["was deleted or replaced during the run", "there is no such file or folder"];
        assert!(gone.iter().any(|words| stderr(&ended).contains(words)), "{}", stderr(&ended));
        let _ = std::fs::remove_dir_all(folder.join("out"));
    }
}

#[test]
fn a_body_that_falls_out_of_reach_ends_its_run() {
    let folder = folder("far");
    let arguments = ["run", "box-stack", "--set", "world.gravity=[0, 0, 1e15]", "--out", "out"];
    let failed = hooke(&folder, &[&arguments[..], &["--export", "none"]].concat());
    assert_eq!(failed.status.code(), Some(4), "{}", stderr(&failed));
    let told = "rigid body 0 is more than 1e12 m away; the forces grew beyond what a step";
    assert!(stderr(&failed).contains(told), "{}", stderr(&failed));
    let text = std::fs::read_to_string(folder.join("out/failure.json")).expect("the reason");
    let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let bodies = Scene::gallery("box-stack").expect("a scene").compile().expect("a model");
    let count = bodies.model.rigid_bodies().len();
    for (field, numbers) in [
        ("body_positions", 3),
        ("body_rotations", 4),
        ("body_velocities", 3),
        ("body_angular_velocities", 3),
    ] {
        let list = json[field].as_array().expect(field);
        let all = list.iter().filter_map(|of| of.as_array()).filter(|of| of.len() == numbers);
        assert_eq!(all.count(), count, "{field}");
    }
}
