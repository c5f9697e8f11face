//! Finite volumes: the forces of an element from the stress on its faces, by three formulas that agree.
//!
//! A stress P acts on area vectors of the rest shape. A corner is pulled by a third of each of the
//! three faces at it: `f_i = −(P/6) b_i` with `b_i = X_ji×X_ki + X_ki×X_li + X_li×X_ji`, where
//! `X_ab = X_a − X_b` and `det[X₁₀ X₂₀ X₃₀] > 0`. Finite elements give the same, `[b₁ b₂ b₃] = 6V D_m^{−ᵀ}`. With Cauchy's stress `σ = J⁻¹ P Fᵀ` and area vectors of the deformed
//! shape the forces are again the same: a test shows all three to round-off.

use crate::math::{Mat3, Vec3};

/// `D = [x₁₀ x₂₀ x₃₀]`.
pub fn edges([a, b, c, d]: [Vec3; 4]) -> Mat3 {
    Mat3::of_columns([b - a, c - a, d - a])
}

/// The area vectors `b_i` (m²) at the corners of a tetrahedron with `det D > 0`, six times those that a
/// stress acts on. The pattern is not cyclic: corner 0 is minus the sum of the others.
pub fn area_vectors(x: [Vec3; 4]) -> [Vec3; 4] {
    let around = |i: usize, [j, k, l]: [usize; 3]| {
        let [j, k, l] = [x[j] - x[i], x[k] - x[i], x[l] - x[i]];
        j.cross(k) + k.cross(l) + l.cross(j)
    };
    let [b, c, d] = [around(1, [0, 2, 3]), around(2, [0, 3, 1]), around(3, [0, 1, 2])];
    [-(b + c + d), b, c, d]
}

/// `f_i = −(P/6) b_i` (N): the first Piola–Kirchhoff stress (Pa) on the rest shape `x`, of either
/// orientation.
pub fn tetrahedron_forces(stress: Mat3, x: [Vec3; 4]) -> [Vec3; 4] {
    let sign = if edges(x).determinant() < 0.0 { -1.0 } else { 1.0 };
    area_vectors(x).map(|b| (stress * b) * (-sign / 6.0))
}

/// `σ = J⁻¹ P Fᵀ` (Pa).
pub fn cauchy(stress: Mat3, f: Mat3) -> Mat3 {
    stress * f.transpose() * (1.0 / f.determinant())
}

/// `f_i = −(σ/6) b_i(x)` (N): Cauchy's stress (Pa) on the deformed shape `x`; `j` is `det F`. An inverted
/// element has its area vectors turned inwards.
pub fn cauchy_forces(stress: Mat3, x: [Vec3; 4], j: f64) -> [Vec3; 4] {
    let inverted = if j < 0.0 { -1.0 } else { 1.0 };
    tetrahedron_forces(stress, x).map(|force| force * inverted)
}

/// `f_i = −½ t P (n_a + n_b)` (N) for a triangle of thickness `t` (m) in the plane: P (Pa) has the columns `stress`,
/// and the normals of the two edges at a corner point outwards, as long as the edges.
pub fn triangle_forces(stress: [Vec3; 2], t: f64, x: [[f64; 2]; 3]) -> [Vec3; 3] {
    let edge = |i: usize, j: usize| [x[j][0] - x[i][0], x[j][1] - x[i][1]];
    let [a, b] = [edge(0, 1), edge(0, 2)];
    let sign = if a[0] * b[1] < a[1] * b[0] { -1.0 } else { 1.0 };
    let outward = |i, j| edge(i, j).map(|value| value * sign);
    let normals = [(0, 1), (1, 2), (2, 0)].map(|(i, j)| {
        let [u, v] = outward(i, j);
        [v, -u]
    });
    [0, 1, 2].map(|i| {
        let [p, q] = [normals[i], normals[(i + 2) % 3]];
        (stress[0] * (p[0] + q[0]) + stress[1] * (p[1] + q[1])) * (-0.5 * t)
    })
}
