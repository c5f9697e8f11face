//! The pages in `docs/` agree with the registries, and every link leads somewhere.
//!
//! Tables are compared as text: a failure prints what the page must say.
#![allow(clippy::unwrap_used, missing_docs)]

use hooke::dampers::DAMPERS;
use hooke::laws::{LAWS, Param};
use hooke::methods::{METHODS, MethodInfo};
use hooke::settings::Value;
use hooke::{Model, Simulation, State, Substeps, Vec3};
use std::fs;
use std::path::{Path, PathBuf};

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

/// Every page below a folder, with its text.
fn pages(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(pages(&path));
        } else if path.extension().is_some_and(|extension| extension == "md") {
            let text = fs::read_to_string(&path).unwrap();
            all.push((path, text));
        }
    }
    all.sort();
    all
}

/// A folder holds a page for each name and no other, and each says what it must.
fn check<'a>(folder: &str, wanted: impl Iterator<Item = (&'a str, Vec<String>)>) {
    let mut names = Vec::new();
    let mut missing = String::new();
    for (name, texts) in wanted {
        let page = fs::read_to_string(docs().join(folder).join(format!("{name}.md")));
        let page = page.unwrap_or_default();
        for text in texts.iter().filter(|text| !page.contains(*text)) {
            missing += &format!("\n--- docs/{folder}/{name}.md must say\n{text}");
        }
        names.push(name);
    }
    for (path, _) in pages(&docs().join(folder)) {
        let name = path.file_stem().unwrap().to_str().unwrap();
        if !names.contains(&name) {
            missing += &format!("\n--- docs/{folder}/{name}.md is about nothing registered");
        }
    }
    assert!(missing.is_empty(), "{missing}");
}

/// A table that ends where it is said to end.
fn table(head: &str, rows: impl Iterator<Item = String>) -> String {
    let rule = "|---".repeat(head.matches('|').count() - 1);
    rows.fold(format!("{head}\n{rule}|\n"), |table, row| table + &row + "\n") + "\n"
}

fn number(value: f64) -> String {
    if value.abs() >= 1e5 {
        format!("{value:e}")
    } else {
        format!("{value:?}").trim_end_matches(".0").to_owned()
    }
}

fn parameters(params: &[Param]) -> String {
    let row = |param: &Param| {
        let Param { name, unit, doc, range: [low, high], default } = param;
        let unit = if unit.is_empty() { "–" } else { unit };
        let [low, high, default] = [low, high, default].map(|value| number(*value));
        let doc = doc.replace('|', "\\|");
        format!("| `{name}` | {unit} | {low} … {high} | {default} | {doc} |")
    };
    table("| parameter | unit | range | default | meaning |", params.iter().map(row))
}

fn settings(method: &MethodInfo) -> String {
    let all = (method.settings)();
    if all.is_empty() {
        return "None.\n".to_owned();
    }
    let row = |setting: hooke::settings::SettingInfo| {
        let default = match &setting.default {
            Value::Number(value) => number(*value),
            other => other.to_string(),
        };
        format!("| `{}` | {} | `{default}` | {} |", setting.name, setting.kind, setting.doc)
    };
    table("| setting | values | default | meaning |", all.into_iter().map(row))
}

#[test]
fn every_law_and_damper_has_its_page() {
    let laws = LAWS.iter().map(|law| {
        let facts = [law.doc, law.equation].map(str::to_owned);
        (law.name, [&facts[..], &[parameters(law.params)]].concat())
    });
    let dampers = DAMPERS.iter().map(|damper| {
        let facts = [damper.doc, damper.equation, damper.lagged].map(str::to_owned);
        (damper.name, [&facts[..], &[parameters(damper.params)]].concat())
    });
    check("laws", laws.chain(dampers));
}

#[test]
fn every_method_has_its_page() {
    let facts = |method: &MethodInfo| {
        let MethodInfo { doc, order, cost, stable, reference, .. } = method;
        let facts = format!(
            "{doc}\n\n| | |\n|---|---|\n| order | {order} |\n| cost of a step | {cost} |\n\
             | stable | {stable} |\n| reference | {reference} |\n"
        );
        vec![facts, settings(method), pendulum(method), cluster(method)]
    };
    check("methods", METHODS.iter().map(|method| (method.name, facts(method))));
}

/// A model under a method whose solves all go to round-off; steps are not cut.
fn start(method: &MethodInfo, model: Model, velocities: &[Vec3], h: f64) -> Simulation {
    let tight = |name| match name {
        "tolerance" => Some(0.0),
        "iterations" => Some(4000.0),
        _ => None,
    };
    let names = (method.settings)().into_iter().map(|setting| setting.name);
    let values: Vec<(String, Value)> =
        names.filter_map(|name| Some((name.to_owned(), tight(name)?.into()))).collect();
    let mut state = State::at_rest(&model);
    state.velocities.copy_from_slice(velocities);
    let method = (method.build)(&values).unwrap();
    let mut simulation = Simulation::with_substeps(model, method, h, Substeps::Fixed(1)).unwrap();
    simulation.set_state(state).unwrap();
    simulation
}

/// The measured error on the spring pendulum of the reference case `ode_spring_pendulum`.
fn pendulum(method: &MethodInfo) -> String {
    let error = |steps: u32| {
        let mut model = Model::new();
        model.set_gravity(Vec3::new(0.0, -9.8, 0.0)).unwrap();
        model.add_particle(Vec3::ZERO, 1.0).unwrap();
        model.add_particle(Vec3::new(1.2, 0.0, 0.1), 1.0).unwrap();
        model.add_spring(0, 1, 40.0, Some(1.0)).unwrap();
        model.pin_at_rest(0).unwrap();
        let velocities = [Vec3::ZERO, Vec3::new(0.0, 0.3, 0.5)];
        let mut simulation = start(method, model, &velocities, 1.0 / f64::from(steps));
        for _ in 0..steps {
            simulation.step().unwrap();
        }
        let exact = Vec3::new(-0.5821209569423087, -1.3872742220812022, -0.049685381777110196);
        (simulation.state().positions[1] - exact).norm()
    };
    let errors = [50, 100, 200, 400].map(|steps| format!(" {:.2e} |", error(steps)));
    let row = format!("| error [m] |{}", errors.concat());
    table("| h [s] | 1/50 | 1/100 | 1/200 | 1/400 |", [row].into_iter())
}

/// What is lost on the free cluster of the reference case `ode_free_tetra`.
fn cluster(method: &MethodInfo) -> String {
    let mut model = Model::new();
    model.set_gravity(Vec3::ZERO).unwrap();
    let positions = [[0.0, 0.0, 0.0], [1.1, 0.0, 0.1], [0.2, 0.9, -0.1], [0.3, 0.4, 1.2]];
    for (x, m) in positions.into_iter().zip([1.0, 2.0, 1.5, 0.5]) {
        model.add_particle(x.into(), m).unwrap();
    }
    let springs = [(0, 1, 30.0, 1.0), (0, 2, 25.0, 1.0), (0, 3, 20.0, 1.0)];
    for (i, j, k, l) in
        springs.into_iter().chain([(1, 2, 35.0, 1.3), (1, 3, 40.0, 1.4), (2, 3, 15.0, 1.2)])
    {
        model.add_spring(i, j, k, Some(l)).unwrap();
    }
    let velocities = [[0.2, 0.0, 0.0], [0.0, -0.3, 0.4], [0.1, 0.5, 0.0], [-0.6, 0.2, 0.1]];
    let mut simulation = start(method, model, &velocities.map(Vec3::from), 0.01);
    let before = simulation.report().clone();
    for _ in 0..100 {
        simulation.step().unwrap();
    }
    let after = simulation.report();
    let size = |drift: Vec3| {
        let size = drift.to_array().map(f64::abs).into_iter().fold(0.0, f64::max);
        if size < 1e-11 { "rounding".to_owned() } else { format!("{size:.2e}") }
    };
    let row = format!(
        "| change in 1 s | {} | {} | {:+.1e} |",
        size(after.momentum - before.momentum),
        size(after.angular_momentum - before.angular_momentum),
        after.energy.total() - before.energy.total(),
    );
    let head = "| h = 0.01 s | momentum [kg·m/s] | angular momentum [kg·m²/s] | energy [J] |";
    table(head, [row].into_iter())
}

#[test]
fn the_tutorial_ends_in_the_first_example() {
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/01_hanging_cloth.rs");
    let example = fs::read_to_string(example).unwrap();
    let tutorial = fs::read_to_string(docs().join("tutorial.md")).unwrap();
    assert!(tutorial.contains(&example), "the tutorial must hold 01_hanging_cloth.rs as it is");
}

#[test]
fn the_index_names_every_page_and_every_link_resolves() {
    let pages = pages(&docs());
    let index = fs::read_to_string(docs().join("README.md")).unwrap();
    let mut broken = String::new();
    for (path, text) in &pages {
        let within = path.strip_prefix(docs()).unwrap().to_str().unwrap();
        if within != "README.md" && !index.contains(&format!("]({within})")) {
            broken += &format!("\ndocs/README.md does not list {within}");
        }
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let target = link.split('#').next().unwrap();
            let outside = link.contains("://") || target.is_empty();
            if !outside && !path.parent().unwrap().join(target).exists() {
                broken += &format!("\ndocs/{within} links to {link}, which is not there");
            }
        }
        // Scenes in the pages name what the registries hold.
        for line in text.split("[method]\n").skip(1).filter_map(|rest| rest.lines().next()) {
            let name = line.strip_prefix("name = \"").and_then(|rest| rest.split('"').next());
            if name.is_none_or(|name| hooke::methods::find(name).is_none()) {
                broken += &format!("\ndocs/{within}: there is no method in {line}");
            }
        }
        for rest in text.split("{ law = \"").skip(1) {
            if rest.contains("corners")
                && hooke::laws::find(rest.split('"').next().unwrap()).is_none()
            {
                broken += &format!("\ndocs/{within}: there is no law {:.20}", rest);
            }
        }
    }
    assert!(broken.is_empty(), "{broken}");
}
