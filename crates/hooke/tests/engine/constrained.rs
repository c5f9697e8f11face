//! Constrained dynamics: rigid rods keep their length, springs find Newton's minimum, and what does not
//! fit together is said.

use crate::common::*;
use hooke::model::{Motion, SpringDamping, SpringFamily};
use hooke::{End, Grid, Kernels, Model, Rope, Simulation, State, Vec3, methods};

/// A horizontal rope of `links` rods of `length`, held at its first particle.
fn rope(links: u32, length: f64, compliance: f64) -> Model {
    let mut model = Model::new();
    Rope {
        from: Vec3::ZERO,
        to: p(length * f64::from(links), 0.0, 0.0),
        links,
        mass: 0.05 * f64::from(links + 1),
        structural: SpringFamily::rods(compliance),
        bend: None,
    }
    .add_to(&mut model)
    .unwrap();
    model.pin_at_rest(0).unwrap();
    model
}

fn strain(simulation: &Simulation) -> f64 {
    simulation.report().strain.map_or(0.0, |strain| strain.value.abs())
}

#[test]
fn a_rope_of_rods_neither_stretches_nor_gains_energy() {
    let mut simulation = Simulation::new(rope(20, 0.05, 0.0), "constrained", 1.0 / 60.0).unwrap();
    let mut energy = simulation.report().energy.total();
    for step in 0..600 {
        let report = simulation.step().unwrap();
        let solve = report.solve.unwrap();
        assert!(solve.end.is_settled(), "step {step}: {solve:?}");
        assert!(report.constraints.redundant.is_empty());
        assert_eq!(report.energy.elastic, 0.0);
        let now = report.energy.total();
        assert!(now <= energy + 1e-9, "step {step}: from {energy} to {now}");
        energy = now;
        assert!(strain(&simulation) < 1e-8, "step {step}: {:e}", strain(&simulation));
    }
}

#[test]
fn a_single_solve_stretches_and_the_iteration_does_not() {
    // Ten rods of 0.1 m, released horizontally.
    let worst = |iterations: &str, geometric: &str| {
        let settings = [("iterations", iterations), ("geometric_stiffness", geometric)];
        let built = method("constrained", &settings);
        let mut simulation = Simulation::new(rope(10, 0.1, 0.0), built, 0.01).unwrap();
        let mut worst: f64 = 0.0;
        for _ in 0..200 {
            simulation.step().unwrap();
            worst = worst.max(strain(&simulation));
        }
        let end = simulation.report().solve.unwrap().end;
        (worst, end)
    };
    let (single, end) = worst("1", "false");
    assert!((0.18..0.22).contains(&single), "{single}");
    assert_eq!(end, End::Cap);
    for geometric in ["true", "false"] {
        let (iterated, _) = worst("50", geometric);
        assert!(iterated < 1e-8, "geometric stiffness {geometric}: {iterated:e}");
    }
}

/// Four particles in a chain of stretched and compressed springs, one end held.
fn springs(family: &SpringFamily) -> (Model, State) {
    let mut model = Model::new();
    let anchors = [p(0.0, 0.0, 0.0), p(1.2, 0.1, 0.0), p(1.9, -0.4, 0.2), p(3.3, -0.2, 0.1)];
    for (x, m) in anchors.into_iter().zip([1.0, 2.0, 1.0, 4.0]) {
        model.add_particle(x, m).unwrap();
    }
    for (i, j) in [(0, 1), (1, 2), (2, 3), (0, 2)] {
        model.add_spring_of(i, j, family, Some(1.0)).unwrap();
    }
    model.pin_at_rest(0).unwrap();
    let mut state = State::at_rest(&model);
    state.velocities = vec![Vec3::ZERO, p(0.3, -0.2, 0.1), p(-0.1, 0.4, 0.0), p(0.5, 0.0, -0.3)];
    (model, state)
}

#[test]
fn one_iteration_with_geometric_stiffness_is_linearized_backward_euler() {
    for damping in [SpringDamping::None, SpringDamping::PerVelocity(3.0)] {
        let family = SpringFamily { damping, ..SpringFamily::stiffness(200.0) };
        let step = |built| {
            let (model, state) = springs(&family);
            let mut simulation = simulation(model, built, 0.02, state);
            run(&mut simulation, 1);
            simulation.state().positions.clone()
        };
        let one = step(method("constrained", &[("iterations", "1")]));
        let linearized = step(method("linearized-backward-euler", &[("projection", "off")]));
        let error = apart(&one, &linearized);
        assert!(error < 1e-14, "{damping:?}: {error:e}");
    }
}

#[test]
fn converged_springs_are_newtons_minimum() {
    for geometric in ["true", "false"] {
        let step = |built, family: &SpringFamily| {
            let (model, state) = springs(family);
            let mut simulation = simulation(model, built, 0.02, state);
            run(&mut simulation, 5);
            assert!(simulation.report().solve.unwrap().end.is_settled());
            simulation.state().positions.clone()
        };
        let settings =
            [("tolerance", "1e-13"), ("iterations", "400"), ("geometric_stiffness", geometric)];
        let newton = step(exact("newton"), &SpringFamily::stiffness(500.0));
        for family in [SpringFamily::stiffness(500.0), SpringFamily::rods(1.0 / 500.0)] {
            let error = apart(&step(method("constrained", &settings), &family), &newton);
            assert!(error < 1e-10, "geometric stiffness {geometric}: {error:e}");
        }
    }
}

#[test]
fn small_compliances_approach_the_rigid_rope() {
    let end = |compliance: f64| {
        let built = method("constrained", &[("tolerance", "1e-12")]);
        let mut simulation = Simulation::new(rope(8, 0.1, compliance), built, 0.01).unwrap();
        for _ in 0..30 {
            let end = simulation.step().unwrap().solve.unwrap().end;
            assert!(end.is_settled(), "{compliance:e}: {end}");
        }
        simulation.state().positions.clone()
    };
    let rigid = end(0.0);
    let errors = [1e-4, 1e-6, 1e-8, 1e-10, 1e-13, 1e-16].map(|alpha| apart(&end(alpha), &rigid));
    for pair in errors.windows(2) {
        assert!(pair[1] < pair[0] || pair[1] < 1e-9, "{errors:?}");
    }
    // To first order in the compliance.
    let ratio = errors[1] / errors[2];
    assert!((50.0..200.0).contains(&ratio), "{errors:?}");
    assert!(errors[5] < 1e-9, "{errors:?}");
}

#[test]
fn redundant_rods_are_named_and_do_no_harm() {
    // Each rod twice, and a stiff frame of six rods between four particles of one plane.
    let mut model = rope(6, 0.1, 0.0);
    for i in 0..6 {
        model.add_spring_of(i, i + 1, &SpringFamily::rods(0.0), None).unwrap();
    }
    let first = model.particles() as u32;
    for x in [p(0.0, -2.0, 0.0), p(1.0, -2.0, 0.0), p(1.0, -3.0, 0.0), p(0.0, -3.0, 0.0)] {
        model.add_particle(x, 0.2).unwrap();
    }
    for (i, j) in [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2), (1, 3)] {
        model.add_spring_of(first + i, first + j, &SpringFamily::rods(0.0), None).unwrap();
    }
    let mut simulation = Simulation::new(model, "constrained", 1.0 / 60.0).unwrap();
    for step in 0..120 {
        let report = simulation.step().unwrap();
        assert!(report.solve.unwrap().end.is_settled(), "step {step}: {:?}", report.solve);
        let redundant = &report.constraints.redundant;
        // The flat frame has one rod more than its motions; elements 12 to 17 are its rods.
        let of_rope = redundant.iter().filter(|found| found.element < 12).count();
        assert!(redundant.iter().all(|found| found.law == "rod"));
        assert_eq!((of_rope, redundant.len()), (6, 7), "step {step}: {redundant:?}");
        assert!(strain(&simulation) < 1e-8, "step {step}: {:e}", strain(&simulation));
    }
}

#[test]
fn rods_that_contradict_each_other_do_not_converge() {
    let mut model = rope(3, 0.1, 0.0);
    model.add_spring_of(2, 3, &SpringFamily::rods(0.0), Some(0.12)).unwrap();
    let mut simulation = Simulation::new(model, "constrained", 1.0 / 60.0).unwrap();
    for _ in 0..60 {
        let report = simulation.step().unwrap();
        let end = report.solve.unwrap().end;
        assert!(!end.is_settled(), "{end}");
        assert!(report.constraints.violation > 0.005);
        assert_eq!(report.constraints.redundant.len(), 1);
    }
    // The other rods hold, and nothing flies away.
    let x = &simulation.state().positions;
    assert!(((x[1] - x[0]).norm() - 0.1).abs() < 1e-3);
    assert!(x.iter().all(|x| x.norm() < 0.5), "{x:?}");
}

#[test]
fn rods_between_pins_are_left_out() {
    let mut model = rope(4, 0.1, 0.0);
    model.pin_at_rest(1).unwrap();
    // The pin goes away from its rod's length, which nothing can help.
    model.unpin(0);
    model.pin(0, [true; 3], Motion::still(p(-0.05, 0.0, 0.0))).unwrap();
    let mut simulation = Simulation::new(model, "constrained", 1.0 / 60.0).unwrap();
    for _ in 0..60 {
        let report = simulation.step().unwrap();
        assert!(report.solve.unwrap().end.is_settled(), "{:?}", report.solve);
        assert!(report.constraints.redundant.is_empty());
    }
    let x = &simulation.state().positions;
    for i in 1..4 {
        assert!(((x[i + 1] - x[i]).norm() - 0.1).abs() < 1e-8);
    }
}

#[test]
fn pins_along_single_axes_hold() {
    // A bead on a vertical wire swings a rod: x and z are held, y is free.
    let mut model = Model::new();
    model.add_particle(p(0.0, 1.0, 0.0), 1.0).unwrap();
    model.add_particle(p(0.6, 0.2, 0.0), 1.0).unwrap();
    model.add_spring_of(0, 1, &SpringFamily::rods(0.0), None).unwrap();
    model.pin(0, [true, false, true], Motion::still(p(0.0, 1.0, 0.0))).unwrap();
    model.pin(1, [false, true, false], Motion::still(p(0.6, 0.2, 0.0))).unwrap();
    let mut simulation = Simulation::new(model, "constrained", 0.005).unwrap();
    run(&mut simulation, 60);
    let x = &simulation.state().positions;
    assert!(((x[0] - x[1]).norm() - 1.0).abs() < 1e-9);
    assert_eq!([x[0].x, x[0].z, x[1].y], [0.0, 0.0, 0.2]);
    assert!(x[0].y < 0.9, "the node slides down: {:?}", x[0]);
}

#[test]
fn a_heavy_weight_on_a_light_chain_is_held() {
    let mut model = rope(30, 0.05, 0.0);
    model.set_mass(30, 500.0).unwrap();
    let mut simulation = Simulation::new(model, "constrained", 1.0 / 60.0).unwrap();
    for step in 0..180 {
        let report = simulation.step().unwrap();
        assert!(report.solve.unwrap().end.is_settled(), "step {step}: {:?}", report.solve);
        assert!(strain(&simulation) < 1e-8, "step {step}: {:e}", strain(&simulation));
    }
}

#[test]
fn a_hanging_rod_pulls_its_pin_with_its_weight() {
    let mut model = Model::new();
    model.add_particle(Vec3::ZERO, 1.0).unwrap();
    model.add_particle(p(0.0, -1.0, 0.0), 3.0).unwrap();
    model.add_spring_of(0, 1, &SpringFamily::rods(0.0), None).unwrap();
    model.pin_at_rest(0).unwrap();
    let mut simulation = Simulation::new(model, "constrained", 0.01).unwrap();
    run(&mut simulation, 10);
    let reaction = simulation.report().reactions[0];
    assert!((reaction - p(0.0, 4.0 * 9.81, 0.0)).norm() < 1e-9, "{reaction:?}");
}

#[test]
fn methods_of_energies_refuse_rigid_rods_and_say_what_would_do() {
    for info in methods::METHODS {
        let built = Simulation::new(rope(3, 0.1, 0.0), info.name, 0.01);
        if info.accepts_hard_constraints() {
            assert!(built.is_ok(), "{}", info.name);
            continue;
        }
        let Err(refusal) = built else { panic!("{} takes a rigid rod", info.name) };
        let sentence = refusal.to_string();
        assert!(sentence.starts_with("rod 0 is rigid"), "{sentence}");
        for info in methods::METHODS {
            assert_eq!(
                sentence.contains(info.name),
                info.accepts_hard_constraints(),
                "{}: {sentence}",
                info.name
            );
        }
    }
    // With a compliance they run, and becoming rigid later is refused before the next step.
    let mut simulation = Simulation::new(rope(3, 0.1, 1e-3), "newton", 0.01).unwrap();
    run(&mut simulation, 3);
    simulation
        .model_mut()
        .set_material(hooke::model::MaterialId { batch: 0, group: 0 }, &[0.0])
        .unwrap();
    assert!(simulation.step().unwrap_err().to_string().contains("constrained"));
    simulation.set_method(method("constrained", &[])).unwrap();
    run(&mut simulation, 3);
    assert!(strain(&simulation) < 1e-8);
}

#[test]
fn rods_are_the_same_on_any_threads_and_near_on_any_kernels() {
    let ends = |threads: usize, kernels: Kernels| {
        let grid = Grid {
            structural: Some(SpringFamily::rods(0.0)),
            shear: None,
            bend: None,
            ..Grid::square(12)
        };
        let mut model = Model::new();
        let grid = grid.add_to(&mut model).unwrap();
        model.pin_at_rest(grid.at(0, 0)).unwrap();
        model.pin_at_rest(grid.at(11, 11)).unwrap();
        let mut simulation = Simulation::new(model, "constrained", 0.01).unwrap();
        simulation.set_threads(threads);
        simulation.set_kernels(kernels);
        run(&mut simulation, 20);
        assert!(simulation.report().solve.unwrap().end.is_settled());
        simulation.state().clone()
    };
    for kernels in [Kernels::Native, Kernels::Portable] {
        assert_eq!(ends(1, kernels), ends(4, kernels), "{kernels:?}");
    }
    let [native, portable] = [Kernels::Native, Kernels::Portable].map(|kernels| ends(1, kernels));
    let error = apart(&native.positions, &portable.positions);
    assert!(error < 1e-6, "{error:e}");
}
