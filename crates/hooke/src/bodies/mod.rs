//! Rigid bodies: what they weigh, how they turn, and how they touch each other.
//!
//! A [`Body`] is a shape with a mass; where it is and how it moves is in the state. `ensemble` steps them all, by
//! impulses (`contact` finds what touches, `solver` relaxes it, `direct` solves stacks of it, `joints` hold what is joined) or by matching their
//! shapes (`matched`).

mod body;
mod contact;
mod direct;
mod ensemble;
mod envelope;
pub mod free;
mod geometry;
pub mod impulse;
mod islands;
mod joint;
mod joint_row;
mod joints;
mod known;
mod mass;
mod matched;
mod overlap;
mod particles;
pub mod shape_matching;
mod six;
mod solver;

pub use body::{Body, Moving, Placement, Twist};
pub use ensemble::{BodyMethod, BodySettings};
pub use joint::{Joint, JointKind};
pub use mass::{Mass, Principal};
pub use overlap::{Overlap, Within, overlaps};

pub(crate) use ensemble::{Acting, Bodies, Push};
pub(crate) use particles::touch;
