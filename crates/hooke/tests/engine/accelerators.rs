//! Accelerated quasi-Newton steps: the same minimum, in fewer iterations, and g never rises.

use crate::common::*;
use hooke::model::{Block, TetrahedronMesh};
use hooke::{Grid, Kernels, Method, Model, Simulation, Solve, State, Vec3, laws};

const ACCELERATORS: [&str; 3] = ["chebyshev", "anderson", "l-bfgs"];

fn accelerated(accelerator: &str, iterations: u32, tolerance: &str) -> Box<dyn Method> {
    let iterations = iterations.to_string();
    let settings = [
        ("accelerator", accelerator),
        ("iterations", &iterations),
        ("tolerance", tolerance),
        ("start", "prediction"),
        ("energy_guard", "false"),
    ];
    method("quasi-newton", &settings)
}

/// A model with a state from which one step is taken.
struct Case {
    name: String,
    model: fn() -> Model,
    state: State,
    h: f64,
}

impl Case {
    fn solve(&self, method: Box<dyn Method>) -> (Solve, Vec<Vec3>) {
        let mut simulation = simulation((self.model)(), method, self.h, self.state.clone());
        run(&mut simulation, 1);
        (simulation.report().solve.unwrap(), simulation.state().positions.clone())
    }
}

/// A cloth that is stretched in its plane: g has one minimum.
fn stretched_cloth() -> Case {
    let model = || cloth(12);
    let mut state = State::at_rest(&model());
    for x in &mut state.positions {
        *x = p(1.2 * x.x, 1.2 * x.y, 1.2 * x.z);
    }
    Case { name: "springs".into(), model, state, h: 0.02 }
}

/// A cantilever of tetrahedra that is pulled and turned; the proxy of its law is an estimate.
fn solid() -> Case {
    let model = || {
        let block = Block {
            corner: Vec3::ZERO,
            edges: [p(0.6, 0.0, 0.0), p(0.0, 0.2, 0.0), p(0.0, 0.0, 0.2)],
            cells: [6, 2, 2],
        };
        let body = block.mesh().unwrap();
        let mesh = TetrahedronMesh {
            positions: &body.positions,
            tetrahedra: &body.tetrahedra,
            mass: 24.0,
            structural: None,
        };
        let mut model = Model::new();
        mesh.add_to(&mut model).unwrap();
        let law = laws::find("corotated").unwrap();
        for tetrahedron in &body.tetrahedra {
            model.add_element(law, tetrahedron, None, &[2e5, 0.3]).unwrap();
        }
        for i in 0..model.particles() as u32 {
            if model.rest()[i as usize].x == 0.0 {
                model.pin_at_rest(i).unwrap();
            }
        }
        model
    };
    let rest = model();
    let mut state = State::at_rest(&rest);
    for (x, v) in state.positions.iter().zip(&mut state.velocities) {
        *v = p(0.5 * x.x, 2.0 * x.x, -4.0 * x.x * x.y);
    }
    Case { name: "solid".into(), model, state, h: 0.02 }
}

/// A sheet of St. Venant–Kirchhoff triangles in the wind: neither has a bound.
fn sheet_in_the_wind() -> Case {
    let model = || {
        let mut model = Model::new();
        let grid = Grid { structural: None, shear: None, bend: None, ..Grid::square(9) };
        grid.add_to(&mut model).unwrap();
        let membrane = laws::find("stvk-membrane").unwrap();
        let wind = hooke::dampers::find("wind").unwrap();
        for triangle in model.triangles().to_vec() {
            model.add_element(membrane, &triangle, None, &[1e6, 0.3, 1e-3]).unwrap();
            model.add_damper(wind, &triangle, None, &[1.0, 0.1]).unwrap();
        }
        model.pin_at_rest(0).unwrap();
        model.pin_at_rest(8).unwrap();
        let mean = hooke::model::Motion::still(p(0.5, 0.0, 2.0));
        model.set_air(hooke::model::Air { mean, gust: None }).unwrap();
        model
    };
    let mut state = State::at_rest(&model());
    let mut numbers = Numbers(5);
    for v in &mut state.velocities {
        *v = numbers.point() * 0.5;
    }
    Case { name: "sheet in the wind".into(), model, state, h: 0.02 }
}

/// A cloth in mid-air, crumpled by as much as its springs are long.
fn crumpled_cloth(seed: u64) -> Case {
    let model = || cloth(12);
    let rest = model();
    let mut numbers = Numbers(seed);
    let mut state = State::at_rest(&rest);
    for i in 0..rest.particles() {
        if !rest.fixed()[i][0] {
            state.positions[i] += numbers.point() * 0.05;
            state.velocities[i] = p(0.0, -2.0, 0.0) + numbers.point();
        }
    }
    Case { name: format!("crumpled cloth {seed}"), model, state, h: 1.0 / 30.0 }
}

/// A cloth after eight frames of falling.
fn falling_cloth(n: u32) -> (Simulation, hooke::Snapshot) {
    let mut simulation = Simulation::with_substeps(
        cloth(n),
        method("newton", &[]),
        1.0 / 30.0,
        hooke::Substeps::Fixed(1),
    )
    .unwrap();
    let mut state = State::at_rest(simulation.model());
    for (x, v) in state.positions.iter_mut().zip(&mut state.velocities) {
        *x = p(x.x, 0.0, -x.y);
        *v = p(0.1 * x.z, -1.5 * x.z + 0.3 * x.x * x.x, -0.1 * x.x);
    }
    simulation.set_state(state).unwrap();
    run(&mut simulation, 8);
    let snapshot = simulation.snapshot();
    (simulation, snapshot)
}

#[test]
fn every_accelerator_finds_newtons_minimum() {
    for case in [stretched_cloth(), solid(), sheet_in_the_wind()] {
        let tight = [("tolerance", "1e-12"), ("iterations", "400"), ("start", "prediction")];
        let (newton, at) = case.solve(method("newton", &tight));
        assert!(newton.end.is_settled(), "{}: {newton:?}", case.name);
        for accelerator in ACCELERATORS {
            let name = format!("{}, {accelerator}", case.name);
            let (solve, x) = case.solve(accelerated(accelerator, 3000, "1e-10"));
            assert!(solve.end.is_settled(), "{name}: {solve:?}");
            let gap = (solve.g - newton.g).abs() / newton.g.abs();
            assert!(gap < 1e-10, "{name}: {gap:e}");
            assert!(solve.relative() < 1e-9, "{name}: {:e}", solve.relative());
            let error = apart(&x, &at);
            assert!(error < 1e-7, "{name}: {error:e}");
        }
    }
}

#[test]
fn g_never_rises() {
    let crumpled = (1..=10).map(crumpled_cloth);
    for case in crumpled.chain([solid(), sheet_in_the_wind()]) {
        for accelerator in ACCELERATORS {
            let g = |iterations| case.solve(accelerated(accelerator, iterations, "0")).0.g;
            let first = g(0);
            let mut before = first;
            for iterations in 1..=20 {
                let now = g(iterations);
                let rise = now - before;
                assert!(
                    rise <= 1e-12 * before.abs(),
                    "{}, {accelerator}, iteration {iterations}: {before} to {now}",
                    case.name
                );
                before = now;
            }
            assert!(before < first, "{}, {accelerator}", case.name);
        }
    }
}

/// Iterations to a residual, on a cloth in mid-fall: counted, so the same on every machine.
#[test]
fn a_third_of_the_iterations() {
    let (mut simulation, snapshot) = falling_cloth(20);
    simulation.set_kernels(Kernels::Portable);
    let mut iterations = |accelerator| {
        simulation.set_method(accelerated(accelerator, 5000, "1e-2")).unwrap();
        simulation.restore(&snapshot).unwrap();
        simulation.step().unwrap();
        let solve = simulation.report().solve.unwrap();
        assert!(solve.end.is_settled(), "{accelerator}: {solve:?}");
        solve.iterations
    };
    let plain = iterations("none");
    for accelerator in ACCELERATORS {
        let count = iterations(accelerator);
        assert!(3 * count < plain, "{accelerator}: {count} of {plain}");
    }
}

/// What is remembered within a step does not survive it.
#[test]
fn a_step_does_not_depend_on_the_steps_before() {
    for accelerator in ACCELERATORS {
        let (mut simulation, snapshot) = falling_cloth(10);
        simulation.set_method(accelerated(accelerator, 12, "0")).unwrap();
        let mut once = || {
            simulation.restore(&snapshot).unwrap();
            simulation.step().unwrap();
            let digest = simulation.state().digest();
            run(&mut simulation, 3);
            digest
        };
        assert_eq!(once(), once(), "{accelerator}");
    }
}

/// Forces in `f32` end in the same place, as far as `f32` can tell.
#[test]
fn interactive_precision_accelerates_too() {
    let case = stretched_cloth();
    let (_, exact) = case.solve(accelerated("none", 3000, "1e-10"));
    for accelerator in ACCELERATORS {
        let settings = [
            ("accelerator", accelerator),
            ("precision", "interactive"),
            ("iterations", "300"),
            ("tolerance", "1e-5"),
        ];
        let (solve, x) = case.solve(method("quasi-newton", &settings));
        assert!(solve.end.is_settled(), "{accelerator}: {solve:?}");
        assert!(apart(&x, &exact) < 1e-4, "{accelerator}: {:e}", apart(&x, &exact));
    }
}

/// A given radius is used, and no window is too small or too wide.
#[test]
fn radius_and_window_are_settings() {
    let case = crumpled_cloth(3);
    let ends = [
        [("accelerator", "chebyshev"), ("radius", "0.99")],
        [("accelerator", "chebyshev"), ("radius", "0.5")],
        [("accelerator", "anderson"), ("window", "1")],
        [("accelerator", "anderson"), ("window", "16")],
        [("accelerator", "l-bfgs"), ("window", "1")],
        [("accelerator", "l-bfgs"), ("window", "16")],
    ]
    .map(|settings| {
        let all = [&settings[..], &[("iterations", "30"), ("tolerance", "0")]].concat();
        let (solve, _) = case.solve(method("quasi-newton", &all));
        assert_eq!(solve.iterations, 30, "{settings:?}");
        solve.g
    });
    for (i, g) in ends.iter().enumerate() {
        assert!(ends[..i].iter().all(|other| other != g), "{ends:?}");
    }
}
