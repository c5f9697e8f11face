//! A fill-reducing order by nested dissection, from the pattern alone.
//!
//! A connected part is cut by a separator: one level of a breadth-first search that starts at its
//! rim. The separator is eliminated after the two sides, so that no fill joins them, and each side
//! is cut likewise (George & Liu 1978, "An automatic nested dissection algorithm for irregular
//! finite element problems"). The level is the one with the least `|S| / (|A|·|B|)`: small, and
//! near the middle. Only integers are compared, so the order is the same on every machine.

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
        match search.thinnest() {
            Some(level) if search.nodes.len() > uncut => {
                let sides = search.cut(level, &mut order);
                search.split(sides, &mut waiting);
            }
            _ => order.extend(search.nodes.iter().rev()),
        }
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

    /// The level that separates best, where there are three.
    fn thinnest(&self) -> Option<usize> {
        let cost = |&level: &usize| {
            let (start, end) = (self.levels[level], self.levels[level + 1]);
            (end - start, start as u128 * (self.nodes.len() - end) as u128)
        };
        let better = |a: &usize, b: &usize| {
            let ((s, ab), (t, cd)) = (cost(a), cost(b));
            (s as u128 * cd).cmp(&(t as u128 * ab))
        };
        (1..self.levels.len().saturating_sub(2)).min_by(better)
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
