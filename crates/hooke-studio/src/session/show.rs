//! A scene that is open: its runs in lock step, what a hand does to them, and what was seen.

use super::controls::Controls;
use super::frame;
use super::live::Live;
use super::pace::Pace;
use super::run::{Run, under};
use super::shape::Shape;
use super::timeline::Timeline;
use super::{Refusal, tell};
use crate::mailbox::Outbox;
use crate::message::{Amount, Choice, What};
use hooke::State;
use hooke_scene::Scene;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

/// Building a scene of so many particles takes a moment that the page is told of.
const SLOW: usize = 2000;

pub(super) struct Show {
    /// The scene with what was changed about it since it was opened.
    scene: Scene,
    controls: Controls,
    shape: Shape,
    pub(super) runs: Vec<Run>,
    pub(super) live: Live,
    timeline: Timeline,
    pace: Pace,
    playing: bool,
}

impl Show {
    /// A scene at its start, under its own method or under each of those given.
    pub(super) fn open(scene: Scene, methods: &[Choice]) -> Result<Self, Refusal> {
        let scenes: Vec<Scene> = match methods {
            [] => vec![scene.clone()],
            methods => {
                methods.iter().map(|choice| under(&scene, choice)).collect::<Result<_, _>>()?
            }
        };
        let count = scenes.len();
        let build = |own| Run::build(own, count, &Live::default(), None);
        let runs: Vec<Run> = scenes.into_iter().map(build).collect::<Result<_, _>>()?;
        let Some(first) = runs.first() else { return Err("there is nothing to run".into()) };
        let shape = Shape::of(first);
        let timeline = timeline(&scene, &runs);
        let controls = Controls::of(&scene);
        let mut show = Self {
            scene,
            controls,
            shape,
            runs,
            live: Live::default(),
            timeline,
            pace: Pace::new(),
            playing: false,
        };
        show.keep();
        Ok(show)
    }

    /// Tells all about the scene and shows where it stands.
    pub(super) fn announce(&mut self, outbox: &Outbox) {
        if let Some(told) = tell::opened(&self.shape, &self.runs, self.controls.told(&self.scene)) {
            outbox.opened(&told, self.runs.len());
        }
        self.refresh(outbox);
    }

    /// The scene as it is now; methods that are compared are no part of it.
    pub(super) fn scene(&self) -> &Scene {
        match &self.runs[..] {
            [run] => &run.scene,
            _ => &self.scene,
        }
    }

    pub(super) fn is_playing(&self) -> bool {
        self.playing
    }

    /// How long to wait for messages before the next step; for ever while nothing plays.
    pub(super) fn patience(&self) -> Option<Duration> {
        self.playing.then(|| self.pace.wait())
    }

    pub(super) fn set_speed(&mut self, factor: f64) -> Result<(), Refusal> {
        self.pace.set_speed(factor)
    }

    // Time

    pub(super) fn play(&mut self, outbox: &Outbox) {
        self.playing = self.runs.iter().any(|run| !run.stopped);
        self.pace.start();
        outbox.event(&json!({ "is": if self.playing { "playing" } else { "paused" } }));
    }

    pub(super) fn pause(&mut self, outbox: &Outbox) {
        self.playing = false;
        outbox.event(&json!({ "is": "paused" }));
        self.refresh(outbox);
    }

    pub(super) fn single_step(&mut self, outbox: &Outbox) {
        self.playing = false;
        self.pace.refresh();
        self.step(outbox);
        outbox.event(&json!({ "is": "paused" }));
        self.refresh(outbox);
    }

    /// Takes a step if one is due.
    pub(super) fn advance(&mut self, outbox: &Outbox) {
        if !self.playing || !self.pace.wait().is_zero() {
            return;
        }
        self.step(outbox);
        self.pace.stepped(self.scene.step_length());
        if self.pace.show() {
            self.show_frames(outbox);
        }
    }

    /// All runs take one step, one after the other.
    fn step(&mut self, outbox: &Outbox) {
        let report = self.pace.tell();
        for (index, run) in self.runs.iter_mut().enumerate().filter(|(_, run)| !run.stopped) {
            if let Err(explosion) = run.step(report) {
                run.stopped = true;
                outbox.event(&explosion.told(index, run.scene.document().method.info.name));
            }
        }
        if self.keep() {
            self.tell_timeline(outbox);
        }
        if report {
            self.tell_reports(outbox);
        }
        if self.playing && self.runs.iter().all(|run| run.stopped) {
            self.pause(outbox);
        }
    }

    /// Starts over; what a hand has done is undone.
    pub(super) fn reset(&mut self, outbox: &Outbox) -> Result<(), Refusal> {
        self.live = Live::default();
        self.rebuild(&self.scene.clone(), false, outbox)?;
        outbox.event(&json!({ "is": "pins", "pins": self.pins() }));
        self.refresh(outbox);
        Ok(())
    }

    /// Starts over and plays, where that was asked for.
    pub(super) fn restart(&mut self, asked: bool, outbox: &Outbox) -> Result<(), Refusal> {
        if asked {
            self.reset(outbox)?;
            self.play(outbox);
        }
        Ok(())
    }

    /// Returns to a moment that was kept, and stays there.
    pub(super) fn seek(&mut self, index: usize, outbox: &Outbox) -> Result<(), Refusal> {
        let Some(moment) = self.timeline.seek(index) else {
            return Err("there is no such moment on the timeline".into());
        };
        for (run, state) in self.runs.iter_mut().zip(moment) {
            run.go(state)?;
        }
        self.pause(outbox);
        Ok(())
    }

    // Changes

    /// Changes the method of a run; its state goes on.
    pub(super) fn set_method(
        &mut self,
        index: usize,
        choice: &Choice,
        outbox: &Outbox,
    ) -> Result<(), Refusal> {
        let scene = under(&self.scene, choice)?;
        let particles = self.shape.bodies.len();
        let run = self.runs.get_mut(index).ok_or("there is no such run")?;
        if particles > SLOW {
            outbox.event(&json!({ "is": "busy", "run": index, "what": "preparing the method" }));
        }
        let changed = run.set_method(scene);
        if particles > SLOW {
            outbox.event(&json!({ "is": "busy", "run": index, "what": null }));
        }
        changed?;
        self.tell_change(outbox);
        Ok(())
    }

    /// Changes what the scene says; states go on where they still fit.
    pub(super) fn set(
        &mut self,
        what: What,
        value: &Amount,
        outbox: &Outbox,
    ) -> Result<(), Refusal> {
        let (controls, scene) = self.controls.with(what, value)?;
        let before = self.shape.bodies.len();
        self.rebuild(&scene, true, outbox)?;
        (self.controls, self.scene) = (controls, scene);
        if self.shape.bodies.len() == before {
            self.tell_change(outbox);
            self.refresh(outbox);
        } else {
            self.live = Live::default();
            self.announce(outbox);
        }
        Ok(())
    }

    /// Builds every run anew from a scene; where one does not run, all stays as it was.
    fn rebuild(&mut self, scene: &Scene, goes_on: bool, outbox: &Outbox) -> Result<(), Refusal> {
        let slow = self.shape.bodies.len() > SLOW;
        if slow {
            outbox.event(&json!({ "is": "busy", "run": 0, "what": "building the scene" }));
        }
        let rebuilt = self.rebuilt(scene, goes_on);
        if slow {
            outbox.event(&json!({ "is": "busy", "run": 0, "what": null }));
        }
        let runs = rebuilt?;
        let fits = runs.first().map(|run| run.simulation.model().particles())
            == Some(self.shape.bodies.len());
        self.runs = runs;
        if let Some(first) = self.runs.first().filter(|_| !fits) {
            self.shape = Shape::of(first);
        }
        if !(fits && goes_on) {
            self.timeline = timeline(scene, &self.runs);
            self.keep();
        }
        self.pace.start();
        Ok(())
    }

    fn rebuilt(&self, scene: &Scene, goes_on: bool) -> Result<Vec<Run>, Refusal> {
        let count = self.runs.len();
        let again = |run: &Run| -> Result<Run, Refusal> {
            let mut own = scene.clone();
            let choice = &run.scene.document().method;
            own.use_method(choice.info.name)?;
            let settings: Vec<(String, String)> = choice
                .settings
                .iter()
                .map(|(name, value)| (format!("method.{name}"), value.to_string()))
                .collect();
            own.set_all(settings.iter().map(|(path, value)| (path.as_str(), value.as_str())))?;
            let state = goes_on.then(|| run.simulation.state());
            let mut rebuilt = Run::build(own, count, &self.live, state)?;
            if run.refers() {
                rebuilt.refer(true, &self.live)?;
            }
            if goes_on {
                rebuilt.ledger = run.ledger.clone();
                rebuilt.stopped = run.stopped;
            }
            Ok(rebuilt)
        };
        self.runs.iter().map(again).collect()
    }

    // What is seen

    /// A run as it was seen: its scene, its moments, and how many of them make a second.
    pub(super) fn seen(&self, index: usize) -> Result<(Scene, Vec<Arc<State>>, f64), Refusal> {
        let run = self.runs.get(index).ok_or("there is no such run")?;
        let fps = 1.0 / (self.scene.step_length() * self.timeline.every() as f64);
        Ok((run.scene.clone(), self.timeline.of(index), fps))
    }

    pub(super) fn pins(&self) -> Vec<u32> {
        self.runs.first().map(|run| tell::pins(&run.simulation)).unwrap_or_default()
    }

    fn keep(&mut self) -> bool {
        self.timeline.keep(self.runs.iter().map(|run| run.simulation.state()))
    }

    /// Shows and tells where everything stands.
    fn refresh(&mut self, outbox: &Outbox) {
        self.show_frames(outbox);
        self.tell_timeline(outbox);
        self.tell_reports(outbox);
    }

    fn show_frames(&self, outbox: &Outbox) {
        for (index, run) in self.runs.iter().enumerate() {
            let bytes = frame::encode(index, run.simulation.state(), &self.shape.surface);
            outbox.frame(index, bytes);
        }
    }

    fn tell_reports(&mut self, outbox: &Outbox) {
        for (index, run) in self.runs.iter_mut().enumerate() {
            outbox.report(index, &tell::report(index, run));
        }
    }

    fn tell_timeline(&self, outbox: &Outbox) {
        let (frames, frame) = (self.timeline.len(), self.timeline.at());
        outbox.timeline(&json!({ "is": "timeline", "frames": frames, "frame": frame }));
    }

    fn tell_change(&self, outbox: &Outbox) {
        let Some(first) = self.runs.first() else { return };
        outbox.event(&json!({
            "is": "changed",
            "runs": tell::runs(&self.runs),
            "controls": self.controls.told(&self.scene),
            "text": first.scene.text(),
            "h": self.scene.step_length(),
        }));
    }
}

/// A timeline for these runs of a scene.
fn timeline(scene: &Scene, runs: &[Run]) -> Timeline {
    let particles = runs.iter().map(|run| run.simulation.model().particles()).sum();
    Timeline::new(scene.steps_per_frame(), particles)
}
