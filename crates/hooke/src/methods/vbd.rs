//! Vertex block descent: backward Euler, one vertex after the other.
//!
//! A sweep visits every vertex once and minimizes g over it, with all others fixed, by one step of
//! Newton's method: `x_i ← x_i − H_i⁻¹ ∂g/∂x_i`, `H_i = m_i/h² + Σ ∂²E/∂x_i² + Σ w² C/h`, a 3×3
//! matrix. Vertices are colored so that those of one color share no element and no damper. They
//! move in parallel, and the bits do not depend on the number of threads.
//!
//! g never increases: a vertex changes only its own terms of g, and no two vertices of one color
//! share a term, so their changes add up. Each takes its step only if its own terms decrease.
//! Springs are bounded from above, inertia and dampers are quadratic, and where the bound is not
//! conclusive a shorter step is taken that always decreases g
//! (`compute/spring_kernels/descent_bound.rs`). Other energies are evaluated at the new position,
//! and the step is halved until they and the bound decrease together. H_i is made positive
//! definite: springs drop their negative transverse part, the block of all other elements drops its
//! negative eigenvalues.
//!
//! Contact is part of the block and is evaluated at the new position like other energies.
//!
//! `hessian = "exact"` uses H_i and the full step without safeguards, as in textbooks: then g may
//! increase. `order = "given"` visits vertices in the given order, one after the other.
//!
//! `accelerator = "chebyshev"` extrapolates a sweep, `x ← ω (x̂ − x_{k−1}) + x_{k−1}` with
//! `ω = 4/(4 − ρ²ω)` (Wang 2015), unless g would be higher than before the sweep.
//!
//! Order 1. Converges linearly to the minimum that [`Newton`](super::Newton) finds; more slowly for
//! stiffer and finer meshes. Chen, Liu, Yang & Yuksel 2024.

use super::shared::backward_euler::{self, BackwardEuler};
use super::shared::minimization::Limits;
use super::shared::refusals;
use super::shared::relaxation::{OverRelaxation, VbdAccelerator};
use super::shared::start::Start;
use super::shared::vertex_blocks::{VertexBlocks, VertexHessian, VertexOrder};
use super::{
    Cancellation, Configured, Facts, Method, Precision, Refusal, StabilityLimit, StepContext,
    Unknowns,
};
use crate::compute::ColoringOrder;
use crate::kernels::Kernels;
use crate::math::Vec3;
use crate::model::Model;
use crate::report::{End, StepReport};
use crate::settings::settings;
use crate::stability::Stability;
use crate::state::State;

pub(super) const FACTS: Facts = Facts {
    doc: "Backward Euler by block descent over single vertices, color by color.",
    order: 1,
    cost: "2 loops over the elements of every vertex per iteration",
    stable: "every h",
    good: "a small fixed cost for any law, without factorization",
    bad: "fine stiff meshes: smooth errors converge slowly",
    reference: "Chen, Liu, Yang & Yuksel 2024; Wang 2015",
    cancellation: Cancellation::No,
    unknowns: Unknowns::None,
};

settings! {
    /// Settings of vertex block descent.
    pub struct VbdSettings {
        /// Maximum number of sweeps per step.
        iterations: u32 = 20, "", [0.0, 1e9];
        /// Tolerance on ‖∇g‖, relative to the acting forces.
        tolerance: f64 = 1e-6, "", [0.0, 1.0];
        /// The initial guess.
        start: Start = Start::Adaptive;
        /// The order in which a sweep visits the vertices.
        order: VertexOrder = VertexOrder::Colored;
        /// The Hessian of a vertex.
        hessian: VertexHessian = VertexHessian::Projected;
        /// Acceleration of the sweeps.
        accelerator: VbdAccelerator = VbdAccelerator::None;
        /// Whether free parts first move as a whole, and a step that stops early is shortened if it would
        /// add energy.
        energy_guard: bool = true;
        /// The factor ρ by which a sweep multiplies the error, for the accelerator; 0: estimated.
        radius: f64 = 0.0, "", [0.0, 0.9999];
    }
}

/// The method.
pub struct Vbd {
    settings: VbdSettings,
    frame: BackwardEuler,
    vertices: VertexBlocks,
    over_relaxation: OverRelaxation,
}

impl Configured for Vbd {
    type Settings = VbdSettings;
    fn with(settings: VbdSettings) -> Self {
        let order = match settings.order {
            VertexOrder::Colored => ColoringOrder::Few,
            VertexOrder::Given => ColoringOrder::Given,
        };
        let exact = settings.hessian == VertexHessian::Exact;
        let frame = BackwardEuler::new(settings.start, settings.energy_guard, Precision::Exact);
        let vertices = VertexBlocks::new(order, exact);
        Self { settings, frame, vertices, over_relaxation: OverRelaxation::default() }
    }
}

impl Method for Vbd {
    fn prepare(&mut self, model: &Model, kernels: Kernels) -> Result<(), Refusal> {
        refusals::refuse_cancellation("vbd", model)?;
        refusals::refuse_dense_elements("vbd", model)?;
        self.frame.prepare(model, kernels);
        self.vertices.prepare(model, kernels);
        Ok(())
    }

    fn step(&mut self, context: StepContext<'_>, state: &mut State, report: &mut StepReport) {
        self.frame.begin(context, state, report);
        self.frame.initialize(context);
        let VbdSettings { iterations, tolerance, accelerator, radius, .. } = self.settings;
        let (vertices, over_relaxation) = (&mut self.vertices, &mut self.over_relaxation);
        let mut solve = self.frame.minimization(context, Limits { iterations, tolerance }, report);
        // The blocks of vertices drop all negative parts.
        solve.effort.kept = 0.0;
        if solve.guard.as_ref().is_some_and(|guard| guard.is_free(solve.g)) {
            solve.evaluate_gradient();
            if let Some(guard) = &mut solve.guard {
                guard.parts.descend(context, solve.g, solve.gradient, solve.x);
            }
        }
        vertices.begin(context, solve.g, solve.x);
        let accelerated = accelerator == VbdAccelerator::Chebyshev;
        if accelerated {
            solve.evaluate_value();
            over_relaxation.begin(radius, solve.here.value, solve.scale.noise(), &vertices.x);
        }
        let end = loop {
            solve.evaluate_gradient();
            if let Some(end) = solve.settled().or_else(|| solve.exhausted()) {
                break end;
            }
            if !solve.here.residual.is_finite() {
                break End::Cap;
            }
            // ‖∇g‖ costs a pass over all elements: it is evaluated only once the residual seen by
            // the vertices is small enough.
            loop {
                let (g, x) = (&mut *solve.g, &mut *solve.x);
                let seen = vertices.sweep(context, g, x);
                solve.iterations += 1;
                if accelerated {
                    vertices.collect(x);
                    let value = |x: &[Vec3]| g.value(context, x);
                    over_relaxation.advance(seen, vertices, x, value);
                }
                let settled = solve.scale.end(seen, tolerance).is_some() || !seen.is_finite();
                let lagged = !g.contacts.is_empty() || !g.contacts.surfaces.has_arrived();
                if lagged && (settled || solve.iterations.is_power_of_two()) {
                    vertices.collect(x);
                    g.contacts.update_lagged(context, |i| x[i], tolerance, u32::MAX);
                    vertices.update_contacts(&g.contacts);
                }
                if settled || solve.iterations == iterations {
                    break;
                }
            }
            vertices.collect(solve.x);
        };
        solve.evaluate_value();
        solve.finish(backward_euler::OBJECTIVE, end);
        self.frame.finish(context, state, report);
    }

    fn contact_in_solve(&self) -> bool {
        true
    }

    fn limit(&self, _: &Stability) -> StabilityLimit {
        StabilityLimit::None
    }

    fn save(&self, memory: &mut Vec<f64>) {
        self.frame.save(memory);
    }

    fn restore(&mut self, memory: &[f64]) {
        self.frame.restore(memory);
    }
}
