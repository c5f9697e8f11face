//! Buoyancy: the weight of the displaced fluid, upwards, below a level.
//!
//! The lift is `γ V s` with the fluid's specific weight `γ = ρ_f |g|` (N/m³), the particle's volume
//! V and its submerged share `s = clamp((level − y)/depth + ½, 0, 1)`. The share rises over a finite depth so
//! that the energy is smooth: with `u = (level − y)/depth + ½`,
//! `E = γ V depth · (0 | ½ u² | u − ½)` for `u ≤ 0 | 0 < u < 1 | u ≥ 1`, convex in y.

use super::{Blocks, Law, Param, Proxy, Store};
use crate::math::{Mat3, Scalar, Vec3};

/// Lift `ρ_f V |g|` below a water plane.
pub struct Buoyancy;

impl Law<1, 1, 3> for Buoyancy {
    const NAME: &'static str = "buoyancy";
    const EQUATION: &'static str = "E = γ V d · (0 | ½u² | u − ½), u = (level − y)/d + ½";
    const DOC: &'static str = "Lift by the weight of the displaced fluid below a level.";
    const PARAMS: [Param; 3] = [
        Param {
            name: "specific_weight",
            unit: "N/m³",
            doc: "weight of the fluid per volume, γ = ρ|g|",
            range: [0.0, 1e12],
            default: 9810.0,
        },
        Param {
            name: "level",
            unit: "m",
            doc: "height of the surface",
            range: [-1e9, 1e9],
            default: 0.0,
        },
        Param {
            name: "depth",
            unit: "m",
            doc: "depth over which a particle becomes submerged",
            range: [1e-9, 1e9],
            default: 0.1,
        },
    ];
    const PROXY: Proxy = Proxy::Bound;
    const STORE: Store = Store::Field;

    // The volume must be given.
    fn rest(_: [Vec3; 1]) -> Option<[f64; 1]> {
        None
    }

    fn energy<T: Scalar>([x]: [Vec3<T>; 1], [v]: [T; 1], [weight, level, depth]: [T; 3]) -> T {
        let u = (level - x.y) / depth + T::of(0.5);
        let share = if u.value() <= 0.0 {
            T::of(0.0)
        } else if u.value() < 1.0 {
            T::of(0.5) * u * u
        } else {
            u - T::of(0.5)
        };
        weight * v * depth * share
    }

    fn hessian(
        [x]: [Vec3; 1],
        [v]: [f64; 1],
        [weight, level, depth]: [f64; 3],
        _: f64,
    ) -> Blocks<1> {
        let u = (level - x.y) / depth + 0.5;
        let mut block = Mat3::ZERO;
        if u > 0.0 && u < 1.0 {
            block.0[1][1] = weight * v / depth;
        }
        [[block]]
    }

    fn proxy([v]: [f64; 1], [weight, _, depth]: [f64; 3]) -> [[f64; 1]; 1] {
        [[weight * v / depth]]
    }
}
