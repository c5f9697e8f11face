//! A plain sparse `L D Lᵀ`, the same to the bit on every machine.
//!
//! Row by row (up-looking): with the rows above known, row k of L follows from
//!
//! ```text
//! w_i = A_ki − Σ_{j<i} w_j L_ijᵀ,   L_ki = w_i D_i⁻¹,   D_k = A_kk − Σ_i L_ki w_iᵀ
//! ```
//!
//! where i runs over the nodes that the elimination tree reaches from the entries of row k of A.
//! Entries are blocks, so a matrix of 3×3 blocks is ordered and walked by particles.
//! Davis 2005, "Algorithm 849: a concise sparse Cholesky factorization package"; Davis 2006,
//! "Direct Methods for Sparse Linear Systems", chapter 4.

use super::nested_dissection::nested_dissection;
use super::{Block, Indefinite, Matrix, Pattern, TooLarge};
use crate::math::Vec3;

/// The factor of a [`Matrix`].
pub(super) struct Ldlt<B> {
    /// The particle of each row, and the row of each particle.
    order: Vec<u32>,
    rank: Vec<u32>,
    /// The elimination tree.
    parent: Vec<u32>,
    /// The columns of L below the diagonal, and how far each is filled.
    starts: Vec<u32>,
    filled: Vec<u32>,
    rows: Vec<u32>,
    values: Vec<B>,
    /// D, as [`Block::pivot`] gives it.
    pivots: Vec<B>,
    w: Vec<B>,
    reach: EliminationReach,
    x: Vec<Vec3>,
}

impl<B: Block> Ldlt<B> {
    /// Orders the pattern and counts the columns of L.
    pub(super) fn new(pattern: &Pattern) -> Result<Self, TooLarge> {
        let n = pattern.size();
        let order = nested_dissection(pattern, 0);
        let mut rank = vec![0; n];
        for (row, &node) in (0..).zip(&order) {
            rank[node as usize] = row;
        }
        let mut reach = EliminationReach { seen: vec![NONE; n], path: vec![0; n] };
        let mut parent = vec![NONE; n];
        let mut counts = vec![0u64; n];
        for k in 0..n as u32 {
            reach.seen[k as usize] = k;
            for i in left(pattern, &order, &rank, k).map(|(i, _)| i) {
                let mut i = i;
                while reach.seen[i as usize] != k {
                    reach.seen[i as usize] = k;
                    counts[i as usize] += 1;
                    if parent[i as usize] == NONE {
                        parent[i as usize] = k;
                    }
                    i = parent[i as usize];
                }
            }
        }
        let total: u64 = counts.iter().sum();
        if total * (B::SIZE * B::SIZE) as u64 > u64::from(u32::MAX) {
            return Err(TooLarge { rows: n * B::SIZE });
        }
        let mut starts = vec![0; n + 1];
        for (k, &count) in counts.iter().enumerate() {
            starts[k + 1] = starts[k] + count as u32;
        }
        Ok(Self {
            order,
            rank,
            parent,
            filled: starts.clone(),
            starts,
            rows: vec![0; total as usize],
            values: vec![B::default(); total as usize],
            pivots: vec![B::default(); n],
            w: vec![B::default(); n],
            reach,
            x: vec![Vec3::ZERO; n],
        })
    }

    /// The numeric factorization.
    pub(super) fn factor(&mut self, matrix: &Matrix<B>) -> Result<(), Indefinite> {
        self.factor_with(matrix, |_, _, d| d.pivot())
    }

    /// The numeric factorization; `pivot(node, A_kk, D_k)` says with what to divide by D_k.
    pub(super) fn factor_with(
        &mut self,
        matrix: &Matrix<B>,
        mut pivot: impl FnMut(usize, B, B) -> Option<B>,
    ) -> Result<(), Indefinite> {
        let Self { order, rank, parent, starts, filled, rows, values, pivots, w, reach, .. } = self;
        let pattern = matrix.pattern();
        filled.copy_from_slice(starts);
        reach.seen.fill(NONE);
        for k in 0..order.len() {
            let diagonal = pattern.slot(order[k], order[k]) as usize;
            let mut d = matrix.values()[diagonal];
            let entries = left(pattern, order, rank, k as u32);
            let nodes = reach.of(k as u32, parent, entries, |i, slot| w[i] = matrix.values()[slot]);
            for &i in nodes {
                let i = i as usize;
                let w_i = std::mem::take(&mut w[i]);
                let known = starts[i] as usize..filled[i] as usize;
                for (&row, &l) in rows[known.clone()].iter().zip(&values[known]) {
                    let w = &mut w[row as usize];
                    *w = w.less(w_i, l);
                }
                let l = w_i.over(pivots[i]);
                d = d.less(l, w_i);
                let next = filled[i] as usize;
                (rows[next], values[next]) = (k as u32, l);
                filled[i] += 1;
            }
            let node = order[k] as usize;
            pivots[k] = pivot(node, matrix.values()[diagonal], d).ok_or(Indefinite)?;
        }
        Ok(())
    }

    /// Replaces `b` by `A⁻¹ b`.
    pub(super) fn solve(&mut self, b: &mut [Vec3]) {
        self.solve_ordered(b);
        for (&node, &x) in self.order.iter().zip(&self.x) {
            b[node as usize] = x;
        }
    }

    /// Replaces coordinate `axis` of every point by its solution; the others are solved along.
    pub(super) fn solve_axis(&mut self, b: &mut [Vec3], axis: usize) {
        self.solve_ordered(b);
        for (&node, &x) in self.order.iter().zip(&self.x) {
            b[node as usize][axis] = x[axis];
        }
    }

    /// How many numbers L and D hold.
    pub(super) fn numbers(&self) -> usize {
        (self.values.len() + self.pivots.len()) * B::SIZE * B::SIZE
    }

    /// `x = A⁻¹ b` in the order of the rows.
    fn solve_ordered(&mut self, b: &[Vec3]) {
        let Self { order, starts, rows, values, pivots, x, .. } = self;
        for (x, &node) in x.iter_mut().zip(&*order) {
            *x = b[node as usize];
        }
        let column = |k: usize| {
            let column = starts[k] as usize..starts[k + 1] as usize;
            rows[column.clone()].iter().zip(&values[column])
        };
        // L x ← x
        for k in 0..x.len() {
            let x_k = x[k];
            for (&row, l) in column(k) {
                x[row as usize] -= l.times(x_k);
            }
        }
        // D Lᵀ x ← x
        for k in (0..x.len()).rev() {
            let mut x_k = pivots[k].solve(x[k]);
            for (&row, l) in column(k) {
                x_k -= l.transposed_times(x[row as usize]);
            }
            x[k] = x_k;
        }
    }
}

/// No row.
const NONE: u32 = u32::MAX;

/// The entries of row `k` left of the diagonal: their columns and slots.
fn left<'a>(
    pattern: &'a Pattern,
    order: &[u32],
    rank: &'a [u32],
    k: u32,
) -> impl Iterator<Item = (u32, usize)> + 'a {
    let row = pattern.row(order[k as usize] as usize);
    let entries = row.map(|slot| (rank[pattern.columns()[slot] as usize], slot));
    entries.filter(move |&(i, _)| i < k)
}

/// The nodes at which a row of L has entries.
struct EliminationReach {
    /// The last row that reached each node.
    seen: Vec<u32>,
    path: Vec<u32>,
}

impl EliminationReach {
    /// Walks from the entries of row `k` up the tree; children come before their parents. Calls
    /// `enter(i, slot)` for every entry.
    fn of(
        &mut self,
        k: u32,
        parent: &[u32],
        entries: impl Iterator<Item = (u32, usize)>,
        mut enter: impl FnMut(usize, usize),
    ) -> &[u32] {
        let Self { seen, path } = self;
        seen[k as usize] = k;
        let mut top = path.len();
        for (i, slot) in entries {
            enter(i as usize, slot);
            // A path grows from the front of the list and moves before those found earlier.
            let (mut i, mut length) = (i, 0);
            while seen[i as usize] != k {
                seen[i as usize] = k;
                path[length] = i;
                length += 1;
                i = parent[i as usize];
            }
            path.copy_within(..length, top - length);
            top -= length;
        }
        &path[top..]
    }
}
