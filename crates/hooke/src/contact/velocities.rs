//! What contact does to velocities: restitution and friction of an impact.

use crate::math::Vec3;

/// The velocity after a contact: with `v_N = (v·N)N`, `v_T = v − v_N`,
/// `−e v_N + max(1 − μ(1+e)|v_N|/|v_T|, 0) v_T`; a separating velocity is left alone.
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

/// A contact that a solve has pressed out, as the obstacle sees it.
pub(super) struct Impact {
    /// The velocity (m/s) before the solve and after it.
    pub(super) before: Vec3,
    pub(super) after: Vec3,
    /// The direction out.
    pub(super) out: Vec3,
    pub(super) restitution: f64,
    pub(super) friction: f64,
    /// Falling for one step is not a bounce: below this speed (m/s) restitution would only jitter.
    pub(super) still: f64,
}

impl Impact {
    /// What the velocity changes by.
    ///
    /// What came in faster than [`Impact::still`] leaves with `−e v_N`. All else leaves no faster than it
    /// already left: what a contact has stored is lost. The solve has exerted friction by what it
    /// exerted along the normal; the rest of the impact brings its own.
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
