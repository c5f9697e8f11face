//! Stacks and rows of bodies that touch, solved directly.
//!
//! A sweep over rows carries a load from one body to the next, so that a stack of n bodies takes some n² sweeps. The contacts of
//! an island are solved together instead. With u the velocities without contact, and for every spot its velocity along the
//! normal, s, and across it, t:
//!
//! `min_v ½ (v − u)ᵀ M (v − u) + Σ min(0, s + b)²/2γ + Σ H(t)`, `H = |t|²/2γ` up to `|t| = γμλ`, straight beyond
//!
//! Impulses are `λ = max(0, −(s + b)/γ)` along the normal, and `−t/γ` across it, cut to the cone `μλ`, with λ of the last
//! iteration. b presses overlaps apart, or is the way that is still open; γ is small. The function is convex: Newton's method
//! with an exact line search finds its minimum (Todorov 2014, *Convex and analytically-invertible dynamics with contacts and
//! constraints*). Its matrix `M + Jᵀ D J` has a block for every two bodies that touch. The impulses are then applied pair by
//! pair, so that momentum is kept to rounding.

use super::islands::{Island, Islands, NONE};
use super::six::{Block, Envelope, Six, add_outer, dot, times};
use super::solver::{Row, Solid, Spot, Surface, both};
use crate::math::Point;

/// γ relative to what a spot gives by itself, `γ = SOFT · (J M⁻¹ Jᵀ)`.
const SOFT: f64 = 1e-5;

/// The most Newton steps, and looks of a line search.
const MOST_STEPS: u32 = 12;
const MOST_LOOKS: u32 = 12;

/// How slowly a spot may close to be taken to press at first, relative to the fastest body.
const NEAR: f64 = 0.1;

/// How slow a push may be to need no relaxing, relative to the fastest body.
const SLIGHT: f64 = 1e-3;

/// How far velocities may be from those that the impulses give, relative to the fastest.
const EXACT: f64 = 1e-6;

/// How much a spot that slides may still change, relative to its speed.
const SETTLED: f64 = 1e-4;

/// A spot during a solve.
#[derive(Clone, Copy)]
struct Work {
    /// b (m/s), without end for a spot that takes no part.
    bias: f64,
    /// γ along the normal and across it (1/kg).
    gives: [f64; 2],
    /// The velocity along the normal and across it (m/s), and how a step changes it.
    speed: [f64; 3],
    change: [f64; 3],
    friction: f64,
    /// The most friction (N·s).
    most: f64,
    /// Whether the matrix takes it to press, and to stick.
    taken: [bool; 2],
}

/// What a spot does.
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

    /// The impulses (N·s) after a share of the step, and what the spot does there.
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

    /// Whether the whole step was the last: the spot does what the matrix took it to do, and friction is that of its normal.
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
enum Found {
    /// An end, with pushes that must be relaxed.
    Pushed,
    /// An end, with hardly a push.
    Still,
    /// No end: it is left to be relaxed until the step is over.
    Nothing,
}

/// What is solved directly.
#[derive(Default)]
pub(super) struct Direct {
    islands: Islands,
    found: Vec<Found>,
    matrix: Envelope,
    /// By slot: mass and inertia, the velocities at the start, without contact and now, and the step.
    masses: Vec<Block>,
    start: Vec<Six>,
    free: Vec<Six>,
    now: Vec<Six>,
    step: Vec<Six>,
    work: Vec<Work>,
}

impl Direct {
    /// Chooses what is solved directly among `bodies` bodies, and marks its surfaces; none of them moves faster than
    /// `still` (m/s) against another.
    pub(super) fn choose(
        &mut self,
        surfaces: &mut [Surface],
        spots: &[Spot],
        solids: &[Solid],
        bodies: usize,
        still: f64,
    ) {
        self.islands.find(surfaces, spots, solids, bodies, still);
        self.found.clear();
        self.found.resize(self.islands.list.len(), Found::Pushed);
        self.matrix.lay_out(&self.islands.first);
        let count = self.islands.order.len();
        for list in [&mut self.start, &mut self.free, &mut self.now, &mut self.step] {
            list.resize(count, [0.0; 6]);
        }
        self.masses.resize(count, super::six::ZERO);
    }

    /// Solves all islands. `bias` (m/s) is that of a spot, without end where it takes no part; `pressed` tells that the
    /// impulses of the spots are already in the velocities. What finds no end is left to `relax`.
    pub(super) fn solve(
        &mut self,
        surfaces: &[Surface],
        spots: &mut [Spot],
        solids: &mut [Solid],
        pressed: bool,
        bias: impl Fn(&Spot, bool) -> f64,
        mut relax: impl FnMut(&Surface, &mut [Spot], &mut [Solid]),
    ) {
        for k in 0..self.islands.list.len() {
            let island = self.islands.list[k];
            if pressed && self.found[k] == Found::Still {
                continue;
            }
            let members = std::mem::take(&mut self.islands.surfaces);
            let own = &members[island.surfaces[0]..island.surfaces[1]];
            let touching = || own.iter().map(|&surface| &surfaces[surface as usize]);
            if self.found[k] != Found::Nothing {
                self.begin(&island, touching(), spots, solids, pressed, &bias);
                self.newton(&island, touching(), spots, solids);
                self.found[k] = self.apply(&island, touching(), spots, solids);
                if self.found[k] == Found::Nothing {
                    self.put(&island, solids, |own, slot| own.start[slot]);
                }
            }
            if self.found[k] == Found::Nothing {
                touching().for_each(|surface| relax(surface, spots, solids));
            }
            self.islands.surfaces = members;
        }
    }

    /// Sets the velocities of an island.
    fn put(&self, island: &Island, solids: &mut [Solid], of: impl Fn(&Self, usize) -> Six) {
        for slot in island.bodies[0]..island.bodies[1] {
            let [x, y, z, u, v, w] = of(self, slot);
            let solid = &mut solids[self.islands.order[slot] as usize];
            solid.linear = Point::new(x, y, z);
            solid.angular = Point::new(u, v, w);
        }
    }

    fn take(island: &Island, order: &[u32], solids: &[Solid], to: &mut [Six]) {
        for slot in island.bodies[0]..island.bodies[1] {
            let solid = &solids[order[slot] as usize];
            let ([x, y, z], [u, v, w]) = (solid.linear.to_array(), solid.angular.to_array());
            to[slot] = [x, y, z, u, v, w];
        }
    }

    /// Finds the velocities with and without the impulses that are known, and what is asked of every spot.
    fn begin<'a>(
        &mut self,
        island: &Island,
        surfaces: impl Iterator<Item = &'a Surface> + Clone,
        spots: &[Spot],
        solids: &mut [Solid],
        pressed: bool,
        bias: &impl Fn(&Spot, bool) -> f64,
    ) {
        let Self { islands, start, free, now, masses, work, .. } = self;
        let order = &islands.order;
        Self::take(island, order, solids, start);
        let sign = if pressed { -1.0 } else { 1.0 };
        work.clear();
        for surface in surfaces {
            let [a, b] = both(solids, surface.solids);
            for spot in surface.of(spots) {
                surface.push(
                    spot,
                    [spot.normal, spot.drag[0], spot.drag[1]].map(|j| sign * j),
                    a,
                    b,
                );
                let [normal, along, across] = [0, 1, 2].map(|k: usize| SOFT / spot.rows[k].mass);
                work.push(Work {
                    bias: bias(spot, b.inverse_mass == 0.0),
                    gives: [normal, along.max(across)],
                    speed: [0.0; 3],
                    change: [0.0; 3],
                    friction: surface.friction,
                    most: surface.friction * spot.normal,
                    taken: [false; 2],
                });
            }
        }
        let (with, without) =
            if pressed { (&mut *free, &mut *now) } else { (&mut *now, &mut *free) };
        Self::take(island, order, solids, with);
        without[island.bodies[0]..island.bodies[1]]
            .copy_from_slice(&start[island.bodies[0]..island.bodies[1]]);
        for slot in island.bodies[0]..island.bodies[1] {
            let solid = &solids[order[slot] as usize];
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
        surfaces: impl Iterator<Item = &'a Surface> + Clone,
        spots: &[Spot],
        solids: &mut [Solid],
    ) {
        // What is about to touch is taken to press at first: a stack that begins to fall would else be found box by box.
        let own = island.bodies[0]..island.bodies[1];
        let fastest = self.free[own].iter().flatten().fold(0.0f64, |most, v| most.max(v.abs()));
        let mut near = NEAR * fastest;
        for _ in 0..MOST_STEPS {
            self.put(island, solids, |own, slot| own.now[slot]);
            self.look(surfaces.clone(), spots, solids, |work| &mut work.speed);
            for work in &mut self.work {
                let (_, does) = work.impulse(0.0);
                let press = work.speed[0] + work.bias < near;
                let first = near > 0.0 && press && work.friction > 0.0;
                work.taken = [press, does == Does::Sticks || first];
            }
            near = 0.0;
            self.assemble(island, surfaces.clone(), spots);
            self.matrix.factor(island.bodies);
            self.matrix.solve(island.bodies, &mut self.step);
            let sum = |own: &Self, slot: usize| -> Six {
                std::array::from_fn(|k| own.now[slot][k] + own.step[slot][k])
            };
            self.put(island, solids, sum);
            self.look(surfaces.clone(), spots, solids, |work| &mut work.change);
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
            if done {
                break;
            }
            for work in &mut self.work {
                work.most = work.friction * work.impulse(0.0).0[0];
            }
        }
    }

    /// How fast every spot moves now.
    fn look<'a>(
        &mut self,
        surfaces: impl Iterator<Item = &'a Surface>,
        spots: &[Spot],
        solids: &mut [Solid],
        to: impl Fn(&mut Work) -> &mut [f64; 3],
    ) {
        let mut work = self.work.iter_mut();
        for surface in surfaces {
            let [a, b] = both(solids, surface.solids);
            for (spot, work) in surface.of(spots).iter().zip(&mut work) {
                *to(work) = surface.speeds(spot, a, b);
            }
        }
    }

    /// The matrix, and the residual with the opposite sign in the place of the step.
    fn assemble<'a>(
        &mut self,
        island: &Island,
        surfaces: impl Iterator<Item = &'a Surface>,
        spots: &[Spot],
    ) {
        let Self { islands, matrix, masses, free, now, step, work, .. } = self;
        matrix.reset(island.bodies, masses);
        for slot in island.bodies[0]..island.bodies[1] {
            let moved: Six = std::array::from_fn(|k| free[slot][k] - now[slot][k]);
            step[slot] = times(&masses[slot], &moved);
        }
        let mut work = work.iter();
        for surface in surfaces {
            let [a, b] = surface.solids.map(|solid| islands.slots[solid as usize]);
            for (spot, work) in surface.of(spots).iter().zip(&mut work) {
                let ([press, drag, across], does) = work.impulse(0.0);
                let ways = surface.ways();
                let rows: [[Six; 2]; 3] = std::array::from_fn(|k| sides(&spot.rows[k], ways[k]));
                for (slot, side) in [(a, 0), (b, 1)].into_iter().filter(|(slot, _)| *slot != NONE) {
                    for (row, impulse) in rows.iter().zip([press, drag, across]) {
                        for (to, entry) in step[slot as usize].iter_mut().zip(row[side]) {
                            *to += entry * impulse;
                        }
                    }
                }
                let mut add = |weight: f64, [x, y]: &[Six; 2]| {
                    let (a, b) = (a as usize, b as usize);
                    add_outer(matrix.block(a, a), weight, x, x);
                    if b == NONE as usize {
                        return;
                    }
                    add_outer(matrix.block(b, b), weight, y, y);
                    match a > b {
                        true => add_outer(matrix.block(a, b), weight, x, y),
                        false => add_outer(matrix.block(b, a), weight, y, x),
                    }
                };
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
                        let turned = [0, 1].map(|side: usize| -> Six {
                            let (one, two) = (&rows[1][side], &rows[2][side]);
                            std::array::from_fn(|k| (two[k] * t - one[k] * u) / size)
                        });
                        add(work.most / size, &turned);
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
            let moved: Six = std::array::from_fn(|k| self.now[slot][k] - self.free[slot][k]);
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
        // The slope rises all the way: regula falsi (Illinois).
        let (mut low, mut high) = ((0.0, start.min(0.0)), (1.0, end));
        for _ in 0..MOST_LOOKS {
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
        surfaces: impl Iterator<Item = &'a Surface> + Clone,
        spots: &mut [Spot],
        solids: &mut [Solid],
    ) -> Found {
        self.put(island, solids, |own, slot| own.free[slot]);
        let mut work = self.work.iter();
        for surface in surfaces.clone() {
            let [a, b] = both(solids, surface.solids);
            for (spot, work) in surface.of(spots).iter().zip(&mut work) {
                surface.push(spot, work.impulse(0.0).0, a, b);
            }
        }
        let (mut fastest, mut off) = (0.0f64, 0.0f64);
        for slot in island.bodies[0]..island.bodies[1] {
            let solid = &solids[self.islands.order[slot] as usize];
            let [x, y, z, u, v, w] = self.now[slot];
            off = off.max((solid.linear - Point::new(x, y, z)).norm());
            off = off.max((solid.angular - Point::new(u, v, w)).norm());
            fastest = self.free[slot].iter().fold(fastest, |fastest, v| fastest.max(v.abs()));
        }
        if off.is_nan() || off > EXACT * fastest {
            return Found::Nothing;
        }
        let mut work = self.work.iter();
        for surface in surfaces {
            let range = surface.spots.start as usize..surface.spots.end as usize;
            for (spot, work) in spots[range].iter_mut().zip(&mut work) {
                let ([normal, along, across], _) = work.impulse(0.0);
                (spot.normal, spot.drag) = (normal, [along, across]);
            }
        }
        let still = self.work.iter().all(|work| work.bias >= -SLIGHT * fastest);
        if still { Found::Still } else { Found::Pushed }
    }
}

/// How a row meets the velocities of both solids.
fn sides(row: &Row, way: Point) -> [Six; 2] {
    let [a, b] = row.turns;
    [[way.x, way.y, way.z, a.x, a.y, a.z], [-way.x, -way.y, -way.z, -b.x, -b.y, -b.z]]
}
