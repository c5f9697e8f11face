//! The volume of closed surfaces: derivatives against the derivation, methods and solvers against each other.

use crate::common::*;
use hooke::compute::At;
use hooke::laws::{self, Enclosed, Volume};
use hooke::linalg::{LinearSettings, LinearSolver, LowRank, Matrix, Operator, Pattern, Solver};
use hooke::math::{Dual, Mat3, Scalar, Vec3};
use hooke::model::{Ball, Motion};
use hooke::{Kernels, Model, Simulation, State, Substeps, ThreadPool, stability};

const TETRAHEDRON: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];

/// The skin of a ball of radius 0.1 m, of mass 4 kg, stretchy, with a volume of modulus `kappa` (Pa).
fn balloon(layers: u32, kappa: f64) -> Model {
    let mut model = Model::new();
    let solid = Ball { center: Vec3::ZERO, radius: 0.1, layers }.mesh().unwrap();
    let (positions, triangles) = solid.skin();
    for x in &positions {
        model.add_particle(*x, 4.0 / positions.len() as f64).unwrap();
    }
    let membrane = laws::find("stvk-membrane").unwrap();
    for triangle in &triangles {
        model.add_element(membrane, triangle, None, &[1e6, 0.4, 3e-4]).unwrap();
        model.add_triangle(*triangle).unwrap();
    }
    add_volume(&mut model, &triangles, kappa);
    model
}

fn add_volume(model: &mut Model, triangles: &[[u32; 3]], kappa: f64) {
    let law = laws::find("volume").unwrap();
    model.add_element(law, triangles.as_flattened(), None, &[kappa]).unwrap();
}

fn volume<T: Scalar>(x: &[Vec3<T>], triangles: &[[u32; 3]]) -> T {
    let mut six = T::of(0.0);
    for triangle in triangles {
        let [a, b, c] = triangle.map(|i| x[i as usize]);
        six = six + a.cross(b).dot(c);
    }
    six * T::of(1.0 / 6.0)
}

/// The batch's walks against dual numbers on the one equation.
#[test]
fn derivatives_are_those_of_the_energy() {
    let mut r = Numbers(31);
    for round in 0..20 {
        let mut model = Model::new();
        let rest = [p(0.0, 0.0, 0.0), p(1.0, 0.0, 0.0), p(0.0, 1.0, 0.0), p(0.0, 0.0, 1.0)];
        for x in rest {
            model.add_particle(x, 1.0).unwrap();
        }
        let kappa = 700.0;
        add_volume(&mut model, &TETRAHEDRON, kappa);
        // Near the origin and far from it.
        let far = r.point() * if round < 10 { 1.0 } else { 1e3 };
        let x: Vec<Vec3> = rest.iter().map(|x| *x + r.point() * 0.4 + far).collect();
        let at = At { x: &x, anchors: &[] };
        let (batch, pool) = (&model.elements()[0], ThreadPool::new(1));
        let near: Vec<Vec3> = x.iter().map(|x| *x - far).collect();

        let v0 = volume(&rest, &TETRAHEDRON);
        let e = Volume::energy(volume(&near, &TETRAHEDRON), v0, kappa);
        assert!((batch.energy(at, &pool) - e).abs() <= 1e-9 * (1.0 + e), "round {round}");
        assert_eq!(batch.view(0).rest, [v0]);

        let mut matrix = Matrix::<Mat3>::new(model.pattern());
        let mut slots = Vec::new();
        batch.slots(&matrix, &mut slots);
        batch.hessian(at, 1.0, &slots, &mut matrix);
        let mut dense = vec![Vec3::ZERO; 4];
        let c = batch.rank_one(0, at, &mut dense, &pool);
        let gradient = gradient(&model, &x);
        type Twice = Dual<Dual<f64>>;
        let constant = |value: f64| Twice::constant(Dual::constant(value));
        for i in 0..12 {
            for j in 0..12 {
                let mut lifted: Vec<Vec3<Twice>> =
                    near.iter().map(|x| x.lift(Dual::constant).lift(Dual::constant)).collect();
                lifted[i / 3][i % 3].d = Dual::constant(1.0);
                lifted[j / 3][j % 3].v.d = 1.0;
                let v = volume(&lifted, &TETRAHEDRON);
                let e = Volume::energy(v, constant(v0), constant(kappa));
                let slot = matrix.pattern().slot((i / 3) as u32, (j / 3) as u32) as usize;
                let sparse = matrix.values()[slot].0[i % 3][j % 3];
                let got = sparse + c * dense[i / 3][i % 3] * dense[j / 3][j % 3];
                assert!((got - e.d.d).abs() <= 1e-8 * kappa, "round {round} {i} {j}: {got} {e:?}");
                assert!((gradient[i / 3][i % 3] - e.d.v).abs() <= 1e-8 * kappa);
            }
        }
        // Linear in `keep`.
        matrix.clear();
        batch.hessian(at, 0.25, &slots, &mut matrix);
        let quarter = matrix.values().to_vec();
        matrix.clear();
        batch.hessian(at, 1.0, &slots, &mut matrix);
        for (part, whole) in quarter.iter().zip(matrix.values()) {
            assert_eq!(*part, *whole * 0.25);
        }
        // E = ½ C²/compliance, ∇E = C ∇C/compliance.
        let [(value, slopes, compliance)] = &batch.rows(0, at)[..] else { panic!() };
        assert!((0.5 * value * value / compliance - e).abs() <= 1e-9 * (1.0 + e));
        for (slope, gradient) in slopes.iter().zip(&gradient) {
            assert!((*slope * (value / compliance) - *gradient).norm() <= 1e-8 * kappa);
        }
    }
}

/// ∇E, from one explicit step.
fn gradient(model: &Model, x: &[Vec3]) -> Vec<Vec3> {
    let mut own = Model::new();
    own.set_gravity(Vec3::ZERO).unwrap();
    for x in model.rest() {
        own.add_particle(*x, 1.0).unwrap();
    }
    let view = model.elements()[0].view(0);
    let law = laws::find("volume").unwrap();
    own.add_element(law, &view.corners, Some(&view.rest), &view.material).unwrap();
    let mut state = State::at_rest(&own);
    state.positions = x.to_vec();
    let h = 1e-3;
    let mut simulation = simulation(own, method("symplectic-euler", &[]), h, state);
    run(&mut simulation, 1);
    simulation.state().velocities.iter().map(|v| *v * (-1.0 / h)).collect()
}

#[test]
fn rigid_motions_cost_nothing_and_forces_balance() {
    let model = balloon(4, 1e5);
    let batch = model.elements().last().unwrap();
    let mut r = Numbers(32);
    let rotation = hooke::math::svd(&Mat3([r.point(), r.point(), r.point()].map(Vec3::to_array))).u;
    let moved: Vec<Vec3> = model.rest().iter().map(|x| rotation * *x + p(3.0, -2.0, 5.0)).collect();
    let pool = ThreadPool::new(1);
    assert!(batch.energy(At { x: &moved, anchors: &[] }, &pool) < 1e-20);
    let x: Vec<Vec3> = moved.iter().map(|x| *x + r.point() * 0.01).collect();
    let mut g = vec![Vec3::ZERO; x.len()];
    batch.rank_one(0, At { x: &x, anchors: &[] }, &mut g, &pool);
    let (mut sum, mut torque) = (Vec3::ZERO, Vec3::ZERO);
    for (x, g) in x.iter().zip(g) {
        sum += g;
        torque += x.cross(g);
    }
    assert!(sum.norm() < 1e-15 && torque.norm() < 1e-14, "{sum:?} {torque:?}");
}

/// A balloon squeezed between two plates that come closer: vertices at its ends move along keyframes.
fn squeezed(kappa: f64) -> Model {
    let mut model = balloon(4, kappa);
    for (i, x) in (0..).zip(model.rest().to_vec()) {
        if x.y.abs() > 0.08 {
            let to = p(x.x, 0.6 * x.y, x.z);
            let track = hooke::model::Track::new(
                vec![0.0, 0.1],
                vec![x, to],
                hooke::model::Interpolation::Linear,
                false,
            );
            model.pin(i, [true; 3], Motion::along(track.unwrap())).unwrap();
        }
    }
    model
}

fn enclosed(simulation: &Simulation) -> f64 {
    let triangles = simulation.model().triangles();
    volume(&simulation.state().positions, triangles) / volume(simulation.model().rest(), triangles)
}

const SOLVERS: [&str; 6] =
    ["cholesky", "cg", "pcg-jacobi", "pcg-incomplete", "pcg-prefactored", "pcg-filtered"];

/// The same minimizer under every linear solver and under quasi-Newton, and Newton's speed kept.
#[test]
fn every_solver_takes_the_dense_part() {
    let mut ends: Vec<Vec<Vec3>> = Vec::new();
    for solver in SOLVERS {
        let newton = method("newton", &[("solver", solver), ("tolerance", "1e-9")]);
        let model = squeezed(1e6);
        let start = State::at_rest(&model);
        let mut simulation = simulation(model, newton, 0.01, start);
        for _ in 0..15 {
            let solve = simulation.step().unwrap().solve.unwrap();
            assert!(solve.end.is_settled(), "{solver}: {solve:?}");
            assert!(solve.iterations <= 12, "{solver}: {} iterations", solve.iterations);
        }
        assert!((enclosed(&simulation) - 1.0).abs() < 2e-3, "{}", enclosed(&simulation));
        ends.push(simulation.state().positions.clone());
    }
    for (solver, end) in SOLVERS.iter().zip(&ends) {
        assert!(apart(end, &ends[0]) < 1e-7, "{solver}: {:e}", apart(end, &ends[0]));
    }
    let model = squeezed(1e6);
    let start = State::at_rest(&model);
    let quasi = method("quasi-newton", &[("tolerance", "1e-9"), ("iterations", "2000")]);
    let mut simulation = simulation(model, quasi, 0.01, start);
    for _ in 0..15 {
        let solve = simulation.step().unwrap().solve.unwrap();
        assert!(solve.end.is_settled(), "{solve:?}");
    }
    assert!(apart(&simulation.state().positions, &ends[0]) < 1e-6);
}

/// Without the volume the squeezed skin holds half of it; the stiffer what fills it, the more.
#[test]
fn stiffer_fillings_keep_more_of_the_volume() {
    let mut lost = Vec::new();
    for kappa in [0.0, 1e3, 1e5, 1e7] {
        let model = squeezed(kappa);
        let mut simulation = Simulation::new(model, "newton", 0.01).unwrap();
        run(&mut simulation, 15);
        lost.push((1.0 - enclosed(&simulation)).abs());
    }
    assert!(lost.is_sorted_by(|a, b| a > b), "{lost:?}");
    assert!(lost[0] > 0.1 && lost[3] < 1e-3, "{lost:?}");
}

/// Every method runs a falling balloon, or refuses it; those that keep energy keep it.
#[test]
fn every_method_takes_it() {
    // Forward Euler grows at every step.
    for name in names().filter(|name| *name != "forward-euler") {
        let mut model = balloon(3, 1e5);
        model.pin_at_rest(0).unwrap();
        let method = method(name, &[]);
        let simulation = Simulation::with_substeps(model, method, 1e-3, Substeps::Auto);
        if ["constrained", "vbd", "pbd", "xpbd", "hierarchical-pbd"].contains(&name) {
            let refusal = simulation.err().unwrap();
            assert!(refusal.to_string().contains("newton or quasi-newton would do"), "{refusal}");
            continue;
        }
        let mut simulation = simulation.unwrap();
        let before = simulation.report().energy.total();
        for _ in 0..50 {
            let report = simulation.step().unwrap();
            assert_eq!(report.inverted, 0, "{name}");
        }
        let report = simulation.report();
        assert!(report.energy.field > 0.0, "{name}");
        assert!((enclosed(&simulation) - 1.0).abs() < 0.05, "{name}: {}", enclosed(&simulation));
        if ["rk4", "velocity-verlet"].contains(&name) {
            let off = report.energy.total() - before;
            assert!(off.abs() < 2e-5, "{name}: {off}");
        }
    }
}

/// The pins carry what the momentum asks for, the dense part included.
#[test]
fn reactions_balance_the_momentum() {
    for name in ["newton", "linearized-backward-euler", "beta", "symplectic-euler"] {
        let model = squeezed(1e5);
        let start = State::at_rest(&model);
        let mut simulation = simulation(model, exact(name), 1e-4, start);
        run(&mut simulation, 20);
        let before = simulation.report().momentum;
        let report = simulation.step().unwrap();
        let mut carried = Vec3::ZERO;
        for reaction in &report.reactions {
            carried += *reaction * 1e-4;
        }
        // Gravity pulls at 4 kg.
        carried.y -= 4.0 * 9.81 * 1e-4;
        let off = (report.momentum - before - carried).norm();
        let size: f64 = report.reactions.iter().map(|force| force.norm() * 1e-4).sum();
        assert!(off <= 1e-7 * size, "{name}: {off} of {size}");
    }
}

#[test]
fn the_limit_of_explicit_steps_knows_the_dense_part() {
    let (soft, stiff) = (balloon(4, 1e3), balloon(4, 1e8));
    for model in [&soft, &stiff] {
        let bound = stability::Stability::of(model, 0.0, 0.01).omega;
        let control = hooke::Control::new(model);
        let omega =
            stability::highest_frequency(model, &control, model.rest(), &ThreadPool::new(1));
        assert!(omega <= bound && bound < 3.0 * omega, "{omega} {bound}");
    }
}

#[test]
fn same_bits_for_any_number_of_threads() {
    for (name, kernels) in [
        ("newton", Kernels::Native),
        ("quasi-newton", Kernels::Native),
        ("symplectic-euler", Kernels::Native),
        ("newton", Kernels::Portable),
        ("quasi-newton", Kernels::Portable),
    ] {
        let digest = |threads| {
            let model = balloon(12, 1e5);
            let start = State::at_rest(&model);
            let mut simulation = simulation(model, method(name, &[]), 1e-4, start);
            simulation.set_threads(threads);
            simulation.set_kernels(kernels);
            run(&mut simulation, 4);
            simulation.state().digest()
        };
        let one = digest(1);
        assert!([2, 4, 8].map(digest).into_iter().all(|other| other == one), "{name}");
    }
}

/// Two balloons that share a wall, and one apart: three dense parts at once.
#[test]
fn several_volumes_at_once() {
    let build = || {
        let mut model = Model::new();
        for x in [
            p(0.0, 0.0, 0.0),
            p(1.0, 0.0, 0.0),
            p(0.0, 1.0, 0.0),
            p(0.0, 0.0, 1.0),
            p(0.3, 0.3, -0.8),
        ] {
            model.add_particle(x, 1.0).unwrap();
        }
        for i in 0..5 {
            for j in 0..i {
                model.add_spring(i, j, 50.0, None).unwrap();
            }
        }
        add_volume(&mut model, &TETRAHEDRON, 4e3);
        add_volume(&mut model, &[[0, 1, 2], [0, 4, 1], [0, 2, 4], [1, 4, 2]], 9e4);
        let first = model.particles() as u32;
        for x in [p(3.0, 0.0, 0.0), p(4.0, 0.0, 0.0), p(3.0, 1.0, 0.0), p(3.0, 0.0, 1.0)] {
            model.add_particle(x, 1.0).unwrap();
        }
        add_volume(&mut model, &TETRAHEDRON.map(|t| t.map(|i| i + first)), 4e3);
        assert_eq!(model.elements().last().unwrap().rank_ones(), 3);
        model
    };
    let finish = |name: &str, settings: &[(&str, &str)]| {
        let model = build();
        let mut state = State::at_rest(&model);
        let mut r = Numbers(33);
        for v in &mut state.velocities {
            *v = r.point();
        }
        let mut simulation = simulation(model, method(name, settings), 0.01, state);
        for _ in 0..30 {
            let solve = simulation.step().unwrap().solve.unwrap();
            assert!(solve.end.is_settled(), "{name}: {solve:?}");
        }
        simulation.state().positions.clone()
    };
    let direct = finish("newton", &[("tolerance", "1e-10")]);
    let iterative = finish("newton", &[("tolerance", "1e-10"), ("solver", "cg")]);
    let quasi = finish("quasi-newton", &[("tolerance", "1e-10"), ("iterations", "5000")]);
    assert!(apart(&direct, &iterative) < 1e-7, "{:e}", apart(&direct, &iterative));
    assert!(apart(&direct, &quasi) < 1e-6, "{:e}", apart(&direct, &quasi));
}

#[test]
fn bad_surfaces_are_refused_with_a_sentence() {
    let mut model = Model::new();
    for x in [p(0.0, 0.0, 0.0), p(1.0, 0.0, 0.0), p(0.0, 1.0, 0.0), p(0.0, 0.0, 1.0)] {
        model.add_particle(x, 1.0).unwrap();
    }
    let law = laws::find("volume").unwrap();
    let mut add = |triangles: &[[u32; 3]], rest: Option<&[f64]>, material: &[f64]| {
        model.add_element(law, triangles.as_flattened(), rest, material).unwrap_err().to_string()
    };
    assert_eq!(
        add(&TETRAHEDRON[..3], None, &[1e5]),
        "a volume needs a closed surface, all triangles oriented alike; along the edge between vertices 1 and \
         2 they do not close"
    );
    let mut rotated = TETRAHEDRON;
    rotated[0].swap(1, 2);
    assert_eq!(
        add(&rotated, None, &[1e5]),
        "a volume needs a closed surface, all triangles oriented alike; along the edge between vertices 0 and \
         1 they do not close"
    );
    assert_eq!(
        add(&TETRAHEDRON.map(|[a, b, c]| [a, c, b]), None, &[1e5]),
        "a volume needs a surface that is not inside out: its triangles must run counter-clockwise seen from \
         outside"
    );
    assert_eq!(add(&[], None, &[1e5]), "a volume needs triangles");
    assert_eq!(
        add(&[[0, 0, 1]], None, &[1e5]),
        "a volume has a triangle [0, 0, 1] that names a vertex twice"
    );
    assert_eq!(
        add(&TETRAHEDRON, Some(&[-1.0]), &[1e5]),
        "the rest value of a volume, V₀, must be finite and > 0"
    );
    assert_eq!(
        add(&TETRAHEDRON, None, &[-1.0]),
        "bulk_modulus of a volume must be from 0e0 to 1e15 Pa (got -1)"
    );
    assert_eq!(
        model.add_element(law, &[0, 1, 2, 3], None, &[1e5]).unwrap_err().to_string(),
        "the corners of a volume are triangles, three by three"
    );
    assert!(model.elements().iter().all(|batch| batch.is_empty()));
}

/// A dense part beside a sparse matrix, under every solver.
#[test]
fn low_rank_parts_are_solved_exactly() {
    let n = 30;
    let mut r = Numbers(34);
    let links: Vec<[u32; 2]> = (1..n as u32).map(|i| [i - 1, i]).collect();
    let mut matrix = Matrix::<Mat3>::new(Pattern::new(n, links.iter().map(|link| &link[..])));
    for i in 0..n {
        *matrix.diagonal_mut(i) += Mat3::diagonal(2.5);
    }
    for [i, j] in links {
        for (a, b) in [(i, j), (j, i)] {
            let slot = matrix.pattern().slot(a, b) as usize;
            matrix.values_mut()[slot] += Mat3::diagonal(-1.0);
        }
    }
    let mut dense = LowRank::NONE;
    dense.resize(3);
    for (term, c) in [0.0, 3.0, 1e9].into_iter().enumerate() {
        let particles: Vec<u32> = (term as u32 * 7..term as u32 * 7 + 12).collect();
        dense.set(term, &particles, |g| {
            g.iter_mut().for_each(|g| *g = r.point());
            c
        });
    }
    let b: Vec<Vec3> = (0..n).map(|_| r.point()).collect();
    let a = Operator { sparse: &matrix, dense: &dense };
    for solver in
        [Solver::Cholesky, Solver::Cg, Solver::Jacobi, Solver::Incomplete, Solver::Filtered]
    {
        let settings = LinearSettings { solver, cg_tolerance: 1e-14, cg_iterations: 4000 };
        for kernels in [Kernels::Native, Kernels::Portable] {
            let pool = ThreadPool::new(2);
            let mut linear = LinearSolver::new(&settings, matrix.pattern(), kernels).unwrap();
            linear.factor(&matrix, &pool).unwrap();
            let mut x = vec![Vec3::ZERO; n];
            linear.solve(a, &b, &mut x, None, None, &pool).unwrap();
            let mut product = vec![Vec3::ZERO; n];
            a.multiply(&x, &mut product, &pool);
            // g·x is of the order of 1e-9 and multiplied by 1e9.
            let allowed = if solver == Solver::Cholesky { 1e-6 } else { 1e-4 };
            assert!(apart(&product, &b) < allowed, "{solver:?}: {}", apart(&product, &b));
        }
    }
}
