//! What one contact stores and resists, per pair of a particle and an obstacle:
//!
//! `½ κ max(0, δ − φ(x))² + μ λ f₀(|u|)`, `u = (1 − n nᵀ)(x − p)`
//!
//! p is the contact's anchor on the obstacle, where that is at the end of the step: u is how far the contact has slid from it.
//! λ and n, the normal force and the direction out, are held while g is minimized and follow in between.
//! `f₀(y) = y²/2ε` up to ε and `y − ε/2` beyond: below ε sliding is resisted like a spring, beyond it by μλ.
//! ε is [`STRAIN`] of the thickness, and what sticks stays within it, as the anchor is kept over steps (`anchors`). At bodies
//! that move freely p is where the particle would be had it moved with the body, and ε is [`CREEP`] times the step: there what
//! sticks creeps, but not faster than that.
//!
//! Where a contact begins to slide or comes to stick, Newton's steps on f₀ are good within ε only. So its
//! Hessian is taken with a force r that is iterated beside x, as for total variation: `r y = μλ u` body_compliance
//! `μλ/y (1 − n nᵀ) − (r uᵀ + u rᵀ)/2y²`. With r = 0 it bounds f₀ from above, with r = μλ u/y it is the Hessian.
//!
//! Li et al. 2020, *Incremental potential contact*, for friction as a lagged potential; Chan, Golub & Mulet
//! 1999, *A nonlinear primal-dual method for total variation-based image restoration*.

use crate::math::{Mat3, Vec3};

/// How far a contact yields before it slides, relative to the thickness.
pub(super) const STRAIN: f64 = 1e-3;

/// The speed (m/s) below which a contact with a body sticks.
pub(super) const CREEP: f64 = 1e-4;

/// The depth (m) by which a particle is within the thickness, and the direction out.
#[derive(Clone, Copy)]
pub(super) struct Depth {
    pub(super) depth: f64,
    pub(super) out: Vec3,
}

impl Depth {
    /// The energy (J) of the depth at a stiffness κ (N/m).
    #[inline]
    pub(super) fn energy(self, stiffness: f64) -> f64 {
        let depth = self.depth.max(0.0);
        0.5 * stiffness * depth * depth
    }

    /// Its gradient (N).
    #[inline]
    pub(super) fn gradient(self, stiffness: f64) -> Vec3 {
        self.out * (-stiffness * self.depth.max(0.0))
    }

    /// `κ n nᵀ`, the Hessian but for what n turns.
    #[inline]
    pub(super) fn block(self, stiffness: f64) -> Mat3 {
        if self.depth > 0.0 { self.out.outer(self.out) * stiffness } else { Mat3::ZERO }
    }
}

/// Friction with its normal force held.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sliding {
    /// p (m).
    pub(super) from: Vec3,
    /// n.
    pub(super) out: Vec3,
    /// μλ (N).
    pub(super) most: f64,
    /// r (N), and u (m) where it was taken.
    drag: Vec3,
    slid: Vec3,
}

impl Sliding {
    /// From p, with n and μλ.
    pub(super) fn new(from: Vec3, out: Vec3, most: f64) -> Self {
        Self { from, out, most, drag: Vec3::ZERO, slid: Vec3::ZERO }
    }

    /// Starts an iteration at x.
    pub(super) fn start(&mut self, x: Vec3) {
        (self.drag, self.slid) = (Vec3::ZERO, self.slid(x));
    }

    /// Follows an iteration that has led to x, with ε (m).
    pub(super) fn update_lagged(&mut self, x: Vec3, epsilon: f64) {
        let (before, now) = (self.slid, self.slid(x));
        let y = before.norm();
        let mut drag = now * (self.most / y.max(epsilon));
        if y > epsilon {
            drag -= self.drag * (before.dot(now - before) / (y * y));
        }
        let size = drag.norm();
        self.drag = if size > self.most { drag * (self.most / size) } else { drag };
        self.slid = now;
    }

    /// Takes another n and μλ (N).
    pub(super) fn press(&mut self, out: Vec3, most: f64) {
        let drag = self.drag - out * self.drag.dot(out);
        self.drag = if self.most > most { drag * (most / self.most) } else { drag };
        (self.out, self.most) = (out, most);
    }

    /// u (m) at x.
    #[inline]
    pub(super) fn slid(&self, x: Vec3) -> Vec3 {
        let way = x - self.from;
        way - self.out * way.dot(self.out)
    }

    /// The energy (J) at x, with ε (m).
    #[inline]
    pub(super) fn energy(&self, x: Vec3, epsilon: f64) -> f64 {
        let y = self.slid(x).norm();
        self.most * if y < epsilon { 0.5 * y * y / epsilon } else { y - 0.5 * epsilon }
    }

    /// Its gradient (N).
    #[inline]
    pub(super) fn gradient(&self, x: Vec3, epsilon: f64) -> Vec3 {
        let u = self.slid(x);
        u * (self.most / u.norm().max(epsilon))
    }

    /// About its Hessian (N/m), and never negative.
    #[inline]
    pub(super) fn block(&self, x: Vec3, epsilon: f64) -> Mat3 {
        let u = self.slid(x);
        let y = u.norm();
        let across = Mat3::IDENTITY - self.out.outer(self.out);
        if y < epsilon {
            return across * (self.most / epsilon);
        }
        let rotated = self.drag.outer(u) + u.outer(self.drag);
        across * (self.most / y) - rotated * (0.5 / (y * y))
    }

    /// A multiple of `1 − n nᵀ` that bounds the energy from above when its gradient is kept (N/m): as f₀
    /// is concave in y².
    #[inline]
    pub(super) fn bound(&self, x: Vec3, epsilon: f64) -> f64 {
        self.most / self.slid(x).norm().max(epsilon)
    }
}

#[cfg(test)]
mod tests {
    use super::{Depth, Sliding};
    use crate::math::Vec3;

    const STEP: f64 = 1e-6;

    /// Central differences of a function.
    fn slope(f: impl Fn(Vec3) -> f64, x: Vec3) -> Vec3 {
        let one = |axis: Vec3| (f(x + axis * STEP) - f(x - axis * STEP)) / (2.0 * STEP);
        let [x, y, z] = Vec3::AXES.map(one);
        Vec3::new(x, y, z)
    }

    #[test]
    fn gradients_are_those_of_the_energies() {
        // Distances from a sphere of 0.3 m, with a thickness of 0.02 m.
        let depth = |x: Vec3| Depth { depth: 0.32 - x.norm(), out: x.unit() };
        let out = Vec3::new(0.2, 0.9, -0.3).unit();
        let sliding = Sliding::new(Vec3::new(0.1, 0.2, 0.1), out, 3.0);
        for x in [Vec3::new(0.1, 0.28, 0.02), Vec3::new(0.2, 0.22, 0.1), Vec3::new(0.0, 0.4, 0.0)] {
            let error = slope(|x| depth(x).energy(500.0), x) - depth(x).gradient(500.0);
            assert!(error.norm() < 1e-6, "{error:?}");
            // Sticking and sliding.
            for epsilon in [1.0, 1e-3] {
                let error = slope(|x| sliding.energy(x, epsilon), x) - sliding.gradient(x, epsilon);
                assert!(error.norm() < 1e-6, "{error:?}");
            }
        }
    }

    #[test]
    fn blocks_of_friction_lie_between_its_hessian_and_a_bound() {
        let out = Vec3::new(0.2, 0.9, -0.3).unit();
        let mut sliding = Sliding::new(Vec3::ZERO, out, 3.0);
        let (x, epsilon) = (Vec3::new(0.1, 0.28, 0.02), 1e-4);
        sliding.start(x);
        let bends = |sliding: &Sliding, along: Vec3| along.dot(sliding.block(x, epsilon) * along);
        let along = sliding.slid(x).unit();
        let bound = sliding.bound(x, epsilon);
        assert!((bends(&sliding, along) / bound - 1.0).abs() < 1e-12);
        // An iteration later it knows that f₀ is straight along u.
        sliding.update_lagged(x, epsilon);
        assert!(bends(&sliding, along).abs() < 1e-12 * bound);
        for axis in Vec3::AXES {
            let there = |s: f64| sliding.gradient(x + axis * s, epsilon);
            let exact = (there(STEP) - there(-STEP)) * (0.5 / STEP);
            assert!((exact - sliding.block(x, epsilon) * axis).norm() < 1e-6);
        }
    }
}
