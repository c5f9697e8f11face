//! The shear condition of Baraff & Witkin 1998, *Large steps in cloth simulation*.
//!
//! `E = ½ k C²`, `C = A w_u·w_v`, where w_u and w_v are the columns of the 3×2 deformation gradient: warp and weft
//! want to stay across each other. It grows with the stretch of both, so it is a condition rather
//! than a material.

use super::deformation::{self, TriangleRest};
use super::role::{Membrane, SheetValue};
use super::{Blocks, Law, Param, Proxy, Role, Row};
use crate::math::{Mat3, Scalar, Vec3};

/// `E = ½ k A² (w_u·w_v)²`, k in N/m³.
pub struct BaraffWitkinShear;

impl Law<3, 5, 1> for BaraffWitkinShear {
    const NAME: &'static str = "baraff-witkin-shear";
    const EQUATION: &'static str = "E = ½ k C², C = A w_u·w_v";
    const DOC: &'static str = "The shear condition of Baraff and Witkin on a triangle of cloth.";
    const PARAMS: [Param; 1] = [deformation::CONDITION];
    const PROXY: Proxy = Proxy::Estimate;
    const GRADED_IN_PARTS: bool = true;
    const ROLE: Option<Role> = Some(Role::Membrane(Membrane {
        choice: "baraff-witkin",
        own: SheetValue::Shear,
        condition: true,
        values: |sheet| vec![sheet.shear],
    }));
    const ROWS: usize = 1;

    fn rest(x: [Vec3; 3]) -> Option<TriangleRest<f64>> {
        deformation::rest_of_triangle(x)
    }

    fn check(rest: &[f64; 5], _: &[f64; 1]) -> Result<(), &'static str> {
        deformation::check_rest(rest, "the area must be > 0 and the inverse not zero")
    }

    fn energy<T: Scalar>(x: [Vec3<T>; 3], rest: [T; 5], [k]: [T; 1]) -> T {
        let [u, v] = deformation::of_triangle(x, rest);
        let c = rest[4] * u.dot(v);
        T::of(0.5) * k * c * c
    }

    #[inline]
    fn gradient<T: Scalar>(x: [Vec3<T>; 3], rest: [T; 5], [k]: [T; 1]) -> [Vec3<T>; 3] {
        let [u, v] = deformation::of_triangle(x, rest);
        let pull = k * rest[4] * u.dot(v);
        deformation::at_triangle([v * pull, u * pull], rest)
    }

    // The mixed part has both signs: `keep` scales all of it.
    fn hessian(x: [Vec3; 3], rest: [f64; 5], [k]: [f64; 1], keep: f64) -> Blocks<3> {
        let [u, v] = deformation::of_triangle(x, rest);
        let (stiffness, c) = (k * rest[4] * rest[4], u.dot(v));
        let slopes = deformation::slopes_of_triangle(rest);
        let along = slopes.map(|a| v * a.x + u * a.y);
        let mut blocks = [[Mat3::ZERO; 3]; 3];
        for (i, row) in blocks.iter_mut().enumerate() {
            for (j, block) in row.iter_mut().enumerate() {
                let (a, b) = (slopes[i], slopes[j]);
                let mixed = Mat3::diagonal(keep * c * (a.x * b.y + a.y * b.x));
                *block = (along[i].outer(along[j]) + mixed) * stiffness;
            }
        }
        blocks
    }

    fn rows(x: [Vec3; 3], rest: [f64; 5], [k]: [f64; 1], out: &mut impl FnMut(Row<3>)) {
        let [u, v] = deformation::of_triangle(x, rest);
        let gradient = deformation::at_triangle([v, u], rest);
        out(Row { value: rest[4] * u.dot(v), gradient, compliance: 1.0 / k });
    }

    // (Σ a·w)² ≤ 2 Σ |w|² while warp and weft are as long as at rest.
    fn proxy(rest: [f64; 5], [k]: [f64; 1]) -> [[f64; 3]; 3] {
        let stiffness = 2.0 * k * rest[4] * rest[4];
        deformation::laplacian(deformation::slopes_of_triangle(rest), stiffness)
    }
}
