//! Choices made by bytes: small numbers, coins, and floats that like to be extreme.

use hooke::Vec3;

/// Bytes that decide, one after the other; when they are used up, everything is zero.
pub(crate) struct Choices<'a>(pub(crate) &'a [u8]);

impl Choices<'_> {
    pub(crate) fn byte(&mut self) -> u8 {
        match self.0.split_first() {
            Some((first, rest)) => {
                self.0 = rest;
                *first
            }
            None => 0,
        }
    }

    /// Whether all bytes are used up.
    pub(crate) fn ended(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn coin(&mut self) -> bool {
        self.byte() % 2 == 1
    }

    /// A whole number below `count`, which is at most 256; 0 where there is none.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        usize::from(self.byte()) % count.max(1)
    }

    /// One of these.
    pub(crate) fn one_of<T: Copy>(&mut self, list: &[T]) -> Option<T> {
        let index = self.below(list.len());
        list.get(index).copied()
    }

    /// A number: mostly of everyday size, sometimes extreme, sometimes none.
    pub(crate) fn number(&mut self) -> f64 {
        const EXTREMES: [f64; 16] = [
            0.0,
            -0.0,
            5e-324,
            1e-300,
            1e-150,
            1e-12,
            1e-8,
            1e8,
            1e12,
            1e15,
            1e150,
            1e300,
            f64::MAX,
            f64::INFINITY,
            f64::NAN,
            f64::EPSILON,
        ];
        match self.byte() {
            kind @ 0..=199 => {
                let sign = if kind % 2 == 0 { 1.0 } else { -1.0 };
                let sizes = [1.0, 1.0, 1e-3, 1e3];
                let size = sizes.get(usize::from(kind / 2) % sizes.len()).copied().unwrap_or(1.0);
                sign * size * f64::from(self.byte()) / 64.0
            }
            kind @ 200..=239 => {
                let extreme = self.one_of(&EXTREMES).unwrap_or(0.0);
                if kind % 2 == 0 { extreme } else { -extreme }
            }
            _ => {
                let bytes: [u8; 8] = std::array::from_fn(|_| self.byte());
                f64::from_le_bytes(bytes)
            }
        }
    }

    /// A number that is not negative.
    pub(crate) fn size(&mut self) -> f64 {
        self.number().abs()
    }

    pub(crate) fn point(&mut self) -> Vec3 {
        let [x, y, z] = std::array::from_fn(|_| self.number());
        Vec3::new(x, y, z)
    }
}
