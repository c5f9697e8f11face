//! The spring by strain: force proportional to relative stretch.
//!
//! `f_i = −Y (|x_ij|/l − 1) d`, that is a [`Spring`] with `k = Y/l`. Courses call Y
//! (N) "Young's modulus"; from a true modulus E (Pa) and a cross-section A (m²), `Y = E A`.

use super::{Blocks, Law, Param, Proxy, Row, Spring};
use crate::math::{Scalar, Vec3};

/// `E = ½ (Y/l) (|x_ij| − l)²`, Y in N.
pub struct StrainSpring;

impl Law<2, 1, 1> for StrainSpring {
    const NAME: &'static str = "strain-spring";
    const EQUATION: &'static str = "E = ½ (Y/l) (|x_i − x_j| − l)²";
    const DOC: &'static str = "A spring between two particles, by force per unit of strain.";
    const PARAMS: [Param; 1] = [Param {
        name: "tension",
        unit: "N",
        doc: "force per unit of strain, Y = E·A",
        range: [0.0, 1e15],
        default: 100.0,
    }];
    const PROXY: Proxy = Proxy::Bound;
    const SPRINGS: bool = true;
    const STRETCHES: bool = true;
    const ROWS: usize = 1;

    fn rest(x: [Vec3; 2]) -> Option<[f64; 1]> {
        Spring::rest(x).filter(|[l]| *l > 0.0)
    }

    fn check([l]: &[f64; 1], _: &[f64; 1]) -> Result<(), &'static str> {
        if *l > 0.0 { Ok(()) } else { Err("rest_length must be > 0 for a spring by strain") }
    }

    fn energy<T: Scalar>(x: [Vec3<T>; 2], [l]: [T; 1], [y]: [T; 1]) -> T {
        Spring::energy(x, [l], [y / l])
    }

    #[inline]
    fn gradient<T: Scalar>(x: [Vec3<T>; 2], [l]: [T; 1], [y]: [T; 1]) -> [Vec3<T>; 2] {
        Spring::gradient(x, [l], [y / l])
    }

    fn spring([l]: [f64; 1], [y]: [f64; 1]) -> [f64; 2] {
        [y / l, l]
    }

    #[inline]
    fn hessian(x: [Vec3; 2], [l]: [f64; 1], [y]: [f64; 1], keep: f64) -> Blocks<2> {
        Spring::hessian(x, [l], [y / l], keep)
    }

    fn rows(x: [Vec3; 2], [l]: [f64; 1], [y]: [f64; 1], out: &mut impl FnMut(Row<2>)) {
        Spring::rows(x, [l], [y / l], out);
    }

    fn geometric(
        x: [Vec3; 2],
        [l]: [f64; 1],
        [y]: [f64; 1],
        multipliers: &[f64],
        keep: f64,
    ) -> Blocks<2> {
        Spring::geometric(x, [l], [y / l], multipliers, keep)
    }

    fn proxy([l]: [f64; 1], [y]: [f64; 1]) -> [[f64; 2]; 2] {
        Spring::proxy([l], [y / l])
    }

    fn limited(x: [Vec3; 2], rest: [f64; 1], range: [f64; 2]) -> Option<(f64, [Vec3; 2])> {
        Spring::limited(x, rest, range)
    }

    fn strain(x: [Vec3; 2], rest: [f64; 1]) -> Option<f64> {
        Spring::strain(x, rest)
    }
}
