//! St. Venant–Kirchhoff tetrahedra: linear stress in Green strain.
//!
//! `G = ½(FᵀF − 1)`, `W = λ/2 tr(G)² + μ tr(G²)`, `E = V W`, `S = 2μG + λ tr(G) 1`, `P = F S`.
//! In singular values `W_i = σ_i (λ tr G + 2μ g_i)`, `g_i = ½(σ_i² − 1)`.
//!
//! Exact for every rotation, but weak under compression: the force falls from σ = 1/√3 downwards, and a reflected
//! element rests in its reflection.

use super::deformation::{self, TetrahedronRest};
use super::lame::{Lame, POISSON, YOUNG};
use super::shared::green::{curvature, density, green, stress};
use super::{Blocks, Law, Param, Proxy, Role, Row};
use crate::math::{Mat3, Scalar, Vec3, svd};

/// `W = λ/2 tr(G)² + μ tr(G²)`, E in Pa.
pub struct Stvk;

impl Law<4, 10, 2> for Stvk {
    const NAME: &'static str = "stvk";
    const EQUATION: &'static str = "E = V (λ/2 tr(G)² + μ tr(G²)), G = ½(FᵀF − 1)";
    const DOC: &'static str = "A St. Venant–Kirchhoff tetrahedron: stress linear in Green strain.";
    const PARAMS: [Param; 2] = [YOUNG, POISSON];
    const PROXY: Proxy = Proxy::Estimate;
    const GRADED_IN_PARTS: bool = true;
    const ROLE: Option<Role> = Some(Role::Solid);
    const INVERTS: bool = true;
    const ROWS: usize = 6;

    fn rest(x: [Vec3; 4]) -> Option<TetrahedronRest<f64>> {
        deformation::rest_of_tetrahedron(x)
    }

    fn check(rest: &[f64; 10], _: &[f64; 2]) -> Result<(), &'static str> {
        deformation::check_rest(rest, "the volume must be > 0 and the inverse not zero")
    }

    fn energy<T: Scalar>(x: [Vec3<T>; 4], rest: [T; 10], [young, poisson]: [T; 2]) -> T {
        let g = green(deformation::of_tetrahedron(x, rest));
        rest[9] * density(g, Lame::solid(young, poisson))
    }

    #[inline]
    fn gradient<T: Scalar>(
        x: [Vec3<T>; 4],
        rest: [T; 10],
        [young, poisson]: [T; 2],
    ) -> [Vec3<T>; 4] {
        let f = deformation::of_tetrahedron(x, rest);
        deformation::at_tetrahedron(stress(f, Lame::solid(young, poisson)), rest)
    }

    fn hessian(x: [Vec3; 4], rest: [f64; 10], [young, poisson]: [f64; 2], keep: f64) -> Blocks<4> {
        let f = svd(&Mat3::of_columns(deformation::of_tetrahedron(x, rest)));
        let slopes = deformation::slopes_of_tetrahedron(rest);
        let curvature = curvature(f.sigma, Lame::solid(young, poisson), 3);
        curvature.hessian(&f, slopes, rest[9], keep)
    }

    // One row for the trace, five for the rest of G: each is a square whatever the sign of λ.
    fn rows(
        x: [Vec3; 4],
        rest: [f64; 10],
        [young, poisson]: [f64; 2],
        out: &mut impl FnMut(Row<4>),
    ) {
        let f = deformation::of_tetrahedron(x, rest);
        let Lame { lambda, mu } = Lame::solid(young, poisson);
        let g = green(f);
        let (trace, shear) = (lambda + mu * (2.0 / 3.0), 2.0 * mu);
        let (half, sixth) = (0.5f64.sqrt(), (1.0f64 / 6.0).sqrt());
        let mut row = |weights: [[f64; 3]; 3], stiffness: f64| {
            let (mut value, mut p) = (0.0, [Vec3::ZERO; 3]);
            for i in 0..3 {
                for j in 0..3 {
                    value += weights[i][j] * g[i][j];
                    p[j] += f[i] * weights[i][j];
                }
            }
            let gradient = deformation::at_tetrahedron(p, rest).map(|g| g * (1.0 / rest[9]));
            out(Row { value, gradient, compliance: 1.0 / (rest[9] * stiffness) });
        };
        let diagonal = |a, b, c| [[a, 0.0, 0.0], [0.0, b, 0.0], [0.0, 0.0, c]];
        row(diagonal(1.0, 1.0, 1.0), trace);
        row(diagonal(half, -half, 0.0), shear);
        row(diagonal(sixth, sixth, -2.0 * sixth), shear);
        row([[0.0, half, 0.0], [half, 0.0, 0.0], [0.0; 3]], shear);
        row([[0.0, 0.0, half], [0.0; 3], [half, 0.0, 0.0]], shear);
        row([[0.0; 3], [0.0, 0.0, half], [0.0, half, 0.0]], shear);
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
