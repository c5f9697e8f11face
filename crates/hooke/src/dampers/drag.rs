//! Air drag in still air: `D = ½ α |v|²`, `f = −α v`.

use super::Damper;
use crate::laws::{Param, Proxy};
use crate::math::{Mat3, Vec3};

/// `f = −α v`, α in N·s/m.
pub struct Drag;

impl Damper<1, 0, 1> for Drag {
    const NAME: &'static str = "drag";
    const EQUATION: &'static str = "D = ½ α |v|²";
    const DOC: &'static str = "Air drag on one particle, proportional to its velocity.";
    const PARAMS: [Param; 1] = [Param {
        name: "drag",
        unit: "N·s/m",
        doc: "force per velocity, α",
        range: [0.0, 1e15],
        default: 0.01,
    }];
    const WEIGHTS: [f64; 1] = [1.0];
    const BOUND: Proxy = Proxy::Bound;
    const LAGGED: &'static str = "";

    fn rest(_: [Vec3; 1]) -> Option<[f64; 0]> {
        Some([])
    }

    fn freeze(_: [Vec3; 1], _: [Vec3; 1], _: [f64; 0], [alpha]: [f64; 1], _: Vec3) -> (Mat3, Vec3) {
        (Mat3::diagonal(alpha), Vec3::ZERO)
    }

    fn bound(_: [f64; 0], [alpha]: [f64; 1], _: f64) -> f64 {
        alpha
    }
}
