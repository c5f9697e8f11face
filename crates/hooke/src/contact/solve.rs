//! Contact as part of what a method minimises, and what follows its solve.

use super::pairs::{Pair, Pairs};
use super::potential::CREEP;
use super::projection::way_out;
use super::velocities::Impact;
use crate::bodies::Push;
use crate::linalg::Matrix;
use crate::math::{Mat3, Point};
use crate::methods::World;
use crate::model::{Model, Obstacle, Response, Versions, Vertex};
use crate::report::StepReport;
use crate::state::State;
use crate::team::Team;
use std::time::Instant;

/// The contacts of a step, for methods that hold them in their solve. Off unless asked for.
#[derive(Default)]
pub(crate) struct Contacts {
    on: bool,
    prepared: Option<Versions>,
    /// How stiffly elements hold each particle (N/m).
    elastic: Vec<f64>,
    pub(super) pairs: Pairs,
    /// ε (m), and the square of the step (s²).
    epsilon: f64,
    square: f64,
    /// Σ|u| of the contacts of each body, along and across the normal (1/√kg).
    sums: Vec<[f64; 2]>,
    /// How often g has changed.
    followed: u32,
    seconds: f64,
}

/// The depth by which a particle's own weight presses it into the thickness, relative to that.
const SETTLES: f64 = 1e-3;

/// Where nothing else is known: the thickness (m) of an obstacle that has none, and an acceleration (m/s²).
const SOME_THICKNESS: f64 = 1e-3;
const SOME_GRAVITY: f64 = 9.81;

/// A depth (m) at which a particle touches, but is hardly pressed.
const TOUCHES: f64 = 1e-12;

/// By how much a body gives way more before contacts with it are softened again.
const SOFTER: f64 = 1.01;

/// What slides less than this times ε is said to stick.
const STICKS: f64 = 10.0;

/// The most often that a solve which starts anew whenever g changes has it follow.
pub(crate) const FOLLOWS: u32 = 24;

/// By how much what is held may change, relatively, without a solve to a tolerance going on.
fn enough(tolerance: f64) -> f64 {
    (1e3 * tolerance).clamp(1e-9, 1e-5)
}

/// κ (N/m) of a particle held by `elastic` (N/m) at an obstacle.
fn stiffness(model: &Model, elastic: f64, particle: usize, obstacle: &Obstacle) -> f64 {
    if let Some(stiffness) = model.contact_stiffness() {
        return stiffness;
    }
    let some = |value: f64, other: f64| if value > 0.0 { value } else { other };
    let gravity = some(model.gravity().norm(), SOME_GRAVITY);
    let thickness = some(obstacle.thickness, SOME_THICKNESS);
    model.masses()[particle] * gravity / (SETTLES * thickness) + elastic
}

impl Contacts {
    /// Contacts that take part.
    pub(crate) fn wanted() -> Self {
        Self { on: true, ..Self::default() }
    }

    pub(crate) fn prepare(&mut self, model: &Model) {
        let now = Some(model.versions());
        if !self.on || model.solids().is_empty() || self.prepared == now {
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
    }

    /// Finds what may touch in a step that is expected to lead to `to`.
    pub(crate) fn begin(&mut self, world: World<'_>, to: &[Point]) {
        let World { model, control, start, team, h, .. } = world;
        self.followed = 0;
        self.seconds = 0.0;
        if !self.on || model.solids().is_empty() {
            self.pairs.list.clear();
            return;
        }
        let clock = Instant::now();
        self.epsilon = CREEP * h;
        self.square = h * h;
        let elastic = &self.elastic;
        let stiffness = |i: usize, obstacle: &Obstacle| stiffness(model, elastic[i], i, obstacle);
        self.pairs.find(model, (&start.positions, to), control.frames(), stiffness, team);
        self.give_way(world, |i| to[i]);
        self.seconds += clock.elapsed().as_secs_f64();
    }

    /// Lets what touches start where it would `slide` to, and sets a start of the solve that is deeper than
    /// where the step starts back to that depth, or to the surface.
    pub(crate) fn start(
        &mut self,
        model: &Model,
        slide: impl Fn(usize) -> Option<Point>,
        x: &mut [Point],
    ) {
        for pair in self.pairs.list.iter().filter(|pair| pair.depth > 0.0) {
            let particle = pair.place.particle().map(|i| i as usize);
            if let Some(i) = particle.filter(|&i| model.fixed()[i] == [false; 3])
                && let Some(there) = slide(i)
            {
                x[i] = there;
            }
        }
        for k in 0..self.pairs.list.len() {
            let pair = &self.pairs.list[k];
            let depth = self.pairs.depth(model, pair, pair.place.at(|i| x[i]));
            // A little deeper than the surface, so that it counts as touching.
            let more = depth.depth - pair.depth.max(TOUCHES);
            let moves = more > 0.0 && !self.is_light(model, pair);
            if let Some((out, steep)) =
                way_out(pair.place.fixed(model), depth.out).filter(|_| moves)
            {
                pair.place.spread(model, out * (more / steep), |i, way| x[i] += way);
            }
            let place = pair.place.at(|i| x[i]);
            self.pairs.list[k].sliding.start(place);
        }
    }

    /// Whether a pair is with a body that gives way before inertia and elements of the place itself do.
    pub(super) fn is_light(&self, model: &Model, pair: &Pair) -> bool {
        let (mut held, mut square) = (0.0, 0.0);
        for (i, share) in pair.place.ends() {
            held += share * share * (model.masses()[i] / self.square + self.elastic[i]);
            square += share * share;
        }
        pair.gives[0] > 0.0 && pair.stiffness * square < held
    }

    /// Ends a step of a particle that does not touch yet to `to` at the surface.
    pub(super) fn stop(&self, model: &Model, pair: &Pair, to: &mut Point) {
        let there = self.pairs.depth(model, pair, *to);
        if there.depth > 0.0
            && let Some((out, steep)) = way_out(pair.place.fixed(model), there.out)
        {
            *to += out * ((there.depth - TOUCHES).max(0.0) / steep);
        }
    }

    /// The particles that stick where the step starts, each with how stiffly it is held (N/m): κ, or a power of
    /// four times that where friction is stiffer, so that it seldom changes.
    pub(crate) fn stuck(&self, world: World<'_>, out: &mut Vec<(u32, f64)>) {
        out.clear();
        let model = world.model;
        let State { positions, velocities, .. } = world.start;
        for pair in self.pairs.list.iter().filter(|pair| pair.sliding.most > 0.0) {
            let Some(particle) = pair.place.particle() else { continue };
            let i = particle as usize;
            let slid = pair.sliding.slid(positions[i] + velocities[i] * world.h);
            if slid.norm() < STICKS * self.epsilon && !self.is_light(model, pair) {
                let friction = pair.sliding.most / self.epsilon(pair);
                let mut stiffness = pair.stiffness;
                while stiffness < friction && stiffness > 0.0 {
                    stiffness *= 4.0;
                }
                out.push((particle, stiffness));
            }
        }
    }

    /// Whether contacts take part in a model.
    pub(crate) fn is_wanted(&self, model: &Model) -> bool {
        self.prepared.is_some() && !model.solids().is_empty()
    }

    /// Whether nothing may touch.
    pub(crate) fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// How many pairs there are.
    pub(crate) fn len(&self) -> usize {
        self.pairs.list.len()
    }

    /// The particles of a pair.
    pub(crate) fn ends(&self, pair: usize) -> impl Iterator<Item = usize> + use<> {
        self.pairs.list[pair].place.ends().map(|(i, _)| i)
    }

    /// The energy (J) of all contacts.
    pub(crate) fn energy(&self, model: &Model, x: &[Point], team: &Team) -> f64 {
        if self.is_empty() {
            return 0.0;
        }
        let one = |pair: &Pair| self.energy_of(model, pair, pair.place.at(|i| x[i]));
        team.sum(self.pairs.list.len(), |range| self.pairs.list[range].iter().map(one).sum())
    }

    fn energy_of(&self, model: &Model, pair: &Pair, x: Point) -> f64 {
        let depth = self.pairs.depth(model, pair, x);
        depth.energy(pair.stiffness) + pair.sliding.energy(x, self.epsilon(pair))
    }

    /// Energy and gradient of a pair with its place at x.
    #[inline]
    fn look_at(&self, model: &Model, pair: &Pair, x: Point) -> (f64, Point) {
        let depth = self.pairs.depth(model, pair, x);
        let energy = depth.energy(pair.stiffness) + pair.sliding.energy(x, self.epsilon(pair));
        let gradient =
            depth.gradient(pair.stiffness) + pair.sliding.gradient(x, self.epsilon(pair));
        (energy, gradient)
    }

    /// Adds `s` times the gradient (N) at the particles from `first` on to `out`. The energy (J) there, that of
    /// an edge at its first end.
    pub(crate) fn add_gradient(
        &self,
        model: &Model,
        x: &[Point],
        s: f64,
        first: usize,
        out: &mut [Point],
    ) -> f64 {
        let mut sum = 0.0;
        for pair in self.pairs.of(first, out.len()) {
            let i = pair.place.ends[0] as usize;
            let (energy, gradient) = self.look_at(model, pair, x[i]);
            sum += energy;
            out[i - first] += gradient * s;
        }
        for (i, share, pair) in self.pairs.ends_of(first, out.len()) {
            let (energy, gradient) = self.look_at(model, pair, pair.place.at(|i| x[i]));
            sum += if pair.place.ends[0] as usize == i { energy } else { 0.0 };
            out[i - first] += gradient * (s * share);
        }
        sum
    }

    /// `matrix += s ∇²` (N/m).
    pub(crate) fn hessian(&self, model: &Model, x: &[Point], s: f64, matrix: &mut Matrix<Mat3>) {
        for pair in &self.pairs.list {
            let place = pair.place.at(|i| x[i]);
            let depth = self.pairs.depth(model, pair, place);
            let block = depth.block(pair.stiffness) + pair.sliding.block(place, self.epsilon(pair));
            for (i, own) in pair.place.ends() {
                *matrix.diagonal_mut(i) += block * (s * own * own);
            }
            if pair.place.particle().is_none() {
                let [a, b] = pair.place.ends;
                for (a, b) in [(a, b), (b, a)] {
                    let slot = matrix.pattern().slot(a, b) as usize;
                    matrix.values_mut()[slot] +=
                        block * (s * pair.place.share[0] * pair.place.share[1]);
                }
            }
        }
    }

    /// Adds energy, gradient and block of a pair for one of its ends.
    pub(crate) fn add_vertex(
        &self,
        model: &Model,
        (pair, end): (usize, usize),
        x: &[Point],
        vertex: &mut Vertex,
    ) {
        let pair = &self.pairs.list[pair];
        let (share, place) = (pair.place.share[end], pair.place.at(|i| x[i]));
        let depth = self.pairs.depth(model, pair, place);
        let (sliding, epsilon) = (&pair.sliding, self.epsilon(pair));
        let energy = depth.energy(pair.stiffness) + sliding.energy(place, epsilon);
        let gradient = depth.gradient(pair.stiffness) + sliding.gradient(place, epsilon);
        let block = depth.block(pair.stiffness) + sliding.block(place, epsilon);
        vertex.energy += energy;
        vertex.size += energy + gradient.norm() * place.norm();
        vertex.gradient += gradient * share;
        vertex.block += block * (share * share);
    }

    /// The energy (J) of a pair.
    pub(crate) fn vertex_energy(&self, model: &Model, pair: usize, x: &[Point]) -> f64 {
        let pair = &self.pairs.list[pair];
        self.energy_of(model, pair, pair.place.at(|i| x[i]))
    }

    /// How stiffly a pair with its place at x holds it: along the direction out, which comes last, and across (N/m).
    pub(super) fn bound(&self, model: &Model, pair: &Pair, x: Point) -> ([f64; 2], Point) {
        let depth = self.pairs.depth(model, pair, x);
        let along = if depth.depth > 0.0 { pair.stiffness } else { 0.0 };
        ([along, pair.sliding.bound(x, self.epsilon(pair))], depth.out)
    }

    /// How stiffly contact may hold a particle (N/m): what turns rounding of positions into forces.
    pub(crate) fn strength(&self, particle: usize) -> f64 {
        let one = |pair: &Pair| pair.stiffness + pair.sliding.most / self.epsilon(pair);
        let own: f64 = self.pairs.of(particle, 1).iter().map(one).sum();
        own + self.pairs.ends_of(particle, 1).map(|(_, share, pair)| share * one(pair)).sum::<f64>()
    }

    /// Brings up to date what is held while g is minimised: the places on edges and the normal forces of
    /// friction, until they change by little (the less, the smaller the tolerance of the solve) or g has changed so many
    /// times, and what was met on the way to `x`. Whether g has changed.
    pub(crate) fn follow(
        &mut self,
        world: World<'_>,
        x: impl Fn(usize) -> Point + Sync,
        tolerance: f64,
        times: u32,
    ) -> bool {
        if !self.is_wanted(world.model) {
            return false;
        }
        let clock = Instant::now();
        let mut new = self.look(world, &x) | self.give_way(world, &x);
        let enough = enough(tolerance);
        let again = self.followed < times;
        let shifted = again && self.shift(world, &x, enough);
        if shifted {
            self.give_way(world, &x);
        }
        new |= shifted;
        let sliding = self.pairs.list.iter_mut().filter(|pair| pair.sliding.most > 0.0);
        for pair in sliding {
            let place = pair.place.at(&x);
            let epsilon = self.epsilon + pair.sliding.most * pair.gives[1];
            pair.sliding.follow(place, epsilon);
        }
        new |= again && self.press(world.model, x, enough);
        self.followed += u32::from(new);
        self.seconds += clock.elapsed().as_secs_f64();
        new
    }

    /// Sees what was met on the way to `x`.
    pub(super) fn look(&mut self, world: World<'_>, x: &(impl Fn(usize) -> Point + Sync)) -> bool {
        let World { model, start, team, .. } = world;
        let elastic = &self.elastic;
        let stiffness = |i: usize, obstacle: &Obstacle| stiffness(model, elastic[i], i, obstacle);
        self.pairs.look(model, &start.positions, x, stiffness, team)
    }

    /// ε (m) of a pair: what sticks to a body also creeps as far as friction moves that.
    fn epsilon(&self, pair: &Pair) -> f64 {
        self.epsilon + pair.sliding.most * pair.gives[1]
    }

    /// Softens contacts with bodies by how far those give way; whether any has become softer. A body moves by `h² W f`
    /// under the forces f of all its contacts; with `u = M^{−½} Jᵀ` of each, W is below the diagonal of
    /// `|u| Σ|u|` over what touches, so what is taken for W gives way at least as much as the body does: no force can
    /// throw it back further than it came, whatever the masses. More may touch as a solve goes on, so it never
    /// becomes stiffer again within a step.
    pub(super) fn give_way(&mut self, world: World<'_>, x: impl Fn(usize) -> Point) -> bool {
        let World { model, h, .. } = world;
        if model.bodies().is_empty() {
            return false;
        }
        let first = model.obstacles().len() as u32;
        self.sums.clear();
        self.sums.resize(model.bodies().len(), [0.0; 2]);
        let mut softer = false;
        for round in 0..2 {
            for k in 0..self.pairs.list.len() {
                let pair = &self.pairs.list[k];
                let Some(index) = pair.obstacle.checked_sub(first) else { continue };
                let body = &model.bodies()[index as usize];
                let at = pair.place.at(&x);
                let depth = self.pairs.depth(model, pair, at);
                let touches = depth.depth > 0.0 || (pair.depth > 0.0 && !pair.gone);
                let frame = self.pairs.frame(pair);
                let m = body.principal().moments;
                let (arm, whole) = (at - frame.origin, 1.0 / body.mass().mass);
                let turn = frame.local(frame.origin + arm.cross(depth.out));
                let turn = body.principal().axes.inverse().turn(turn);
                let spin = turn.x * turn.x / m.x + turn.y * turn.y / m.y + turn.z * turn.z / m.z;
                let sizes = [(whole + spin).sqrt(), (whole + arm.norm2() / m.z).sqrt()];
                let sum = &mut self.sums[index as usize];
                if round == 0 {
                    if touches {
                        *sum = [sum[0] + sizes[0], sum[1] + sizes[1]];
                    }
                    continue;
                }
                let gives = [0, 1].map(|k| h * h * sizes[k] * sum[k].max(sizes[k]));
                let pair = &mut self.pairs.list[k];
                for (known, gives) in pair.gives.iter_mut().zip(gives) {
                    if gives > SOFTER * *known {
                        softer |= touches;
                        *known = gives;
                    }
                }
                pair.stiffness = 1.0 / (1.0 / pair.hardness + pair.gives[0]);
            }
        }
        softer
    }

    /// Moves the places of edges along them to where obstacles are nearest.
    fn shift(&mut self, world: World<'_>, x: &impl Fn(usize) -> Point, enough: f64) -> bool {
        let World { model, start, .. } = world;
        let elastic = &self.elastic;
        let stiffness = |i: usize, obstacle: &Obstacle| stiffness(model, elastic[i], i, obstacle);
        let slid = self.pairs.slide(x, enough);
        self.pairs.shift(model, &start.positions, x, &stiffness, enough) || slid
    }

    /// Takes the normal forces at `x` for friction, where they differ enough.
    fn press(&mut self, model: &Model, x: impl Fn(usize) -> Point, enough: f64) -> bool {
        let most = |pairs: &Pairs, pair: &Pair| {
            let depth = pairs.depth(model, pair, pair.place.at(&x));
            (pair.friction * pair.stiffness * depth.depth.max(0.0), depth.out)
        };
        let (mut change, mut size) = (0.0, 0.0);
        for pair in self.pairs.list.iter().filter(|pair| pair.friction > 0.0) {
            let (most, _) = most(&self.pairs, pair);
            change += (most - pair.sliding.most) * (most - pair.sliding.most);
            size += most * most + pair.sliding.most * pair.sliding.most;
        }
        if change <= enough * enough * size {
            return false;
        }
        for k in 0..self.pairs.list.len() {
            let pair = &self.pairs.list[k];
            if pair.friction > 0.0 {
                let (most, out) = most(&self.pairs, pair);
                let sliding = &mut self.pairs.list[k].sliding;
                sliding.press(if most > 0.0 { out } else { sliding.out }, most);
            }
        }
        true
    }

    /// Ends a step: books the work of contacts and gives velocities what restitution asks for. What is
    /// left behind a surface is told, and set back by `Projected`.
    pub(crate) fn finish(&mut self, world: World<'_>, state: &mut State, report: &mut StepReport) {
        let World { model, start, h, .. } = world;
        if !self.is_wanted(model) {
            return;
        }
        let clock = Instant::now();
        let known = self.pairs.list.len();
        self.look(world, &|i| state.positions[i]);
        let slid = self.pairs.slide(&|i| state.positions[i], enough(0.0));
        // The solve did not know those.
        let strays = slid || self.pairs.list.len() > known;
        let still = 2.0 * h * model.gravity().norm();
        let mut told = report.contact.unwrap_or_default();
        let (mut touching, mut work) = (0, 0.0);
        for pair in &self.pairs.list {
            let x = pair.place.at(|i| state.positions[i]);
            let depth = self.pairs.depth(model, pair, x);
            let body = pair.obstacle.checked_sub(model.obstacles().len() as u32);
            let mut impulse = Point::ZERO;
            if body.is_some() {
                // What rows have applied, or what the solve ends with.
                impulse = match pair.given {
                    Point::ZERO => self.look_at(model, pair, x).1 * -h,
                    given => given * (1.0 / h),
                };
            }
            if !strays {
                let (_, gradient) = self.look_at(model, pair, x);
                work -= gradient.dot(x - pair.place.at(|i| start.positions[i]));
            }
            if let Some(body) = body.filter(|_| impulse != Point::ZERO) {
                report.pushes.push(Push { body, at: x, impulse: -impulse });
            }
            if depth.depth <= 0.0 {
                continue;
            }
            touching += 1;
            let obstacle = &model.solids()[pair.obstacle as usize];
            told.deepest = told.deepest.max(depth.depth - obstacle.thickness);
            let fixed = pair.place.fixed(model);
            let (Response::Bounce { restitution, friction }, Some((out, _))) =
                (obstacle.response, way_out(fixed, depth.out))
            else {
                continue;
            };
            let own = self.pairs.velocity(pair, x, h);
            let before = pair.place.at(|i| start.velocities[i]) - own;
            let after = pair.place.at(|i| state.velocities[i]) - own;
            let impact = Impact { before, after, out, restitution, friction, still };
            let mut change = impact.change();
            if body.is_some() {
                let give = pair.place.give(model);
                let most = give.x.max(give.y).max(give.z);
                change = change * (most / (most + pair.gives[1] / (h * h)).max(f64::MIN_POSITIVE));
            }
            let mut pushed = Point::ZERO;
            pair.place.spread(model, change, |i, change| {
                let v = &mut state.velocities[i];
                let energy = v.norm2();
                *v += change;
                pushed += change * model.masses()[i];
                work += 0.5 * model.masses()[i] * (v.norm2() - energy);
            });
            if let Some(body) = body {
                report.pushes.push(Push { body, at: x, impulse: -pushed });
            }
        }
        told.pairs = told.pairs.max(touching);
        report.contact = Some(told);
        report.work.contact += work;
        self.seconds += clock.elapsed().as_secs_f64();
        report.seconds.contact += self.seconds;
    }
}
