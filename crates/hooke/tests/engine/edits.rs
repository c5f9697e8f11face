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
        model.set_material(0, 0, &[800.0]).unwrap();
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
fn forces_need_no_factorisation_and_values_a_numeric_one() {
    let mut simulation = Simulation::new(cloth(6), "quasi-newton", 0.01).unwrap();
    let factorisations =
        |simulation: &mut Simulation| simulation.step().unwrap().solve.unwrap().factorisations;
    assert_eq!(factorisations(&mut simulation), 1);
    assert_eq!(factorisations(&mut simulation), 0);
    simulation.model_mut().set_gravity(p(1.0, -3.0, 0.0));
    assert_eq!(factorisations(&mut simulation), 0);
    let versions = simulation.model().versions();
    simulation.model_mut().set_mass(3, 0.02).unwrap();
    assert_eq!(simulation.model().versions().topology, versions.topology);
    assert_eq!(factorisations(&mut simulation), 1);
    simulation.model_mut().unpin(0);
    assert_eq!(factorisations(&mut simulation), 1);
    simulation.set_step(0.02).unwrap();
    assert_eq!(factorisations(&mut simulation), 1);
    assert_eq!(factorisations(&mut simulation), 0);
}

#[test]
fn methods_switch_while_running() {
    let mut simulation = Simulation::new(cloth(6), "newton", 0.005).unwrap();
    for name in names().filter(|&name| name != "forward-euler") {
        simulation.set_method(method(name, &[])).unwrap();
        run(&mut simulation, 5);
        assert!(simulation.report().energy.total().is_finite());
    }
    assert_eq!(simulation.state().step, 45);
}
