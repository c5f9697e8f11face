//! Rigid bodies: what they weigh, how they turn, and how they touch each other.
//!
//! A [`RigidBody`] is a shape with a mass, which a model has; where it is and how it moves is in the state. `step` steps
//! them all, by impulses (`contact` finds what touches, `solver` relaxes it, `direct` solves stacks of it and `interior`
//! those that land, `joint_solver` holds what is joined) or by matching their shapes (`shape_matching_solver`).

mod contact;
mod direct;
pub mod free_rotation;
mod geometry;
pub mod impulse;
mod interior;
mod islands;
mod joint_graph;
mod joint_row;
mod joint_solver;
mod manifold_cache;
mod overlap;
mod particles;
pub mod shape_matching;
mod shape_matching_solver;
mod skyline;
mod solver;
mod spatial;
mod step;

pub use overlap::{Overlap, Within, overlaps};
pub use step::{RigidBodyMethod, RigidBodySettings};

pub use crate::model::rigid::{
    Joint, JointKind, Mass, Pose, Principal, RigidBody, RigidBodyState, Twist,
};

pub(crate) use particles::touch;
pub(crate) use step::{Acting, RigidBodies};
