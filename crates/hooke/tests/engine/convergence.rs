//! What "converged" means: a residual below the tolerance times the forces that act, whatever the length of
//! the step; what rounding alone stops is told apart.

use crate::common::*;
use hooke::{End, Grid, Model, Simulation, Substeps, Vec3};

const SOLVERS: [&str; 3] = ["newton", "quasi-newton", "vbd"];

/// A light stiff sheet that lies flat, held at two corners.
fn sheet() -> Model {
    let mut model = Model::new();
    let grid =
        Grid { mass: 1e-3, down: p(0.0, 0.0, 1.0), ..Grid::square(8) }.add_to(&mut model).unwrap();
    model.pin_at_rest(grid.at(0, 0)).unwrap();
    model.pin_at_rest(grid.at(7, 0)).unwrap();
    model
}

fn start(name: &str, settings: &[(&str, &str)], h: f64) -> Simulation {
    let method = method(name, settings);
    Simulation::with_substeps(sheet(), method, h, Substeps::Fixed(1)).unwrap()
}

#[test]
fn the_scale_does_not_depend_on_the_step() {
    for name in SOLVERS {
        let scale = |h: f64| {
            let mut simulation = start(name, &[("iterations", "1")], h);
            simulation.step().unwrap().solve.unwrap().scale
        };
        let scales = [1e-4, 1.0 / 60.0, 1.0, 100.0, 1e4].map(scale);
        assert!(scales.iter().all(|&other| other == scales[0]), "{name}: {scales:?}");
    }
}

#[test]
fn long_steps_are_solved_or_said_not_to_be() {
    for name in SOLVERS {
        for h in [1.0, 10.0, 100.0, 1000.0] {
            let mut simulation = start(name, &[], h);
            let report = simulation.step().unwrap();
            let solve = report.solve.unwrap();
            let tolerance = if name == "newton" { 1e-8 } else { 1e-6 };
            if solve.end == End::Converged {
                assert!(solve.relative() <= tolerance, "{name}, {h} s: {solve:?}");
            }
            if name == "newton" {
                let moved = apart(&simulation.state().positions, simulation.model().rest());
                assert!(moved > 0.1, "{h} s: the sheet moved by {moved:e} m; {solve:?}");
            }
        }
    }
    // By Newton's method such a sheet hangs after a few steps.
    let mut simulation = start("newton", &[("iterations", "400")], 100.0);
    run(&mut simulation, 3);
    let solve = simulation.report().solve.unwrap();
    assert!(solve.relative() < 1e-6, "{solve:?}");
    let lowest = simulation.state().positions.iter().map(|x| x.y).fold(0.0, f64::min);
    assert!(lowest < -0.9, "{lowest}");
}

#[test]
fn rounding_ends_a_solve_only_below_what_rounding_leaves() {
    for name in SOLVERS {
        for h in [1e-3, 1.0 / 60.0, 1.0, 100.0] {
            let settings = [("tolerance", "0"), ("iterations", "300")];
            let mut simulation = start(name, &settings, h);
            for step in 0..3 {
                let before = simulation.state().clone();
                simulation.step().unwrap();
                let solve = simulation.report().solve.unwrap();
                if solve.end != End::Rounding {
                    continue;
                }
                // 64 ε Σ|terms| of ∇g = m (x − y)/h² + Σ k (|x_ij| − l) d.
                let model = simulation.model();
                let x = &simulation.state().positions;
                let mut terms = vec![Vec3::ZERO; x.len()];
                for i in 0..x.len() {
                    let m = model.masses()[i];
                    let y = before.positions[i]
                        + before.velocities[i] * h
                        + model.load(i) * (h * h / m);
                    for axis in 0..3 {
                        terms[i][axis] = m / (h * h) * (x[i][axis].abs() + y[axis].abs());
                    }
                }
                for batch in model.elements() {
                    batch.springs(&mut |[i, j], [k, _]| {
                        let [i, j] = [i, j].map(|i| i as usize);
                        for axis in 0..3 {
                            let term = k * (x[i][axis].abs() + x[j][axis].abs());
                            terms[i][axis] += term;
                            terms[j][axis] += term;
                        }
                    });
                }
                let sum = terms.iter().map(|term| term.norm2()).sum::<f64>().sqrt();
                let most = 64.0 * f64::EPSILON * sum;
                assert!(solve.residual <= most, "{name}, {h} s, step {step}: {solve:?} > {most:e}");
            }
        }
    }
    assert!(End::Rounding.is_settled() && End::Rounding != End::Converged);
}

#[test]
fn wind_is_a_force_that_acts() {
    let mut model = sheet();
    model.set_gravity(Vec3::ZERO).unwrap();
    let wind = hooke::dampers::find("wind").unwrap();
    model.add_damper(wind, &[0, 1, 8], None, &[1.0, 0.1]).unwrap();
    let mean = hooke::model::Motion::still(p(0.0, 3.0, 0.0));
    model.set_air(hooke::model::Air { mean, gust: None }).unwrap();
    let mut simulation = Simulation::new(model, "newton", 0.01).unwrap();
    let solve = simulation.step().unwrap().solve.unwrap();
    assert_eq!(solve.end, End::Converged, "{solve:?}");
    assert!(solve.scale > 1e-3, "{solve:?}");
}
