//! Contacts as rows, relaxed one after the other in small parts of a step.
//!
//! A contact has a normal row, `v·n ≥ 0`, and two rows of friction across it, `|j_t| ≤ μ j_n`. In every part of
//! a step: gravity, the impulses of the last part again (warm start), one sweep in which overlap pushes apart as
//! a soft spring would, motion, and one sweep without that push, which takes back the velocity it gave (relax).
//! The spring is set by a frequency f and a damping ratio ζ instead of a stiffness, so it is stable for any mass:
//! with `ω = 2πf`, `a = 2ζ + hω`,
//!
//! `j ← j − m_eff (v·n + (ω/a) gap) · hωa/(1 + hωa) − j/(1 + hωa)`, `j ≥ 0`
//!
//! A contact that is still open, `gap > 0`, only takes the velocity that would close it: `v·n ≥ −gap/h`. Catto 2024,
//! *Solver2D* (soft step); Macklin et al. 2019, *Small steps in physics simulation*.

use super::impulse::{Rule, Surfaces, contact_matrix, impulse};
use crate::math::{Mat3, Quat, Vec3};
use std::ops::Range;

/// A body or an obstacle as rows know it: an obstacle has no inverse mass.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SolverBody {
    pub(super) position: Vec3,
    pub(super) rotation: Quat,
    pub(super) linear: Vec3,
    pub(super) angular: Vec3,
    pub(super) inverse_mass: f64,
    pub(super) inverse_inertia: Mat3,
    /// Where it was when contacts were found, and how it has turned since.
    pub(super) from: Vec3,
    pub(super) rotated: Mat3,
}

impl SolverBody {
    /// Applies an impulse (N·s) at an arm (m).
    #[inline]
    pub(super) fn push(&mut self, impulse: Vec3, arm: Vec3) {
        self.linear += impulse * self.inverse_mass;
        self.angular += self.inverse_inertia * arm.cross(impulse);
    }

    /// The kinetic energy (J).
    pub(super) fn kinetic(&self) -> f64 {
        let spin = self.inverse_inertia.inverse() * self.angular;
        0.5 * (self.linear.norm2() / self.inverse_mass + self.angular.dot(spin))
    }

    /// The velocity (m/s) at an arm (m).
    #[inline]
    pub(super) fn at(&self, arm: Vec3) -> Vec3 {
        self.linear + self.angular.cross(arm)
    }
}

/// One direction of a contact point.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Row {
    /// How it turns both solids, `r × w` (m), and how much they then do, `𝕀⁻¹(r × w)`.
    pub(super) rotations: [Vec3; 2],
    gives: [Vec3; 2],
    /// The effective mass (kg).
    pub(super) mass: f64,
}

impl Row {
    /// How fast the solids part along the row's direction (m/s).
    #[inline]
    fn speed(&self, direction: Vec3, a: &SolverBody, b: &SolverBody) -> f64 {
        let turning = self.rotations[0].dot(a.angular) - self.rotations[1].dot(b.angular);
        direction.dot(a.linear - b.linear) + turning
    }

    /// Applies an impulse (N·s) along the row's direction.
    #[inline]
    fn push(&self, direction: Vec3, j: f64, a: &mut SolverBody, b: &mut SolverBody) {
        a.linear += direction * (j * a.inverse_mass);
        a.angular += self.gives[0] * j;
        b.linear -= direction * (j * b.inverse_mass);
        b.angular -= self.gives[1] * j;
    }
}

/// A point of a contact.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ContactPoint {
    pub(super) feature: u64,
    /// From both centers (m), where contacts were found, and now, to one point that both share.
    pub(super) arms: [Vec3; 2],
    pub(super) reach: [Vec3; 2],
    /// The gap there, and now (m).
    pub(super) gap: f64,
    pub(super) now: f64,
    /// Along the normal and across it.
    pub(super) rows: [Row; 3],
    /// What the rows have pressed with (N·s).
    pub(super) normal: f64,
    pub(super) drag: [f64; 2],
}

/// Contacts of two solids that share a direction.
#[derive(Clone, Debug)]
pub(super) struct ContactManifold {
    pub(super) pair: u64,
    pub(super) solver_bodies: [u32; 2],
    pub(super) normal: Vec3,
    /// Two directions across the normal.
    pub(super) sides: [Vec3; 2],
    pub(super) friction: f64,
    pub(super) restitution: f64,
    /// The most torque that resists rolling and spinning, relative to the normal force (m), and what it has given (N·m·s).
    pub(super) rolling: f64,
    pub(super) roll: Vec3,
    pub(super) points: Range<u32>,
    /// Whether it is solved directly, with others.
    pub(super) direct: bool,
}

impl ContactManifold {
    /// Its contact points.
    #[inline]
    pub(super) fn of<'a>(&self, points: &'a [ContactPoint]) -> &'a [ContactPoint] {
        &points[self.points.start as usize..self.points.end as usize]
    }

    #[inline]
    fn of_mut<'a>(&self, points: &'a mut [ContactPoint]) -> &'a mut [ContactPoint] {
        &mut points[self.points.start as usize..self.points.end as usize]
    }

    /// The directions of its rows.
    #[inline]
    pub(super) fn directions(&self) -> [Vec3; 3] {
        [self.normal, self.sides[0], self.sides[1]]
    }

    /// How fast the solids part at a contact point, along the normal and across it (m/s).
    #[inline]
    pub(super) fn speeds(&self, point: &ContactPoint, a: &SolverBody, b: &SolverBody) -> [f64; 3] {
        let directions = self.directions();
        std::array::from_fn(|k| point.rows[k].speed(directions[k], a, b))
    }

    /// Applies impulses (N·s) along the normal and across it.
    #[inline]
    pub(super) fn push(
        &self,
        point: &ContactPoint,
        impulses: [f64; 3],
        a: &mut SolverBody,
        b: &mut SolverBody,
    ) {
        for ((row, direction), j) in point.rows.iter().zip(self.directions()).zip(impulses) {
            row.push(direction, j, a, b);
        }
    }
}

/// How stiff the springs are that press overlaps apart.
#[derive(Clone, Copy, Debug)]
pub(super) struct Softness {
    rate: f64,
    scale: f64,
    keep: f64,
}

impl Softness {
    /// Of a frequency (Hz) and a damping ratio, for parts of `h` (s).
    pub(super) fn new(frequency: f64, damping: f64, h: f64) -> Self {
        let omega = 2.0 * std::f64::consts::PI * frequency;
        let a = 2.0 * damping + h * omega;
        let b = h * omega * a;
        let keep = 1.0 / (1.0 + b);
        Self { rate: omega / a, scale: b * keep, keep }
    }

    /// As stiff as can be: nothing is left after a part.
    pub(super) const RIGID: Self = Self { rate: 0.0, scale: 1.0, keep: 0.0 };

    /// How fast (m/s) an overlap is pressed apart; where there still is a gap (m), how fast it may close within `h` (s).
    pub(super) fn bias(&self, gap: f64, h: f64) -> f64 {
        if gap > 0.0 { gap / h } else { (self.rate * gap).max(-FASTEST) }
    }
}

/// How fast overlaps are pressed apart at most (m/s).
pub(super) const FASTEST: f64 = 3.0;

/// Two different entries of a list.
#[inline]
pub(super) fn both(solver_bodies: &mut [SolverBody], [a, b]: [u32; 2]) -> [&mut SolverBody; 2] {
    let (a, b) = (a as usize, b as usize);
    if a < b {
        let (low, high) = solver_bodies.split_at_mut(b);
        [&mut low[a], &mut high[0]]
    } else {
        let (low, high) = solver_bodies.split_at_mut(a);
        [&mut high[0], &mut low[b]]
    }
}

/// Computes the rows of a contact point at its shared point.
fn update_rows(point: &mut ContactPoint, directions: [Vec3; 3], a: &SolverBody, b: &SolverBody) {
    for (row, direction) in point.rows.iter_mut().zip(directions) {
        row.rotations = point.reach.map(|arm| arm.cross(direction));
        row.gives = [a.inverse_inertia * row.rotations[0], b.inverse_inertia * row.rotations[1]];
    }
}

/// Computes the rows where contacts were found.
pub(super) fn weigh(
    manifolds: &[ContactManifold],
    points: &mut [ContactPoint],
    solver_bodies: &[SolverBody],
) {
    for manifold in manifolds {
        let [a, b] = manifold.solver_bodies.map(|solid| &solver_bodies[solid as usize]);
        for point in manifold.of_mut(points) {
            (point.now, point.reach) = (point.gap, point.arms);
            update_rows(point, manifold.directions(), a, b);
            for row in &mut point.rows {
                let turning =
                    row.rotations[0].dot(row.gives[0]) + row.rotations[1].dot(row.gives[1]);
                let whole = a.inverse_mass + b.inverse_mass + turning;
                row.mass = if whole > 0.0 { 1.0 / whole } else { 0.0 };
            }
        }
    }
}

/// Updates gaps and rows, after the solids have moved. Two bodies are pushed at one point, midway between where each
/// has carried it: so angular momentum is kept however far they have moved. What does not move has none to keep.
pub(super) fn update_positions(
    manifolds: &[ContactManifold],
    points: &mut [ContactPoint],
    solver_bodies: &[SolverBody],
) {
    for manifold in manifolds {
        let [a, b] = manifold.solver_bodies.map(|solid| &solver_bodies[solid as usize]);
        let [moved_a, moved_b] = [a, b].map(|solid| solid.position - solid.from);
        let half = if b.inverse_mass > 0.0 { (moved_a - moved_b) * 0.5 } else { Vec3::ZERO };
        for point in manifold.of_mut(points) {
            let [x, y] = point.arms;
            let apart = (moved_a + a.rotated * x - x) - (moved_b + b.rotated * y - y);
            point.now = point.gap + manifold.normal.dot(apart);
            point.reach = [x - half, y + half];
            update_rows(point, manifold.directions(), a, b);
        }
    }
}

/// Applies the impulses of the last part again.
pub(super) fn warm(
    manifold: &ContactManifold,
    points: &[ContactPoint],
    solver_bodies: &mut [SolverBody],
) {
    let [a, b] = both(solver_bodies, manifold.solver_bodies);
    for point in manifold.of(points) {
        manifold.push(point, [point.normal, point.drag[0], point.drag[1]], a, b);
    }
}

/// One sweep over the rows of a surface in parts of `h` (s); with softness, between bodies and against what does not move,
/// overlaps are pressed apart. Without it only what pressed in this part is
/// relaxed: what is about to meet keeps the velocity of its impact.
pub(super) fn sweep(
    manifold: &ContactManifold,
    points: &mut [ContactPoint],
    solver_bodies: &mut [SolverBody],
    softness: Option<[Softness; 2]>,
    h: f64,
) {
    let [a, b] = both(solver_bodies, manifold.solver_bodies);
    let (normal, [s, t]) = (manifold.normal, manifold.sides);
    let soft = softness.map(|soft| soft[usize::from(b.inverse_mass == 0.0)]);
    let points = manifold.of_mut(points);
    for point in &mut *points {
        if softness.is_none() && point.normal == 0.0 {
            continue;
        }
        let gap = point.now;
        let soft = if gap > 0.0 { None } else { soft }.unwrap_or(Softness::RIGID);
        let row = &point.rows[0];
        let v = row.speed(normal, a, b);
        let press =
            point.normal * (1.0 - soft.keep) - row.mass * soft.scale * (v + soft.bias(gap, h));
        let press = press.max(0.0);
        row.push(normal, press - point.normal, a, b);
        point.normal = press;
    }
    // Friction by the normal impulses of now.
    if manifold.friction == 0.0 {
        return;
    }
    for point in points {
        if point.normal == 0.0 && point.drag == [0.0; 2] {
            continue;
        }
        let [_, along, across] = &point.rows;
        let mut drag = [
            point.drag[0] - along.mass * along.speed(s, a, b),
            point.drag[1] - across.mass * across.speed(t, a, b),
        ];
        let square = drag[0] * drag[0] + drag[1] * drag[1];
        let most = manifold.friction * point.normal;
        if square > most * most {
            drag = drag.map(|value| value * (most / square.sqrt()));
        }
        along.push(s, drag[0] - point.drag[0], a, b);
        across.push(t, drag[1] - point.drag[1], a, b);
        point.drag = drag;
    }
}

/// Resists rolling and spinning: a torque between the two solids that would stop their turning against each other, up to the
/// length of rolling friction times what presses.
pub(super) fn roll(
    manifolds: &mut [ContactManifold],
    points: &[ContactPoint],
    solver_bodies: &mut [SolverBody],
) {
    for manifold in manifolds.iter_mut().filter(|manifold| manifold.rolling > 0.0) {
        let pressed: f64 = manifold.of(points).iter().map(|point| point.normal).sum();
        let [a, b] = both(solver_bodies, manifold.solver_bodies);
        let gives = a.inverse_inertia + b.inverse_inertia;
        let mut roll = manifold.roll - gives.inverse() * (a.angular - b.angular);
        let (size, most) = (roll.norm(), manifold.rolling * pressed);
        if size > most {
            roll = roll * (most / size);
        }
        let given = roll - manifold.roll;
        a.angular += a.inverse_inertia * given;
        b.angular -= b.inverse_inertia * given;
        manifold.roll = roll;
    }
}

/// The impacts of a part: surfaces that meet faster than `still` (m/s) within `h` (s) get the impulse of a rule
/// at the mean of their contact points; how many did. `fall` (m/s) is what gravity will add. Several times, so that one impact
/// passes on to the next.
pub(super) fn impacts(
    manifolds: &[ContactManifold],
    points: &[ContactPoint],
    solver_bodies: &mut [SolverBody],
    rule: Rule,
    still: f64,
    fall: Vec3,
    h: f64,
) -> usize {
    let mut most = 0;
    for _ in 0..PASSES {
        let mut hits = 0;
        for manifold in manifolds {
            if rule == Rule::Physical && manifold.restitution == 0.0 {
                continue;
            }
            let (mut sum, mut count) = ([Vec3::ZERO; 2], 0.0);
            for point in manifold.of(points) {
                let [a, b] = manifold.solver_bodies.map(|solid| &solver_bodies[solid as usize]);
                let v = (a.at(point.reach[0]) - b.at(point.reach[1])).dot(manifold.normal);
                let more = if b.inverse_mass == 0.0 { fall.dot(manifold.normal) } else { 0.0 };
                if v < -still && point.now + (v + more) * h <= 0.0 {
                    sum = [sum[0] + point.reach[0], sum[1] + point.reach[1]];
                    count += 1.0;
                }
            }
            if count == 0.0 {
                continue;
            }
            let arms = sum.map(|sum| sum * (1.0 / count));
            let [a, b] = both(solver_bodies, manifold.solver_bodies);
            let v = a.at(arms[0]) - b.at(arms[1]);
            if v.dot(manifold.normal) >= -still {
                continue;
            }
            let k = contact_matrix(a.inverse_mass, &a.inverse_inertia, arms[0])
                + contact_matrix(b.inverse_mass, &b.inverse_inertia, arms[1]);
            let ContactManifold { normal, restitution, friction, .. } = *manifold;
            let j = impulse(rule, v, &k, &Surfaces { normal, restitution, friction });
            a.push(j, arms[0]);
            b.push(-j, arms[1]);
            hits += usize::from(j != Vec3::ZERO);
        }
        most = most.max(hits);
        if hits == 0 {
            break;
        }
    }
    most
}

/// How often impacts are passed on.
const PASSES: u32 = 8;
