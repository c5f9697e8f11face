//! The factor on several threads, against the plain one.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::linalg::ldlt::Ldlt;
use crate::linalg::nested_dissection::nested_dissection;
use crate::math::Mat3;
use crate::math::noise::mix;

/// Which supernodes become one: none, few, nearly all.
const RELAXED: [&[(usize, f64)]; 3] = [&[], &[(4, 1.0), (16, 0.2)], &[(usize::MAX, 0.9)]];

/// Numbers in (0, 1) that look random.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = mix(self.0);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// A positive block, a different one for each number.
trait Positive: Block + PartialEq + std::fmt::Debug {
    fn of(a: f64, b: f64) -> Self;
    fn add(&mut self, other: Self, sign: f64);
}

impl Positive for f64 {
    fn of(a: f64, b: f64) -> Self {
        a + b
    }
    fn add(&mut self, other: Self, sign: f64) {
        *self += sign * other;
    }
}

impl Positive for Mat3 {
    fn of(a: f64, b: f64) -> Self {
        let d = Vec3::new(a - 0.5, b - 0.5, a * b);
        Mat3::diagonal(0.1) + d.outer(d)
    }
    fn add(&mut self, other: Self, sign: f64) {
        *self += other * sign;
    }
}

/// Springs between pairs, and something that holds every particle.
fn matrix<B: Positive>(size: usize, pairs: &[[u32; 2]], seed: u64) -> Matrix<B> {
    let mut matrix = Matrix::<B>::new(Pattern::new(size, pairs.iter().map(|pair| &pair[..])));
    let mut numbers = Numbers(seed);
    for i in 0..size {
        matrix.diagonal_mut(i).add(B::of(numbers.next(), numbers.next()), 0.1);
    }
    for &[i, j] in pairs {
        let k = B::of(numbers.next(), numbers.next());
        for (a, b, sign) in [(i, i, 1.0), (j, j, 1.0), (i, j, -1.0), (j, i, -1.0)] {
            let slot = matrix.pattern().slot(a, b) as usize;
            matrix.values_mut()[slot].add(k, sign);
        }
    }
    matrix
}

fn grid(columns: u32, rows: u32) -> Vec<[u32; 2]> {
    let mut pairs = Vec::new();
    for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |c| (row, c))) {
        for (right, down) in [(1, 0), (0, 1), (2, 0), (0, 2), (1, 1)] {
            if column + right < columns && row + down < rows {
                let i = row * columns + column;
                pairs.push([i, i + down * columns + right]);
            }
        }
    }
    pairs
}

fn right_hand_side(size: usize) -> Vec<Vec3> {
    let mut numbers = Numbers(77);
    let mut number = || numbers.next() - 0.5;
    (0..size).map(|_| Vec3::new(number(), number(), number())).collect()
}

/// Compares with the plain factor, and threads with each other; the number of pieces.
fn check<B: Positive>(size: usize, pairs: &[[u32; 2]], seed: u64) -> usize {
    let matrix = matrix::<B>(size, pairs, seed);
    let b = right_hand_side(size);
    let mut exact = b.clone();
    let mut plain = Ldlt::new(matrix.pattern()).unwrap();
    plain.factor(&matrix).unwrap();
    plain.solve(&mut exact);
    let largest = exact.iter().map(|x| x.norm()).fold(0.0, f64::max);
    let mut pieces = 0;
    for relax in RELAXED {
        let order = nested_dissection(matrix.pattern(), 8);
        let mut factor = Cholesky::new(matrix.pattern(), order, relax, Keep::All).unwrap();
        let mut solve = |threads: usize| {
            let pool = ThreadPool::new(threads);
            let mut x = b.clone();
            factor.factor(&matrix, &pool, |_, _, _| ()).unwrap();
            factor.solve(&mut x, &pool);
            x
        };
        let one = solve(1);
        for (x, exact) in one.iter().zip(&exact) {
            let off = (*x - *exact).norm() / largest;
            assert!(off < 1e-11, "{size} {relax:?}: {off:e}");
        }
        for threads in [2, 3, 8] {
            assert_eq!(solve(threads), one, "{size} {relax:?} on {threads} threads");
        }
        pieces = factor.pieces.len();
    }
    pieces
}

#[test]
fn the_factor_solves_as_the_plain_one_does() {
    for (columns, rows) in [(1, 1), (2, 1), (7, 5), (3, 40), (31, 33)] {
        check::<f64>((columns * rows) as usize, &grid(columns, rows), 3);
        check::<Mat3>((columns * rows) as usize, &grid(columns, rows), 3);
    }
    // Large enough for all depths of pieces.
    let pieces = check::<Mat3>(70 * 60, &grid(70, 60), 4);
    assert!(pieces >= 15, "{pieces}");
    // Joined to all others, to some at random, to none, and in parts.
    for size in [16, 33, 150] {
        let all: Vec<_> = (0..size).flat_map(|i| (0..i).map(move |j| [j, i])).collect();
        check::<f64>(size as usize, &all, 5);
        check::<Mat3>(size as usize, &all, 5);
    }
    let mut numbers = Numbers(6);
    let mut any = || (numbers.next() * 600.0) as u32;
    let random: Vec<_> = (0..1500).map(|_| [any(), any()]).filter(|[i, j]| i != j).collect();
    check::<f64>(600, &random, 7);
    check::<Mat3>(600, &random, 7);
    check::<Mat3>(100, &[], 8);
    check::<Mat3>(2000, &grid(40, 25), 9);
    check::<Mat3>(0, &[], 10);
}

#[test]
fn indefinite_and_unknown_matrices_are_refused_wherever_they_are() {
    let good = matrix::<Mat3>(900, &grid(30, 30), 11);
    let order = nested_dissection(good.pattern(), 8);
    let mut factor = Cholesky::new(good.pattern(), order, RELAXED[1], Keep::All).unwrap();
    let pool = ThreadPool::new(2);
    let b = right_hand_side(900);
    let solve = |factor: &mut Cholesky<Mat3>| {
        let mut x = b.clone();
        factor.factor(&good, &pool, |_, _, _| ()).unwrap();
        factor.solve(&mut x, &pool);
        x
    };
    let first = solve(&mut factor);
    for i in (0..900).step_by(7) {
        for value in [-40.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let mut bad = good.clone();
            *bad.diagonal_mut(i) += Mat3::diagonal(value);
            let factored = factor.factor(&bad, &pool, |_, _, _| ());
            assert_eq!(factored, Err(Indefinite), "{value} at {i}");
        }
        for value in [f64::NAN, f64::INFINITY] {
            let mut bad = good.clone();
            let other = if i < 870 { i + 30 } else { i - 30 };
            for (i, j) in [(i, other), (other, i)] {
                let slot = bad.pattern().slot(i as u32, j as u32) as usize;
                bad.values_mut()[slot] = Mat3::diagonal(value);
            }
            let factored = factor.factor(&bad, &pool, |_, _, _| ());
            assert_eq!(factored, Err(Indefinite), "{value} beside {i}");
        }
    }
    assert_eq!(solve(&mut factor), first);
}
