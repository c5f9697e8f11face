//! The elimination of the columns of a dense front, by the kernels of faer.
//!
//! Near the root of the elimination tree there are fewer fronts than threads. So large fronts are cut
//! into blocks, by their size alone, and the threads share the blocks.

use crate::thread_pool::ThreadPool;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{
    LltRegularization, cholesky_in_place, cholesky_in_place_scratch,
};
use faer::linalg::matmul;
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::linalg::triangular_solve::solve_lower_triangular_in_place;
use faer::{Accum, MatMut, MatRef, Par};
use std::marker::PhantomData;
use std::ops::Range;

/// Fronts of this many multiplications are cut.
const LARGE: usize = 50_000_000;

/// The columns, or rows, of a block.
const BLOCK: usize = 128;

/// Room for the elimination of up to `width` columns.
pub(super) fn scratch(width: usize) -> MemBuffer {
    MemBuffer::new(cholesky_in_place_scratch::<f64>(width, Par::Seq, Default::default()))
}

/// Replaces the columns `[F₁₁; F₂₁]` of a front by `[L₁₁; L₂₁]` and writes `−L₂₁ L₂₁ᵀ` into `update`, of
/// which only the lower triangle is meant. Returns whether all pivots are positive.
pub(super) fn eliminate(
    panel: &mut [f64],
    width: usize,
    update: &mut [f64],
    pool: &ThreadPool,
    scratch: &mut MemBuffer,
) -> bool {
    let height = panel.len() / width;
    let rows = height - width;
    let block = if width * height * height < LARGE { height } else { BLOCK };
    let (panel, update) = (Blocks::new(panel, height), Blocks::new(update, rows));
    let mut start = 0;
    while start < width {
        let columns = start..width.min(start + block);
        // SAFETY: in each loop over blocks every thread writes blocks of its own, and reads others
        // that nobody writes.
        let mut diagonal = unsafe { panel.block_mut(columns.clone(), columns.clone()) };
        if !factor(diagonal.as_mut(), scratch) {
            return false;
        }
        let diagonal = diagonal.as_ref();
        let below = columns.end..height;
        pool.tasks(below.len().div_ceil(block), |k| {
            // SAFETY: as above.
            let rows = unsafe { panel.block_mut(part(&below, k, block), columns.clone()) };
            solve_lower_triangular_in_place(diagonal, rows.transpose_mut(), Par::Seq);
        });
        let after = columns.end..width;
        each(pool, after.len().div_ceil(block), |k| {
            let to = part(&after, k, block);
            // SAFETY: as above.
            unsafe {
                let by = panel.block(to.start..height, columns.clone());
                subtract(&panel, to.start..height, to, Accum::Add, by);
            }
        });
        start = columns.end;
    }
    each(pool, rows.div_ceil(block), |k| {
        let to = part(&(0..rows), k, block);
        // SAFETY: as above.
        unsafe {
            let by = panel.block(width + to.start..height, 0..width);
            subtract(&update, to.start..rows, to, Accum::Replace, by);
        }
    });
    true
}

fn factor(mut diagonal: MatMut<'_, f64>, scratch: &mut MemBuffer) -> bool {
    let factored = cholesky_in_place(
        diagonal.as_mut(),
        LltRegularization::default(),
        Par::Seq,
        MemStack::new(scratch),
        Default::default(),
    );
    let pivot = |k: usize| diagonal[(k, k)];
    factored.is_ok() && (0..diagonal.ncols()).all(|k| pivot(k) > 0.0 && pivot(k).is_finite())
}

/// Subtracts `by · byᵀ` from a block of columns, on and below the diagonal.
///
/// # Safety
/// As [`Blocks::block_mut`].
unsafe fn subtract(
    target: &Blocks<'_>,
    rows: Range<usize>,
    columns: Range<usize>,
    accum: Accum,
    by: MatRef<'_, f64>,
) {
    let (upper, lower) = by.split_at_row(columns.len());
    // SAFETY: as the caller promises.
    let [diagonal, below] = unsafe {
        [
            target.block_mut(columns.clone(), columns.clone()),
            target.block_mut(columns.end..rows.end, columns),
        ]
    };
    triangular::matmul(
        diagonal,
        BlockStructure::TriangularLower,
        accum,
        upper,
        BlockStructure::Rectangular,
        upper.transpose(),
        BlockStructure::Rectangular,
        -1.0,
        Par::Seq,
    );
    matmul::matmul(below, accum, lower, upper.transpose(), -1.0, Par::Seq);
}

/// Calls `body` with every number below `count`. The work of a number is proportional to how far it
/// is from `count`: pairs of the first and the last are equal.
fn each(pool: &ThreadPool, count: usize, body: impl Fn(usize) + Sync) {
    pool.tasks(count.div_ceil(2), |k| {
        body(k);
        if count - 1 - k != k {
            body(count - 1 - k);
        }
    });
}

/// Part `k` of a range in parts of `size`.
fn part(range: &Range<usize>, k: usize, size: usize) -> Range<usize> {
    let start = range.start + k * size;
    start..range.end.min(start + size)
}

/// A matrix by columns, of which several threads write different blocks.
struct Blocks<'a> {
    base: *mut f64,
    height: usize,
    length: usize,
    values: PhantomData<&'a mut [f64]>,
}

// SAFETY: blocks are handed out under the promise that no two threads write the same.
unsafe impl Sync for Blocks<'_> {}

impl<'a> Blocks<'a> {
    fn new(values: &'a mut [f64], height: usize) -> Self {
        let length = values.len();
        Self { base: values.as_mut_ptr(), height, length, values: PhantomData }
    }

    /// Where a block starts.
    fn at(&self, rows: &Range<usize>, columns: &Range<usize>) -> *mut f64 {
        assert!(rows.end <= self.height && columns.end * self.height <= self.length);
        self.base.wrapping_add(columns.start * self.height + rows.start)
    }

    /// # Safety
    /// Nobody may write the block meanwhile.
    unsafe fn block(&self, rows: Range<usize>, columns: Range<usize>) -> MatRef<'_, f64> {
        let (at, stride) = (self.at(&rows, &columns), self.height as isize);
        // SAFETY: the block lies within the values and is used as the caller promises.
        unsafe { MatRef::from_raw_parts(at, rows.len(), columns.len(), 1, stride) }
    }

    /// # Safety
    /// Nobody else may read or write the block meanwhile.
    unsafe fn block_mut(&self, rows: Range<usize>, columns: Range<usize>) -> MatMut<'_, f64> {
        let (at, stride) = (self.at(&rows, &columns), self.height as isize);
        // SAFETY: the block lies within the values and is used as the caller promises.
        unsafe { MatMut::from_raw_parts_mut(at, rows.len(), columns.len(), 1, stride) }
    }
}
