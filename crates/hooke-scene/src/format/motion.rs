//! What moves along keyframes.

use crate::field::{Bounds, Kind, Value, choice, mismatch, table};
use crate::problem::Sink;
use crate::source::Node;
use hooke::Point;
use hooke::model::{self, Invalid, Motion, Track};
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
    /// The engine's track through these keyframes.
    pub fn track(&self) -> Result<Track, Invalid> {
        let interpolation = match self.interpolation {
            Interpolation::Linear => model::Interpolation::Linear,
            Interpolation::Smooth => model::Interpolation::Smooth,
        };
        Track::new(self.times.clone(), self.points.clone(), interpolation, self.repeat)
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
    /// As the engine's motion.
    pub fn motion(&self) -> Result<Motion, Invalid> {
        match self {
            Self::Still(point) => Ok(Motion::still(*point)),
            Self::Along(keyframes) => keyframes.track().map(Motion::along),
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
