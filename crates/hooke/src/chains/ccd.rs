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
use super::{Chain, ChainPose, JointLimits, Target};
use crate::math::{Quat, Vec3};

/// One sweep.
pub(super) fn sweep(chain: &Chain, pose: &mut ChainPose, targets: &[Target], work: &mut Work) {
    let Work { ends, below, .. } = work;
    ends.clear();
    ends.extend(targets.iter().map(|target| pose.positions()[target.joint]));
    for joint in (0..chain.len()).rev() {
        let own = below.of(joint);
        let limits = &chain.joints()[joint].limits;
        if own.is_empty() || *limits == JointLimits::Fixed {
            continue;
        }
        let pivot = pose.positions()[joint];
        let pairs = own.iter().map(|&k| {
            let target = &targets[k as usize];
            (ends[k as usize] - pivot, target.position - pivot, target.weight)
        });
        let q = match limits {
            JointLimits::Hinge { axis, .. } => {
                let axis = pose.base(chain, joint).rotate(axis.unit());
                Quat::about(axis, best_angle(axis, pairs))
            }
            _ => best_rotation(pairs),
        };
        let before = pose.world_rotations()[joint];
        pose.rotate_alone(chain, joint, q);
        let done = pose.world_rotations()[joint] * before.inverse();
        for &k in own {
            let end = &mut ends[k as usize];
            *end = pivot + done.rotate(*end - pivot);
        }
    }
    pose.update_forward(chain, 0);
}

/// An arm as short as this (m) has no direction.
const SHORT: f64 = 1e-100;

/// One sweep over positions. A turned end lies on the line from the joint to the target, as far away as before;
/// a bone turns with every joint above it, so by `q_root … q_j`.
pub(super) fn sweep_line(line: &mut Line, target: Vec3) {
    let Line { positions, rotated, rotations, .. } = line;
    let n = positions.len();
    rotated.resize(n, Quat::IDENTITY);
    rotations.resize(n, Quat::IDENTITY);
    let mut arm = Vec3::ZERO;
    for k in 1..n {
        arm += positions[k - 1] - positions[k];
        let (length, direction) = (arm.norm(), (target - positions[k]).unit());
        rotations[k] = Quat::IDENTITY;
        if length > SHORT && direction != Vec3::ZERO {
            rotations[k] = Quat::from_to(arm, length, direction);
            arm = direction * length;
        }
    }
    let mut all = Quat::IDENTITY;
    let mut above = positions[n - 1];
    for k in (1..n).rev() {
        all = all * rotations[k];
        rotated[k] = all * rotated[k];
        let bone = positions[k - 1] - above;
        above = positions[k - 1];
        positions[k - 1] = positions[k] + all.rotate(bone);
    }
}

/// The turn that takes all `a` nearest to their `b`: the least one for a single pair.
pub(super) fn best_rotation(mut pairs: impl Iterator<Item = (Vec3, Vec3, f64)> + Clone) -> Quat {
    let all = pairs.clone();
    match (pairs.next(), pairs.next()) {
        (Some((a, b, _)), None) => Quat::between(a, b),
        _ => {
            let axis = all.clone().fold(Vec3::ZERO, |sum, (a, b, w)| sum + a.cross(b) * w).unit();
            Quat::about(axis, best_angle(axis, all))
        }
    }
}

/// The angle (rad) about the unit vector `axis` that takes all `a` nearest to their `b`.
pub(super) fn best_angle(axis: Vec3, pairs: impl Iterator<Item = (Vec3, Vec3, f64)>) -> f64 {
    let mut sum = [0.0; 2];
    for (a, b, w) in pairs {
        sum[0] += w * axis.dot(a.cross(b));
        sum[1] += w * (a.dot(b) - axis.dot(a) * axis.dot(b));
    }
    // Where nothing lies off the axis, no angle is better than none.
    if sum == [0.0; 2] { 0.0 } else { libm::atan2(sum[0], sum[1]) }
}
