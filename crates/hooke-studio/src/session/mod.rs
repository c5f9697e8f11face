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
mod live;
mod pace;
mod run;
mod shape;
mod show;
mod tell;
mod timeline;

use crate::export;
use crate::limits;
use crate::mailbox::{Inbox, Next, Outbox, supersedes};
use crate::message::{Ask, Choice, point};
use crate::routes::Studio;
use change::Start;
use hooke_scene::{NotRunnable, Scene};
use serde_json::{Value, json};
use show::Show;
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
        show: None,
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
    show: Option<Show>,
    /// Edits that wait for the one that is being built.
    waiting: VecDeque<Ask>,
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
        Self::Sentence(refusal.0)
    }
}

impl From<hooke::Invalid> for Refusal {
    fn from(invalid: hooke::Invalid) -> Self {
        Self::Sentence(invalid.0)
    }
}

impl From<&str> for Refusal {
    fn from(sentence: &str) -> Self {
        Self::Sentence(sentence.into())
    }
}

impl Refusal {
    fn told(&self) -> Value {
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
            Self::Scene(NotRunnable::Refused(refusal)) => {
                json!({ "is": "problem", "message": refusal.0 })
            }
            Self::Sentence(sentence) => json!({ "is": "problem", "message": sentence }),
        }
    }
}

impl Session {
    fn work(&mut self) {
        loop {
            let patience = self.show.as_ref().and_then(Show::patience);
            match self.inbox.next(patience) {
                Next::Gone => return,
                Next::Nothing => {}
                Next::Ask(ask) => self.hear(ask),
            }
            self.settle();
            if let Some(show) = &mut self.show {
                show.advance(&self.outbox);
            }
        }
    }

    /// Obeys, and tells why where it cannot; an edit waits while another is being built.
    fn hear(&mut self, ask: Ask) {
        let edits = matches!(ask, Ask::Method { .. } | Ask::Set { .. });
        let opens = matches!(ask, Ask::Open { .. });
        if edits && self.show.as_ref().is_some_and(Show::is_changing) {
            let full = self.waiting.len() >= limits::WAITING;
            match self.waiting.back_mut() {
                Some(last) if supersedes(&ask, last) => *last = ask,
                _ if full => self.outbox.event(&Refusal::from("too many changes at once").told()),
                _ => self.waiting.push_back(ask),
            }
            return;
        }
        if let Err(refusal) = self.obey(ask) {
            self.outbox.event(&refusal.told());
        }
        if edits || opens {
            self.note();
        }
    }

    /// Takes over an edit that was built, and starts those that waited for it.
    fn settle(&mut self) {
        let Some(show) = &mut self.show else { return };
        match show.settle(&self.outbox) {
            Ok(false) => {}
            Ok(true) => self.note(),
            Err(refusal) => self.outbox.event(&refusal.told()),
        }
        while !self.show.as_ref().is_some_and(Show::is_changing)
            && let Some(ask) = self.waiting.pop_front()
        {
            self.hear(ask);
        }
    }

    /// Notes what this tab shows, where it stands in no file.
    fn note(&self) {
        let scene = self.show.as_ref().map(Show::scene);
        let draft = scene.filter(|scene| !self.studio.library.knows(scene.text()));
        self.studio.drafts.note(self.tab, draft.cloned());
    }

    fn obey(&mut self, ask: Ask) -> Result<(), Refusal> {
        if let Ask::Open { scene, text, methods } = ask {
            return self.open(scene.as_deref(), text.as_deref(), &methods);
        }
        let Some(show) = &mut self.show else { return Err("open a scene first".into()) };
        let outbox = &self.outbox;
        match ask {
            Ask::Open { .. } | Ask::Credit { .. } => {}
            Ask::Play {} => show.play(outbox),
            Ask::Pause {} => show.pause(outbox),
            Ask::Step {} => show.single_step(outbox),
            Ask::Reset {} => show.reset(outbox)?,
            Ask::Speed { factor } => show.set_speed(factor)?,
            Ask::Seek { frame } => show.seek(frame, outbox)?,
            Ask::Method { run, name, settings, restart } => {
                let choice = Choice { name, settings };
                let wanted = show.method_changed(run, &choice, Start::after(restart))?;
                show.edit(wanted, &self.inbox, outbox)?;
            }
            Ask::Set { what, value, restart } => {
                let wanted = show.scene_changed(what, &value, Start::after(restart))?;
                show.edit(wanted, &self.inbox, outbox)?;
            }
            Ask::Grab { run, particle, at } => show.grab(run, particle, point(at))?,
            Ask::Drag { at } => show.drag(point(at))?,
            Ask::Release {} => show.release(),
            Ask::Pin { run, particle } => show.pin(run, particle, true, outbox)?,
            Ask::Unpin { run, particle } => show.pin(run, particle, false, outbox)?,
            Ask::Attractor { at, strength } => show.attract(at.map(point), strength)?,
            Ask::Reference { run, on } => show.refer(run, on)?,
            Ask::Export { kind, run } => {
                let (scene, moments, fps) = show.seen(run)?;
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
            (None, None) => return Err("say which scene".into()),
        };
        if methods.len() > limits::RUNS {
            return Err("at most four methods run side by side".into());
        }
        self.begin(scene, methods)
    }

    fn begin(&mut self, scene: Scene, methods: &[Choice]) -> Result<(), Refusal> {
        let playing = self.show.as_ref().is_some_and(Show::is_playing);
        self.outbox.event(&json!({ "is": "busy", "run": 0, "what": "opening the scene" }));
        let opened = Show::open(scene, methods);
        self.outbox.event(&json!({ "is": "busy", "run": 0, "what": null }));
        let mut show = opened?;
        show.announce(&self.outbox);
        if playing {
            show.play(&self.outbox);
        }
        self.show = Some(show);
        self.waiting.clear();
        Ok(())
    }
}
