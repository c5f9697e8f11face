//! A simulation: one model, one state, one method, and a fixed order of phases in a step.
//!
//! `phases` defines that order and `step` runs it. `chains` is its first phase. `plan` prepares a
//! step and chooses the number of substeps, `measure` fills the report, `edits` sets and restores
//! the state.

mod chains;
mod edits;
mod errors;
mod measure;
mod phases;
mod plan;
mod step;

pub use errors::{Diverged, StepError};
pub use phases::PHASES;
pub use plan::{MOST_SUBSTEPS, Substeps};

use crate::chains::ChainPose;
use crate::collision::SurfaceProjection;
use crate::compute::{SpringCache, SpringKernels};
use crate::contact::Projected;
use crate::control::Control;
use crate::grab::ActiveGrab;
use crate::kernels::Kernels;
use crate::math::Vec3;
use crate::methods::{Dissipation, IntoMethod, Method, NoParticles, Refusal};
use crate::model::{AnchorId, ChainId, ElementId, Model};
use crate::report::StepReport;
use crate::rigid::{RigidBodies, RigidBodySettings};
use crate::state::State;
use crate::thread_pool::ThreadPool;
use chains::Chains;
use plan::Plan;

/// One model, one state, one method.
///
/// ```
/// use hooke::methods::NewtonSettings;
/// use hooke::{Grid, Model, Simulation};
///
/// let mut model = Model::new();
/// let cloth = Grid::square(10).add_to(&mut model)?;
/// model.pin_at_rest(cloth.at(0, 0))?;
/// model.pin_at_rest(cloth.at(9, 0))?;
/// let mut simulation = Simulation::new(model, NewtonSettings::default(), 1.0 / 60.0)?;
/// let report = simulation.step()?;
/// assert_eq!(report.solve.unwrap().end, hooke::End::Converged);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Simulation {
    model: Model,
    spring_kernels: SpringKernels,
    /// Spring quantities of the last report, whether they belong to the current state, and the time
    /// (s) to compute them.
    spring_cache: SpringCache,
    spring_cache_is_current: bool,
    spring_seconds: f64,
    method: Box<dyn Method>,
    control: Control,
    /// The part of the control that belongs to the current substep.
    substep_control: Control,
    state: State,
    /// The state before the step.
    pub(crate) before: State,
    /// The state at the start of the current substep, if that is not `before`.
    substep_start: State,
    /// Positions after strain limiting (m).
    strain_limited: Vec<Vec3>,
    contact_projection: Projected,
    surface_projection: SurfaceProjection,
    /// Positions (m) after the method, if it keeps surfaces apart itself.
    after_dynamics: Vec<Vec3>,
    rigid_bodies: RigidBodies,
    chains: Chains,
    report: StepReport,
    pool: ThreadPool,
    kernels: Kernels,
    /// The length of a step (s).
    h: f64,
    substeps: Substeps,
    plan: Option<Plan>,
    /// The reference energy (J) for the energy change of the next report.
    energy: f64,
    dissipation: Dissipation,
    /// Positions and velocities at the middle of a substep, if dampers are evaluated there.
    midpoint: [Vec<Vec3>; 2],
    /// The step and time from which time is counted.
    origin: (u64, f64),
    /// Anchors of released grabs, to be reused.
    pub(crate) free_anchors: Vec<AnchorId>,
    pub(crate) grabs: Vec<ActiveGrab>,
    /// Frame time (s) that [`Simulation::advance`] has not simulated yet.
    pub(crate) frame_remainder: f64,
}

impl Simulation {
    /// Creates a simulation of a model at rest with steps of `h` seconds. The method is given by
    /// its settings, as a value, or by its name.
    pub fn new(model: Model, method: impl IntoMethod, h: f64) -> Result<Self, Refusal> {
        Self::with_substeps(model, method, h, Substeps::Auto)
    }

    /// Creates a simulation of rigid bodies at rest with steps of `h` seconds, without particles
    /// and without a method for them.
    pub fn rigid(model: Model, h: f64) -> Result<Self, Refusal> {
        Self::new(model, NoParticles, h)
    }

    /// As [`Simulation::new`], with the given substeps.
    pub fn with_substeps(
        model: Model,
        method: impl IntoMethod,
        h: f64,
        substeps: Substeps,
    ) -> Result<Self, Refusal> {
        let method = method.into_method()?;
        let state = State::at_rest(&model);
        let mut simulation = Self {
            control: Control::new(&model),
            substep_control: Control::new(&model),
            before: state.clone(),
            substep_start: state.clone(),
            state,
            model,
            spring_kernels: SpringKernels::default(),
            spring_cache: SpringCache::default(),
            spring_cache_is_current: false,
            spring_seconds: 0.0,
            method,
            strain_limited: Vec::new(),
            contact_projection: Projected::default(),
            surface_projection: SurfaceProjection::default(),
            after_dynamics: Vec::new(),
            rigid_bodies: RigidBodies::default(),
            chains: Chains::default(),
            report: StepReport::default(),
            pool: ThreadPool::new(1),
            kernels: Kernels::default(),
            h,
            substeps,
            plan: None,
            energy: 0.0,
            dissipation: Dissipation::default(),
            midpoint: [const { Vec::new() }; 2],
            origin: (0, 0.0),
            free_anchors: Vec::new(),
            grabs: Vec::new(),
            frame_remainder: 0.0,
        };
        simulation.set_step(h)?;
        simulation.prepare()?;
        simulation.measure(false);
        simulation.refuse_not_finite()?;
        Ok(simulation)
    }

    /// Sets the number of threads for the loops of a step. Results have the same bits for any
    /// number.
    pub fn set_threads(&mut self, threads: usize) {
        self.pool = ThreadPool::new(threads);
    }

    /// Uses these kernels from the next step on. The method keeps its memory.
    pub fn set_kernels(&mut self, kernels: Kernels) {
        self.kernels = kernels;
        self.plan = None;
    }

    /// Changes the length of a step (s). The method keeps its memory if it can.
    pub fn set_step(&mut self, h: f64) -> Result<(), Refusal> {
        if !h.is_finite() || h <= 0.0 {
            return Err(Refusal::InvalidStep { h });
        }
        self.h = h;
        self.origin = (self.state.step, self.state.time);
        self.plan = None;
        Ok(())
    }

    /// Changes the number of substeps.
    pub fn set_substeps(&mut self, substeps: Substeps) {
        self.substeps = substeps;
        self.plan = None;
    }

    /// Changes the method; the state is kept.
    pub fn set_method(&mut self, method: impl IntoMethod) -> Result<(), Refusal> {
        let before = std::mem::replace(&mut self.method, method.into_method()?);
        self.plan = None;
        let prepared = self.prepare();
        if prepared.is_err() {
            self.method = before;
        }
        prepared
    }

    /// Changes the settings of rigid bodies.
    pub fn set_bodies(&mut self, settings: RigidBodySettings) -> Result<(), Refusal> {
        let before = std::mem::replace(&mut self.rigid_bodies.settings, settings);
        self.plan = None;
        let prepared = self.prepare();
        if prepared.is_err() {
            self.rigid_bodies.settings = before;
        }
        self.rigid_bodies.forget();
        prepared
    }

    /// Limits the number of contact points of rigid bodies; steps with more fail. Each point takes
    /// up to a kilobyte.
    pub fn set_contact_limit(&mut self, most: usize) {
        self.rigid_bodies.limit_contacts(most);
    }

    /// The settings of rigid bodies.
    pub fn rigid_bodies(&self) -> &RigidBodySettings {
        &self.rigid_bodies.settings
    }

    /// The model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Mutable access to the model, also while the simulation runs.
    pub fn model_mut(&mut self) -> &mut Model {
        &mut self.model
    }

    /// The state after the last step.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// External inputs: targets without keyframes are set here.
    pub fn control_mut(&mut self) -> &mut Control {
        self.fit();
        &mut self.control
    }

    /// The report of the last step; before the first step, energies and momenta of the initial
    /// state.
    pub fn report(&self) -> &StepReport {
        &self.report
    }

    /// Calls `each` with the multipliers of every element's rows in the last substep of the last
    /// step, for methods with multipliers.
    pub fn multipliers(&self, mut each: impl FnMut(ElementId, &[f64])) {
        self.method.multipliers(&self.model, &mut each);
    }

    /// The pose of a chain after the last step: rotations and positions of its joints.
    pub fn pose(&self, chain: ChainId) -> Option<&ChainPose> {
        self.chains.pose(chain.index())
    }

    /// The kernels in use.
    pub fn kernels(&self) -> Kernels {
        self.kernels
    }

    /// The length of a step (s).
    pub fn step_length(&self) -> f64 {
        self.h
    }
}
