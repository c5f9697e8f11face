//! Quadratic bending: a hinge whose force is linear in the positions.
//!
//! `E = ½ k xᵀQx`, `Q = 3/(A₁+A₂) q qᵀ ⊗ 1₃`, `q = (cot₁+cot₃, cot₀+cot₂, −cot₀−cot₁, −cot₂−cot₃)` on
//! (edge 0, edge 1, wing 0, wing 1), cot₀ and cot₁ at the edge's ends in the first triangle, cot₂ and cot₃
//! in the second (Bergou et al. 2006, *A quadratic bending model for inextensible surfaces*).
//!
//! Q is constant, so implicit methods assemble it for nothing. It is the bending energy of a flat
//! sheet that hardly stretches; other rest shapes are refused.

use super::hinge;
use super::role::Bending;
use super::{Blocks, Law, Param, Proxy, Role, Row};
use crate::math::{Mat3, Scalar, Vec3};

/// `E = ½ k xᵀQx`, k in N·m.
pub struct QuadraticBending;

/// The most (rad) a hinge may be bent at rest to count as flat.
const FLAT: f64 = 1e-3;

/// `Σ w_i x_i`; the weights sum to zero, so differences will do.
fn bend<T: Scalar>(x: [Vec3<T>; 4], w: [T; 4]) -> Vec3<T> {
    (x[1] - x[0]) * w[1] + (x[2] - x[0]) * w[2] + (x[3] - x[0]) * w[3]
}

impl Law<4, 4, 1> for QuadraticBending {
    const NAME: &'static str = "quadratic-bending";
    const EQUATION: &'static str = "E = ½ k xᵀQx, Q = 3/(A₁+A₂) q qᵀ";
    const DOC: &'static str =
        "A hinge between two triangles, flat at rest, with a constant Hessian.";
    const PARAMS: [Param; 1] = [hinge::STIFFNESS];
    const PROXY: Proxy = Proxy::Bound;
    const ROLE: Option<Role> = Some(Role::Bending(Bending::Hinges { curved: false }));
    const ROWS: usize = 3;

    // q √(3/(A₁+A₂)); the slopes of a flat hinge are q/|e|.
    fn rest(x: [Vec3; 4]) -> Option<[f64; 4]> {
        let [angle, shape, w @ ..] = hinge::rest(x)?;
        (angle.abs() <= FLAT).then(|| w.map(|w| w * shape.sqrt()))
    }

    fn unfit(x: [Vec3; 4]) -> &'static str {
        match hinge::rest(x) {
            Some(_) => {
                "is bent at rest: quadratic bending needs a flat rest shape, a law for curved shapes does not"
            }
            None => "has a triangle without area",
        }
    }

    fn check([a, b, c, d]: &[f64; 4], _: &[f64; 1]) -> Result<(), &'static str> {
        let size = a.abs() + b.abs() + c.abs() + d.abs();
        if (a + b + c + d).abs() <= 1e-9 * size {
            Ok(())
        } else {
            Err("the four weights must sum to zero")
        }
    }

    fn energy<T: Scalar>(x: [Vec3<T>; 4], w: [T; 4], [k]: [T; 1]) -> T {
        T::of(0.5) * k * bend(x, w).norm2()
    }

    #[inline]
    fn gradient<T: Scalar>(x: [Vec3<T>; 4], w: [T; 4], [k]: [T; 1]) -> [Vec3<T>; 4] {
        let pull = bend(x, w) * k;
        let [b, c, d] = [pull * w[1], pull * w[2], pull * w[3]];
        [-(b + c + d), b, c, d]
    }

    fn hessian(_: [Vec3; 4], w: [f64; 4], k: [f64; 1], _: f64) -> Blocks<4> {
        Self::proxy(w, k).map(|row| row.map(Mat3::diagonal))
    }

    fn rows(x: [Vec3; 4], w: [f64; 4], [k]: [f64; 1], out: &mut impl FnMut(Row<4>)) {
        let bend = bend(x, w);
        for (axis, direction) in Vec3::AXES.into_iter().enumerate() {
            let gradient = w.map(|w| direction * w);
            out(Row { value: bend[axis], gradient, compliance: 1.0 / k });
        }
    }

    // Corner 0 by the sum, as in the gradient.
    fn proxy([_, b, c, d]: [f64; 4], [k]: [f64; 1]) -> [[f64; 4]; 4] {
        let w = [-(b + c + d), b, c, d];
        w.map(|a| w.map(|b| k * a * b))
    }
}
