//! All springs of a model in one kernel, against the laws' own formulas, and in `f32`.

use crate::common::*;
use hooke::compute::At;
use hooke::{End, Kernels, Model, Simulation, State, Substeps, Vec3};

/// Particles joined at random by springs of both laws, some of no length, some doubled, one particle
/// by far the most often.
fn tangle(particles: usize, springs: usize, seed: u64) -> (Model, State) {
    let mut numbers = Numbers(seed);
    let mut number = || numbers.next();
    let mut model = Model::new();
    for _ in 0..particles {
        let place = p(number(), number(), number());
        model.add_particle(place, 1.0 + 0.5 * number()).unwrap();
    }
    for spring in 0..springs {
        let pick =
            |value: f64| (((value + 1.0) * 0.5 * particles as f64) as usize).min(particles - 1);
        let (i, j) = (if spring % 5 == 0 { particles - 1 } else { pick(number()) }, pick(number()));
        if i == j {
            continue;
        }
        let law =
            hooke::laws::find(if spring % 3 == 0 { "strain-spring" } else { "spring" }).unwrap();
        let rest = [if spring % 7 == 0 && spring % 3 != 0 { 0.0 } else { 1.5 + number() }];
        let corners = [i as u32, j as u32];
        model.add_element(law, &corners, Some(&rest), &[10.0 + 9.0 * number()]).unwrap();
    }
    let mut state = State::at_rest(&model);
    for x in &mut state.positions {
        *x += p(number(), number(), number()) * 0.3;
    }
    // Two particles in one place: a spring between them has no direction.
    state.positions[0] = state.positions[1];
    (model, state)
}

/// Σ E and ∂E/∂x, element by element.
fn one_by_one(model: &Model, x: &[Vec3]) -> (f64, Vec<Vec3>) {
    let (mut energy, mut gradient) = (0.0, vec![Vec3::ZERO; x.len()]);
    for batch in model.elements() {
        for element in 0..batch.len() {
            let view = batch.view(element);
            let [i, j] = [view.corners[0] as usize, view.corners[1] as usize];
            let length = view.rest[0];
            let strain = batch.law().name == "strain-spring";
            let k = if strain { view.material[0] / length } else { view.material[0] };
            let along = x[i] - x[j];
            energy += 0.5 * k * (along.norm() - length) * (along.norm() - length);
            let pull = along.unit() * (k * (along.norm() - length));
            gradient[i] += pull;
            gradient[j] -= pull;
        }
    }
    (energy, gradient)
}

#[test]
fn one_kernel_computes_what_the_laws_say() {
    for (particles, springs) in [(2, 1), (3, 9), (8, 30), (9, 40), (17, 300), (1000, 9000)] {
        let (model, state) = tangle(particles, springs, particles as u64);
        let tangled = || tangle(particles, springs, particles as u64).0;
        let (energy, gradient) = one_by_one(&model, &state.positions);
        let batches: f64 = model
            .elements()
            .iter()
            .map(|batch| {
                batch.energy(At { x: &state.positions, anchors: &[] }, &hooke::ThreadPool::new(1))
            })
            .sum();
        let greatest = gradient.iter().map(|g| g.norm()).fold(1.0, f64::max);
        for (kernels, precision, off) in [
            (Kernels::Native, "exact", 1e-13),
            (Kernels::Portable, "exact", 1e-13),
            (Kernels::Native, "interactive", 1e-5),
            (Kernels::Portable, "interactive", 1e-5),
        ] {
            let method = method("symplectic-euler", &[("precision", precision)]);
            let h = 1e-3;
            let mut simulation =
                Simulation::with_substeps(tangled(), method, h, Substeps::Fixed(1)).unwrap();
            simulation.set_kernels(kernels);
            simulation.set_state(state.clone()).unwrap();
            let told = simulation.report().energy.elastic;
            assert!((told - energy).abs() <= 1e-12 * energy, "{particles}: {told} {energy}");
            assert!((told - batches).abs() <= 1e-12 * energy, "{particles}: {told} {batches}");
            simulation.step().unwrap();
            for (i, gradient) in gradient.iter().enumerate() {
                let force = simulation.state().velocities[i] * (model.masses()[i] / h);
                let error = (model.load(i) - force - *gradient).norm() / greatest;
                assert!(error < off, "{particles} {kernels:?} {precision} {i}: {error:e}");
            }
        }
    }
}

/// A crumpled sheet: its springs lie at a few distances in the numbering.
fn sheet(across: u32) -> (Model, State) {
    let mut model = Model::new();
    hooke::Grid { across: p(1.3, 0.2, 0.1), ..hooke::Grid::square(across) }
        .add_to(&mut model)
        .unwrap();
    let mut state = State::at_rest(&model);
    let mut numbers = Numbers(u64::from(across));
    for x in &mut state.positions {
        *x += p(numbers.next(), numbers.next(), numbers.next()) * 0.05;
    }
    (model, state)
}

#[test]
fn sheets_feel_what_the_laws_say() {
    for across in [3, 7, 16, 31] {
        let (model, state) = sheet(across);
        let (energy, gradient) = one_by_one(&model, &state.positions);
        let greatest = gradient.iter().map(|g| g.norm()).fold(1.0, f64::max);
        for (kernels, precision, off) in [
            (Kernels::Native, "exact", 1e-13),
            (Kernels::Portable, "exact", 1e-13),
            (Kernels::Native, "interactive", 1e-5),
            (Kernels::Portable, "interactive", 1e-5),
        ] {
            let (method, h) = (method("symplectic-euler", &[("precision", precision)]), 1e-3);
            let sheet = sheet(across).0;
            let mut simulation =
                Simulation::with_substeps(sheet, method, h, Substeps::Fixed(1)).unwrap();
            simulation.set_kernels(kernels);
            simulation.set_state(state.clone()).unwrap();
            let told = simulation.report().energy.elastic;
            assert!((told - energy).abs() <= 1e-12 * energy, "{across}: {told} {energy}");
            simulation.step().unwrap();
            for (i, gradient) in gradient.iter().enumerate() {
                let force = simulation.state().velocities[i] * (model.masses()[i] / h);
                let error = (model.load(i) - force - *gradient).norm() / greatest;
                assert!(error < off, "{across} {kernels:?} {precision} {i}: {error:e}");
            }
        }
    }
}

#[test]
fn a_step_after_an_edit_is_that_of_a_new_simulation() {
    let soften = |model: &mut Model| {
        model.set_material(hooke::model::MaterialId { batch: 0, group: 0 }, &[3.0]).unwrap()
    };
    let step = |simulation: &mut Simulation| {
        simulation.step().unwrap();
        simulation.state().digest()
    };
    let (model, state) = sheet(9);
    let mut edited = Simulation::new(model, "symplectic-euler", 1e-4).unwrap();
    edited.set_state(state).unwrap();
    step(&mut edited);
    let between = edited.state().clone();
    soften(edited.model_mut());
    let (mut model, _) = sheet(9);
    soften(&mut model);
    let mut new = Simulation::new(model, "symplectic-euler", 1e-4).unwrap();
    new.set_state(between.clone()).unwrap();
    assert_eq!(step(&mut edited), step(&mut new));
    let mut stiff = Simulation::new(sheet(9).0, "symplectic-euler", 1e-4).unwrap();
    stiff.set_state(between).unwrap();
    assert_ne!(step(&mut stiff), new.state().digest());
}

#[test]
fn a_step_after_one_that_was_not_taken_starts_from_the_state() {
    let (model, state) = sheet(9);
    let gravity = model.gravity();
    let mut failed = Simulation::new(model, "symplectic-euler", 1e-4).unwrap();
    failed.set_state(state.clone()).unwrap();
    failed.model_mut().set_gravity(gravity * 1e170).unwrap();
    assert!(failed.step().is_err());
    assert_eq!(failed.state().positions, state.positions);
    failed.model_mut().set_gravity(gravity).unwrap();
    failed.step().unwrap();
    let mut new = Simulation::new(sheet(9).0, "symplectic-euler", 1e-4).unwrap();
    new.set_state(state).unwrap();
    new.step().unwrap();
    assert_eq!(failed.state().digest(), new.state().digest());
}

#[test]
fn the_worst_strain_is_found() {
    let (model, state) = tangle(300, 2000, 5);
    let mut worst = (0.0, "", 0);
    for batch in model.elements() {
        for element in 0..batch.len() {
            let view = batch.view(element);
            let [i, j] = [view.corners[0] as usize, view.corners[1] as usize];
            let length = (state.positions[i] - state.positions[j]).norm();
            let strain = length / view.rest[0] - 1.0;
            if view.rest[0] > 0.0 && strain.abs() > f64::abs(worst.0) {
                worst = (strain, batch.law().name, element);
            }
        }
    }
    let mut simulation = Simulation::new(model, "quasi-newton", 1e-3).unwrap();
    for kernels in [Kernels::Native, Kernels::Portable] {
        simulation.set_kernels(kernels);
        simulation.set_state(state.clone()).unwrap();
        let strain = simulation.report().strain.unwrap();
        assert!((strain.value - worst.0).abs() < 1e-12, "{strain:?} {worst:?}");
        assert_eq!((strain.law, strain.element), (worst.1, worst.2), "{kernels:?}");
    }
}

#[test]
fn interactive_ends_where_rounding_ends_it() {
    let end = |precision: &str| {
        let settings = [("precision", precision), ("iterations", "5000"), ("tolerance", "0")];
        let method = method("quasi-newton", &settings);
        let mut simulation = Simulation::new(cloth(12), method, 0.01).unwrap();
        run(&mut simulation, 2);
        (simulation.report().solve.unwrap(), simulation.state().positions.clone())
    };
    let (exact, x) = end("exact");
    let (interactive, there) = end("interactive");
    assert_eq!((exact.end, interactive.end), (End::Rounding, End::Rounding));
    assert!(interactive.residual > 100.0 * exact.residual, "{interactive:?} {exact:?}");
    let off = apart(&x, &there);
    assert!(off > 0.0 && off < 1e-4, "{off:e}");
}

#[test]
fn what_is_at_rest_feels_no_force() {
    for kernels in [Kernels::Native, Kernels::Portable] {
        let mut model = Model::new();
        model.set_gravity(Vec3::ZERO).unwrap();
        hooke::Grid { across: p(1.3, 0.2, 0.1), ..hooke::Grid::square(23) }
            .add_to(&mut model)
            .unwrap();
        let mut simulation = Simulation::new(model, "symplectic-euler", 1e-4).unwrap();
        simulation.set_kernels(kernels);
        run(&mut simulation, 3);
        assert!(simulation.state().velocities.iter().all(|v| *v == Vec3::ZERO), "{kernels:?}");
    }
}

#[test]
fn a_stiff_cloth_falls_alike_in_f32() {
    let fall = |precision: &str| {
        let mut model = Model::new();
        let cloth = hooke::Grid::square(47).add_to(&mut model).unwrap();
        for corner in [cloth.at(0, 0), cloth.at(46, 0)] {
            model.pin_at_rest(corner).unwrap();
        }
        let settings = [("iterations", "100"), ("precision", precision)];
        let mut simulation =
            Simulation::new(model, method("quasi-newton", &settings), 1.0 / 30.0).unwrap();
        for _ in 0..6 {
            simulation.step().unwrap();
        }
        simulation.state().positions.clone()
    };
    let (exact, interactive) = (fall("exact"), fall("interactive"));
    let fallen = exact.iter().map(|x| -x.y).fold(0.0, f64::max);
    let apart = exact.iter().zip(&interactive).map(|(a, b)| (*a - *b).norm()).fold(0.0, f64::max);
    assert!(fallen > 0.1 && apart < 0.01 * fallen, "fallen {fallen}, apart {apart}");
}
