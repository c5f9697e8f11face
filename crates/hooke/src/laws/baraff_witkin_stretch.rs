//! The stretch condition of Baraff & Witkin 1998, *Large steps in cloth simulation*.
//!
//! `E = ½ k C·C`, `C = A (|w_u| − b_u, |w_v| − b_v)`, where w_u and w_v are the columns of the 3×2 deformation gradient: the
//! images of the warp u and the weft v. Each is a spring without neighbors: `∂²E/∂w² =
//! kA² (d dᵀ + (1 − b/|w|)(1₃ − d dᵀ))`, `d = w/|w|`.

use super::deformation::{self, TriangleRest};
use super::role::{Membrane, SheetValue};
use super::{Blocks, Law, Param, Proxy, Role, Row};
use crate::math::{Mat3, Scalar, Vec3};

/// `E = ½ k A² ((|w_u| − b_u)² + (|w_v| − b_v)²)`, k in N/m³.
pub struct BaraffWitkinStretch;

const fn length(name: &'static str, doc: &'static str) -> Param {
    Param { name, unit: "", doc, range: [0.0, 1e3], default: 1.0 }
}

impl Law<3, 5, 3> for BaraffWitkinStretch {
    const NAME: &'static str = "baraff-witkin-stretch";
    const EQUATION: &'static str = "E = ½ k C·C, C = A (|w_u| − b_u, |w_v| − b_v)";
    const DOC: &'static str = "The stretch condition of Baraff and Witkin on a triangle of cloth.";
    const PARAMS: [Param; 3] = [
        deformation::CONDITION,
        length("warp", "length of the warp at rest, relative, b_u"),
        length("weft", "length of the weft at rest, relative, b_v"),
    ];
    const PROXY: Proxy = Proxy::Bound;
    const GRADED_IN_PARTS: bool = true;
    const ROLE: Option<Role> = Some(Role::Membrane(Membrane {
        choice: "baraff-witkin",
        own: SheetValue::Shear,
        condition: true,
        values: |sheet| vec![sheet.stiffness, 1.0, 1.0],
    }));
    const STRETCHES: bool = true;
    const ROWS: usize = 2;

    fn rest(x: [Vec3; 3]) -> Option<TriangleRest<f64>> {
        deformation::rest_of_triangle(x)
    }

    fn check(rest: &[f64; 5], _: &[f64; 3]) -> Result<(), &'static str> {
        deformation::check_rest(rest, "the area must be > 0 and the inverse not zero")
    }

    fn energy<T: Scalar>(x: [Vec3<T>; 3], rest: [T; 5], [k, bu, bv]: [T; 3]) -> T {
        let [u, v] = deformation::of_triangle(x, rest);
        let (u, v) = (u.norm() - bu, v.norm() - bv);
        T::of(0.5) * k * rest[4] * rest[4] * (u * u + v * v)
    }

    #[inline]
    fn gradient<T: Scalar>(x: [Vec3<T>; 3], rest: [T; 5], [k, bu, bv]: [T; 3]) -> [Vec3<T>; 3] {
        let [u, v] = deformation::of_triangle(x, rest);
        let pull = |w: Vec3<T>, b: T| {
            let length = w.norm();
            if length.value() == 0.0 {
                return w * (k * rest[4]);
            }
            w * (k * rest[4] * (T::of(1.0) - b / length))
        };
        deformation::at_triangle([pull(u, bu), pull(v, bv)], rest)
    }

    fn hessian(x: [Vec3; 3], rest: [f64; 5], [k, bu, bv]: [f64; 3], keep: f64) -> Blocks<3> {
        let [u, v] = deformation::of_triangle(x, rest);
        let stiffness = k * rest[4] * rest[4];
        let block = |w: Vec3, b: f64| {
            let length = w.norm();
            if length == 0.0 {
                return Mat3::diagonal(stiffness);
            }
            let d = w * (1.0 / length);
            let across = 1.0 - b / length;
            let across = stiffness * if across < 0.0 { keep * across } else { across };
            d.outer(d) * (stiffness - across) + Mat3::diagonal(across)
        };
        let (u, v) = (block(u, bu), block(v, bv));
        let slopes = deformation::slopes_of_triangle(rest);
        slopes.map(|a| slopes.map(|b| u * (a.x * b.x) + v * (a.y * b.y)))
    }

    fn rows(x: [Vec3; 3], rest: [f64; 5], [k, bu, bv]: [f64; 3], out: &mut impl FnMut(Row<3>)) {
        let [u, v] = deformation::of_triangle(x, rest);
        let zero = Vec3::ZERO;
        for (w, b, columns) in [(u, bu, [u.unit(), zero]), (v, bv, [zero, v.unit()])] {
            let gradient = deformation::at_triangle(columns, rest);
            out(Row { value: rest[4] * (w.norm() - b), gradient, compliance: 1.0 / k });
        }
    }

    fn proxy(rest: [f64; 5], [k, _, _]: [f64; 3]) -> [[f64; 3]; 3] {
        let stiffness = k * rest[4] * rest[4];
        deformation::laplacian(deformation::slopes_of_triangle(rest), stiffness)
    }

    fn strain(x: [Vec3; 3], rest: [f64; 5]) -> Option<f64> {
        deformation::worst_stretch(&deformation::of_triangle(x, rest).map(|w| w.norm()))
    }

    fn limited(x: [Vec3; 3], rest: [f64; 5], range: [f64; 2]) -> Option<(f64, [Vec3; 3])> {
        deformation::limited_triangle(x, rest, range)
    }
}
