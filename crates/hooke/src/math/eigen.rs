//! Eigenvalues of small symmetric matrices, to grade the indefinite part of a derived Hessian.

use super::Mat3;

const MOST: usize = 12;

/// Scales the negative part of a symmetric matrix of N×N blocks: `Σ λ v vᵀ` over all eigenpairs
/// becomes `Σ_{λ>0} λ v vᵀ + keep · Σ_{λ<0} λ v vᵀ`. Cyclic Jacobi rotations; N ≤ 4.
pub fn scale_negative_part<const N: usize>(blocks: &mut [[Mat3; N]; N], keep: f64) {
    let m = 3 * N;
    assert!(m <= MOST, "elements have at most four corners");
    let mut a = [[0.0; MOST]; MOST];
    let mut v = [[0.0; MOST]; MOST];
    for i in 0..m {
        v[i][i] = 1.0;
        for j in 0..m {
            a[i][j] = blocks[i / 3][j / 3].0[i % 3][j % 3];
        }
    }
    for _sweep in 0..30 {
        let square = |(i, j): (usize, usize)| a[i][j] * a[i][j];
        let off: f64 = (0..m).flat_map(|i| (0..i).map(move |j| (i, j))).map(square).sum();
        let size: f64 = (0..m).map(|i| square((i, i))).sum();
        if off <= 1e-32 * size || !off.is_finite() {
            break;
        }
        for p in 0..m {
            for q in p + 1..m {
                rotate(&mut a, &mut v, m, p, q);
            }
        }
    }
    for i in 0..m {
        for j in 0..m {
            let sum: f64 = (0..m)
                .map(|k| {
                    let lambda = if a[k][k] < 0.0 { a[k][k] * keep } else { a[k][k] };
                    lambda * v[i][k] * v[j][k]
                })
                .sum();
            blocks[i / 3][j / 3].0[i % 3][j % 3] = sum;
        }
    }
}

fn rotate(a: &mut [[f64; MOST]; MOST], v: &mut [[f64; MOST]; MOST], m: usize, p: usize, q: usize) {
    if a[p][q] == 0.0 {
        return;
    }
    let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
    let t = if theta == 0.0 { 1.0 } else { t };
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    for row in a.iter_mut().take(m) {
        (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
    }
    for k in 0..m {
        (a[p][k], a[q][k]) = (c * a[p][k] - s * a[q][k], s * a[p][k] + c * a[q][k]);
    }
    for row in v.iter_mut().take(m) {
        (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
    }
}
