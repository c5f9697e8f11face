//! Pressure inside a closed surface: one triangle's share of `−p V`.
//!
//! `V = Σ det[x_a x_b x_c]/6` over the triangles, corners counter-clockwise seen from outside.
//! `∂E/∂x_a = −p (x_b × x_c)/6` and so on around.
//!
//! Only the sum over a closed surface means something: then force and energy do not depend on
//! the origin. An open surface is pushed as if closed by a cone to the origin. For the same
//! reason the Hessian is graded as a whole; neighbors cancel what each triangle owes to the origin.

use super::{Blocks, Law, Param, Proxy, Store};
use crate::math::{Mat3, Scalar, Vec3};

/// `E = −p V`, p in Pa.
pub struct Pressure;

impl Law<3, 0, 1> for Pressure {
    const NAME: &'static str = "pressure";
    const EQUATION: &'static str = "E = −p V, V = Σ det[x_a x_b x_c]/6";
    const DOC: &'static str = "Constant pressure in a closed surface: the share of one triangle.";
    const PARAMS: [Param; 1] = [Param {
        name: "pressure",
        unit: "Pa",
        doc: "pressure inside above that outside, p",
        range: [-1e12, 1e12],
        default: 100.0,
    }];
    const PROXY: Proxy = Proxy::Estimate;
    const GRADED_IN_PARTS: bool = true;
    const STORE: Store = Store::Field;

    fn rest(_: [Vec3; 3]) -> Option<[f64; 0]> {
        Some([])
    }

    fn energy<T: Scalar>([a, b, c]: [Vec3<T>; 3], _: [T; 0], [p]: [T; 1]) -> T {
        -p * a.cross(b).dot(c) * T::of(1.0 / 6.0)
    }

    #[inline]
    fn gradient<T: Scalar>([a, b, c]: [Vec3<T>; 3], _: [T; 0], [p]: [T; 1]) -> [Vec3<T>; 3] {
        let push = -p * T::of(1.0 / 6.0);
        [b.cross(c) * push, c.cross(a) * push, a.cross(b) * push]
    }

    fn hessian([a, b, c]: [Vec3; 3], _: [f64; 0], [p]: [f64; 1], keep: f64) -> Blocks<3> {
        let [a, b, c] = [a, b, c].map(|corner| Mat3::cross(corner) * (p * keep / 6.0));
        let zero = Mat3::ZERO;
        [[zero, c, b * -1.0], [c * -1.0, zero, a], [b, a * -1.0, zero]]
    }

    // The Hessian has no definite sign and changes with the positions.
    fn proxy(_: [f64; 0], _: [f64; 1]) -> [[f64; 3]; 3] {
        [[0.0; 3]; 3]
    }
}
