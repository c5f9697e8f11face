//! Contact, measured: friction on an incline, bounces, what is fast against what is thin, a cloth at rest on a
//! sphere, and what contact costs.
//!
//! ```sh
//! cargo run --profile checked -p hooke-cli --example contact
//! ```
//!
//! writes the tables of `docs/contact.md`.

use hooke::methods::METHODS;
use hooke::model::{
    Ether, Obstacle, Pose, Response, Shape, SpringDamping, SpringFamily, Stiffness,
};
use hooke::settings::Value;
use hooke::{Grid, Method, Model, Point, Simulation, State, Substeps};
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
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/contact.md");
    let text = std::fs::read_to_string(&page)?;
    let mark = "<!-- measured -->\n";
    let (before, _) = text.split_once(mark).ok_or("docs/contact.md has no place for tables")?;
    std::fs::write(&page, format!("{before}{mark}{tables}"))?;
    println!("{tables}");
    Ok(())
}

fn built(name: &str, settings: &[(&str, f64)]) -> Outcome<Box<dyn Method>> {
    let values: Vec<(String, Value)> =
        settings.iter().map(|(name, value)| ((*name).to_owned(), Value::from(*value))).collect();
    let info = hooke::methods::find(name).ok_or("not registered")?;
    Ok((info.build)(&values)?)
}

fn obstacle(shape: Shape, pose: Pose, restitution: f64, friction: f64) -> Obstacle {
    let response = Response::Bounce { restitution, friction };
    Obstacle { shape, pose, response, thickness: THICKNESS }
}

/// A particle, or a cloth, on an incline with tan θ = ½.
fn lying(cloth: bool, friction: f64) -> Outcome<Model> {
    let up = Point::new(1.0, 2.0, 0.0);
    let corner = up.unit() * THICKNESS;
    let mut model = Model::new();
    model.set_gravity(Point::new(0.0, -9.8, 0.0))?;
    if cloth {
        let down = Point::new(2.0, -1.0, 0.0).unit() * 0.4;
        let across = Point::new(0.0, 0.0, 0.4);
        Grid { origin: corner, across, down, ..Grid::square(8) }.add_to(&mut model)?;
    } else {
        model.add_particle(corner, 1.0)?;
    }
    let pose = Pose::facing(Point::ZERO, up)?;
    model.add_obstacle(obstacle(Shape::HalfSpace, pose, 0.0, friction))?;
    Ok(model)
}

fn middle(x: &[Point]) -> Point {
    x.iter().fold(Point::ZERO, |sum, &x| sum + x) * (1.0 / x.len() as f64)
}

fn incline(out: &mut String) -> Outcome<()> {
    out.push_str(
        "## Friction on an incline\n\ntan θ = ½, 2.5 s in steps of 1/200 s. With μ = 0.51 nothing \
         should move; with μ = 0.49 all should slip by 0.2739 m.\n\n\
         | method | contact | particle holds (mm) | slips | cloth holds (mm) | slips |\n\
         |---|---|---|---|---|---|\n",
    );
    let h = 1.0 / 200.0;
    for info in METHODS.iter().filter(|info| info.name != "forward-euler") {
        let by = if info.contact_in_solve() { "in the solve" } else { "by projection" };
        let _ = write!(out, "| {} | {by} |", info.name);
        for cloth in [false, true] {
            let mut gone = [0.0; 2];
            for (gone, friction) in gone.iter_mut().zip([0.51, 0.49]) {
                let model = lying(cloth, friction)?;
                let from = middle(model.rest());
                let mut simulation = Simulation::with_method(model, built(info.name, &[])?, h)?;
                for _ in 0..500 {
                    simulation.step()?;
                }
                *gone = (middle(&simulation.state().positions) - from).norm();
            }
            let [holds, slips] = gone;
            let off = 100.0 * (slips / SLIPS - 1.0);
            let _ = write!(out, " {:.3} | {slips:.4} m ({off:+.1} %) |", 1e3 * holds);
        }
        out.push('\n');
    }
    out.push('\n');
    Ok(())
}

fn bounces(out: &mut String) -> Outcome<()> {
    out.push_str(
        "## Bounces\n\nA particle falls from 1 m with e = 0.6, in steps of 1/1000 s. Heights relative to \
         e² of the height before.\n\n| method | first | second | third |\n|---|---|---|---|\n",
    );
    for name in ["newton", "quasi-newton", "vbd", "xpbd", "symplectic-euler", "pbd"] {
        let mut model = Model::new();
        model.add_particle(Point::new(0.0, 1.0 + THICKNESS, 0.0), 0.3)?;
        let pose = Pose::still(Point::ZERO);
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
        "## What is fast against what is thin\n\nA particle hits a plate of 4 mm in steps of 0.01 s. How \
         far above the plate it is after 0.3 s (mm); below zero it would have passed through.\n\n\
         | method | 1 m/s | 20 m/s | 300 m/s |\n|---|---|---|---|\n",
    );
    let half = Point::new(0.5, 0.002, 0.5);
    for info in METHODS {
        let _ = write!(out, "| {} |", info.name);
        for speed in [1.0, 20.0, 300.0] {
            let mut model = Model::new();
            model.add_particle(Point::new(0.01, 0.11, 0.02), 0.1)?;
            let shape = Shape::Box { half, inside_out: false };
            model.add_obstacle(obstacle(shape, Pose::still(Point::ZERO), 0.0, 0.2))?;
            let mut state = State::at_rest(&model);
            state.velocities[0] = Point::new(0.3, -speed, 0.1);
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
        origin: Point::new(-0.6, 0.75, -0.6),
        across: Point::new(1.2, 0.0, 0.1),
        down: Point::new(-0.1, 0.0, 1.2),
        mass: 0.4,
        structural: family(600.0, SpringDamping::PerVelocity(0.05)),
        shear: family(150.0, SpringDamping::PerVelocity(0.02)),
        bend: family(6.0, SpringDamping::None),
        ..Grid::square(24)
    };
    grid.add_to(&mut model)?;
    model.set_ether(Some(Ether::Rate(1.0)))?;
    if obstacles {
        let pose = Pose::still(Point::new(0.0, 0.32, 0.0));
        model.add_obstacle(obstacle(Shape::Sphere { radius: 0.32 }, pose, 0.0, 0.5))?;
        let pose = Pose::still(Point::ZERO);
        model.add_obstacle(obstacle(Shape::HalfSpace, pose, 0.0, 0.5))?;
    }
    Ok(model)
}

const STEP: f64 = 1.0 / 120.0;

/// Returns what rests by Newton.
fn rest(out: &mut String) -> Outcome<State> {
    out.push_str(
        "## A cloth at rest on a sphere\n\n24 × 24 particles fall onto a sphere and a floor with μ = 0.5, in \
         steps of 1/120 s. After five seconds: kinetic energy, the farthest that a particle went in the last \
         second, and the deepest that any was behind a surface in all steps.\n\n\
         | method | kinetic energy (J) | creep (mm/s) | deepest (mm) | iterations a step | residual |\n\
         |---|---|---|---|---|---|\n",
    );
    let mut kept = None;
    for name in ["newton", "quasi-newton", "vbd", "xpbd", "symplectic-euler", "pbd"] {
        let mut simulation = Simulation::with_method(cloth(true)?, built(name, &[])?, STEP)?;
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
        let apart = state.positions.iter().zip(&before).map(|(a, b)| (*a - *b).norm());
        let creep = apart.fold(0.0, f64::max);
        let report = simulation.report();
        let residual =
            report.solve.map_or("–".into(), |solve| format!("{:.1e}", solve.relative()));
        let _ = writeln!(
            out,
            "| {name} | {:.1e} | {:.3} | {:.3} | {:.1} | {residual} |",
            report.energy.kinetic,
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
        "## Cost\n\nOne step of that cloth from where it rests, with the obstacles and without them, at the \
         same number of iterations; the lower quartile of 40 steps each, taken in turn.\n\n\
         | method | iterations | with (ms) | without (ms) | ratio | residual with | without |\n\
         |---|---|---|---|---|---|---|\n",
    );
    let fixed =
        [("newton", 5.0), ("quasi-newton", 20.0), ("vbd", 20.0), ("xpbd", 20.0), ("pbd", 20.0)];
    for (name, iterations) in fixed {
        let settings = [("iterations", iterations), ("tolerance", 0.0)];
        let mut runs = Vec::new();
        for obstacles in [true, false] {
            let method = built(name, &settings)?;
            let simulation =
                Simulation::with_substeps(cloth(obstacles)?, method, STEP, Substeps::Fixed(1))?;
            runs.push((simulation, Vec::new(), 0.0));
        }
        for _ in 0..40 {
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
    Ok(())
}
