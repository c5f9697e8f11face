//! A place on a body: a particle, or a point of an edge between two.

use crate::math::Point;
use crate::model::Model;

/// `s₀ x₀ + s₁ x₁`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// The particles, twice the same where the place is one of them.
    pub(super) ends: [u32; 2],
    /// s₀ and s₁.
    pub(super) share: [f64; 2],
}

impl Place {
    /// A particle.
    pub(super) fn of(particle: usize) -> Self {
        Self { ends: [particle as u32; 2], share: [1.0, 0.0] }
    }

    /// A point of the edge between two particles, with the share of the second.
    pub(super) fn on(ends: [u32; 2], s: f64) -> Self {
        Self { ends, share: [1.0 - s, s] }
    }

    /// The particles and their shares.
    #[inline]
    pub(super) fn ends(&self) -> impl Iterator<Item = (usize, f64)> + use<> {
        let count = if self.ends[0] == self.ends[1] { 1 } else { 2 };
        self.ends.map(|i| i as usize).into_iter().zip(self.share).take(count)
    }

    /// The particle, where the place is one.
    pub(super) fn particle(&self) -> Option<u32> {
        (self.ends[0] == self.ends[1]).then_some(self.ends[0])
    }

    /// Where it is; of any vectors, their sum by shares.
    #[inline]
    pub(super) fn at(&self, x: impl Fn(usize) -> Point) -> Point {
        let [a, b] = self.ends.map(|i| i as usize);
        if a == b { x(a) } else { x(a) * self.share[0] + x(b) * self.share[1] }
    }

    /// The axes along which it is fixed.
    pub(super) fn fixed(&self, model: &Model) -> [bool; 3] {
        let [a, b] = self.ends.map(|i| model.fixed()[i as usize]);
        [0, 1, 2].map(|axis| a[axis] && b[axis])
    }

    /// How much it gives way along each axis (1/kg).
    pub(super) fn give(&self, model: &Model) -> Point {
        let mut give = Point::ZERO;
        for (i, s) in self.ends() {
            for axis in 0..3 {
                give[axis] += s * s * model.inverse_mass(i, axis);
            }
        }
        give
    }

    /// Tells for each particle by how much it moves when the place is moved by `way`: as if pushed there.
    #[inline]
    pub(super) fn spread(&self, model: &Model, way: Point, mut each: impl FnMut(usize, Point)) {
        let weight = |i: usize, axis: usize| model.inverse_mass(i, axis);
        let give = self.give(model);
        for (i, s) in self.ends() {
            let mut own = Point::ZERO;
            for axis in (0..3).filter(|&axis| give[axis] > 0.0) {
                own[axis] = way[axis] * (s * weight(i, axis) / give[axis]);
            }
            each(i, own);
        }
    }
}
