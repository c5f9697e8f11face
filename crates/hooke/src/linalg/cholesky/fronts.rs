//! The numeric part of a supernodal factorization: one dense front for each supernode.
//!
//! The front of a supernode has its columns and the rows below them. It gathers the entries of A in
//! these columns and the updates of its children, is eliminated by dense kernels, and leaves an
//! update for its parent:
//!
//! ```text
//! [F₁₁    ]      L₁₁ L₁₁ᵀ = F₁₁,   L₂₁ = F₂₁ L₁₁⁻ᵀ,   U = F₂₂ − L₂₁ L₂₁ᵀ
//! [F₂₁ F₂₂]
//! ```
//!
//! Duff & Reid 1983, "The multifrontal solution of indefinite sparse symmetric linear equations".
//! Updates stand on two stacks in turn, those of children on one and that of their parent on the
//! other. So none is ever moved.

use super::dense;
use super::supernodes::{Supernode, Supernodes};
use crate::linalg::{Block, Matrix, Pattern};
use crate::thread_pool::ThreadPool;
use faer::MatRef;
use faer::dyn_stack::MemBuffer;
use std::ops::Range;

/// What is kept of L.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::linalg) enum Keep {
    /// All of it.
    All,
    /// The columns of the last supernode, for a caller that takes each when it is done.
    Last,
}

/// Where everything about a front stands.
pub(super) struct Front {
    /// Its piece.
    piece: usize,
    /// The first of its numbers of L within those of the piece.
    panel: usize,
    /// The stack of its update, and where on it.
    side: usize,
    update: usize,
    /// Where the rows of its update stand in the front of its parent; in the list of runs.
    runs: Range<usize>,
    /// Of these, how many lie in the columns of the parent.
    inner: usize,
    /// The supernodes below.
    children: Vec<u32>,
}

/// Rows of an update that follow each other in the front of the parent, too.
struct Run {
    from: usize,
    to: usize,
    count: usize,
}

/// The fronts of a matrix.
pub(super) struct Fronts {
    fronts: Vec<Front>,
    runs: Vec<Run>,
    /// The entries of A on and below the diagonal by columns of L: their slots, and their rows in
    /// the front.
    entries: Vec<(u32, u32)>,
    starts: Vec<usize>,
    /// How many numbers of L and of each stack each piece has.
    panels: Vec<usize>,
    stacks: Vec<[usize; 2]>,
}

/// What a piece computes with.
pub(super) struct Memory {
    /// L: panel after panel, each by columns.
    values: Vec<f64>,
    stacks: [Vec<f64>; 2],
    scratch: MemBuffer,
}

impl Memory {
    /// None yet.
    pub(super) fn new(widest: usize) -> Self {
        let scratch = dense::scratch(widest);
        Self { values: Vec::new(), stacks: Default::default(), scratch }
    }
}

impl Fronts {
    /// Lays the fronts of the pieces out. `pieces` are their supernodes, as [`crate::linalg::tree_partition`] returns
    /// them; `order` is the particle of each column. Unless L is kept, the panels of a piece share
    /// one place.
    pub(super) fn new<B: Block>(
        pattern: &Pattern,
        order: &[u32],
        supernodes: &Supernodes,
        pieces: &[&[u32]],
        keep: Keep,
    ) -> Self {
        let n = order.len();
        let mut rank = vec![0u32; n];
        for (position, &particle) in (0..).zip(order) {
            rank[particle as usize] = position;
        }
        let mut fronts: Vec<Front> = (0..supernodes.count()).map(|_| Front::default()).collect();
        for (s, node) in supernodes.iter().enumerate() {
            if let Some(parent) = fronts.get_mut(node.parent as usize) {
                parent.children.push(s as u32);
            }
        }
        let (mut runs, mut entries, mut starts) = (Vec::new(), Vec::new(), vec![0]);
        let mut local = vec![0u32; n];
        for (s, node) in supernodes.iter().enumerate() {
            let rows = node.columns().map(|column| column as u32).chain(node.rows.iter().copied());
            for (k, row) in (0..).zip(rows) {
                local[row as usize] = k;
            }
            for column in node.columns() {
                for slot in pattern.row(order[column] as usize) {
                    let row = rank[pattern.columns()[slot] as usize] as usize;
                    if row >= column {
                        entries.push((slot as u32, local[row]));
                    }
                }
                starts.push(entries.len());
            }
            for k in 0..fronts[s].children.len() {
                let child = fronts[s].children[k] as usize;
                let start = runs.len();
                let rows = supernodes.get(child).rows.iter().map(|&row| local[row as usize]);
                let inner = list_runs(rows, node.width, &mut runs);
                fronts[child].runs = start..runs.len();
                fronts[child].inner = inner;
            }
        }
        let mut layout = Self {
            fronts,
            runs,
            entries,
            starts,
            panels: Vec::with_capacity(pieces.len()),
            stacks: Vec::with_capacity(pieces.len()),
        };
        for (piece, nodes) in pieces.iter().enumerate() {
            layout.allocate::<B>(piece, nodes, supernodes, keep);
        }
        layout
    }

    /// Assigns storage to the panels and updates of a piece.
    fn allocate<B: Block>(
        &mut self,
        piece: usize,
        nodes: &[u32],
        supernodes: &Supernodes,
        keep: Keep,
    ) {
        for &s in nodes {
            self.fronts[s as usize].piece = piece;
        }
        for &s in nodes.iter().rev() {
            let parent = supernodes.get(s as usize).parent as usize;
            let above = self.fronts.get(parent).filter(|parent| parent.piece == piece);
            self.fronts[s as usize].side = above.map_or(0, |above| 1 - above.side);
        }
        let (mut panels, mut heights, mut greatest) = (0, [0; 2], [0; 2]);
        for &s in nodes {
            let node = supernodes.get(s as usize);
            let front = &mut self.fronts[s as usize];
            let (side, below) = (front.side, front.children.clone());
            front.update = heights[side];
            match keep {
                Keep::All => {
                    front.panel = panels;
                    panels += panel_numbers::<B>(node);
                }
                Keep::Last => panels = panels.max(panel_numbers::<B>(node)),
            }
            heights[side] += update_numbers::<B>(node);
            greatest[side] = greatest[side].max(heights[side]);
            for child in below {
                if self.fronts[child as usize].piece == piece {
                    heights[1 - side] -= update_numbers::<B>(supernodes.get(child as usize));
                }
            }
        }
        self.panels.push(panels);
        self.stacks.push(greatest);
    }

    /// How many numbers L has.
    pub(super) fn numbers(&self) -> usize {
        self.panels.iter().sum()
    }

    /// The front of supernode `s`.
    pub(super) fn get(&self, s: usize) -> &Front {
        &self.fronts[s]
    }

    /// Makes room for a piece.
    pub(super) fn reserve(&self, piece: usize, memory: &mut Memory) {
        // Zeros that the system gives are not written.
        let fit = |numbers: &mut Vec<f64>, count: usize| {
            if numbers.len() != count {
                *numbers = vec![0.0; count];
            }
        };
        fit(&mut memory.values, self.panels[piece]);
        for (stack, &size) in memory.stacks.iter_mut().zip(&self.stacks[piece]) {
            fit(stack, size);
        }
    }

    /// Eliminates supernode `s`, given the memory of its piece; `below(piece, read)` calls `read`
    /// with that of a piece below. Returns whether all pivots are positive.
    pub(super) fn eliminate<B: Block>(
        &self,
        s: usize,
        node: Supernode<'_>,
        matrix: &Matrix<B>,
        memory: &mut Memory,
        pool: &ThreadPool,
        below: impl Fn(usize, &mut dyn FnMut(&Memory)),
    ) -> bool {
        let front = &self.fronts[s];
        let Memory { values, stacks, scratch } = memory;
        let [even, odd] = stacks;
        let (own, other) = if front.side == 0 { (even, odd) } else { (odd, even) };
        let (height, width) = (node.height() * B::SIZE, node.width * B::SIZE);
        let panel = &mut values[front.panel..][..panel_numbers::<B>(node)];

        panel.fill(0.0);
        self.gather(node, matrix, panel);
        let each_child = |add: &mut dyn FnMut(&Front, usize, &[f64])| {
            for &child in &front.children {
                let child = &self.fronts[child as usize];
                let rows = child.rows(&self.runs) * B::SIZE;
                if child.piece == front.piece {
                    add(child, rows, &other[child.update..]);
                } else {
                    below(child.piece, &mut |memory| {
                        add(child, rows, &memory.stacks[child.side][child.update..]);
                    });
                }
            }
        };
        each_child(&mut |child, rows, update| {
            let runs = &self.runs[child.runs.clone()];
            extend(B::SIZE, runs, 0..child.inner, (update, rows), (panel, height), 0);
        });

        let rows = height - width;
        let update = &mut own[front.update..][..rows * rows];
        if !dense::eliminate(panel, width, update, pool, scratch) {
            return false;
        }
        each_child(&mut |child, from, source| {
            let runs = &self.runs[child.runs.clone()];
            let outer = child.inner..runs.len();
            extend(B::SIZE, runs, outer, (source, from), (update, rows), node.width);
        });
        true
    }

    /// Writes the entries of A into the panel of a supernode.
    fn gather<B: Block>(&self, node: Supernode<'_>, matrix: &Matrix<B>, panel: &mut [f64]) {
        let height = node.height() * B::SIZE;
        for (k, column) in node.columns().enumerate() {
            for &(slot, row) in &self.entries[self.starts[column]..self.starts[column + 1]] {
                // The slot stands in the row of the column: the block is the transposed one.
                let block = &matrix.values()[slot as usize];
                for b in 0..B::SIZE {
                    let start = (k * B::SIZE + b) * height + row as usize * B::SIZE;
                    for (a, value) in panel[start..start + B::SIZE].iter_mut().enumerate() {
                        *value = block.entry(b, a);
                    }
                }
            }
        }
    }
}

impl Front {
    /// How many rows its update has.
    fn rows(&self, runs: &[Run]) -> usize {
        runs[self.runs.clone()].last().map_or(0, |run| run.from + run.count)
    }

    /// Its columns of L, each with its rows from the first column on and then those below.
    pub(super) fn values<'a, B: Block>(
        &self,
        node: Supernode<'_>,
        memory: &'a Memory,
    ) -> &'a [f64] {
        &memory.values[self.panel..][..panel_numbers::<B>(node)]
    }

    /// L₁₁ and L₂₁.
    pub(super) fn factor<'a, B: Block>(
        &self,
        node: Supernode<'_>,
        memory: &'a Memory,
    ) -> (MatRef<'a, f64>, MatRef<'a, f64>) {
        let (height, width) = (node.height() * B::SIZE, node.width * B::SIZE);
        let values = self.values::<B>(node, memory);
        MatRef::from_column_major_slice(values, height, width).split_at_row(width)
    }
}

impl Default for Front {
    fn default() -> Self {
        Self {
            piece: usize::MAX,
            panel: 0,
            side: 0,
            update: 0,
            runs: 0..0,
            inner: 0,
            children: Vec::new(),
        }
    }
}

fn panel_numbers<B: Block>(node: Supernode<'_>) -> usize {
    node.height() * node.width * B::SIZE * B::SIZE
}

fn update_numbers<B: Block>(node: Supernode<'_>) -> usize {
    (node.rows.len() * B::SIZE).pow(2)
}

/// Lists the runs of rows, given where each stands in the front of the parent; how many of them
/// stand in its columns.
fn list_runs(rows: impl Iterator<Item = u32>, width: usize, runs: &mut Vec<Run>) -> usize {
    let (start, mut inner) = (runs.len(), 0);
    for (from, to) in rows.map(|to| to as usize).enumerate() {
        match runs[start..].last_mut() {
            Some(run) if run.to + run.count == to && to != width => run.count += 1,
            _ => runs.push(Run { from, to, count: 1 }),
        }
        if to < width {
            inner = runs.len() - start;
        }
    }
    inner
}

/// Adds columns of an update to a front, of which `skip` particles are left away: those of the runs
/// with these numbers.
fn extend(
    size: usize,
    runs: &[Run],
    columns: Range<usize>,
    (update, rows): (&[f64], usize),
    (front, height): (&mut [f64], usize),
    skip: usize,
) {
    for k in columns {
        let run = &runs[k];
        for column in 0..run.count * size {
            let from = run.from * size + column;
            let to = (run.to - skip) * size + column;
            let source = &update[from * rows..][..rows];
            let target = &mut front[to * height..][..height];
            let rest = run.count * size - column;
            add(&mut target[to..to + rest], &source[from..from + rest]);
            for run in &runs[k + 1..] {
                let [from, to, count] = [run.from, run.to - skip, run.count].map(|n| n * size);
                add(&mut target[to..to + count], &source[from..from + count]);
            }
        }
    }
}

fn add(target: &mut [f64], source: &[f64]) {
    for (target, source) in target.iter_mut().zip(source) {
        *target += source;
    }
}
