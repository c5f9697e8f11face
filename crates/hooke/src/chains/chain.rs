//! How joints hang together.

use super::{ChainPose, JointLimits};
use crate::error::{ModelError, invalid_chain};
use crate::math::{Quat, Vec3};

/// A joint: where it sits on its parent and how it may turn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Joint {
    /// The joint it hangs on; `None` for the root.
    pub parent: Option<usize>,
    /// Where it is in its parent's frame (m); for the root, in the world.
    pub offset: Vec3,
    /// How it is turned in its parent's frame when it rests.
    pub rest: Quat,
    /// How it may turn away from that.
    pub limits: JointLimits,
}

/// A chain or tree of joints. The first is the root; parents come before their children.
#[derive(Clone, Debug)]
pub struct Chain {
    joints: Vec<Joint>,
    /// How far each is from its parent (m); 0 for the root.
    lengths: Vec<f64>,
    /// For each joint, one past the last that hangs on it.
    ends: Vec<usize>,
    /// Joints that nothing hangs on.
    leaves: Vec<usize>,
}

/// How far away anything may be (m), so that squares of distances are numbers.
pub(super) const FAR: f64 = 1e100;

/// Whether a position is near enough to compute with.
pub(super) fn within_reach(position: Vec3) -> bool {
    position.to_array().iter().all(|x| x.abs() <= FAR)
}

/// The most joints of a chain.
const MOST: usize = 100_000;

impl Chain {
    /// Of these joints.
    pub fn new(joints: Vec<Joint>) -> Result<Self, ModelError> {
        if joints.is_empty() || joints.len() > MOST {
            return invalid_chain(format!("a chain has 1 to {MOST} joints (got {})", joints.len()));
        }
        for (j, joint) in joints.iter().enumerate() {
            match joint.parent {
                None if j > 0 => {
                    return invalid_chain(format!(
                        "joint {j} has no parent: a chain has one root, which is its first joint"
                    ));
                }
                Some(parent) if parent >= j => {
                    return invalid_chain(format!(
                        "joint {j} hangs on joint {parent}: parents come before their children"
                    ));
                }
                _ => {}
            }
            if !within_reach(joint.offset) || !joint.rest.is_finite() {
                return invalid_chain(format!("joint {j} must be within {FAR:e} m of its parent"));
            }
            joint.limits.check(j)?;
        }
        let mut ends: Vec<usize> = (1..=joints.len()).collect();
        let mut leaf = vec![true; joints.len()];
        for j in (1..joints.len()).rev() {
            if let Some(parent) = joints[j].parent {
                ends[parent] = ends[parent].max(ends[j]);
                leaf[parent] = false;
            }
        }
        let leaves = (0..joints.len()).filter(|&j| leaf[j]).collect();
        let length = |joint: &Joint| joint.parent.map_or(0.0, |_| joint.offset.norm());
        let lengths = joints.iter().map(length).collect();
        Ok(Self { joints, lengths, ends, leaves })
    }

    /// Bones of these lengths (m) along x, one after the other: one joint more than bones.
    pub fn straight(lengths: &[f64], limits: JointLimits) -> Result<Self, ModelError> {
        let bone = |&length: &f64| Vec3::new(length, 0.0, 0.0);
        let offsets = std::iter::once(Vec3::ZERO).chain(lengths.iter().map(bone));
        Self::new(
            offsets
                .enumerate()
                .map(|(j, offset)| Joint {
                    parent: j.checked_sub(1),
                    offset,
                    rest: Quat::IDENTITY,
                    limits,
                })
                .collect(),
        )
    }

    /// The joints.
    pub fn joints(&self) -> &[Joint] {
        &self.joints
    }

    /// How far each joint is from its parent (m); 0 for the root.
    pub fn lengths(&self) -> &[f64] {
        &self.lengths
    }

    /// How many joints there are.
    pub fn len(&self) -> usize {
        self.joints.len()
    }

    /// Never: a chain has a root.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The joints that nothing hangs on.
    pub fn leaves(&self) -> &[usize] {
        &self.leaves
    }

    /// The joints that a turn of joint `j` moves lie in this range; others in it stay.
    pub fn below(&self, j: usize) -> std::ops::Range<usize> {
        j + 1..self.ends[j]
    }

    /// From a joint to the root, both included.
    pub fn path(&self, joint: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(joint), |&j| self.joints[j].parent)
    }

    /// Nothing turned beyond what limits ask for.
    pub fn rest(&self) -> ChainPose {
        ChainPose::new(self)
    }
}
