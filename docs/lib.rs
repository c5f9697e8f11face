//! The programs on the pages of this folder and in the README, compiled and run as tests: a page
//! with a Rust block is found by `build.rs`, nothing lists it.

#[cfg(doctest)]
mod pages {
    include!(concat!(env!("OUT_DIR"), "/pages.rs"));
}
