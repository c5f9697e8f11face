//! Backward Euler by quasi-Newton steps with a matrix factored once: fast mass-spring when all
//! elements are springs.
//!
//! `x ← x − A⁻¹ ∇g(x)`, `A = M/h² + L`, where L sums the laws' proxies and the dampers' bounds
//! over h. A acts on x, y and z alike, so it is n×n with three right-hand sides, and changes only
//! with h, masses, stiffness, topology or pins.
//!
//! For springs this is the local/global iteration of Liu et al. 2013: local
//! `d_i = r_i (p₁−p₂)/|p₁−p₂|` for every spring, global `(M + h²L) x = h²Jd + My`; both give the
//! same iterates to round-off (a test). As A lies above the Hessian, g falls at every iteration;
//! where a proxy is only an estimate, the step is shortened until it does.
//!
//! Order 1. Two triangular solves and a gradient per iteration. Converges linearly to the minimum
//! that [`Newton`](super::Newton) finds.

use super::global::Global;
use super::objective::{self, Objective, clear_fixed};
use super::start::{Memory, Start};
use super::system::Coefficients;
use super::{Cancellation, Configured, Facts, Limit, Method, Precision, Refusal, Unknowns, World};
use crate::kernels::Kernels;
use crate::math::Point;
use crate::model::{Hold, Model};
use crate::report::{End, Solve, StepReport};
use crate::settings::settings;
use crate::stability::Stability;
use crate::state::State;
use std::time::Instant;

pub(super) const FACTS: Facts = Facts {
    doc: "Backward Euler by steps with one prefactored n×n matrix.",
    order: 1,
    cost: "2 triangular solves per iteration; 1 factorisation per edit",
    stable: "every h",
    reference: "Liu, Bargteil, O'Brien & Kavan 2013; Liu, Bouaziz & Kavan 2017",
    cancellation: Cancellation::No,
    unknowns: Unknowns::Numbers,
};

settings! {
    /// Settings of the quasi-Newton method.
    pub struct QuasiNewtonSettings {
        /// Most iterations in a step.
        iterations: u32 = 20, "", [0.0, 1e9];
        /// ‖∇g‖ relative to ‖M g‖ + ‖∇E‖ at which a step is converged.
        tolerance: f64 = 1e-6, "", [0.0, 1.0];
        /// Where the iteration starts.
        start: Start = Start::Adaptive;
        /// How exactly the forces of springs are computed.
        precision: Precision = Precision::Exact;
    }
}

/// The method.
pub struct QuasiNewton {
    settings: QuasiNewtonSettings,
    objective: Objective,
    memory: Memory,
    global: Option<Global>,
    x: Vec<Point>,
    before: Vec<Point>,
    gradient: Vec<Point>,
}

impl Configured for QuasiNewton {
    type Settings = QuasiNewtonSettings;
    fn with(settings: QuasiNewtonSettings) -> Self {
        let [x, before, gradient] = [const { Vec::new() }; 3];
        let (objective, memory) = (Objective::new(settings.precision), Memory::default());
        Self { settings, objective, memory, global: None, x, before, gradient }
    }
}

impl Method for QuasiNewton {
    fn prepare(&mut self, model: &Model, kernels: Kernels) -> Result<(), Refusal> {
        Global::analyse(&mut self.global, model, kernels)?;
        if model.hold() == Hold::Cancellation && !model.pins().is_empty() {
            return Err(Refusal(
                "quasi-newton cannot hold pins by force cancellation; pins by elimination work"
                    .into(),
            ));
        }
        self.objective.prepare(model, kernels);
        for buffer in [&mut self.x, &mut self.before, &mut self.gradient] {
            buffer.resize(model.particles(), Point::ZERO);
        }
        Ok(())
    }

    fn step(&mut self, world: World<'_>, state: &mut State, report: &mut StepReport) {
        let World { model, h, team, .. } = world;
        let clock = Instant::now();
        let factorisations = self
            .global
            .as_mut()
            .map_or(0, |global| global.update(world, Coefficients::backward_euler(h)));
        report.seconds.factorisation += clock.elapsed().as_secs_f64();
        let from = (&state.positions[..], &state.velocities[..]);
        self.objective.begin(world, h, 1.0, from, report);
        self.memory.start(self.settings.start, world, h, &self.objective.y, &mut self.x);
        objective::hold(world, 1.0, &mut self.x);

        let g = &mut self.objective;
        if let Some(global) = &mut self.global {
            global.aim(world, g.at(&self.x), Coefficients::backward_euler(h));
        }
        let scale = g.scale(world, &mut self.gradient);
        let search = !self.global.as_ref().is_some_and(Global::is_bound);
        let mut value = if search { g.value(world, &self.x) } else { f64::NAN };
        let mut iterations = 0;
        report.residuals.clear();
        let (end, residual) = loop {
            let residual = g.gradient(world, &self.x, &mut self.gradient);
            report.residuals.push(residual);
            if let Some(end) = scale.end(residual, self.settings.tolerance) {
                break (end, residual);
            }
            if iterations == self.settings.iterations {
                break (End::Cap, residual);
            }

            // x ← x − A⁻¹ ∇g
            let Some(global) = self.global.as_mut().filter(|global| global.is_factored()) else {
                break (End::Factorisation, residual);
            };
            if search {
                self.before.copy_from_slice(&self.x);
            }
            let clock = Instant::now();
            clear_fixed(model, &mut self.gradient);
            global.descend(&self.gradient, residual, &mut self.x, team);
            report.seconds.solution += clock.elapsed().as_secs_f64();

            // Shortened where A is only an estimate.
            if search {
                let step = self.x.iter().zip(&self.before).map(|(&x, &before)| x - before);
                let slope: f64 = step.zip(&self.gradient).map(|(step, g)| g.dot(step)).sum();
                let mut alpha = 1.0;
                let lower = loop {
                    let there = g.value(world, &self.x);
                    if scale.falls(value, there, alpha, slope) {
                        break Some(there);
                    }
                    alpha *= 0.5;
                    if alpha < 1e-12 {
                        break None;
                    }
                    for (x, &before) in self.x.iter_mut().zip(&self.before) {
                        *x = before + (*x - before) * 0.5;
                    }
                };
                let Some(lower) = lower else {
                    self.x.copy_from_slice(&self.before);
                    break (End::LineSearch, residual);
                };
                value = lower;
            }
            iterations += 1;
        };
        objective::reactions(model, &self.gradient, report);
        report.solved(Solve {
            end,
            objective: "backward Euler",
            iterations,
            g: g.value(world, &self.x),
            residual,
            scale: scale.value,
            indefinite: false,
            kept: 1.0,
            factorisations,
            linear_iterations: iterations,
        });
        self.memory.keep(world);
        state.arrive(&self.x, h, world.team);
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
