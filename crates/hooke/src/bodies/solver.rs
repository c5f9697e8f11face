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
use crate::math::{Mat3, Point, Quat};
use std::ops::Range;

/// A body or an obstacle as rows know it: an obstacle has no inverse mass.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Solid {
    pub(super) position: Point,
    pub(super) turn: Quat,
    pub(super) linear: Point,
    pub(super) angular: Point,
    pub(super) inverse_mass: f64,
    pub(super) inverse_inertia: Mat3,
    /// Where it was when contacts were found, and how it has turned since.
    pub(super) from: Point,
    pub(super) turned: Mat3,
}

impl Solid {
    /// Applies an impulse (N·s) at an arm (m).
    #[inline]
    pub(super) fn push(&mut self, impulse: Point, arm: Point) {
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
    pub(super) fn at(&self, arm: Point) -> Point {
        self.linear + self.angular.cross(arm)
    }
}

/// One direction of a spot.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Row {
    /// How it turns both solids, `r × w` (m), and how much they then do, `𝕀⁻¹(r × w)`.
    turns: [Point; 2],
    gives: [Point; 2],
    /// The effective mass (kg).
    mass: f64,
}

impl Row {
    /// How fast the solids part along the row's direction (m/s).
    #[inline]
    fn speed(&self, way: Point, a: &Solid, b: &Solid) -> f64 {
        let turning = self.turns[0].dot(a.angular) - self.turns[1].dot(b.angular);
        way.dot(a.linear - b.linear) + turning
    }

    /// Applies an impulse (N·s) along the row's direction.
    #[inline]
    fn push(&self, way: Point, j: f64, a: &mut Solid, b: &mut Solid) {
        a.linear += way * (j * a.inverse_mass);
        a.angular += self.gives[0] * j;
        b.linear -= way * (j * b.inverse_mass);
        b.angular -= self.gives[1] * j;
    }
}

/// A point of a contact.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spot {
    pub(super) feature: u64,
    /// From both centres (m), where contacts were found.
    pub(super) arms: [Point; 2],
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
pub(super) struct Surface {
    pub(super) pair: u64,
    pub(super) solids: [u32; 2],
    pub(super) normal: Point,
    /// Two directions across the normal.
    pub(super) sides: [Point; 2],
    pub(super) friction: f64,
    pub(super) restitution: f64,
    pub(super) spots: Range<u32>,
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
}

/// How fast overlaps are pressed apart at most (m/s).
const FASTEST: f64 = 3.0;

/// Two different places of a list.
#[inline]
pub(super) fn both(solids: &mut [Solid], [a, b]: [u32; 2]) -> [&mut Solid; 2] {
    let (a, b) = (a as usize, b as usize);
    if a < b {
        let (low, high) = solids.split_at_mut(b);
        [&mut low[a], &mut high[0]]
    } else {
        let (low, high) = solids.split_at_mut(a);
        [&mut high[0], &mut low[b]]
    }
}

/// Computes the rows where contacts were found.
pub(super) fn weigh(surfaces: &[Surface], spots: &mut [Spot], solids: &[Solid]) {
    for surface in surfaces {
        let [a, b] = surface.solids.map(|solid| &solids[solid as usize]);
        let ways = [surface.normal, surface.sides[0], surface.sides[1]];
        for spot in &mut spots[surface.spots.start as usize..surface.spots.end as usize] {
            spot.now = spot.gap;
            for (row, way) in spot.rows.iter_mut().zip(ways) {
                row.turns = spot.arms.map(|arm| arm.cross(way));
                let [t, u] = row.turns;
                row.gives = [a.inverse_inertia * t, b.inverse_inertia * u];
                let whole =
                    a.inverse_mass + b.inverse_mass + t.dot(row.gives[0]) + u.dot(row.gives[1]);
                row.mass = if whole > 0.0 { 1.0 / whole } else { 0.0 };
            }
        }
    }
}

/// Looks again at gaps and inertia, after the solids have moved.
pub(super) fn follow(surfaces: &[Surface], spots: &mut [Spot], solids: &[Solid]) {
    for surface in surfaces {
        let [a, b] = surface.solids.map(|solid| &solids[solid as usize]);
        let normal = surface.normal;
        let apart = normal.dot((a.position - a.from) - (b.position - b.from));
        let [back_a, back_b] = [a, b].map(|solid| transposed(&solid.turned, normal) - normal);
        for spot in &mut spots[surface.spots.start as usize..surface.spots.end as usize] {
            spot.now = spot.gap + apart + back_a.dot(spot.arms[0]) - back_b.dot(spot.arms[1]);
            for row in &mut spot.rows {
                let [t, u] = row.turns;
                row.gives = [a.inverse_inertia * t, b.inverse_inertia * u];
            }
        }
    }
}

/// Applies the impulses of the last part again.
pub(super) fn warm(surfaces: &[Surface], spots: &[Spot], solids: &mut [Solid]) {
    for surface in surfaces {
        let [a, b] = both(solids, surface.solids);
        let [s, t] = surface.sides;
        for spot in &spots[surface.spots.start as usize..surface.spots.end as usize] {
            let [press, drag, across] = &spot.rows;
            press.push(surface.normal, spot.normal, a, b);
            drag.push(s, spot.drag[0], a, b);
            across.push(t, spot.drag[1], a, b);
        }
    }
}

/// One sweep over all rows in parts of `h` (s); with softness, between bodies and against what does not move,
/// overlaps are pressed apart. Without it only what pressed in this part is
/// relaxed: what is about to meet keeps the velocity of its impact.
pub(super) fn sweep(
    surfaces: &[Surface],
    spots: &mut [Spot],
    solids: &mut [Solid],
    softness: Option<[Softness; 2]>,
    h: f64,
) {
    let by = 1.0 / h;
    for surface in surfaces {
        let [a, b] = both(solids, surface.solids);
        let (normal, [s, t]) = (surface.normal, surface.sides);
        let soft = softness.map(|soft| soft[usize::from(b.inverse_mass == 0.0)]);
        let spots = &mut spots[surface.spots.start as usize..surface.spots.end as usize];
        for spot in &mut *spots {
            if softness.is_none() && spot.normal == 0.0 {
                continue;
            }
            let gap = spot.now;
            let (bias, soft) = match soft {
                _ if gap > 0.0 => (gap * by, Softness::RIGID),
                Some(soft) => ((soft.rate * gap).max(-FASTEST), soft),
                None => (0.0, Softness::RIGID),
            };
            let row = &spot.rows[0];
            let v = row.speed(normal, a, b);
            let press = spot.normal * (1.0 - soft.keep) - row.mass * soft.scale * (v + bias);
            let press = press.max(0.0);
            row.push(normal, press - spot.normal, a, b);
            spot.normal = press;
        }
        // Friction by the normal impulses of now.
        if surface.friction == 0.0 {
            continue;
        }
        for spot in spots {
            if spot.normal == 0.0 && spot.drag == [0.0; 2] {
                continue;
            }
            let [_, along, across] = &spot.rows;
            let mut drag = [
                spot.drag[0] - along.mass * along.speed(s, a, b),
                spot.drag[1] - across.mass * across.speed(t, a, b),
            ];
            let square = drag[0] * drag[0] + drag[1] * drag[1];
            let most = surface.friction * spot.normal;
            if square > most * most {
                drag = drag.map(|value| value * (most / square.sqrt()));
            }
            along.push(s, drag[0] - spot.drag[0], a, b);
            across.push(t, drag[1] - spot.drag[1], a, b);
            spot.drag = drag;
        }
    }
}

/// `mᵀ v`.
#[inline]
fn transposed(m: &Mat3, v: Point) -> Point {
    let m = &m.0;
    Point::new(
        m[0][0] * v.x + m[1][0] * v.y + m[2][0] * v.z,
        m[0][1] * v.x + m[1][1] * v.y + m[2][1] * v.z,
        m[0][2] * v.x + m[1][2] * v.y + m[2][2] * v.z,
    )
}

/// The gap (m) of a spot now.
pub(super) fn gap(surface: &Surface, spot: &Spot, solids: &[Solid]) -> f64 {
    let [a, b] = surface.solids.map(|solid| &solids[solid as usize]);
    let way = |solid: &Solid, arm: Point| (solid.position - solid.from) + solid.turned * arm - arm;
    spot.gap + surface.normal.dot(way(a, spot.arms[0]) - way(b, spot.arms[1]))
}

/// The impacts of a part: surfaces that meet faster than `still` (m/s) within `h` (s) get the impulse of a rule
/// at the mean of their spots; how many did. `fall` (m/s) is what gravity will add. Several times, so that one impact
/// passes on to the next.
pub(super) fn impacts(
    surfaces: &[Surface],
    spots: &[Spot],
    solids: &mut [Solid],
    rule: Rule,
    still: f64,
    fall: Point,
    h: f64,
) -> usize {
    let mut most = 0;
    for _ in 0..PASSES {
        let mut hits = 0;
        for surface in surfaces {
            if rule == Rule::Physical && surface.restitution == 0.0 {
                continue;
            }
            let (mut sum, mut count) = ([Point::ZERO; 2], 0.0);
            for spot in &spots[surface.spots.start as usize..surface.spots.end as usize] {
                let [a, b] = surface.solids.map(|solid| &solids[solid as usize]);
                let v = (a.at(spot.arms[0]) - b.at(spot.arms[1])).dot(surface.normal);
                let more = if b.inverse_mass == 0.0 { fall.dot(surface.normal) } else { 0.0 };
                if v < -still && gap(surface, spot, solids) + (v + more) * h <= 0.0 {
                    sum = [sum[0] + spot.arms[0], sum[1] + spot.arms[1]];
                    count += 1.0;
                }
            }
            if count == 0.0 {
                continue;
            }
            let arms = sum.map(|sum| sum * (1.0 / count));
            let [a, b] = both(solids, surface.solids);
            let v = a.at(arms[0]) - b.at(arms[1]);
            if v.dot(surface.normal) >= -still {
                continue;
            }
            let k = contact_matrix(a.inverse_mass, &a.inverse_inertia, arms[0])
                + contact_matrix(b.inverse_mass, &b.inverse_inertia, arms[1]);
            let Surface { normal, restitution, friction, .. } = *surface;
            let j = impulse(rule, v, &k, &Surfaces { normal, restitution, friction });
            a.push(j, arms[0]);
            b.push(-j, arms[1]);
            hits += usize::from(j != Point::ZERO);
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
