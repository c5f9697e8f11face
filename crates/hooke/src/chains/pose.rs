//! How the joints of a chain are turned, and where that puts them.

use super::{Chain, Joint, Target};
use crate::math::{Quat, Vec3, noise};

/// The rotations of all joints, with rotations and positions in the world kept up to date: a change is
/// followed through the joints below it and nowhere else.
#[derive(Clone, Debug, PartialEq)]
pub struct ChainPose {
    /// Away from rest, in the frame of rest: `R^loc = rest · turn`.
    rotations: Vec<Quat>,
    world: Vec<Quat>,
    positions: Vec<Vec3>,
}

impl ChainPose {
    pub(super) fn new(chain: &Chain) -> Self {
        let n = chain.len();
        let mut pose = Self {
            rotations: chain.joints().iter().map(|j| j.limits.nearest(Quat::IDENTITY)).collect(),
            world: vec![Quat::IDENTITY; n],
            positions: vec![Vec3::ZERO; n],
        };
        pose.update_forward(chain, 0);
        pose
    }

    /// How each joint is turned away from its rest.
    pub fn local_rotations(&self) -> &[Quat] {
        &self.rotations
    }

    /// The rotation of each joint's frame in the world.
    pub fn world_rotations(&self) -> &[Quat] {
        &self.world
    }

    /// Where each joint is (m).
    pub fn positions(&self) -> &[Vec3] {
        &self.positions
    }

    /// Turns a joint away from its rest by what of `turn` it is free to.
    pub fn set_rotation(&mut self, chain: &Chain, joint: usize, rotation: Quat) {
        self.rotate_to(chain, joint, rotation);
        self.update_forward(chain, joint);
    }

    /// Turns all joints, as [`ChainPose::set_rotation`] does; rotations beyond those given stay.
    pub fn set_rotations(&mut self, chain: &Chain, rotations: &[Quat]) {
        for ((own, rotation), joint) in self.rotations.iter_mut().zip(rotations).zip(chain.joints())
        {
            *own = joint.limits.nearest(*rotation).unit();
        }
        self.update_forward(chain, 0);
    }

    /// Turns the joints that move targets to where `key` picks within their limits.
    pub(super) fn scatter(&mut self, chain: &Chain, targets: &[Target], key: u64) {
        for joint in targets.iter().flat_map(|target| chain.path(target.joint).skip(1)) {
            let random = |axis: u64| {
                let bits = noise::mix(noise::mix(key ^ (joint as u64) << 3) ^ axis);
                (bits >> 11) as f64 / (1_u64 << 53) as f64
            };
            let rotation = chain.joints()[joint].limits.pick([random(0), random(1), random(2)]);
            self.rotations[joint] = chain.joints()[joint].limits.nearest(rotation).unit();
        }
        self.update_forward(chain, 0);
    }

    /// Puts this pose where another is.
    pub fn copy_from(&mut self, other: &Self) {
        self.rotations.clone_from(&other.rotations);
        self.world.clone_from(&other.world);
        self.positions.clone_from(&other.positions);
    }

    /// Turns a joint by `q`, which is given in the world: in the parent's frame it is
    /// `R_i⁻¹ q R_i`. What the joint is not free to do is left out.
    pub(super) fn rotate_by(&mut self, chain: &Chain, joint: usize, q: Quat) {
        self.rotate_alone(chain, joint, q);
        self.update_forward(chain, joint);
    }

    /// As [`ChainPose::rotate_by`]; joints below do not follow yet.
    pub(super) fn rotate_alone(&mut self, chain: &Chain, joint: usize, q: Quat) {
        let base = self.base(chain, joint);
        self.rotate_to(chain, joint, base.inverse() * q * base * self.rotations[joint]);
    }

    /// Turns a joint away from its rest by what of `turn` it is free to; joints below do not follow yet.
    pub(super) fn rotate_to(&mut self, chain: &Chain, joint: usize, rotation: Quat) {
        self.rotations[joint] = chain.joints()[joint].limits.nearest(rotation).unit();
        self.world[joint] = self.base(chain, joint) * self.rotations[joint];
    }

    /// The frame in which a joint's turn is given: `R_i rest`.
    pub(super) fn base(&self, chain: &Chain, joint: usize) -> Quat {
        let Joint { parent, rest, .. } = chain.joints()[joint];
        parent.map_or(rest, |parent| self.world[parent] * rest)
    }

    /// Puts a joint where its parent has it.
    pub(super) fn update_joint(&mut self, chain: &Chain, joint: usize) {
        let Joint { parent, offset, .. } = chain.joints()[joint];
        self.positions[joint] = match parent {
            None => offset,
            Some(parent) => self.positions[parent] + self.world[parent].rotate(offset),
        };
    }

    /// Brings a joint and all below it up to date.
    pub(super) fn update_forward(&mut self, chain: &Chain, joint: usize) {
        for j in joint..chain.below(joint).end {
            self.update_joint(chain, j);
            self.world[j] = self.base(chain, j) * self.rotations[j];
        }
    }

    /// The greatest angle (rad) by which a joint is turned otherwise in `other`.
    pub fn apart(&self, other: &Self) -> f64 {
        let both = self.rotations.iter().zip(&other.rotations);
        both.map(|(a, b)| (*a * b.inverse()).angle()).fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chains::JointLimits;

    /// A root with two arms of three bones.
    pub(crate) fn tree() -> Chain {
        let joint = |parent: Option<usize>, offset: [f64; 3]| Joint {
            parent,
            offset: offset.into(),
            rest: Quat::about(Vec3::new(0.1, 0.5, -0.3), 0.4),
            limits: JointLimits::FREE,
        };
        Chain::new(vec![
            joint(None, [0.3, 0.0, 0.1]),
            joint(Some(0), [0.0, 1.0, 0.0]),
            joint(Some(1), [0.5, 0.2, 0.0]),
            joint(Some(2), [0.4, 0.0, 0.1]),
            joint(Some(1), [-0.5, 0.2, 0.0]),
            joint(Some(4), [-0.4, 0.0, 0.2]),
        ])
        .unwrap()
    }

    #[test]
    fn a_turn_moves_what_is_below_and_nothing_else() {
        let chain = tree();
        let mut pose = chain.rest();
        let before = pose.clone();
        pose.set_rotation(&chain, 2, Quat::about(Vec3::new(1.0, 1.0, 0.0), 0.7));
        for j in 0..chain.len() {
            assert_eq!(pose.positions()[j] != before.positions()[j], j == 3, "joint {j}");
        }
        let mut whole = chain.rest();
        whole.set_rotations(&chain, pose.local_rotations());
        assert_eq!(whole, pose);
    }

    #[test]
    fn turns_in_the_world_are_turns_in_the_world() {
        let chain = tree();
        let mut pose = chain.rest();
        pose.set_rotation(&chain, 0, Quat::about(Vec3::AXES[1], 0.8));
        let q = Quat::about(Vec3::new(0.2, -1.0, 0.4), 0.6);
        let (pivot, before) = (pose.positions()[1], pose.positions().to_vec());
        pose.rotate_by(&chain, 1, q);
        for j in 2..chain.len() {
            let expected = pivot + q.rotate(before[j] - pivot);
            assert!((pose.positions()[j] - expected).norm() < 1e-14, "joint {j}");
        }
    }

    #[test]
    fn bones_keep_their_lengths() {
        let chain = tree();
        let mut pose = chain.rest();
        for k in 0..1000_usize {
            let axis = Vec3::new(libm::sin(k as f64), libm::cos(2.0 * k as f64), 0.3);
            pose.rotate_by(&chain, k % chain.len(), Quat::about(axis, 0.9));
        }
        for (joint, &position) in chain.joints().iter().zip(pose.positions()).skip(1) {
            let length = (position - pose.positions()[joint.parent.unwrap()]).norm();
            assert!((length - joint.offset.norm()).abs() < 1e-12);
        }
    }
}
