//! Contact of particles and edges with obstacles.
//!
//! A particle touches an obstacle where its distance φ is below the thickness δ. Methods that minimise
//! hold contact in what they minimise (`solve`, `rows`, `held`): a potential of the depth δ − φ and one of
//! sliding (`potential`). After their solve, velocities get what restitution asks for (`velocities`). All
//! others are set back after the step (`projection`). Both begin with a look for what is near
//! (`pairs`, `edges`: each a `place` beside an obstacle), which also sees what would pass through something thin (`way`).

mod edges;
mod held;
mod pairs;
mod place;
mod potential;
mod projection;
mod rows;
mod solve;
mod velocities;
mod way;

pub(crate) use held::Held;
pub(crate) use projection::Projected;
pub(crate) use rows::ContactRows;
pub(crate) use solve::{Contacts, FOLLOWS};
pub use velocities::bounce;
