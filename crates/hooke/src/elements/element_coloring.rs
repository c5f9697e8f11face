//! In which order elements are visited one after the other, and which of them share no particle.
//!
//! A sweep that moves particles as it goes must not let two threads at elements of one particle. So
//! elements get colors: those of one color share no particle and may be visited side by side. Each
//! element takes the first color that none of its particles has yet, in the order given: the same
//! colors for the same elements, whatever the number of threads.

use crate::math::noise::mix;
use crate::thread_pool::ThreadPool;
use std::ops::Range;

/// The most colors. Elements at particles of more elements than that are visited alone, at the end.
const MOST: u32 = 64;

/// Elements in the order of a sweep.
#[derive(Clone, Debug, Default)]
pub struct ElementColoring {
    /// The elements, group by group.
    order: Vec<u32>,
    /// Where each group ends, and whether its elements are independent of each other.
    groups: Vec<(usize, bool)>,
}

impl ElementColoring {
    /// Visits `count` elements over `particles`, whose corners are given.
    pub(crate) fn greedy<'a>(
        particles: usize,
        count: usize,
        corners: impl Fn(usize) -> &'a [u32],
    ) -> Self {
        let mut taken = vec![0u64; particles];
        let mut color_of = vec![MOST; count];
        for (element, color) in color_of.iter_mut().enumerate() {
            let corners = corners(element);
            let met = corners.iter().fold(0, |met, &corner| met | taken[corner as usize]);
            *color = met.trailing_ones();
            if *color < MOST {
                corners.iter().for_each(|&corner| taken[corner as usize] |= 1 << *color);
            }
        }
        let mut order: Vec<u32> = (0..count as u32).collect();
        // Within a color by particle, so that a thread visits the same particles in all of them.
        order.sort_by_key(|&element| {
            let first = corners(element as usize).iter().min();
            (color_of[element as usize], first.copied())
        });
        let mut groups = Vec::new();
        for color in 0..=MOST {
            let start = groups.last().map_or(0, |&(end, _)| end);
            let alike = |&&element: &&u32| color_of[element as usize] == color;
            let length = order[start..].iter().take_while(alike).count();
            if length > 0 {
                groups.push((start + length, color < MOST));
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

    /// Calls `body` with ranges of [`ElementColoring::order`], group after group and the independent ones
    /// side by side; the sum of what it returns, in order.
    pub(crate) fn walk(&self, pool: &ThreadPool, body: impl Fn(Range<usize>) -> f64 + Sync) -> f64 {
        self.walk_knowing(pool, 1, |range, _| body(range))
    }

    /// As [`ElementColoring::walk`]; `body` is also told whether the elements of a range are independent. Groups of
    /// fewer than `worth` elements are not shared out.
    pub(crate) fn walk_knowing(
        &self,
        pool: &ThreadPool,
        worth: usize,
        body: impl Fn(Range<usize>, bool) -> f64 + Sync,
    ) -> f64 {
        let (mut start, mut sum) = (0, 0.0);
        for &(end, independent) in &self.groups {
            let part = |part: Range<usize>| body(start + part.start..start + part.end, true);
            sum += match independent && end - start >= worth {
                true => pool.sum(end - start, part),
                false => body(start..end, independent),
            };
            start = end;
        }
        sum
    }

    /// As [`ElementColoring::walk`], all elements side by side.
    pub(crate) fn together(
        &self,
        pool: &ThreadPool,
        body: impl Fn(Range<usize>) -> f64 + Sync,
    ) -> f64 {
        pool.sum(self.order.len(), body)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_of_one_color_share_no_particle() {
        // A hub of 100 spokes, more than there are colors, and a ring around it.
        let mut elements: Vec<[u32; 2]> = (1..=100).map(|i| [0, i]).collect();
        elements.extend((1..=100).map(|i| [i, i % 100 + 1]));
        let colors = ElementColoring::greedy(101, elements.len(), |e| &elements[e]);
        let mut seen = vec![false; elements.len()];
        let mut start = 0;
        for &(end, independent) in &colors.groups {
            let mut met = [false; 101];
            for &element in &colors.order[start..end] {
                assert!(!std::mem::replace(&mut seen[element as usize], true));
                for corner in elements[element as usize] {
                    let again = std::mem::replace(&mut met[corner as usize], true);
                    assert!(!(again && independent), "element {element}");
                }
            }
            start = end;
        }
        assert!(seen.iter().all(|&seen| seen));
        assert_eq!(colors.groups.iter().filter(|(_, independent)| !independent).count(), 1);
    }

    #[test]
    fn a_shuffle_is_a_permutation_of_its_seed() {
        let [a, b, again] = [1, 2, 1].map(|seed| ElementColoring::shuffled(50, seed).order);
        assert!(a == again && a != b && a != ElementColoring::given(50).order);
        let mut sorted = a;
        sorted.sort_unstable();
        assert_eq!(sorted, ElementColoring::given(50).order);
    }
}
