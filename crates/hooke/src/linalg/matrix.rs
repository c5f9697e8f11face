//! A symmetric matrix with one block per pair of coupled particles.
//!
//! The pattern is built once from the elements; assembly writes straight into its slots, and both
//! triangles are stored so that a product runs row by row in parallel.

use crate::math::{Mat3, Vec3};
use crate::thread_pool::ThreadPool;

/// An entry of the matrix: a 3×3 block, or a number that acts on x, y and z alike.
pub trait Block: Copy + Send + Sync + Default {
    /// Rows (and columns) of a block.
    const SIZE: usize;
    /// One entry.
    fn entry(&self, row: usize, column: usize) -> f64;
    /// `self · v`.
    fn times(&self, v: Vec3) -> Vec3;
    /// `selfᵀ · v`.
    fn transposed_times(&self, v: Vec3) -> Vec3;
    /// `self − a bᵀ`.
    fn less(&self, a: Self, b: Self) -> Self;
    /// The form in which a symmetric block D divides others, or `None` where it is not positive
    /// definite.
    fn pivot(&self) -> Option<Self>;
    /// `D⁻¹ v` for the pivot of D.
    fn solve(&self, v: Vec3) -> Vec3;
    /// `self · D⁻¹` for the pivot of D.
    fn over(&self, pivot: Self) -> Self;
}

impl Block for f64 {
    const SIZE: usize = 1;
    fn entry(&self, _: usize, _: usize) -> f64 {
        *self
    }
    #[inline]
    fn times(&self, v: Vec3) -> Vec3 {
        v * *self
    }
    #[inline]
    fn transposed_times(&self, v: Vec3) -> Vec3 {
        v * *self
    }
    #[inline]
    fn less(&self, a: Self, b: Self) -> Self {
        self - a * b
    }
    fn pivot(&self) -> Option<Self> {
        (*self > 0.0 && self.is_finite()).then_some(*self)
    }
    fn solve(&self, v: Vec3) -> Vec3 {
        Vec3::new(v.x / self, v.y / self, v.z / self)
    }
    fn over(&self, pivot: Self) -> Self {
        self / pivot
    }
}

impl Block for Mat3 {
    const SIZE: usize = 3;
    #[inline]
    fn entry(&self, row: usize, column: usize) -> f64 {
        self.0[row][column]
    }
    #[inline]
    fn times(&self, v: Vec3) -> Vec3 {
        *self * v
    }
    #[inline]
    fn transposed_times(&self, v: Vec3) -> Vec3 {
        self.transpose() * v
    }
    #[inline]
    fn less(&self, a: Self, b: Self) -> Self {
        let mut out = *self;
        for (out, a) in out.0.iter_mut().zip(&a.0) {
            for (out, b) in out.iter_mut().zip(&b.0) {
                *out -= a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
            }
        }
        out
    }
    fn pivot(&self) -> Option<Self> {
        self.cholesky()
    }
    fn solve(&self, v: Vec3) -> Vec3 {
        self.solve_lower_transposed(self.solve_lower(v))
    }
    fn over(&self, pivot: Self) -> Self {
        Self(self.0.map(|row| pivot.solve(row.into()).to_array()))
    }
}

/// Which particles are coupled: compressed rows, columns ascending, the diagonal included.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pattern {
    starts: Vec<u32>,
    columns: Vec<u32>,
}

impl Pattern {
    /// From the corner lists of all elements over `size` particles.
    pub fn new<'a>(size: usize, elements: impl Iterator<Item = &'a [u32]>) -> Self {
        let mut pairs: Vec<[u32; 2]> = (0..size as u32).map(|i| [i, i]).collect();
        for corners in elements {
            for &i in corners {
                pairs.extend(corners.iter().filter(|&&j| j != i).map(|&j| [i, j]));
            }
        }
        // Rows are short: sorted into them first, and then each of them.
        let mut ends = vec![0usize; size + 1];
        for &[i, _] in &pairs {
            ends[i as usize + 1] += 1;
        }
        for i in 0..size {
            ends[i + 1] += ends[i];
        }
        let mut columns = vec![0; pairs.len()];
        for &[i, j] in &pairs {
            columns[ends[i as usize]] = j;
            ends[i as usize] += 1;
        }
        let (mut starts, mut next, mut count) = (vec![0u32; size + 1], 0, 0);
        for i in 0..size {
            let row = next..ends[i];
            next = row.end;
            columns[row.clone()].sort_unstable();
            let first = count;
            for at in row {
                if count == first || columns[count - 1] != columns[at] {
                    columns[count] = columns[at];
                    count += 1;
                }
            }
            starts[i + 1] = count as u32;
        }
        columns.truncate(count);
        Self { starts, columns }
    }

    /// The number of particles.
    pub fn size(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// The number of blocks, both triangles.
    pub fn blocks(&self) -> usize {
        self.columns.len()
    }

    /// The slots of a row.
    #[inline]
    pub fn row(&self, i: usize) -> std::ops::Range<usize> {
        self.starts[i] as usize..self.starts[i + 1] as usize
    }

    /// The column of each slot.
    #[inline]
    pub fn columns(&self) -> &[u32] {
        &self.columns
    }

    /// The slot of block (i, j), where the pattern has it.
    pub fn find(&self, i: u32, j: u32) -> Option<u32> {
        let slot = self.slot(i, j);
        let has = (slot as usize) < self.row(i as usize).end && self.columns[slot as usize] == j;
        has.then_some(slot)
    }

    /// The slot of block (i, j), which an element of the pattern couples.
    pub fn slot(&self, i: u32, j: u32) -> u32 {
        let row = self.row(i as usize);
        let within = self.columns[row.clone()].partition_point(|&column| column < j);
        (row.start + within) as u32
    }
}

/// Values on a [`Pattern`].
#[derive(Clone, Debug)]
pub struct Matrix<B> {
    pattern: Pattern,
    values: Vec<B>,
}

impl<B: Block> Matrix<B> {
    /// The zero matrix.
    pub fn new(pattern: Pattern) -> Self {
        let values = vec![B::default(); pattern.blocks()];
        Self { pattern, values }
    }

    /// Where its blocks stand.
    pub fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// The blocks by slot.
    pub fn values(&self) -> &[B] {
        &self.values
    }

    /// The blocks by slot, to write.
    pub fn values_mut(&mut self) -> &mut [B] {
        &mut self.values
    }

    /// Sets every block to zero.
    pub fn clear(&mut self) {
        self.values.fill(B::default());
    }

    /// The diagonal block of row `i`.
    pub fn diagonal_mut(&mut self, i: usize) -> &mut B {
        let slot = self.pattern.slot(i as u32, i as u32) as usize;
        &mut self.values[slot]
    }

    /// `out = A x`.
    pub fn multiply(&self, x: &[Vec3], out: &mut [Vec3], pool: &ThreadPool) {
        pool.for_each(out, |first, chunk| {
            for (k, value) in chunk.iter_mut().enumerate() {
                let mut sum = Vec3::ZERO;
                for slot in self.pattern.row(first + k) {
                    sum += self.values[slot].times(x[self.pattern.columns[slot] as usize]);
                }
                *value = sum;
            }
        });
    }
}

impl Matrix<Mat3> {
    /// Makes the rows and columns of fixed coordinates those of the identity, so that a solve
    /// leaves them alone.
    pub fn fix(&mut self, fixed: &[[bool; 3]]) {
        for i in 0..self.pattern.size() {
            for slot in self.pattern.row(i) {
                let j = self.pattern.columns[slot] as usize;
                if fixed[i] == [false; 3] && fixed[j] == [false; 3] {
                    continue;
                }
                let block = &mut self.values[slot].0;
                for (a, row) in block.iter_mut().enumerate() {
                    for (b, value) in row.iter_mut().enumerate() {
                        if fixed[i][a] || fixed[j][b] {
                            *value = if i == j && a == b { 1.0 } else { 0.0 };
                        }
                    }
                }
            }
        }
    }
}

impl Matrix<f64> {
    /// As [`Matrix::<Mat3>::fix`], for the particles fixed along one axis.
    pub fn fix_axis(&mut self, fixed: &[[bool; 3]], axis: usize) {
        for i in 0..self.pattern.size() {
            for slot in self.pattern.row(i) {
                let j = self.pattern.columns[slot] as usize;
                if fixed[i][axis] || fixed[j][axis] {
                    self.values[slot] = if i == j { 1.0 } else { 0.0 };
                }
            }
        }
    }
}
