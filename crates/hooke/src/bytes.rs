//! Numbers as bytes, little endian: what snapshots are written in.

use crate::math::Vec3;

/// Bytes being written.
#[derive(Default)]
pub(crate) struct Writer(Vec<u8>);

impl Writer {
    pub(crate) fn finish(self) -> Vec<u8> {
        self.0
    }

    pub(crate) fn count(&mut self, value: u64) {
        self.0.extend(value.to_le_bytes());
    }

    pub(crate) fn number(&mut self, value: f64) {
        self.0.extend(value.to_le_bytes());
    }

    pub(crate) fn points(&mut self, points: &[Vec3]) {
        self.count(points.len() as u64);
        points.iter().flat_map(|point| point.to_array()).for_each(|value| self.number(value));
    }
}

/// Bytes being read; every number is finite.
pub(crate) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn take(&mut self) -> Option<[u8; 8]> {
        let (word, rest) = self.0.split_first_chunk::<8>()?;
        self.0 = rest;
        Some(*word)
    }

    pub(crate) fn count(&mut self) -> Option<u64> {
        self.take().map(u64::from_le_bytes)
    }

    pub(crate) fn number(&mut self) -> Option<f64> {
        self.take().map(f64::from_le_bytes).filter(|value| value.is_finite())
    }

    /// The length of a list whose items take `size` bytes, not more than there are.
    pub(crate) fn length(&mut self, size: usize) -> Option<usize> {
        let length = usize::try_from(self.count()?).ok()?;
        Some(length)
            .filter(|length| length.checked_mul(size).is_some_and(|all| all <= self.0.len()))
    }

    pub(crate) fn point(&mut self) -> Option<Vec3> {
        Some(Vec3::new(self.number()?, self.number()?, self.number()?))
    }

    pub(crate) fn points(&mut self) -> Option<Vec<Vec3>> {
        let length = self.length(24)?;
        (0..length).map(|_| self.point()).collect()
    }
}
