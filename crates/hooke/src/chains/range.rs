//! What a chain of free joints can reach, known before anything is tried.
//!
//! Bones of lengths l from a fixed root reach exactly the distances from `max(0, 2 l_max − Σl)` to `Σl`.
//! Too far, the best is straight toward the target; too near, the longest bone against the others
//! folded back.

use super::{Chain, ChainPose};
use crate::math::{Quat, Vec3};

/// The distances from the root (m) that an end can have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// The least.
    pub near: f64,
    /// The largest.
    pub far: f64,
}

/// The range of a joint, where every joint above it turns freely; `None` where limits make it another.
pub fn reachable(chain: &Chain, joint: usize) -> Option<Range> {
    let mut longest = 0.0_f64;
    let mut sum = 0.0;
    for j in chain.path(joint) {
        let length = chain.lengths()[j];
        (longest, sum) = (longest.max(length), sum + length);
    }
    let limited = |j: usize| !chain.joints()[j].limits.is_free();
    if chain.path(joint).skip(1).any(limited) {
        return None;
    }
    Some(Range { near: (2.0 * longest - sum).max(0.0), far: sum })
}

/// Stretches the chain so that `joint` comes as near to a target out of its range as it can.
pub(super) fn point_at(
    chain: &Chain,
    pose: &mut ChainPose,
    joint: usize,
    target: Vec3,
    far: bool,
    path: &mut Vec<usize>,
) {
    let root = pose.positions()[0];
    let toward = (target - root).unit();
    // At the root every direction is as good: that of the end now.
    let toward =
        if toward == Vec3::ZERO { (pose.positions()[joint] - root).unit() } else { toward };
    let toward = if toward == Vec3::ZERO { Vec3::AXES[0] } else { toward };
    path.clear();
    path.extend(chain.path(joint));
    let length = |j: usize| chain.lengths()[j];
    let bones = &path[..path.len() - 1];
    let longest =
        bones.iter().rev().copied().reduce(|a, b| if length(b) > length(a) { b } else { a });
    for pair in path.windows(2).rev() {
        let (child, own) = (pair[0], pair[1]);
        pose.update_joint(chain, own);
        let along = if far || Some(child) == longest { toward } else { -toward };
        let bone = pose.base(chain, own).inverse().rotate(along);
        pose.set_rotation(chain, own, Quat::between(chain.joints()[child].offset, bone));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chains::JointLimits;

    #[test]
    fn ends_come_as_near_as_they_can() {
        let chain = Chain::straight(&[0.5, 2.0, 0.7, 0.3], JointLimits::FREE).unwrap();
        let range = reachable(&chain, 4).unwrap();
        assert!((range.near - 0.5).abs() < 1e-15 && (range.far - 3.5).abs() < 1e-15);
        let direction = Vec3::new(0.3, -0.5, 0.8).unit();
        for (distance, far, left) in [(5.0, true, 1.5), (0.2, false, 0.3), (0.0, false, 0.5)] {
            let mut pose = chain.rest();
            let target = direction * distance;
            point_at(&chain, &mut pose, 4, target, far, &mut Vec::new());
            let miss = (pose.positions()[4] - target).norm();
            assert!((miss - left).abs() < 1e-12, "{distance}: {miss}");
        }
    }

    #[test]
    fn limits_make_it_unknown() {
        let hinge = JointLimits::Hinge { axis: Vec3::AXES[2], limits: [-1.0, 1.0] };
        assert_eq!(reachable(&Chain::straight(&[1.0, 1.0], hinge).unwrap(), 2), None);
    }
}
