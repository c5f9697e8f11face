//! What a run takes of memory is what was said before, and nothing takes more than it may.
#![cfg(target_os = "linux")]

mod common;

use common::{command, folder, hooke, stderr, stdout};
use std::path::Path;
use std::process::{Command, Stdio};

/// By how much (bytes) what the program itself takes differs: the system loads its pages as they are needed.
const PROGRAM: f64 = 4e6;

/// The most memory (bytes) a command takes, once it ended well.
#[allow(clippy::zombie_processes, reason = "wait4 waits for it, with its usage")]
fn peak(folder: &Path, arguments: &[&str]) -> f64 {
    let child = command(folder, arguments).stdout(Stdio::null()).spawn().expect("hooke starts");
    let pid = libc::pid_t::try_from(child.id()).expect("a process");
    // SAFETY: zeros are a usage, and the child is waited for nowhere else.
    let (status, usage) = unsafe {
        let (mut status, mut usage) = (0, std::mem::zeroed::<libc::rusage>());
        assert_eq!(libc::wait4(pid, &mut status, 0, &mut usage), pid);
        (status, usage)
    };
    assert!(libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0, "{arguments:?}");
    usage.ru_maxrss as f64 * 1024.0
}

/// What a run is said to take (bytes), and what it does take.
fn estimated_and_taken(folder: &Path, method: &str, body: &str) -> [f64; 2] {
    let text = format!(
        "format = 1\n[time]\nstep = \"1/60\"\nduration = 0.1\n[method]\nname = \"{method}\"\n\
         [[deformables]]\nmass = 1\npins = [{{ at = 0 }}]\n{body}\n"
    );
    std::fs::write(folder.join("scene.toml"), text).expect("a scene");
    let told = hooke(folder, &["check", "scene.toml", "--json"]);
    let told: serde_json::Value = serde_json::from_str(&stdout(&told)).expect("JSON");
    let estimated = told["memory_bytes"].as_f64().expect("a number");
    let arguments = ["run", "scene.toml", "--frames", "1", "--export", "none", "-q"];
    let run = [&arguments[..], &["--out", "out", "--force", "--threads", "2"]].concat();
    [estimated, peak(folder, &run)]
}

/// Within a fifth above, and never below, under every kind of method on cloths and solids.
#[test]
fn estimates_are_right() {
    let folder = folder("estimates");
    let springs =
        "structural = { stiffness = 1000 }\nshear = { stiffness = 300 }\nbend = { stiffness = 20 }";
    let cloth = format!("grid = {{ columns = 60, rows = 60 }}\n{springs}");
    let solid = "box = { cells = [10, 10, 10] }\nsolid = { young = 1e5 }".to_owned();
    let mut wrong = String::new();
    for method in
        ["newton", "quasi-newton", "constrained", "bdf2", "vbd", "xpbd", "pbd", "symplectic-euler"]
    {
        for body in [&cloth, &solid] {
            let [estimated, taken] = estimated_and_taken(&folder, method, body);
            let ratio = estimated / taken;
            if estimated < taken || estimated > 1.2 * taken + PROGRAM {
                let what = body.lines().next().unwrap_or_default();
                wrong += &format!("\n{method}, {what}: {ratio:.2} of {:.1} MB", taken / 1e6);
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// A scene of a few bytes cannot ask for more than the limit, whatever it draws.
#[test]
fn what_a_pen_draws_is_bounded() {
    let folder = folder("drawn");
    let chain = "format = 1\n[[chains]]\nbones = [1, 1]\n";
    let target = |curve: &str| format!("[[chains.targets]]\ndraw = {{ curves = [{curve}] }}\n");
    let jumps = target("{ x = \"floor(1e6 t)\", y = \"0\" }");
    let long = target("{ x = \"900 t\", y = \"0\" }").repeat(3000);
    let many = target(&"{x=\"t\",y=\"t\"},".repeat(50_000));
    for (name, drawn, code) in [("jumps", jumps, 6), ("long", long, 6), ("many", many, 6)] {
        let file = format!("{name}.toml");
        std::fs::write(folder.join(&file), format!("{chain}{drawn}")).expect("a scene");
        // Address space, which is more than what is really used.
        let limited = format!(
            "ulimit -v 2000000; exec {} check {file} --memory 0.5",
            env!("CARGO_BIN_EXE_hooke")
        );
        let ended = Command::new("bash").args(["-c", &limited]).current_dir(&folder).output();
        let ended = ended.expect("bash starts");
        assert_eq!(ended.status.code(), Some(code), "{name}: {}", stderr(&ended));
        assert!(stderr(&ended).starts_with(&format!("error: {file}:")), "{}", stderr(&ended));
    }
}

/// Bodies at one place touch at very many places: a run stays within what it may take, or is refused by one sentence.
#[test]
fn bodies_at_one_place_stay_within_the_limit() {
    let folder = folder("crowd");
    for (name, shape, count) in [
        ("boxes", "box = { size = [0.2, 0.2, 0.2] }", "[1000, 1, 1]"),
        ("balls", "sphere = { radius = 0.1 }", "[1000, 2, 1]"),
    ] {
        let file = format!("{name}.toml");
        let text = format!(
            "format = 1\n[time]\nstep = \"1/60\"\nduration = 0.0167\n[[rigid_bodies]]\n{shape}\ndensity = 500\n\
             position = [0, 1, 0]\nrepeat = {{ count = {count}, step = [0, 0, 0] }}\n[[obstacles]]\nfloor = {{}}\n"
        );
        std::fs::write(folder.join(&file), text).expect("a scene");
        let run = [
            "run", &file, "--export", "none", "-q", "--out", "out", "--frames", "1", "--force",
            "--memory",
        ];
        let taken = peak(&folder, &[&run[..], &["1"]].concat());
        println!("{count} {name} at one place take {:.0} MB", taken / 1e6);
        assert!(taken < 1.073_741_824e9, "{name}: {taken}");
        let refused = hooke(&folder, &[&run[..], &["0.05"]].concat());
        let told = stderr(&refused);
        assert_eq!(refused.status.code(), Some(3), "{told}");
        assert!(told.starts_with("error: the rigid bodies touch at more than "), "{told}");
        assert_eq!(told.lines().count(), 1, "{told}");
        let refused = hooke(&folder, &["check", &file, "--memory", "0.01"]);
        let told = stderr(&refused);
        assert_eq!(refused.status.code(), Some(6), "{told}");
        assert!(told.contains("000 rigid bodies, the limit is 10.2 MiB; --memory"), "{told}");
    }
}
