//! Contact of particles and edges with obstacles.
//!
//! A particle touches an obstacle where its distance φ is below the thickness δ. Methods that minimize
//! hold contact in what they minimize (`solve`, `rows`, `held`, `finish`): a potential of the depth δ − φ and one of
//! sliding (`potential`), which remembers where a contact sticks (`anchors`). After their solve, velocities get what restitution asks for (`velocities`). All
//! others are set back after the step (`projection`). Both begin with a look for what is near
//! (`pairs`, `edges`: each a `place` beside an obstacle), which also sees what would pass through something thin (`way`).

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
