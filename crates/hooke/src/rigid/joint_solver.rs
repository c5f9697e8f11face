//! All joints, solved together.
//!
//! Rows of all joints are solved together, `(J M⁻¹ Jᵀ) λ = b`, in every part of a step twice: before the motion so that
//! it ends with C = 0, by a few Newton steps (SHAKE; Ryckaert, Ciccotti & Berendsen 1977), and after it so that J v = 0
//! (RATTLE; Andersen 1983). So anchors hold to rounding, however long a chain is. What is light against what it carries swings fast;
//! parts are cut so that they resolve it.
//! The joints are numbered along the bodies: of a chain the matrix is a band. Rows that say the same
//! twice are left out, and so are limits that do not hold.

use super::joint_graph::{free_groups, order_along_bodies};
use super::joint_row::{JointFrame, Row};
use super::skyline::Skyline;
use super::solver::SolverBody;
use super::{Joint, RigidBody};
use crate::math::{Mat3, Quat, Vec3, across};
use crate::model::RigidBodyId;

/// All joints.
#[derive(Default)]
pub(super) struct JointSolver {
    list: Vec<JointFrame>,
    /// Pairs of solids that do not touch each other, sorted.
    joined: Vec<(u32, u32)>,
    /// The dynamic bodies with joints, sorted.
    jointed: Vec<u32>,
    rows: Vec<Row>,
    trial: Vec<Row>,
    /// Which limits hold, and what they pressed with in this part (N·s).
    active: Vec<bool>,
    pressed: Vec<f64>,
    /// Which rows say what others say, where rows were computed.
    redundant: Vec<bool>,
    factor: Skyline,
    lambda: Vec<f64>,
    /// What is joined and held by nothing else: nothing may change its momenta.
    free: Vec<Vec<u32>>,
    poses: Vec<(Vec3, Quat)>,
    last: Vec<(Vec3, Quat)>,
    twists: Vec<(Vec3, Vec3)>,
    /// How stiffly every solid is held upright (1/s²).
    stiffness: Vec<f64>,
    /// Whether a part of the step found no motion that holds the joints.
    pub(super) failed: bool,
}

/// How far (rad) what joints hold upright may swing in a part, of 2 at which it would grow, and the most cuts.
const MOST_SWING: f64 = 1.0;
const MOST_CUTS: f64 = 64.0;

/// The share of a part over which the change of rows is differenced.
const LOOKAHEAD: f64 = 0.01;

/// Joints hold to this (m, rad).
const EXACT: f64 = 1e-11;

/// How much the kinetic energy may grow while joints are solved: they pass it on, but make none.
const GAIN: f64 = 1.1;

/// What is left of joints (m, rad) where positions are corrected, and where a motion counts as one that holds them.
const MENDED: f64 = 1e3 * EXACT;

/// The most Newton steps of a part, and those that correct positions.
const MOST_ITERATIONS: u32 = 12;
const MOST_MENDS: u32 = 60;

impl JointSolver {
    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Whether two solids pass through each other.
    pub(super) fn joined(&self, a: u32, b: u32) -> bool {
        self.joined.binary_search(&(a, b)).is_ok()
    }

    /// Takes the joints of a model; the world is the solid `world`.
    pub(super) fn prepare(&mut self, joints: &[Joint], bodies: &[RigidBody], world: u32) {
        let start = |body: Option<RigidBodyId>| {
            body.map(|body| bodies[body.index()].start.pose).unwrap_or_default()
        };
        let order = order_along_bodies(joints, bodies.len());
        self.list.clear();
        self.joined.clear();
        self.jointed.clear();
        for &index in &order {
            let joint = &joints[index];
            let starts = joint.bodies.map(start);
            let axis = joint.axis.unit();
            let solver_bodies = joint.bodies.map(|body| body.map_or(world, |body| body.0));
            self.list.push(JointFrame {
                solver_bodies,
                anchors: [0, 1].map(|k| starts[k].local(joint.anchors[k])),
                axes: [0, 1].map(|k| starts[k].rotation.inverse().rotate(axis)),
                side: starts[0].rotation.inverse().rotate(across(axis)),
                rotation: starts[0].rotation.inverse() * starts[1].rotation,
                kind: joint.kind,
            });
            if !joint.touch {
                self.joined.push((
                    solver_bodies[0].min(solver_bodies[1]),
                    solver_bodies[0].max(solver_bodies[1]),
                ));
            }
            self.jointed.extend(joint.bodies.into_iter().flatten().map(|body| body.0));
        }
        self.joined.sort_unstable();
        self.jointed.sort_unstable();
        self.jointed.dedup();
        // Each row meets those from the first joint on that shares a body.
        let mut lowest = vec![usize::MAX; world as usize + 1];
        self.factor.clear();
        for joint in &self.list {
            let row = self.factor.len();
            let mut from = row;
            for solid in joint.solver_bodies.into_iter().filter(|&solid| solid != world) {
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

    /// The bodies with joints.
    pub(super) fn jointed(&self) -> impl Iterator<Item = u32> + '_ {
        self.jointed.iter().copied()
    }

    /// How many times finer parts of `h` (s) must be. A joint that pulls with a force f at an arm r holds a body upright with
    /// `(r·f) 1₃`: what is light against its load swings with `ω² = 𝕀⁻¹ (r·f)`, and the parts must resolve that.
    pub(super) fn cuts(&mut self, solver_bodies: &mut [SolverBody], gravity: Vec3, h: f64) -> u32 {
        if self.is_empty() {
            return 1;
        }
        self.active.fill(false);
        self.update_rows(solver_bodies);
        // The force that a motion without it would need: J g + (dJ/dt) v.
        let short = LOOKAHEAD * h;
        self.try_motion(solver_bodies, |_, solid| {
            let rotation = (Quat::cayley(solid.angular * short) * solid.rotation).unit();
            (solid.position + solid.linear * short, rotation)
        });
        let falls =
            |solid: u32| if solver_bodies[solid as usize].inverse_mass > 0.0 { 1.0 } else { 0.0 };
        for ((force, row), then) in self.lambda.iter_mut().zip(&self.rows).zip(&self.trial) {
            let weight = row.direction.dot(gravity)
                * (falls(row.solver_bodies[0]) - falls(row.solver_bodies[1]));
            let change = (then.rate(solver_bodies) - row.rate(solver_bodies)) / short;
            *force = if row.limit { 0.0 } else { -weight - change };
        }
        self.factor.solve(&mut self.lambda);
        let (mass, spread) = self.weigh(solver_bodies);
        self.stiffness.clear();
        self.stiffness.resize(solver_bodies.len(), 0.0);
        let mut row = 0;
        for joint in &self.list {
            let own = row..row + joint.count();
            row = own.end;
            let pull = own.fold(Vec3::ZERO, |sum, k| sum + self.rows[k].direction * self.lambda[k]);
            for (&solid, anchor) in joint.solver_bodies.iter().zip(joint.anchors) {
                let (inverse, along) =
                    (&solver_bodies[solid as usize].inverse_inertia, anchor.unit());
                let along = solver_bodies[solid as usize].rotation.rotate(along);
                let gives = inverse.trace() - along.dot(*inverse * along);
                // Where joints hold what others hold already, the forces between them have no bound.
                let most = mass * (gravity.norm() * anchor.norm() + spread);
                self.stiffness[solid as usize] += (pull.norm() * anchor.norm()).min(most) * gives;
            }
        }
        let stiffest = self.stiffness.iter().copied().fold(0.0, f64::max);
        (h * stiffest.sqrt() / MOST_SWING).ceil().clamp(1.0, MOST_CUTS) as u32
    }

    /// The mass (kg) of all that joints hold, and the square of its greatest velocity about their mean (m²/s²).
    fn weigh(&self, solver_bodies: &[SolverBody]) -> (f64, f64) {
        let moving = || {
            self.jointed
                .iter()
                .map(|&k| &solver_bodies[k as usize])
                .filter(|s| s.inverse_mass > 0.0)
        };
        let mass: f64 = moving().map(|solid| 1.0 / solid.inverse_mass).sum();
        let momentum =
            moving().fold(Vec3::ZERO, |sum, solid| sum + solid.linear * (1.0 / solid.inverse_mass));
        let anchored = self.list.iter().any(|joint| {
            joint.solver_bodies.iter().any(|&k| solver_bodies[k as usize].inverse_mass == 0.0)
        });
        let mean = if anchored || mass == 0.0 { Vec3::ZERO } else { momentum * (1.0 / mass) };
        let spread = moving().map(|solid| (solid.linear - mean).norm2()).fold(0.0, f64::max);
        (mass, spread)
    }

    /// Begins a step: no limit holds, and velocities agree with the joints.
    pub(super) fn begin(&mut self, solver_bodies: &mut [SolverBody]) {
        self.active.fill(false);
        self.failed = false;
        self.update_rows(solver_bodies);
        self.settle(solver_bodies);
    }

    /// Computes rows and their factor where the solids are.
    pub(super) fn update_rows(&mut self, solver_bodies: &[SolverBody]) {
        self.rows.clear();
        self.list.iter().for_each(|joint| joint.rows(solver_bodies, &mut self.rows));
        let rows = std::mem::take(&mut self.rows);
        self.redundant.fill(false);
        self.factorize(&rows, &rows, solver_bodies);
        for (i, redundant) in self.redundant.iter_mut().enumerate() {
            *redundant = (!rows[i].limit || self.active[i]) && self.factor.leaves_out(i);
        }
        self.rows = rows;
    }

    /// Changes velocities so that the motion of a part, `advance(solid)` (position and rotation after it), ends with C = 0,
    /// and C ≥ 0 for limits: those that would be passed hold, and let go where they would have to pull.
    ///
    /// Where that finds no end, or one that would gain much energy, velocities agree with the joints where the
    /// solids are, which only loses energy, and [`JointSolver::correct_positions`] corrects the positions.
    pub(super) fn shake(
        &mut self,
        solver_bodies: &mut [SolverBody],
        advance: impl Fn(u32, &SolverBody) -> (Vec3, Quat),
        h: f64,
    ) {
        let kinetic = |solver_bodies: &[SolverBody], jointed: &[u32]| -> f64 {
            jointed.iter().map(|&body| solver_bodies[body as usize].kinetic()).sum()
        };
        self.twists.clear();
        self.twists.extend(self.jointed.iter().map(|&body| {
            let solid = &solver_bodies[body as usize];
            (solid.linear, solid.angular)
        }));
        let before = kinetic(solver_bodies, &self.jointed);
        let worst = self.try_shake(solver_bodies, &advance, h);
        if worst <= MENDED && kinetic(solver_bodies, &self.jointed) <= GAIN * before + h * h {
            return;
        }
        self.failed = true;
        for (&body, &(linear, angular)) in self.jointed.iter().zip(&self.twists) {
            let solid = &mut solver_bodies[body as usize];
            (solid.linear, solid.angular) = (linear, angular);
        }
        self.active.fill(false);
        self.update_rows(solver_bodies);
        self.settle(solver_bodies);
    }

    /// Moves and turns the solids so that C = 0, and keeps their momenta.
    pub(super) fn correct_positions(
        &mut self,
        solver_bodies: &mut [SolverBody],
        bodies: &[RigidBody],
    ) {
        self.update_rows(solver_bodies);
        if self.worst() <= MENDED {
            return;
        }
        let poses = |solver_bodies: &[SolverBody], jointed: &[u32], out: &mut Vec<(Vec3, Quat)>| {
            let pose = |&body: &u32| {
                (solver_bodies[body as usize].position, solver_bodies[body as usize].rotation)
            };
            out.clear();
            out.extend(jointed.iter().map(pose));
        };
        poses(solver_bodies, &self.jointed, &mut self.poses);
        let (mut left, mut soft) = (self.worst(), 1e-6);
        for _ in 0..MOST_MENDS {
            // Softer after a step that went too far, which happens where joints are taut (Levenberg 1944).
            poses(solver_bodies, &self.jointed, &mut self.last);
            let (rows, factor) = (&self.rows, &mut self.factor);
            factor.factorize(
                |i| !rows[i].limit,
                |i, j| {
                    rows[i].meets(&rows[j], solver_bodies) * if i == j { 1.0 + soft } else { 1.0 }
                },
            );
            for (lambda, row) in self.lambda.iter_mut().zip(&self.rows) {
                *lambda = if row.limit { 0.0 } else { -row.value };
            }
            self.factor.solve(&mut self.lambda);
            for (row, &lambda) in self.rows.iter().zip(&self.lambda) {
                for (k, sign) in [(0, lambda), (1, -lambda)] {
                    let solid = &mut solver_bodies[row.solver_bodies[k] as usize];
                    solid.position += row.direction * (sign * solid.inverse_mass);
                    let rotation = solid.inverse_inertia * (row.rotations[k] * sign);
                    solid.rotation = (Quat::cayley(rotation) * solid.rotation).unit();
                }
            }
            self.update_rows(solver_bodies);
            let now = self.worst();
            if now < left {
                (left, soft) = (now, 0.3 * soft);
                if left <= MENDED {
                    break;
                }
                continue;
            }
            soft *= 30.0;
            for (&body, &(position, rotation)) in self.jointed.iter().zip(&self.last) {
                let solid = &mut solver_bodies[body as usize];
                (solid.position, solid.rotation) = (position, rotation);
            }
            self.update_rows(solver_bodies);
        }
        self.keep_momenta(solver_bodies, bodies);
    }

    /// Undoes what a change of positions from `poses` did to angular momentum: each body keeps
    /// its own spin, and what is free as a whole turns a little faster or slower as a whole, which no joint feels.
    fn keep_momenta(&self, solver_bodies: &mut [SolverBody], bodies: &[RigidBody]) {
        for (&index, &(_, rotation)) in self.jointed.iter().zip(&self.poses) {
            let (solid, body) = (&mut solver_bodies[index as usize], &bodies[index as usize]);
            let spin = body.inertia_in(rotation) * solid.angular;
            solid.inverse_inertia = body.inverse_inertia_in(solid.rotation);
            solid.angular = solid.inverse_inertia * spin;
        }
        for group in &self.free {
            let (mut mass, mut center, mut gained) = (0.0, Vec3::ZERO, Vec3::ZERO);
            for &index in group {
                let (solid, m) =
                    (&solver_bodies[index as usize], bodies[index as usize].mass().mass);
                mass += m;
                center += solid.position * m;
                if let Ok(k) = self.jointed.binary_search(&index) {
                    gained += (solid.position - self.poses[k].0).cross(solid.linear * m);
                }
            }
            let center = center * (1.0 / mass);
            let mut inertia = Mat3::ZERO;
            for &index in group {
                let (solid, body) = (&solver_bodies[index as usize], &bodies[index as usize]);
                let arm = solid.position - center;
                let spread = Mat3::diagonal(arm.norm2()) - arm.outer(arm);
                inertia += body.inertia_in(solid.rotation) + spread * body.mass().mass;
            }
            let by = inertia.inverse() * gained;
            for &index in group {
                let solid = &mut solver_bodies[index as usize];
                solid.linear -= by.cross(solid.position - center);
                solid.angular -= by;
            }
        }
    }

    /// The Newton steps of [`JointSolver::shake`]; what is left of C.
    fn try_shake(
        &mut self,
        solver_bodies: &mut [SolverBody],
        advance: impl Fn(u32, &SolverBody) -> (Vec3, Quat),
        h: f64,
    ) -> f64 {
        let mut left = f64::INFINITY;
        self.pressed.fill(0.0);
        let mut changed = self.active.contains(&true);
        self.active.fill(false);
        for iteration in 0..MOST_ITERATIONS {
            self.try_motion(solver_bodies, &advance);
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
                self.factorize(&trial, &rows, solver_bodies);
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
            self.push(solver_bodies);
        }
        left
    }

    /// Computes the rows after a motion, and takes it back.
    fn try_motion(
        &mut self,
        solver_bodies: &mut [SolverBody],
        advance: impl Fn(u32, &SolverBody) -> (Vec3, Quat),
    ) {
        self.poses.clear();
        for &body in &self.jointed {
            let solid = &mut solver_bodies[body as usize];
            self.poses.push((solid.position, solid.rotation));
            (solid.position, solid.rotation) = advance(body, solid);
        }
        self.trial.clear();
        self.list.iter().for_each(|joint| joint.rows(solver_bodies, &mut self.trial));
        for (&body, &(position, rotation)) in self.jointed.iter().zip(&self.poses) {
            let solid = &mut solver_bodies[body as usize];
            (solid.position, solid.rotation) = (position, rotation);
        }
    }

    /// Changes velocities so that J v = 0, and J v ≥ 0 for limits that hold.
    pub(super) fn settle(&mut self, solver_bodies: &mut [SolverBody]) {
        for (lambda, row) in self.lambda.iter_mut().zip(&self.rows) {
            let rate = row.rate(solver_bodies);
            *lambda = if row.limit { -rate.min(0.0) } else { -rate };
        }
        self.factor.solve(&mut self.lambda);
        self.push(solver_bodies);
    }

    fn push(&self, solver_bodies: &mut [SolverBody]) {
        for (row, &lambda) in self.rows.iter().zip(&self.lambda) {
            row.push(solver_bodies, lambda);
        }
    }

    /// The greatest |C| (m, rad) of the equality rows, where rows were computed.
    pub(super) fn worst(&self) -> f64 {
        let equalities = self.rows.iter().filter(|row| !row.limit);
        equalities.map(|row| row.value.abs()).fold(0.0, f64::max)
    }

    /// Factors `J M⁻¹ J'ᵀ` without redundant rows and limits that do not hold.
    fn factorize(&mut self, left: &[Row], right: &[Row], solver_bodies: &[SolverBody]) {
        let (active, redundant) = (&self.active, &self.redundant);
        let takes_part = |i: usize| (!left[i].limit || active[i]) && !redundant[i];
        self.factor.factorize(takes_part, |i, j| left[i].meets(&right[j], solver_bodies));
    }
}
