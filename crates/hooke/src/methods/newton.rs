//! Backward Euler by Newton's method.
//!
//! `x_{t+h} = argmin g`, by `∇²g Δ = −∇g` with a line search on g, then
//! `v_{t+h} = (x_{t+h} − x_t)/h`.
//!
//! Order 1. A sparse factorization per iteration. Stable at every step, damps high frequencies.
//! Baraff & Witkin 1998 (one iteration); Martin et al. 2011 and Liu et al. 2013 (as minimization).

use super::shared::backward_euler::{self, BackwardEuler};
use super::shared::minimization::{Limits, Minimization};

use super::shared::system::{Coefficients, Projection, System};
use super::{
    Cancellation, Configured, Facts, Method, Precision, Refusal, StabilityLimit, StepContext,
    Unknowns,
};
use crate::contact::MOST_UPDATES;
use crate::kernels::Kernels;
use crate::linalg::{LinearSettings, Operator};
use crate::math::Vec3;
use crate::model::Model;
use crate::report::{End, StepReport};
use crate::stability::Stability;
use crate::state::State;

pub(super) const FACTS: Facts = Facts {
    doc: "Backward Euler: the minimizer of g by Newton's method with a line search.",
    order: 1,
    cost: "1 factorization per iteration",
    stable: "every h",
    good: "any law to any accuracy; stiff models of small and medium size",
    bad: "rough solutions of large models: each iteration factors a matrix; conserving energy",
    reference: "Baraff & Witkin 1998; Martin, Thomaszewski, Grinspun & Gross 2011",
    cancellation: Cancellation::Filtered,
    unknowns: Unknowns::Blocks,
};

/// Declares settings of a method that uses Newton's method: its own, then those of the minimizer.
macro_rules! minimizer_settings {
    ($(#[$outer:meta])* pub struct $name:ident { $($own:tt)* }) => {
        $crate::settings::settings! {
            $(#[$outer])*
            pub struct $name {
                $($own)*
        /// Maximum number of iterations per step.
        iterations: u32 = 50, "", [0.0, 1e6];
        /// Tolerance on ‖∇g‖, relative to the acting forces.
        tolerance: f64 = 1e-8, "", [0.0, 1.0];
        /// Whether a line search shortens steps until g decreases, and lengthens them near saddles.
        line_search: bool = true;
        /// Treatment of the negative part of the Hessian.
        projection: $crate::methods::Projection = $crate::methods::Projection::Graded;
        /// The initial guess.
        start: $crate::methods::Start = $crate::methods::Start::Adaptive;
        with linear: $crate::linalg::LinearSettings;
            }
        }

        impl $name {
            /// Those of the minimizer.
            pub(super) fn minimizer(&self) -> $crate::methods::newton::MinimizerSettings {
                $crate::methods::newton::MinimizerSettings {
                    iterations: self.iterations,
                    tolerance: self.tolerance,
                    line_search: self.line_search,
                    projection: self.projection,
                    linear: self.linear.clone(),
                }
            }
        }
    };
}
pub(super) use minimizer_settings;

minimizer_settings! {
    /// Settings of Newton's method.
    pub struct NewtonSettings {
        /// Whether a step that stops early is shortened if it would add energy.
        energy_guard: bool = true;
    }
}

/// How a function is minimized by Newton's method.
pub(crate) struct MinimizerSettings {
    /// Maximum number of iterations per step.
    pub(super) iterations: u32,
    /// Tolerance on ‖∇g‖, relative to the acting forces.
    pub(super) tolerance: f64,
    /// Whether a line search shortens steps until g decreases, and lengthens them near saddles.
    pub(super) line_search: bool,
    pub(super) projection: Projection,
    pub(super) linear: LinearSettings,
}

/// Newton's method on any g.
pub(crate) struct Minimizer {
    settings: MinimizerSettings,
    system: System,
    delta: Vec<Vec3>,
    trial: Vec<Vec3>,
}

impl Minimizer {
    pub(crate) fn new(settings: MinimizerSettings) -> Self {
        let system = System::new(settings.linear.clone(), settings.projection);
        let [delta, trial] = [const { Vec::new() }; 2];
        Self { settings, system, delta, trial }
    }

    pub(crate) fn prepare(&mut self, model: &Model, kernels: Kernels) -> Result<(), Refusal> {
        for buffer in [&mut self.delta, &mut self.trial] {
            buffer.resize(model.particles(), Vec3::ZERO);
        }
        self.system.prepare(model, kernels)
    }

    /// The stopping criteria of its solves.
    pub(crate) fn limits(&self) -> Limits {
        let MinimizerSettings { iterations, tolerance, .. } = self.settings;
        Limits { iterations, tolerance }
    }

    /// Moves x to a minimum of g; pinned coordinates of x are fixed. `objective` is the name of g
    /// in reports.
    pub(crate) fn minimize(&mut self, mut solve: Minimization<'_>, objective: &'static str) {
        let context = solve.context;
        let c = Coefficients::backward_euler(solve.g.h);
        solve.evaluate_value();
        self.system.begin();
        let end = loop {
            if solve.iterations > 0 {
                let (x, tolerance) = (&*solve.x, solve.limits.tolerance);
                if solve.g.contacts.update_lagged(context, |i| x[i], tolerance, MOST_UPDATES) {
                    solve.evaluate_value();
                }
            }
            solve.evaluate_gradient();
            if let Some(end) = solve.settled().or_else(|| solve.exhausted()) {
                break end;
            }

            // ∇²g Δ = −∇g on free coordinates
            let gradient = &*solve.gradient;
            let mut descent = |_: Operator<'_>, b: &mut [Vec3]| {
                for (b, &gradient) in b.iter_mut().zip(gradient) {
                    *b = -gradient;
                }
            };
            let at = solve.g.at(solve.x);
            let beside = (&solve.g.dissipation, &solve.g.contacts);
            let solved = self.system.solve(context, c, at, beside, &mut descent, &mut self.delta);
            let effort = solved.unwrap_or_else(|effort| effort);
            solve.effort.join(effort);
            if solved.is_err() {
                break End::Factorization;
            }

            // x ← x + αΔ, α halved until g decreases enough (Armijo). Near a saddle the shifted
            // matrix makes steps too short, so there α is also doubled as long as g decreases
            // further.
            let slope = dot(solve.gradient, &self.delta);
            let line = Line { from: solve.here.value, slope, lengthen: effort.kept < 1.0 };
            let Some(lower) = self.advance(&mut solve, line) else {
                break End::LineSearch;
            };
            solve.here.value = lower;
            solve.iterations += 1;
        };
        solve.finish(objective, end);
    }

    /// Moves x along Δ and returns g there; `None` where no step lowers g.
    fn advance(&mut self, solve: &mut Minimization<'_>, line: Line) -> Option<f64> {
        let Self { trial, delta, settings, .. } = self;
        let Minimization { context, g, x, scale, .. } = solve;
        let mut at = |alpha: f64| {
            for ((trial, &x), &delta) in trial.iter_mut().zip(&**x).zip(&*delta) {
                *trial = x + delta * alpha;
            }
            g.value(*context, trial)
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

/// A line search along a direction.
#[derive(Clone, Copy)]
struct Line {
    /// g at its start (J).
    from: f64,
    /// The slope of g there.
    slope: f64,
    /// Whether steps longer than the full step are tried.
    lengthen: bool,
}

/// The longest step along a line, in full steps.
const LONGEST: f64 = 256.0;

fn dot(a: &[Vec3], b: &[Vec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.dot(*b)).sum()
}

/// The method.
pub struct Newton {
    frame: BackwardEuler,
    minimizer: Minimizer,
}

impl Configured for Newton {
    type Settings = NewtonSettings;
    fn with(settings: NewtonSettings) -> Self {
        let frame = BackwardEuler::new(settings.start, settings.energy_guard, Precision::Exact);
        Self { frame, minimizer: Minimizer::new(settings.minimizer()) }
    }
}

impl Method for Newton {
    fn prepare(&mut self, model: &Model, kernels: Kernels) -> Result<(), Refusal> {
        self.frame.prepare(model, kernels);
        self.minimizer.prepare(model, kernels)
    }

    fn step(&mut self, context: StepContext<'_>, state: &mut State, report: &mut StepReport) {
        self.frame.begin(context, state, report);
        self.frame.initialize(context);
        let solve = self.frame.minimization(context, self.minimizer.limits(), report);
        self.minimizer.minimize(solve, backward_euler::OBJECTIVE);
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
