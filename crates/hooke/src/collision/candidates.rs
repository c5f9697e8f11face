//! The pairs of features that may touch or pass each other in the course of a motion.
//!
//! The list is made for motions from x⁰ to x¹: it holds every pair of which no axis separates the sides throughout,
//! where each vertex may stray from `x⁰ + τ (x¹ − x⁰)` by its margin. So it serves every motion whose start and end both lie
//! that near x⁰ or x¹, and is made anew for one that does not. What is done with a pair depends on the pair alone:
//! results do not depend on when the list was made.

use super::closest_points::{Features, Kind, weighted};
use super::surface::{Surfaces, Sweep};
use crate::math::Vec3;
use crate::model::{Model, Versions};
use crate::thread_pool::ThreadPool;

/// Two features that may touch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub(super) features: Features,
    /// δ (m): at most half the distance at rest within one body.
    pub(super) thickness: f64,
    /// μ.
    pub(super) friction: f64,
    /// `|ē₁|²|ē₂|²` of two edges at rest (m⁴).
    pub(super) square: f64,
}

/// The candidates, and the motions for which they are all.
#[derive(Default)]
pub(super) struct Candidates {
    versions: Option<Versions>,
    pub(super) surfaces: Surfaces,
    pub(super) list: Vec<Candidate>,
    /// x⁰ and x¹ (m), and how far each vertex may stray from between them (m).
    ends: [Vec<Vec3>; 2],
    stray: Vec<f64>,
    /// Half the thickness and the stray of each vertex (m).
    margin: Vec<f64>,
    /// How often the list was made.
    pub(super) made: u32,
    /// How many times too long the motion is, where it is; then the list is empty.
    pub(super) too_long: Option<f64>,
    found: Vec<Features>,
}

/// The longest motion past each other that a list is made for, in mean edges.
const LONGEST: f64 = 16.0;

/// How far a vertex may stray from a motion, relative to it, besides its thickness.
const STRAY: f64 = 0.25;

impl Candidates {
    /// Makes ready for a model; whether anything can touch.
    pub(super) fn prepare(&mut self, model: &Model) -> bool {
        let now = Some(model.versions());
        if self.versions.is_none_or(|v| v.elements() != model.versions().elements()) {
            self.surfaces = Surfaces::of(model);
            self.clear();
        }
        self.versions = now;
        !self.surfaces.is_empty()
    }

    /// Forgets the list.
    pub(super) fn clear(&mut self) {
        self.list.clear();
        self.stray.clear();
    }

    /// Makes the list such that it holds all pairs for the motion from `start` to `end`.
    pub(super) fn cover(&mut self, model: &Model, start: &[Vec3], end: &[Vec3], pool: &ThreadPool) {
        if self.stray.len() == start.len() && [start, end].iter().all(|x| self.covers(x, pool)) {
            return;
        }
        self.made += 1;
        let n = start.len();
        for (own, x) in self.ends.iter_mut().zip([start, end]) {
            own.clear();
            own.extend_from_slice(x);
        }
        let count = (0..n).filter(|&i| self.surfaces.has(i)).count().max(1);
        let sum = (0..n)
            .filter(|&i| self.surfaces.has(i))
            .fold(Vec3::ZERO, |sum, i| sum + end[i] - start[i]);
        let mean = sum * (1.0 / count as f64);
        self.stray.resize(n, 0.0);
        self.margin.resize(n, 0.0);
        let surfaces = &self.surfaces;
        pool.for_both(&mut self.stray, &mut self.margin, |first, stray, margin| {
            for (i, (stray, margin)) in (first..).zip(stray.iter_mut().zip(margin)) {
                let thickness = surfaces.thickness(i);
                *stray = 0.5 * thickness + STRAY * (end[i] - start[i] - mean).norm();
                *margin = 0.5 * thickness + *stray;
            }
        });
        self.found.clear();
        let sweep = Sweep { start, end, margin: &self.margin };
        let found = &mut self.found;
        let far = (0..n)
            .filter(|&i| self.surfaces.has(i))
            .map(|i| (end[i] - start[i] - mean).norm())
            .fold(0.0, f64::max);
        let ratio = far / (LONGEST * self.surfaces.mean_edge());
        // What is not a number is too long.
        self.too_long = (ratio.is_nan() || ratio > 1.0).then_some(ratio);
        if self.too_long.is_none() {
            self.surfaces.search(sweep, pool, |features| found.push(features));
        }
        self.found.sort_unstable();
        self.list.clear();
        let fixed = |features: &Features| {
            features.vertices.iter().all(|&i| model.fixed()[i as usize] == [true; 3])
        };
        self.list.extend(
            self.found
                .iter()
                .filter(|features| !fixed(features))
                .map(|&features| Candidate::new(features, &self.surfaces, model)),
        );
    }

    /// Whether every vertex of `x` is near either end of the motion.
    fn covers(&self, x: &[Vec3], pool: &ThreadPool) -> bool {
        self.ends.iter().any(|end| {
            let far = |i: usize| (x[i] - end[i]).norm2() > self.stray[i] * self.stray[i];
            let any = |mut range: std::ops::Range<usize>| {
                f64::from(u8::from(range.any(|i| self.surfaces.has(i) && far(i))))
            };
            pool.sum(x.len(), any) == 0.0
        })
    }
}

impl Candidate {
    fn new(features: Features, surfaces: &Surfaces, model: &Model) -> Self {
        let (mut thickness, friction, same) = surfaces.material(&features);
        let rest = features.corners(model.rest());
        if same {
            let closest = features.closest(rest);
            thickness = thickness.min(0.5 * weighted(closest.weights, rest).norm());
        }
        let square = match features.kind {
            Kind::EdgeEdge => (rest[1] - rest[0]).norm2() * (rest[3] - rest[2]).norm2(),
            _ => 0.0,
        };
        Self { features, thickness, friction, square }
    }
}
