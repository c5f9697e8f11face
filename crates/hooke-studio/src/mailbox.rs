//! Requests from a page to its simulation, and messages back.
//!
//! Both sides are bounded. Of frames and reports only the newest waits, so that a slow page never
//! holds up a simulation; of a dragging mouse only the last position counts.

use crate::limits;
use crate::message::Request;
use axum::body::Bytes;
use serde_json::Value;
use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;

/// Requests of a page that the simulation has not yet handled.
#[derive(Default)]
pub(crate) struct Inbox {
    pending: Mutex<Pending>,
    more: Condvar,
}

#[derive(Default)]
struct Pending {
    list: VecDeque<Request>,
    woken: bool,
    closed: bool,
}

impl Inbox {
    /// Adds a message; `false` where too many wait.
    pub(crate) fn push(&self, request: Request) -> bool {
        let mut pending = lock(&self.pending);
        if let Some(last) = pending.list.back_mut()
            && supersedes(&request, last)
        {
            *last = request;
        } else if pending.list.len() >= limits::WAITING {
            return false;
        } else {
            pending.list.push_back(request);
        }
        self.more.notify_one();
        true
    }

    /// Whoever waits for a message looks up, though there is none.
    pub(crate) fn wake(&self) {
        lock(&self.pending).woken = true;
        self.more.notify_one();
    }

    /// The page has gone.
    pub(crate) fn close(&self) {
        lock(&self.pending).closed = true;
        self.more.notify_one();
    }

    /// The next message; waits for one as long as `timeout` says, for ever where it is `None`.
    pub(crate) fn next(&self, timeout: Option<Duration>) -> Next {
        let mut pending = lock(&self.pending);
        loop {
            if pending.closed {
                return Next::Gone;
            }
            if let Some(request) = pending.list.pop_front() {
                return Next::Request(request);
            }
            if std::mem::take(&mut pending.woken) {
                return Next::Nothing;
            }
            pending = match timeout {
                None => self.more.wait(pending).unwrap_or_else(PoisonError::into_inner),
                Some(Duration::ZERO) => return Next::Nothing,
                Some(time) => {
                    let waited = self.more.wait_timeout(pending, time);
                    let (pending, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
                    if timeout.timed_out() && pending.list.is_empty() && !pending.closed {
                        return Next::Nothing;
                    }
                    pending
                }
            };
        }
    }
}

/// What [`Inbox::next`] found.
pub(crate) enum Next {
    Request(Request),
    Nothing,
    Gone,
}

/// Whether a message makes the one before it pointless.
pub(crate) fn supersedes(new: &Request, old: &Request) -> bool {
    match (new, old) {
        (Request::Drag { .. }, Request::Drag { .. })
        | (Request::Seek { .. }, Request::Seek { .. })
        | (Request::Speed { .. }, Request::Speed { .. }) => true,
        (Request::Set { what: new, .. }, Request::Set { what: old, restart: false, .. }) => {
            new == old
        }
        (Request::Attractor { at: Some(_), .. }, Request::Attractor { at: Some(_), .. }) => true,
        _ => false,
    }
}

/// Messages for the page.
#[derive(Default)]
pub(crate) struct Outbox {
    outgoing: Mutex<Outgoing>,
    more: Notify,
}

/// Everything that waits to be sent.
#[derive(Default)]
pub(crate) struct Outgoing {
    /// In order.
    pub(crate) events: Vec<String>,
    /// The newest, for each run.
    pub(crate) reports: Vec<Option<String>>,
    /// The newest.
    pub(crate) timeline: Option<String>,
    /// The newest, for each run.
    pub(crate) frames: Vec<Option<Bytes>>,
    /// Nothing more will come.
    pub(crate) closed: bool,
}

impl Outbox {
    /// Tells something that must arrive.
    pub(crate) fn event(&self, event: &Value) {
        let mut outgoing = lock(&self.outgoing);
        if outgoing.events.len() >= limits::OUTGOING {
            outgoing.closed = true;
        } else {
            outgoing.events.push(event.to_string());
        }
        self.more.notify_one();
    }

    /// Tells of a new scene: what waits of the one before is dropped.
    pub(crate) fn opened(&self, event: &Value, runs: usize) {
        {
            let mut outgoing = lock(&self.outgoing);
            outgoing.reports = vec![None; runs];
            outgoing.frames = vec![None; runs];
            outgoing.timeline = None;
        }
        self.event(event);
    }

    /// A report of a run; the newest wins.
    pub(crate) fn report(&self, run: usize, report: &Value) {
        if let Some(slot) = lock(&self.outgoing).reports.get_mut(run) {
            *slot = Some(report.to_string());
        }
        self.more.notify_one();
    }

    /// Where the timeline stands; the newest wins.
    pub(crate) fn timeline(&self, timeline: &Value) {
        lock(&self.outgoing).timeline = Some(timeline.to_string());
        self.more.notify_one();
    }

    /// A frame of a run; the newest wins.
    pub(crate) fn frame(&self, run: usize, frame: Vec<u8>) {
        if let Some(slot) = lock(&self.outgoing).frames.get_mut(run) {
            *slot = Some(frame.into());
        }
        self.more.notify_one();
    }

    /// Nothing more will come.
    pub(crate) fn close(&self) {
        lock(&self.outgoing).closed = true;
        self.more.notify_one();
    }

    /// Whether nobody listens any more.
    pub(crate) fn is_closed(&self) -> bool {
        lock(&self.outgoing).closed
    }

    /// Waits until there may be something.
    pub(crate) async fn wait(&self) {
        self.more.notified().await;
    }

    /// Takes what waits, and at most `credit` frames of it.
    pub(crate) fn take(&self, credit: u32) -> Outgoing {
        let mut outgoing = lock(&self.outgoing);
        let mut left = credit;
        let frames = outgoing.frames.iter_mut().map(|slot| {
            let taken = if left > 0 { slot.take() } else { None };
            left -= u32::from(taken.is_some());
            taken
        });
        let frames = frames.collect();
        Outgoing {
            frames,
            events: std::mem::take(&mut outgoing.events),
            reports: outgoing.reports.iter_mut().map(Option::take).collect(),
            timeline: outgoing.timeline.take(),
            closed: outgoing.closed,
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn of_a_drag_the_last_position_counts() {
        let inbox = Inbox::default();
        for x in 0..1000 {
            assert!(inbox.push(Request::Drag { at: [f64::from(x), 0.0, 0.0] }));
        }
        let Next::Request(Request::Drag { at }) = inbox.next(None) else { panic!("a drag") };
        assert_eq!(at[0], 999.0);
        assert!(matches!(inbox.next(Some(Duration::ZERO)), Next::Nothing));
    }

    #[test]
    fn who_waits_can_be_woken() {
        let inbox = Inbox::default();
        inbox.wake();
        assert!(matches!(inbox.next(None), Next::Nothing));
        assert!(matches!(inbox.next(Some(Duration::ZERO)), Next::Nothing));
    }

    #[test]
    fn too_many_messages_are_refused() {
        let inbox = Inbox::default();
        let taken = (0..1000).filter(|_| inbox.push(Request::Step {})).count();
        assert_eq!(taken, limits::WAITING);
        inbox.close();
        assert!(matches!(inbox.next(None), Next::Gone));
    }

    #[test]
    fn the_newest_frame_wins_and_needs_credit() {
        let outbox = Outbox::default();
        outbox.opened(&json!({}), 2);
        for byte in 0..100 {
            outbox.frame(0, vec![byte]);
            outbox.frame(1, vec![byte]);
        }
        assert!(outbox.take(0).frames.iter().all(Option::is_none));
        let outgoing = outbox.take(1);
        assert_eq!(outgoing.frames, [Some(Bytes::from_static(&[99])), None]);
        assert_eq!(outbox.take(9).frames, [None, Some(Bytes::from_static(&[99]))]);
    }

    #[test]
    fn a_page_that_does_not_read_is_let_go() {
        let outbox = Outbox::default();
        for _ in 0..=limits::OUTGOING {
            outbox.event(&json!({ "is": "paused" }));
        }
        let outgoing = outbox.take(0);
        assert!(outgoing.closed);
        assert_eq!(outgoing.events.len(), limits::OUTGOING);
    }
}
