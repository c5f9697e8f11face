//! Chebyshev's semi-iteration on quasi-Newton steps: a plain step, extrapolated with the previous
//! step.
//!
//! The weights are those of [`Chebyshev`]. If ρ is not given it is estimated. An error that plain
//! steps multiply by μ is multiplied by the larger root r of `r² − ωμ r + ω − 1 = 0`. So the ratio
//! r of two residuals gives `μ = (r² + ω − 1)/(ω r)`, and ρ is the largest μ observed. Residuals
//! are taken in the norm of A⁻¹, in which plain steps do not increase them. If the residual
//! increases nevertheless, the distance of ρ to one is halved.

use super::super::chebyshev::Chebyshev;
use super::{Accelerate, Plain, SolverIterate};
use crate::math::Vec3;
use crate::thread_pool::ThreadPool;

/// The iteration with its memory.
pub(super) struct SemiIteration {
    /// ρ as given; 0 if it is to be estimated.
    given: f64,
    weights: Chebyshev,
    /// Steps since the last restart.
    steps: u32,
    /// ‖∇g‖² in the norm of A⁻¹ (J), one step before.
    before: f64,
    previous: Vec<Vec3>,
}

/// The range of the estimate.
const RANGE: [f64; 2] = [0.9, 0.9998];

impl SemiIteration {
    pub(super) fn new(radius: f64) -> Self {
        let weights = Chebyshev::new(radius, RANGE);
        Self { given: radius, weights, steps: 0, before: 0.0, previous: Vec::new() }
    }

    /// Updates the estimate from the squares of two residuals.
    fn estimate(&mut self, before: f64, now: f64) {
        let (omega, square) = (self.weights.omega(), now / before);
        if square >= 1.0 {
            self.weights.raise(0.5 + 0.5 * self.weights.radius());
        } else if square > omega - 1.0 {
            self.weights.raise((square + omega - 1.0) / (omega * square.sqrt()));
        }
    }
}

impl Accelerate for SemiIteration {
    fn begin(&mut self, particles: usize) {
        self.previous.resize(particles, Vec3::ZERO);
        self.weights = Chebyshev::new(self.given, RANGE);
        (self.steps, self.before) = (0, 0.0);
    }

    fn beyond(&mut self, plain: Plain<'_>, there: &mut [Vec3], pool: &ThreadPool) -> bool {
        let size = -plain.slope;
        if self.weights.estimated && self.steps >= 2 {
            self.estimate(self.before, size);
        }
        self.before = size;
        if self.steps == 0 {
            return false;
        }
        let (omega, previous) = (self.weights.advance(), &self.previous);
        pool.for_each(there, |first, part| {
            for (i, there) in (first..).zip(part) {
                *there = previous[i] + (plain.to[i] - previous[i]) * omega;
            }
        });
        true
    }

    fn refused(&mut self) {
        self.steps = 0;
        self.weights.restart();
    }

    fn took(&mut self, from: SolverIterate<'_>, _: SolverIterate<'_>, _: &ThreadPool) {
        self.previous.copy_from_slice(from.x);
        self.steps += 1;
    }
}
