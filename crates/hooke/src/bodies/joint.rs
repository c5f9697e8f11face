//! Joints between two bodies, or a body and the world.
//!
//! A joint is rows `C = 0`, with `Ċ = Jv`, and limits `C ≥ 0`. Rows of all joints are solved together,
//! `(J M⁻¹ Jᵀ) λ = b`, in every part of a step twice: before the motion so that it ends with C = 0, by a few Newton
//! steps (SHAKE; Ryckaert, Ciccotti & Berendsen 1977), and after it so that J v = 0 (RATTLE; Andersen 1983). So anchors
//! hold to rounding, however long a chain is and however different the masses. The factor follows the
//! envelope of the joints, which are numbered along the bodies: of a chain it is a band. Rows that say the same
//! twice are left out, and so are limits that do not hold.

use super::body::Body;
use super::solver::Solid;
use crate::math::{Point, Quat, across};
use crate::model::{Invalid, invalid};

/// What a joint leaves free.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum JointKind {
    /// Turns about a point.
    Ball {
        /// How far the axis may swing (rad).
        swing: Option<f64>,
    },
    /// Turns about an axis.
    Hinge {
        /// The least and greatest angle (rad), 0 at the start.
        range: Option<[f64; 2]>,
    },
    /// Slides along an axis, without a turn.
    Slider {
        /// The least and greatest way of the second along the axis (m), 0 at the start.
        range: Option<[f64; 2]>,
    },
    /// Keeps the distance of two points.
    Distance {
        /// The least and greatest distance (m): equal for a rod, from 0 for a string.
        range: [f64; 2],
    },
}

/// A joint, told where the bodies start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Joint {
    /// The two bodies; `None` is the world.
    pub bodies: [Option<u32>; 2],
    /// Where it holds each of them (m).
    pub anchors: [Point; 2],
    /// The axis of a hinge or slider, and what the swing of a ball joint is measured from.
    pub axis: Point,
    /// What it leaves free.
    pub kind: JointKind,
    /// Whether the two bodies touch each other.
    pub touch: bool,
}

impl Joint {
    /// A joint of two bodies at one place (m).
    pub fn new(bodies: [Option<u32>; 2], at: Point, axis: Point, kind: JointKind) -> Self {
        Self { bodies, anchors: [at; 2], axis, kind, touch: false }
    }

    /// A ball joint without limits.
    pub fn ball(bodies: [Option<u32>; 2], at: Point) -> Self {
        Self::new(bodies, at, Point::AXES[1], JointKind::Ball { swing: None })
    }

    /// A rod between two places (m).
    pub fn rod(bodies: [Option<u32>; 2], anchors: [Point; 2]) -> Self {
        let length = (anchors[0] - anchors[1]).norm();
        let kind = JointKind::Distance { range: [length; 2] };
        Self { bodies, anchors, axis: Point::AXES[1], kind, touch: true }
    }

    pub(crate) fn check(&self, bodies: usize) -> Result<(), Invalid> {
        let [a, b] = self.bodies;
        if let Some(missing) = [a, b].into_iter().flatten().find(|&body| body as usize >= bodies) {
            return invalid(format!("there is no body {missing}: the model has {bodies} bodies"));
        }
        if a == b {
            return invalid("a joint needs two different bodies, or a body and the world");
        }
        if !self.anchors.iter().all(|at| at.is_finite()) {
            return invalid("the anchors of a joint must be finite");
        }
        if !self.axis.is_finite() || self.axis.unit() == Point::ZERO {
            return invalid("the axis of a joint must be finite and not zero");
        }
        let range = match self.kind {
            JointKind::Ball { swing } => swing.map(|swing| [0.0, swing]),
            JointKind::Hinge { range } | JointKind::Slider { range } => range,
            JointKind::Distance { range } => {
                if range[0] < 0.0 || range[1] <= 0.0 {
                    return invalid("the distance of a joint must be > 0 m");
                }
                Some(range)
            }
        };
        match range {
            Some([low, high]) if !(low <= high && low.is_finite() && high.is_finite()) => {
                invalid(format!("the range of a joint must ascend (got {low} to {high})"))
            }
            _ => Ok(()),
        }
    }
}

/// A joint in the axes of its bodies.
#[derive(Clone, Copy, Debug)]
struct Held {
    solids: [u32; 2],
    anchors: [Point; 2],
    axes: [Point; 2],
    /// A direction across the axis, in the first.
    side: Point,
    /// The turn of the second seen from the first.
    turn: Quat,
    kind: JointKind,
    first: usize,
}

/// One row: `J v = way·(v_a − v_b) + turns_a·ω_a − turns_b·ω_b`.
#[derive(Clone, Copy, Debug, Default)]
struct Row {
    solids: [u32; 2],
    way: Point,
    turns: [Point; 2],
    /// C.
    value: f64,
    /// Whether it is a limit.
    limit: bool,
}

impl Row {
    fn rate(&self, solids: &[Solid]) -> f64 {
        let [a, b] = self.solids.map(|solid| &solids[solid as usize]);
        self.way.dot(a.linear - b.linear) + self.turns[0].dot(a.angular)
            - self.turns[1].dot(b.angular)
    }

    fn push(&self, solids: &mut [Solid], lambda: f64) {
        for (k, sign) in [(0, lambda), (1, -lambda)] {
            let solid = &mut solids[self.solids[k] as usize];
            solid.linear += self.way * (sign * solid.inverse_mass);
            solid.angular += solid.inverse_inertia * (self.turns[k] * sign);
        }
    }

    /// `J M⁻¹ J'ᵀ` with another row.
    fn meets(&self, other: &Self, solids: &[Solid]) -> f64 {
        let mut sum = 0.0;
        for (k, sign) in [(0, 1.0), (1, -1.0)] {
            for (l, other_sign) in [(0, 1.0), (1, -1.0)] {
                if self.solids[k] == other.solids[l] {
                    let solid = &solids[self.solids[k] as usize];
                    let turn = self.turns[k].dot(solid.inverse_inertia * other.turns[l]);
                    let way = self.way.dot(other.way) * solid.inverse_mass;
                    sum += sign * other_sign * (way + turn);
                }
            }
        }
        sum
    }
}

/// All joints.
#[derive(Default)]
pub(super) struct Joints {
    list: Vec<Held>,
    /// Pairs of solids that do not touch each other, sorted.
    joined: Vec<(u32, u32)>,
    /// The dynamic solids that joints hold, sorted.
    pub(super) held: Vec<u32>,
    rows: Vec<Row>,
    trial: Vec<Row>,
    /// Which limits hold, and what they pressed with in this part (N·s).
    active: Vec<bool>,
    pressed: Vec<f64>,
    /// The first row that each row meets, where its numbers start, and the factors.
    first: Vec<usize>,
    start: Vec<usize>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    lambda: Vec<f64>,
    poses: Vec<(Point, Quat)>,
    twists: Vec<(Point, Point)>,
}

/// Joints hold to this (m, rad).
const EXACT: f64 = 1e-11;

/// How much the kinetic energy may grow while joints are solved: they pass it on, but make none.
const GAIN: f64 = 1.5;

/// The most Newton steps of a part.
const MOST_ITERATIONS: u32 = 12;

/// A row whose pivot is less than this share of its diagonal says what others say.
const REDUNDANT: f64 = 1e-10;

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
                first: 0,
            });
            if !joint.touch {
                self.joined.push((solids[0].min(solids[1]), solids[0].max(solids[1])));
            }
            self.held.extend(joint.bodies.into_iter().flatten());
        }
        self.joined.sort_unstable();
        self.held.sort_unstable();
        self.held.dedup();
        // The envelope: from the first joint that shares a body.
        let mut lowest = vec![usize::MAX; world as usize + 1];
        let mut row = 0;
        self.first.clear();
        self.start.clear();
        let mut size = 0;
        for joint in &mut self.list {
            joint.first = row;
            let mut from = row;
            for solid in joint.solids.into_iter().filter(|&solid| solid != world) {
                let known = &mut lowest[solid as usize];
                *known = (*known).min(row);
                from = from.min(*known);
            }
            for _ in 0..joint.count() {
                self.first.push(from);
                self.start.push(size);
                size += row - from + 1;
                row += 1;
            }
        }
        self.lower.resize(size, 0.0);
        self.upper.resize(size, 0.0);
        self.lambda.resize(row, 0.0);
        self.active.resize(row, false);
        self.pressed.resize(row, 0.0);
    }

    /// Begins a step: no limit holds, and velocities agree with the joints.
    pub(super) fn begin(&mut self, solids: &mut [Solid]) {
        self.active.fill(false);
        self.place(solids);
        self.settle(solids);
    }

    /// Computes rows and their factor where the solids are.
    pub(super) fn place(&mut self, solids: &[Solid]) {
        self.rows.clear();
        self.list.iter().for_each(|joint| joint.rows(solids, &mut self.rows));
        let rows = std::mem::take(&mut self.rows);
        self.factorise(&rows, &rows, solids);
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
        if worst <= 1e3 * EXACT && kinetic(solids, &self.held) <= GAIN * before + h * h {
            return;
        }
        for (&body, &(linear, angular)) in self.held.iter().zip(&self.twists) {
            let solid = &mut solids[body as usize];
            (solid.linear, solid.angular) = (linear, angular);
        }
        self.active.fill(false);
        self.place(solids);
        self.settle(solids);
    }

    /// Moves and turns the solids so that C = 0, without a change of their velocities.
    pub(super) fn mend(&mut self, solids: &mut [Solid]) {
        self.place(solids);
        for _ in 0..MOST_ITERATIONS {
            if self.worst() <= 1e3 * EXACT {
                return;
            }
            for (lambda, row) in self.lambda.iter_mut().zip(&self.rows) {
                *lambda = if row.limit { 0.0 } else { -row.value };
            }
            self.solve();
            for (row, &lambda) in self.rows.iter().zip(&self.lambda) {
                for (k, sign) in [(0, lambda), (1, -lambda)] {
                    let solid = &mut solids[row.solids[k] as usize];
                    solid.position += row.way * (sign * solid.inverse_mass);
                    let turn = solid.inverse_inertia * (row.turns[k] * sign);
                    solid.turn = (Quat::cayley(turn) * solid.turn).unit();
                }
            }
            self.place(solids);
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
            self.solve();
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
        self.solve();
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

    /// `L U = J M⁻¹ J'ᵀ` within the envelope, without limits that do not hold.
    fn factorise(&mut self, left: &[Row], right: &[Row], solids: &[Solid]) {
        for i in 0..left.len() {
            let from = self.first[i];
            let own = self.start[i];
            if left[i].limit && !self.active[i] {
                self.lower[own..own + i - from].fill(0.0);
                self.upper[own..own + i - from].fill(0.0);
                self.upper[own + i - from] = f64::INFINITY;
                continue;
            }
            for j in from..i {
                let (mut low, mut high) =
                    (left[i].meets(&right[j], solids), left[j].meets(&right[i], solids));
                let (other, known) = (self.start[j], self.first[j]);
                for k in from.max(known)..j {
                    low -= self.lower[own + k - from] * self.upper[other + k - known];
                    high -= self.lower[other + k - known] * self.upper[own + k - from];
                }
                self.lower[own + j - from] = low / self.upper[other + j - known];
                self.upper[own + j - from] = high;
            }
            let diagonal = left[i].meets(&right[i], solids);
            let mut pivot = diagonal;
            for k in own..own + i - from {
                pivot -= self.lower[k] * self.upper[k];
            }
            let says = pivot.abs() > REDUNDANT * diagonal.abs();
            self.upper[own + i - from] = if says { pivot } else { f64::INFINITY };
        }
    }

    /// Solves in place of λ.
    fn solve(&mut self) {
        for i in 0..self.lambda.len() {
            let (from, own) = (self.first[i], self.start[i]);
            for j in from..i {
                self.lambda[i] -= self.lower[own + j - from] * self.lambda[j];
            }
        }
        for i in (0..self.lambda.len()).rev() {
            let (from, own) = (self.first[i], self.start[i]);
            self.lambda[i] /= self.upper[own + i - from];
            for j in from..i {
                self.lambda[j] -= self.upper[own + j - from] * self.lambda[i];
            }
        }
    }
}

impl Held {
    /// How many rows it has.
    fn count(&self) -> usize {
        let limits = |range: bool| if range { 2 } else { 0 };
        match self.kind {
            JointKind::Ball { swing } => 3 + usize::from(swing.is_some()),
            JointKind::Hinge { range } | JointKind::Slider { range } => 5 + limits(range.is_some()),
            JointKind::Distance { range: [low, high] } => {
                if low == high {
                    1
                } else {
                    2
                }
            }
        }
    }

    /// The anchors in the world, and the axes.
    fn now(&self, solids: &[Solid]) -> ([Point; 2], [Point; 2]) {
        let at = |k: usize| &solids[self.solids[k] as usize];
        let anchors = [0, 1].map(|k| at(k).position + at(k).turn.turn(self.anchors[k]));
        let axes = [0, 1].map(|k| at(k).turn.turn(self.axes[k]));
        (anchors, axes)
    }

    fn row(&self, solids: &[Solid], way: Point, places: [Point; 2], value: f64) -> Row {
        let turn = |k: usize| (places[k] - solids[self.solids[k] as usize].position).cross(way);
        Row { solids: self.solids, way, turns: [turn(0), turn(1)], value, limit: false }
    }

    fn turn_row(&self, axis: Point, value: f64) -> Row {
        Row { solids: self.solids, way: Point::ZERO, turns: [axis; 2], value, limit: false }
    }

    /// How the second is turned against where it started, seen from the world.
    fn turned(&self, solids: &[Solid]) -> Quat {
        let [a, b] = self.solids.map(|solid| solids[solid as usize].turn);
        b * (a * self.turn).inverse()
    }

    fn rows(&self, solids: &[Solid], out: &mut Vec<Row>) {
        let (places, axes) = self.now(solids);
        let apart = places[0] - places[1];
        let side = solids[self.solids[0] as usize].turn.turn(self.side);
        let sides = [side, axes[0].cross(side)];
        let limit = |row: Row| Row { limit: true, ..row };
        match self.kind {
            JointKind::Ball { swing } => {
                out.extend(Point::AXES.map(|way| self.row(solids, way, places, apart.dot(way))));
                if let Some(most) = swing {
                    let cross = axes[0].cross(axes[1]);
                    let angle = libm::atan2(cross.norm(), axes[0].dot(axes[1]));
                    let about = if cross == Point::ZERO { side } else { cross.unit() };
                    out.push(limit(self.turn_row(about, most - angle)));
                }
            }
            JointKind::Hinge { range } => {
                out.extend(Point::AXES.map(|way| self.row(solids, way, places, apart.dot(way))));
                let error = axes[1].cross(axes[0]);
                out.extend(sides.map(|side| self.turn_row(side, error.dot(side))));
                if let Some([low, high]) = range {
                    let angle = self.turned(solids).angle_about(axes[0]);
                    out.push(limit(self.turn_row(-axes[0], angle - low)));
                    out.push(limit(self.turn_row(axes[0], high - angle)));
                }
            }
            JointKind::Slider { range } => {
                let at = [places[1]; 2];
                out.extend(sides.map(|side| self.row(solids, side, at, apart.dot(side))));
                let error = self.turned(solids).vector();
                out.extend(Point::AXES.map(|axis| self.turn_row(axis, -error.dot(axis))));
                if let Some([low, high]) = range {
                    let way = -apart.dot(axes[0]);
                    out.push(limit(self.row(solids, -axes[0], at, way - low)));
                    out.push(limit(self.row(solids, axes[0], at, high - way)));
                }
            }
            JointKind::Distance { range: [low, high] } => {
                let (way, length) = (apart.unit(), apart.norm());
                if low == high {
                    out.push(self.row(solids, way, places, length - low));
                } else {
                    out.push(limit(self.row(solids, way, places, length - low)));
                    out.push(limit(self.row(solids, -way, places, high - length)));
                }
            }
        }
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
