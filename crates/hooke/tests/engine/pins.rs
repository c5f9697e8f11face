//! Pins: three ways to hold, per coordinate, moved, and the forces they take.

use crate::common::*;
use hooke::model::{Interpolation, Motion, PinEnforcement, Rotation, Track};
use hooke::{Model, Simulation, State, Vec3};
use std::f64::consts::PI;

fn hanging(mass: f64) -> Model {
    let mut model = Model::new();
    model.set_gravity(p(0.0, -10.0, 0.0)).unwrap();
    model.add_particle(Vec3::ZERO, 0.5).unwrap();
    model.add_particle(p(0.0, -1.0, 0.0), mass).unwrap();
    model.add_spring(0, 1, 200.0, None).unwrap();
    model
}

#[test]
fn the_reaction_carries_the_weight() {
    for name in ["newton", "quasi-newton", "vbd", "bdf2", "linearized-backward-euler", "beta"] {
        let mut model = hanging(2.0);
        model.pin_at_rest(0).unwrap();
        let drag = hooke::dampers::find("drag").unwrap();
        model.add_damper(drag, &[1], None, &[20.0]).unwrap();
        let mut simulation = Simulation::new(model, exact(name), 0.05).unwrap();
        run(&mut simulation, 400);
        let reaction = simulation.report().reactions[0];
        // The pinned particle's own weight and what hangs from it.
        assert!((reaction - p(0.0, 25.0, 0.0)).norm() < 1e-8, "{name}: {reaction:?}");
    }
    for name in ["symplectic-euler", "velocity-verlet", "rk4"] {
        let mut model = hanging(2.0);
        model.pin_at_rest(0).unwrap();
        let mut state = State::at_rest(&model);
        state.positions[1] = p(0.0, -1.1, 0.0);
        let mut simulation = simulation(model, method(name, &[]), 1e-3, state);
        run(&mut simulation, 10);
        let reaction = simulation.report().reactions[0];
        assert!((reaction - p(0.0, 25.0, 0.0)).norm() < 1e-9, "{name}: {reaction:?}");
    }
}

#[test]
fn the_sag_is_right_with_pins_eliminated() {
    // Solving with pins free and resetting them gives 1 + 2kh²/m times the sag.
    for name in ["newton", "quasi-newton", "vbd"] {
        let mut model = hanging(2.0);
        model.pin_at_rest(0).unwrap();
        let mut simulation = Simulation::new(model, exact(name), 0.5).unwrap();
        run(&mut simulation, 200);
        let sag = -1.0 - simulation.state().positions[1].y;
        assert!((sag - 0.1).abs() < 1e-10, "{name}: {sag}");
    }
}

#[test]
fn pins_per_coordinate_slide() {
    for name in names() {
        let mut model = hanging(1.0);
        // On a rail along x: y and z are held.
        let home = model.rest()[0];
        model.pin(0, [false, true, true], Motion::still(home)).unwrap();
        let mut state = State::at_rest(&model);
        state.velocities[1] = p(1.0, 0.0, 0.5);
        let mut simulation = simulation(model, method(name, &[]), 2e-3, state);
        run(&mut simulation, 100);
        let state = simulation.state();
        assert_eq!((state.positions[0].y, state.positions[0].z), (0.0, 0.0), "{name}");
        assert!(state.positions[0].x > 1e-3, "{name}: {:?}", state.positions[0]);
        // Nothing outside pushes along x.
        let momentum = simulation.report().momentum.x;
        assert!((momentum - 1.0).abs() < 1e-6, "{name}: {momentum}");
        assert_eq!(simulation.report().reactions[0].x, 0.0);
    }
}

#[test]
fn keyframes_move_pins_without_factoring_anew() {
    let track = Track::new(
        vec![0.0, 0.5, 1.0],
        vec![Vec3::ZERO, p(0.2, 0.3, 0.0), p(0.4, 0.0, 0.0)],
        Interpolation::Smooth,
        false,
    )
    .unwrap();
    for name in names() {
        let mut model = hanging(1.0);
        model.pin(0, [true; 3], Motion::along(track.clone())).unwrap();
        let start = State::at_rest(&model);
        let mut simulation = simulation(model, method(name, &[]), 2e-3, start);
        let mut factorizations = 0;
        for step in 1..=500 {
            let report = simulation.step().unwrap();
            factorizations += report.solve.map_or(0, |solve| solve.factorizations);
            let expected = track.at(f64::from(step) * 2e-3);
            let error = (simulation.state().positions[0] - expected).norm();
            assert!(error < 1e-12, "{name} step {step}: {error:e}");
        }
        if name == "quasi-newton" {
            assert_eq!(factorizations, 1);
        }
    }
}

#[test]
fn force_cancellation_where_it_fits() {
    for name in names() {
        let mut model = hanging(1.0);
        model.pin_at_rest(0).unwrap();
        model.set_pin_enforcement(PinEnforcement::Cancellation);
        let filtered = ["newton", "implicit-midpoint", "bdf2", "beta", "linearized-backward-euler"];
        let methods = match name {
            _ if filtered.contains(&name) => {
                let refusal = Simulation::new(model, name, 1e-3).err().unwrap();
                assert!(refusal.to_string().contains("pcg-filtered"), "{refusal}");
                method(name, &[("solver", "pcg-filtered"), ("cg_tolerance", "1e-13")])
            }
            "quasi-newton" | "constrained" | "vbd" | "pbd" | "xpbd" | "hierarchical-pbd" => {
                let refusal = Simulation::new(model, name, 1e-3).err().unwrap();
                assert!(refusal.to_string().contains("elimination"), "{refusal}");
                continue;
            }
            "auto" => exact(name),
            _ => method(name, &[]),
        };
        let steps = |hold, method| {
            let mut model = hanging(1.0);
            model.pin_at_rest(0).unwrap();
            model.set_pin_enforcement(hold);
            let mut state = State::at_rest(&model);
            state.velocities[1] = p(0.3, 0.0, 0.0);
            let mut simulation = simulation(model, method, 1e-3, state);
            run(&mut simulation, 30);
            simulation.state().positions.clone()
        };
        let canceled = steps(PinEnforcement::Cancellation, methods);
        let eliminated = steps(PinEnforcement::Elimination, exact(name));
        let error = apart(&canceled, &eliminated);
        let allowed = if name == "beta" { 1e-9 } else { 1e-7 };
        assert!(error < allowed, "{name}: {error:e}");
    }
    // What is canceled is the force: a pinned particle that moves goes on moving.
    let mut model = hanging(1.0);
    model.pin_at_rest(0).unwrap();
    model.set_pin_enforcement(PinEnforcement::Cancellation);
    let mut state = State::at_rest(&model);
    state.velocities[0] = p(1.0, 0.0, 0.0);
    let mut simulation = simulation(model, method("symplectic-euler", &[]), 1e-3, state);
    run(&mut simulation, 100);
    assert!((simulation.state().positions[0] - p(0.1, 0.0, 0.0)).norm() < 1e-12);
}

#[test]
fn a_penalty_pin_follows_its_place() {
    let mut model = hanging(1.0);
    let place = model.add_anchor(Motion::still(Vec3::ZERO)).unwrap();
    model.attach(0, place, 1e6).unwrap();
    let mut simulation = Simulation::new(model, "newton", 0.01).unwrap();
    simulation.control_mut().set_anchor(place, p(0.3, 0.1, 0.0)).unwrap();
    run(&mut simulation, 50);
    let error = (simulation.state().positions[0] - p(0.3, 0.1, 0.0)).norm();
    assert!(error < 1e-3, "{error}");
    assert!(simulation.report().energy.field > 0.0);
}

#[test]
fn a_led_pin_has_the_velocity_and_reaction_of_its_motion() {
    let track = Track::new(
        vec![0.0, 10.0],
        vec![Vec3::ZERO, p(10.0, 0.0, 0.0)],
        Interpolation::Linear,
        false,
    );
    for name in names() {
        let mut model = Model::new();
        model.set_gravity(Vec3::ZERO).unwrap();
        model.add_particle(Vec3::ZERO, 2.0).unwrap();
        model.pin(0, [true; 3], Motion::along(track.clone().unwrap())).unwrap();
        let mut state = State::at_rest(&model);
        state.velocities[0] = p(1.0, 0.0, 0.0);
        let mut simulation = simulation(model, method(name, &[]), 0.01, state);
        for _ in 0..20 {
            simulation.step().unwrap();
            let v = simulation.state().velocities[0];
            assert!((v - p(1.0, 0.0, 0.0)).norm() < 1e-9, "{name}: {v:?}");
            let reaction = simulation.report().reactions[0].norm();
            assert!(reaction < 1e-7, "{name}: {reaction}");
        }
    }
}

#[test]
fn pins_and_places_moved_by_hand_are_led_evenly() {
    for substeps in [1, 4] {
        let mut model = hanging(1.0);
        let pin = model.pin_at_rest(0).unwrap();
        let mut simulation = Simulation::new(model, "newton", 0.01).unwrap();
        simulation.set_substeps(hooke::Substeps::Fixed(substeps));
        simulation.step().unwrap();
        simulation.control_mut().set_pin(pin, p(0.004, 0.0, 0.0)).unwrap();
        simulation.step().unwrap();
        let state = simulation.state();
        assert_eq!(state.positions[0], p(0.004, 0.0, 0.0));
        assert!((state.velocities[0].x - 0.4).abs() < 1e-9, "{substeps}");
        simulation.step().unwrap();
        assert_eq!(simulation.state().velocities[0].x, 0.0);
    }
}

#[test]
fn a_pin_turns_about_an_axis_and_moves_along() {
    let times = vec![0.0, 2.0];
    let rotation = Rotation::new(
        p(0.0, 1.0, 0.0),
        p(0.0, 0.0, 3.0),
        times.clone(),
        &[0.0, PI],
        Interpolation::Linear,
        false,
    );
    let rotated = Motion::still(p(2.0, 1.0, 5.0)).rotated(rotation.clone().unwrap());
    for (t, x) in [(0.0, p(2.0, 1.0, 5.0)), (1.0, p(0.0, 3.0, 5.0)), (9.0, p(-2.0, 1.0, 5.0))] {
        assert!((rotated.at(t) - x).norm() < 1e-14, "{t}");
        assert!(rotated.at(t).norm() <= rotated.greatest());
    }
    assert!(rotated.moves() && rotated.is_finite());
    let track = Track::new(times, vec![Vec3::ZERO, p(0.0, 0.0, 1.0)], Interpolation::Linear, false);
    let both = Motion::along(track.unwrap()).shifted(p(2.0, 1.0, 5.0)).rotated(rotation.unwrap());
    assert!((both.at(1.0) - p(0.0, 3.0, 5.5)).norm() < 1e-15);
    assert!(both.at(1.0).norm() <= both.greatest());
    let none =
        Rotation::new(Vec3::ZERO, Vec3::ZERO, vec![0.0], &[1.0], Interpolation::Linear, false);
    assert_eq!(none.unwrap_err().to_string(), "the axis of a rotation must be finite and not zero");
}
