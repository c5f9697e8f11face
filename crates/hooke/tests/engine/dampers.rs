//! Dampers: forces against their potentials and formulas, and what implicit methods lag.

use crate::common::*;
use hooke::dampers::{self, Damper, Frozen, QuadraticWind, Wind};
use hooke::math::noise::noise;
use hooke::model::{Air, GlobalDamping, Gust, Motion};
use hooke::{Model, State, Vec3, methods};

/// One triangle in the wind; the forces on it by one explicit step of one second per kilogram.
fn forces(kind: &str, material: &[f64], wind: Vec3, velocities: [Vec3; 3]) -> [Vec3; 3] {
    let mut model = Model::new();
    model.set_gravity(Vec3::ZERO).unwrap();
    for x in triangle() {
        model.add_particle(x, 1.0).unwrap();
    }
    model.add_damper(dampers::find(kind).unwrap(), &[0, 1, 2], None, material).unwrap();
    model.set_air(Air { mean: Motion::still(wind), gust: None }).unwrap();
    let mut state = State::at_rest(&model);
    state.velocities = velocities.to_vec();
    let h = 1e-3;
    let mut simulation = simulation(model, method("symplectic-euler", &[]), h, state);
    run(&mut simulation, 1);
    std::array::from_fn(|i| (simulation.state().velocities[i] - velocities[i]) * (1.0 / h))
}

fn triangle() -> [Vec3; 3] {
    [p(0.1, 0.0, 0.2), p(1.2, 0.3, 0.0), p(0.4, 0.9, 0.5)]
}

#[test]
fn wind_follows_its_formulas() {
    let [a, b, c] = triangle();
    let doubled = (b - a).cross(c - a);
    let (area, n) = (0.5 * doubled.norm(), doubled.unit());
    let velocities = [p(0.5, -0.3, 0.1), p(0.0, 0.2, 0.4), p(-0.6, 0.1, 0.7)];
    let mean = (velocities[0] + velocities[1] + velocities[2]) * (1.0 / 3.0);
    let wind = p(3.0, 1.0, -2.0);
    let u = wind - mean;
    let (normal, tangential) = (n * u.dot(n), u - n * u.dot(n));

    let linear = (normal * 0.8 + tangential * 0.1) * area;
    for force in forces("wind", &[0.8, 0.1], wind, velocities) {
        assert!((force * 3.0 - linear).norm() < 1e-10, "{force:?} {linear:?}");
    }
    let quadratic = (normal * 1.3 + tangential * 0.2) * (0.5 * 1.2 * area * u.norm());
    for force in forces("quadratic-wind", &[1.2, 1.3, 0.2], wind, velocities) {
        assert!((force * 3.0 - quadratic).norm() < 1e-10, "{force:?} {quadratic:?}");
    }
    // Both faces alike: air from behind pushes as hard.
    let ahead = forces("wind", &[0.8, 0.1], wind, [Vec3::ZERO; 3]);
    let behind = forces("wind", &[0.8, 0.1], -wind, [Vec3::ZERO; 3]);
    assert!((ahead[0] + behind[0]).norm() < 1e-12);
}

#[test]
fn forces_are_minus_the_slope_of_the_potential() {
    let x = triangle();
    let v = [p(0.5, -0.3, 0.1), p(0.0, 0.2, 0.4), p(-0.6, 0.1, 0.7)];
    let air = p(1.0, 2.0, -0.5);
    let (matrix, drift) = Wind::freeze(x, v, [1.0], [0.8, 0.1], air);
    let frozen = Frozen::sum([0, 1, 2], Wind::WEIGHTS, matrix, drift);
    let potential = |v: [Vec3; 3]| frozen.potential(|i| v[i]);
    let explicit = forces("wind", &[0.8, 0.1], air, v);
    for corner in 0..3 {
        for axis in 0..3 {
            let e = 1e-4;
            let (mut up, mut down) = (v, v);
            up[corner][axis] += e;
            down[corner][axis] -= e;
            let slope = (potential(up) - potential(down)) / (2.0 * e);
            assert!((explicit[corner][axis] + slope).abs() < 1e-9);
        }
    }
    // The bound is above the matrix.
    let quadratic = QuadraticWind::freeze(x, [Vec3::ZERO; 3], [1.0], [1.2, 1.3, 0.2], air);
    let area = QuadraticWind::rest(x).unwrap();
    let bound = QuadraticWind::bound(area, [1.2, 1.3, 0.2], air.norm());
    let mut numbers = Numbers(3);
    for _ in 0..100 {
        let d = numbers.point().unit();
        assert!(d.dot(quadratic.0 * d) <= bound * (1.0 + 1e-12));
        assert!(d.dot(quadratic.0 * d) >= -1e-12);
    }
}

#[test]
fn gusts_are_a_pure_smooth_function_of_seed_place_and_time() {
    let at = p(0.3, -4.2, 7.7);
    assert_eq!(noise(5, at, 1.25), noise(5, at, 1.25));
    assert_ne!(noise(5, at, 1.25), noise(6, at, 1.25));
    let mut numbers = Numbers(1);
    let mut mean = Vec3::ZERO;
    for _ in 0..4000 {
        let at = numbers.point() * 50.0;
        let value = noise(5, at, numbers.next() * 50.0);
        assert!(value.to_array().iter().all(|v| v.abs() <= 1.0));
        mean += value * (1.0 / 4000.0);
    }
    assert!(mean.norm() < 0.05, "{mean:?}");
    // Across a lattice plane value and slope are continuous.
    let e = 1e-5;
    let near = |x: f64| noise(5, p(x, 0.4, 0.6), 0.3).x;
    let (left, right) = ((near(2.0) - near(2.0 - e)) / e, (near(2.0 + e) - near(2.0)) / e);
    assert!((near(2.0 + e) - near(2.0 - e)).abs() < 1e-3 && (left - right).abs() < 1e-2);
}

#[test]
fn gusty_wind_moves_a_cloth_alike_under_every_start() {
    let blow = |seed| {
        let mut model = cloth(6);
        let wind = dampers::find("wind").unwrap();
        for triangle in model.triangles().to_vec() {
            model.add_damper(wind, &triangle, None, &[1.0, 0.1]).unwrap();
        }
        let gust = Some(Gust { strength: 2.0, length: 0.4, period: 0.5, seed });
        model.set_air(Air { mean: Motion::still(p(0.0, 0.0, 3.0)), gust }).unwrap();
        let mut simulation = hooke::Simulation::new(model, "newton", 0.02).unwrap();
        run(&mut simulation, 30);
        simulation.state().positions.clone()
    };
    assert_eq!(blow(1), blow(1));
    assert_ne!(blow(1), blow(2));
    assert!(blow(1).iter().all(|x| x.z >= -0.05) && blow(1).iter().any(|x| x.z > 0.1));
}

#[test]
fn global_damping_by_rate_does_not_depend_on_the_step() {
    let speed = |global_damping, h: f64, substeps| {
        let mut model = Model::new();
        model.set_gravity(Vec3::ZERO).unwrap();
        model.add_particle(Vec3::ZERO, 2.0).unwrap();
        model.set_global_damping(Some(global_damping)).unwrap();
        let mut state = State::at_rest(&model);
        state.velocities[0] = p(1.0, 0.0, 0.0);
        let mut simulation = simulation(model, method("newton", &[]), h, state);
        simulation.set_substeps(hooke::Substeps::Fixed(substeps));
        run(&mut simulation, (1.0 / h).round() as usize);
        simulation.state().velocities[0].x
    };
    for (h, substeps) in [(0.1, 1), (0.05, 1), (0.1, 4)] {
        let rate = speed(GlobalDamping::Rate(0.7), h, substeps);
        assert!((rate - (-0.7f64).exp()).abs() < 1e-12, "{rate}");
    }
    for name in names() {
        let mut model = Model::new();
        model.set_gravity(Vec3::ZERO).unwrap();
        model.add_particle(Vec3::ZERO, 2.0).unwrap();
        // A slider feels the drag along its rail.
        model.pin(0, [false, true, false], Motion::still(Vec3::ZERO)).unwrap();
        model.set_global_damping(Some(GlobalDamping::Rate(0.7))).unwrap();
        let mut state = State::at_rest(&model);
        state.velocities[0] = p(1.0, 0.0, 0.0);
        let mut simulation = simulation(model, method(name, &[]), 0.1, state);
        run(&mut simulation, 10);
        let v = simulation.state().velocities[0].x;
        assert!((v - (-0.7f64).exp()).abs() < 1e-12, "{name}: {v}");
        // Each step goes by h times the slowed velocity.
        let x = simulation.state().positions[0].x;
        let expected: f64 = (1..=10).map(|n| 0.1 * (-0.07 * f64::from(n)).exp()).sum();
        assert!((x - expected).abs() < 1e-12, "{name}: {x} {expected}");
    }
    // The course's factor depends on the step, but not on sub-steps.
    let [coarse, fine] = [0.1, 0.05].map(|h| speed(GlobalDamping::Factor(0.9), h, 1));
    assert!((coarse - 0.9f64.powi(10)).abs() < 1e-12 && (fine - 0.9f64.powi(20)).abs() < 1e-12);
    assert!((speed(GlobalDamping::Factor(0.9), 0.1, 5) - coarse).abs() < 1e-12);
}

#[test]
fn global_damping_does_not_scale_gravity() {
    let mut model = Model::new();
    model.set_gravity(p(0.0, -10.0, 0.0)).unwrap();
    model.add_particle(Vec3::ZERO, 1.0).unwrap();
    model.set_global_damping(Some(GlobalDamping::Factor(0.0))).unwrap();
    let start = State::at_rest(&model);
    let mut simulation = simulation(model, method("symplectic-euler", &[]), 0.1, start);
    run(&mut simulation, 3);
    // Each step forgets the velocity and falls anew by the whole of h g.
    assert!((simulation.state().velocities[0].y + 1.0).abs() < 1e-14);
}

#[test]
fn implicit_methods_say_what_they_lag() {
    for name in names() {
        let mut model = cloth(4);
        let wind = dampers::find("wind").unwrap();
        for triangle in model.triangles().to_vec() {
            model.add_damper(wind, &triangle, None, &[1.0, 0.1]).unwrap();
        }
        let start = State::at_rest(&model);
        let mut simulation = simulation(model, method(name, &[]), 1e-3, start);
        run(&mut simulation, 1);
        let explicit = ["forward-euler", "symplectic-euler"].contains(&name);
        let second = methods::find(name).unwrap().order > 1;
        assert_eq!(simulation.report().lagged.is_empty(), explicit || second, "{name}");
    }
}

#[test]
fn a_dashpot_by_strain_rate_is_one_by_velocity_over_its_length() {
    let run_with = |kind: &str, value: f64| {
        let mut model = Model::new();
        model.add_particle(Vec3::ZERO, 1.0).unwrap();
        model.add_particle(p(0.0, -0.5, 0.1), 1.0).unwrap();
        model.add_spring(0, 1, 100.0, None).unwrap();
        model.add_damper(dampers::find(kind).unwrap(), &[0, 1], None, &[value]).unwrap();
        model.pin_at_rest(0).unwrap();
        let mut simulation = hooke::Simulation::new(model, "newton", 0.01).unwrap();
        run(&mut simulation, 50);
        simulation.state().positions[1]
    };
    let l = p(0.0, -0.5, 0.1).norm();
    assert!((run_with("strain-dashpot", 0.3) - run_with("dashpot", 0.3 / l)).norm() < 1e-12);
}

#[test]
fn bad_dampers_are_refused() {
    let mut model = Model::new();
    model.add_particle(Vec3::ZERO, 1.0).unwrap();
    model.add_particle(p(1.0, 0.0, 0.0), 1.0).unwrap();
    let mut add = |kind: &str, corners: &[u32], rest: Option<&[f64]>| {
        let kind = dampers::find(kind).unwrap();
        model.add_damper(kind, corners, rest, &[0.1]).unwrap_err().to_string()
    };
    assert_eq!(add("dashpot", &[1, 1], None), "a dashpot joins particle 1 to itself");
    assert_eq!(
        add("strain-dashpot", &[0, 1], Some(&[1.0, 2.0])),
        "a strain-dashpot has 1 rest values, all finite"
    );
    assert_eq!(
        add("strain-dashpot", &[0, 1], Some(&[0.0])),
        "strain-dashpot: rest_length must be > 0 for damping by strain rate"
    );
    assert_eq!(add("dashpot", &[0], None), "a dashpot has 2 corners and 1 material values");
}

#[test]
fn quadratic_drag_on_something_fast_is_stepped_finely_enough() {
    // A light triangle thrown at 60 m/s through still air.
    let mut model = Model::new();
    model.set_gravity(Vec3::ZERO).unwrap();
    for x in triangle() {
        model.add_particle(x, 1e-4).unwrap();
    }
    let kind = dampers::find("quadratic-wind").unwrap();
    model.add_damper(kind, &[0, 1, 2], None, &[1.2, 1.28, 1.28]).unwrap();
    let mut state = State::at_rest(&model);
    state.velocities = vec![p(0.0, 0.0, 60.0); 3];
    let mut simulation = hooke::Simulation::new(model, "symplectic-euler", 1.0 / 60.0).unwrap();
    simulation.set_state(state).unwrap();
    let mut last = 60.0;
    for _ in 0..60 {
        simulation.step().unwrap();
        let speed = simulation.state().velocities[0].norm();
        assert!(speed < last, "{speed} after {last}");
        last = speed;
    }
}

#[test]
fn a_handle_finds_its_damper() {
    let mut model = Model::new();
    for x in triangle() {
        model.add_particle(x, 1.0).unwrap();
    }
    // The first has two conditions for each element.
    for kind in ["stretch-damper", "wind"] {
        let kind = dampers::find(kind).unwrap();
        let material: Vec<f64> = kind.params.iter().map(|param| param.default).collect();
        for corners in [[0, 1, 2], [1, 2, 0]] {
            let id = model.add_damper(kind, &corners, None, &material).unwrap();
            assert_eq!(model.dampers()[id.batch].kind().name, kind.name);
            assert_eq!(model.dampers()[id.batch].corners(id.index), corners);
        }
    }
}
