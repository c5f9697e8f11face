//! What was found to touch, kept while a pair hardly moves.
//!
//! A pair whose relative pose has hardly changed since it was queried touches at the same points of its bodies. So
//! what rests is not queried in every step. The relative pose of the last query is part of a saved moment, and what was
//! found follows from that.

use super::Pose;
use super::geometry::{CollisionQuery, Geometry, Patch, Touch};
use crate::math::{Quat, Vec3};
use std::ops::Range;

/// What was found is kept while a body has moved less than this since, relative to its reach.
const KEPT: f64 = 3e-4;

/// How a pair was queried.
#[derive(Clone, Copy, Debug)]
pub(super) struct CachedPair {
    /// The numbers of both, the first in the upper half.
    pub(super) pair: u64,
    /// The second as seen from the first.
    pub(super) at: Pose,
    /// How near things had to be (m).
    pub(super) margin: f64,
}

/// A pair and what was found.
struct Found {
    seen: CachedPair,
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
pub(super) struct ManifoldCache {
    query: CollisionQuery,
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

    fn add(&mut self, seen: CachedPair, patches: &[Patch], touches: &[Touch]) {
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

impl ManifoldCache {
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
    /// hardly moved since, and it was found far enough around to hold for a further `travel` (m).
    pub(super) fn query(
        &mut self,
        a: &Geometry,
        b: &Geometry,
        seen: CachedPair,
        travel: f64,
        reach: f64,
    ) -> (&[Patch], &[Touch]) {
        let Self { query, last, now, next } = self;
        while last.found.get(*next).is_some_and(|found| found.seen.pair < seen.pair) {
            *next += 1;
        }
        let before = last.found.get(*next).filter(|found| found.seen.pair == seen.pair);
        let kept = before.filter(|found| {
            let moved = moved(&found.seen.at, &seen.at, reach);
            moved <= KEPT * reach && moved + travel <= found.seen.margin
        });
        match kept {
            Some(found) => {
                let (patches, touches) = last.of(found);
                now.add(found.seen, patches, touches);
            }
            None => {
                query.find(a, b, &seen.at, seen.margin);
                now.add(seen, &query.patches, &query.touches);
            }
        }
        match now.found.last() {
            Some(found) => now.of(found),
            None => (&[], &[]),
        }
    }

    /// Appends the relative pose of every pair's last query.
    pub(super) fn save(&self, memory: &mut Vec<f64>) {
        memory.push(self.now.found.len() as f64);
        for Found { seen: CachedPair { pair, at, margin }, .. } in &self.now.found {
            memory.extend([
                (pair >> 32) as f64,
                (pair & 0xffff_ffff) as f64,
                *margin,
                at.rotation.w,
            ]);
            memory.extend(at.rotation.v.to_array());
            memory.extend(at.position.to_array());
        }
    }

    /// Queries again at the poses that `save` wrote; what is left of the memory. `shapes` are those of a pair, if there are such.
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
            let rotation = Quat { w, v: Vec3::new(x, y, z) };
            let at = Pose { position: Vec3::new(px, py, pz), rotation };
            self.query.find(a, b, &at, margin);
            let pair = u64::from(i as u32) << 32 | u64::from(j as u32);
            self.now.add(CachedPair { pair, at, margin }, &self.query.patches, &self.query.touches);
            rest = after;
        }
        Some(rest)
    }
}

/// How far any point of the first has moved (m), seen from the second.
fn moved(before: &Pose, now: &Pose, reach: f64) -> f64 {
    let center = |at: &Pose| at.rotation.inverse().rotate(-at.position);
    let rotated = before.rotation.inverse() * now.rotation;
    (center(now) - center(before)).norm() + 2.0 * rotated.v.norm() * reach
}
