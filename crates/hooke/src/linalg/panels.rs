//! A factor for many solves with three right-hand sides, where rounding to `f32` does no harm.
//!
//! faer factors `A = L Lᵀ` in `f64`; L is then packed into `f32` panels ([`super::panel`]) in the
//! order in which a solve walks through them, upwards in memory and down again. Rows and columns of
//! A are scaled to a diagonal of one, so that no `f32` overflows.
//!
//! The elimination tree is cut into pieces ([`super::cut`]). Each piece solves for its own columns
//! and keeps its own copy of the rows above it. Forward, a piece adds up the copies of the pieces
//! below in their order; backward, it hands them what it found. So pieces of one depth run at the
//! same time and the bits are those of one thread.

use super::cholesky::Cholesky;
use super::cut::{DEPTH, NONE, cut};
use super::lanes::{LANES, Level, Line, Quad};
use super::order::nested_dissection;
use super::panel::{self, Panel, SPARE_LINES, Source, WIDEST};
use super::{Indefinite, Matrix, Pattern, TooLarge};
use crate::math::Point;
use crate::team::Team;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Parts of the matrix of this many rows become few wide panels rather than many narrow ones.
const UNCUT: usize = 32;

/// The factor of a matrix of numbers.
pub(super) struct PanelFactor {
    level: Level,
    cholesky: Cholesky<f64>,
    /// The particle of each row of L.
    order: Vec<u32>,
    /// `1/√A_ii` for each row of L.
    scale: Vec<f64>,
    pieces: Vec<Piece>,
    /// The pieces of each depth.
    depths: [Vec<usize>; DEPTH + 1],
    panels: Vec<Panel>,
    /// Where each panel stands in L: its supernode and its first column within.
    sources: Vec<(u32, u32)>,
    rows: Vec<u32>,
    lines: Vec<Line>,
}

/// Some columns of L.
struct Piece {
    panels: std::ops::Range<usize>,
    /// The first of the pieces that lie below it; they follow each other and end with it.
    first: usize,
    children: Vec<usize>,
    /// The rows of L it solves for, and their particles.
    own: Vec<u32>,
    particles: Vec<u32>,
    /// For each row above that it has a copy of, where that stands in the piece above.
    up: Vec<u32>,
    /// What the particles' values are multiplied by on their way in and out.
    scale: Vec<f64>,
    work: Mutex<Work>,
}

/// What a piece computes with.
struct Work {
    /// Own rows, copies of rows above, and a place for padding.
    x: Vec<Quad>,
    scratch: Vec<[Line; 3]>,
}

impl PanelFactor {
    /// Orders the pattern, analyses it and cuts it.
    pub(super) fn new(pattern: &Pattern) -> Result<Self, TooLarge> {
        let order = nested_dissection(pattern, UNCUT);
        let cholesky = Cholesky::with_supernodes(pattern, &order)?;
        let mut factor = Self {
            level: Level::best(),
            scale: vec![1.0; order.len()],
            order,
            pieces: Vec::new(),
            depths: Default::default(),
            panels: Vec::new(),
            sources: Vec::new(),
            rows: Vec::new(),
            lines: Vec::new(),
            cholesky,
        };
        factor.lay_out();
        Ok(factor)
    }

    /// Cuts the tree of supernodes and lists the panels of each piece.
    fn lay_out(&mut self) {
        let supernodes: Vec<_> = self.cholesky.supernodes().collect();
        let n = self.order.len();
        let mut owner = vec![NONE; n];
        for (s, node) in supernodes.iter().enumerate() {
            owner[node.first..node.first + node.width].fill(s as u32);
        }
        let parent: Vec<u32> = supernodes
            .iter()
            .map(|node| node.rows.first().map_or(NONE, |&row| owner[row as usize]))
            .collect();
        let work: Vec<u64> = supernodes
            .iter()
            .map(|node| (node.width * (node.rows.len() + node.width)) as u64)
            .collect();
        // The row of each piece at which a row of L stands.
        let mut local = vec![NONE; n];
        let mut line = 0;
        let mut outsides: Vec<Vec<u32>> = Vec::new();
        for (index, piece) in cut(&parent, &work).into_iter().enumerate() {
            let nodes = || piece.nodes.iter().map(|&s| (s, &supernodes[s as usize]));
            let own: Vec<u32> = nodes()
                .flat_map(|(_, node)| node.first as u32..(node.first + node.width) as u32)
                .collect();
            for (k, &row) in (0..).zip(&own) {
                local[row as usize] = k;
            }
            let below = piece.children.iter().flat_map(|&child| &outsides[child]);
            let mut outside: Vec<u32> =
                nodes().flat_map(|(_, node)| node.rows).chain(below).copied().collect();
            outside.sort_unstable();
            outside.dedup();
            outside.retain(|row| own.binary_search(row).is_err());
            for (k, &row) in (own.len() as u32..).zip(&outside) {
                local[row as usize] = k;
            }
            let padding = (own.len() + outside.len()) as u32;
            let (first_panel, mut highest) = (self.panels.len(), 0);
            for (s, node) in nodes() {
                let parts = node.width.div_ceil(WIDEST);
                for part in 0..parts {
                    let [from, to] = [part, part + 1].map(|part| part * node.width / parts);
                    let start = self.rows.len();
                    let above = (node.first + from..node.first + node.width).map(|row| local[row]);
                    self.rows.extend(above);
                    self.rows.extend(node.rows.iter().map(|&row| local[row as usize]));
                    let height = (self.rows.len() - start).next_multiple_of(LANES);
                    self.rows.resize(start + height, padding);
                    highest = highest.max(height / LANES);
                    let panel = Panel {
                        first: local[node.first + from] as usize,
                        width: to - from,
                        rows: start..start + height,
                        line,
                    };
                    line += panel.lines();
                    self.panels.push(panel);
                    self.sources.push((s, from as u32));
                }
            }
            for &child in &piece.children {
                self.pieces[child].up =
                    outsides[child].iter().map(|&row| local[row as usize]).collect();
            }
            let first = piece.children.iter().map(|&child| self.pieces[child].first).min();
            self.depths[piece.depth].push(index);
            self.pieces.push(Piece {
                panels: first_panel..self.panels.len(),
                first: first.unwrap_or(index),
                children: piece.children,
                particles: own.iter().map(|&row| self.order[row as usize]).collect(),
                scale: vec![1.0; own.len()],
                own,
                up: Vec::new(),
                work: Mutex::new(Work {
                    x: vec![[0.0; 4]; padding as usize + 1],
                    scratch: vec![[Line::default(); 3]; highest],
                }),
            });
            outsides.push(outside);
        }
        self.lines = vec![Line::default(); line + SPARE_LINES];
    }

    /// The numeric factorisation.
    pub(super) fn factor(&mut self, matrix: &Matrix<f64>) -> Result<(), Indefinite> {
        let factored = self.cholesky.factor(matrix);
        if factored.is_ok() {
            self.pack(matrix);
        }
        self.cholesky.release();
        factored?;
        let finite = |line: &Line| line.0.iter().all(|value| value.is_finite());
        if self.lines.iter().all(finite) { Ok(()) } else { Err(Indefinite) }
    }

    fn pack(&mut self, matrix: &Matrix<f64>) {
        for (scale, &particle) in self.scale.iter_mut().zip(&self.order) {
            let slot = matrix.pattern().slot(particle, particle) as usize;
            *scale = 1.0 / matrix.values()[slot].sqrt();
        }
        for piece in &mut self.pieces {
            for (scale, &row) in piece.scale.iter_mut().zip(&piece.own) {
                *scale = self.scale[row as usize];
            }
        }
        let supernodes: Vec<_> = self.cholesky.supernodes().collect();
        let (mut scratch, mut scale) = (Vec::new(), Vec::new());
        for (panel, &(s, from)) in self.panels.iter().zip(&self.sources) {
            let (node, from) = (&supernodes[s as usize], from as usize);
            let stride = node.width + node.rows.len();
            scale.clear();
            scale.extend_from_slice(&self.scale[node.first + from..node.first + node.width]);
            scale.extend(node.rows.iter().map(|&row| self.scale[row as usize]));
            let source = Source {
                values: &node.values[from * stride + from..],
                stride,
                height: stride - from,
                scale: &scale,
            };
            let lines = &mut self.lines[panel.line..][..panel.lines()];
            panel::pack(self.level, panel, &source, &mut scratch, lines);
        }
    }

    /// Hands `x = A⁻¹ b` to `take(particle, x)`; `size` is about the greatest of `b`.
    pub(super) fn solve(
        &self,
        b: &[Point],
        size: f64,
        team: &Team,
        take: impl Fn(usize, Point) + Sync,
    ) {
        let unit = if size.is_normal() { size.abs() } else { 1.0 };
        let threads = team.threads();
        let forks = (0..DEPTH).find(|&depth| 1 << depth >= threads).unwrap_or(DEPTH);
        // Pieces of the depth at which all threads find work, with all below; then one by one.
        let with_below = |piece: usize| self.pieces[piece].first..piece + 1;
        let at = &self.depths[forks];
        team.tasks(at.len(), |k| with_below(at[k]).for_each(|piece| self.forward(piece, b, unit)));
        for at in self.depths[..forks].iter().rev() {
            team.tasks(at.len(), |k| self.forward(at[k], b, unit));
        }
        for at in &self.depths[..forks] {
            team.tasks(at.len(), |k| self.backward(at[k], unit, &take));
        }
        team.tasks(at.len(), |k| {
            with_below(at[k]).rev().for_each(|piece| self.backward(piece, unit, &take));
        });
    }

    /// How many numbers the panels hold.
    pub(super) fn numbers(&self) -> usize {
        self.lines.len() * LANES
    }

    fn forward(&self, piece: usize, b: &[Point], unit: f64) {
        let piece = &self.pieces[piece];
        let mut work = piece.work();
        let Work { x, scratch } = &mut *work;
        let (own, above) = x.split_at_mut(piece.particles.len());
        for ((x, &particle), scale) in own.iter_mut().zip(&piece.particles).zip(&piece.scale) {
            let b = b[particle as usize] * (scale / unit);
            *x = [b.x as f32, b.y as f32, b.z as f32, 0.0];
        }
        above.fill([0.0; 4]);
        for &child in &piece.children {
            let child = &self.pieces[child];
            let work = child.work();
            let copies = &work.x[child.particles.len()..];
            for (&up, copy) in child.up.iter().zip(copies) {
                for (x, copy) in x[up as usize].iter_mut().zip(copy) {
                    *x += copy;
                }
            }
        }
        panel::forward(self.level, self.panels_of(piece), x, scratch);
    }

    fn backward(&self, piece: usize, unit: f64, take: &impl Fn(usize, Point)) {
        let piece = &self.pieces[piece];
        let mut work = piece.work();
        let Work { x, scratch } = &mut *work;
        panel::backward(self.level, self.panels_of(piece), x, scratch);
        for &child in &piece.children {
            let child = &self.pieces[child];
            let mut work = child.work();
            let copies = &mut work.x[child.particles.len()..];
            for (&up, copy) in child.up.iter().zip(copies) {
                *copy = x[up as usize];
            }
        }
        for ((x, &particle), scale) in x.iter().zip(&piece.particles).zip(&piece.scale) {
            let [x, y, z, _] = x.map(f64::from);
            take(particle as usize, Point::new(x, y, z) * (scale * unit));
        }
    }

    fn panels_of(&self, piece: &Piece) -> panel::Panels<'_> {
        let panels = &self.panels[piece.panels.clone()];
        panel::Panels { panels, rows: &self.rows, lines: &self.lines }
    }
}

impl Piece {
    fn work(&self) -> MutexGuard<'_, Work> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
