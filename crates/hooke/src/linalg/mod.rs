//! Sparse symmetric matrices over particles, and the solvers behind one small interface.

mod cg;
mod cholesky;
mod factor;
mod ldlt;
mod low_precision;
mod low_rank;
mod matrix;
mod nested_dissection;
mod panel;
mod panels;
mod precondition;
mod rank;
pub(crate) mod small;
mod span;
mod tree_partition;

pub use cg::{ConjugateGradient, Filter, Outside};
pub use factor::Factor;
pub use low_precision::LowPrecisionFactor;
pub use low_rank::{LowRank, Operator, Woodbury};
pub use matrix::{Block, Matrix, Pattern};
pub use precondition::Precondition;
pub use rank::Rank;

use crate::kernels::Kernels;
use crate::math::{Mat3, Vec3};
use crate::settings::{choice, settings};
use crate::thread_pool::ThreadPool;

/// A matrix that is not positive definite: the caller shifts it and tries again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Indefinite;

/// A matrix whose factor has more entries than can be counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge {
    /// Its rows.
    pub rows: usize,
}

impl std::fmt::Display for TooLarge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let rows = self.rows;
        write!(
            f,
            "a matrix of {rows} rows is too large to factor; solver = \"pcg-jacobi\" would do"
        )
    }
}

impl std::error::Error for TooLarge {}

choice! {
    /// How a linear system is solved.
    pub enum Solver {
        /// A sparse factorization, the symbolic part reused.
        Cholesky = "cholesky",
        /// Conjugate gradients, plain.
        Cg = "cg",
        /// Conjugate gradients preconditioned by the 3×3 diagonal blocks.
        Jacobi = "pcg-jacobi",
        /// Conjugate gradients preconditioned by an incomplete Cholesky factor without fill.
        Incomplete = "pcg-incomplete",
        /// Conjugate gradients preconditioned by the matrix of `quasi-newton`, factored once.
        Prefactored = "pcg-prefactored",
        /// Baraff & Witkin 1998: pins as a filter on the search directions, block Jacobi.
        Filtered = "pcg-filtered",
    }
}

settings! {
    /// How the linear systems of an implicit method are solved.
    pub struct LinearSettings {
        /// The linear solver.
        solver: Solver = Solver::Cholesky;
        /// Tolerance of conjugate gradients, relative to the right-hand side.
        cg_tolerance: f64 = 1e-10, "", [0.0, 1.0];
        /// Maximum number of conjugate-gradient iterations per system.
        cg_iterations: u32 = 1000, "", [1.0, 1e9];
    }
}

/// A linear solver of the chosen kind with its workspace.
pub enum LinearSolver {
    /// By factorization.
    Direct(Factor<Mat3>, Woodbury),
    /// By conjugate gradients.
    Iterative(Box<ConjugateGradient>),
}

impl LinearSolver {
    /// The symbolic work for a pattern.
    pub fn new(
        settings: &LinearSettings,
        pattern: &Pattern,
        kernels: Kernels,
    ) -> Result<Self, TooLarge> {
        let precondition = match settings.solver {
            Solver::Cholesky => {
                return Ok(Self::Direct(Factor::new(pattern, kernels)?, Woodbury::default()));
            }
            Solver::Cg | Solver::Prefactored => Precondition::none(),
            Solver::Jacobi | Solver::Filtered => Precondition::jacobi(),
            Solver::Incomplete => Precondition::incomplete(pattern),
        };
        Ok(Self::Iterative(Box::new(ConjugateGradient::new(
            precondition,
            settings.cg_tolerance,
            settings.cg_iterations,
            pattern.size(),
        ))))
    }

    /// The numeric work for a matrix.
    pub fn factor(&mut self, matrix: &Matrix<Mat3>, pool: &ThreadPool) -> Result<(), Indefinite> {
        match self {
            Self::Direct(factor, _) => factor.factor(matrix, pool),
            Self::Iterative(cg) => cg.factor(matrix),
        }
    }

    /// `x = a⁻¹ b`, where `a` is the matrix that was factored and what is added to it, on the directions `filter` leaves free, zero on the others; returns the number
    /// of iterations (1 for a direct solve). Conjugate gradients take a preconditioner from `outside`
    /// instead of their own.
    pub fn solve<'a>(
        &mut self,
        a: impl Into<Operator<'a>>,
        b: &[Vec3],
        x: &mut [Vec3],
        filter: Filter<'_>,
        outside: Option<Outside<'_>>,
        pool: &ThreadPool,
    ) -> Result<u32, Indefinite> {
        match self {
            Self::Direct(factor, woodbury) => {
                x.copy_from_slice(b);
                factor.solve(x, pool);
                let Operator { dense, .. } = a.into();
                if !dense.is_empty() {
                    woodbury.fit(dense, x.len(), |g, z| {
                        z.copy_from_slice(g);
                        factor.solve(z, pool);
                    });
                    woodbury.correct(dense, b, x, pool);
                }
                Ok(1)
            }
            Self::Iterative(cg) => cg.solve(a, b, x, filter, outside, pool),
        }
    }
}
