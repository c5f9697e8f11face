//! Limits of strain: every method, membranes, pins and honest reports.

use crate::common::*;
use hooke::model::{Motion, SpringFamily, StrainLimit, SweepOrder};
use hooke::{Grid, Model, Simulation, State, Substeps, Vec3, laws};

fn limit(min: f64, max: f64, iterations: u32) -> StrainLimit {
    StrainLimit { min, max, iterations, order: SweepOrder::Given }
}

/// A cloth of soft springs that hangs from its upper corners.
fn soft(limit: StrainLimit) -> Model {
    let mut model = Model::new();
    let family = SpringFamily::stiffness(5.0);
    let grid = Grid {
        mass: 0.5,
        structural: Some(family),
        shear: Some(family),
        bend: None,
        ..Grid::square(6)
    }
    .add_to(&mut model)
    .unwrap();
    model.pin_at_rest(grid.at(0, 0)).unwrap();
    model.pin_at_rest(grid.at(5, 0)).unwrap();
    model.set_limit(Some(limit)).unwrap();
    model
}

/// The greatest and the least σ of all springs.
fn stretches(model: &Model, x: &[Vec3]) -> [f64; 2] {
    let batch = &model.elements()[0];
    let sigma = |e: usize| {
        let view = batch.view(e);
        let [i, j] = [0, 1].map(|k| view.corners[k] as usize);
        (x[i] - x[j]).norm() / view.rest[0]
    };
    let all = (0..batch.len()).map(sigma);
    [all.clone().fold(0.0, f64::max), all.fold(f64::INFINITY, f64::min)]
}

#[test]
fn what_is_within_does_not_move() {
    let mut model = Model::new();
    model.set_gravity(Vec3::ZERO).unwrap();
    model.add_particle(Vec3::ZERO, 1.0).unwrap();
    model.add_particle(p(1.05, 0.0, 0.0), 2.0).unwrap();
    model.add_spring(0, 1, 0.0, Some(1.0)).unwrap();
    model.set_limit(Some(limit(0.9, 1.1, 20))).unwrap();
    let start = model.rest().to_vec();
    let mut simulation = Simulation::new(model, "newton", 0.1).unwrap();
    run(&mut simulation, 3);
    assert_eq!(simulation.state().positions, start);
    let limited = simulation.report().limit.unwrap();
    assert_eq!((limited.before, limited.after, limited.sweeps), (0.0, 0.0, 0));
}

#[test]
fn every_method_keeps_a_soft_cloth_within_the_limit() {
    for name in names() {
        let mut simulation = Simulation::with_substeps(
            soft(limit(0.0, 1.1, 20_000)),
            method(name, &[]),
            0.01,
            Substeps::Fixed(1),
        )
        .unwrap();
        let mut met = 0.0f64;
        for step in 0..60 {
            let report = simulation.step().unwrap();
            let limited = report.limit.unwrap();
            met = met.max(limited.before);
            assert!(limited.after < 1e-6, "{name} step {step}: {limited:?}");
            let books = report.energy.total().abs().max(1.0);
            assert!(report.numerical.abs() < books, "{name}: {}", report.numerical);
        }
        // Methods that take springs as rigid leave little to limit.
        let rigid = hooke::methods::find(name).unwrap().order == 0;
        assert!(rigid || met > 1e-3, "{name}: the limit was never met");
        let [most, _] = stretches(simulation.model(), &simulation.state().positions);
        assert!(most < 1.1 + 1e-6, "{name}: {most}");
    }
}

#[test]
fn few_sweeps_leave_what_they_say() {
    for order in [SweepOrder::Given, SweepOrder::Alternating] {
        let limit = StrainLimit { order, ..limit(0.0, 1.02, 2) };
        let mut simulation = Simulation::new(soft(limit), "newton", 0.02).unwrap();
        run(&mut simulation, 40);
        let [most, _] = stretches(simulation.model(), &simulation.state().positions);
        let limited = simulation.report().limit.unwrap();
        assert_eq!(limited.sweeps, 2);
        assert!(limited.before > 1e-4 && limited.after > 1e-4, "{limited:?}");
        assert!((most - 1.02 - limited.after).abs() < 1e-12, "{most} {limited:?}");
    }
}

#[test]
fn compression_is_limited_too() {
    let mut model = Model::new();
    model.set_gravity(Vec3::ZERO).unwrap();
    for i in 0..3 {
        model.add_particle(p(0.5 * f64::from(i), 0.0, 0.0), 1.0).unwrap();
    }
    model.add_spring(0, 1, 0.0, Some(1.0)).unwrap();
    model.add_spring(1, 2, 0.0, Some(1.0)).unwrap();
    model.pin_at_rest(0).unwrap();
    model.set_limit(Some(limit(0.8, 1.2, 200))).unwrap();
    let mut simulation = Simulation::new(model, "newton", 0.1).unwrap();
    run(&mut simulation, 1);
    let x = &simulation.state().positions;
    assert_eq!(x[0], Vec3::ZERO);
    assert!((x[1].x - 0.8).abs() < 1e-9 && (x[2].x - 1.6).abs() < 1e-9, "{x:?}");
}

#[test]
fn membranes_by_their_singular_values() {
    for law in ["stvk-membrane", "baraff-witkin-stretch"] {
        let law = laws::find(law).unwrap();
        let mut model = Model::new();
        model.set_gravity(Vec3::ZERO).unwrap();
        let rest = [p(0.0, 0.0, 0.0), p(1.0, 0.1, 0.0), p(0.2, 1.0, 0.3)];
        for (x, m) in rest.into_iter().zip([1.0, 2.0, 0.5]) {
            model.add_particle(x, m).unwrap();
        }
        let soft: Vec<f64> = law.params.iter().map(|param| param.range[0]).collect();
        model.add_element(law, &[0, 1, 2], None, &soft).unwrap();
        model.set_limit(Some(limit(0.9, 1.1, 10))).unwrap();
        // Stretched by 1.4 along one direction of its plane and by 0.7 across.
        let normal = (rest[1] - rest[0]).cross(rest[2] - rest[0]).unit();
        let u = (rest[1] + rest[2]).unit();
        let v = normal.cross(u);
        let map = |x: Vec3, [a, b]: [f64; 2]| u * (a * u.dot(x)) + v * (b * v.dot(x));
        let mut state = State::at_rest(&model);
        state.positions = rest.iter().map(|&x| map(x, [1.4, 0.7])).collect();
        let center = |x: &[Vec3]| (x[0] + x[1] * 2.0 + x[2] * 0.5) * (1.0 / 3.5);
        let before = center(&state.positions);
        let mut simulation = simulation(model, method("symplectic-euler", &[]), 1e-3, state);
        run(&mut simulation, 1);
        let x = &simulation.state().positions;
        for k in [1, 2] {
            let wanted = map(rest[k] - rest[0], [1.1, 0.9]);
            assert!((x[k] - x[0] - wanted).norm() < 1e-9, "{}: {x:?}", law.name);
        }
        assert!((center(x) - before).norm() < 1e-9);
        let limited = simulation.report().limit.unwrap();
        assert!((limited.before - 0.3).abs() < 1e-9 && limited.after < 1e-12, "{limited:?}");
    }
}

#[test]
fn pinned_axes_stay() {
    let mut model = Model::new();
    model.set_gravity(Vec3::ZERO).unwrap();
    model.add_particle(Vec3::ZERO, 1.0).unwrap();
    model.add_particle(p(1.0, 1.0, 0.0), 1.0).unwrap();
    model.add_spring(0, 1, 0.0, Some(1.0)).unwrap();
    model.pin_at_rest(0).unwrap();
    model.pin(1, [true, false, false], Motion::still(p(1.0, 1.0, 0.0))).unwrap();
    model.set_limit(Some(limit(0.0, 1.1, 10_000))).unwrap();
    let mut simulation = Simulation::new(model, "newton", 0.1).unwrap();
    run(&mut simulation, 1);
    let x = simulation.state().positions[1];
    assert_eq!(x.x, 1.0);
    assert!((x.norm() - 1.1).abs() < 1e-6, "{x:?}");
}

#[test]
fn a_restored_run_has_the_same_bits() {
    for name in names() {
        let mut simulation = Simulation::with_substeps(
            soft(limit(0.5, 1.05, 30)),
            method(name, &[]),
            0.01,
            Substeps::Fixed(1),
        )
        .unwrap();
        run(&mut simulation, 10);
        let middle = simulation.snapshot();
        run(&mut simulation, 10);
        let end = simulation.state().digest();
        simulation.restore(&middle).unwrap();
        run(&mut simulation, 10);
        assert_eq!(simulation.state().digest(), end, "{name}");
    }
}

#[test]
fn nonsense_is_refused_in_one_sentence() {
    let mut model = Model::new();
    for (min, max, sentence) in [
        (1.2, 1.1, "min of a strain limit must not be above max (got 1.2 and 1.1)"),
        (-0.1, 1.1, "min of a strain limit must be ≥ 0 (got -0.1)"),
        (0.0, 0.0, "max of a strain limit must be > 0"),
        (0.0, f64::NAN, "a strain limit must be finite (got 0 to NaN)"),
    ] {
        let refused = model.set_limit(Some(limit(min, max, 20))).unwrap_err();
        assert_eq!(refused.to_string(), sentence);
    }
    assert!(model.limit().is_none());
}
