//! Linear solvers against a dense solve, and the factors of both kernels against each other.

use crate::common::*;
use hooke::linalg::{
    Block, ConjugateGradient, Factor, Indefinite, LinearSettings, LinearSolver, Matrix, Pattern,
    Precondition, Solver,
};
use hooke::math::Mat3;
use hooke::{Grid, Kernels, Model, ThreadPool, Vec3};
use std::ops::{AddAssign, Mul};

const BOTH: [Kernels; 2] = [Kernels::Native, Kernels::Portable];

/// A random sparse positive definite matrix of 3×3 blocks, and the same dense.
fn system(n: usize) -> (Matrix<Mat3>, Vec<Vec<f64>>) {
    let mut numbers = Numbers(11);
    let pairs: Vec<[u32; 2]> = (0..3 * n)
        .map(|k| [(k % n) as u32, ((k * 7 + 1 + k / n) % n) as u32])
        .filter(|[i, j]| i != j)
        .collect();
    let pattern = Pattern::new(n, pairs.iter().map(|pair| &pair[..]));
    let mut matrix = Matrix::<Mat3>::new(pattern);
    for &[i, j] in &pairs {
        let d = numbers.point();
        let block = d.outer(d) * 4.0 + Mat3::diagonal(0.1);
        for (a, b, sign) in [(i, i, 1.0), (j, j, 1.0), (i, j, -1.0), (j, i, -1.0)] {
            let slot = matrix.pattern().slot(a, b) as usize;
            matrix.values_mut()[slot] += block * sign;
        }
    }
    for i in 0..n {
        *matrix.diagonal_mut(i) += Mat3::diagonal(0.5);
    }
    let dense = dense(&matrix);
    (matrix, dense)
}

/// All entries of a matrix by rows.
fn dense<B: Block>(matrix: &Matrix<B>) -> Vec<Vec<f64>> {
    let (n, size) = (matrix.pattern().size(), B::SIZE);
    let mut dense = vec![vec![0.0; size * n]; size * n];
    for i in 0..n {
        for slot in matrix.pattern().row(i) {
            let j = matrix.pattern().columns()[slot] as usize;
            for a in 0..size {
                for b in 0..size {
                    dense[size * i + a][size * j + b] = matrix.values()[slot].entry(a, b);
                }
            }
        }
    }
    dense
}

/// The solution of a dense system by Gaussian elimination with pivoting.
fn dense_solve(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    for k in 0..n {
        let best = (k..n).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs())).unwrap();
        a.swap(k, best);
        b.swap(k, best);
        for i in k + 1..n {
            let factor = a[i][k] / a[k][k];
            for j in k..n {
                a[i][j] -= factor * a[k][j];
            }
            b[i] -= factor * b[k];
        }
    }
    for k in (0..n).rev() {
        let known: f64 = (k + 1..n).map(|j| a[k][j] * b[j]).sum();
        b[k] = (b[k] - known) / a[k][k];
    }
    b
}

/// A random positive definite matrix on a cloth's pattern, from random positive blocks.
fn grid<B: Block + AddAssign + Mul<f64, Output = B>>(
    columns: u32,
    rows: u32,
    seed: u64,
    positive: impl Fn(&mut Numbers) -> B,
) -> Matrix<B> {
    let mut model = Model::new();
    Grid { columns, rows, ..Grid::default() }.add_to(&mut model).unwrap();
    let pattern = model.pattern();
    let mut matrix = Matrix::<B>::new(pattern.clone());
    let mut numbers = Numbers(seed);
    for i in 0..pattern.size() as u32 {
        *matrix.diagonal_mut(i as usize) += positive(&mut numbers) * 0.01;
        for j in pattern.row(i as usize).map(|slot| pattern.columns()[slot]).filter(|&j| j > i) {
            let block = positive(&mut numbers);
            for (a, b, sign) in [(i, i, 1.0), (j, j, 1.0), (i, j, -1.0), (j, i, -1.0)] {
                matrix.values_mut()[pattern.slot(a, b) as usize] += block * sign;
            }
        }
    }
    matrix
}

fn block(numbers: &mut Numbers) -> Mat3 {
    let d = numbers.point();
    d.outer(d) + Mat3::diagonal(0.1)
}

fn number(numbers: &mut Numbers) -> f64 {
    numbers.next() + 1.1
}

fn residual(dense: &[Vec<f64>], x: &[Vec3], b: &[Vec3]) -> f64 {
    let flat = |points: &[Vec3]| points.iter().flat_map(|p| p.to_array()).collect::<Vec<_>>();
    let (x, b) = (flat(x), flat(b));
    dense
        .iter()
        .zip(&b)
        .map(|(row, b)| (row.iter().zip(&x).map(|(a, x)| a * x).sum::<f64>() - b).abs())
        .fold(0.0, f64::max)
}

#[test]
fn every_solver_solves() {
    let n = 60;
    let (matrix, dense) = system(n);
    let mut numbers = Numbers(2);
    let b: Vec<Vec3> = (0..n).map(|_| numbers.point()).collect();
    let pool = ThreadPool::new(2);
    let mut counts = Vec::new();
    for solver in
        [Solver::Cholesky, Solver::Cg, Solver::Jacobi, Solver::Incomplete, Solver::Filtered]
    {
        let settings = LinearSettings { solver, cg_tolerance: 1e-12, cg_iterations: 2000 };
        let counted = BOTH.map(|kernels| {
            let mut linear = LinearSolver::new(&settings, matrix.pattern(), kernels).unwrap();
            linear.factor(&matrix, &pool).unwrap();
            let mut x = vec![Vec3::ZERO; n];
            let count = linear.solve(&matrix, &b, &mut x, None, None, &pool).unwrap();
            assert!(residual(&dense, &x, &b) < 1e-10, "{solver:?} {kernels:?}");
            count
        });
        assert_eq!(counted[0], counted[1]);
        counts.push(counted[0]);
    }
    // Preconditioners earn their keep.
    assert!(counts[3] < counts[1], "{counts:?}");
}

#[test]
fn indefinite_matrices_are_found() {
    let (mut matrix, _) = system(20);
    for i in 0..20 {
        *matrix.diagonal_mut(i) += Mat3::diagonal(-3.0);
    }
    let pool = ThreadPool::new(1);
    for kernels in BOTH {
        let mut factor = Factor::<Mat3>::new(matrix.pattern(), kernels).unwrap();
        assert_eq!(factor.factor(&matrix, &ThreadPool::new(2)), Err(Indefinite), "{kernels:?}");
    }
    let mut cg = ConjugateGradient::new(Precondition::none(), 1e-10, 1000, 20);
    cg.factor(&matrix).unwrap();
    let b = vec![p(1.0, 2.0, 3.0); 20];
    assert!(cg.solve(&matrix, &b, &mut vec![Vec3::ZERO; 20], None, None, &pool).is_err());
}

#[test]
fn a_filter_equals_removed_rows() {
    let n = 30;
    let (matrix, _) = system(n);
    let mut numbers = Numbers(4);
    let b: Vec<Vec3> = (0..n).map(|_| numbers.point()).collect();
    let mut fixed = vec![[false; 3]; n];
    fixed[3] = [true; 3];
    fixed[7] = [false, true, false];
    let pool = ThreadPool::new(1);
    let linear = |solver, matrix: &Matrix<Mat3>| {
        let settings = LinearSettings { solver, cg_tolerance: 1e-13, cg_iterations: 1000 };
        LinearSolver::new(&settings, matrix.pattern(), Kernels::Native).unwrap()
    };

    let mut filtered = vec![Vec3::ZERO; n];
    let mut solver = linear(Solver::Filtered, &matrix);
    solver.factor(&matrix, &pool).unwrap();
    solver.solve(&matrix, &b, &mut filtered, Some(&fixed), None, &pool).unwrap();

    let (mut removed, mut rhs) = (matrix.clone(), b);
    removed.fix(&fixed);
    for (value, fixed) in rhs.iter_mut().zip(&fixed) {
        for axis in 0..3 {
            if fixed[axis] {
                value[axis] = 0.0;
            }
        }
    }
    let mut direct = vec![Vec3::ZERO; n];
    let mut solver = linear(Solver::Cholesky, &removed);
    solver.factor(&removed, &pool).unwrap();
    solver.solve(&removed, &rhs, &mut direct, None, None, &pool).unwrap();
    assert!(apart(&filtered, &direct) < 1e-9);
    assert_eq!((filtered[3], filtered[7].y), (Vec3::ZERO, 0.0));
}

#[test]
fn scalar_blocks_solve_three_columns_at_once() {
    let n = 25;
    let pairs: Vec<[u32; 2]> = (0..n as u32 - 1).map(|i| [i, i + 1]).collect();
    let mut matrix = Matrix::<f64>::new(Pattern::new(n, pairs.iter().map(|pair| &pair[..])));
    for &[i, j] in &pairs {
        for (a, b, sign) in [(i, i, 1.0), (j, j, 1.0), (i, j, -1.0), (j, i, -1.0)] {
            let slot = matrix.pattern().slot(a, b) as usize;
            matrix.values_mut()[slot] += sign * 3.0;
        }
    }
    for i in 0..n {
        *matrix.diagonal_mut(i) += 0.7;
    }
    let mut numbers = Numbers(8);
    let x: Vec<Vec3> = (0..n).map(|_| numbers.point()).collect();
    let b: Vec<Vec3> = (0..n)
        .map(|i| {
            let mut sum = Vec3::ZERO;
            for slot in matrix.pattern().row(i) {
                sum += x[matrix.pattern().columns()[slot] as usize] * matrix.values()[slot];
            }
            sum
        })
        .collect();
    for kernels in BOTH {
        let mut factor = Factor::<f64>::new(matrix.pattern(), kernels).unwrap();
        factor.factor(&matrix, &ThreadPool::new(2)).unwrap();
        let mut solved = b.clone();
        factor.solve(&mut solved, &ThreadPool::new(2));
        assert!(apart(&solved, &x) < 1e-12, "{kernels:?}");
        let mut solved = b.clone();
        factor.solve_axis(&mut solved, 1, &ThreadPool::new(2));
        assert!(solved.iter().zip(&b).all(|(x, b)| x.x == b.x && x.z == b.z), "{kernels:?}");
        factor.solve_axis(&mut solved, 0, &ThreadPool::new(2));
        factor.solve_axis(&mut solved, 2, &ThreadPool::new(2));
        assert!(apart(&solved, &x) < 1e-12, "{kernels:?}");
    }
}

/// Solves with both factors and densely; the greatest difference relative to the solution.
fn disagreement<B: Block>(matrix: &Matrix<B>, seed: u64) -> f64 {
    let mut numbers = Numbers(seed);
    let b: Vec<Vec3> = (0..matrix.pattern().size()).map(|_| numbers.point()).collect();
    let [native, portable] = BOTH.map(|kernels| {
        let mut factor = Factor::new(matrix.pattern(), kernels).unwrap();
        let mut x = b.clone();
        factor.factor(matrix, &ThreadPool::new(2)).unwrap();
        factor.solve(&mut x, &ThreadPool::new(2));
        x
    });
    let all = dense(matrix);
    // With blocks of one number each axis is a system of its own.
    let columns = 3 / B::SIZE;
    let mut exact = vec![Vec3::ZERO; b.len()];
    for column in 0..columns {
        let axes = column..column + B::SIZE;
        let rhs = b.iter().flat_map(|b| axes.clone().map(|axis| b[axis])).collect();
        let solved = dense_solve(all.clone(), rhs);
        for (exact, solved) in exact.iter_mut().zip(solved.chunks(B::SIZE)) {
            for (axis, &value) in axes.clone().zip(solved) {
                exact[axis] = value;
            }
        }
    }
    let size = exact.iter().map(|x| x.norm()).fold(0.0, f64::max);
    apart(&native, &portable).max(apart(&portable, &exact)) / size
}

#[test]
fn both_factors_equal_a_dense_solve() {
    for (columns, rows, seed) in [(1, 1, 1), (2, 1, 2), (7, 5, 3), (3, 20, 4), (11, 11, 5)] {
        let blocks = disagreement(&grid(columns, rows, seed, block), seed);
        assert!(blocks < 1e-10, "{columns} × {rows} blocks: {blocks:e}");
        let numbers = disagreement(&grid(columns, rows, seed, number), seed);
        assert!(numbers < 1e-10, "{columns} × {rows} numbers: {numbers:e}");
    }
    // Parts that are not connected, and stars.
    let (far, _) = system(40);
    assert!(disagreement(&far, 6) < 1e-10);
    let alone = Matrix::<f64>::new(Pattern::new(0, std::iter::empty()));
    let mut factor = Factor::new(alone.pattern(), Kernels::Portable).unwrap();
    assert_eq!(factor.factor(&alone, &ThreadPool::new(2)), Ok(()));
    factor.solve(&mut [], &ThreadPool::new(2));
}

#[test]
fn both_factors_refuse_alike_and_recover() {
    let good = grid(8, 8, 3, block);
    let mut indefinite = good.clone();
    *indefinite.diagonal_mut(20) += Mat3::diagonal(-9.0);
    let mut infinite = good.clone();
    *infinite.diagonal_mut(11) += Mat3::diagonal(f64::INFINITY);
    let mut unknown = good.clone();
    *unknown.diagonal_mut(30) += Mat3::diagonal(f64::NAN);
    for kernels in BOTH {
        let mut factor = Factor::new(good.pattern(), kernels).unwrap();
        let mut first = vec![p(1.0, -2.0, 3.0); 64];
        let mut again = first.clone();
        factor.factor(&good, &ThreadPool::new(2)).unwrap();
        factor.solve(&mut first, &ThreadPool::new(2));
        for bad in [&indefinite, &infinite, &unknown] {
            assert_eq!(factor.factor(bad, &ThreadPool::new(2)), Err(Indefinite), "{kernels:?}");
        }
        factor.factor(&good, &ThreadPool::new(2)).unwrap();
        factor.solve(&mut again, &ThreadPool::new(2));
        assert_eq!(first, again);
    }
}

#[test]
fn both_factors_refuse_a_singular_matrix() {
    // Free chains of springs, with numbers whose products and roots are exact.
    let pattern = Pattern::new(3, [&[0, 1][..], &[1, 2][..]].into_iter());
    let mut chain = Matrix::<f64>::new(pattern);
    for [i, j] in [[0, 1], [1, 2]] {
        for (a, b, sign) in [(i, i, 4.0), (j, j, 4.0), (i, j, -4.0), (j, i, -4.0)] {
            let slot = chain.pattern().slot(a, b) as usize;
            chain.values_mut()[slot] += sign;
        }
    }
    let zero = Matrix::<Mat3>::new(chain.pattern().clone());
    for kernels in BOTH {
        let mut factor = Factor::new(chain.pattern(), kernels).unwrap();
        assert_eq!(factor.factor(&chain, &ThreadPool::new(2)), Err(Indefinite), "{kernels:?}");
        let mut factor = Factor::new(zero.pattern(), kernels).unwrap();
        assert_eq!(factor.factor(&zero, &ThreadPool::new(2)), Err(Indefinite), "{kernels:?}");
    }
}

#[test]
fn the_portable_order_keeps_the_factor_small() {
    for n in [40, 100] {
        let mut model = Model::new();
        Grid::square(n).add_to(&mut model).unwrap();
        let [native, portable] =
            BOTH.map(|kernels| Factor::<Mat3>::new(&model.pattern(), kernels).unwrap().numbers());
        assert!(portable <= 3 * native, "{n} × {n}: {portable} numbers against {native}");
    }
}

#[test]
fn both_kernels_take_the_same_steps() {
    let implicit = ["beta", "linearized-backward-euler", "newton", "implicit-midpoint", "bdf2"];
    for name in implicit.into_iter().chain(["quasi-newton"]) {
        compare(name, || cloth(12));
    }
    // Pins that differ between axes: a factor for each.
    compare("quasi-newton", || {
        let mut model = cloth(12);
        let motion = hooke::model::Motion::still(model.rest()[140]);
        model.pin(140, [true, false, true], motion).unwrap();
        model
    });
}

/// A few steps under both kernels end alike to 1e-9 of the cloth's size (1 m).
fn compare(name: &str, model: impl Fn() -> Model) {
    let [native, portable] = BOTH.map(|kernels| {
        let start = hooke::State::at_rest(&model());
        let mut simulation = simulation(model(), exact(name), 0.01, start);
        simulation.set_kernels(kernels);
        assert_eq!(simulation.kernels(), kernels);
        run(&mut simulation, 5);
        simulation.state().clone()
    });
    let off = apart(&native.positions, &portable.positions);
    assert!(off < 1e-9, "{name}: {off:e}");
    assert_ne!(native.digest(), portable.digest(), "{name}: the kernels made no difference");
}

#[test]
fn kernels_change_between_steps() {
    for name in ["newton", "quasi-newton", "bdf2"] {
        let fresh = |kernels| {
            let start = hooke::State::at_rest(&cloth(10));
            let mut simulation = simulation(cloth(10), method(name, &[]), 0.01, start);
            simulation.set_kernels(kernels);
            simulation
        };
        let mut changed = fresh(Kernels::Native);
        run(&mut changed, 2);
        let moment = changed.snapshot();
        changed.set_kernels(Kernels::Portable);
        run(&mut changed, 2);
        let mut portable = fresh(Kernels::Portable);
        portable.restore(&moment).unwrap();
        run(&mut portable, 2);
        assert_eq!(changed.state(), portable.state(), "{name}");
        let mut native = fresh(Kernels::Native);
        native.restore(&moment).unwrap();
        run(&mut native, 2);
        assert_ne!(changed.state(), native.state(), "{name}");
    }
}
