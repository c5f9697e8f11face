//! The panels by all instructions and on several threads, against the plain factor.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::linalg::ldlt::Ldlt;

/// Numbers in (0, 1) that look random.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = crate::math::noise::mix(self.0);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Springs of random stiffness and particles of random mass, over six orders of magnitude.
fn matrix(size: usize, pairs: &[[u32; 2]], seed: u64) -> Matrix<f64> {
    let mut matrix = Matrix::new(Pattern::new(size, pairs.iter().map(|pair| &pair[..])));
    let mut numbers = Numbers(seed);
    let mut value = |exponent: f64| libm::pow(10.0, exponent * numbers.next());
    for i in 0..size {
        *matrix.diagonal_mut(i) += 0.01 * value(3.0);
    }
    for &[i, j] in pairs {
        let k = value(3.0);
        for (a, b, sign) in [(i, i, 1.0), (j, j, 1.0), (i, j, -1.0), (j, i, -1.0)] {
            let slot = matrix.pattern().slot(a, b) as usize;
            matrix.values_mut()[slot] += sign * k;
        }
    }
    matrix
}

/// Every particle joined to those at these steps along the rows and columns of a grid.
fn grid(columns: u32, rows: u32, steps: &[(u32, u32)]) -> Vec<[u32; 2]> {
    let mut pairs = Vec::new();
    for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |c| (row, c))) {
        for (right, down) in steps {
            if column + right < columns && row + down < rows {
                let i = row * columns + column;
                pairs.push([i, i + down * columns + right]);
            }
        }
    }
    pairs
}

fn solve(factor: &PanelFactor, b: &[Vec3], size: f64, threads: usize) -> Vec<Vec3> {
    // What is put twice, or never, comes out wrong.
    let mut x = vec![Vec3::new(1.0, 0.0, 0.0); b.len()];
    factor.solve(b, size, &mut x, &ThreadPool::new(threads), |x, value| {
        *x = value * (1.0 / x.norm())
    });
    x
}

/// Compares the factor by all instructions and threads with the plain one; its pieces.
fn check(size: usize, pairs: &[[u32; 2]], seed: u64) -> usize {
    let matrix = matrix(size, pairs, seed);
    let mut numbers = Numbers(seed + 1);
    let mut number = || numbers.next() - 0.5;
    let b: Vec<Vec3> = (0..size).map(|_| Vec3::new(number(), number(), number())).collect();
    let mut exact = b.clone();
    let mut plain = Ldlt::new(matrix.pattern()).unwrap();
    plain.factor(&matrix).unwrap();
    plain.solve(&mut exact);
    let largest = exact.iter().map(|x| x.norm()).fold(0.0, f64::max);

    let mut factor = PanelFactor::new(matrix.pattern()).unwrap();
    let mut fused: Option<Vec<Vec3>> = None;
    for level in SimdLevel::all() {
        factor.level = level;
        factor.factor(&matrix, &ThreadPool::new(1)).unwrap();
        let x = solve(&factor, &b, 1.0, 1);
        for (x, exact) in x.iter().zip(&exact) {
            let off = (*x - *exact).norm() / largest;
            let most = if matches!(factor.lines, Lines::Half(_)) { 2e-3 } else { 2e-5 };
            assert!(off < most, "{size} {level:?}: {off:e}");
        }
        factor.factor(&matrix, &ThreadPool::new(3)).unwrap();
        for threads in [2, 3, 5, 40] {
            assert_eq!(solve(&factor, &b, 1.0, threads), x, "{level:?} on {threads} threads");
        }
        if level != SimdLevel::Plain {
            assert_eq!(*fused.get_or_insert_with(|| x.clone()), x, "{level:?}");
        }
    }
    factor.pieces.len()
}

#[test]
fn panels_solve_as_the_plain_factor_does() {
    let cloth = [(1, 0), (0, 1), (2, 0), (0, 2), (1, 1)];
    for (columns, rows) in [(1, 1), (2, 1), (7, 5), (3, 40), (31, 33)] {
        check((columns * rows) as usize, &grid(columns, rows, &cloth), 3);
    }
    // Large enough for all depths of pieces.
    let pieces = check(130 * 140, &grid(130, 140, &cloth), 4);
    assert!(pieces >= 15, "{pieces}");
    // Joined to all others: panels as wide as they get, with rows above the diagonal.
    for size in [16, 17, 33, 65, 150] {
        let all = (0..size).flat_map(|i| (0..i).map(move |j| [j, i]));
        check(size as usize, &all.collect::<Vec<_>>(), 5);
    }
    // Not joined at all, and in parts.
    check(100, &[], 6);
    check(2000, &grid(1000, 1, &[(1, 0), (2, 0)]), 7);
    check(0, &[], 8);
}

#[test]
fn numbers_beyond_f32_are_scaled() {
    let pairs = grid(9, 9, &[(1, 0), (0, 1)]);
    let mut matrix = matrix(81, &pairs, 9);
    for value in matrix.values_mut() {
        *value *= 1e-90;
    }
    let b = vec![Vec3::new(1e60, -2e60, 3e60); 81];
    let mut exact = b.clone();
    let mut plain = Ldlt::new(matrix.pattern()).unwrap();
    plain.factor(&matrix).unwrap();
    plain.solve(&mut exact);
    let mut factor = PanelFactor::new(matrix.pattern()).unwrap();
    factor.factor(&matrix, &ThreadPool::new(1)).unwrap();
    let x = solve(&factor, &b, 1e60, 1);
    let off = x.iter().zip(&exact).map(|(x, exact)| (*x - *exact).norm() / exact.norm());
    let off = off.fold(0.0, f64::max);
    assert!(off < 1e-5, "{off:e}");
}

/// The kernels read lines without looking, and there are none.
#[test]
#[should_panic(expected = "end <= lines")]
fn a_factor_that_failed_is_not_read() {
    let mut matrix = matrix(20, &grid(5, 4, &[(1, 0), (0, 1)]), 3);
    *matrix.diagonal_mut(7) = -1e9;
    let mut factor = PanelFactor::new(matrix.pattern()).unwrap();
    assert!(factor.factor(&matrix, &ThreadPool::new(1)).is_err());
    solve(&factor, &[Vec3::ZERO; 20], 1.0, 1);
}
