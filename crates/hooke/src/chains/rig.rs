//! A chain in a model: who solves it, what its ends follow, and which pins it carries.

use super::{Chain, ChainPose, Pole, SOLVERS, Settings, Smoothing, Solver};
use crate::error::{ModelError, invalid_chain};
use crate::handles::{AnchorId, ParticleId};
use crate::math::Vec3;

/// A chain with everything it needs to follow anchors of a model.
#[derive(Clone, Debug)]
pub struct Rig {
    /// The joints.
    pub chain: Chain,
    /// Who brings ends to their goals: a name of [`SOLVERS`].
    pub solver: &'static str,
    /// How hard it tries.
    pub settings: Settings,
    /// How it follows.
    pub smoothing: Smoothing,
    /// Where the bend leans, with one goal.
    pub pole: Option<Pole>,
    /// What its ends follow; with none it stays as it is.
    pub goals: Vec<Goal>,
    /// The pins it carries.
    pub carried: Vec<Carried>,
}

/// An anchor of the model that a joint follows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Goal {
    /// The joint.
    pub joint: usize,
    /// The anchor, as [`crate::Model::add_anchor`] gave it: it moves along keyframes, or as
    /// [`crate::Control::set_anchor`] says.
    pub anchor: AnchorId,
    /// How much it counts beside others, above 0.
    pub weight: f64,
}

/// A pinned particle that a joint takes along.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Carried {
    /// The particle. It is carried as long as it is pinned.
    pub particle: ParticleId,
    /// The joint.
    pub joint: usize,
    /// Where it is in the joint's frame (m).
    pub offset: Vec3,
}

impl Rig {
    /// A chain under a solver, without goals.
    pub fn new(chain: Chain, solver: &str) -> Result<Self, ModelError> {
        let solver = Solver::new(solver, Settings::default())?.info().name;
        let (settings, smoothing) = (Settings::default(), Smoothing::default());
        let (goals, carried) = (Vec::new(), Vec::new());
        Ok(Self { chain, solver, settings, smoothing, pole: None, goals, carried })
    }

    /// Lets a joint follow an anchor of the model.
    pub fn add_goal(&mut self, joint: usize, anchor: AnchorId) {
        self.goals.push(Goal { joint, anchor, weight: 1.0 });
    }

    /// Lets a joint take a pinned particle along, from where it is (m) while the chain rests.
    pub fn carry(
        &mut self,
        joint: usize,
        particle: impl Into<ParticleId>,
        at: Vec3,
    ) -> Result<(), ModelError> {
        self.carry_from(&self.chain.rest(), joint, particle, at)
    }

    /// As [`Rig::carry`], given the pose in which the chain rests: for many particles.
    pub fn carry_from(
        &mut self,
        rest: &ChainPose,
        joint: usize,
        particle: impl Into<ParticleId>,
        at: Vec3,
    ) -> Result<(), ModelError> {
        if joint >= self.chain.len() {
            return no_joint("a pin is carried by", joint, self.chain.len());
        }
        let offset = rest.world_rotations()[joint].inverse().rotate(at - rest.positions()[joint]);
        self.carried.push(Carried { particle: particle.into(), joint, offset });
        Ok(())
    }

    /// Where a carried particle is (m).
    pub(crate) fn position_of(pose: &ChainPose, carried: &Carried) -> Vec3 {
        let joint = carried.joint;
        pose.positions()[joint] + pose.world_rotations()[joint].rotate(carried.offset)
    }

    /// Whether a model with so many particles and anchors can hold it.
    pub(crate) fn check(&self, particles: usize, anchors: usize) -> Result<(), ModelError> {
        if !SOLVERS.iter().any(|info| info.name == self.solver) {
            Solver::new(self.solver, self.settings.clone())?;
        }
        for goal in &self.goals {
            if goal.joint >= self.chain.len() {
                return no_joint("a goal is for", goal.joint, self.chain.len());
            }
            if goal.anchor.index() >= anchors {
                return Err(ModelError::UnknownAnchor { anchor: goal.anchor });
            }
            if !goal.weight.is_finite() || goal.weight <= 0.0 {
                return invalid_chain(format!(
                    "the weight of a goal must be > 0 (got {})",
                    goal.weight
                ));
            }
        }
        if let Some(pole) = self.pole.filter(|pole| pole.joint >= self.chain.len()) {
            return no_joint("the pole is for", pole.joint, self.chain.len());
        }
        for carried in &self.carried {
            if carried.joint >= self.chain.len() {
                return no_joint("a pin is carried by", carried.joint, self.chain.len());
            }
            if carried.particle.index() >= particles || !carried.offset.is_finite() {
                return invalid_chain(format!(
                    "there is no particle {} to carry, or it is not near the joint",
                    carried.particle
                ));
            }
        }
        Ok(())
    }
}

fn no_joint<T>(what: &str, joint: usize, joints: usize) -> Result<T, ModelError> {
    invalid_chain(format!("{what} joint {joint}; the chain has {joints}"))
}
