//! Contact of particles and edges with obstacles.
//!
//! A particle touches an obstacle where its distance φ is below the thickness δ. `pairs` and
//! `edges` find contact points (`contact_point`) near obstacles. `time_of_impact` detects motion
//! that would pass through something thin.
//!
//! Methods that minimize include contact in their objective (`solve`): a potential of the depth δ −
//! φ and a friction potential (`potential`), whose anchors are kept from step to step (`anchors`).
//! `body_compliance` softens contacts with rigid bodies. `constrained_directions` serves solves
//! with a constant matrix, `contact_rows` position-based methods. After the solve, `finish` books
//! work and applies restitution (`velocities`).
//!
//! For all other methods, particles are moved out of obstacles after the step (`projection`).

mod anchors;
mod body_compliance;
mod constrained_directions;
mod contact_point;
mod contact_rows;
mod edges;
mod finish;
mod pairs;
mod potential;
mod projection;
mod solve;
mod time_of_impact;
mod velocities;

pub(crate) use constrained_directions::ConstrainedDirections;
pub(crate) use contact_rows::ContactRows;
pub(crate) use projection::Projected;
pub(crate) use solve::{Contacts, MOST_UPDATES};
pub use velocities::bounce;
