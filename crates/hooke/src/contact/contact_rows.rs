//! Contacts as rows of position-based methods: `C = φ − δ` with the compliance 1/κ and λ ≥ 0, and
//! the sliding u with the compliance ε/μλ and |λ_u| ≤ μλ.
//!
//! These are the optimality conditions of the terms that [`Contacts`] adds to g. λ in μλ is the
//! multiplier that the distance row has accumulated so far.

use super::Contacts;
use crate::compute::ProjectedParticle;
use crate::math::Vec3;
use crate::model::Model;
use crate::report::StepReport;
use crate::state::State;
use crate::step_context::StepContext;

/// The rows of a step.
#[derive(Default)]
pub(crate) struct ContactRows {
    contacts: Contacts,
    /// The number of sweeps in this step.
    sweeps: u32,
}

impl ContactRows {
    /// Rows that are enabled.
    pub(crate) fn wanted() -> Self {
        Self { contacts: Contacts::wanted(), sweeps: 0 }
    }

    pub(crate) fn prepare(&mut self, model: &Model) {
        self.contacts.prepare(model);
    }

    /// Finds pairs that may touch in a step to the predictions `y`.
    pub(crate) fn begin(&mut self, context: StepContext<'_>, y: &[Vec3]) {
        self.sweeps = 0;
        self.contacts.begin(context, y);
    }

    /// Projects every row, and moves the particles if `moves`. Returns the sum of |Δλ|² (kg²m²).
    pub(crate) fn project(
        &mut self,
        context: StepContext<'_>,
        particles: &mut [ProjectedParticle],
        moves: bool,
    ) -> f64 {
        let surfaces = &mut self.contacts.surfaces;
        // Closest points are updated after 1, 2, 4… sweeps.
        self.sweeps += u32::from(moves);
        if moves && self.sweeps > 1 && (self.sweeps - 1).is_power_of_two() {
            surfaces.update(context, |i| particles[i].x, 0.0, 0);
        }
        let own = surfaces.project(context, particles, moves);
        own + self.project_obstacles(context, particles, moves)
    }

    /// As [`ContactRows::project`], for obstacles only.
    fn project_obstacles(
        &mut self,
        context: StepContext<'_>,
        particles: &mut [ProjectedParticle],
        moves: bool,
    ) -> f64 {
        if !self.contacts.has_obstacles(context.model) {
            return 0.0;
        }
        self.contacts.detect_pairs(context, &|i| particles[i].x);
        self.contacts.soften(context, |i| particles[i].x);
        self.contacts.pairs.slide(&|i| particles[i].x, 0.0);
        let StepContext { model, h, .. } = context;
        let by = 1.0 / (h * h);
        let mut sum = 0.0;
        for k in 0..self.contacts.pairs.list.len() {
            let mut pair = self.contacts.pairs.list[k];
            let weights = |node: &ProjectedParticle, i: usize| node.weights(model.fixed()[i]);
            let mut give = Vec3::ZERO;
            for (i, share) in pair.point.ends() {
                give += weights(&particles[i], i) * (share * share);
            }
            let x = pair.point.at(|i| particles[i].x);

            // C + λ/κh² = 0, λ ≥ 0
            let depth = self.contacts.pairs.depth(model, &pair, x);
            let soft = by / pair.stiffness;
            let stiff = depth.out.dot(give.times(depth.out)) + soft;
            let change = (depth.depth - soft * pair.pressed) / stiff;
            let change = change.max(-pair.pressed);
            pair.pressed += change;
            let mut push = depth.out * change;
            sum += change * change;

            // u + ε λ_u/μλ = 0, |λ_u| ≤ μλ
            let most = pair.friction * pair.pressed;
            if most > 0.0 || pair.dragged != Vec3::ZERO {
                if pair.pressed > 0.0 {
                    pair.sliding.out = depth.out;
                }
                let out = pair.sliding.out;
                let soft =
                    if most > 0.0 { pair.slip / most + pair.body_compliance[1] * by } else { 0.0 };
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
                for (i, share) in pair.point.ends() {
                    let displacement = weights(&particles[i], i).times(push) * share;
                    particles[i].x += displacement;
                }
                pair.sliding.most = pair.friction * pair.pressed * by;
                self.contacts.pairs.list[k] = pair;
            }
        }
        sum
    }

    /// The energy (J) at `x`.
    pub(crate) fn energy(&self, context: StepContext<'_>, x: &[Vec3]) -> f64 {
        self.contacts.energy(context.model, x, context.pool)
    }

    /// Appends the anchors of friction.
    pub(crate) fn save(&self, memory: &mut Vec<f64>) {
        self.contacts.save(memory);
    }

    /// Restores what [`ContactRows::save`] wrote, and returns the rest of the slice.
    pub(crate) fn restore<'a>(&mut self, memory: &'a [f64]) -> &'a [f64] {
        self.contacts.restore(memory)
    }

    /// Replaces `x` by the feasible state of surfaces at the end of a solve.
    pub(crate) fn hold_apart(
        &mut self,
        context: StepContext<'_>,
        x: &mut [Vec3],
        report: &mut StepReport,
    ) {
        self.contacts.hold_apart(context, x, report);
    }

    /// Ends a step.
    pub(crate) fn finish(
        &mut self,
        context: StepContext<'_>,
        state: &mut State,
        report: &mut StepReport,
    ) {
        self.contacts.finish(context, state, report);
    }
}
