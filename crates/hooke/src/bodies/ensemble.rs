//! All bodies of a simulation, and the one order of their step.
//!
//! By impulses: contacts are found once, then every part of the step is impacts → gravity and pushes → warm start → contacts →
//! joints → motion → contacts without push → joints. Contacts are solved directly in stacks and rows, and relaxed in heaps. By shape matching: every point moves alone, with the impulse of what it
//! would enter, then each body is found again in its points.

use super::body::{Body, Moving, Placement, Twist};
use super::contact::{Contacts, Pressed};
use super::direct::Direct;
use super::free::{turn_freely, turn_once};
use super::impulse::Rule;
use super::joints::Joints;
use super::matched::Matched;
use super::shape_matching::Polar;
use super::solver::{self, FASTEST, Softness, Solid, Spot, Surface};
use crate::math::{Mat3, Point, Quat};
use crate::model::{Frame, Invalid, Model, invalid};
use crate::report::BodyReport;
use crate::settings::{choice, settings};

choice! {
    /// How bodies are stepped.
    pub enum BodyMethod {
        /// Velocities and impulses.
        Impulse = "impulse",
        /// Points that move alone and are matched with the shape.
        ShapeMatching = "shape-matching",
    }
}

settings! {
    /// How bodies are stepped.
    pub struct BodySettings {
        /// The method of all bodies.
        bodies: BodyMethod = BodyMethod::Impulse;
        /// The rule of an impact.
        rule: Rule = Rule::Physical;
        /// Into how many parts a step is cut for contacts and joints.
        parts: u32 = 8, "", [1.0, 1000.0];
        /// How fast an overlap is pressed apart: the frequency of the spring that does it.
        frequency: f64 = 60.0, "Hz", [0.01, 1e4];
        /// The damping ratio of that spring.
        damping_ratio: f64 = 10.0, "", [0.0, 1e3];
        /// Which rotation shape matching takes.
        polar: Polar = Polar::Fit;
        /// How far points go back to their shape, 1 for rigid bodies.
        stiffness: f64 = 1.0, "", [0.0, 1.0];
    }
}

/// Contacts are solved directly where nothing meets or slides faster than what gravity adds in this share of a step.
const CALM: f64 = 0.02;

/// How much finer the parts of a step become where joints cannot be held otherwise.
const MOST_FINER: u32 = 16;

/// In how many others a body must be, and how deep relative to its reach, to be in a crowd.
const CROWD: usize = 4;
const DEEP: f64 = 0.02;

/// Bodies that start in a crowd, each within many others, come out of it no faster than they are pressed apart: many pushes at
/// once would else throw them. What was faster stays as it is only outside of it.
fn calm(surfaces: &[Surface], spots: &[Spot], solids: &mut [Solid], bodies: &[Body]) {
    let deep = |surface: &Surface, body: usize| {
        let most = DEEP * bodies[body].shape.reach();
        surface.solids.contains(&(body as u32))
            && surface.of(spots).iter().any(|spot| spot.now < -most)
    };
    for (index, solid) in solids.iter_mut().enumerate() {
        let reach = bodies[index].shape.reach();
        let speed = solid.linear.norm() + solid.angular.norm() * reach;
        if speed > FASTEST && surfaces.iter().filter(|s| deep(s, index)).count() >= CROWD {
            solid.linear = solid.linear * (FASTEST / speed);
            solid.angular = solid.angular * (FASTEST / speed);
        }
    }
}

/// What something else did to a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Push {
    pub(crate) body: u32,
    /// Where (m).
    pub(crate) at: Point,
    /// The impulse (N·s) on the body.
    pub(crate) impulse: Point,
}

/// What acts on bodies in a step.
#[derive(Clone, Copy)]
pub(crate) struct Acting<'a> {
    /// Where obstacles are at the start of the step and at its end.
    pub(crate) frames: &'a [[Frame; 2]],
    /// What else pushes, spread over the step.
    pub(crate) pushes: &'a [Push],
    /// The step (s).
    pub(crate) h: f64,
}

/// All bodies.
#[derive(Default)]
pub(crate) struct Bodies {
    pub(crate) settings: BodySettings,
    contacts: Contacts,
    joints: Joints,
    direct: Direct,
    matched: Vec<Matched>,
    solids: Vec<Solid>,
    /// Which bodies something touches or a joint holds.
    touched: Vec<bool>,
}

impl Bodies {
    /// Makes ready for a model.
    pub(crate) fn prepare(&mut self, model: &Model) -> Result<(), Invalid> {
        let bodies = model.bodies();
        if bodies.is_empty() {
            return Ok(());
        }
        self.contacts.prepare(model)?;
        let world = (bodies.len() + model.obstacles().len()) as u32;
        self.joints.prepare(model.joints(), bodies, world);
        if self.settings.bodies == BodyMethod::ShapeMatching {
            if !model.joints().is_empty() {
                return invalid("shape matching knows no joints; bodies = \"impulse\" would do");
            }
            self.matched.truncate(bodies.len());
            for body in &bodies[self.matched.len()..] {
                self.matched.push(Matched::new(body));
            }
        }
        Ok(())
    }

    /// Bounds how many places bodies may touch at.
    pub(crate) fn limit_contacts(&mut self, most: usize) {
        self.contacts.most = Some(most);
    }

    /// At how many places bodies may touch, if they touched at more in the last step.
    pub(crate) fn too_many_contacts(&self) -> Option<usize> {
        self.contacts.most.filter(|_| self.contacts.too_many)
    }

    /// Forgets what the last step pressed with.
    pub(crate) fn forget(&mut self) {
        self.contacts.forget();
        self.matched.iter_mut().for_each(Matched::forget);
    }

    /// Where a body would be after `h` (s) if nothing touched it.
    pub(crate) fn predict(
        &self,
        model: &Model,
        index: usize,
        moving: &Moving,
        h: f64,
    ) -> Placement {
        let body = &model.bodies()[index];
        let n = f64::from(self.settings.parts);
        let fall = model.gravity() * (0.5 * h * h * (1.0 + 1.0 / n));
        let Moving { placement, twist } = moving;
        let position = placement.position + twist.linear * h + fall;
        let (turn, _) = turn_freely(placement.turn, twist.angular, body.principal(), h);
        Placement { position, turn }
    }

    /// Takes a step.
    pub(crate) fn step(
        &mut self,
        model: &Model,
        moving: &mut [Moving],
        acting: Acting<'_>,
        report: &mut BodyReport,
    ) {
        let Self { matched, settings, .. } = self;
        match settings.bodies {
            BodyMethod::Impulse => self.step_by_impulses(model, moving, acting, report),
            BodyMethod::ShapeMatching => {
                super::matched::step(matched, settings, model, moving, acting, report);
            }
        }
    }

    /// Takes a step, again in finer parts where joints could not be held.
    fn step_by_impulses(
        &mut self,
        model: &Model,
        moving: &mut [Moving],
        acting: Acting<'_>,
        report: &mut BodyReport,
    ) {
        let mut finer = 1;
        while !self.try_step(model, moving, acting, finer, report) && finer < MOST_FINER {
            finer *= 4;
        }
    }

    /// Takes a step in parts that are finer by a factor, or none where joints cannot be held so.
    fn try_step(
        &mut self,
        model: &Model,
        moving: &mut [Moving],
        acting: Acting<'_>,
        finer: u32,
        report: &mut BodyReport,
    ) -> bool {
        let Acting { frames, pushes, h } = acting;
        let (bodies, obstacles) = (model.bodies(), model.obstacles());
        self.solids.clear();
        for (body, now) in bodies.iter().zip(&*moving) {
            self.solids.push(Solid {
                position: now.placement.position,
                turn: now.placement.turn,
                linear: now.twist.linear,
                angular: now.twist.angular,
                inverse_mass: 1.0 / body.mass().mass,
                inverse_inertia: body.inverse_inertia_in(now.placement.turn),
                from: now.placement.position,
                turned: Mat3::IDENTITY,
            });
        }
        for [before, now] in &frames[..obstacles.len()] {
            let turned = Quat::of_matrix(&(now.turn * before.turn.transpose()));
            self.solids.push(Solid {
                position: before.origin,
                turn: Quat::of_matrix(&before.turn),
                linear: (now.origin - before.origin) * (1.0 / h),
                angular: turned.vector() * (1.0 / h),
                from: before.origin,
                turned: Mat3::IDENTITY,
                ..Solid::default()
            });
        }
        // The world, which joints hold on to.
        self.solids.push(Solid { turned: Mat3::IDENTITY, ..Solid::default() });

        let Self { contacts, joints, direct, solids, touched, settings, .. } = self;
        let joined = |a: u32, b: u32| joints.joined(a, b);
        contacts.find(model, moving, frames, solids, joined, h);
        let (surfaces, spots) = (&mut contacts.surfaces, &mut contacts.spots);
        solver::weigh(surfaces, spots, solids);
        let still = CALM * h * model.gravity().norm();
        direct.choose(surfaces, spots, solids, bodies.len(), still);
        touched.clear();
        touched.resize(bodies.len(), false);
        let touching = surfaces.iter().flat_map(|surface| surface.solids).chain(joints.held());
        for solid in touching.filter(|&solid| (solid as usize) < bodies.len()) {
            touched[solid as usize] = true;
        }

        let gravity = model.gravity();
        let cuts = joints.cuts(solids, gravity, h / f64::from(settings.parts));
        let parts = settings.parts * cuts.saturating_mul(finer);
        let h = h / f64::from(parts);
        let still = 2.0 * h * gravity.norm();
        // Twice as stiff against what does not move, which carries all the rest.
        let soft = [1.0, 2.0].map(|by| {
            let frequency = (by * settings.frequency).min(0.25 / h);
            Softness::new(frequency, settings.damping_ratio, h)
        });
        let bounces = settings.rule == Rule::Classic
            || surfaces.iter().any(|surface| surface.restitution > 0.0);
        let starts = moving;
        if !joints.is_empty() {
            joints.begin(solids);
        }
        let crowded = spots.iter().any(|spot| spot.gap < 0.0) && surfaces.len() > bodies.len();
        let mut hits = 0;
        for _ in 0..parts {
            // Before gravity: what falls and what rises then lose as much, and no bounce gains.
            if bounces {
                let fall = gravity * h;
                hits += solver::impacts(surfaces, spots, solids, settings.rule, still, fall, h);
            }
            for solid in &mut solids[..bodies.len()] {
                solid.linear += gravity * h;
            }
            for push in pushes {
                let solid = &mut solids[push.body as usize];
                let arm = push.at - starts[push.body as usize].placement.position;
                solid.push(push.impulse * (1.0 / f64::from(parts)), arm);
            }
            for surface in surfaces.iter().filter(|surface| !surface.direct) {
                solver::warm(surface, spots, solids);
            }
            for surface in surfaces.iter().filter(|surface| !surface.direct) {
                solver::sweep(surface, spots, solids, Some(soft), h);
            }
            let bias = |spot: &Spot, still: bool| soft[usize::from(still)].bias(spot.now, h);
            direct.solve(surfaces, spots, solids, false, bias, |surface, spots, solids| {
                solver::warm(surface, spots, solids);
                solver::sweep(surface, spots, solids, Some(soft), h);
            });
            surfaces.iter_mut().for_each(|surface| surface.roll = Point::ZERO);
            solver::roll(surfaces, spots, solids);
            let advance = |index: u32, solid: &Solid| {
                let principal = bodies[index as usize].principal();
                let (turn, _) = turn_once(solid.turn, solid.angular, principal, h);
                (solid.position + solid.linear * h, turn)
            };
            if !joints.is_empty() {
                joints.shake(solids, advance, h);
                if joints.failed && cuts > 1 && finer < MOST_FINER {
                    return false;
                }
            }
            for (index, (body, start)) in bodies.iter().zip(&*starts).enumerate() {
                let solid = &mut solids[index];
                solid.position += solid.linear * h;
                let turn = if touched[index] { turn_once } else { turn_freely };
                (solid.turn, solid.angular) = turn(solid.turn, solid.angular, body.principal(), h);
                solid.turned = (solid.turn * start.placement.turn.inverse()).matrix();
                solid.inverse_inertia = body.inverse_inertia_in(solid.turn);
            }
            for (index, [before, _]) in frames[..obstacles.len()].iter().enumerate() {
                let solid = &mut solids[bodies.len() + index];
                if solid.linear == Point::ZERO && solid.angular == Point::ZERO {
                    continue;
                }
                solid.position += solid.linear * h;
                solid.turn = (Quat::cayley(solid.angular * h) * solid.turn).unit();
                solid.turned = solid.turn.matrix() * before.turn.transpose();
            }
            solver::follow(surfaces, spots, solids);
            for surface in surfaces.iter().filter(|surface| !surface.direct) {
                solver::sweep(surface, spots, solids, None, h);
            }
            let bias = |spot: &Spot, _| match spot.normal > 0.0 {
                true => Softness::RIGID.bias(spot.now, h),
                false => f64::INFINITY,
            };
            direct.solve(surfaces, spots, solids, true, bias, |surface, spots, solids| {
                solver::sweep(surface, spots, solids, None, h);
            });
            solver::roll(surfaces, spots, solids);
            if crowded {
                calm(surfaces, spots, &mut solids[..bodies.len()], bodies);
            }
            if !joints.is_empty() {
                joints.mend(solids, bodies);
                joints.settle(solids);
            }
        }
        for (now, solid) in starts.iter_mut().zip(&*solids) {
            now.placement = Placement { position: solid.position, turn: solid.turn };
            now.twist = Twist { linear: solid.linear, angular: solid.angular };
        }
        let (mut deepest, mut touching) = (0.0f64, 0);
        for spot in &contacts.spots {
            deepest = deepest.max(-spot.now);
            touching += usize::from(spot.normal > 0.0);
        }
        report.contacts = report.contacts.max(touching).max(hits);
        report.deepest = report.deepest.max(deepest);
        report.joints = report.joints.max(joints.worst());
        contacts.keep();
        true
    }

    /// Appends all that survives a step besides the state.
    pub(crate) fn save(&self, memory: &mut Vec<f64>) {
        let pressed = &self.contacts.pressed;
        if self.contacts.is_empty() && self.matched.is_empty() {
            return;
        }
        memory.push(pressed.len() as f64);
        for known in pressed {
            // Numbers of 64 bits as two that a float holds exactly.
            for word in [known.pair, known.feature] {
                memory.extend([(word >> 32) as f64, (word & 0xffff_ffff) as f64]);
            }
            memory.push(known.normal);
            memory.extend(known.drag.to_array());
        }
        self.contacts.save(memory);
        self.matched.iter().for_each(|matched| matched.save(memory));
    }

    /// Takes back what [`Bodies::save`] wrote; anything else is forgotten.
    pub(crate) fn restore(&mut self, memory: &[f64]) {
        self.forget();
        let Some((&count, mut rest)) = memory.split_first() else { return };
        for _ in 0..count as usize {
            let Some((&[a, b, c, d, normal, x, y, z], after)) = rest.split_first_chunk::<8>()
            else {
                return self.forget();
            };
            let word = |high: f64, low: f64| (high as u64) << 32 | low as u64;
            let drag = Point::new(x, y, z);
            let (pair, feature) = (word(a, b), word(c, d));
            self.contacts.pressed.push(Pressed { pair, feature, normal, drag });
            rest = after;
        }
        match self.contacts.restore(rest) {
            Some(after) => rest = after,
            None => return self.forget(),
        }
        for matched in &mut self.matched {
            match matched.restore(rest) {
                Some(after) => rest = after,
                None => return,
            }
        }
    }
}
