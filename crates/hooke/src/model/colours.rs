//! Particles in colours: no two of one colour share an element or a damper.
//!
//! Then all particles of a colour may move at once, each as if it were alone. Colours are given out
//! greedily in the order of the particles, so they depend on the model only. Where particles are to move in
//! the order in which they are given, the colour of each is one past those of all coupled particles before
//! it: colours one after the other then do what particles one after the other do. Particles of one colour
//! stand side by side in *slots*; every colour begins at a multiple of [`LANES`], and slots that are
//! left over stay empty.

use super::Model;
use crate::lanes::double::LANES;
use crate::math::Point;
use std::ops::Range;

/// In which order particles move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Turns {
    /// In one that takes few colours.
    #[default]
    Few,
    /// As if one by one, as they are given.
    Given,
}

/// The colours of a model's particles.
#[derive(Clone, Debug, Default)]
pub(crate) struct Colours {
    fitted: Option<((u64, u64), Turns)>,
    /// The particle of each slot, `EMPTY` for none.
    particles: Vec<u32>,
    /// The slot of each particle.
    slots: Vec<u32>,
    /// The slots of each colour.
    ranges: Vec<Range<usize>>,
}

const EMPTY: u32 = u32::MAX;

impl Colours {
    /// Brings them up to date with a model; whether anything changed.
    pub(crate) fn fit(&mut self, model: &Model, turns: Turns) -> bool {
        let wanted = Some((model.versions().symbolic(), turns));
        if self.fitted == wanted {
            return false;
        }
        let pattern = model.pattern();
        let mut colours: Vec<u32> = Vec::with_capacity(model.particles());
        let mut members: Vec<Vec<u32>> = Vec::new();
        let mut taken: Vec<u32> = Vec::new();
        for i in 0..model.particles() {
            for &j in &pattern.columns()[pattern.row(i)] {
                if (j as usize) < i {
                    taken[colours[j as usize] as usize] = i as u32;
                }
            }
            let free = match turns {
                Turns::Few => taken.iter().position(|&last| last != i as u32),
                Turns::Given => match taken.iter().rposition(|&last| last == i as u32) {
                    Some(last) => Some(last + 1),
                    None => Some(0),
                },
            };
            let free = free.unwrap_or(taken.len());
            if free == taken.len() {
                taken.push(EMPTY);
                members.push(Vec::new());
            }
            colours.push(free as u32);
            members[free].push(i as u32);
        }
        self.particles.clear();
        self.ranges.clear();
        self.slots.clear();
        self.slots.resize(model.particles(), 0);
        for own in members {
            let first = self.particles.len();
            for (slot, &i) in (first as u32..).zip(&own) {
                self.slots[i as usize] = slot;
            }
            self.particles.extend(own);
            self.particles.resize(self.particles.len().next_multiple_of(LANES), EMPTY);
            self.ranges.push(first..self.particles.len());
        }
        self.fitted = wanted;
        true
    }

    /// How many slots there are.
    pub(crate) fn len(&self) -> usize {
        self.particles.len()
    }

    /// The slots of each colour.
    pub(crate) fn ranges(&self) -> &[Range<usize>] {
        &self.ranges
    }

    /// The slot of a particle.
    pub(crate) fn slot(&self, particle: u32) -> u32 {
        self.slots[particle as usize]
    }

    /// The particle of a slot, if there is one.
    pub(crate) fn particle(&self, slot: usize) -> Option<usize> {
        let particle = self.particles[slot];
        (particle != EMPTY).then_some(particle as usize)
    }

    /// `out[slot] = values[particle]`.
    pub(crate) fn spread(&self, values: &[Point], out: &mut [Point]) {
        for (slot, &value) in self.slots.iter().zip(values) {
            out[*slot as usize] = value;
        }
    }

    /// `out[particle] = values[slot]`.
    pub(crate) fn collect(&self, values: &[Point], out: &mut [Point]) {
        for (slot, out) in self.slots.iter().zip(out) {
            *out = values[*slot as usize];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Grid;

    #[test]
    fn no_two_of_one_colour_share_an_element() {
        let mut model = Model::new();
        Grid::square(13).add_to(&mut model).expect("a grid");
        let dashpot = crate::dampers::find("dashpot").expect("a damper");
        model.add_damper(dashpot, &[0, 100], None, &[1.0]).expect("a damper");
        let mut colours = Colours::default();
        for turns in [Turns::Few, Turns::Given] {
            assert!(colours.fit(&model, turns));
            assert!(!colours.fit(&model, turns));
            let colour = |i: u32| {
                let slot = colours.slot(i) as usize;
                colours.ranges().iter().position(|range| range.contains(&slot))
            };
            let pattern = model.pattern();
            for i in 0..model.particles() {
                assert_eq!(colours.particle(colours.slot(i as u32) as usize), Some(i));
                for &j in &pattern.columns()[pattern.row(i)] {
                    let (own, other) = (colour(i as u32), colour(j));
                    assert!(i == j as usize || own != other, "{i} {j}");
                    let before = (j as usize) < i;
                    assert!(turns == Turns::Few || !before || other < own, "{j} before {i}");
                }
            }
            let count = colours.ranges().len();
            assert!(turns == Turns::Given || count <= 9, "{count}");
        }
    }
}
