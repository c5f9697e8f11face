//! The measured order of every integrator, against the exact trajectory of a spring pendulum
//! (reference case `ode_spring_pendulum`).

use crate::common::*;
use hooke::dampers::{DAMPERS, DamperInfo};
use hooke::laws::Param;
use hooke::model::{Air, Motion};
use hooke::{Model, State, Vec3};

/// The error in position and velocity at t = 1 with steps of 1/count.
fn error(name: &str, count: u32) -> f64 {
    let mut model = Model::new();
    model.set_gravity(p(0.0, -9.8, 0.0)).unwrap();
    model.add_particle(Vec3::ZERO, 1.0).unwrap();
    model.add_particle(p(1.2, 0.0, 0.1), 1.0).unwrap();
    model.add_spring(0, 1, 40.0, Some(1.0)).unwrap();
    model.pin_at_rest(0).unwrap();
    let mut state = State::at_rest(&model);
    state.velocities[1] = p(0.0, 0.3, 0.5);
    let mut simulation = simulation(model, exact(name), 1.0 / f64::from(count), state);
    run(&mut simulation, count as usize);
    let x = p(-0.5821209569423087, -1.3872742220812022, -0.049685381777110196);
    let v = p(-1.5814689041106844, 3.8891741166959766, -1.1656956826184457);
    let state = simulation.state();
    (state.positions[1] - x).norm() + (state.velocities[1] - v).norm()
}

#[test]
fn every_method_has_the_order_it_claims() {
    for method in hooke::methods::METHODS {
        let claimed = f64::from(method.order);
        let coarse = if method.order == 4 { 200 } else { 1600 };
        let slope = (error(method.name, coarse) / error(method.name, 2 * coarse)).log2();
        // Rigid rows have order 0: they do not become springs as the step shrinks.
        let allowed = 0.05 * claimed.max(1.0);
        assert!((slope - claimed).abs() < allowed, "{}: slope {slope}", method.name);
    }
}

#[test]
fn moving_pins_and_drag_keep_the_order() {
    // A driven, damped oscillator: x'' = −ω²(x − a sin t) − γx', solved finely by RK4.
    let run_with = |name: &str, h: f64| {
        let mut model = Model::new();
        model.set_gravity(Vec3::ZERO).unwrap();
        model.add_particle(Vec3::ZERO, 1.0).unwrap();
        model.add_particle(p(1.0, 0.0, 0.0), 1.0).unwrap();
        model.add_spring(0, 1, 30.0, Some(1.0)).unwrap();
        let drag = hooke::dampers::find("drag").unwrap();
        model.add_damper(drag, &[1], None, &[0.5]).unwrap();
        let times: Vec<f64> = (0..=2).map(f64::from).collect();
        let points = times.iter().map(|&t| p(0.3 * t, 0.2 * t, 0.0)).collect();
        let track =
            hooke::model::Track::new(times, points, hooke::model::Interpolation::Linear, false);
        let motion = hooke::model::Motion::along(track.unwrap());
        model.pin(0, [true; 3], motion).unwrap();
        let start = State::at_rest(&model);
        let mut simulation = simulation(model, exact(name), h, start);
        run(&mut simulation, (1.0 / h).round() as usize);
        simulation.state().positions[1]
    };
    let fine = run_with("rk4", 1.0 / 20_000.0);
    for (name, order) in [
        ("symplectic-euler", 1.0),
        ("newton", 1.0),
        ("velocity-verlet", 2.0),
        ("implicit-midpoint", 2.0),
        ("bdf2", 2.0),
        ("rk4", 4.0),
    ] {
        let coarse = if order == 4.0 { 100.0 } else { 800.0 };
        let errors = [coarse, 2.0 * coarse].map(|n| (run_with(name, 1.0 / n) - fine).norm());
        let slope = (errors[0] / errors[1]).log2();
        assert!((slope - order).abs() < 0.1 * order, "{name}: slope {slope} {errors:?}");
    }
}

/// Where a hinge of two triangles is after half a second of swinging from one of its corners, in steps of
/// 1/(2·count), with a damper of this kind and strength.
fn swinging_hinge(method: &str, count: u32, damper: Option<(&DamperInfo, f64)>) -> Vec<Vec3> {
    let mut model = Model::new();
    model.set_gravity(p(0.0, -9.8, 0.0)).unwrap();
    for x in [p(0.0, 0.0, 0.0), p(1.0, 0.1, 0.0), p(0.5, -0.2, 0.8), p(0.4, 0.1, -0.9)] {
        model.add_particle(x, 1.0).unwrap();
    }
    for (i, j) in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)] {
        model.add_spring(i, j, 40.0, None).unwrap();
    }
    model.pin_at_rest(0).unwrap();
    let air = Air { mean: Motion::still(p(2.0, 1.0, -1.5)), gust: None };
    model.set_air(air).unwrap();
    if let Some((kind, strength)) = damper {
        let bounded = |param: &Param| (param.default * strength).min(param.range[1]);
        let material: Vec<f64> = kind.params.iter().map(bounded).collect();
        // Not the pinned corner alone.
        let corners: Vec<u32> = (0..4).skip(if kind.corners < 3 { 1 } else { 0 }).collect();
        model.add_damper(kind, &corners[..kind.corners], None, &material).unwrap();
    }
    let mut state = State::at_rest(&model);
    state.velocities = vec![Vec3::ZERO, p(0.5, 1.0, 2.0), p(-1.0, 2.0, 0.5), p(1.0, -0.5, -2.0)];
    let mut simulation = simulation(model, exact(method), 0.5 / f64::from(count), state);
    run(&mut simulation, count as usize);
    let State { positions, velocities, .. } = simulation.state();
    positions.iter().chain(velocities).copied().collect()
}

#[test]
fn every_method_keeps_its_order_with_every_damper() {
    let undamped = swinging_hinge("rk4", 400, None);
    for damper in DAMPERS {
        // As strong as it takes to matter.
        let matters = |strength: f64| {
            let end = swinging_hinge("rk4", 400, Some((damper, strength)));
            apart(&end, &undamped) > 0.05
        };
        let strengths = (0..14).map(|power| 3f64.powi(power));
        let strength = { strengths }.find(|&strength| matters(strength));
        let kind = (damper, strength.unwrap_or_else(|| panic!("{} does nothing", damper.name)));
        let truth = swinging_hinge("rk4", 3200, Some(kind));
        for method in hooke::methods::METHODS {
            let claimed = f64::from(method.order);
            let coarse = if method.order == 4 { 100 } else { 400 };
            let error = |count| apart(&swinging_hinge(method.name, count, Some(kind)), &truth);
            let slope = (error(coarse) / error(2 * coarse)).log2();
            let allowed = 0.12 * claimed.max(1.0);
            let (name, damper) = (method.name, damper.name);
            assert!(slope > claimed - allowed, "{name} with {damper}: slope {slope}");
        }
    }
}
