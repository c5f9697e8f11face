//! The chains of a simulation: once per step, before the dynamics, each chain follows its goals and
//! moves its pins.

use crate::chains::{ChainPose, Follower, Rig, Solver, Target};
use crate::control::Control;
use crate::math::Quat;
use crate::model::{Model, ModelError, ParticleId};
use crate::report::ChainReport;
use crate::state::State;

/// Data cached from step to step for speed; all of it can be derived from model and state.
#[derive(Default)]
pub(crate) struct Chains {
    list: Vec<Run>,
    targets: Vec<Target>,
    /// The pin of each attached particle, chain by chain.
    pins: Vec<Option<u32>>,
}

struct Run {
    follower: Follower,
    pose: ChainPose,
}

impl Chains {
    /// Applies edits of the model.
    pub(crate) fn fit(&mut self, model: &Model, state: &State) -> Result<(), ModelError> {
        self.list.clear();
        for rig in model.chains() {
            let mut solver = Solver::new(rig.solver, rig.settings.clone())?;
            solver.pole = rig.pole;
            let follower = Follower::new(solver, rig.smoothing.clone());
            self.list.push(Run { follower, pose: rig.chain.rest() });
        }
        self.pins.clear();
        let pin =
            |particle: ParticleId| model.pins().iter().position(|pin| pin.particle == particle);
        let carried = model.chains().iter().flat_map(|rig| &rig.carried);
        self.pins.extend(carried.map(|carried| pin(carried.particle).map(|pin| pin as u32)));
        self.show(model, state);
        Ok(())
    }

    /// Sets the poses from a state.
    pub(crate) fn show(&mut self, model: &Model, state: &State) {
        let mut rotations = &state.joints[..];
        for (run, rig) in self.list.iter_mut().zip(model.chains()) {
            let (own, rest) = rotations.split_at(rig.chain.len().min(rotations.len()));
            run.pose.set_rotations(&rig.chain, own);
            rotations = rest;
        }
    }

    /// The pose of a chain.
    pub(crate) fn pose(&self, chain: usize) -> Option<&ChainPose> {
        self.list.get(chain).map(|run| &run.pose)
    }

    /// Moves every chain toward its goals over a step of `h` (s) that ends at `time` (s), and moves
    /// the pins attached to it.
    pub(crate) fn step(
        &mut self,
        model: &Model,
        control: &mut Control,
        state: &mut State,
        [time, h]: [f64; 2],
        report: &mut Vec<ChainReport>,
    ) -> Result<(), ModelError> {
        report.resize_with(self.list.len(), ChainReport::default);
        self.show(model, state);
        let (mut first, mut pin) = (0, 0);
        let lists = self.list.iter_mut().zip(model.chains()).zip(report);
        for ((Run { follower, pose }, rig), chain_report) in lists {
            self.targets.clear();
            self.targets.extend(rig.goals.iter().map(|goal| Target {
                joint: goal.joint,
                position: control.anchor_at_end(model, goal.anchor.index(), time),
                weight: goal.weight,
            }));
            chain_report.clear();
            if !self.targets.is_empty() {
                let followed = follower.step(&rig.chain, pose, &self.targets, h)?;
                chain_report.take(&followed, follower.solver.errors());
            }
            let rotations: &mut [Quat] = &mut state.joints[first..first + rig.chain.len()];
            rotations.copy_from_slice(pose.local_rotations());
            first += rig.chain.len();
            for carried in &rig.carried {
                if let Some(pin) = self.pins[pin] {
                    control.lead_pin(pin as usize, Rig::position_of(pose, carried));
                }
                pin += 1;
            }
        }
        Ok(())
    }
}
