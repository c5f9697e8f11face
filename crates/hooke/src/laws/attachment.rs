//! The attachment: a spring of zero length from a particle to an anchor.
//!
//! `E = ½ w |x − p|²`. It is a pin by penalty, and the grab of a mouse; the anchor moves through
//! `Control`.

use super::{Blocks, Law, Param, Proxy, Row, Store};
use crate::math::{Mat3, Scalar, Vec3};

/// `E = ½ w |x − p|²`, w in N/m.
pub struct Attachment;

impl Law<1, 3, 1> for Attachment {
    const NAME: &'static str = "attachment";
    const EQUATION: &'static str = "E = ½ w |x − p|²";
    const DOC: &'static str =
        "A spring from a particle to an anchor that may move: a soft pin, or a grab.";
    const PARAMS: [Param; 1] = [Param {
        name: "stiffness",
        unit: "N/m",
        doc: "force per meter of distance, w",
        range: [0.0, 1e15],
        default: 1e4,
    }];
    const PROXY: Proxy = Proxy::Bound;
    const STORE: Store = Store::Field;
    const ROWS: usize = 3;

    fn rest([x]: [Vec3; 1]) -> Option<[f64; 3]> {
        Some(x.to_array())
    }

    fn energy<T: Scalar>([x]: [Vec3<T>; 1], [px, py, pz]: [T; 3], [w]: [T; 1]) -> T {
        T::of(0.5) * w * (x - Vec3::new(px, py, pz)).norm2()
    }

    fn gradient<T: Scalar>([x]: [Vec3<T>; 1], [px, py, pz]: [T; 3], [w]: [T; 1]) -> [Vec3<T>; 1] {
        [(x - Vec3::new(px, py, pz)) * w]
    }

    fn hessian(_: [Vec3; 1], _: [f64; 3], [w]: [f64; 1], _: f64) -> Blocks<1> {
        [[Mat3::diagonal(w)]]
    }

    fn rows([x]: [Vec3; 1], p: [f64; 3], [w]: [f64; 1], out: &mut impl FnMut(Row<1>)) {
        let away = x - Vec3::from(p);
        for (axis, direction) in Vec3::AXES.into_iter().enumerate() {
            out(Row { value: away[axis], gradient: [direction], compliance: 1.0 / w });
        }
    }

    fn proxy(_: [f64; 3], [w]: [f64; 1]) -> [[f64; 1]; 1] {
        [[w]]
    }
}
