//! Coulomb friction as a potential of the displacement u across the normal, with the normal force λ kept:
//!
//! `μ λ f₀(|u|)`, `f₀(y) = y²/2ε` up to ε and `y − ε/2` beyond
//!
//! Below ε sliding is resisted like a spring, beyond it by μλ. Where a contact begins to slide or comes to stick, Newton's
//! steps on f₀ are good within ε only. So its Hessian is taken with a force r that is iterated beside x, as for total
//! variation: `r y = μλ u` gives `μλ/y (1 − n nᵀ) − (r uᵀ + u rᵀ)/2y²`. With r = 0 it bounds f₀ from above, with
//! r = μλ u/y it is the Hessian.
//!
//! Li et al. 2020, *Incremental potential contact*, for friction as a lagged potential; Chan, Golub & Mulet
//! 1999, *A nonlinear primal-dual method for total variation-based image restoration*.

use crate::math::{Mat3, Vec3};

/// Friction with its normal force held.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sliding {
    /// p (m).
    pub(crate) from: Vec3,
    /// n.
    pub(crate) out: Vec3,
    /// μλ (N).
    pub(crate) most: f64,
    /// r (N), and u (m) where it was taken.
    drag: Vec3,
    slid: Vec3,
}

impl Sliding {
    /// From p, with n and μλ.
    pub(crate) fn new(from: Vec3, out: Vec3, most: f64) -> Self {
        Self { from, out, most, drag: Vec3::ZERO, slid: Vec3::ZERO }
    }

    /// Starts an iteration at x.
    pub(crate) fn start(&mut self, x: Vec3) {
        (self.drag, self.slid) = (Vec3::ZERO, self.slid(x));
    }

    /// Follows an iteration that has led to x, with ε (m).
    pub(crate) fn update_lagged(&mut self, x: Vec3, epsilon: f64) {
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
    pub(crate) fn press(&mut self, out: Vec3, most: f64) {
        let drag = self.drag - out * self.drag.dot(out);
        self.drag = if self.most > most { drag * (most / self.most) } else { drag };
        (self.out, self.most) = (out, most);
    }

    /// u (m) at x.
    #[inline]
    pub(crate) fn slid(&self, x: Vec3) -> Vec3 {
        let way = x - self.from;
        way - self.out * way.dot(self.out)
    }

    /// The energy (J) at x, with ε (m).
    #[inline]
    pub(crate) fn energy(&self, x: Vec3, epsilon: f64) -> f64 {
        let y = self.slid(x).norm();
        self.most * if y < epsilon { 0.5 * y * y / epsilon } else { y - 0.5 * epsilon }
    }

    /// Its gradient (N).
    #[inline]
    pub(crate) fn gradient(&self, x: Vec3, epsilon: f64) -> Vec3 {
        let u = self.slid(x);
        u * (self.most / u.norm().max(epsilon))
    }

    /// About its Hessian (N/m), and never negative.
    #[inline]
    pub(crate) fn block(&self, x: Vec3, epsilon: f64) -> Mat3 {
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
    pub(crate) fn bound(&self, x: Vec3, epsilon: f64) -> f64 {
        self.most / self.slid(x).norm().max(epsilon)
    }
}

#[cfg(test)]
mod tests {
    use super::Sliding;
    use crate::math::Vec3;

    const STEP: f64 = 1e-6;

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
