//! Adding element values to particles, in parallel and always in the same order.
//!
//! Elements write their corner values side by side; then each particle adds up its own, in the
//! order of the elements. No two threads write the same place, and the bits never depend on them.
//! Where an element pulls along the line between two particles, it writes one number only, and each
//! particle multiplies it by the way to its partner: the same bits with a third of the memory.

use crate::math::Point;
use crate::team::Team;

/// For every particle, which corner values belong to it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gather {
    starts: Vec<u32>,
    slots: Vec<u32>,
}

impl Gather {
    /// From the particle of every corner value, in order.
    pub(crate) fn new(particles: usize, owners: impl Iterator<Item = u32> + Clone) -> Self {
        let mut starts = vec![0u32; particles + 1];
        for owner in owners.clone() {
            starts[owner as usize + 1] += 1;
        }
        for i in 0..particles {
            starts[i + 1] += starts[i];
        }
        let mut next = starts.clone();
        let mut slots = vec![0u32; starts[particles] as usize];
        for (slot, owner) in owners.enumerate() {
            slots[next[owner as usize] as usize] = slot as u32;
            next[owner as usize] += 1;
        }
        Self { starts, slots }
    }

    /// `out[i] += Σ values` of particle i.
    pub(crate) fn add(&self, values: &[Point], out: &mut [Point], team: &Team) {
        team.for_each(out, |first, chunk| {
            for (k, sum) in chunk.iter_mut().enumerate() {
                let i = first + k;
                let own = self.starts[i] as usize..self.starts[i + 1] as usize;
                for &slot in &self.slots[own] {
                    *sum += values[slot as usize];
                }
            }
        });
    }
}

/// For every particle, its partners and the elements that join them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Links {
    starts: Vec<u32>,
    /// Partner and element.
    links: Vec<[u32; 2]>,
}

impl Links {
    /// From the two particles of every element, in order.
    pub(crate) fn new(particles: usize, pairs: impl Iterator<Item = [u32; 2]> + Clone) -> Self {
        let corners: Vec<u32> = pairs.flatten().collect();
        let Gather { starts, slots } = Gather::new(particles, corners.iter().copied());
        let link = |slot: u32| [corners[slot as usize ^ 1], slot / 2];
        Self { starts, links: slots.into_iter().map(link).collect() }
    }

    /// `out[i] += Σ pull · (x_i − x_j)` over the partners j of particle i.
    pub(crate) fn add(&self, pulls: &[f64], x: &[Point], out: &mut [Point], team: &Team) {
        team.for_each(out, |first, chunk| {
            for (k, sum) in chunk.iter_mut().enumerate() {
                let i = first + k;
                let (own, mut total) = (x[i], *sum);
                for &[partner, element] in
                    &self.links[self.starts[i] as usize..self.starts[i + 1] as usize]
                {
                    total += (own - x[partner as usize]) * pulls[element as usize];
                }
                *sum = total;
            }
        });
    }
}
