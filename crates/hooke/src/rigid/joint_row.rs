//! A joint as rows: `C = 0` with `Ċ = J v`, and limits `C ≥ 0`.

use super::JointKind;
use super::solver::SolverBody;
use crate::math::{Quat, Vec3};

/// A joint in the axes of its bodies.
#[derive(Clone, Copy, Debug)]
pub(super) struct JointFrame {
    pub(super) solver_bodies: [u32; 2],
    pub(super) anchors: [Vec3; 2],
    pub(super) axes: [Vec3; 2],
    /// A direction across the axis, in the first.
    pub(super) side: Vec3,
    /// The turn of the second seen from the first.
    pub(super) rotation: Quat,
    pub(super) kind: JointKind,
}
/// One row: `J v = direction·(v_a − v_b) + turns_a·ω_a − turns_b·ω_b`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Row {
    pub(super) solver_bodies: [u32; 2],
    pub(super) direction: Vec3,
    pub(super) rotations: [Vec3; 2],
    /// C.
    pub(super) value: f64,
    /// Whether it is a limit.
    pub(super) limit: bool,
}

impl Row {
    pub(super) fn rate(&self, solver_bodies: &[SolverBody]) -> f64 {
        let [a, b] = self.solver_bodies.map(|solid| &solver_bodies[solid as usize]);
        self.direction.dot(a.linear - b.linear) + self.rotations[0].dot(a.angular)
            - self.rotations[1].dot(b.angular)
    }

    pub(super) fn push(&self, solver_bodies: &mut [SolverBody], lambda: f64) {
        for (k, sign) in [(0, lambda), (1, -lambda)] {
            let solid = &mut solver_bodies[self.solver_bodies[k] as usize];
            solid.linear += self.direction * (sign * solid.inverse_mass);
            solid.angular += solid.inverse_inertia * (self.rotations[k] * sign);
        }
    }

    /// `J M⁻¹ J'ᵀ` with another row.
    pub(super) fn meets(&self, other: &Self, solver_bodies: &[SolverBody]) -> f64 {
        let mut sum = 0.0;
        for (k, sign) in [(0, 1.0), (1, -1.0)] {
            for (l, other_sign) in [(0, 1.0), (1, -1.0)] {
                if self.solver_bodies[k] == other.solver_bodies[l] {
                    let solid = &solver_bodies[self.solver_bodies[k] as usize];
                    let rotation =
                        self.rotations[k].dot(solid.inverse_inertia * other.rotations[l]);
                    let linear = self.direction.dot(other.direction) * solid.inverse_mass;
                    sum += sign * other_sign * (linear + rotation);
                }
            }
        }
        sum
    }
}
impl JointFrame {
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
    fn now(&self, solver_bodies: &[SolverBody]) -> ([Vec3; 2], [Vec3; 2]) {
        let at = |k: usize| &solver_bodies[self.solver_bodies[k] as usize];
        let anchors = [0, 1].map(|k| at(k).position + at(k).rotation.rotate(self.anchors[k]));
        let axes = [0, 1].map(|k| at(k).rotation.rotate(self.axes[k]));
        (anchors, axes)
    }

    fn row(
        &self,
        solver_bodies: &[SolverBody],
        direction: Vec3,
        points: [Vec3; 2],
        value: f64,
    ) -> Row {
        let rotation = |k: usize| {
            (points[k] - solver_bodies[self.solver_bodies[k] as usize].position).cross(direction)
        };
        Row {
            solver_bodies: self.solver_bodies,
            direction,
            rotations: [rotation(0), rotation(1)],
            value,
            limit: false,
        }
    }

    fn rotate_row(&self, axis: Vec3, value: f64) -> Row {
        Row {
            solver_bodies: self.solver_bodies,
            direction: Vec3::ZERO,
            rotations: [axis; 2],
            value,
            limit: false,
        }
    }

    /// How the second is turned against where it started, seen from the world.
    fn rotated(&self, solver_bodies: &[SolverBody]) -> Quat {
        let [a, b] = self.solver_bodies.map(|solid| solver_bodies[solid as usize].rotation);
        b * (a * self.rotation).inverse()
    }

    pub(super) fn rows(&self, solver_bodies: &[SolverBody], out: &mut Vec<Row>) {
        let (points, axes) = self.now(solver_bodies);
        let apart = points[0] - points[1];
        // One point for both, so that impulses there keep angular momentum however far they are apart.
        let between = [(points[0] + points[1]) * 0.5; 2];
        let side = solver_bodies[self.solver_bodies[0] as usize].rotation.rotate(self.side);
        let sides = [side, axes[0].cross(side)];
        let limit = |row: Row| Row { limit: true, ..row };
        match self.kind {
            JointKind::Ball { swing } => {
                out.extend(Vec3::AXES.map(|direction| {
                    self.row(solver_bodies, direction, between, apart.dot(direction))
                }));
                if let Some(most) = swing {
                    let cross = axes[0].cross(axes[1]);
                    let angle = libm::atan2(cross.norm(), axes[0].dot(axes[1]));
                    let about = if cross == Vec3::ZERO { side } else { cross.unit() };
                    out.push(limit(self.rotate_row(about, most - angle)));
                }
            }
            JointKind::Hinge { range } => {
                // Along its own axis last: of a ring of hinges that row says what others say.
                let directions = [sides[0], sides[1], axes[0]];
                out.extend(directions.map(|direction| {
                    self.row(solver_bodies, direction, between, apart.dot(direction))
                }));
                let error = axes[1].cross(axes[0]);
                out.extend(sides.map(|side| self.rotate_row(side, error.dot(side))));
                if let Some([low, high]) = range {
                    let angle = self.rotated(solver_bodies).angle_about(axes[0]);
                    out.push(limit(self.rotate_row(-axes[0], angle - low)));
                    out.push(limit(self.rotate_row(axes[0], high - angle)));
                }
            }
            JointKind::Slider { range } => {
                let at = [points[1]; 2];
                out.extend(sides.map(|side| self.row(solver_bodies, side, at, apart.dot(side))));
                let error = self.rotated(solver_bodies).vector();
                out.extend(Vec3::AXES.map(|axis| self.rotate_row(axis, -error.dot(axis))));
                if let Some([low, high]) = range {
                    let travel = -apart.dot(axes[0]);
                    out.push(limit(self.row(solver_bodies, -axes[0], at, travel - low)));
                    out.push(limit(self.row(solver_bodies, axes[0], at, high - travel)));
                }
            }
            JointKind::Distance { range: [low, high] } => {
                let (direction, length) = (apart.unit(), apart.norm());
                if low == high {
                    out.push(self.row(solver_bodies, direction, points, length - low));
                } else {
                    out.push(limit(self.row(solver_bodies, direction, points, length - low)));
                    out.push(limit(self.row(solver_bodies, -direction, points, high - length)));
                }
            }
        }
    }
}
