//! Where things come to rest does not depend on how they are computed.
//!
//! ```sh
//! cargo run --release -p hooke-scene --example invariance > docs/invariance.md
//! ```
//!
//! A hanging rope and a curtain are let go under every minimizing method, with several iteration
//! counts, sub-steps and numbers of threads. The page lists how far from the static answer each of
//! them comes to rest.

use hooke::{Simulation, Vec3};
use hooke_scene::Scene;
use hooke_scene::compare::Entrant;

/// A rope of 20 links, let go straight out from its one fixed end.
const ROPE: &str = r#"
format = 1
title = "Hanging rope"
[time]
step = "1/60"
duration = 40
[[deformables]]
rope = { from = [0, 0, 0], to = [1, 0, 0], links = 20 }
masses = 0.01
structural = { stiffness = 100 }
drag = 0.04
pins = [{ at = 0 }]
"#;

/// A cloth of 8 × 8, let go lying flat, held at three places of its upper edge.
const CURTAIN: &str = r#"
format = 1
title = "Curtain"
[time]
step = "1/60"
duration = 40
[[deformables]]
grid = { columns = 8, rows = 8, size = [1, 1] }
masses = 0.005
structural = { stiffness = 60 }
shear = { stiffness = 40 }
bend = { stiffness = 20 }
drag = 0.03
pins = [{ at = 0 }, { at = 3 }, { at = 7 }]
"#;

/// The ways to compute that must agree: method with settings, and threads.
const WAYS: &[(&str, usize)] = &[
    ("newton", 1),
    ("newton", 3),
    ("newton:iterations=1", 1),
    ("newton:iterations=2", 1),
    ("newton:substeps=4", 1),
    ("newton:solver=pcg-jacobi", 1),
    ("quasi-newton", 1),
    ("quasi-newton", 3),
    ("quasi-newton:iterations=1", 1),
    ("quasi-newton:iterations=5", 1),
    ("quasi-newton:iterations=100", 1),
    ("quasi-newton:substeps=4", 1),
    ("quasi-newton:iterations=1:substeps=4", 1),
    ("implicit-midpoint", 1),
    ("implicit-midpoint:substeps=4", 1),
    ("bdf2", 1),
    ("bdf2:substeps=4", 1),
];

/// What one way came to.
pub struct Rest {
    /// Method, settings, threads.
    pub way: String,
    /// The greatest distance of a particle from the static answer (m).
    pub off: f64,
    /// The greatest speed left (m/s).
    pub speed: f64,
}

/// A scene's static answer and what every way came to.
pub struct Table {
    /// The scene's title.
    pub title: String,
    /// How far the static answer hangs below the start at its lowest (m).
    pub sag: f64,
    /// The forces that are left there, relative to the weight.
    pub residual: f64,
    /// Every way.
    pub rows: Vec<Rest>,
}

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// Both tables.
pub fn tables() -> Outcome<Vec<Table>> {
    [ROPE, CURTAIN].into_iter().map(table).collect()
}

/// What every way comes to in one scene.
pub fn table(text: &str) -> Outcome<Table> {
    let scene = Scene::parse(text, "invariance")?;
    let steps = scene.frames() * scene.steps_per_frame();
    // The static answer: backward Euler with steps so long that inertia no longer counts.
    let mut tight = scene.clone();
    tight.set_all([("method.tolerance", "1e-13"), ("method.iterations", "2000")])?;
    let mut still = tight.simulation(1)?;
    // A short while in ordinary steps first, so that it is the same of several minima.
    run(&mut still, steps)?;
    still.set_step(10.0)?;
    run(&mut still, 50)?;
    let answer = still.state().positions.clone();
    let lowest = answer.iter().map(|x| x.y).fold(0.0, f64::min);
    let residual = still.report().solve.map_or(f64::NAN, |solve| solve.relative());
    let mut rows = Vec::new();
    for (way, threads) in WAYS {
        let mut simulation = Entrant::parse(way, &scene)?.scene.simulation(*threads)?;
        run(&mut simulation, steps)?;
        let state = simulation.state();
        let off = |(x, y): (&Vec3, &Vec3)| (*x - *y).norm();
        rows.push(Rest {
            way: format!("{way}, {threads} {}", if *threads == 1 { "thread" } else { "threads" }),
            off: state.positions.iter().zip(&answer).map(off).fold(0.0, f64::max),
            speed: state.velocities.iter().map(|v| v.norm()).fold(0.0, f64::max),
        });
    }
    let title = scene.document().title.clone();
    Ok(Table { title, sag: -lowest, residual, rows })
}

fn run(simulation: &mut Simulation, steps: u64) -> Outcome<()> {
    for _ in 0..steps {
        simulation.step()?;
    }
    Ok(())
}

/// The page.
pub fn page(tables: &[Table]) -> String {
    let mut out = String::from(
        "# Invariance\n\n\
         Stiffness means the same under every method: the rest positions of a scene do not depend on\n\
         the method, its iterations, the sub-steps or the threads. Unconverged steps take longer but\n\
         reach the same positions, because the adaptive start keeps resting particles at rest. On stiff\n\
         cloth one iteration a step may not come to rest at all:\n\
         see [Validation](validation.md#one-static-answer).\n\n\
         The scenes run for 40 s of simulated time with drag. The static answer is the minimum of the\n\
         potential energy, found by Newton's method. This page is generated by\n\n\
         ```sh\ncargo run --release -p hooke-scene --example invariance > docs/invariance.md\n```\n",
    );
    for Table { title, sag, residual, rows } in tables {
        out.push_str(&format!(
            "\n## {title}\n\nHangs {sag:.6} m below its pins; forces left in the static answer: \
             {residual:.0e} of the weight.\n\n\
             | method, settings, threads | off the static answer (m) | speed left (m/s) |\n\
             |---|---|---|\n"
        ));
        for Rest { way, off, speed } in rows {
            out.push_str(&format!("| {way} | {off:.0e} | {speed:.0e} |\n"));
        }
    }
    out
}

#[allow(dead_code, reason = "the test of the page reads this file, too")]
fn main() -> Outcome<()> {
    print!("{}", page(&tables()?));
    Ok(())
}
