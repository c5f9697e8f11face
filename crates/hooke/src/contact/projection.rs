//! Contact by projection: after the dynamics, particles closer to an obstacle than its thickness
//! are moved out, and their velocity is corrected. Used for methods without contact in their solve,
//! and for particles that a solve with contact left behind a surface.

use super::pairs::Pairs;
use super::velocities::bounce;
use crate::math::Vec3;
use crate::model::{Frame, Model, Response};
use crate::report::StepReport;
use crate::state::State;
use crate::thread_pool::ThreadPool;

/// The workspace.
#[derive(Default)]
pub(crate) struct Projected {
    pairs: Pairs,
}

impl Projected {
    /// Finds pairs that are too close after the step from `start` to `state`, and returns whether
    /// there are any. If `solved`, only particles behind a surface count.
    pub(crate) fn any(
        &mut self,
        model: &Model,
        (start, state): (&State, &State),
        frames: &[[Frame; 2]],
        solved: bool,
        pool: &ThreadPool,
    ) -> bool {
        let motion = (&start.positions[..], &state.positions[..]);
        self.pairs.find(model, motion, &frames[..model.obstacles().len()], |_, _| 0.0, pool);
        self.pairs.list.iter().any(|pair| {
            let skin = skin(model, pair.obstacle, solved);
            self.pairs.depth(model, pair, pair.point.at(|i| state.positions[i])).depth > skin
        })
    }

    /// Moves the particles found by `any` out of the obstacles, in a step of `h` (s) from `start`,
    /// and reports each of them to `displaced`.
    ///
    /// The work of a contact is its impulse times the mean of the velocities before and after the
    /// step: zero at rest, ½ m (v₁² − v₀²) for a bounce. Motion behind the surface that the
    /// projection undoes does no work.
    pub(crate) fn resolve(
        &mut self,
        model: &Model,
        h: f64,
        solved: bool,
        (start, state): (&State, &mut State),
        displaced: &mut dyn FnMut(usize, &State),
        report: &mut StepReport,
    ) {
        let mut contact = report.contact.unwrap_or_default();
        let mut work = 0.0;
        // Falling for one step is not a bounce: below this speed restitution would only jitter.
        let still = 2.0 * h * model.gravity().norm();
        // Moving a particle out may push its neighbor on an edge in again.
        for round in 0..ROUNDS {
            let mut touching = 0;
            self.pairs.slide(&|i| state.positions[i], 0.0);
            for pair in &self.pairs.list {
                let obstacle = &model.obstacles()[pair.obstacle as usize];
                let x = pair.point.at(|i| state.positions[i]);
                let found = self.pairs.depth(model, pair, x);
                let depth = found.depth - skin(model, pair.obstacle, solved);
                // A point that is pinned along an axis moves along the others, if any of them leads
                // out.
                let Some((out, steep)) =
                    escape_direction(pair.point.fixed(model), found.out).filter(|_| depth > 0.0)
                else {
                    continue;
                };
                touching += 1;
                contact.deepest = contact.deepest.max(found.depth - obstacle.thickness);
                let depth = depth / steep;
                let mut push = out * depth;
                let change = match obstacle.response {
                    Response::PushOut => push * (1.0 / h),
                    Response::Bounce { restitution, friction } => {
                        let own = self.pairs.velocity(pair, x, h);
                        let relative = pair.point.at(|i| state.velocities[i]) - own;
                        let into = -relative.dot(out);
                        let restitution = if into < still { 0.0 } else { restitution };
                        let change = bounce(relative, out, restitution, friction) - relative;
                        // Since the impact it has slid with the new velocity, not the old one.
                        if into > 0.0 {
                            push += (change - out * change.dot(out)) * (depth / into).min(h);
                        }
                        change
                    }
                };
                pair.point.spread(model, push, |i, push| state.positions[i] += push);
                pair.point.spread(model, change, |i, change| {
                    state.velocities[i] += change;
                    let mean = (start.velocities[i] + state.velocities[i]) * 0.5;
                    work += model.masses()[i] * change.dot(mean);
                });
                for (i, _) in pair.point.ends() {
                    displaced(i, state);
                }
            }
            if round == 0 {
                contact.pairs = contact.pairs.max(touching);
            }
            if touching == 0 || self.pairs.ends_of(0, state.positions.len()).next().is_none() {
                break;
            }
        }
        report.contact = Some(contact);
        report.work.contact += work;
    }
}

/// The depth (m) that is allowed within the thickness: none, except for methods that have `solved`.
fn skin(model: &Model, obstacle: u32, solved: bool) -> f64 {
    if solved { model.obstacles()[obstacle as usize].thickness.max(LEAST_SKIN) } else { 0.0 }
}

/// The maximum number of passes over pairs that share particles.
const ROUNDS: u32 = 16;

/// The depth (m) allowed after a solve at an obstacle without thickness.
const LEAST_SKIN: f64 = 1e-5;

/// The outward direction along free axes, and its component along the normal; `None` where it
/// vanishes.
pub(super) fn escape_direction(fixed: [bool; 3], out: Vec3) -> Option<(Vec3, f64)> {
    let mut free = out;
    for axis in (0..3).filter(|&axis| fixed[axis]) {
        free[axis] = 0.0;
    }
    let direction = free.unit();
    (free.norm2() >= 1e-12).then_some((direction, out.dot(direction)))
}
