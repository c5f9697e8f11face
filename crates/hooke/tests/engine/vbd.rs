//! Vertex block descent: the minimum is Newton's, and g never rises on the way.

use crate::common::*;
use hooke::laws::{self, LawInfo};
use hooke::model::{Motion, SpringDamping, SpringFamily, Stiffness};
use hooke::{End, Grid, Kernels, Model, Simulation, State, Vec3};

/// Six particles with two elements of a law, a weak spring to the ground, and a lively start.
fn with_law(law: &LawInfo) -> (Model, State) {
    let mut model = Model::new();
    let at = [
        p(0.0, 0.0, 0.0),
        p(1.0, 0.1, 0.0),
        p(0.2, 0.9, 0.1),
        p(0.3, 0.2, 1.1),
        p(1.1, 0.8, 0.9),
        p(-0.4, 1.2, 0.8),
    ];
    // Bending is told from flat hinges.
    let bending = law.name.contains("bending");
    for (k, x) in at.into_iter().enumerate() {
        let x = match (bending, k) {
            (true, 3) => p(0.6, -0.8, 0.0),
            (true, _) => p(x.x, x.y, 0.0),
            (false, _) => x,
        };
        model.add_particle(x, 1.0 + 0.2 * k as f64).unwrap();
    }
    // A rod has an energy once it yields.
    let value = |param: &laws::Param| if law.name == "rod" { 1e-3 } else { param.default };
    let material: Vec<f64> = law.params.iter().map(value).collect();
    let place = model.add_anchor(Motion::still(p(0.4, -0.3, 0.2))).unwrap();
    for first in 0..2u32 {
        let corners: Vec<u32> = (first..first + law.corners as u32).collect();
        let mut rest = vec![0.7; law.rest_values];
        if law.more_corners {
            rest[0] = -0.7 * (law.rest_values - 1) as f64;
        }
        let added = model.add_element(law, &corners, None, &material).is_ok()
            || model.add_anchored(law, first, place, &material).is_ok()
            || model.add_element(law, &corners, Some(&rest), &material).is_ok();
        assert!(added, "{}", law.name);
    }
    for i in 0..5 {
        model.add_spring(i, i + 1, 30.0, None).unwrap();
    }
    let dashpot = hooke::dampers::find("dashpot").unwrap();
    model.add_damper(dashpot, &[1, 4], None, &[2.0]).unwrap();
    model.pin(5, [true, false, true], Motion::still(model.rest()[5])).unwrap();
    let mut state = State::at_rest(&model);
    let mut numbers = Numbers(11);
    for (x, v) in state.positions.iter_mut().zip(&mut state.velocities).take(5) {
        *x += numbers.point() * 0.05;
        *v = numbers.point();
    }
    (model, state)
}

#[test]
fn newton_and_vbd_agree_on_every_law() {
    // A volume couples all its vertices: vbd refuses it.
    for law in laws::LAWS.iter().filter(|law| !law.surface) {
        let one_step = |name: &str| {
            let (model, state) = with_law(law);
            let settings = [("tolerance", "0"), ("iterations", "20000")];
            let mut simulation = simulation(model, method(name, &settings), 0.01, state);
            run(&mut simulation, 1);
            let solve = simulation.report().solve.unwrap();
            assert!(solve.relative() < 1e-9, "{name} {}: {solve:?}", law.name);
            simulation.state().positions.clone()
        };
        let error = apart(&one_step("newton"), &one_step("vbd"));
        assert!(error < 1e-9, "{}: {error:e}", law.name);
    }
}

/// A cloth crumpled at random, damped, so that many springs are compressed.
fn crumpled(n: u32, damped: bool, bent: bool) -> (Model, State) {
    let mut model = Model::new();
    let family = SpringFamily {
        stiffness: Stiffness::PerLength(2e3),
        damping: if damped { SpringDamping::PerVelocity(0.5) } else { SpringDamping::None },
    };
    let down = p(0.0, 0.0, 1.0);
    let grid = Grid { down, structural: Some(family), ..Grid::square(n) };
    grid.add_to(&mut model).unwrap();
    if bent {
        let membrane = laws::find("stvk-membrane").unwrap();
        for triangle in model.triangles().to_vec() {
            model.add_element(membrane, &triangle, None, &[1e5, 0.3, 1e-3]).unwrap();
        }
    }
    model.pin_at_rest(0).unwrap();
    let mut state = State::at_rest(&model);
    let mut numbers = Numbers(3);
    for x in &mut state.positions[1..] {
        *x = *x * 0.7 + numbers.point() * (0.8 / f64::from(n));
    }
    (model, state)
}

#[test]
fn the_objective_never_rises() {
    for (damped, bent) in [(false, false), (true, false), (true, true)] {
        for accelerator in ["none", "chebyshev"] {
            for kernels in [Kernels::Native, Kernels::Portable] {
                let (model, state) = crumpled(10, damped, bent);
                let mut simulation = simulation(model, method("vbd", &[]), 1.0 / 30.0, state);
                simulation.set_kernels(kernels);
                let start = simulation.snapshot();
                let (mut last, mut first) = (f64::INFINITY, f64::NAN);
                for iterations in 0..40 {
                    let count = iterations.to_string();
                    let settings = [
                        ("iterations", &count[..]),
                        ("tolerance", "0"),
                        ("accelerator", accelerator),
                        ("radius", "0.99"),
                        ("start", "prediction"),
                    ];
                    simulation.set_method(method("vbd", &settings)).unwrap();
                    simulation.restore(&start).unwrap();
                    let solve = simulation.step().unwrap().solve.unwrap();
                    assert_eq!((solve.end, solve.iterations), (End::Cap, iterations));
                    let allowed = last + 1e-12 * last.abs();
                    assert!(solve.g <= allowed, "{iterations} {accelerator}: {} {last}", solve.g);
                    first = if iterations == 0 { solve.g } else { first };
                    last = solve.g;
                }
                assert!(last < 0.2 * first, "{first} {last}");
            }
        }
    }
}

#[test]
fn over_relaxation_needs_fewer_sweeps() {
    let sweeps = |settings: &[(&str, &str)]| {
        let settings = [&[("iterations", "20000"), ("tolerance", "1e-6")], settings].concat();
        let mut simulation = Simulation::new(cloth(12), method("vbd", &settings), 0.01).unwrap();
        let mut total = 0;
        for _ in 0..5 {
            let solve = simulation.step().unwrap().solve.unwrap();
            assert_eq!(solve.end, End::Converged);
            total += solve.iterations;
        }
        total
    };
    let plain = sweeps(&[]);
    let estimated = sweeps(&[("accelerator", "chebyshev")]);
    let set = sweeps(&[("accelerator", "chebyshev"), ("radius", "0.98")]);
    assert!(2 * estimated < plain && 2 * set < plain, "{plain} {estimated} {set}");
}

#[test]
fn residuals_hold_the_first_and_the_last() {
    let settings = [("iterations", "7"), ("tolerance", "0")];
    let mut simulation = Simulation::new(cloth(6), method("vbd", &settings), 0.02).unwrap();
    run(&mut simulation, 3);
    let report = simulation.report();
    let solve = report.solve.unwrap();
    assert_eq!((solve.end, solve.iterations, report.residuals.len()), (End::Cap, 7, 2));
    assert_eq!(report.residuals[1], solve.residual);
    assert!(report.residuals[1] < report.residuals[0]);
}

/// Sweeps as a textbook writes them, over springs alone: vertex after vertex, each by Newton's step with
/// `H = m/h² + Σ k (d dᵀ + c (1 − d dᵀ))`, c = 1 − l/r, or no less than zero where `projected`.
fn textbook(model: &Model, state: &State, h: f64, sweeps: usize, projected: bool) -> Vec<Vec3> {
    let (masses, gravity) = (model.masses(), model.gravity());
    let moved = state.positions.iter().zip(&state.velocities);
    let y: Vec<Vec3> = moved.map(|(&x, &v)| x + v * h + gravity * (h * h)).collect();
    let mut x = y.clone();
    let mut springs = Vec::new();
    for batch in model.elements() {
        assert!(batch.law().springs);
        for e in 0..batch.len() {
            let view = batch.view(e);
            let ends = [view.corners[0] as usize, view.corners[1] as usize];
            springs.push((ends, view.material[0], view.rest[0]));
        }
    }
    for pin in model.pins() {
        x[pin.particle.index()] = state.positions[pin.particle.index()];
    }
    for _ in 0..sweeps {
        for i in 0..x.len() {
            if model.fixed()[i] == [true; 3] {
                continue;
            }
            let inertia = masses[i] / (h * h);
            let mut gradient = (x[i] - y[i]) * inertia;
            let mut hessian = [[0.0; 3]; 3];
            (0..3).for_each(|a| hessian[a][a] = inertia);
            for &([a, b], k, l) in springs.iter().filter(|(ends, ..)| ends.contains(&i)) {
                let other = if a == i { b } else { a };
                let way = x[i] - x[other];
                let (r, d) = (way.norm(), way.unit());
                gradient += d * (k * (r - l));
                let across = if projected { (1.0 - l / r).max(0.0) } else { 1.0 - l / r };
                for a in 0..3 {
                    hessian[a][a] += k * across;
                    for b in 0..3 {
                        hessian[a][b] += k * (1.0 - across) * d[a] * d[b];
                    }
                }
            }
            x[i] -= solved(hessian, gradient.to_array()).into();
        }
    }
    x
}

/// `A⁻¹ b` by elimination with pivots.
fn solved(mut a: [[f64; 3]; 3], mut b: [f64; 3]) -> [f64; 3] {
    for k in 0..3 {
        let pivot = (k..3).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs())).unwrap();
        a.swap(k, pivot);
        b.swap(k, pivot);
        for i in k + 1..3 {
            let factor = a[i][k] / a[k][k];
            for j in k..3 {
                a[i][j] -= factor * a[k][j];
            }
            b[i] -= factor * b[k];
        }
    }
    for k in (0..3).rev() {
        for j in k + 1..3 {
            b[k] -= a[k][j] * b[j];
        }
        b[k] /= a[k][k];
    }
    b
}

/// Where a step of `vbd` with so many sweeps leads.
fn swept(settings: &[(&str, &str)], (model, state): (Model, State), h: f64) -> Vec<Vec3> {
    let plain = [("tolerance", "0"), ("start", "prediction"), ("energy_guard", "false")];
    let settings = [&plain[..], settings].concat();
    let mut simulation = simulation(model, method("vbd", &settings), h, state);
    simulation.step().unwrap();
    simulation.state().positions.clone()
}

#[test]
fn sweeps_of_a_textbook_are_reproduced() {
    let h = 0.01;
    for sweeps in [1, 2, 7] {
        let count = sweeps.to_string();
        let run = |order, hessian, start: (Model, State)| {
            swept(&[("iterations", &count), ("order", order), ("hessian", hessian)], start, h)
        };
        // Crumpled: many springs are compressed, and blocks are indefinite.
        let (model, state) = crumpled(9, false, false);
        let exact = textbook(&model, &state, h, sweeps, false);
        let start = || crumpled(9, false, false);
        let far = apart(&run("given", "exact", start()), &exact);
        // Steps of nearly singular blocks are long and carry rounding on from sweep to sweep.
        let rounding = if sweeps <= 2 { 1e-11 } else { 1e-8 };
        assert!(far < rounding, "{sweeps} sweeps: {far:e} m");
        assert!(apart(&run("colored", "exact", start()), &exact) > 1e-6);
        assert!(apart(&run("given", "projected", start()), &exact) > 1e-6);
        // Stretched a little: every projected step falls, so none is made shorter.
        let stretched = || {
            let (model, mut state) = crumpled(9, false, false);
            let rest = model.rest().to_vec();
            let mut numbers = Numbers(5);
            for (x, rest) in state.positions.iter_mut().zip(rest).skip(1) {
                *x = rest * 1.02 + numbers.point() * 1e-4;
            }
            (model, state)
        };
        let (model, state) = stretched();
        let projected = textbook(&model, &state, h, sweeps, true);
        let far = apart(&run("given", "projected", stretched()), &projected);
        assert!(far < 1e-11, "{sweeps} projected sweeps: {far:e} m");
    }
}

#[test]
fn orders_and_hessians_share_one_minimum() {
    for (damped, bent) in [(false, false), (true, true)] {
        let one_step = |order: &str, hessian: &str| {
            let (model, _) = crumpled(6, damped, bent);
            let mut state = State::at_rest(&model);
            let mut numbers = Numbers(7);
            state.velocities[1..].iter_mut().for_each(|v| *v = numbers.point());
            let settings = [
                ("tolerance", "1e-12"),
                ("iterations", "20000"),
                ("order", order),
                ("hessian", hessian),
            ];
            let mut simulation = simulation(model, method("vbd", &settings), 0.005, state);
            let solve = simulation.step().unwrap().solve.unwrap();
            assert!(solve.end.is_settled(), "{order} {hessian}: {solve:?}");
            simulation.state().positions.clone()
        };
        let wanted = one_step("colored", "projected");
        for (order, hessian) in [("given", "projected"), ("colored", "exact"), ("given", "exact")] {
            let far = apart(&one_step(order, hessian), &wanted);
            assert!(far < 1e-8, "{order} {hessian}: {far:e} m");
        }
    }
}
