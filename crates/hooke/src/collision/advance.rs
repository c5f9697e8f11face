//! The certified advance: moves surfaces toward a target so that none passes through another on the way.
//!
//! Two features are apart while a plane separates them. With n the direction between their closest points, the gap
//! `G = min_A n·x − max_B n·x` is a concave function of the time within a straight motion: where it is positive at the
//! start and at the end, it is positive all along. So a motion is free of collisions when `G(end) ≥ G_least > 0` for every
//! candidate, whatever the others do.
//!
//! Where a gap would be too small, the vertices beyond a plane between both sides are set back to it; the plane lies where
//! that keeps the linear momentum. What still collides after [`ROUNDS`] of this is shortened, at last to nothing, which is
//! always safe. The motion is made in up to [`HOPS`] hops, each with planes of its own.

use super::candidates::{Candidate, Candidates};
use super::closest_points::Features;
use crate::math::Vec3;
use crate::model::Model;
use crate::thread_pool::ThreadPool;

/// The most hops of a motion.
const HOPS: u32 = 4;

/// How often colliding vertices are set back to planes, and then how often their motion is halved.
const ROUNDS: u32 = 16;
const HALVINGS: u32 = 6;

/// The gap that is left of a closing one, relative to it, and what vertices are set back to.
const KEPT: f64 = 0.1;
const AIM: f64 = 0.2;

/// The gap below which nothing closes further, relative to the thickness.
const CLOSEST: f64 = 5e-4;

/// The plane between the sides of a candidate at the start of a hop.
#[derive(Clone, Copy, Default)]
struct Plane {
    n: Vec3,
    /// The least gap at the end, and the one that vertices are set back to (m).
    least: f64,
    aim: f64,
}

/// An advance, with its workspace.
#[derive(Default)]
pub(super) struct Advance {
    planes: Vec<Plane>,
    collides: Vec<bool>,
    /// Where a hop ends (m).
    end: Vec<Vec3>,
}

impl Advance {
    /// Moves `x` toward `target`. Whether it got there, to the bit.
    pub(super) fn advance(
        &mut self,
        model: &Model,
        candidates: &mut Candidates,
        x: &mut [Vec3],
        target: &[Vec3],
        pool: &ThreadPool,
    ) -> bool {
        for _ in 0..HOPS {
            self.end.clear();
            self.end.extend_from_slice(target);
            self.free(model, candidates, x, pool);
            x.copy_from_slice(&self.end);
            if x == target {
                return true;
            }
            if candidates.too_long.is_some() {
                break;
            }
        }
        false
    }

    /// Changes the end of a hop from `x` until nothing collides on the way.
    fn free(&mut self, model: &Model, candidates: &mut Candidates, x: &[Vec3], pool: &ThreadPool) {
        candidates.cover(model, x, &self.end, pool);
        if candidates.too_long.is_some() {
            // Nothing is known of such a motion.
            return self.end.copy_from_slice(x);
        }
        self.find_planes(&candidates.list, x, pool);
        for round in 0.. {
            if !self.find_collisions(&candidates.list, pool) {
                // What was set back may have strayed from the motion that the list is for.
                let made = candidates.made;
                candidates.cover(model, x, &self.end, pool);
                if made == candidates.made {
                    return;
                }
                self.find_planes(&candidates.list, x, pool);
                if !self.find_collisions(&candidates.list, pool) {
                    return;
                }
            }
            for k in (0..candidates.list.len()).filter(|&k| self.collides[k]) {
                let features = &candidates.list[k].features;
                if round < ROUNDS {
                    set_back(model, features, &self.planes[k], &mut self.end);
                    continue;
                }
                let share = if round < ROUNDS + HALVINGS { 0.5 } else { 0.0 };
                for i in features.vertices.map(|i| i as usize) {
                    self.end[i] = x[i] + (self.end[i] - x[i]) * share;
                }
            }
        }
    }

    fn find_planes(&mut self, list: &[Candidate], x: &[Vec3], pool: &ThreadPool) {
        self.planes.resize(list.len(), Plane::default());
        self.collides.resize(list.len(), false);
        pool.for_each(&mut self.planes, |first, part| {
            for (plane, candidate) in part.iter_mut().zip(&list[first..]) {
                let corners = candidate.features.corners(x);
                let offset = candidate.features.closest(corners).offset;
                let n = offset.unit();
                let gap = candidate.features.gap(n, corners);
                let least = gap.min((KEPT * gap).max(CLOSEST * candidate.thickness));
                *plane = Plane { n, least, aim: least.max(AIM * gap) };
            }
        });
    }

    /// Whether any candidate collides on the way from the planes to the end.
    fn find_collisions(&mut self, list: &[Candidate], pool: &ThreadPool) -> bool {
        let Self { planes, collides, end } = self;
        let [any] = pool.sum_each(collides, |first, part| {
            let mut any = 0.0;
            for (k, collides) in (first..).zip(part) {
                let (features, plane) = (&list[k].features, &planes[k]);
                *collides = features.gap(plane.n, features.corners(end)) < plane.least;
                any += f64::from(u8::from(*collides));
            }
            [any]
        });
        any > 0.0
    }
}

/// Sets the vertices of both sides back to planes across n: those of A that are below `c + aim/2`, those of B above
/// `c − aim/2`, with c such that the linear momentum is kept.
fn set_back(model: &Model, features: &Features, plane: &Plane, end: &mut [Vec3]) {
    let (n, half) = (plane.n, 0.5 * plane.aim);
    let vertices = features.vertices.map(|i| i as usize);
    let sides = [0, 1, 2, 3].map(|k| {
        let i = vertices[k];
        let of_a = k < features.split();
        let level = n.dot(end[i]) + if of_a { -half } else { half };
        // A vertex that is there twice counts once.
        let twice = k == 3 && vertices[2] == i;
        let mobility = if twice { 0.0 } else { mobility(model, i, n) };
        let level = if twice { f64::NEG_INFINITY } else { level };
        Side { of_a, level, mobility }
    });
    let c = balance(sides);
    for (side, &i) in sides.iter().zip(&vertices) {
        let push = side.push(c);
        if push != 0.0 && side.mobility > 0.0 {
            for axis in 0..3 {
                end[i][axis] += n[axis] * (push / side.mobility) * model.inverse_mass(i, axis);
            }
        }
    }
}

/// How far a vertex moves along n per impulse along n (1/kg).
pub(super) fn mobility(model: &Model, vertex: usize, n: Vec3) -> f64 {
    (0..3).map(|axis| n[axis] * n[axis] * model.inverse_mass(vertex, axis)).sum()
}

/// A vertex beside a plane at c.
#[derive(Clone, Copy)]
struct Side {
    of_a: bool,
    /// The c at which it is at its bound.
    level: f64,
    mobility: f64,
}

impl Side {
    /// How far it has to move along n.
    fn push(&self, c: f64) -> f64 {
        let depth = c - self.level;
        if self.of_a { depth.max(0.0) } else { depth.min(0.0) }
    }
}

/// The c at which the impulses of all pushes sum to zero, such that vertices that cannot move need not.
fn balance(sides: [Side; 4]) -> f64 {
    let moves = |side: &&Side| side.mobility > 0.0;
    let sum = |c: f64| -> f64 { sides.iter().filter(moves).map(|s| s.push(c) / s.mobility).sum() };
    let mut levels = sides.map(|side| side.level);
    levels.sort_unstable_by(f64::total_cmp);
    // The sum rises with c: its root lies between the last level where it is not positive and the next.
    let low = (0..4).rev().find(|&k| sum(levels[k]) <= 0.0).unwrap_or(0);
    let (a, b) = (levels[low], levels[(low + 1).min(3)]);
    let (left, right) = (sum(a), sum(b));
    let c = if left < 0.0 && right > 0.0 { a - left * (b - a) / (right - left) } else { a };
    let fixed = |of_a: bool| {
        sides.iter().filter(move |s| s.of_a == of_a && s.mobility == 0.0).map(|s| s.level)
    };
    let (least, most) =
        (fixed(false).fold(f64::NEG_INFINITY, f64::max), fixed(true).fold(f64::INFINITY, f64::min));
    c.max(least).min(most)
}
