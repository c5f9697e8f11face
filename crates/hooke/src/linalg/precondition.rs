//! Preconditioners for conjugate gradients: none, the 3×3 diagonal blocks, and an incomplete
//! block Cholesky factor on the matrix's own pattern (Meijerink & van der Vorst 1977).

use super::{Indefinite, Matrix, Pattern};
use crate::math::{Mat3, Vec3};

/// An approximate inverse.
pub struct Precondition(Kind);

enum Kind {
    None,
    Jacobi { factors: Vec<Mat3> },
    Incomplete(Box<Incomplete>),
}

impl Precondition {
    /// The identity.
    pub fn none() -> Self {
        Self(Kind::None)
    }

    /// The inverse of each diagonal block.
    pub fn jacobi() -> Self {
        Self(Kind::Jacobi { factors: Vec::new() })
    }

    /// `L Lᵀ` with the pattern of the lower triangle.
    pub fn incomplete(pattern: &Pattern) -> Self {
        Self(Kind::Incomplete(Box::new(Incomplete::new(pattern))))
    }

    /// Computes it for a matrix.
    pub fn factor(&mut self, matrix: &Matrix<Mat3>) -> Result<(), Indefinite> {
        match &mut self.0 {
            Kind::None => Ok(()),
            Kind::Jacobi { factors } => {
                factors.clear();
                for i in 0..matrix.pattern().size() {
                    let slot = matrix.pattern().slot(i as u32, i as u32) as usize;
                    factors.push(matrix.values()[slot].cholesky().ok_or(Indefinite)?);
                }
                Ok(())
            }
            Kind::Incomplete(incomplete) => incomplete.factor(matrix),
        }
    }

    /// `z ≈ A⁻¹ r`.
    pub fn apply(&self, r: &[Vec3], z: &mut [Vec3]) {
        match &self.0 {
            Kind::None => z.copy_from_slice(r),
            Kind::Jacobi { factors } => {
                for ((z, &r), l) in z.iter_mut().zip(r).zip(factors) {
                    *z = l.solve_lower_transposed(l.solve_lower(r));
                }
            }
            Kind::Incomplete(incomplete) => incomplete.apply(r, z),
        }
    }
}

/// The incomplete factor by rows of the strict lower triangle, and its diagonal blocks.
struct Incomplete {
    starts: Vec<u32>,
    columns: Vec<u32>,
    slots: Vec<u32>,
    values: Vec<Mat3>,
    diagonal: Vec<Mat3>,
}

impl Incomplete {
    fn new(pattern: &Pattern) -> Self {
        let (mut starts, mut columns, mut slots) = (vec![0u32], Vec::new(), Vec::new());
        for i in 0..pattern.size() {
            for slot in pattern.row(i) {
                let j = pattern.columns()[slot];
                if (j as usize) < i {
                    columns.push(j);
                    slots.push(slot as u32);
                }
            }
            starts.push(columns.len() as u32);
        }
        let values = vec![Mat3::ZERO; columns.len()];
        Self { starts, columns, slots, values, diagonal: vec![Mat3::ZERO; pattern.size()] }
    }

    /// Dropping fill can make a positive matrix lose definiteness: the diagonal is then enlarged
    /// until the factor exists (Manteuffel 1980). The matrix itself must have positive blocks.
    fn factor(&mut self, matrix: &Matrix<Mat3>) -> Result<(), Indefinite> {
        let mut shift = 0.0;
        for _ in 0..12 {
            if self.try_factor(matrix, 1.0 + shift) {
                return Ok(());
            }
            shift = if shift == 0.0 { 1e-3 } else { shift * 4.0 };
        }
        Err(Indefinite)
    }

    fn try_factor(&mut self, matrix: &Matrix<Mat3>, enlarge: f64) -> bool {
        for i in 0..self.diagonal.len() {
            let row = self.starts[i] as usize..self.starts[i + 1] as usize;
            let slot = matrix.pattern().slot(i as u32, i as u32) as usize;
            let mut d = matrix.values()[slot] * enlarge;
            for k in row.clone() {
                // L_ij = (A_ij − Σ_m L_im L_jmᵀ) L_jj⁻ᵀ over shared columns m < j.
                let j = self.columns[k] as usize;
                let mut sum = matrix.values()[self.slots[k] as usize];
                let (mut a, mut b) = (row.start, self.starts[j] as usize);
                let end = self.starts[j + 1] as usize;
                while a < k && b < end {
                    match self.columns[a].cmp(&self.columns[b]) {
                        std::cmp::Ordering::Less => a += 1,
                        std::cmp::Ordering::Greater => b += 1,
                        std::cmp::Ordering::Equal => {
                            sum = sum - self.values[a] * self.values[b].transpose();
                            a += 1;
                            b += 1;
                        }
                    }
                }
                let l = self.diagonal[j];
                let value = Mat3(sum.0.map(|r| l.solve_lower(r.into()).to_array()));
                self.values[k] = value;
                d = d - value * value.transpose();
            }
            match d.cholesky() {
                Some(l) => self.diagonal[i] = l,
                None => return false,
            }
        }
        true
    }

    fn apply(&self, r: &[Vec3], z: &mut [Vec3]) {
        for i in 0..z.len() {
            let mut sum = r[i];
            for k in self.starts[i] as usize..self.starts[i + 1] as usize {
                sum -= self.values[k] * z[self.columns[k] as usize];
            }
            z[i] = self.diagonal[i].solve_lower(sum);
        }
        for i in (0..z.len()).rev() {
            z[i] = self.diagonal[i].solve_lower_transposed(z[i]);
            for k in self.starts[i] as usize..self.starts[i + 1] as usize {
                let pull = self.values[k].transpose() * z[i];
                z[self.columns[k] as usize] -= pull;
            }
        }
    }
}
