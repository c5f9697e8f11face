//! What the studio takes at once. A page that asks for more is refused in one sentence.

use std::time::Duration;

/// Open connections with the key.
pub(crate) const CONNECTIONS: usize = 64;

/// Open connections of all others.
pub(crate) const UNAUTHENTICATED: usize = 32;

/// How long a connection may be open before it has asked for something with the key, or for the page.
pub(crate) const UNAUTHENTICATED_TIME: Duration = Duration::from_secs(2);

/// Bytes of the request that exchanges the key of an address.
pub(crate) const KEY: usize = 1 << 10;

/// Tabs with a simulation.
pub(crate) const SESSIONS: usize = 8;

/// Bytes of the head of a request.
pub(crate) const HEAD: usize = 16 << 10;

/// How long the head of the next request may take.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// Bytes of a scene's text, in a request or a message.
pub(crate) const TEXT: usize = 4 << 20;

/// Bytes of a file dropped on the page.
pub(crate) const FILE: usize = 32 << 20;

/// Bytes of all files that were dropped on the page or exported from it.
pub(crate) const FILES: u64 = 2 << 30;

/// Messages from a page that wait.
pub(crate) const WAITING: usize = 64;

/// Messages to a page that wait, frames and reports aside: of those only the newest waits.
pub(crate) const OUTGOING: usize = 1024;

/// How long a page may take to receive one message, or to send the body of a request.
pub(crate) const SENDING: Duration = Duration::from_secs(20);

/// Frames a page may ask for ahead.
pub(crate) const CREDIT: u32 = 16;

/// Methods side by side.
pub(crate) const RUNS: usize = 4;

/// Bytes of the moments of a tab that its timeline keeps.
pub(crate) const TIMELINE: usize = 256 << 20;

/// Exports at work in one tab.
pub(crate) const EXPORTS: usize = 2;

/// The memory (bytes) that the runs of a tab may take together, of what all may take.
pub(crate) fn memory(all: Option<u64>) -> Option<u64> {
    all.or_else(hooke_scene::limits::memory).map(|bytes| bytes / SESSIONS as u64)
}
