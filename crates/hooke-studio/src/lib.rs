//! The studio: a page in the browser on which scenes run, are grabbed, edited and compared.
//!
//! [`serve`] listens on this machine only, unless told otherwise, and lets nobody in without the key
//! that the printed address carries (`guard`). The page itself is in the program (`page`). Each
//! tab has a socket (`socket`) and a simulation on a thread of its own (`session`): a slow page
//! misses frames, it never holds up a simulation or fills the memory, and what goes wrong in one
//! tab is told there and nowhere else.

mod catalog;
mod connections;
mod drafts;
mod export;
mod failure;
mod file;
mod folder;
mod guard;
mod import;
mod library;
mod limits;
mod mailbox;
mod message;
mod page;
mod routes;
mod server;
mod session;
mod socket;
mod thumbnails;

pub use failure::Failure;
pub use library::First;
pub use server::{News, Options, serve};
pub use thumbnails::carried as picture;
