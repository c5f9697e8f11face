//! Contacts as rows of position-based methods: `C = φ − δ` with the compliance 1/κ and λ ≥ 0, and the sliding u
//! with the compliance ε/μλ and |λ_u| ≤ μλ.
//!
//! These are the conditions for a minimum of what [`Contacts`] adds to g. μλ is what the
//! row of the distance has applied so far.

use super::Contacts;
use super::potential::CREEP;
use crate::math::Point;
use crate::methods::World;
use crate::model::{Bead, Model};
use crate::report::StepReport;
use crate::state::State;

/// The rows of a step.
#[derive(Default)]
pub(crate) struct ContactRows(Contacts);

impl ContactRows {
    /// Rows that take part.
    pub(crate) fn wanted() -> Self {
        Self(Contacts::wanted())
    }

    pub(crate) fn prepare(&mut self, model: &Model) {
        self.0.prepare(model);
    }

    /// Finds what may touch in a step to the predictions `y`.
    pub(crate) fn begin(&mut self, world: World<'_>, y: &[Point]) {
        self.0.begin(world, y);
    }

    /// Projects every row, moving the particles if asked to. The sum of |Δλ|² (kg²m²).
    pub(crate) fn project(&mut self, world: World<'_>, beads: &mut [Bead], moves: bool) -> f64 {
        if !self.0.is_wanted(world.model) {
            return 0.0;
        }
        self.0.look(world, &|i| beads[i].x);
        self.0.give_way(world, |i| beads[i].x);
        self.0.pairs.slide(&|i| beads[i].x, 0.0);
        let World { model, h, .. } = world;
        let (by, epsilon) = (1.0 / (h * h), CREEP * h);
        let mut sum = 0.0;
        for k in 0..self.0.pairs.list.len() {
            let mut pair = self.0.pairs.list[k];
            let weights = |bead: &Bead, i: usize| bead.weights(model.fixed()[i]);
            let mut give = Point::ZERO;
            for (i, share) in pair.place.ends() {
                give += weights(&beads[i], i) * (share * share);
            }
            let x = pair.place.at(|i| beads[i].x);

            // C + λ/κh² = 0, λ ≥ 0
            let depth = self.0.pairs.depth(model, &pair, x);
            let soft = by / pair.stiffness;
            let stiff = depth.out.dot(give.times(depth.out)) + soft;
            let change = (depth.depth - soft * pair.pressed) / stiff;
            let change = change.max(-pair.pressed);
            pair.pressed += change;
            let mut push = depth.out * change;
            sum += change * change;

            // u + ε λ_u/μλ = 0, |λ_u| ≤ μλ
            let most = pair.friction * pair.pressed;
            if most > 0.0 || pair.dragged != Point::ZERO {
                if pair.pressed > 0.0 {
                    pair.sliding.out = depth.out;
                }
                let out = pair.sliding.out;
                let soft = if most > 0.0 { epsilon / most + pair.gives[1] * by } else { 0.0 };
                let w = give.x.max(give.y).max(give.z);
                let u = pair.sliding.slid(x + give.times(push));
                let mut wanted = pair.dragged - (u + pair.dragged * soft) * (1.0 / (w + soft));
                let size = wanted.norm();
                if size > most {
                    wanted = wanted * (most / size);
                }
                let change = wanted - pair.dragged;
                let change = change - out * change.dot(out);
                pair.dragged += change;
                push += change;
                sum += change.norm2();
            }
            if moves {
                pair.given += push;
                for (i, share) in pair.place.ends() {
                    let way = weights(&beads[i], i).times(push) * share;
                    beads[i].x += way;
                }
                pair.sliding.most = pair.friction * pair.pressed * by;
                self.0.pairs.list[k] = pair;
            }
        }
        sum
    }

    /// The energy (J) at `x`.
    pub(crate) fn energy(&self, world: World<'_>, x: &[Point]) -> f64 {
        self.0.energy(world.model, x, world.team)
    }

    /// Ends a step.
    pub(crate) fn finish(&mut self, world: World<'_>, state: &mut State, report: &mut StepReport) {
        self.0.finish(world, state, report);
    }
}
