//! Position-based dynamics: predict, then move particles until every row is zero.
//!
//! `y = x_t + h v_t + h² M⁻¹ f`; K sweeps over the rows; `v = (x − x_t)/h`, which is the predicted
//! velocity plus `(x − y)/h`.
//!
//! With inverse masses w, one row C moves its particles by `Δx_i = −w_i ∇_iC C/Σ w_j |∇_jC|²`: for
//! a spring `x_i −= w_i/(w_i+w_j) (|x_ij| − l) d` and `x_j += w_j/(w_i+w_j) (|x_ij| − l) d`.
//!
//! - **Gauss–Seidel** moves the particles at once; result and speed depend on the order of the rows.
//! - **Jacobi** computes every row from the same positions and averages,
//!   `x_i = (Σ targets + ω x_i)/(n_i + ω)`, n_i rows at particle i.
//!
//! Rows are rigid, whatever the stiffness of the material. `stiffness = "material"` multiplies a
//! correction by `Σ w|∇C|²/(Σ w|∇C|² + 1/(k h²))`: softer, but stiffer with more sweeps, which
//! [`Xpbd`](super::Xpbd) avoids. Fields with rows (attachments) and dampers are compliant as in
//! XPBD, and so are laws whose rows cannot all be zero.
//!
//! No order: rigid rows are not springs. Müller, Heidelberger, Hennix & Ratcliff 2007.

use super::shared::projection::{Order, Projector};
use super::{
    Cancellation, Configured, Facts, Method, Refusal, StabilityLimit, StepContext, Unknowns,
};
use crate::compute::ComplianceMode;
use crate::kernels::Kernels;
use crate::model::Model;
use crate::report::StepReport;
use crate::settings::{choice, settings};
use crate::stability::Stability;
use crate::state::State;

pub(super) const FACTS: Facts = Facts {
    doc: "Prediction, then repeated projection of each spring to its rest length.",
    order: 0,
    cost: "1 projection per row and sweep",
    stable: "every h of a linear model; may gain energy on a nonlinear one",
    good: "plausible motion at the lowest cost",
    bad: "a given material: stiffness depends on sweeps and step",
    reference: "Müller, Heidelberger, Hennix & Ratcliff 2007, Position based dynamics",
    cancellation: Cancellation::No,
    unknowns: Unknowns::None,
};

choice! {
    /// When particles move: after each row, or after all rows.
    pub enum Sweeping {
        /// At once, row after row.
        GaussSeidel = "gauss-seidel",
        /// At the end of a sweep, to the average of what the rows ask for.
        Jacobi = "jacobi",
    }
}

choice! {
    /// Stiffness of the rows: rigid, or that of the material.
    pub enum Firmness {
        /// Every row is fully projected.
        Rigid = "rigid",
        /// Corrections are scaled by the material's stiffness; the more sweeps, the stiffer.
        Material = "material",
    }
}

settings! {
    /// Settings of position-based dynamics.
    pub struct PbdSettings {
        /// Maximum number of sweeps per step.
        iterations: u32 = 20, "", [0.0, 1e9];
        /// Tolerance on ‖∇Cᵀ Δλ‖/h² of a sweep, relative to ‖M g‖ plus its value in the first sweep.
        tolerance: f64 = 1e-6, "", [0.0, 1.0];
        /// When particles move: after each row, or after all rows.
        sweep: Sweeping = Sweeping::GaussSeidel;
        /// The order in which rows are projected.
        order: Order = Order::Colored;
        /// Seed of the shuffled order.
        seed: u32 = 0, "", [0.0, 4294967295.0];
        /// ω of Jacobi sweeps: the weight of the old position.
        omega: f64 = 0.2, "", [0.0, 1000.0];
        /// Stiffness of the rows: rigid, or that of the material.
        stiffness: Firmness = Firmness::Rigid;
    }
}

/// The method.
pub struct Pbd {
    settings: PbdSettings,
    projector: Projector,
}

impl Configured for Pbd {
    type Settings = PbdSettings;
    fn with(settings: PbdSettings) -> Self {
        Self { settings, projector: Projector::default() }
    }
}

impl Method for Pbd {
    fn prepare(&mut self, model: &Model, _: Kernels) -> Result<(), Refusal> {
        let PbdSettings { sweep, order, seed, omega, stiffness, .. } = self.settings;
        let compliance_mode = match stiffness {
            Firmness::Rigid => ComplianceMode::Rigid,
            Firmness::Material => ComplianceMode::Forgetful,
        };
        let averaged = (sweep == Sweeping::Jacobi).then_some(omega);
        self.projector.prepare("pbd", model, (order, seed), compliance_mode, averaged)
    }

    fn step(&mut self, context: StepContext<'_>, state: &mut State, report: &mut StepReport) {
        let PbdSettings { iterations, tolerance, sweep, .. } = self.settings;
        let rows = &mut self.projector;
        rows.begin(context, report);
        let outcome =
            rows.solve(context, (iterations, tolerance), report, |rows, context| match sweep {
                Sweeping::GaussSeidel => rows.gauss_seidel(context),
                Sweeping::Jacobi => rows.jacobi(context),
            });
        rows.finish(context, outcome, state, report);
    }

    fn accepts_hard_constraints(&self) -> bool {
        true
    }

    fn limit(&self, _: &Stability) -> StabilityLimit {
        StabilityLimit::Linear
    }
}
