//! Contact, measured: friction on an incline, bounces, a fast particle and a thin plate, a cloth at rest on a sphere,
//! the cost of contact, and the deepest penetration in the gallery.
//!
//! ```sh
//! cargo run --profile checked -p hooke-cli --example contact
//! ```
//!
//! writes the tables of `docs/contact.md`.

use hooke::methods::METHODS;
use hooke::model::{
    Block, GlobalDamping, Obstacle, ObstacleMotion, Response, Shape, SpringDamping, SpringFamily,
    Stiffness,
};
use hooke::settings::Value;
use hooke::{Grid, Method, Model, Simulation, State, Substeps, Vec3};
use hooke_scene::{Scene, gallery};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;
use std::time::Instant;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// δ (m).
const THICKNESS: f64 = 1e-3;
/// How far what slips goes in 2.5 s (m).
const SLIPS: f64 = 0.2739183272437252;

fn main() -> Outcome<()> {
    let mut tables = String::new();
    incline(&mut tables)?;
    bounces(&mut tables)?;
    thin(&mut tables)?;
    let rest = rest(&mut tables)?;
    cost(&rest, &mut tables)?;
    let deepest = gallery_depths(&mut tables)?;
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/contact.md");
    let text = std::fs::read_to_string(&page)?;
    let mark = "<!-- measured -->\n";
    let (before, _) = text.split_once(mark).ok_or("docs/contact.md has no place for tables")?;
    std::fs::write(&page, format!("{before}{mark}{tables}"))?;
    println!("{tables}");
    if deepest > TOLERANCE {
        return Err(format!("a particle of the gallery is {deepest:e} m behind a surface").into());
    }
    Ok(())
}

fn built(name: &str, settings: &[(&str, Value)]) -> Outcome<Box<dyn Method>> {
    let values: Vec<(String, Value)> =
        settings.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    let info = hooke::methods::find(name).ok_or("not registered")?;
    Ok((info.build)(&values)?)
}

fn obstacle(shape: Shape, pose: ObstacleMotion, restitution: f64, friction: f64) -> Obstacle {
    let response = Response::Bounce { restitution, friction };
    Obstacle { shape, pose, response, thickness: THICKNESS }
}

#[derive(Clone, Copy, PartialEq)]
enum What {
    Particle,
    Block,
    Cloth,
}

/// Something on an incline with tan θ = ½.
fn lying(what: What, friction: f64) -> Outcome<Model> {
    let (out, down) = (Vec3::new(1.0, 2.0, 0.0).unit(), Vec3::new(2.0, -1.0, 0.0).unit());
    let (corner, across) = (out * THICKNESS, Vec3::new(0.0, 0.0, 1.0));
    let mut model = Model::new();
    model.set_gravity(Vec3::new(0.0, -9.8, 0.0))?;
    match what {
        What::Particle => {
            model.add_particle(corner, 1.0)?;
        }
        What::Block => {
            let edges = [down * 0.2, out * 0.1, across * 0.1];
            let mesh = Block { corner, edges, cells: [2, 1, 1] }.mesh()?;
            for &x in &mesh.positions {
                model.add_particle(x, 1.0 / mesh.positions.len() as f64)?;
            }
            let damping = SpringDamping::PerVelocity(20.0);
            let family = SpringFamily { stiffness: Stiffness::PerLength(1e5), damping };
            let mut springs = BTreeSet::new();
            for corners in &mesh.tetrahedra {
                for (a, b) in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)] {
                    springs.insert([corners[a].min(corners[b]), corners[a].max(corners[b])]);
                }
            }
            for [i, j] in springs {
                model.add_spring_of(i, j, &family, None)?;
            }
        }
        What::Cloth => {
            let (across, down) = (across * 0.4, down * 0.4);
            Grid { origin: corner, across, down, ..Grid::square(8) }.add_to(&mut model)?;
        }
    }
    let pose = ObstacleMotion::facing(Vec3::ZERO, out)?;
    model.add_obstacle(obstacle(Shape::HalfSpace, pose, 0.0, friction))?;
    Ok(model)
}

fn middle(x: &[Vec3]) -> Vec3 {
    x.iter().fold(Vec3::ZERO, |sum, &x| sum + x) * (1.0 / x.len() as f64)
}

/// How far the middle goes in 2.5 s (m). What can bend has settled before.
fn slide(name: &str, what: What, friction: f64) -> Outcome<f64> {
    let h = if what == What::Block { 1e-3 } else { 1.0 / 200.0 };
    let mut start = State::at_rest(&lying(what, friction)?);
    if what == What::Block {
        let mut rough = lying(what, 5.0)?;
        rough.set_global_damping(Some(GlobalDamping::Rate(20.0)))?;
        let mut settle = Simulation::new(rough, built(name, &[])?, h)?;
        for _ in 0..1000 {
            settle.step()?;
        }
        start.positions.clone_from(&settle.state().positions);
    }
    let from = middle(&start.positions);
    let mut simulation = Simulation::new(lying(what, friction)?, built(name, &[])?, h)?;
    simulation.set_state(start)?;
    for _ in 0..(2.5 / h).round() as usize {
        simulation.step()?;
    }
    Ok((middle(&simulation.state().positions) - from).norm())
}

fn incline(out: &mut String) -> Outcome<()> {
    out.push_str(
        "## Friction on an incline\n\ntan θ = ½, 2.5 s in steps of 1/200 s; the block of springs in \
         steps of 1/1000 s. First column of each pair: the motion\nwith μ = 0.51 (mm), ideally 0. Second column: \
         the error of the slip with μ = 0.49, ideally 0.2739 m.\n\n\
         | method | contact | particle | | block | | cloth | |\n|---|---|---|---|---|---|---|---|\n",
    );
    for info in METHODS.iter().filter(|info| info.name != "forward-euler") {
        let by = if info.contact_in_solve() { "in the solve" } else { "by projection" };
        let _ = write!(out, "| {} | {by} |", info.name);
        for what in [What::Particle, What::Block, What::Cloth] {
            let holds = slide(info.name, what, 0.51)?;
            let off = 100.0 * (slide(info.name, what, 0.49)? / SLIPS - 1.0);
            let _ = write!(out, " {:.3} | {off:+.1} % |", 1e3 * holds);
        }
        out.push('\n');
    }
    out.push('\n');
    Ok(())
}

fn bounces(out: &mut String) -> Outcome<()> {
    out.push_str(
        "## Bounces\n\nA particle falls from 1 m with e = 0.6, in steps of 1/1000 s. Heights relative to \
         e² of the previous height.\n\n| method | first | second | third |\n|---|---|---|---|\n",
    );
    for name in ["newton", "quasi-newton", "vbd", "xpbd", "symplectic-euler", "pbd"] {
        let mut model = Model::new();
        model.add_particle(Vec3::new(0.0, 1.0 + THICKNESS, 0.0), 0.3)?;
        let pose = ObstacleMotion::still(Vec3::ZERO);
        model.add_obstacle(obstacle(Shape::HalfSpace, pose, 0.6, 0.0))?;
        let mut simulation =
            Simulation::with_substeps(model, built(name, &[])?, 1e-3, Substeps::Fixed(1))?;
        let (mut heights, mut last) = (vec![1.0], -1.0);
        while heights.len() < 4 && simulation.state().step < 5000 {
            simulation.step()?;
            let v = simulation.state().velocities[0].y;
            if last > 0.0 && v <= 0.0 {
                heights.push(simulation.state().positions[0].y - THICKNESS);
            }
            last = v;
        }
        let _ = write!(out, "| {name} |");
        for pair in heights.windows(2) {
            let _ = write!(out, " {:.3} |", pair[1] / pair[0] / 0.36);
        }
        out.push('\n');
    }
    out.push('\n');
    Ok(())
}

fn thin(out: &mut String) -> Outcome<()> {
    out.push_str(
        "## Fast particle, thin plate\n\nA particle hits a plate of 4 mm in steps of 0.01 s. The table shows \
         its height above the plate after 0.3 s (mm); a\nnegative height would mean that it passed through.\n\n\
         | method | 1 m/s | 20 m/s | 300 m/s |\n|---|---|---|---|\n",
    );
    let half = Vec3::new(0.5, 0.002, 0.5);
    for info in METHODS {
        let _ = write!(out, "| {} |", info.name);
        for speed in [1.0, 20.0, 300.0] {
            let mut model = Model::new();
            model.add_particle(Vec3::new(0.01, 0.11, 0.02), 0.1)?;
            let shape = Shape::Box { half, inside_out: false };
            model.add_obstacle(obstacle(shape, ObstacleMotion::still(Vec3::ZERO), 0.0, 0.2))?;
            let mut state = State::at_rest(&model);
            state.velocities[0] = Vec3::new(0.3, -speed, 0.1);
            let method = built(info.name, &[])?;
            let mut simulation =
                Simulation::with_substeps(model, method, 0.01, Substeps::Fixed(1))?;
            simulation.set_state(state)?;
            for _ in 0..30 {
                simulation.step()?;
            }
            let above = simulation.state().positions[0].y - half.y;
            let _ = write!(out, " {:.3} |", 1e3 * above);
        }
        out.push('\n');
    }
    out.push('\n');
    Ok(())
}

/// The cloth of the gallery's `cloth-on-sphere`, coarser, with obstacles or without.
fn cloth(obstacles: bool) -> Outcome<Model> {
    let mut model = Model::new();
    let family = |k: f64, damping: SpringDamping| {
        Some(SpringFamily { stiffness: Stiffness::PerLength(k), damping })
    };
    let grid = Grid {
        origin: Vec3::new(-0.6, 0.75, -0.6),
        across: Vec3::new(1.2, 0.0, 0.1),
        down: Vec3::new(-0.1, 0.0, 1.2),
        mass: 0.4,
        structural: family(600.0, SpringDamping::PerVelocity(0.05)),
        shear: family(150.0, SpringDamping::PerVelocity(0.02)),
        bend: family(6.0, SpringDamping::None),
        ..Grid::square(24)
    };
    grid.add_to(&mut model)?;
    model.set_global_damping(Some(GlobalDamping::Rate(1.0)))?;
    if obstacles {
        let pose = ObstacleMotion::still(Vec3::new(0.0, 0.32, 0.0));
        model.add_obstacle(obstacle(Shape::Sphere { radius: 0.32 }, pose, 0.0, 0.5))?;
        let pose = ObstacleMotion::still(Vec3::ZERO);
        model.add_obstacle(obstacle(Shape::HalfSpace, pose, 0.0, 0.5))?;
    }
    Ok(model)
}

const STEP: f64 = 1.0 / 120.0;

/// Returns what rests by Newton.
fn rest(out: &mut String) -> Outcome<State> {
    out.push_str(
        "## A cloth at rest on a sphere\n\n24 × 24 particles fall onto a sphere and a floor with μ = 0.5, in \
         steps of 1/120 s. After five seconds: kinetic energy,\nthe largest motion of any particle in the last second, \
         the same for particles in contact, and the deepest penetration of\nall steps before its correction.\n\n\
         | method | kinetic energy (J) | moves (mm/s) | creeps (mm/s) | deepest (mm) | iterations a step | \
         residual |\n|---|---|---|---|---|---|---|\n",
    );
    let mut kept = None;
    for name in ["newton", "quasi-newton", "vbd", "xpbd", "symplectic-euler", "pbd"] {
        let mut simulation = Simulation::new(cloth(true)?, built(name, &[])?, STEP)?;
        let (mut deepest, mut iterations, mut before) = (0.0f64, 0, Vec::new());
        for step in 0..600 {
            if step == 480 {
                before.clone_from(&simulation.state().positions);
            }
            let report = simulation.step()?;
            deepest = deepest.max(report.contact.map_or(0.0, |contact| contact.deepest));
            iterations += report.solve.map_or(0, |solve| solve.iterations);
        }
        let state = simulation.state();
        let obstacles = simulation.model().obstacles();
        let (mut moves, mut creep) = (0.0f64, 0.0f64);
        for (x, before) in state.positions.iter().zip(&before) {
            let far = (*x - *before).norm();
            moves = moves.max(far);
            if obstacles.iter().any(|o| o.distance(*x, 0.0).0 <= o.thickness) {
                creep = creep.max(far);
            }
        }
        let report = simulation.report();
        let residual =
            report.solve.map_or("–".into(), |solve| format!("{:.1e}", solve.relative()));
        let _ = writeln!(
            out,
            "| {name} | {:.1e} | {:.3} | {:.3} | {:.3} | {:.1} | {residual} |",
            report.energy.kinetic,
            1e3 * moves,
            1e3 * creep,
            1e3 * deepest,
            f64::from(iterations) / 600.0,
        );
        kept.get_or_insert_with(|| State { step: 0, time: 0.0, ..state.clone() });
    }
    out.push('\n');
    kept.ok_or_else(|| "nothing rests".into())
}

fn cost(rest: &State, out: &mut String) -> Outcome<()> {
    out.push_str(
        "## Cost\n\nOne step of that cloth from rest, with and without the obstacles, at the same number of \
         iterations: the lower quartile\nof 60 steps each, in alternation. Under contact quasi-newton uses \
         L-BFGS, so the table also has L-BFGS without contact.\n\n\
         | method | iterations | with (ms) | without (ms) | ratio | residual with | without |\n\
         |---|---|---|---|---|---|---|\n",
    );
    let cases = [
        ("newton", None, 5),
        ("quasi-newton", None, 20),
        ("quasi-newton", Some("l-bfgs"), 20),
        ("vbd", None, 20),
        ("xpbd", None, 20),
        ("pbd", None, 20),
    ];
    for (name, accelerator, iterations) in cases {
        let mut settings = vec![
            ("iterations", Value::from(f64::from(iterations))),
            ("tolerance", Value::from(0.0)),
        ];
        settings.extend(accelerator.map(|name| ("accelerator", Value::from(name))));
        let mut runs = Vec::new();
        for obstacles in [true, false] {
            let method = built(name, &settings)?;
            let simulation =
                Simulation::with_substeps(cloth(obstacles)?, method, STEP, Substeps::Fixed(1))?;
            runs.push((simulation, Vec::new(), 0.0));
        }
        for _ in 0..60 {
            for (simulation, times, residual) in &mut runs {
                simulation.set_state(rest.clone())?;
                let clock = Instant::now();
                simulation.step()?;
                times.push(1e3 * clock.elapsed().as_secs_f64());
                *residual = simulation.report().solve.map_or(0.0, |solve| solve.relative());
            }
        }
        let quartile = |times: &mut Vec<f64>| {
            times.sort_by(f64::total_cmp);
            times[times.len() / 4]
        };
        let [with, without] = [0, 1].map(|k| (quartile(&mut runs[k].1), runs[k].2));
        let name = accelerator.map_or(name.into(), |accelerator| format!("{name}, {accelerator}"));
        let _ = writeln!(
            out,
            "| {name} | {iterations} | {:.2} | {:.2} | {:.2} | {:.1e} | {:.1e} |",
            with.0,
            without.0,
            with.0 / without.0,
            with.1,
            without.1
        );
    }
    out.push('\n');
    Ok(())
}

/// How far (m) a particle in a frame of the gallery may be behind a surface.
const TOLERANCE: f64 = 1e-5;

/// Returns the deepest (m) that a particle of any frame is behind a surface.
fn gallery_depths(out: &mut String) -> Outcome<f64> {
    let _ = write!(
        out,
        "## The gallery\n\nEvery recorded frame of every scene with obstacles: the deepest penetration (mm) of any \
         particle, at most {} mm, and\nof any point on an edge.\n\n\
         | scene | method | particles | edges |\n|---|---|---|---|\n",
        1e3 * TOLERANCE
    );
    let mut worst = 0.0f64;
    for entry in gallery() {
        let scene = Scene::gallery(entry.name).ok_or("the gallery lists what it has not")?;
        let mut simulation = scene.simulation(0)?;
        if simulation.model().obstacles().is_empty() {
            continue;
        }
        let mut edges = BTreeSet::new();
        for corners in simulation.model().triangles() {
            for (i, j) in [(0, 1), (1, 2), (2, 0)] {
                edges.insert([corners[i].min(corners[j]), corners[i].max(corners[j])]);
            }
        }
        let (mut particles, mut between) = (0.0f64, 0.0f64);
        for _ in 0..scene.frames() {
            for _ in 0..scene.steps_per_frame() {
                simulation.step()?;
            }
            let State { positions, time, .. } = simulation.state();
            for obstacle in simulation.model().obstacles() {
                let frame = obstacle.pose.at(*time);
                let behind = |x: Vec3| -obstacle.distance_in(&frame, x).0;
                for &x in positions {
                    particles = particles.max(behind(x));
                }
                for edge in &edges {
                    let [a, b] = edge.map(|i| positions[i as usize]);
                    for k in 1..8 {
                        let s = f64::from(k) / 8.0;
                        between = between.max(behind(a * (1.0 - s) + b * s));
                    }
                }
            }
        }
        worst = worst.max(particles);
        let method = &scene.document().method.info.name;
        let _ = writeln!(
            out,
            "| {} | {method} | {:.3} | {:.3} |",
            entry.name,
            1e3 * particles,
            1e3 * between
        );
    }
    Ok(worst)
}
