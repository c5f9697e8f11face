//! Every scene of the gallery under every method, and the outcomes the course scenes must have.

use hooke::methods::METHODS;
use hooke::{EnergyWatch, Gain};
use hooke_scene::{NotRunnable, Scene, gallery, runaway};

#[test]
fn every_scene_runs_under_every_method_or_is_refused_in_one_sentence() {
    for entry in gallery() {
        for method in METHODS {
            let mut scene = Scene::gallery(entry.name).expect(entry.name);
            scene.use_method(method.name).expect(method.name);
            let mut simulation = match scene.simulation(1) {
                Ok(simulation) => simulation,
                Err(NotRunnable::Refused(refusal)) => {
                    let sentence = refusal.to_string();
                    assert!(sentence.len() > 20 && !sentence.contains('\n'), "{sentence}");
                    continue;
                }
                Err(problems) => panic!("{}: {problems}", entry.name),
            };
            let (_, substeps) = simulation.stability().expect("a plan");
            if substeps > 500 {
                // The same plan in shorter steps: five of the scene's own would take minutes.
                simulation.set_step(scene.step_length() / 1000.0).expect("a shorter step");
            }
            for _ in 0..5 {
                let stepped = simulation.step().map(|report| report.energy.total().is_finite());
                assert_eq!(stepped, Ok(true), "{} under {}", entry.name, method.name);
            }
        }
    }
}

/// How long the cloth hangs at the end, in its own lengths; `None` where the run diverges.
fn hanging_length(k: &str, h: &str, method: &str) -> Option<f64> {
    let mut scene = Scene::gallery("course-stiffness").expect("in the gallery");
    scene.use_method(method).expect(method);
    let stiffness = ["deformables[0].structural.stiffness", "deformables[0].shear.stiffness"];
    scene.set_all(stiffness.map(|path| (path, k))).expect("a stiffness");
    scene.set("time.step", h).expect("a step");
    let mut simulation = scene.simulation(1).expect("it starts");
    for _ in 0..scene.frames() {
        if simulation.step().is_err() || runaway(&mut simulation).is_some() {
            return None;
        }
    }
    let lowest = simulation.state().positions.iter().map(|x| x.y).fold(0.0, f64::min);
    Some(-lowest / 2.5)
}

#[test]
fn the_four_outcomes_of_the_course() {
    let long = hanging_length("100", "0.002", "symplectic-euler");
    assert!(long.is_some_and(|length| (1.8..2.2).contains(&length)), "{long:?}");
    let cloth = hanging_length("10000", "0.002", "symplectic-euler");
    assert!(cloth.is_some_and(|length| (1.0..1.05).contains(&length)), "{cloth:?}");
    assert_eq!(hanging_length("100", "0.033", "symplectic-euler"), None);
    assert_eq!(hanging_length("10000", "0.033", "symplectic-euler"), None);

    for method in ["newton", "quasi-newton"] {
        for (k, h, range) in [
            ("100", "0.002", 1.8..2.2),
            ("10000", "0.002", 1.0..1.05),
            ("100", "0.033", 1.8..2.2),
            ("10000", "0.033", 1.0..1.05),
        ] {
            let length = hanging_length(k, h, method);
            let fine = length.is_some_and(|length| range.contains(&length));
            assert!(fine, "k = {k}, h = {h}, {method}: {length:?}");
        }
    }
}

#[test]
fn stiff_cloth_diverges_explicitly_and_not_implicitly() {
    let ends = |method: &str| {
        let mut scene = Scene::gallery("stiff-cloth").expect("in the gallery");
        scene.use_method(method).expect(method);
        let mut simulation = scene.simulation(1).expect("it starts");
        (0..scene.frames()).all(|_| simulation.step().is_ok() && runaway(&mut simulation).is_none())
    };
    for method in ["forward-euler", "symplectic-euler", "velocity-verlet", "rk4"] {
        assert!(!ends(method), "{method}");
    }
    for method in ["newton", "quasi-newton"] {
        assert!(ends(method), "{method}");
    }
}

/// Energy gained by no work within the first steps of a scene, under a method or its own.
fn gain(name: &str, method: Option<&str>, steps: u64) -> Option<Gain> {
    let mut scene = Scene::gallery(name).expect(name);
    if let Some(method) = method {
        scene.use_method(method).expect(method);
    }
    let mut simulation = scene.simulation(1).expect(name);
    let mut watch = EnergyWatch::new(simulation.report());
    for _ in 0..steps.min(scene.frames() * scene.steps_per_frame()) {
        watch.add(simulation.step().expect(name));
    }
    watch.gain()
}

#[test]
fn no_scene_gains_energy_under_its_own_method() {
    for entry in gallery() {
        let scene = Scene::gallery(entry.name).expect(entry.name);
        let mut simulation = scene.simulation(1).expect(entry.name);
        let (_, parts) = simulation.stability().expect(entry.name);
        // As many steps as are cheap: all of a pendulum, some of a cloth.
        let size = simulation.model().particles() + 10 * simulation.model().rigid_bodies().len();
        let work = size as u64
            * if simulation.step().is_ok_and(|report| report.solve.is_some()) {
                40
            } else {
                u64::from(parts)
            };
        let steps = (400_000 / work.max(1)).clamp(8, 600);
        assert_eq!(gain(entry.name, None, steps), None, "{}", entry.name);
    }
}

#[test]
fn linear_methods_gain_energy_on_these_and_are_told() {
    for (name, method, within) in
        [("cantilever", "beta", 90), ("hanging-cloth", "implicit-midpoint", 28)]
    {
        let gain = gain(name, Some(method), within);
        assert!(gain.is_some_and(|gain| gain.step > 1), "{name} under {method}: {gain:?}");
    }
}
