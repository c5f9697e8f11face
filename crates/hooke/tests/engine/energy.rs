//! A solve that stops early loses accuracy, but adds no energy, and what flies goes on flying.

use crate::common::*;
use hooke::methods::METHODS;
use hooke::model::SpringFamily;
use hooke::{Grid, Model, Simulation, State, Substeps, Vec3};

const H: f64 = 1.0 / 60.0;

/// Every method that minimizes the objective of backward Euler by iterations, with its accelerators.
fn solvers() -> Vec<(&'static str, &'static str)> {
    let mut solvers = Vec::new();
    for info in METHODS {
        let settings = (info.settings)();
        let has = |name: &str| settings.iter().any(|setting| setting.name == name);
        if !has("iterations") || !has("start") {
            continue;
        }
        let mut simulation = Simulation::new(cloth(3), info.name, H).unwrap();
        let solve = simulation.step().unwrap().solve.unwrap();
        if solve.objective != "backward Euler" {
            continue;
        }
        solvers.push((info.name, "none"));
        if has("accelerator") {
            for accelerator in ["chebyshev", "anderson", "l-bfgs"] {
                let value = [("accelerator".to_owned(), accelerator.into())];
                if (info.build)(&value).is_ok() {
                    solvers.push((info.name, accelerator));
                }
            }
        }
    }
    assert!(solvers.len() >= 7, "{solvers:?}");
    // Sweeps over rows are guarded, too.
    solvers.push(("xpbd", "none"));
    solvers
}

fn start(model: Model, (name, accelerator): (&str, &str), iterations: u32) -> Simulation {
    let iterations = iterations.to_string();
    let mut settings = vec![("iterations", &*iterations)];
    if accelerator != "none" {
        settings.push(("accelerator", accelerator));
    }
    Simulation::with_substeps(model, method(name, &settings), H, Substeps::Fixed(1)).unwrap()
}

/// A slack rope of 60 links with EA = 5 kN, folded up between its two pins.
fn rope(drag: f64) -> Model {
    let mut model = Model::new();
    let link = 0.05;
    for i in 0..=60 {
        let up = f64::from(i % 2) * (link * link - 4.0 / 3600.0_f64).sqrt();
        model.add_particle(p(-1.0 + f64::from(i) / 30.0, up, 0.0), 0.3 / 61.0).unwrap();
    }
    for i in 0..60 {
        model.add_spring(i, i + 1, 5000.0 / link, Some(link)).unwrap();
    }
    for end in [0, 60] {
        model.pin_at_rest(end).unwrap();
    }
    if drag > 0.0 {
        let kind = hooke::dampers::find("drag").unwrap();
        for i in 0..=60 {
            model.add_damper(kind, &[i], None, &[drag]).unwrap();
        }
    }
    model
}

/// A stiff cloth, free of pins.
fn free_cloth() -> Model {
    let mut model = Model::new();
    let stiff = || Some(SpringFamily::stiffness(1e5));
    Grid { structural: stiff(), shear: stiff(), bend: stiff(), ..Grid::square(12) }
        .add_to(&mut model)
        .unwrap();
    model
}

/// The same cloth crumpled and thrown.
fn thrown(model: &Model) -> State {
    let mut state = State::at_rest(model);
    for (i, (x, v)) in state.positions.iter_mut().zip(&mut state.velocities).enumerate() {
        *x = *x * 0.9 + p(0.0, 0.0, 0.02 * (1.7 * i as f64).sin());
        *v = p(1.0 + x.y, 2.0 - x.x, 0.3 * (7.0 * x.x).sin());
    }
    state
}

/// A cloth that lies flat and falls from two corners.
fn falling_cloth() -> Model {
    let mut model = Model::new();
    let grid = Grid { down: p(0.0, 0.0, 1.0), ..Grid::square(12) }.add_to(&mut model).unwrap();
    model.pin_at_rest(grid.at(0, 0)).unwrap();
    model.pin_at_rest(grid.at(11, 0)).unwrap();
    model
}

#[test]
fn closed_scenes_gain_no_energy_at_any_iteration_count() {
    type Case = (&'static str, fn() -> Model, Option<fn(&Model) -> State>);
    let cases: [Case; 4] = [
        ("rope", || rope(0.0), None),
        ("rope with drag", || rope(0.02), None),
        ("falling cloth", falling_cloth, None),
        ("thrown cloth", free_cloth, Some(thrown)),
    ];
    for (name, model, state) in cases {
        for solver in solvers() {
            for iterations in [1, 2, 3, 7, 20, 100] {
                let mut simulation = start(model(), solver, iterations);
                if let Some(state) = state {
                    let state = state(simulation.model());
                    simulation.set_state(state).unwrap();
                }
                let first = simulation.report().energy;
                let size = first.kinetic + first.elastic + 1e-3;
                let (mut ledger, mut before) = (0.0, first.total());
                let mut greatest = size;
                for step in 0..60 {
                    let report = simulation.step().unwrap();
                    ledger += report.numerical;
                    let total = report.energy.total();
                    let case = format!("{name}, {solver:?}, {iterations} iterations, step {step}");
                    if solver.0 == "xpbd" {
                        // Single steps may rise; the run may not gain more than a hundredth.
                        greatest = greatest.max(report.energy.kinetic + report.energy.elastic);
                        let (most, start) = (0.011 * greatest, first.total());
                        assert!(total <= start + most, "{case}: {start} J, then {total} J");
                        assert!(ledger <= most, "{case}: {ledger} J that nothing explains");
                        continue;
                    }
                    assert!(total <= before + 1e-9 * size, "{case}: {before} J, then {total} J");
                    assert!(ledger <= 1e-9 * size, "{case}: {ledger} J that nothing explains");
                    before = total;
                }
            }
        }
    }
}

#[test]
fn a_stiff_cloth_falls_freely_at_any_iteration_count() {
    let center = |state: &State| {
        let sum = state.positions.iter().fold(Vec3::ZERO, |sum, &x| sum + x);
        sum * (1.0 / state.positions.len() as f64)
    };
    for solver in solvers() {
        for iterations in [1, 2, 7, 20, 100] {
            for flying in [false, true] {
                let mut simulation = start(free_cloth(), solver, iterations);
                if flying {
                    let state = thrown(simulation.model());
                    simulation.set_state(state).unwrap();
                }
                let state = simulation.state();
                let velocities = state.velocities.iter().fold(Vec3::ZERO, |sum, &v| sum + v);
                let velocity = velocities * (1.0 / state.velocities.len() as f64);
                let (from, rest) = (center(state), state.positions.clone());
                run(&mut simulation, 60);
                // Backward Euler's own fall: h² g (1 + 2 + … + n).
                let fall = p(0.0, -9.81 * H * H * (60.0 * 61.0 / 2.0), 0.0);
                let expected = from + velocity * (60.0 * H) + fall;
                let off = (center(simulation.state()) - expected).norm();
                assert!(off < 1e-6, "{solver:?}, {iterations}, flying {flying}: {off:e} m off");
                if !flying {
                    let there: Vec<Vec3> = rest.iter().map(|&x| x + fall).collect();
                    let off = apart(&simulation.state().positions, &there);
                    assert!(off < 1e-6, "{solver:?}, {iterations}: a particle is {off:e} m off");
                }
            }
        }
    }
}

#[test]
fn a_slack_rope_comes_to_hang_as_a_catenary_at_the_default_iterations() {
    let mut still = Simulation::new(rope(0.02), "newton", H).unwrap();
    run(&mut still, 3600);
    for (name, iterations, off) in
        [("newton", Some("1"), 1e-6), ("quasi-newton", None, 1e-6), ("vbd", None, 0.05)]
    {
        let settings: Vec<_> = iterations.map(|count| ("iterations", count)).into_iter().collect();
        let mut simulation = Simulation::new(rope(0.02), method(name, &settings), H).unwrap();
        run(&mut simulation, 3600);
        let apart = apart(&simulation.state().positions, &still.state().positions);
        assert!(apart < off, "{name}: {apart:e} m off");
    }
}
