//! Detection: contact points near obstacles within a step. Contact points are particles, and points
//! on edges where a narrow obstacle could pass between two particles.
//!
//! Motion is relative to the obstacle at the end of the step: p is where a point would be if it had
//! moved with the obstacle, and its displacement is x − p. As |∇φ| = 1, a point cannot touch before
//! it has moved by φ(p) − δ; points that move less are left out. If the displacement is long
//! compared with the obstacle's size, steps of length φ along it find where it first meets the
//! surface (conservative advancement, `time_of_impact.rs`). For the rest of the step the obstacle
//! is then the half-space at that point, so nothing comes out at the other side.

use super::anchors::Anchors;
use super::contact_point::ContactPoint;
use super::edges::Edges;
use super::potential::{Depth, STRAIN, Sliding};
use super::time_of_impact::{Hit, Passage};
use crate::math::{Mat3, Vec3};
use crate::model::{Frame, Model, Obstacle, Response, Shape};
use crate::thread_pool::ThreadPool;

/// A contact point near an obstacle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    pub(super) point: ContactPoint,
    pub(super) obstacle: u32,
    /// p, n, and μλ of friction.
    pub(super) sliding: Sliding,
    /// μ.
    pub(super) friction: f64,
    /// ε (m), without the compliance of a body.
    pub(super) slip: f64,
    /// κ (N/m): without the compliance of a body, and with it.
    pub(super) hardness: f64,
    pub(super) stiffness: f64,
    /// The compliance (m/N) of a body along the normal and across it.
    pub(super) body_compliance: [f64; 2],
    /// The depth (m) at the start of the step.
    pub(super) depth: f64,
    /// The multipliers that rows have applied along the normal and against sliding (kg·m).
    pub(super) pressed: f64,
    pub(super) dragged: Vec3,
    /// Their sum, as a vector.
    pub(super) given: Vec3,
    /// The difference (N) between μλ and its lagged value at the last update.
    pub(super) missed: f64,
    /// The point where its path met the surface.
    pub(super) met: Option<Hit>,
    /// Whether the obstacle is nearest to an end of the edge, which has a pair of its own.
    pub(super) gone: bool,
}

/// The pairs of a step.
#[derive(Default)]
pub(super) struct Pairs {
    /// Pairs of particles, by particle and obstacle, then pairs of edges.
    pub(super) list: Vec<Pair>,
    /// The number of pairs of particles.
    pub(super) alone: usize,
    /// The ends of edges, each with its pair, by particle.
    joined: Vec<(u32, u32)>,
    pub(super) edges: Edges,
    pub(super) anchors: Anchors,
    /// ε (m) at bodies.
    pub(super) creep: f64,
    pub(super) passages: Vec<Passage>,
    /// φ(p) − δ minus the displacement of the obstacle (m), for each particle and obstacle.
    pub(super) gaps: Vec<f64>,
    /// How far (m) each particle can move before it could meet an obstacle that it has no pair
    /// with.
    slack: Vec<f64>,
    /// Whether any obstacle is so thin that paths are traced.
    pub(super) traced: bool,
}

/// The thickness (m) used for an obstacle that has none.
const SOME_THICKNESS: f64 = 1e-3;

/// The thickness (m) of an obstacle, or a default.
pub(super) fn thickness(obstacle: &Obstacle) -> f64 {
    if obstacle.thickness > 0.0 { obstacle.thickness } else { SOME_THICKNESS }
}

/// The factor by which a particle may exceed its expected displacement before it is tested again.
const REACH: f64 = 2.0;

impl Pairs {
    /// Finds the pairs of a step from `from` that is expected to lead to `to`. `frames` holds the
    /// frames of the obstacles at the start and the end of the step;
    /// `stiffness(particle, obstacle)` is κ (N/m).
    pub(super) fn find(
        &mut self,
        model: &Model,
        (from, to): (&[Vec3], &[Vec3]),
        frames: &[[Frame; 2]],
        stiffness: impl Fn(usize, &Obstacle) -> f64,
        pool: &ThreadPool,
    ) {
        let obstacles = &model.solids()[..frames.len()];
        self.list.clear();
        self.alone = 0;
        self.edges.fit(model);
        self.passages.clear();
        self.passages.extend(
            obstacles.iter().zip(frames).map(|(obstacle, &frames)| Passage::new(obstacle, frames)),
        );
        let count = obstacles.len();
        self.gaps.resize(from.len() * count, 0.0);
        self.slack.resize(from.len(), 0.0);
        let passages = &self.passages;
        pool.for_each(&mut self.gaps, |first, part| {
            for (k, gap) in (first..).zip(part) {
                let (x, k) = (from[k / count], k % count);
                let p = passages[k].carry(x);
                let distance = obstacles[k].at_least_in(&passages[k].now, p);
                *gap = distance - obstacles[k].thickness - (x - p).norm();
            }
        });
        self.traced = false;
        for (i, gaps) in self.gaps.chunks(count).enumerate() {
            self.slack[i] = f64::INFINITY;
            if model.fixed()[i] == [true; 3] {
                continue;
            }
            let displacement = (to[i] - from[i]).norm();
            for (k, &gap) in gaps.iter().enumerate() {
                if gap > REACH * displacement + obstacles[k].thickness {
                    self.slack[i] = self.slack[i].min(gap);
                    continue;
                }
                let passage = &self.passages[k];
                let mut pair = Pair::new(ContactPoint::of(i), k, &obstacles[k]);
                pair.begin(model, (passage, &self.anchors, self.creep), from, &stiffness);
                pair.trace(&obstacles[k], passage, to[i]);
                self.traced |= passage.thin < f64::INFINITY;
                self.list.push(pair);
            }
        }
        self.alone = self.list.len();
        self.join(model, from, &|i| to[i], &stiffness, 0..0);
        self.sort();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub(super) fn clear(&mut self) {
        self.list.clear();
        self.joined.clear();
        self.alone = 0;
    }

    /// The pairs of the `count` particles from `first` on.
    #[inline]
    pub(super) fn of(&self, first: usize, count: usize) -> &[Pair] {
        let alone = &self.list[..self.alone];
        let at = |i: usize| alone.partition_point(|pair| (pair.point.ends[0] as usize) < i);
        &alone[at(first)..at(first + count)]
    }

    /// The ends of edges among the `count` particles from `first` on: the particle, its share, and
    /// the pair.
    #[inline]
    pub(super) fn ends_of(
        &self,
        first: usize,
        count: usize,
    ) -> impl Iterator<Item = (usize, f64, &Pair)> {
        let at = |i: usize| self.joined.partition_point(|end| (end.0 as usize) < i);
        let ends = if self.joined.is_empty() { 0..0 } else { at(first)..at(first + count) };
        self.joined[ends].iter().map(|&(i, k)| {
            let pair = &self.list[k as usize];
            (i as usize, pair.point.share[usize::from(pair.point.ends[1] == i)], pair)
        })
    }

    /// The depth of a pair with its contact point at x.
    #[inline]
    pub(super) fn depth(&self, model: &Model, pair: &Pair, x: Vec3) -> Depth {
        let obstacle = &model.solids()[pair.obstacle as usize];
        let (distance, out) = match &pair.met {
            _ if pair.gone => (f64::INFINITY, pair.sliding.out),
            Some(met) => (met.distance + met.out.dot(x - met.point), met.out),
            None => obstacle.distance_in(&self.passages[pair.obstacle as usize].now, x),
        };
        Depth { depth: obstacle.thickness - distance, out }
    }

    /// ∇²φ (1/m) of a pair with its contact point at x, by differences of ∇φ. Outside of a surface
    /// it is at most 1/φ along each direction. A larger value means that ∇φ jumps; then it is set
    /// to zero.
    pub(super) fn curvature(&self, model: &Model, pair: &Pair, x: Vec3) -> Mat3 {
        let obstacle = &model.solids()[pair.obstacle as usize];
        if pair.met.is_some() || pair.gone || matches!(obstacle.shape, Shape::HalfSpace) {
            return Mat3::ZERO;
        }
        let frame = &self.passages[pair.obstacle as usize].now;
        let (distance, out) = obstacle.distance_in(frame, x);
        let reach = 1e-3 * distance.abs().max(1e-3 * thickness(obstacle));
        let most = 2.0 / distance.abs();
        let mut sum = Mat3::ZERO;
        let [x_axis, y_axis, _] = Vec3::AXES;
        let first = out.cross(if out.x.abs() < 0.7 { x_axis } else { y_axis }).unit();
        for along in [first, out.cross(first)] {
            let there = |s: f64| obstacle.distance_in(frame, x + along * (s * reach)).1;
            let rotation = (there(1.0) - there(-1.0)) * (0.5 / reach);
            let rotation = rotation - out * rotation.dot(out);
            if rotation.norm() > most {
                return Mat3::ZERO;
            }
            sum += rotation.outer(along);
        }
        (sum + sum.transpose()) * 0.5
    }

    /// Traces the paths to `x` of pairs with thin obstacles, and adds pairs of particles that have
    /// moved further than expected. Returns whether anything is new.
    pub(super) fn detect_pairs(
        &mut self,
        model: &Model,
        from: &[Vec3],
        x: &(impl Fn(usize) -> Vec3 + Sync),
        stiffness: impl Fn(usize, &Obstacle) -> f64,
        pool: &ThreadPool,
    ) -> bool {
        let obstacles = &model.solids()[..self.passages.len()];
        let mut new = false;
        if self.traced {
            for pair in self.list[..self.alone].iter_mut().filter(|pair| pair.met.is_none()) {
                let k = pair.obstacle as usize;
                pair.trace(&obstacles[k], &self.passages[k], x(pair.point.ends[0] as usize));
                new |= pair.met.is_some();
            }
            new |= self.trace_edges(model, from, x, &stiffness);
        }
        let known = self.list.len();
        let slack = &self.slack;
        let far = |i: usize| (x(i) - from[i]).norm2() > slack[i] * slack[i];
        let any = pool.sum(from.len(), |mut range| f64::from(u8::from(range.any(far))));
        if any != 0.0 {
            for i in 0..from.len() {
                if (x(i) - from[i]).norm2() <= self.slack[i] * self.slack[i] {
                    continue;
                }
                self.slack[i] = f64::INFINITY;
                for (k, obstacle) in obstacles.iter().enumerate() {
                    if self.of(i, 1).iter().all(|pair| pair.obstacle != k as u32) {
                        let passage = &self.passages[k];
                        let mut pair = Pair::new(ContactPoint::of(i), k, obstacle);
                        pair.begin(model, (passage, &self.anchors, self.creep), from, &stiffness);
                        pair.trace(obstacle, passage, x(i));
                        self.traced |= passage.thin < f64::INFINITY;
                        self.list.push(pair);
                    }
                }
            }
        }
        self.join(model, from, x, &stiffness, self.alone..known);
        if self.list.len() > known {
            self.sort();
            return true;
        }
        new
    }

    /// The frame of a pair's obstacle at the end of the step.
    pub(super) fn frame(&self, pair: &Pair) -> &Frame {
        &self.passages[pair.obstacle as usize].now
    }

    fn sort(&mut self) {
        let is_edge = |pair: &Pair| pair.point.particle().is_none();
        self.list.sort_unstable_by_key(|pair| (is_edge(pair), pair.point.ends, pair.obstacle));
        self.alone = self.list.partition_point(|pair| !is_edge(pair));
        self.joined.clear();
        for (k, pair) in self.list.iter().enumerate().skip(self.alone) {
            self.joined.extend(pair.point.ends.map(|end| (end, k as u32)));
        }
        self.joined.sort_unstable();
    }

    /// The velocity (m/s) of a pair's obstacle at the contact point x.
    pub(super) fn velocity(&self, pair: &Pair, x: Vec3, h: f64) -> Vec3 {
        let passage = &self.passages[pair.obstacle as usize];
        if !passage.moves {
            return Vec3::ZERO;
        }
        (x - passage.before.world(passage.now.local(x))) * (1.0 / h)
    }
}

impl Pair {
    pub(super) fn new(point: ContactPoint, obstacle: usize, of: &Obstacle) -> Self {
        let friction = match of.response {
            Response::Bounce { friction, .. } => friction,
            Response::PushOut => 0.0,
        };
        let sliding = Sliding::new(Vec3::ZERO, Vec3::ZERO, 0.0);
        let obstacle = obstacle as u32;
        let (stiffness, depth, pressed, missed) = (0.0, 0.0, 0.0, 0.0);
        let (dragged, given, met) = (Vec3::ZERO, Vec3::ZERO, None);
        let (slip, hardness, body_compliance, gone) = (0.0, 0.0, [0.0; 2], false);
        Self {
            point,
            obstacle,
            sliding,
            friction,
            slip,
            hardness,
            stiffness,
            body_compliance,
            depth,
            pressed,
            dragged,
            given,
            missed,
            met,
            gone,
        }
    }

    /// Sets p, n, κ, ε and the normal force at the start of the step; ε at bodies is `creep`.
    pub(super) fn begin(
        &mut self,
        model: &Model,
        (passage, anchors, creep): (&Passage, &Anchors, f64),
        from: &[Vec3],
        stiffness: &impl Fn(usize, &Obstacle) -> f64,
    ) {
        let obstacle = &model.solids()[self.obstacle as usize];
        let body = self.obstacle as usize >= model.obstacles().len();
        let p = self.point.at(|i| passage.carry(from[i]));
        let strain = if body { Vec3::ZERO } else { anchors.strain(self, &passage.now) };
        self.slip = if body { creep } else { STRAIN * thickness(obstacle) };
        let (distance, out) = obstacle.distance_in(&passage.now, p);
        self.hardness = self.point.ends().map(|(i, share)| share * stiffness(i, obstacle)).sum();
        self.stiffness = self.hardness;
        self.body_compliance = [0.0; 2];
        self.depth = obstacle.thickness - distance;
        let most = self.friction * self.stiffness * self.depth.max(0.0);
        self.sliding = Sliding::new(p - strain, out, most);
    }

    /// ε (m). A contact that sticks to a body also creeps by the displacement that friction causes
    /// in the body.
    #[inline]
    pub(super) fn epsilon(&self) -> f64 {
        self.slip + self.sliding.most * self.body_compliance[1]
    }

    /// Stores where the path from p to x meets the surface, if it is long enough to pass through.
    fn trace(&mut self, obstacle: &Obstacle, passage: &Passage, x: Vec3) {
        if self.met.is_none() {
            self.meet(passage.trace(obstacle, self.sliding.from, x));
        }
    }

    pub(super) fn meet(&mut self, met: Option<Hit>) {
        if let Some(met) = met {
            self.sliding.out = met.out;
            self.met = Some(met);
        }
    }
}
