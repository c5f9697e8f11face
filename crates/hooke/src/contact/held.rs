//! Directions in which contact holds particles, for descents by a matrix that does not know of contact.
//!
//! The matrix A of quasi-Newton steps is constant; along a contact κ is far above it, and A alone would
//! step through the obstacle. So the held directions, those in which contact is stiffer than inertia,
//! are taken out of the solve with A and stepped in alone: with P the projection onto all others and c
//! the stiffness of contact in the held directions N, `A⁻¹` becomes `P A⁻¹ P + N (a + c)⁻¹ Nᵀ`, a the
//! diagonal of A.

use super::Contacts;
use crate::math::{Mat3, Point, svd};
use crate::methods::World;

/// The held directions of a particle.
#[derive(Clone, Copy)]
struct Hold {
    particle: u32,
    /// P.
    free: Mat3,
    /// `N (a + c)⁻¹ Nᵀ` (m/N).
    give: Mat3,
    /// The step in the held directions (m).
    step: Point,
}

/// All held directions.
#[derive(Default)]
pub(crate) struct Held {
    list: Vec<Hold>,
}

impl Held {
    /// Finds what contacts hold at `x`, but for particles that are `stuck`, which A knows; `diagonal(i)` is a (N/m).
    pub(crate) fn find(
        &mut self,
        world: World<'_>,
        contacts: &Contacts,
        stuck: &[(u32, f64)],
        x: &[Point],
        diagonal: impl Fn(usize) -> f64,
    ) {
        self.list.clear();
        let (model, h) = (world.model, world.h);
        for pairs in contacts.pairs.list.chunk_by(|a, b| a.particle == b.particle) {
            let i = pairs[0].particle as usize;
            if stuck.binary_search_by_key(&(i as u32), |stuck| stuck.0).is_ok() {
                continue;
            }
            let mut block = Mat3::ZERO;
            for pair in pairs {
                block += contacts.bound(model, pair, x[i]);
            }
            let inertia = model.masses()[i] / (h * h);
            let trace = block.0[0][0] + block.0[1][1] + block.0[2][2];
            if trace.is_nan() || trace <= inertia {
                continue;
            }
            let found = svd(&block);
            let (mut free, mut give) = (Mat3::IDENTITY, Mat3::ZERO);
            for (k, column) in found.u.columns().into_iter().enumerate() {
                let c = found.sigma[k].abs();
                if c > inertia {
                    let along = column.outer(column);
                    free = free - along;
                    give += along * (1.0 / (diagonal(i) + c));
                }
            }
            self.list.push(Hold { particle: i as u32, free, give, step: Point::ZERO });
        }
    }

    /// Takes the held directions out of a right-hand side.
    pub(crate) fn take(&mut self, b: &mut [Point]) {
        for hold in &mut self.list {
            let b = &mut b[hold.particle as usize];
            hold.step = hold.give * *b;
            *b = hold.free * *b;
        }
    }

    /// Puts the steps in the held directions in place of those from `x` to `to`.
    pub(crate) fn put(&self, x: &[Point], to: &mut [Point]) {
        for hold in &self.list {
            let i = hold.particle as usize;
            to[i] = x[i] + hold.free * (to[i] - x[i]) - hold.step;
        }
    }
}
