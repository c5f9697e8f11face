//! Green strain, and the energy that is quadratic in it: shared by laws of solids and sheets.
//!
//! `G = ½(FᵀF − 1)`, `W = λ/2 tr(G)² + μ tr(G²)`, `P = F S` with `S = 2μG + λ tr(G) 1`.

use super::deformation::Curvature;
use super::lame::Lame;
use crate::math::{Mat3, Scalar, Vec3};

/// Green strain of the columns of F.
pub(in crate::laws) fn green<T: Scalar, const D: usize>(f: [Vec3<T>; D]) -> [[T; D]; D] {
    let mut g = f.map(|a| f.map(|b| T::of(0.5) * a.dot(b)));
    for (i, row) in g.iter_mut().enumerate() {
        row[i] = row[i] - T::of(0.5);
    }
    g
}

/// `λ/2 tr(G)² + μ tr(G²)`.
pub(in crate::laws) fn density<T: Scalar, const D: usize>(g: [[T; D]; D], lame: Lame<T>) -> T {
    let (mut trace, mut squares) = (T::of(0.0), T::of(0.0));
    for (i, row) in g.iter().enumerate() {
        trace = trace + row[i];
        for &entry in row {
            squares = squares + entry * entry;
        }
    }
    T::of(0.5) * lame.lambda * trace * trace + lame.mu * squares
}

/// The columns of `P = F S`.
pub(in crate::laws) fn stress<T: Scalar, const D: usize>(
    f: [Vec3<T>; D],
    lame: Lame<T>,
) -> [Vec3<T>; D] {
    let g = green(f);
    let mut trace = T::of(0.0);
    for (i, row) in g.iter().enumerate() {
        trace = trace + row[i];
    }
    let two_mu = lame.mu + lame.mu;
    let mut p = f.map(|column| column * (lame.lambda * trace));
    for (column, row) in p.iter_mut().zip(g) {
        for (&part, entry) in f.iter().zip(row) {
            *column += part * (two_mu * entry);
        }
    }
    p
}

/// Second derivatives in singular values; those of axes beyond `d` are those of a sheet's normal.
pub(in crate::laws) fn curvature(sigma: [f64; 3], lame: Lame<f64>, d: usize) -> Curvature {
    let Lame { lambda, mu } = lame;
    let square = sigma.map(|value| value * value);
    let trace: f64 = square[..d].iter().map(|value| 0.5 * (value - 1.0)).sum();
    let mut scalings = Mat3::ZERO;
    for i in 0..d {
        for j in 0..d {
            scalings.0[i][j] = lambda * sigma[i] * sigma[j];
        }
        scalings.0[i][i] += lambda * trace + mu * (3.0 * square[i] - 1.0);
    }
    let pair = |third: usize, sign: f64| {
        let (i, j) = ((third + 1) % 3, (third + 2) % 3);
        let product = if i < d && j < d { sign * sigma[i] * sigma[j] } else { 0.0 };
        lambda * trace + mu * (square[i] + square[j] + product - 1.0)
    };
    Curvature {
        scalings,
        twists: [0, 1, 2].map(|third| pair(third, -1.0)),
        flips: [0, 1, 2].map(|third| pair(third, 1.0)),
    }
}
