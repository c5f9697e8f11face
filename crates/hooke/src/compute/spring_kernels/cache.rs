//! What the spring kernels keep of the positions they have seen.

use super::Sum;
use crate::lanes::double::Line;
use crate::math::Vec3;
use std::sync::atomic::{AtomicBool, Ordering};

/// What the kernels compute from positions before they add up forces.
#[derive(Default)]
pub(crate) struct SpringCache {
    /// x, y and z of all particles (m), each by itself.
    pub(super) axes: [Vec<Line>; 3],
    /// `k (1 − l/|x_ij|)` (N/m) of all springs, where they are diagonals.
    pub(super) pulls: Vec<Line>,
    pub(super) sum: Sum,
    /// Whether a method has used what [`measure`](super::SpringKernels::measure) saw.
    used: AtomicBool,
}

impl SpringCache {
    /// Notes that a method uses it.
    pub(crate) fn using(&self) -> &Self {
        self.used.store(true, Ordering::Relaxed);
        self
    }

    /// Whether a method has used it since this was last asked.
    pub(crate) fn was_used(&mut self) -> bool {
        std::mem::take(self.used.get_mut())
    }
}

/// Where particles are (m), and what was seen there.
#[derive(Clone, Copy)]
pub(crate) struct SpringPositions<'a> {
    pub(super) x: &'a [Vec3],
    pub(super) axes: [&'a [f64]; 3],
    pub(super) pulls: &'a [f64],
    /// The energy of all springs (J), if it is known.
    pub(super) energy: f64,
}

impl<'a> SpringPositions<'a> {
    /// Of points of which nothing was seen yet.
    pub(super) fn of(x: &'a [Vec3]) -> Self {
        Self { x, axes: [&[]; 3], pulls: &[], energy: 0.0 }
    }

    /// The energy of all springs (J) as far as [`gradient_and_energy`](super::SpringKernels::gradient_and_energy) does not return it.
    pub(crate) fn energy(&self) -> f64 {
        self.energy
    }
}
