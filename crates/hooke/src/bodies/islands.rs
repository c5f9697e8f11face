//! Bodies that touch each other, where they form a narrow graph: stacks, rows, bridges.
//!
//! The bodies of such an island are numbered along their contacts, near ones first from an end of it (Cuthill & McKee 1969),
//! so that a matrix with a block for every two that touch has a narrow envelope.

use super::solver::{Solid, Spot, Surface};

/// Fewer bodies are no island, unless one is so much heavier than another that it touches.
const FEWEST: usize = 8;
const HEAVIER: f64 = 8.0;

/// How many blocks a body may have to meet when a matrix is factored, squared, on average.
const NARROW: usize = 16;

/// The slot of what does not move or is in no island.
pub(super) const NONE: u32 = u32::MAX;

/// Bodies that touch each other, from one slot to another, and their surfaces in [`Islands::surfaces`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Island {
    pub(super) bodies: [usize; 2],
    pub(super) surfaces: [usize; 2],
}

/// All islands.
#[derive(Default)]
pub(super) struct Islands {
    pub(super) list: Vec<Island>,
    /// The bodies in the order of their slots, the slot of every solid, and the first slot that each slot meets.
    pub(super) order: Vec<u32>,
    pub(super) slots: Vec<u32>,
    pub(super) first: Vec<u32>,
    pub(super) surfaces: Vec<u32>,
    /// What each body touches: where its list starts, the other body, and the surface between them.
    heads: Vec<usize>,
    neighbors: Vec<(u32, u32)>,
    seen: Vec<bool>,
    queue: Vec<u32>,
    /// Which surfaces meet or slide fast.
    fast: Vec<bool>,
}

impl Islands {
    /// Finds the islands among `bodies` bodies, and marks their surfaces.
    ///
    /// Those in which surfaces meet or slide faster than `still` (m/s) are left out: an impact needs no exact end, and
    /// what falls onto a heap is many small islands for a moment.
    pub(super) fn find(
        &mut self,
        surfaces: &mut [Surface],
        spots: &[Spot],
        solids: &[Solid],
        bodies: usize,
        still: f64,
    ) {
        self.fast.clear();
        self.fast.extend(surfaces.iter().map(|surface| {
            let [a, b] = surface.solids.map(|solid| &solids[solid as usize]);
            let speeds = surface.of(spots).iter().map(|spot| surface.speeds(spot, a, b));
            speeds.flatten().any(|speed| speed.abs() > still)
        }));
        self.list.clear();
        self.order.clear();
        self.first.clear();
        self.surfaces.clear();
        self.slots.clear();
        self.slots.resize(solids.len(), NONE);
        self.link(surfaces, bodies);
        self.seen.clear();
        self.seen.resize(bodies, false);
        for body in 0..bodies {
            if !self.seen[body] && self.heads[body] < self.heads[body + 1] {
                self.add(body as u32, surfaces, solids);
            }
        }
        for &surface in &self.surfaces {
            surfaces[surface as usize].direct = true;
        }
    }

    /// Lists for every body what it touches.
    fn link(&mut self, surfaces: &[Surface], bodies: usize) {
        self.heads.clear();
        self.heads.resize(bodies + 2, 0);
        let moving = |solid: u32| (solid as usize) < bodies;
        for surface in surfaces {
            for body in surface.solids.into_iter().filter(|&solid| moving(solid)) {
                self.heads[body as usize + 2] += 1;
            }
        }
        for body in 0..bodies {
            self.heads[body + 2] += self.heads[body + 1];
        }
        self.neighbors.clear();
        self.neighbors.resize(self.heads[bodies + 1], (NONE, NONE));
        for (index, surface) in surfaces.iter().enumerate() {
            let [a, b] = surface.solids;
            for (body, other) in [(a, b), (b, a)] {
                if moving(body) {
                    let at = &mut self.heads[body as usize + 1];
                    let other = if moving(other) { other } else { NONE };
                    self.neighbors[*at] = (other, index as u32);
                    *at += 1;
                }
            }
        }
    }

    /// Adds the island of a body if it is narrow and worth it.
    fn add(&mut self, body: u32, surfaces: &[Surface], solids: &[Solid]) {
        // From a body at an end of it: the last that is reached from anywhere.
        self.walk(body);
        let end = self.queue.last().copied().unwrap_or(body);
        self.queue.iter().for_each(|&body| self.seen[body as usize] = false);
        self.walk(end);
        let count = self.queue.len();
        let start = self.order.len();
        for (slot, &body) in self.queue.iter().enumerate() {
            self.slots[body as usize] = (start + slot) as u32;
        }
        let (mut cost, mut uneven, mut calm) = (0, false, true);
        for k in 0..count {
            let body = self.queue[k] as usize;
            let mut first = start + k;
            for &(other, surface) in &self.neighbors[self.heads[body]..self.heads[body + 1]] {
                calm &= !self.fast[surface as usize];
                if other != NONE {
                    first = first.min(self.slots[other as usize] as usize);
                    let ratio = solids[body].inverse_mass / solids[other as usize].inverse_mass;
                    uneven |= !(1.0 / HEAVIER..=HEAVIER).contains(&ratio);
                }
            }
            self.first.push(first as u32);
            cost += (start + k - first) * (start + k - first);
        }
        if !calm || (count < FEWEST && !uneven) || cost > NARROW * count {
            self.first.truncate(start);
            self.queue.iter().for_each(|&body| self.slots[body as usize] = NONE);
            return;
        }
        self.order.extend_from_slice(&self.queue);
        let from = self.surfaces.len();
        for &body in &self.queue {
            let body = body as usize;
            let own = &self.neighbors[self.heads[body]..self.heads[body + 1]];
            // Each surface once: by its first solid.
            let first = |surface: &&u32| surfaces[**surface as usize].solids[0] == body as u32;
            self.surfaces.extend(own.iter().map(|(_, surface)| surface).filter(first));
        }
        self.surfaces[from..].sort_unstable();
        let surfaces = [from, self.surfaces.len()];
        self.list.push(Island { bodies: [start, start + count], surfaces });
    }

    /// Visits all bodies that are reached from one, near ones first.
    fn walk(&mut self, from: u32) {
        self.queue.clear();
        self.queue.push(from);
        self.seen[from as usize] = true;
        let mut next = 0;
        while let Some(&body) = self.queue.get(next) {
            let body = body as usize;
            for &(other, _) in &self.neighbors[self.heads[body]..self.heads[body + 1]] {
                if other != NONE && !std::mem::replace(&mut self.seen[other as usize], true) {
                    self.queue.push(other);
                }
            }
            next += 1;
        }
    }
}
