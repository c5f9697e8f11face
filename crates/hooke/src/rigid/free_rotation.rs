//! How a body turns when nothing touches it.
//!
//! With L the angular momentum in principal axes, `dL/dt = L × ω`, `ω = 𝕀⁻¹L`. The implicit midpoint rule with
//! a Cayley step of the turn:
//!
//! `𝕀 w + ½h w × 𝕀 w = L`, `R ← R cay(h w)`, ω from the angular momentum of the world, which stays
//!
//! Energy and angular momentum are both kept but for rounding, for any step and any three moments: `(L' − L)·w = 0`,
//! and L' is L turned by `cay(−h w)`. Order 2. Austin, Krishnaprasad & Wang 1993, *Almost Poisson integration
//! of rigid body systems*; Simo & Wong 1991, *Unconditionally stable algorithms for rigid body dynamics that
//! exactly preserve energy and momentum*. w is found by Newton's method from the ω of the start.
//!
//! A body without contact takes nine such steps, some of them backward, whose errors cancel to order 6: Kahan & Li 1997, *Composition
//! constants for raising the orders of unconventional schemes for ordinary differential equations*.

use super::Principal;
use crate::math::{Mat3, Quat, Vec3};

/// The largest rotation (rad) of a body in one sub-step, by one step and by nine.
const MOST_ROTATION: f64 = 0.5;
const MOST_FINE_ROTATION: f64 = 0.05;

/// The largest number of sub-steps.
const MOST_SUBSTEPS: f64 = 64.0;

/// Newton's steps: three or four do.
const MOST_ITERATIONS: u32 = 12;

/// Up to this rotation (rad) one step is as accurate as nine.
const SMALL: f64 = 1e-5;

/// Kahan & Li's shares, up to the middle one.
const SHARES: [f64; 5] = [
    0.392_161_444_007_314_1,
    0.332_599_136_789_359_44,
    -0.706_246_172_557_639_4,
    0.082_213_596_293_550_8,
    0.798_543_990_934_829_9,
];

/// The rotation and angular velocity (rad/s, world) after `h` seconds without torque, to order 6.
pub fn rotate_freely(rotation: Quat, angular: Vec3, principal: &Principal, h: f64) -> (Quat, Vec3) {
    let by = h * angular.norm();
    if by <= SMALL {
        return rotate_once(rotation, angular, principal, h);
    }
    let substeps = (by / MOST_FINE_ROTATION).ceil().clamp(1.0, MOST_SUBSTEPS);
    let substep = h / substeps;
    let nine = (0..9usize).map(move |k| SHARES[k.min(8 - k)] * substep);
    let steps = (0..substeps as u32).flat_map(move |_| nine.clone());
    rotate_by(rotation, angular, principal, steps)
}

/// The rotation and angular velocity (rad/s, world) after `h` seconds without torque, to order 2: for bodies in contact.
pub fn rotate_once(rotation: Quat, angular: Vec3, principal: &Principal, h: f64) -> (Quat, Vec3) {
    let substeps = (h * angular.norm() / MOST_ROTATION).ceil().clamp(1.0, MOST_SUBSTEPS);
    rotate_by(rotation, angular, principal, std::iter::repeat_n(h / substeps, substeps as usize))
}

/// After these steps (s), some of which may go back.
fn rotate_by(
    rotation: Quat,
    angular: Vec3,
    principal: &Principal,
    steps: impl Iterator<Item = f64>,
) -> (Quat, Vec3) {
    let moments = principal.moments;
    // What turns alike about all axes keeps its ω.
    if moments.x - moments.z <= 1e-14 * moments.x {
        let rotation =
            steps.fold(rotation, |rotation, h| (Quat::cayley(angular * h) * rotation).unit());
        return (rotation, angular);
    }
    let inverse = Vec3::new(1.0 / moments.x, 1.0 / moments.y, 1.0 / moments.z);
    let mut frame = rotation * principal.axes;
    let kept = rotated(frame, rotated(frame.inverse(), angular).times(moments));
    for h in steps {
        let w = middle(rotated(frame.inverse(), kept), moments, inverse, h);
        frame = (frame * Quat::cayley(w * h)).unit();
    }
    // Divided, not times the inverse: that is rounded, and would be off by the same in every step.
    let local = rotated(frame.inverse(), kept);
    let local = Vec3::new(local.x / moments.x, local.y / moments.y, local.z / moments.z);
    ((frame * principal.axes.inverse()).unit(), rotated(frame, local))
}

/// A vector turned by a quaternion whose length is 1 but for rounding: that must not make it longer, step after step.
fn rotated(Quat { w, v }: Quat, x: Vec3) -> Vec3 {
    let across = v.cross(x);
    x + (across * w + v.cross(across)) * (2.0 / (w * w + v.norm2()))
}

/// w from L.
fn middle(momentum: Vec3, moments: Vec3, inverse: Vec3, h: f64) -> Vec3 {
    let mut w = momentum.times(inverse);
    let size = w.norm();
    for _ in 0..MOST_ITERATIONS {
        let spin = w.times(moments);
        let residual = spin - momentum + w.cross(spin) * (0.5 * h);
        let mut slope = (Mat3::cross(w).scaled_columns(moments) - Mat3::cross(spin)) * (0.5 * h);
        for axis in 0..3 {
            slope.0[axis][axis] += moments[axis];
        }
        let step = slope.inverse() * residual;
        w -= step;
        if step.norm() <= 1e-16 * size {
            break;
        }
    }
    w
}
