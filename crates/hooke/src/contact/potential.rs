//! The potential of one contact, for a pair of a particle and an obstacle:
//!
//! `½ κ max(0, δ − φ(x))² + μ λ f₀(|u|)`, `u = (1 − n nᵀ)(x − p)`
//!
//! p is the contact's anchor on the obstacle at the end of the step; u is the sliding displacement
//! from it. The normal force λ and the outward normal n are lagged: fixed while g is minimized, and
//! updated in between. `f₀(y) = y²/2ε` up to ε and `y − ε/2` beyond: below ε friction acts as a
//! spring, beyond it as the force μλ.
//!
//! ε is [`STRAIN`] times the thickness. A sticking contact stays within it, as the anchor is kept
//! from step to step (`anchors`). At rigid bodies p is where the particle would be if it had moved
//! with the body, and ε is [`CREEP`] times the step: there a sticking contact creeps, at most at
//! that speed.

pub(super) use crate::collision::Sliding;
use crate::math::{Mat3, Vec3};

/// The displacement at which a contact begins to slide, relative to the thickness.
pub(super) const STRAIN: f64 = 1e-3;

/// The speed (m/s) below which a contact with a body sticks.
pub(super) const CREEP: f64 = 1e-4;

/// The depth (m) of a particle within the thickness, and the outward direction.
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

    /// `κ n nᵀ`, the Hessian without the rotation of n.
    #[inline]
    pub(super) fn block(self, stiffness: f64) -> Mat3 {
        if self.depth > 0.0 { self.out.outer(self.out) * stiffness } else { Mat3::ZERO }
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
}
