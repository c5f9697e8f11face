//! The linear attractor: a pull that grows with distance.
//!
//! `E = ½ s |x − p|²`, `f = s (p − x)`. Negative s repels, and then the energy is concave.

use super::{Attachment, Blocks, Law, Param, Proxy, Store};
use crate::math::{Mat3, Scalar, Vec3};

/// `f = s (p − x)`, s in N/m.
pub struct LinearAttractor;

impl Law<1, 3, 1> for LinearAttractor {
    const NAME: &'static str = "linear-attractor";
    const EQUATION: &'static str = "E = ½ s |x − p|²";
    const DOC: &'static str =
        "Attraction to an anchor, proportional to distance; a negative strength repels.";
    const PARAMS: [Param; 1] = [Param {
        name: "strength",
        unit: "N/m",
        doc: "force per meter of distance, s",
        range: [-1e15, 1e15],
        default: 1.0,
    }];
    const PROXY: Proxy = Proxy::Bound;
    const STORE: Store = Store::Field;

    fn rest(x: [Vec3; 1]) -> Option<[f64; 3]> {
        Attachment::rest(x)
    }

    fn energy<T: Scalar>(x: [Vec3<T>; 1], p: [T; 3], s: [T; 1]) -> T {
        Attachment::energy(x, p, s)
    }

    fn gradient<T: Scalar>(x: [Vec3<T>; 1], p: [T; 3], s: [T; 1]) -> [Vec3<T>; 1] {
        Attachment::gradient(x, p, s)
    }

    fn hessian(_: [Vec3; 1], _: [f64; 3], [s]: [f64; 1], keep: f64) -> Blocks<1> {
        [[Mat3::diagonal(if s < 0.0 { s * keep } else { s })]]
    }

    fn proxy(_: [f64; 3], [s]: [f64; 1]) -> [[f64; 1]; 1] {
        [[s.max(0.0)]]
    }
}
