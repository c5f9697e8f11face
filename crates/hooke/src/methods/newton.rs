//! Backward Euler by Newton's method.
//!
//! `x_{t+h} = argmin g`, by `∇²g Δ = −∇g` with a line search on g, then
//! `v_{t+h} = (x_{t+h} − x_t)/h`.
//!
//! Order 1. A sparse factorisation per iteration. Stable at every step, damps high frequencies.
//! Baraff & Witkin 1998 (one iteration); Martin et al. 2011 and Liu et al. 2013 (as minimisation).

use super::energy_guard::EnergyGuard;
use super::objective::{self, Look, Objective, Scale};
use super::start::{Memory, Start};
use super::system::{Coefficients, Effort, Projection, System};
use super::{Cancellation, Configured, Facts, Limit, Method, Refusal, Unknowns, World};
use crate::contact::FOLLOWS;
use crate::kernels::Kernels;
use crate::linalg::{LinearSettings, Operator};
use crate::math::Point;
use crate::model::Model;
use crate::report::{End, Solve, StepReport};
use crate::settings::settings;
use crate::stability::Stability;
use crate::state::State;

pub(super) const FACTS: Facts = Facts {
    doc: "Backward Euler: the minimiser of g by Newton's method with a line search.",
    order: 1,
    cost: "1 factorisation per iteration",
    stable: "every h",
    good: "any law to any accuracy; stiff models; small and middle sizes",
    bad: "a rough answer on large models: each iteration factors anew; keeping energy",
    reference: "Baraff & Witkin 1998; Martin, Thomaszewski, Grinspun & Gross 2011",
    cancellation: Cancellation::Filtered,
    unknowns: Unknowns::Blocks,
};

settings! {
    /// Settings of Newton's method.
    pub struct NewtonSettings {
        /// Whether a step that stops early is shortened where it would add energy.
        energy_guard: bool = true;
        with minimizer: MinimizerSettings;
    }
}

settings! {
    /// How a function is minimized by Newton's method.
    pub struct MinimizerSettings {
        /// Most iterations in a step.
        iterations: u32 = 50, "", [0.0, 1e6];
        /// ‖∇g‖ relative to the forces that act at which a step is converged.
        tolerance: f64 = 1e-8, "", [0.0, 1.0];
        /// Whether steps are shortened until g falls, and lengthened past saddles.
        line_search: bool = true;
        /// What is done about the negative part of the Hessian.
        projection: Projection = Projection::Graded;
        /// Where the iteration starts.
        start: Start = Start::Adaptive;
        with linear: LinearSettings;
    }
}

/// Newton's method on an [`Objective`].
pub(crate) struct Minimiser {
    settings: MinimizerSettings,
    system: System,
    gradient: Vec<Point>,
    delta: Vec<Point>,
    trial: Vec<Point>,
}

impl Minimiser {
    pub(crate) fn new(settings: MinimizerSettings) -> Self {
        let system = System::new(settings.linear.clone(), settings.projection);
        let [gradient, delta, trial] = [const { Vec::new() }; 3];
        Self { settings, system, gradient, delta, trial }
    }

    pub(crate) fn prepare(&mut self, model: &Model, kernels: Kernels) -> Result<(), Refusal> {
        for buffer in [&mut self.gradient, &mut self.delta, &mut self.trial] {
            buffer.resize(model.particles(), Point::ZERO);
        }
        self.system.prepare(model, kernels)
    }

    /// Brings `x` to a minimum of g; pinned coordinates of `x` stay. Where it is not reached, the
    /// `guard`, if there is one, keeps the step from adding energy.
    pub(crate) fn minimise(
        &mut self,
        world: World<'_>,
        g: &mut Objective,
        (name, guard): (&'static str, Option<&mut EnergyGuard>),
        x: &mut [Point],
        report: &mut StepReport,
    ) {
        let model = world.model;
        let scale = g.scale(world, &mut self.gradient);
        let c = Coefficients::backward_euler(g.h);
        let mut total = Effort::none();
        let mut iterations = 0;
        let mut value = g.value(world, x);
        self.system.begin();
        let (end, mut residual) = loop {
            if iterations > 0
                && g.contacts.follow(world, |i| x[i], self.settings.tolerance, FOLLOWS)
            {
                value = g.value(world, x);
            }
            let residual = g.gradient(world, x, &mut self.gradient);
            report.residuals.push(residual);
            if let Some(end) = g.end(world, &scale, x, residual, self.settings.tolerance) {
                break (end, residual);
            }
            if iterations == self.settings.iterations {
                break (End::Cap, residual);
            }

            // ∇²g Δ = −∇g on free coordinates
            let gradient = &self.gradient;
            let mut descent = |_: Operator<'_>, b: &mut [Point]| {
                for (b, &gradient) in b.iter_mut().zip(gradient) {
                    *b = -gradient;
                }
            };
            let at = g.at(x);
            let beside = (&g.dissipation, &g.contacts);
            let solved = self.system.solve(world, c, at, beside, &mut descent, &mut self.delta);
            let effort = solved.unwrap_or_else(|effort| effort);
            total.join(effort);
            if solved.is_err() {
                break (End::Factorisation, residual);
            }

            // x ← x + αΔ, α halved until g falls enough (Armijo). Past a saddle the shifted matrix
            // makes steps too short, so there α is also doubled as long as g falls further.
            let slope = dot(&self.gradient, &self.delta);
            let line = Line { from: value, slope, lengthen: effort.kept < 1.0 };
            let Some(lower) = self.advance(world, g, &scale, x, line) else {
                break (End::LineSearch, residual);
            };
            value = lower;
            iterations += 1;
        };
        if let Some(guard) = guard.filter(|_| !end.is_settled()) {
            let (here, to) = (Look { value, residual }, (x, &mut self.gradient[..]));
            Look { value, residual } = guard.mend(world, (g, &scale), here, to, report);
        }
        total.book(report);
        objective::reactions(model, &self.gradient, report);
        report.solved(Solve {
            end,
            objective: name,
            iterations,
            g: value,
            residual,
            scale: scale.value,
            indefinite: total.indefinite,
            kept: total.kept,
            factorisations: total.factorisations,
            linear_iterations: total.linear_iterations,
        });
    }

    /// Moves `x` along Δ and returns g there; `None` where no step lowers g.
    fn advance(
        &mut self,
        world: World<'_>,
        g: &Objective,
        scale: &Scale,
        x: &mut [Point],
        line: Line,
    ) -> Option<f64> {
        let Self { trial, delta, settings, .. } = self;
        let mut at = |alpha: f64| {
            for ((trial, &x), &delta) in trial.iter_mut().zip(&*x).zip(&*delta) {
                *trial = x + delta * alpha;
            }
            g.value(world, trial)
        };
        let mut alpha = 1.0;
        let mut there = at(alpha);
        if settings.line_search {
            for _ in 0..40 {
                if scale.falls(line.from, there, alpha, line.slope) {
                    break;
                }
                alpha *= 0.5;
                there = at(alpha);
            }
            if !scale.falls(line.from, there, alpha, line.slope) {
                return None;
            }
            if line.lengthen && alpha == 1.0 {
                while alpha < LONGEST && at(2.0 * alpha) < there - scale.noise() {
                    alpha *= 2.0;
                    there = at(alpha);
                }
                there = at(alpha);
            }
        }
        x.copy_from_slice(trial);
        Some(there)
    }
}

/// A line along which g is lowered.
#[derive(Clone, Copy)]
struct Line {
    /// g at its start (J).
    from: f64,
    /// The slope of g there.
    slope: f64,
    /// Whether steps beyond the whole one are tried.
    lengthen: bool,
}

/// The longest step along a line, in whole ones.
const LONGEST: f64 = 256.0;

fn dot(a: &[Point], b: &[Point]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.dot(*b)).sum()
}

/// The method.
pub struct Newton {
    start: Start,
    guarded: bool,
    minimiser: Minimiser,
    objective: Objective,
    memory: Memory,
    guard: EnergyGuard,
    x: Vec<Point>,
}

impl Configured for Newton {
    type Settings = NewtonSettings;
    fn with(settings: NewtonSettings) -> Self {
        Self {
            start: settings.minimizer.start,
            guarded: settings.energy_guard,
            minimiser: Minimiser::new(settings.minimizer),
            objective: Objective::default().with_contacts(),
            memory: Memory::default(),
            guard: EnergyGuard::default(),
            x: Vec::new(),
        }
    }
}

impl Method for Newton {
    fn prepare(&mut self, model: &Model, kernels: Kernels) -> Result<(), Refusal> {
        self.objective.prepare(model, kernels);
        self.guard.prepare(model);
        self.x.resize(model.particles(), Point::ZERO);
        self.minimiser.prepare(model, kernels)
    }

    fn step(&mut self, world: World<'_>, state: &mut State, report: &mut StepReport) {
        let h = world.h;
        let from = (&state.positions[..], &state.velocities[..]);
        self.objective.begin(world, h, 1.0, from, report);
        self.memory.start(self.start, world, h, &self.objective.y, &mut self.x);
        objective::hold(world, 1.0, &mut self.x);
        let slide = |i: usize| self.memory.slide(self.start, world, i);
        self.objective.contacts.start(world.model, slide, &mut self.x);
        let how = ("backward Euler", self.guarded.then_some(&mut self.guard));
        self.minimiser.minimise(world, &mut self.objective, how, &mut self.x, report);
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
