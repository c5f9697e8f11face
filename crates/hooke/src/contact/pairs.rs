//! Which places of bodies are near which obstacles within a step: particles, and points of edges that
//! something narrow could come between.
//!
//! Everything is told relative to the obstacle at the end of the step: p is where a place would be had
//! it moved with the obstacle, and the place goes from p to x. As |∇φ| = 1, it cannot touch before
//! it has gone φ(p) − δ; who has not got that far is left out. Where the way from p to x is long against
//! the obstacle's size, steps of the length φ along it tell where it first meets the surface
//! (conservative advancement, `way.rs`). From there on the obstacle is the half-space at that place for the rest of
//! the step, so nothing comes out at the other side.

use super::edges::Edges;
use super::place::Place;
use super::potential::{Depth, Sliding};
use super::way::{Met, Passage};
use crate::math::Point;
use crate::model::{Frame, Model, Obstacle, Response};
use crate::team::Team;

/// A place near an obstacle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    pub(super) place: Place,
    pub(super) obstacle: u32,
    /// p, n, and μλ of friction.
    pub(super) sliding: Sliding,
    /// μ.
    pub(super) friction: f64,
    /// κ (N/m), and with what a body in its place gives way.
    pub(super) hardness: f64,
    pub(super) stiffness: f64,
    /// How far a body gives way along the normal and across it (m/N).
    pub(super) gives: [f64; 2],
    /// The depth (m) where the step starts.
    pub(super) depth: f64,
    /// What rows have applied along the normal and against sliding (kg·m).
    pub(super) pressed: f64,
    pub(super) dragged: Point,
    /// Both together, as vectors.
    pub(super) given: Point,
    /// Where its way met the surface.
    pub(super) met: Option<Met>,
    /// Whether the obstacle is nearest to an end of the edge, which has its own pair.
    pub(super) gone: bool,
}

/// The pairs of a step.
#[derive(Default)]
pub(super) struct Pairs {
    /// Those of particles, by particle and obstacle, then those of edges.
    pub(super) list: Vec<Pair>,
    /// How many are of particles.
    pub(super) alone: usize,
    /// The ends of edges, each with its pair, by particle.
    joined: Vec<(u32, u32)>,
    pub(super) edges: Edges,
    pub(super) passages: Vec<Passage>,
    /// φ(p) − δ less what the obstacle moved (m), for each particle and obstacle.
    pub(super) gaps: Vec<f64>,
    /// How far each particle may go (m) before it meets an obstacle that is in none of its pairs.
    slack: Vec<f64>,
    /// Whether any obstacle is so thin that ways are looked at.
    pub(super) traced: bool,
}

/// How much further than expected a particle may go before it is looked at again.
const REACH: f64 = 2.0;

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
        team.for_each(&mut self.gaps, |first, part| {
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
            let way = (to[i] - from[i]).norm();
            for (k, &gap) in gaps.iter().enumerate() {
                if gap > REACH * way + obstacles[k].thickness {
                    self.slack[i] = self.slack[i].min(gap);
                    continue;
                }
                let passage = &self.passages[k];
                let mut pair = Pair::new(Place::of(i), k, &obstacles[k]);
                pair.begin(&obstacles[k], passage, from, &stiffness);
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

    /// The pairs of the particles from `first` on, so many.
    #[inline]
    pub(super) fn of(&self, first: usize, count: usize) -> &[Pair] {
        let alone = &self.list[..self.alone];
        let at = |i: usize| alone.partition_point(|pair| (pair.place.ends[0] as usize) < i);
        &alone[at(first)..at(first + count)]
    }

    /// The ends of edges among the particles from `first` on, so many: which particle, its share, and the pair.
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
            (i as usize, pair.place.share[usize::from(pair.place.ends[1] == i)], pair)
        })
    }

    /// The depth of a pair with its place at x.
    #[inline]
    pub(super) fn depth(&self, model: &Model, pair: &Pair, x: Point) -> Depth {
        let obstacle = &model.solids()[pair.obstacle as usize];
        let (distance, out) = match &pair.met {
            _ if pair.gone => (f64::INFINITY, pair.sliding.out),
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
        x: &(impl Fn(usize) -> Point + Sync),
        stiffness: impl Fn(usize, &Obstacle) -> f64,
        team: &Team,
    ) -> bool {
        let obstacles = &model.solids()[..self.passages.len()];
        let mut new = false;
        if self.traced {
            for pair in self.list[..self.alone].iter_mut().filter(|pair| pair.met.is_none()) {
                let k = pair.obstacle as usize;
                pair.trace(&obstacles[k], &self.passages[k], x(pair.place.ends[0] as usize));
                new |= pair.met.is_some();
            }
            new |= self.trace_edges(model, from, x, &stiffness);
        }
        let known = self.list.len();
        let slack = &self.slack;
        let far = |i: usize| (x(i) - from[i]).norm2() > slack[i] * slack[i];
        let any = team.sum(from.len(), |mut range| f64::from(u8::from(range.any(far))));
        if any != 0.0 {
            for i in 0..from.len() {
                if (x(i) - from[i]).norm2() <= self.slack[i] * self.slack[i] {
                    continue;
                }
                self.slack[i] = f64::INFINITY;
                for (k, obstacle) in obstacles.iter().enumerate() {
                    if self.of(i, 1).iter().all(|pair| pair.obstacle != k as u32) {
                        let passage = &self.passages[k];
                        let mut pair = Pair::new(Place::of(i), k, obstacle);
                        pair.begin(obstacle, passage, from, &stiffness);
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

    /// Where the obstacle of a pair is at the end of the step.
    pub(super) fn frame(&self, pair: &Pair) -> &Frame {
        &self.passages[pair.obstacle as usize].now
    }

    fn sort(&mut self) {
        let is_edge = |pair: &Pair| pair.place.particle().is_none();
        self.list.sort_unstable_by_key(|pair| (is_edge(pair), pair.place.ends, pair.obstacle));
        self.alone = self.list.partition_point(|pair| !is_edge(pair));
        self.joined.clear();
        for (k, pair) in self.list.iter().enumerate().skip(self.alone) {
            self.joined.extend(pair.place.ends.map(|end| (end, k as u32)));
        }
        self.joined.sort_unstable();
    }

    /// How fast (m/s) the obstacle of a pair moves at its place x.
    pub(super) fn velocity(&self, pair: &Pair, x: Point, h: f64) -> Point {
        let passage = &self.passages[pair.obstacle as usize];
        if !passage.moves {
            return Point::ZERO;
        }
        (x - passage.before.world(passage.now.local(x))) * (1.0 / h)
    }
}

impl Pair {
    pub(super) fn new(place: Place, obstacle: usize, of: &Obstacle) -> Self {
        let friction = match of.response {
            Response::Bounce { friction, .. } => friction,
            Response::PushOut => 0.0,
        };
        let sliding = Sliding::new(Point::ZERO, Point::ZERO, 0.0);
        let obstacle = obstacle as u32;
        let (stiffness, depth, pressed) = (0.0, 0.0, 0.0);
        let (dragged, given, met) = (Point::ZERO, Point::ZERO, None);
        let (hardness, gives, gone) = (0.0, [0.0; 2], false);
        Self {
            place,
            obstacle,
            sliding,
            friction,
            hardness,
            stiffness,
            gives,
            depth,
            pressed,
            dragged,
            given,
            met,
            gone,
        }
    }

    /// Takes p, n, κ and the normal force from where the step starts.
    pub(super) fn begin(
        &mut self,
        obstacle: &Obstacle,
        passage: &Passage,
        from: &[Point],
        stiffness: &impl Fn(usize, &Obstacle) -> f64,
    ) {
        let p = self.place.at(|i| passage.carry(from[i]));
        let (distance, out) = obstacle.distance_in(&passage.now, p);
        self.hardness = self.place.ends().map(|(i, share)| share * stiffness(i, obstacle)).sum();
        self.stiffness = self.hardness;
        self.gives = [0.0; 2];
        self.depth = obstacle.thickness - distance;
        let most = self.friction * self.stiffness * self.depth.max(0.0);
        self.sliding = Sliding::new(p, out, most);
    }

    /// Notes where the way from p to x meets the surface, if it is so long that it might pass through.
    fn trace(&mut self, obstacle: &Obstacle, passage: &Passage, x: Point) {
        if self.met.is_none() {
            self.meet(passage.trace(obstacle, self.sliding.from, x));
        }
    }

    pub(super) fn meet(&mut self, met: Option<Met>) {
        if let Some(met) = met {
            self.sliding.out = met.out;
            self.met = Some(met);
        }
    }
}
