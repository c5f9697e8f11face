//! Dashpots: damping along the line between two particles.
//!
//! `D = ½ β ((v_i − v_j)·d)²`, `f_i = −β ((v_i − v_j)·d) d`, `f_j = −f_i`: linear and angular
//! momentum are kept. By strain rate, `β = k_d/l`, the pair of the spring by strain.

use super::Damper;
use crate::laws::{Param, Proxy};
use crate::math::{Mat3, Vec3};

/// By coefficient β in N·s/m.
pub struct Dashpot;

/// By strain rate, `β = k_d/l`, k_d in N·s.
pub struct StrainDashpot;

fn along([a, b]: [Vec3; 2], beta: f64) -> (Mat3, Vec3) {
    let d = (a - b).unit();
    (d.outer(d) * beta, Vec3::ZERO)
}

impl Damper<2, 0, 1> for Dashpot {
    const NAME: &'static str = "dashpot";
    const EQUATION: &'static str = "D = ½ β ((v_i − v_j)·d)²";
    const DOC: &'static str = "Damping along a spring, by coefficient.";
    const PARAMS: [Param; 1] = [Param {
        name: "damping",
        unit: "N·s/m",
        doc: "force per relative velocity along the spring, β",
        range: [0.0, 1e15],
        default: 0.1,
    }];
    const WEIGHTS: [f64; 2] = [1.0, -1.0];
    const BOUND: Proxy = Proxy::Bound;
    const LAGGED: &'static str = "dashpot direction";

    fn rest(_: [Vec3; 2]) -> Option<[f64; 0]> {
        Some([])
    }

    fn freeze(x: [Vec3; 2], _: [Vec3; 2], _: [f64; 0], [beta]: [f64; 1], _: Vec3) -> (Mat3, Vec3) {
        along(x, beta)
    }

    fn bound(_: [f64; 0], [beta]: [f64; 1], _: f64) -> f64 {
        beta
    }
}

impl Damper<2, 1, 1> for StrainDashpot {
    const NAME: &'static str = "strain-dashpot";
    const EQUATION: &'static str = "D = ½ (k_d/l) ((v_i − v_j)·d)²";
    const DOC: &'static str = "Damping along a spring, by force per unit of strain rate.";
    const PARAMS: [Param; 1] = [Param {
        name: "strain_damping",
        unit: "N·s",
        doc: "force per strain rate, k_d",
        range: [0.0, 1e15],
        default: 0.1,
    }];
    const WEIGHTS: [f64; 2] = [1.0, -1.0];
    const BOUND: Proxy = Proxy::Bound;
    const LAGGED: &'static str = "dashpot direction";

    fn rest([a, b]: [Vec3; 2]) -> Option<[f64; 1]> {
        Some([(a - b).norm()]).filter(|[l]| *l > 0.0)
    }

    fn check([l]: &[f64; 1]) -> Result<(), &'static str> {
        if *l > 0.0 { Ok(()) } else { Err("rest_length must be > 0 for damping by strain rate") }
    }

    fn freeze(x: [Vec3; 2], _: [Vec3; 2], [l]: [f64; 1], [kd]: [f64; 1], _: Vec3) -> (Mat3, Vec3) {
        along(x, kd / l)
    }

    fn bound([l]: [f64; 1], [kd]: [f64; 1], _: f64) -> f64 {
        kd / l
    }
}
