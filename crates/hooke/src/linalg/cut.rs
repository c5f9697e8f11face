//! Cutting a tree of work into pieces that threads take, from the tree alone.
//!
//! A piece holds the top of a forest; below it hang two pieces of about equal work, and so on to a
//! fixed depth. So the pieces are the same for any number of threads, and with them the bits.

/// Pieces are cut to this depth: at most sixteen at the bottom.
pub(super) const DEPTH: usize = 4;

/// Less work than this is not worth a piece.
const SMALLEST: u64 = 60_000;

/// No parent.
pub(super) const NONE: u32 = u32::MAX;

/// Some nodes of the tree.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Piece {
    /// Its nodes, children before their parents.
    pub(super) nodes: Vec<u32>,
    /// The pieces below.
    pub(super) children: Vec<usize>,
    /// How many pieces are above.
    pub(super) depth: usize,
}

/// Cuts a forest, given the parent of each node (greater than the node) and its work. Pieces come
/// after those below them; the last is the top.
pub(super) fn cut(parent: &[u32], work: &[u64]) -> Vec<Piece> {
    let mut forest = Forest {
        below: vec![Vec::new(); parent.len()],
        work,
        total: work.to_vec(),
        pieces: vec![],
    };
    let mut roots = Vec::new();
    for (node, &above) in parent.iter().enumerate() {
        if above == NONE {
            roots.push(node as u32);
        } else {
            forest.total[above as usize] += forest.total[node];
            forest.below[above as usize].push(node as u32);
        }
    }
    forest.cut(roots, 0);
    forest.pieces
}

struct Forest<'a> {
    below: Vec<Vec<u32>>,
    work: &'a [u64],
    /// The work of a node and all below it.
    total: Vec<u64>,
    pieces: Vec<Piece>,
}

impl Forest<'_> {
    /// Cuts the trees below `roots`; the index of their top piece.
    fn cut(&mut self, roots: Vec<u32>, depth: usize) -> usize {
        let mut piece = Piece { depth, ..Piece::default() };
        let all: u64 = roots.iter().map(|&root| self.total[root as usize]).sum();
        let halves = if depth < DEPTH && all >= 2 * SMALLEST { self.halve(&roots) } else { None };
        match halves {
            Some((top, halves)) => {
                piece.nodes = top;
                for half in halves {
                    piece.children.push(self.cut(half, depth + 1));
                }
            }
            None => {
                piece.nodes = roots;
                let mut next = 0;
                while let Some(&node) = piece.nodes.get(next) {
                    piece.nodes.extend(&self.below[node as usize]);
                    next += 1;
                }
            }
        }
        piece.nodes.sort_unstable();
        self.pieces.push(piece);
        self.pieces.len() - 1
    }

    /// Takes nodes away from the top until the rest falls into two halves, where that leaves less
    /// to do one after the other than there is.
    fn halve(&self, roots: &[u32]) -> Option<(Vec<u32>, [Vec<u32>; 2])> {
        let total = |node: u32| self.total[node as usize];
        let mut trees = roots.to_vec();
        let (mut top, mut top_work) = (Vec::new(), 0);
        let mut best: Option<(u64, usize, [Vec<u32>; 2])> = None;
        loop {
            trees.sort_unstable_by_key(|&tree| (std::cmp::Reverse(total(tree)), tree));
            let mut halves = [Vec::new(), Vec::new()];
            let mut sums = [0, 0];
            for &tree in &trees {
                let lighter = usize::from(sums[1] < sums[0]);
                sums[lighter] += total(tree);
                halves[lighter].push(tree);
            }
            let time = top_work + sums[0].max(sums[1]);
            if best.as_ref().is_none_or(|best| time < best.0) {
                best = Some((time, top.len(), halves));
            }
            let fastest = best.as_ref().map_or(u64::MAX, |best| best.0);
            if trees.is_empty() || top_work >= fastest || top.len() == 256 {
                break;
            }
            let heaviest = trees.remove(0);
            top_work += self.work[heaviest as usize];
            top.push(heaviest);
            trees.extend(&self.below[heaviest as usize]);
        }
        let all: u64 = roots.iter().map(|&root| total(root)).sum();
        let (time, taken, halves) = best?;
        top.truncate(taken);
        (10 * time <= 9 * all).then_some((top, halves))
    }
}
