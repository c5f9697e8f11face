//! Collisions between the surfaces of deformables, and of a surface with itself.
//!
//! Features (`closest_points`) of surfaces (`surface`, with a `tree` each) that may meet are `candidates`. A method's iterate
//! moves freely, also through things; a feasible state follows it by the certified `advance`, and is the result of the
//! step. `surface_contacts` adds the potential of each pair (`barrier`, `friction`) to what a method minimizes,
//! `surface_projection` does for all other methods, after their step, what they do not do in it. `intersections` is the exact
//! test.

mod advance;
mod barrier;
mod candidates;
mod closest_points;
mod friction;
mod intersections;
#[cfg(test)]
mod random;
mod surface;
mod surface_contacts;
mod surface_memory;
mod surface_projection;
mod surface_rows;
mod surface_vertices;
mod tree;

pub(crate) use friction::Sliding;
pub use intersections::{Intersection, Intersections};
pub(crate) use surface_contacts::SurfaceContacts;
pub(crate) use surface_projection::SurfaceProjection;
