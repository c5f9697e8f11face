//! Contact with obstacles by projection: after the dynamics, particles that have entered are set
//! back onto the surface and their velocity is changed (physics.md §10.2, §11).

use crate::math::Point;
use crate::methods::Method;
use crate::model::{Model, Response};
use crate::report::{Contact, StepReport};
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
    if model.obstacles().is_empty() {
        return;
    }
    let mut contact = report.contact.unwrap_or_default();
    // Falling for one step is not a bounce: below this speed restitution would only jitter.
    let still = 2.0 * h * model.gravity().norm();
    for i in 0..model.particles() {
        if model.fixed()[i] != [false; 3] {
            continue;
        }
        for obstacle in model.obstacles() {
            let (distance, normal) = obstacle.distance(state.positions[i], t);
            if distance >= 0.0 {
                continue;
            }
            contact.particles += 1;
            contact.deepest = contact.deepest.max(-distance);
            let mut push = normal * -distance;
            let v = &mut state.velocities[i];
            match obstacle.response {
                Response::PushOut => *v += push * (1.0 / h),
                Response::Bounce { restitution, friction } => {
                    let own = obstacle.velocity(t, h);
                    let relative = *v - own;
                    let into = -relative.dot(normal);
                    let restitution = if into < still { 0.0 } else { restitution };
                    let after = bounce(relative, normal, restitution, friction);
                    // Since it met the surface it has slid with the new velocity, not the old.
                    if into > 0.0 {
                        let since = (-distance / into).min(h);
                        let change = after - relative;
                        push += (change - normal * change.dot(normal)) * since;
                    }
                    *v = own + after;
                }
            }
            state.positions[i] += push;
            method.displaced(i, state);
        }
    }
    report.contact = Some(contact);
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

impl Contact {
    /// Whether any particle touched an obstacle.
    pub fn any(&self) -> bool {
        self.particles > 0
    }
}
