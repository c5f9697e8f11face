//! Energy that a run gains by no work is told; what swings to and fro, or is lost, is not.

use crate::common::*;
use hooke::methods::METHODS;
use hooke::stability::Stability;
use hooke::{EnergyWatch, Model, Simulation, StabilityLimit, State, Substeps, Vec3};

/// A swinging spring pendulum.
fn pendulum() -> (Model, State) {
    let mut model = Model::new();
    model.add_particle(Vec3::ZERO, 1.0).unwrap();
    model.add_particle(p(1.0, 0.0, 0.0), 1.0).unwrap();
    model.add_spring(0, 1, 100.0, None).unwrap();
    model.pin_at_rest(0).unwrap();
    let state = State::at_rest(&model);
    (model, state)
}

fn watched(name: &str, h: f64, steps: usize) -> EnergyWatch {
    let (model, state) = pendulum();
    let mut simulation = simulation(model, method(name, &[]), h, state);
    let mut watch = EnergyWatch::new(simulation.report());
    for _ in 0..steps {
        watch.add(simulation.step().unwrap());
    }
    watch
}

#[test]
fn a_method_past_its_limit_is_told_with_step_and_cure() {
    let watch = watched("symplectic-euler", 0.21, 40);
    let gain = watch.gain().unwrap();
    assert!(gain.step <= 20 && gain.energy > 0.5 * gain.largest, "{gain:?}");
    let told = gain.tell(StabilityLimit::Below(0.14), 0.21);
    assert!(told.starts_with(&format!("from step {} on the run gained ", gain.step)), "{told}");
    assert!(told.ends_with("use substeps = \"auto\" or an implicit method"), "{told}");

    // Forward Euler gains a little at every step.
    let gain = watched("forward-euler", 0.002, 600).gain().unwrap();
    assert!((2..400).contains(&gain.step), "{gain:?}");
}

#[test]
fn what_loses_or_swings_is_not_told() {
    for name in names().filter(|name| *name != "forward-euler") {
        for h in [0.001, 0.01] {
            assert_eq!(watched(name, h, 300).gain(), None, "{name} in steps of {h} s");
        }
    }
    // The energy of symplectic Euler swings by percents here, and stays.
    let (model, state) = pendulum();
    let mut simulation = simulation(model, method("symplectic-euler", &[]), 0.005, state);
    let mut watch = EnergyWatch::new(simulation.report());
    let (mut balance, mut range) = (0.0f64, [0.0f64; 2]);
    for _ in 0..2000 {
        let report = simulation.step().unwrap();
        balance += report.numerical;
        range = [range[0].min(balance), range[1].max(balance)];
        watch.add(report);
    }
    assert!(range[1] - range[0] > 0.01 * 9.8, "{range:?}");
    assert_eq!(watch.gain(), None);
}

#[test]
fn a_watch_that_is_saved_goes_on() {
    let mut whole = watched("symplectic-euler", 0.21, 0);
    let mut saved = whole;
    let (model, state) = pendulum();
    let mut simulation = simulation(model, method("symplectic-euler", &[]), 0.21, state);
    for _ in 0..40 {
        let report = simulation.step().unwrap();
        whole.add(report);
        saved = EnergyWatch::of_numbers(saved.numbers());
        saved.add(report);
    }
    assert!(whole == saved && whole.gain().is_some());
}

#[test]
fn what_methods_say_of_their_stability_is_what_their_limit_says() {
    let stability = Stability { omega: 10.0, gamma: 1.0, drag: 0.5 };
    for info in METHODS {
        let limit = (info.build)(&[]).unwrap().limit(&stability);
        let linear = info.stable.starts_with("every h of a linear model");
        let every = info.stable.starts_with("every h") && !linear;
        assert_eq!(limit == StabilityLimit::Linear, linear, "{}: {limit}", info.name);
        assert_eq!(limit == StabilityLimit::None, every, "{}: {limit}", info.name);
    }
    assert!(!StabilityLimit::Linear.exceeded(1.0) && StabilityLimit::Never.exceeded(1e-9));
    assert!(StabilityLimit::Below(0.1).exceeded(0.1) && !StabilityLimit::Below(0.1).exceeded(0.09));
}

#[test]
fn a_linear_promise_is_kept_on_a_linear_model() {
    // Springs of no length at rest are linear: hω = 100.
    for info in METHODS {
        let name = info.name;
        let built = method(name, &[]);
        if built.limit(&Stability { omega: 1e3, gamma: 0.0, drag: 0.0 }) != StabilityLimit::Linear {
            continue;
        }
        let mut model = Model::new();
        for x in [p(0.0, 0.0, 0.0), p(1.0, 0.2, 0.0), p(2.0, 0.0, 0.3)] {
            model.add_particle(x, 1.0).unwrap();
        }
        model.add_spring(0, 1, 1e6, Some(0.0)).unwrap();
        model.add_spring(1, 2, 1e6, Some(0.0)).unwrap();
        model.pin_at_rest(0).unwrap();
        let mut simulation =
            Simulation::with_substeps(model, method(name, &[]), 0.1, Substeps::Auto).unwrap();
        assert_eq!(simulation.stability().unwrap(), (StabilityLimit::Linear, 1));
        let mut watch = EnergyWatch::new(simulation.report());
        for _ in 0..500 {
            watch.add(simulation.step().unwrap());
        }
        assert_eq!(watch.gain(), None, "{name}");
    }
}
