//! The engine's tests: one module per promise.
#![allow(clippy::unwrap_used, missing_docs)]

mod agreement;
mod bad_input;
mod bending;
mod common;
mod conservation;
mod contacts;
mod continuum;
mod dampers;
mod determinism;
mod edits;
mod games;
mod laws;
mod linear;
mod metamorphic;
mod net;
mod networks;
mod newton;
mod order;
mod pins;
mod random;
mod reference;
mod reports;
mod solids;
mod stability;
mod svd;
