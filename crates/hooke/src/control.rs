//! Control: external inputs during a step.

use crate::bytes::{Reader, Writer};
use crate::math::Vec3;
use crate::model::{AnchorId, Frame, Model, ModelError, Pin, PinEnforcement, PinId, invalid_value};
use crate::state::State;

/// Targets of pins and anchors during a step, and the wind.
///
/// Keyframed targets are evaluated in each step. All others stay as they were last set, and are
/// interpolated linearly over the substeps of a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Control {
    /// Start and end of the step (s).
    times: [f64; 2],
    /// Pins and anchors at its end (m).
    pins: Vec<Vec3>,
    anchors: Vec<Vec3>,
    /// Pins and anchors at its start (m).
    pins_before: Vec<Vec3>,
    anchors_before: Vec<Vec3>,
    /// The pin of each entry.
    serials: Vec<u64>,
    /// The mean wind at the start and the end of the step (m/s).
    wind: [Vec3; 2],
    /// The model's mean wind at the last comparison.
    mean: Vec3,
    /// The frames of all obstacles, then of all rigid bodies, at the start of a substep and
    /// predicted at its end.
    frames: Vec<[Frame; 2]>,
}

impl Control {
    /// The control of a model at its start.
    pub fn new(model: &Model) -> Self {
        let mut control = Self::default();
        control.fit(model);
        control
    }

    /// Adds entries for new pins and anchors, drops those that were removed, and takes over a
    /// changed wind.
    pub(crate) fn fit(&mut self, model: &Model) {
        let now = self.times[1];
        let serials: Vec<u64> = model.pins().iter().map(|pin| pin.id.0).collect();
        if serials != self.serials {
            let known = |pin: &Pin| self.serials.iter().position(|serial| *serial == pin.id.0);
            let of = |list: &[Vec3]| {
                let at = |pin: &Pin| known(pin).map_or_else(|| pin.motion.at(now), |k| list[k]);
                model.pins().iter().map(at).collect::<Vec<_>>()
            };
            (self.pins, self.pins_before) = (of(&self.pins), of(&self.pins_before));
            self.serials = serials;
        }
        self.anchors.truncate(model.anchors().len());
        self.anchors
            .extend(model.anchors()[self.anchors.len()..].iter().map(|anchor| anchor.at(now)));
        self.anchors_before.truncate(self.anchors.len());
        self.anchors_before.extend_from_slice(&self.anchors[self.anchors_before.len()..]);
        let mean = model.air().mean.at(now);
        if mean != self.mean {
            self.mean = mean;
            self.wind = [mean; 2];
        }
    }

    /// Moves a pin without keyframes to a position (m) by the end of the next step.
    pub fn set_pin(&mut self, pin: PinId, to: Vec3) -> Result<(), ModelError> {
        // Pin numbers increase, so the list is sorted.
        match self.serials.binary_search(&pin.0) {
            Ok(index) => {
                set(self.pins.get_mut(index), to, "pin").unwrap_or(Err(ModelError::UnknownPin))
            }
            Err(_) => Err(ModelError::UnknownPin),
        }
    }

    /// Moves an anchor without keyframes to a position (m) by the end of the next step.
    pub fn set_anchor(&mut self, anchor: AnchorId, to: Vec3) -> Result<(), ModelError> {
        set(self.anchors.get_mut(anchor.index()), to, "anchor")
            .unwrap_or(Err(ModelError::UnknownAnchor { anchor }))
    }

    /// Moves a pin that is attached to a chain to a position (m) by the end of the next step.
    pub(crate) fn lead_pin(&mut self, pin: usize, to: Vec3) {
        if let Some(entry) = self.pins.get_mut(pin) {
            *entry = to;
        }
    }

    /// The position (m) of an anchor at the end of the step, at `time` (s).
    pub(crate) fn anchor_at_end(&self, model: &Model, anchor: usize, time: f64) -> Vec3 {
        let motion = &model.anchors()[anchor];
        if motion.moves() { motion.at(time) } else { self.anchors[anchor] }
    }

    /// Changes the mean wind (m/s), reached by the end of the next step.
    pub fn set_wind(&mut self, wind: Vec3) -> Result<(), ModelError> {
        set(self.wind.get_mut(1), wind, "wind").unwrap_or(Ok(()))
    }

    /// The position of each pin at the end of the step (m).
    pub fn pins(&self) -> &[Vec3] {
        &self.pins
    }

    /// The position of each anchor at the end of the step (m).
    pub fn anchors(&self) -> &[Vec3] {
        &self.anchors
    }

    /// The mean wind at the end of the step (m/s).
    pub fn wind(&self) -> Vec3 {
        self.wind[1]
    }

    /// Sets this to the substep of `whole` between the fractions `from` and `to`, from
    /// `times[0]` to `times[1]`, over which `state` moves for `h` seconds.
    pub(crate) fn evaluate(
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
            let i = pin.particle.index();
            self.pins.push(if model.pin_enforcement() == PinEnforcement::Cancellation {
                state.positions[i] + state.velocities[i] * h
            } else if pin.motion.moves() {
                pin.motion.at(times[1])
            } else {
                between(whole.pins_before[k], whole.pins[k], to)
            });
        }
        self.anchors.clear();
        self.anchors_before.clear();
        for (k, motion) in model.anchors().iter().enumerate() {
            let at = |time: f64, fraction: f64| {
                if motion.moves() {
                    motion.at(time)
                } else {
                    between(whole.anchors_before[k], whole.anchors[k], fraction)
                }
            };
            self.anchors_before.push(at(times[0], from));
            self.anchors.push(at(times[1], to));
        }
        let mean = &model.air().mean;
        self.wind = match mean.moves() {
            true => times.map(|time| mean.at(time)),
            false => [from, to].map(|fraction| between(whole.wind[0], whole.wind[1], fraction)),
        };
    }

    /// Sets the frames of obstacles at two times (s), and of rigid bodies as given by `of`.
    pub(crate) fn set_frames(
        &mut self,
        model: &Model,
        times: [f64; 2],
        of: impl Fn(usize) -> [Frame; 2],
    ) {
        self.frames.clear();
        let obstacles = model.obstacles().iter().map(|obstacle| times.map(|t| obstacle.pose.at(t)));
        self.frames.extend(obstacles.chain((0..model.rigid_bodies().len()).map(of)));
    }

    /// The frames of all obstacles, then of all rigid bodies, at the start and the end of the step.
    pub(crate) fn frames(&self) -> &[[Frame; 2]] {
        &self.frames
    }

    /// Ends a step: its end becomes the start of the next.
    pub(crate) fn settle(&mut self, last: &Self) {
        self.times = last.times;
        self.pins.clone_from(&last.pins);
        self.anchors.clone_from(&last.anchors);
        self.pins_before.clone_from(&last.pins);
        self.anchors_before.clone_from(&last.anchors);
        self.wind[0] = self.wind[1];
    }

    pub(crate) fn write(&self, out: &mut Writer) {
        self.times.iter().for_each(|time| out.number(*time));
        for list in [&self.pins, &self.pins_before, &self.anchors, &self.anchors_before] {
            out.points(list);
        }
        self.serials.iter().for_each(|serial| out.count(*serial));
        out.points(&[self.wind[0], self.wind[1], self.mean]);
    }

    /// Reads what [`Control::write`] wrote.
    pub(crate) fn read(bytes: &mut Reader<'_>) -> Option<Self> {
        let times = [bytes.number()?, bytes.number()?];
        let (pins, pins_before) = (bytes.points()?, bytes.points()?);
        let (anchors, anchors_before) = (bytes.points()?, bytes.points()?);
        let serials = pins.iter().map(|_| bytes.count()).collect::<Option<_>>()?;
        let winds: [Vec3; 3] = bytes.points()?.try_into().ok()?;
        let fine = pins.len() == pins_before.len() && anchors.len() == anchors_before.len();
        let [start, end, mean] = winds;
        let wind = [start, end];
        fine.then_some(Self {
            times,
            pins,
            anchors,
            pins_before,
            anchors_before,
            serials,
            wind,
            mean,
            frames: Vec::new(),
        })
    }

    /// Whether any anchor moves during the step.
    pub(crate) fn anchors_move(&self) -> bool {
        self.anchors != self.anchors_before
    }

    /// The position of each anchor at the start of the step (m).
    pub(crate) fn anchors_before(&self) -> &[Vec3] {
        &self.anchors_before
    }

    /// Moves an anchor from one point to another within the step (m).
    pub(crate) fn move_anchor(&mut self, anchor: u32, from: Vec3, to: Vec3) {
        self.anchors_before[anchor as usize] = from;
        self.anchors[anchor as usize] = to;
    }

    /// Resets an anchor to `to`, without motion.
    pub(crate) fn reset_anchor(&mut self, anchor: AnchorId, to: Vec3) {
        self.anchors[anchor.index()] = to;
        self.anchors_before[anchor.index()] = to;
    }

    /// The position (m) of an anchor at the fraction `s` of the step.
    pub(crate) fn anchor(&self, anchor: usize, s: f64) -> Vec3 {
        between(self.anchors_before[anchor], self.anchors[anchor], s)
    }

    /// The wind (m/s) at a point, at the fraction `s` of the step.
    pub fn air(&self, model: &Model, x: Vec3, s: f64) -> Vec3 {
        let t = self.times[0] + (self.times[1] - self.times[0]) * s;
        model.air().velocity(self.wind[0].lerp(self.wind[1], s), x, t)
    }
}

/// `a` at 0 and `b` at 1, both exactly.
fn between(a: Vec3, b: Vec3, s: f64) -> Vec3 {
    if s == 1.0 { b } else { a.lerp(b, s) }
}

/// Sets an entry, if it exists.
fn set(entry: Option<&mut Vec3>, to: Vec3, what: &str) -> Option<Result<(), ModelError>> {
    let entry = entry?;
    if !to.is_finite() {
        return Some(invalid_value(format!("the {what} must be finite")));
    }
    *entry = to;
    Some(Ok(()))
}
