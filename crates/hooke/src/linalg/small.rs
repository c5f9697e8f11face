//! Small symmetric systems, dense: `A = L Lᵀ` by rows, in place.

/// Puts L in place of the lower triangle of `a`, of n×n. Pivots that rounding has made smaller are taken as `least`.
pub(crate) fn factor(a: &mut [f64], n: usize, least: f64) {
    for i in 0..n {
        for j in 0..=i {
            let mut sum = a[i * n + j];
            for k in 0..j {
                sum -= a[i * n + k] * a[j * n + k];
            }
            a[i * n + j] = if i == j { sum.max(least).sqrt() } else { sum / a[j * n + j] };
        }
    }
}

/// Puts `A⁻¹ b` in place of `b`, by what [`factor`] made of A.
pub(crate) fn solve(a: &[f64], b: &mut [f64]) {
    let n = b.len();
    for i in 0..n {
        for k in 0..i {
            b[i] -= a[i * n + k] * b[k];
        }
        b[i] /= a[i * n + i];
    }
    for i in (0..n).rev() {
        for k in i + 1..n {
            b[i] -= a[k * n + i] * b[k];
        }
        b[i] /= a[i * n + i];
    }
}
