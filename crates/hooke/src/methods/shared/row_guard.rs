//! Keeps sweeps over rows from gaining energy.
//!
//! A step of backward Euler satisfies `½|v|²_M + P(x) + h vᵀ∂D/∂v ≤ ½|v_t|²_M + P(x₀)`, see
//! [`super::energy_guard`]. A step of sweeps may end slightly above that bound, and most steps of a
//! run end below it. Sweeps that stop early over rows as stiff as cloth leave strains of thousands
//! of joules.
//!
//! So the guard keeps a balance: the sum over all steps of the excess over the bound, minus the
//! amounts below it. A step is rejected if it would raise the balance above a hundredth of the
//! largest kinetic and strain energy so far. Shortening it would not suffice: where stiff cloth
//! touches, energy increases from the start of the step to the end of the sweeps. Vertex block
//! descent takes the step instead; it decreases g vertex by vertex.

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

/// The guard, with the method that replaces rejected steps.
pub(crate) struct RowGuard {
    vbd: Vbd,
    /// The energy gained so far (J), and the largest kinetic and strain energy at the start of a
    /// step (J).
    balance: f64,
    greatest: f64,
    origin: Vec<Vec3>,
    memory: Vec<f64>,
}

/// The allowed gain, relative to the largest kinetic and strain energy.
const GAIN: f64 = 0.01;

impl RowGuard {
    /// A guard whose descent stops after a number of sweeps or at a tolerance.
    pub(crate) fn new(iterations: u32, tolerance: f64) -> Self {
        let settings = VbdSettings { iterations, tolerance, ..VbdSettings::default() };
        let vbd = Vbd::with(settings);
        Self { vbd, balance: 0.0, greatest: 0.0, origin: Vec::new(), memory: Vec::new() }
    }

    pub(crate) fn prepare(&mut self, model: &Model, kernels: Kernels) -> Result<(), Refusal> {
        self.vbd.prepare(model, kernels)
    }

    /// Whether the rows end with more energy than allowed, excluding the work of dampers and pins.
    /// Rows without compliance have no energy to compare.
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

    /// Appends its memory.
    pub(crate) fn save(&self, memory: &mut Vec<f64>) {
        memory.extend([self.balance, self.greatest]);
    }

    /// Restores what [`RowGuard::save`] wrote, and returns the rest of the slice; clears the memory
    /// if there is none.
    pub(crate) fn restore<'a>(&mut self, memory: &'a [f64]) -> &'a [f64] {
        let (balance, greatest, rest) = match memory {
            [balance, greatest, rest @ ..] => (*balance, *greatest, rest),
            _ => (0.0, 0.0, memory),
        };
        (self.balance, self.greatest) = (balance, greatest);
        rest
    }

    /// Takes the step instead of the rows.
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
