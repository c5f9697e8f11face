//! The studio from outside: a client that knows nothing but HTTP and WebSocket, one module per
//! group of promises.

mod client;
mod doors;
mod edits;
mod exports;
mod files;
mod limits;
mod runs;
