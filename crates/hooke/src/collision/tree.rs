//! A bounding volume hierarchy over primitives whose order never changes: built once, refitted as they move.
//!
//! Primitives are sorted along the Morton curve of their rest centers and dealt evenly to `2^k` leaves, which are
//! the lower half of a heap: node `i` has children `2i` and `2i + 1`, node 1 is the root. Inner boxes are `f32`
//! rounded outward; the boxes of primitives are `f64` and decide. Which pairs come in which order depends on the
//! boxes only, never on the number of threads.
//!
//! A primitive that moves has two boxes, at the start and at the end of its straight motion. What one axis separates at
//! both, on the same side, it separates all along: the bounds of a set of points that move straight are a convex function
//! of time. So neighbors that move alike stay apart however fast they are.

use crate::math::Vec3;
use crate::thread_pool::{Disjoint, ThreadPool};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// An axis-aligned box with its border (m).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Aabb {
    pub(crate) min: Vec3,
    pub(crate) max: Vec3,
}

impl Aabb {
    /// The box of nothing: it overlaps nothing.
    pub(crate) const EMPTY: Self = Self {
        min: Vec3::new(f64::INFINITY, f64::INFINITY, f64::INFINITY),
        max: Vec3::new(f64::NEG_INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY),
    };

    /// The smallest box that holds these points.
    #[inline]
    pub(crate) fn of(points: impl IntoIterator<Item = Vec3>) -> Self {
        points.into_iter().fold(Self::EMPTY, |all, p| all.union(Self { min: p, max: p }))
    }

    /// The box grown by a distance on all sides.
    #[inline]
    pub(crate) fn grown(self, by: f64) -> Self {
        let by = Vec3::new(by, by, by);
        Self { min: self.min - by, max: self.max + by }
    }

    /// The smallest box that holds both.
    #[inline]
    pub(crate) fn union(self, o: Self) -> Self {
        let (a, b) = (self.min, o.min);
        let min = Vec3::new(a.x.min(b.x), a.y.min(b.y), a.z.min(b.z));
        let (a, b) = (self.max, o.max);
        Self { min, max: Vec3::new(a.x.max(b.x), a.y.max(b.y), a.z.max(b.z)) }
    }
}

impl Default for Aabb {
    fn default() -> Self {
        Self::EMPTY
    }
}

/// The boxes of something that moves straight, at the start and at the end.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Swept {
    pub(crate) start: Aabb,
    pub(crate) end: Aabb,
}

impl Swept {
    /// Of something that rests.
    pub(crate) fn at_rest(at: Aabb) -> Self {
        Self { start: at, end: at }
    }

    #[inline]
    fn union(self, o: Self) -> Self {
        Self { start: self.start.union(o.start), end: self.end.union(o.end) }
    }

    /// Whether no axis separates both throughout.
    #[inline]
    pub(crate) fn meets(&self, o: &Self) -> bool {
        let below = |a: &Self, b: &Self, axis: usize| {
            (a.start.max[axis] < b.start.min[axis]) & (a.end.max[axis] < b.end.min[axis])
        };
        let mut apart = false;
        for axis in 0..3 {
            apart |= below(self, o, axis) | below(o, self, axis);
        }
        !apart
    }
}

/// The bounds of a node, of the start and of the end; the fourth and the eighth number fill the lanes.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct Node {
    min: [f32; 8],
    max: [f32; 8],
}

impl Node {
    const EMPTY: Self = Self { min: [f32::INFINITY; 8], max: [f32::NEG_INFINITY; 8] };

    fn around(Swept { start, end }: &Swept) -> Self {
        let down = |x: f64| if f64::from(x as f32) > x { (x as f32).next_down() } else { x as f32 };
        let up = |x: f64| -down(-x);
        let all = |a: Vec3, b: Vec3, to: &dyn Fn(f64) -> f32| {
            [a.x, a.y, a.z, 0.0, b.x, b.y, b.z, 0.0].map(to)
        };
        Self { min: all(start.min, end.min, &down), max: all(start.max, end.max, &up) }
    }

    #[inline]
    fn union(mut self, o: &Self) -> Self {
        for k in 0..8 {
            self.min[k] = self.min[k].min(o.min[k]);
            self.max[k] = self.max[k].max(o.max[k]);
        }
        self
    }

    #[inline]
    fn meets(&self, o: &Self) -> bool {
        let mut apart = false;
        for k in 0..4 {
            apart |= (self.max[k] < o.min[k]) & (self.max[k + 4] < o.min[k + 4]);
            apart |= (o.max[k] < self.min[k]) & (o.max[k + 4] < self.min[k + 4]);
        }
        !apart
    }
}

/// The most primitives of a leaf. Boxes in a row are compared without a branch, so many are cheap: a cloth of 50 × 50
/// takes 0.6 times as long with 16 as with 4.
const LEAF: usize = 16;

/// How many parts a traversal is cut into before threads share them, at least.
const PARTS: usize = 128;

/// The hierarchy of a set of primitives.
#[derive(Debug)]
pub(crate) struct Tree {
    /// The primitives along the curve, and their boxes.
    order: Vec<u32>,
    boxes: Vec<Swept>,
    /// The heap; node 0 is not used.
    nodes: Vec<Node>,
    scratch: Mutex<Scratch>,
}

/// What a traversal works with: pairs of nodes to begin at, and what is found from each.
#[derive(Debug, Default)]
struct Scratch {
    parts: Vec<[u32; 2]>,
    next: Vec<[u32; 2]>,
    found: Vec<Vec<[u32; 2]>>,
}

impl Tree {
    /// Of primitives with these centers at rest. Their boxes are empty before the first refit.
    pub(crate) fn new(centers: &[Vec3]) -> Self {
        let bounds = Aabb::of(centers.iter().copied());
        let size = bounds.max - bounds.min;
        let cell = size.x.max(size.y).max(size.z) / f64::from((1 << 21) - 1);
        let codes: Vec<u64> = centers.iter().map(|&c| morton(c - bounds.min, cell)).collect();
        let mut order: Vec<u32> = (0..centers.len() as u32).collect();
        order.sort_unstable_by_key(|&i| (codes[i as usize], i));
        let leaves = centers.len().div_ceil(LEAF).next_power_of_two();
        Self {
            boxes: vec![Swept::default(); order.len()],
            order,
            nodes: vec![Node::EMPTY; 2 * leaves],
            scratch: Mutex::default(),
        }
    }

    /// Takes the primitives' boxes.
    pub(crate) fn refit(&mut self, boxes: impl Fn(usize) -> Swept + Sync, pool: &ThreadPool) {
        let Self { order, boxes: own, nodes, .. } = self;
        pool.for_each(own, |first, part| {
            for (own, &primitive) in part.iter_mut().zip(&order[first..]) {
                *own = boxes(primitive as usize);
            }
        });
        let (count, leaves) = (order.len(), nodes.len() / 2);
        pool.for_each(&mut nodes[leaves..], |first, part| {
            for (leaf, node) in (first..).zip(part) {
                let range = dealt(count, leaves, leaf);
                *node =
                    Node::around(&own[range].iter().fold(Swept::default(), |all, b| all.union(*b)));
            }
        });
        let mut level = leaves;
        while level > 1 {
            let (above, below) = nodes.split_at_mut(level);
            level /= 2;
            pool.for_each(&mut above[level..], |first, part| {
                for (node, children) in part.iter_mut().zip(below[2 * first..].chunks_exact(2)) {
                    *node = children[0].union(&children[1]);
                }
            });
        }
    }

    /// Appends all pairs `i < j` of primitives whose boxes meet, each once.
    pub(crate) fn self_pairs(&self, pool: &ThreadPool, out: &mut Vec<[u32; 2]>) {
        self.traverse(self, true, pool, out);
    }

    /// Appends all pairs of a primitive of this tree and one of another whose boxes meet.
    pub(crate) fn pairs_with(&self, other: &Self, pool: &ThreadPool, out: &mut Vec<[u32; 2]>) {
        if self.nodes[1].meets(&other.nodes[1]) {
            self.traverse(other, false, pool, out);
        }
    }

    /// Cuts the traversal into parts by its upper levels, then shares them out.
    fn traverse(&self, other: &Self, own: bool, pool: &ThreadPool, out: &mut Vec<[u32; 2]>) {
        let mut scratch = self.scratch.lock().unwrap_or_else(PoisonError::into_inner);
        let Scratch { parts, next, found } = &mut *scratch;
        parts.clear();
        parts.push([1, 1]);
        let walk = Walk { a: self, b: other, own };
        let levels = self.nodes.len().max(other.nodes.len()).ilog2();
        for _ in 1..levels {
            if parts.len() >= PARTS {
                break;
            }
            next.clear();
            parts.iter().for_each(|&pair| {
                if !walk.below(pair, |pair| next.push(pair)) {
                    next.push(pair);
                }
            });
            std::mem::swap(parts, next);
        }
        if found.len() < parts.len() {
            found.resize_with(parts.len(), Vec::new);
        }
        let shared = Disjoint::new(&mut found[..parts.len()]);
        pool.tasks(parts.len(), |part| {
            // SAFETY: each part is one task's alone.
            let found = unsafe { shared.get(part) };
            found.clear();
            walk.from(parts[part], found);
        });
        found[..parts.len()].iter().for_each(|found| out.extend_from_slice(found));
    }

    fn is_leaf(&self, node: u32) -> bool {
        node as usize >= self.nodes.len() / 2
    }

    /// The places in the order that a leaf holds.
    #[inline]
    fn leaf(&self, node: usize) -> Range<usize> {
        let leaves = self.nodes.len() / 2;
        dealt(self.order.len(), leaves, node - leaves)
    }
}

/// Two trees walked at once, or one with itself.
struct Walk<'a> {
    a: &'a Tree,
    b: &'a Tree,
    own: bool,
}

impl Walk<'_> {
    /// Calls `visit` with the meeting pairs one level down; false where there is none.
    #[inline]
    fn below(&self, [a, b]: [u32; 2], mut visit: impl FnMut([u32; 2])) -> bool {
        if self.own && a == b {
            if self.a.is_leaf(a) {
                return false;
            }
            visit([2 * a, 2 * a]);
            visit([2 * a + 1, 2 * a + 1]);
            if self.overlap(2 * a, 2 * a + 1) {
                visit([2 * a, 2 * a + 1]);
            }
            return true;
        }
        let children = |tree: &Tree, node| {
            if tree.is_leaf(node) { node..node + 1 } else { 2 * node..2 * node + 2 }
        };
        if self.a.is_leaf(a) && self.b.is_leaf(b) {
            return false;
        }
        for a in children(self.a, a) {
            for b in children(self.b, b) {
                if self.overlap(a, b) {
                    visit([a, b]);
                }
            }
        }
        true
    }

    fn from(&self, pair: [u32; 2], found: &mut Vec<[u32; 2]>) {
        if !self.below(pair, |pair| self.from(pair, found)) {
            self.leaves(pair.map(|node| node as usize), found);
        }
    }

    fn leaves(&self, [a, b]: [usize; 2], found: &mut Vec<[u32; 2]>) {
        let own = self.own && a == b;
        for i in self.a.leaf(a) {
            let (box_i, primitive) = (self.a.boxes[i], self.a.order[i]);
            if !self.b.nodes[b].meets(&Node::around(&box_i)) {
                continue;
            }
            let mut others = self.b.leaf(b);
            if own {
                others.start = i + 1;
            }
            // Every other one is written, and kept by counting it.
            let (mut row, mut count) = ([0; LEAF], 0);
            for (box_j, &other) in self.b.boxes[others.clone()].iter().zip(&self.b.order[others]) {
                row[count % LEAF] = other;
                count += usize::from(box_i.meets(box_j));
            }
            found.extend(row[..count].iter().map(|&other| match self.own && other < primitive {
                true => [other, primitive],
                false => [primitive, other],
            }));
        }
    }

    #[inline]
    fn overlap(&self, a: u32, b: u32) -> bool {
        self.a.nodes[a as usize].meets(&self.b.nodes[b as usize])
    }
}

/// What leaf `leaf` of `leaves` holds of `count` that are dealt evenly.
#[inline]
fn dealt(count: usize, leaves: usize, leaf: usize) -> Range<usize> {
    leaf * count / leaves..(leaf + 1) * count / leaves
}

/// The Morton code: the bits of the coordinates in cells, in turn.
fn morton(from_corner: Vec3, cell: f64) -> u64 {
    let spread = |x: f64| {
        let mut bits = if cell > 0.0 { ((x / cell) as u64).min((1 << 21) - 1) } else { 0 };
        for (shift, mask) in [
            (32, 0x001f_0000_0000_ffff),
            (16, 0x001f_0000_ff00_00ff),
            (8, 0x100f_00f0_0f00_f00f),
            (4, 0x10c3_0c30_c30c_30c3),
            (2, 0x1249_2492_4924_9249),
        ] {
            bits = (bits | bits << shift) & mask;
        }
        bits
    };
    spread(from_corner.x) | spread(from_corner.y) << 1 | spread(from_corner.z) << 2
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers from −1 to 1 that are the same everywhere.
    struct Numbers(u64);

    impl Numbers {
        fn next(&mut self) -> f64 {
            self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        }

        fn point(&mut self) -> Vec3 {
            Vec3::new(self.next(), self.next(), self.next())
        }
    }

    fn overlap(a: &Aabb, b: &Aabb) -> bool {
        (0..3).all(|k| a.min[k] <= b.max[k] && b.min[k] <= a.max[k])
    }

    fn tree(boxes: &[Aabb], pool: &ThreadPool) -> Tree {
        let centers: Vec<Vec3> = boxes.iter().map(|b| b.min.lerp(b.max, 0.5)).collect();
        let mut tree = Tree::new(&centers);
        tree.refit(|i| Swept::at_rest(boxes[i]), pool);
        tree
    }

    /// Boxes of many sizes; `flat` puts them on a plane and far from the origin.
    fn random(count: usize, size: f64, flat: bool, seed: u64) -> Vec<Aabb> {
        let mut numbers = Numbers(seed);
        let far = if flat { 1e7 } else { 0.0 };
        let at = |p: Vec3| Vec3::new(p.x + far, if flat { 0.0 } else { p.y }, p.z);
        (0..count)
            .map(|_| {
                let (a, b) = (numbers.point(), numbers.point());
                Aabb::of([at(a), at(a + b * (size * numbers.next()))])
            })
            .collect()
    }

    fn sorted(mut pairs: Vec<[u32; 2]>) -> Vec<[u32; 2]> {
        pairs.sort_unstable();
        pairs
    }

    #[test]
    fn pairs_are_those_of_brute_force_in_the_same_order_on_any_number_of_threads() {
        let pools = [1, 2, 5].map(ThreadPool::new);
        let same = vec![Aabb::of([Vec3::ZERO]); 37];
        let mut sets = vec![vec![], random(1, 0.1, false, 1), same];
        for (seed, count) in [2, 3, 4, 5, 9, 100, 1000].into_iter().enumerate() {
            sets.push(random(count, 0.2, false, seed as u64));
            sets.push(random(count, 0.02, true, seed as u64));
        }
        for boxes in &sets {
            let trees = pools.each_ref().map(|pool| tree(boxes, pool));
            let told = std::array::from_fn::<_, 3, _>(|k| {
                let mut pairs = Vec::new();
                trees[k].self_pairs(&pools[k], &mut pairs);
                pairs
            });
            assert!(told.iter().all(|pairs| *pairs == told[0]));
            let index = |i: usize| i as u32;
            let brute = (0..boxes.len()).flat_map(|i| (i + 1..boxes.len()).map(move |j| [i, j]));
            let brute: Vec<_> = brute
                .filter(|&[i, j]| overlap(&boxes[i], &boxes[j]))
                .map(|p| p.map(index))
                .collect();
            assert_eq!(sorted(told[0].clone()), brute);

            for others in &sets {
                let other = tree(others, &pools[0]);
                let told = std::array::from_fn::<_, 3, _>(|k| {
                    let mut pairs = Vec::new();
                    trees[k].pairs_with(&other, &pools[k], &mut pairs);
                    pairs
                });
                assert!(told.iter().all(|pairs| *pairs == told[0]));
                let brute = (0..boxes.len()).flat_map(|i| (0..others.len()).map(move |j| [i, j]));
                let brute: Vec<_> = brute
                    .filter(|&[i, j]| overlap(&boxes[i], &others[j]))
                    .map(|p| p.map(index))
                    .collect();
                assert_eq!(sorted(told[0].clone()), brute);
            }
        }
    }

    #[test]
    fn a_refit_finds_what_moved() {
        let pool = ThreadPool::new(2);
        let mut tree = tree(&random(500, 0.1, false, 5), &pool);
        let moved = random(500, 0.1, false, 6);
        tree.refit(|i| Swept::at_rest(moved[i]), &pool);
        let mut pairs = Vec::new();
        tree.self_pairs(&pool, &mut pairs);
        let count = |i: usize| (i + 1..500).filter(|&j| overlap(&moved[i], &moved[j])).count();
        assert_eq!(pairs.len(), (0..500).map(count).sum::<usize>());
    }

    #[test]
    fn inner_boxes_are_rounded_outward() {
        let mut numbers = Numbers(3);
        for scale in [1e-50, 1e-6, 1.0, 1e9, 1e60] {
            for _ in 0..100 {
                let exact = Aabb::of([numbers.point() * scale, numbers.point() * scale]);
                let node = Node::around(&Swept::at_rest(exact));
                for k in 0..3 {
                    assert!(f64::from(node.min[k]) <= exact.min[k]);
                    assert!(f64::from(node.max[k]) >= exact.max[k]);
                }
            }
        }
    }

    #[test]
    fn what_moves_alike_does_not_meet_and_what_passes_does() {
        let boxes = |from: f64, by: f64| {
            let at = |x: f64| Aabb::of([Vec3::new(x, 0.0, 0.0), Vec3::new(x + 1.0, 1.0, 1.0)]);
            Swept { start: at(from), end: at(from + by) }
        };
        assert!(!boxes(0.0, 100.0).meets(&boxes(1.5, 100.0)));
        assert!(boxes(0.0, 100.0).meets(&boxes(1.5, 98.0)));
        assert!(boxes(0.0, 3.0).meets(&boxes(1.5, -3.0)));
        assert!(!Node::around(&boxes(0.0, 100.0)).meets(&Node::around(&boxes(1.5, 100.0))));
    }
}
