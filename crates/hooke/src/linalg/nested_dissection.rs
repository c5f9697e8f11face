//! A fill-reducing order by nested dissection, from the pattern alone.
//!
//! A connected part is cut by a separator: one level of a breadth-first search that starts at its
//! rim. The separator is eliminated after the two sides, so that no fill joins them, and each side
//! is cut likewise (George & Liu 1978, "An automatic nested dissection algorithm for irregular
//! finite element problems"). The level is the one with the least `|S| / (|A|·|B|)`: small, and
//! near the middle. Only integers are compared, so the order is the same on every machine.
//!
//! The first cut of a whole goes through the middle of the particles' numbers, where that takes a
//! separator hardly larger: then what one thread eliminates is what it also walks through by number,
//! and neither x nor the gradient travels between processors.

use super::Pattern;

/// The particles in the order of their elimination. Parts of up to `uncut` are not cut.
pub(super) fn nested_dissection(pattern: &Pattern, uncut: usize) -> Vec<u32> {
    let n = pattern.size();
    let mut search = Search {
        pattern,
        marks: vec![Mark { part: UNSORTED, seen: 0 }; n],
        parts: 0,
        searches: 0,
        nodes: Vec::new(),
        levels: Vec::new(),
    };
    // From the last eliminated to the first: separators come before what they separate.
    let mut order = Vec::with_capacity(n);
    let mut waiting = Vec::new();
    search.split((0..n as u32).collect(), &mut waiting);
    while let Some(part) = waiting.pop() {
        search.run_from_rim(&part);
        let Some(level) = search.thinnest().filter(|_| search.nodes.len() > uncut) else {
            order.extend(search.nodes.iter().rev());
            continue;
        };
        let middle = if search.nodes.len() == n { search.middle(level) } else { None };
        let sides = match middle {
            Some(middle) => search.cut_by_number(middle, &mut order),
            None => search.cut(level, &mut order),
        };
        search.split(sides, &mut waiting);
    }
    order.reverse();
    order
}

/// Not yet in a part.
const UNSORTED: u32 = u32::MAX;

/// A connected part, as a search from any of its nodes found it.
struct Part {
    /// The nodes that are farthest away.
    last: Vec<u32>,
    /// The number of levels.
    levels: usize,
}

/// What is known of a node, side by side in memory.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Mark {
    /// Its part.
    part: u32,
    /// The last search that met it.
    seen: u32,
}

/// Breadth-first searches within the parts of a graph.
struct Search<'a> {
    pattern: &'a Pattern,
    marks: Vec<Mark>,
    parts: u32,
    searches: u32,
    /// The nodes of the last search, and where its levels start.
    nodes: Vec<u32>,
    levels: Vec<usize>,
}

impl Search<'_> {
    /// Sorts nodes into connected parts.
    fn split(&mut self, nodes: Vec<u32>, parts: &mut Vec<Part>) {
        for &node in &nodes {
            self.marks[node as usize].part = UNSORTED;
        }
        for first in nodes {
            if self.marks[first as usize].part != UNSORTED {
                continue;
            }
            self.run_from(first);
            for &node in &self.nodes {
                self.marks[node as usize].part = self.parts;
            }
            self.parts += 1;
            let [.., start, _] = self.levels[..] else { continue };
            parts.push(Part { last: self.nodes[start..].to_vec(), levels: self.levels.len() });
        }
    }

    /// Finds the levels of a part from a node within it.
    fn run_from(&mut self, root: u32) {
        let part = self.marks[root as usize].part;
        self.searches += 1;
        self.nodes.clear();
        self.levels.clear();
        self.nodes.push(root);
        self.marks[root as usize].seen = self.searches;
        let mut level = 0..1;
        while !level.is_empty() {
            self.levels.push(level.start);
            for at in level.clone() {
                for slot in self.pattern.row(self.nodes[at] as usize) {
                    let other = self.pattern.columns()[slot];
                    let mark = &mut self.marks[other as usize];
                    if mark.part == part && mark.seen != self.searches {
                        mark.seen = self.searches;
                        self.nodes.push(other);
                    }
                }
            }
            level = level.end..self.nodes.len();
        }
        self.levels.push(level.end);
    }

    /// As [`Search::run_from`], from a node that has one as far away as possible.
    fn run_from_rim(&mut self, part: &Part) {
        let fewest = |nodes: &[u32], pattern: &Pattern| {
            nodes.iter().copied().min_by_key(|&i| pattern.row(i as usize).len())
        };
        let (mut far, mut depth) = (fewest(&part.last, self.pattern), part.levels);
        while let Some(node) = far {
            self.run_from(node);
            if self.levels.len() <= depth {
                return;
            }
            depth = self.levels.len();
            far = fewest(&self.nodes[self.levels[depth - 2]..], self.pattern);
        }
    }

    /// The size of a level, and what it separates: the product of the sizes of both sides.
    fn cost(&self, level: usize) -> (u128, u128) {
        let (start, end) = (self.levels[level], self.levels[level + 1]);
        ((end - start) as u128, start as u128 * (self.nodes.len() - end) as u128)
    }

    /// The level that separates best, where there are three.
    fn thinnest(&self) -> Option<usize> {
        let better = |&a: &usize, &b: &usize| {
            let ((s, ab), (t, cd)) = (self.cost(a), self.cost(b));
            (s * cd).cmp(&(t * ab))
        };
        (1..self.levels.len().saturating_sub(2)).min_by(better)
    }

    /// The number below which about half of all nodes are, where a cut there costs at most half as much
    /// again as one at `level`.
    fn middle(&mut self, level: usize) -> Option<u32> {
        let (s, ab) = self.cost(level);
        let middle = ((self.nodes.len() - s as usize) / 2) as u32;
        self.touch(middle);
        let t = (middle as usize..self.nodes.len()).filter(|&node| self.is_touched(node)).count();
        let cd = u128::from(middle) * (self.nodes.len() - middle as usize - t) as u128;
        (2 * t as u128 * ab <= 3 * s * cd).then_some(middle)
    }

    /// Marks what the nodes below `middle` touch.
    fn touch(&mut self, middle: u32) {
        self.searches += 1;
        for node in 0..middle as usize {
            for slot in self.pattern.row(node) {
                self.marks[self.pattern.columns()[slot] as usize].seen = self.searches;
            }
        }
    }

    fn is_touched(&self, node: usize) -> bool {
        self.marks[node].seen == self.searches
    }

    /// As [`Search::cut`]: the separator is what the nodes below `middle` touch above it.
    fn cut_by_number(&mut self, middle: u32, order: &mut Vec<u32>) -> Vec<u32> {
        self.touch(middle);
        let nodes = 0..self.nodes.len() as u32;
        let is_side = |&node: &u32| node < middle || !self.is_touched(node as usize);
        let (sides, separator): (Vec<u32>, Vec<u32>) = nodes.partition(is_side);
        for &node in &separator {
            self.marks[node as usize].part = self.parts;
        }
        self.parts += 1;
        order.extend(separator);
        sides
    }

    /// Puts the separator into the order and returns the nodes of both sides. What does not touch
    /// the far side stays on the near one.
    fn cut(&mut self, level: usize, order: &mut Vec<u32>) -> Vec<u32> {
        let (start, end) = (self.levels[level], self.levels[level + 1]);
        self.searches += 1;
        for &node in &self.nodes[end..self.levels[level + 2]] {
            for slot in self.pattern.row(node as usize) {
                self.marks[self.pattern.columns()[slot] as usize].seen = self.searches;
            }
        }
        let mut sides = Vec::with_capacity(self.nodes.len());
        sides.extend_from_slice(&self.nodes[..start]);
        sides.extend_from_slice(&self.nodes[end..]);
        for &node in &self.nodes[start..end] {
            if self.marks[node as usize].seen == self.searches {
                self.marks[node as usize].part = self.parts;
                order.push(node);
            } else {
                sides.push(node);
            }
        }
        self.parts += 1;
        sides
    }
}
