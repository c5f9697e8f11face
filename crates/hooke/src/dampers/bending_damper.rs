//! Damping of folds: a hinge between two triangles, by how fast its angle changes.
//!
//! `F_i = −k |E| (Σ u_j·v_j) u_i` with the modes `u_i = −∂θ/∂x_i` of the hinge and the edge E (Bridson, Marino &
//! Fedkiw 2003, *Simulation of clothing with folds and wrinkles*). `Σ u_j·v_j = −θ̇`, so the potential is
//! `D = ½ k |E| θ̇²`: motions that keep the angle, rigid ones among them, are not damped.

use super::{RateDamper, Role};
use crate::laws::{Param, Proxy, hinge};
use crate::math::Vec3;

/// `D = ½ k |E| θ̇²`, k in N·s.
pub struct BendingDamper;

impl RateDamper<4, 5, 1, 1> for BendingDamper {
    const NAME: &'static str = "bending-damper";
    const EQUATION: &'static str = "D = ½ k |E| θ̇², θ̇ = −Σ u_j·v_j, u_i = −∂θ/∂x_i";
    const DOC: &'static str = "Damping of a hinge between two triangles, by the rate of its angle.";
    const PARAMS: [Param; 1] = [Param {
        name: "damping",
        unit: "N·s",
        doc: "moment per length of the edge and rate of the angle, k",
        range: [0.0, 1e15],
        default: 1e-6,
    }];
    // The slopes of the angle grow as triangles lose height.
    const BOUND: Proxy = Proxy::Estimate;
    const LAGGED: &'static str = "slopes of the angle in bending dampers";
    const ROLE: Option<Role> = Some(Role::Bending);

    /// The length of the edge (m), and the slopes ∂θ/∂x_i (1/m) of the flat hinge along its normal.
    fn rest(x: [Vec3; 4]) -> Option<[f64; 5]> {
        let [_, _, slopes @ ..] = hinge::rest(x)?;
        let [a, b, c, d] = slopes;
        Some([(x[1] - x[0]).norm(), a, b, c, d])
    }

    fn check([length, ..]: &[f64; 5]) -> Result<(), &'static str> {
        if *length > 0.0 {
            Ok(())
        } else {
            Err("the first rest value, the length of the edge, must be > 0")
        }
    }

    fn freeze(x: [Vec3; 4], _: [f64; 5], [k]: [f64; 1]) -> (f64, [[Vec3; 4]; 1]) {
        (k * (x[1] - x[0]).norm(), [hinge::gradient(x, 1.0)])
    }

    fn bounds([length, a, b, c, d]: [f64; 5], [k]: [f64; 1], each: &mut impl FnMut([f64; 4], f64)) {
        each([a, b, c, d], k * length);
    }
}
