//! The spring: Hooke's law between two particles.
//!
//! `E = ½ k (|x_i − x_j| − l)²`, `∂E/∂x_i = k (|x_ij| − l) d`, `d = x_ij/|x_ij|`,
//! `∂²E/∂x_i² = k d dᵀ + k (1 − l/|x_ij|)(1₃ − d dᵀ)`.
//!
//! The transverse part `1 − l/|x_ij|` is negative under compression. Where both ends coincide the
//! direction is undefined: the force is zero and the Hessian `k·1₃`.

use super::{Blocks, Law, Param, Proxy, Row};
use crate::math::{Mat3, Scalar, Vec3};

/// `E = ½ k (|x_ij| − l)²`, k in N/m.
pub struct Spring;

impl Law<2, 1, 1> for Spring {
    const NAME: &'static str = "spring";
    const EQUATION: &'static str = "E = ½ k (|x_i − x_j| − l)²";
    const DOC: &'static str = "A spring between two particles, by stiffness.";
    const PARAMS: [Param; 1] = [Param {
        name: "stiffness",
        unit: "N/m",
        doc: "force per meter of stretch, k",
        range: [0.0, 1e15],
        default: 1000.0,
    }];
    const PROXY: Proxy = Proxy::Bound;
    const SPRINGS: bool = true;
    const STRETCHES: bool = true;
    const ROWS: usize = 1;

    fn rest([a, b]: [Vec3; 2]) -> Option<[f64; 1]> {
        Some([(a - b).norm()])
    }

    fn check([l]: &[f64; 1], _: &[f64; 1]) -> Result<(), &'static str> {
        if *l >= 0.0 { Ok(()) } else { Err("rest_length must be ≥ 0") }
    }

    fn energy<T: Scalar>([a, b]: [Vec3<T>; 2], [l]: [T; 1], [k]: [T; 1]) -> T {
        let stretch = (a - b).norm() - l;
        T::of(0.5) * k * stretch * stretch
    }

    #[inline]
    fn gradient<T: Scalar>([a, b]: [Vec3<T>; 2], [l]: [T; 1], [k]: [T; 1]) -> [Vec3<T>; 2] {
        let along = a - b;
        let length = along.norm();
        if length.value() == 0.0 {
            return [along * k, -along * k];
        }
        let pull = along * (k * (T::of(1.0) - l / length));
        [pull, -pull]
    }

    fn spring([l]: [f64; 1], [k]: [f64; 1]) -> [f64; 2] {
        [k, l]
    }

    #[inline]
    fn hessian([a, b]: [Vec3; 2], [l]: [f64; 1], [k]: [f64; 1], keep: f64) -> Blocks<2> {
        let along = a - b;
        let length = along.norm();
        let block = if length == 0.0 {
            Mat3::diagonal(k)
        } else {
            let d = along * (1.0 / length);
            let transverse = 1.0 - l / length;
            let transverse = k * if transverse < 0.0 { keep * transverse } else { transverse };
            d.outer(d) * (k - transverse) + Mat3::diagonal(transverse)
        };
        [[block, block * -1.0], [block * -1.0, block]]
    }

    fn rows([a, b]: [Vec3; 2], [l]: [f64; 1], [k]: [f64; 1], out: &mut impl FnMut(Row<2>)) {
        let d = (a - b).unit();
        out(Row { value: (a - b).norm() - l, gradient: [d, -d], compliance: 1.0 / k });
    }

    fn geometric(
        [a, b]: [Vec3; 2],
        _: [f64; 1],
        [k]: [f64; 1],
        multipliers: &[f64],
        keep: f64,
    ) -> Blocks<2> {
        let along = a - b;
        let length = along.norm();
        let block = if length == 0.0 {
            Mat3::diagonal(k)
        } else {
            let d = along * (1.0 / length);
            let transverse = -multipliers.iter().sum::<f64>() / length;
            let transverse = if transverse < 0.0 { keep * transverse } else { transverse };
            d.outer(d) * -transverse + Mat3::diagonal(transverse)
        };
        [[block, block * -1.0], [block * -1.0, block]]
    }

    fn proxy(_: [f64; 1], [k]: [f64; 1]) -> [[f64; 2]; 2] {
        [[k, -k], [-k, k]]
    }

    fn limited(
        [a, b]: [Vec3; 2],
        [l]: [f64; 1],
        [least, most]: [f64; 2],
    ) -> Option<(f64, [Vec3; 2])> {
        let (along, length) = (a - b, (a - b).norm());
        if l == 0.0 {
            return None;
        }
        // Without a direction there is nowhere to go.
        if length == 0.0 {
            return Some((least, [a, b]));
        }
        let stretch = length / l;
        let kept = stretch.clamp(least, most);
        Some(((stretch - kept).abs(), [b + along * (kept / stretch), b]))
    }

    fn strain([a, b]: [Vec3; 2], [l]: [f64; 1]) -> Option<f64> {
        (l > 0.0).then(|| (a - b).norm() / l - 1.0)
    }
}
