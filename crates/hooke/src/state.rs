//! The state: what changes every step.

use crate::math::Point;
use crate::model::Model;

/// Positions and velocities at a moment, in the user's order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// Steps taken.
    pub step: u64,
    /// Time (s): counted in steps from where their length was last changed, never summed.
    pub time: f64,
    /// Positions (m).
    pub positions: Vec<Point>,
    /// Velocities (m/s).
    pub velocities: Vec<Point>,
}

impl State {
    /// A model at rest.
    pub fn at_rest(model: &Model) -> Self {
        Self {
            step: 0,
            time: 0.0,
            positions: model.rest().to_vec(),
            velocities: vec![Point::ZERO; model.particles()],
        }
    }

    /// The first particle whose position or velocity is not finite, and which of the two.
    pub fn first_not_finite(&self) -> Option<(usize, &'static str)> {
        let position = self.positions.iter().position(|x| !x.is_finite());
        let velocity = self.velocities.iter().position(|v| !v.is_finite());
        match (position, velocity) {
            (Some(i), v) if v.is_none_or(|v| i <= v) => Some((i, "position")),
            (_, Some(i)) => Some((i, "velocity")),
            _ => None,
        }
    }

    /// A fingerprint of the bits: 64-bit FNV-1a (Fowler, Noll & Vo) over the step number, then all
    /// positions, then all velocities, each number as its eight bytes from the least significant.
    /// Time is left out, as it follows from the steps. Equal states have equal digests, and states
    /// that differ in one bit almost surely differ; 0.0 and −0.0 differ.
    pub fn digest(&self) -> u64 {
        let points = self.positions.iter().chain(&self.velocities);
        let numbers = points.flat_map(|point| point.to_array().map(f64::to_bits));
        let mut digest: u64 = 0xcbf2_9ce4_8422_2325;
        for word in std::iter::once(self.step).chain(numbers) {
            for byte in word.to_le_bytes() {
                digest = (digest ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
            }
        }
        digest
    }

    /// Moves every particle to `x` with the velocity of that motion over `h` (s).
    pub(crate) fn arrive(&mut self, x: &[Point], h: f64) {
        for ((at, v), &new) in self.positions.iter_mut().zip(&mut self.velocities).zip(x) {
            *v = (new - *at) * (1.0 / h);
            *at = new;
        }
    }

    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.step = other.step;
        self.time = other.time;
        self.positions.clone_from(&other.positions);
        self.velocities.clone_from(&other.velocities);
    }
}
