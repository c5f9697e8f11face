//! `cargo xtask bench peers`: other engines on the same cloth, from PyPI in an environment under
//! `target/`.
//!
//! They solve other equations, so their answers are not compared with ours. What is told is the
//! time of a frame and what it bought: how near the frame ends to the minimum of backward Euler,
//! and how far the cloth is stretched after a second.

use super::programs::{Program, Programs, Scene};
use super::report::{Machine, line, significant};
use super::save;
use super::statistics::Summary;
use crate::stage::{Outcome, passes, root};
use serde_json::json;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

/// A second of frames.
const FRAMES: u32 = 30;
const ROUNDS: usize = 3;
/// No further round is begun after this.
const PATIENCE: Duration = Duration::from_secs(30);
/// Where a frame takes longer than this (s), it is the only one.
const SLOW: f64 = 2.0;
const SIZES: [u32; 2] = [47, 100];

/// A peer: its package, the module it brings, and how it is run.
struct Peer {
    package: &'static str,
    module: &'static str,
    runs: &'static [Contestant],
}

/// A name, a program and its arguments.
type Contestant = (&'static str, Program, &'static [&'static str]);

const PEERS: [Peer; 4] = [
    Peer {
        package: "pypbd==2.2.2",
        module: "pypbd",
        runs: &[
            ("pyPBD, XPBD, 1 thread", Program::Python("pypbd_xpbd", "1"), &["10"]),
            ("pyPBD, XPBD, 2 threads", Program::Python("pypbd_xpbd", "2"), &["10"]),
        ],
    },
    Peer {
        package: "newton==1.7.0",
        module: "newton",
        runs: &[
            ("Newton, XPBD", Program::Python("newton_physics", "1"), &["10", "xpbd"]),
            ("Newton, VBD", Program::Python("newton_physics", "1"), &["10", "vbd"]),
        ],
    },
    Peer {
        package: "mujoco==4.0.0",
        module: "mujoco",
        runs: &[
            ("MuJoCo, membrane", Program::Python("mujoco_flex", "1"), &["10", "membrane"]),
            ("MuJoCo, springs", Program::Python("mujoco_flex", "1"), &["10", "springs"]),
        ],
    },
    Peer {
        package: "taichi==1.7.4",
        module: "taichi",
        runs: &[
            ("Taichi, 1 thread", Program::Python("taichi_implicit", "1"), &["200", "1"]),
            ("Taichi, 2 threads", Program::Python("taichi_implicit", "2"), &["200", "2"]),
        ],
    },
];

/// What a frame costs and buys.
struct Bought {
    name: &'static str,
    n: u32,
    frame: Summary,
    setup: f64,
    gap: f64,
    stretch: Option<f64>,
}

/// Python in the peers' environment.
pub(super) fn python() -> PathBuf {
    let venv = root().join("target/bench/venv");
    venv.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" })
}

/// Runs Hooke and every peer that is there.
pub(super) fn compare(install: bool) -> Result<Outcome, String> {
    let programs = Programs::hooke_alone()?;
    let machine = Machine::here(false);
    let ready: Vec<_> = PEERS.iter().filter(|peer| ready(peer, install)).collect();
    let mut all = Vec::new();
    for n in SIZES {
        all.extend(one_size(&programs, n, &ready)?);
    }
    let rows: Vec<_> = all
        .iter()
        .map(|b| {
            json!({"name": b.name, "n": b.n, "frame": b.frame.median, "min": b.frame.least,
                "max": b.frame.greatest, "setup": b.setup, "gap": b.gap, "stretch": b.stretch})
        })
        .collect();
    let json = json!({"machine": machine.json(), "peers": rows});
    save("-peers", &markdown(&machine, &all), &json)?;
    Ok(Outcome::Passed)
}

fn one_size(programs: &Programs, n: u32, peers: &[&Peer]) -> Result<Vec<Bought>, String> {
    let scene = programs.scene(n, super::cases::FRAME)?;
    let settings = ["iterations=1000", "tolerance=1e-8", "start=prediction"];
    programs.run(Program::Hooke("newton", "1"), &scene, 1, &settings)?;
    programs.keep_best()?;
    let hooke = |name, threads| {
        let contestant: Contestant =
            (name, Program::Hooke("quasi-newton", threads), &["iterations=10", "tolerance=0"]);
        run(programs, &scene, n, contestant)
    };
    let mut all = vec![
        hooke("Hooke, fast mass-spring, 1 thread", "1")?,
        hooke("Hooke, fast mass-spring, 2 threads", "2")?,
    ];
    for &contestant in peers.iter().flat_map(|peer| peer.runs) {
        match run(programs, &scene, n, contestant) {
            Ok(bought) => all.push(bought),
            Err(error) => {
                let last = error.lines().next_back().unwrap_or_default();
                println!("{} does not run here: {last}", contestant.0);
            }
        }
    }
    Ok(all)
}

/// One frame for the gap, then a second of frames, some rounds.
fn run(
    programs: &Programs,
    scene: &Scene,
    n: u32,
    (name, program, arguments): Contestant,
) -> Result<Bought, String> {
    println!("{name}, N = {n}");
    let first = programs.run(program, scene, 1, arguments)?;
    let gap = programs.judge(scene)?.gap;
    let summary = |frames: &[f64]| Summary::of(frames).ok_or("no frame was measured");
    let frame = summary(&first.steps)?;
    let mut setup = first.setup;
    if frame.median > SLOW {
        return Ok(Bought { name, n, frame, setup, gap, stretch: None });
    }
    let mut frames = Vec::new();
    let clock = Instant::now();
    while frames.len() < ROUNDS && (frames.is_empty() || clock.elapsed() < PATIENCE) {
        let run = programs.run(program, scene, FRAMES, arguments)?;
        frames.push(super::median(&run.steps).ok_or("no frame was measured")?);
        setup = setup.min(run.setup);
    }
    let stretch = Some(programs.judge(scene)?.stretch);
    Ok(Bought { name, n, frame: summary(&frames)?, setup, gap, stretch })
}

/// Whether a peer can be imported, installed first where that is wanted; says where it cannot.
fn ready(peer: &Peer, install: bool) -> bool {
    let ready = imports(peer) || install && fetch(peer) && imports(peer);
    if !ready {
        let why = if install {
            "it could not be installed"
        } else {
            "`cargo xtask bench peers --install` installs it"
        };
        println!("{} is left out: {why}", peer.module);
    }
    ready
}

fn imports(peer: &Peer) -> bool {
    let mut command = Command::new(python());
    let output = command.args(["-c", &format!("import numpy, {}", peer.module)]).output();
    output.is_ok_and(|output| output.status.success())
}

/// Installs a peer into the environment.
fn fetch(peer: &Peer) -> bool {
    let venv = root().join("target/bench/venv");
    let made = python().exists()
        || passes(Command::new("python3").args(["-m", "venv"]).arg(venv)) == Outcome::Passed;
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "numpy"];
    made && passes(Command::new(python()).args(pip).arg(peer.package)) == Outcome::Passed
}

fn markdown(machine: &Machine, all: &[Bought]) -> String {
    let mut text = machine.head();
    line(
        &mut text,
        "Frames of 1/30 s; 10 iterations where nothing else is said. The gap is 0 at the minimum \
         of backward Euler and 1 at the prediction, after one frame; the stretch is that of the \
         spring stretched most, after a second, where that does not take too long. MuJoCo's membrane is another material, as stiff \
         along the threads; its springs are ours, in explicit steps of half their stable length: \
         they follow the motion itself, so that their gap is no fault. Taichi takes one linearised \
         step a frame, by at most 200 iterations of conjugate gradients.\n",
    );
    line(&mut text, "| | N | frame (ms) | set-up (ms) | gap | stretch |");
    line(&mut text, "|---|---|---|---|---|---|");
    for bought in all {
        line(
            &mut text,
            &format!(
                "| {} | {} | {} ({}–{}) | {} | {:.1e} | {} |",
                bought.name,
                bought.n,
                significant(1e3 * bought.frame.median),
                significant(1e3 * bought.frame.least),
                significant(1e3 * bought.frame.greatest),
                significant(1e3 * bought.setup),
                bought.gap,
                bought.stretch.map_or("–".into(), significant),
            ),
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_frame_bought_is_a_row() {
        let frame = Summary::of(&[1e-3, 2e-3, 4e-3]);
        let bought = frame.map(|frame| Bought {
            name: "Peer",
            n: 47,
            frame,
            setup: 0.5,
            gap: 0.25,
            stretch: Some(2.0),
        });
        let text = markdown(&Machine::here(false), bought.as_slice());
        let row = "| Peer | 47 | 2.00 (1.00–4.00) | 500 | 2.5e-1 | 2.00 |";
        assert!(text.ends_with(&format!("{row}\n")), "{text}");
    }
}
