//! Columns of L with the same rows below them, from the pattern and an order, by faer.
//!
//! The analysis is that of the particles, whatever the size of a block: with 3×3 blocks every row
//! and column stands for three.

use crate::linalg::tree_partition::NONE;
use crate::linalg::{Pattern, TooLarge};
use faer::Side;
use faer::perm::PermRef;
use faer::sparse::SymbolicSparseColMat;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, SymbolicCholeskyRaw, SymmetricOrdering, factorize_symbolic_cholesky,
};
use faer::sparse::linalg::{SupernodalThreshold, SymbolicSupernodalParams};
use std::ops::Range;

/// The supernodes of a factor.
pub(in crate::linalg) struct Supernodes {
    nodes: Vec<Node>,
    rows: Vec<u32>,
}

struct Node {
    first: usize,
    width: usize,
    rows: Range<usize>,
    parent: u32,
}

/// One of them.
#[derive(Clone, Copy)]
pub(in crate::linalg) struct Supernode<'a> {
    /// The first column.
    pub(in crate::linalg) first: usize,
    /// How many columns.
    pub(in crate::linalg) width: usize,
    /// The rows below the columns, ascending.
    pub(in crate::linalg) rows: &'a [u32],
    /// The supernode of the first of these rows, or [`NONE`].
    pub(in crate::linalg) parent: u32,
}

impl Supernode<'_> {
    /// Its columns and the rows below.
    pub(in crate::linalg) fn height(&self) -> usize {
        self.width + self.rows.len()
    }

    /// The rows of its own columns.
    pub(in crate::linalg) fn columns(&self) -> Range<usize> {
        self.first..self.first + self.width
    }
}

impl Supernodes {
    /// Analyzes a pattern, given the particle of each column. Two neighbors become one where they
    /// have at most so many columns and less than such a fraction of zeros, for a pair of `relax`.
    pub(in crate::linalg) fn new(
        pattern: &Pattern,
        order: &[u32],
        relax: &[(usize, f64)],
    ) -> Result<Self, TooLarge> {
        let n = pattern.size();
        let mut rank = vec![0u32; n];
        for (position, &particle) in (0..).zip(order) {
            rank[particle as usize] = position;
        }
        let mut starts = vec![0u32];
        let mut below = Vec::new();
        for i in 0..n {
            let columns = pattern.row(i).map(|slot| pattern.columns()[slot]);
            below.extend(columns.filter(|&j| j as usize >= i));
            starts.push(below.len() as u32);
        }
        let lower = SymbolicSparseColMat::new_checked(n, n, starts, None, below);
        let symbolic = factorize_symbolic_cholesky(
            lower.as_ref(),
            Side::Lower,
            SymmetricOrdering::Custom(PermRef::new_checked(order, &rank, n)),
            CholeskySymbolicParams {
                supernodal_flop_ratio_threshold: SupernodalThreshold::FORCE_SUPERNODAL,
                supernodal_params: SymbolicSupernodalParams { relax: Some(relax) },
                ..Default::default()
            },
        )
        .map_err(|_| TooLarge { rows: n })?;
        let mut found = Self { nodes: Vec::new(), rows: Vec::new() };
        // faer leaves the supernodes away for the empty matrix only, which has none.
        let SymbolicCholeskyRaw::Supernodal(symbolic) = symbolic.raw() else { return Ok(found) };
        let mut owner = vec![NONE; n];
        for s in 0..symbolic.n_supernodes() {
            let [first, end] = [symbolic.supernode_begin()[s], symbolic.supernode_end()[s]];
            owner[first as usize..end as usize].fill(s as u32);
            let start = found.rows.len();
            found.rows.extend_from_slice(symbolic.supernode(s).pattern());
            found.nodes.push(Node {
                first: first as usize,
                width: (end - first) as usize,
                rows: start..found.rows.len(),
                parent: NONE,
            });
        }
        for node in &mut found.nodes {
            if let Some(&row) = found.rows[node.rows.clone()].first() {
                node.parent = owner[row as usize];
            }
        }
        Ok(found)
    }

    /// How many.
    pub(in crate::linalg) fn count(&self) -> usize {
        self.nodes.len()
    }

    /// Supernode `s`.
    pub(in crate::linalg) fn get(&self, s: usize) -> Supernode<'_> {
        let Node { first, width, rows, parent } = &self.nodes[s];
        let rows = &self.rows[rows.clone()];
        Supernode { first: *first, width: *width, rows, parent: *parent }
    }

    /// All of them, children before their parents.
    pub(in crate::linalg) fn iter(&self) -> impl Iterator<Item = Supernode<'_>> {
        (0..self.count()).map(|s| self.get(s))
    }

    /// The greatest number of columns of one.
    pub(in crate::linalg) fn widest(&self) -> usize {
        self.nodes.iter().map(|node| node.width).max().unwrap_or(0)
    }
}
