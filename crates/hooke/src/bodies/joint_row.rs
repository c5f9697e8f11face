//! A joint as rows: `C = 0` with `Ċ = J v`, and limits `C ≥ 0`.

use super::joint::JointKind;
use super::solver::Solid;
use crate::math::{Point, Quat};

/// A joint in the axes of its bodies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    pub(super) solids: [u32; 2],
    pub(super) anchors: [Point; 2],
    pub(super) axes: [Point; 2],
    /// A direction across the axis, in the first.
    pub(super) side: Point,
    /// The turn of the second seen from the first.
    pub(super) turn: Quat,
    pub(super) kind: JointKind,
}
/// One row: `J v = way·(v_a − v_b) + turns_a·ω_a − turns_b·ω_b`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Row {
    pub(super) solids: [u32; 2],
    pub(super) way: Point,
    pub(super) turns: [Point; 2],
    /// C.
    pub(super) value: f64,
    /// Whether it is a limit.
    pub(super) limit: bool,
}

impl Row {
    pub(super) fn rate(&self, solids: &[Solid]) -> f64 {
        let [a, b] = self.solids.map(|solid| &solids[solid as usize]);
        self.way.dot(a.linear - b.linear) + self.turns[0].dot(a.angular)
            - self.turns[1].dot(b.angular)
    }

    pub(super) fn push(&self, solids: &mut [Solid], lambda: f64) {
        for (k, sign) in [(0, lambda), (1, -lambda)] {
            let solid = &mut solids[self.solids[k] as usize];
            solid.linear += self.way * (sign * solid.inverse_mass);
            solid.angular += solid.inverse_inertia * (self.turns[k] * sign);
        }
    }

    /// `J M⁻¹ J'ᵀ` with another row.
    pub(super) fn meets(&self, other: &Self, solids: &[Solid]) -> f64 {
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
impl Held {
    /// How many rows it has.
    pub(super) fn count(&self) -> usize {
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

    pub(super) fn rows(&self, solids: &[Solid], out: &mut Vec<Row>) {
        let (places, axes) = self.now(solids);
        let apart = places[0] - places[1];
        // One point for both, so that impulses there keep angular momentum however far they are apart.
        let between = [(places[0] + places[1]) * 0.5; 2];
        let side = solids[self.solids[0] as usize].turn.turn(self.side);
        let sides = [side, axes[0].cross(side)];
        let limit = |row: Row| Row { limit: true, ..row };
        match self.kind {
            JointKind::Ball { swing } => {
                out.extend(Point::AXES.map(|way| self.row(solids, way, between, apart.dot(way))));
                if let Some(most) = swing {
                    let cross = axes[0].cross(axes[1]);
                    let angle = libm::atan2(cross.norm(), axes[0].dot(axes[1]));
                    let about = if cross == Point::ZERO { side } else { cross.unit() };
                    out.push(limit(self.turn_row(about, most - angle)));
                }
            }
            JointKind::Hinge { range } => {
                // Along its own axis last: of a ring of hinges that row says what others say.
                let ways = [sides[0], sides[1], axes[0]];
                out.extend(ways.map(|way| self.row(solids, way, between, apart.dot(way))));
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
