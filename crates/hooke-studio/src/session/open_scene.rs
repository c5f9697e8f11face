//! A scene that is open: its runs in lock step, what a hand does to them, and what was seen.

use super::change::{Built, Change, Start, Wanted, WantedRun};
use super::controls::Controls;
use super::frame;
use super::interactions::Interactions;
use super::pace::Pace;
use super::run::{Run, under};
use super::shape::Shape;
use super::timeline::Timeline;
use super::{Refusal, outgoing};
use crate::mailbox::{Inbox, Outbox};
use crate::message::{Amount, Choice, What};
use hooke::State;
use hooke_scene::Scene;
use serde_json::json;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A scene of more particles than this takes so long to build that it is built aside.
const SLOW: usize = 2000;

pub(super) struct OpenScene {
    /// The scene with what was changed about it since it was opened.
    scene: Scene,
    controls: Controls,
    pub(super) shape: Shape,
    pub(super) runs: Vec<Run>,
    pub(super) interactions: Interactions,
    timeline: Timeline,
    pace: Pace,
    playing: bool,
    /// The edit that is being built.
    change: Option<Change>,
}

impl OpenScene {
    /// A scene at its start, under its own method or under each of those given.
    pub(super) fn open(scene: Scene, methods: &[Choice]) -> Result<Self, Refusal> {
        let scenes: Vec<Scene> = match methods {
            [] => vec![scene.clone()],
            methods => {
                methods.iter().map(|choice| under(&scene, choice)).collect::<Result<_, _>>()?
            }
        };
        let count = scenes.len();
        let build = |own| Run::build(own, count, &Interactions::default(), None);
        let runs: Vec<Run> = scenes.into_iter().map(build).collect::<Result<_, _>>()?;
        let Some(first) = runs.first() else { return Err("there is nothing to run".into()) };
        let shape = Shape::of(first);
        let timeline = timeline(&scene, &runs);
        let controls = Controls::of(&scene);
        let mut open_scene = Self {
            scene,
            controls,
            shape,
            runs,
            interactions: Interactions::default(),
            timeline,
            pace: Pace::new(),
            playing: false,
            change: None,
        };
        open_scene.keep();
        Ok(open_scene)
    }

    /// Tells all about the scene and shows where it stands.
    pub(super) fn announce(&mut self, outbox: &Outbox) {
        if let Some(outgoing) =
            outgoing::opened(&self.shape, &self.runs, self.controls.outgoing(&self.scene))
        {
            outbox.opened(&outgoing, self.runs.len());
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
    pub(super) fn timeout(&self) -> Option<Duration> {
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
        // Whoever hears that it stands can be shown where.
        self.show_frames(outbox);
        outbox.event(&json!({ "is": "paused" }));
        self.tell_timeline(outbox);
        self.tell_reports(outbox);
    }

    /// Takes a step if one is due.
    pub(super) fn advance(&mut self, outbox: &Outbox) {
        if !self.playing || !self.pace.wait().is_zero() {
            return;
        }
        self.step(outbox);
        self.pace.stepped(self.scene.step_length());
        if self.pace.open_scene() {
            self.show_frames(outbox);
        }
    }

    /// All runs take one step, one after the other.
    fn step(&mut self, outbox: &Outbox) {
        let report = self.pace.report_due();
        for (index, run) in self.runs.iter_mut().enumerate().filter(|(_, run)| !run.stopped) {
            if let Err(explosion) = run.step(report) {
                run.stopped = true;
                outbox.event(&explosion.outgoing(index, run.scene.document().method_name()));
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
        let wanted = self.wanted(self.scene.clone(), self.controls.clone(), Start::Over)?;
        self.take_over(wanted.build()?, outbox)
    }

    /// Returns to a moment that was kept, and stays there.
    pub(super) fn seek(&mut self, index: usize, outbox: &Outbox) -> Result<(), Refusal> {
        let Some(moment) = self.timeline.seek(index) else {
            return Err("there is no such moment on the timeline".into());
        };
        for (run, (state, tally)) in self.runs.iter_mut().zip(moment) {
            run.go(state, *tally)?;
        }
        self.pause(outbox);
        Ok(())
    }

    // Changes

    /// What it takes to change the method of a run; its state goes on unless it starts over.
    pub(super) fn method_changed(
        &self,
        index: usize,
        choice: &Choice,
        start: Start,
    ) -> Result<Wanted, Refusal> {
        let mut wanted = self.wanted(self.scene.clone(), self.controls.clone(), start)?;
        let run = wanted.runs.get_mut(index).ok_or("there is no such run")?;
        run.scene = under(&self.scene, choice)?;
        run.revived = true;
        Ok(wanted)
    }

    /// What it takes to change what the scene says; states go on where they still fit.
    pub(super) fn scene_changed(
        &self,
        what: What,
        value: &Amount,
        start: Start,
    ) -> Result<Wanted, Refusal> {
        let (controls, scene) = self.controls.with(what, value)?;
        self.wanted(scene, controls, start)
    }

    /// The runs as they are, of a scene that was changed.
    fn wanted(&self, scene: Scene, controls: Controls, start: Start) -> Result<Wanted, Refusal> {
        let again = |run: &Run| -> Result<WantedRun, Refusal> {
            let mut own = scene.clone();
            let choice = &run.scene.document().method;
            own.use_method(choice.info.name)?;
            let settings: Vec<(String, String)> = choice
                .settings
                .iter()
                .map(|(name, value)| (format!("method.{name}"), value.to_string()))
                .collect();
            own.set_all(settings.iter().map(|(path, value)| (path.as_str(), value.as_str())))?;
            Ok(WantedRun {
                scene: own,
                state: run.simulation.state().clone(),
                refers: run.refers(),
                revived: start != Start::Here,
            })
        };
        Ok(Wanted {
            runs: self.runs.iter().map(again).collect::<Result<_, _>>()?,
            interactions: if start == Start::Here {
                self.interactions.clone()
            } else {
                Interactions::default()
            },
            shown: self.shape.bodies.len(),
            scene,
            controls,
            start,
        })
    }

    /// Makes an edit; what takes a while is built aside, and the runs go on until it is there.
    pub(super) fn edit(
        &mut self,
        wanted: Wanted,
        inbox: &Arc<Inbox>,
        outbox: &Outbox,
    ) -> Result<(), Refusal> {
        if self.shape.bodies.len().max(wanted.controls.expected(self.shape.bodies.len())) <= SLOW {
            return self.take_over(wanted.build()?, outbox);
        }
        self.change = Some(wanted.build_aside(inbox)?);
        outbox.event(&json!({ "is": "busy", "run": 0, "what": "building the change" }));
        Ok(())
    }

    /// Whether an edit is being built.
    pub(super) fn is_changing(&self) -> bool {
        self.change.is_some()
    }

    /// Takes over what was built aside, if it is there: whether an edit came to its end.
    pub(super) fn settle(&mut self, outbox: &Outbox) -> Result<bool, Refusal> {
        let Some(end) = self.change.as_ref().and_then(Change::end) else { return Ok(false) };
        self.change = None;
        outbox.event(&json!({ "is": "busy", "run": 0, "what": null }));
        self.take_over(end?, outbox)?;
        Ok(true)
    }

    /// Goes on with what was built; where it cannot, all stays as it was.
    fn take_over(&mut self, mut built: Built, outbox: &Outbox) -> Result<(), Refusal> {
        let goes_on = built.start == Start::Here;
        if goes_on {
            for ((run, old), revived) in built.runs.iter_mut().zip(&self.runs).zip(&built.revived) {
                if built.shape.is_none() {
                    run.take_over(old, &built.interactions, &self.interactions)?;
                }
                run.ledger = old.ledger.clone();
                run.stopped = old.stopped && !revived;
            }
        }
        let reshaped = built.shape.is_some();
        if reshaped || !goes_on {
            self.interactions = Interactions::default();
        }
        (self.scene, self.controls, self.runs) = (built.scene, built.controls, built.runs);
        if let Some(shape) = built.shape {
            self.shape = shape;
        }
        if reshaped || !goes_on {
            self.timeline = timeline(&self.scene, &self.runs);
            self.keep();
        }
        self.pace.start();
        if reshaped {
            self.announce(outbox);
        } else {
            self.tell_change(outbox);
            outbox.event(&json!({ "is": "pins", "pins": self.pins() }));
            self.refresh(outbox);
        }
        if built.start == Start::OverAndPlay {
            self.play(outbox);
        }
        Ok(())
    }

    // What is seen

    /// A run as it was seen: its scene, its moments, and how many of them make a second.
    pub(super) fn seen(&self, index: usize) -> Result<(Scene, Vec<Arc<State>>, f64), Refusal> {
        let run = self.runs.get(index).ok_or("there is no such run")?;
        let fps = 1.0 / (self.scene.step_length() * self.timeline.every() as f64);
        Ok((run.scene.clone(), self.timeline.of(index), fps))
    }

    pub(super) fn pins(&self) -> Vec<u32> {
        self.runs.first().map(|run| outgoing::pins(&run.simulation)).unwrap_or_default()
    }

    fn keep(&mut self) -> bool {
        self.timeline.keep(self.runs.iter().map(|run| (run.simulation.state(), run.ledger.tally)))
    }

    /// Shows and tells where everything stands.
    fn refresh(&mut self, outbox: &Outbox) {
        self.show_frames(outbox);
        self.tell_timeline(outbox);
        self.tell_reports(outbox);
    }

    fn show_frames(&mut self, outbox: &Outbox) {
        let clock = Instant::now();
        for (index, run) in self.runs.iter().enumerate() {
            let bytes = frame::encode(index, run.simulation.state(), &self.shape.surface);
            outbox.frame(index, bytes);
        }
        self.pace.spent(clock);
    }

    fn tell_reports(&mut self, outbox: &Outbox) {
        let clock = Instant::now();
        let reporting = self.pace.reporting();
        for (index, run) in self.runs.iter_mut().enumerate() {
            outbox.report(index, &outgoing::report(index, run, reporting));
        }
        self.pace.spent(clock);
    }

    fn tell_timeline(&self, outbox: &Outbox) {
        let (frames, frame) = (self.timeline.len(), self.timeline.at());
        outbox.timeline(&json!({ "is": "timeline", "frames": frames, "frame": frame }));
    }

    fn tell_change(&self, outbox: &Outbox) {
        let Some(first) = self.runs.first() else { return };
        outbox.event(&json!({
            "is": "changed",
            "runs": outgoing::runs(&self.runs),
            "controls": self.controls.outgoing(&self.scene),
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
