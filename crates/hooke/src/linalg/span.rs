//! The rows that a piece of the elimination tree works with.
//!
//! A piece solves for its own rows and keeps copies of the rows above it that it changes. So pieces
//! side by side share nothing; the piece above adds the copies up in a fixed order.

use super::cholesky::{Supernode, Supernodes};
use super::tree_partition::{NONE, Piece, Walk, cut};

/// A piece with its rows.
pub(super) struct Span {
    /// Its supernodes, every tree of them in a row, children before their parents.
    pub(super) nodes: Vec<u32>,
    /// The pieces below.
    pub(super) children: Vec<usize>,
    /// The rows of L it solves for, in the order of its supernodes.
    pub(super) own: Vec<u32>,
    /// The rows above that it or a piece below has a copy of.
    pub(super) outside: Vec<u32>,
    /// Where each of these stands in the piece above.
    pub(super) up: Vec<u32>,
}

impl Span {
    /// How many rows it works with.
    pub(super) fn rows(&self) -> usize {
        self.own.len() + self.outside.len()
    }

    /// Writes the local number of each of its rows.
    pub(super) fn number_rows(&self, local: &mut [u32]) {
        for (k, &row) in (0..).zip(self.own.iter().chain(&self.outside)) {
            local[row as usize] = k;
        }
    }
}

/// Cuts the tree of supernodes of a matrix with `size` rows into pieces of about equal work.
pub(super) fn spans(
    size: usize,
    supernodes: &Supernodes,
    work: impl Fn(Supernode<'_>) -> u64,
) -> (Vec<Span>, Walk) {
    let parent: Vec<u32> = supernodes.iter().map(|node| node.parent).collect();
    let work: Vec<u64> = supernodes.iter().map(work).collect();
    let pieces = cut(&parent, &work);
    let walk = Walk::new(&pieces);
    let mut spans: Vec<Span> = Vec::with_capacity(pieces.len());
    let (mut local, mut seen) = (vec![NONE; size], vec![NONE; size]);
    for (index, piece) in (0..).zip(pieces) {
        let nodes = || piece.nodes.iter().map(|&s| supernodes.get(s as usize));
        let mut own = Vec::new();
        for row in nodes().flat_map(|node| node.columns()) {
            own.push(row as u32);
            seen[row] = index;
        }
        let below = piece.children.iter().flat_map(|&child| &spans[child].outside);
        let mut outside = Vec::new();
        for &row in nodes().flat_map(|node| node.rows).chain(below) {
            if std::mem::replace(&mut seen[row as usize], index) != index {
                outside.push(row);
            }
        }
        outside.sort_unstable();
        let Piece { nodes, children, .. } = piece;
        let span = Span { nodes, children, own, outside, up: Vec::new() };
        span.number_rows(&mut local);
        for &child in &span.children {
            let child = &mut spans[child];
            child.up = child.outside.iter().map(|&row| local[row as usize]).collect();
        }
        spans.push(span);
    }
    (spans, walk)
}
