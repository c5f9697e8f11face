//! Time of impact: where the path of a particle or an edge within a step meets an obstacle,
//! relative to the obstacle's frame at the end of the step.

use crate::math::Vec3;
use crate::model::{Frame, Obstacle};

/// An obstacle during a step.
#[derive(Clone, Copy)]
pub(super) struct Passage {
    pub(super) before: Frame,
    pub(super) now: Frame,
    pub(super) moves: bool,
    /// Paths shorter than this (m) cannot pass through.
    pub(super) thin: f64,
}

/// A point where a path meets the surface.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hit {
    pub(super) point: Vec3,
    pub(super) distance: f64,
    pub(super) out: Vec3,
}

/// A path meets a surface when this share of the thickness is left.
const MEETS: f64 = 0.25;

/// The maximum number of samples along a path, and the smallest step along it, relative to the
/// obstacle's size.
const MOST_SAMPLES: u32 = 4096;
const STRIDE: f64 = 1.0 / 8.0;

/// The maximum number of samples to find the nearest point on an edge.
const MOST_SAMPLES_ALONG: u32 = 16;

impl Passage {
    /// An obstacle between two frames.
    pub(super) fn new(obstacle: &Obstacle, [before, now]: [Frame; 2]) -> Self {
        let moves = obstacle.pose.moves() || before != now;
        Self { before, now, moves, thin: 0.5 * obstacle.size() }
    }

    /// Where a point at x would be if it moved with the obstacle.
    #[inline]
    pub(super) fn carry(&self, x: Vec3) -> Vec3 {
        if self.moves { self.now.world(self.before.local(x)) } else { x }
    }

    /// Where the path of a particle from p to x meets the surface, if it is long enough to pass
    /// through.
    pub(super) fn trace(&self, obstacle: &Obstacle, p: Vec3, x: Vec3) -> Option<Hit> {
        let length = (x - p).norm();
        if length < self.thin || !length.is_finite() {
            return None;
        }
        let along = (x - p) * (1.0 / length);
        let (first, _) = obstacle.distance_in(&self.now, p);
        if first <= 0.0 {
            return None;
        }
        let meets = self.meets(obstacle, first);
        let mut gone = 0.0;
        for _ in 0..MOST_SAMPLES {
            let point = p + along * gone;
            let (distance, out) = obstacle.distance_in(&self.now, point);
            if distance <= meets && along.dot(out) < 0.0 {
                return Some(Hit { point, distance, out });
            }
            gone += distance.max(STRIDE * self.thin);
            if gone >= length {
                return None;
            }
        }
        None
    }

    /// Where the path of an edge from p to x meets the surface between its ends, if it is long
    /// enough to pass through: the share of its second end, and the hit.
    pub(super) fn trace_edge(
        &self,
        obstacle: &Obstacle,
        p: [Vec3; 2],
        x: [Vec3; 2],
    ) -> Option<(f64, Hit)> {
        let steps = [x[0] - p[0], x[1] - p[1]];
        let length = steps[0].norm().max(steps[1].norm());
        if length < self.thin || !length.is_finite() {
            return None;
        }
        let first = self.nearest(obstacle, p).map(|(_, distance, _)| distance);
        let meets = self.meets(obstacle, first.unwrap_or(self.thin));
        let mut gone = 0.0;
        for _ in 0..MOST_SAMPLES {
            let at = |k: usize| p[k] + steps[k] * (gone / length);
            let edge = [at(0), at(1)];
            let distance = match self.nearest(obstacle, edge) {
                Some((s, distance, out)) => {
                    let along = steps[0] * (1.0 - s) + steps[1] * s;
                    if distance <= meets && along.dot(out) < 0.0 {
                        let point = edge[0] * (1.0 - s) + edge[1] * s;
                        return Some((s, Hit { point, distance, out }));
                    }
                    distance
                }
                // An end is nearest, and has a pair of its own.
                None => {
                    let [a, b] = edge.map(|x| obstacle.at_least_in(&self.now, x));
                    a.min(b)
                }
            };
            gone += distance.max(STRIDE * self.thin);
            if gone >= length {
                break;
            }
        }
        None
    }

    /// Where an edge is nearest to an obstacle between its ends: the share of its second end, the
    /// distance (m) and the outward direction there. `None` where an end is nearest.
    pub(super) fn nearest(&self, obstacle: &Obstacle, edge: [Vec3; 2]) -> Option<(f64, f64, Vec3)> {
        let along = edge[1] - edge[0];
        let distance_at =
            |s: f64| obstacle.distance_in(&self.now, edge[0] * (1.0 - s) + edge[1] * s);
        // The root of ∂φ/∂s by the method of false position. The value of an endpoint that is kept
        // twice in a row is halved (Illinois).
        let (mut low, mut high) =
            ((0.0, distance_at(0.0).1.dot(along)), (1.0, distance_at(1.0).1.dot(along)));
        if low.1 >= 0.0 || high.1 <= 0.0 {
            return None;
        }
        let small = 1e-12 * along.norm();
        let (mut s, mut last) = (0.5, 0.0);
        for _ in 0..MOST_SAMPLES_ALONG {
            s = (low.0 * high.1 - high.0 * low.1) / (high.1 - low.1);
            let slope = distance_at(s).1.dot(along);
            if slope.abs() <= small {
                break;
            }
            if slope < 0.0 {
                low = (s, slope);
                high.1 *= if last < 0.0 { 0.5 } else { 1.0 };
            } else {
                high = (s, slope);
                low.1 *= if last > 0.0 { 0.5 } else { 1.0 };
            }
            last = slope;
        }
        let (distance, out) = distance_at(s);
        Some((s, distance, out))
    }

    /// The distance (m) at which a path that starts at the distance `first` (m) meets the surface.
    fn meets(&self, obstacle: &Obstacle, first: f64) -> f64 {
        (MEETS * obstacle.thickness).max(1e-3 * self.thin).min(0.5 * first.max(0.0))
    }
}
