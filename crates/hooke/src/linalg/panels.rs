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
use super::order::nested_dissection;
use super::panel::{self, Job, Lines, Panel, SPARE_LINES, Source, WIDEST};
use super::{Indefinite, Matrix, Pattern, TooLarge};
use crate::lanes::Level;
use crate::lanes::single::{HalfLine, LANES, Line, Quad};
use crate::math::Point;
use crate::math::noise::noise;
use crate::team::{Disjoint, Team};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Parts of the matrix of this many rows become few wide panels rather than many narrow ones.
const UNCUT: usize = 32;

/// From this many lines on a factor in `f32` is read from beyond the second cache.
const LARGE: usize = 1 << 16;

/// A factor in `f16` is used where it leaves no more of an error than this.
const GREATEST_ERROR: f64 = 0.1;

/// How often that is tried.
const PROBES: usize = 6;

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
    /// The number of lines.
    size: usize,
    lines: Lines,
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
            size: 0,
            lines: Lines::Single(Vec::new()),
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
        self.size = line + SPARE_LINES;
    }

    /// The numeric factorisation.
    pub(super) fn factor(&mut self, matrix: &Matrix<f64>) -> Result<(), Indefinite> {
        self.lines = Lines::Single(Vec::new());
        let factored = self.cholesky.factor(matrix).and_then(|()| self.keep(matrix));
        self.cholesky.release();
        factored
    }

    /// Keeps the factor in `f16` where that does as well, in `f32` otherwise.
    fn keep(&mut self, matrix: &Matrix<f64>) -> Result<(), Indefinite> {
        if self.level != Level::Plain && self.size >= LARGE {
            self.lines = Lines::Half(vec![HalfLine::default(); self.size]);
            self.pack(matrix);
            if self.lines.are_finite() && self.error(matrix) < GREATEST_ERROR {
                return Ok(());
            }
        }
        self.lines = Lines::Single(vec![Line::default(); self.size]);
        self.pack(matrix);
        if self.lines.are_finite() { Ok(()) } else { Err(Indefinite) }
    }

    /// About the greatest factor by which `z ← z − Ã⁻¹ A z` changes the energy `√(zᵀ A z)`: how far
    /// the factor is from that of A. By power iteration from a constant, a slope and noise.
    fn error(&self, matrix: &Matrix<f64>) -> f64 {
        let (n, team) = (self.order.len(), Team::new(1));
        let noise = |i: usize| noise(11, Point::new(i as f64 + 0.5, 0.25, 0.75), 0.5).x;
        let mut z: Vec<_> =
            (0..n).map(|i| Point::new(1.0, i as f64 / n as f64, noise(i))).collect();
        let (mut force, mut greatest) = (vec![Point::ZERO; n], 0.0);
        let mut before = [0.0; 3];
        for _ in 0..PROBES {
            matrix.multiply(&z, &mut force, &team);
            let mut energy = [0.0; 3];
            for (z, force) in z.iter().zip(&force) {
                for axis in 0..3 {
                    energy[axis] += z[axis] * force[axis];
                }
            }
            greatest = 0.0;
            for axis in 0..3 {
                if before[axis] > 0.0 {
                    greatest = f64::max(greatest, (energy[axis] / before[axis]).sqrt());
                }
            }
            before = energy;
            let size = force.iter().map(|force| force.norm2()).sum::<f64>().sqrt();
            let z = Disjoint::new(&mut z);
            // SAFETY: `solve` hands over each particle once.
            self.solve(&force, size, &team, |i, step| unsafe { *z.get(i) -= step });
        }
        greatest
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
            panel::pack(self.level, panel, &source, &mut scratch, &mut self.lines);
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
        self.size * LANES
    }

    fn forward(&self, piece: usize, b: &[Point], unit: f64) {
        let piece = &self.pieces[piece];
        let mut work = piece.work();
        let Work { x, .. } = &mut *work;
        let (own, above) = x.split_at_mut(piece.particles.len());
        let by = 1.0 / unit;
        for ((x, &particle), scale) in own.iter_mut().zip(&piece.particles).zip(&piece.scale) {
            let b = b[particle as usize] * (scale * by);
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
        self.job(piece).forward(x);
    }

    fn backward(&self, piece: usize, unit: f64, take: &impl Fn(usize, Point)) {
        let piece = &self.pieces[piece];
        let mut work = piece.work();
        let Work { x, scratch } = &mut *work;
        self.job(piece).backward(x, scratch);
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

    fn job(&self, piece: &Piece) -> Job<'_> {
        let panels = &self.panels[piece.panels.clone()];
        Job { level: self.level, panels, rows: &self.rows, lines: &self.lines }
    }
}

impl Piece {
    fn work(&self) -> MutexGuard<'_, Work> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
