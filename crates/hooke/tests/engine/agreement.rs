//! Methods that minimize the same function find the same minimum.

use crate::common::*;
use hooke::laws;
use hooke::{End, Grid, Kernels, Model, Simulation, State, Vec3};

fn soft_cloth() -> (Model, State) {
    let mut model = Model::new();
    let family = hooke::model::SpringFamily::stiffness(20.0);
    let grid = Grid {
        structural: Some(family),
        shear: Some(family),
        bend: None,
        across: p(1.0, 0.0, 0.0),
        down: p(0.0, 0.0, 1.0),
        ..Grid::square(10)
    }
    .add_to(&mut model)
    .unwrap();
    model.pin_at_rest(grid.at(0, 0)).unwrap();
    model.pin_at_rest(grid.at(9, 0)).unwrap();
    let mut state = State::at_rest(&model);
    // Stretched at the start, so that the minimum is unique.
    for x in &mut state.positions {
        *x = p(x.x * 1.2, x.y, x.z * 1.3);
    }
    for (pin, x) in [(grid.at(0, 0), p(-0.6, 0.0, 0.0)), (grid.at(9, 0), p(0.6, 0.0, 0.0))] {
        model.unpin(pin);
        model.pin(pin, [true; 3], hooke::model::Motion::still(x)).unwrap();
    }
    (model, state)
}

#[test]
fn newton_and_fast_mass_spring_on_a_soft_cloth() {
    let one_step = |name: &str| {
        let (model, state) = soft_cloth();
        let mut simulation = simulation(model, exact(name), 0.02, state);
        run(&mut simulation, 1);
        let end = simulation.report().solve.unwrap().end;
        assert!(matches!(end, End::Converged | End::Rounding), "{name}: {end}");
        simulation
    };
    let newton = one_step("newton");
    for name in ["quasi-newton", "vbd"] {
        let error = apart(&newton.state().positions, &one_step(name).state().positions);
        assert!(error < 1e-9, "{name}: {error:e}");
    }
}

#[test]
fn newton_and_fast_mass_spring_by_energy_on_a_cloth() {
    // The energy has several close minima (wrinkles): compare its value from one state.
    let mut simulation = Simulation::new(cloth(20), exact("newton"), 1.0 / 30.0).unwrap();
    run(&mut simulation, 10);
    let snapshot = simulation.snapshot();
    simulation.step().unwrap();
    let newton = simulation.report().solve.unwrap();
    assert!(matches!(newton.end, End::Converged | End::Rounding), "{newton:?}");
    simulation.set_method(exact("quasi-newton")).unwrap();
    simulation.restore(&snapshot).unwrap();
    simulation.step().unwrap();
    let fast = simulation.report().solve.unwrap();
    let gap = (fast.g - newton.g).abs() / newton.g.abs();
    assert!(gap < 1e-6, "{} {}: {gap:e}", fast.g, newton.g);
}

/// The local/global form of Liu et al. 2013, written out with a dense global solve.
#[test]
fn delta_form_equals_local_and_global() {
    let (model, state) = soft_cloth();
    let n = model.particles();
    let h: f64 = 0.02;
    let springs: Vec<(usize, usize, f64, f64)> = (0..model.elements()[0].len())
        .map(|e| {
            let view = model.elements()[0].view(e);
            (view.corners[0] as usize, view.corners[1] as usize, view.material[0], view.rest[0])
        })
        .collect();
    let free: Vec<usize> = (0..n).filter(|&i| !model.fixed()[i][0]).collect();
    let y: Vec<Vec3> = (0..n)
        .map(|i| state.positions[i] + model.gravity() * (h * h) + state.velocities[i] * h)
        .collect();
    let mut x = y.clone();
    for pin in model.pins() {
        x[pin.particle.index()] = pin.motion.at(0.0);
    }
    // K (M + h²L) Kᵀ, dense
    let mut full = vec![vec![0.0; n]; n];
    for (i, row) in full.iter_mut().enumerate() {
        row[i] = model.masses()[i];
    }
    for &(i, j, k, _) in &springs {
        for (a, b, sign) in [(i, i, 1.0), (j, j, 1.0), (i, j, -1.0), (j, i, -1.0)] {
            full[a][b] += sign * h * h * k;
        }
    }
    let iterations = 7;
    for _ in 0..iterations {
        // local: d = r (p₁−p₂)/|p₁−p₂|; global right-hand side h²Jd + My − A b
        let mut rhs: Vec<Vec3> = (0..n).map(|i| y[i] * model.masses()[i]).collect();
        for &(i, j, k, r) in &springs {
            let d = (x[i] - x[j]).unit() * r;
            rhs[i] += d * (h * h * k);
            rhs[j] -= d * (h * h * k);
        }
        for pin in model.pins() {
            let p = pin.particle.index();
            for &i in &free {
                rhs[i] -= x[p] * full[i][p];
            }
        }
        let mut a: Vec<Vec<f64>> =
            free.iter().map(|&i| free.iter().map(|&j| full[i][j]).collect()).collect();
        let mut b: Vec<Vec3> = free.iter().map(|&i| rhs[i]).collect();
        for pivot in 0..free.len() {
            for row in pivot + 1..free.len() {
                let factor = a[row][pivot] / a[pivot][pivot];
                for column in pivot..free.len() {
                    a[row][column] -= factor * a[pivot][column];
                }
                b[row] = b[row] - b[pivot] * factor;
            }
        }
        for row in (0..free.len()).rev() {
            let mut sum = b[row];
            for column in row + 1..free.len() {
                sum -= x[free[column]] * a[row][column];
            }
            x[free[row]] = sum * (1.0 / a[row][row]);
        }
    }
    let settings =
        [("tolerance", "0"), ("iterations", &iterations.to_string()[..]), ("start", "prediction")];
    let mut simulation = simulation(model, method("fast-mass-spring", &settings), h, state);
    let start = simulation.snapshot();
    // The native factor is rounded to f32: its iterates are near, its end is the same.
    for (kernels, allowed) in [(Kernels::Portable, 1e-12), (Kernels::Native, 1e-8)] {
        simulation.set_kernels(kernels);
        simulation.restore(&start).unwrap();
        run(&mut simulation, 1);
        let error = apart(&simulation.state().positions, &x);
        assert!(error < allowed, "{kernels:?}: {error:e}");
    }
}

/// Rounding in the native factor changes how fast the minimum is reached, not where it is.
#[test]
fn both_kernels_end_in_the_same_minimum() {
    let [portable, native] = [Kernels::Portable, Kernels::Native].map(|kernels| {
        let (model, state) = soft_cloth();
        let mut simulation = simulation(model, exact("quasi-newton"), 0.02, state);
        simulation.set_kernels(kernels);
        run(&mut simulation, 1);
        let solve = simulation.report().solve.unwrap();
        assert!(solve.end.is_settled(), "{kernels:?}: {:?}", solve.end);
        (simulation.state().positions.clone(), solve.iterations)
    });
    let error = apart(&portable.0, &native.0);
    assert!(error < 1e-12, "{error:e}");
    assert!(portable.1.abs_diff(native.1) <= 1 + portable.1 / 20, "{} {}", portable.1, native.1);
}

#[test]
fn gravity_as_a_force_and_as_an_energy() {
    for name in names() {
        let with = |energy: bool| {
            let mut model = cloth(5);
            let g = model.gravity();
            if energy {
                model.set_gravity(Vec3::ZERO).unwrap();
                let weight = laws::find("weight").unwrap();
                for i in 0..model.particles() {
                    let mass = model.masses()[i];
                    model
                        .add_element(weight, &[i as u32], Some(&[mass]), &[g.x, g.y, g.z])
                        .unwrap();
                }
            }
            let start = State::at_rest(&model);
            let method = match name {
                "newton" | "quasi-newton" | "vbd" | "implicit-midpoint" | "bdf2" => method(
                    name,
                    &[("tolerance", "0"), ("iterations", "3000"), ("start", "current")],
                ),
                _ => exact(name),
            };
            let mut simulation = simulation(model, method, 1e-3, start);
            run(&mut simulation, 5);
            simulation.state().positions.clone()
        };
        let error = apart(&with(false), &with(true));
        assert!(error < 1e-13, "{name}: {error:e}");
    }
}

#[test]
fn every_linear_solver_gives_the_same_step() {
    let steps = |solver: &str| {
        let settings = [("solver", solver), ("tolerance", "1e-12"), ("cg_tolerance", "1e-13")];
        let mut simulation = Simulation::new(cloth(8), method("newton", &settings), 0.02).unwrap();
        run(&mut simulation, 5);
        simulation.state().positions.clone()
    };
    let direct = steps("cholesky");
    for solver in ["cg", "pcg-jacobi", "pcg-incomplete", "pcg-filtered"] {
        let error = apart(&steps(solver), &direct);
        assert!(error < 1e-8, "{solver}: {error:e}");
    }
}

#[test]
fn linearized_is_the_first_newton_iterate() {
    let settings =
        [("iterations", "1"), ("tolerance", "0"), ("start", "current"), ("line_search", "false")];
    let methods = [
        method("newton", &settings),
        method("linearized-backward-euler", &[]),
        method("beta", &[("beta", "1")]),
    ];
    let states = methods.map(|method| {
        let mut simulation = Simulation::new(cloth(6), method, 0.01).unwrap();
        run(&mut simulation, 10);
        simulation.state().positions.clone()
    });
    assert!(apart(&states[0], &states[1]) < 1e-11);
    assert_eq!(states[1], states[2]);
}
