//! Sparse Cholesky by faer: ordering and symbolic analysis once per pattern, numeric
//! factorisation and solves into buffers that are kept.

use super::order::nested_dissection;
use super::{Block, Indefinite, Matrix, Pattern, TooLarge};
use crate::math::Point;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::LltRegularization;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LltRef, SymbolicCholesky, SymbolicCholeskyRaw, SymmetricOrdering,
    factorize_symbolic_cholesky,
};
use faer::sparse::linalg::{SupernodalThreshold, SymbolicSupernodalParams};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMat};
use faer::{Conj, MatMut, Par, Side};
use std::marker::PhantomData;

/// Parts of so few particles are not cut any more.
const UNCUT: usize = 8;

/// Two neighbouring supernodes become one where they have at most this many columns and this
/// fraction of zeros.
const RELAX: &[(usize, f64)] = &[(4, 1.0), (16, 0.8), (48, 0.1), (usize::MAX, 0.05)];

/// The factor of a [`Matrix`].
pub(super) struct Cholesky<B> {
    size: usize,
    lower: SymbolicSparseColMat<u32>,
    values: Vec<f64>,
    symbolic: SymbolicCholesky<u32>,
    factor: Vec<f64>,
    scratch: MemBuffer,
    block: PhantomData<B>,
}

impl<B: Block> Cholesky<B> {
    /// Orders the pattern by nested dissection and analyses it.
    pub(super) fn new(pattern: &Pattern) -> Result<Self, TooLarge> {
        Self::in_order(
            pattern,
            &nested_dissection(pattern, UNCUT),
            CholeskySymbolicParams::default(),
        )
    }

    fn in_order(
        pattern: &Pattern,
        order: &[u32],
        params: CholeskySymbolicParams<'_>,
    ) -> Result<Self, TooLarge> {
        let size = pattern.size() * B::SIZE;
        let (starts, rows) = lower_columns::<B>(pattern);
        let forward: Vec<u32> = order
            .iter()
            .flat_map(|&node| (0..B::SIZE as u32).map(move |a| node * B::SIZE as u32 + a))
            .collect();
        let mut backward = vec![0u32; size];
        for (position, &index) in forward.iter().enumerate() {
            backward[index as usize] = position as u32;
        }
        let lower = SymbolicSparseColMat::new_checked(size, size, starts, None, rows);
        let symbolic = factorize_symbolic_cholesky(
            lower.as_ref(),
            Side::Lower,
            SymmetricOrdering::Custom(faer::perm::PermRef::new_checked(&forward, &backward, size)),
            params,
        )
        .map_err(|_| TooLarge { rows: size })?;
        let scratch = symbolic
            .factorize_numeric_llt_scratch::<f64>(Par::Seq, Default::default())
            .or(symbolic.solve_in_place_scratch::<f64>(3, Par::Seq));
        Ok(Self {
            size,
            values: vec![0.0; lower.compute_nnz()],
            factor: Vec::new(),
            lower,
            symbolic,
            scratch: MemBuffer::new(scratch),
            block: PhantomData,
        })
    }

    /// The numeric factorisation of a matrix on the pattern given to [`Cholesky::new`].
    pub(super) fn factor(&mut self, matrix: &Matrix<B>) -> Result<(), Indefinite> {
        let mut next = 0;
        self.factor.resize(self.symbolic.len_val(), 0.0);
        each_lower::<B>(matrix.pattern(), |slot, a, b, _row| {
            self.values[next] = matrix.values()[slot].entry(b, a);
            next += 1;
        });
        self.symbolic
            .factorize_numeric_llt(
                &mut self.factor,
                SparseColMatRef::new(self.lower.as_ref(), &self.values),
                Side::Lower,
                LltRegularization::default(),
                Par::Seq,
                MemStack::new(&mut self.scratch),
                Default::default(),
            )
            .map_err(|_| Indefinite)?;
        if self.factor.iter().all(|value| value.is_finite()) { Ok(()) } else { Err(Indefinite) }
    }

    /// Replaces `b` by `A⁻¹ b`.
    pub(super) fn solve(&mut self, b: &mut [Point]) {
        debug_assert_eq!(b.len() * B::SIZE, self.size);
        let flat = flat_mut(b);
        // With scalar blocks x, y and z are three right-hand sides of one small matrix.
        let columns = 3 / B::SIZE;
        let rhs = MatMut::from_row_major_slice_mut(flat, self.size, columns);
        self.solve_columns(rhs);
    }

    /// Replaces coordinate `axis` of every point by its solution.
    pub(super) fn solve_axis(&mut self, b: &mut [Point], axis: usize) {
        debug_assert_eq!(B::SIZE, 1);
        let rhs = MatMut::from_row_major_slice_mut(flat_mut(b), self.size, 3);
        self.solve_columns(rhs.subcols_mut(axis, 1));
    }

    /// How many numbers the factor holds.
    pub(super) fn numbers(&self) -> usize {
        self.symbolic.len_val()
    }

    fn solve_columns(&mut self, rhs: MatMut<'_, f64>) {
        LltRef::new(&self.symbolic, &self.factor).solve_in_place_with_conj(
            Conj::No,
            rhs,
            Par::Seq,
            MemStack::new(&mut self.scratch),
        );
    }
}

/// Columns of L with the same rows below them.
pub(super) struct Supernode<'a> {
    /// The first column.
    pub(super) first: usize,
    /// How many columns.
    pub(super) width: usize,
    /// The rows below the columns, ascending.
    pub(super) rows: &'a [u32],
    /// By columns, each with its rows from `first` and then those below; empty without a factor.
    pub(super) values: &'a [f64],
}

impl Cholesky<f64> {
    /// Analyses the pattern in a given order, with supernodes.
    pub(super) fn with_supernodes(pattern: &Pattern, order: &[u32]) -> Result<Self, TooLarge> {
        let supernodal_flop_ratio_threshold = SupernodalThreshold::FORCE_SUPERNODAL;
        let supernodal_params = SymbolicSupernodalParams { relax: Some(RELAX) };
        let params = CholeskySymbolicParams {
            supernodal_flop_ratio_threshold,
            supernodal_params,
            ..Default::default()
        };
        Self::in_order(pattern, order, params)
    }

    /// The supernodes, children before their parents.
    pub(super) fn supernodes(&self) -> impl Iterator<Item = Supernode<'_>> {
        // faer leaves the supernodes away for the empty matrix only, which has none.
        let symbolic = match self.symbolic.raw() {
            SymbolicCholeskyRaw::Supernodal(symbolic) => Some(symbolic),
            SymbolicCholeskyRaw::Simplicial(_) => None,
        };
        symbolic.into_iter().flat_map(move |symbolic| {
            (0..symbolic.n_supernodes()).map(move |s| {
                let first = symbolic.supernode_begin()[s] as usize;
                let width = symbolic.supernode_end()[s] as usize - first;
                let [start, end] = [s, s + 1].map(|s| symbolic.col_ptr_for_val()[s] as usize);
                let values = self.factor.get(start..end).unwrap_or_default();
                Supernode { first, width, rows: symbolic.supernode(s).pattern(), values }
            })
        })
    }

    /// Gives the memory of the factor back.
    pub(super) fn release(&mut self) {
        self.factor = Vec::new();
    }
}

/// Points as the numbers they consist of.
fn flat_mut(points: &mut [Point]) -> &mut [f64] {
    // SAFETY: `Point` is `repr(C)` with three `f64` fields, hence without padding.
    unsafe { std::slice::from_raw_parts_mut(points.as_mut_ptr().cast(), points.len() * 3) }
}

/// Visits the scalar entries of the lower triangle in column order: column (j, b) takes its
/// entries from row j of the symmetric matrix. Calls `visit(slot, a, b, row)`.
fn each_lower<B: Block>(pattern: &Pattern, mut visit: impl FnMut(usize, usize, usize, usize)) {
    for j in 0..pattern.size() {
        for b in 0..B::SIZE {
            for slot in pattern.row(j) {
                let i = pattern.columns()[slot] as usize;
                for a in 0..B::SIZE {
                    if i > j || (i == j && a >= b) {
                        visit(slot, a, b, i * B::SIZE + a);
                    }
                }
            }
        }
    }
}

fn lower_columns<B: Block>(pattern: &Pattern) -> (Vec<u32>, Vec<u32>) {
    let mut rows = Vec::new();
    let mut starts = vec![0u32; pattern.size() * B::SIZE + 1];
    let mut column = 0;
    for j in 0..pattern.size() {
        let after = pattern.row(j).filter(|&slot| pattern.columns()[slot] as usize > j).count();
        for b in 0..B::SIZE {
            starts[column + 1] = starts[column] + (after * B::SIZE + B::SIZE - b) as u32;
            column += 1;
        }
    }
    each_lower::<B>(pattern, |_, _, _, row| rows.push(row as u32));
    (starts, rows)
}
