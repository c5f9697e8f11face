//! How something given moves: it stands still, or follows keyframes.

use super::{Invalid, invalid};
use crate::math::Point;
use std::sync::Arc;

/// A place, or a track through time. Motions along one track share its keyframes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Motion {
    /// The place, or what is added to the track.
    home: Point,
    track: Option<Arc<Track>>,
}

impl Motion {
    /// Standing still.
    pub fn still(home: Point) -> Self {
        Self { home, track: None }
    }

    /// Following keyframes.
    pub fn along(track: impl Into<Arc<Track>>) -> Self {
        Self { home: Point::ZERO, track: Some(track.into()) }
    }

    /// Where it is at time `t` (s).
    pub fn at(&self, t: f64) -> Point {
        self.track.as_ref().map_or(self.home, |track| track.at(t) + self.home)
    }

    /// Whether it follows keyframes.
    pub fn moves(&self) -> bool {
        self.track.is_some()
    }

    /// Whether it is somewhere finite at all times.
    pub fn is_finite(&self) -> bool {
        // A cubic leaves the box of its keys by less than half its size.
        let extent = self.track.as_ref().map_or(0.0, |track| 1.5 * track.extent);
        self.home.to_array().iter().all(|value| (value.abs() + extent).is_finite())
    }

    /// A distance from the origin that it does not exceed.
    pub fn greatest(&self) -> f64 {
        let Some(track) = &self.track else { return self.home.norm() };
        let keys = track.points.iter().map(|point| (*point + self.home).norm()).fold(0.0, f64::max);
        match track.interpolation {
            Interpolation::Linear => keys,
            // A Hermite cubic leaves the hull of its keys by less than half its size.
            Interpolation::Smooth => 1.5 * keys,
        }
    }

    /// The same motion elsewhere.
    pub fn shifted(&self, by: Point) -> Self {
        Self { home: self.home + by, track: self.track.clone() }
    }
}

/// How a track runs between its keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Interpolation {
    /// Straight, at constant speed.
    #[default]
    Linear,
    /// Through the keys with continuous velocity (cubic Hermite with central differences).
    Smooth,
}

/// Keyframes: before the first it stands, after the last it stands or starts over.
#[derive(Clone, Debug, PartialEq)]
pub struct Track {
    times: Vec<f64>,
    points: Vec<Point>,
    interpolation: Interpolation,
    repeat: bool,
    /// The greatest coordinate of its keys.
    extent: f64,
}

impl Track {
    /// From times (s), ascending, and a point for each.
    pub fn new(
        times: Vec<f64>,
        points: Vec<Point>,
        interpolation: Interpolation,
        repeat: bool,
    ) -> Result<Self, Invalid> {
        if times.is_empty() || times.len() != points.len() {
            return invalid("keyframes need at least one time, and a point for each");
        }
        if !times.iter().all(|t| t.is_finite()) || times.windows(2).any(|pair| pair[0] >= pair[1]) {
            return invalid("the times of keyframes must be finite and ascending");
        }
        if !points.iter().all(|point| point.is_finite()) {
            return invalid("the points of keyframes must be finite");
        }
        let coordinates = points.iter().flat_map(|point| point.to_array());
        let extent = coordinates.map(f64::abs).fold(0.0, f64::max);
        Ok(Self { times, points, interpolation, repeat, extent })
    }

    /// Where it is at time `t` (s).
    pub fn at(&self, t: f64) -> Point {
        let (first, last) = (self.times[0], self.times[self.times.len() - 1]);
        let t = if self.repeat && t > last && last > first {
            first + (t - first).rem_euclid(last - first)
        } else {
            t
        };
        let next = self.times.partition_point(|&time| time <= t);
        if next == 0 {
            return self.points[0];
        }
        if next == self.times.len() {
            return self.points[next - 1];
        }
        let span = self.times[next] - self.times[next - 1];
        let s = (t - self.times[next - 1]) / span;
        let (a, b) = (self.points[next - 1], self.points[next]);
        match self.interpolation {
            Interpolation::Linear => a.lerp(b, s),
            Interpolation::Smooth => {
                let (s2, s3) = (s * s, s * s * s);
                a * (2.0 * s3 - 3.0 * s2 + 1.0)
                    + self.slope(next - 1) * (span * (s3 - 2.0 * s2 + s))
                    + b * (3.0 * s2 - 2.0 * s3)
                    + self.slope(next) * (span * (s3 - s2))
            }
        }
    }

    fn slope(&self, key: usize) -> Point {
        let last = self.times.len() - 1;
        if self.repeat && (key == 0 || key == last) && last > 1 {
            let rise =
                (self.points[1] - self.points[0]) + (self.points[last] - self.points[last - 1]);
            let run = (self.times[1] - self.times[0]) + (self.times[last] - self.times[last - 1]);
            return rise * (1.0 / run);
        }
        if key == 0 || key == last {
            return Point::ZERO;
        }
        let run = self.times[key + 1] - self.times[key - 1];
        (self.points[key + 1] - self.points[key - 1]) * (1.0 / run)
    }
}
