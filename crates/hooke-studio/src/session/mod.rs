//! The simulation of one tab, on a thread of its own.
//!
//! The thread waits for what the page asks, steps as time passes, and leaves what there is to see in
//! the outbox. Up to four methods run the same scene in lock step, one after the other, so that
//! their times can be compared. What goes wrong is told to this tab and touches no other.

mod change;
mod controls;
mod exploded;
mod fields;
mod frame;
mod hand;
mod interactions;
mod open_scene;
mod outgoing;
mod pace;
mod run;
mod shape;
mod timeline;

use crate::export;
use crate::limits;
use crate::mailbox::{Inbox, Next, Outbox, supersedes};
use crate::message::{Choice, Request, point};
use crate::routes::Studio;
use change::Start;
use hooke_scene::{NotRunnable, Scene};
use open_scene::OpenScene;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Starts the thread of a tab. It ends when the inbox is closed.
pub(crate) fn start(
    studio: &Arc<Studio>,
    inbox: &Arc<Inbox>,
    outbox: &Arc<Outbox>,
) -> std::io::Result<()> {
    let mut session = Session {
        studio: Arc::clone(studio),
        inbox: Arc::clone(inbox),
        outbox: Arc::clone(outbox),
        tab: studio.drafts.tab(),
        open_scene: None,
        waiting: VecDeque::new(),
    };
    let thread = std::thread::Builder::new().name("simulation".into());
    thread.spawn(move || {
        let outbox = Arc::clone(&session.outbox);
        if catch_unwind(AssertUnwindSafe(|| session.work())).is_err() {
            let sentence = "the simulation of this tab broke down, which is a fault of Hooke; load \
                            the page again";
            outbox.event(&json!({ "is": "problem", "message": sentence }));
        }
        session.studio.drafts.note(session.tab, None);
        outbox.close();
    })?;
    Ok(())
}

struct Session {
    studio: Arc<Studio>,
    inbox: Arc<Inbox>,
    outbox: Arc<Outbox>,
    /// The number under which its draft is kept.
    tab: u64,
    /// What runs, once a scene is open.
    open_scene: Option<OpenScene>,
    /// Edits that wait for the one that is being built.
    waiting: VecDeque<Request>,
}

/// Why something asked was not done.
enum Refusal {
    /// The scene, or what it was changed to, does not run.
    Scene(NotRunnable),
    /// One sentence.
    Sentence(String),
}

impl From<NotRunnable> for Refusal {
    fn from(reason: NotRunnable) -> Self {
        Self::Scene(reason)
    }
}

impl From<hooke_scene::Problems> for Refusal {
    fn from(problems: hooke_scene::Problems) -> Self {
        Self::Scene(problems.into())
    }
}

impl From<hooke::Refusal> for Refusal {
    fn from(refusal: hooke::Refusal) -> Self {
        Self::Sentence(refusal.to_string())
    }
}

impl From<hooke::ModelError> for Refusal {
    fn from(invalid: hooke::ModelError) -> Self {
        Self::Sentence(invalid.to_string())
    }
}

impl From<&str> for Refusal {
    fn from(sentence: &str) -> Self {
        Self::Sentence(sentence.into())
    }
}

impl Refusal {
    fn outgoing(&self) -> Value {
        match self {
            Self::Scene(NotRunnable::Problems(problems)) => match problems.list.first() {
                Some(problem) => json!({
                    "is": "problem",
                    "message": problem.sentence,
                    "line": problem.line,
                    "field": problem.path,
                }),
                None => json!({ "is": "problem", "message": "the scene does not run" }),
            },
            Self::Scene(reason) => json!({ "is": "problem", "message": reason.to_string() }),
            Self::Sentence(sentence) => json!({ "is": "problem", "message": sentence }),
        }
    }
}

impl Session {
    fn work(&mut self) {
        loop {
            let timeout = self.open_scene.as_ref().and_then(OpenScene::timeout);
            match self.inbox.next(timeout) {
                Next::Gone => return,
                Next::Nothing => {}
                Next::Request(request) => self.hear(request),
            }
            self.settle();
            if let Some(open_scene) = &mut self.open_scene {
                open_scene.advance(&self.outbox);
            }
        }
    }

    /// Obeys, and tells why where it cannot; an edit waits while another is being built.
    fn hear(&mut self, request: Request) {
        let edits = matches!(request, Request::Method { .. } | Request::Set { .. });
        let opens = matches!(request, Request::Open { .. });
        if edits && self.open_scene.as_ref().is_some_and(OpenScene::is_changing) {
            let full = self.waiting.len() >= limits::WAITING;
            match self.waiting.back_mut() {
                Some(last) if supersedes(&request, last) => *last = request,
                _ if full => {
                    self.outbox.event(&Refusal::from("too many changes at once").outgoing())
                }
                _ => self.waiting.push_back(request),
            }
            return;
        }
        if let Err(refusal) = self.obey(request) {
            self.outbox.event(&refusal.outgoing());
        }
        if edits || opens {
            self.note();
        }
    }

    /// Takes over an edit that was built, and starts those that waited for it.
    fn settle(&mut self) {
        let Some(open_scene) = &mut self.open_scene else { return };
        match open_scene.settle(&self.outbox) {
            Ok(false) => {}
            Ok(true) => self.note(),
            Err(refusal) => self.outbox.event(&refusal.outgoing()),
        }
        while !self.open_scene.as_ref().is_some_and(OpenScene::is_changing)
            && let Some(request) = self.waiting.pop_front()
        {
            self.hear(request);
        }
    }

    /// Notes what this tab shows, where it stands in no file.
    fn note(&self) {
        let scene = self.open_scene.as_ref().map(OpenScene::scene);
        let draft = scene.filter(|scene| !self.studio.library.knows(scene.text()));
        self.studio.drafts.note(self.tab, draft.cloned());
    }

    fn obey(&mut self, request: Request) -> Result<(), Refusal> {
        if let Request::Open { scene, text, methods } = request {
            return self.open(scene.as_deref(), text.as_deref(), &methods);
        }
        let Some(open_scene) = &mut self.open_scene else {
            return Err("open a scene first".into());
        };
        let outbox = &self.outbox;
        match request {
            Request::Open { .. } | Request::Credit { .. } => {}
            Request::Play {} => open_scene.play(outbox),
            Request::Pause {} => open_scene.pause(outbox),
            Request::Step {} => open_scene.single_step(outbox),
            Request::Reset {} => open_scene.reset(outbox)?,
            Request::Speed { factor } => open_scene.set_speed(factor)?,
            Request::Seek { frame } => open_scene.seek(frame, outbox)?,
            Request::Method { run, name, settings, restart } => {
                let choice = Choice { name, settings };
                let wanted = open_scene.method_changed(run, &choice, Start::after(restart))?;
                open_scene.edit(wanted, &self.inbox, outbox)?;
            }
            Request::Set { what, value, restart } => {
                let wanted = open_scene.scene_changed(what, &value, Start::after(restart))?;
                open_scene.edit(wanted, &self.inbox, outbox)?;
            }
            Request::Grab { run, particle, at } => open_scene.grab(run, particle, point(at))?,
            Request::Drag { at } => open_scene.drag(point(at))?,
            Request::Release {} => open_scene.release(),
            Request::Pin { run, particle } => open_scene.pin(run, particle, true, outbox)?,
            Request::Unpin { run, particle } => open_scene.pin(run, particle, false, outbox)?,
            Request::Attractor { at, strength } => open_scene.attract(at.map(point), strength)?,
            Request::Reference { run, on } => open_scene.refer(run, on)?,
            Request::Export { kind, run } => {
                let (scene, moments, fps) = open_scene.seen(run)?;
                export::start(&self.studio, outbox, kind, scene, moments, fps)?;
            }
        }
        Ok(())
    }

    /// Runs a scene from its start; what ran before goes on where it cannot.
    fn open(
        &mut self,
        name: Option<&str>,
        text: Option<&str>,
        methods: &[Choice],
    ) -> Result<(), Refusal> {
        let scene = match (name, text) {
            (_, Some(text)) => self.studio.library.read(text)?,
            (Some(name), None) => {
                self.studio.library.named(name).ok_or("there is no such scene in the gallery")?
            }
            (None, None) => return Err("no scene was named".into()),
        };
        if methods.len() > limits::RUNS {
            return Err("at most four methods run side by side".into());
        }
        self.begin(scene, methods)
    }

    fn begin(&mut self, scene: Scene, methods: &[Choice]) -> Result<(), Refusal> {
        let playing = self.open_scene.as_ref().is_some_and(OpenScene::is_playing);
        self.outbox.event(&json!({ "is": "busy", "run": 0, "what": "opening the scene" }));
        let opened = OpenScene::open(scene, methods);
        self.outbox.event(&json!({ "is": "busy", "run": 0, "what": null }));
        let mut open_scene = opened?;
        open_scene.announce(&self.outbox);
        if playing {
            open_scene.play(&self.outbox);
        }
        self.open_scene = Some(open_scene);
        self.waiting.clear();
        Ok(())
    }
}
