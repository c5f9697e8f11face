//! What moves along keyframes.

use crate::field::{Bounds, Kind, Value, mismatch, table};
use crate::problem::{Sink, SourceOffset};
use crate::source::Node;
use crate::words::{count, number};
use hooke::Vec3;
use hooke::model::{self, Interpolation, Motion, Track};
use toml::de::DeValue;

table! {
    /// Keyframes: a value at each of several times. Before the first and after the last time the
    /// value is constant, unless it repeats.
    pub struct Keyframes as "keyframes" {
        /// Times, in ascending order.
        times: Vec<f64>, unit "s", eg "[0, 1, 2]";
        /// A vector for each time.
        points: Vec<Vec3>, eg "[[0, 0, 0], [0, 0.2, 0], [0, 0, 0]]";
        /// Interpolation between keyframes.
        interpolation: Interpolation, or "\"linear\"";
        /// Whether they repeat after the last.
        repeat: bool, or "false";
    }
}

table! {
    /// A rotation whose angle follows keyframes.
    pub struct RotationKeyframes as "rotation keyframes" {
        /// The direction of the axis.
        axis: Vec3, eg "[1, 0, 0]";
        /// A point on the axis; default: the origin, or the center of an obstacle.
        through: Option<Vec3>, unit "m", eg "[0, 0.5, 0]";
        /// Times, in ascending order.
        times: Vec<f64>, unit "s", eg "[0, 2]";
        /// Angle at each time, counterclockwise seen against the axis.
        degrees: Vec<f64>, unit "°", eg "[0, 180]";
        /// Interpolation between keyframes.
        interpolation: Interpolation, or "\"linear\"";
        /// Whether they repeat after the last.
        repeat: bool, or "false";
    }
}

impl Keyframes {
    /// The engine's track through these keyframes, or a message.
    pub(crate) fn track(&self, sink: &mut Sink) -> Option<Track> {
        let (times, points) = (&self.times, &self.points);
        check_times(times, points.len(), ["points", "point"], self.source_offset, sink)?;
        let track = Track::new(times.clone(), points.clone(), self.interpolation, self.repeat);
        track.map_err(|invalid| sink.error(self.source_offset, invalid.to_string())).ok()
    }
}

impl RotationKeyframes {
    /// The engine's turn, or a message; the axis goes through `center` where nothing else is said.
    pub(crate) fn rotate(&self, center: Vec3, sink: &mut Sink) -> Option<model::Rotation> {
        check_times(
            &self.times,
            self.degrees.len(),
            ["degrees", "angle"],
            self.source_offset,
            sink,
        )?;
        if self.axis == Vec3::ZERO {
            sink.error_in(self.source_offset, "axis", "must not be zero");
            return None;
        }
        let angles: Vec<f64> = self.degrees.iter().map(|degrees| degrees.to_radians()).collect();
        let (times, interpolation) = (self.times.clone(), self.interpolation);
        let (through, axis) = (self.through.unwrap_or(center), self.axis);
        let rotation =
            model::Rotation::new(through, axis, times, &angles, interpolation, self.repeat);
        rotation.map_err(|invalid| sink.error(self.source_offset, invalid.to_string())).ok()
    }
}

/// Tells times that do not ascend, or that are not as many as the values of `field`.
fn check_times(
    times: &[f64],
    values: usize,
    [field, one]: [&str; 2],
    source_offset: SourceOffset,
    sink: &mut Sink,
) -> Option<()> {
    if times.is_empty() {
        sink.error_in(source_offset, "times", "needs at least one time");
        return None;
    }
    if times.len() != values {
        let wanted = count(times.len() as u64, one, &format!("{one}s"));
        let sentence = format!("must have {wanted}, one for each time (got {values})");
        sink.error_in(source_offset, field, sentence);
        return None;
    }
    if let Some(before) = times.windows(2).position(|pair| pair[0] >= pair[1]) {
        let (index, [earlier, time]) = (before + 1, [times[before], times[before + 1]]);
        let sentence = format!("must be after {} (got {})", number(earlier), number(time));
        sink.error_in(source_offset, format!("times[{index}]"), sentence);
        return None;
    }
    Some(())
}

/// A constant vector, or keyframes.
#[derive(Clone, Debug)]
pub enum Course {
    /// It stays.
    Still(Vec3),
    /// It follows keyframes.
    Along(Keyframes),
}

impl Course {
    /// The vectors that are written.
    pub(crate) fn points(&self) -> &[Vec3] {
        match self {
            Self::Still(point) => std::slice::from_ref(point),
            Self::Along(keyframes) => &keyframes.points,
        }
    }

    /// As the engine's motion, or a message.
    pub(crate) fn motion(&self, sink: &mut Sink) -> Option<Motion> {
        match self {
            Self::Still(point) => Some(Motion::still(*point)),
            Self::Along(keyframes) => keyframes.track(sink).map(Motion::along),
        }
    }
}

impl Value for Course {
    fn kind(bounds: Bounds) -> Kind {
        Kind::Either(vec![Vec3::kind(bounds), Keyframes::kind(bounds)])
    }

    fn read(node: &Node<'_>, bounds: Bounds, sink: &mut Sink) -> Option<Self> {
        match node.get_ref() {
            DeValue::Table(_) => Keyframes::read(node, bounds, sink).map(Self::Along),
            DeValue::Array(_) => Vec3::read(node, bounds, sink).map(Self::Still),
            _ => mismatch::<Self>(node, bounds, sink),
        }
    }
}
