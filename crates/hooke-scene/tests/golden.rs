//! Golden digests: every scene of the gallery under every method ends in the same bits, whatever
//! the machine, the compiler's options and the number of threads.
//!
//! `golden/digests.txt` holds a line for each pair. Results change only on purpose: the message of
//! a failure says how a change is accepted.

use hooke::methods::{METHODS, MethodInfo};
use hooke::{Kernels, Simulation};
use hooke_scene::{NotRunnable, Scene, gallery};
use std::fmt::Write;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

const HEAD: &str = "# The digest (State::digest) of every gallery scene under every method, in portable kernels.\n\
                    # scene, method, steps taken, digest\n";

const ACCEPT: &str = "If the change is meant, accept it with\n    \
                      HOOKE_ACCEPT=1 cargo test --profile checked -p hooke-scene --test golden\n\
                      and add a line to CHANGELOG.md that says what moves differently, and why.";

#[test]
fn every_scene_ends_in_the_bits_it_is_known_for() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/digests.txt");
    let pairs: Vec<_> = gallery()
        .iter()
        .flat_map(|entry| methods(entry.name).iter().map(|method| (entry.name, method)))
        .collect();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut lines = Vec::new();
        while let Some((name, method)) = pairs.get(next.fetch_add(1, Ordering::Relaxed)) {
            lines.push((*name, method.name, line(name, method)));
        }
        lines
    };
    let lines: Vec<_> = std::thread::scope(|scope| {
        let workers = [(); 2].map(|()| scope.spawn(work));
        workers
            .into_iter()
            .flat_map(|worker| worker.join().expect("a digest of every pair"))
            .collect()
    });
    let mut now = HEAD.to_owned();
    for (name, method) in pairs {
        let of = |(scene, by, _): &&(_, _, String)| *scene == name && *by == method.name;
        let (.., line) = lines.iter().find(of).expect("a line for every pair");
        writeln!(now, "{line}").expect("text");
    }
    if std::env::var("HOOKE_ACCEPT").is_ok_and(|value| value == "1") {
        return std::fs::write(file, now).expect("the file of digests is written");
    }
    let known = std::fs::read_to_string(file).unwrap_or_default();
    let differing = differences(&known, &now);
    assert!(differing.is_empty(), "these ends are not as known:\n{differing}{ACCEPT}");
}

/// The methods that make a difference: any one where nothing bends.
fn methods(name: &str) -> &'static [MethodInfo] {
    let scene = Scene::gallery(name).expect(name);
    let document = scene.document();
    let bends = !document.deformables.is_empty() || !document.chains.is_empty();
    if bends { METHODS } else { &METHODS[..1] }
}

/// What one pair ends in, the same on any number of threads.
fn line(name: &str, method: &MethodInfo) -> String {
    let mut scene = Scene::gallery(name).expect(name);
    scene.use_method(method.name).expect(method.name);
    let pair = format!("{name:16} {:25}", method.name);
    let mut simulation = match start(&scene, 1) {
        Ok(simulation) => simulation,
        Err(NotRunnable::Refused(_)) => return format!("{pair} refused"),
        Err(problems) => panic!("{name}: {problems}"),
    };
    let (_, parts) = simulation.stability().expect("a plan");
    let steps = steps(&scene, &simulation);
    let digests = run(&mut simulation, steps);
    // A team larger than the machine's cores waits for its turn in every loop of every part.
    let (teams, few) = if parts == 1 { (&[2, 3, 8][..], 2) } else { (&[3][..], 1) };
    for &threads in teams {
        let again = run(&mut start(&scene, threads).expect("it started before"), few);
        let alone = &digests[..few.min(digests.len())];
        assert_eq!(again, alone, "{pair} differs between 1 and {threads} threads");
    }
    let state = simulation.state();
    format!("{pair} {:4} {:016x}", state.step, state.digest())
}

fn start(scene: &Scene, threads: usize) -> Result<Simulation, NotRunnable> {
    let mut simulation = scene.simulation(threads)?;
    simulation.set_kernels(Kernels::Portable);
    if simulation.stability()?.1 > 500 {
        // The same plan in shorter steps: the scene's own would take minutes.
        simulation.set_step(scene.step_length() / 1000.0)?;
    }
    Ok(simulation)
}

/// How many steps are taken: many where they are cheap, few where they are not.
fn steps(scene: &Scene, simulation: &Simulation) -> usize {
    let short = simulation.step_length() < scene.step_length();
    match scene.name() {
        // Until it has met the ball, or the floor.
        "cloth-on-sphere.toml" if !short => 24,
        "strip.toml" if !short => 40,
        _ if simulation.model().particles() < 100 => 200,
        _ => 5,
    }
}

/// Takes steps until the run diverges, if it does: the digest after each.
fn run(simulation: &mut Simulation, steps: usize) -> Vec<u64> {
    let step = |_| simulation.step().is_ok().then(|| simulation.state().digest());
    (0..steps).map_while(step).collect()
}

/// The lines that are not alike, side by side.
fn differences(known: &str, now: &str) -> String {
    let key = |line: &str| line.split_whitespace().take(2).collect::<Vec<_>>().join(" ");
    let end = |line: &str| line.split_whitespace().skip(2).collect::<Vec<_>>().join(" ");
    let lines = |text: &str| -> Vec<(String, String)> {
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        lines.map(|line| (key(line), end(line))).collect()
    };
    let (known, now) = (lines(known), lines(now));
    let find = |list: &[(String, String)], key: &str| -> String {
        let found = list.iter().find(|(other, _)| other == key);
        found.map_or_else(|| "not listed".to_owned(), |(_, end)| end.clone())
    };
    let gone = known.iter().filter(|(key, _)| now.iter().all(|(other, _)| other != key));
    let mut out = String::new();
    for (key, _) in now.iter().chain(gone) {
        let (expected, got) = (find(&known, key), find(&now, key));
        if expected != got {
            writeln!(out, "{key:42} expected {expected:>21}   got {got:>21}").expect("text");
        }
    }
    out
}

#[test]
fn differences_are_told_side_by_side() {
    let known = "# head\ncloth newton 5 aa\nrope rk4 refused\nold beta 5 bb\n";
    let now = "# other head\ncloth newton 5 ab\nrope  rk4   refused\nfresh beta 5 cc\n";
    let text = differences(known, now);
    let lines: Vec<Vec<&str>> =
        text.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(lines.len(), 3, "{text}");
    assert_eq!(lines[0], ["cloth", "newton", "expected", "5", "aa", "got", "5", "ab"]);
    assert_eq!(lines[1], ["fresh", "beta", "expected", "not", "listed", "got", "5", "cc"]);
    assert_eq!(lines[2], ["old", "beta", "expected", "5", "bb", "got", "not", "listed"]);
}
