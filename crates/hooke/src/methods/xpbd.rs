//! Extended position-based dynamics: compliant rows with accumulated multipliers.
//!
//! The energy of an element is `½ Σ C²/α` over its rows. Backward Euler requires `M(x − y) = ∇Cᵀ λ`
//! and `C(x) + α̃ λ = 0` with `α̃ = α/h²`, for a spring `1/(k h²)`. A projection solves one row for
//! its multiplier and moves the particles by the change:
//!
//! `Δλ = −(C + α̃ λ)/(∇C M⁻¹ ∇Cᵀ + α̃)`, `λ += Δλ`, `x += M⁻¹ ∇Cᵀ Δλ`
//!
//! from `x = y`, `λ = 0`, in every step and substep. The rows of one element share its corners and
//! are solved together, as a k×k system (k ≤ 7): one by one, the six rows of a stiff tetrahedron
//! undo each other.
//!
//! Sweeps converge to `C + α̃ λ = 0`. That is the minimum of backward Euler if directions do not
//! change, as in one dimension. In general each Δλ was applied along the ∇C of its iterate, and the
//! minimum is missed by the rotation of ∇C within the step. Once converged, the stiffness is that
//! of the material, however many sweeps there are; one spring is exact after one sweep.
//!
//! Damping, from `h D((x−b)/h)` in the objective of backward Euler: a dashpot β is a row of
//! stiffness β/h on the change of length along the direction at the start of the step; wind is a
//! row with three components; drag α of a particle is exact in the prediction,
//! `y ← (m y + hα x_t)/(m + hα)` with the mass m + hα.
//!
//! `energy_guard`: a step with which a run would gain energy is replaced by vertex block descent
//! (`methods/shared/row_guard.rs`). This happens after few sweeps over stiff rows. Without the
//! guard, steps are as published.
//!
//! Contact is a row `C = φ − δ` of compliance 1/κ with λ ≥ 0, and a row of the sliding u from its
//! anchor with |λ_u| ≤ μλ (`contact/contact_rows.rs`).
//!
//! Order 1. Macklin, Müller & Chentanez 2016; Macklin et al. 2019 on small substeps.

use super::shared::projection::{BatchRows, Order, Projector};
use super::shared::row_guard::RowGuard;
use super::{
    Cancellation, Configured, Facts, Method, Refusal, StabilityLimit, StepContext, Unknowns,
};
use crate::compute::ComplianceMode;
use crate::kernels::Kernels;
use crate::model::{ElementId, Model};
use crate::report::StepReport;
use crate::settings::settings;
use crate::stability::Stability;
use crate::state::State;

pub(super) const FACTS: Facts = Facts {
    doc: "Position-based dynamics with the stiffness of the material.",
    order: 1,
    cost: "1 projection per element and sweep",
    stable: "every h, except with rigid elements",
    good: "real materials at a low cost, with many sub-steps",
    bad: "fine stiff meshes with few sweeps: they sag",
    reference: "Macklin, Müller & Chentanez 2016, XPBD; Macklin et al. 2019, Small steps",
    cancellation: Cancellation::No,
    unknowns: Unknowns::None,
};

settings! {
    /// Settings of extended position-based dynamics.
    pub struct XpbdSettings {
        /// Maximum number of sweeps per step.
        iterations: u32 = 20, "", [0.0, 1e9];
        /// Tolerance on ‖∇Cᵀ Δλ‖/h² of a sweep, relative to ‖M g‖ plus its value in the first sweep.
        tolerance: f64 = 1e-6, "", [0.0, 1.0];
        /// The order in which rows are projected.
        order: Order = Order::Colored;
        /// Seed of the shuffled order.
        seed: u32 = 0, "", [0.0, 4294967295.0];
        /// Whether vertex block descent replaces a step that would make the run gain energy.
        energy_guard: bool = true;
    }
}

/// The method.
pub struct Xpbd {
    settings: XpbdSettings,
    projector: Projector,
    guard: Option<RowGuard>,
}

impl Configured for Xpbd {
    type Settings = XpbdSettings;
    fn with(settings: XpbdSettings) -> Self {
        let guard = settings.energy_guard;
        let guard = guard.then(|| RowGuard::new(settings.iterations, settings.tolerance));
        Self { settings, projector: Projector::with_contacts(), guard }
    }
}

impl Method for Xpbd {
    fn prepare(&mut self, model: &Model, kernels: Kernels) -> Result<(), Refusal> {
        let XpbdSettings { order, seed, .. } = self.settings;
        self.projector.prepare("xpbd", model, (order, seed), ComplianceMode::Compliant, None)?;
        match &mut self.guard {
            Some(guard) => guard.prepare(model, kernels),
            None => Ok(()),
        }
    }

    fn step(&mut self, context: StepContext<'_>, state: &mut State, report: &mut StepReport) {
        let XpbdSettings { iterations, tolerance, .. } = self.settings;
        let rows = &mut self.projector;
        rows.begin(context, report);
        let outcome = rows.solve(context, (iterations, tolerance), report, Projector::gauss_seidel);
        if let Some(guard) = &mut self.guard
            && guard.refuses(context, rows)
        {
            return guard.step(context, rows, state, report);
        }
        rows.finish(context, outcome, state, report);
    }

    fn accepts_hard_constraints(&self) -> bool {
        true
    }

    fn contact_in_solve(&self) -> bool {
        true
    }

    fn multipliers(&self, model: &Model, each: &mut dyn FnMut(ElementId, &[f64])) {
        let links = self.projector.links.multipliers();
        let mut links = links.chunks(1);
        let batches = model.elements().iter().enumerate();
        for (batch, springs) in batches.filter(|(_, batch)| batch.law().springs) {
            let mut index = 0;
            springs.springs(&mut |_, [stiffness, _]| {
                // Elements without stiffness have no row.
                if stiffness > 0.0
                    && let Some(own) = links.next()
                {
                    each(ElementId { batch, index }, own);
                }
                index += 1;
            });
        }
        for &BatchRows { batch, rows, ref lambda, .. } in &self.projector.batches {
            for (index, own) in lambda.chunks(rows).enumerate() {
                each(ElementId { batch, index }, own);
            }
        }
    }

    fn limit(&self, _: &Stability) -> StabilityLimit {
        if self.settings.energy_guard { StabilityLimit::None } else { StabilityLimit::Linear }
    }

    fn save(&self, memory: &mut Vec<f64>) {
        if let Some(guard) = &self.guard {
            guard.save(memory);
        }
        self.projector.contacts.save(memory);
    }

    fn restore(&mut self, memory: &[f64]) {
        let memory = match &mut self.guard {
            Some(guard) => guard.restore(memory),
            None => memory,
        };
        self.projector.contacts.restore(memory);
    }
}
