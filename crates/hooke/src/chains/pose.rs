//! How the joints of a chain are turned, and where that puts them.

use super::{Chain, Joint, Target};
use crate::math::{Point, Quat, noise};

/// The turns of all joints, with rotations and places in the world kept up to date: a change is
/// followed through the joints below it and nowhere else.
#[derive(Clone, Debug, PartialEq)]
pub struct Pose {
    /// Away from rest, in the frame of rest: `R^loc = rest · turn`.
    turns: Vec<Quat>,
    world: Vec<Quat>,
    places: Vec<Point>,
}

impl Pose {
    pub(super) fn new(chain: &Chain) -> Self {
        let n = chain.len();
        let mut pose = Self {
            turns: chain.joints().iter().map(|j| j.freedom.nearest(Quat::IDENTITY)).collect(),
            world: vec![Quat::IDENTITY; n],
            places: vec![Point::ZERO; n],
        };
        pose.follow(chain, 0);
        pose
    }

    /// How each joint is turned away from its rest.
    pub fn turns(&self) -> &[Quat] {
        &self.turns
    }

    /// The rotation of each joint's frame in the world.
    pub fn rotations(&self) -> &[Quat] {
        &self.world
    }

    /// Where each joint is (m).
    pub fn places(&self) -> &[Point] {
        &self.places
    }

    /// Turns a joint away from its rest by what of `turn` it is free to.
    pub fn set_turn(&mut self, chain: &Chain, joint: usize, turn: Quat) {
        self.turn_to(chain, joint, turn);
        self.follow(chain, joint);
    }

    /// Turns all joints, as [`Pose::set_turn`] does; turns beyond those given stay.
    pub fn set_turns(&mut self, chain: &Chain, turns: &[Quat]) {
        for ((own, turn), joint) in self.turns.iter_mut().zip(turns).zip(chain.joints()) {
            *own = joint.freedom.nearest(*turn).unit();
        }
        self.follow(chain, 0);
    }

    /// Turns the joints that move targets to where `key` picks within their limits.
    pub(super) fn scatter(&mut self, chain: &Chain, targets: &[Target], key: u64) {
        for joint in targets.iter().flat_map(|target| chain.path(target.joint).skip(1)) {
            let random = |axis: u64| {
                let bits = noise::mix(noise::mix(key ^ (joint as u64) << 3) ^ axis);
                (bits >> 11) as f64 / (1_u64 << 53) as f64
            };
            let turn = chain.joints()[joint].freedom.pick([random(0), random(1), random(2)]);
            self.turns[joint] = chain.joints()[joint].freedom.nearest(turn).unit();
        }
        self.follow(chain, 0);
    }

    /// Puts this pose where another is.
    pub fn copy_from(&mut self, other: &Self) {
        self.turns.clone_from(&other.turns);
        self.world.clone_from(&other.world);
        self.places.clone_from(&other.places);
    }

    /// Turns a joint by `q`, which is given in the world: in the parent's frame it is
    /// `R_i⁻¹ q R_i`. What the joint is not free to do is left out.
    pub(super) fn turn_by(&mut self, chain: &Chain, joint: usize, q: Quat) {
        self.turn_alone(chain, joint, q);
        self.follow(chain, joint);
    }

    /// As [`Pose::turn_by`]; joints below do not follow yet.
    pub(super) fn turn_alone(&mut self, chain: &Chain, joint: usize, q: Quat) {
        let base = self.base(chain, joint);
        self.turn_to(chain, joint, base.inverse() * q * base * self.turns[joint]);
    }

    /// Turns a joint away from its rest by what of `turn` it is free to; joints below do not follow yet.
    pub(super) fn turn_to(&mut self, chain: &Chain, joint: usize, turn: Quat) {
        self.turns[joint] = chain.joints()[joint].freedom.nearest(turn).unit();
        self.world[joint] = self.base(chain, joint) * self.turns[joint];
    }

    /// The frame in which a joint's turn is given: `R_i rest`.
    pub(super) fn base(&self, chain: &Chain, joint: usize) -> Quat {
        let Joint { parent, rest, .. } = chain.joints()[joint];
        parent.map_or(rest, |parent| self.world[parent] * rest)
    }

    /// Puts a joint where its parent has it.
    pub(super) fn place(&mut self, chain: &Chain, joint: usize) {
        let Joint { parent, offset, .. } = chain.joints()[joint];
        self.places[joint] = match parent {
            None => offset,
            Some(parent) => self.places[parent] + self.world[parent].turn(offset),
        };
    }

    /// Brings a joint and all below it up to date.
    pub(super) fn follow(&mut self, chain: &Chain, joint: usize) {
        for j in joint..chain.below(joint).end {
            self.place(chain, j);
            self.world[j] = self.base(chain, j) * self.turns[j];
        }
    }

    /// The greatest angle (rad) by which a joint is turned otherwise in `other`.
    pub fn apart(&self, other: &Self) -> f64 {
        let both = self.turns.iter().zip(&other.turns);
        both.map(|(a, b)| (*a * b.inverse()).angle()).fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chains::Freedom;

    /// A root with two arms of three bones.
    pub(crate) fn tree() -> Chain {
        let joint = |parent: Option<usize>, offset: [f64; 3]| Joint {
            parent,
            offset: offset.into(),
            rest: Quat::about(Point::new(0.1, 0.5, -0.3), 0.4),
            freedom: Freedom::FREE,
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
        pose.set_turn(&chain, 2, Quat::about(Point::new(1.0, 1.0, 0.0), 0.7));
        for j in 0..chain.len() {
            assert_eq!(pose.places()[j] != before.places()[j], j == 3, "joint {j}");
        }
        let mut whole = chain.rest();
        whole.set_turns(&chain, pose.turns());
        assert_eq!(whole, pose);
    }

    #[test]
    fn turns_in_the_world_are_turns_in_the_world() {
        let chain = tree();
        let mut pose = chain.rest();
        pose.set_turn(&chain, 0, Quat::about(Point::AXES[1], 0.8));
        let q = Quat::about(Point::new(0.2, -1.0, 0.4), 0.6);
        let (pivot, before) = (pose.places()[1], pose.places().to_vec());
        pose.turn_by(&chain, 1, q);
        for j in 2..chain.len() {
            let expected = pivot + q.turn(before[j] - pivot);
            assert!((pose.places()[j] - expected).norm() < 1e-14, "joint {j}");
        }
    }

    #[test]
    fn bones_keep_their_lengths() {
        let chain = tree();
        let mut pose = chain.rest();
        for k in 0..1000_usize {
            let axis = Point::new(libm::sin(k as f64), libm::cos(2.0 * k as f64), 0.3);
            pose.turn_by(&chain, k % chain.len(), Quat::about(axis, 0.9));
        }
        for (joint, &place) in chain.joints().iter().zip(pose.places()).skip(1) {
            let length = (place - pose.places()[joint.parent.unwrap()]).norm();
            assert!((length - joint.offset.norm()).abs() < 1e-12);
        }
    }
}
