//! What moves along keyframes.

use crate::field::{Bounds, Kind, Value, choice, mismatch, table};
use crate::problem::Sink;
use crate::source::Node;
use crate::words::{count, number};
use hooke::Point;
use hooke::model::{self, Motion, Track};
use toml::de::DeValue;

choice! {
    /// How keyframes are joined.
    pub enum Interpolation {
        /// Straight, at constant speed.
        Linear = "linear",
        /// Through the keys with continuous velocity.
        Smooth = "smooth",
    }
}

table! {
    /// Keyframes: a value at each of several times. Before the first it stands; after the last it
    /// stands, or starts over.
    pub struct Keyframes as "keyframes" {
        /// When, ascending.
        times: Vec<f64>, unit "s", eg "[0, 1, 2]";
        /// A vector for each time.
        points: Vec<Point>, eg "[[0, 0, 0], [0, 0.2, 0], [0, 0, 0]]";
        /// How they are joined.
        interpolation: Interpolation, or "\"linear\"";
        /// Whether they start over after the last.
        repeat: bool, or "false";
    }
}

impl Keyframes {
    /// The engine's track through these keyframes, or a message.
    pub(crate) fn track(&self, sink: &mut Sink) -> Option<Track> {
        let interpolation = match self.interpolation {
            Interpolation::Linear => model::Interpolation::Linear,
            Interpolation::Smooth => model::Interpolation::Smooth,
        };
        let (times, points) = (&self.times, &self.points);
        if times.is_empty() {
            sink.error_in(self.spot, "times", "needs at least one time");
            return None;
        }
        if times.len() != points.len() {
            let (wanted, given) = (count(times.len() as u64, "point", "points"), points.len());
            let sentence = format!("must have {wanted}, one for each time (got {given})");
            sink.error_in(self.spot, "points", sentence);
            return None;
        }
        if let Some(before) = times.windows(2).position(|pair| pair[0] >= pair[1]) {
            let (index, [earlier, time]) = (before + 1, [times[before], times[before + 1]]);
            let sentence = format!("must be after {} (got {})", number(earlier), number(time));
            sink.error_in(self.spot, format!("times[{index}]"), sentence);
            return None;
        }
        let track = Track::new(times.clone(), points.clone(), interpolation, self.repeat);
        track.map_err(|invalid| sink.error(self.spot, invalid.0)).ok()
    }
}

/// A vector that stays, or follows keyframes.
#[derive(Clone, Debug)]
pub enum Course {
    /// It stays.
    Still(Point),
    /// It follows keyframes.
    Along(Keyframes),
}

impl Course {
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
        Kind::Either(vec![Point::kind(bounds), Keyframes::kind(bounds)])
    }

    fn read(node: &Node<'_>, bounds: Bounds, sink: &mut Sink) -> Option<Self> {
        match node.get_ref() {
            DeValue::Table(_) => Keyframes::read(node, bounds, sink).map(Self::Along),
            DeValue::Array(_) => Point::read(node, bounds, sink).map(Self::Still),
            _ => mismatch::<Self>(node, bounds, sink),
        }
    }
}
