//! A saved moment, in memory or as bytes, from which the same steps follow again.

use crate::bodies::Moving;
use crate::control::Control;
use crate::games::{Grip, Held};
use crate::math::{Point, Quat};
use crate::state::State;

/// A saved moment: everything from which the same steps follow again, under the kernels with which
/// it was reached; under others they follow to rounding.
///
/// ```
/// use hooke::{Model, Simulation, Snapshot};
///
/// let mut model = Model::new();
/// model.add_particle(hooke::Point::ZERO, 1.0)?;
/// let mut simulation = Simulation::new(model, "newton", 0.01)?;
/// simulation.step()?;
/// let bytes = simulation.snapshot().to_bytes();
/// simulation.step()?;
/// let digest = simulation.state().digest();
///
/// let saved = Snapshot::from_bytes(&bytes).ok_or("damaged")?;
/// simulation.restore(&saved)?;
/// simulation.step()?;
/// assert_eq!(simulation.state().digest(), digest);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    pub(crate) state: State,
    pub(crate) control: Control,
    pub(crate) memory: Vec<f64>,
    /// What survives a step of the bodies.
    pub(crate) bodies: Vec<f64>,
    /// What hands hold.
    pub(crate) held: Vec<Held>,
    pub(crate) origin: (u64, f64),
}

impl Snapshot {
    /// The saved state.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Every number, little endian: the same bytes on every machine.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Bytes::default();
        out.count(self.state.step);
        out.number(self.state.time);
        out.points(&self.state.positions);
        out.points(&self.state.velocities);
        out.count(self.state.joints.len() as u64);
        for Quat { w, v } in &self.state.joints {
            [*w, v.x, v.y, v.z].into_iter().for_each(|value| out.number(value));
        }
        out.count(self.origin.0);
        out.number(self.origin.1);
        self.control.write(&mut out);
        out.count(self.memory.len() as u64);
        self.memory.iter().for_each(|value| out.number(*value));
        // Nothing where there are none: as it was before there were bodies.
        if !self.state.bodies.is_empty() || !self.held.is_empty() {
            out.count(self.state.bodies.len() as u64);
            let numbers = self.state.bodies.iter().flat_map(Moving::numbers);
            numbers.for_each(|value| out.number(value));
            out.count(self.bodies.len() as u64);
            self.bodies.iter().for_each(|value| out.number(*value));
        }
        for held in &self.held {
            let (kind, index, at) = match held.what {
                Grip::Particle(particle) => (0, particle, Point::ZERO),
                Grip::Body(body, local) => (1, body, local),
            };
            for value in [kind, u64::from(index), u64::from(held.place)] {
                out.count(value);
            }
            for value in at.to_array().into_iter().chain([held.stiffness]) {
                out.number(value);
            }
        }
        out.0
    }

    /// Reads what [`Snapshot::to_bytes`] wrote; `None` where it is anything else, or holds a number
    /// that is not finite.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut bytes = Reader(bytes);
        let (step, time) = (bytes.count()?, bytes.number()?);
        let (positions, velocities) = (bytes.points()?, bytes.points()?);
        let length = bytes.length(32)?;
        let joint = |_| Some(Quat { w: bytes.number()?, v: bytes.point()? });
        let joints = (0..length).map(joint).collect::<Option<_>>()?;
        let origin = (bytes.count()?, bytes.number()?);
        let control = Control::read(&mut bytes)?;
        let length = bytes.length(8)?;
        let memory = (0..length).map(|_| bytes.number()).collect::<Option<_>>()?;
        let (mut moving, mut bodies) = (Vec::new(), Vec::new());
        if !bytes.0.is_empty() {
            for _ in 0..bytes.length(13 * 8)? {
                let mut numbers = [0.0; 13];
                for number in &mut numbers {
                    *number = bytes.number()?;
                }
                moving.push(Moving::of_numbers(&numbers));
            }
            let length = bytes.length(8)?;
            bodies = (0..length).map(|_| bytes.number()).collect::<Option<_>>()?;
        }
        let mut held = Vec::new();
        while !bytes.0.is_empty() {
            let mut index = || u32::try_from(bytes.count()?).ok();
            let [kind, index, place] = [index()?, index()?, index()?];
            let (at, stiffness) = (bytes.point()?, bytes.number()?);
            let what = match kind {
                0 => Grip::Particle(index),
                1 => Grip::Body(index, at),
                _ => return None,
            };
            held.push(Held { what, place, stiffness });
        }
        let fine = positions.len() == velocities.len() && origin.0 <= step;
        let state = State { step, time, positions, velocities, joints, bodies: moving };
        fine.then_some(Self { state, control, memory, bodies, held, origin })
    }
}

/// Bytes being written.
#[derive(Default)]
pub(crate) struct Bytes(Vec<u8>);

impl Bytes {
    pub(crate) fn count(&mut self, value: u64) {
        self.0.extend(value.to_le_bytes());
    }

    pub(crate) fn number(&mut self, value: f64) {
        self.0.extend(value.to_le_bytes());
    }

    pub(crate) fn points(&mut self, points: &[Point]) {
        self.count(points.len() as u64);
        points.iter().flat_map(|point| point.to_array()).for_each(|value| self.number(value));
    }
}

/// Bytes being read; every number is finite.
pub(crate) struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn take(&mut self) -> Option<[u8; 8]> {
        let (word, rest) = self.0.split_first_chunk::<8>()?;
        self.0 = rest;
        Some(*word)
    }

    pub(crate) fn count(&mut self) -> Option<u64> {
        self.take().map(u64::from_le_bytes)
    }

    pub(crate) fn number(&mut self) -> Option<f64> {
        self.take().map(f64::from_le_bytes).filter(|value| value.is_finite())
    }

    /// The length of a list whose items take `size` bytes, not more than there are.
    pub(crate) fn length(&mut self, size: usize) -> Option<usize> {
        let length = usize::try_from(self.count()?).ok()?;
        Some(length)
            .filter(|length| length.checked_mul(size).is_some_and(|all| all <= self.0.len()))
    }

    pub(crate) fn point(&mut self) -> Option<Point> {
        Some(Point::new(self.number()?, self.number()?, self.number()?))
    }

    pub(crate) fn points(&mut self) -> Option<Vec<Point>> {
        let length = self.length(24)?;
        (0..length).map(|_| self.point()).collect()
    }
}
