//! Co-rotated linear tetrahedra: linear elasticity in the frame that turns with the element.
//!
//! `F = R Y` (polar decomposition), `W = μ |F − R|² + λ/2 tr(Y − 1)²`, `P = 2μ(F − R) + λ tr(Y − 1) R`.
//! In singular values `W = μ Σ(σ_i − 1)² + λ/2 (Σσ_i − 3)²`; R is a rotation always, so a reflected
//! element has a negative σ₂ and is pushed back.
//!
//! Where `σ₁ + σ₂ = 0` (a reflected element as thick as it is wide) the rotation jumps and the
//! energy has a kink. The twist is bounded there.

use super::deformation::{self, Curvature, TetrahedronRest};
use super::lame::{Lame, POISSON, YOUNG};
use super::{Blocks, Law, Param, Proxy, Role, Row};
use crate::math::{Mat3, Scalar, Vec3, nearest_rotation, svd};

/// `W = μ |F − R|² + λ/2 tr(RᵀF − 1)²`, E in Pa.
pub struct Corotated;

/// Sums of two singular values below this are a kink.
const KINK: f64 = 1e-6;

impl Law<4, 10, 2> for Corotated {
    const NAME: &'static str = "corotated";
    const EQUATION: &'static str = "E = V (μ |F − R|² + λ/2 tr(RᵀF − 1)²), R the rotation of F";
    const DOC: &'static str =
        "A co-rotated linear tetrahedron: linear elasticity in a rotating frame.";
    const PARAMS: [Param; 2] = [YOUNG, POISSON];
    const PROXY: Proxy = Proxy::Estimate;
    const GRADED_IN_PARTS: bool = true;
    const ROLE: Option<Role> = Some(Role::Solid);
    const INVERTS: bool = true;
    const ROWS: usize = 2;

    fn rest(x: [Vec3; 4]) -> Option<TetrahedronRest<f64>> {
        deformation::rest_of_tetrahedron(x)
    }

    fn check(rest: &[f64; 10], _: &[f64; 2]) -> Result<(), &'static str> {
        deformation::check_rest(rest, "the volume must be > 0 and the inverse not zero")
    }

    fn energy<T: Scalar>(x: [Vec3<T>; 4], rest: [T; 10], [young, poisson]: [T; 2]) -> T {
        let Lame { lambda, mu } = Lame::solid(young, poisson);
        let f = deformation::of_tetrahedron(x, rest);
        let r = nearest_rotation(f);
        let away = [0, 1, 2].map(|j| (f[j] - r[j]).norm2());
        let stretch = stretch(f, r);
        let volumetric = T::of(0.5) * lambda * stretch * stretch;
        rest[9] * (mu * (away[0] + away[1] + away[2]) + volumetric)
    }

    #[inline]
    fn gradient<T: Scalar>(
        x: [Vec3<T>; 4],
        rest: [T; 10],
        [young, poisson]: [T; 2],
    ) -> [Vec3<T>; 4] {
        let Lame { lambda, mu } = Lame::solid(young, poisson);
        let f = deformation::of_tetrahedron(x, rest);
        let r = nearest_rotation(f);
        let pressure = lambda * stretch(f, r);
        let p = [0, 1, 2].map(|j| (f[j] - r[j]) * (mu + mu) + r[j] * pressure);
        deformation::at_tetrahedron(p, rest)
    }

    fn hessian(x: [Vec3; 4], rest: [f64; 10], [young, poisson]: [f64; 2], keep: f64) -> Blocks<4> {
        let Lame { lambda, mu } = Lame::solid(young, poisson);
        let f = svd(&Mat3::of_columns(deformation::of_tetrahedron(x, rest)));
        let sum: f64 = f.sigma.iter().sum();
        let twist = |third: usize| {
            let pair = (sum - f.sigma[third]).max(KINK);
            2.0 * mu + (2.0 * lambda * (sum - 3.0) - 4.0 * mu) / pair
        };
        let curvature = Curvature {
            scalings: Mat3([[lambda; 3]; 3]) + Mat3::diagonal(2.0 * mu),
            twists: [0, 1, 2].map(twist),
            flips: [2.0 * mu; 3],
        };
        curvature.hessian(&f, deformation::slopes_of_tetrahedron(rest), rest[9], keep)
    }

    // One row for the change of volume, one for the change of shape.
    fn rows(
        x: [Vec3; 4],
        rest: [f64; 10],
        [young, poisson]: [f64; 2],
        out: &mut impl FnMut(Row<4>),
    ) {
        let Lame { lambda, mu } = Lame::solid(young, poisson);
        let f = deformation::of_tetrahedron(x, rest);
        let r = nearest_rotation(f);
        let volume = stretch(f, r);
        let at = |p| deformation::at_tetrahedron(p, rest).map(|g| g * (1.0 / rest[9]));
        let compliance = 1.0 / (rest[9] * (lambda + mu * (2.0 / 3.0)));
        out(Row { value: volume, gradient: at(r), compliance });
        let shape = [0, 1, 2].map(|j| f[j] - r[j] * (1.0 + volume / 3.0));
        let value = shape.iter().map(|column| column.norm2()).sum::<f64>().sqrt();
        let unit = if value > 0.0 { 1.0 / value } else { 0.0 };
        let gradient = at(shape.map(|column| column * unit));
        out(Row { value, gradient, compliance: 1.0 / (rest[9] * 2.0 * mu) });
    }

    fn proxy(rest: [f64; 10], [young, poisson]: [f64; 2]) -> [[f64; 4]; 4] {
        let stiffness = rest[9] * Lame::solid(young, poisson).stiffest();
        deformation::laplacian(deformation::slopes_of_tetrahedron(rest), stiffness)
    }

    fn inverted(x: [Vec3; 4], rest: [f64; 10]) -> bool {
        deformation::is_inverted(x, rest)
    }

    fn strain(x: [Vec3; 4], rest: [f64; 10]) -> Option<f64> {
        let f = svd(&Mat3::of_columns(deformation::of_tetrahedron(x, rest)));
        deformation::worst_stretch(&f.sigma)
    }
}

/// `tr(RᵀF − 1)`.
fn stretch<T: Scalar>(f: [Vec3<T>; 3], r: [Vec3<T>; 3]) -> T {
    r[0].dot(f[0]) + r[1].dot(f[1]) + r[2].dot(f[2]) - T::of(3.0)
}
