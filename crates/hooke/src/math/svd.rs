//! Singular values of 3×3 matrices and the rotation nearest to one.
//!
//! One-sided Jacobi rotations (Hestenes 1958) turn the columns of `F` until they are orthogonal:
//! `F V = B`. Small singular values come out as accurately as great ones, and nothing but
//! `+ − × ÷ √` is needed, so the bits are the same on every machine. U and V are always rotations;
//! a reflection shows as a negative last singular value.

use super::{Mat3, Scalar, Vec3};

/// `F = U diag(σ) Vᵀ` with `det U = det V = 1` and `σ₀ ≥ σ₁ ≥ |σ₂|`; σ₂ has the sign of `det F`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Svd {
    /// The left rotation.
    pub u: Mat3,
    /// The singular values, greatest first; the last may be negative.
    pub sigma: [f64; 3],
    /// The right rotation.
    pub v: Mat3,
}

impl Svd {
    /// The rotation `U Vᵀ` nearest to the matrix.
    pub fn rotation(&self) -> Mat3 {
        self.u * self.v.transpose()
    }
}

/// Columns this much from orthogonal are taken as orthogonal.
const ORTHOGONAL: f64 = f64::EPSILON;

/// More than enough: four or five sweeps do for matrices of any condition.
const MOST_SWEEPS: usize = 20;

/// The singular value decomposition of a finite matrix, degenerate or not.
pub fn svd(f: &Mat3) -> Svd {
    let largest = f.0.iter().flatten().fold(0.0f64, |most, value| most.max(value.abs()));
    if largest == 0.0 {
        return Svd { u: Mat3::IDENTITY, sigma: [0.0; 3], v: Mat3::IDENTITY };
    }
    let mut b = f
        .columns()
        .map(|column| Vec3::new(column.x / largest, column.y / largest, column.z / largest));
    let mut v = Vec3::AXES;
    for _ in 0..MOST_SWEEPS {
        let rotated = [(0, 1), (0, 2), (1, 2)].map(|(p, q)| orthogonalize(&mut b, &mut v, p, q));
        if rotated == [false; 3] {
            break;
        }
    }
    for (p, q) in [(0, 1), (1, 2), (0, 1)] {
        if b[p].norm2() < b[q].norm2() {
            (b[p], b[q]) = (b[q], -b[p]);
            (v[p], v[q]) = (v[q], -v[p]);
        }
    }
    let u0 = b[0].unit();
    let u1 = across(b[1], u0);
    let u2 = u0.cross(u1);
    Svd {
        u: Mat3::of_columns([u0, u1, u2]),
        sigma: [u0.dot(b[0]), u1.dot(b[1]), u2.dot(b[2])].map(|value| value * largest),
        v: Mat3::of_columns(v),
    }
}

/// Rotates two columns until they are orthogonal; whether there was anything to do.
#[inline]
fn orthogonalize(b: &mut [Vec3; 3], v: &mut [Vec3; 3], p: usize, q: usize) -> bool {
    let (alpha, beta, gamma) = (b[p].norm2(), b[q].norm2(), b[p].dot(b[q]));
    if gamma.abs() <= ORTHOGONAL * (alpha * beta).sqrt() {
        return false;
    }
    let zeta = (beta - alpha) / (2.0 * gamma);
    let t = 1.0 / (zeta.abs() + (1.0 + zeta * zeta).sqrt());
    let t = if zeta < 0.0 { -t } else { t };
    let c = 1.0 / (1.0 + t * t).sqrt();
    let s = c * t;
    (b[p], b[q]) = (b[p] * c - b[q] * s, b[p] * s + b[q] * c);
    (v[p], v[q]) = (v[p] * c - v[q] * s, v[p] * s + v[q] * c);
    true
}

/// The unit vector of the part of `b` across the unit vector `n`; any across `n` where there is none.
fn across(b: Vec3, n: Vec3) -> Vec3 {
    let part = b - n * n.dot(b);
    let length = part.norm();
    if length > 1e-150 {
        // Once more: what rounding left along n is large where b is nearly along n.
        let part = part * (1.0 / length);
        return (part - n * n.dot(part)).unit();
    }
    let axis = if n.x.abs() < 0.6 { Vec3::AXES[0] } else { Vec3::AXES[1] };
    n.cross(axis).unit()
}

/// The rotation R nearest to the matrix of the columns `f`, as columns: `F = R Y` with a symmetric Y (polar
/// decomposition). R is a rotation for reflections too. The derivatives that `f` carries go through one
/// Newton iteration, `(tr Y · 1 − Y) ω = axial(Y − Yᵀ)`, where the rotation is unique.
pub fn nearest_rotation<T: Scalar>(f: [Vec3<T>; 3]) -> [Vec3<T>; 3] {
    let plain = f.map(|column| column.lift(|entry| entry.value()));
    let found = svd(&Mat3::of_columns(plain)).rotation().columns();
    let found = found.map(|column| column.lift(T::of));
    let y = found.map(|r| f.map(|column| r.dot(column)));
    let trace = y[0][0] + y[1][1] + y[2][2];
    // Y is symmetric but for derivatives, so rows serve as columns.
    let [k0, k1, k2]: [Vec3<T>; 3] = [0, 1, 2].map(|i| {
        let mut row = Vec3::new(-y[i][0], -y[i][1], -y[i][2]);
        row[i] = row[i] + trace;
        row
    });
    let a = Vec3::new(y[2][1] - y[1][2], y[0][2] - y[2][0], y[1][0] - y[0][1]);
    let determinant = k0.dot(k1.cross(k2));
    let size = trace.value().abs();
    if determinant.value().abs() <= 1e-12 * size * size * size {
        return found;
    }
    let w = Vec3::new(
        a.dot(k1.cross(k2)) / determinant,
        a.dot(k2.cross(k0)) / determinant,
        a.dot(k0.cross(k1)) / determinant,
    );
    // exp([ω]×) to second order
    let half = T::of(0.5);
    let rotation = [0, 1, 2].map(|axis| {
        let mut e = Vec3::new(T::of(0.0), T::of(0.0), T::of(0.0));
        e[axis] = T::of(1.0);
        let once = w.cross(e);
        e + once + w.cross(once) * half
    });
    rotation.map(|q| found[0] * q.x + found[1] * q.y + found[2] * q.z)
}
