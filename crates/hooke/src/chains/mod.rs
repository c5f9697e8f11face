//! Chains and trees of joints, and solvers that bring their ends to targets.
//!
//! A [`Chain`] says how joints hang together and how each may turn; a [`ChainPose`] says how they are turned
//! now. With `R_j` the rotation and `p_j` the position of joint j, its parent i and its offset `l_j` in the
//! parent's frame:
//!
//! `R_j = R_i R_j^loc`, `p_j = p_i + R_i l_j`
//!
//! A [`Solver`] turns joints until ends are where [`Target`]s ask them to be, and [`IkResult`] says how
//! far it came:
//!
//! ```
//! use hooke::chains::{Chain, End, JointLimits, Settings, Solver, Target};
//! use hooke::Vec3;
//!
//! // Three bones of 1 m, each free to rotate.
//! let chain = Chain::straight(&[1.0, 1.0, 1.0], JointLimits::FREE)?;
//! let mut solver = Solver::new("fabrik", Settings::default())?;
//! let mut pose = chain.rest();
//! let reach = solver.solve(&chain, &mut pose, &[Target::new(3, Vec3::new(1.0, 1.5, 0.5))])?;
//! assert_eq!(reach.end, End::Converged);
//! # Ok::<(), hooke::ModelError>(())
//! ```
//!
//! A [`Rig`] is a chain within a [`crate::Model`]: its ends follow positions of the model, and it carries pins.

mod ccd;
mod chain;
mod fabrik;
mod joint_limits;
mod least_squares;
mod line;
mod pose;
mod range;
mod rig;
mod smooth;
mod solver;
mod work;

pub use chain::{Chain, Joint};
pub use joint_limits::JointLimits;
pub use pose::ChainPose;
pub use range::{Range, reachable};
pub use rig::{Carried, Goal, Rig};
pub use smooth::{Followed, Follower, Smoothing};
pub use solver::{End, IkResult, Pole, SOLVERS, Settings, Solver, SolverInfo, Target};
