//! St. Venant–Kirchhoff triangles: cloth as a sheet of a material of known thickness.
//!
//! F is 3×2, `G = ½(FᵀF − 1)`, `E = t A (λ/2 tr(G)² + μ tr(G²))` with the plane-stress parameters
//! `λ = Eν/(1−ν²)`, `μ = E/(2(1+ν))`: a sheet that is stretched becomes thinner. It has no stiffness
//! against bending.

use super::deformation::{self, TriangleRest};
use super::lame::{Lame, POISSON, YOUNG};
use super::role::{Membrane, SheetValue};
use super::shared::green::{curvature, density, green, stress};
use super::{Blocks, Law, Param, Proxy, Role, Row};
use crate::math::{Mat3, Scalar, Vec3, svd};

/// `E = t A (λ/2 tr(G)² + μ tr(G²))`, E in Pa, t in m.
pub struct StvkMembrane;

/// The rest values with the thickness in the area: the volume.
fn thick<T: Scalar>(mut rest: [T; 5], thickness: T) -> [T; 5] {
    rest[4] = rest[4] * thickness;
    rest
}

impl Law<3, 5, 3> for StvkMembrane {
    const NAME: &'static str = "stvk-membrane";
    const EQUATION: &'static str = "E = t A (λ/2 tr(G)² + μ tr(G²)), G = ½(FᵀF − 1), F 3×2";
    const DOC: &'static str =
        "A St. Venant–Kirchhoff triangle of a given thickness: cloth in plane stress.";
    const PARAMS: [Param; 3] = [
        YOUNG,
        POISSON,
        Param {
            name: "thickness",
            unit: "m",
            doc: "thickness of the sheet, t",
            range: [0.0, 1e3],
            default: 1e-3,
        },
    ];
    const PROXY: Proxy = Proxy::Estimate;
    const GRADED_IN_PARTS: bool = true;
    const ROLE: Option<Role> = Some(Role::Membrane(Membrane {
        choice: Self::NAME,
        own: SheetValue::Poisson,
        condition: false,
        values: |sheet| vec![sheet.stiffness / sheet.thickness, sheet.poisson, sheet.thickness],
    }));
    const STRETCHES: bool = true;
    const ROWS: usize = 3;

    fn rest(x: [Vec3; 3]) -> Option<TriangleRest<f64>> {
        deformation::rest_of_triangle(x)
    }

    fn check(rest: &[f64; 5], _: &[f64; 3]) -> Result<(), &'static str> {
        deformation::check_rest(rest, "the area must be > 0 and the inverse not zero")
    }

    fn energy<T: Scalar>(x: [Vec3<T>; 3], rest: [T; 5], [young, poisson, t]: [T; 3]) -> T {
        let g = green(deformation::of_triangle(x, rest));
        t * rest[4] * density(g, Lame::sheet(young, poisson))
    }

    #[inline]
    fn gradient<T: Scalar>(
        x: [Vec3<T>; 3],
        rest: [T; 5],
        [young, poisson, t]: [T; 3],
    ) -> [Vec3<T>; 3] {
        let f = deformation::of_triangle(x, rest);
        deformation::at_triangle(stress(f, Lame::sheet(young, poisson)), thick(rest, t))
    }

    fn hessian(
        x: [Vec3; 3],
        rest: [f64; 5],
        [young, poisson, t]: [f64; 3],
        keep: f64,
    ) -> Blocks<3> {
        let [a, b] = deformation::of_triangle(x, rest);
        let f = svd(&Mat3::of_columns([a, b, Vec3::ZERO]));
        let curvature = curvature(f.sigma, Lame::sheet(young, poisson), 2);
        curvature.hessian(&f, deformation::slopes_of_triangle(rest), t * rest[4], keep)
    }

    // One row for the trace, two for the rest of G: each is a square whatever the sign of λ.
    fn rows(
        x: [Vec3; 3],
        rest: [f64; 5],
        [young, poisson, t]: [f64; 3],
        out: &mut impl FnMut(Row<3>),
    ) {
        let [a, b] = deformation::of_triangle(x, rest);
        let Lame { lambda, mu } = Lame::sheet(young, poisson);
        let g = green([a, b]);
        let size = t * rest[4];
        let at = |p| deformation::at_triangle(p, rest).map(|g| g * (1.0 / rest[4]));
        let half = 0.5f64.sqrt();
        out(Row {
            value: g[0][0] + g[1][1],
            gradient: at([a, b]),
            compliance: 1.0 / (size * (lambda + mu)),
        });
        out(Row {
            value: half * (g[0][0] - g[1][1]),
            gradient: at([a * half, b * -half]),
            compliance: 1.0 / (size * 2.0 * mu),
        });
        out(Row {
            value: 2.0 * half * g[0][1],
            gradient: at([b * half, a * half]),
            compliance: 1.0 / (size * 2.0 * mu),
        });
    }

    fn proxy(rest: [f64; 5], [young, poisson, t]: [f64; 3]) -> [[f64; 3]; 3] {
        let stiffness = t * rest[4] * Lame::sheet(young, poisson).stiffest();
        deformation::laplacian(deformation::slopes_of_triangle(rest), stiffness)
    }

    fn strain(x: [Vec3; 3], rest: [f64; 5]) -> Option<f64> {
        let [a, b] = deformation::of_triangle(x, rest);
        let f = svd(&Mat3::of_columns([a, b, Vec3::ZERO]));
        deformation::worst_stretch(&f.sigma[..2])
    }

    fn limited(x: [Vec3; 3], rest: [f64; 5], range: [f64; 2]) -> Option<(f64, [Vec3; 3])> {
        deformation::limited_triangle(x, rest, range)
    }
}
