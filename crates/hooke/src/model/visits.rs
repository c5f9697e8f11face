//! In which order elements are visited one after the other, and which of them share no particle.
//!
//! A sweep that moves particles as it goes must not let two threads at elements of one particle. So
//! elements get colours: those of one colour share no particle and may be visited side by side. Each
//! element takes the first colour that none of its particles has yet, in the order given: the same
//! colours for the same elements, whatever the number of threads.

use crate::math::noise::mix;
use crate::team::Team;
use std::ops::Range;

/// The most colours. Elements at particles of more elements than that are visited alone, at the end.
const MOST: u32 = 64;

/// Elements in the order of a sweep.
#[derive(Clone, Debug, Default)]
pub struct Visits {
    /// The elements, group by group.
    order: Vec<u32>,
    /// Where each group ends, and whether its elements are independent of each other.
    groups: Vec<(usize, bool)>,
}

impl Visits {
    /// Visits `count` elements over `particles`, whose corners are given.
    pub(crate) fn greedy<'a>(
        particles: usize,
        count: usize,
        corners: impl Fn(usize) -> &'a [u32],
    ) -> Self {
        let mut taken = vec![0u64; particles];
        let mut colour_of = vec![MOST; count];
        for (element, colour) in colour_of.iter_mut().enumerate() {
            let corners = corners(element);
            let met = corners.iter().fold(0, |met, &corner| met | taken[corner as usize]);
            *colour = met.trailing_ones();
            if *colour < MOST {
                corners.iter().for_each(|&corner| taken[corner as usize] |= 1 << *colour);
            }
        }
        let mut order: Vec<u32> = (0..count as u32).collect();
        // Within a colour by place, so that a thread meets the same particles in all of them.
        order.sort_by_key(|&element| {
            let first = corners(element as usize).iter().min();
            (colour_of[element as usize], first.copied())
        });
        let mut groups = Vec::new();
        for colour in 0..=MOST {
            let start = groups.last().map_or(0, |&(end, _)| end);
            let alike = |&&element: &&u32| colour_of[element as usize] == colour;
            let length = order[start..].iter().take_while(alike).count();
            if length > 0 {
                groups.push((start + length, colour < MOST));
            }
        }
        Self { order, groups }
    }

    /// One after the other, as they are.
    pub(crate) fn given(count: usize) -> Self {
        Self { order: (0..count as u32).collect(), groups: vec![(count, false)] }
    }

    /// One after the other, in an order that the seed picks.
    pub(crate) fn shuffled(count: usize, seed: u64) -> Self {
        let mut all = Self::given(count);
        let mut key = mix(seed);
        // Fisher and Yates.
        for last in (1..count).rev() {
            key = mix(key);
            all.order.swap(last, (key % (last as u64 + 1)) as usize);
        }
        all
    }

    /// The elements in the order of the sweep.
    pub(crate) fn order(&self) -> &[u32] {
        &self.order
    }

    /// Calls `body` with ranges of [`Visits::order`], group after group and the independent ones
    /// side by side; the sum of what it returns, in order.
    pub(crate) fn walk(&self, team: &Team, body: impl Fn(Range<usize>) -> f64 + Sync) -> f64 {
        self.walk_knowing(team, 1, |range, _| body(range))
    }

    /// As [`Visits::walk`]; `body` also hears whether the elements of a range are independent. Groups of
    /// fewer than `worth` elements are not shared out.
    pub(crate) fn walk_knowing(
        &self,
        team: &Team,
        worth: usize,
        body: impl Fn(Range<usize>, bool) -> f64 + Sync,
    ) -> f64 {
        let (mut start, mut sum) = (0, 0.0);
        for &(end, independent) in &self.groups {
            let part = |part: Range<usize>| body(start + part.start..start + part.end, true);
            sum += match independent && end - start >= worth {
                true => team.sum(end - start, part),
                false => body(start..end, independent),
            };
            start = end;
        }
        sum
    }

    /// As [`Visits::walk`], all elements side by side.
    pub(crate) fn together(&self, team: &Team, body: impl Fn(Range<usize>) -> f64 + Sync) -> f64 {
        team.sum(self.order.len(), body)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_of_one_colour_share_no_particle() {
        // A hub of 100 spokes, more than there are colours, and a ring around it.
        let mut elements: Vec<[u32; 2]> = (1..=100).map(|i| [0, i]).collect();
        elements.extend((1..=100).map(|i| [i, i % 100 + 1]));
        let colours = Visits::greedy(101, elements.len(), |e| &elements[e]);
        let mut seen = vec![false; elements.len()];
        let mut start = 0;
        for &(end, independent) in &colours.groups {
            let mut met = [false; 101];
            for &element in &colours.order[start..end] {
                assert!(!std::mem::replace(&mut seen[element as usize], true));
                for corner in elements[element as usize] {
                    let again = std::mem::replace(&mut met[corner as usize], true);
                    assert!(!(again && independent), "element {element}");
                }
            }
            start = end;
        }
        assert!(seen.iter().all(|&seen| seen));
        assert_eq!(colours.groups.iter().filter(|(_, independent)| !independent).count(), 1);
    }

    #[test]
    fn a_shuffle_is_a_permutation_of_its_seed() {
        let [a, b, again] = [1, 2, 1].map(|seed| Visits::shuffled(50, seed).order);
        assert!(a == again && a != b && a != Visits::given(50).order);
        let mut sorted = a;
        sorted.sort_unstable();
        assert_eq!(sorted, Visits::given(50).order);
    }
}
