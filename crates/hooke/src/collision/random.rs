//! Random numbers for tests.

use crate::math::{Vec3, noise::mix};

pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number from 0 to 1.
    pub(super) fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(1);
        (mix(self.0) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A vector with coordinates from −1 to 1.
    pub(super) fn vector(&mut self) -> Vec3 {
        let mut one = || 2.0 * self.unit() - 1.0;
        Vec3::new(one(), one(), one())
    }
}
