//! Cutting a tree of work into pieces that threads take, from the tree alone.
//!
//! A piece holds the top of a forest; below it hang two pieces of about equal work, and so on to a
//! fixed depth. So the pieces are the same for any number of threads, and with them the bits.

use crate::thread_pool::ThreadPool;

/// Pieces are cut to this depth: at most sixteen at the bottom.
const DEPTH: usize = 4;

/// Less work than this is not worth a piece.
const SMALLEST: u64 = 60_000;

/// No parent.
pub(super) const NONE: u32 = u32::MAX;

/// Some nodes of the tree.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Piece {
    /// Its nodes, every tree of them in a row, children before their parents.
    pub(super) nodes: Vec<u32>,
    /// The pieces below.
    pub(super) children: Vec<usize>,
    /// How many pieces are above.
    depth: usize,
}

/// The order in which threads visit pieces.
#[derive(Default)]
pub(super) struct Walk {
    /// The first of the pieces that lie below each; they follow each other and end with it.
    first: Vec<usize>,
    /// The pieces of each depth.
    depths: [Vec<usize>; DEPTH + 1],
}

impl Walk {
    /// Over what [`cut`] returned.
    pub(super) fn new(pieces: &[Piece]) -> Self {
        let mut walk = Self::default();
        for (index, piece) in pieces.iter().enumerate() {
            let first = piece.children.iter().map(|&child| walk.first[child]).min();
            walk.first.push(first.unwrap_or(index));
            walk.depths[piece.depth].push(index);
        }
        walk
    }

    /// The depth at which all threads find work.
    fn forks(pool: &ThreadPool) -> usize {
        (0..DEPTH).find(|&depth| 1 << depth >= pool.threads()).unwrap_or(DEPTH)
    }

    /// Visits every piece after those below it.
    pub(super) fn up(&self, pool: &ThreadPool, visit: impl Fn(usize) + Sync) {
        let forks = Self::forks(pool);
        // Pieces of one depth with all below; then one by one.
        let at = &self.depths[forks];
        pool.tasks(at.len(), |k| (self.first[at[k]]..at[k] + 1).for_each(&visit));
        for at in self.depths[..forks].iter().rev() {
            pool.tasks(at.len(), |k| visit(at[k]));
        }
    }

    /// Visits every piece before those below it.
    pub(super) fn down(&self, pool: &ThreadPool, visit: impl Fn(usize) + Sync) {
        let forks = Self::forks(pool);
        for at in &self.depths[..forks] {
            pool.tasks(at.len(), |k| visit(at[k]));
        }
        let at = &self.depths[forks];
        pool.tasks(at.len(), |k| (self.first[at[k]]..at[k] + 1).rev().for_each(&visit));
    }
}

/// Cuts a forest, given the parent of each node (greater than the node) and its work. Pieces come
/// after those below them; the last is the top.
pub(super) fn cut(parent: &[u32], work: &[u64]) -> Vec<Piece> {
    let mut forest = Forest {
        below: vec![Vec::new(); parent.len()],
        parent,
        work,
        total: work.to_vec(),
        owner: vec![0; parent.len()],
        taken: 0,
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
    parent: &'a [u32],
    work: &'a [u64],
    /// The work of a node and all below it.
    total: Vec<u64>,
    /// Which list of nodes each was last seen in, and how many lists there were.
    owner: Vec<u32>,
    taken: u32,
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
                piece.nodes = self.postorder(&top);
                for half in halves {
                    piece.children.push(self.cut(half, depth + 1));
                }
            }
            None => {
                let mut nodes = roots;
                let mut next = 0;
                while let Some(&node) = nodes.get(next) {
                    nodes.extend(&self.below[node as usize]);
                    next += 1;
                }
                piece.nodes = self.postorder(&nodes);
            }
        }
        self.pieces.push(piece);
        self.pieces.len() - 1
    }

    /// Nodes tree by tree, children before their parents.
    fn postorder(&mut self, nodes: &[u32]) -> Vec<u32> {
        self.taken += 1;
        for &node in nodes {
            self.owner[node as usize] = self.taken;
        }
        let inside = |node: u32| node != NONE && self.owner[node as usize] == self.taken;
        let is_root = |&node: &u32| !inside(self.parent[node as usize]);
        let mut waiting: Vec<u32> = nodes.iter().copied().filter(is_root).collect();
        waiting.sort_unstable();
        let mut order = Vec::with_capacity(nodes.len());
        while let Some(node) = waiting.pop() {
            order.push(node);
            waiting.extend(self.below[node as usize].iter().filter(|&&node| inside(node)));
        }
        order.reverse();
        order
    }

    /// Takes nodes away from the top until the rest falls into two halves, where that leaves less
    /// to do one after the other than there is.
    fn halve(&self, roots: &[u32]) -> Option<(Vec<u32>, [Vec<u32>; 2])> {
        let total = |node: u32| self.total[node as usize];
        let mut trees = roots.to_vec();
        let (mut top, mut top_work) = (Vec::new(), 0);
        let mut best: Option<(u64, usize, [Vec<u32>; 2])> = None;
        loop {
            // Neighbors in the order of elimination stay together: what lies side by side is read and
            // written by one thread.
            trees.sort_unstable();
            let all: u64 = trees.iter().map(|&tree| total(tree)).sum();
            let (mut before, mut split, mut time) = (0, 0, all);
            for (k, &tree) in trees.iter().enumerate() {
                before += total(tree);
                if before.max(all - before) < time {
                    (time, split) = (before.max(all - before), k + 1);
                }
            }
            let time = top_work + time;
            if best.as_ref().is_none_or(|best| 20 * time < 19 * best.0) {
                let halves = [trees[..split].to_vec(), trees[split..].to_vec()];
                best = Some((time, top.len(), halves));
            }
            let fastest = best.as_ref().map_or(u64::MAX, |best| best.0);
            if trees.is_empty() || top_work >= fastest || top.len() == 256 {
                break;
            }
            let heaviest = (0..trees.len()).max_by_key(|&k| (total(trees[k]), trees[k]));
            let heaviest = trees.remove(heaviest.unwrap_or(0));
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
