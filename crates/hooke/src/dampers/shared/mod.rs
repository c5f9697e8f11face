//! What dampers share: their frozen forms.

pub mod frozen;
