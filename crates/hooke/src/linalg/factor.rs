//! A sparse factor by the chosen kernels, behind one small interface.

use super::cholesky::Cholesky;
use super::ldlt::Ldlt;
use super::{Block, Indefinite, Matrix, Pattern, TooLarge};
use crate::kernels::Kernels;
use crate::math::Point;

/// The factor of a [`Matrix`]: ordering and symbolic analysis once per pattern, numeric
/// factorisation and solves into buffers that are kept.
pub struct Factor<B>(Kind<B>);

enum Kind<B> {
    Native(Box<Cholesky<B>>),
    Portable(Box<Ldlt<B>>),
}

impl<B: Block> Factor<B> {
    /// Orders the pattern and analyses it.
    pub fn new(pattern: &Pattern, kernels: Kernels) -> Result<Self, TooLarge> {
        Ok(Self(match kernels {
            Kernels::Native => Kind::Native(Box::new(Cholesky::new(pattern)?)),
            Kernels::Portable => Kind::Portable(Box::new(Ldlt::new(pattern)?)),
        }))
    }

    /// The numeric factorisation of a matrix on the pattern given to [`Factor::new`].
    pub fn factor(&mut self, matrix: &Matrix<B>) -> Result<(), Indefinite> {
        match &mut self.0 {
            Kind::Native(factor) => factor.factor(matrix),
            Kind::Portable(factor) => factor.factor(matrix),
        }
    }

    /// Replaces `b` by `A⁻¹ b`.
    pub fn solve(&mut self, b: &mut [Point]) {
        match &mut self.0 {
            Kind::Native(factor) => factor.solve(b),
            Kind::Portable(factor) => factor.solve(b),
        }
    }

    /// Replaces coordinate `axis` of every point by its solution, for blocks of one number.
    pub fn solve_axis(&mut self, b: &mut [Point], axis: usize) {
        match &mut self.0 {
            Kind::Native(factor) => factor.solve_axis(b, axis),
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
