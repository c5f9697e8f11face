//! All bodies of a simulation, and the one order of their step.
//!
//! By impulses: contacts are found once, then every part of the step is impacts → gravity and pushes → warm start → contacts →
//! joints → motion → contacts without push → joints. Contacts are solved directly in stacks and rows, and relaxed in heaps. By shape matching: every point moves alone, with the impulse of what it
//! would enter, then each body is found again in its points.

use super::contact::{Contacts, WarmStart};
use super::direct::Direct;
use super::free_rotation::{rotate_freely, rotate_once};
use super::impulse::Rule;
use super::joint_solver::JointSolver;
use super::shape_matching::Polar;
use super::shape_matching_solver::ShapeMatchingSolver;
use super::solver::{self, ContactManifold, ContactPoint, FASTEST, Softness, SolverBody};
use super::{Pose, RigidBody, RigidBodyState, Twist};
use crate::math::{Mat3, Quat, Vec3};
use crate::model::{Frame, Model, ModelError, invalid_joint};
use crate::report::{BodyImpulse, RigidBodyReport};
use crate::settings::{choice, settings};

choice! {
    /// How bodies are stepped.
    pub enum RigidBodyMethod {
        /// Velocities and impulses.
        Impulse = "impulse",
        /// Points that move alone and are matched with the shape.
        ShapeMatching = "shape-matching",
    }
}

settings! {
    /// How bodies are stepped.
    pub struct RigidBodySettings {
        /// The method of all rigid bodies.
        name: RigidBodyMethod = RigidBodyMethod::Impulse;
        /// The rule of an impact, with impulses.
        rule: Rule = Rule::Physical;
        /// Number of sub-steps for contacts and joints.
        substeps: u32 = 8, "", [1.0, 1000.0];
        /// Frequency of the soft contact constraint that removes overlaps, with impulses.
        frequency: f64 = 60.0, "Hz", [0.01, 1e4];
        /// Damping ratio of that constraint.
        damping_ratio: f64 = 10.0, "", [0.0, 1e3];
        /// The rotation that shape matching uses.
        polar: Polar = Polar::Fit;
        /// Stiffness of shape matching; 1: rigid.
        stiffness: f64 = 1.0, "", [0.0, 1.0];
    }
}

/// Contacts are solved directly where nothing meets or slides faster than what gravity adds in this share of a step.
const CALM: f64 = 0.02;

/// How much finer the parts of a step become where joints cannot be held otherwise.
const MOST_FINER: u32 = 16;

/// In how many others a body must be, and how deep relative to its reach, to be in a crowd; and how deep in one alone.
const CROWD: u32 = 4;
const DEEP: f64 = 0.02;
const DEEPEST: f64 = 0.15;

/// Bodies that start in a crowd, or deep within another, come out of it no faster than they are pressed apart: many pushes at
/// once would else throw them. `counts` is where to count.
fn calm(
    manifolds: &[ContactManifold],
    points: &[ContactPoint],
    solver_bodies: &mut [SolverBody],
    bodies: &[RigidBody],
    counts: &mut Vec<u32>,
) {
    let speed = |solid: &SolverBody, body: &RigidBody| {
        solid.linear.norm() + solid.angular.norm() * body.shape.reach()
    };
    if solver_bodies.iter().zip(bodies).all(|(solid, body)| speed(solid, body) <= FASTEST) {
        return;
    }
    counts.clear();
    counts.resize(bodies.len(), 0);
    for manifold in manifolds {
        let depth = manifold.of(points).iter().fold(0.0f64, |most, point| most.max(-point.now));
        for solid in manifold.solver_bodies.map(|solid| solid as usize) {
            if let Some(body) = bodies.get(solid) {
                let share = depth / body.shape.reach();
                counts[solid] += if share > DEEPEST { CROWD } else { u32::from(share > DEEP) };
            }
        }
    }
    for ((solid, body), _) in
        solver_bodies.iter_mut().zip(bodies).zip(counts).filter(|(_, count)| **count >= CROWD)
    {
        let by = (FASTEST / speed(solid, body)).min(1.0);
        solid.linear = solid.linear * by;
        solid.angular = solid.angular * by;
    }
}

/// What acts on bodies in a step.
#[derive(Clone, Copy)]
pub(crate) struct Acting<'a> {
    /// Where obstacles are at the start of the step and at its end.
    pub(crate) frames: &'a [[Frame; 2]],
    /// What else acts, spread over the step.
    pub(crate) impulses: &'a [BodyImpulse],
    /// The step (s).
    pub(crate) h: f64,
}

/// All bodies.
#[derive(Default)]
pub(crate) struct RigidBodies {
    pub(crate) settings: RigidBodySettings,
    contacts: Contacts,
    joints: JointSolver,
    direct: Direct,
    matched: Vec<ShapeMatchingSolver>,
    solver_bodies: Vec<SolverBody>,
    /// Which bodies something touches or a joint holds.
    touched: Vec<bool>,
    /// In how many others each body is.
    counts: Vec<u32>,
}

impl RigidBodies {
    /// Makes ready for a model.
    pub(crate) fn prepare(&mut self, model: &Model) -> Result<(), ModelError> {
        let bodies = model.rigid_bodies();
        if bodies.is_empty() {
            return Ok(());
        }
        self.contacts.prepare(model)?;
        let world = (bodies.len() + model.obstacles().len()) as u32;
        self.joints.prepare(model.joints(), bodies, world);
        if self.settings.name == RigidBodyMethod::ShapeMatching {
            if !model.joints().is_empty() {
                return invalid_joint(
                    "shape matching has no joints; use rigid_method.name = \"impulse\"",
                );
            }
            self.matched.truncate(bodies.len());
            for body in &bodies[self.matched.len()..] {
                self.matched.push(ShapeMatchingSolver::new(body));
            }
        }
        Ok(())
    }

    /// Bounds how many points bodies may touch at.
    pub(crate) fn limit_contacts(&mut self, most: usize) {
        self.contacts.most = Some(most);
    }

    /// At how many points bodies may touch, if they touched at more in the last step.
    pub(crate) fn too_many_contacts(&self) -> Option<usize> {
        self.contacts.most.filter(|_| self.contacts.too_many)
    }

    /// Forgets what the last step pressed with.
    pub(crate) fn forget(&mut self) {
        self.contacts.forget();
        self.matched.iter_mut().for_each(ShapeMatchingSolver::forget);
    }

    /// Where a body would be after `h` (s) if nothing touched it.
    pub(crate) fn predict(
        &self,
        model: &Model,
        index: usize,
        moving: &RigidBodyState,
        h: f64,
    ) -> Pose {
        let body = &model.rigid_bodies()[index];
        let n = f64::from(self.settings.substeps);
        let fall = model.gravity() * (0.5 * h * h * (1.0 + 1.0 / n));
        let RigidBodyState { pose, twist } = moving;
        let position = pose.position + twist.linear * h + fall;
        let (rotation, _) = rotate_freely(pose.rotation, twist.angular, body.principal(), h);
        Pose { position, rotation }
    }

    /// Takes a step.
    pub(crate) fn step(
        &mut self,
        model: &Model,
        moving: &mut [RigidBodyState],
        acting: Acting<'_>,
        report: &mut RigidBodyReport,
    ) {
        let Self { matched, settings, .. } = self;
        match settings.name {
            RigidBodyMethod::Impulse => self.step_by_impulses(model, moving, acting, report),
            RigidBodyMethod::ShapeMatching => {
                super::shape_matching_solver::step(
                    matched, settings, model, moving, acting, report,
                );
            }
        }
    }

    /// Takes a step, again in finer parts where joints could not be held.
    fn step_by_impulses(
        &mut self,
        model: &Model,
        moving: &mut [RigidBodyState],
        acting: Acting<'_>,
        report: &mut RigidBodyReport,
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
        moving: &mut [RigidBodyState],
        acting: Acting<'_>,
        finer: u32,
        report: &mut RigidBodyReport,
    ) -> bool {
        let Acting { frames, impulses, h } = acting;
        let (bodies, obstacles) = (model.rigid_bodies(), model.obstacles());
        self.solver_bodies.clear();
        for (body, now) in bodies.iter().zip(&*moving) {
            self.solver_bodies.push(SolverBody {
                position: now.pose.position,
                rotation: now.pose.rotation,
                linear: now.twist.linear,
                angular: now.twist.angular,
                inverse_mass: 1.0 / body.mass().mass,
                inverse_inertia: body.inverse_inertia_in(now.pose.rotation),
                from: now.pose.position,
                rotated: Mat3::IDENTITY,
            });
        }
        for [before, now] in &frames[..obstacles.len()] {
            let rotated = Quat::of_matrix(&(now.rotation * before.rotation.transpose()));
            self.solver_bodies.push(SolverBody {
                position: before.origin,
                rotation: Quat::of_matrix(&before.rotation),
                linear: (now.origin - before.origin) * (1.0 / h),
                angular: rotated.vector() * (1.0 / h),
                from: before.origin,
                rotated: Mat3::IDENTITY,
                ..SolverBody::default()
            });
        }
        // The world, which joints hold on to.
        self.solver_bodies.push(SolverBody { rotated: Mat3::IDENTITY, ..SolverBody::default() });

        let Self { contacts, joints, direct, solver_bodies, touched, counts, settings, .. } = self;
        let joined = |a: u32, b: u32| joints.joined(a, b);
        contacts.find(model, moving, frames, solver_bodies, joined, h);
        let (manifolds, points) = (&mut contacts.manifolds, &mut contacts.points);
        solver::weigh(manifolds, points, solver_bodies);
        let fall = model.gravity().norm();
        direct.choose(manifolds, points, solver_bodies, bodies.len(), CALM * h * fall, fall);
        touched.clear();
        touched.resize(bodies.len(), false);
        let touching =
            manifolds.iter().flat_map(|manifold| manifold.solver_bodies).chain(joints.jointed());
        for solid in touching.filter(|&solid| (solid as usize) < bodies.len()) {
            touched[solid as usize] = true;
        }

        let gravity = model.gravity();
        let cuts = joints.cuts(solver_bodies, gravity, h / f64::from(settings.substeps));
        let parts = settings.substeps * cuts.saturating_mul(finer);
        let h = h / f64::from(parts);
        let still = 2.0 * h * gravity.norm();
        // Twice as stiff against what does not move, which carries all the rest.
        let soft = [1.0, 2.0].map(|by| {
            let frequency = (by * settings.frequency).min(0.25 / h);
            Softness::new(frequency, settings.damping_ratio, h)
        });
        let bounces = settings.rule == Rule::Classic
            || manifolds.iter().any(|manifold| manifold.restitution > 0.0);
        let starts = moving;
        if !joints.is_empty() {
            joints.begin(solver_bodies);
        }
        let crowded = points.iter().any(|point| point.gap < 0.0) && manifolds.len() > bodies.len();
        let mut hits = 0;
        for _ in 0..parts {
            // Before gravity: what falls and what rises then lose as much, and no bounce gains.
            if bounces {
                let fall = gravity * h;
                hits += solver::impacts(
                    manifolds,
                    points,
                    solver_bodies,
                    settings.rule,
                    still,
                    fall,
                    h,
                );
            }
            for solid in &mut solver_bodies[..bodies.len()] {
                solid.linear += gravity * h;
            }
            for push in impulses {
                let solid = &mut solver_bodies[push.body as usize];
                let arm = push.at - starts[push.body as usize].pose.position;
                solid.push(push.impulse * (1.0 / f64::from(parts)), arm);
            }
            for manifold in manifolds.iter().filter(|manifold| !manifold.direct) {
                solver::warm(manifold, points, solver_bodies);
            }
            for manifold in manifolds.iter().filter(|manifold| !manifold.direct) {
                solver::sweep(manifold, points, solver_bodies, Some(soft), h);
            }
            let bias =
                |point: &ContactPoint, still: bool| soft[usize::from(still)].bias(point.now, h);
            direct.solve(
                manifolds,
                points,
                solver_bodies,
                false,
                bias,
                |manifold, points, solver_bodies| {
                    solver::sweep(manifold, points, solver_bodies, Some(soft), h);
                },
            );
            manifolds.iter_mut().for_each(|manifold| manifold.roll = Vec3::ZERO);
            solver::roll(manifolds, points, solver_bodies);
            let advance = |index: u32, solid: &SolverBody| {
                let principal = bodies[index as usize].principal();
                let (rotation, _) = rotate_once(solid.rotation, solid.angular, principal, h);
                (solid.position + solid.linear * h, rotation)
            };
            if !joints.is_empty() {
                joints.shake(solver_bodies, advance, h);
                if joints.failed && cuts > 1 && finer < MOST_FINER {
                    return false;
                }
            }
            for (index, (body, start)) in bodies.iter().zip(&*starts).enumerate() {
                let solid = &mut solver_bodies[index];
                solid.position += solid.linear * h;
                let rotation = if touched[index] { rotate_once } else { rotate_freely };
                (solid.rotation, solid.angular) =
                    rotation(solid.rotation, solid.angular, body.principal(), h);
                solid.rotated = (solid.rotation * start.pose.rotation.inverse()).matrix();
                solid.inverse_inertia = body.inverse_inertia_in(solid.rotation);
            }
            for (index, [before, _]) in frames[..obstacles.len()].iter().enumerate() {
                let solid = &mut solver_bodies[bodies.len() + index];
                if solid.linear == Vec3::ZERO && solid.angular == Vec3::ZERO {
                    continue;
                }
                solid.position += solid.linear * h;
                solid.rotation = (Quat::cayley(solid.angular * h) * solid.rotation).unit();
                solid.rotated = solid.rotation.matrix() * before.rotation.transpose();
            }
            solver::update_positions(manifolds, points, solver_bodies);
            for manifold in manifolds.iter().filter(|manifold| !manifold.direct) {
                solver::sweep(manifold, points, solver_bodies, None, h);
            }
            let bias = |point: &ContactPoint, _| match point.normal > 0.0 {
                true => Softness::RIGID.bias(point.now, h),
                false => f64::INFINITY,
            };
            direct.solve(
                manifolds,
                points,
                solver_bodies,
                true,
                bias,
                |manifold, points, solver_bodies| {
                    solver::sweep(manifold, points, solver_bodies, None, h);
                },
            );
            solver::roll(manifolds, points, solver_bodies);
            if crowded {
                calm(manifolds, points, &mut solver_bodies[..bodies.len()], bodies, counts);
            }
            if !joints.is_empty() {
                joints.correct_positions(solver_bodies, bodies);
                joints.settle(solver_bodies);
            }
        }
        for (now, solid) in starts.iter_mut().zip(&*solver_bodies) {
            now.pose = Pose { position: solid.position, rotation: solid.rotation };
            now.twist = Twist { linear: solid.linear, angular: solid.angular };
        }
        let (mut deepest, mut touching) = (0.0f64, 0);
        for point in &contacts.points {
            deepest = deepest.max(-point.now);
            touching += usize::from(point.normal > 0.0);
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

    /// Takes back what [`RigidBodies::save`] wrote; anything else is forgotten.
    pub(crate) fn restore(&mut self, memory: &[f64]) {
        self.forget();
        let Some((&count, mut rest)) = memory.split_first() else { return };
        for _ in 0..count as usize {
            let Some((&[a, b, c, d, normal, x, y, z], after)) = rest.split_first_chunk::<8>()
            else {
                return self.forget();
            };
            let word = |high: f64, low: f64| (high as u64) << 32 | low as u64;
            let drag = Vec3::new(x, y, z);
            let (pair, feature) = (word(a, b), word(c, d));
            self.contacts.pressed.push(WarmStart { pair, feature, normal, drag });
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
