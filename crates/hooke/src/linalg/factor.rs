//! A sparse factor by the chosen kernels, behind one small interface.

use super::cholesky::{Cholesky, Keep};
use super::ldlt::Ldlt;
use super::nested_dissection::nested_dissection;
use super::{Block, Indefinite, Matrix, Pattern, TooLarge};
use crate::kernels::Kernels;
use crate::math::Vec3;
use crate::thread_pool::ThreadPool;

/// Parts of so few particles are not cut any more.
const UNCUT: usize = 16;

/// Two neighboring supernodes become one where they have at most this many particles and less
/// than this fraction of zeros.
const RELAX: &[(usize, f64)] = &[(4, 1.0), (8, 0.5), (16, 0.1), (usize::MAX, 0.05)];

/// The factor of a [`Matrix`]: ordering and symbolic analysis once per pattern, numeric
/// factorization and solves into buffers that are kept.
pub struct Factor<B>(Kind<B>);

enum Kind<B> {
    Native(Box<Cholesky<B>>),
    Portable(Box<Ldlt<B>>),
}

impl<B: Block> Factor<B> {
    /// Orders the pattern and analyzes it.
    pub fn new(pattern: &Pattern, kernels: Kernels) -> Result<Self, TooLarge> {
        Ok(Self(match kernels {
            Kernels::Native => {
                let order = nested_dissection(pattern, UNCUT);
                Kind::Native(Box::new(Cholesky::new(pattern, order, RELAX, Keep::All)?))
            }
            Kernels::Portable => Kind::Portable(Box::new(Ldlt::new(pattern)?)),
        }))
    }

    /// The numeric factorization of a matrix on the pattern given to [`Factor::new`].
    pub fn factor(&mut self, matrix: &Matrix<B>, pool: &ThreadPool) -> Result<(), Indefinite> {
        match &mut self.0 {
            Kind::Native(factor) => factor.factor(matrix, pool, |_, _, _| ()),
            Kind::Portable(factor) => factor.factor(matrix),
        }
    }

    /// Replaces `b` by `A⁻¹ b`.
    pub fn solve(&mut self, b: &mut [Vec3], pool: &ThreadPool) {
        match &mut self.0 {
            Kind::Native(factor) => factor.solve(b, pool),
            Kind::Portable(factor) => factor.solve(b),
        }
    }

    /// Replaces coordinate `axis` of every point by its solution, for blocks of one number.
    pub fn solve_axis(&mut self, b: &mut [Vec3], axis: usize, pool: &ThreadPool) {
        match &mut self.0 {
            Kind::Native(factor) => factor.solve_axis(b, axis, pool),
            Kind::Portable(factor) => factor.solve_axis(b, axis),
        }
    }

    /// How many numbers the factor holds.
    pub fn numbers(&self) -> usize {
        match &self.0 {
            Kind::Native(factor) => factor.numbers(),
            Kind::Portable(factor) => factor.numbers(),
        }
    }
}
