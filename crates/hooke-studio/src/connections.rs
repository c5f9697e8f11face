//! Limits of connections. Each connection with the key has a permit of its own. All others share a few
//! slots for a short time, and a new one replaces the oldest, so that nobody can lock the owner out.

use crate::limits;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

/// All open connections.
pub(crate) struct Connections {
    /// Connections that have not shown the key, the oldest first.
    unauthenticated: Mutex<VecDeque<Arc<Connection>>>,
    /// Permits of those that have.
    permits: Arc<Semaphore>,
}

/// One connection.
pub(crate) struct Connection {
    connections: Arc<Connections>,
    /// The permit, once the key was shown.
    permit: Mutex<Option<OwnedSemaphorePermit>>,
    /// Whether a request has come, which is being answered.
    requested: AtomicBool,
    leave: Notify,
}

impl Connections {
    pub(crate) fn new() -> Arc<Self> {
        let permits = Arc::new(Semaphore::new(limits::CONNECTIONS));
        Arc::new(Self { unauthenticated: Mutex::default(), permits })
    }

    /// A new connection. Where too many are unauthenticated, the oldest is closed.
    pub(crate) fn enter(self: &Arc<Self>) -> Arc<Connection> {
        let connection = Arc::new(Connection {
            connections: Arc::clone(self),
            permit: Mutex::default(),
            requested: AtomicBool::new(false),
            leave: Notify::new(),
        });
        let mut unauthenticated = lock(&self.unauthenticated);
        unauthenticated.push_back(Arc::clone(&connection));
        if unauthenticated.len() > limits::UNAUTHENTICATED
            && let Some(oldest) = unauthenticated.pop_front()
        {
            oldest.leave.notify_one();
        }
        connection
    }
}

impl Connection {
    /// A request with the key came; `false` where too many have come with it.
    pub(crate) fn shows_key(self: &Arc<Self>) -> bool {
        let mut permit = lock(&self.permit);
        if permit.is_none() {
            *permit = Arc::clone(&self.connections.permits).try_acquire_owned().ok();
            self.forget();
        }
        permit.is_some()
    }

    /// A request without the key came.
    pub(crate) fn note_request(&self) {
        self.requested.store(true, Ordering::Relaxed);
    }

    /// Waits until the connection has to be closed: never, once the key was shown.
    pub(crate) async fn expired(&self) {
        tokio::select! {
            () = self.leave.notified() => {}
            () = tokio::time::sleep(limits::UNAUTHENTICATED_TIME) => {
                if self.requested.load(Ordering::Relaxed) {
                    tokio::time::sleep(limits::SENDING).await;
                }
            }
        }
        if lock(&self.permit).is_some() {
            std::future::pending().await
        }
    }

    /// The connection has ended, or is authenticated now.
    pub(crate) fn forget(self: &Arc<Self>) {
        lock(&self.connections.unauthenticated).retain(|other| !Arc::ptr_eq(other, self));
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
