//! The rod: two particles at a fixed distance, or nearly so.
//!
//! `C = |x_i − x_j| − l` with the compliance α (m/N): `E = ½ C²/α`, that is a
//! [`Spring`] with `k = 1/α`. At `α = 0` the rod is rigid: `C = 0` is a constraint, no energy
//! belongs to it, and only methods that solve for the forces of constraints can run it.

use super::{Blocks, Law, Param, Proxy, Row, Spring};
use crate::math::{Scalar, Vec3};

/// `C = |x_ij| − l` with the compliance α in m/N; rigid at 0.
pub struct Rod;

/// k (N/m); that of nothing where the rod is rigid.
fn stiffness<T: Scalar>(alpha: T) -> T {
    if alpha.value() > 0.0 { T::of(1.0) / alpha } else { T::of(0.0) }
}

impl Law<2, 1, 1> for Rod {
    const NAME: &'static str = "rod";
    const EQUATION: &'static str = "E = ½ (|x_i − x_j| − l)²/α, or |x_i − x_j| = l where α = 0";
    const DOC: &'static str = "A rod between two particles, rigid unless it has a compliance.";
    const PARAMS: [Param; 1] = [Param {
        name: "compliance",
        unit: "m/N",
        doc: "stretch per newton, α; 0: rigid",
        range: [0.0, 1e15],
        default: 0.0,
    }];
    const PROXY: Proxy = Proxy::Bound;
    const ROWS: usize = 1;
    const SPRINGS: bool = true;

    fn rest(x: [Vec3; 2]) -> Option<[f64; 1]> {
        Spring::rest(x).filter(|[l]| *l > 0.0)
    }

    fn check([l]: &[f64; 1], [alpha]: &[f64; 1]) -> Result<(), &'static str> {
        if *l <= 0.0 {
            return Err("rest_length must be > 0 for a rod");
        }
        // Below it, 1/α is no number.
        if *alpha > 0.0 && *alpha < 1e-300 {
            Err("compliance must be 0 or ≥ 1e-300 m/N")
        } else {
            Ok(())
        }
    }

    fn rigid([alpha]: [f64; 1]) -> bool {
        alpha == 0.0
    }

    fn energy<T: Scalar>(x: [Vec3<T>; 2], l: [T; 1], [alpha]: [T; 1]) -> T {
        Spring::energy(x, l, [stiffness(alpha)])
    }

    #[inline]
    fn gradient<T: Scalar>(x: [Vec3<T>; 2], l: [T; 1], [alpha]: [T; 1]) -> [Vec3<T>; 2] {
        Spring::gradient(x, l, [stiffness(alpha)])
    }

    fn spring([l]: [f64; 1], [alpha]: [f64; 1]) -> [f64; 2] {
        [stiffness(alpha), l]
    }

    #[inline]
    fn hessian(x: [Vec3; 2], l: [f64; 1], [alpha]: [f64; 1], keep: f64) -> Blocks<2> {
        Spring::hessian(x, l, [stiffness(alpha)], keep)
    }

    fn rows(
        [a, b]: [Vec3; 2],
        [l]: [f64; 1],
        [compliance]: [f64; 1],
        out: &mut impl FnMut(Row<2>),
    ) {
        let d = (a - b).unit();
        out(Row { value: (a - b).norm() - l, gradient: [d, -d], compliance });
    }

    fn geometric(
        x: [Vec3; 2],
        l: [f64; 1],
        [alpha]: [f64; 1],
        multipliers: &[f64],
        keep: f64,
    ) -> Blocks<2> {
        Spring::geometric(x, l, [stiffness(alpha)], multipliers, keep)
    }

    fn proxy(l: [f64; 1], [alpha]: [f64; 1]) -> [[f64; 2]; 2] {
        Spring::proxy(l, [stiffness(alpha)])
    }

    fn strain(x: [Vec3; 2], rest: [f64; 1]) -> Option<f64> {
        Spring::strain(x, rest)
    }
}
