//! What sweeps work with, and which targets and children each joint moves.

use super::least_squares::Rotation;
use super::{Chain, Target};
use crate::math::{Quat, Vec3};

/// What sweeps work with.
#[derive(Default)]
pub(super) struct Work {
    pub(super) below: Below,
    /// The length of the chain (m): of the longest path from a target's joint to the root.
    pub(super) length: f64,
    pub(super) ends: Vec<Vec3>,
    pub(super) wanted: Vec<Vec3>,
    pub(super) pulls: Vec<(Vec3, f64)>,
    pub(super) damping: f64,
    /// What is missing (m), times the root of the targets' weights.
    pub(super) missing: Vec<f64>,
    pub(super) matrix: Vec<f64>,
    pub(super) rhs: Vec<f64>,
    pub(super) rotations: Vec<Rotation>,
    pub(super) columns: Vec<Vec3>,
    pub(super) kept: Vec<Quat>,
    /// Whether a sweep found nothing that helps.
    pub(super) stuck: bool,
    /// Whether no joint on the path to a target has limits.
    pub(super) free: bool,
    /// The joints from a target's to the root.
    pub(super) path: Vec<usize>,
}

/// For each joint the targets whose joints it moves, and the children on the path to them.
#[derive(Default)]
pub(super) struct Below {
    firsts: Vec<[u32; 2]>,
    targets: Vec<u32>,
    children: Vec<u32>,
    known: Vec<usize>,
    parents: Vec<Option<usize>>,
}

impl Below {
    pub(super) fn fit(&mut self, chain: &Chain, targets: &[Target]) {
        let joints = targets.iter().map(|target| target.joint);
        let parents = chain.joints().iter().map(|joint| joint.parent);
        let same = joints.clone().eq(self.known.iter().copied())
            && parents.clone().eq(self.parents.iter().copied());
        if same && !self.firsts.is_empty() {
            return;
        }
        self.known.clear();
        self.known.extend(joints);
        self.parents.clear();
        self.parents.extend(parents);
        self.targets.clear();
        self.children.clear();
        self.firsts.clear();
        let mut of = vec![Vec::new(); chain.len()];
        let mut children = vec![Vec::new(); chain.len()];
        for (k, target) in (0..).zip(targets) {
            let mut child = target.joint;
            for joint in chain.path(target.joint).skip(1) {
                of[joint].push(k);
                if !children[joint].contains(&(child as u32)) {
                    children[joint].push(child as u32);
                }
                child = joint;
            }
        }
        for (of, children) in of.iter().zip(&children) {
            self.firsts.push([self.targets.len() as u32, self.children.len() as u32]);
            self.targets.extend(of);
            self.children.extend(children);
        }
        self.firsts.push([self.targets.len() as u32, self.children.len() as u32]);
    }

    /// Targets of joints below a joint.
    pub(super) fn of(&self, joint: usize) -> &[u32] {
        &self.targets[self.span(joint)]
    }

    /// Where [`Below::of`] a joint lies among those of all joints.
    pub(super) fn span(&self, joint: usize) -> std::ops::Range<usize> {
        self.firsts[joint][0] as usize..self.firsts[joint + 1][0] as usize
    }

    /// Children of a joint on the path to targets.
    pub(super) fn children(&self, joint: usize) -> &[u32] {
        &self.children[self.firsts[joint][1] as usize..self.firsts[joint + 1][1] as usize]
    }
}
