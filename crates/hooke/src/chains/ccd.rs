//! Cyclic coordinate descent: from the last joint to the root, each turns so that the end, the joint
//! and the target line up.
//!
//! A ball joint turns by the least rotation that takes `a = e − p` to `b = t − p`; a hinge with axis u by
//! the angle that brings them nearest, `atan2(u·(a×b), a·b − (u·a)(u·b))`. With several ends below a
//! joint, both are sums over them, weighted, and a ball joint turns about `Σ w a×b`.
//!
//! The turn is found in the world and made in the parent's frame; ends move with it at once, joints in
//! between when the sweep is over. Wang & Chen 1991.

use super::line::Line;
use super::work::Work;
use super::{Chain, Freedom, Pose, Target};
use crate::math::{Point, Quat};

/// One sweep.
pub(super) fn sweep(chain: &Chain, pose: &mut Pose, targets: &[Target], work: &mut Work) {
    let Work { ends, below, .. } = work;
    ends.clear();
    ends.extend(targets.iter().map(|target| pose.places()[target.joint]));
    for joint in (0..chain.len()).rev() {
        let own = below.of(joint);
        let freedom = &chain.joints()[joint].freedom;
        if own.is_empty() || *freedom == Freedom::Fixed {
            continue;
        }
        let pivot = pose.places()[joint];
        let pairs = own.iter().map(|&k| {
            let target = &targets[k as usize];
            (ends[k as usize] - pivot, target.place - pivot, target.weight)
        });
        let q = match freedom {
            Freedom::Hinge { axis, .. } => {
                let axis = pose.base(chain, joint).turn(axis.unit());
                Quat::about(axis, best_angle(axis, pairs))
            }
            _ => best_turn(pairs),
        };
        let before = pose.rotations()[joint];
        pose.turn_alone(chain, joint, q);
        let done = pose.rotations()[joint] * before.inverse();
        for &k in own {
            let end = &mut ends[k as usize];
            *end = pivot + done.turn(*end - pivot);
        }
    }
    pose.follow(chain, 0);
}

/// An arm as short as this (m) has no direction.
const SHORT: f64 = 1e-100;

/// One sweep over places. A turned end lies on the line from the joint to the target, as far away as before;
/// a bone turns with every joint above it, so by `q_root … q_j`.
pub(super) fn sweep_line(line: &mut Line, target: Point) {
    let Line { places, turned, turns, .. } = line;
    let n = places.len();
    turned.resize(n, Quat::IDENTITY);
    turns.resize(n, Quat::IDENTITY);
    let mut arm = Point::ZERO;
    for k in 1..n {
        arm += places[k - 1] - places[k];
        let (length, way) = (arm.norm(), (target - places[k]).unit());
        turns[k] = Quat::IDENTITY;
        if length > SHORT && way != Point::ZERO {
            turns[k] = Quat::from_to(arm, length, way);
            arm = way * length;
        }
    }
    let mut all = Quat::IDENTITY;
    let mut above = places[n - 1];
    for k in (1..n).rev() {
        all = all * turns[k];
        turned[k] = all * turned[k];
        let bone = places[k - 1] - above;
        above = places[k - 1];
        places[k - 1] = places[k] + all.turn(bone);
    }
}

/// The turn that takes all `a` nearest to their `b`: the least one for a single pair.
pub(super) fn best_turn(mut pairs: impl Iterator<Item = (Point, Point, f64)> + Clone) -> Quat {
    let all = pairs.clone();
    match (pairs.next(), pairs.next()) {
        (Some((a, b, _)), None) => Quat::between(a, b),
        _ => {
            let axis = all.clone().fold(Point::ZERO, |sum, (a, b, w)| sum + a.cross(b) * w).unit();
            Quat::about(axis, best_angle(axis, all))
        }
    }
}

/// The angle (rad) about the unit vector `axis` that takes all `a` nearest to their `b`.
pub(super) fn best_angle(axis: Point, pairs: impl Iterator<Item = (Point, Point, f64)>) -> f64 {
    let mut sum = [0.0; 2];
    for (a, b, w) in pairs {
        sum[0] += w * axis.dot(a.cross(b));
        sum[1] += w * (a.dot(b) - axis.dot(a) * axis.dot(b));
    }
    // Where nothing lies off the axis, no angle is better than none.
    if sum == [0.0; 2] { 0.0 } else { libm::atan2(sum[0], sum[1]) }
}
