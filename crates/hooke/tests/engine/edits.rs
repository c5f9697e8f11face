//! Edits while a simulation runs: the same as a model built that way.

use crate::common::*;
use hooke::{Grid, Model, Simulation};

fn with(k: f64, mass: f64, pinned: bool) -> Model {
    let mut model = Model::new();
    let family = hooke::model::SpringFamily::stiffness(k);
    let grid = Grid { structural: Some(family), shear: None, bend: None, ..Grid::square(5) };
    grid.add_to(&mut model).unwrap();
    model.set_mass(24, mass).unwrap();
    model.pin_at_rest(0).unwrap();
    if pinned {
        model.pin_at_rest(4).unwrap();
    }
    model
}

#[test]
fn an_edited_model_steps_like_a_fresh_one() {
    for name in names() {
        let build = |model| {
            let mut simulation = Simulation::with_substeps(
                model,
                method(name, &[]),
                1e-3,
                hooke::Substeps::Fixed(1),
            )
            .unwrap();
            simulation.set_threads(1);
            simulation
        };
        let mut edited = build(with(300.0, 0.01, false));
        run(&mut edited, 3);
        let model = edited.model_mut();
        model.set_material(hooke::model::MaterialId { batch: 0, group: 0 }, &[800.0]).unwrap();
        model.set_mass(24, 0.03).unwrap();
        model.pin_at_rest(4).unwrap();
        let mut fresh = build(with(800.0, 0.03, true));
        let start = hooke::State::at_rest(fresh.model());
        edited.set_state(start.clone()).unwrap();
        fresh.set_state(start).unwrap();
        run(&mut edited, 5);
        run(&mut fresh, 5);
        assert_eq!(edited.state().positions, fresh.state().positions, "{name}");
    }
}

#[test]
fn added_particles_and_springs_join() {
    let mut simulation = Simulation::new(with(300.0, 0.01, true), "newton", 0.01).unwrap();
    run(&mut simulation, 2);
    let model = simulation.model_mut();
    let at = model.rest()[24] + p(0.0, -0.2, 0.0);
    let new = model.add_particle(at, 0.05).unwrap();
    model.add_spring(24, new, 500.0, None).unwrap();
    run(&mut simulation, 100);
    let state = simulation.state();
    assert_eq!(state.positions.len(), 26);
    assert!(state.positions[25].y < state.positions[24].y);
    assert!(simulation.report().strain.unwrap().value.abs() < 1.0);
}

#[test]
fn forces_need_no_factorization_and_values_a_numeric_one() {
    let mut simulation = Simulation::new(cloth(6), "quasi-newton", 0.01).unwrap();
    let factorizations =
        |simulation: &mut Simulation| simulation.step().unwrap().solve.unwrap().factorizations;
    assert_eq!(factorizations(&mut simulation), 1);
    assert_eq!(factorizations(&mut simulation), 0);
    simulation.model_mut().set_gravity(p(1.0, -3.0, 0.0)).unwrap();
    assert_eq!(factorizations(&mut simulation), 0);
    let versions = simulation.model().versions();
    simulation.model_mut().set_mass(3, 0.02).unwrap();
    assert_eq!(simulation.model().versions().topology, versions.topology);
    assert_eq!(factorizations(&mut simulation), 1);
    simulation.model_mut().unpin(0);
    assert_eq!(factorizations(&mut simulation), 1);
    simulation.set_step(0.02).unwrap();
    assert_eq!(factorizations(&mut simulation), 1);
    assert_eq!(factorizations(&mut simulation), 0);
}

#[test]
fn methods_switch_while_running() {
    let mut simulation = Simulation::new(cloth(6), "newton", 0.005).unwrap();
    let others: Vec<_> = names().filter(|&name| name != "forward-euler").collect();
    for name in &others {
        simulation.set_method(method(name, &[])).unwrap();
        run(&mut simulation, 5);
        assert!(simulation.report().energy.total().is_finite());
    }
    assert_eq!(simulation.state().step, 5 * others.len() as u64);
}

#[test]
fn unpinning_one_leaves_the_others_where_they_are() {
    let mut model = Model::new();
    for i in 0..3 {
        model.add_particle(p(f64::from(i), 0.0, 0.0), 1.0).unwrap();
        model.pin_at_rest(i).unwrap();
    }
    let pins: Vec<_> = model.pins().iter().map(|pin| pin.id).collect();
    let mut simulation = Simulation::new(model, "newton", 0.01).unwrap();
    simulation.control_mut().set_pin(pins[2], p(2.0, 0.5, 0.0)).unwrap();
    simulation.step().unwrap();
    simulation.model_mut().unpin(0);
    simulation.step().unwrap();
    assert_eq!(simulation.state().positions[1..], [p(1.0, 0.0, 0.0), p(2.0, 0.5, 0.0)]);
    // Pinned again elsewhere, it goes there and not to its old place.
    let there = hooke::model::Motion::still(p(5.0, 0.0, 0.0));
    simulation.model_mut().pin(0, [true; 3], there).unwrap();
    simulation.step().unwrap();
    assert_eq!(simulation.state().positions[0], p(5.0, 0.0, 0.0));
    // The handle of the pin that was removed is not that of another; those that stayed keep theirs.
    assert!(simulation.control_mut().set_pin(pins[0], p(0.0, 0.0, 0.0)).is_err());
    assert!(simulation.control_mut().set_pin(pins[1], p(f64::NAN, 0.0, 0.0)).is_err());
    simulation.control_mut().set_pin(pins[1], p(1.0, 0.25, 0.0)).unwrap();
    simulation.step().unwrap();
    assert_eq!(simulation.state().positions[1], p(1.0, 0.25, 0.0));
}

#[test]
fn time_goes_on_when_the_step_changes() {
    let mut simulation = Simulation::new(cloth(3), "newton", 0.01).unwrap();
    run(&mut simulation, 100);
    simulation.set_step(0.02).unwrap();
    run(&mut simulation, 1);
    assert!((simulation.state().time - 1.02).abs() < 1e-12, "{}", simulation.state().time);
    let snapshot = simulation.snapshot();
    run(&mut simulation, 5);
    simulation.restore(&snapshot).unwrap();
    run(&mut simulation, 1);
    assert!((simulation.state().time - 1.04).abs() < 1e-12);
}

#[test]
fn an_edit_is_no_error_of_the_method() {
    let mut simulation = Simulation::new(cloth(5), "implicit-midpoint", 1e-3).unwrap();
    run(&mut simulation, 5);
    simulation.model_mut().set_gravity(p(0.0, 30.0, 0.0)).unwrap();
    let numerical = simulation.step().unwrap().numerical;
    assert!(numerical.abs() < 1e-6, "{numerical}");
    let grab = simulation.grab(24, 100.0).unwrap();
    simulation.move_grab(&grab, p(2.0, 0.0, 0.0)).unwrap();
    run(&mut simulation, 1);
    simulation.release(grab);
    let numerical = simulation.step().unwrap().numerical;
    assert!(numerical.abs() < 1e-3, "{numerical}");
}

#[test]
fn a_refused_method_leaves_the_old_one() {
    let mut simulation = Simulation::new(cloth(5), "newton", 0.01).unwrap();
    assert!(simulation.set_method(method("forward-euler", &[])).is_err());
    simulation.step().unwrap();
    assert!(simulation.report().solve.is_some());
}

#[test]
fn snapshots_of_larger_models_are_refused() {
    let small = Simulation::new(cloth(3), "newton", 0.01).unwrap();
    let mut large = Simulation::new(cloth(4), "newton", 0.01).unwrap();
    let mut other = small;
    let error = other.restore(&large.snapshot()).unwrap_err();
    assert_eq!(error.to_string(), "the snapshot is of a model with 16 particles, this one has 9");
    large.model_mut().add_particle(p(0.0, 1.0, 0.0), 1.0).unwrap();
    assert_eq!(large.pick(p(0.0, 1.0, 5.0), p(0.0, 0.0, -1.0), 0.01), None);
}
