//! Keeps sweeps over rows from gaining energy.
//!
//! A step of backward Euler obeys `½|v|²_M + P(x) + h vᵀ∂D/∂v ≤ ½|v_t|²_M + P(x₀)`, see [`super::energy_guard`]. A step of
//! sweeps may end a little above that line, and most of a run is below it. Sweeps that stop early over rows as stiff as
//! cloth leave strains of thousands of joules. So the guard keeps a balance: the sum over all steps of what each ended
//! above the line, less what it ended below. A step that would lift the balance above a hundredth of the greatest energy
//! of motion and strain so far is not taken. A part of it would not do: where stiff cloth touches, energy rises from the
//! start of the step to the end of the sweeps. Vertex block descent takes the step instead, which lowers g vertex by vertex.

use super::objective::hold;
use super::projection::Projector;
use crate::compute::At;
use crate::kernels::Kernels;
use crate::math::Vec3;
use crate::methods::vbd::{Vbd, VbdSettings};
use crate::methods::{Configured, Method, Potential, Refusal, StepContext};
use crate::model::Model;
use crate::report::StepReport;
use crate::state::State;

/// The guard, with what steps in.
pub(crate) struct RowGuard {
    vbd: Vbd,
    /// The energy gained so far (J), and the greatest energy of motion and strain at the start of a step (J).
    balance: f64,
    greatest: f64,
    origin: Vec<Vec3>,
    memory: Vec<f64>,
}

/// How much may be gained, relative to the greatest energy of motion and strain.
const GAIN: f64 = 0.01;

impl RowGuard {
    /// One whose descent stops after so many sweeps or at a tolerance.
    pub(crate) fn new(iterations: u32, tolerance: f64) -> Self {
        let settings = VbdSettings { iterations, tolerance, ..VbdSettings::default() };
        let vbd = Vbd::with(settings);
        Self { vbd, balance: 0.0, greatest: 0.0, origin: Vec::new(), memory: Vec::new() }
    }

    pub(crate) fn prepare(&mut self, model: &Model, kernels: Kernels) -> Result<(), Refusal> {
        self.vbd.prepare(model, kernels)
    }

    /// Whether the rows end with more energy than may be gained, but for what dampers and pins gave. Rows without
    /// compliance have no energy to compare.
    pub(crate) fn refuses(&mut self, context: StepContext<'_>, rows: &mut Projector) -> bool {
        let StepContext { model, pool, start, h, .. } = context;
        if model.first_hard_constraint().is_some() {
            return false;
        }
        rows.collect(context);
        self.origin.clone_from(&start.positions);
        hold(context, 1.0, &mut self.origin);
        let stored = |x: &[Vec3]| {
            let elastic = Potential::energy(context, At { x, anchors: &rows.anchors });
            elastic + rows.contacts.energy(context, x)
        };
        let (x, origin) = (&rows.x, &self.origin);
        let free = |i: usize| (0..3).filter(move |&axis| !model.fixed()[i][axis]);
        let kinetic = |velocity: &(dyn Fn(usize) -> Vec3 + Sync)| {
            pool.sum(x.len(), |range| {
                let one = |i: usize| {
                    let v = velocity(i);
                    0.5 * model.masses()[i] * free(i).map(|axis| v[axis] * v[axis]).sum::<f64>()
                };
                range.map(one).sum()
            })
        };
        let falls = |range: std::ops::Range<usize>| {
            range.map(|i| model.load(i).dot(x[i] - origin[i])).sum::<f64>()
        };
        let before = kinetic(&|i| start.velocities[i]) + stored(origin);
        let after = kinetic(&|i| (x[i] - origin[i]) * (1.0 / h)) + stored(x);
        let v = |i: usize| (x[i] - start.positions[i]) * (1.0 / h);
        let lost = -h * rows.dampers.dissipation.power(v, pool);
        let balance = self.balance + after - before - pool.sum(x.len(), falls) + lost;
        self.greatest = self.greatest.max(before);
        if balance.is_nan() || balance > GAIN * self.greatest {
            return true;
        }
        self.balance = balance;
        false
    }

    /// Appends what it remembers.
    pub(crate) fn save(&self, memory: &mut Vec<f64>) {
        memory.extend([self.balance, self.greatest]);
    }

    /// Takes back what [`RowGuard::save`] wrote, and returns what follows it; without any it forgets.
    pub(crate) fn restore<'a>(&mut self, memory: &'a [f64]) -> &'a [f64] {
        let (balance, greatest, rest) = match memory {
            [balance, greatest, rest @ ..] => (*balance, *greatest, rest),
            _ => (0.0, 0.0, memory),
        };
        (self.balance, self.greatest) = (balance, greatest);
        rest
    }

    /// Takes the step in place of the rows.
    pub(crate) fn step(
        &mut self,
        context: StepContext<'_>,
        rows: &mut Projector,
        state: &mut State,
        report: &mut StepReport,
    ) {
        self.memory.clear();
        rows.contacts.save(&mut self.memory);
        self.vbd.restore(&self.memory);
        self.vbd.step(context, state, report);
        self.memory.clear();
        self.vbd.save(&mut self.memory);
        rows.contacts.restore(&self.memory);
        report.fallback = Some("vbd");
    }
}
