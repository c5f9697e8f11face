//! Contact between surfaces as part of what a method minimizes.
//!
//! A pair stores `ω B(s) + μ λ f₀(|u|)` with `r = Σ wᵢ zᵢ`, the gap `s = n·r` and the displacement u of r across n within
//! the step. The closest points, with their weights w and direction n, are those of the feasible state; they, ω and λ are
//! kept while g is minimized and updated in between. So every term is convex, and linear or quadratic in z but for the
//! ramp of B and for f₀.
//!
//! A solve has arrived when the feasible state has followed its iterate to the last bit.

use super::advance::Advance;
use super::barrier::{Barrier, crossing};
use super::candidates::{Candidate, Candidates};
use super::closest_points::{Closest, Features, Kind, weighted};
use super::friction::Sliding;
use crate::linalg::Matrix;
use crate::math::{Mat3, Vec3};
use crate::model::Model;
use crate::report::Contact;
use crate::step_context::StepContext;
use crate::thread_pool::ThreadPool;

/// The speed (m/s) below which a contact sticks.
const CREEP: f64 = 1e-4;

/// Pairs nearer than this, relative to the thickness, are kept at hand.
const NEAR: f64 = 2.0;

/// A gap of the feasible state below the first share of the thickness hardens a pair; above the second, at the end of a
/// step, it softens again.
const HARDENS: f64 = 0.25;
const SOFTENS: f64 = 0.5;

/// The power of two by which a pair hardens at once, and how often at most.
const HARDER_BITS: u32 = 2;
const MOST_HARDENINGS: u32 = 10;

/// A pair of features near each other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    pub(super) features: Features,
    pub(super) weights: [f64; 4],
    /// The distance (m) in the feasible state.
    distance: f64,
    pub(super) barrier: Barrier,
    /// ω.
    pub(super) factor: f64,
    pub(super) friction: f64,
    pub(super) sliding: Sliding,
    /// How often it was hardened.
    hardened: u32,
    /// What rows have applied along n and across it (kg·m).
    pub(super) pressed: f64,
    pub(super) dragged: Vec3,
}

impl Pair {
    /// r (m).
    #[inline]
    pub(super) fn at(&self, x: &[Vec3]) -> Vec3 {
        weighted(self.weights, self.features.corners(x))
    }

    #[inline]
    fn gap(&self, r: Vec3) -> f64 {
        self.sliding.out.dot(r)
    }

    #[inline]
    pub(super) fn energy(&self, r: Vec3, epsilon: f64) -> f64 {
        self.factor * self.barrier.energy(self.gap(r)) + self.sliding.energy(r, epsilon)
    }

    /// By r (N).
    #[inline]
    pub(super) fn gradient(&self, r: Vec3, epsilon: f64) -> Vec3 {
        self.sliding.out * -(self.factor * self.barrier.force(self.gap(r)))
            + self.sliding.gradient(r, epsilon)
    }

    /// By r (N/m).
    #[inline]
    pub(super) fn block(&self, r: Vec3, epsilon: f64) -> Mat3 {
        let n = self.sliding.out;
        let along = self.factor * self.barrier.curvature(self.gap(r));
        n.outer(n) * along + self.sliding.block(r, epsilon)
    }

    /// μ times the normal force (N).
    fn most_friction(&self, r: Vec3) -> f64 {
        self.friction * self.factor * self.barrier.force(self.gap(r))
    }
}

/// The contacts of a step.
#[derive(Default)]
pub(crate) struct SurfaceContacts {
    on: bool,
    candidates: Candidates,
    advance: Advance,
    /// The feasible state (m), and whether it is where the iterate was when it was last updated.
    feasible: Vec<Vec3>,
    arrived: bool,
    /// The iterate (m).
    iterate: Vec<Vec3>,
    pub(super) pairs: Vec<Pair>,
    before: Vec<Pair>,
    closest: Vec<Closest>,
    /// Vertices with four times a pair and which of its vertices, by vertex.
    ends: Vec<(u32, u32)>,
    /// κ (N/m) of each particle.
    stiffness: Vec<f64>,
    /// Pairs that were hardened, and how often, over steps.
    pub(super) hardened: Vec<(Features, u32)>,
    /// ε (m).
    pub(super) epsilon: f64,
    updates: u32,
}

impl SurfaceContacts {
    /// Makes ready for a model; `stiffness(particle, thickness)` is κ (N/m).
    pub(crate) fn prepare(&mut self, model: &Model, stiffness: impl Fn(usize, f64) -> f64) {
        self.on = self.candidates.prepare(model);
        self.stiffness.clear();
        if self.on {
            let surfaces = &self.candidates.surfaces;
            let one =
                |i: usize| if surfaces.has(i) { stiffness(i, surfaces.thickness(i)) } else { 0.0 };
            self.stiffness.extend((0..model.particles()).map(one));
        }
    }

    /// Whether anything can touch.
    pub(crate) fn is_on(&self) -> bool {
        self.on
    }

    /// Whether nothing is near.
    pub(crate) fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// How many times too long the motion of the step is, where it is.
    pub(crate) fn too_long(&self) -> Option<f64> {
        self.candidates.too_long.filter(|_| self.on)
    }

    /// How many pairs are near.
    pub(crate) fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Whether the feasible state has followed the iterate.
    pub(crate) fn has_arrived(&self) -> bool {
        !self.on || self.arrived
    }

    /// Finds what may touch in a step that is expected to lead to `to`.
    pub(crate) fn begin(&mut self, context: StepContext<'_>, to: &[Vec3]) {
        self.pairs.clear();
        self.updates = 0;
        if !self.on {
            self.ends.clear();
            return;
        }
        self.epsilon = CREEP * context.h;
        self.feasible.clone_from(&context.start.positions);
        self.iterate.clear();
        self.iterate.extend_from_slice(to);
        let StepContext { model, pool, .. } = context;
        self.candidates.cover(model, &self.feasible, &self.iterate, pool);
        self.arrived = self.candidates.list.is_empty() && self.candidates.too_long.is_none();
        self.find_pairs(context);
    }

    /// The pairs that are near in the feasible state, or that the iterate presses.
    fn find_pairs(&mut self, context: StepContext<'_>) {
        std::mem::swap(&mut self.pairs, &mut self.before);
        self.pairs.clear();
        let start = &context.start.positions;
        let (mut before, mut hardened) =
            (self.before.iter().peekable(), self.hardened.iter().peekable());
        let (list, feasible) = (&self.candidates.list, &self.feasible);
        self.closest.resize(list.len(), Closest::default());
        context.pool.for_each(&mut self.closest, |first, part| {
            for (closest, candidate) in part.iter_mut().zip(&list[first..]) {
                *closest = candidate.features.closest(candidate.features.corners(feasible));
            }
        });
        for (candidate, closest) in list.iter().zip(&self.closest) {
            let features = candidate.features;
            let distance = closest.offset.norm();
            let n = closest.offset.unit();
            let s = n.dot(weighted(closest.weights, features.corners(&self.iterate)));
            if distance >= NEAR * candidate.thickness && s >= candidate.thickness {
                continue;
            }
            while before.next_if(|pair| pair.features < features).is_some() {}
            while hardened.next_if(|pair| pair.0 < features).is_some() {}
            let known = before.next_if(|pair| pair.features == features);
            let hard = hardened.next_if(|pair| pair.0 == features).map_or(0, |pair| pair.1);
            let hardened = known.map_or(hard, |pair| pair.hardened);
            let stiffness = self.pair_stiffness(context.model, &features);
            let factor = factor(candidate, closest, &self.feasible);
            let from = weighted(closest.weights, features.corners(start));
            let barrier = Barrier {
                thickness: candidate.thickness,
                stiffness: stiffness * (1u64 << (HARDER_BITS * hardened)) as f64,
            };
            let mut pair = Pair {
                features,
                weights: closest.weights,
                distance,
                barrier,
                factor,
                friction: candidate.friction,
                sliding: Sliding::new(from, n, 0.0),
                hardened,
                pressed: 0.0,
                dragged: Vec3::ZERO,
            };
            match known {
                Some(known) => {
                    pair.sliding = known.sliding;
                    pair.sliding.from = from;
                    pair.sliding.press(n, known.sliding.most);
                    (pair.pressed, pair.dragged) = (known.pressed, known.dragged);
                }
                None => {
                    pair.sliding.most = pair.most_friction(n * distance);
                    pair.sliding.start(pair.at(&self.iterate));
                }
            }
            self.pairs.push(pair);
        }
        self.ends.clear();
        for (k, pair) in self.pairs.iter().enumerate() {
            for (end, &i) in pair.features.vertices.iter().enumerate() {
                if pair.weights[end] != 0.0 {
                    self.ends.push((i, 4 * k as u32 + end as u32));
                }
            }
        }
        self.ends.sort_unstable();
    }

    /// κ (N/m): the greater of both sides' means, without sides that cannot move.
    fn pair_stiffness(&self, model: &Model, features: &Features) -> f64 {
        let (a, b) = features.vertices.split_at(features.split());
        let mean = |side: &[u32]| {
            let fixed = side.iter().all(|&i| model.fixed()[i as usize] == [true; 3]);
            let sum: f64 = side.iter().map(|&i| self.stiffness[i as usize]).sum();
            if fixed { 0.0 } else { sum / side.len() as f64 }
        };
        mean(a).max(mean(b))
    }

    /// Follows the iterate to `z` and brings up to date what is kept while g is minimized. Whether g has changed.
    pub(crate) fn update(
        &mut self,
        context: StepContext<'_>,
        z: impl Fn(usize) -> Vec3,
        enough: f64,
        times: u32,
    ) -> bool {
        if !self.on {
            return false;
        }
        for (i, own) in self.iterate.iter_mut().enumerate() {
            *own = z(i);
        }
        self.advance_feasible(context);
        self.harden();
        self.find_pairs(context);
        let mut new = self.has_changed(enough);
        let epsilon = self.epsilon;
        for pair in self.pairs.iter_mut().filter(|pair| pair.friction > 0.0) {
            let r = pair.at(&self.iterate);
            pair.sliding.update_lagged(r, epsilon);
        }
        new |= self.updates < times && self.press(enough);
        self.updates += u32::from(new);
        new
    }

    /// Takes the normal forces at the iterate for friction, where they differ enough.
    fn press(&mut self, enough: f64) -> bool {
        let (mut change, mut size) = (0.0, 0.0);
        for pair in self.pairs.iter().filter(|pair| pair.friction > 0.0) {
            let (most, known) = (pair.most_friction(pair.at(&self.iterate)), pair.sliding.most);
            change += (most - known) * (most - known);
            size += most * most + known * known;
        }
        if change <= enough * enough * size {
            return false;
        }
        let share = if self.updates < RELAXED { 1.0 } else { 0.5 };
        for pair in self.pairs.iter_mut().filter(|pair| pair.friction > 0.0) {
            let (most, known) = (pair.most_friction(pair.at(&self.iterate)), pair.sliding.most);
            pair.sliding.press(pair.sliding.out, known + (most - known) * share);
        }
        true
    }

    /// Lets the feasible state follow the iterate.
    fn advance_feasible(&mut self, context: StepContext<'_>) {
        let StepContext { model, pool, .. } = context;
        let Self { advance, candidates, feasible, iterate, .. } = self;
        self.arrived = advance.advance(model, candidates, feasible, iterate, pool);
    }

    /// Hardens pairs that the feasible state cannot keep apart enough.
    fn harden(&mut self) {
        for pair in &mut self.pairs {
            let corners = pair.features.corners(&self.feasible);
            let distance = pair.features.closest(corners).offset.norm();
            if distance < HARDENS * pair.barrier.thickness && pair.hardened < MOST_HARDENINGS {
                pair.hardened += 1;
            }
        }
    }

    /// Whether the pairs that press have changed by more than `enough`.
    fn has_changed(&self, enough: f64) -> bool {
        let presses = |pair: &Pair| pair.gap(pair.at(&self.iterate)) < pair.barrier.thickness;
        let (now, before) = (
            self.pairs.iter().filter(|pair| presses(pair)),
            self.before.iter().filter(|pair| presses(pair)),
        );
        let (mut now, mut before) = (now, before);
        loop {
            match (now.next(), before.next()) {
                (None, None) => return false,
                (Some(now), Some(before)) if now.features == before.features => {
                    let turned = (now.sliding.out - before.sliding.out).norm();
                    let moved = (0..4)
                        .map(|k| (now.weights[k] - before.weights[k]).abs())
                        .fold(0.0, f64::max);
                    let factor = (now.factor - before.factor).abs();
                    if turned.max(moved).max(factor) > enough || now.hardened != before.hardened {
                        return true;
                    }
                }
                _ => return true,
            }
        }
    }

    /// Ends the solve at the iterate `z`: the feasible state follows for the last time and takes its place. How far it
    /// stayed behind (m).
    pub(crate) fn finish(&mut self, context: StepContext<'_>, z: &mut [Vec3]) -> f64 {
        if !self.on {
            return 0.0;
        }
        if !self.arrived || self.iterate != z {
            self.iterate.copy_from_slice(z);
            self.advance_feasible(context);
            self.find_pairs(context);
        }
        let behind =
            z.iter().zip(&self.feasible).map(|(z, x)| (*z - *x).norm2()).fold(0.0, f64::max);
        z.copy_from_slice(&self.feasible);
        self.hardened.clear();
        for pair in &self.pairs {
            let softer = pair.distance > SOFTENS * pair.barrier.thickness;
            let hardened = pair.hardened.saturating_sub(u32::from(softer));
            if hardened > 0 {
                self.hardened.push((pair.features, hardened));
            }
        }
        behind.sqrt()
    }

    /// The energy (J) at `x`.
    pub(crate) fn energy(&self, x: &[Vec3], pool: &ThreadPool) -> f64 {
        let one = |pair: &Pair| pair.energy(pair.at(x), self.epsilon);
        pool.sum(self.pairs.len(), |range| self.pairs[range].iter().map(one).sum())
    }

    /// The pairs at the particles from `first` on, so many, each with which of its vertices.
    fn ends_of(&self, first: usize, count: usize) -> impl Iterator<Item = (usize, usize, &Pair)> {
        let at = |i: usize| self.ends.partition_point(|end| (end.0 as usize) < i);
        let ends = if self.ends.is_empty() { 0..0 } else { at(first)..at(first + count) };
        self.ends[ends]
            .iter()
            .map(|&(i, end)| (i as usize, end as usize % 4, &self.pairs[end as usize / 4]))
    }

    /// Adds `s` times the gradient (N) at the particles from `first` on to `out`. The energy (J) of pairs whose first
    /// vertex is among them.
    pub(crate) fn add_gradient(&self, x: &[Vec3], s: f64, first: usize, out: &mut [Vec3]) -> f64 {
        let mut sum = 0.0;
        for (i, end, pair) in self.ends_of(first, out.len()) {
            let r = pair.at(x);
            out[i - first] += pair.gradient(r, self.epsilon) * (s * pair.weights[end]);
            sum += if is_first(pair, end) { pair.energy(r, self.epsilon) } else { 0.0 };
        }
        sum
    }

    /// The particles that pairs couple.
    pub(crate) fn couplings(&self) -> impl Iterator<Item = &[u32; 4]> {
        self.pairs.iter().map(|pair| &pair.features.vertices)
    }

    /// `matrix += s ∇²` (N/m); never negative.
    pub(crate) fn hessian(&self, x: &[Vec3], s: f64, matrix: &mut Matrix<Mat3>) {
        for pair in &self.pairs {
            let block = pair.block(pair.at(x), self.epsilon);
            if block == Mat3::ZERO {
                continue;
            }
            for (&i, &own) in pair.features.vertices.iter().zip(&pair.weights) {
                for (&j, &other) in pair.features.vertices.iter().zip(&pair.weights) {
                    if own * other != 0.0 {
                        let slot = matrix.pattern().slot(i, j) as usize;
                        matrix.values_mut()[slot] += block * (s * own * other);
                    }
                }
            }
        }
    }

    /// How stiffly pairs may hold a particle (N/m): what turns rounding of positions into forces.
    pub(crate) fn strength(&self, particle: usize) -> f64 {
        let one = |(_, end, pair): (usize, usize, &Pair)| {
            let stiffness = pair.factor * pair.barrier.stiffness + pair.sliding.most / self.epsilon;
            pair.weights[end].abs() * stiffness
        };
        self.ends_of(particle, 1).map(one).sum()
    }

    /// The work (J) of contacts on a step from `start` to `x`, what they store less and what friction takes, and what
    /// touches there.
    pub(crate) fn measure(&self, start: &[Vec3], x: &[Vec3]) -> (f64, Contact) {
        let (mut work, mut contact) = (0.0, Contact::default());
        for pair in &self.pairs {
            let (r, before) = (pair.at(x), pair.at(start));
            let [stored, left] = [before, r].map(|r| pair.barrier.energy(pair.gap(r)));
            work += pair.factor * (stored - left);
            work -= pair.sliding.gradient(r, self.epsilon).dot(r - before);
            contact.surface_pairs += usize::from(pair.gap(r) < pair.barrier.thickness);
        }
        contact.least_distance = self.pairs.iter().map(|pair| pair.distance).reduce(f64::min);
        (work, contact)
    }
}

/// After so many updates, normal forces of friction are taken by halves.
const RELAXED: u32 = 8;

/// Whether a vertex is the first of a pair that has a weight.
fn is_first(pair: &Pair, end: usize) -> bool {
    pair.weights[..end].iter().all(|&weight| weight == 0.0)
}

/// ω of a candidate.
fn factor(candidate: &Candidate, closest: &Closest, x: &[Vec3]) -> f64 {
    if candidate.features.kind != Kind::EdgeEdge {
        return 1.0;
    }
    let [p, q, r, s] = candidate.features.corners(x);
    let cross = (q - p).cross(s - r).norm2();
    crossing([closest.weights[1], -closest.weights[3]], cross, candidate.square)
}
