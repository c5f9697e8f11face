//! What fills a closed surface resists a change of its volume.
//!
//! `E = ½ κ V₀ (V/V₀ − 1)²`, `V = Σ det[x_a x_b x_c]/6` over the triangles of the surface, corners
//! counter-clockwise seen from outside. The pressure inside is `−∂E/∂V = κ (1 − V/V₀)`.
//!
//! Every vertex feels every other: with `C = V/V₀ − 1` the Hessian is `(κ/V₀) ∇V ∇Vᵀ + κ C ∇²V`. The first part
//! is dense but of rank one and is kept as the vector ∇V; the second is that of a pressure, sparse as the
//! triangles are.

use super::{Enclosed, Param, Store};
use crate::math::Scalar;

/// `E = ½ κ V₀ (V/V₀ − 1)²`, κ in Pa.
pub struct Volume;

impl Enclosed for Volume {
    const NAME: &'static str = "volume";
    const EQUATION: &'static str = "E = ½ κ V₀ (V/V₀ − 1)², V = Σ det[x_a x_b x_c]/6";
    const DOC: &'static str =
        "Resistance of the filling of a closed surface to a change of volume.";
    const PARAM: Param = Param {
        name: "bulk_modulus",
        unit: "Pa",
        doc: "pressure per relative change of the volume, κ",
        range: [0.0, 1e15],
        default: 1e5,
    };
    const STORE: Store = Store::Field;

    fn energy<T: Scalar>(volume: T, rest: T, kappa: T) -> T {
        let change = volume / rest - T::of(1.0);
        T::of(0.5) * kappa * rest * change * change
    }

    fn row(volume: f64, rest: f64, kappa: f64) -> [f64; 3] {
        [volume / rest - 1.0, 1.0 / rest, 1.0 / (kappa * rest)]
    }
}
