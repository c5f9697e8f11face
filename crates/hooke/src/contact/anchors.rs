//! The anchors of friction, kept from step to step: the tangential strain of each sticking contact.
//!
//! A spring and a slider in series: u is measured from an anchor on the obstacle. Up to ε the
//! spring yields and the anchor stays. Beyond ε the contact slides and drags the anchor along, ε
//! behind. So a contact that carries the share s of μλ rests at the distance s ε from its anchor,
//! and stays there.
//!
//! The strain is stored in the obstacle's axes, so it moves and rotates with the obstacle. A
//! contact point on an edge keeps its strain while it moves along the edge. Contacts with rigid
//! bodies have no anchors.
//!
//! Mindlin 1949, *Compliance of elastic bodies in contact*; Cundall & Strack 1979, *A discrete
//! numerical model for granular assemblies*; Michałowski & Mróz 1978, *Associated and
//! non-associated sliding rules in contact friction problems*.

use super::pairs::Pair;
use crate::math::Vec3;
use crate::model::Frame;

/// The strains of all sticking contacts, sorted by key.
#[derive(Default)]
pub(super) struct Anchors {
    list: Vec<(Key, Vec3)>,
}

/// The particles of a contact point, and the obstacle.
type Key = [u32; 3];

/// The number of values saved per strain.
const NUMBERS: usize = 6;

fn key(pair: &Pair) -> Key {
    let [a, b] = pair.point.ends;
    [a, b, pair.obstacle]
}

impl Anchors {
    /// The strain (m) of a pair, with the obstacle at a frame.
    pub(super) fn strain(&self, pair: &Pair, frame: &Frame) -> Vec3 {
        let own = self.list.binary_search_by_key(&key(pair), |anchor| anchor.0);
        own.map_or(Vec3::ZERO, |k| frame.world(self.list[k].1) - frame.origin)
    }

    /// Stores the strains (m) of these pairs, with their obstacles at a frame, and drops all
    /// others.
    pub(super) fn keep<'a>(&mut self, strained: impl Iterator<Item = (&'a Pair, &'a Frame, Vec3)>) {
        self.list.clear();
        let local = |frame: &Frame, strain: Vec3| frame.local(frame.origin + strain);
        self.list.extend(strained.map(|(pair, frame, u)| (key(pair), local(frame, u))));
        self.list.sort_unstable_by_key(|anchor| anchor.0);
    }

    /// Appends the number of strains and each of them.
    pub(super) fn save(&self, memory: &mut Vec<f64>) {
        memory.push(self.list.len() as f64);
        for (key, strain) in &self.list {
            memory.extend(key.map(f64::from));
            memory.extend(strain.to_array());
        }
    }

    /// Restores what [`Anchors::save`] wrote, and returns the rest of the slice; empty if the data
    /// is malformed.
    pub(super) fn restore<'a>(&mut self, memory: &'a [f64]) -> &'a [f64] {
        self.list.clear();
        let Some((&count, rest)) = memory.split_first() else { return &[] };
        let Some((own, rest)) = rest.split_at_checked(NUMBERS * count as usize) else { return &[] };
        let (own, _) = own.as_chunks::<NUMBERS>();
        self.list.extend(
            own.iter().map(|&[a, b, k, x, y, z]| ([a, b, k].map(|v| v as u32), Vec3::new(x, y, z))),
        );
        self.list.sort_unstable_by_key(|anchor| anchor.0);
        rest
    }
}
