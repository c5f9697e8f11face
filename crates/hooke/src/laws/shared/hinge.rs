//! The hinge: two triangles on one edge, its angle and the angle's derivatives.
//!
//! Corners: edge 0, edge 1, wing 0, wing 1. With `e = x₁ − x₀`, `N₁ = (x₂−x₀)×(x₂−x₁)`,
//! `N₂ = (x₃−x₁)×(x₃−x₀)` the angle is `θ = atan2((N₁×N₂)·e/|e|, N₁·N₂)`: zero when flat, from −π to π. Each
//! triangle adds to its corners' gradient a multiple of `m = N/|N|²`: `−|e| m` at the wing w,
//! `−((w−x₁)·e/|e|) m` at edge 0, `((w−x₀)·e/|e|) m` at edge 1; these are minus the modes u of Bridson,
//! Marino & Fedkiw 2003. The Hessian follows by differentiating them once more (compare Tamstorf &
//! Grinspun 2013, *Discrete bending forces and their Jacobians*).
//!
//! Where a fold closes completely θ jumps from π to −π. An energy of a hinge bent at rest would jump with it,
//! and what passes there would gain or lose energy for nothing. So a law counts on past ±π, on the side of its
//! rest angle, and takes the direction around the circle that costs less.
//!
//! A triangle without height has no angle: it adds no force.

use crate::laws::{Blocks, Param};
use crate::math::{Mat3, Scalar, Vec3};
use std::f64::consts::TAU;

/// The stiffness of a hinge as a material value.
pub(in crate::laws) const STIFFNESS: Param = Param {
    name: "stiffness",
    unit: "N·m",
    doc: "stiffness against bending, k",
    range: [0.0, 1e15],
    default: 1e-4,
};

/// Heights below this, relative to the edge, are none.
const FLAT: f64 = 1e-12;

/// The rest values of a hinge: the angle (rad); `3|e|²/(A₁+A₂)`; and the slopes ∂θ/∂x_i (1/m) of the
/// corners along the normal when flat, of which the proxy is made.
pub type HingeRest<T> = [T; 6];

/// The rest values of a hinge at rest at `x`, unless one of its triangles is flat.
pub(crate) fn rest(x: [Vec3; 4]) -> Option<HingeRest<f64>> {
    let [n1, n2] = normals(x);
    let e = x[1] - x[0];
    let length = e.norm();
    let [a, b] = [n1, n2].map(|n| n.norm());
    if !(a > FLAT * length * length && b > FLAT * length * length) {
        return None;
    }
    let e = e * (1.0 / length);
    let edge0 = (x[2] - x[1]).dot(e) / a + (x[3] - x[1]).dot(e) / b;
    let edge1 = -(x[2] - x[0]).dot(e) / a - (x[3] - x[0]).dot(e) / b;
    let shape = 6.0 * length * length / (a + b);
    let rest = [angle(x), shape, edge0, edge1, length / a, length / b];
    rest.iter().all(|value| value.is_finite()).then_some(rest)
}

/// Whether rest values given by hand can be those of a hinge.
pub(in crate::laws) fn check(rest: &HingeRest<f64>) -> Result<(), &'static str> {
    if rest[1] >= 0.0 {
        Ok(())
    } else {
        Err("the second rest value, 3|e|²/(A₁+A₂), must be ≥ 0")
    }
}

/// `k · shape · w wᵀ`: the Hessian of a flat hinge along its normal.
pub(in crate::laws) fn proxy([_, shape, w @ ..]: HingeRest<f64>, k: f64) -> [[f64; 4]; 4] {
    w.map(|a| w.map(|b| k * shape * a * b))
}

/// N₁ and N₂.
fn normals<T: Scalar>([a, b, c, d]: [Vec3<T>; 4]) -> [Vec3<T>; 2] {
    [(c - a).cross(c - b), (d - b).cross(d - a)]
}

/// `|N|²` that counts as none.
fn none(length2: f64) -> f64 {
    FLAT * FLAT * length2 * length2
}

/// θ (rad).
pub(in crate::laws) fn angle<T: Scalar>(x: [Vec3<T>; 4]) -> T {
    let [n1, n2] = normals(x);
    let e = x[1] - x[0];
    let none = none(e.norm2().value());
    if n1.norm2().value() <= none || n2.norm2().value() <= none {
        return T::of(0.0);
    }
    n1.dot(n2).angle_to(n1.cross(n2).dot(e) / e.norm())
}

/// `θ − θ₀` by the shorter arc around the circle, from −π to π.
pub(in crate::laws) fn from_rest<T: Scalar>(angle: T, rest: T) -> T {
    let bent = angle - rest;
    let rotations = (bent.value() / TAU).round();
    if rotations == 0.0 { bent } else { bent - T::of(rotations * TAU) }
}

/// `slope · ∂θ/∂x` for each corner.
#[inline]
pub(crate) fn gradient<T: Scalar>(x: [Vec3<T>; 4], slope: T) -> [Vec3<T>; 4] {
    let [n1, n2] = normals(x);
    let e = x[1] - x[0];
    let length2 = e.norm2();
    let none = none(length2.value());
    if n1.norm2().value() <= none || n2.norm2().value() <= none {
        return x.map(|corner| corner * T::of(0.0));
    }
    let length = length2.sqrt();
    let m1 = n1 * (slope / (n1.norm2() * length));
    let m2 = n2 * (slope / (n2.norm2() * length));
    let at = |from: usize| ((x[2] - x[from]).dot(e), (x[3] - x[from]).dot(e));
    let ((a1, a2), (b1, b2)) = (at(1), at(0));
    [-(m1 * a1 + m2 * a2), m1 * b1 + m2 * b2, m1 * -length2, m2 * -length2]
}

/// `curve · ∂θ/∂x ∂θ/∂xᵀ + slope · ∂²θ/∂x²`: the Hessian of a function of θ. ∂²θ has both signs, and its
/// eigenvalues cost fifty times as much as itself; so `keep` scales all of it.
pub(in crate::laws) fn hessian(x: [Vec3; 4], slope: f64, curve: f64, keep: f64) -> Blocks<4> {
    let slope = slope * keep;
    let curve = if curve < 0.0 { curve * keep } else { curve };
    let mut blocks = [[Mat3::ZERO; 4]; 4];
    let e = x[1] - x[0];
    let length2 = e.norm2();
    let normals = normals(x);
    if normals.iter().any(|n| n.norm2() <= none(length2)) {
        return blocks;
    }
    let length = length2.sqrt();
    let unit = e * (1.0 / length);
    for (n, wing, sign) in [(normals[0], 2, 1.0), (normals[1], 3, -1.0)] {
        let n2 = n.norm2();
        let m = n * (1.0 / n2);
        let (to0, to1) = (x[wing] - x[0], x[wing] - x[1]);
        let height = (to0 - unit * to0.dot(unit)) * (1.0 / length);
        let zero = Vec3::ZERO;
        let corners = [0, 1, wing];
        // ∂θ/∂x_i = a_i m; ∂a_i/∂x_j
        let a = [-to1.dot(unit), to0.dot(unit), -length];
        let da =
            [[height, unit - height, -unit], [-unit - height, height, unit], [unit, -unit, zero]];
        // ∂m/∂x_j = (1 − 2 n nᵀ/|n|²)/|n|² · ∂N/∂x_j
        let spread = (Mat3::IDENTITY - n.outer(m) * 2.0) * (sign / n2);
        let dn = [to1, -to0, e].map(|v| spread * Mat3::cross(v));
        for (i, &row) in corners.iter().enumerate() {
            for (j, &column) in corners.iter().enumerate() {
                blocks[row][column] += (m.outer(da[i][j]) + dn[j] * a[i]) * slope;
            }
        }
    }
    let g = gradient(x, 1.0);
    for i in 0..4 {
        for j in 0..=i {
            // Each triangle's part alone is not symmetric; the sum is, to rounding.
            let block = (blocks[i][j] + blocks[j][i].transpose()) * 0.5 + g[i].outer(g[j]) * curve;
            blocks[i][j] = block;
            blocks[j][i] = block.transpose();
        }
    }
    blocks
}
