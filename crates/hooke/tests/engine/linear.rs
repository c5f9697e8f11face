//! Linear solvers against a dense solve.

use crate::common::*;
use hooke::Point;
use hooke::Team;
use hooke::linalg::{
    Cholesky, ConjugateGradient, LinearSettings, LinearSolver, Matrix, Pattern, Precondition,
    Solver,
};
use hooke::math::Mat3;

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
    let mut dense = vec![vec![0.0; 3 * n]; 3 * n];
    for i in 0..n {
        for slot in matrix.pattern().row(i) {
            let j = matrix.pattern().columns()[slot] as usize;
            for a in 0..3 {
                for b in 0..3 {
                    dense[3 * i + a][3 * j + b] = matrix.values()[slot].0[a][b];
                }
            }
        }
    }
    (matrix, dense)
}

fn residual(dense: &[Vec<f64>], x: &[Point], b: &[Point]) -> f64 {
    let flat = |points: &[Point]| points.iter().flat_map(|p| p.to_array()).collect::<Vec<_>>();
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
    let b: Vec<Point> = (0..n).map(|_| numbers.point()).collect();
    let team = Team::new(2);
    let mut counts = Vec::new();
    for solver in
        [Solver::Cholesky, Solver::Cg, Solver::Jacobi, Solver::Incomplete, Solver::Filtered]
    {
        let settings = LinearSettings { solver, cg_tolerance: 1e-12, cg_iterations: 2000 };
        let mut linear = LinearSolver::new(&settings, matrix.pattern()).unwrap();
        linear.factor(&matrix).unwrap();
        let mut x = vec![Point::ZERO; n];
        counts.push(linear.solve(&matrix, &b, &mut x, None, &team).unwrap());
        assert!(residual(&dense, &x, &b) < 1e-10, "{solver:?}");
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
    let team = Team::new(1);
    assert!(Cholesky::<Mat3>::new(matrix.pattern()).unwrap().factor(&matrix).is_err());
    let mut cg = ConjugateGradient::new(Precondition::none(), 1e-10, 1000, 20);
    cg.factor(&matrix).unwrap();
    let b = vec![p(1.0, 2.0, 3.0); 20];
    assert!(cg.solve(&matrix, &b, &mut vec![Point::ZERO; 20], None, &team).is_err());
}

#[test]
fn a_filter_equals_removed_rows() {
    let n = 30;
    let (matrix, _) = system(n);
    let mut numbers = Numbers(4);
    let b: Vec<Point> = (0..n).map(|_| numbers.point()).collect();
    let mut fixed = vec![[false; 3]; n];
    fixed[3] = [true; 3];
    fixed[7] = [false, true, false];
    let team = Team::new(1);
    let settings = |solver| LinearSettings { solver, cg_tolerance: 1e-13, cg_iterations: 1000 };

    let mut filtered = vec![Point::ZERO; n];
    let mut solver = LinearSolver::new(&settings(Solver::Filtered), matrix.pattern()).unwrap();
    solver.factor(&matrix).unwrap();
    solver.solve(&matrix, &b, &mut filtered, Some(&fixed), &team).unwrap();

    let (mut removed, mut rhs) = (matrix.clone(), b);
    removed.fix(&fixed);
    for (value, fixed) in rhs.iter_mut().zip(&fixed) {
        for axis in 0..3 {
            if fixed[axis] {
                value[axis] = 0.0;
            }
        }
    }
    let mut direct = vec![Point::ZERO; n];
    let mut solver = LinearSolver::new(&settings(Solver::Cholesky), removed.pattern()).unwrap();
    solver.factor(&removed).unwrap();
    solver.solve(&removed, &rhs, &mut direct, None, &team).unwrap();
    assert!(apart(&filtered, &direct) < 1e-9);
    assert_eq!((filtered[3], filtered[7].y), (Point::ZERO, 0.0));
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
    let x: Vec<Point> = (0..n).map(|_| numbers.point()).collect();
    let b: Vec<Point> = (0..n)
        .map(|i| {
            let mut sum = Point::ZERO;
            for slot in matrix.pattern().row(i) {
                sum += x[matrix.pattern().columns()[slot] as usize] * matrix.values()[slot];
            }
            sum
        })
        .collect();
    let mut factor = Cholesky::<f64>::new(matrix.pattern()).unwrap();
    factor.factor(&matrix).unwrap();
    let mut solved = b.clone();
    factor.solve(&mut solved);
    assert!(apart(&solved, &x) < 1e-12);
    let mut solved = b;
    for axis in 0..3 {
        factor.solve_axis(&mut solved, axis);
    }
    assert!(apart(&solved, &x) < 1e-12);
}
