//! Which particles are near which obstacles within a step.
//!
//! Everything is told relative to the obstacle at the end of the step: p is where a particle would be had
//! it moved with the obstacle, and the particle goes from p to x. As |∇φ| = 1, it cannot touch before
//! it has gone φ(p) − δ; who has not got that far is left out. Where the way from p to x is long against
//! the obstacle's size, steps of the length φ along it tell where it first meets the surface
//! (conservative advancement). From there on the obstacle is the half-space at that place for the rest of
//! the step, so nothing comes out at the other side.

use super::potential::{Depth, Sliding};
use crate::math::Point;
use crate::model::{Frame, Model, Obstacle, Response};
use crate::team::Team;

/// A particle near an obstacle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    pub(super) particle: u32,
    pub(super) obstacle: u32,
    /// p, n, and μλ of friction.
    pub(super) sliding: Sliding,
    /// μ.
    pub(super) friction: f64,
    /// κ (N/m), and with what a body in its place gives way.
    pub(super) hardness: f64,
    pub(super) stiffness: f64,
    /// How far a body gives way across the normal (m/N).
    pub(super) slides: f64,
    /// The depth (m) where the step starts.
    pub(super) depth: f64,
    /// What rows have applied along the normal and against sliding (kg·m).
    pub(super) pressed: f64,
    pub(super) dragged: Point,
    /// Both together, as vectors.
    pub(super) given: Point,
    /// Where its way met the surface.
    met: Option<Met>,
}

/// A place on a way that meets the surface.
#[derive(Clone, Copy, Debug)]
struct Met {
    place: Point,
    distance: f64,
    out: Point,
}

/// An obstacle during a step.
#[derive(Clone, Copy)]
struct Passage {
    before: Frame,
    now: Frame,
    moves: bool,
    /// Ways shorter than this (m) pass through nothing.
    thin: f64,
}

/// The pairs of a step.
#[derive(Default)]
pub(super) struct Pairs {
    /// By particle, then by obstacle.
    pub(super) list: Vec<Pair>,
    passages: Vec<Passage>,
    /// φ(p) − δ less what the obstacle moved (m), for each particle and obstacle.
    gaps: Vec<f64>,
    /// How far each particle may go (m) before it meets an obstacle that is in none of its pairs.
    slack: Vec<f64>,
    /// Whether any obstacle is so thin that ways are looked at.
    traced: bool,
}

/// How much further than expected a particle may go before it is looked at again.
const REACH: f64 = 2.0;

/// The share of the thickness left where a way is said to meet a surface.
const MEETS: f64 = 0.25;

/// The most looks along a way, and the least length of a step along it, relative to the obstacle's size.
const LOOKS: u32 = 4096;
const STRIDE: f64 = 1.0 / 8.0;

impl Pairs {
    /// Finds the pairs of a step from `from` that is expected to lead to `to`, with as many obstacles as have
    /// frames, at its start and its end;
    /// `stiffness(particle, obstacle)` is κ (N/m).
    pub(super) fn find(
        &mut self,
        model: &Model,
        (from, to): (&[Point], &[Point]),
        frames: &[[Frame; 2]],
        stiffness: impl Fn(usize, &Obstacle) -> f64,
        team: &Team,
    ) {
        let obstacles = &model.solids()[..frames.len()];
        self.list.clear();
        self.passages.clear();
        self.passages.extend(obstacles.iter().zip(frames).map(|(obstacle, &[before, now])| {
            Passage { before, now, moves: before != now, thin: 0.5 * obstacle.size() }
        }));
        let count = obstacles.len();
        self.gaps.resize(from.len() * count, 0.0);
        self.slack.resize(from.len(), 0.0);
        let passages = &self.passages;
        team.for_each(&mut self.gaps, |first, part| {
            for (k, gap) in (first..).zip(part) {
                let (x, k) = (from[k / count], k % count);
                let p = passages[k].carry(x);
                let (distance, _) = obstacles[k].distance_in(&passages[k].now, p);
                *gap = distance - obstacles[k].thickness - (x - p).norm();
            }
        });
        self.traced = false;
        for (i, gaps) in self.gaps.chunks(count).enumerate() {
            self.slack[i] = f64::INFINITY;
            if model.fixed()[i] == [true; 3] {
                continue;
            }
            let way = (to[i] - from[i]).norm();
            for (k, &gap) in gaps.iter().enumerate() {
                if gap > REACH * way + obstacles[k].thickness {
                    self.slack[i] = self.slack[i].min(gap);
                    continue;
                }
                let mut pair = Pair::new(i, k, &obstacles[k]);
                pair.begin(&obstacles[k], &self.passages[k], from[i], stiffness(i, &obstacles[k]));
                self.traced |= self.passages[k].thin < f64::INFINITY;
                pair.trace(&obstacles[k], &self.passages[k], to[i]);
                self.list.push(pair);
            }
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The pairs of the particles from `first` on, so many.
    #[inline]
    pub(super) fn of(&self, first: usize, count: usize) -> &[Pair] {
        let at = |i: usize| self.list.partition_point(|pair| (pair.particle as usize) < i);
        &self.list[at(first)..at(first + count)]
    }

    /// The depth of a pair with its particle at x.
    #[inline]
    pub(super) fn depth(&self, model: &Model, pair: &Pair, x: Point) -> Depth {
        let obstacle = &model.solids()[pair.obstacle as usize];
        let (distance, out) = match &pair.met {
            Some(met) => (met.distance + met.out.dot(x - met.place), met.out),
            None => obstacle.distance_in(&self.passages[pair.obstacle as usize].now, x),
        };
        Depth { depth: obstacle.thickness - distance, out }
    }

    /// Looks at the ways to `x` of what is near something thin, and for particles that have got further
    /// than was expected. Whether anything is new.
    pub(super) fn look(
        &mut self,
        model: &Model,
        from: &[Point],
        x: impl Fn(usize) -> Point + Sync,
        stiffness: impl Fn(usize, &Obstacle) -> f64,
        team: &Team,
    ) -> bool {
        let obstacles = &model.solids()[..self.passages.len()];
        let mut new = false;
        if self.traced {
            for pair in self.list.iter_mut().filter(|pair| pair.met.is_none()) {
                let k = pair.obstacle as usize;
                pair.trace(&obstacles[k], &self.passages[k], x(pair.particle as usize));
                new |= pair.met.is_some();
            }
        }
        let slack = &self.slack;
        let far = |i: usize| (x(i) - from[i]).norm2() > slack[i] * slack[i];
        let any = team.sum(from.len(), |mut range| f64::from(u8::from(range.any(far))));
        if any == 0.0 {
            return new;
        }
        let known = self.list.len();
        for i in 0..from.len() {
            if (x(i) - from[i]).norm2() <= self.slack[i] * self.slack[i] {
                continue;
            }
            self.slack[i] = f64::INFINITY;
            for (k, obstacle) in obstacles.iter().enumerate() {
                let own = |pair: &Pair| (pair.particle as usize, pair.obstacle as usize);
                if self.list[..known].binary_search_by_key(&(i, k), own).is_err() {
                    let mut pair = Pair::new(i, k, obstacle);
                    pair.begin(obstacle, &self.passages[k], from[i], stiffness(i, obstacle));
                    self.traced |= self.passages[k].thin < f64::INFINITY;
                    pair.trace(obstacle, &self.passages[k], x(i));
                    self.list.push(pair);
                }
            }
        }
        self.list.sort_unstable_by_key(|pair| (pair.particle, pair.obstacle));
        true
    }

    /// Where the obstacle of a pair is at the end of the step.
    pub(super) fn frame(&self, pair: &Pair) -> &Frame {
        &self.passages[pair.obstacle as usize].now
    }

    /// How fast (m/s) the obstacle of a pair moves at its particle.
    pub(super) fn velocity(&self, pair: &Pair, x: Point, h: f64) -> Point {
        let passage = &self.passages[pair.obstacle as usize];
        if !passage.moves {
            return Point::ZERO;
        }
        (x - passage.before.world(passage.now.local(x))) * (1.0 / h)
    }
}

impl Passage {
    /// Where what was at x goes with the obstacle.
    #[inline]
    fn carry(&self, x: Point) -> Point {
        if self.moves { self.now.world(self.before.local(x)) } else { x }
    }
}

impl Pair {
    fn new(particle: usize, obstacle: usize, of: &Obstacle) -> Self {
        let friction = match of.response {
            Response::Bounce { friction, .. } => friction,
            Response::PushOut => 0.0,
        };
        let sliding = Sliding::new(Point::ZERO, Point::ZERO, 0.0);
        let (particle, obstacle) = (particle as u32, obstacle as u32);
        let (stiffness, depth, pressed) = (0.0, 0.0, 0.0);
        let (dragged, given, met) = (Point::ZERO, Point::ZERO, None);
        let (hardness, slides) = (0.0, 0.0);
        Self {
            particle,
            obstacle,
            sliding,
            friction,
            hardness,
            stiffness,
            slides,
            depth,
            pressed,
            dragged,
            given,
            met,
        }
    }

    /// Takes p, n and the normal force from where the step starts.
    fn begin(&mut self, obstacle: &Obstacle, passage: &Passage, from: Point, stiffness: f64) {
        let p = passage.carry(from);
        let (distance, out) = obstacle.distance_in(&passage.now, p);
        self.hardness = stiffness;
        self.stiffness = stiffness;
        self.depth = obstacle.thickness - distance;
        self.sliding = Sliding::new(p, out, self.friction * stiffness * self.depth.max(0.0));
    }

    /// Notes where the way from p to x meets the surface, if it is so long that it might pass through.
    fn trace(&mut self, obstacle: &Obstacle, passage: &Passage, x: Point) {
        let p = self.sliding.from;
        let way = (x - p).norm();
        if self.met.is_some() || way < passage.thin || !way.is_finite() {
            return;
        }
        let along = (x - p) * (1.0 / way);
        let (first, _) = obstacle.distance_in(&passage.now, p);
        if first <= 0.0 {
            return;
        }
        let meets = (MEETS * obstacle.thickness).max(1e-3 * passage.thin).min(0.5 * first);
        let mut gone = 0.0;
        for _ in 0..LOOKS {
            let place = p + along * gone;
            let (distance, out) = obstacle.distance_in(&passage.now, place);
            if distance <= meets && along.dot(out) < 0.0 {
                self.sliding.out = out;
                self.met = Some(Met { place, distance, out });
                return;
            }
            gone += distance.max(STRIDE * passage.thin);
            if gone >= way {
                return;
            }
        }
    }
}
