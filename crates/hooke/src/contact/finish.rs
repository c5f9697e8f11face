//! After a solve with contacts: work, restitution, and the anchors of friction.

use super::Contacts;
use super::pairs::Pair;
use super::projection::escape_direction;
use super::solve::enough;
use super::velocities::Impact;
use crate::clock::Stopwatch;
use crate::math::Vec3;
use crate::model::{Model, Response};
use crate::report::{BodyImpulse, StepReport};
use crate::state::State;
use crate::step_context::StepContext;

impl Contacts {
    /// Stores the strains of contacts that touch at `x`, clamped to ε.
    fn drag_anchors(&mut self, model: &Model, x: &[Vec3]) {
        let mut anchors = std::mem::take(&mut self.pairs.anchors);
        let count = model.obstacles().len();
        let holds = |pair: &&Pair| (pair.obstacle as usize) < count && pair.sliding.most > 0.0;
        anchors.keep(self.pairs.list.iter().filter(holds).filter_map(|pair| {
            let point = pair.point.at(|i| x[i]);
            let touches = self.pairs.depth(model, pair, point).depth > 0.0;
            let u = pair.sliding.slid(point);
            let u = u * (pair.slip / u.norm().max(pair.slip));
            touches.then(|| (pair, self.pairs.frame(pair), u))
        }));
        self.pairs.anchors = anchors;
    }

    /// Replaces the iterate by the feasible state of surfaces at the end of a solve.
    pub(crate) fn hold_apart(
        &mut self,
        context: StepContext<'_>,
        x: &mut [Vec3],
        report: &mut StepReport,
    ) {
        if self.surfaces.is_on() {
            let clock = Stopwatch::start();
            let held_back = self.surfaces.finish(context, x);
            let contact = report.contact.get_or_insert_default();
            contact.held_back = contact.held_back.max(held_back);
            report.too_fast = report.too_fast.or(self.surfaces.too_long());
            self.seconds += clock.seconds();
        }
    }

    /// Ends a step: books the work of contacts and applies restitution to the velocities. Particles
    /// left behind a surface are reported; `Projected` moves them out.
    pub(crate) fn finish(
        &mut self,
        context: StepContext<'_>,
        state: &mut State,
        report: &mut StepReport,
    ) {
        let StepContext { model, start, h, .. } = context;
        if self.surfaces.is_on() {
            let (work, own) = self.surfaces.measure(&start.positions, &state.positions);
            report.contact = Some(report.contact.unwrap_or_default().join(own));
            report.work.contact += work;
        }
        if !self.has_obstacles(model) {
            report.seconds.contact += self.seconds;
            return;
        }
        let clock = Stopwatch::start();
        let known = self.pairs.list.len();
        self.detect_pairs(context, &|i| state.positions[i]);
        let slid = self.pairs.slide(&|i| state.positions[i], enough(0.0));
        // The solve did not include these.
        let strays = slid || self.pairs.list.len() > known;
        let still = 2.0 * h * model.gravity().norm();
        let mut contact = report.contact.unwrap_or_default();
        let (mut touching, mut work) = (0, 0.0);
        for pair in &self.pairs.list {
            let x = pair.point.at(|i| state.positions[i]);
            let depth = self.pairs.depth(model, pair, x);
            let body = pair.obstacle.checked_sub(model.obstacles().len() as u32);
            let mut impulse = Vec3::ZERO;
            if body.is_some() {
                // The impulse that rows applied, or the force at the end of the solve.
                impulse = match pair.given {
                    Vec3::ZERO => self.energy_and_gradient(model, pair, x).1 * -h,
                    given => given * (1.0 / h),
                };
            }
            if !strays {
                let (_, gradient) = self.energy_and_gradient(model, pair, x);
                work -= gradient.dot(x - pair.point.at(|i| start.positions[i]));
            }
            if let Some(body) = body.filter(|_| impulse != Vec3::ZERO) {
                report.body_impulses.push(BodyImpulse { body, at: x, impulse: -impulse });
            }
            if depth.depth <= 0.0 {
                continue;
            }
            touching += 1;
            let obstacle = &model.solids()[pair.obstacle as usize];
            contact.deepest = contact.deepest.max(depth.depth - obstacle.thickness);
            let fixed = pair.point.fixed(model);
            let (Response::Bounce { restitution, friction }, Some((out, _))) =
                (obstacle.response, escape_direction(fixed, depth.out))
            else {
                continue;
            };
            let own = self.pairs.velocity(pair, x, h);
            let before = pair.point.at(|i| start.velocities[i]) - own;
            let after = pair.point.at(|i| state.velocities[i]) - own;
            let impact = Impact { before, after, out, restitution, friction, still };
            let mut change = impact.change();
            if body.is_some() {
                let give = pair.point.give(model);
                let most = give.x.max(give.y).max(give.z);
                change = change
                    * (most / (most + pair.body_compliance[1] / (h * h)).max(f64::MIN_POSITIVE));
            }
            let mut pushed = Vec3::ZERO;
            pair.point.spread(model, change, |i, change| {
                let v = &mut state.velocities[i];
                let energy = v.norm2();
                *v += change;
                pushed += change * model.masses()[i];
                work += 0.5 * model.masses()[i] * (v.norm2() - energy);
            });
            if let Some(body) = body {
                report.body_impulses.push(BodyImpulse { body, at: x, impulse: -pushed });
            }
        }
        self.drag_anchors(model, &state.positions);
        contact.pairs = contact.pairs.max(touching);
        report.contact = Some(contact);
        report.work.contact += work;
        self.seconds += clock.seconds();
        report.seconds.contact += self.seconds;
    }
}
