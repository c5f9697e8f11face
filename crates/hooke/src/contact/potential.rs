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

pub(super) use crate::collision::Sliding;
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
