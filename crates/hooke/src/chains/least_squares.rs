//! Damped least squares: all joints turn at once, by the small turns that together come nearest.
//!
//! Turning joint j by ω moves an end by `ω × r`, `r = e − p_j`. With J the matrix of all of these and e what
//! is missing, `(J Jᵀ + λ² I) y = e` and the turns are `Jᵀ y`: `ω_j = Σ r × y` over the ends below, for
//! a hinge its part along the axis. λ grows where a step did not help and shrinks where it did, as
//! Levenberg and Marquardt do. A hinge that is pushed against its limit is left out, and the rest is solved
//! again. Wampler 1986; Nakamura & Hanafusa 1986.

use super::solver::{Work, squares};
use super::{Chain, Freedom, Pose, Target};
use crate::linalg::small;
use crate::math::{Mat3, Point, Quat};

/// λ²/L² at the start, and the least and the greatest.
pub(super) const DAMPING: f64 = 1e-3;
const LEAST: f64 = 1e-12;
const MOST: f64 = 1e6;

/// How often a step that does not help is tried again, shorter.
const TRIES: u32 = 12;

/// One step that helps, if there is one.
pub(super) fn sweep(chain: &Chain, pose: &mut Pose, targets: &[Target], work: &mut Work) {
    let before = squares(pose, targets);
    work.kept.clear();
    work.kept.extend_from_slice(pose.turns());
    for _ in 0..TRIES {
        step(chain, pose, targets, work);
        if squares(pose, targets) < before {
            work.damping = (0.3 * work.damping).max(LEAST);
            return;
        }
        pose.set_turns(chain, &work.kept);
        work.damping = (5.0 * work.damping).min(MOST);
    }
}

fn step(chain: &Chain, pose: &mut Pose, targets: &[Target], work: &mut Work) {
    work.blocked.clear();
    work.blocked.resize(chain.len(), false);
    solve(chain, pose, targets, work);
    let mut again = false;
    for joint in 0..chain.len() {
        if let Freedom::Hinge { axis, limits: [low, high] } = chain.joints()[joint].freedom {
            let axis = axis.unit();
            let angle = pose.turns()[joint].angle_about(axis);
            let by = work.turns[joint].dot(pose.base(chain, joint).turn(axis));
            let out = (by > 0.0 && angle > high - 1e-9) || (by < 0.0 && angle < low + 1e-9);
            work.blocked[joint] = out;
            again |= out;
        }
    }
    if again {
        solve(chain, pose, targets, work);
    }
    // Children first: a joint's frame is that of its parent before it turns.
    for joint in (0..chain.len()).rev() {
        let turn = work.turns[joint];
        if turn != Point::ZERO {
            pose.turn_alone(chain, joint, Quat::about(turn, turn.norm().min(1.0)));
        }
    }
    pose.follow(chain, 0);
}

/// `work.turns = Jᵀ (J Jᵀ + λ² I)⁻¹ e`.
fn solve(chain: &Chain, pose: &Pose, targets: &[Target], work: &mut Work) {
    let Work { matrix, rhs, below, turns, blocked, damping, length, .. } = work;
    let m = 3 * targets.len();
    matrix.clear();
    matrix.resize(m * m, 0.0);
    rhs.clear();
    // Weights stand on both sides, as √w.
    let roots = |k: u32| targets[k as usize].weight.sqrt();
    for target in targets {
        rhs.extend((target.miss(pose) * target.weight.sqrt()).to_array());
    }
    let arm = |k: u32, joint: usize| {
        (pose.places()[targets[k as usize].joint] - pose.places()[joint]) * roots(k)
    };
    for joint in 0..chain.len() {
        let own = below.of(joint);
        let axis = match chain.joints()[joint].freedom {
            Freedom::Fixed => continue,
            Freedom::Hinge { axis, .. } => Some(pose.base(chain, joint).turn(axis.unit())),
            Freedom::Ball { .. } => None,
        };
        if blocked[joint] {
            continue;
        }
        for &k in own {
            for &l in own {
                let (a, b) = (arm(k, joint), arm(l, joint));
                let block = match axis {
                    Some(axis) => axis.cross(a).outer(axis.cross(b)),
                    None => Mat3::IDENTITY * a.dot(b) - b.outer(a),
                };
                for (row, values) in block.0.iter().enumerate() {
                    for (column, value) in values.iter().enumerate() {
                        matrix[(3 * k as usize + row) * m + 3 * l as usize + column] += value;
                    }
                }
            }
        }
    }
    let damp = *damping * *length * *length;
    for k in 0..m {
        matrix[k * m + k] += damp;
    }
    // Damping keeps pivots above zero, but for rounding.
    small::factor(matrix, m, f64::MIN_POSITIVE);
    small::solve(matrix, rhs);
    turns.clear();
    turns.extend((0..chain.len()).map(|joint| {
        if blocked[joint] {
            return Point::ZERO;
        }
        let y = |k: u32| Point::from(std::array::from_fn(|axis| rhs[3 * k as usize + axis]));
        let own = below.of(joint).iter();
        let whole = own.fold(Point::ZERO, |sum, &k| sum + arm(k, joint).cross(y(k)));
        match chain.joints()[joint].freedom {
            Freedom::Fixed => Point::ZERO,
            Freedom::Hinge { axis, .. } => {
                let axis = pose.base(chain, joint).turn(axis.unit());
                axis * axis.dot(whole)
            }
            Freedom::Ball { .. } => whole,
        }
    }));
}
