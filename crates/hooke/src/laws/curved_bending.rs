//! Bending about a curved rest shape, periodic in the angle.
//!
//! `E = k (3|e|²/(A₁+A₂)) (1 − cos(θ − θ₀))`: at small bends the dihedral hinge, at small angles too
//! the quadratic one (the idea of cubic shells, Garg et al. 2007). It does not jump where a fold closes
//! completely.

use super::hinge::{self, HingeRest};
use super::role::Bending;
use super::{Blocks, Law, Param, Proxy, Role, Row};
use crate::math::{Scalar, Vec3};

/// `E = k (3|e|²/(A₁+A₂)) (1 − cos(θ − θ₀))`, k in N·m.
pub struct CurvedBending;

impl Law<4, 6, 1> for CurvedBending {
    const NAME: &'static str = "curved-bending";
    const EQUATION: &'static str = "E = k (3|e|²/(A₁+A₂)) (1 − cos(θ − θ₀))";
    const DOC: &'static str = "A hinge between two triangles about a curved rest shape.";
    const PARAMS: [Param; 1] = [hinge::STIFFNESS];
    const PROXY: Proxy = Proxy::Estimate;
    const GRADED_IN_PARTS: bool = true;
    const ROLE: Option<Role> = Some(Role::Bending(Bending::Hinges { curved: true }));
    const ROWS: usize = 1;

    fn rest(x: [Vec3; 4]) -> Option<HingeRest<f64>> {
        hinge::rest(x)
    }

    fn check(rest: &[f64; 6], _: &[f64; 1]) -> Result<(), &'static str> {
        hinge::check(rest)
    }

    // 1 − cos φ = 2 sin²(φ/2) keeps its digits near rest.
    fn energy<T: Scalar>(x: [Vec3<T>; 4], rest: [T; 6], [k]: [T; 1]) -> T {
        let bent = (T::of(0.5) * (hinge::angle(x) - rest[0])).sine();
        T::of(2.0) * k * rest[1] * bent * bent
    }

    #[inline]
    fn gradient<T: Scalar>(x: [Vec3<T>; 4], rest: [T; 6], [k]: [T; 1]) -> [Vec3<T>; 4] {
        hinge::gradient(x, k * rest[1] * (hinge::angle(x) - rest[0]).sine())
    }

    fn hessian(x: [Vec3; 4], rest: [f64; 6], [k]: [f64; 1], keep: f64) -> Blocks<4> {
        let (bent, stiffness) = (hinge::angle(x) - rest[0], k * rest[1]);
        hinge::hessian(x, stiffness * bent.sine(), stiffness * bent.cosine(), keep)
    }

    fn rows(x: [Vec3; 4], rest: [f64; 6], [k]: [f64; 1], out: &mut impl FnMut(Row<4>)) {
        let half = 0.5 * (hinge::angle(x) - rest[0]);
        let gradient = hinge::gradient(x, half.cosine());
        out(Row { value: 2.0 * half.sine(), gradient, compliance: 1.0 / (k * rest[1]) });
    }

    fn proxy(rest: [f64; 6], [k]: [f64; 1]) -> [[f64; 4]; 4] {
        hinge::proxy(rest, k)
    }
}
