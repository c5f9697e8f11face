//! Triangles that may be strained within a band: cloth that resists only beyond a stretch.
//!
//! As [`StrainBand`](super::StrainBand), with F 3×2 and its two singular values. It has no stiffness against
//! bending. A triangle that has collapsed to a line is pushed open in some direction across it.

use super::deformation::{self, TriangleRest};
use super::strain_band::{Band, MAX, MIN, away, curvature, density, stretches};
use super::{Blocks, Law, Param, Proxy, Row};
use crate::math::{Mat3, Scalar, Vec3, svd};

/// `E = A w/2 Σ (σ_i − clamp(σ_i, min, max))²`, w in N/m.
pub struct StrainBandMembrane;

/// The columns of F, and none.
fn columns<T: Scalar>(x: [Vec3<T>; 3], rest: [T; 5]) -> [Vec3<T>; 3] {
    let [a, b] = deformation::of_triangle(x, rest);
    let zero = T::of(0.0);
    [a, b, Vec3::new(zero, zero, zero)]
}

impl Law<3, 5, 3> for StrainBandMembrane {
    const NAME: &'static str = "strain-band-membrane";
    const EQUATION: &'static str =
        "E = A w/2 Σ (σ_i − clamp(σ_i, σ_min, σ_max))², σ the singular values of F 3×2";
    const DOC: &'static str = "A triangle that resists stretch outside a band.";
    const PARAMS: [Param; 3] = [
        Param {
            name: "stiffness",
            unit: "N/m",
            doc: "tension per strain beyond the band, w",
            range: [0.0, 1e15],
            default: 1e3,
        },
        MIN,
        MAX,
    ];
    const PROXY: Proxy = Proxy::Bound;
    const GRADED_IN_PARTS: bool = true;
    const ROWS: usize = 2;

    fn rest(x: [Vec3; 3]) -> Option<TriangleRest<f64>> {
        deformation::rest_of_triangle(x)
    }

    fn check(rest: &[f64; 5], _: &[f64; 3]) -> Result<(), &'static str> {
        deformation::check_rest(rest, "the area must be > 0 and the inverse not zero")
    }

    fn energy<T: Scalar>(x: [Vec3<T>; 3], rest: [T; 5], [w, min, max]: [T; 3]) -> T {
        rest[4] * w * density(columns(x, rest), Band { min, max, axes: 2 })
    }

    #[inline]
    fn gradient<T: Scalar>(x: [Vec3<T>; 3], rest: [T; 5], [w, min, max]: [T; 3]) -> [Vec3<T>; 3] {
        let [a, b, _] = away(columns(x, rest), Band { min, max, axes: 2 });
        deformation::at_triangle([a * w, b * w], rest)
    }

    fn hessian(x: [Vec3; 3], rest: [f64; 5], [w, min, max]: [f64; 3], keep: f64) -> Blocks<3> {
        let f = svd(&Mat3::of_columns(columns(x, rest)));
        let curvature = curvature(f.sigma, Band { min, max, axes: 2 });
        curvature.hessian(&f, deformation::slopes_of_triangle(rest), w * rest[4], keep)
    }

    fn rows(x: [Vec3; 3], rest: [f64; 5], [w, min, max]: [f64; 3], out: &mut impl FnMut(Row<3>)) {
        let f = svd(&Mat3::of_columns(columns(x, rest)));
        for (value, [a, b, _]) in stretches(&f, Band { min, max, axes: 2 }) {
            let gradient = deformation::at_triangle([a, b], rest).map(|g| g * (1.0 / rest[4]));
            out(Row { value, gradient, compliance: 1.0 / (w * rest[4]) });
        }
    }

    fn proxy(rest: [f64; 5], [w, ..]: [f64; 3]) -> [[f64; 3]; 3] {
        deformation::laplacian(deformation::slopes_of_triangle(rest), w * rest[4])
    }

    fn strain(x: [Vec3; 3], rest: [f64; 5]) -> Option<f64> {
        let f = svd(&Mat3::of_columns(columns(x, rest)));
        deformation::worst_stretch(&f.sigma[..2])
    }
}
