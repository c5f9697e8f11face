//! The factor of a matrix that only says in which direction to go.
//!
//! `x ← x − A⁻¹ ∇g(x)` ends where ∇g is zero, whatever A is: rounding in the factor changes how
//! fast, never where. So the kernels of the processor keep it in `f32`, large ones in `f16`.

use super::ldlt::Ldlt;
use super::panels::PanelFactor;
use super::{Indefinite, Matrix, Pattern, TooLarge};
use crate::kernels::Kernels;
use crate::math::Vec3;
use crate::thread_pool::ThreadPool;

/// A factor for the steps of a minimization: ordering and symbolic analysis once per pattern,
/// numeric factorization and solves into buffers that are kept.
pub struct LowPrecisionFactor(Kind);

enum Kind {
    Native(Box<PanelFactor>),
    Portable(Box<Ldlt<f64>>, Vec<Vec3>),
}

impl LowPrecisionFactor {
    /// Orders the pattern and analyzes it.
    pub fn new(pattern: &Pattern, kernels: Kernels) -> Result<Self, TooLarge> {
        Ok(Self(match kernels {
            Kernels::Native => Kind::Native(Box::new(PanelFactor::new(pattern)?)),
            Kernels::Portable => Kind::Portable(Box::new(Ldlt::new(pattern)?), Vec::new()),
        }))
    }

    /// The numeric factorization of a matrix on the pattern given to [`LowPrecisionFactor::new`].
    pub fn factor(&mut self, matrix: &Matrix<f64>, pool: &ThreadPool) -> Result<(), Indefinite> {
        match &mut self.0 {
            Kind::Native(factor) => factor.factor(matrix, pool),
            Kind::Portable(factor, _) => factor.factor(matrix),
        }
    }

    /// Calls `put(x_i, step_i)` for every particle, with `step = A⁻¹ b`; `size` is the norm of `b` or
    /// near it.
    pub fn solve(
        &mut self,
        b: &[Vec3],
        size: f64,
        x: &mut [Vec3],
        pool: &ThreadPool,
        put: impl Fn(&mut Vec3, Vec3) + Sync,
    ) {
        match &mut self.0 {
            Kind::Native(factor) => factor.solve(b, size, x, pool, put),
            Kind::Portable(factor, steps) => {
                steps.clear();
                steps.extend_from_slice(b);
                factor.solve(steps);
                for (x, &step) in x.iter_mut().zip(&*steps) {
                    put(x, step);
                }
            }
        }
    }

    /// How many numbers the factor holds.
    pub fn numbers(&self) -> usize {
        match &self.0 {
            Kind::Native(factor) => factor.numbers(),
            Kind::Portable(factor, _) => factor.numbers(),
        }
    }
}
