//! Contact as part of the objective that a method minimizes.

use super::pairs::{Pair, Pairs, thickness};
use super::potential::CREEP;
use super::projection::escape_direction;
use crate::clock::Stopwatch;
use crate::collision::SurfaceContacts;
use crate::compute::VertexTerms;
use crate::linalg::Matrix;
use crate::math::{Mat3, Vec3};
use crate::model::{Model, Obstacle, Versions};
use crate::state::State;
use crate::step_context::StepContext;
use crate::thread_pool::ThreadPool;

/// The contacts of a step, for methods that include them in their solve. Disabled by default.
#[derive(Default)]
pub(crate) struct Contacts {
    on: bool,
    prepared: Option<Versions>,
    /// The stiffness of the elements at each particle (N/m).
    elastic: Vec<f64>,
    pub(super) pairs: Pairs,
    /// Contacts of deformables with each other and themselves.
    pub(crate) surfaces: SurfaceContacts,
    /// The square of the step (s²).
    square: f64,
    /// Σ|u| of the contacts of each body, along and across the normal (1/√kg).
    pub(super) sums: Vec<[f64; 2]>,
    /// The number of updates of g.
    updates: u32,
    /// The relaxation factor for changes of normal forces in friction.
    share: f64,
    pub(super) seconds: f64,
}

/// The depth at which a particle rests under its own weight, relative to the thickness.
const SETTLES: f64 = 1e-3;

/// The acceleration (m/s²) used where there is no gravity.
const SOME_GRAVITY: f64 = 9.81;

/// A depth (m) at which a particle touches with almost no force.
const TOUCHES: f64 = 1e-12;

/// A contact that slides less than this times ε counts as sticking.
const STICKS: f64 = 10.0;

/// The maximum number of updates of g for a solve that restarts whenever g changes.
pub(crate) const MOST_UPDATES: u32 = 24;

/// The smallest relaxation factor for changes of normal forces in friction.
const LEAST_SHARE: f64 = 0.1;

/// The relative change of lagged quantities below which a solve to `tolerance` need not continue.
pub(super) fn enough(tolerance: f64) -> f64 {
    (1e3 * tolerance).clamp(1e-9, 1e-5)
}

/// κ (N/m) of a particle with element stiffness `elastic` (N/m) at a surface of a thickness (m).
fn stiffness(model: &Model, elastic: f64, particle: usize, thickness: f64) -> f64 {
    if let Some(stiffness) = model.contact_stiffness() {
        return stiffness;
    }
    let gravity = model.gravity().norm();
    let gravity = if gravity > 0.0 { gravity } else { SOME_GRAVITY };
    model.masses()[particle] * gravity / (SETTLES * thickness) + elastic
}

impl Contacts {
    /// Contacts that are enabled.
    pub(crate) fn wanted() -> Self {
        Self { on: true, ..Self::default() }
    }

    pub(crate) fn prepare(&mut self, model: &Model) {
        let now = Some(model.versions());
        if !self.on
            || (model.solids().is_empty() && !model.surfaces_touch())
            || self.prepared == now
        {
            return;
        }
        self.prepared = now;
        self.elastic.clear();
        self.elastic.resize(model.particles(), 0.0);
        for batch in model.elements() {
            batch.proxies(&mut |corners, proxy| {
                for (&corner, row) in corners.iter().zip(proxy.chunks(corners.len())) {
                    let sum: f64 = row.iter().map(|k| k.abs()).sum();
                    // A rigid element is no measure of stiffness.
                    self.elastic[corner as usize] += if sum.is_finite() { 0.5 * sum } else { 0.0 };
                }
            });
        }
        let elastic = &self.elastic;
        let stiffness = |i: usize, thickness: f64| stiffness(model, elastic[i], i, thickness);
        self.surfaces.prepare(model, stiffness);
    }

    /// Finds pairs that may touch in a step that is expected to lead to `to`.
    pub(crate) fn begin(&mut self, context: StepContext<'_>, to: &[Vec3]) {
        let StepContext { model, control, start, pool, h, .. } = context;
        (self.updates, self.share) = (0, 1.0);
        self.seconds = 0.0;
        if !self.on {
            return;
        }
        let clock = Stopwatch::start();
        self.surfaces.begin(context, to);
        if model.solids().is_empty() {
            self.pairs.clear();
            self.seconds += clock.seconds();
            return;
        }
        self.pairs.creep = CREEP * h;
        self.square = h * h;
        let elastic = &self.elastic;
        let stiffness =
            |i: usize, obstacle: &Obstacle| stiffness(model, elastic[i], i, thickness(obstacle));
        self.pairs.find(model, (&start.positions, to), control.frames(), stiffness, pool);
        self.soften(context, |i| to[i]);
        self.seconds += clock.seconds();
    }

    /// Sets the initial guess of touching particles to `slide`. A guess that is deeper than the
    /// start of the step is moved back to that depth, or to the surface.
    pub(crate) fn start(
        &mut self,
        model: &Model,
        slide: impl Fn(usize) -> Option<Vec3>,
        x: &mut [Vec3],
    ) {
        for pair in self.pairs.list.iter().filter(|pair| pair.depth > 0.0) {
            let particle = pair.point.particle().map(|i| i as usize);
            if let Some(i) = particle.filter(|&i| model.fixed()[i] == [false; 3])
                && let Some(there) = slide(i)
            {
                x[i] = there;
            }
        }
        for k in 0..self.pairs.list.len() {
            let pair = &self.pairs.list[k];
            let depth = self.pairs.depth(model, pair, pair.point.at(|i| x[i]));
            // A little deeper than the surface, so that it counts as touching.
            let more = depth.depth - pair.depth.max(TOUCHES);
            let moves = more > 0.0 && !self.is_light(model, pair);
            if let Some((out, steep)) =
                escape_direction(pair.point.fixed(model), depth.out).filter(|_| moves)
            {
                pair.point
                    .spread(model, out * (more / steep), |i, displacement| x[i] += displacement);
            }
            let point = pair.point.at(|i| x[i]);
            self.pairs.list[k].sliding.start(point);
        }
    }

    /// Whether a pair is with a body that yields more than the inertia and the elements at the
    /// contact point.
    pub(super) fn is_light(&self, model: &Model, pair: &Pair) -> bool {
        let (mut own, mut square) = (0.0, 0.0);
        for (i, share) in pair.point.ends() {
            own += share * share * (model.masses()[i] / self.square + self.elastic[i]);
            square += share * share;
        }
        pair.body_compliance[0] > 0.0 && pair.stiffness * square < own
    }

    /// Stops a step to `to` of a particle that does not touch yet at the surface.
    pub(super) fn stop(&self, model: &Model, pair: &Pair, to: &mut Vec3) {
        let there = self.pairs.depth(model, pair, *to);
        if there.depth > 0.0
            && let Some((out, steep)) = escape_direction(pair.point.fixed(model), there.out)
        {
            *to += out * ((there.depth - TOUCHES).max(0.0) / steep);
        }
    }

    /// The particles that stick at the start of the step, each with its contact stiffness (N/m): κ,
    /// or a power of four times κ where friction is stiffer, so that it seldom changes.
    pub(crate) fn stuck(&self, context: StepContext<'_>, out: &mut Vec<(u32, f64)>) {
        out.clear();
        let model = context.model;
        let State { positions, velocities, .. } = context.start;
        for pair in self.pairs.list.iter().filter(|pair| pair.sliding.most > 0.0) {
            let Some(particle) = pair.point.particle() else { continue };
            let i = particle as usize;
            let slid = pair.sliding.slid(positions[i] + velocities[i] * context.h);
            if slid.norm() < STICKS * pair.epsilon() && !self.is_light(model, pair) {
                let friction = pair.sliding.most / pair.epsilon();
                let mut stiffness = pair.stiffness;
                while stiffness < friction && stiffness > 0.0 {
                    stiffness *= 4.0;
                }
                out.push((particle, stiffness));
            }
        }
    }

    /// Whether contacts with obstacles are enabled for a model.
    pub(super) fn has_obstacles(&self, model: &Model) -> bool {
        self.prepared.is_some() && !model.solids().is_empty()
    }

    /// Whether contacts are enabled for a model.
    pub(crate) fn is_wanted(&self, model: &Model) -> bool {
        self.has_obstacles(model) || self.surfaces.is_on()
    }

    /// Whether there are no pairs.
    pub(crate) fn is_empty(&self) -> bool {
        self.pairs.is_empty() && self.surfaces.is_empty()
    }

    /// The number of pairs: those with obstacles, then those of surfaces.
    pub(crate) fn len(&self) -> usize {
        self.pairs.list.len() + self.surfaces.len()
    }

    /// The particles of a pair.
    pub(crate) fn ends(&self, pair: usize) -> impl Iterator<Item = u32> + use<> {
        let (ends, count) = match self.pairs.list.get(pair) {
            Some(Pair { point, .. }) => {
                let [a, b] = point.ends;
                ([a, b, b, b], point.ends().count())
            }
            None => (self.surfaces.vertices(pair - self.pairs.list.len()), 4),
        };
        ends.into_iter().take(count)
    }

    /// The energy (J) of all contacts.
    pub(crate) fn energy(&self, model: &Model, x: &[Vec3], pool: &ThreadPool) -> f64 {
        if self.is_empty() {
            return 0.0;
        }
        let one = |pair: &Pair| self.energy_of(model, pair, pair.point.at(|i| x[i]));
        let list = &self.pairs.list;
        pool.sum(list.len(), |range| list[range].iter().map(one).sum())
            + self.surfaces.energy(x, pool)
    }

    fn energy_of(&self, model: &Model, pair: &Pair, x: Vec3) -> f64 {
        let depth = self.pairs.depth(model, pair, x);
        depth.energy(pair.stiffness) + pair.sliding.energy(x, pair.epsilon())
    }

    /// Energy and gradient of a pair with its contact point at x.
    #[inline]
    pub(super) fn energy_and_gradient(&self, model: &Model, pair: &Pair, x: Vec3) -> (f64, Vec3) {
        let depth = self.pairs.depth(model, pair, x);
        let energy = depth.energy(pair.stiffness) + pair.sliding.energy(x, pair.epsilon());
        let gradient = depth.gradient(pair.stiffness) + pair.sliding.gradient(x, pair.epsilon());
        (energy, gradient)
    }

    /// Adds `s` times the gradient (N) at the particles from `first` on to `out`. Returns their
    /// energy (J); that of an edge counts at its first end.
    pub(crate) fn add_gradient(
        &self,
        model: &Model,
        x: &[Vec3],
        s: f64,
        first: usize,
        out: &mut [Vec3],
    ) -> f64 {
        let mut sum = 0.0;
        for pair in self.pairs.of(first, out.len()) {
            let i = pair.point.ends[0] as usize;
            let (energy, gradient) = self.energy_and_gradient(model, pair, x[i]);
            sum += energy;
            out[i - first] += gradient * s;
        }
        for (i, share, pair) in self.pairs.ends_of(first, out.len()) {
            let (energy, gradient) = self.energy_and_gradient(model, pair, pair.point.at(|i| x[i]));
            sum += if pair.point.ends[0] as usize == i { energy } else { 0.0 };
            out[i - first] += gradient * (s * share);
        }
        sum + self.surfaces.add_gradient(x, s, first, out)
    }

    /// `matrix += s ∇²` (N/m). `keep` is the share of the negative curvature term that is kept.
    pub(crate) fn hessian(
        &self,
        model: &Model,
        x: &[Vec3],
        (s, keep): (f64, f64),
        matrix: &mut Matrix<Mat3>,
    ) {
        self.surfaces.hessian(x, s, matrix);
        for pair in &self.pairs.list {
            let point = pair.point.at(|i| x[i]);
            let depth = self.pairs.depth(model, pair, point);
            let mut block = depth.block(pair.stiffness) + pair.sliding.block(point, pair.epsilon());
            if keep > 0.0 && depth.depth > 0.0 {
                let force = keep * pair.stiffness * depth.depth;
                block += self.pairs.curvature(model, pair, point) * -force;
            }
            for (i, own) in pair.point.ends() {
                *matrix.diagonal_mut(i) += block * (s * own * own);
            }
            if pair.point.particle().is_none() {
                let [a, b] = pair.point.ends;
                for (a, b) in [(a, b), (b, a)] {
                    let slot = matrix.pattern().slot(a, b) as usize;
                    matrix.values_mut()[slot] +=
                        block * (s * pair.point.share[0] * pair.point.share[1]);
                }
            }
        }
    }

    /// Adds energy, gradient and block of a pair at one of its ends; `together` ends move at once.
    pub(crate) fn add_vertex(
        &self,
        model: &Model,
        (pair, end, together): (usize, usize, f64),
        x: &[Vec3],
        vertex: &mut VertexTerms,
    ) {
        let Some(pair) = self.pairs.list.get(pair) else {
            let pair = pair - self.pairs.list.len();
            return self.surfaces.add_vertex((pair, end), together, x, vertex);
        };
        let (share, point) = (pair.point.share[end], pair.point.at(|i| x[i]));
        let depth = self.pairs.depth(model, pair, point);
        let (sliding, epsilon) = (&pair.sliding, pair.epsilon());
        let energy = depth.energy(pair.stiffness) + sliding.energy(point, epsilon);
        let gradient = depth.gradient(pair.stiffness) + sliding.gradient(point, epsilon);
        let block = depth.block(pair.stiffness) + sliding.block(point, epsilon);
        vertex.energy += energy;
        vertex.size += energy + gradient.norm() * point.norm();
        vertex.gradient += gradient * share;
        vertex.block += block * (share * share);
    }

    /// The energy (J) of a pair.
    pub(crate) fn vertex_energy(&self, model: &Model, pair: usize, x: &[Vec3]) -> f64 {
        match self.pairs.list.get(pair) {
            Some(pair) => self.energy_of(model, pair, pair.point.at(|i| x[i])),
            None => self.surfaces.vertex_energy(pair - self.pairs.list.len(), x),
        }
    }

    /// Stiffness (N/m) of a pair with its contact point at x, along the normal and across it; then
    /// the outward normal.
    pub(super) fn bound(&self, model: &Model, pair: &Pair, x: Vec3) -> ([f64; 2], Vec3) {
        let depth = self.pairs.depth(model, pair, x);
        let along = if depth.depth > 0.0 { pair.stiffness } else { 0.0 };
        ([along, pair.sliding.bound(x, pair.epsilon())], depth.out)
    }

    /// An upper bound of the contact stiffness at a particle (N/m): it turns rounding of positions
    /// into forces.
    pub(crate) fn strength(&self, particle: usize) -> f64 {
        let one = |pair: &Pair| pair.stiffness + pair.sliding.most / pair.epsilon();
        let own: f64 = self.pairs.of(particle, 1).iter().map(one).sum();
        own + self.pairs.ends_of(particle, 1).map(|(_, share, pair)| share * one(pair)).sum::<f64>()
            + self.surfaces.strength(particle)
    }

    /// Updates the quantities lagged while g is minimized: contact points on edges, normal forces
    /// of friction, and new pairs on the path to `x`. Updates end when the changes are small
    /// (relative to the tolerance of the solve) or after `times` changes of g. Returns whether g
    /// has changed.
    pub(crate) fn update_lagged(
        &mut self,
        context: StepContext<'_>,
        x: impl Fn(usize) -> Vec3 + Sync,
        tolerance: f64,
        times: u32,
    ) -> bool {
        if !self.is_wanted(context.model) {
            return false;
        }
        let clock = Stopwatch::start();
        let enough = enough(tolerance);
        let surfaces = self.surfaces.update(context, &x, enough, times);
        let new =
            self.has_obstacles(context.model) && self.update_obstacles(context, x, enough, times);
        self.seconds += clock.seconds();
        new | surfaces
    }

    /// As [`Contacts::update_lagged`], for obstacles only.
    fn update_obstacles(
        &mut self,
        context: StepContext<'_>,
        x: impl Fn(usize) -> Vec3 + Sync,
        enough: f64,
        times: u32,
    ) -> bool {
        let mut new = self.detect_pairs(context, &x) | self.soften(context, &x);
        let again = self.updates < times;
        let shifted =
            if again { self.shift(context, &x, enough) } else { self.come_back(context, &x) };
        if shifted {
            self.soften(context, &x);
        }
        new |= shifted;
        let sliding = self.pairs.list.iter_mut().filter(|pair| pair.sliding.most > 0.0);
        for pair in sliding {
            let point = pair.point.at(&x);
            let epsilon = pair.epsilon();
            pair.sliding.update_lagged(point, epsilon);
        }
        new |= again && self.press(context.model, x, enough);
        self.updates += u32::from(new);
        new
    }

    /// Finds new pairs on the path to `x`.
    pub(super) fn detect_pairs(
        &mut self,
        context: StepContext<'_>,
        x: &(impl Fn(usize) -> Vec3 + Sync),
    ) -> bool {
        let StepContext { model, start, pool, .. } = context;
        let elastic = &self.elastic;
        let stiffness =
            |i: usize, obstacle: &Obstacle| stiffness(model, elastic[i], i, thickness(obstacle));
        self.pairs.detect_pairs(model, &start.positions, x, stiffness, pool)
    }

    /// Moves contact points along their edges to where obstacles are nearest.
    fn shift(&mut self, context: StepContext<'_>, x: &impl Fn(usize) -> Vec3, enough: f64) -> bool {
        let StepContext { model, start, .. } = context;
        let elastic = &self.elastic;
        let stiffness =
            |i: usize, obstacle: &Obstacle| stiffness(model, elastic[i], i, thickness(obstacle));
        let slid = self.pairs.slide(x, enough);
        self.pairs.shift(model, &start.positions, x, &stiffness, enough) || slid
    }

    /// Restores pairs of edges that would touch at `x`.
    fn come_back(&mut self, context: StepContext<'_>, x: &impl Fn(usize) -> Vec3) -> bool {
        let StepContext { model, start, .. } = context;
        let elastic = &self.elastic;
        let stiffness =
            |i: usize, obstacle: &Obstacle| stiffness(model, elastic[i], i, thickness(obstacle));
        self.pairs.come_back(model, &start.positions, x, &stiffness)
    }

    /// Updates the normal forces of friction at `x`, if they differ enough. If a change reverses
    /// the previous one, only a share of it is applied (Aitken relaxation); otherwise friction that
    /// moves the pressing bodies may oscillate between two states.
    fn press(&mut self, model: &Model, x: impl Fn(usize) -> Vec3, enough: f64) -> bool {
        let most = |pairs: &Pairs, pair: &Pair| {
            let depth = pairs.depth(model, pair, pair.point.at(&x));
            (pair.friction * pair.stiffness * depth.depth.max(0.0), depth.out)
        };
        let (mut change, mut size, mut along, mut rotated) = (0.0, 0.0, 0.0, 0.0);
        for pair in self.pairs.list.iter().filter(|pair| pair.friction > 0.0) {
            let (most, _) = most(&self.pairs, pair);
            let own = most - pair.sliding.most;
            change += own * own;
            size += most * most + pair.sliding.most * pair.sliding.most;
            along += pair.missed * (own - pair.missed);
            rotated += (own - pair.missed) * (own - pair.missed);
        }
        if change <= enough * enough * size {
            return false;
        }
        let share = if along < 0.0 { -self.share * along / rotated } else { 1.0 };
        self.share = share.clamp(LEAST_SHARE, 1.0);
        for k in 0..self.pairs.list.len() {
            let pair = &self.pairs.list[k];
            if pair.friction > 0.0 {
                let (most, out) = most(&self.pairs, pair);
                let pair = &mut self.pairs.list[k];
                pair.missed = most - pair.sliding.most;
                let out = if most > 0.0 { out } else { pair.sliding.out };
                pair.sliding.press(out, pair.sliding.most + self.share * pair.missed);
            }
        }
        true
    }

    /// Appends the anchors of friction.
    pub(crate) fn save(&self, memory: &mut Vec<f64>) {
        self.pairs.anchors.save(memory);
        self.surfaces.save(memory);
    }

    /// Restores what [`Contacts::save`] wrote, and returns the rest of the slice.
    pub(crate) fn restore<'a>(&mut self, memory: &'a [f64]) -> &'a [f64] {
        self.surfaces.restore(self.pairs.anchors.restore(memory))
    }
}
