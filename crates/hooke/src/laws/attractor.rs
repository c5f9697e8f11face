//! The attractor: softened gravity toward an anchor.
//!
//! `E = −s m / ρ`, `ρ = √(|x − p|² + ε²)`, `f = s m (p − x)/ρ³`,
//! `∂²E/∂x² = s m (1₃/ρ³ − 3 (x−p)(x−p)ᵀ/ρ⁵)`. Negative s repels.

use super::{Blocks, Law, Param, Proxy, Store};
use crate::math::{Mat3, Scalar, Vec3};

/// `f = s m (p − x)/(|p − x|² + ε²)^{3/2}`.
pub struct Attractor;

impl Law<1, 4, 2> for Attractor {
    const NAME: &'static str = "attractor";
    const EQUATION: &'static str = "E = −s m / √(|x − p|² + ε²)";
    const DOC: &'static str =
        "Softened inverse-square attraction to an anchor; a negative strength repels.";
    const PARAMS: [Param; 2] = [
        Param {
            name: "strength",
            unit: "m³/s²",
            doc: "acceleration times squared distance, s",
            range: [-1e15, 1e15],
            default: 1.0,
        },
        Param {
            name: "softening",
            unit: "m",
            doc: "distance below which the attraction no longer grows, ε",
            range: [1e-9, 1e9],
            default: 0.1,
        },
    ];
    const PROXY: Proxy = Proxy::Bound;
    const STORE: Store = Store::Field;

    // The mass must be given.
    fn rest(_: [Vec3; 1]) -> Option<[f64; 4]> {
        None
    }

    fn energy<T: Scalar>([x]: [Vec3<T>; 1], [px, py, pz, m]: [T; 4], [s, e]: [T; 2]) -> T {
        let away = x - Vec3::new(px, py, pz);
        -(s * m) / (away.norm2() + e * e).sqrt()
    }

    fn gradient<T: Scalar>(
        [x]: [Vec3<T>; 1],
        [px, py, pz, m]: [T; 4],
        [s, e]: [T; 2],
    ) -> [Vec3<T>; 1] {
        let away = x - Vec3::new(px, py, pz);
        let rho2 = away.norm2() + e * e;
        [away * (s * m / (rho2 * rho2.sqrt()))]
    }

    fn hessian([x]: [Vec3; 1], p: [f64; 4], [s, e]: [f64; 2], keep: f64) -> Blocks<1> {
        let away = x - Vec3::new(p[0], p[1], p[2]);
        let distance2 = away.norm2();
        let rho2 = distance2 + e * e;
        let tangential = s * p[3] / (rho2 * rho2.sqrt());
        let radial = tangential * (1.0 - 3.0 * distance2 / rho2);
        let grade = |value: f64| if value < 0.0 { value * keep } else { value };
        let (tangential, radial) = (grade(tangential), grade(radial));
        let n = away.unit();
        [[Mat3::diagonal(tangential) + n.outer(n) * (radial - tangential)]]
    }

    fn proxy([_, _, _, m]: [f64; 4], [s, e]: [f64; 2]) -> [[f64; 1]; 1] {
        [[s.abs() * m / (e * e * e)]]
    }
}
