//! How a body turns when nothing touches it.
//!
//! With L the angular momentum in principal axes, `dL/dt = L × ω`, `ω = 𝕀⁻¹L`. The implicit midpoint rule with
//! a Cayley step of the turn:
//!
//! `𝕀 w + ½h w × 𝕀 w = L`, `R ← R cay(h w)`, ω from the angular momentum of the world, which stays
//!
//! Energy and angular momentum are both kept to rounding, for any step and any three moments: `(L' − L)·w = 0`,
//! and L' is L turned by `cay(−h w)`. Order 2. Austin, Krishnaprasad & Wang 1993, *Almost Poisson integration
//! of rigid body systems*; Simo & Wong 1991, *Unconditionally stable algorithms for rigid body dynamics that
//! exactly preserve energy and momentum*. w is found by Newton's method from the ω of the start.

use super::mass::Principal;
use crate::math::{Mat3, Point, Quat};

/// The most a body turns (rad) in one part of a step.
const MOST_TURN: f64 = 0.5;

/// The most parts a step is cut into.
const MOST_PARTS: f64 = 64.0;

/// Newton's steps: three or four do.
const MOST_ITERATIONS: u32 = 12;

/// The turn and angular velocity (rad/s, world) after `h` seconds without torque.
pub fn turn_freely(turn: Quat, angular: Point, principal: &Principal, h: f64) -> (Quat, Point) {
    let moments = principal.moments;
    // What turns alike about all axes keeps its ω.
    if moments.x - moments.z <= 1e-14 * moments.x {
        let by = h * angular.norm();
        let parts = parts(by);
        let part = Quat::cayley(angular * (h / parts));
        let mut turn = turn;
        for _ in 0..parts as u32 {
            turn = (part * turn).unit();
        }
        return (turn, angular);
    }
    let inverse = Point::new(1.0 / moments.x, 1.0 / moments.y, 1.0 / moments.z);
    let mut frame = turn * principal.axes;
    let kept = frame.turn(frame.inverse().turn(angular).times(moments));
    let parts = parts(h * angular.norm());
    for _ in 0..parts as u32 {
        let w = middle(frame.inverse().turn(kept), moments, inverse, h / parts);
        frame = (frame * Quat::cayley(w * (h / parts))).unit();
    }
    let angular = frame.turn(frame.inverse().turn(kept).times(inverse));
    ((frame * principal.axes.inverse()).unit(), angular)
}

fn parts(turn: f64) -> f64 {
    (turn / MOST_TURN).ceil().clamp(1.0, MOST_PARTS)
}

/// w from L.
fn middle(momentum: Point, moments: Point, inverse: Point, h: f64) -> Point {
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
