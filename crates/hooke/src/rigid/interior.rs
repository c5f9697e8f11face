//! Stacks that land, solved from the inside of what their contacts may do.
//!
//! Newton's method on stiff contacts goes from kink to kink where many contacts begin to press or to stick at once. An interior
//! point method does not: every impulse λ keeps away from its bounds, and every bound has a speed z that pushes off it, with
//!
//! `s + b + γλ = z`, `λ z = τ` along the normal, `t + γλ = z₋ − z₊`, `(λ + m) z₋ = (m − λ) z₊ = τ` across it, `m = μλ_n`
//!
//! and τ → 0. A step solves `(M + Jᵀ D J) Δv = M (u − v) + Jᵀ (λ − D r)`, `Δλ = −D (r + J Δv)`, where
//! `D = 1/(γ + z/λ)` and `r = s + b + γλ − τ/λ` along the normal, and alike across it. As many steps do for a hundred
//! bodies as for ten. Mehrotra 1992, *On the implementation of a primal-dual interior point method*. Friction is bounded
//! along two directions while it is searched for, and cut to its cone in the end.

use super::direct::{Direct, Found};
use super::islands::{Island, NONE};
use super::solver::{ContactManifold, ContactPoint, SolverBody, both};
use super::spatial::{Vec6, add_row, rows, times};

/// The most steps.
const MOST_STEPS: u32 = 60;

/// For this many steps friction is bounded by the current normal impulse; then the bound stays fixed, and the problem
/// is convex.
const FRICTION_UPDATES: u32 = 20;

/// How far a step goes toward the nearest bound.
const NEARLY: f64 = 0.99;

/// τ is this share of what impulses and speeds make now, after a long step and after a short one.
const AFTER_LONG: f64 = 0.05;
const AFTER_SHORT: f64 = 0.5;
const LONG: f64 = 0.7;

/// The end: τ relative to where it began, and what is left of the residual relative to the fastest body.
const SMALL: f64 = 1e-12;
const EXACT: f64 = 1e-7;

/// How much energy impulses may give, relative to what there is: where friction was cut, they may give more.
const GAIN: f64 = 1e-3;

/// The bound of friction is at least this share of the impulse that would stop the fastest.
const LEAST: f64 = 1e-9;

/// A contact point during a solve.
#[derive(Clone, Copy)]
pub(super) struct Inner {
    /// Impulses along the normal and across it (N·s), the most across it, and whether each takes part.
    impulse: [f64; 3],
    most: f64,
    takes_part: [bool; 2],
    /// The speeds that push off the bounds (m/s): along the normal, and across it off both sides.
    off: f64,
    sides: [[f64; 2]; 2],
    /// D and r of the rows, and how the speeds change.
    weight: [f64; 3],
    rest: [f64; 3],
    step: [f64; 3],
    off_step: f64,
    side_steps: [[f64; 2]; 2],
}

impl Inner {
    /// What bounds and the speeds off them make: their number and the sum of the products.
    fn gap(&self) -> (f64, f64) {
        let (mut count, mut sum) = (0.0, 0.0);
        if self.takes_part[0] {
            (count, sum) = (1.0, self.impulse[0] * self.off);
        }
        if self.takes_part[1] {
            for k in 0..2 {
                let [low, high] = self.room(k);
                sum += low * self.sides[k][0] + high * self.sides[k][1];
            }
            count += 4.0;
        }
        (count, sum)
    }

    /// How far an impulse across the normal is from its bounds.
    fn room(&self, k: usize) -> [f64; 2] {
        [self.impulse[1 + k] + self.most, self.most - self.impulse[1 + k]]
    }

    /// Finds D and r for a τ.
    fn linearize(&mut self, speed: [f64; 3], bias: f64, gives: [f64; 2], aim: f64) {
        (self.weight, self.rest) = ([0.0; 3], [0.0; 3]);
        if self.takes_part[0] {
            let j = self.impulse[0];
            self.weight[0] = 1.0 / (gives[0] + self.off / j);
            self.rest[0] = speed[0] + bias + gives[0] * j - aim / j;
        }
        if self.takes_part[1] {
            for k in 0..2 {
                let ([low, high], [a, b]) = (self.room(k), self.sides[k]);
                self.weight[1 + k] = 1.0 / (gives[1] + a / low + b / high);
                self.rest[1 + k] =
                    speed[1 + k] + gives[1] * self.impulse[1 + k] - aim / low + aim / high;
            }
        }
    }

    /// Takes how the speeds of the contact point change; how far the step may go.
    fn advance(&mut self, change: [f64; 3], aim: f64) -> f64 {
        let mut share = 1.0f64;
        let mut keep = |value: f64, step: f64| {
            if step < 0.0 {
                share = share.min(-NEARLY * value / step);
            }
        };
        self.step = std::array::from_fn(|k| -self.weight[k] * (self.rest[k] + change[k]));
        if self.takes_part[0] {
            let (j, step) = (self.impulse[0], self.step[0]);
            self.off_step = aim / j - self.off - self.off / j * step;
            keep(j, step);
            keep(self.off, self.off_step);
        }
        if self.takes_part[1] {
            for k in 0..2 {
                let ([low, high], [a, b], step) = (self.room(k), self.sides[k], self.step[1 + k]);
                self.side_steps[k] =
                    [aim / low - a - a / low * step, aim / high - b + b / high * step];
                keep(low, step);
                keep(high, -step);
                keep(a, self.side_steps[k][0]);
                keep(b, self.side_steps[k][1]);
            }
        }
        share
    }

    /// Goes a share of the step; friction is then bounded by the new normal impulse.
    fn go(&mut self, share: f64, friction: f64, least: f64, update_friction: bool) {
        for k in 0..3 {
            self.impulse[k] += share * self.step[k];
        }
        self.off += share * self.off_step;
        for k in 0..2 {
            for side in 0..2 {
                self.sides[k][side] += share * self.side_steps[k][side];
            }
        }
        if update_friction && self.takes_part[1] {
            self.most = (friction * self.impulse[0]).max(least);
            for j in &mut self.impulse[1..] {
                *j = j.clamp(-NEARLY * self.most, NEARLY * self.most);
            }
        }
    }

    /// The impulses in the end: none where the contact point rather parts, `give` (1/kg) for what it gives, and within the cone.
    fn found(&self, give: f64, friction: f64) -> [f64; 3] {
        let [normal, along, across] = self.impulse;
        if !self.takes_part[0] || normal * give < self.off {
            return [0.0; 3];
        }
        let size = (along * along + across * across).sqrt();
        let by = if size > friction * normal { friction * normal / size } else { 1.0 };
        [normal, along * by, across * by]
    }
}

impl Direct {
    /// Finds the impulses of an island, and applies them.
    pub(super) fn solve_inside<'a>(
        &mut self,
        island: &Island,
        manifolds: impl Iterator<Item = &'a ContactManifold> + Clone,
        points: &mut [ContactPoint],
        solver_bodies: &mut [SolverBody],
    ) -> Found {
        let own = island.bodies[0]..island.bodies[1];
        let fastest =
            self.free[own.clone()].iter().flatten().fold(1e-9f64, |most, v| most.max(v.abs()));
        self.inner.clear();
        let mut work = self.work.iter();
        for manifold in manifolds.clone() {
            for (point, work) in manifold.of(points).iter().zip(&mut work) {
                let normal = point.normal + point.rows[0].mass * fastest;
                let part = work.bias.is_finite();
                self.inner.push(Inner {
                    impulse: [if part { normal } else { 0.0 }, 0.0, 0.0],
                    most: manifold.friction * normal,
                    takes_part: [part, part && manifold.friction > 0.0],
                    off: fastest,
                    sides: [[fastest; 2]; 2],
                    weight: [0.0; 3],
                    rest: [0.0; 3],
                    step: [0.0; 3],
                    off_step: 0.0,
                    side_steps: [[0.0; 2]; 2],
                });
            }
        }
        self.now[own.clone()].copy_from_slice(&self.free[own]);
        let (mut first, mut long, mut ended) = (0.0, true, false);
        for taken in 0..MOST_STEPS {
            self.put(island, solver_bodies, |own, slot| own.now[slot]);
            self.query(manifolds.clone(), points, solver_bodies, |work| &mut work.speed);
            let (number, sum) =
                self.inner.iter().map(Inner::gap).fold((0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1));
            if number == 0.0 {
                ended = true;
                break;
            }
            let mean = sum / number;
            first = f64::max(first, mean);
            let aim = mean * if long { AFTER_LONG } else { AFTER_SHORT };
            for (inner, work) in self.inner.iter_mut().zip(&self.work) {
                inner.linearize(work.speed, work.bias, work.gives, aim);
            }
            let off = self.inside(island, manifolds.clone(), points);
            if mean <= SMALL * first && off <= EXACT * fastest {
                ended = true;
                break;
            }
            self.matrix.factor(island.bodies);
            self.matrix.solve(island.bodies, &mut self.step);
            self.put(island, solver_bodies, |own, slot| own.step[slot]);
            self.query(manifolds.clone(), points, solver_bodies, |work| &mut work.change);
            let mut share = 1.0f64;
            for (inner, work) in self.inner.iter_mut().zip(&self.work) {
                share = share.min(inner.advance(work.change, aim));
            }
            long = share > LONG;
            let mut work = self.inner.iter_mut();
            for manifold in manifolds.clone() {
                for (point, inner) in manifold.of(points).iter().zip(&mut work) {
                    inner.go(
                        share,
                        manifold.friction,
                        LEAST * fastest * point.rows[0].mass,
                        taken < FRICTION_UPDATES,
                    );
                }
            }
            for slot in island.bodies[0]..island.bodies[1] {
                for k in 0..6 {
                    self.now[slot][k] += share * self.step[slot][k];
                }
            }
        }
        self.put(island, solver_bodies, |own, slot| own.free[slot]);
        if !ended {
            return Found::Nothing;
        }
        let members = &self.islands.order[island.bodies[0]..island.bodies[1]];
        let kinetic = |solver_bodies: &[SolverBody]| -> f64 {
            members.iter().map(|&body| solver_bodies[body as usize].kinetic()).sum()
        };
        let mut most = kinetic(solver_bodies);
        let mut inner = self.inner.iter_mut().zip(&self.work);
        for manifold in manifolds.clone() {
            let [a, b] = both(solver_bodies, manifold.solver_bodies);
            for (point, (inner, work)) in manifold.of(points).iter().zip(&mut inner) {
                inner.impulse = inner.found(1.0 / point.rows[0].mass, manifold.friction);
                manifold.push(point, inner.impulse, a, b);
                most += inner.impulse[0] * (-work.bias).max(0.0);
            }
        }
        let after = kinetic(solver_bodies);
        if after.is_nan() || after > (1.0 + GAIN) * most {
            return Found::Nothing;
        }
        let mut inner = self.inner.iter();
        for manifold in manifolds {
            let range = manifold.points.start as usize..manifold.points.end as usize;
            for (point, inner) in points[range].iter_mut().zip(&mut inner) {
                let [normal, along, across] = inner.impulse;
                (point.normal, point.drag) = (normal, [along, across]);
            }
        }
        Found::Pushed
    }

    /// The matrix, and the right side in the vector of the step; how much the rows still want to change speeds (m/s).
    fn inside<'a>(
        &mut self,
        island: &Island,
        manifolds: impl Iterator<Item = &'a ContactManifold>,
        points: &[ContactPoint],
    ) -> f64 {
        let Self { islands, matrix, masses, free, now, step, inner, .. } = self;
        matrix.reset(island.bodies, masses);
        for slot in island.bodies[0]..island.bodies[1] {
            let moved: Vec6 = std::array::from_fn(|k| free[slot][k] - now[slot][k]);
            step[slot] = times(&masses[slot], &moved);
        }
        let mut inners = inner.iter();
        let mut far = 0.0f64;
        for manifold in manifolds {
            let [a, b] = manifold.solver_bodies.map(|solid| islands.slots[solid as usize]);
            for (point, inner) in manifold.of(points).iter().zip(&mut inners) {
                let rows = rows(manifold, point);
                for k in 0..3 {
                    if inner.weight[k] == 0.0 {
                        continue;
                    }
                    add_row(matrix, [a, b], inner.weight[k], &rows[k]);
                    let push = inner.impulse[k] - inner.weight[k] * inner.rest[k];
                    for (slot, side) in [(a, 0), (b, 1)] {
                        if slot == NONE {
                            continue;
                        }
                        for (to, entry) in step[slot as usize].iter_mut().zip(rows[k][side]) {
                            *to += entry * push;
                        }
                    }
                    far = far.max(inner.weight[k] * inner.rest[k].abs() / point.rows[k].mass);
                }
            }
        }
        far
    }
}
