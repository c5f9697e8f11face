//! Damped least squares: all joints turn at once, by the small turns that together come nearest.
//!
//! Turning joint j by ω moves an end by `ω × r`, `r = e − p_j`. With J the matrix of all of these and e what
//! is missing, `(J Jᵀ + λ² I) y = e` and the turns are `Jᵀ y`: `ω_j = Σ r × y` over the ends below, for
//! a hinge its part along the axis. λ grows where a step did not help and shrinks where it did, as
//! Levenberg and Marquardt do. A hinge that is pushed against its limit is left out, and the rest is solved
//! again. Wampler 1986; Nakamura & Hanafusa 1986.

use super::freedom::all_around;
use super::solver::squares;
use super::work::Work;
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
    work.ways.clear();
    work.ways.extend((0..chain.len()).map(|joint| match chain.joints()[joint].freedom {
        _ if work.below.of(joint).is_empty() => Way::No,
        Freedom::Fixed => Way::No,
        Freedom::Hinge { axis, .. } => Way::About(pose.base(chain, joint).turn(axis.unit())),
        Freedom::Ball { .. } => Way::Any,
    }));
    work.arms.clear();
    for (joint, &pivot) in pose.places().iter().enumerate() {
        let arm = |&k: &u32| {
            let target = &targets[k as usize];
            (pose.places()[target.joint] - pivot) * target.weight.sqrt()
        };
        work.arms.extend(work.below.of(joint).iter().map(arm));
    }
    solve(pose, targets, work);
    let mut again = false;
    for joint in 0..chain.len() {
        let freedom = chain.joints()[joint].freedom;
        if let (Freedom::Hinge { axis, limits }, Way::About(turned)) = (freedom, work.ways[joint])
            && !all_around(limits)
        {
            let [low, high] = limits;
            let angle = pose.turns()[joint].angle_about(axis.unit());
            let by = work.turns[joint].dot(turned);
            if (by > 0.0 && angle > high - 1e-9) || (by < 0.0 && angle < low + 1e-9) {
                work.ways[joint] = Way::No;
                again = true;
            }
        }
    }
    if again {
        solve(pose, targets, work);
    }
    // Children first: a joint's frame is that of its parent before it turns.
    for joint in (0..chain.len()).rev() {
        let turn = work.turns[joint];
        if turn != Point::ZERO {
            let turn = turn * (0.5 / turn.norm().max(1.0));
            // The turn by ω, but for terms of third order.
            pose.turn_alone(chain, joint, Quat { w: 1.0, v: turn }.unit());
        }
    }
    pose.follow(chain, 0);
}

/// How a joint may turn in a step.
#[derive(Clone, Copy)]
pub(super) enum Way {
    No,
    /// About a unit vector of the world.
    About(Point),
    Any,
}

/// `work.turns = Jᵀ (J Jᵀ + λ² I)⁻¹ e`. Weights stand on both sides, as √w.
fn solve(pose: &Pose, targets: &[Target], work: &mut Work) {
    let Work { matrix, rhs, below, turns, ways, arms, damping, length, .. } = work;
    let m = 3 * targets.len();
    matrix.clear();
    matrix.resize(m * m, 0.0);
    rhs.clear();
    for target in targets {
        rhs.extend((target.miss(pose) * target.weight.sqrt()).to_array());
    }
    for (joint, way) in ways.iter().enumerate() {
        let (own, arms) = (below.of(joint), &arms[below.span(joint)]);
        for (&k, &a) in own.iter().zip(arms) {
            for (&l, &b) in own.iter().zip(arms) {
                let block = match way {
                    Way::No => continue,
                    Way::About(axis) => axis.cross(a).outer(axis.cross(b)),
                    Way::Any => Mat3::IDENTITY * a.dot(b) - b.outer(a),
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
    turns.extend(ways.iter().enumerate().map(|(joint, way)| {
        let y = |k: u32| Point::from(std::array::from_fn(|axis| rhs[3 * k as usize + axis]));
        let own = below.of(joint).iter().zip(&arms[below.span(joint)]);
        let whole = own.fold(Point::ZERO, |sum, (&k, arm)| sum + arm.cross(y(k)));
        match way {
            Way::No => Point::ZERO,
            Way::About(axis) => *axis * axis.dot(whole),
            Way::Any => whole,
        }
    }));
}
