//! Directions in which contact holds points, for descents by a matrix that does not know of contact.
//!
//! The matrix A of quasi-Newton steps is constant; along a contact κ is far above it, and A alone would
//! step through the obstacle. So the held directions, those in which contact is stiffer than inertia,
//! are taken out of the solve with A and stepped in alone. Contact by contact, with N the directions that it
//! holds, c its stiffness there and a the diagonal of A:
//!
//! `B ← (1 − N Nᵀ) B (1 − N Nᵀ) + N (a + c)⁻¹ Nᵀ`, from `B = A⁻¹`.
//!
//! As held directions and all others are stepped in apart, together they may go twice as far as either:
//! the step is half of that.

use super::Contacts;
use super::contact_point::ContactPoint;
use crate::math::{Mat3, Vec3};
use crate::model::Model;
use crate::step_context::StepContext;

/// The held directions of a point.
#[derive(Clone, Copy)]
struct ConstrainedDirection {
    point: ContactPoint,
    /// |N|² of a direction that moves the point by one.
    square: f64,
    /// The projection onto the held directions.
    held: Mat3,
    /// `(a + c)⁻¹` in the held directions (m/N).
    give: Mat3,
    /// The step in the held directions (m).
    step: Vec3,
}

/// All held directions.
#[derive(Default)]
pub(crate) struct ConstrainedDirections {
    list: Vec<ConstrainedDirection>,
    /// The pairs of particles that do not touch yet.
    apart: Vec<u32>,
}

impl ConstrainedDirections {
    /// Finds what contacts hold at `x`, but for particles that are `stuck`, which A knows; `diagonal(i)` is a (N/m).
    pub(crate) fn find(
        &mut self,
        context: StepContext<'_>,
        contacts: &Contacts,
        stuck: &[(u32, f64)],
        x: &[Vec3],
        diagonal: impl Fn(usize) -> f64,
    ) {
        self.list.clear();
        self.apart.clear();
        let (model, h) = (context.model, context.h);
        for (k, pair) in contacts.pairs.list.iter().enumerate() {
            let knows = |i: u32| stuck.binary_search_by_key(&i, |stuck| stuck.0).is_ok();
            let (stiffness, out) = contacts.bound(model, pair, pair.point.at(|i| x[i]));
            // What yields before elements do, A alone steps against.
            if contacts.is_light(model, pair) {
                continue;
            }
            if stiffness[0] == 0.0 && pair.point.particle().is_some() {
                self.apart.push(k as u32);
            }
            if pair.point.particle().is_some_and(knows) {
                continue;
            }
            let (mut square, mut inertia, mut a) = (0.0, 0.0, 0.0);
            for (i, share) in pair.point.ends() {
                square += share * share;
                inertia += share * share * model.masses()[i] / (h * h);
                a += share * share * diagonal(i);
            }
            (inertia, a) = (inertia / square, a / square);
            let along = out.outer(out);
            let (mut held, mut give) = (Mat3::ZERO, Mat3::ZERO);
            for (c, part) in stiffness.into_iter().zip([along, Mat3::IDENTITY - along]) {
                let c = c * square;
                if c > inertia {
                    held += part;
                    give += part * (1.0 / (a + c));
                }
            }
            if held != Mat3::ZERO {
                let (point, step) = (pair.point, Vec3::ZERO);
                self.list.push(ConstrainedDirection { point, square, held, give, step });
            }
        }
    }

    /// Takes the held directions out of a right-hand side.
    pub(crate) fn take(&mut self, b: &mut [Vec3]) {
        for hold in &mut self.list {
            let mean = hold.point.at(|i| b[i]) * (1.0 / hold.square);
            hold.step = hold.give * mean;
            for (i, share) in hold.point.ends() {
                b[i] -= hold.held * mean * share;
            }
        }
    }

    /// Puts the steps in the held directions in place of those from `x` to `to`.
    pub(crate) fn put(&self, x: &[Vec3], to: &mut [Vec3]) {
        for hold in self.list.iter().rev() {
            let mean = hold.point.at(|i| to[i] - x[i]) * (1.0 / hold.square);
            for (i, share) in hold.point.ends() {
                to[i] -= (hold.held * mean + hold.step) * share;
            }
        }
        if !self.list.is_empty() {
            for (to, &x) in to.iter_mut().zip(x) {
                *to = x + (*to - x) * 0.5;
            }
        }
    }

    /// Ends the steps of particles that do not touch yet to `to` at the surface.
    pub(crate) fn stop(&self, model: &Model, contacts: &Contacts, to: &mut [Vec3]) {
        for &k in &self.apart {
            let pair = &contacts.pairs.list[k as usize];
            contacts.stop(model, pair, &mut to[pair.point.ends[0] as usize]);
        }
    }
}
