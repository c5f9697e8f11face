//! Particles in colors: no two of one color share an element or a damper.
//!
//! Then all particles of a color may move at once, each as if it were alone. Colors are given out
//! greedily in the order of the particles, so they depend on the model only. Where particles are to move in
//! the order in which they are given, the color of each is one past those of all coupled particles before
//! it: colors one after the other then do what particles one after the other do. Particles of one color
//! stand side by side in *slots*; every color begins at a multiple of [`LANES`], and slots that are
//! left over stay empty.

use crate::elements::{Elements, Incidence};
use crate::lanes::double::LANES;
use crate::math::Vec3;
use crate::model::Model;
use std::ops::Range;

/// In which order particles move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ColoringOrder {
    /// In one that takes few colors.
    #[default]
    Few,
    /// As if one by one, as they are given.
    Given,
}

/// The colors of a model's particles.
#[derive(Clone, Debug, Default)]
pub(crate) struct VertexColoring {
    fitted: Option<((u64, u64), ColoringOrder)>,
    /// The particle of each slot, `EMPTY` for none.
    particles: Vec<u32>,
    /// The slot of each particle.
    slots: Vec<u32>,
    /// The slots of each color.
    ranges: Vec<Range<usize>>,
}

const EMPTY: u32 = u32::MAX;

impl VertexColoring {
    /// Brings them up to date with a model; whether anything changed.
    pub(crate) fn fit(&mut self, model: &Model, order: ColoringOrder) -> bool {
        let wanted = Some((model.versions().symbolic(), order));
        if self.fitted == wanted {
            return false;
        }
        let pattern = model.pattern();
        let mut colors: Vec<u32> = Vec::with_capacity(model.particles());
        let mut members: Vec<Vec<u32>> = Vec::new();
        let mut taken: Vec<u32> = Vec::new();
        for i in 0..model.particles() {
            for &j in &pattern.columns()[pattern.row(i)] {
                if (j as usize) < i {
                    taken[colors[j as usize] as usize] = i as u32;
                }
            }
            let free = match order {
                ColoringOrder::Few => taken.iter().position(|&last| last != i as u32),
                ColoringOrder::Given => match taken.iter().rposition(|&last| last == i as u32) {
                    Some(last) => Some(last + 1),
                    None => Some(0),
                },
            };
            let free = free.unwrap_or(taken.len());
            if free == taken.len() {
                taken.push(EMPTY);
                members.push(Vec::new());
            }
            colors.push(free as u32);
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

    /// The slots of each color.
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

    /// Where the corners that are used meet in slots; they are given in order, each with its particle.
    pub(crate) fn incidence(
        &self,
        owners: impl Iterator<Item = (usize, u32)> + Clone,
    ) -> Incidence {
        Incidence::new(self.len(), owners.map(|(corner, i)| (corner, self.slot(i))))
    }

    /// `out[slot] = values[particle]`.
    pub(crate) fn spread(&self, values: &[Vec3], out: &mut [Vec3]) {
        for (slot, &value) in self.slots.iter().zip(values) {
            out[*slot as usize] = value;
        }
    }

    /// `out[particle] = values[slot]`.
    pub(crate) fn collect(&self, values: &[Vec3], out: &mut [Vec3]) {
        for (slot, out) in self.slots.iter().zip(out) {
            *out = values[*slot as usize];
        }
    }
}

impl Incidence {
    /// Of a batch, in the slots of a coloring.
    pub(crate) fn of(colors: &VertexColoring, elements: &dyn Elements) -> Self {
        let corners = (0..elements.len()).flat_map(|e| elements.corners(e).iter().copied());
        colors.incidence(corners.enumerate())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Grid;

    #[test]
    fn no_two_of_one_color_share_an_element() {
        let mut model = Model::new();
        Grid::square(13).add_to(&mut model).expect("a grid");
        let dashpot = crate::dampers::find("dashpot").expect("a damper");
        model.add_damper(dashpot, &[0, 100], None, &[1.0]).expect("a damper");
        let mut colors = VertexColoring::default();
        for order in [ColoringOrder::Few, ColoringOrder::Given] {
            assert!(colors.fit(&model, order));
            assert!(!colors.fit(&model, order));
            let color = |i: u32| {
                let slot = colors.slot(i) as usize;
                colors.ranges().iter().position(|range| range.contains(&slot))
            };
            let pattern = model.pattern();
            for i in 0..model.particles() {
                assert_eq!(colors.particle(colors.slot(i as u32) as usize), Some(i));
                for &j in &pattern.columns()[pattern.row(i)] {
                    let (own, other) = (color(i as u32), color(j));
                    assert!(i == j as usize || own != other, "{i} {j}");
                    let before = (j as usize) < i;
                    assert!(
                        order == ColoringOrder::Few || !before || other < own,
                        "{j} before {i}"
                    );
                }
            }
            let count = colors.ranges().len();
            assert!(order == ColoringOrder::Given || count <= 9, "{count}");
        }
    }
}
