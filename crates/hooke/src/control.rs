//! Control: what comes from outside during a step.

use crate::math::Point;
use crate::model::{Frame, Hold, Invalid, Model, Pin, invalid};
use crate::snapshot::{Bytes, Reader};
use crate::state::State;

/// Where pins and places go during a step, and the wind through it.
///
/// What follows keyframes is evaluated anew each step. Everything else stays as it was last set by
/// hand, and is led there evenly when a step is cut into parts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Control {
    /// Start and end of the step (s).
    times: [f64; 2],
    /// Pins and places at its end (m).
    pins: Vec<Point>,
    places: Vec<Point>,
    /// Pins and places at its start (m).
    pins_before: Vec<Point>,
    places_before: Vec<Point>,
    /// Which pin each entry belongs to.
    serials: Vec<u64>,
    /// The mean wind at the start and the end of the step (m/s).
    wind: [Point; 2],
    /// The model's mean wind when it was last looked at.
    mean: Point,
    /// Where every obstacle, then every body, is at the start of a part of the step, and where it would be at
    /// its end.
    frames: Vec<[Frame; 2]>,
}

impl Control {
    /// What a model says at its start.
    pub fn new(model: &Model) -> Self {
        let mut control = Self::default();
        control.fit(model);
        control
    }

    /// Makes room for pins and places that were added, drops what was removed, and takes over a
    /// wind that was changed.
    pub(crate) fn fit(&mut self, model: &Model) {
        let now = self.times[1];
        let serials: Vec<u64> = model.pins().iter().map(|pin| pin.serial).collect();
        if serials != self.serials {
            let known = |pin: &Pin| self.serials.iter().position(|serial| *serial == pin.serial);
            let of = |list: &[Point]| {
                let at = |pin: &Pin| known(pin).map_or_else(|| pin.motion.at(now), |k| list[k]);
                model.pins().iter().map(at).collect::<Vec<_>>()
            };
            (self.pins, self.pins_before) = (of(&self.pins), of(&self.pins_before));
            self.serials = serials;
        }
        self.places.truncate(model.places().len());
        self.places.extend(model.places()[self.places.len()..].iter().map(|place| place.at(now)));
        self.places_before.truncate(self.places.len());
        self.places_before.extend_from_slice(&self.places[self.places_before.len()..]);
        let mean = model.air().mean.at(now);
        if mean != self.mean {
            self.mean = mean;
            self.wind = [mean; 2];
        }
    }

    /// Sends a pin that follows no keyframes to a position (m) by the end of the next step.
    pub fn set_pin(&mut self, pin: usize, to: Point) -> Result<(), Invalid> {
        set(&mut self.pins, pin, to, "pin")
    }

    /// Sends a place that follows no keyframes to a position (m) by the end of the next step.
    pub fn set_place(&mut self, place: usize, to: Point) -> Result<(), Invalid> {
        set(&mut self.places, place, to, "place")
    }

    /// Leads a pin that a chain carries to a position (m) by the end of the next step.
    pub(crate) fn lead(&mut self, pin: usize, to: Point) {
        if let Some(entry) = self.pins.get_mut(pin) {
            *entry = to;
        }
    }

    /// Where a place is (m) at the end of the step, which is at `time` (s).
    pub(crate) fn place_then(&self, model: &Model, place: usize, time: f64) -> Point {
        let motion = &model.places()[place];
        if motion.moves() { motion.at(time) } else { self.places[place] }
    }

    /// Changes the mean wind (m/s), reached by the end of the next step.
    pub fn set_wind(&mut self, wind: Point) -> Result<(), Invalid> {
        set(&mut self.wind, 1, wind, "wind")
    }

    /// Where each pin is at the end of the step (m).
    pub fn pins(&self) -> &[Point] {
        &self.pins
    }

    /// Where each place is at the end of the step (m).
    pub fn places(&self) -> &[Point] {
        &self.places
    }

    /// The mean wind at the end of the step (m/s).
    pub fn wind(&self) -> Point {
        self.wind[1]
    }

    /// Sets this to the part of the step `whole` between the fractions `from` and `to`, from
    /// `times[0]` to `times[1]`, over which `state` moves for `h` seconds.
    pub(crate) fn part(
        &mut self,
        whole: &Self,
        model: &Model,
        state: &State,
        times: [f64; 2],
        [from, to]: [f64; 2],
        h: f64,
    ) {
        self.times = times;
        self.pins.clear();
        for (k, pin) in model.pins().iter().enumerate() {
            let i = pin.particle as usize;
            self.pins.push(if model.hold() == Hold::Cancellation {
                state.positions[i] + state.velocities[i] * h
            } else if pin.motion.moves() {
                pin.motion.at(times[1])
            } else {
                between(whole.pins_before[k], whole.pins[k], to)
            });
        }
        self.places.clear();
        self.places_before.clear();
        for (k, motion) in model.places().iter().enumerate() {
            let at = |time: f64, fraction: f64| {
                if motion.moves() {
                    motion.at(time)
                } else {
                    between(whole.places_before[k], whole.places[k], fraction)
                }
            };
            self.places_before.push(at(times[0], from));
            self.places.push(at(times[1], to));
        }
        let mean = &model.air().mean;
        self.wind = match mean.moves() {
            true => times.map(|time| mean.at(time)),
            false => [from, to].map(|fraction| between(whole.wind[0], whole.wind[1], fraction)),
        };
    }

    /// Sets where obstacles are at two times (s), and bodies as `of` says.
    pub(crate) fn set_frames(
        &mut self,
        model: &Model,
        times: [f64; 2],
        of: impl Fn(usize) -> [Frame; 2],
    ) {
        self.frames.clear();
        let obstacles = model.obstacles().iter().map(|obstacle| times.map(|t| obstacle.pose.at(t)));
        self.frames.extend(obstacles.chain((0..model.bodies().len()).map(of)));
    }

    /// Where every obstacle, then every body, is at the start of the step and at its end.
    pub(crate) fn frames(&self) -> &[[Frame; 2]] {
        &self.frames
    }

    /// Ends a step: what was its end is the start of the next.
    pub(crate) fn settle(&mut self, last: &Self) {
        self.times = last.times;
        self.pins.clone_from(&last.pins);
        self.places.clone_from(&last.places);
        self.pins_before.clone_from(&last.pins);
        self.places_before.clone_from(&last.places);
        self.wind[0] = self.wind[1];
    }

    pub(crate) fn write(&self, out: &mut Bytes) {
        self.times.iter().for_each(|time| out.number(*time));
        for list in [&self.pins, &self.pins_before, &self.places, &self.places_before] {
            out.points(list);
        }
        self.serials.iter().for_each(|serial| out.count(*serial));
        out.points(&[self.wind[0], self.wind[1], self.mean]);
    }

    /// Reads what [`Control::write`] wrote.
    pub(crate) fn read(bytes: &mut Reader<'_>) -> Option<Self> {
        let times = [bytes.number()?, bytes.number()?];
        let (pins, pins_before) = (bytes.points()?, bytes.points()?);
        let (places, places_before) = (bytes.points()?, bytes.points()?);
        let serials = pins.iter().map(|_| bytes.count()).collect::<Option<_>>()?;
        let winds: [Point; 3] = bytes.points()?.try_into().ok()?;
        let fine = pins.len() == pins_before.len() && places.len() == places_before.len();
        let [start, end, mean] = winds;
        let wind = [start, end];
        fine.then_some(Self {
            times,
            pins,
            places,
            pins_before,
            places_before,
            serials,
            wind,
            mean,
            frames: Vec::new(),
        })
    }

    /// Whether any place moves during the step.
    pub(crate) fn places_move(&self) -> bool {
        self.places != self.places_before
    }

    /// Places at the start of the step (m).
    pub(crate) fn places_before(&self) -> &[Point] {
        &self.places_before
    }

    /// Leads a place from one point to another within the step (m).
    pub(crate) fn lead_place(&mut self, place: u32, from: Point, to: Point) {
        self.places_before[place as usize] = from;
        self.places[place as usize] = to;
    }

    /// Starts a place anew at `to`, without having moved there.
    pub(crate) fn place_at(&mut self, place: u32, to: Point) {
        self.places[place as usize] = to;
        self.places_before[place as usize] = to;
    }

    /// A place (m) a fraction `s` of the step through.
    pub(crate) fn place(&self, place: usize, s: f64) -> Point {
        between(self.places_before[place], self.places[place], s)
    }

    /// The wind (m/s) at a place, a fraction `s` of the step through.
    pub fn air(&self, model: &Model, x: Point, s: f64) -> Point {
        let t = self.times[0] + (self.times[1] - self.times[0]) * s;
        model.air().velocity(self.wind[0].lerp(self.wind[1], s), x, t)
    }
}

/// `a` at 0 and `b` at 1, both exactly.
fn between(a: Point, b: Point, s: f64) -> Point {
    if s == 1.0 { b } else { a.lerp(b, s) }
}

fn set(list: &mut [Point], index: usize, to: Point, what: &str) -> Result<(), Invalid> {
    if !to.is_finite() {
        return invalid(format!("the {what} must be finite"));
    }
    match list.get_mut(index) {
        Some(entry) => {
            *entry = to;
            Ok(())
        }
        None => invalid(format!("there is no {what} {index}")),
    }
}
