//! Files of other programs: meshes in, animations out, and any bytes at all.
#![allow(clippy::unwrap_used, missing_docs)]

mod bounds;
mod common;
mod export;
mod growth;
mod hostile;
mod import;
mod scenes;
