//! Which method to use: how near every method comes in one frame of a falling cloth and of a small
//! solid, and in which share of Newton's time.
//!
//! ```sh
//! cargo run --profile checked -p hooke-cli --example which_method
//! ```
//!
//! writes `docs/which-method.md` and its chart.

use hooke::methods::{Auto, METHODS, MethodInfo};
use hooke::settings::Value;
use hooke::{Grid, Method, Model, Simulation, State, Substeps};
use hooke_render::chart::{Axis, Chart, Figure, Mark, Series};
use hooke_scene::words::wrap;
use std::path::Path;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// The length of a frame (s).
const FRAME: f64 = 1.0 / 60.0;
/// Frames before the one that is looked at.
const FALL: usize = 20;
/// Iterations besides the default.
pub const ITERATIONS: [u32; 5] = [1, 3, 10, 30, 100];
/// The quickest of so many repetitions counts.
const REPEATS: usize = 5;
/// Tolerances of the table behind `auto`.
const TOLERANCES: [f64; 5] = [1e-1, 1e-2, 1e-3, 1e-4, 1e-6];

/// A block of jelly, held at its upper face.
const JELLY: &str = r#"
format = 1
title = "Hanging jelly"
[time]
step = "1/60"
duration = 1
[[deformables]]
box = { size = [0.3, 0.3, 0.3], cells = [4, 4, 4] }
density = 1000
solid = { law = "neo-hookean", young = 2e4, poisson = 0.4 }
groups = { top = { plane = { point = [0, 0.3, 0], normal = [0, 1, 0] } } }
pins = [{ group = "top" }]
"#;

/// A cloth of n×n that lies flat and falls, held at two corners.
pub fn cloth(n: u32) -> Outcome<Model> {
    let mut model = Model::new();
    let grid = Grid { down: hooke::Vec3::new(0.0, 0.0, 1.0), ..Grid::square(n) };
    let grid = grid.add_to(&mut model)?;
    model.pin_at_rest(grid.at(0, 0))?;
    model.pin_at_rest(grid.at(n - 1, 0))?;
    Ok(model)
}

/// A block of jelly that begins to hang.
pub fn jelly() -> Outcome<Model> {
    Ok(hooke_scene::Scene::parse(JELLY, "jelly")?.compile()?.model)
}

/// The model of a gallery scene.
fn gallery(name: &str) -> Outcome<Model> {
    let scene = hooke_scene::Scene::gallery(name).ok_or("not in the gallery")?;
    Ok(scene.compile()?.model)
}

/// A model on its way, and where converged Newton brings it in the next step.
pub struct Case {
    model: Box<dyn Fn() -> Outcome<Model>>,
    /// The length of a step (s).
    h: f64,
    from: State,
    to: State,
    /// ‖x* − x‖ of the frame (m).
    moved: f64,
}

fn distance(a: &State, b: &State) -> f64 {
    let squares = a.positions.iter().zip(&b.positions).map(|(a, b)| (*a - *b).norm2());
    squares.sum::<f64>().sqrt()
}

fn built(name: &str, settings: &[(&str, Value)]) -> Outcome<Box<dyn Method>> {
    let mut values: Vec<(String, Value)> =
        settings.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    // Its own error, not that of what steps in for it.
    if name == "xpbd" {
        values.push(("energy_guard".to_owned(), false.into()));
    }
    let info = hooke::methods::find(name).ok_or("not registered")?;
    Ok((info.build)(&values)?)
}

impl Case {
    /// Lets a model fall.
    pub fn new(model: impl Fn() -> Outcome<Model> + 'static) -> Outcome<Self> {
        Self::after(model, FRAME, FALL)
    }

    /// Lets a model move on by some steps of `h` (s).
    fn after(model: impl Fn() -> Outcome<Model> + 'static, h: f64, steps: usize) -> Outcome<Self> {
        let exact = built("newton", &[("tolerance", 1e-12.into())])?;
        let mut simulation = Simulation::new(model()?, exact, h)?;
        for _ in 0..steps {
            simulation.step()?;
        }
        let from = simulation.state().clone();
        simulation.step()?;
        let to = simulation.state().clone();
        let moved = distance(&from, &to);
        Ok(Self { model: Box::new(model), h, from, to, moved })
    }

    /// The relative error of one frame under a method, the seconds it took, and whether it converged;
    /// `None` where the method refuses or diverges.
    pub fn frame(&self, method: Box<dyn Method>, repeats: usize) -> Option<(f64, f64, bool)> {
        let mut simulation =
            Simulation::with_substeps((self.model)().ok()?, method, self.h, Substeps::Auto).ok()?;
        let (mut quickest, mut settled) = (f64::INFINITY, true);
        // The first time prepares what later frames find prepared.
        for _ in 0..=repeats {
            simulation.set_state(self.from.clone()).ok()?;
            let report = simulation.step().ok()?;
            quickest = quickest.min(report.seconds.method);
            settled = report.solve.is_none_or(|solve| solve.end.is_settled());
        }
        Some((distance(simulation.state(), &self.to) / self.moved, quickest, settled))
    }
}

/// What a method reaches: its error and time at default settings and by iterations.
pub struct Reached {
    /// The method.
    pub info: &'static MethodInfo,
    /// At default settings.
    pub default: Option<(f64, f64)>,
    /// By iterations, where it has any.
    pub by_iterations: Vec<Option<(f64, f64)>>,
}

/// Every method on a case.
pub fn reached(case: &Case, repeats: usize) -> Outcome<Vec<Reached>> {
    let mut all = Vec::new();
    for info in METHODS {
        let short = |method| case.frame(method, repeats).map(|(error, time, _)| (error, time));
        let mut by_iterations = Vec::new();
        if (info.settings)().iter().any(|setting| setting.name == "iterations") {
            for n in ITERATIONS {
                let settings = [("iterations", f64::from(n).into()), ("tolerance", 0.0.into())];
                by_iterations.push(short(built(info.name, &settings)?));
            }
        }
        all.push(Reached { info, default: short(built(info.name, &[])?), by_iterations });
    }
    Ok(all)
}

/// An error as the page writes it.
fn error(found: Option<(f64, f64)>) -> String {
    match found {
        None => "refused".into(),
        Some((error, _)) if error < 1e-7 => "< 1e-7".into(),
        Some((error, _)) => format!("{error:.1e}"),
    }
}

/// The main table; times are relative to Newton's.
pub fn table(cases: [&[Reached]; 2]) -> String {
    let newton = cases.map(newton_time);
    let mut out = "| method | order | cost of a step | stable | cloth: error | cloth: time | \
                   solid: error | solid: time | good at | bad at |\n"
        .to_owned()
        + "|---|---|---|---|---|---|---|---|---|---|\n";
    for (cloth, solid) in cases[0].iter().zip(cases[1]) {
        let MethodInfo { name, order, cost, stable, good, bad, .. } = cloth.info;
        let time = |found: Option<(f64, f64)>, newton: f64| {
            found.map_or("–".into(), |(_, time)| format!("{:.2}", time / newton))
        };
        out += &format!(
            "| [{name}](methods/{name}.md) | {order} | {cost} | {stable} | {} | {} | {} | {} | {good} | {bad} |\n",
            error(cloth.default),
            time(cloth.default, newton[0]),
            error(solid.default),
            time(solid.default, newton[1]),
        );
    }
    out
}

fn newton_time(all: &[Reached]) -> f64 {
    let newton = all.iter().find(|reached| reached.info.name == "newton");
    newton.and_then(|newton| newton.default).map_or(f64::NAN, |(_, time)| time)
}

/// Errors by iterations.
pub fn iteration_table(all: &[Reached]) -> String {
    let head = ITERATIONS.map(|n| n.to_string()).join(" | ");
    let mut out = format!("| error after | {head} |\n|---|{}\n", "---|".repeat(ITERATIONS.len()));
    for reached in all.iter().filter(|reached| !reached.by_iterations.is_empty()) {
        let errors: Vec<String> = reached.by_iterations.iter().copied().map(error).collect();
        out += &format!("| {} | {} |\n", reached.info.name, errors.join(" | "));
    }
    out
}

/// The time of quasi-Newton over Newton's to the same tolerance.
fn choice_table() -> Outcome<String> {
    let head = TOLERANCES.map(|t| format!("{t:e}")).join(" | ");
    let mut out = format!("| tolerance | {head} |\n|---|{}\n", "---|".repeat(TOLERANCES.len()));
    let sizes = [10, 20, 40, 80];
    let mut cases: Vec<(String, Case)> = Vec::new();
    for n in sizes {
        cases.push((format!("cloth of {n}×{n}"), Case::new(move || cloth(n))?));
    }
    let folded = Case::after(|| gallery("hanging-cloth"), FRAME, 120)?;
    cases.push(("hanging-cloth, folded".into(), folded));
    let touching = Case::after(|| gallery("cloth-on-sphere"), 1.0 / 120.0, 90)?;
    cases.push(("cloth-on-sphere, touching".into(), touching));
    cases.push(("solid".into(), Case::new(jelly)?));
    for (name, case) in &cases {
        for accelerator in ["chebyshev", "anderson", "l-bfgs"] {
            let mut cells = Vec::new();
            for tolerance in TOLERANCES {
                let newton = case.frame(built("newton", &[("tolerance", tolerance.into())])?, 3);
                let settings = [
                    ("tolerance", tolerance.into()),
                    ("iterations", 400.0.into()),
                    ("accelerator", accelerator.into()),
                ];
                let other = case.frame(built("quasi-newton", &settings)?, 3);
                cells.push(match (newton, other) {
                    (Some((_, newton, _)), Some((_, time, true))) => {
                        format!("{:.2}", time / newton)
                    }
                    _ => "–".into(),
                });
            }
            out += &format!("| {name}, {accelerator} | {} |\n", cells.join(" | "));
        }
    }
    Ok(out)
}

fn chart(title: &str, all: &[Reached]) -> Chart {
    let newton = newton_time(all);
    let series = all.iter().map(|reached| {
        let found = reached.by_iterations.iter().flatten();
        let mut points: Vec<[f64; 2]> =
            found.map(|(error, time)| [time / newton, error.max(1e-8)]).collect();
        if points.is_empty() {
            points.extend(reached.default.map(|(error, time)| [time / newton, error.max(1e-8)]));
        }
        Series::new(reached.info.name, Mark::Both, points)
    });
    let (x, y) = (Axis::log("time / newton's"), Axis::log("error / motion of the frame"));
    Chart { title: title.into(), x, y, series: series.collect() }
}

#[allow(dead_code, reason = "the test of the page reads this file, too")]
fn main() -> Outcome<()> {
    let on_cloth = reached(&Case::new(|| cloth(40))?, REPEATS)?;
    let on_solid = reached(&Case::new(jelly)?, REPEATS)?;
    let figure = Figure {
        charts: vec![chart("A cloth of 40×40", &on_cloth), chart("A small solid", &on_solid)],
        columns: 1,
        ..Figure::default()
    };
    let choices: String =
        Auto::choices().map(|sentence| wrap(&format!("- {sentence}"), "  ") + "\n").collect();
    let page = format!(
        "# Which method should I use?\n\n\
         Start with [auto](methods/auto.md): it chooses a method by the rules at the end of this page. Use another\n\
         method if its row in the table fits your needs better. This page is generated by\n\n\
         ```sh\ncargo run --profile checked -p hooke-cli --example which_method\n```\n\n\
         Every method computes one frame of 1/60 s on one thread, at its default settings (xpbd without its energy\n\
         guard), from the same falling state. There are two models: a cloth of springs with 40×40 particles, flat at\n\
         first and pinned at two corners, and a neo-Hookean block of 4×4×4 cells, fixed at its upper face. The error\n\
         is ‖x − x*‖ relative to the motion of the frame, where x* is the converged result of newton. A method that\n\
         is not backward Euler also differs from x* because its error in time or its damping is smaller. The time is\n\
         relative to newton in the same run, without factorizations that persist across frames. Explicit methods take\n\
         as many sub-steps as stability needs.\n\n\
         {}\n\
         ## Error against time\n\n\
         With {} iterations; methods without iterations are one point.\n\n\
         ![Error of a frame against time relative to newton](images/which-method.svg)\n\n\
         The cloth:\n\n{}\nThe solid:\n\n{}\n\
         ## The choice of auto\n\n\
         The time of [quasi-newton](methods/quasi-newton.md) relative to that of [newton](methods/newton.md), to the\n\
         same tolerance. A dash means that 400 iterations were not enough.\n\n{}\n\
         auto takes the first match:\n\n{choices}",
        table([&on_cloth, &on_solid]),
        ITERATIONS.map(|n| n.to_string()).join(", "),
        iteration_table(&on_cloth),
        iteration_table(&on_solid),
        choice_table()?,
    );
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    std::fs::write(docs.join("images/which-method.svg"), figure.svg(860, 1000))?;
    std::fs::write(docs.join("which-method.md"), page)?;
    Ok(())
}
