//! Bodies that start within each other or within an obstacle.

use super::contact::Contacts;
use super::solver::Solid;
use crate::model::{Invalid, Model};

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
    Body(u32),
    /// An obstacle, by its number.
    Obstacle(u32),
}

/// The pairs that overlap at the start by more than a share of the body's reach, in the order of the bodies. Of more than
/// a few dozen bodies at one place only the nearest are looked at.
pub fn overlaps(model: &Model, share: f64) -> Result<Vec<Overlap>, Invalid> {
    let (bodies, mut contacts) = (model.bodies(), Contacts::default());
    contacts.prepare(model)?;
    let starts: Vec<_> = bodies.iter().map(|body| body.start).collect();
    let frames: Vec<_> = model.obstacles().iter().map(|o| [o.pose.at(0.0); 2]).collect();
    let places = starts.iter().map(|start| start.placement.position);
    let places = places.chain(frames.iter().map(|[frame, _]| frame.origin));
    let solids: Vec<_> = places.map(|position| Solid { position, ..Solid::default() }).collect();
    let mut joined: Vec<_> = model
        .joints()
        .iter()
        .filter(|joint| !joint.touch)
        .filter_map(|joint| Some([joint.bodies[0]?, joint.bodies[1]?]))
        .map(|[a, b]| (a.min(b), a.max(b)))
        .collect();
    joined.sort_unstable();
    let joined = |a: u32, b: u32| joined.binary_search(&(a, b)).is_ok();
    contacts.find(model, &starts, &frames, &solids, joined, 0.0);
    let mut found: Vec<Overlap> = Vec::new();
    for ([body, other], depth) in contacts.overlaps() {
        if depth <= share * bodies[body as usize].shape.reach() {
            continue;
        }
        let with = match other.checked_sub(bodies.len() as u32) {
            None => Within::Body(other),
            Some(obstacle) => Within::Obstacle(obstacle),
        };
        match found.last_mut().filter(|last| (last.body, last.with) == (body, with)) {
            Some(last) => last.depth = last.depth.max(depth),
            None => found.push(Overlap { body, with, depth }),
        }
    }
    Ok(found)
}
