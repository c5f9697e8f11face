//! What moves along keyframes.

use crate::field::{Bounds, Kind, Value, choice, mismatch, table};
use crate::problem::{Place, Sink};
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

table! {
    /// A turn whose angle follows keyframes.
    pub struct Turn as "turn" {
        /// The direction of the axis.
        axis: Point, eg "[1, 0, 0]";
        /// A point on the axis: when left out the origin, or the centre of an obstacle.
        through: Option<Point>, unit "m", eg "[0, 0.5, 0]";
        /// When, ascending.
        times: Vec<f64>, unit "s", eg "[0, 2]";
        /// How far at each time, counter-clockwise seen against the axis.
        degrees: Vec<f64>, unit "°", eg "[0, 180]";
        /// How they are joined.
        interpolation: Interpolation, or "\"linear\"";
        /// Whether they start over after the last.
        repeat: bool, or "false";
    }
}

impl From<Interpolation> for model::Interpolation {
    fn from(interpolation: Interpolation) -> Self {
        match interpolation {
            Interpolation::Linear => Self::Linear,
            Interpolation::Smooth => Self::Smooth,
        }
    }
}

impl Keyframes {
    /// The engine's track through these keyframes, or a message.
    pub(crate) fn track(&self, sink: &mut Sink) -> Option<Track> {
        let (times, points) = (&self.times, &self.points);
        check_times(times, points.len(), ["points", "point"], self.spot, sink)?;
        let track =
            Track::new(times.clone(), points.clone(), self.interpolation.into(), self.repeat);
        track.map_err(|invalid| sink.error(self.spot, invalid.0)).ok()
    }
}

impl Turn {
    /// The engine's turn, or a message; the axis goes through `centre` where nothing else is said.
    pub(crate) fn turn(&self, centre: Point, sink: &mut Sink) -> Option<model::Turn> {
        check_times(&self.times, self.degrees.len(), ["degrees", "angle"], self.spot, sink)?;
        if self.axis == Point::ZERO {
            sink.error_in(self.spot, "axis", "must not be zero");
            return None;
        }
        let angles: Vec<f64> = self.degrees.iter().map(|degrees| degrees.to_radians()).collect();
        let (times, interpolation) = (self.times.clone(), self.interpolation.into());
        let (through, axis) = (self.through.unwrap_or(centre), self.axis);
        let turn = model::Turn::new(through, axis, times, &angles, interpolation, self.repeat);
        turn.map_err(|invalid| sink.error(self.spot, invalid.0)).ok()
    }
}

/// Tells times that do not ascend, or that are not as many as the values of `field`.
fn check_times(
    times: &[f64],
    values: usize,
    [field, one]: [&str; 2],
    spot: Place,
    sink: &mut Sink,
) -> Option<()> {
    if times.is_empty() {
        sink.error_in(spot, "times", "needs at least one time");
        return None;
    }
    if times.len() != values {
        let wanted = count(times.len() as u64, one, &format!("{one}s"));
        let sentence = format!("must have {wanted}, one for each time (got {values})");
        sink.error_in(spot, field, sentence);
        return None;
    }
    if let Some(before) = times.windows(2).position(|pair| pair[0] >= pair[1]) {
        let (index, [earlier, time]) = (before + 1, [times[before], times[before + 1]]);
        let sentence = format!("must be after {} (got {})", number(earlier), number(time));
        sink.error_in(spot, format!("times[{index}]"), sentence);
        return None;
    }
    Some(())
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
    /// The vectors that are written.
    pub(crate) fn points(&self) -> &[Point] {
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
