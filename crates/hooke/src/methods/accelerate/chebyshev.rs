//! Chebyshev's semi-iteration: a plain step, lengthened by the step before it.
//!
//! `x_{k+1} = x_{k−1} + ω_{k+1} (q − x_{k−1})`, where q is the plain step from x_k, `ω = 2/(2 − ρ²)` at
//! first and `ω ← 4/(4 − ρ² ω)` from then on. ρ is the greatest factor by which a plain step leaves an
//! error. Wang 2015, *A Chebyshev semi-iterative approach for accelerating projective and
//! position-based dynamics*.
//!
//! Where ρ is not given it is estimated. An error that plain steps multiply by μ is multiplied by the
//! greater root r of `r² − ωμ r + ω − 1 = 0`, so from the ratio r of two residuals follows
//! `μ = (r² + ω − 1)/(ω r)`, and ρ is the greatest μ seen. Residuals are taken in the norm of A⁻¹, in which
//! plain steps do not raise them. Where the residual rises all the same, the distance of ρ to one is
//! halved.

use super::{Accelerate, Place, Plain};
use crate::math::Point;
use crate::team::Team;

/// The iteration with its memory.
pub(super) struct Chebyshev {
    /// ρ as given; 0 where it is to be estimated.
    given: f64,
    radius: f64,
    /// ω of the last step.
    omega: f64,
    /// Steps since the iteration started anew.
    steps: u32,
    /// ‖∇g‖² in the norm of A⁻¹ (J), a step before.
    before: f64,
    previous: Vec<Point>,
}

/// Where the estimate starts and ends.
const FIRST: f64 = 0.9;
const LAST: f64 = 0.9998;

impl Chebyshev {
    pub(super) fn new(radius: f64) -> Self {
        Self { given: radius, radius, omega: 1.0, steps: 0, before: 0.0, previous: Vec::new() }
    }

    /// Learns from the squares of two residuals.
    fn estimate(&mut self, before: f64, now: f64) {
        let (omega, square) = (self.omega, now / before);
        let wanted = if square >= 1.0 {
            0.5 + 0.5 * self.radius
        } else if square > omega - 1.0 {
            (square + omega - 1.0) / (omega * square.sqrt())
        } else {
            return;
        };
        if wanted > self.radius {
            self.radius = wanted.min(LAST);
        }
    }
}

impl Accelerate for Chebyshev {
    fn begin(&mut self, particles: usize) {
        self.previous.resize(particles, Point::ZERO);
        self.radius = if self.given > 0.0 { self.given } else { FIRST };
        (self.steps, self.before) = (0, 0.0);
    }

    fn beyond(&mut self, plain: Plain<'_>, there: &mut [Point], team: &Team) -> bool {
        let size = -plain.slope;
        if self.given == 0.0 && self.steps >= 2 {
            self.estimate(self.before, size);
        }
        self.before = size;
        let square = self.radius * self.radius;
        self.omega = match self.steps {
            0 => return false,
            1 => 2.0 / (2.0 - square),
            _ => 4.0 / (4.0 - square * self.omega),
        };
        let (omega, previous) = (self.omega, &self.previous);
        team.for_each(there, |first, part| {
            for (i, there) in (first..).zip(part) {
                *there = previous[i] + (plain.to[i] - previous[i]) * omega;
            }
        });
        true
    }

    fn refused(&mut self) {
        self.steps = 0;
    }

    fn took(&mut self, from: Place<'_>, _: Place<'_>, _: &Team) {
        self.previous.copy_from_slice(from.x);
        self.steps += 1;
    }
}
