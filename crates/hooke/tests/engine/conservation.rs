//! Which method keeps what: momentum, angular momentum, energy.

use crate::common::*;
use hooke::{Model, State, Vec3};

/// The free cluster of the reference case `ode_free_tetra`.
fn cluster() -> (Model, State) {
    let mut model = Model::new();
    model.set_gravity(Vec3::ZERO).unwrap();
    let positions = [p(0.0, 0.0, 0.0), p(1.1, 0.0, 0.1), p(0.2, 0.9, -0.1), p(0.3, 0.4, 1.2)];
    for (x, m) in positions.into_iter().zip([1.0, 2.0, 1.5, 0.5]) {
        model.add_particle(x, m).unwrap();
    }
    for (i, j, k, l) in [
        (0, 1, 30.0, 1.0),
        (0, 2, 25.0, 1.0),
        (0, 3, 20.0, 1.0),
        (1, 2, 35.0, 1.3),
        (1, 3, 40.0, 1.4),
        (2, 3, 15.0, 1.2),
    ] {
        model.add_spring(i, j, k, Some(l)).unwrap();
    }
    let mut state = State::at_rest(&model);
    state.velocities =
        vec![p(0.2, 0.0, 0.0), p(0.0, -0.3, 0.4), p(0.1, 0.5, 0.0), p(-0.6, 0.2, 0.1)];
    (model, state)
}

#[test]
fn momenta() {
    // (method, drift of |L| after 100 steps of 0.01 where it is not kept)
    let drifts = [
        ("forward-euler", Some(0.010414729329022751)),
        ("symplectic-euler", None),
        ("velocity-verlet", None),
        ("implicit-midpoint", None),
        ("newton", Some(0.008441919837338156)),
        ("quasi-newton", Some(0.008441919837338156)),
        ("vbd", Some(0.008441919837338156)),
        ("rk4", Some(7.445359773150528e-08)),
    ];
    for (name, drift) in drifts {
        let (model, state) = cluster();
        let mut simulation = simulation(model, exact(name), 0.01, state);
        let before = simulation.report().clone();
        run(&mut simulation, 100);
        let after = simulation.report();
        let linear = (after.momentum - before.momentum).norm();
        assert!(linear < 1e-11, "{name}: momentum drifts by {linear:e}");
        let angular = after.angular_momentum - before.angular_momentum;
        let angular = angular.to_array().map(f64::abs).into_iter().fold(0.0, f64::max);
        match drift {
            None => assert!(angular < 1e-11, "{name}: angular momentum drifts by {angular:e}"),
            Some(expected) => {
                let error = (angular - expected).abs() / expected;
                assert!(error < 1e-5, "{name}: |L − L₀| = {angular:e}, expected {expected:e}");
            }
        }
    }
}

#[test]
fn symplectic_methods_keep_energy_within_bounds() {
    for (name, allowed) in
        [("symplectic-euler", 0.1), ("velocity-verlet", 0.005), ("implicit-midpoint", 0.005)]
    {
        let (model, state) = cluster();
        let mut simulation = simulation(model, exact(name), 0.01, state);
        let start = simulation.report().energy.total();
        let mut worst: f64 = 0.0;
        for _ in 0..20_000 {
            let energy = simulation.step().unwrap().energy.total();
            worst = worst.max((energy / start - 1.0).abs());
        }
        assert!(worst < allowed, "{name}: {worst}");
    }
}

#[test]
fn symplectic_euler_conserves_its_modified_energy() {
    // Q = v² + ω²x² − hω²xv on the oscillator (reference case integrators_oscillator).
    let (h, k) = (0.05, 100.0);
    let mut model = Model::new();
    model.set_gravity(Vec3::ZERO).unwrap();
    model.add_particle(Vec3::ZERO, 1.0).unwrap();
    model.add_particle(p(51.0, 0.0, 0.0), 1.0).unwrap();
    model.add_spring(0, 1, k, Some(50.0)).unwrap();
    model.pin_at_rest(0).unwrap();
    let start = State::at_rest(&model);
    let mut simulation = simulation(model, method("symplectic-euler", &[]), h, start);
    let (mut low, mut high) = (f64::MAX, f64::MIN);
    for _ in 0..100_000 {
        simulation.step().unwrap();
        let state = simulation.state();
        let (x, v) = (state.positions[1].x - 50.0, state.velocities[1].x);
        let q = v * v + k * x * x - h * k * x * v;
        assert!((q / 100.0 - 1.0).abs() < 1e-8, "{q}");
        let energy = simulation.report().energy.total();
        (low, high) = (low.min(energy), high.max(energy));
    }
    // Emax/Emin ≤ (1 + ωh/2)/(1 − ωh/2)
    assert!((high / low - 1.6666666664304368).abs() < 1e-6, "{}", high / low);
}

#[test]
fn backward_euler_and_bdf2_only_lose_energy() {
    for name in ["newton", "bdf2"] {
        let mut simulation = hooke::Simulation::new(cloth(6), exact(name), 0.02).unwrap();
        let mut lost = 0.0;
        for _ in 0..200 {
            let report = simulation.step().unwrap();
            lost += report.numerical;
            if name == "newton" {
                assert!(report.numerical <= 1e-10, "step {}: {}", report.step, report.numerical);
            }
        }
        assert!(lost < 0.0, "{name}");
    }
}
