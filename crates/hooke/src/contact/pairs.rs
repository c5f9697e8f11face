//! Which places of bodies are near which obstacles within a step: particles, and points of edges that
//! something narrow could come between.
//!
//! Everything is told relative to the obstacle at the end of the step: p is where a place would be had
//! it moved with the obstacle, and the place goes from p to x. As |∇φ| = 1, it cannot touch before
//! it has gone φ(p) − δ; who has not got that far is left out. Where the way from p to x is long against
//! the obstacle's size, steps of the length φ along it tell where it first meets the surface
//! (conservative advancement, `way.rs`). From there on the obstacle is the half-space at that place for the rest of
//! the step, so nothing comes out at the other side.

use super::edges::{self, Edges};
use super::potential::{Depth, Sliding};
use super::way::{Met, Passage};
use crate::math::Point;
use crate::model::{Model, Obstacle, Response};
use crate::team::Team;
use std::ops::Range;

/// A place near an obstacle: `s₀ x₀ + s₁ x₁`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    /// The particles, twice the same where the place is one of them.
    pub(super) ends: [u32; 2],
    /// s₀ and s₁.
    pub(super) share: [f64; 2],
    pub(super) obstacle: u32,
    /// p, n, and μλ of friction.
    pub(super) sliding: Sliding,
    /// μ.
    pub(super) friction: f64,
    /// κ (N/m).
    pub(super) stiffness: f64,
    /// The depth (m) where the step starts.
    pub(super) depth: f64,
    /// What rows have applied along the normal and against sliding (kg·m).
    pub(super) pressed: f64,
    pub(super) dragged: Point,
    /// Where its way met the surface.
    met: Option<Met>,
    /// Whether the obstacle is nearest to an end of the edge, which has its own pair.
    gone: bool,
}

/// The pairs of a step.
#[derive(Default)]
pub(super) struct Pairs {
    /// Those of particles, by particle and obstacle, then those of edges.
    pub(super) list: Vec<Pair>,
    /// How many are of particles.
    alone: usize,
    /// The ends of edges, each with its pair, by particle.
    joined: Vec<(u32, u32)>,
    edges: Edges,
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

impl Pairs {
    /// Finds the pairs of a step from `from` that is expected to lead to `to`, between two times (s);
    /// `stiffness(particle, obstacle)` is κ (N/m).
    pub(super) fn find(
        &mut self,
        model: &Model,
        (from, to): (&[Point], &[Point]),
        times: [f64; 2],
        stiffness: impl Fn(usize, &Obstacle) -> f64,
        team: &Team,
    ) {
        let obstacles = model.obstacles();
        self.list.clear();
        self.alone = 0;
        self.edges.fit(model);
        self.passages.clear();
        self.passages.extend(obstacles.iter().map(|obstacle| Passage::new(obstacle, times)));
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
                let mut pair = Pair::new([i; 2], [1.0, 0.0], k, &obstacles[k]);
                let passage = &self.passages[k];
                pair.begin(&obstacles[k], passage, from, stiffness(i, &obstacles[k]));
                self.traced |= passage.thin < f64::INFINITY;
                pair.trace(&obstacles[k], passage, to[i]);
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
        let at = |i: usize| alone.partition_point(|pair| (pair.ends[0] as usize) < i);
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
            (i as usize, pair.share[usize::from(pair.ends[1] == i)], pair)
        })
    }

    /// The depth of a pair with its place at x.
    #[inline]
    pub(super) fn depth(&self, model: &Model, pair: &Pair, x: Point) -> Depth {
        let obstacle = &model.obstacles()[pair.obstacle as usize];
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
        let obstacles = model.obstacles();
        let mut new = false;
        if self.traced {
            for pair in self.list[..self.alone].iter_mut().filter(|pair| pair.met.is_none()) {
                let k = pair.obstacle as usize;
                pair.trace(&obstacles[k], &self.passages[k], x(pair.ends[0] as usize));
                new |= pair.met.is_some();
            }
            for pair in self.list[self.alone..].iter_mut().filter(|pair| pair.met.is_none()) {
                let k = pair.obstacle as usize;
                let (obstacle, passage) = (&obstacles[k], &self.passages[k]);
                let [p, to] = [&|i| passage.carry(from[i]), x as &dyn Fn(usize) -> Point]
                    .map(|x| pair.ends.map(|i| x(i as usize)));
                if let Some((s, met)) = passage.trace_edge(obstacle, p, to) {
                    pair.share = [1.0 - s, s];
                    pair.begin(obstacle, passage, from, pair.stiffness);
                    pair.meet(Some(met));
                    (pair.gone, new) = (false, true);
                }
            }
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
                        let mut pair = Pair::new([i; 2], [1.0, 0.0], k, obstacle);
                        pair.begin(obstacle, &self.passages[k], from, stiffness(i, obstacle));
                        self.traced |= self.passages[k].thin < f64::INFINITY;
                        pair.trace(obstacle, &self.passages[k], x(i));
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

    /// Adds the edges that meet something on their way to `x`, but for those among the pairs that are `known`.
    fn join(
        &mut self,
        model: &Model,
        from: &[Point],
        x: &impl Fn(usize) -> Point,
        stiffness: &impl Fn(usize, &Obstacle) -> f64,
        known: Range<usize>,
    ) {
        let obstacles = model.obstacles();
        let count = obstacles.len();
        for (k, obstacle) in obstacles.iter().enumerate() {
            let passage = &self.passages[k];
            for &[i, j] in self.edges.at(obstacle) {
                let [a, b] = [i, j].map(|i| i as usize);
                let length = (from[a] - from[b]).norm();
                let way = (x(a) - from[a]).norm2().max((x(b) - from[b]).norm2()).sqrt();
                let gaps = self.gaps[a * count + k] + self.gaps[b * count + k];
                let pinned = [a, b].iter().all(|&i| model.fixed()[i] == [true; 3]);
                if gaps > length + 2.0 * way || pinned || edges::is_short(length, obstacle) {
                    continue;
                }
                let own = |pair: &Pair| (pair.ends, pair.obstacle);
                if self.list[known.clone()].binary_search_by_key(&([i, j], k as u32), own).is_ok() {
                    continue;
                }
                let p = [from[a], from[b]].map(|x| passage.carry(x));
                let to = [x(a), x(b)];
                let met = passage.trace_edge(obstacle, p, to);
                let touches = || {
                    let nearest = passage.nearest(obstacle, to);
                    nearest.filter(|(_, distance, _)| *distance < obstacle.thickness)
                };
                let Some(s) = met.map(|(s, _)| s).or_else(|| Some(touches()?.0)) else { continue };
                let mut pair = Pair::new([a, b], [1.0 - s, s], k, obstacle);
                let kappa = (1.0 - s) * stiffness(a, obstacle) + s * stiffness(b, obstacle);
                pair.begin(obstacle, passage, from, kappa);
                pair.meet(met.map(|(_, met)| met));
                self.traced |= passage.thin < f64::INFINITY;
                self.list.push(pair);
            }
        }
    }

    /// Moves the places of edges whose way met a surface along them to where they cross the line out of it,
    /// and lets those go that have slid past it. Whether any has gone further than `enough`, relative to its edge.
    pub(super) fn slide(&mut self, x: &impl Fn(usize) -> Point, enough: f64) -> bool {
        let mut any = false;
        for pair in &mut self.list[self.alone..] {
            let Some(met) = &pair.met else { continue };
            let across = |v: Point| v - met.out * met.out.dot(v);
            let [a, b] = pair.ends.map(|i| x(i as usize));
            let along = across(b - a);
            let s = across(met.place - a).dot(along) / along.norm2();
            if !s.is_finite() {
                continue;
            }
            let gone = !(0.0..=1.0).contains(&s);
            any |= pair.gone != gone;
            pair.gone = gone;
            if !gone && (s - pair.share[1]).abs() > enough {
                pair.share = [1.0 - s, s];
                any = true;
            }
        }
        any
    }

    /// Moves the places of all other edges along them to where the obstacle is nearest, and lets those go that it is
    /// nearest to at an end. Whether any has gone further than `enough`, relative to its edge.
    pub(super) fn shift(
        &mut self,
        model: &Model,
        from: &[Point],
        x: &impl Fn(usize) -> Point,
        stiffness: impl Fn(usize, &Obstacle) -> f64,
        enough: f64,
    ) -> bool {
        let mut any = false;
        for pair in self.list[self.alone..].iter_mut().filter(|pair| pair.met.is_none()) {
            let [a, b] = pair.ends.map(|i| i as usize);
            let k = pair.obstacle as usize;
            let (obstacle, passage) = (&model.obstacles()[k], &self.passages[k]);
            let nearest = passage.nearest(obstacle, [x(a), x(b)]);
            any |= pair.gone != nearest.is_none();
            pair.gone = nearest.is_none();
            let Some((s, ..)) = nearest.filter(|(s, ..)| (s - pair.share[1]).abs() > enough) else {
                continue;
            };
            pair.share = [1.0 - s, s];
            let kappa = (1.0 - s) * stiffness(a, obstacle) + s * stiffness(b, obstacle);
            let most = pair.sliding.most;
            pair.begin(obstacle, passage, from, kappa);
            pair.sliding.most = most;
            any = true;
        }
        any
    }

    fn sort(&mut self) {
        let is_edge = |pair: &Pair| pair.ends[0] != pair.ends[1];
        self.list.sort_unstable_by_key(|pair| (is_edge(pair), pair.ends, pair.obstacle));
        self.alone = self.list.partition_point(|pair| !is_edge(pair));
        self.joined.clear();
        for (k, pair) in self.list.iter().enumerate().skip(self.alone) {
            self.joined.extend(pair.ends.map(|end| (end, k as u32)));
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
    fn new(ends: [usize; 2], share: [f64; 2], obstacle: usize, of: &Obstacle) -> Self {
        let friction = match of.response {
            Response::Bounce { friction, .. } => friction,
            Response::PushOut => 0.0,
        };
        let sliding = Sliding::new(Point::ZERO, Point::ZERO, 0.0);
        let (ends, obstacle) = (ends.map(|i| i as u32), obstacle as u32);
        let (stiffness, depth, pressed) = (0.0, 0.0, 0.0);
        let (dragged, met, gone) = (Point::ZERO, None, false);
        Self {
            ends,
            share,
            obstacle,
            sliding,
            friction,
            stiffness,
            depth,
            pressed,
            dragged,
            met,
            gone,
        }
    }

    /// The particles and their shares.
    #[inline]
    pub(super) fn ends(&self) -> impl Iterator<Item = (usize, f64)> + use<> {
        let count = if self.ends[0] == self.ends[1] { 1 } else { 2 };
        self.ends.map(|i| i as usize).into_iter().zip(self.share).take(count)
    }

    /// The particle, where the place is one.
    pub(super) fn particle(&self) -> Option<u32> {
        (self.ends[0] == self.ends[1]).then_some(self.ends[0])
    }

    /// Where the place is.
    #[inline]
    pub(super) fn place(&self, x: impl Fn(usize) -> Point) -> Point {
        let [a, b] = self.ends.map(|i| i as usize);
        if a == b { x(a) } else { x(a) * self.share[0] + x(b) * self.share[1] }
    }

    /// The axes along which the place is fixed.
    pub(super) fn fixed(&self, model: &Model) -> [bool; 3] {
        let [a, b] = self.ends.map(|i| model.fixed()[i as usize]);
        [0, 1, 2].map(|axis| a[axis] && b[axis])
    }

    /// Tells for each particle by how much it moves when the place is moved by `way`: as if pushed there.
    #[inline]
    pub(super) fn spread(&self, model: &Model, way: Point, mut each: impl FnMut(usize, Point)) {
        let weight = |i: usize, axis: usize| model.inverse_mass(i, axis);
        let mut give = Point::ZERO;
        for (i, s) in self.ends() {
            for axis in 0..3 {
                give[axis] += s * s * weight(i, axis);
            }
        }
        for (i, s) in self.ends() {
            let mut own = Point::ZERO;
            for axis in (0..3).filter(|&axis| give[axis] > 0.0) {
                own[axis] = way[axis] * (s * weight(i, axis) / give[axis]);
            }
            each(i, own);
        }
    }

    /// Takes p, n and the normal force from where the step starts.
    fn begin(&mut self, obstacle: &Obstacle, passage: &Passage, from: &[Point], stiffness: f64) {
        let p = self.place(|i| passage.carry(from[i]));
        let (distance, out) = obstacle.distance_in(&passage.now, p);
        self.stiffness = stiffness;
        self.depth = obstacle.thickness - distance;
        self.sliding = Sliding::new(p, out, self.friction * stiffness * self.depth.max(0.0));
    }

    /// Notes where the way from p to x meets the surface, if it is so long that it might pass through.
    fn trace(&mut self, obstacle: &Obstacle, passage: &Passage, x: Point) {
        if self.met.is_none() {
            self.meet(passage.trace(obstacle, self.sliding.from, x));
        }
    }

    fn meet(&mut self, met: Option<Met>) {
        if let Some(met) = met {
            self.sliding.out = met.out;
            self.met = Some(met);
        }
    }
}
