//! Newton's method: what it starts from, what it reports, and how the textbook form fails.

use crate::common::*;
use hooke::model::SpringFamily;
use hooke::{End, Grid, Model, Simulation, State, Vec3};

/// A cloth crumpled at random, so that many springs are compressed.
fn crumpled(n: u32) -> (Model, State) {
    let mut model = Model::new();
    let grid = Grid { down: p(0.0, 0.0, 1.0), ..Grid::square(n) };
    grid.add_to(&mut model).unwrap();
    model.pin_at_rest(0).unwrap();
    let mut state = State::at_rest(&model);
    let mut numbers = Numbers(3);
    for x in &mut state.positions[1..] {
        *x = *x * 0.8 + numbers.point() * (0.4 / f64::from(n));
    }
    (model, state)
}

#[test]
fn graded_projection_needs_far_fewer_iterations_than_eager() {
    let mut totals = [0, 0];
    for n in [8, 12, 16] {
        for (total, projection) in totals.iter_mut().zip(["graded", "eager"]) {
            let (model, state) = crumpled(n);
            let settings = [("projection", projection), ("iterations", "500")];
            let mut simulation = simulation(model, method("newton", &settings), 1.0 / 30.0, state);
            for _ in 0..10 {
                let solve = simulation.step().unwrap().solve.unwrap();
                assert_eq!(solve.end, End::Converged, "{projection} {n}");
                *total += solve.iterations;
            }
        }
    }
    assert!(2 * totals[0] < totals[1], "graded {}, eager {}", totals[0], totals[1]);
}

#[test]
fn the_objective_never_rises_with_a_line_search() {
    let (model, state) = crumpled(10);
    let mut last = f64::INFINITY;
    for iterations in 0..12 {
        let (count, tolerance) = (iterations.to_string(), "0");
        let settings = [("iterations", &count[..]), ("tolerance", tolerance)];
        let (model, state) = (crumpled(10).0, state.clone());
        let mut simulation = simulation(model, method("newton", &settings), 1.0 / 30.0, state);
        simulation.step().unwrap();
        let solve = simulation.report().solve.unwrap();
        assert!(solve.g <= last * (1.0 + 1e-12), "{iterations}: {} after {last}", solve.g);
        assert!(iterations == 0 || solve.iterations == iterations || solve.end == End::Converged);
        last = solve.g;
    }
    assert!(model.particles() == 100);
}

/// A light mass on a stiff spring, compressed to length `r` of 1 and thrown sideways.
fn compressed(r: f64, settings: &[(&str, &str)]) -> (hooke::Solve, Vec<f64>) {
    let mut model = Model::new();
    model.set_gravity(Vec3::ZERO).unwrap();
    model.add_particle(Vec3::ZERO, 1.0).unwrap();
    model.add_particle(p(r, 0.0, 0.0), 1.0).unwrap();
    model.add_spring(0, 1, 100.0, Some(1.0)).unwrap();
    model.pin_at_rest(0).unwrap();
    let mut state = State::at_rest(&model);
    state.velocities[1] = p(0.0, 2.0, 0.0);
    let settings = [&[("start", "current")], settings].concat();
    let mut simulation = simulation(model, method("newton", &settings), 1.0, state);
    simulation.step().unwrap();
    (simulation.report().solve.unwrap(), simulation.report().residuals.clone())
}

#[test]
fn the_textbook_iteration_fails_where_the_safeguarded_one_converges() {
    let textbook = [("line_search", "false"), ("projection", "off")];
    // Just definite: the transverse stiffness is 1e-4 N/m and the first step leaps away.
    let r = 1.0 / 1.009999;
    let (_, residuals) = compressed(r, &textbook);
    let rise = residuals.iter().copied().fold(0.0, f64::max) / residuals[0];
    assert!(rise > 1e4, "{residuals:?}");
    let (safe, residuals) = compressed(r, &[]);
    assert_eq!(safe.end, End::Converged, "{residuals:?}");
    let rise = residuals.iter().copied().fold(0.0, f64::max) / residuals[0];
    assert!(rise < 100.0, "{residuals:?}");

    // Indefinite: the textbook iteration has no factor at all.
    let (textbook, _) = compressed(0.5, &textbook);
    assert_eq!(textbook.end, End::Factorization, "{textbook:?}");
    assert!(textbook.indefinite);
    let (safe, _) = compressed(0.5, &[]);
    assert_eq!(safe.end, End::Converged, "{safe:?}");
    assert!(safe.indefinite && safe.kept < 1.0, "{safe:?}");
}

#[test]
fn what_rests_stays_at_rest_for_any_iteration_count() {
    // A mass hanging from a spring in balance.
    for name in ["newton", "quasi-newton", "vbd", "implicit-midpoint"] {
        for iterations in ["0", "1", "3"] {
            let mut model = Model::new();
            model.set_gravity(p(0.0, -10.0, 0.0)).unwrap();
            model.add_particle(Vec3::ZERO, 1.0).unwrap();
            model.add_particle(p(0.0, -1.1, 0.0), 1.0).unwrap();
            model.add_spring(0, 1, 100.0, Some(1.0)).unwrap();
            model.pin_at_rest(0).unwrap();
            let start = State::at_rest(&model);
            let mut simulation =
                simulation(model, method(name, &[("iterations", iterations)]), 1.0 / 30.0, start);
            run(&mut simulation, 100);
            let moved = (simulation.state().positions[1] - p(0.0, -1.1, 0.0)).norm();
            assert!(moved < 1e-9, "{name} {iterations}: {moved:e}");
        }
    }
}

#[test]
fn a_fall_is_followed_without_iterations() {
    let mut model = Model::new();
    let family = SpringFamily::stiffness(100.0);
    Grid { structural: Some(family), ..Grid::square(5) }.add_to(&mut model).unwrap();
    let mut simulation = Simulation::new(model, "newton", 0.01).unwrap();
    run(&mut simulation, 20);
    // Free fall is the start of the solve from the second step on.
    assert_eq!(simulation.report().solve.unwrap().iterations, 0);
    let v = simulation.state().velocities[12].y;
    assert!((v + 0.2 * 9.81).abs() < 1e-9, "{v}");
}

#[test]
fn iteration_caps_are_honest() {
    for name in ["newton", "quasi-newton", "vbd"] {
        let (model, state) = crumpled(8);
        let settings = [("iterations", "1"), ("tolerance", "1e-12")];
        let mut simulation = simulation(model, method(name, &settings), 1.0 / 30.0, state);
        let solve = simulation.step().unwrap().solve.unwrap();
        assert_eq!((solve.end, solve.iterations), (End::Cap, 1), "{name}");
        assert!(solve.relative() > 1e-12 && solve.relative().is_finite());
    }
}

#[test]
fn stiffness_1e15_under_every_implicit_method() {
    for name in names() {
        let mut model = Model::new();
        for i in 0..5 {
            model.add_particle(p(f64::from(i) * 0.1, 0.0, 0.0), 0.01).unwrap();
        }
        for i in 0..4 {
            model.add_spring(i, i + 1, 1e15, None).unwrap();
        }
        model.pin_at_rest(0).unwrap();
        match Simulation::new(model, name, 0.01) {
            Ok(mut simulation) => {
                for _ in 0..20 {
                    if simulation.step().is_err() {
                        break;
                    }
                    assert_eq!(simulation.state().first_not_finite(), None, "{name}");
                }
            }
            Err(refusal) => assert!(
                refusal.to_string().contains("would do") || refusal.to_string().contains("Euler")
            ),
        }
    }
}

#[test]
fn strong_dashpots_converge_to_rounding() {
    let mut model = Model::new();
    model.set_gravity(Vec3::ZERO).unwrap();
    model.add_particle(Vec3::ZERO, 1.0).unwrap();
    model.add_particle(p(1.3, 0.4, 0.0), 1.0).unwrap();
    model.add_spring(0, 1, 100.0, Some(1.0)).unwrap();
    let dashpot = hooke::dampers::find("dashpot").unwrap();
    model.add_damper(dashpot, &[0, 1], None, &[1e6]).unwrap();
    let mut state = State::at_rest(&model);
    state.velocities[1] = p(0.3, 2.0, 0.0);
    let mut simulation = simulation(model, method("newton", &[]), 1e-3, state);
    for _ in 0..20 {
        let solve = simulation.step().unwrap().solve.unwrap();
        assert_eq!(solve.end, End::Converged, "{solve:?}");
    }
}

#[test]
fn conjugate_gradients_with_tolerance_zero_still_step() {
    for solver in ["cg", "pcg-jacobi", "pcg-incomplete", "pcg-filtered"] {
        let settings = [("solver", solver), ("cg_tolerance", "0")];
        let mut simulation = Simulation::new(cloth(6), method("newton", &settings), 0.01).unwrap();
        for _ in 0..5 {
            let solve = simulation.step().unwrap().solve.unwrap();
            assert_eq!(solve.end, End::Converged, "{solver}: {solve:?}");
        }
    }
}

#[test]
fn numbers_beyond_the_finite_are_no_convergence() {
    let mut model = cloth(3);
    model.set_gravity(p(0.0, -1e170, 0.0)).unwrap();
    for name in ["newton", "quasi-newton", "vbd"] {
        let mut model = cloth(3);
        model.set_gravity(p(0.0, -1e170, 0.0)).unwrap();
        let mut simulation = Simulation::new(model, name, 0.01).unwrap();
        assert!(simulation.step().is_err(), "{name}");
        assert_eq!(simulation.state().first_not_finite(), None);
    }
    assert!(model.set_gravity(p(f64::NAN, 0.0, 0.0)).is_err());
}

#[test]
fn saddles_are_left_quickly() {
    // A straight rope pushed together: it must find out that it can bend.
    let mut model = Model::new();
    model.set_gravity(Vec3::ZERO).unwrap();
    for i in 0..21 {
        model.add_particle(p(f64::from(i) * 0.049, 0.0, 1e-7 * f64::from(i % 3)), 0.01).unwrap();
    }
    for i in 0..20 {
        model.add_spring(i, i + 1, 2e3, Some(0.05)).unwrap();
    }
    model.pin_at_rest(0).unwrap();
    model.pin_at_rest(20).unwrap();
    let start = State::at_rest(&model);
    let mut simulation = simulation(model, method("newton", &[]), 1.0 / 30.0, start);
    let solve = simulation.step().unwrap().solve.unwrap();
    assert!(matches!(solve.end, End::Converged | End::Rounding), "{solve:?}");
    assert!(solve.indefinite && solve.iterations < 60, "{solve:?}");
    let bent = simulation.state().positions.iter().map(|x| x.z.abs()).fold(0.0, f64::max);
    assert!(bent > 1e-3, "{bent}");
}
