//! Weight as an energy: `E = −m g·x`.
//!
//! A model's gravity usually enters as a force; this law is the same physics as an energy, for one
//! particle and with its own direction and strength.

use super::{Blocks, Law, Param, Proxy, Store};
use crate::math::{Mat3, Scalar, Vec3};

/// `E = −m g·x`.
pub struct Weight;

const fn component(name: &'static str, default: f64) -> Param {
    Param { name, unit: "m/s²", doc: "acceleration along this axis", range: [-1e9, 1e9], default }
}

impl Law<1, 1, 3> for Weight {
    const NAME: &'static str = "weight";
    const EQUATION: &'static str = "E = −m g·x";
    const DOC: &'static str = "Gravity on one particle, as an energy.";
    const PARAMS: [Param; 3] =
        [component("gravity_x", 0.0), component("gravity_y", -9.81), component("gravity_z", 0.0)];
    const PROXY: Proxy = Proxy::Bound;
    const STORE: Store = Store::Gravitational;

    // The mass must be given.
    fn rest(_: [Vec3; 1]) -> Option<[f64; 1]> {
        None
    }

    fn energy<T: Scalar>([x]: [Vec3<T>; 1], [m]: [T; 1], [gx, gy, gz]: [T; 3]) -> T {
        -(m * x.dot(Vec3::new(gx, gy, gz)))
    }

    fn gradient<T: Scalar>(_: [Vec3<T>; 1], [m]: [T; 1], [gx, gy, gz]: [T; 3]) -> [Vec3<T>; 1] {
        [-(Vec3::new(gx, gy, gz) * m)]
    }

    fn hessian(_: [Vec3; 1], _: [f64; 1], _: [f64; 3], _: f64) -> Blocks<1> {
        [[Mat3::ZERO]]
    }

    fn proxy(_: [f64; 1], _: [f64; 3]) -> [[f64; 1]; 1] {
        [[0.0]]
    }
}
