//! The constraints of all elements at one moment, side by side.
//!
//! Batches append theirs in the order of their elements; buffers are kept from one walk to the next.

use crate::math::Vec3;

/// Rows one after the other: values C, compliances, and gradients ∂C/∂x by corner.
#[derive(Debug, Default)]
pub struct ConstraintRows {
    pub(crate) values: Vec<f64>,
    pub(crate) compliances: Vec<f64>,
    /// Where the corners of each row end.
    ends: Vec<u32>,
    pub(crate) corners: Vec<u32>,
    pub(crate) gradients: Vec<Vec3>,
}

impl ConstraintRows {
    /// How many.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Forgets all rows; buffers stay.
    pub fn clear(&mut self) {
        self.values.clear();
        self.compliances.clear();
        self.ends.clear();
        self.corners.clear();
        self.gradients.clear();
    }

    /// Appends a row with ∂C/∂x for each of its corners.
    pub fn push(
        &mut self,
        value: f64,
        compliance: f64,
        corners: &[u32],
        gradient: impl Iterator<Item = Vec3>,
    ) {
        self.values.push(value);
        self.compliances.push(compliance);
        self.corners.extend_from_slice(corners);
        self.gradients.extend(gradient);
        self.ends.push(self.corners.len() as u32);
    }

    /// The indices of a row's corners in the lists of corners and gradients.
    pub(crate) fn range(&self, row: usize) -> std::ops::Range<usize> {
        let start = if row == 0 { 0 } else { self.ends[row - 1] };
        start as usize..self.ends[row] as usize
    }

    /// The particles of a row, each with ∂C/∂x.
    pub(crate) fn slopes(&self, row: usize) -> impl Iterator<Item = (usize, Vec3)> + '_ {
        let range = self.range(row);
        let corners = self.corners[range.clone()].iter().map(|&corner| corner as usize);
        corners.zip(self.gradients[range].iter().copied())
    }

    /// `(J v)` of a row.
    pub(crate) fn along(&self, row: usize, v: &[Vec3]) -> f64 {
        self.slopes(row).map(|(corner, slope)| slope.dot(v[corner])).sum()
    }

    /// `out += Jᵀ forces`.
    pub(crate) fn push_back(&self, forces: impl Fn(usize) -> f64, out: &mut [Vec3]) {
        for row in 0..self.len() {
            let force = forces(row);
            for (corner, slope) in self.slopes(row) {
                out[corner] += slope * force;
            }
        }
    }
}
