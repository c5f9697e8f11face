//! Constrained directions: directions in which contact constrains points, for descent with a matrix
//! that does not include contact.
//!
//! The matrix A of quasi-Newton steps is constant. Along a contact κ is far larger, and A alone
//! would step through the obstacle. So the constrained directions, those in which contact is
//! stiffer than inertia, are removed from the solve with A and solved separately. For each contact,
//! with N its constrained directions, c its stiffness there and a the diagonal of A:
//!
//! `B ← (1 − N Nᵀ) B (1 − N Nᵀ) + N (a + c)⁻¹ Nᵀ`, from `B = A⁻¹`.
//!
//! As constrained directions and all others are solved separately, the combined step may be twice
//! too long, so it is halved.

use super::Contacts;
use super::contact_point::ContactPoint;
use crate::math::{Mat3, Vec3};
use crate::model::Model;
use crate::step_context::StepContext;

/// The constrained directions of a point.
#[derive(Clone, Copy)]
struct ConstrainedDirection {
    point: ContactPoint,
    /// |N|² of a direction that moves the point by one.
    square: f64,
    /// The projection onto the constrained directions.
    constrained: Mat3,
    /// `(a + c)⁻¹` in the constrained directions (m/N).
    give: Mat3,
    /// The step in the constrained directions (m).
    step: Vec3,
}

/// All constrained directions.
#[derive(Default)]
pub(crate) struct ConstrainedDirections {
    list: Vec<ConstrainedDirection>,
    /// The pairs of particles that do not touch yet.
    apart: Vec<u32>,
}

impl ConstrainedDirections {
    /// Finds the directions constrained by contacts at `x`. Particles in `stuck` are skipped, as A
    /// includes them. `diagonal(i)` is a (N/m).
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
            // A contact softer than the elements needs no constraint: A alone suffices.
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
            let (mut constrained, mut give) = (Mat3::ZERO, Mat3::ZERO);
            for (c, part) in stiffness.into_iter().zip([along, Mat3::IDENTITY - along]) {
                let c = c * square;
                if c > inertia {
                    constrained += part;
                    give += part * (1.0 / (a + c));
                }
            }
            if constrained != Mat3::ZERO {
                let (point, step) = (pair.point, Vec3::ZERO);
                self.list.push(ConstrainedDirection { point, square, constrained, give, step });
            }
        }
    }

    /// Removes the constrained directions from a right-hand side.
    pub(crate) fn take(&mut self, b: &mut [Vec3]) {
        for hold in &mut self.list {
            let mean = hold.point.at(|i| b[i]) * (1.0 / hold.square);
            hold.step = hold.give * mean;
            for (i, share) in hold.point.ends() {
                b[i] -= hold.constrained * mean * share;
            }
        }
    }

    /// Replaces the constrained part of the step from `x` to `to` by the separate solution.
    pub(crate) fn put(&self, x: &[Vec3], to: &mut [Vec3]) {
        for hold in self.list.iter().rev() {
            let mean = hold.point.at(|i| to[i] - x[i]) * (1.0 / hold.square);
            for (i, share) in hold.point.ends() {
                to[i] -= (hold.constrained * mean + hold.step) * share;
            }
        }
        if !self.list.is_empty() {
            for (to, &x) in to.iter_mut().zip(x) {
                *to = x + (*to - x) * 0.5;
            }
        }
    }

    /// Stops steps to `to` of particles that do not touch yet at the surface.
    pub(crate) fn stop(&self, model: &Model, contacts: &Contacts, to: &mut [Vec3]) {
        for &k in &self.apart {
            let pair = &contacts.pairs.list[k as usize];
            contacts.stop(model, pair, &mut to[pair.point.ends[0] as usize]);
        }
    }
}
