//! All joints, solved together.
//!
//! Rows of all joints are solved together, `(J M⁻¹ Jᵀ) λ = b`, in every part of a step twice: before the motion so that
//! it ends with C = 0, by a few Newton steps (SHAKE; Ryckaert, Ciccotti & Berendsen 1977), and after it so that J v = 0
//! (RATTLE; Andersen 1983). So anchors hold to rounding, however long a chain is. What is light against what it carries swings fast;
//! parts are cut so that they follow it.
//! The joints are numbered along the bodies: of a chain the matrix is a band. Rows that say the same
//! twice are left out, and so are limits that do not hold.

use super::body::Body;
use super::envelope::Envelope;
use super::joint::Joint;
use super::joint_row::{Held, Row};
use super::solver::Solid;
use crate::math::{Mat3, Point, Quat, across};

/// All joints.
#[derive(Default)]
pub(super) struct Joints {
    list: Vec<Held>,
    /// Pairs of solids that do not touch each other, sorted.
    joined: Vec<(u32, u32)>,
    /// The dynamic solids that joints hold, sorted.
    held: Vec<u32>,
    rows: Vec<Row>,
    trial: Vec<Row>,
    /// Which limits hold, and what they pressed with in this part (N·s).
    active: Vec<bool>,
    pressed: Vec<f64>,
    /// Which rows say what others say, where rows were computed.
    redundant: Vec<bool>,
    factor: Envelope,
    lambda: Vec<f64>,
    /// What is joined and held by nothing else: nothing may change its momenta.
    free: Vec<Vec<u32>>,
    poses: Vec<(Point, Quat)>,
    last: Vec<(Point, Quat)>,
    twists: Vec<(Point, Point)>,
    /// How stiffly every solid is held upright (1/s²).
    stiffness: Vec<f64>,
    /// Whether a part of the step found no motion that holds the joints.
    pub(super) failed: bool,
}

/// How far (rad) what joints hold upright may swing in a part, of 2 at which it would grow, and the most cuts.
const FOLLOWED: f64 = 1.0;
const MOST_CUTS: f64 = 64.0;

/// Which share of a part is looked ahead for what turns within it.
const LOOK: f64 = 0.01;

/// Joints hold to this (m, rad).
const EXACT: f64 = 1e-11;

/// How much the kinetic energy may grow while joints are solved: they pass it on, but make none.
const GAIN: f64 = 1.1;

/// What is left of joints (m, rad) where places are set right, and where a motion counts as one that holds them.
const MENDED: f64 = 1e3 * EXACT;

/// The most Newton steps of a part, and those that set places right.
const MOST_ITERATIONS: u32 = 12;
const MOST_MENDS: u32 = 60;

impl Joints {
    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Whether two solids pass through each other.
    pub(super) fn joined(&self, a: u32, b: u32) -> bool {
        self.joined.binary_search(&(a, b)).is_ok()
    }

    /// Takes the joints of a model; the world is the solid `world`.
    pub(super) fn prepare(&mut self, joints: &[Joint], bodies: &[Body], world: u32) {
        let start = |body: Option<u32>| {
            body.map(|body| bodies[body as usize].start.placement).unwrap_or_default()
        };
        let order = along(joints, bodies.len());
        self.list.clear();
        self.joined.clear();
        self.held.clear();
        for &index in &order {
            let joint = &joints[index];
            let starts = joint.bodies.map(start);
            let axis = joint.axis.unit();
            let solids = joint.bodies.map(|body| body.unwrap_or(world));
            self.list.push(Held {
                solids,
                anchors: [0, 1].map(|k| starts[k].local(joint.anchors[k])),
                axes: [0, 1].map(|k| starts[k].turn.inverse().turn(axis)),
                side: starts[0].turn.inverse().turn(across(axis)),
                turn: starts[0].turn.inverse() * starts[1].turn,
                kind: joint.kind,
            });
            if !joint.touch {
                self.joined.push((solids[0].min(solids[1]), solids[0].max(solids[1])));
            }
            self.held.extend(joint.bodies.into_iter().flatten());
        }
        self.joined.sort_unstable();
        self.held.sort_unstable();
        self.held.dedup();
        // Each row meets those from the first joint on that shares a body.
        let mut lowest = vec![usize::MAX; world as usize + 1];
        self.factor.clear();
        for joint in &self.list {
            let row = self.factor.len();
            let mut from = row;
            for solid in joint.solids.into_iter().filter(|&solid| solid != world) {
                let known = &mut lowest[solid as usize];
                *known = (*known).min(row);
                from = from.min(*known);
            }
            (0..joint.count()).for_each(|_| self.factor.push(from));
        }
        let rows = self.factor.len();
        self.lambda.resize(rows, 0.0);
        self.active.resize(rows, false);
        self.pressed.resize(rows, 0.0);
        self.redundant.resize(rows, false);
        self.free = free_groups(joints, bodies.len());
    }

    /// The bodies that joints hold.
    pub(super) fn held(&self) -> impl Iterator<Item = u32> + '_ {
        self.held.iter().copied()
    }

    /// How many times finer parts of `h` (s) must be. A joint that pulls with a force f at an arm r holds a body upright with
    /// `(r·f) 1₃`: what is light against its load swings with `ω² = 𝕀⁻¹ (r·f)`, and the parts must follow that.
    pub(super) fn cuts(&mut self, solids: &mut [Solid], gravity: Point, h: f64) -> u32 {
        if self.is_empty() {
            return 1;
        }
        self.active.fill(false);
        self.place(solids);
        // The force that a motion without it would need: J g + (dJ/dt) v.
        let short = LOOK * h;
        self.try_motion(solids, |_, solid| {
            let turn = (Quat::cayley(solid.angular * short) * solid.turn).unit();
            (solid.position + solid.linear * short, turn)
        });
        let falls = |solid: u32| if solids[solid as usize].inverse_mass > 0.0 { 1.0 } else { 0.0 };
        for ((force, row), then) in self.lambda.iter_mut().zip(&self.rows).zip(&self.trial) {
            let weight = row.way.dot(gravity) * (falls(row.solids[0]) - falls(row.solids[1]));
            let change = (then.rate(solids) - row.rate(solids)) / short;
            *force = if row.limit { 0.0 } else { -weight - change };
        }
        self.factor.solve(&mut self.lambda);
        let (mass, spread) = self.weigh(solids);
        self.stiffness.clear();
        self.stiffness.resize(solids.len(), 0.0);
        let mut row = 0;
        for joint in &self.list {
            let own = row..row + joint.count();
            row = own.end;
            let pull = own.fold(Point::ZERO, |sum, k| sum + self.rows[k].way * self.lambda[k]);
            for (&solid, anchor) in joint.solids.iter().zip(joint.anchors) {
                let (inverse, along) = (&solids[solid as usize].inverse_inertia, anchor.unit());
                let along = solids[solid as usize].turn.turn(along);
                let gives = inverse.trace() - along.dot(*inverse * along);
                // Where joints hold what others hold already, the forces between them have no bound.
                let most = mass * (gravity.norm() * anchor.norm() + spread);
                self.stiffness[solid as usize] += (pull.norm() * anchor.norm()).min(most) * gives;
            }
        }
        let stiffest = self.stiffness.iter().copied().fold(0.0, f64::max);
        (h * stiffest.sqrt() / FOLLOWED).ceil().clamp(1.0, MOST_CUTS) as u32
    }

    /// The mass (kg) of all that joints hold, and the square of its greatest velocity about their mean (m²/s²).
    fn weigh(&self, solids: &[Solid]) -> (f64, f64) {
        let moving =
            || self.held.iter().map(|&k| &solids[k as usize]).filter(|s| s.inverse_mass > 0.0);
        let mass: f64 = moving().map(|solid| 1.0 / solid.inverse_mass).sum();
        let momentum = moving()
            .fold(Point::ZERO, |sum, solid| sum + solid.linear * (1.0 / solid.inverse_mass));
        let anchored = self
            .list
            .iter()
            .any(|joint| joint.solids.iter().any(|&k| solids[k as usize].inverse_mass == 0.0));
        let mean = if anchored || mass == 0.0 { Point::ZERO } else { momentum * (1.0 / mass) };
        let spread = moving().map(|solid| (solid.linear - mean).norm2()).fold(0.0, f64::max);
        (mass, spread)
    }

    /// Begins a step: no limit holds, and velocities agree with the joints.
    pub(super) fn begin(&mut self, solids: &mut [Solid]) {
        self.active.fill(false);
        self.failed = false;
        self.place(solids);
        self.settle(solids);
    }

    /// Computes rows and their factor where the solids are.
    pub(super) fn place(&mut self, solids: &[Solid]) {
        self.rows.clear();
        self.list.iter().for_each(|joint| joint.rows(solids, &mut self.rows));
        let rows = std::mem::take(&mut self.rows);
        self.redundant.fill(false);
        self.factorise(&rows, &rows, solids);
        for (i, redundant) in self.redundant.iter_mut().enumerate() {
            *redundant = (!rows[i].limit || self.active[i]) && self.factor.leaves_out(i);
        }
        self.rows = rows;
    }

    /// Changes velocities so that the motion of a part, `advance(solid)` (place and turn after it), ends with C = 0,
    /// and C ≥ 0 for limits: those that would be passed hold, and let go where they would have to pull.
    ///
    /// Where that finds no end, or one that would gain much energy, velocities agree with the joints where the
    /// solids are, which only loses energy, and [`Joints::mend`] sets the places right.
    pub(super) fn shake(
        &mut self,
        solids: &mut [Solid],
        advance: impl Fn(u32, &Solid) -> (Point, Quat),
        h: f64,
    ) {
        let kinetic = |solids: &[Solid], held: &[u32]| -> f64 {
            held.iter().map(|&body| solids[body as usize].kinetic()).sum()
        };
        self.twists.clear();
        self.twists.extend(self.held.iter().map(|&body| {
            let solid = &solids[body as usize];
            (solid.linear, solid.angular)
        }));
        let before = kinetic(solids, &self.held);
        let worst = self.try_shake(solids, &advance, h);
        if worst <= MENDED && kinetic(solids, &self.held) <= GAIN * before + h * h {
            return;
        }
        self.failed = true;
        for (&body, &(linear, angular)) in self.held.iter().zip(&self.twists) {
            let solid = &mut solids[body as usize];
            (solid.linear, solid.angular) = (linear, angular);
        }
        self.active.fill(false);
        self.place(solids);
        self.settle(solids);
    }

    /// Moves and turns the solids so that C = 0, and keeps their momenta.
    pub(super) fn mend(&mut self, solids: &mut [Solid], bodies: &[Body]) {
        self.place(solids);
        if self.worst() <= MENDED {
            return;
        }
        let poses = |solids: &[Solid], held: &[u32], out: &mut Vec<(Point, Quat)>| {
            let pose = |&body: &u32| (solids[body as usize].position, solids[body as usize].turn);
            out.clear();
            out.extend(held.iter().map(pose));
        };
        poses(solids, &self.held, &mut self.poses);
        let (mut left, mut soft) = (self.worst(), 1e-6);
        for _ in 0..MOST_MENDS {
            // Softer after a step that went too far, which happens where joints are taut (Levenberg 1944).
            poses(solids, &self.held, &mut self.last);
            let (rows, factor) = (&self.rows, &mut self.factor);
            factor.factorise(
                |i| !rows[i].limit,
                |i, j| rows[i].meets(&rows[j], solids) * if i == j { 1.0 + soft } else { 1.0 },
            );
            for (lambda, row) in self.lambda.iter_mut().zip(&self.rows) {
                *lambda = if row.limit { 0.0 } else { -row.value };
            }
            self.factor.solve(&mut self.lambda);
            for (row, &lambda) in self.rows.iter().zip(&self.lambda) {
                for (k, sign) in [(0, lambda), (1, -lambda)] {
                    let solid = &mut solids[row.solids[k] as usize];
                    solid.position += row.way * (sign * solid.inverse_mass);
                    let turn = solid.inverse_inertia * (row.turns[k] * sign);
                    solid.turn = (Quat::cayley(turn) * solid.turn).unit();
                }
            }
            self.place(solids);
            let now = self.worst();
            if now < left {
                (left, soft) = (now, 0.3 * soft);
                if left <= MENDED {
                    break;
                }
                continue;
            }
            soft *= 30.0;
            for (&body, &(position, turn)) in self.held.iter().zip(&self.last) {
                let solid = &mut solids[body as usize];
                (solid.position, solid.turn) = (position, turn);
            }
            self.place(solids);
        }
        self.keep_momenta(solids, bodies);
    }

    /// Gives back what a change of places, from where `poses` are, did to angular momentum: each body keeps
    /// its own spin, and what is free as a whole turns a little faster or slower as a whole, which no joint feels.
    fn keep_momenta(&self, solids: &mut [Solid], bodies: &[Body]) {
        for (&index, &(_, turn)) in self.held.iter().zip(&self.poses) {
            let (solid, body) = (&mut solids[index as usize], &bodies[index as usize]);
            let spin = body.inertia_in(turn) * solid.angular;
            solid.inverse_inertia = body.inverse_inertia_in(solid.turn);
            solid.angular = solid.inverse_inertia * spin;
        }
        for group in &self.free {
            let (mut mass, mut centre, mut gained) = (0.0, Point::ZERO, Point::ZERO);
            for &index in group {
                let (solid, m) = (&solids[index as usize], bodies[index as usize].mass().mass);
                mass += m;
                centre += solid.position * m;
                if let Ok(k) = self.held.binary_search(&index) {
                    gained += (solid.position - self.poses[k].0).cross(solid.linear * m);
                }
            }
            let centre = centre * (1.0 / mass);
            let mut inertia = Mat3::ZERO;
            for &index in group {
                let (solid, body) = (&solids[index as usize], &bodies[index as usize]);
                let arm = solid.position - centre;
                let spread = Mat3::diagonal(arm.norm2()) - arm.outer(arm);
                inertia += body.inertia_in(solid.turn) + spread * body.mass().mass;
            }
            let by = inertia.inverse() * gained;
            for &index in group {
                let solid = &mut solids[index as usize];
                solid.linear -= by.cross(solid.position - centre);
                solid.angular -= by;
            }
        }
    }

    /// The Newton steps of [`Joints::shake`]; what is left of C.
    fn try_shake(
        &mut self,
        solids: &mut [Solid],
        advance: impl Fn(u32, &Solid) -> (Point, Quat),
        h: f64,
    ) -> f64 {
        let mut left = f64::INFINITY;
        self.pressed.fill(0.0);
        let mut changed = self.active.contains(&true);
        self.active.fill(false);
        for iteration in 0..MOST_ITERATIONS {
            self.try_motion(solids, &advance);
            let mut worst = 0.0f64;
            for (row, active) in self.trial.iter().zip(&mut self.active) {
                if row.limit && !*active && row.value < -EXACT {
                    (*active, changed) = (true, true);
                }
                if !row.limit || *active {
                    worst = worst.max(row.value.abs());
                }
            }
            left = worst;
            if worst <= EXACT || !worst.is_finite() {
                break;
            }
            // Newton's own matrix where that of the start does not do.
            if changed || iteration >= 1 {
                let (trial, rows) =
                    (std::mem::take(&mut self.trial), std::mem::take(&mut self.rows));
                self.factorise(&trial, &rows, solids);
                (self.trial, self.rows) = (trial, rows);
                changed = false;
            }
            for (lambda, row) in self.lambda.iter_mut().zip(&self.trial) {
                *lambda = -row.value / h;
            }
            self.factor.solve(&mut self.lambda);
            for i in 0..self.rows.len() {
                if !self.active[i] {
                    continue;
                }
                if self.pressed[i] + self.lambda[i] < 0.0 {
                    self.lambda[i] = -self.pressed[i];
                    (self.active[i], changed) = (false, true);
                }
                self.pressed[i] += self.lambda[i];
            }
            self.push(solids);
        }
        left
    }

    /// Computes the rows after a motion, and takes it back.
    fn try_motion(&mut self, solids: &mut [Solid], advance: impl Fn(u32, &Solid) -> (Point, Quat)) {
        self.poses.clear();
        for &body in &self.held {
            let solid = &mut solids[body as usize];
            self.poses.push((solid.position, solid.turn));
            (solid.position, solid.turn) = advance(body, solid);
        }
        self.trial.clear();
        self.list.iter().for_each(|joint| joint.rows(solids, &mut self.trial));
        for (&body, &(position, turn)) in self.held.iter().zip(&self.poses) {
            let solid = &mut solids[body as usize];
            (solid.position, solid.turn) = (position, turn);
        }
    }

    /// Changes velocities so that J v = 0, and J v ≥ 0 for limits that hold.
    pub(super) fn settle(&mut self, solids: &mut [Solid]) {
        for (lambda, row) in self.lambda.iter_mut().zip(&self.rows) {
            let rate = row.rate(solids);
            *lambda = if row.limit { -rate.min(0.0) } else { -rate };
        }
        self.factor.solve(&mut self.lambda);
        self.push(solids);
    }

    fn push(&self, solids: &mut [Solid]) {
        for (row, &lambda) in self.rows.iter().zip(&self.lambda) {
            row.push(solids, lambda);
        }
    }

    /// The greatest |C| (m, rad) of what must hold, where rows were computed.
    pub(super) fn worst(&self) -> f64 {
        let held = self.rows.iter().filter(|row| !row.limit);
        held.map(|row| row.value.abs()).fold(0.0, f64::max)
    }

    /// Factors `J M⁻¹ J'ᵀ` without redundant rows and limits that do not hold.
    fn factorise(&mut self, left: &[Row], right: &[Row], solids: &[Solid]) {
        let (active, redundant) = (&self.active, &self.redundant);
        let takes_part = |i: usize| (!left[i].limit || active[i]) && !redundant[i];
        self.factor.factorise(takes_part, |i, j| left[i].meets(&right[j], solids));
    }
}

/// The joints in an order that follows the bodies, so that those that share a body are near.
fn along(joints: &[Joint], bodies: usize) -> Vec<usize> {
    let mut at: Vec<Vec<usize>> = vec![Vec::new(); bodies];
    for (index, joint) in joints.iter().enumerate() {
        joint.bodies.into_iter().flatten().for_each(|body| at[body as usize].push(index));
    }
    let ends = |joint: &Joint| {
        joint.bodies.iter().flatten().map(|&body| at[body as usize].len()).min().unwrap_or(0)
    };
    let mut starts: Vec<usize> = (0..joints.len()).collect();
    starts.sort_by_key(|&index| (ends(&joints[index]), index));
    let mut seen = vec![false; joints.len()];
    let mut order = Vec::with_capacity(joints.len());
    for start in starts {
        if std::mem::replace(&mut seen[start], true) {
            continue;
        }
        let mut next = order.len();
        order.push(start);
        while next < order.len() {
            for body in joints[order[next]].bodies.into_iter().flatten() {
                for &index in &at[body as usize] {
                    if !std::mem::replace(&mut seen[index], true) {
                        order.push(index);
                    }
                }
            }
            next += 1;
        }
    }
    order
}

/// The groups of joined bodies of which none holds on to the world.
fn free_groups(joints: &[Joint], bodies: usize) -> Vec<Vec<u32>> {
    let mut group: Vec<usize> = (0..bodies).collect();
    let find = |group: &[usize], mut body: usize| {
        while group[body] != body {
            body = group[body];
        }
        body
    };
    for joint in joints {
        if let [Some(a), Some(b)] = joint.bodies {
            let (a, b) = (find(&group, a as usize), find(&group, b as usize));
            group[a.max(b)] = a.min(b);
        }
    }
    let mut groups = vec![Vec::new(); bodies];
    (0..bodies).for_each(|body| groups[find(&group, body)].push(body as u32));
    for joint in joints.iter().filter(|joint| joint.bodies.contains(&None)) {
        for &body in joint.bodies.iter().flatten() {
            groups[find(&group, body as usize)].clear();
        }
    }
    groups.retain(|group| group.len() > 1);
    groups
}
