//! Bodies by shape matching: their points, how those move alone, and what they do at contacts.
//!
//! In every part of a step points fall; those that would enter something get an impulse; all move; then the shape is
//! matched. An impulse j that is spread over the points that touch moves them, once the shape is matched with
//! stiffness α, by `K j`, `K = (1−α)/m + α (1₃/M − [r]× 𝕀⁻¹ [r]×)`, m the mass of those points. So the rules of
//! impacts, restitution and friction mean what they mean for rigid bodies. The mean of what touches comes first,
//! with restitution; then each point alone, for what tips or spins.
//!
//! The points of a body are the corners of its shape, or points on its surface, with equal masses, and one at
//! the center: it has what is left of the mass when the others are given as much inertia as the solid has. So a
//! box, a ball and a mesh weigh and turn about as they should.

use super::impulse::{Rule, Surfaces, contact_matrix, impulse};
use super::shape_matching::Rest;
use super::step::{Acting, RigidBodySettings};
use super::{Pose, RigidBody, RigidBodyState, Twist};
use crate::math::{Mat3, Quat, Vec3};
use crate::model::{Frame, Model, Response};
use crate::report::RigidBodyReport;
use std::ops::Range;

/// The points of a body.
pub(super) struct ShapeMatchingSolver {
    rest: Rest,
    /// Positions (m) and velocities (m/s); none before the first step.
    x: Vec<Vec3>,
    v: Vec<Vec3>,
    y: Vec<Vec3>,
    /// The inverse inertia of the points at rest (1/kg·m²).
    inverse: Mat3,
    /// Points that would enter something, and what they have got (N·s) where (m).
    touching: Vec<Touching>,
    given: Vec<(Vec3, Vec3)>,
    /// What the body was after the last step: something else is a new start.
    last: Option<RigidBodyState>,
}

/// A point that would enter something.
#[derive(Clone, Copy)]
struct Touching {
    point: usize,
    normal: Vec3,
    /// How it moves against what it would enter (m/s).
    velocity: Vec3,
}

/// How an impact is answered.
#[derive(Clone, Copy)]
struct Answer {
    rule: Rule,
    restitution: f64,
    friction: f64,
    /// Up to which speed (m/s) nothing bounces.
    still: f64,
    /// How far points go back to their shape.
    stiffness: f64,
    /// Whether all that touches is answered as one.
    whole: bool,
}

impl ShapeMatchingSolver {
    /// Of a body.
    pub(super) fn new(body: &RigidBody) -> Self {
        let mut points = body.shape.points();
        // Equal shares have the trace Σ 2 m r²; the solid has tr 𝕀.
        let spread: f64 = points.iter().map(|r| 2.0 * r.norm2()).sum();
        let mass = body.mass().mass;
        let most = mass / points.len() as f64;
        let share = (body.mass().inertia.trace() / spread).min(most);
        let mut masses = vec![share; points.len()];
        let left = mass - share * points.len() as f64;
        if left > 1e-12 * mass {
            points.push(Vec3::ZERO);
            masses.push(left);
        }
        let rest = Rest::new(&points, &masses);
        let inverse = inertia(rest.arms(), &masses).inverse();
        Self {
            rest,
            x: Vec::new(),
            v: Vec::new(),
            y: Vec::new(),
            inverse,
            touching: Vec::new(),
            given: Vec::new(),
            last: None,
        }
    }

    pub(super) fn forget(&mut self) {
        self.last = None;
    }

    /// Starts the points where the body is, unless they are there.
    fn begin(&mut self, moving: &RigidBodyState) {
        if self.last.as_ref() == Some(moving) {
            return;
        }
        self.x.clear();
        self.v.clear();
        for &r in self.rest.arms() {
            let arm = moving.pose.rotation.rotate(r);
            self.x.push(moving.pose.position + arm);
            self.v.push(moving.twist.at(arm));
        }
    }

    fn twist(&self, center: Vec3) -> Twist {
        twist_of(&self.rest, &self.x, &self.v, center)
    }

    fn mass(&self) -> f64 {
        self.rest.masses().iter().sum()
    }

    /// The inverse inertia (1/kg·m²) in the axes of the world.
    fn inverse_inertia(&self, at: &Pose) -> Mat3 {
        let r = at.rotation.matrix();
        r * self.inverse * r.transpose()
    }

    /// Gives all points the velocities of a rigid impulse (N·s) at a point (m).
    fn push(&mut self, at: &Pose, contact_point: Vec3, impulse: Vec3) {
        let (by, mass) = (self.inverse_inertia(at), self.mass());
        let spin = by * (contact_point - at.position).cross(impulse);
        for (v, x) in self.v.iter_mut().zip(&self.x) {
            *v += impulse * (1.0 / mass) + spin.cross(*x - at.position);
        }
    }

    /// Gathers the points that would enter something within `h` (s), by its distance and its velocity at a point.
    fn gather(
        &mut self,
        h: f64,
        distance: impl Fn(Vec3) -> (f64, Vec3),
        velocity: impl Fn(Vec3) -> Vec3,
    ) {
        self.touching.clear();
        for (point, (&x, &v)) in self.x.iter().zip(&self.v).enumerate() {
            let (gap, normal) = distance(x + v * h);
            let velocity = v - velocity(x);
            if gap < 0.0 && velocity.dot(normal) < 0.0 {
                self.touching.push(Touching { point, normal, velocity });
            }
        }
    }

    /// Gives what touches the impulses of its impacts; `other` is K (1/kg) of the other side at a point.
    fn answer(&mut self, at: &Pose, answer: &Answer, other: impl Fn(Vec3) -> Mat3) {
        self.given.clear();
        if answer.whole {
            self.answer_one(0..self.touching.len(), at, answer, 1.0, &other);
        } else {
            // Together they would do too much.
            let share = 1.0 / self.touching.len() as f64;
            for k in 0..self.touching.len() {
                self.answer_one(k..k + 1, at, answer, share, &other);
            }
        }
    }

    fn answer_one(
        &mut self,
        of: Range<usize>,
        at: &Pose,
        answer: &Answer,
        share: f64,
        other: &impl Fn(Vec3) -> Mat3,
    ) {
        let (mut contact_point, mut normal, mut velocity) = (Vec3::ZERO, Vec3::ZERO, Vec3::ZERO);
        let (mut mass, mean) = (0.0, 1.0 / of.len() as f64);
        for touching in &self.touching[of.clone()] {
            contact_point += self.x[touching.point] * mean;
            normal += touching.normal;
            velocity += touching.velocity * mean;
            mass += self.rest.masses()[touching.point];
        }
        let normal = normal.unit();
        let Answer { rule, friction, stiffness, .. } = *answer;
        let slow = -velocity.dot(normal) < answer.still || !answer.whole;
        let restitution = if slow { 0.0 } else { answer.restitution };
        let arm = contact_point - at.position;
        let rigid = contact_matrix(1.0 / self.mass(), &self.inverse_inertia(at), arm);
        let k = Mat3::diagonal((1.0 - stiffness) / mass) + rigid * stiffness + other(contact_point);
        let j = impulse(rule, velocity, &k, &Surfaces { normal, restitution, friction }) * share;
        for touching in &self.touching[of] {
            self.v[touching.point] += j * ((1.0 - stiffness) / mass);
        }
        self.push(at, contact_point, j * stiffness);
        self.given.push((contact_point, j));
    }

    /// Moves the points by `h` (s) and matches the shape; where the body is then and how it moves.
    fn advance(&mut self, settings: &RigidBodySettings, h: f64) -> RigidBodyState {
        let Self { rest, x, v, y, last, .. } = self;
        y.clear();
        y.extend(x.iter().zip(&*v).map(|(x, v)| *x + *v * h));
        let found = rest.find(y, settings.polar);
        for k in 0..y.len() {
            let goal = found.goal(rest.arms()[k]);
            let to = y[k] + (goal - y[k]) * settings.stiffness;
            v[k] = (to - x[k]) * (1.0 / h);
            x[k] = to;
        }
        let pose = Pose { position: found.center, rotation: Quat::of_matrix(&found.rotation) };
        let now = RigidBodyState { pose, twist: twist_of(rest, x, v, found.center) };
        *last = Some(now);
        now
    }

    /// How deep the deepest point is in something (m), and the direction out.
    fn deepest(&self, distance: impl Fn(Vec3) -> (f64, Vec3)) -> (f64, Vec3) {
        let mut deepest = (0.0, Vec3::ZERO);
        for &x in &self.x {
            let (gap, out) = distance(x);
            if -gap > deepest.0 {
                deepest = (-gap, out);
            }
        }
        deepest
    }

    /// Shifts the body as a whole (m), without a velocity.
    fn shift(&mut self, now: &mut RigidBodyState, by: Vec3) {
        self.x.iter_mut().for_each(|x| *x += by);
        now.pose.position += by;
        self.last = Some(*now);
    }

    pub(super) fn save(&self, memory: &mut Vec<f64>) {
        match &self.last {
            None => memory.push(0.0),
            Some(last) => {
                memory.push(1.0);
                let RigidBodyState { pose: Pose { position, rotation }, twist } = last;
                let points = [*position, rotation.v, twist.linear, twist.angular];
                memory.push(rotation.w);
                let all = points.iter().chain(&self.x).chain(&self.v);
                memory.extend(all.flat_map(|point| point.to_array()));
            }
        }
    }

    /// Reads what `save` wrote; what is left of the memory.
    pub(super) fn restore<'a>(&mut self, memory: &'a [f64]) -> Option<&'a [f64]> {
        self.last = None;
        let (&known, rest) = memory.split_first()?;
        if known == 0.0 {
            return Some(rest);
        }
        let (&w, rest) = rest.split_first()?;
        let n = self.rest.arms().len();
        let (numbers, rest) = rest.split_at_checked(3 * (4 + 2 * n))?;
        let points: Vec<Vec3> =
            numbers.chunks_exact(3).map(|c| Vec3::new(c[0], c[1], c[2])).collect();
        let pose = Pose { position: points[0], rotation: Quat { w, v: points[1] } };
        let twist = Twist { linear: points[2], angular: points[3] };
        self.last = Some(RigidBodyState { pose, twist });
        self.x = points[4..4 + n].to_vec();
        self.v = points[4 + n..].to_vec();
        Some(rest)
    }
}

/// How often impacts are answered in a part of a step, the first time as a whole.
const PASSES: u32 = 4;

/// How deep points may stay in something, relative to the reach of their body, and which share of what is
/// deeper is mended in a part of a step.
const DEPTH: f64 = 1e-4;
const MENDED: f64 = 0.2;

/// Takes a step of all bodies.
pub(super) fn step(
    all: &mut [ShapeMatchingSolver],
    settings: &RigidBodySettings,
    model: &Model,
    moving: &mut [RigidBodyState],
    acting: Acting<'_>,
    report: &mut RigidBodyReport,
) {
    let Acting { frames, impulses, h } = acting;
    let (bodies, gravity) = (model.rigid_bodies(), model.gravity());
    let parts = settings.substeps;
    let (whole, h) = (h, h / f64::from(parts));
    for (index, (matched, body)) in all.iter_mut().zip(&*moving).enumerate() {
        matched.begin(body);
        for push in impulses.iter().filter(|push| push.body as usize == index) {
            matched.push(&body.pose, push.at, push.impulse);
        }
    }
    let answer = |restitution: f64, friction: f64, whole: bool| Answer {
        rule: settings.rule,
        restitution,
        friction,
        still: 2.0 * h * gravity.norm(),
        stiffness: settings.stiffness,
        whole,
    };
    let near = |i: usize, j: usize, moving: &[RigidBodyState]| {
        let between = moving[i].pose.position - moving[j].pose.position;
        i != j && between.norm() <= bodies[i].shape.reach() + bodies[j].shape.reach()
    };
    for part in 0..parts {
        let (mut touching, mut deepest) = (0, 0.0f64);
        let share = f64::from(part + 1) / f64::from(parts);
        for matched in all.iter_mut() {
            matched.v.iter_mut().for_each(|v| *v += gravity * h);
        }
        for pass in 0..PASSES {
            let mut count = 0;
            for i in 0..all.len() {
                let (body, at) = (&bodies[i], moving[i].pose);
                for (obstacle, [before, now]) in model.obstacles().iter().zip(frames) {
                    let frame = between(before, now, share);
                    let distance = |x: Vec3| obstacle.distance_in(&frame, x);
                    let own = |x: Vec3| {
                        let local = frame.local(x);
                        (now.world(local) - before.world(local)) * (1.0 / whole)
                    };
                    all[i].gather(h, distance, own);
                    let (e, mu) = match obstacle.response {
                        Response::Bounce { restitution, friction } => {
                            (body.restitution.max(restitution), (body.friction * friction).sqrt())
                        }
                        Response::PushOut => (0.0, 0.0),
                    };
                    if !all[i].touching.is_empty() {
                        all[i].answer(&at, &answer(e, mu, pass == 0), |_| Mat3::ZERO);
                    }
                    count += all[i].touching.len();
                }
                for j in 0..all.len() {
                    if !near(i, j, moving) {
                        continue;
                    }
                    let (other, there) = (&bodies[j], moving[j].pose);
                    let twist = all[j].twist(there.position);
                    let (mass, inverse) = (all[j].mass(), all[j].inverse_inertia(&there));
                    let own = |x: Vec3| twist.at(x - there.position);
                    all[i].gather(h, distance_to(other, there), own);
                    if all[i].touching.is_empty() {
                        continue;
                    }
                    count += all[i].touching.len();
                    let e = body.restitution.max(other.restitution);
                    let mu = (body.friction * other.friction).sqrt();
                    let k = |x: Vec3| contact_matrix(1.0 / mass, &inverse, x - there.position);
                    all[i].answer(&at, &answer(e, mu, pass == 0), k);
                    for given in 0..all[i].given.len() {
                        let (contact_point, j_of) = all[i].given[given];
                        all[j].push(&there, contact_point, -j_of);
                    }
                }
            }
            touching = touching.max(count);
            if count == 0 {
                break;
            }
        }
        for (matched, now) in all.iter_mut().zip(moving.iter_mut()) {
            *now = matched.advance(settings, h);
        }
        for i in 0..all.len() {
            let slack = DEPTH * bodies[i].shape.reach();
            let correction = |depth: f64| MENDED * (depth - slack).max(0.0);
            for (obstacle, [before, now]) in model.obstacles().iter().zip(frames) {
                let frame = between(before, now, share);
                let (depth, out) = all[i].deepest(|x| obstacle.distance_in(&frame, x));
                deepest = deepest.max(depth);
                all[i].shift(&mut moving[i], out * correction(depth));
            }
            for j in 0..all.len() {
                if !near(i, j, moving) {
                    continue;
                }
                let (depth, out) = all[i].deepest(distance_to(&bodies[j], moving[j].pose));
                deepest = deepest.max(depth);
                let [m, n] = [i, j].map(|k| bodies[k].mass().mass);
                let by = out * (correction(depth) / (m + n));
                all[i].shift(&mut moving[i], by * n);
                all[j].shift(&mut moving[j], by * -m);
            }
        }
        report.contacts = report.contacts.max(touching);
        report.deepest = report.deepest.max(deepest);
    }
}

/// The distance (m) to a body somewhere, and its gradient.
fn distance_to(body: &RigidBody, at: Pose) -> impl Fn(Vec3) -> (f64, Vec3) + '_ {
    let frame = at.frame();
    move |x| {
        let (gap, out) = body.shape.distance(frame.local(x), 0.0);
        (gap, frame.rotation * out)
    }
}

/// The inertia (kg·m²) of points at arms (m) from their center.
fn inertia(arms: &[Vec3], masses: &[f64]) -> Mat3 {
    let one = |(arm, m): (&Vec3, &f64)| (Mat3::diagonal(arm.norm2()) - arm.outer(*arm)) * *m;
    arms.iter().zip(masses).map(one).fold(Mat3::ZERO, |sum, one| sum + one)
}

/// The twist with the momentum and angular momentum of the points.
fn twist_of(rest: &Rest, x: &[Vec3], v: &[Vec3], center: Vec3) -> Twist {
    let (mut mass, mut linear, mut spin, mut inertia) = (0.0, Vec3::ZERO, Vec3::ZERO, Mat3::ZERO);
    for ((&x, &v), &m) in x.iter().zip(v).zip(rest.masses()) {
        let arm = x - center;
        mass += m;
        linear += v * m;
        spin += arm.cross(v) * m;
        inertia += (Mat3::diagonal(arm.norm2()) - arm.outer(arm)) * m;
    }
    Twist { linear: linear * (1.0 / mass), angular: inertia.inverse() * spin }
}

/// A frame at a fraction of a step.
fn between(before: &Frame, now: &Frame, share: f64) -> Frame {
    if before == now {
        return *now;
    }
    let origin = before.origin.lerp(now.origin, share);
    let [a, b] = [before, now].map(|frame| Quat::of_matrix(&frame.rotation));
    Frame { origin, rotation: a.toward(b, share).matrix() }
}
