//! Damping of the stretch and shear conditions of Baraff & Witkin 1998, *Large steps in cloth simulation*.
//!
//! `f_i = −k Ċ ∂C/∂x_i`, `D = ½ k Ċ²` for each condition C: `A |w_u|` and `A |w_v|` for stretch, `A w_u·w_v` for shear,
//! where w_u and w_v are the columns of the 3×2 deformation gradient. Motions that keep a condition, rigid
//! ones among them, are not damped.

use super::{RateDamper, Role};
use crate::laws::deformation::{self, TriangleRest};
use crate::laws::{Param, Proxy};
use crate::math::Vec3;

/// `D = ½ k A² (|w_u|˙² + |w_v|˙²)`, k in N·s/m³.
pub struct StretchDamper;

/// `D = ½ k A² (w_u·w_v)˙²`, k in N·s/m³.
pub struct ShearDamper;

const DAMPING: Param = Param {
    name: "damping",
    unit: "N·s/m³",
    doc: "force per rate of the condition and slope, k",
    range: [0.0, 1e15],
    default: 1e3,
};

const UNFIT: &str = "the area must be > 0 and the inverse not zero";

/// A times the weights with which corner velocities make ẇ_u and ẇ_v.
fn weights(rest: TriangleRest<f64>) -> [[f64; 3]; 2] {
    let slopes = deformation::slopes_of_triangle(rest);
    [slopes.map(|a| rest[4] * a.x), slopes.map(|a| rest[4] * a.y)]
}

impl RateDamper<3, 5, 1, 2> for StretchDamper {
    const NAME: &'static str = "stretch-damper";
    const EQUATION: &'static str = "D = ½ k Ċ·Ċ, C = A (|w_u|, |w_v|)";
    const DOC: &'static str =
        "Damping of the stretch condition of Baraff and Witkin on a triangle.";
    const PARAMS: [Param; 1] = [DAMPING];
    const BOUND: Proxy = Proxy::Bound;
    const LAGGED: &'static str = "directions of warp and weft in stretch dampers";
    const ROLE: Option<Role> = Some(Role::Membrane { part: 1.0 });

    fn rest(x: [Vec3; 3]) -> Option<TriangleRest<f64>> {
        deformation::rest_of_triangle(x)
    }

    fn check(rest: &[f64; 5]) -> Result<(), &'static str> {
        deformation::check_rest(rest, UNFIT)
    }

    fn freeze(x: [Vec3; 3], rest: [f64; 5], [k]: [f64; 1]) -> (f64, [[Vec3; 3]; 2]) {
        let [u, v] = deformation::of_triangle(x, rest).map(Vec3::unit);
        let zero = Vec3::ZERO;
        (k, [[u, zero], [zero, v]].map(|columns| deformation::at_triangle(columns, rest)))
    }

    // (d·ẇ)² ≤ |ẇ|².
    fn bounds(rest: [f64; 5], [k]: [f64; 1], each: &mut impl FnMut([f64; 3], f64)) {
        for weights in weights(rest) {
            each(weights, k);
        }
    }
}

impl RateDamper<3, 5, 1, 1> for ShearDamper {
    const NAME: &'static str = "shear-damper";
    const EQUATION: &'static str = "D = ½ k Ċ², C = A w_u·w_v";
    const DOC: &'static str = "Damping of the shear condition of Baraff and Witkin on a triangle.";
    const PARAMS: [Param; 1] = [DAMPING];
    const BOUND: Proxy = Proxy::Estimate;
    const LAGGED: &'static str = "warp and weft in shear dampers";
    // With it, damping is near rest the same in all directions.
    const ROLE: Option<Role> = Some(Role::Membrane { part: 0.5 });

    fn rest(x: [Vec3; 3]) -> Option<TriangleRest<f64>> {
        deformation::rest_of_triangle(x)
    }

    fn check(rest: &[f64; 5]) -> Result<(), &'static str> {
        deformation::check_rest(rest, UNFIT)
    }

    fn freeze(x: [Vec3; 3], rest: [f64; 5], [k]: [f64; 1]) -> (f64, [[Vec3; 3]; 1]) {
        let [u, v] = deformation::of_triangle(x, rest);
        (k, [deformation::at_triangle([v, u], rest)])
    }

    // (w_v·ẇ_u + w_u·ẇ_v)² ≤ 2 (|ẇ_u|² + |ẇ_v|²) while warp and weft are as long as at rest.
    fn bounds(rest: [f64; 5], [k]: [f64; 1], each: &mut impl FnMut([f64; 3], f64)) {
        for weights in weights(rest) {
            each(weights, 2.0 * k);
        }
    }
}
