//! Reports: energies, work, and the ledger that adds up.

use crate::common::*;
use hooke::model::{GlobalDamping, Motion};
use hooke::{Model, Simulation, State, Vec3};

#[test]
fn energies_of_a_known_state() {
    let mut model = Model::new();
    model.set_gravity(p(0.0, -10.0, 0.0)).unwrap();
    model.add_particle(p(0.0, 2.0, 0.0), 3.0).unwrap();
    model.add_particle(p(0.0, 3.5, 0.0), 1.0).unwrap();
    model.add_spring(0, 1, 8.0, Some(1.0)).unwrap();
    let place = model.add_anchor(Motion::still(Vec3::ZERO)).unwrap();
    model.attach(0, place, 2.0).unwrap();
    let mut state = State::at_rest(&model);
    state.velocities[0] = p(0.0, 0.0, 2.0);
    let mut simulation = Simulation::new(model, "newton", 0.01).unwrap();
    simulation.set_state(state).unwrap();
    let report = simulation.report();
    assert_eq!(report.energy.kinetic, 6.0);
    assert_eq!(report.energy.elastic, 1.0);
    assert_eq!(report.energy.gravitational, 95.0);
    assert_eq!(report.energy.field, 4.0);
    assert_eq!(report.momentum, p(0.0, 0.0, 6.0));
    assert_eq!(report.angular_momentum, p(12.0, 0.0, 0.0));
    let strain = report.strain.unwrap();
    assert_eq!((strain.value, strain.law, strain.element), (0.5, "spring", 0));
}

/// A scene in which every kind of work is done.
fn busy() -> (Model, State) {
    let mut model = cloth(4);
    let dashpot = hooke::dampers::find("dashpot").unwrap();
    let drag = hooke::dampers::find("drag").unwrap();
    let batch = &model.elements()[0];
    let pairs: Vec<Vec<u32>> = (0..batch.len()).map(|e| batch.corners(e).to_vec()).collect();
    for pair in pairs {
        model.add_damper(dashpot, &pair, None, &[0.05]).unwrap();
    }
    model.add_damper(drag, &[15], None, &[0.1]).unwrap();
    model.add_force(10, p(0.0, 0.1, 0.2)).unwrap();
    model.set_global_damping(Some(GlobalDamping::Rate(0.3))).unwrap();
    let home = model.rest()[0];
    model.unpin(0);
    let track = hooke::model::Track::new(
        vec![0.0, 1.0],
        vec![home, home + p(0.0, 0.5, 0.3)],
        hooke::model::Interpolation::Smooth,
        false,
    );
    model.pin(0, [true; 3], Motion::along(track.unwrap())).unwrap();
    let track = hooke::model::Track::new(
        vec![0.0, 1.0],
        vec![p(0.5, -1.0, 0.0), p(1.5, -1.0, 0.0)],
        hooke::model::Interpolation::Linear,
        false,
    );
    let place = model.add_anchor(Motion::along(track.unwrap())).unwrap();
    model.attach(12, place, 5.0).unwrap();
    let state = State::at_rest(&model);
    (model, state)
}

#[test]
fn the_ledger_closes_as_the_step_shrinks() {
    // What no work explains is the method's own error: it vanishes with h. Rigid rows follow no energy,
    // so theirs need not.
    for name in names().filter(|name| !["pbd", "hierarchical-pbd"].contains(name)) {
        let missing = |h: f64| {
            let (model, state) = busy();
            let mut simulation = simulation(model, exact(name), h, state);
            let (mut sum, mut moved) = (0.0f64, 0.0f64);
            for _ in 0..(0.05 / h).round() as usize {
                let report = simulation.step().unwrap();
                sum += report.numerical;
                moved += report.work.damping.abs() + report.work.external.abs();
            }
            assert!(moved > 1e-3, "{name}: {moved}");
            sum.abs() / moved
        };
        let [coarse, fine] = [1e-3, 2.5e-4].map(missing);
        assert!(fine < 0.05, "{name}: {fine}");
        assert!(fine < 0.5 * coarse || fine < 1e-4, "{name}: {coarse} {fine}");
    }
}

#[test]
fn residuals_per_iteration_are_kept() {
    let mut simulation = Simulation::new(cloth(6), "newton", 1.0 / 30.0).unwrap();
    simulation.step().unwrap();
    let report = simulation.report();
    let solve = report.solve.unwrap();
    assert_eq!(report.residuals.len() as u32, solve.iterations + 1);
    assert_eq!(*report.residuals.last().unwrap(), solve.residual);
    assert!(report.residuals[0] > solve.residual);
}

#[test]
fn substeps_are_summed_into_one_report() {
    let (model, _) = busy();
    let mut simulation = Simulation::new(model, "newton", 0.02).unwrap();
    simulation.set_substeps(hooke::Substeps::Fixed(4));
    simulation.step().unwrap();
    let report = simulation.report();
    assert_eq!((report.substeps, report.step), (4, 1));
    assert!(report.solve.unwrap().iterations >= 4);
    assert!((report.time - 0.02).abs() < 1e-15);
}

#[test]
fn the_ledger_of_led_pins_closes_with_the_order_of_the_method() {
    let missing = |name: &str, h: f64| {
        let mut model = Model::new();
        model.set_gravity(Vec3::ZERO).unwrap();
        model.add_particle(Vec3::ZERO, 1.5).unwrap();
        model.add_particle(p(1.0, 0.0, 0.0), 1.0).unwrap();
        model.add_spring(0, 1, 40.0, None).unwrap();
        let track = hooke::model::Track::new(
            vec![0.0, 0.5, 1.0],
            vec![Vec3::ZERO, p(0.3, 0.2, 0.0), p(0.1, -0.1, 0.1)],
            hooke::model::Interpolation::Smooth,
            false,
        );
        model.pin(0, [true; 3], Motion::along(track.unwrap())).unwrap();
        let start = State::at_rest(&model);
        let mut simulation = simulation(model, exact(name), h, start);
        let mut sum = 0.0;
        for _ in 0..(0.4 / h).round() as usize {
            sum += simulation.step().unwrap().numerical;
        }
        f64::abs(sum)
    };
    for (name, least) in [("velocity-verlet", 3.0), ("implicit-midpoint", 3.0), ("rk4", 3.0)] {
        let [coarse, fine] = [0.01, 0.005].map(|h| missing(name, h));
        assert!(coarse > least * fine && coarse < 1e-3, "{name}: {coarse:e} {fine:e}");
    }
}

#[test]
fn wall_times_are_told_by_phase() {
    let mut simulation = Simulation::new(cloth(10), "newton", 1.0 / 30.0).unwrap();
    let seconds = simulation.step().unwrap().seconds;
    let parts = seconds.assembly + seconds.factorization + seconds.solution;
    assert!(seconds.factorization > 0.0 && parts <= seconds.method);
    assert!(seconds.method + seconds.contact + seconds.measure <= seconds.total);
}
