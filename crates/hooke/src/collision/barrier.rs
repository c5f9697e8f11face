//! The potential of a pair of features at the gap s, with the thickness δ and the stiffness κ:
//!
//! `B = 0` for `u = δ − s ≤ 0`, `κ u³/6a` for `u < a = δ/10`, `κ (u²/2 − a u/2 + a²/6)` beyond, also for `s < 0`.
//!
//! B is convex and twice continuously differentiable; beyond the ramp it is the quadratic of contact with obstacles,
//! shifted by a/2. The gap `s = n·(a − b)` is linear while the closest points and their direction n are kept.

/// The ramp, relative to the thickness.
const RAMP: f64 = 0.1;

/// The potential of one pair.
#[derive(Clone, Copy, Debug)]
pub(super) struct Barrier {
    /// δ (m).
    pub(super) thickness: f64,
    /// κ (N/m).
    pub(super) stiffness: f64,
}

impl Barrier {
    /// B (J) at the gap s (m).
    #[inline]
    pub(super) fn energy(&self, s: f64) -> f64 {
        let (u, a) = (self.thickness - s, RAMP * self.thickness);
        if u <= 0.0 {
            0.0
        } else if u < a {
            self.stiffness * u * u * u / (6.0 * a)
        } else {
            self.stiffness * (0.5 * u * (u - a) + a * a / 6.0)
        }
    }

    /// `λ = −B'` (N), the force that pushes the features apart.
    #[inline]
    pub(super) fn force(&self, s: f64) -> f64 {
        let (u, a) = (self.thickness - s, RAMP * self.thickness);
        if u <= 0.0 {
            0.0
        } else if u < a {
            self.stiffness * u * u / (2.0 * a)
        } else {
            self.stiffness * (u - 0.5 * a)
        }
    }

    /// B'' (N/m).
    #[inline]
    pub(super) fn curvature(&self, s: f64) -> f64 {
        let (u, a) = (self.thickness - s, RAMP * self.thickness);
        self.stiffness * (u / a).clamp(0.0, 1.0)
    }

    /// The force λ (N) with which `λ = −B'(s + w λ)`: the gap grows by w (m/N) per force.
    #[inline]
    pub(super) fn balance(&self, s: f64, w: f64) -> f64 {
        let (u, a, k) = (self.thickness - s, RAMP * self.thickness, self.stiffness);
        if u <= 0.0 {
            return 0.0;
        }
        // Beyond the ramp: λ = κ (u − wλ − a/2).
        let beyond = k * (u - 0.5 * a) / (1.0 + k * w);
        if u - w * beyond >= a {
            return beyond;
        }
        // On the ramp: with v = u − wλ, κ w v²/2a + v = u.
        let c = k * w / (2.0 * a);
        let v = 2.0 * u / (1.0 + (1.0 + 4.0 * c * u).sqrt());
        k * v * v / (2.0 * a)
    }
}

/// The factor of two edges whose closest points have the shares s and t: 1 where edges cross, 0 at their ends and where
/// they are parallel, which are left to points and triangles. `cross` is `|e₁ × e₂|²`, `square` is `|ē₁|²|ē₂|²` at rest.
#[inline]
pub(super) fn crossing([s, t]: [f64; 2], cross: f64, square: f64) -> f64 {
    let inside = |q: f64| {
        let rest = 1.0 - (10.0 * q * (1.0 - q)).min(1.0);
        1.0 - rest * rest
    };
    let c = (cross / (1e-3 * square)).min(1.0);
    inside(s) * inside(t) * (2.0 - c) * c
}

#[cfg(test)]
mod tests {
    use super::{Barrier, crossing};

    const BARRIER: Barrier = Barrier { thickness: 2e-3, stiffness: 500.0 };

    #[test]
    fn derivatives_are_those_of_the_energy() {
        for k in -20..=24 {
            let s = f64::from(k) * 1e-4 + 1e-6;
            let h = 1e-8;
            let slope = (BARRIER.energy(s + h) - BARRIER.energy(s - h)) / (2.0 * h);
            assert!((slope + BARRIER.force(s)).abs() < 1e-8, "{s}: {slope}");
            let slope = (BARRIER.force(s + h) - BARRIER.force(s - h)) / (2.0 * h);
            assert!((slope + BARRIER.curvature(s)).abs() < 1e-4, "{s}: {slope}");
        }
    }

    #[test]
    fn balance_solves_for_the_force() {
        for k in -20..=24 {
            for w in [0.0, 1e-7, 1e-4, 1e-2, 10.0] {
                let s = f64::from(k) * 1e-4;
                let force = BARRIER.balance(s, w);
                let error = (force - BARRIER.force(s + w * force)).abs();
                assert!(
                    error <= 1e-12 * (force + w * force * BARRIER.stiffness),
                    "{s} {w}: {error}"
                );
            }
        }
    }

    #[test]
    fn edges_act_where_they_cross() {
        assert_eq!(crossing([0.5, 0.5], 1.0, 1.0), 1.0);
        assert_eq!(crossing([0.0, 0.5], 1.0, 1.0), 0.0);
        assert_eq!(crossing([0.5, 1.0], 1.0, 1.0), 0.0);
        assert_eq!(crossing([0.5, 0.5], 0.0, 1.0), 0.0);
    }
}
