//! Over-relaxation of sweeps by Chebyshev's polynomials (Wang 2015).
//!
//! `x_{k+1} = ω (x̂ − x_{k−1}) + x_{k−1}`, x̂ what a sweep makes of x_k, `ω = 2/(2 − ρ²)` at first and then
//! `ω ← 4/(4 − ρ²ω)`. Where g would be higher than before the sweep, x̂ stays and ω begins anew.

use super::vertices::Vertices;
use crate::math::Point;
use crate::settings::choice;

choice! {
    /// What is done beyond plain sweeps.
    pub enum VbdAccelerator {
        /// Nothing.
        None = "none",
        /// Over-relaxation by Chebyshev's polynomials.
        Chebyshev = "chebyshev",
    }
}

/// Over-relaxation of sweeps.
#[derive(Default)]
pub(crate) struct Chebyshev {
    /// ρ, estimated unless set.
    radius: f64,
    set: bool,
    /// Differences of g (J) that rounding hides.
    noise: f64,
    omega: f64,
    sweeps: u32,
    seen: f64,
    value: f64,
    /// After the sweep before the last, and after the last.
    before: Vec<Point>,
    last: Vec<Point>,
    plain: Vec<Point>,
}

/// Sweeps before the first over-relaxation.
const DELAY: u32 = 3;

impl Chebyshev {
    /// Starts at `x`, where g is `value`, known to `noise` (J); ρ is estimated where `radius` is zero.
    pub(crate) fn begin(&mut self, radius: f64, value: f64, noise: f64, x: &[Point]) {
        (self.radius, self.set) = (radius, radius > 0.0);
        (self.value, self.noise) = (value, noise);
        (self.omega, self.sweeps, self.seen) = (1.0, 0, f64::INFINITY);
        self.before.clear();
        self.before.extend_from_slice(x);
        self.last.clone_from(&self.before);
    }

    /// Goes on beyond the sweep that led to `vertices`, unless g there is higher than before it.
    pub(crate) fn advance(
        &mut self,
        seen: f64,
        vertices: &mut Vertices,
        x: &mut [Point],
        mut value: impl FnMut(&[Point]) -> f64,
    ) {
        self.sweeps += 1;
        if !self.set {
            let ratio = seen / self.seen;
            if ratio < 1.0 {
                self.radius = self.radius.max(ratio).min(MOST);
            }
            self.seen = seen;
        }
        if self.sweeps > DELAY {
            let square = self.radius * self.radius;
            let omega = if self.omega == 1.0 {
                2.0 / (2.0 - square)
            } else {
                4.0 / (4.0 - square * self.omega)
            };
            self.plain.clone_from(&vertices.x);
            for (x, &before) in vertices.x.iter_mut().zip(&self.before) {
                *x = before + (*x - before) * omega;
            }
            vertices.collect(x);
            let there = value(x);
            if there <= self.value + self.noise {
                self.value = there;
                self.omega = omega;
            } else {
                vertices.x.copy_from_slice(&self.plain);
                vertices.collect(x);
                self.value = value(x);
                self.omega = 1.0;
            }
        } else {
            self.value = value(x);
        }
        std::mem::swap(&mut self.before, &mut self.last);
        self.last.copy_from_slice(&vertices.x);
    }
}

/// The greatest ρ that is estimated.
const MOST: f64 = 0.99;
