//! What was found to touch, kept while a pair hardly moves.
//!
//! A pair that is seen as it was when it was looked at, but for less than a small way, touches at the same places of its
//! bodies. So what rests is not looked at in every step. From where a pair was last looked at is part of a saved
//! moment, and what was found follows from that.

use super::body::Placement;
use super::geometry::{Geometry, Look, Patch, Touch};
use crate::math::{Point, Quat};
use std::ops::Range;

/// What was found is kept while a body has moved less than this since, relative to its reach.
const KEPT: f64 = 3e-4;

/// How a pair was looked at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    /// The numbers of both, the first in the upper half.
    pub(super) pair: u64,
    /// The second as seen from the first.
    pub(super) at: Placement,
    /// How near things had to be (m).
    pub(super) margin: f64,
}

/// A pair and what was found.
struct Found {
    seen: Seen,
    patches: Range<u32>,
    touches: Range<u32>,
}

/// What was found in one step, sorted by pair.
#[derive(Default)]
struct Finds {
    found: Vec<Found>,
    patches: Vec<Patch>,
    touches: Vec<Touch>,
}

/// What was found in the last step and in this one.
#[derive(Default)]
pub(super) struct Known {
    look: Look,
    last: Finds,
    now: Finds,
    /// How far the last step has been read.
    next: usize,
}

impl Finds {
    fn clear(&mut self) {
        self.found.clear();
        self.patches.clear();
        self.touches.clear();
    }

    fn add(&mut self, seen: Seen, patches: &[Patch], touches: &[Touch]) {
        let starts = [self.patches.len() as u32, self.touches.len() as u32];
        self.patches.extend_from_slice(patches);
        self.touches.extend_from_slice(touches);
        self.found.push(Found {
            seen,
            patches: starts[0]..self.patches.len() as u32,
            touches: starts[1]..self.touches.len() as u32,
        });
    }

    fn of(&self, found: &Found) -> (&[Patch], &[Touch]) {
        let within = |range: &Range<u32>| range.start as usize..range.end as usize;
        (&self.patches[within(&found.patches)], &self.touches[within(&found.touches)])
    }
}

impl Known {
    pub(super) fn forget(&mut self) {
        self.last.clear();
        self.now.clear();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.now.found.is_empty()
    }

    /// Begins a step.
    pub(super) fn begin(&mut self) {
        std::mem::swap(&mut self.last, &mut self.now);
        self.now.clear();
        self.next = 0;
    }

    /// Where a pair touches; pairs come in their order. What was found before is kept if the first, of a `reach` (m), has
    /// hardly moved since, and it was found far enough around to hold for a further `way` (m).
    pub(super) fn look(
        &mut self,
        a: &Geometry,
        b: &Geometry,
        seen: Seen,
        way: f64,
        reach: f64,
    ) -> (&[Patch], &[Touch]) {
        let Self { look, last, now, next } = self;
        while last.found.get(*next).is_some_and(|found| found.seen.pair < seen.pair) {
            *next += 1;
        }
        let before = last.found.get(*next).filter(|found| found.seen.pair == seen.pair);
        let kept = before.filter(|found| {
            let moved = moved(&found.seen.at, &seen.at, reach);
            moved <= KEPT * reach && moved + way <= found.seen.margin
        });
        match kept {
            Some(found) => {
                let (patches, touches) = last.of(found);
                now.add(found.seen, patches, touches);
            }
            None => {
                look.find(a, b, &seen.at, seen.margin);
                now.add(seen, &look.patches, &look.touches);
            }
        }
        match now.found.last() {
            Some(found) => now.of(found),
            None => (&[], &[]),
        }
    }

    /// Appends from where every pair was looked at.
    pub(super) fn save(&self, memory: &mut Vec<f64>) {
        memory.push(self.now.found.len() as f64);
        for Found { seen: Seen { pair, at, margin }, .. } in &self.now.found {
            memory.extend([(pair >> 32) as f64, (pair & 0xffff_ffff) as f64, *margin, at.turn.w]);
            memory.extend(at.turn.v.to_array());
            memory.extend(at.position.to_array());
        }
    }

    /// Looks again from where `save` said; what is left of the memory. `shapes` are those of a pair, if there are such.
    pub(super) fn restore<'a, 'b>(
        &mut self,
        memory: &'a [f64],
        shapes: impl Fn([u32; 2]) -> Option<[&'b Geometry; 2]>,
    ) -> Option<&'a [f64]> {
        self.forget();
        let (&count, mut rest) = memory.split_first()?;
        for _ in 0..count as usize {
            let (&[i, j, margin, w, x, y, z, px, py, pz], after) = rest.split_first_chunk()?;
            let [a, b] = shapes([i as u32, j as u32])?;
            let turn = Quat { w, v: Point::new(x, y, z) };
            let at = Placement { position: Point::new(px, py, pz), turn };
            self.look.find(a, b, &at, margin);
            let pair = u64::from(i as u32) << 32 | u64::from(j as u32);
            self.now.add(Seen { pair, at, margin }, &self.look.patches, &self.look.touches);
            rest = after;
        }
        Some(rest)
    }
}

/// How far any point of the first has moved (m), seen from the second.
fn moved(before: &Placement, now: &Placement, reach: f64) -> f64 {
    let centre = |at: &Placement| at.turn.inverse().turn(-at.position);
    let turned = before.turn.inverse() * now.turn;
    (centre(now) - centre(before)).norm() + 2.0 * turned.v.norm() * reach
}
