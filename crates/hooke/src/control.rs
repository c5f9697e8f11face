//! Control: what comes from outside during a step.

use crate::math::Point;
use crate::model::{Hold, Model};
use crate::state::State;

/// Where pins and places are at the end of a step, and the wind through it. What follows keyframes
/// is evaluated anew each step; everything else stays as it was last set.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Control {
    /// Start and end of the step (s).
    pub times: [f64; 2],
    /// The position (m) of each pin at the end of the step.
    pub pins: Vec<Point>,
    /// The position (m) of each place at the end of the step.
    pub places: Vec<Point>,
    /// The position (m) of each place at its start.
    pub places_before: Vec<Point>,
    /// The mean wind (m/s) at the start and the end of the step.
    pub wind: [Point; 2],
}

impl Control {
    /// What a model says at its start.
    pub fn new(model: &Model) -> Self {
        let mut control = Self::default();
        control.fit(model);
        control
    }

    /// Makes room for pins and places that were added, and drops what was removed.
    pub(crate) fn fit(&mut self, model: &Model) {
        let now = self.times[1];
        self.pins.truncate(model.pins().len());
        self.pins.extend(model.pins()[self.pins.len()..].iter().map(|pin| pin.motion.at(now)));
        self.places.truncate(model.places().len());
        self.places.extend(model.places()[self.places.len()..].iter().map(|place| place.at(now)));
        self.places_before.clone_from(&self.places);
        self.wind = [model.air().mean.at(now); 2];
    }

    /// Evaluates keyframes for the step from `start` to `end` (s) of length `h` (s).
    pub(crate) fn advance(&mut self, model: &Model, state: &State, start: f64, end: f64, h: f64) {
        self.times = [start, end];
        for (target, pin) in self.pins.iter_mut().zip(model.pins()) {
            let i = pin.particle as usize;
            if model.hold() == Hold::Cancellation {
                *target = state.positions[i] + state.velocities[i] * h;
            } else if pin.motion.moves() {
                *target = pin.motion.at(end);
            }
        }
        self.places_before.clone_from(&self.places);
        for (place, motion) in self.places.iter_mut().zip(model.places()) {
            if motion.moves() {
                *place = motion.at(end);
            }
        }
        let mean = &model.air().mean;
        self.wind[0] = self.wind[1];
        if mean.moves() {
            self.wind = [mean.at(start), mean.at(end)];
        }
    }

    /// The wind (m/s) at a place, a fraction `s` of the step through.
    pub fn air(&self, model: &Model, x: Point, s: f64) -> Point {
        let t = self.times[0] + (self.times[1] - self.times[0]) * s;
        model.air().velocity(self.wind[0].lerp(self.wind[1], s), x, t)
    }
}
