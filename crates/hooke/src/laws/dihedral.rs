//! The dihedral hinge: resistance of an edge against folding, by its angle.
//!
//! `E = ½ k (3|e|²/(A₁+A₂)) (θ − θ₀)²` with the rest edge and areas (Grinspun et al. 2003, *Discrete shells*).
//! θ − θ₀ is taken by the shorter arc around the circle, so the energy has no jump. It has a crest half a
//! turn from rest, where the force changes its sign.

use super::hinge::{self, HingeRest};
use super::role::Bending;
use super::{Blocks, Law, Param, Proxy, Role, Row};
use crate::math::{Scalar, Vec3};

/// `E = ½ k (3|e|²/(A₁+A₂)) (θ − θ₀)²`, k in N·m.
pub struct Dihedral;

impl Law<4, 6, 1> for Dihedral {
    const NAME: &'static str = "dihedral";
    const EQUATION: &'static str = "E = ½ k (3|e|²/(A₁+A₂)) (θ − θ₀)²";
    const DOC: &'static str = "A hinge between two triangles, by its dihedral angle.";
    const PARAMS: [Param; 1] = [hinge::STIFFNESS];
    const PROXY: Proxy = Proxy::Estimate;
    const GRADED_IN_PARTS: bool = true;
    const ROLE: Option<Role> = Some(Role::Bending(Bending::Hinges { curved: false }));
    const ROWS: usize = 1;

    fn rest(x: [Vec3; 4]) -> Option<HingeRest<f64>> {
        hinge::rest(x)
    }

    fn check(rest: &[f64; 6], _: &[f64; 1]) -> Result<(), &'static str> {
        hinge::check(rest)
    }

    fn energy<T: Scalar>(x: [Vec3<T>; 4], rest: [T; 6], [k]: [T; 1]) -> T {
        let bent = hinge::from_rest(hinge::angle(x), rest[0]);
        T::of(0.5) * k * rest[1] * bent * bent
    }

    #[inline]
    fn gradient<T: Scalar>(x: [Vec3<T>; 4], rest: [T; 6], [k]: [T; 1]) -> [Vec3<T>; 4] {
        hinge::gradient(x, k * rest[1] * hinge::from_rest(hinge::angle(x), rest[0]))
    }

    fn hessian(x: [Vec3; 4], rest: [f64; 6], [k]: [f64; 1], keep: f64) -> Blocks<4> {
        let stiffness = k * rest[1];
        hinge::hessian(x, stiffness * hinge::from_rest(hinge::angle(x), rest[0]), stiffness, keep)
    }

    fn rows(x: [Vec3; 4], rest: [f64; 6], [k]: [f64; 1], out: &mut impl FnMut(Row<4>)) {
        let value = hinge::from_rest(hinge::angle(x), rest[0]);
        out(Row { value, gradient: hinge::gradient(x, 1.0), compliance: 1.0 / (k * rest[1]) });
    }

    fn proxy(rest: [f64; 6], [k]: [f64; 1]) -> [[f64; 4]; 4] {
        hinge::proxy(rest, k)
    }
}
