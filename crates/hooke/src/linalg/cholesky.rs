//! Sparse Cholesky with supernodes: ordering and symbolic analysis once per pattern, numeric
//! factorization and solves into buffers that are kept.
//!
//! The elimination tree is cut into pieces ([`super::tree_partition`]) that threads take, each with memory of
//! its own. What a piece leaves for the one above is added up in a fixed order, so that the bits
//! are those of one thread.

mod dense;
mod fronts;
mod supernodes;

pub(super) use fronts::Keep;
pub(super) use supernodes::{Supernode, Supernodes};

use super::span::{Span, spans};
use super::tree_partition::{NONE, Walk};
use super::{Block, Indefinite, Matrix, Pattern, TooLarge};
use crate::math::Vec3;
use crate::thread_pool::ThreadPool;
use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::{
    solve_lower_triangular_in_place, solve_upper_triangular_in_place,
};
use faer::{Accum, MatMut, MatRef, Par};
use fronts::{Fronts, Memory};
use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// So many multiplications take about as long as one of a solve: the unit of [`super::tree_partition`].
const FASTER: u64 = 16;

/// The factor of a [`Matrix`].
pub(super) struct Cholesky<B> {
    /// The particle of each row of L.
    order: Vec<u32>,
    supernodes: Supernodes,
    fronts: Fronts,
    pieces: Vec<Piece>,
    walk: Walk,
    block: PhantomData<B>,
}

/// Some columns of L.
struct Piece {
    span: Span,
    /// For each of its supernodes, where its columns and the rows below stand in the piece.
    firsts: Vec<u32>,
    rows: Vec<u32>,
    work: Mutex<Work>,
}

struct Work {
    memory: Memory,
    /// Own rows and copies of rows above, three numbers each.
    x: Vec<f64>,
    /// The rows below a supernode.
    below: Vec<f64>,
}

impl<B: Block> Cholesky<B> {
    /// Analyzes the pattern, given the particles in the order of their elimination, which
    /// supernodes become one ([`Supernodes::new`]) and what is kept of L.
    pub(super) fn new(
        pattern: &Pattern,
        order: Vec<u32>,
        relax: &[(usize, f64)],
        keep: Keep,
    ) -> Result<Self, TooLarge> {
        let too_large = TooLarge { rows: order.len() * B::SIZE };
        let supernodes = Supernodes::new(pattern, &order, relax).map_err(|_| too_large)?;
        let work = |node: Supernode<'_>| {
            let [w, r] = [node.width, node.rows.len()].map(|count| (count * B::SIZE) as u64);
            (w * w * w / 3 + w * r * (w + r)) / FASTER
        };
        let (spans, walk) = spans(order.len(), &supernodes, work);
        let nodes: Vec<_> = spans.iter().map(|span| &span.nodes[..]).collect();
        let fronts = Fronts::new::<B>(pattern, &order, &supernodes, &nodes, keep);
        let mut local = vec![NONE; order.len()];
        let widest = supernodes.widest() * B::SIZE;
        let pieces = spans.into_iter().map(|span| {
            span.number_rows(&mut local);
            let nodes = || span.nodes.iter().map(|&s| supernodes.get(s as usize));
            let rows = nodes().flat_map(|node| node.rows).map(|&row| local[row as usize]).collect();
            let highest = nodes().map(|node| node.rows.len()).max().unwrap_or(0);
            Piece {
                firsts: nodes().map(|node| local[node.first]).collect(),
                rows,
                work: Mutex::new(Work {
                    memory: Memory::new(widest),
                    x: vec![0.0; span.rows() * 3],
                    below: vec![0.0; highest * 3],
                }),
                span,
            }
        });
        let pieces = pieces.collect();
        if fronts.numbers() as u64 > u64::from(u32::MAX) {
            return Err(too_large);
        }
        Ok(Self { order, supernodes, fronts, pieces, walk, block: PhantomData })
    }

    /// The numeric factorization of a matrix on the pattern given to [`Cholesky::new`]. Hands each
    /// supernode with its columns of L to `done`: from the first column on and then the rows below.
    pub(super) fn factor(
        &mut self,
        matrix: &Matrix<B>,
        pool: &ThreadPool,
        done: impl Fn(usize, Supernode<'_>, &[f64]) + Sync,
    ) -> Result<(), Indefinite> {
        let refused = AtomicBool::new(false);
        self.walk.up(pool, |index| {
            let piece = &self.pieces[index];
            let memory = &mut piece.work().memory;
            self.fronts.reserve(index, memory);
            for &s in &piece.span.nodes {
                if refused.load(Ordering::Relaxed) {
                    return;
                }
                let s = s as usize;
                let node = self.supernodes.get(s);
                let below = |piece: usize, read: &mut dyn FnMut(&Memory)| {
                    read(&self.pieces[piece].work().memory);
                };
                if self.fronts.eliminate(s, node, matrix, memory, pool, below) {
                    done(s, node, self.fronts.get(s).values::<B>(node, memory));
                } else {
                    refused.store(true, Ordering::Relaxed);
                }
            }
        });
        if refused.into_inner() { Err(Indefinite) } else { Ok(()) }
    }

    /// Replaces `b` by `A⁻¹ b`.
    pub(super) fn solve(&mut self, b: &mut [Vec3], pool: &ThreadPool) {
        self.solve_ordered(b, pool);
        self.each_solution(|particle, x| b[particle] = x);
    }

    /// Replaces coordinate `axis` of every point by its solution; the others are solved along.
    pub(super) fn solve_axis(&mut self, b: &mut [Vec3], axis: usize, pool: &ThreadPool) {
        self.solve_ordered(b, pool);
        self.each_solution(|particle, x| b[particle][axis] = x[axis]);
    }

    /// How many numbers the factor holds.
    pub(super) fn numbers(&self) -> usize {
        self.fronts.numbers()
    }

    /// The supernodes, children before their parents.
    pub(super) fn supernodes(&self) -> &Supernodes {
        &self.supernodes
    }

    /// Gives the memory of the factor back.
    pub(super) fn release(&mut self) {
        let widest = self.supernodes.widest() * B::SIZE;
        for piece in &self.pieces {
            piece.work().memory = Memory::new(widest);
        }
    }

    fn solve_ordered(&self, b: &[Vec3], pool: &ThreadPool) {
        debug_assert_eq!(b.len(), self.order.len());
        self.walk.up(pool, |piece| self.forward(&self.pieces[piece], b));
        self.walk.down(pool, |piece| self.backward(&self.pieces[piece]));
    }

    fn each_solution(&self, mut take: impl FnMut(usize, Vec3)) {
        for piece in &self.pieces {
            let x = &piece.work().x;
            for (&row, x) in piece.span.own.iter().zip(x.chunks_exact(3)) {
                take(self.order[row as usize] as usize, Vec3::new(x[0], x[1], x[2]));
            }
        }
    }

    fn forward(&self, piece: &Piece, b: &[Vec3]) {
        let Work { memory, x, below } = &mut *piece.work();
        let own = piece.span.own.len() * 3;
        for (x, &row) in x.chunks_exact_mut(3).zip(&piece.span.own) {
            let b = b[self.order[row as usize] as usize];
            x.copy_from_slice(&[b.x, b.y, b.z]);
        }
        x[own..].fill(0.0);
        for &child in &piece.span.children {
            let child = &self.pieces[child];
            let copies = &child.work().x[child.span.own.len() * 3..];
            for (&up, copy) in child.span.up.iter().zip(copies.chunks_exact(3)) {
                for (x, copy) in x[up as usize * 3..].iter_mut().zip(copy) {
                    *x += copy;
                }
            }
        }
        let mut next = 0;
        for (&s, &first) in piece.span.nodes.iter().zip(&piece.firsts) {
            let node = self.supernodes.get(s as usize);
            let (diagonal, lower) = self.fronts.get(s as usize).factor::<B>(node, memory);
            let own = &mut x[first as usize * 3..][..node.width * 3];
            solve_lower_triangular_in_place(diagonal, columns_mut::<B>(own), Par::Seq);
            let below = &mut below[..node.rows.len() * 3];
            let rows = &piece.rows[next..next + node.rows.len()];
            next += node.rows.len();
            let by = columns::<B>(own);
            matmul(columns_mut::<B>(below), Accum::Replace, lower, by, 1.0, Par::Seq);
            for (&row, below) in rows.iter().zip(below.chunks_exact(3)) {
                for (x, below) in x[row as usize * 3..].iter_mut().zip(below) {
                    *x -= below;
                }
            }
        }
    }

    fn backward(&self, piece: &Piece) {
        let Work { memory, x, below } = &mut *piece.work();
        let mut next = piece.rows.len();
        for (&s, &first) in piece.span.nodes.iter().zip(&piece.firsts).rev() {
            let node = self.supernodes.get(s as usize);
            let (diagonal, lower) = self.fronts.get(s as usize).factor::<B>(node, memory);
            let rows = &piece.rows[next - node.rows.len()..next];
            next -= node.rows.len();
            let below = &mut below[..node.rows.len() * 3];
            for (&row, below) in rows.iter().zip(below.chunks_exact_mut(3)) {
                below.copy_from_slice(&x[row as usize * 3..][..3]);
            }
            let mut own = columns_mut::<B>(&mut x[first as usize * 3..][..node.width * 3]);
            let by = columns::<B>(below);
            matmul(own.as_mut(), Accum::Add, lower.transpose(), by, -1.0, Par::Seq);
            solve_upper_triangular_in_place(diagonal.transpose(), own, Par::Seq);
        }
        for &child in &piece.span.children {
            let child = &self.pieces[child];
            let copies = &mut child.work().x[child.span.own.len() * 3..];
            for (&up, copy) in child.span.up.iter().zip(copies.chunks_exact_mut(3)) {
                copy.copy_from_slice(&x[up as usize * 3..][..3]);
            }
        }
    }
}

impl Piece {
    fn work(&self) -> MutexGuard<'_, Work> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Right-hand sides of rows with three numbers each: with scalar blocks x, y and z are three of one
/// small matrix.
fn columns<B: Block>(x: &[f64]) -> MatRef<'_, f64> {
    MatRef::from_row_major_slice(x, x.len() * B::SIZE / 3, 3 / B::SIZE)
}

/// As [`columns`], to be written.
fn columns_mut<B: Block>(x: &mut [f64]) -> MatMut<'_, f64> {
    let rows = x.len() * B::SIZE / 3;
    MatMut::from_row_major_slice_mut(x, rows, 3 / B::SIZE)
}

#[cfg(test)]
mod tests;
