//! Vertex block descent: backward Euler, one vertex after the other.
//!
//! A sweep visits every vertex once and minimises g over it alone, the others held, by one step of
//! Newton's method: `x_i ← x_i − H_i⁻¹ ∂g/∂x_i`, `H_i = m_i/h² + Σ ∂²E/∂x_i² + Σ w² C/h`, a 3×3 matrix.
//! Vertices are coloured so that those of one colour share no element and no damper: they move at
//! once, on all threads, and the bits do not depend on how many there are.
//!
//! What guarantees that g never rises: a vertex changes only terms of g at itself, and no two
//! vertices of one colour share a term, so what the vertices of a colour change adds up. Each takes
//! its step only where its own terms fall. Springs are bounded from above, inertia and dampers are
//! quadratic, and where the bound says nothing a shorter step is taken that always falls
//! (`model/net/vertices.rs`); other energies are evaluated at the new place, and the step is halved
//! until they and the bound fall together. H_i is made positive definite: springs drop what is
//! negative across them, the block of all others drops its negative eigenvalues.
//!
//! Contact stands in the block and is evaluated at the new place like those.
//!
//! `hessian = "exact"` takes H_i as it is and the step as it comes, as a textbook writes it: then g may rise.
//! `order = "given"` visits vertices as they are given, one after the other.
//!
//! `accelerator = "chebyshev"` goes on beyond a sweep, `x ← ω (x̂ − x_{k−1}) + x_{k−1}` with
//! `ω = 4/(4 − ρ²ω)` (Wang 2015), unless g would be higher than before the sweep.
//!
//! Order 1. Converges linearly to the minimum that [`Newton`](super::Newton) finds, the slower the
//! stiffer and the finer the mesh. Chen, Liu, Yang & Yuksel 2024.

use super::energy_guard::EnergyGuard;
use super::objective::{self, Look, Objective};
use super::relaxation::{Chebyshev, VbdAccelerator};
use super::start::{Memory, Start};
use super::vertices::{VertexHessian, VertexOrder, Vertices};
use super::{Cancellation, Configured, Facts, Limit, Method, Refusal, Unknowns, World};
use crate::kernels::Kernels;
use crate::math::Point;
use crate::model::{Hold, Model, Turns};
use crate::report::{End, Solve, StepReport};
use crate::settings::settings;
use crate::stability::Stability;
use crate::state::State;

pub(super) const FACTS: Facts = Facts {
    doc: "Backward Euler by descent over one vertex after the other, in colours.",
    order: 1,
    cost: "2 walks over the elements of every vertex per iteration",
    stable: "every h",
    good: "a fixed small cost of any law, without any factorisation",
    bad: "fine stiff meshes: what is left is smooth and slow",
    reference: "Chen, Liu, Yang & Yuksel 2024; Wang 2015",
    cancellation: Cancellation::No,
    unknowns: Unknowns::None,
};

settings! {
    /// Settings of vertex block descent.
    pub struct VbdSettings {
        /// Most sweeps in a step.
        iterations: u32 = 20, "", [0.0, 1e9];
        /// ‖∇g‖ relative to the forces that act at which a step is converged.
        tolerance: f64 = 1e-6, "", [0.0, 1.0];
        /// Where the iteration starts.
        start: Start = Start::Adaptive;
        /// In which order a sweep visits the vertices.
        order: VertexOrder = VertexOrder::Colored;
        /// The Hessian of a vertex.
        hessian: VertexHessian = VertexHessian::Projected;
        /// What is done beyond plain sweeps.
        accelerator: VbdAccelerator = VbdAccelerator::None;
        /// Whether free parts first move as a whole, and a step that stops early is shortened where it would
        /// add energy.
        energy_guard: bool = true;
        /// The factor ρ by which sweeps shrink the error, for the accelerator; 0 estimates it.
        radius: f64 = 0.0, "", [0.0, 0.9999];
    }
}

/// The method.
pub struct Vbd {
    settings: VbdSettings,
    objective: Objective,
    memory: Memory,
    guard: EnergyGuard,
    vertices: Vertices,
    x: Vec<Point>,
    gradient: Vec<Point>,
    over: Chebyshev,
}

impl Configured for Vbd {
    type Settings = VbdSettings;
    fn with(settings: VbdSettings) -> Self {
        let turns = match settings.order {
            VertexOrder::Colored => Turns::Few,
            VertexOrder::Given => Turns::Given,
        };
        let exact = settings.hessian == VertexHessian::Exact;
        Self {
            settings,
            objective: Objective::default().with_contacts(),
            memory: Memory::default(),
            guard: EnergyGuard::default(),
            vertices: Vertices::new(turns, exact),
            x: Vec::new(),
            gradient: Vec::new(),
            over: Chebyshev::default(),
        }
    }
}

impl Method for Vbd {
    fn prepare(&mut self, model: &Model, kernels: Kernels) -> Result<(), Refusal> {
        if model.hold() == Hold::Cancellation && !model.pins().is_empty() {
            return Err(Refusal(
                "vbd cannot hold pins by force cancellation; pins by elimination work".into(),
            ));
        }
        super::refuse_wholes("vbd", model)?;
        self.objective.prepare(model, kernels);
        self.guard.prepare(model);
        self.vertices.prepare(model, kernels);
        self.x.resize(model.particles(), Point::ZERO);
        self.gradient.resize(model.particles(), Point::ZERO);
        Ok(())
    }

    fn step(&mut self, world: World<'_>, state: &mut State, report: &mut StepReport) {
        let World { model, h, .. } = world;
        let from = (&state.positions[..], &state.velocities[..]);
        self.objective.begin(world, h, 1.0, from, report);
        self.memory.start(self.settings.start, world, h, &self.objective.y, &mut self.x);
        objective::hold(world, 1.0, &mut self.x);
        let slide = |i: usize| self.memory.slide(self.settings.start, world, i);
        self.objective.contacts.start(world.model, slide, &mut self.x);

        let g = &mut self.objective;
        let scale = g.scale(world, &mut self.gradient);
        let tolerance = self.settings.tolerance;
        let guarded = self.settings.energy_guard;
        if guarded && self.guard.is_free(g) {
            g.gradient(world, &self.x, &mut self.gradient);
            self.guard.parts.descend(world, g, &self.gradient, &mut self.x);
        }
        self.vertices.begin(world, g, &self.x);
        let accelerated = self.settings.accelerator == VbdAccelerator::Chebyshev;
        if accelerated {
            let value = g.value(world, &self.x);
            self.over.begin(self.settings.radius, value, scale.noise(), &self.vertices.x);
        }
        let mut iterations = 0;
        let (end, residual) = loop {
            let residual = g.gradient(world, &self.x, &mut self.gradient);
            report.residuals.push(residual);
            if let Some(end) = g.end(world, &scale, &self.x, residual, tolerance) {
                break (end, residual);
            }
            if iterations == self.settings.iterations || !residual.is_finite() {
                break (End::Cap, residual);
            }
            // Measuring costs a walk: only once the vertices saw gradients as small as wanted.
            loop {
                let seen = self.vertices.sweep(world, g, &mut self.x);
                iterations += 1;
                if accelerated {
                    self.vertices.collect(&mut self.x);
                    let value = |x: &[Point]| g.value(world, x);
                    self.over.advance(seen, &mut self.vertices, &mut self.x, value);
                }
                let settled = scale.end(seen, tolerance).is_some() || !seen.is_finite();
                if !g.contacts.is_empty() && (settled || iterations.is_power_of_two()) {
                    self.vertices.collect(&mut self.x);
                    if g.contacts.follow(world, |i| self.x[i], tolerance, u32::MAX) {
                        self.vertices.meet(&g.contacts);
                    }
                }
                if settled || iterations == self.settings.iterations {
                    break;
                }
            }
            self.vertices.collect(&mut self.x);
        };
        let mut here = Look { value: g.value(world, &self.x), residual };
        if guarded && !end.is_settled() {
            let to = (&mut self.x[..], &mut self.gradient[..]);
            here = self.guard.mend(world, (g, &scale), here, to, report);
        }
        objective::reactions(model, &self.gradient, report);
        report.solved(Solve {
            end,
            objective: "backward Euler",
            iterations,
            g: here.value,
            residual: here.residual,
            scale: scale.value,
            indefinite: false,
            kept: 0.0,
            factorisations: 0,
            linear_iterations: 0,
        });
        self.memory.keep(world);
        state.arrive(&self.x, h, world.team);
        self.objective.contacts.finish(world, state, report);
    }

    fn contact_in_solve(&self) -> bool {
        true
    }

    fn limit(&self, _: &Stability) -> Limit {
        Limit::None
    }

    fn save(&self, memory: &mut Vec<f64>) {
        self.memory.save(memory);
    }

    fn restore(&mut self, memory: &[f64]) {
        self.memory.restore(memory);
    }
}
