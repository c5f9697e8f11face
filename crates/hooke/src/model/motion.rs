//! How something given moves: it stands still, turns about an axis, or follows keyframes.

use super::{ModelError, invalid_value};
use crate::math::{Mat3, Vec3};
use crate::settings::choice;
use std::sync::Arc;

/// A fixed position, or a track through time. Motions along one track share its keyframes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Motion {
    /// The position, or an offset that is rotated and added to the track.
    home: Vec3,
    rotation: Option<Arc<Rotation>>,
    track: Option<Arc<Track>>,
}

impl Motion {
    /// Standing still.
    pub fn still(home: Vec3) -> Self {
        Self { home, rotation: None, track: None }
    }

    /// Following keyframes.
    pub fn along(track: impl Into<Arc<Track>>) -> Self {
        Self { home: Vec3::ZERO, rotation: None, track: Some(track.into()) }
    }

    /// The same motion, with its offset rotated about an axis first.
    pub fn rotated(self, rotation: impl Into<Arc<Rotation>>) -> Self {
        Self { rotation: Some(rotation.into()), ..self }
    }

    /// Where it is at time `t` (s).
    pub fn at(&self, t: f64) -> Vec3 {
        let home = self.rotation.as_ref().map_or(self.home, |rotation| rotation.at(self.home, t));
        self.track.as_ref().map_or(home, |track| track.at(t) + home)
    }

    /// How far it is turned at time `t` (s), where it turns.
    pub(super) fn rotation(&self, t: f64) -> Option<Mat3> {
        self.rotation.as_ref().map(|rotation| Mat3::rotation(rotation.axis, rotation.angle.at(t)))
    }

    /// Whether it turns.
    pub fn rotates(&self) -> bool {
        self.rotation.is_some()
    }

    /// Whether it turns or follows keyframes.
    pub fn moves(&self) -> bool {
        self.track.is_some() || self.rotation.is_some()
    }

    /// Whether it is somewhere finite at all times.
    pub fn is_finite(&self) -> bool {
        // A cubic leaves the box of its keys by less than half its size.
        let extent = self.track.as_ref().map_or(0.0, |track| 1.5 * track.extent);
        self.home.to_array().iter().all(|value| (value.abs() + extent).is_finite())
            && self.rotation.as_ref().is_none_or(|rotation| rotation.reach(self.home).is_finite())
    }

    /// A distance from the origin that it does not exceed.
    pub fn greatest(&self) -> f64 {
        if let Some(rotation) = &self.rotation {
            let extent = self.track.as_ref().map_or(0.0, |track| track.extent);
            return rotation.reach(self.home) + 1.5 * 3f64.sqrt() * extent;
        }
        let Some(track) = &self.track else { return self.home.norm() };
        let keys = track.points.iter().map(|point| (*point + self.home).norm()).fold(0.0, f64::max);
        match track.interpolation {
            Interpolation::Linear => keys,
            // A Hermite cubic leaves the hull of its keys by less than half its size.
            Interpolation::Smooth => 1.5 * keys,
        }
    }

    /// The same motion elsewhere.
    pub fn shifted(&self, by: Vec3) -> Self {
        Self { home: self.home + by, ..self.clone() }
    }
}

impl From<Vec3> for Motion {
    fn from(home: Vec3) -> Self {
        Self::still(home)
    }
}

/// A turn about an axis whose angle follows keyframes or grows steadily.
#[derive(Clone, Debug, PartialEq)]
pub struct Rotation {
    through: Vec3,
    axis: Vec3,
    angle: Angle,
}

/// An angle (rad) at all times.
#[derive(Clone, Debug, PartialEq)]
enum Angle {
    /// Along x of a track.
    Keys(Track),
    /// So much each second (rad/s).
    Steady(f64),
}

impl Angle {
    fn at(&self, t: f64) -> f64 {
        match self {
            Self::Keys(track) => track.at(t).x,
            Self::Steady(rate) => rate * t,
        }
    }
}

impl Rotation {
    /// About an axis through a point, by angles (rad) at times (s), counter-clockwise seen against
    /// the axis.
    pub fn new(
        through: Vec3,
        axis: Vec3,
        times: Vec<f64>,
        angles: &[f64],
        interpolation: Interpolation,
        repeat: bool,
    ) -> Result<Self, ModelError> {
        let angles = angles.iter().map(|&angle| Vec3::new(angle, 0.0, 0.0)).collect();
        let angle = Track::new(times, angles, interpolation, repeat)?;
        Self::by(through, axis, Angle::Keys(angle))
    }

    /// About an axis through a point, at a steady rate (rad/s), from nothing at time 0.
    pub fn steady(through: Vec3, axis: Vec3, rate: f64) -> Result<Self, ModelError> {
        if !rate.is_finite() {
            return invalid_value("the rate of a rotation must be finite");
        }
        Self::by(through, axis, Angle::Steady(rate))
    }

    fn by(through: Vec3, axis: Vec3, angle: Angle) -> Result<Self, ModelError> {
        let axis = axis.unit();
        if axis == Vec3::ZERO || !axis.is_finite() || !through.is_finite() {
            return invalid_value("the axis of a rotation must be finite and not zero");
        }
        Ok(Self { through, axis, angle })
    }

    /// The rotated point at time `t` (s).
    fn at(&self, home: Vec3, t: f64) -> Vec3 {
        // Rodrigues' rotation
        let (sin, cos) = libm::sincos(self.angle.at(t));
        let arm = home - self.through;
        let along = self.axis * self.axis.dot(arm);
        self.through + along + (arm - along) * cos + self.axis.cross(arm) * sin
    }

    /// A distance from the origin that a point does not exceed.
    fn reach(&self, home: Vec3) -> f64 {
        self.through.norm() + (home - self.through).norm()
    }
}

choice! {
    /// How a track runs between its keys.
    #[derive(Default)]
    pub enum Interpolation {
        /// Straight, at constant speed.
        #[default]
        Linear = "linear",
        /// Through the keys with continuous velocity (cubic Hermite with central differences).
        Smooth = "smooth",
    }
}

/// Keyframes: before the first it stands, after the last it stands or starts over.
#[derive(Clone, Debug, PartialEq)]
pub struct Track {
    times: Vec<f64>,
    points: Vec<Vec3>,
    interpolation: Interpolation,
    repeat: bool,
    /// The greatest coordinate of its keys.
    extent: f64,
}

impl Track {
    /// From times (s), ascending, and a point for each.
    pub fn new(
        times: Vec<f64>,
        points: Vec<Vec3>,
        interpolation: Interpolation,
        repeat: bool,
    ) -> Result<Self, ModelError> {
        if times.is_empty() || times.len() != points.len() {
            return invalid_value("keyframes need at least one time, and a point for each");
        }
        if !times.iter().all(|t| t.is_finite()) || times.windows(2).any(|pair| pair[0] >= pair[1]) {
            return invalid_value("the times of keyframes must be finite and ascending");
        }
        if !points.iter().all(|point| point.is_finite()) {
            return invalid_value("the points of keyframes must be finite");
        }
        let coordinates = points.iter().flat_map(|point| point.to_array());
        let extent = coordinates.map(f64::abs).fold(0.0, f64::max);
        Ok(Self { times, points, interpolation, repeat, extent })
    }

    /// Where it is at time `t` (s).
    pub fn at(&self, t: f64) -> Vec3 {
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

    fn slope(&self, key: usize) -> Vec3 {
        let last = self.times.len() - 1;
        if self.repeat && (key == 0 || key == last) && last > 1 {
            let rise =
                (self.points[1] - self.points[0]) + (self.points[last] - self.points[last - 1]);
            let run = (self.times[1] - self.times[0]) + (self.times[last] - self.times[last - 1]);
            return rise * (1.0 / run);
        }
        if key == 0 || key == last {
            return Vec3::ZERO;
        }
        let run = self.times[key + 1] - self.times[key - 1];
        (self.points[key + 1] - self.points[key - 1]) * (1.0 / run)
    }
}
