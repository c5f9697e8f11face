//! A chain without limits and with one target, as the positions of its joints: all that a sweep needs.
//!
//! How joints are turned is found when the solve is over.

use super::{Chain, ChainPose};
use crate::math::{Quat, Vec3};

/// The joints from the target's, which is the first, to the root.
#[derive(Default)]
pub(super) struct Line {
    joints: Vec<usize>,
    /// Where they are (m).
    pub(super) positions: Vec<Vec3>,
    /// How far each is from the next (m).
    pub(super) lengths: Vec<f64>,
    /// How far each has been turned in the world. Empty where sweeps move positions and turn nothing: then
    /// every joint takes the turn from rest that twists least.
    pub(super) rotated: Vec<Quat>,
    /// How far each is turned by one sweep.
    pub(super) rotations: Vec<Quat>,
}

impl Line {
    /// Takes the positions of a pose.
    pub(super) fn take(&mut self, chain: &Chain, pose: &ChainPose, end: usize) {
        let Self { joints, positions, lengths, rotated, .. } = self;
        joints.clear();
        joints.extend(chain.path(end));
        positions.clear();
        positions.extend(joints.iter().map(|&j| pose.positions()[j]));
        lengths.clear();
        lengths.extend(joints.iter().map(|&j| chain.lengths()[j]));
        rotated.clear();
    }

    /// Turns the joints of the pose so that they are at the positions.
    pub(super) fn put(&mut self, chain: &Chain, pose: &mut ChainPose) {
        let Self { joints, positions, rotated, .. } = self;
        for k in (1..joints.len()).rev() {
            let joint = joints[k];
            pose.update_joint(chain, joint);
            let back = pose.base(chain, joint).inverse();
            let rotation = match rotated.get(k) {
                Some(&by) => back * by * pose.world_rotations()[joint],
                None => {
                    let bone = positions[k - 1] - pose.positions()[joint];
                    Quat::between(chain.joints()[joints[k - 1]].offset, back.rotate(bone))
                }
            };
            pose.rotate_to(chain, joint, rotation);
        }
        // What hangs on the line follows; where nothing does, all but its end is there.
        pose.update_forward(chain, if joints.len() == chain.len() { joints[0] } else { 0 });
        rotated.fill(Quat::IDENTITY);
    }
}
