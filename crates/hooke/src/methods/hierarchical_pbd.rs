//! Hierarchical position-based dynamics: coarse levels carry corrections across the cloth.
//!
//! A sweep of [`Pbd`](super::Pbd) propagates a correction only as far as one row reaches, so a
//! large cloth appears rubbery. Here subsets of the particles form coarser levels
//! (`shared/hierarchy.rs`), connected by links that only pull. After the prediction y, from the
//! coarsest level to the finest:
//!
//! 1. K sweeps over the level's links move its particles;
//! 2. every other particle of the next finer level moves with its parents,
//!    `x_i = y_i + Σ w_ij (x_j − y_j)`, `Σ w_ij = 1`, at least two parents each.
//!
//! On the finest level the rows are those of PBD: rigid, with fields and dampers as in XPBD. The
//! work is counted in projections: all coarse levels together have fewer links than the finest has
//! rows.
//!
//! No order. Linear momentum is not conserved, because children move without their rows. Müller
//! 2008.

use super::shared::hierarchy::{self, HierarchyLevel};
use super::shared::projection::{Order, Projector};
use super::{
    Cancellation, Configured, Facts, Method, Refusal, StabilityLimit, StepContext, Unknowns,
};
use crate::compute::ComplianceMode;
use crate::kernels::Kernels;
use crate::model::Model;
use crate::report::StepReport;
use crate::settings::settings;
use crate::stability::Stability;
use crate::state::State;

pub(super) const FACTS: Facts = Facts {
    doc: "Position-based dynamics from coarse levels to the finest.",
    order: 0,
    cost: "1 projection per row and sweep, plus about half as many on coarse levels",
    stable: "every h of a linear model; may gain energy on a nonlinear one",
    good: "large cloths that should hardly stretch",
    bad: "a given material; networks without a surface to coarsen",
    reference: "Müller 2008, Hierarchical position based dynamics",
    cancellation: Cancellation::No,
    unknowns: Unknowns::None,
};

settings! {
    /// Settings of hierarchical position-based dynamics.
    pub struct HierarchicalPbdSettings {
        /// Maximum number of sweeps over the finest level per step.
        iterations: u32 = 5, "", [0.0, 1e9];
        /// Tolerance on ‖∇Cᵀ Δλ‖/h² of a sweep, relative to ‖M g‖ plus its value in the first sweep.
        tolerance: f64 = 1e-6, "", [0.0, 1.0];
        /// Sweeps over each coarse level per step.
        coarse_iterations: u32 = 5, "", [0.0, 1e6];
        /// Maximum number of coarse levels.
        levels: u32 = 8, "", [0.0, 30.0];
        /// The order in which rows of the finest level are projected.
        order: Order = Order::Colored;
        /// Seed of the shuffled order.
        seed: u32 = 0, "", [0.0, 4294967295.0];
    }
}

/// The method.
pub struct HierarchicalPbd {
    settings: HierarchicalPbdSettings,
    projector: Projector,
    levels: Vec<HierarchyLevel>,
    prepared: Option<[u64; 4]>,
}

impl Configured for HierarchicalPbd {
    type Settings = HierarchicalPbdSettings;
    fn with(settings: HierarchicalPbdSettings) -> Self {
        let projector = Projector::default();
        Self { settings, projector, levels: Vec::new(), prepared: None }
    }
}

impl HierarchicalPbd {
    /// The number of rows of the finest level, and of links of each coarser one.
    pub fn rows(&self) -> Vec<usize> {
        let coarse = self.levels.iter().map(|level| level.links.len());
        std::iter::once(self.projector.rows()).chain(coarse).collect()
    }
}

impl Method for HierarchicalPbd {
    fn prepare(&mut self, model: &Model, _: Kernels) -> Result<(), Refusal> {
        let HierarchicalPbdSettings { order, seed, levels, .. } = self.settings;
        self.projector.prepare(
            "hierarchical-pbd",
            model,
            (order, seed),
            ComplianceMode::Rigid,
            None,
        )?;
        if self.prepared != Some(model.versions().numeric()) {
            self.levels = hierarchy::of(model, levels);
            self.prepared = Some(model.versions().numeric());
        }
        Ok(())
    }

    fn step(&mut self, context: StepContext<'_>, state: &mut State, report: &mut StepReport) {
        let HierarchicalPbdSettings { iterations, tolerance, coarse_iterations, .. } =
            self.settings;
        let rows = &mut self.projector;
        rows.begin(context, report);
        for level in self.levels.iter_mut().rev() {
            rows.descend(context, level, coarse_iterations);
        }
        let outcome = rows.solve(context, (iterations, tolerance), report, Projector::gauss_seidel);
        rows.finish(context, outcome, state, report);
    }

    fn accepts_hard_constraints(&self) -> bool {
        true
    }

    fn limit(&self, _: &Stability) -> StabilityLimit {
        StabilityLimit::Linear
    }
}
