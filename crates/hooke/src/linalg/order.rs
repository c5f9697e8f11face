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
        part: vec![UNSORTED; n],
        parts: 0,
        seen: vec![0; n],
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
            Some(level) if part.len() > uncut => {
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

/// Breadth-first searches within the parts of a graph.
struct Search<'a> {
    pattern: &'a Pattern,
    /// The part of each node.
    part: Vec<u32>,
    parts: u32,
    /// The last search that met each node.
    seen: Vec<u32>,
    searches: u32,
    /// The nodes of the last search, and where its levels start.
    nodes: Vec<u32>,
    levels: Vec<usize>,
}

impl Search<'_> {
    /// Sorts nodes into connected parts.
    fn split(&mut self, nodes: Vec<u32>, parts: &mut Vec<Vec<u32>>) {
        for &node in &nodes {
            self.part[node as usize] = UNSORTED;
        }
        for first in nodes {
            if self.part[first as usize] != UNSORTED {
                continue;
            }
            self.run_from(first);
            for &node in &self.nodes {
                self.part[node as usize] = self.parts;
            }
            self.parts += 1;
            parts.push(self.nodes.clone());
        }
    }

    /// Finds the levels of a part from a node within it.
    fn run_from(&mut self, root: u32) {
        let part = self.part[root as usize];
        self.searches += 1;
        self.nodes.clear();
        self.levels.clear();
        self.nodes.push(root);
        self.seen[root as usize] = self.searches;
        let mut level = 0..1;
        while !level.is_empty() {
            self.levels.push(level.start);
            for at in level.clone() {
                for slot in self.pattern.row(self.nodes[at] as usize) {
                    let other = self.pattern.columns()[slot];
                    if self.part[other as usize] == part
                        && self.seen[other as usize] != self.searches
                    {
                        self.seen[other as usize] = self.searches;
                        self.nodes.push(other);
                    }
                }
            }
            level = level.end..self.nodes.len();
        }
        self.levels.push(level.end);
    }

    /// As [`Search::run_from`], from a node that has one as far away as possible.
    fn run_from_rim(&mut self, part: &[u32]) {
        self.run_from(part[0]);
        loop {
            let depth = self.levels.len();
            let last = self.levels[depth - 2];
            let far =
                self.nodes[last..].iter().min_by_key(|&&i| self.pattern.row(i as usize).len());
            let Some(&far) = far else { return };
            self.run_from(far);
            if self.levels.len() <= depth {
                return;
            }
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
                self.seen[self.pattern.columns()[slot] as usize] = self.searches;
            }
        }
        let mut sides = Vec::with_capacity(self.nodes.len());
        sides.extend_from_slice(&self.nodes[..start]);
        sides.extend_from_slice(&self.nodes[end..]);
        for &node in &self.nodes[start..end] {
            if self.seen[node as usize] == self.searches {
                self.part[node as usize] = self.parts;
                order.push(node);
            } else {
                sides.push(node);
            }
        }
        self.parts += 1;
        sides
    }
}
