//! Cases with numbers from independent high-precision code.

use crate::common::*;
use hooke::chains::{Chain, Joint, JointLimits, Settings, Solver, Target};
use hooke::laws::deformation::of_tetrahedron;
use hooke::laws::{CurvedBending, Dihedral, Law, QuadraticBending, Stvk, finite_volume};
use hooke::math::{Mat3, Quat};
use hooke::model::{Obstacle, Response, Shape, SpringFamily, StrainLimit, SweepOrder};
use hooke::{Model, Simulation, State, Vec3};
use serde_json::Value;

pub fn read(case: &str) -> Value {
    let path = format!("{}/tests/engine/reference/{case}.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

pub fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("not a number: {value}"))
}

pub fn point(value: &Value) -> Vec3 {
    p(number(&value[0]), number(&value[1]), number(&value[2]))
}

pub fn points(value: &Value) -> Vec<Vec3> {
    value.as_array().unwrap().iter().map(point).collect()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(number).collect()
}

/// The model and start of a case that gives positions, velocities, masses, springs and pins.
fn network(inputs: &Value) -> (Model, State) {
    let positions = points(&inputs["positions"]);
    let mut model = Model::new();
    model.set_gravity(point(&inputs["gravity"])).unwrap();
    for (&x, m) in positions.iter().zip(numbers(&inputs["masses"])) {
        model.add_particle(x, m).unwrap();
    }
    for spring in inputs["springs"].as_array().unwrap() {
        let [i, j] = [0, 1].map(|k| spring[k].as_u64().unwrap() as u32);
        model.add_spring(i, j, number(&spring[2]), Some(number(&spring[3]))).unwrap();
    }
    for pin in inputs["pins"].as_array().into_iter().flatten() {
        model.pin_at_rest(pin.as_u64().unwrap() as u32).unwrap();
    }
    let mut state = State::at_rest(&model);
    state.velocities = points(&inputs["velocities"]);
    (model, state)
}

#[track_caller]
fn close(got: &[Vec3], expected: &Value, tolerance: f64, what: &str) {
    let error = apart(got, &points(expected));
    assert!(error <= tolerance, "{what}: off by {error:e}, allowed {tolerance:e}");
}

#[test]
fn linearized_backward_euler_and_beta() {
    let case = read("be_linearized_grid3x3");
    let h = number(&case["inputs"]["dt"]);
    let forces = points(&case["inputs"]["fext"]);
    let check = |name: &str, method, gravity: bool, fext: bool| {
        let (mut model, state) = network(&case["inputs"]);
        if !gravity {
            model.set_gravity(Vec3::ZERO).unwrap();
        }
        if fext {
            for (i, &force) in forces.iter().enumerate() {
                model.add_force(i as u32, force).unwrap();
            }
        }
        let mut simulation = simulation(model, method, h, state);
        run(&mut simulation, 1);
        let expected = &case["outputs"][name];
        close(&simulation.state().positions, &expected["positions"], 1e-11, name);
        close(&simulation.state().velocities, &expected["velocities"], 1e-9, name);
    };
    for (hessian, projection) in [("exact", "off"), ("clamped", "eager")] {
        for (forces, gravity, fext) in [
            ("no_external_force", false, false),
            ("gravity", true, false),
            ("gravity_and_fext", true, true),
        ] {
            let method = method("linearized-backward-euler", &[("projection", projection)]);
            check(&format!("{forces}_{hessian}_hessian"), method, gravity, fext);
        }
    }
    for beta in ["0", "0.5", "1"] {
        check(&format!("beta_{beta}_gravity"), method("beta", &[("beta", beta)]), true, false);
    }
    check("beta_0_gravity", method("symplectic-euler", &[]), true, false);
}

#[test]
fn constrained_dynamics() {
    let case = read("constrained_kkt_chain4");
    let inputs = &case["inputs"];
    let h = number(&inputs["dt"]);
    let check = |name: &str, rods: f64, gravity: bool, geometric: &str| {
        let mut model = Model::new();
        let weight = if gravity { point(&inputs["gravity"]) } else { Vec3::ZERO };
        model.set_gravity(weight).unwrap();
        for (x, m) in points(&inputs["positions"]).into_iter().zip(numbers(&inputs["masses"])) {
            model.add_particle(x, m).unwrap();
        }
        let edges = inputs["edges"].as_array().unwrap();
        for (edge, rest) in edges.iter().zip(numbers(&inputs["rest"])) {
            let [i, j] = [0, 1].map(|k| edge[k].as_u64().unwrap() as u32);
            model.add_spring_of(i, j, &SpringFamily::rods(rods), Some(rest)).unwrap();
        }
        model.pin_at_rest(0).unwrap();
        let mut state = State::at_rest(&model);
        state.velocities = points(&inputs["velocities"]);
        let settings = [("iterations", "1"), ("geometric_stiffness", geometric)];
        let mut simulation = simulation(model, method("constrained", &settings), h, state);
        run(&mut simulation, 1);
        let expected = &case["outputs"][name];
        close(&simulation.state().velocities, &expected["velocities"], 1e-9, name);
        if geometric == "false" {
            close(&simulation.state().positions, &expected["positions"], 1e-9, name);
        }
    };
    check("compliance_1e-3", 1e-3, false, "false");
    check("compliance_1e-3_gravity", 1e-3, true, "false");
    check("compliance_0", 0.0, false, "false");
    check("compliance_0_gravity", 0.0, true, "false");
    check("stable_constrained_dynamics_gravity (with geometric stiffness)", 1e-3, true, "true");
}

#[test]
fn backward_euler_step() {
    let case = read("ie_grid3x3_step1");
    let h = number(&case["inputs"]["dt"]);
    let expected = &case["outputs"];
    for solver in ["cholesky", "cg", "pcg-jacobi", "pcg-incomplete", "pcg-filtered"] {
        let (model, state) = network(&case["inputs"]);
        let settings = [("tolerance", "1e-13"), ("cg_tolerance", "1e-14"), ("solver", solver)];
        let mut simulation = simulation(model, method("newton", &settings), h, state);
        let elastic = simulation.report().energy.elastic;
        assert!((elastic - number(&expected["energy_elastic_old"])).abs() < 1e-12);
        run(&mut simulation, 1);
        close(&simulation.state().positions, &expected["positions"], 1e-9, solver);
        close(&simulation.state().velocities, &expected["velocities"], 1e-7, solver);
        let report = simulation.report();
        assert!((report.energy.elastic - number(&expected["energy_elastic_new"])).abs() < 1e-9);
        let momentum = point(&expected["total_linear_momentum"]);
        assert!((report.momentum - momentum).norm() < 1e-8, "{:?}", report.momentum);
    }
}

#[test]
fn newton_iterates() {
    let case = read("ie_grid3x3_step1");
    let h = number(&case["inputs"]["dt"]);
    for (count, expected) in
        case["outputs"]["newton_iterates_full_step_from_x_t"].as_object().unwrap()
    {
        let (model, state) = network(&case["inputs"]);
        let settings = [("tolerance", "0"), ("iterations", count), ("start", "current")];
        let mut simulation = simulation(model, method("newton", &settings), h, state);
        run(&mut simulation, 1);
        close(&simulation.state().positions, expected, 1e-11, count);
    }
}

#[test]
fn forces_at_the_start() {
    let case = read("ie_grid3x3_step1");
    let (model, state) = network(&case["inputs"]);
    // One explicit step from rest without gravity: v' = h M⁻¹ f.
    let mut free = Model::new();
    free.set_gravity(Vec3::ZERO).unwrap();
    for (&x, &m) in model.rest().iter().zip(model.masses()) {
        free.add_particle(x, m).unwrap();
    }
    for spring in case["inputs"]["springs"].as_array().unwrap() {
        let [i, j] = [0, 1].map(|k| spring[k].as_u64().unwrap() as u32);
        free.add_spring(i, j, number(&spring[2]), Some(number(&spring[3]))).unwrap();
    }
    let start = State::at_rest(&free);
    let mut simulation = simulation(free, method("symplectic-euler", &[]), 1.0, start);
    run(&mut simulation, 1);
    let forces: Vec<Vec3> =
        simulation.state().velocities.iter().zip(model.masses()).map(|(&v, &m)| v * m).collect();
    close(&forces, &case["outputs"]["force_at_t0"], 1e-11, "forces");
    assert_eq!(state.step, 0);
}

#[test]
fn fast_mass_spring_iterates() {
    let case = read("pd_grid3x3");
    let h = number(&case["inputs"]["dt"]);
    let iterate = |count: &str| {
        let (model, state) = network(&case["inputs"]);
        let settings = [("tolerance", "0"), ("iterations", count), ("start", "prediction")];
        let mut simulation = simulation(model, method("fast-mass-spring", &settings), h, state);
        // The native factor is rounded to f32, which shows in iterates.
        simulation.set_kernels(hooke::Kernels::Portable);
        run(&mut simulation, 1);
        simulation
    };
    for (count, expected) in case["outputs"]["positions_after_iteration"].as_object().unwrap() {
        close(&iterate(count).state().positions, expected, 1e-9, count);
    }
    let converged = iterate("200");
    close(&converged.state().positions, &case["outputs"]["positions_converged"], 1e-9, "converged");
    let lowest = converged.report().solve.unwrap().g;
    let gaps = numbers(&case["outputs"]["F_minus_Fmin_iter_1_2_5_10"]);
    for (count, expected) in ["1", "2", "5", "10"].into_iter().zip(gaps) {
        let gap = iterate(count).report().solve.unwrap().g - lowest;
        assert!((gap - expected).abs() <= 1e-9 + 1e-6 * expected, "{count}: {gap} {expected}");
    }
}

#[test]
fn vertex_block_descent_ends_where_newton_does() {
    for (name, expected) in
        [("ie_grid3x3_step1", "positions"), ("pd_grid3x3", "positions_converged")]
    {
        let case = read(name);
        let h = number(&case["inputs"]["dt"]);
        for accelerator in ["none", "chebyshev"] {
            let (model, state) = network(&case["inputs"]);
            let settings =
                [("tolerance", "0"), ("iterations", "20000"), ("accelerator", accelerator)];
            let mut simulation = simulation(model, method("vbd", &settings), h, state);
            run(&mut simulation, 1);
            close(&simulation.state().positions, &case["outputs"][expected], 1e-9, name);
        }
    }
}

#[test]
fn penalty_pins_approach_elimination() {
    let case = read("pin_penalty_limit_grid3x3");
    let h = number(&case["inputs"]["dt"]);
    let (pinned, state) = network(&case["inputs"]);
    let mut exact_pins = simulation(pinned, exact("newton"), h, state.clone());
    run(&mut exact_pins, 1);
    close(
        &exact_pins.state().positions,
        &case["outputs"]["positions_eliminated"],
        1e-9,
        "eliminated",
    );
    let reaction = exact_pins.report().reactions.iter().flat_map(|r| r.to_array());
    let reaction = reaction.map(f64::abs).fold(0.0, f64::max);
    for row in case["outputs"]["table"].as_array().unwrap() {
        let w = number(&row["k_pin"]);
        let (mut model, state) = network(&case["inputs"]);
        for particle in [0, 2] {
            model.unpin(particle);
            let place = model.rest()[particle as usize];
            let place = model.add_anchor(hooke::model::Motion::still(place)).unwrap();
            model.attach(particle, place, w).unwrap();
        }
        let mut soft = simulation(model, exact("newton"), h, state);
        run(&mut soft, 1);
        let x = &soft.state().positions;
        let largest = |pairs: &mut dyn Iterator<Item = Vec3>| {
            pairs.flat_map(|d| d.to_array()).map(f64::abs).fold(0.0, f64::max)
        };
        let eliminated = &exact_pins.state().positions;
        let error = largest(&mut x.iter().zip(eliminated).map(|(&a, &b)| a - b));
        let drift = largest(&mut [0usize, 2].into_iter().map(|i| x[i] - soft.model().rest()[i]));
        for (got, expected) in [(error, &row["max|x - eliminated|"]), (drift, &row["pin_drift"])] {
            let expected = number(expected);
            // Small differences of positions near 1 carry their rounding.
            assert!((got - expected).abs() <= 1e-6 * expected + 1e-12, "{w}: {got} {expected}");
        }
        if w >= 1e8 {
            assert!((w * drift - reaction).abs() < 1e-3 * reaction, "{} {reaction}", w * drift);
        }
    }
}

#[test]
fn oscillator_under_every_method() {
    let case = read("integrators_oscillator");
    let inputs = &case["inputs"];
    let methods = [
        ("forward_euler", "forward-euler", vec![]),
        ("symplectic_euler", "symplectic-euler", vec![]),
        ("backward_euler", "newton", vec![("tolerance", "1e-15")]),
        ("backward_euler", "linearized-backward-euler", vec![]),
        ("implicit_midpoint", "implicit-midpoint", vec![("tolerance", "1e-15")]),
        ("rk4", "rk4", vec![]),
        ("games103_beta_half", "beta", vec![("beta", "0.5")]),
        ("velocity_verlet", "velocity-verlet", vec![]),
    ];
    for h in numbers(&inputs["dts"]) {
        for (reference, name, settings) in &methods {
            let expected = &case["outputs"]["by_dt"][format!("h={h}")][*reference];
            let k = number(&inputs["stiffness"]);
            // Long enough that the spring never turns over.
            let rest = 50.0;
            let mut model = Model::new();
            model.set_gravity(Vec3::ZERO).unwrap();
            model.add_particle(Vec3::ZERO, 1.0).unwrap();
            model.add_particle(p(rest + 1.0, 0.0, 0.0), number(&inputs["mass"])).unwrap();
            model.add_spring(0, 1, k, Some(rest)).unwrap();
            model.pin_at_rest(0).unwrap();
            let start = State::at_rest(&model);
            let mut simulation = simulation(model, method(name, settings), h, start);
            let mut taken = 0;
            let radius = number(&expected["spectral_radius"]);
            for (count, key) in [(10, "x_v_after_10"), (100, "x_v_after_100")] {
                if radius.powi(count) > 20.0 {
                    continue;
                }
                run(&mut simulation, (count - taken) as usize);
                taken = count;
                let [x, v] = [number(&expected[key][0]), number(&expected[key][1])];
                let got = simulation.state();
                let (dx, dv) = (got.positions[1].x - rest, got.velocities[1].x);
                let size = (x * x + v * v / 100.0).sqrt().max(1e-5);
                let error = ((dx - x).powi(2) + (dv - v).powi(2) / 100.0).sqrt();
                assert!(
                    error <= 1e-10 * size.max(1.0),
                    "{name} h={h} {key}: {error:e} of {size:e}"
                );
                assert_eq!((got.positions[1].y, got.positions[1].z), (0.0, 0.0));
            }
        }
    }
}

#[test]
fn projectile_under_every_method() {
    let case = read("projectile");
    let inputs = &case["inputs"];
    let methods = [
        ("forward_euler", "forward-euler"),
        ("symplectic_euler", "symplectic-euler"),
        ("backward_euler", "newton"),
        ("backward_euler", "linearized-backward-euler"),
        ("backward_euler", "beta"),
        ("pbd_xpbd_vbd_pd", "quasi-newton"),
        ("pbd_xpbd_vbd_pd", "vbd"),
        ("implicit_midpoint", "implicit-midpoint"),
        ("rk4", "rk4"),
        ("rk4", "velocity-verlet"),
    ];
    for (reference, name) in methods {
        let mut model = Model::new();
        model.set_gravity(point(&inputs["g"])).unwrap();
        model.add_particle(point(&inputs["x0"]), 0.7).unwrap();
        let mut state = State::at_rest(&model);
        state.velocities[0] = point(&inputs["v0"]);
        let h = number(&inputs["dt"]);
        // Rounded to f32, the native factor of quasi-newton needs a second iteration.
        let built = if name == "quasi-newton" { exact(name) } else { method(name, &[]) };
        let mut simulation = simulation(model, built, h, state);
        run(&mut simulation, inputs["steps"].as_u64().unwrap() as usize);
        let state = simulation.state();
        let x = point(&case["outputs"]["positions"][reference]);
        let v = point(&case["outputs"]["velocity_all_methods"]);
        assert!((state.positions[0] - x).norm() < 1e-11, "{name}: {:?} {x:?}", state.positions[0]);
        assert!((state.velocities[0] - v).norm() < 1e-11, "{name}");
    }
}

fn pendulum(inputs: &Value) -> (Model, State) {
    let mut model = Model::new();
    model.set_gravity(point(&inputs["gravity"])).unwrap();
    model.add_particle(point(&inputs["anchor"]), 1.0).unwrap();
    model.add_particle(point(&inputs["x0"]), number(&inputs["mass"])).unwrap();
    model.add_spring(0, 1, number(&inputs["stiffness"]), Some(number(&inputs["rest"]))).unwrap();
    model.pin_at_rest(0).unwrap();
    let mut state = State::at_rest(&model);
    state.velocities[1] = point(&inputs["v0"]);
    (model, state)
}

#[test]
fn spring_pendulum_under_every_method() {
    let case = read("ode_spring_pendulum");
    let methods = [
        ("forward_euler", "forward-euler"),
        ("symplectic_euler", "symplectic-euler"),
        ("backward_euler", "newton"),
        ("backward_euler", "quasi-newton"),
        ("backward_euler", "vbd"),
        ("backward_euler_linearized", "linearized-backward-euler"),
        ("velocity_verlet", "velocity-verlet"),
        ("implicit_midpoint", "implicit-midpoint"),
        ("rk4", "rk4"),
    ];
    for (reference, name) in methods {
        for count in [50usize, 100, 200, 400] {
            let expected =
                &case["outputs"]["discrete_solutions_at_t=1"][reference][format!("dt=1/{count}")];
            let (model, state) = pendulum(&case["inputs"]);
            let mut simulation = simulation(model, exact(name), 1.0 / count as f64, state);
            run(&mut simulation, count);
            let state = simulation.state();
            let x = point(&expected["position_t1"]);
            let v = point(&expected["velocity_t1"]);
            let error = (state.positions[1] - x).norm() + (state.velocities[1] - v).norm();
            assert!(error < 1e-10, "{name} 1/{count}: {error:e}");
        }
    }
}

#[test]
fn free_cluster_with_and_without_dashpots() {
    let case = read("ode_free_tetra");
    for (name, beta) in [("undamped", 0.0), ("dashpot_c=0.4", 0.4)] {
        let mut model = Model::new();
        model.set_gravity(Vec3::ZERO).unwrap();
        let inputs = &case["inputs"];
        for (x, m) in points(&inputs["positions"]).into_iter().zip(numbers(&inputs["masses"])) {
            model.add_particle(x, m).unwrap();
        }
        let dashpot = hooke::dampers::find("dashpot").unwrap();
        for spring in inputs["springs"].as_array().unwrap() {
            let [i, j] = [0, 1].map(|k| spring[k].as_u64().unwrap() as u32);
            model.add_spring(i, j, number(&spring[2]), Some(number(&spring[3]))).unwrap();
            if beta > 0.0 {
                model.add_damper(dashpot, &[i, j], None, &[beta]).unwrap();
            }
        }
        let mut state = State::at_rest(&model);
        state.velocities = points(&inputs["velocities"]);
        let expected = &case["outputs"][name];
        let mut simulation = simulation(model, method("rk4", &[]), 1.0 / 4000.0, state);
        for k in 0..2 {
            run(&mut simulation, 2000);
            let state = simulation.state();
            close(&state.positions, &expected["positions"][k], 1e-10, name);
            close(&state.velocities, &expected["velocities"][k], 1e-10, name);
        }
        let report = simulation.report();
        assert!((report.momentum - point(&expected["linear_momentum"])).norm() < 1e-13);
        let angular = point(&expected["angular_momentum"]);
        assert!((report.angular_momentum - angular).norm() < 1e-10);
    }
}

#[test]
fn damped_oscillator_and_drag() {
    let case = read("spring_mass_damping");
    let inputs = &case["inputs"];
    let times = numbers(&inputs["times"]);
    let h = 1.0 / 4000.0;
    for name in ["underdamped", "critical", "overdamped"] {
        let c = number(&case["outputs"][name]["c"]);
        for damper in ["dashpot", "drag"] {
            let mut model = Model::new();
            model.set_gravity(Vec3::ZERO).unwrap();
            model.add_particle(Vec3::ZERO, 1.0).unwrap();
            model.add_particle(p(4.0, 0.0, 0.0), number(&inputs["mass"])).unwrap();
            model.add_spring(0, 1, number(&inputs["stiffness"]), Some(3.0)).unwrap();
            model.pin_at_rest(0).unwrap();
            let corners: &[u32] = if damper == "drag" { &[1] } else { &[0, 1] };
            let kind = hooke::dampers::find(damper).unwrap();
            model.add_damper(kind, corners, None, &[c]).unwrap();
            let start = State::at_rest(&model);
            let mut simulation = simulation(model, method("rk4", &[]), h, start);
            for (t, x) in times.iter().zip(numbers(&case["outputs"][name]["x_at_t"])) {
                let steps = (t / h).round() as u64 - simulation.state().step;
                run(&mut simulation, steps as usize);
                let got = simulation.state().positions[1].x - 3.0;
                assert!((got - x).abs() < 1e-11, "{name} {damper} t={t}: {got} {x}");
            }
        }
    }
    let drag = &case["outputs"]["linear_drag"];
    for (name, key) in
        [("newton", "v_100_backward_h=0.01"), ("symplectic-euler", "v_100_explicit_h=0.01")]
    {
        let mut model = Model::new();
        model.set_gravity(p(0.0, -number(&drag["g"]), 0.0)).unwrap();
        model.add_particle(Vec3::ZERO, number(&drag["mass"])).unwrap();
        let kind = hooke::dampers::find("drag").unwrap();
        model.add_damper(kind, &[0], None, &[number(&drag["c"])]).unwrap();
        let start = State::at_rest(&model);
        let mut simulation = simulation(model, exact(name), 0.01, start);
        run(&mut simulation, 100);
        let v = simulation.state().velocities[0].y;
        assert!((v - number(&drag[key])).abs() < 1e-11, "{name}: {v}");
    }
}

#[test]
fn dashpot_keeps_the_center_of_mass() {
    let case = read("spring_mass_damping");
    let expected = numbers(&case["outputs"]["dashpot_vs_drag"]["separation_at_t"]);
    let mut model = Model::new();
    model.set_gravity(Vec3::ZERO).unwrap();
    model.add_particle(Vec3::ZERO, 1.0).unwrap();
    model.add_particle(p(1.5, 0.0, 0.0), 3.0).unwrap();
    model.add_spring(0, 1, 50.0, Some(1.0)).unwrap();
    let kind = hooke::dampers::find("dashpot").unwrap();
    model.add_damper(kind, &[0, 1], None, &[2.0]).unwrap();
    let mut state = State::at_rest(&model);
    state.velocities = vec![p(1.0, 2.0, 0.0); 2];
    let h = 1.0 / 4000.0;
    let mut simulation = simulation(model, method("rk4", &[]), h, state);
    for (t, separation) in numbers(&case["inputs"]["times"]).iter().zip(expected) {
        let steps = (t / h).round() as u64 - simulation.state().step;
        run(&mut simulation, steps as usize);
        let x = &simulation.state().positions;
        assert!(((x[1] - x[0]).norm() - separation).abs() < 1e-11, "t={t}");
        assert!((simulation.report().momentum - p(4.0, 8.0, 0.0)).norm() < 1e-11);
    }
}

#[test]
fn particle_contacts() {
    let case = read("particle_contacts");
    let normal = point(&case["inputs"]["plane_N"]);
    for row in case["outputs"]["plane"].as_array().unwrap() {
        let (e, mu) = (number(&row["mu_N"]), number(&row["mu_T"]));
        let got = hooke::contact::bounce(point(&row["v"]), normal, e, mu);
        assert!((got - point(&row["v_new"])).norm() < 1e-13, "{row}");
    }
    let sphere = &case["inputs"]["sphere"];
    let h = number(&sphere["dt"]);
    let (x, v) = (point(&sphere["x"]), point(&sphere["v"]));
    let mut model = Model::new();
    model.set_gravity(Vec3::ZERO).unwrap();
    // The particle arrives at x in one step of free flight.
    model.add_particle(x - v * h, 1.0).unwrap();
    let pose = hooke::model::ObstacleMotion::still(point(&sphere["c"]));
    let shape = Shape::Sphere { radius: number(&sphere["r"]) };
    let (response, thickness) = (Response::PushOut, 0.0);
    model.add_obstacle(Obstacle { shape, pose, response, thickness }).unwrap();
    let mut state = State::at_rest(&model);
    state.velocities[0] = v;
    let mut simulation = simulation(model, method("symplectic-euler", &[]), h, state);
    run(&mut simulation, 1);
    let state = simulation.state();
    assert!((state.positions[0] - point(&case["outputs"]["sphere_x_new"])).norm() < 1e-13);
    assert!((state.velocities[0] - point(&case["outputs"]["sphere_v_new"])).norm() < 1e-12);
}

#[test]
fn small_facts() {
    let facts = &read("two_body_and_misc")["outputs"];
    for row in facts["locking_disk_mesh"]["n_by_n_grid"].as_array().unwrap() {
        let mut model = Model::new();
        hooke::Grid::square(row["n"].as_u64().unwrap() as u32).add_to(&mut model).unwrap();
        let locking = model.locking();
        assert_eq!(locking.vertices as u64, row["V"].as_u64().unwrap());
        assert_eq!(locking.edges as u64, row["E"].as_u64().unwrap());
        assert_eq!(locking.boundary as u64, row["B"].as_u64().unwrap());
        assert_eq!(locking.limits(), row["dof_left"].as_i64().unwrap());
        assert_eq!(locking.limits(), 3 * locking.euler() + locking.boundary as i64);
    }

    // Y = E·A: the force at a strain of 2 %.
    let young = &facts["young_modulus_spring"];
    let (l, y) = (number(&young["L"]), number(&young["E"]) * number(&young["area"]));
    let mut model = Model::new();
    model.set_gravity(Vec3::ZERO).unwrap();
    model.add_particle(Vec3::ZERO, 1.0).unwrap();
    model.add_particle(p(1.02 * l, 0.0, 0.0), 1.0).unwrap();
    let law = hooke::laws::find("strain-spring").unwrap();
    model.add_element(law, &[0, 1], Some(&[l]), &[y]).unwrap();
    let start = State::at_rest(&model);
    let mut simulation = simulation(model, method("symplectic-euler", &[]), 1.0, start);
    run(&mut simulation, 1);
    let force = -simulation.state().velocities[1].x;
    assert!((force - number(&young["force_at_strain_0.02"])).abs() < 1e-12, "{force}");

    // Springs in series and in parallel, by their static answer.
    let sag = |build: &dyn Fn(&mut Model)| {
        let mut model = Model::new();
        model.set_gravity(p(0.0, -10.0, 0.0)).unwrap();
        build(&mut model);
        let last = model.particles() - 1;
        let rest = model.rest()[last].y;
        let mut simulation = hooke::Simulation::new(model, exact("newton"), 10.0).unwrap();
        run(&mut simulation, 60);
        rest - simulation.state().positions[last].y
    };
    let parallel = sag(&|model| {
        model.add_particle(Vec3::ZERO, 1.0).unwrap();
        model.add_particle(p(0.0, -1.0, 0.0), 2.0).unwrap();
        model.add_spring(0, 1, 100.0, None).unwrap();
        model.add_spring(0, 1, 300.0, None).unwrap();
        model.pin_at_rest(0).unwrap();
    });
    let expected = 20.0 / number(&facts["springs_series_parallel"]["parallel"]);
    assert!((parallel - expected).abs() < 1e-10, "{parallel} {expected}");
    let series = sag(&|model| {
        model.add_particle(Vec3::ZERO, 1.0).unwrap();
        model.add_particle(p(0.0, -1.0, 0.0), 1e-12).unwrap();
        model.add_particle(p(0.0, -2.0, 0.0), 2.0).unwrap();
        model.add_spring(0, 1, 100.0, None).unwrap();
        model.add_spring(1, 2, 300.0, None).unwrap();
        model.pin_at_rest(0).unwrap();
    });
    let expected = 20.0 / number(&facts["springs_series_parallel"]["series k1=100,k2=300"]);
    assert!((series - expected).abs() < 1e-9, "{series} {expected}");
}

#[test]
fn strain_limiting() {
    let case = read("strain_limiting_chain4");
    let inputs = &case["inputs"];
    let [min, max] = ["sigma_min", "sigma_max"].map(|name| number(&inputs[name]));
    let order = SweepOrder::Given;
    for (sweeps, expected) in case["outputs"]["positions_after_sweep"].as_object().unwrap() {
        let mut model = Model::new();
        model.set_gravity(Vec3::ZERO).unwrap();
        for (&x, m) in points(&inputs["positions"]).iter().zip(numbers(&inputs["masses"])) {
            model.add_particle(x, m).unwrap();
        }
        let edges = inputs["edges"].as_array().unwrap();
        for (edge, rest) in edges.iter().zip(numbers(&inputs["rest"])) {
            let [i, j] = [0, 1].map(|k| edge[k].as_u64().unwrap() as u32);
            // Without stiffness nothing but the limit moves anything.
            model.add_spring(i, j, 0.0, Some(rest)).unwrap();
        }
        let iterations: u32 = sweeps.parse().unwrap();
        model.set_limit(Some(StrainLimit { min, max, iterations, order })).unwrap();
        let start = model.rest().to_vec();
        let mut simulation = Simulation::new(model, "symplectic-euler", 0.5).unwrap();
        run(&mut simulation, 1);
        let state = simulation.state();
        close(&state.positions, expected, 1e-12, sweeps);
        let velocities: Vec<Vec3> =
            state.positions.iter().zip(start).map(|(&x, start)| (x - start) * 2.0).collect();
        assert!(apart(&state.velocities, &velocities) < 1e-12);

        let report = simulation.report();
        let limited = report.limit.unwrap();
        let longest = number(&case["outputs"]["lengths_before"][2]);
        assert_eq!(limited.sweeps, iterations);
        assert!((limited.before - (longest - max)).abs() < 1e-12, "{limited:?}");
        assert!(report.momentum.norm() < 1e-12, "{:?}", report.momentum);
        assert!((report.work.limit - report.energy.kinetic).abs() < 1e-12);
        assert!(report.numerical.abs() < 1e-12, "{}", report.numerical);
    }
}

fn four(value: &Value) -> [Vec3; 4] {
    points(value).try_into().unwrap()
}

#[test]
fn stvk_tetrahedron() {
    let case = read("stvk_tetrahedron");
    let inputs = &case["inputs"];
    let rest_at = four(&inputs["X_rest"]);
    let rest = Stvk::rest(rest_at).unwrap();
    let (lambda, mu) = (number(&inputs["lame_lambda"]), number(&inputs["lame_mu"]));
    let material = [mu * (3.0 * lambda + 2.0 * mu) / (lambda + mu), lambda / (2.0 * (lambda + mu))];
    assert!((rest[9] - number(&inputs["volume"])).abs() <= 1e-15);
    for state in ["deformed", "inverted"] {
        let expected = &case["outputs"][state];
        let x = four(&expected["x"]);
        let energy = number(&expected["energy"]);
        assert!((Stvk::energy(x, rest, material) - energy).abs() <= 1e-12 * energy);
        let forces = Stvk::gradient(x, rest, material).map(|g| -g);
        let size = points(&expected["forces"]).iter().map(|f| f.norm()).fold(0.0, f64::max);
        close(&forces, &expected["forces"], 1e-12 * size, state);
        let f = Mat3::of_columns(of_tetrahedron(x, rest));
        let det = number(&expected["det_F"]);
        assert!((f.determinant() - det).abs() <= 1e-13);
        assert_eq!(Stvk::inverted(x, rest), det < 0.0);
        let stress = Mat3([0, 1, 2].map(|i| point(&expected["P"][i]).to_array()));
        close(
            &finite_volume::tetrahedron_forces(stress, rest_at),
            &expected["forces"],
            1e-11,
            state,
        );
        let Some(hessian) = expected["hessian_d2E"].as_array() else { continue };
        let blocks = Stvk::hessian(x, rest, material, 1.0);
        for (i, row) in hessian.iter().enumerate() {
            for (j, value) in numbers(row).into_iter().enumerate() {
                let got = blocks[i / 3][j / 3].0[i % 3][j % 3];
                assert!((got - value).abs() <= 1e-7, "{i} {j}: {got} {value}");
            }
        }
    }
}

#[test]
fn cantilever_tets() {
    let case = read("cantilever_tets");
    let inputs = &case["inputs"];
    let mut model = Model::new();
    model.set_gravity(point(&inputs["gravity"])).unwrap();
    for (x, m) in points(&inputs["nodes"]).into_iter().zip(numbers(&inputs["lumped_mass"])) {
        model.add_particle(x, m).unwrap();
    }
    let stvk = hooke::laws::find("stvk").unwrap();
    let material = [number(&inputs["young"]), number(&inputs["poisson"])];
    for tet in inputs["tets"].as_array().unwrap() {
        let corners = [0, 1, 2, 3].map(|k| tet[k].as_u64().unwrap() as u32);
        model.add_element(stvk, &corners, None, &material).unwrap();
        model.add_tetrahedron(corners).unwrap();
    }
    let density = number(&inputs["density"]);
    for (volume, m) in model.volumes().into_iter().zip(model.masses()) {
        assert!((volume * density - m).abs() <= 1e-14, "lumped mass");
    }
    for node in inputs["fixed_nodes"].as_array().unwrap() {
        model.pin_at_rest(node.as_u64().unwrap() as u32).unwrap();
    }
    let state = State::at_rest(&model);
    let newton = method("newton", &[("tolerance", "0"), ("iterations", "100")]);
    let mut simulation = simulation(model, newton, 10.0, state);
    run(&mut simulation, 60);
    let expected = &case["outputs"]["positions_equilibrium"];
    close(&simulation.state().positions, expected, 1e-7, "equilibrium");
    let reaction: f64 = simulation.report().reactions.iter().map(|force| force.y).sum();
    let weight = number(&case["outputs"]["reaction_force_total"]);
    assert!((reaction - weight).abs() <= 1e-7, "reaction {reaction}, weight {weight}");
}

#[test]
fn quadratic_bending_hinge() {
    let case = read("bending_quadratic_hinge");
    let rest_at = four(&case["inputs"]["X_rest"]);
    let rest = QuadraticBending::rest(rest_at).unwrap();
    let k = number(&case["inputs"]["stiffness"]);
    let q = QuadraticBending::proxy(rest, [k]);
    for (row, expected) in q.iter().zip(case["outputs"]["Q"].as_array().unwrap()) {
        for (got, expected) in row.iter().zip(numbers(expected)) {
            assert!((got - expected).abs() <= 1e-13, "{got} {expected}");
        }
    }
    let hinge = Dihedral::rest(rest_at).unwrap();
    for bent in case["outputs"]["bent"].as_array().unwrap() {
        let x = four(&bent["positions"]);
        let energy = number(&bent["energy"]);
        assert!((QuadraticBending::energy(x, rest, [k]) - energy).abs() <= 1e-13);
        let forces = QuadraticBending::gradient(x, rest, [k]).map(|g| -g);
        close(&forces, &bent["forces"], 1e-13, "forces");
        let dihedral = number(&bent["dihedral_energy_(3e^2/(A0+A1)) phi^2/2"]);
        assert!((Dihedral::energy(x, hinge, [k]) - dihedral).abs() <= 1e-13 * dihedral);
        // The quadratic energy is that of the curved law at a flat rest shape, where lengths are kept.
        assert!((CurvedBending::energy(x, hinge, [k]) - energy).abs() <= 1e-13 * (1.0 + energy));
    }
}

/// The chain of a case of position-based dynamics, with the edges in this order.
fn chain(inputs: &Value, masses: &[f64], edges: [usize; 3], pinned: bool) -> (Model, State) {
    let mut model = Model::new();
    model.set_gravity(Vec3::ZERO).unwrap();
    for (x, &m) in points(&inputs["positions"]).into_iter().zip(masses) {
        model.add_particle(x, m).unwrap();
    }
    for e in edges {
        let [i, j] = [0, 1].map(|k| inputs["edges"][e][k].as_u64().unwrap() as u32);
        model.add_spring(i, j, 1.0, Some(number(&inputs["rest"][e]))).unwrap();
    }
    if pinned {
        model.pin_at_rest(0).unwrap();
    }
    let state = State::at_rest(&model);
    (model, state)
}

/// The greatest violation of a chain of rest lengths 1.
fn violation(x: &[Vec3]) -> f64 {
    x.windows(2).map(|x| ((x[0] - x[1]).norm() - 1.0).abs()).fold(0.0, f64::max)
}

#[test]
fn position_based_dynamics_by_gauss_and_seidel() {
    let case = read("pbd_gauss_seidel_chain4");
    let (inputs, outputs) = (&case["inputs"], &case["outputs"]);
    let masses = numbers(&inputs["masses"]);
    let pbd = |count: &str| {
        method("pbd", &[("iterations", count), ("tolerance", "0"), ("order", "given")])
    };
    for (name, edges, pinned) in [
        ("free_order_012", [0, 1, 2], false),
        ("free_order_210", [2, 1, 0], false),
        ("pinned0_order_012", [0, 1, 2], true),
    ] {
        let residuals = numbers(&outputs[name]["residual_after_sweep_1_2_5_50"]);
        for (count, expected) in ["1", "2", "5", "50"].into_iter().zip(residuals) {
            let (model, state) = chain(inputs, &masses, edges, pinned);
            let mut simulation = simulation(model, pbd(count), 0.02, state);
            run(&mut simulation, 1);
            let x = &simulation.state().positions;
            close(x, &outputs[name][count], 1e-12, name);
            assert!((violation(x) - expected).abs() < 1e-12, "{name} {count}");
        }
    }
    for (count, expected) in outputs["full_step_pinned0"].as_object().unwrap() {
        let (mut model, mut state) = chain(inputs, &masses, [0, 1, 2], true);
        model.set_gravity(point(&inputs["gravity"])).unwrap();
        state.velocities = points(&inputs["velocities"]);
        let h = number(&inputs["dt"]);
        let mut simulation = simulation(model, pbd(count), h, state);
        run(&mut simulation, 1);
        close(&simulation.state().positions, &expected["positions"], 1e-12, count);
        close(&simulation.state().velocities, &expected["velocities"], 1e-10, count);
    }
}

/// Pins weigh infinitely; the case also holds the course's shortcut, half weights everywhere, which we
/// do not take.
#[test]
fn position_based_dynamics_by_jacobi() {
    let case = read("pbd_jacobi_chain4");
    let (inputs, outputs) = (&case["inputs"], &case["outputs"]);
    let masses = numbers(&inputs["masses"]);
    for (name, masses, omega, pinned) in [
        ("equal_mass_alpha_0.2", &[1.0; 4][..], "0.2", false),
        ("equal_mass_alpha_1", &[1.0; 4], "1", false),
        ("mass_weighted_pinned0_alpha_0.2", &masses, "0.2", true),
    ] {
        for count in ["1", "2", "5", "50"] {
            let (model, state) = chain(inputs, masses, [0, 1, 2], pinned);
            let settings =
                [("iterations", count), ("tolerance", "0"), ("sweep", "jacobi"), ("omega", omega)];
            let mut simulation = simulation(model, method("pbd", &settings), 0.02, state);
            run(&mut simulation, 1);
            close(&simulation.state().positions, &outputs[name][count], 1e-12, name);
        }
    }
}

#[test]
fn cyclic_coordinate_descent() {
    let case = read("ik_ccd_chain4");
    let anchors = points(&case["inputs"]["joints"]);
    let joint = |j: usize| Joint {
        parent: j.checked_sub(1),
        offset: if j == 0 { anchors[0] } else { anchors[j] - anchors[j - 1] },
        rest: Quat::IDENTITY,
        limits: JointLimits::FREE,
    };
    let chain = Chain::new((0..anchors.len()).map(joint).collect()).unwrap();
    for name in ["reachable", "unreachable", "too_close_root"] {
        let expected = &case["outputs"][name];
        let target = Target::new(4, point(&expected["target"]));
        for iterations in [1, 2, 5, 10] {
            let settings =
                Settings { iterations, tolerance: 0.0, range: false, ..Settings::default() };
            let mut solver = Solver::new("ccd", settings).unwrap();
            let mut pose = chain.rest();
            let reach = solver.solve(&chain, &mut pose, &[target]).unwrap();
            assert_eq!(reach.iterations, iterations);
            let joints = &expected["joints_after_iteration"][iterations.to_string()];
            close(pose.positions(), joints, 1e-10, name);
            assert!(
                solver.errors().is_sorted_by(|a, b| *b <= a + 1e-12),
                "the distance never grows"
            );
        }
    }
}
