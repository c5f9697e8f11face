//! Adding element values to particles, in parallel and always in the same order.
//!
//! Elements write their corner values side by side; then each particle adds up its own, in the
//! order of the elements. No two threads write the same value, and the bits never depend on them.

use super::Elements;
use crate::math::Vec3;
use crate::thread_pool::ThreadPool;

/// For every particle, which corner values belong to it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gather {
    starts: Vec<u32>,
    slots: Vec<u32>,
}

impl Gather {
    /// From the particle of every corner value, in order.
    pub(crate) fn new(particles: usize, owners: impl Iterator<Item = u32> + Clone) -> Self {
        Self::chosen(particles, owners.enumerate())
    }

    /// From the corner values that are used, in order, each with its particle.
    pub(crate) fn chosen(
        particles: usize,
        owners: impl Iterator<Item = (usize, u32)> + Clone,
    ) -> Self {
        let mut starts = vec![0u32; particles + 1];
        for (_, owner) in owners.clone() {
            starts[owner as usize + 1] += 1;
        }
        for i in 0..particles {
            starts[i + 1] += starts[i];
        }
        let mut next = starts.clone();
        let mut slots = vec![0u32; starts[particles] as usize];
        for (slot, owner) in owners {
            slots[next[owner as usize] as usize] = slot as u32;
            next[owner as usize] += 1;
        }
        Self { starts, slots }
    }

    /// The corner values of particle i.
    #[inline]
    pub(crate) fn at(&self, i: usize) -> &[u32] {
        &self.slots[self.starts[i] as usize..self.starts[i + 1] as usize]
    }

    /// `out[i] += Σ values` of particle i.
    pub(crate) fn add(&self, values: &[Vec3], out: &mut [Vec3], pool: &ThreadPool) {
        pool.for_each(out, |first, chunk| {
            for (k, sum) in chunk.iter_mut().enumerate() {
                for &slot in self.at(first + k) {
                    *sum += values[slot as usize];
                }
            }
        });
    }
}

/// The order in which particles add up corner values, with room for the corner values of one batch.
/// Springs need neither.
#[derive(Default)]
pub struct GatherOf {
    pub(super) gather: Gather,
    pub(super) scratch: Vec<Vec3>,
}

impl GatherOf {
    /// For the elements of a batch over `particles`.
    pub(crate) fn new(particles: usize, elements: &dyn Elements) -> Self {
        if elements.law().springs {
            return Self::default();
        }
        let owners = (0..elements.len()).flat_map(|e| elements.corners(e).iter().copied());
        let gather = Gather::new(particles, owners.clone());
        Self { gather, scratch: vec![Vec3::ZERO; owners.count()] }
    }
}
