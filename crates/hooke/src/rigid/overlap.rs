//! Bodies that start within each other or within an obstacle.

use super::contact::Contacts;
use super::solver::SolverBody;
use crate::model::{Model, ModelError};

/// A body that starts within something.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overlap {
    /// The body.
    pub body: u32,
    /// What it is within.
    pub with: Within,
    /// How deep (m).
    pub depth: f64,
}

/// What a body is within.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Within {
    /// Another body, by its number.
    RigidBody(u32),
    /// An obstacle, by its number.
    Obstacle(u32),
}

/// How many overlaps are found before the search ends: a few dozen megabytes.
const MOST: usize = 20_000;

/// The pairs that overlap at the start by more than a share of the body's reach, in the order of the bodies. Of more than
/// a few dozen bodies at one position only the nearest are tested, and no more than 20 000 overlaps are listed.
pub fn overlaps(model: &Model, share: f64) -> Result<Vec<Overlap>, ModelError> {
    let (bodies, mut contacts) = (model.rigid_bodies(), Contacts::default());
    contacts.prepare(model)?;
    (contacts.only_overlaps, contacts.most) = (true, Some(MOST));
    let starts: Vec<_> = bodies.iter().map(|body| body.start).collect();
    let frames: Vec<_> = model.obstacles().iter().map(|o| [o.pose.at(0.0); 2]).collect();
    let positions = starts.iter().map(|start| start.pose.position);
    let positions = positions.chain(frames.iter().map(|[frame, _]| frame.origin));
    let solver_bodies: Vec<_> =
        positions.map(|position| SolverBody { position, ..SolverBody::default() }).collect();
    let mut joined: Vec<_> = model
        .joints()
        .iter()
        .filter(|joint| !joint.touch)
        .filter_map(|joint| Some([joint.bodies[0]?.0, joint.bodies[1]?.0]))
        .map(|[a, b]| (a.min(b), a.max(b)))
        .collect();
    joined.sort_unstable();
    let joined = |a: u32, b: u32| joined.binary_search(&(a, b)).is_ok();
    contacts.find(model, &starts, &frames, &solver_bodies, joined, 0.0);
    let mut found: Vec<Overlap> = Vec::new();
    for ([body, other], depth) in contacts.overlaps() {
        if depth <= share * bodies[body as usize].shape.reach() {
            continue;
        }
        let with = match other.checked_sub(bodies.len() as u32) {
            None => Within::RigidBody(other),
            Some(obstacle) => Within::Obstacle(obstacle),
        };
        match found.last_mut().filter(|last| (last.body, last.with) == (body, with)) {
            Some(last) => last.depth = last.depth.max(depth),
            None => found.push(Overlap { body, with, depth }),
        }
    }
    Ok(found)
}
