//! Stability limits: bounds are bounds, runs below them stay, runs above them end with a reason.

use crate::common::*;
use hooke::stability::{Stability, highest_frequency};
use hooke::{Control, Model, Simulation, StabilityLimit, StepError, Substeps, ThreadPool, Vec3};

/// A mass on a spring with drag: the exact limits are known.
fn oscillator(drag: f64) -> Model {
    let mut model = Model::new();
    model.set_gravity(Vec3::ZERO).unwrap();
    model.add_particle(Vec3::ZERO, 1.0).unwrap();
    model.add_particle(p(51.0, 0.0, 0.0), 1.0).unwrap();
    model.add_spring(0, 1, 100.0, Some(50.0)).unwrap();
    model.pin_at_rest(0).unwrap();
    if drag > 0.0 {
        let kind = hooke::dampers::find("drag").unwrap();
        model.add_damper(kind, &[1], None, &[drag]).unwrap();
    }
    model
}

#[test]
fn the_bound_is_above_the_highest_frequency() {
    let pool = ThreadPool::new(1);
    let single = oscillator(0.0);
    let control = Control::new(&single);
    let omega = highest_frequency(&single, &control, single.rest(), &pool);
    assert!((omega - 10.0).abs() < 1e-3, "{omega}");
    assert!((Stability::of(&single, 0.0, 0.01).omega - 10.0).abs() < 1e-12);

    for n in [3, 6, 10] {
        let mut model = Model::new();
        hooke::Grid::square(n).add_to(&mut model).unwrap();
        let control = Control::new(&model);
        let bound = Stability::of(&model, 0.0, 0.01).omega;
        let mut numbers = Numbers(1);
        for spread in [0.0, 0.05, 0.3] {
            let x: Vec<Vec3> = model.rest().iter().map(|&x| x + numbers.point() * spread).collect();
            let omega = highest_frequency(&model, &control, &x, &pool);
            assert!(omega <= bound && omega > 0.4 * bound, "{n} {spread}: {omega} {bound}");
        }
    }
}

/// Whether a run stays bounded for 4000 steps.
fn stays(name: &str, model: Model, h: f64) -> bool {
    let mut simulation =
        Simulation::with_substeps(model, method(name, &[]), h, Substeps::Fixed(1)).unwrap();
    for _ in 0..4000 {
        if simulation.step().is_err() {
            return false;
        }
        if (simulation.state().positions[1].x - 50.0).abs() > 40.0 {
            return false;
        }
    }
    true
}

#[test]
fn limits_separate_stable_from_unstable_steps() {
    for drag in [0.0, 4.0] {
        let stability = Stability::of(&oscillator(drag), 0.0, 0.01);
        assert!((stability.omega - 10.0).abs() < 1e-12 && (stability.gamma - drag).abs() < 1e-12);
        for (name, limit) in
            [("symplectic-euler", stability.symplectic()), ("rk4", stability.rk4())]
        {
            let StabilityLimit::Below(limit) = limit else { panic!("{name} has a limit") };
            assert!(stays(name, oscillator(drag), 0.98 * limit), "{name} drag {drag}");
            // The bound on damped RK4 is not sharp.
            let over = if name == "rk4" && drag > 0.0 { 1.5 } else { 1.03 };
            assert!(!stays(name, oscillator(drag), over * limit), "{name} drag {drag}");
        }
    }
    let stability = Stability::of(&oscillator(4.0), 0.0, 0.01);
    let StabilityLimit::Below(limit) = stability.forward_euler() else { panic!() };
    assert!((limit - 0.04).abs() < 1e-12);
    assert!(stays("forward-euler", oscillator(4.0), 0.9 * limit));
    assert!(!stays("forward-euler", oscillator(4.0), 1.1 * limit));
    let quarter = Stability::of(&oscillator(0.0), 0.0, 0.01).beta(0.25);
    assert_eq!(quarter, StabilityLimit::Below(2.0 / (0.5f64.sqrt() * 10.0)));
    assert_eq!(stability.beta(0.5), StabilityLimit::Linear);
}

#[test]
fn damped_verlet_stays_below_its_limit() {
    for drag in [0.0, 4.0, 15.0] {
        let stability = Stability::of(&oscillator(drag), 0.0, 0.01);
        let StabilityLimit::Below(limit) = stability.symplectic() else { panic!() };
        assert!(stays("velocity-verlet", oscillator(drag), 0.95 * limit), "drag {drag}");
    }
}

#[test]
fn automatic_substeps_keep_every_explicit_method_stable() {
    for name in ["symplectic-euler", "velocity-verlet", "rk4"] {
        let mut simulation = Simulation::new(cloth(8), name, 1.0 / 30.0).unwrap();
        let (limit, substeps) = simulation.stability().unwrap();
        let StabilityLimit::Below(limit) = limit else { panic!("{name} has a limit") };
        assert!(substeps > 1 && 1.0 / 30.0 / f64::from(substeps) <= limit, "{name}");
        run(&mut simulation, 60);
        assert_eq!(simulation.report().substeps, substeps);
        assert!(simulation.report().energy.kinetic < 10.0, "{name}");
    }
}

#[test]
fn forward_euler_without_damping_refuses_automatic_substeps() {
    let refusal = Simulation::new(oscillator(0.0), "forward-euler", 0.01).err().unwrap();
    assert_eq!(
        refusal.to_string(),
        "forward Euler without damping grows at every step: add drag, set substeps to a number to \
         watch it grow, or use symplectic-euler"
    );
    assert!(Simulation::new(oscillator(1.0), "forward-euler", 0.01).is_ok());
}

#[test]
fn a_divergence_names_step_particle_and_limit_and_keeps_the_last_state() {
    let mut simulation = Simulation::with_substeps(
        cloth(6),
        method("symplectic-euler", &[]),
        0.033,
        Substeps::Fixed(1),
    )
    .unwrap();
    let error = loop {
        let before = simulation.state().clone();
        match simulation.step() {
            Ok(report) => assert!(report.step < 1000, "this must diverge"),
            Err(error) => {
                assert_eq!(*simulation.state(), before);
                break error;
            }
        }
    };
    let StepError::Diverged(diverged) = &error else { panic!("{error}") };
    assert_eq!(diverged.step, simulation.state().step + 1);
    assert!(matches!(diverged.limit, StabilityLimit::Below(limit) if limit < 0.033));
    let text = error.to_string();
    assert!(
        text.contains("no longer finite") && text.contains("above the method's limit"),
        "{text}"
    );
}

#[test]
fn too_many_substeps_are_refused_with_what_would_do() {
    let mut model = oscillator(0.0);
    model.add_spring(0, 1, 1e14, Some(50.0)).unwrap();
    let refusal = Simulation::new(model, "symplectic-euler", 1.0).err().unwrap();
    assert!(refusal.to_string().contains("newton or quasi-newton would do"), "{refusal}");
}

#[test]
fn the_most_damped_mode_need_not_be_the_stiffest() {
    for name in ["rk4", "symplectic-euler", "velocity-verlet"] {
        let mut model = oscillator(0.0);
        model.add_particle(p(0.0, 9.0, 0.0), 1.0).unwrap();
        let drag = hooke::dampers::find("drag").unwrap();
        model.add_damper(drag, &[2], None, &[300.0]).unwrap();
        let mut simulation = Simulation::new(model, name, 0.25).unwrap();
        let mut state = simulation.state().clone();
        state.velocities[2] = p(1.0, 0.0, 0.0);
        simulation.set_state(state).unwrap();
        run(&mut simulation, 200);
        assert!(simulation.state().velocities[2].norm() < 1e-3, "{name}");
    }
}
