//! Contact with obstacles by projection: after the dynamics, particles that have entered are set
//! back onto the surface and their velocity is changed.

use crate::math::Point;
use crate::methods::Method;
use crate::model::{Model, Response};
use crate::report::StepReport;
use crate::state::State;

/// Resolves the contacts of a step of length `h` (s) that ends at time `t` (s), and tells the
/// method which particles were set elsewhere.
pub(crate) fn resolve(
    model: &Model,
    t: f64,
    h: f64,
    state: &mut State,
    method: &mut dyn Method,
    report: &mut StepReport,
) {
    let mut contact = report.contact.unwrap_or_default();
    // Falling for one step is not a bounce: below this speed restitution would only jitter.
    let still = 2.0 * h * model.gravity().norm();
    for obstacle in model.obstacles() {
        let frame = obstacle.pose.at(t);
        for i in 0..model.particles() {
            let (distance, normal) = obstacle.distance_in(&frame, state.positions[i]);
            if distance >= 0.0 {
                continue;
            }
            // What is pinned along an axis leaves along the others, if any of them leads out.
            let fixed = model.fixed()[i];
            let mut free = normal;
            for axis in (0..3).filter(|&axis| fixed[axis]) {
                free[axis] = 0.0;
            }
            if free.norm2() < 1e-12 {
                continue;
            }
            let out = free.unit();
            let depth = -distance / normal.dot(out);
            contact.particles += 1;
            contact.deepest = contact.deepest.max(-distance);
            let mut push = out * depth;
            let mut change = match obstacle.response {
                Response::PushOut => push * (1.0 / h),
                Response::Bounce { restitution, friction } => {
                    let own = obstacle.velocity(state.positions[i], t, h);
                    let relative = state.velocities[i] - own;
                    let into = -relative.dot(out);
                    let restitution = if into < still { 0.0 } else { restitution };
                    let change = bounce(relative, out, restitution, friction) - relative;
                    // Since it met the surface it has slid with the new velocity, not the old.
                    if into > 0.0 {
                        push += (change - out * change.dot(out)) * (depth / into).min(h);
                    }
                    change
                }
            };
            for axis in (0..3).filter(|&axis| fixed[axis]) {
                (push[axis], change[axis]) = (0.0, 0.0);
            }
            state.positions[i] += push;
            state.velocities[i] += change;
            method.displaced(i, state);
        }
    }
    report.contact = Some(contact);
}

/// Whether any particle is inside an obstacle at time `t` (s).
pub(crate) fn any(model: &Model, t: f64, state: &State) -> bool {
    model.obstacles().iter().any(|obstacle| {
        let frame = obstacle.pose.at(t);
        state.positions.iter().any(|&x| obstacle.distance_in(&frame, x).0 < 0.0)
    })
}

/// The velocity after a contact: with `v_N = (v·N)N`, `v_T = v − v_N`,
/// `−e v_N + max(1 − μ(1+e)|v_N|/|v_T|, 0) v_T`; a separating velocity is left alone.
pub fn bounce(v: Point, normal: Point, restitution: f64, friction: f64) -> Point {
    let into = v.dot(normal);
    if into >= 0.0 {
        return v;
    }
    let v_n = normal * into;
    let v_t = v - v_n;
    let slip = v_t.norm();
    let kept = if slip > 0.0 {
        (1.0 - friction * (1.0 + restitution) * -into / slip).max(0.0)
    } else {
        0.0
    };
    v_t * kept - v_n * restitution
}
