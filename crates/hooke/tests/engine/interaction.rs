//! What game code calls: advance, interpolate, pick, grab, snapshot.

use crate::common::*;
use hooke::{Simulation, Snapshot, Vec3};

#[test]
fn advance_steps_as_often_as_frames_ask_for() {
    let mut simulation = Simulation::new(cloth(5), "quasi-newton", 0.01).unwrap();
    assert_eq!(simulation.advance(0.004, 8).unwrap(), 0);
    assert_eq!(simulation.advance(0.008, 8).unwrap(), 1);
    assert_eq!(simulation.advance(0.033, 8).unwrap(), 3);
    assert_eq!(simulation.state().step, 4);
    // 45 ms have passed, 40 of them stepped: halfway into the next step, shown one step late.
    let (now, shown) = (simulation.state().positions[24], simulation.interpolated(24).unwrap());
    let snapshot = simulation.snapshot();
    simulation.step().unwrap();
    assert!(shown.y > now.y && shown.y - now.y < 0.01);
    simulation.restore(&snapshot).unwrap();
    // A slow frame does not spiral: the rest is dropped.
    assert_eq!(simulation.advance(10.0, 8).unwrap(), 8);
    assert!(simulation.advance(0.0, 8).unwrap() <= 1);
    assert_eq!(simulation.interpolated(9999), None);
}

#[test]
fn pick_finds_the_particle_under_a_ray() {
    let simulation = Simulation::new(cloth(5), "newton", 0.01).unwrap();
    let target = simulation.model().rest()[12];
    let origin = target + p(0.01, -0.02, 3.0);
    let pick = simulation.pick(origin, p(0.0, 0.0, -2.0), 0.0).unwrap();
    assert_eq!(pick.particle, 12);
    assert!((pick.distance - 3.0).abs() < 1e-12);
    assert_eq!(simulation.pick(origin, p(0.0, 0.0, 1.0), 0.01), None);

    // Without a surface, the particle a ray passes.
    let mut model = hooke::Model::new();
    model.add_particle(Vec3::ZERO, 1.0).unwrap();
    model.add_particle(p(0.0, 0.0, -1.0), 1.0).unwrap();
    let simulation = Simulation::new(model, "newton", 0.01).unwrap();
    let pick = simulation.pick(p(0.02, 0.0, 5.0), p(0.0, 0.0, -1.0), 0.05).unwrap();
    assert_eq!(pick.particle, 0);
}

#[test]
fn a_grab_pulls_and_lets_go() {
    for name in names() {
        if name == "forward-euler" {
            continue;
        }
        let mut simulation = Simulation::new(cloth(5), name, 0.01).unwrap();
        let free = {
            let mut simulation = Simulation::new(cloth(5), name, 0.01).unwrap();
            run(&mut simulation, 60);
            simulation.state().positions[24]
        };
        let grab = simulation.grab(24, 50.0).unwrap();
        let start = simulation.state().positions[24];
        for step in 1..=30 {
            simulation.move_grab(&grab, start + p(0.0, 0.0, 0.01 * f64::from(step))).unwrap();
            simulation.step().unwrap();
        }
        assert!(simulation.state().positions[24].z > 0.15, "{name}");
        simulation.release(grab);
        let field = simulation.step().unwrap().energy.field;
        assert_eq!(field, 0.0, "{name}");
        run(&mut simulation, 30);
        assert!(simulation.state().positions[24] != free);
        // A second grab works like the first.
        let again = simulation.grab(20, 50.0).unwrap();
        run(&mut simulation, 3);
        assert!(simulation.report().energy.field > 0.0, "{name}");
        simulation.release(again);
    }
    let mut simulation = Simulation::new(cloth(5), "newton", 0.01).unwrap();
    assert_eq!(
        simulation.grab(99, 1.0).unwrap_err().to_string(),
        "there is no particle 99: the model has 25 particles"
    );
}

#[test]
fn a_moved_grab_does_work_and_snapshots_know_it() {
    let mut simulation = Simulation::new(cloth(5), "newton", 0.001).unwrap();
    let before = simulation.snapshot();
    let grab = simulation.grab(24, 1000.0).unwrap();
    simulation.step().unwrap();
    let at = simulation.state().positions[24];
    simulation.move_grab(&grab, at + p(0.0, 0.0, 0.1)).unwrap();
    let report = simulation.step().unwrap();
    assert!(report.work.external > 1.0, "{:?}", report.work);
    assert!(report.numerical.abs() < report.work.external, "{}", report.numerical);
    // A snapshot is of what was held then.
    let held = Snapshot::from_bytes(&simulation.snapshot().to_bytes()).unwrap();
    assert_eq!(held, simulation.snapshot());
    let error = simulation.restore(&before).unwrap_err();
    let released =
        "particle 24 is grabbed, but was not when the snapshot was taken: release it first";
    assert_eq!(error.to_string(), released);
    simulation.restore(&held).unwrap();
    run(&mut simulation, 2);
    simulation.release(grab);
    let error = simulation.restore(&held).unwrap_err();
    let gone = "particle 24 was grabbed when the snapshot was taken, and no longer is";
    assert_eq!(error.to_string(), gone);
    simulation.restore(&before).unwrap();
    run(&mut simulation, 2);
}

#[test]
fn wind_set_by_hand_stays() {
    let mut simulation = Simulation::new(cloth(5), "newton", 0.01).unwrap();
    simulation.control_mut().set_wind(p(3.0, 0.0, 0.0)).unwrap();
    assert_eq!(simulation.control_mut().wind(), p(3.0, 0.0, 0.0));
    simulation.model_mut().set_mass(3, 0.02).unwrap();
    simulation.step().unwrap();
    assert_eq!(simulation.control_mut().wind(), p(3.0, 0.0, 0.0));
    // A wind changed in the model is taken over.
    let mean = hooke::model::Motion::still(p(0.0, 0.0, 7.0));
    simulation.model_mut().set_air(hooke::model::Air { mean, gust: None }).unwrap();
    assert_eq!(simulation.control_mut().wind(), p(0.0, 0.0, 7.0));
}

#[test]
fn what_is_drawn_stays_finite_after_a_divergence() {
    let mut simulation = Simulation::with_substeps(
        cloth(5),
        method("symplectic-euler", &[]),
        0.05,
        hooke::Substeps::Fixed(1),
    )
    .unwrap();
    while simulation.advance(0.05, 1).is_ok() {}
    assert!(simulation.interpolated(24).unwrap().is_finite());
}
