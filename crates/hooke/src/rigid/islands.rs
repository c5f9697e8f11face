//! Bodies that touch each other, where they form a narrow graph: stacks, rows, bridges.
//!
//! The bodies of such an island are numbered along their contacts, near ones first from an end of it (Cuthill & McKee 1969),
//! so that a matrix with a block for every two that touch has a narrow envelope.

use super::solver::{ContactManifold, ContactPoint, SolverBody};

/// Fewer bodies are no island, unless all lie flat on each other, or one is so much heavier than another that it touches.
const FEWEST: usize = 8;
const HEAVIER: f64 = 8.0;

/// At how many contact points a surface is flat.
const FLAT: usize = 3;

/// How many blocks a body may have to meet when a matrix is factored, squared, on average.
const NARROW: usize = 16;

/// The slot of what does not move or is in no island.
pub(super) const NONE: u32 = u32::MAX;

/// Bodies that touch each other, from one slot to another, and their contacts in [`Islands::manifolds`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Island {
    pub(super) bodies: [usize; 2],
    pub(super) manifolds: [usize; 2],
    /// Whether most of them are flat.
    pub(super) flat: bool,
}

/// All islands.
#[derive(Default)]
pub(super) struct Islands {
    pub(super) list: Vec<Island>,
    /// The bodies in the order of their slots, the slot of every solid, and the first slot that each slot meets.
    pub(super) order: Vec<u32>,
    pub(super) slots: Vec<u32>,
    pub(super) first: Vec<u32>,
    pub(super) manifolds: Vec<u32>,
    /// What each body touches: where its list starts, the other body, and the surface between them.
    heads: Vec<usize>,
    neighbors: Vec<(u32, u32)>,
    seen: Vec<bool>,
    queue: Vec<u32>,
    does: Vec<Does>,
}

/// Whether a surface meets or slides fast, and whether it is flat.
#[derive(Clone, Copy, Debug)]
struct Does {
    fast: bool,
    flat: bool,
}

impl Islands {
    /// Finds the islands among `bodies` bodies, and marks their surfaces.
    ///
    /// Those in which surfaces meet or slide faster than `still` (m/s) are left out: an impact needs no exact end, and
    /// what falls onto a heap is many small islands for a moment. What lands flat may be as fast as after a fall by its own
    /// size under `gravity` (m/s²): a box that is tilted by an inexact end never comes to rest in a tall stack.
    pub(super) fn find(
        &mut self,
        manifolds: &mut [ContactManifold],
        points: &[ContactPoint],
        solver_bodies: &[SolverBody],
        bodies: usize,
        still: f64,
        gravity: f64,
    ) {
        self.does.clear();
        self.does.extend(manifolds.iter().map(|manifold| {
            let [a, b] = manifold.solver_bodies.map(|solid| &solver_bodies[solid as usize]);
            let own = manifold.of(points);
            let flat = own.len() >= FLAT;
            // What it gains in a fall by the length of its arm.
            let lands =
                (2.0 * gravity * own.first().map_or(0.0, |point| point.arms[0].norm())).sqrt();
            let most = if flat { lands.max(still) } else { still };
            let speeds = own.iter().map(|point| manifold.speeds(point, a, b));
            let fast = speeds.flatten().any(|speed| speed.abs() > most);
            Does { fast, flat }
        }));
        self.list.clear();
        self.order.clear();
        self.first.clear();
        self.manifolds.clear();
        self.slots.clear();
        self.slots.resize(solver_bodies.len(), NONE);
        self.link(manifolds, bodies);
        self.seen.clear();
        self.seen.resize(bodies, false);
        for body in 0..bodies {
            if !self.seen[body] && self.heads[body] < self.heads[body + 1] {
                self.add(body as u32, manifolds, solver_bodies);
            }
        }
        for &manifold in &self.manifolds {
            manifolds[manifold as usize].direct = true;
        }
    }

    /// Lists for every body what it touches.
    fn link(&mut self, manifolds: &[ContactManifold], bodies: usize) {
        self.heads.clear();
        self.heads.resize(bodies + 2, 0);
        let moving = |solid: u32| (solid as usize) < bodies;
        for manifold in manifolds {
            for body in manifold.solver_bodies.into_iter().filter(|&solid| moving(solid)) {
                self.heads[body as usize + 2] += 1;
            }
        }
        for body in 0..bodies {
            self.heads[body + 2] += self.heads[body + 1];
        }
        self.neighbors.clear();
        self.neighbors.resize(self.heads[bodies + 1], (NONE, NONE));
        for (index, manifold) in manifolds.iter().enumerate() {
            let [a, b] = manifold.solver_bodies;
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
    fn add(&mut self, body: u32, manifolds: &[ContactManifold], solver_bodies: &[SolverBody]) {
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
        let (mut cost, mut uneven, mut calm, mut flat) = (0, false, true, count > 1);
        for k in 0..count {
            let body = self.queue[k] as usize;
            let mut first = start + k;
            for &(other, manifold) in &self.neighbors[self.heads[body]..self.heads[body + 1]] {
                let does = self.does[manifold as usize];
                (calm, flat) = (calm && !does.fast, flat && does.flat);
                if other != NONE {
                    first = first.min(self.slots[other as usize] as usize);
                    let ratio = solver_bodies[body].inverse_mass
                        / solver_bodies[other as usize].inverse_mass;
                    uneven |= !(1.0 / HEAVIER..=HEAVIER).contains(&ratio);
                }
            }
            self.first.push(first as u32);
            cost += (start + k - first) * (start + k - first);
        }
        let worth = count >= FEWEST || uneven || flat;
        if !calm || !worth || cost > NARROW * count {
            self.first.truncate(start);
            self.queue.iter().for_each(|&body| self.slots[body as usize] = NONE);
            return;
        }
        self.order.extend_from_slice(&self.queue);
        let from = self.manifolds.len();
        for &body in &self.queue {
            let body = body as usize;
            let own = &self.neighbors[self.heads[body]..self.heads[body + 1]];
            // Each surface once: by its first solid.
            let first =
                |manifold: &&u32| manifolds[**manifold as usize].solver_bodies[0] == body as u32;
            self.manifolds.extend(own.iter().map(|(_, manifold)| manifold).filter(first));
        }
        self.manifolds[from..].sort_unstable();
        let manifolds = [from, self.manifolds.len()];
        let own = &self.manifolds[manifolds[0]..manifolds[1]];
        let flat = own.iter().filter(|manifold| self.does[**manifold as usize].flat).count();
        let flat = 2 * flat > own.len();
        self.list.push(Island { bodies: [start, start + count], manifolds, flat });
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
