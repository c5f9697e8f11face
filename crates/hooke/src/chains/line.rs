//! A chain without limits and with one target, as the places of its joints: all that a sweep needs.
//!
//! How joints are turned is found when the solve is over.

use super::{Chain, Pose};
use crate::math::{Point, Quat};

/// The joints from the target's, which is the first, to the root.
#[derive(Default)]
pub(super) struct Line {
    joints: Vec<usize>,
    /// Where they are (m).
    pub(super) places: Vec<Point>,
    /// How far each is from the next (m).
    pub(super) lengths: Vec<f64>,
    /// How far each has been turned in the world. Empty where sweeps move places and turn nothing: then
    /// every joint takes the turn from rest that twists least.
    pub(super) turned: Vec<Quat>,
    /// How far each is turned by one sweep.
    pub(super) turns: Vec<Quat>,
}

impl Line {
    /// Takes the places of a pose.
    pub(super) fn take(&mut self, chain: &Chain, pose: &Pose, end: usize) {
        let Self { joints, places, lengths, turned, .. } = self;
        joints.clear();
        joints.extend(chain.path(end));
        places.clear();
        places.extend(joints.iter().map(|&j| pose.places()[j]));
        lengths.clear();
        lengths.extend(joints.iter().map(|&j| chain.lengths()[j]));
        turned.clear();
    }

    /// Turns the joints of the pose so that they are at the places.
    pub(super) fn put(&mut self, chain: &Chain, pose: &mut Pose) {
        let Self { joints, places, turned, .. } = self;
        for k in (1..joints.len()).rev() {
            let joint = joints[k];
            pose.place(chain, joint);
            let back = pose.base(chain, joint).inverse();
            let turn = match turned.get(k) {
                Some(&by) => back * by * pose.rotations()[joint],
                None => {
                    let bone = places[k - 1] - pose.places()[joint];
                    Quat::between(chain.joints()[joints[k - 1]].offset, back.turn(bone))
                }
            };
            pose.turn_to(chain, joint, turn);
        }
        // What hangs on the line follows; where nothing does, all but its end is there.
        pose.follow(chain, if joints.len() == chain.len() { joints[0] } else { 0 });
        turned.fill(Quat::IDENTITY);
    }
}
