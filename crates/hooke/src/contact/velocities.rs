//! Restitution and friction of an impact, applied to velocities.

use crate::math::Vec3;

/// The velocity after a contact: with `v_N = (v·N)N`, `v_T = v − v_N`,
/// `−e v_N + max(1 − μ(1+e)|v_N|/|v_T|, 0) v_T`; a separating velocity is unchanged.
pub fn bounce(v: Vec3, normal: Vec3, restitution: f64, friction: f64) -> Vec3 {
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

/// A contact after a solve, relative to the obstacle.
pub(super) struct Impact {
    /// The velocity (m/s) before the solve and after it.
    pub(super) before: Vec3,
    pub(super) after: Vec3,
    /// The outward direction.
    pub(super) out: Vec3,
    pub(super) restitution: f64,
    pub(super) friction: f64,
    /// Falling for one step is not a bounce: below this speed (m/s) restitution would only jitter.
    pub(super) still: f64,
}

impl Impact {
    /// The change of the velocity.
    ///
    /// A particle that came in faster than [`Impact::still`] leaves with `−e v_N`. Any other leaves
    /// no faster than it already separated before: energy stored in the contact is lost. The solve
    /// has applied the friction that belongs to its own normal impulse; the rest of the impact adds
    /// its own.
    pub(super) fn change(&self) -> Vec3 {
        let [before, after] = [self.before, self.after].map(|v| v.dot(self.out));
        if before >= -self.still {
            return self.out * (after.min(before.max(0.0)) - after);
        }
        let rest = -self.restitution * before - after;
        let along = self.after - self.out * after;
        let slip = along.norm();
        let lost = if slip > 0.0 { (self.friction * rest.max(0.0) / slip).min(1.0) } else { 0.0 };
        self.out * rest - along * lost
    }
}
