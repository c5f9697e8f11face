//! A contact point: a particle, or a point on an edge between two particles.

use crate::math::Vec3;
use crate::model::Model;

/// `s₀ x₀ + s₁ x₁`.
#[derive(Clone, Copy, Debug)]
pub(super) struct ContactPoint {
    /// The particles; both are the same if the point is a particle.
    pub(super) ends: [u32; 2],
    /// s₀ and s₁.
    pub(super) share: [f64; 2],
}

impl ContactPoint {
    /// A particle.
    pub(super) fn of(particle: usize) -> Self {
        Self { ends: [particle as u32; 2], share: [1.0, 0.0] }
    }

    /// A point on the edge between two particles; `s` is the share of the second.
    pub(super) fn on(ends: [u32; 2], s: f64) -> Self {
        Self { ends, share: [1.0 - s, s] }
    }

    /// The particles and their shares.
    #[inline]
    pub(super) fn ends(&self) -> impl Iterator<Item = (usize, f64)> + use<> {
        let count = if self.ends[0] == self.ends[1] { 1 } else { 2 };
        self.ends.map(|i| i as usize).into_iter().zip(self.share).take(count)
    }

    /// The particle, if the point is one.
    pub(super) fn particle(&self) -> Option<u32> {
        (self.ends[0] == self.ends[1]).then_some(self.ends[0])
    }

    /// Its position; for other vectors, their sum weighted by the shares.
    #[inline]
    pub(super) fn at(&self, x: impl Fn(usize) -> Vec3) -> Vec3 {
        let [a, b] = self.ends.map(|i| i as usize);
        if a == b { x(a) } else { x(a) * self.share[0] + x(b) * self.share[1] }
    }

    /// The axes along which it is fixed.
    pub(super) fn fixed(&self, model: &Model) -> [bool; 3] {
        let [a, b] = self.ends.map(|i| model.fixed()[i as usize]);
        [0, 1, 2].map(|axis| a[axis] && b[axis])
    }

    /// Its inverse mass along each axis (1/kg).
    pub(super) fn give(&self, model: &Model) -> Vec3 {
        let mut give = Vec3::ZERO;
        for (i, s) in self.ends() {
            for axis in 0..3 {
                give[axis] += s * s * model.inverse_mass(i, axis);
            }
        }
        give
    }

    /// Calls `each` for each particle with its displacement when an impulse at the point moves the
    /// point by `displacement`.
    #[inline]
    pub(super) fn spread(
        &self,
        model: &Model,
        displacement: Vec3,
        mut each: impl FnMut(usize, Vec3),
    ) {
        let weight = |i: usize, axis: usize| model.inverse_mass(i, axis);
        let give = self.give(model);
        for (i, s) in self.ends() {
            let mut own = Vec3::ZERO;
            for axis in (0..3).filter(|&axis| give[axis] > 0.0) {
                own[axis] = displacement[axis] * (s * weight(i, axis) / give[axis]);
            }
            each(i, own);
        }
    }
}
