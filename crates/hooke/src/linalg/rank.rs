//! Which rows of a positive semidefinite matrix follow from the others.

use super::ldlt::Ldlt;
use super::{Matrix, Pattern, TooLarge};

/// A row depends on those eliminated before it where its pivot falls below this share of its
/// diagonal entry.
const DEPENDENT: f64 = 1e-12;

/// Finds dependent rows by an `L D Lᵀ` that leaves them out.
pub struct Rank(Ldlt<f64>);

impl Rank {
    /// Orders the pattern and analyzes it.
    pub fn new(pattern: &Pattern) -> Result<Self, TooLarge> {
        Ok(Self(Ldlt::new(pattern)?))
    }

    /// Calls `each(row)` for every row that follows from others.
    pub fn dependent(&mut self, matrix: &Matrix<f64>, mut each: impl FnMut(usize)) {
        // An infinite pivot takes a row out: nothing that comes after sees it.
        let done = self.0.factor_with(matrix, |row, diagonal, pivot| {
            if pivot > DEPENDENT * diagonal && pivot.is_finite() {
                return Some(pivot);
            }
            each(row);
            Some(f64::INFINITY)
        });
        debug_assert!(done.is_ok());
    }
}
