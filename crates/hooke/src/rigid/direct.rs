//! Stacks and rows of bodies that touch, solved directly.
//!
//! A sweep over rows carries a load from one body to the next, so that a stack of n bodies takes some n² sweeps. The contacts of
//! an island are solved together instead. With u the velocities without contact, and for every contact point its velocity along the
//! normal, s, and across it, t:
//!
//! `min_v ½ (v − u)ᵀ M (v − u) + Σ min(0, s + b)²/2γ + Σ H(t)`, `H = |t|²/2γ` up to `|t| = γμλ`, straight beyond
//!
//! Impulses are `λ = max(0, −(s + b)/γ)` along the normal, and `−t/γ` across it, cut to the cone `μλ`, with λ of the last
//! iteration. b presses overlaps apart, or is the gap that is still open; γ is small. The function is convex: Newton's method
//! with an exact line search finds its minimum (Todorov 2014, *Convex and analytically-invertible dynamics with contacts and
//! constraints*). Where it finds no end, as when a stack lands, `interior` does. Its matrix `M + Jᵀ D J` has a block for every two bodies that touch. The impulses are then applied pair by
//! pair, so that momentum is kept to rounding.

use super::interior::Inner;
use super::islands::{Island, Islands, NONE};
use super::solver::{ContactManifold, ContactPoint, SolverBody, both, warm};
use super::spatial::{Block, BlockSkyline, Vec6, add_row, dot, rows, times};
use crate::math::Vec3;

/// γ relative to what a contact point gives by itself, `γ = SOFT · (J M⁻¹ Jᵀ)`.
const SOFT: f64 = 1e-6;

/// The most Newton steps, and evaluations of a line search.
const MOST_STEPS: u32 = 12;
const MOST_EVALUATIONS: u32 = 12;

/// How often flat surfaces are swept where nothing finds an end, down and up.
const SWEEPS: u32 = 4;

/// Where only so little of a step helps, Newton's method is given up.
const SHORT: f64 = 0.02;

/// How slowly a contact point may close to be taken to press at first, relative to the fastest body.
const NEAR: f64 = 0.1;

/// How slow a push may be to need no relaxing, relative to the fastest body.
const SLIGHT: f64 = 1e-3;

/// How far velocities may be from those that the impulses give, relative to the fastest.
const EXACT: f64 = 1e-6;

/// How much a contact point that slides may still change, relative to its speed.
const SETTLED: f64 = 1e-4;

/// A contact point during a solve.
#[derive(Clone, Copy)]
pub(super) struct Work {
    /// b (m/s), without end for a contact point that takes no part.
    pub(super) bias: f64,
    /// γ along the normal and across it (1/kg).
    pub(super) gives: [f64; 2],
    /// The velocity along the normal and across it (m/s), and how a step changes it.
    pub(super) speed: [f64; 3],
    pub(super) change: [f64; 3],
    friction: f64,
    /// The most friction (N·s).
    most: f64,
    /// Whether the matrix takes it to press, and to stick.
    taken: [bool; 2],
}

/// The state of a contact point.
#[derive(Clone, Copy, PartialEq)]
enum Does {
    Nothing,
    Sticks,
    Slides,
}

impl Work {
    /// The velocity after a share of the step.
    fn speed(&self, share: f64) -> [f64; 3] {
        std::array::from_fn(|k| self.speed[k] + share * self.change[k])
    }

    /// The impulses (N·s) after a share of the step, and what the contact point does there.
    fn impulse(&self, share: f64) -> ([f64; 3], Does) {
        let [s, t, u] = self.speed(share);
        let press = (-(s + self.bias) / self.gives[0]).max(0.0);
        let drag = [t, u].map(|speed| -speed / self.gives[1]);
        let size = size(drag[0], drag[1]);
        if size < self.most {
            return ([press, drag[0], drag[1]], Does::Sticks);
        }
        let by = if size > 0.0 { self.most / size } else { 0.0 };
        let does = if press > 0.0 || self.most > 0.0 { Does::Slides } else { Does::Nothing };
        ([press, drag[0] * by, drag[1] * by], does)
    }

    /// Whether the whole step was the last: the contact point does what the matrix took it to do, and friction is that of its normal.
    fn is_settled(&self) -> bool {
        let (after, does) = self.impulse(1.0);
        let most = self.friction * after[0];
        let same = self.taken == [after[0] > 0.0, does == Does::Sticks];
        same && match does {
            Does::Nothing => true,
            Does::Sticks => size(after[1], after[2]) <= most,
            Does::Slides => {
                let (speed, change) =
                    (size(self.speed[1], self.speed[2]), size(self.change[1], self.change[2]));
                let moves = change <= SETTLED * speed || most.max(self.most) == 0.0;
                moves && (most - self.most).abs() <= SETTLED * most
            }
        }
    }
}

fn size(a: f64, b: f64) -> f64 {
    (a * a + b * b).sqrt()
}

/// What came of an island.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Found {
    /// An end, with pushes that must be relaxed.
    Pushed,
    /// An end, with hardly a push.
    Still,
    /// No end: it is left to be relaxed, until the step is over unless it is flat.
    Nothing,
}

/// What is solved directly.
#[derive(Default)]
pub(super) struct Direct {
    pub(super) islands: Islands,
    found: Vec<Found>,
    pub(super) matrix: BlockSkyline,
    /// By slot: mass and inertia, the velocities at the start, without contact and now, and the step.
    pub(super) masses: Vec<Block>,
    start: Vec<Vec6>,
    pub(super) free: Vec<Vec6>,
    pub(super) now: Vec<Vec6>,
    pub(super) step: Vec<Vec6>,
    pub(super) work: Vec<Work>,
    pub(super) inner: Vec<Inner>,
}

impl Direct {
    /// Chooses what is solved directly among `bodies` bodies, and marks its surfaces; where only what lands
    /// flat under `gravity` (m/s²) moves faster than `still` (m/s) against another.
    pub(super) fn choose(
        &mut self,
        manifolds: &mut [ContactManifold],
        points: &[ContactPoint],
        solver_bodies: &[SolverBody],
        bodies: usize,
        still: f64,
        gravity: f64,
    ) {
        self.islands.find(manifolds, points, solver_bodies, bodies, still, gravity);
        self.found.clear();
        self.found.resize(self.islands.list.len(), Found::Pushed);
        self.matrix.lay_out(&self.islands.first);
        let count = self.islands.order.len();
        for list in [&mut self.start, &mut self.free, &mut self.now, &mut self.step] {
            list.resize(count, [0.0; 6]);
        }
        self.masses.resize(count, super::spatial::ZERO);
    }

    /// Solves all islands. `bias` (m/s) is that of a contact point, without end where it takes no part; `pressed` tells that the
    /// impulses of the contact points are already in the velocities. What finds no end is left to `relax`.
    pub(super) fn solve(
        &mut self,
        manifolds: &[ContactManifold],
        points: &mut [ContactPoint],
        solver_bodies: &mut [SolverBody],
        pressed: bool,
        bias: impl Fn(&ContactPoint, bool) -> f64,
        mut relax: impl FnMut(&ContactManifold, &mut [ContactPoint], &mut [SolverBody]),
    ) {
        for k in 0..self.islands.list.len() {
            let island = self.islands.list[k];
            if pressed && self.found[k] == Found::Still {
                continue;
            }
            let members = std::mem::take(&mut self.islands.manifolds);
            let own = &members[island.manifolds[0]..island.manifolds[1]];
            let touching = || own.iter().map(|&manifold| &manifolds[manifold as usize]);
            if self.found[k] != Found::Nothing || island.flat {
                self.begin(&island, touching(), points, solver_bodies, pressed, &bias);
                self.newton(&island, touching(), points, solver_bodies);
                self.found[k] = self.apply(&island, touching(), points, solver_bodies);
                if self.found[k] == Found::Nothing && island.flat {
                    self.found[k] = self.solve_inside(&island, touching(), points, solver_bodies);
                }
                if self.found[k] == Found::Nothing {
                    self.put(&island, solver_bodies, |own, slot| own.start[slot]);
                }
            }
            if self.found[k] == Found::Nothing {
                if !pressed {
                    touching().for_each(|manifold| warm(manifold, points, solver_bodies));
                }
                touching().for_each(|manifold| relax(manifold, points, solver_bodies));
                for _ in 1..if island.flat { SWEEPS } else { 1 } {
                    touching().rev().for_each(|manifold| relax(manifold, points, solver_bodies));
                    touching().for_each(|manifold| relax(manifold, points, solver_bodies));
                }
            }
            self.islands.manifolds = members;
        }
    }

    /// Sets the velocities of an island.
    pub(super) fn put(
        &self,
        island: &Island,
        solver_bodies: &mut [SolverBody],
        of: impl Fn(&Self, usize) -> Vec6,
    ) {
        for slot in island.bodies[0]..island.bodies[1] {
            let [x, y, z, u, v, w] = of(self, slot);
            let solid = &mut solver_bodies[self.islands.order[slot] as usize];
            solid.linear = Vec3::new(x, y, z);
            solid.angular = Vec3::new(u, v, w);
        }
    }

    fn take(island: &Island, order: &[u32], solver_bodies: &[SolverBody], to: &mut [Vec6]) {
        for slot in island.bodies[0]..island.bodies[1] {
            let solid = &solver_bodies[order[slot] as usize];
            let ([x, y, z], [u, v, w]) = (solid.linear.to_array(), solid.angular.to_array());
            to[slot] = [x, y, z, u, v, w];
        }
    }

    /// Finds the velocities with and without the impulses that are known, and the target of every contact point.
    fn begin<'a>(
        &mut self,
        island: &Island,
        manifolds: impl Iterator<Item = &'a ContactManifold> + Clone,
        points: &[ContactPoint],
        solver_bodies: &mut [SolverBody],
        pressed: bool,
        bias: &impl Fn(&ContactPoint, bool) -> f64,
    ) {
        let Self { islands, start, free, now, masses, work, .. } = self;
        let order = &islands.order;
        Self::take(island, order, solver_bodies, start);
        let sign = if pressed { -1.0 } else { 1.0 };
        work.clear();
        for manifold in manifolds {
            let [a, b] = both(solver_bodies, manifold.solver_bodies);
            for point in manifold.of(points) {
                manifold.push(
                    point,
                    [point.normal, point.drag[0], point.drag[1]].map(|j| sign * j),
                    a,
                    b,
                );
                let [normal, along, across] = [0, 1, 2].map(|k: usize| SOFT / point.rows[k].mass);
                work.push(Work {
                    bias: bias(point, b.inverse_mass == 0.0),
                    gives: [normal, along.max(across)],
                    speed: [0.0; 3],
                    change: [0.0; 3],
                    friction: manifold.friction,
                    most: manifold.friction * point.normal,
                    taken: [false; 2],
                });
            }
        }
        let (with, without) =
            if pressed { (&mut *free, &mut *now) } else { (&mut *now, &mut *free) };
        Self::take(island, order, solver_bodies, with);
        without[island.bodies[0]..island.bodies[1]]
            .copy_from_slice(&start[island.bodies[0]..island.bodies[1]]);
        for slot in island.bodies[0]..island.bodies[1] {
            let solid = &solver_bodies[order[slot] as usize];
            let inertia = solid.inverse_inertia.inverse();
            for row in 0..3 {
                masses[slot][row][row] = 1.0 / solid.inverse_mass;
                masses[slot][3 + row][3..].copy_from_slice(&inertia.0[row]);
            }
        }
    }

    /// Newton's method.
    fn newton<'a>(
        &mut self,
        island: &Island,
        manifolds: impl Iterator<Item = &'a ContactManifold> + Clone,
        points: &[ContactPoint],
        solver_bodies: &mut [SolverBody],
    ) {
        // What is about to touch is taken to press at first: a stack that begins to fall would else be found box by box.
        let own = island.bodies[0]..island.bodies[1];
        let fastest = self.free[own].iter().flatten().fold(0.0f64, |most, v| most.max(v.abs()));
        let mut near = NEAR * fastest;
        for _ in 0..MOST_STEPS {
            self.put(island, solver_bodies, |own, slot| own.now[slot]);
            self.query(manifolds.clone(), points, solver_bodies, |work| &mut work.speed);
            for work in &mut self.work {
                let (_, does) = work.impulse(0.0);
                let press = work.speed[0] + work.bias < near;
                let first = near > 0.0 && press && work.friction > 0.0;
                work.taken = [press, does == Does::Sticks || first];
            }
            near = 0.0;
            self.assemble(island, manifolds.clone(), points);
            self.matrix.factor(island.bodies);
            self.matrix.solve(island.bodies, &mut self.step);
            let sum = |own: &Self, slot: usize| -> Vec6 {
                std::array::from_fn(|k| own.now[slot][k] + own.step[slot][k])
            };
            self.put(island, solver_bodies, sum);
            self.query(manifolds.clone(), points, solver_bodies, |work| &mut work.change);
            for work in &mut self.work {
                work.change = std::array::from_fn(|k| work.change[k] - work.speed[k]);
            }
            let share = self.search(island);
            for slot in island.bodies[0]..island.bodies[1] {
                for k in 0..6 {
                    self.now[slot][k] += share * self.step[slot][k];
                }
            }
            let done = share == 1.0 && self.work.iter().all(Work::is_settled);
            for work in &mut self.work {
                (work.speed, work.change) = (work.speed(share), [0.0; 3]);
            }
            if done || share < SHORT {
                break;
            }
            for work in &mut self.work {
                work.most = work.friction * work.impulse(0.0).0[0];
            }
        }
    }

    /// How fast every contact point moves now.
    pub(super) fn query<'a>(
        &mut self,
        manifolds: impl Iterator<Item = &'a ContactManifold>,
        points: &[ContactPoint],
        solver_bodies: &mut [SolverBody],
        to: impl Fn(&mut Work) -> &mut [f64; 3],
    ) {
        let mut work = self.work.iter_mut();
        for manifold in manifolds {
            let [a, b] = both(solver_bodies, manifold.solver_bodies);
            for (point, work) in manifold.of(points).iter().zip(&mut work) {
                *to(work) = manifold.speeds(point, a, b);
            }
        }
    }

    /// The matrix, and the residual with the opposite sign in place of the step.
    fn assemble<'a>(
        &mut self,
        island: &Island,
        manifolds: impl Iterator<Item = &'a ContactManifold>,
        points: &[ContactPoint],
    ) {
        let Self { islands, matrix, masses, free, now, step, work, .. } = self;
        matrix.reset(island.bodies, masses);
        for slot in island.bodies[0]..island.bodies[1] {
            let moved: Vec6 = std::array::from_fn(|k| free[slot][k] - now[slot][k]);
            step[slot] = times(&masses[slot], &moved);
        }
        let mut work = work.iter();
        for manifold in manifolds {
            let [a, b] = manifold.solver_bodies.map(|solid| islands.slots[solid as usize]);
            for (point, work) in manifold.of(points).iter().zip(&mut work) {
                let ([press, drag, across], does) = work.impulse(0.0);
                let rows = rows(manifold, point);
                for (slot, side) in [(a, 0), (b, 1)].into_iter().filter(|(slot, _)| *slot != NONE) {
                    for (row, impulse) in rows.iter().zip([press, drag, across]) {
                        for (to, entry) in step[slot as usize].iter_mut().zip(row[side]) {
                            *to += entry * impulse;
                        }
                    }
                }
                let mut add = |weight: f64, row: &[Vec6; 2]| add_row(matrix, [a, b], weight, row);
                let [presses, sticks] = work.taken;
                if presses {
                    add(1.0 / work.gives[0], &rows[0]);
                }
                match does {
                    _ if sticks => {
                        add(1.0 / work.gives[1], &rows[1]);
                        add(1.0 / work.gives[1], &rows[2]);
                    }
                    Does::Slides if work.most > 0.0 => {
                        let [_, t, u] = work.speed;
                        let size = size(t, u);
                        let rotated = [0, 1].map(|side: usize| -> Vec6 {
                            let (one, two) = (&rows[1][side], &rows[2][side]);
                            std::array::from_fn(|k| (two[k] * t - one[k] * u) / size)
                        });
                        add(work.most / size, &rotated);
                    }
                    _ => {}
                }
            }
        }
    }

    /// Which share of the step is best: where the slope along it is zero.
    fn search(&self, island: &Island) -> f64 {
        let (mut flat, mut rising) = (0.0, 0.0);
        for slot in island.bodies[0]..island.bodies[1] {
            let step = &self.step[slot];
            let pushed = times(&self.masses[slot], step);
            let moved: Vec6 = std::array::from_fn(|k| self.now[slot][k] - self.free[slot][k]);
            flat += dot(&moved, &pushed);
            rising += dot(step, &pushed);
        }
        let slope = |share: f64| {
            let of = |work: &Work| {
                let (impulse, _) = work.impulse(share);
                impulse.iter().zip(&work.change).map(|(j, change)| j * change).sum::<f64>()
            };
            flat + share * rising - self.work.iter().map(of).sum::<f64>()
        };
        let (start, end) = (slope(0.0), slope(1.0));
        if end <= SETTLED * start.abs() {
            return 1.0;
        }
        // The slope rises throughout: regula falsi (Illinois).
        let (mut low, mut high) = ((0.0, start.min(0.0)), (1.0, end));
        for _ in 0..MOST_EVALUATIONS {
            let share = (low.0 * high.1 - high.0 * low.1) / (high.1 - low.1);
            let now = slope(share);
            if now.abs() <= SETTLED * start.abs() {
                return share;
            }
            if now < 0.0 {
                low = (share, now);
                high.1 *= 0.5;
            } else {
                high = (share, now);
                low.1 *= 0.5;
            }
        }
        low.0.max(1e-3)
    }

    /// Applies the impulses, if they give the velocities that were found.
    fn apply<'a>(
        &self,
        island: &Island,
        manifolds: impl Iterator<Item = &'a ContactManifold> + Clone,
        points: &mut [ContactPoint],
        solver_bodies: &mut [SolverBody],
    ) -> Found {
        self.put(island, solver_bodies, |own, slot| own.free[slot]);
        let mut work = self.work.iter();
        for manifold in manifolds.clone() {
            let [a, b] = both(solver_bodies, manifold.solver_bodies);
            for (point, work) in manifold.of(points).iter().zip(&mut work) {
                manifold.push(point, work.impulse(0.0).0, a, b);
            }
        }
        let (mut fastest, mut off) = (0.0f64, 0.0f64);
        for slot in island.bodies[0]..island.bodies[1] {
            let solid = &solver_bodies[self.islands.order[slot] as usize];
            let [x, y, z, u, v, w] = self.now[slot];
            off = off.max((solid.linear - Vec3::new(x, y, z)).norm());
            off = off.max((solid.angular - Vec3::new(u, v, w)).norm());
            fastest = self.free[slot].iter().fold(fastest, |fastest, v| fastest.max(v.abs()));
        }
        if off.is_nan() || off > EXACT * fastest {
            return Found::Nothing;
        }
        let mut work = self.work.iter();
        for manifold in manifolds {
            let range = manifold.points.start as usize..manifold.points.end as usize;
            for (point, work) in points[range].iter_mut().zip(&mut work) {
                let ([normal, along, across], _) = work.impulse(0.0);
                (point.normal, point.drag) = (normal, [along, across]);
            }
        }
        let still = self.work.iter().all(|work| work.bias >= -SLIGHT * fastest);
        if still { Found::Still } else { Found::Pushed }
    }
}
