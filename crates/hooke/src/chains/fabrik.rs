//! Forward and backward reaching: positions first, turns after them.
//!
//! Backward: from the targets to the root every joint is pulled to the length of its bone from the
//! child that has moved, `d_j = d_c + l_c (p_j − d_c)/|p_j − d_c|`; several children pull to the mean.
//! Forward: from the root, whose position is kept, every joint turns its bones toward where the children
//! want to be, and the children go where the bones then end.
//!
//! A joint with one such bone takes the turn from rest that twists least; with several, the one that fits
//! best from where it is. Limits are kept in the forward pass, so the next backward pass starts from what
//! is possible. Places alone know nothing of limits and may come to rest against them: where both passes
//! helped little, joints then turn one by one, as in [`super::ccd`]. Where nothing is limited, no pass takes
//! the end further away, and turns are found once, after the last. Aristidou & Lasenby 2011.

use super::ccd::{self, best_rotation};
use super::line::Line;
use super::solver::squares;
use super::work::Work;
use super::{Chain, ChainPose, JointLimits, Target};
use crate::math::{Quat, Vec3};

/// The part of the squares that both passes must take away where limits may stop them.
const HELPS: f64 = 0.2;

/// One backward and one forward pass.
pub(super) fn sweep(chain: &Chain, pose: &mut ChainPose, targets: &[Target], work: &mut Work) {
    if work.free {
        return passes(chain, pose, targets, work);
    }
    let before = squares(pose, targets);
    work.kept.clear();
    work.kept.extend_from_slice(pose.local_rotations());
    passes(chain, pose, targets, work);
    let after = squares(pose, targets);
    if after > before {
        pose.set_rotations(chain, &work.kept);
    }
    if after > (1.0 - HELPS) * before {
        ccd::sweep(chain, pose, targets, work);
    }
}

fn passes(chain: &Chain, pose: &mut ChainPose, targets: &[Target], work: &mut Work) {
    let Work { wanted, below, pulls, .. } = work;
    pulls.clear();
    pulls.resize(chain.len(), (Vec3::ZERO, 0.0));
    wanted.clear();
    wanted.extend_from_slice(pose.positions());
    for target in targets {
        let (sum, weight) = &mut pulls[target.joint];
        *sum += target.position * target.weight;
        *weight += target.weight;
    }
    for joint in (1..chain.len()).rev() {
        let (sum, weight) = pulls[joint];
        if weight == 0.0 {
            continue;
        }
        wanted[joint] = sum * (1.0 / weight);
        if let Some(parent) = chain.joints()[joint].parent {
            let length = chain.lengths()[joint];
            let own = pose.positions()[parent] - wanted[joint];
            let along = if own.norm2() > 0.0 {
                own
            } else {
                pose.positions()[parent] - pose.positions()[joint]
            };
            let position = wanted[joint] + along.unit() * length;
            pulls[parent].0 += position * weight;
            pulls[parent].1 += weight;
        }
    }
    for joint in 0..chain.len() {
        pose.update_joint(chain, joint);
        let own = below.children(joint);
        let limits = &chain.joints()[joint].limits;
        let here = pose.positions()[joint];
        let base = pose.base(chain, joint);
        match own {
            [] => pose.rotate_alone(chain, joint, Quat::IDENTITY),
            [child] if matches!(limits, JointLimits::Ball { .. }) => {
                let bone = base.inverse().rotate(wanted[*child as usize] - here);
                let offset = chain.joints()[*child as usize].offset;
                pose.rotate_to(chain, joint, Quat::between(offset, bone));
            }
            _ => {
                let now = base * pose.local_rotations()[joint];
                let pairs = own.iter().map(|&child| {
                    let offset = chain.joints()[child as usize].offset;
                    (now.rotate(offset), wanted[child as usize] - here, 1.0)
                });
                let q = match limits {
                    JointLimits::Hinge { axis, .. } => {
                        let axis = base.rotate(axis.unit());
                        Quat::about(axis, ccd::best_angle(axis, pairs))
                    }
                    _ => best_rotation(pairs),
                };
                pose.rotate_alone(chain, joint, q);
            }
        }
    }
}

/// Both passes over positions.
pub(super) fn sweep_line(line: &mut Line, target: Vec3) {
    let Line { positions, lengths, .. } = line;
    let last = positions.len() - 1;
    let root = positions[last];
    let mut before = positions[0];
    positions[0] = target;
    for k in 1..last {
        let here = positions[k];
        positions[k] = pull(positions[k - 1], here, here - before, lengths[k - 1]);
        before = here;
    }
    before = root;
    for k in (0..last).rev() {
        let here = positions[k];
        positions[k] = pull(positions[k + 1], here, here - before, lengths[k]);
        before = here;
    }
}

/// The position at a distance (m) from another, toward `here`; along `otherwise` where they are the same.
#[inline]
fn pull(from: Vec3, here: Vec3, otherwise: Vec3, length: f64) -> Vec3 {
    let direction = here - from;
    let square = direction.norm2();
    if square > 1e-300 {
        return from + direction * (length / square.sqrt());
    }
    from + if direction == Vec3::ZERO { otherwise } else { direction }.unit() * length
}
