//! Edits. What is asked for is built from the scene's text and takes over from wherever the runs
//! are by then. What takes a while is built on a thread of its own, together with the first
//! factorization, while the runs go on.

use super::Refusal;
use super::controls::Controls;
use super::interactions::Interactions;
use super::run::Run;
use super::shape::Shape;
use crate::mailbox::Inbox;
use hooke::State;
use hooke_scene::Scene;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError, channel};

/// What an edit asks for.
pub(super) struct Wanted {
    pub(super) scene: Scene,
    pub(super) controls: Controls,
    pub(super) runs: Vec<WantedRun>,
    /// What a hand has done.
    pub(super) interactions: Interactions,
    /// How many particles are shown now.
    pub(super) shown: usize,
    /// Whether all start over, and whether they then play.
    pub(super) start: Start,
}

/// One run of what is asked for.
pub(super) struct WantedRun {
    /// The scene under the run's method.
    pub(super) scene: Scene,
    /// Where the run is.
    pub(super) state: State,
    /// Whether its steps are measured.
    pub(super) refers: bool,
    /// Whether it goes on though it had exploded.
    pub(super) revived: bool,
}

/// Where runs go on from after an edit.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Start {
    /// From where they are.
    Here,
    /// From the start of the scene.
    Over,
    /// From the start of the scene, and they play.
    OverAndPlay,
}

impl Start {
    /// Where an edit goes on from that asks for a restart, or does not.
    pub(super) fn after(restart: bool) -> Self {
        if restart { Self::OverAndPlay } else { Self::Here }
    }
}

/// What was asked for, ready to run.
pub(super) struct Built {
    pub(super) scene: Scene,
    pub(super) controls: Controls,
    pub(super) runs: Vec<Run>,
    /// Which of them go on though they had exploded.
    pub(super) revived: Vec<bool>,
    /// Where the number of particles is another now.
    pub(super) shape: Option<Shape>,
    /// What a hand had done when the building began.
    pub(super) interactions: Interactions,
    pub(super) start: Start,
}

impl Wanted {
    /// Builds it here and now.
    pub(super) fn build(self) -> Result<Built, Refusal> {
        self.build_runs(false)
    }

    /// Builds it on a thread of its own, which wakes the session at its end.
    pub(super) fn build_aside(self, inbox: &Arc<Inbox>) -> Result<Change, Refusal> {
        let (tell, built) = channel();
        let inbox = Arc::clone(inbox);
        let thread = std::thread::Builder::new().name("building".into());
        let started = thread.spawn(move || {
            let _ = tell.send(self.build_runs(true));
            // Before the session looks, so that it also learns of a thread that broke down.
            drop(tell);
            inbox.wake();
        });
        started.map_err(|error| Refusal::Sentence(format!("cannot start a thread: {error}")))?;
        Ok(Change(built))
    }

    fn build_runs(self, warm: bool) -> Result<Built, Refusal> {
        let count = self.runs.len();
        let goes_on = self.start == Start::Here;
        let mut runs = Vec::new();
        let mut revived = Vec::new();
        for wanted in self.runs {
            let state = goes_on.then_some(&wanted.state);
            let mut run = Run::build(wanted.scene, count, &self.interactions, state)?;
            if wanted.refers {
                run.refer(true, &self.interactions)?;
            }
            if warm {
                run.warm()?;
            }
            runs.push(run);
            revived.push(wanted.revived);
        }
        let particles = runs.first().map_or(0, |run| run.simulation.model().particles());
        let shape = runs.first().filter(|_| particles != self.shown).map(Shape::of);
        let Self { scene, controls, interactions, start, .. } = self;
        Ok(Built { scene, controls, runs, revived, shape, interactions, start })
    }
}

/// An edit that is being built.
pub(super) struct Change(Receiver<Result<Built, Refusal>>);

impl Change {
    /// What came of it, once it is there.
    pub(super) fn end(&self) -> Option<Result<Built, Refusal>> {
        match self.0.try_recv() {
            Ok(end) => Some(end),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => Some(Err(
                "the scene could not be built because of a bug in Hooke; nothing was changed"
                    .into(),
            )),
        }
    }
}
