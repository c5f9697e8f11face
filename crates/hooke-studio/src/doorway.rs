//! Connections. Those that have shown the key keep their places; all others share a few places for a
//! short time, and the newest goes before the oldest, so that nobody shuts the owner out.

use crate::limits;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

/// Who is there.
pub(crate) struct Doorway {
    /// Connections that have not shown the key, the oldest first.
    strangers: Mutex<VecDeque<Arc<Visitor>>>,
    /// Places of those that have.
    places: Arc<Semaphore>,
}

/// One connection.
pub(crate) struct Visitor {
    doorway: Arc<Doorway>,
    /// The place of one who has shown the key.
    place: Mutex<Option<OwnedSemaphorePermit>>,
    /// Whether a request has come, which is being answered.
    asked: AtomicBool,
    leave: Notify,
}

impl Doorway {
    pub(crate) fn new() -> Arc<Self> {
        let places = Arc::new(Semaphore::new(limits::CONNECTIONS));
        Arc::new(Self { strangers: Mutex::default(), places })
    }

    /// A new connection. Where there are too many strangers, the oldest has to leave.
    pub(crate) fn enter(self: &Arc<Self>) -> Arc<Visitor> {
        let visitor = Arc::new(Visitor {
            doorway: Arc::clone(self),
            place: Mutex::default(),
            asked: AtomicBool::new(false),
            leave: Notify::new(),
        });
        let mut strangers = lock(&self.strangers);
        strangers.push_back(Arc::clone(&visitor));
        if strangers.len() > limits::STRANGERS
            && let Some(oldest) = strangers.pop_front()
        {
            oldest.leave.notify_one();
        }
        visitor
    }
}

impl Visitor {
    /// A request with the key came; `false` where too many have come with it.
    pub(crate) fn shows_key(self: &Arc<Self>) -> bool {
        let mut place = lock(&self.place);
        if place.is_none() {
            *place = Arc::clone(&self.doorway.places).try_acquire_owned().ok();
            self.forget();
        }
        place.is_some()
    }

    /// A request without the key came.
    pub(crate) fn asks(&self) {
        self.asked.store(true, Ordering::Relaxed);
    }

    /// Waits until the connection has to be closed: never, for one who has shown the key.
    pub(crate) async fn overstays(&self) {
        tokio::select! {
            () = self.leave.notified() => {}
            () = tokio::time::sleep(limits::STRANGER) => {
                if self.asked.load(Ordering::Relaxed) {
                    tokio::time::sleep(limits::SENDING).await;
                }
            }
        }
        if lock(&self.place).is_some() {
            std::future::pending().await
        }
    }

    /// The connection has ended, or is no stranger's any more.
    pub(crate) fn forget(self: &Arc<Self>) {
        lock(&self.doorway.strangers).retain(|other| !Arc::ptr_eq(other, self));
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
