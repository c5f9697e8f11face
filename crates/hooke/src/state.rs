//! The state: what changes every step.

use crate::math::{Quat, Vec3};
use crate::model::Model;
use crate::model::rigid::RigidBodyState;
use crate::thread_pool::ThreadPool;

/// Positions, velocities and joint rotations at a moment, in the user's order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// Steps taken.
    pub step: u64,
    /// Time (s): counted in steps from where their length was last changed, never summed.
    pub time: f64,
    /// Positions (m).
    pub positions: Vec<Vec3>,
    /// Velocities (m/s).
    pub velocities: Vec<Vec3>,
    /// How every joint is turned away from its rest, chain after chain.
    pub joints: Vec<Quat>,
    /// Where rigid bodies are and how they move.
    pub rigid_bodies: Vec<RigidBodyState>,
}

impl State {
    /// A model at rest.
    pub fn at_rest(model: &Model) -> Self {
        Self {
            step: 0,
            time: 0.0,
            positions: model.rest().to_vec(),
            velocities: vec![Vec3::ZERO; model.particles()],
            joints: model
                .chains()
                .iter()
                .flat_map(|rig| rig.chain.rest().local_rotations().to_vec())
                .collect(),
            rigid_bodies: model.rigid_bodies().iter().map(|body| body.start).collect(),
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
    /// positions, all velocities, all joint rotations (w, x, y, z), and position, turn, velocity and angular
    /// velocity of every body, each number as its eight bytes from the least significant.
    /// Time is left out, as it follows from the steps. Equal states have equal digests, and states
    /// that differ in one bit almost surely differ; 0.0 and −0.0 differ.
    pub fn digest(&self) -> u64 {
        let points = self.positions.iter().chain(&self.velocities);
        let joints = self.joints.iter().flat_map(|q| [q.w, q.v.x, q.v.y, q.v.z]);
        let rigid_bodies = self.rigid_bodies.iter().flat_map(RigidBodyState::numbers);
        let rotations = joints.chain(rigid_bodies);
        let numbers = points.flat_map(|point| point.to_array()).chain(rotations).map(f64::to_bits);
        let mut digest: u64 = 0xcbf2_9ce4_8422_2325;
        for word in std::iter::once(self.step).chain(numbers) {
            for byte in word.to_le_bytes() {
                digest = (digest ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
            }
        }
        digest
    }

    /// Moves every particle to `x` with the velocity of that motion over `h` (s).
    pub(crate) fn arrive(&mut self, x: &[Vec3], h: f64, pool: &ThreadPool) {
        let by = 1.0 / h;
        pool.for_both(&mut self.positions, &mut self.velocities, |first, at, v| {
            for ((at, v), &new) in at.iter_mut().zip(v).zip(&x[first..]) {
                *v = (new - *at) * by;
                *at = new;
            }
        });
    }

    /// Every thread copies the particles it computes.
    pub(crate) fn copy_from(&mut self, other: &Self, pool: &ThreadPool) {
        self.step = other.step;
        self.time = other.time;
        self.rigid_bodies.clone_from(&other.rigid_bodies);
        self.positions.resize(other.positions.len(), Vec3::ZERO);
        self.velocities.resize(other.velocities.len(), Vec3::ZERO);
        self.joints.clone_from(&other.joints);
        pool.for_both(&mut self.positions, &mut self.velocities, |first, x, v| {
            x.copy_from_slice(&other.positions[first..first + x.len()]);
            v.copy_from_slice(&other.velocities[first..first + v.len()]);
        });
    }
}
