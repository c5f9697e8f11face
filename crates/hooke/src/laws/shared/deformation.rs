//! The deformation gradient of triangles and tetrahedra, and what isotropic materials make of it.
//!
//! `F = [x₁₀ x₂₀ (x₃₀)] [X₁₀ X₂₀ (X₃₀)]⁻¹`, 3×3 for tetrahedra and 3×2 for triangles. A material's energy
//! density W(F) gives `E = V W`, and with `P = ∂W/∂F` and the slopes b_i of the corners (the rows of
//! the inverse; those of corner 0 are minus their sum) `∂E/∂x_i = V P b_i`.
//!
//! An isotropic W depends on the singular values σ of F alone. Then ∂²W/∂F² is known in closed form
//! (Smith, de Goes & Kim 2019, *Analytic eigensystems for isotropic distortion energies*): a 3×3
//! block of scalings ∂²W/∂σ², and for each pair of axes i, j a twist `(W_i + W_j)/(σ_i + σ_j)` and a flip
//! `(W_i − W_j)/(σ_i − σ_j)`. Each is graded on its own, which grades the whole.

use crate::laws::{Blocks, Param};
use crate::math::{
    Mat3, Scalar, Svd, Vec3, is_flat_tetrahedron, is_flat_triangle, scale_negative_part, svd,
};

/// The stiffness of a condition as a material value.
pub(in crate::laws) const CONDITION: Param = Param {
    name: "stiffness",
    unit: "N/m³",
    doc: "energy per squared condition, k",
    range: [0.0, 1e15],
    default: 1e6,
};

/// The rest values of a tetrahedron: the inverse of `[X₁₀ X₂₀ X₃₀]` (1/m) by rows, and the volume (m³).
pub type TetrahedronRest<T> = [T; 10];

/// The rest values of a triangle: the inverse of its edges in the axes u, v of its plane (1/m) by rows,
/// and the area (m²).
pub type TriangleRest<T> = [T; 5];

/// The rest values of a tetrahedron at rest at `x`, unless it is flat. Either orientation will do.
pub fn rest_of_tetrahedron(x: [Vec3; 4]) -> Option<TetrahedronRest<f64>> {
    let [a, b, c] = [x[1] - x[0], x[2] - x[0], x[3] - x[0]];
    let determinant = a.cross(b).dot(c);
    if is_flat_tetrahedron(x) || !determinant.is_finite() {
        return None;
    }
    let rows = [b.cross(c), c.cross(a), a.cross(b)].map(|row| row * (1.0 / determinant));
    let [r, s, t] = rows.map(Vec3::to_array);
    let volume = determinant.abs() / 6.0;
    let rest = [r[0], r[1], r[2], s[0], s[1], s[2], t[0], t[1], t[2], volume];
    rest.iter().all(|value| value.is_finite()).then_some(rest)
}

/// The rest values of a triangle at rest at `x`, unless it is flat. The axis u is the x axis laid into
/// the plane of the triangle (the z axis where its normal is along x); v is across it.
pub fn rest_of_triangle(x: [Vec3; 3]) -> Option<TriangleRest<f64>> {
    let [a, b] = [x[1] - x[0], x[2] - x[0]];
    let normal = a.cross(b);
    if is_flat_triangle(x) || !normal.is_finite() {
        return None;
    }
    let n = normal.unit();
    let along = if n.x.abs() < 0.999 { Vec3::AXES[0] } else { Vec3::AXES[2] };
    let u = (along - n * n.dot(along)).unit();
    let v = n.cross(u);
    let [au, av, bu, bv] = [a.dot(u), a.dot(v), b.dot(u), b.dot(v)];
    let determinant = au * bv - av * bu;
    let area = 0.5 * determinant.abs();
    let rest = [bv / determinant, -bu / determinant, -av / determinant, au / determinant, area];
    rest.iter().all(|value| value.is_finite()).then_some(rest)
}

/// Whether rest values given by hand can be those of an element.
pub(crate) fn check_rest(rest: &[f64], measure: &'static str) -> Result<(), &'static str> {
    match rest {
        [inverse @ .., size] if *size > 0.0 && inverse.iter().any(|value| *value != 0.0) => Ok(()),
        _ => Err(measure),
    }
}

/// The columns of F of a tetrahedron.
#[inline]
pub fn of_tetrahedron<T: Scalar>(x: [Vec3<T>; 4], rest: TetrahedronRest<T>) -> [Vec3<T>; 3] {
    let [a, b, c] = [x[1] - x[0], x[2] - x[0], x[3] - x[0]];
    [0, 1, 2].map(|j| a * rest[j] + b * rest[3 + j] + c * rest[6 + j])
}

/// The columns of F of a triangle.
#[inline]
pub fn of_triangle<T: Scalar>(x: [Vec3<T>; 3], rest: TriangleRest<T>) -> [Vec3<T>; 2] {
    let [a, b] = [x[1] - x[0], x[2] - x[0]];
    [0, 1].map(|j| a * rest[j] + b * rest[2 + j])
}

/// `V P b_i` for the columns of P: the gradient at the corners of a tetrahedron.
#[inline]
pub fn at_tetrahedron<T: Scalar>(p: [Vec3<T>; 3], rest: TetrahedronRest<T>) -> [Vec3<T>; 4] {
    let [q, r, s] = p.map(|column| column * rest[9]);
    let [b, c, d] = [0, 3, 6].map(|row| q * rest[row] + r * rest[row + 1] + s * rest[row + 2]);
    [-(b + c + d), b, c, d]
}

/// `A P b_i` for the columns of P: the gradient at the corners of a triangle.
#[inline]
pub fn at_triangle<T: Scalar>(p: [Vec3<T>; 2], rest: TriangleRest<T>) -> [Vec3<T>; 3] {
    let [q, r] = p.map(|column| column * rest[4]);
    let [b, c] = [0, 2].map(|row| q * rest[row] + r * rest[row + 1]);
    [-(b + c), b, c]
}

/// The slopes b_i (1/m) of a tetrahedron's corners.
pub(in crate::laws) fn slopes_of_tetrahedron(rest: TetrahedronRest<f64>) -> [Vec3; 4] {
    let [b, c, d] = [0, 3, 6].map(|row| Vec3::new(rest[row], rest[row + 1], rest[row + 2]));
    [-(b + c + d), b, c, d]
}

/// The slopes b_i (1/m) of a triangle's corners, in the axes u and v.
pub(crate) fn slopes_of_triangle(rest: TriangleRest<f64>) -> [Vec3; 3] {
    let [b, c] = [0, 2].map(|row| Vec3::new(rest[row], rest[row + 1], 0.0));
    [-(b + c), b, c]
}

/// `stiffness · b_i · b_j`: the Laplacian of an element, what its proxy is made of.
pub(in crate::laws) fn laplacian<const N: usize>(
    slopes: [Vec3; N],
    stiffness: f64,
) -> [[f64; N]; N] {
    slopes.map(|a| slopes.map(|b| stiffness * a.dot(b)))
}

/// Whether a tetrahedron is turned inside out, or flat.
pub(in crate::laws) fn is_inverted(x: [Vec3; 4], rest: TetrahedronRest<f64>) -> bool {
    let [a, b, c] = of_tetrahedron(x, rest);
    a.cross(b).dot(c) <= 0.0
}

/// The principal stretch (relative, minus one) furthest from zero.
pub(in crate::laws) fn worst_stretch(sigma: &[f64]) -> Option<f64> {
    let further = |a: f64, b: f64| if b.abs() > a.abs() { b } else { a };
    sigma.iter().map(|value| value - 1.0).reduce(further)
}

/// How far the singular values of a triangle's F are outside `[least, most]`, and corners with those
/// brought inside: `[x₁₀ x₂₀] = U clamp(Σ) Vᵀ [X₁₀ X₂₀]`.
pub(in crate::laws) fn limited_triangle(
    x: [Vec3; 3],
    rest: TriangleRest<f64>,
    [least, most]: [f64; 2],
) -> Option<(f64, [Vec3; 3])> {
    let [r0, r1, r2, r3, _] = rest;
    let determinant = r0 * r3 - r1 * r2;
    if determinant == 0.0 || !x.iter().all(|corner| corner.is_finite()) {
        return None;
    }
    let [a, b] = of_triangle(x, rest);
    let f = svd(&Mat3::of_columns([a, b, Vec3::ZERO]));
    let [s, t, _] = f.sigma;
    let kept = [s, t].map(|sigma| sigma.clamp(least, most));
    let excess = (s - kept[0]).abs().max((t - kept[1]).abs());
    let ([u, v, _], axes) = (f.u.columns(), f.v.0);
    let [a, b] = [0, 1].map(|j| u * (kept[0] * axes[j][0]) + v * (kept[1] * axes[j][1]));
    let by = 1.0 / determinant;
    let first = a * (r3 * by) - b * (r2 * by);
    let second = b * (r0 * by) - a * (r1 * by);
    Some((excess, [x[0], x[0] + first, x[0] + second]))
}

/// ∂²W/∂F² of an isotropic material, in the axes of the singular values. Pairs of axes are named by
/// the third.
pub(in crate::laws) struct Curvature {
    /// `∂²W/∂σ_i∂σ_j`.
    pub(in crate::laws) scalings: Mat3,
    /// `(W_i + W_j)/(σ_i + σ_j)`.
    pub(in crate::laws) twists: [f64; 3],
    /// `(W_i − W_j)/(σ_i − σ_j)`.
    pub(in crate::laws) flips: [f64; 3],
}

impl Curvature {
    /// The Hessian of an element of this size and these slopes, graded.
    pub(in crate::laws) fn hessian<const N: usize>(
        mut self,
        f: &Svd,
        slopes: [Vec3; N],
        size: f64,
        keep: f64,
    ) -> Blocks<N> {
        if keep < 1.0 {
            let mut scalings = [[self.scalings]];
            scale_negative_part(&mut scalings, keep);
            self.scalings = scalings[0][0];
            for value in self.twists.iter_mut().chain(&mut self.flips) {
                *value *= if *value < 0.0 { keep } else { 1.0 };
            }
        }
        let same: [f64; 3] = std::array::from_fn(|k| 0.5 * size * (self.flips[k] + self.twists[k]));
        let other: [f64; 3] =
            std::array::from_fn(|k| 0.5 * size * (self.flips[k] - self.twists[k]));
        let axes = f.v.transpose();
        let slopes = slopes.map(|slope| axes * slope);
        let back = f.u.transpose();
        let mut blocks = [[Mat3::ZERO; N]; N];
        for i in 0..N {
            for j in 0..=i {
                let (a, b) = (slopes[i], slopes[j]);
                let mut k = Mat3::ZERO;
                for p in 0..3 {
                    for q in 0..3 {
                        k.0[p][q] += size * self.scalings.0[p][q] * a[p] * b[q];
                        if p != q {
                            let third = 3 - p - q;
                            k.0[p][q] += other[third] * a[q] * b[p];
                            k.0[p][p] += same[third] * a[q] * b[q];
                        }
                    }
                }
                let block = f.u * k * back;
                blocks[i][j] = block;
                blocks[j][i] = block.transpose();
            }
        }
        blocks
    }
}
