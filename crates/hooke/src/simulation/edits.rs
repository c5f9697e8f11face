//! Edits between steps: a new state, a snapshot, a model that has grown.

use super::Simulation;
use crate::grab::ActiveGrab;
use crate::math::Vec3;
use crate::model::{Model, ModelError, wrong_state};
use crate::snapshot::Snapshot;
use crate::state::State;

/// Beyond this number of steps, a time in floating point cannot distinguish consecutive steps.
const MOST_STEPS: u64 = 1 << 53;

impl Simulation {
    /// Replaces positions and velocities; the method clears its memory.
    pub fn set_state(&mut self, state: State) -> Result<(), ModelError> {
        let n = self.model.particles();
        if state.positions.len() != n || state.velocities.len() != n {
            return wrong_state(format!("a state of this model has {n} positions and velocities"));
        }
        let rigid_bodies = self.model.rigid_bodies().len();
        if state.rigid_bodies.len() != rigid_bodies {
            return wrong_state(format!("a state of this model has {rigid_bodies} rigid bodies"));
        }
        if let Some(body) = state.rigid_bodies.iter().position(|body| !body.is_finite()) {
            return wrong_state(format!("pose and velocity of rigid body {body} must be finite"));
        }
        if let Some((particle, quantity)) = state.first_not_finite() {
            return wrong_state(format!("the {quantity} of particle {particle} must be finite"));
        }
        let joints = joints_of(&self.model);
        if state.joints.len() != joints || !state.joints.iter().all(|q| q.is_finite()) {
            return wrong_state(format!(
                "a state of this model has {joints} joint rotations, all finite"
            ));
        }
        if !state.time.is_finite() {
            return wrong_state(format!("the time of a state must be finite (got {})", state.time));
        }
        if state.step >= MOST_STEPS {
            return wrong_state(format!("a state is at most at step {MOST_STEPS}"));
        }
        let before = std::mem::replace(&mut self.state, state);
        for body in &mut self.state.rigid_bodies {
            body.pose.rotation = body.pose.rotation.unit();
        }
        self.start_anew();
        let finite = self.refuse_not_finite();
        if finite.is_err() {
            self.state = before;
            self.start_anew();
        }
        finite
    }

    /// Restarts at the current state, without history.
    fn start_anew(&mut self) {
        self.rigid_bodies.forget();
        self.before.copy_from(&self.state, &self.pool);
        self.origin = (self.state.step, self.state.time);
        self.control.fit(&self.model);
        self.chains.show(&self.model, &self.state);
        self.method.restore(&[]);
        self.report.clear();
        self.rebase();
        self.measure(false);
    }

    /// Rejects a state whose report would not be finite.
    pub(super) fn refuse_not_finite(&self) -> Result<(), ModelError> {
        match self.report.first_not_finite() {
            None => Ok(()),
            Some(quantity) => wrong_state(format!(
                "the {quantity} at the start is not finite: masses, stiffness, gravity, distances or \
                 speeds are too large to compute with"
            )),
        }
    }

    /// Resizes state and control to the model; new particles and bodies start at rest.
    pub(super) fn fit(&mut self) {
        for i in self.state.positions.len()..self.model.particles() {
            self.state.positions.push(self.model.rest()[i]);
            self.state.velocities.push(Vec3::ZERO);
        }
        let known = self.state.rigid_bodies.len().min(self.model.rigid_bodies().len());
        self.state
            .rigid_bodies
            .extend(self.model.rigid_bodies()[known..].iter().map(|body| body.start));
        let (model, joints) = (&self.model, &mut self.state.joints);
        if joints.len() != joints_of(model) {
            let rest =
                model.chains().iter().flat_map(|rig| rig.chain.rest().local_rotations().to_vec());
            joints.extend(rest.skip(joints.len()).collect::<Vec<_>>());
        }
        self.control.fit(&self.model);
    }

    /// Saves a snapshot.
    pub fn snapshot(&self) -> Snapshot {
        let mut memory = Vec::new();
        self.method.save(&mut memory);
        let mut rigid_memory = Vec::new();
        self.rigid_bodies.save(&mut rigid_memory);
        let (state, control) = (self.state.clone(), self.control.clone());
        Snapshot {
            state,
            control,
            memory,
            rigid_memory,
            grabs: self.grabs.clone(),
            origin: self.origin,
        }
    }

    /// Restores a snapshot of this model, method and kernels: the same steps follow, to the bit.
    /// The active grabs must be those of the snapshot.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), ModelError> {
        if snapshot.state.positions.len() > self.model.particles() {
            let (had, has) = (snapshot.state.positions.len(), self.model.particles());
            return wrong_state(format!(
                "the snapshot is of a model with {had} particles, this one has {has}"
            ));
        }
        if snapshot.state.rigid_bodies.len() > self.model.rigid_bodies().len() {
            let (had, has) = (snapshot.state.rigid_bodies.len(), self.model.rigid_bodies().len());
            return wrong_state(format!(
                "the snapshot is of a model with {had} rigid bodies, this one has {has}"
            ));
        }
        if snapshot.state.joints.len() > joints_of(&self.model) {
            let (had, has) = (snapshot.state.joints.len(), joints_of(&self.model));
            return wrong_state(format!(
                "the snapshot is of a model with {had} joints, this one has {has}"
            ));
        }
        if let Some(sentence) = other_grabs(&snapshot.grabs, &self.grabs) {
            return wrong_state(sentence);
        }
        self.rigid_bodies.prepare(&self.model)?;
        self.state.copy_from(&snapshot.state, &self.pool);
        self.control.clone_from(&snapshot.control);
        self.origin = snapshot.origin;
        self.fit();
        self.chains.show(&self.model, &self.state);
        self.before.copy_from(&self.state, &self.pool);
        self.method.restore(&snapshot.memory);
        self.rigid_bodies.restore(&snapshot.rigid_memory);
        self.frame_remainder = 0.0;
        self.report.clear();
        self.rebase();
        self.measure(false);
        self.refuse_not_finite()
    }
}

/// Why the grabs of a snapshot do not match those of a simulation, if they do not.
fn other_grabs(then: &[ActiveGrab], now: &[ActiveGrab]) -> Option<String> {
    let only_in = |one: &[ActiveGrab], other: &[ActiveGrab]| {
        one.iter().find(|grab| !other.contains(grab)).map(ActiveGrab::name)
    };
    if let Some(name) = only_in(now, then) {
        return Some(format!(
            "{name} is grabbed, but was not when the snapshot was taken: release it first"
        ));
    }
    only_in(then, now)
        .map(|name| format!("{name} was grabbed when the snapshot was taken, and no longer is"))
}

/// The number of joints in a model's chains.
fn joints_of(model: &Model) -> usize {
    model.chains().iter().map(|rig| rig.chain.len()).sum()
}
