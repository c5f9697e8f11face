//! The bending force of Bridson, Marino & Fedkiw 2003, *Simulation of clothing with folds and wrinkles*.
//!
//! `F_i = k (|E|²/(|N₁|+|N₂|)) (sin(θ/2) − sin(θ₀/2)) u_i`. The modes are `u_i = −∂θ/∂x_i`, so with
//! the rest values of `|E|²/(|N₁|+|N₂|)` the force is the gradient of
//! `E = k (|E|²/(|N₁|+|N₂|)) (2 cos(θ₀/2) − 2 cos(θ/2) − sin(θ₀/2)(θ − θ₀))`. With the present values, as in the
//! paper, it has no energy; both agree where lengths are kept.
//!
//! At small angles it is the dihedral hinge for `k = 12 k_dihedral`; it stays bounded where that grows.
//!
//! Past a closed fold the angle is counted on, on the side of the rest angle, up to where the energy is that of the
//! other way around. A hinge bent by more than 65° at rest has its crest before: its force, all around
//! the circle, does work, so no energy belongs to it, and there it jumps by `2π sin(θ₀/2) − 4 cos(θ₀/2)`.

use super::hinge::{self, HingeRest};
use super::role::Bending;
use super::{Blocks, Law, Param, Proxy, Role, Row};
use crate::math::{Scalar, Vec3};
use std::f64::consts::{FRAC_PI_2, TAU};

/// `F_i = k (|E|²/(|N₁|+|N₂|)) (sin(θ/2) − sin(θ₀/2)) u_i`, k in N·m.
pub struct BridsonBending;

/// `|E|²/(|N₁|+|N₂|)` of the rest value `3|e|²/(A₁+A₂)`.
const SHAPE: f64 = 1.0 / 6.0;

/// θ counted on past ±π where that costs less.
fn angle<T: Scalar>(x: [Vec3<T>; 4], rest: T) -> T {
    let theta = hinge::angle(x);
    let (here, at_rest) = (theta.value(), rest.value());
    if here * at_rest >= 0.0 {
        return theta;
    }
    // The two ways cost the same where cos(θ/2) = (π/2) |sin(θ₀/2)|; the crest is at cos(θ/2) = cos(θ₀/2).
    let half = 0.5 * at_rest;
    let same = FRAC_PI_2 * half.sine().abs();
    if (0.5 * here).cosine() >= same.min(half.cosine()) {
        return theta;
    }
    theta + T::of(TAU.copysign(at_rest))
}

impl Law<4, 6, 1> for BridsonBending {
    const NAME: &'static str = "bridson-bending";
    const EQUATION: &'static str =
        "F_i = k (|E|²/(|N₁|+|N₂|)) (sin(θ/2) − sin(θ₀/2)) u_i, u_i = −∂θ/∂x_i";
    const DOC: &'static str = "A hinge between two triangles, by the sine of half its angle.";
    const PARAMS: [Param; 1] = [Param { default: 1.2e-3, ..hinge::STIFFNESS }];
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
        let flat = T::of(0.5) * rest[0];
        let half = T::of(0.5) * angle(x, rest[0]) - flat;
        let sine = (T::of(0.5) * half).sine();
        // The same energy without the terms that cancel near rest.
        let bent = T::of(4.0) * flat.cosine() * sine * sine
            - T::of(2.0) * flat.sine() * (half - half.sine());
        k * rest[1] * T::of(SHAPE) * bent
    }

    #[inline]
    fn gradient<T: Scalar>(x: [Vec3<T>; 4], rest: [T; 6], [k]: [T; 1]) -> [Vec3<T>; 4] {
        let half = T::of(0.5);
        let bent = (half * angle(x, rest[0])).sine() - (half * rest[0]).sine();
        hinge::gradient(x, k * rest[1] * T::of(SHAPE) * bent)
    }

    fn hessian(x: [Vec3; 4], rest: [f64; 6], [k]: [f64; 1], keep: f64) -> Blocks<4> {
        let (half, stiffness) = (0.5 * angle(x, rest[0]), k * rest[1] * SHAPE);
        let slope = stiffness * (half.sine() - (0.5 * rest[0]).sine());
        hinge::hessian(x, slope, 0.5 * stiffness * half.cosine(), keep)
    }

    // C² is twice the energy over the stiffness, with the sign of the bend.
    fn rows(x: [Vec3; 4], rest: [f64; 6], [k]: [f64; 1], out: &mut impl FnMut(Row<4>)) {
        let stiffness = k * rest[1] * SHAPE;
        let (half, flat) = (0.5 * angle(x, rest[0]), 0.5 * rest[0]);
        let bent = half - flat;
        let sine = (0.5 * bent).sine();
        let twice = 8.0 * flat.cosine() * sine * sine - 4.0 * flat.sine() * (bent - bent.sine());
        let value = twice.max(0.0).sqrt() * bent.signum();
        let slope = match value {
            value if value != 0.0 => (half.sine() - flat.sine()) / value,
            _ => (0.5 * flat.cosine()).max(0.0).sqrt(),
        };
        out(Row { value, gradient: hinge::gradient(x, slope), compliance: 1.0 / stiffness });
    }

    fn proxy(rest: [f64; 6], [k]: [f64; 1]) -> [[f64; 4]; 4] {
        hinge::proxy(rest, 0.5 * SHAPE * k)
    }
}
