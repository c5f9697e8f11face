//! A factor for many solves with three right-hand sides, where rounding to `f32` does no harm.
//!
//! `A = L Lᵀ` is factored in `f64`; each supernode is packed into `f32` panels ([`super::panel`]) as
//! soon as it is done, in the order in which a solve walks through them, upwards in memory and down
//! again; large factors take `f16`. Rows and columns of A are scaled to a diagonal of one, so that
//! no `f32` overflows.
//!
//! The elimination tree is cut into pieces ([`super::tree_partition`]). Each piece solves for its own columns
//! and keeps its own copy of the rows above it. Forward, a piece adds up the copies of the pieces
//! below in their order; backward, it hands them what it found. So pieces of one depth run at the
//! same time and the bits are those of one thread.

use super::cholesky::{Cholesky, Keep};
use super::nested_dissection::nested_dissection;
use super::panel::{self, Job, Lines, Panel, SPARE_LINES, Source, WIDEST};
use super::span::{Span, spans};
use super::tree_partition::{NONE, Walk};
use super::{Indefinite, Matrix, Pattern, TooLarge};
use crate::lanes::single::{HalfLine, LANES, Lanes, Line, Quad, prefetch};
use crate::lanes::{SimdLevel, dispatch, rows};
use crate::math::Vec3;
use crate::math::noise::mix;
use crate::thread_pool::{Disjoint, ThreadPool};
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Parts of the matrix of this many rows become few wide panels rather than many narrow ones.
const UNCUT: usize = 32;

/// Two neighboring supernodes become one where they have at most this many columns and less than
/// this fraction of zeros.
const RELAX: &[(usize, f64)] = &[(4, 1.0), (16, 0.8), (48, 0.1), (usize::MAX, 0.05)];

/// From this many lines on a factor in `f32` is read from beyond the second cache.
const LARGE: usize = 1 << 16;

/// More particles than these lie beyond the second cache; each is then fetched so many turns before
/// its own.
const FAR: usize = 1 << 16;
const SOON: usize = 16;

/// A factor in `f16` is used where it leaves no more of an error than this.
const GREATEST_ERROR: f64 = 0.1;

/// How often that is tried.
const PROBES: usize = 6;

/// The factor of a matrix of numbers.
pub(super) struct PanelFactor {
    level: SimdLevel,
    cholesky: Cholesky<f64>,
    /// The particle of each row of L.
    order: Vec<u32>,
    /// `1/√A_ii` for each row of L.
    scale: Vec<f64>,
    /// Whether no scale is beyond 1e15 or below its inverse.
    near_one: bool,
    pieces: Vec<Piece>,
    walk: Walk,
    panels: Vec<Panel>,
    /// The panels of each supernode.
    parts: Vec<Range<usize>>,
    rows: Vec<u32>,
    /// The number of lines.
    size: usize,
    lines: Lines,
}

/// Some columns of L.
struct Piece {
    panels: Range<usize>,
    span: Span,
    /// The particles of its own rows.
    particles: Vec<u32>,
    /// Scaling of the particles' values before and after a solve.
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
    /// Orders the pattern, analyzes it and cuts it.
    pub(super) fn new(pattern: &Pattern) -> Result<Self, TooLarge> {
        let order = nested_dissection(pattern, UNCUT);
        let cholesky = Cholesky::new(pattern, order.clone(), RELAX, Keep::Last)?;
        let mut factor = Self {
            level: SimdLevel::best(),
            scale: vec![1.0; order.len()],
            near_one: true,
            order,
            pieces: Vec::new(),
            walk: Walk::default(),
            panels: Vec::new(),
            parts: Vec::new(),
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
        let supernodes = self.cholesky.supernodes();
        let n = self.order.len();
        let (spans, walk) = spans(n, supernodes, |node| (node.width * node.height()) as u64);
        self.walk = walk;
        self.parts = vec![0..0; supernodes.count()];
        // The row of each piece at which a row of L stands.
        let mut local = vec![NONE; n];
        let mut line = 0;
        for span in spans {
            span.number_rows(&mut local);
            let padding = span.rows() as u32;
            let (first_panel, mut highest) = (self.panels.len(), 0);
            for &s in &span.nodes {
                let node = supernodes.get(s as usize);
                let parts = node.width.div_ceil(WIDEST);
                self.parts[s as usize] = self.panels.len()..self.panels.len() + parts;
                for part in 0..parts {
                    let [from, to] = [part, part + 1].map(|part| part * node.width / parts);
                    let start = self.rows.len();
                    let above = (node.first + from..node.first + node.width).map(|row| local[row]);
                    self.rows.extend(above);
                    self.rows.extend(node.rows.iter().map(|&row| local[row as usize]));
                    // Kernels follow rows without looking.
                    assert!(self.rows[start..].iter().all(|&row| row < padding));
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
                }
            }
            self.pieces.push(Piece {
                panels: first_panel..self.panels.len(),
                particles: span.own.iter().map(|&row| self.order[row as usize]).collect(),
                scale: vec![1.0; span.own.len()],
                work: Mutex::new(Work {
                    x: vec![[0.0; 4]; span.rows() + 1],
                    scratch: vec![[Line::default(); 3]; highest],
                }),
                span,
            });
        }
        self.size = line + SPARE_LINES;
    }

    /// The numeric factorization, into `f16` where that does as well, into `f32` otherwise.
    pub(super) fn factor(
        &mut self,
        matrix: &Matrix<f64>,
        pool: &ThreadPool,
    ) -> Result<(), Indefinite> {
        self.lines = Lines::Single(Vec::new());
        let factored = self.factor_into_lines(matrix, pool);
        self.cholesky.release();
        factored
    }

    fn factor_into_lines(
        &mut self,
        matrix: &Matrix<f64>,
        pool: &ThreadPool,
    ) -> Result<(), Indefinite> {
        self.find_scale(matrix);
        if self.level != SimdLevel::Plain && self.size >= LARGE {
            let mut lines = vec![HalfLine::default(); self.size];
            self.pack(matrix, &mut lines, pool)?;
            self.lines = Lines::Half(lines);
            if self.lines.are_finite() && self.error(matrix, pool) < GREATEST_ERROR {
                return Ok(());
            }
        }
        let mut lines = vec![Line::default(); self.size];
        self.pack(matrix, &mut lines, pool)?;
        self.lines = Lines::Single(lines);
        if self.lines.are_finite() { Ok(()) } else { Err(Indefinite) }
    }

    /// About the greatest factor by which `z ← z − Ã⁻¹ A z` changes the energy `√(zᵀ A z)`: how far
    /// the factor is from that of A. By power iteration from a constant, a slope and noise.
    fn error(&self, matrix: &Matrix<f64>, pool: &ThreadPool) -> f64 {
        let n = self.order.len();
        let noise = |i: usize| (mix(i as u64) >> 11) as f64 / (1u64 << 53) as f64 - 0.5;
        let mut z: Vec<_> = (0..n).map(|i| Vec3::new(1.0, i as f64 / n as f64, noise(i))).collect();
        let (mut force, mut greatest) = (vec![Vec3::ZERO; n], 0.0);
        let mut before = [0.0; 3];
        for _ in 0..PROBES {
            matrix.multiply(&z, &mut force, pool);
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
            self.solve(&force, size, &mut z, pool, |z, step| *z -= step);
        }
        greatest
    }

    fn find_scale(&mut self, matrix: &Matrix<f64>) {
        for (scale, &particle) in self.scale.iter_mut().zip(&self.order) {
            let slot = matrix.pattern().slot(particle, particle) as usize;
            *scale = 1.0 / matrix.values()[slot].sqrt();
        }
        self.near_one = self.scale.iter().all(|scale| (1e-15..1e15).contains(scale));
        for piece in &mut self.pieces {
            for (scale, &row) in piece.scale.iter_mut().zip(&piece.span.own) {
                *scale = self.scale[row as usize];
            }
        }
    }

    /// Factors and packs.
    fn pack<S: panel::Packed>(
        &mut self,
        matrix: &Matrix<f64>,
        lines: &mut [S],
        pool: &ThreadPool,
    ) -> Result<(), Indefinite> {
        let Self { level, cholesky, scale, panels, parts, .. } = self;
        let mut rest = lines;
        let lines: Vec<_> = panels
            .iter()
            .map(|panel| {
                let (own, after) = std::mem::take(&mut rest).split_at_mut(panel.lines());
                rest = after;
                Mutex::new(own)
            })
            .collect();
        cholesky.factor(matrix, pool, |s, node, values| {
            let stride = node.height();
            let rows = node.columns().chain(node.rows.iter().map(|&row| row as usize));
            let scale: Vec<f64> = rows.map(|row| scale[row]).collect();
            let (mut scratch, mut from) = (Vec::new(), 0);
            for index in parts[s].clone() {
                let mut lines = lines[index].lock().unwrap_or_else(PoisonError::into_inner);
                let values = &values[from * stride + from..];
                let height = stride - from;
                let source = Source { values, stride, height, scale: &scale[from..] };
                S::pack(*level, &panels[index], &source, &mut scratch, &mut lines);
                from += panels[index].width;
            }
        })
    }

    /// Calls `put` with each of `x` and what A⁻¹ `b` is there; `size` is about the greatest of `b`.
    pub(super) fn solve(
        &self,
        b: &[Vec3],
        size: f64,
        x: &mut [Vec3],
        pool: &ThreadPool,
        put: impl Fn(&mut Vec3, Vec3) + Sync,
    ) {
        let x = Disjoint::new(x);
        // Scales near one keep all numbers near those of `b`; otherwise the greatest is looked for.
        let unit = if self.near_one && size.is_normal() { size } else { self.greatest(b) };
        self.walk.up(pool, |piece| self.forward(piece, b, unit));
        self.walk.down(pool, |piece| self.backward(piece, unit, &x, &put));
    }

    /// The greatest size of a scaled right-hand side, or one.
    fn greatest(&self, b: &[Vec3]) -> f64 {
        let sizes = self.scale.iter().zip(&self.order).map(|(scale, &particle)| {
            let [x, y, z] = b[particle as usize].to_array().map(|value| (value * scale).abs());
            x.max(y).max(z)
        });
        let greatest = sizes.fold(0.0, f64::max);
        if greatest.is_normal() { greatest } else { 1.0 }
    }

    /// Whether particles are read from beyond the second cache.
    fn is_far(&self) -> bool {
        self.order.len() > FAR
    }

    /// How many numbers the panels hold.
    pub(super) fn numbers(&self) -> usize {
        self.size * LANES
    }

    fn forward(&self, piece: usize, b: &[Vec3], unit: f64) {
        let piece = &self.pieces[piece];
        let mut work = piece.work();
        let Work { x, .. } = &mut *work;
        let (own, above) = x.split_at_mut(piece.particles.len());
        let by = 1.0 / unit;
        let (level, particles, scale) = (self.level, &piece.particles[..], &piece.scale[..]);
        let far = self.is_far();
        // SAFETY: asks for instructions alone.
        unsafe {
            dispatch!(level, single, take_by(
                b: &[Vec3], particles: &[u32], scale: &[f64], by: f64, far: bool, own: &mut [Quad]
            ))
        };
        above.fill([0.0; 4]);
        for &child in &piece.span.children {
            let child = &self.pieces[child];
            let work = child.work();
            let copies = &work.x[child.particles.len()..];
            for (&up, copy) in child.span.up.iter().zip(copies) {
                for (x, copy) in x[up as usize].iter_mut().zip(copy) {
                    *x += copy;
                }
            }
        }
        self.job(piece).forward(x);
    }

    fn backward(
        &self,
        piece: usize,
        unit: f64,
        out: &Disjoint<'_, Vec3>,
        put: &impl Fn(&mut Vec3, Vec3),
    ) {
        let piece = &self.pieces[piece];
        let mut work = piece.work();
        let Work { x, scratch } = &mut *work;
        self.job(piece).backward(x, scratch);
        for &child in &piece.span.children {
            let child = &self.pieces[child];
            let mut work = child.work();
            let copies = &mut work.x[child.particles.len()..];
            for (&up, copy) in child.span.up.iter().zip(copies) {
                *copy = x[up as usize];
            }
        }
        let (particles, far) = (&piece.particles[..], self.is_far());
        rows::with(self.level, || {
            for (k, (x, scale)) in x.iter().zip(&piece.scale).enumerate() {
                if far && k + SOON < particles.len() {
                    prefetch(out.pointer().wrapping_add(particles[k + SOON] as usize));
                }
                let [x, y, z, _] = x.map(f64::from);
                // SAFETY: every particle is one of one piece.
                let out = unsafe { out.get(particles[k] as usize) };
                put(out, Vec3::new(x, y, z) * (scale * unit));
            }
        });
    }

    fn job(&self, piece: &Piece) -> Job<'_> {
        let panels = &self.panels[piece.panels.clone()];
        let height = piece.span.rows() + 1;
        Job { level: self.level, panels, rows: &self.rows, height, lines: &self.lines }
    }
}

/// The particles' values, scaled.
///
/// # Safety
/// As [`Lanes`].
#[inline(always)]
unsafe fn take_by<V: Lanes>(
    b: &[Vec3],
    particles: &[u32],
    scale: &[f64],
    by: f64,
    far: bool,
    out: &mut [Quad],
) {
    for (k, (out, scale)) in out.iter_mut().zip(scale).enumerate() {
        if far && k + SOON < particles.len() {
            prefetch(b.as_ptr().wrapping_add(particles[k + SOON] as usize));
        }
        // SAFETY: as the caller promises.
        *out = unsafe { V::quad(&b[particles[k] as usize], scale * by) };
    }
}

impl Piece {
    fn work(&self) -> MutexGuard<'_, Work> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
