//! How far position-based methods come: rest sag by sweeps, sub-steps and resolution; residuals by
//! sweep; coarse levels at equal work.
//!
//! ```sh
//! cargo run --release -p hooke-cli --example position_based
//! ```
//!
//! writes `docs/position-based.md` and its charts.

use hooke::methods::{Configured, HierarchicalPbd, HierarchicalPbdSettings};
use hooke::model::{GlobalDamping, SpringFamily, Stiffness};
use hooke::settings::Value;
use hooke::{Grid, Kernels, Method, Model, Rope, Simulation, Substeps, Vec3};
use hooke_render::chart::{Axis, Chart, Figure, Mark, Series};
use std::path::Path;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// Projections per row and frame in the tables: as sweeps, or as sub-steps of one sweep.
const BUDGETS: [u32; 7] = [1, 2, 5, 10, 20, 50, 100];
/// What is swept in a frame where the resolution changes.
const FRAME: u32 = 20;

/// A way to spend the sweeps of a frame.
#[derive(Clone, Copy, PartialEq)]
pub struct Mode {
    /// The method.
    method: &'static str,
    /// Its settings.
    settings: &'static [(&'static str, &'static str)],
    /// Whether sweeps are spent as sub-steps.
    small_steps: bool,
    /// Its name in tables and charts.
    pub name: &'static str,
}

/// The ways of the tables.
pub const WAYS: [Mode; 5] = [
    Mode { method: "xpbd", settings: &[], small_steps: false, name: "xpbd, sweeps" },
    Mode { method: "xpbd", settings: &[], small_steps: true, name: "xpbd, sub-steps" },
    Mode {
        method: "pbd",
        settings: &[("stiffness", "material")],
        small_steps: false,
        name: "pbd of the material, sweeps",
    },
    Mode { method: "pbd", settings: &[], small_steps: false, name: "pbd, sweeps" },
    Mode { method: "pbd", settings: &[], small_steps: true, name: "pbd, sub-steps" },
];

fn built(name: &str, settings: &[(&str, Value)]) -> Outcome<Box<dyn Method>> {
    let mut values: Vec<(String, Value)> =
        settings.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    if name == "xpbd" {
        values.push(("energy_guard".to_owned(), false.into()));
    }
    let info = hooke::methods::find(name).ok_or("not registered")?;
    Ok((info.build)(&values)?)
}

/// A rope of 1 m and 0.2 kg in this many links, of 10 N per unit of strain, that hangs from one end.
pub fn rope(links: u32) -> Outcome<Model> {
    let mut model = Model::new();
    let family =
        SpringFamily { stiffness: Stiffness::PerStrain(10.0), ..SpringFamily::stiffness(0.0) };
    let to = Vec3::new(0.0, -1.0, 0.0);
    let rope = Rope { from: Vec3::ZERO, to, links, mass: 0.2, structural: family, bend: None };
    rope.add_to(&mut model)?;
    model.pin_at_rest(0)?;
    Ok(model)
}

/// A curtain of 1 m × 1 m and 0.3 kg with n×n particles that hangs from its upper edge.
pub fn curtain(n: u32) -> Outcome<Model> {
    let mut model = Model::new();
    let [structural, shear] = [40.0, 10.0].map(|k| Some(SpringFamily::stiffness(k)));
    Grid { structural, shear, bend: None, ..Grid::square(n) }.add_to(&mut model)?;
    (0..n).try_for_each(|i| model.pin_at_rest(i).map(drop))?;
    Ok(model)
}

/// How far the last particle hangs below its rest (m), when all is at rest.
fn sag(mut model: Model, method: Box<dyn Method>, substeps: u32) -> Outcome<f64> {
    model.set_global_damping(Some(GlobalDamping::Rate(8.0)))?;
    let last = model.particles() - 1;
    let rest = model.rest()[last].y;
    let mut simulation =
        Simulation::with_substeps(model, method, 1.0 / 60.0, Substeps::Fixed(substeps))?;
    for _ in 0..300 {
        simulation.step()?;
    }
    Ok(rest - simulation.state().positions[last].y)
}

/// The sag under Newton's method.
pub fn truth(model: Model) -> Outcome<f64> {
    sag(model, built("newton", &[])?, 1)
}

/// The sag of a way that spends this many sweeps a frame.
pub fn spent(model: Model, way: &Mode, sweeps: u32) -> Outcome<f64> {
    let (iterations, substeps) = if way.small_steps { (1, sweeps) } else { (sweeps, 1) };
    let mut settings = vec![("iterations", Value::from(f64::from(iterations)))];
    settings.push(("tolerance", 0.0.into()));
    settings.extend(way.settings.iter().map(|&(name, value)| (name, value.into())));
    sag(model, built(way.method, &settings)?, substeps)
}

/// For each way, the sag by budget.
pub fn by_budget(model: fn() -> Outcome<Model>) -> Outcome<Vec<(Mode, Vec<[f64; 2]>)>> {
    let row = |way: Mode| {
        let points = BUDGETS.iter().map(|&n| Ok([f64::from(n), spent(model()?, &way, n)?]));
        Ok((way, points.collect::<Outcome<_>>()?))
    };
    WAYS.into_iter().map(row).collect()
}

/// For each way, the sag over the static one by resolution, with FRAME sweeps a frame.
fn by_resolution(
    model: fn(u32) -> Outcome<Model>,
    counts: &[u32],
) -> Outcome<Vec<(Mode, Vec<[f64; 2]>)>> {
    let truths: Vec<f64> = counts.iter().map(|&n| truth(model(n)?)).collect::<Outcome<_>>()?;
    let row = |way: Mode| {
        let points = counts
            .iter()
            .zip(&truths)
            .map(|(&n, truth)| Ok([f64::from(n), spent(model(n)?, &way, FRAME)? / truth]));
        Ok((way, points.collect::<Outcome<_>>()?))
    };
    WAYS.into_iter().map(row).collect()
}

/// Kinds of sweeps and the residuals of each, relative to the first, in the first step of a curtain.
pub fn residuals() -> Outcome<Vec<(&'static str, Vec<[f64; 2]>)>> {
    let kinds: [(&str, &str, &[(&str, &str)]); 5] = [
        ("pbd by colors", "pbd", &[]),
        ("pbd as given", "pbd", &[("order", "given")]),
        ("pbd shuffled", "pbd", &[("order", "shuffled")]),
        ("pbd, Jacobi", "pbd", &[("sweep", "jacobi")]),
        ("xpbd by colors", "xpbd", &[]),
    ];
    let mut all = Vec::new();
    for (name, method, more) in kinds {
        let mut settings: Vec<(&str, Value)> =
            vec![("iterations", 300.0.into()), ("tolerance", 0.0.into())];
        settings.extend(more.iter().map(|&(name, value)| (name, value.into())));
        let mut model = Model::new();
        Grid::square(20).add_to(&mut model)?;
        (0..20).try_for_each(|i| model.pin_at_rest(i).map(drop))?;
        let method = built(method, &settings)?;
        let mut simulation =
            Simulation::with_substeps(model, method, 1.0 / 60.0, Substeps::Fixed(1))?;
        let found = &simulation.step()?.residuals;
        let points = (1..).zip(found).map(|(k, r)| [f64::from(k), r / found[0]]);
        all.push((name, points.collect()));
    }
    Ok(all)
}

/// Root mean square of the strain of stretched springs after two seconds, on levels and with as many
/// projections without, on a curtain of n×n held at three points; rows of the levels, sweeps without.
pub fn levels(n: u32) -> Outcome<([f64; 2], Vec<usize>, usize)> {
    let build = || -> Outcome<Model> {
        let mut model = Model::new();
        Grid::square(n).add_to(&mut model)?;
        for column in [0, n / 2, n - 1] {
            model.pin_at_rest(column)?;
        }
        model.set_global_damping(Some(GlobalDamping::Rate(4.0)))?;
        Ok(model)
    };
    let settings = HierarchicalPbdSettings::default();
    let (fine, coarse) = (settings.iterations as usize, settings.coarse_iterations as usize);
    let mut hierarchical = HierarchicalPbd::with(settings);
    hierarchical.prepare(&build()?, Kernels::default())?;
    let rows = hierarchical.rows();
    let sweeps = (rows[0] * fine + rows[1..].iter().sum::<usize>() * coarse).div_ceil(rows[0]);
    let flat = built("pbd", &[("iterations", (sweeps as f64).into()), ("tolerance", 0.0.into())])?;
    let mut found = [0.0; 2];
    let methods: [Box<dyn Method>; 2] = [Box::new(hierarchical), flat];
    for (found, method) in found.iter_mut().zip(methods) {
        let mut simulation =
            Simulation::with_substeps(build()?, method, 1.0 / 60.0, Substeps::Fixed(1))?;
        for _ in 0..120 {
            simulation.step()?;
        }
        let (x, batch) = (&simulation.state().positions, &simulation.model().elements()[0]);
        let mut sum = 0.0;
        for e in 0..batch.len() {
            let [i, j] = [0, 1].map(|k| x[batch.corners(e)[k] as usize]);
            let strain = ((i - j).norm() / batch.view(e).rest[0] - 1.0).max(0.0);
            sum += strain * strain;
        }
        *found = (sum / batch.len() as f64).sqrt();
    }
    Ok((found, rows, sweeps))
}

/// A table of sags by budget.
pub fn budget_table(truth: f64, rows: &[(Mode, Vec<[f64; 2]>)]) -> String {
    let head = BUDGETS.map(|n| n.to_string()).join(" | ");
    let mut out = format!("| sag [mm] | {head} |\n|---|{}\n", "---|".repeat(BUDGETS.len()));
    for (way, points) in rows {
        let sags: Vec<String> = points.iter().map(|[_, s]| format!("{:.1}", 1e3 * s)).collect();
        out += &format!("| {} | {} |\n", way.name, sags.join(" | "));
    }
    out + &format!("| newton | {} |\n", BUDGETS.map(|_| format!("{:.1}", 1e3 * truth)).join(" | "))
}

/// The table of residuals.
pub fn residual_table(kinds: &[(&'static str, Vec<[f64; 2]>)]) -> String {
    let at = [2, 5, 10, 20, 50, 100, 300];
    let head = at.map(|k: usize| k.to_string()).join(" | ");
    let mut out = format!("| residual of sweep | {head} |\n|---|{}\n", "---|".repeat(at.len()));
    for (name, points) in kinds {
        let values: Vec<String> = at
            .iter()
            .map(|k| points.get(k - 1).map_or("–".into(), |[_, r]| format!("{r:.1e}")))
            .collect();
        out += &format!("| {name} | {} |\n", values.join(" | "));
    }
    out
}

fn chart(title: &str, x: Axis, y: Axis, rows: &[(Mode, Vec<[f64; 2]>)], guide: Series) -> Chart {
    let lines = rows.iter().map(|(way, points)| Series::new(way.name, Mark::Both, points.clone()));
    Chart { title: title.into(), x, y, series: lines.chain([guide]).collect() }
}

#[allow(dead_code, reason = "the test of the page reads this file, too")]
fn main() -> Outcome<()> {
    let (rope_truth, curtain_truth) = (truth(rope(20)?)?, truth(curtain(12)?)?);
    let (on_rope, on_curtain) = (by_budget(|| rope(20))?, by_budget(|| curtain(12))?);
    let budget = |title: &str, rows: &[(Mode, Vec<[f64; 2]>)], truth: f64| {
        let y = Axis::log("sag / static sag");
        let relative = |(way, points): &(Mode, Vec<[f64; 2]>)| {
            (*way, points.iter().map(|[n, s]| [*n, s / truth]).collect())
        };
        let rows: Vec<_> = rows.iter().map(relative).collect();
        let guide = Series::new("newton", Mark::Guide, vec![[1.0, 1.0], [100.0, 1.0]]);
        chart(title, Axis::log("sweeps in a frame"), y, &rows, guide)
    };
    let links = [5, 10, 20, 40, 80];
    let sides = [4, 8, 12, 16, 24];
    let (fine_rope, fine_curtain) = (by_resolution(rope, &links)?, by_resolution(curtain, &sides)?);
    let resolution = |title: &str, x: &str, rows: &[(Mode, Vec<[f64; 2]>)], ends: [u32; 2]| {
        let ends = ends.map(|n| [f64::from(n), 1.0]);
        let guide = Series::new("newton", Mark::Guide, ends.to_vec());
        chart(title, Axis::log(x), Axis::log("sag / static sag"), rows, guide)
    };
    let sags = Figure {
        charts: vec![
            budget("A rope of 20 links", &on_rope, rope_truth),
            budget("A curtain of 12×12", &on_curtain, curtain_truth),
            resolution("Ropes, 20 sweeps in a frame", "links", &fine_rope, [5, 80]),
            resolution(
                "Curtains, 20 sweeps in a frame",
                "particles along a side",
                &fine_curtain,
                [4, 24],
            ),
        ],
        columns: 2,
        ..Figure::default()
    };
    let kinds = residuals()?;
    let series = kinds.iter().map(|(name, points)| Series::new(*name, Mark::Line, points.clone()));
    let sweeps = Figure {
        charts: vec![Chart {
            title: "Residual of each sweep over that of the first, a curtain of 20×20".into(),
            x: Axis::linear("sweep"),
            y: Axis::log("residual / first residual"),
            series: series.collect(),
        }],
        columns: 1,
        ..Figure::default()
    };
    let mut table = String::new();
    for n in [20, 40, 100] {
        let ([with, without], rows, sweeps) = levels(n)?;
        let projections = rows[0] * sweeps;
        table += &format!(
            "| {n}×{n} | {} | {projections} | {:.2} % | {:.2} % | {:.1} |\n",
            rows.len() - 1,
            100.0 * with,
            100.0 * without,
            without / with
        );
    }
    let page = format!(
        "# Position-based methods\n\n\
         Convergence of [pbd](methods/pbd.md), [xpbd](methods/xpbd.md) and\n\
         [hierarchical-pbd](methods/hierarchical-pbd.md) with the number of sweeps. This page is generated\n\
         by\n\n\
         ```sh\ncargo run --release -p hooke-cli --example position_based\n```\n\n\
         ## Rest sag\n\n\
         A rope of 20 links and a curtain of 12×12 hang at rest, at 60 frames per second. The columns are sweeps\n\
         per frame: either iterations of one step, or sub-steps of one iteration each. Newton's method gives the\n\
         static answer. Rigid PBD should not sag; its sag is the error that remains. PBD with the stiffness of the\n\
         material becomes stiffer with every sweep. XPBD converges to the static answer; with few sweeps, sub-steps\n\
         are more accurate than iterations. Here XPBD runs as published, with `energy_guard = false`.\n\n\
         ![Sag over static sag against sweeps in a frame and against resolution](images/position-based-sag.svg)\n\n\
         The rope:\n\n{}\nThe curtain:\n\n{}\n\
         ## Residual of each sweep\n\n\
         The first step of a curtain of 20×20 that begins to fall; residuals relative to the first sweep. The order\n\
         of the rows has little effect, averaging (Jacobi) a large one. XPBD converges like PBD at first, then more\n\
         slowly, because the remaining error is smooth.\n\n\
         ![Residual of each sweep](images/position-based-residuals.svg)\n\n{}\n\
         ## Coarse levels at equal work\n\n\
         The root mean square strain of the stretched springs in a curtain that hangs from three points, after two\n\
         seconds: under hierarchical PBD with its default settings, and under PBD with the same number of projections\n\
         per step.\n\n\
         | curtain | coarse levels | projections a step | on levels | without | ratio |\n\
         |---|---|---|---|---|---|\n{table}",
        budget_table(rope_truth, &on_rope),
        budget_table(curtain_truth, &on_curtain),
        residual_table(&kinds),
    );
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    std::fs::write(docs.join("images/position-based-sag.svg"), sags.svg(960, 900))?;
    std::fs::write(docs.join("images/position-based-residuals.svg"), sweeps.svg(720, 480))?;
    std::fs::write(docs.join("position-based.md"), page)?;
    Ok(())
}
