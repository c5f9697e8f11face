//! Over-relaxation of sweeps over vertices by Chebyshev's semi-iteration.
//!
//! The weights are those of [`Chebyshev`]; q is the result of a sweep. If g would be higher than
//! before the sweep, q is kept and ω restarts. Unless it is given, ρ is the largest ratio of the
//! residuals of two consecutive sweeps.

use super::chebyshev::Chebyshev;
use super::vertex_blocks::VertexBlocks;
use crate::math::Vec3;
use crate::settings::choice;

choice! {
    /// Acceleration of the sweeps.
    pub enum VbdAccelerator {
        /// Nothing.
        None = "none",
        /// Over-relaxation by Chebyshev's polynomials.
        Chebyshev = "chebyshev",
    }
}

/// Over-relaxation of sweeps.
pub(crate) struct OverRelaxation {
    weights: Chebyshev,
    /// Differences of g (J) below rounding.
    noise: f64,
    sweeps: u32,
    /// ‖∇g‖ (N) seen by the last sweep.
    residual: f64,
    /// g (J) after the last sweep.
    value: f64,
    /// The positions after the last two sweeps.
    before: Vec<Vec3>,
    last: Vec<Vec3>,
    plain: Vec<Vec3>,
}

/// Sweeps before the first over-relaxation.
const DELAY: u32 = 3;

/// The range of the estimate of ρ.
const RANGE: [f64; 2] = [0.0, 0.99];

impl Default for OverRelaxation {
    fn default() -> Self {
        let [before, last, plain] = [const { Vec::new() }; 3];
        let weights = Chebyshev::new(0.0, RANGE);
        Self { weights, noise: 0.0, sweeps: 0, residual: 0.0, value: 0.0, before, last, plain }
    }
}

impl OverRelaxation {
    /// Starts at `x`, with g equal to `value` up to `noise` (J); ρ is estimated if `radius` is
    /// zero.
    pub(crate) fn begin(&mut self, radius: f64, value: f64, noise: f64, x: &[Vec3]) {
        self.weights = Chebyshev::new(radius, RANGE);
        (self.value, self.noise) = (value, noise);
        (self.sweeps, self.residual) = (0, f64::INFINITY);
        self.before.clear();
        self.before.extend_from_slice(x);
        self.last.clone_from(&self.before);
    }

    /// Extrapolates the sweep that led to `vertices` with this residual, unless g there is higher
    /// than before it.
    pub(crate) fn advance(
        &mut self,
        residual: f64,
        vertices: &mut VertexBlocks,
        x: &mut [Vec3],
        mut value: impl FnMut(&[Vec3]) -> f64,
    ) {
        self.sweeps += 1;
        if self.weights.estimated {
            let ratio = residual / self.residual;
            if ratio < 1.0 {
                self.weights.raise(ratio);
            }
            self.residual = residual;
        }
        if self.sweeps > DELAY {
            let omega = self.weights.advance();
            self.plain.clone_from(&vertices.x);
            for (x, &before) in vertices.x.iter_mut().zip(&self.before) {
                *x = before + (*x - before) * omega;
            }
            vertices.collect(x);
            let there = value(x);
            if there <= self.value + self.noise {
                self.value = there;
            } else {
                vertices.x.copy_from_slice(&self.plain);
                vertices.collect(x);
                self.value = value(x);
                self.weights.restart();
            }
        } else {
            self.value = value(x);
        }
        std::mem::swap(&mut self.before, &mut self.last);
        self.last.copy_from_slice(&vertices.x);
    }
}
