//! `cargo xtask bench peers`: other engines on the same cloth, from PyPI in an environment under
//! `target/`.
//!
//! They solve other equations, so their answers are not compared with ours. What is told is the
//! time of a frame and what it bought: how near the frame ends to the minimum of backward Euler,
//! and how far the cloth is stretched after a second.

use super::programs::{Program, Programs, Scene};
use super::report::{Machine, judged, line, significant};
use super::save;
use super::statistics::Summary;
use crate::stage::{Outcome, passes, root};
use serde_json::json;
use std::path::PathBuf;
use std::process::Command;

/// A second of frames.
const FRAMES: u32 = 30;
const ROUNDS: u32 = 3;
/// Where a frame takes longer than this (s), it is the only one.
const SLOW: f64 = 0.3;
const SIZES: [u32; 2] = [47, 100];

/// A peer: its package, the module it brings, and how it is run.
struct Peer {
    package: &'static str,
    module: &'static str,
    runs: &'static [Contestant],
}

/// One way to make a frame.
#[derive(Clone, Copy)]
struct Contestant {
    name: &'static str,
    program: Program,
    arguments: &'static [&'static str],
    /// Whether an iteration goes once through the springs and nothing else, so that the time of
    /// one is told per spring.
    sweeps: bool,
}

const fn frame(
    name: &'static str,
    program: Program,
    arguments: &'static [&'static str],
) -> Contestant {
    Contestant { name, program, arguments, sweeps: false }
}

const fn sweeps(
    name: &'static str,
    program: Program,
    arguments: &'static [&'static str],
) -> Contestant {
    Contestant { sweeps: true, ..frame(name, program, arguments) }
}

/// Iterations of every sweep and descent.
const ITERATIONS: f64 = 10.0;
const TEN: &[&str] = &["iterations=10", "tolerance=0"];

const HOOKE: [Contestant; 8] = [
    frame("Hooke, fast mass-spring, 1 thread", Program::Hooke("quasi-newton", "1"), TEN),
    frame("Hooke, fast mass-spring, 2 threads", Program::Hooke("quasi-newton", "2"), TEN),
    sweeps("Hooke, PBD, 1 thread", Program::Hooke("pbd", "1"), TEN),
    sweeps("Hooke, PBD, 2 threads", Program::Hooke("pbd", "2"), TEN),
    sweeps("Hooke, XPBD, 1 thread", Program::Hooke("xpbd", "1"), TEN),
    sweeps("Hooke, XPBD, 2 threads", Program::Hooke("xpbd", "2"), TEN),
    frame("Hooke, VBD, 1 thread", Program::Hooke("vbd", "1"), TEN),
    frame("Hooke, VBD, 2 threads", Program::Hooke("vbd", "2"), TEN),
];

const PEERS: [Peer; 4] = [
    Peer {
        package: "pypbd==2.2.2",
        module: "pypbd",
        runs: &[
            sweeps("pyPBD, PBD, 1 thread", Program::Python("pypbd_sweeps", "1"), &["10", "pbd"]),
            sweeps("pyPBD, PBD, 2 threads", Program::Python("pypbd_sweeps", "2"), &["10", "pbd"]),
            sweeps("pyPBD, XPBD, 1 thread", Program::Python("pypbd_sweeps", "1"), &["10", "xpbd"]),
            sweeps("pyPBD, XPBD, 2 threads", Program::Python("pypbd_sweeps", "2"), &["10", "xpbd"]),
        ],
    },
    Peer {
        package: "newton==1.7.0",
        module: "newton",
        runs: &[
            sweeps("Newton, XPBD", Program::Python("newton_physics", "1"), &["10", "xpbd"]),
            frame("Newton, VBD", Program::Python("newton_physics", "1"), &["10", "vbd"]),
        ],
    },
    Peer {
        package: "mujoco==4.0.0",
        module: "mujoco",
        runs: &[
            frame("MuJoCo, membrane", Program::Python("mujoco_flex", "1"), &["10", "membrane"]),
            frame("MuJoCo, springs", Program::Python("mujoco_flex", "1"), &["10", "springs"]),
        ],
    },
    Peer {
        package: "taichi==1.7.4",
        module: "taichi",
        runs: &[
            frame("Taichi, 1 thread", Program::Python("taichi_implicit", "1"), &["200", "1"]),
            frame("Taichi, 2 threads", Program::Python("taichi_implicit", "2"), &["200", "2"]),
        ],
    },
];

/// A way of ours, that of a peer, and how many times its time ours is to be at least.
const BARS: [(&str, &str, f64); 3] = [
    ("Hooke, PBD, 2 threads", "pyPBD, PBD, 2 threads", 2.0),
    ("Hooke, XPBD, 2 threads", "pyPBD, XPBD, 2 threads", 2.0),
    ("Hooke, VBD, 2 threads", "Newton, VBD", 4.0),
];

/// What a frame costs and buys.
struct Bought {
    contestant: Contestant,
    n: u32,
    /// The median of the frames (s), per round.
    rounds: Vec<f64>,
    setup: f64,
    gap: f64,
    stretch: Option<f64>,
}

impl Bought {
    fn frame(&self) -> Option<Summary> {
        Summary::of(&self.rounds)
    }

    /// The time of one spring in one sweep (s).
    fn spring(&self) -> Option<f64> {
        let springs = f64::from(6 * self.n * self.n - 10 * self.n + 2);
        let frame = self.frame().filter(|_| self.contestant.sweeps)?;
        Some(frame.median / (ITERATIONS * springs))
    }
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
    let ready = PEERS.iter().filter(|peer| ready(peer, install));
    let contestants: Vec<_> =
        HOOKE.into_iter().chain(ready.flat_map(|peer| peer.runs).copied()).collect();
    let mut all = Vec::new();
    for n in SIZES {
        all.extend(one_size(&programs, n, &contestants)?);
    }
    let rows: Vec<_> = all
        .iter()
        .filter_map(|b| {
            let frame = b.frame()?;
            Some(json!({"name": b.contestant.name, "n": b.n, "frame": frame.median,
                "min": frame.least, "max": frame.greatest, "spring": b.spring(),
                "setup": b.setup, "gap": b.gap, "stretch": b.stretch}))
        })
        .collect();
    let bars: Vec<_> = ratios(&all)
        .map(|(ours, theirs, bar, ratio)| {
            json!({"ours": ours.contestant.name, "theirs": theirs.contestant.name, "n": ours.n,
                "bar": bar, "ratio": ratio.median, "min": ratio.least, "max": ratio.greatest})
        })
        .collect();
    let json = json!({"machine": machine.json(), "peers": rows, "bars": bars});
    save("-peers", &markdown(&machine, &all), &json)?;
    Ok(Outcome::Passed)
}

/// One frame of everyone for the gap, then a second of frames, in turn, some rounds.
fn one_size(
    programs: &Programs,
    n: u32,
    contestants: &[Contestant],
) -> Result<Vec<Bought>, String> {
    let scene = programs.scene(n, super::cases::FRAME)?;
    let settings = ["iterations=1000", "tolerance=1e-8", "start=prediction"];
    programs.run(Program::Hooke("newton", "1"), &scene, 1, &settings)?;
    programs.keep_best()?;
    let mut all = Vec::new();
    for &contestant in contestants {
        println!("{}, N = {n}", contestant.name);
        match first(programs, &scene, n, contestant) {
            Ok(bought) => all.push(bought),
            Err(error) if contestant.program.is_hooke() => return Err(error),
            Err(error) => {
                let last = error.lines().next_back().unwrap_or_default();
                println!("{} does not run here: {last}", contestant.name);
            }
        }
    }
    for round in 1..=ROUNDS {
        println!("N = {n}, round {round} of {ROUNDS}");
        for bought in all.iter_mut().filter(|bought| bought.rounds[0] < SLOW) {
            let Contestant { program, arguments, .. } = bought.contestant;
            let run = programs.run(program, &scene, FRAMES, arguments)?;
            if round == 1 {
                bought.rounds.clear();
                bought.stretch = Some(programs.judge(&scene)?.stretch);
            }
            bought.rounds.push(super::median(&run.steps).ok_or("no frame was measured")?);
            bought.setup = bought.setup.min(run.setup);
        }
    }
    Ok(all)
}

/// One frame, and how near it comes to the minimum.
fn first(
    programs: &Programs,
    scene: &Scene,
    n: u32,
    contestant: Contestant,
) -> Result<Bought, String> {
    let Contestant { program, arguments, .. } = contestant;
    let run = programs.run(program, scene, 1, arguments)?;
    let gap = programs.judge(scene)?.gap;
    Ok(Bought { contestant, n, rounds: run.steps, setup: run.setup, gap, stretch: None })
}

/// The bars, and the ratios of the rounds.
fn ratios(all: &[Bought]) -> impl Iterator<Item = (&Bought, &Bought, f64, Summary)> {
    SIZES.into_iter().flat_map(move |n| {
        BARS.into_iter().filter_map(move |(ours, theirs, bar)| {
            let find = |name| all.iter().find(|b| b.n == n && b.contestant.name == name);
            let (ours, theirs) = (find(ours)?, find(theirs)?);
            let rounds = theirs.rounds.iter().zip(&ours.rounds);
            let ratios: Vec<_> = rounds.map(|(theirs, ours)| theirs / ours).collect();
            Some((ours, theirs, bar, Summary::of(&ratios)?))
        })
    })
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
        "Frames of 1/30 s; 10 iterations where nothing else is said. A spring is its share of a frame \
         and a sweep. The gap is 0 at the minimum \
         of backward Euler and 1 at the prediction, after one frame; the stretch is that of the \
         spring stretched most, after a second, where that does not take too long. MuJoCo's membrane is another material, as stiff \
         along the threads; its springs are ours, in explicit steps of half their stable length: \
         they follow the motion itself, so that their gap is no fault. Taichi takes one linearized \
         step a frame, by at most 200 iterations of conjugate gradients.\n",
    );
    line(&mut text, "| | N | frame (ms) | a spring (ns) | set-up (ms) | gap | stretch |");
    line(&mut text, "|---|---|---|---|---|---|---|");
    for bought in all {
        let Some(frame) = bought.frame() else { continue };
        line(
            &mut text,
            &format!(
                "| {} | {} | {} ({}–{}) | {} | {} | {:.1e} | {} |",
                bought.contestant.name,
                bought.n,
                significant(1e3 * frame.median),
                significant(1e3 * frame.least),
                significant(1e3 * frame.greatest),
                bought.spring().map_or("–".into(), |time| significant(1e9 * time)),
                significant(1e3 * bought.setup),
                bought.gap,
                bought.stretch.map_or("–".into(), significant),
            ),
        );
    }
    line(&mut text, "\n| ours | theirs | N | bar | their time over ours | |");
    line(&mut text, "|---|---|---|---|---|---|");
    for (ours, theirs, bar, ratio) in ratios(all) {
        line(
            &mut text,
            &format!(
                "| {} | {} | {} | {bar} | {} |",
                ours.contestant.name,
                theirs.contestant.name,
                ours.n,
                judged(&ratio, Some(bar)),
            ),
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bought(name: &str, rounds: &[f64]) -> Bought {
        let peers = PEERS.iter().flat_map(|peer| peer.runs);
        let contestant = *HOOKE.iter().chain(peers).find(|of| of.name == name).unwrap();
        let rounds = rounds.to_vec();
        Bought { contestant, n: 100, rounds, setup: 0.5, gap: 0.25, stretch: Some(2.0) }
    }

    #[test]
    fn what_a_frame_bought_is_a_row_and_a_ratio() {
        let all = [
            bought("Hooke, XPBD, 2 threads", &[1e-3, 2e-3, 4e-3]),
            bought("pyPBD, XPBD, 2 threads", &[3e-3, 5e-3, 8e-3]),
        ];
        let text = markdown(&Machine::here(false), &all);
        let row =
            "| Hooke, XPBD, 2 threads | 100 | 2.00 (1.00–4.00) | 3.39 | 500 | 2.5e-1 | 2.00 |";
        assert!(text.contains(row), "{text}");
        let ratio = "| 100 | 2 | 2.50 (2.00–3.00) | reached |";
        assert!(text.contains(ratio), "{text}");
    }

    #[test]
    fn every_bar_names_contestants() {
        for (ours, theirs, _) in BARS {
            assert!(bought(ours, &[1.0]).contestant.program.is_hooke());
            assert!(!bought(theirs, &[1.0]).contestant.program.is_hooke());
        }
    }
}
