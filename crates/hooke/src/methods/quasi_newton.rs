//! Backward Euler by quasi-Newton steps with a matrix factored once: fast mass-spring when all
//! elements are springs.
//!
//! `x ← x − A⁻¹ ∇g(x)`, `A = M/h² + L`, where L sums the laws' proxies and the dampers' bounds over
//! h. A is the same for x, y and z, so it is n×n with three right-hand sides. It changes only with
//! h, masses, stiffness, topology or pins.
//!
//! For springs this is the local/global iteration of Liu et al. 2013: local
//! `d_i = r_i (p₁−p₂)/|p₁−p₂|` for every spring, global `(M + h²L) x = h²Jd + My`; both give the
//! same iterates to round-off (a test). For energies `w/2 |G x − p(x)|²` with a projection p it is
//! projective dynamics (Bouaziz et al. 2014). As A is an upper bound of the Hessian, g decreases in
//! every iteration; if a proxy is only an estimate, the step is shortened until it does.
//!
//! Contact is in g, but not in A. Steps with contact use L-BFGS with a line search on g, and the
//! constrained directions are removed from A (`contact/constrained_directions.rs`).
//!
//! Order 1. Two triangular solves and a gradient per iteration. Converges linearly to the minimum
//! that [`Newton`](super::Newton) finds; accelerators (`accelerate`) get there in fewer iterations.

use super::newton::{Minimizer, NewtonSettings};
use super::shared::accelerate::{Accelerator, Descent, Fallback};
use super::shared::backward_euler::{self, BackwardEuler};
use super::shared::minimization::{Limits, Minimization};
use super::shared::objective::clear_fixed;
use super::shared::prefactored::PrefactoredMatrix;
use super::shared::refusals;
use super::shared::start::Start;
use super::shared::system::Coefficients;
use super::{
    Cancellation, Configured, Facts, Method, Precision, Refusal, StabilityLimit, StepContext,
    Unknowns,
};
use crate::clock::Stopwatch;
use crate::contact::ConstrainedDirections;
use crate::kernels::Kernels;
use crate::model::Model;
use crate::report::{End, StepReport};
use crate::settings::settings;
use crate::stability::Stability;
use crate::state::State;

pub(super) const FACTS: Facts = Facts {
    doc: "Backward Euler by quasi-Newton steps with one prefactored n×n matrix.",
    order: 1,
    cost: "2 triangular solves per iteration; 1 factorization per edit",
    stable: "every h",
    good: "rough solutions of large cloths and spring networks at a low cost per frame",
    bad: "edits that need a new factorization; high accuracy; stiff solids",
    reference: "Liu, Bargteil, O'Brien & Kavan 2013; Liu, Bouaziz & Kavan 2017",
    cancellation: Cancellation::No,
    unknowns: Unknowns::Numbers,
};

settings! {
    /// Settings of the quasi-Newton method.
    pub struct QuasiNewtonSettings {
        /// Maximum number of iterations per step.
        iterations: u32 = 20, "", [0.0, 1e9];
        /// Tolerance on ‖∇g‖, relative to the acting forces.
        tolerance: f64 = 1e-6, "", [0.0, 1.0];
        /// The initial guess.
        start: Start = Start::Adaptive;
        /// Precision of the forces of springs.
        precision: Precision = Precision::Exact;
        /// Acceleration of the iterations.
        accelerator: Accelerator = Accelerator::None;
        /// The number of iterations that Anderson and L-BFGS store.
        window: u32 = 5, "", [1.0, 16.0];
        /// The largest factor by which an iteration multiplies an error, for Chebyshev; 0: estimated.
        radius: f64 = 0.0, "", [0.0, 0.99999];
        /// Whether a step that stops early is shortened if it would add energy.
        energy_guard: bool = true;
        /// The method that continues if these iterations are not enough or converge too slowly.
        fallback: Fallback = Fallback::None;
    }
}

/// The number of iterations over which the rate of convergence is measured.
const STRIDE: u32 = 16;

/// The method.
pub struct QuasiNewton {
    settings: QuasiNewtonSettings,
    frame: BackwardEuler,
    /// Newton's method, created when it is first needed.
    fallback: Option<Minimizer>,
    kernels: Kernels,
    prefactored: Option<PrefactoredMatrix>,
    descent: Descent,
    /// Descent with contact, and its constrained directions.
    contact_descent: Descent,
    constrained: ConstrainedDirections,
    /// The particles that stick to obstacles, and their contact stiffness (N/m).
    stuck: Vec<(u32, f64)>,
}

impl Configured for QuasiNewton {
    type Settings = QuasiNewtonSettings;
    fn with(settings: QuasiNewtonSettings) -> Self {
        let QuasiNewtonSettings { start, precision, energy_guard, .. } = settings;
        let QuasiNewtonSettings { accelerator, window, radius, .. } = settings;
        Self {
            frame: BackwardEuler::new(start, energy_guard, precision),
            fallback: None,
            kernels: Kernels::default(),
            prefactored: None,
            descent: Descent::new(accelerator, window, radius),
            contact_descent: Descent::new(Accelerator::Lbfgs, window.max(SHORTEST), radius),
            constrained: ConstrainedDirections::default(),
            stuck: Vec::new(),
            settings,
        }
    }
}

/// The minimum window of L-BFGS with contact.
const SHORTEST: u32 = 8;

impl Method for QuasiNewton {
    fn prepare(&mut self, model: &Model, kernels: Kernels) -> Result<(), Refusal> {
        PrefactoredMatrix::analyze(&mut self.prefactored, model, kernels)?;
        refusals::refuse_cancellation("quasi-newton", model)?;
        self.kernels = kernels;
        self.frame.prepare(model, kernels);
        Ok(())
    }

    fn step(&mut self, context: StepContext<'_>, state: &mut State, report: &mut StepReport) {
        let StepContext { model, h, pool, .. } = context;
        let c = Coefficients::backward_euler(h);
        self.frame.begin(context, state, report);
        let clock = Stopwatch::start();
        self.frame.objective.contacts.stuck(context, &mut self.stuck);
        let factorizations = self.prefactored.as_mut().map_or(0, |prefactored| {
            prefactored.hold(&self.stuck);
            prefactored.update(context, c)
        });
        report.seconds.factorization += clock.seconds();
        self.frame.initialize(context);
        if let Some(prefactored) = &mut self.prefactored {
            prefactored.aim(context, self.frame.objective.at(&self.frame.iterate.x), c);
        }

        let QuasiNewtonSettings { iterations, tolerance, fallback, .. } = self.settings;
        let mut solve = self.frame.minimization(context, Limits { iterations, tolerance }, report);
        solve.effort.factorizations = factorizations;
        let touching = !solve.g.contacts.is_empty() || !solve.g.contacts.surfaces.has_arrived();
        let descent = if touching { &mut self.contact_descent } else { &mut self.descent };
        // If A is a bound, g decreases without a test; with an estimate or an accelerator g is
        // evaluated.
        let evaluated = !descent.is_plain()
            || !self.prefactored.as_ref().is_some_and(PrefactoredMatrix::is_bound);
        if evaluated {
            descent.begin(model.particles());
            solve.evaluate();
        } else {
            solve.evaluate_gradient();
        }
        let mut known = solve.here.residual;
        let end = loop {
            let settled = solve.settled();
            // Friction is updated after 1, 2, 4… iterations and at the end. Then g changes, and the
            // stored iterations no longer apply.
            if touching
                && (solve.iterations.is_power_of_two() || settled.is_some())
                && solve.update_lagged()
            {
                descent.begin(model.particles());
                if settled.is_some() {
                    continue;
                }
            } else if let Some(end) = settled {
                break end;
            }
            if let Some(end) = solve.exhausted() {
                break end;
            }
            // A does not include contact between surfaces.
            if !solve.g.contacts.surfaces.is_empty() {
                break End::Cap;
            }
            if fallback != Fallback::None
                && solve.iterations > 0
                && solve.iterations.is_multiple_of(STRIDE)
            {
                if !suffices(&solve, known) {
                    break End::Cap;
                }
                known = solve.here.residual;
            }
            let Some(prefactored) =
                self.prefactored.as_mut().filter(|prefactored| prefactored.is_factored())
            else {
                break End::Factorization;
            };

            // x ← x − A⁻¹ ∇g
            if evaluated {
                let (g, constrained) = (&*solve.g, &mut self.constrained);
                let diagonal = |i: usize| g.diagonal(context, i);
                constrained.find(context, &g.contacts, &self.stuck, solve.x, diagonal);
                if !descent.advance(&mut solve, prefactored, constrained) {
                    break End::LineSearch;
                }
            } else {
                let clock = Stopwatch::start();
                clear_fixed(model, solve.gradient);
                prefactored.descend(solve.gradient, solve.here.residual, solve.x, pool);
                solve.effort.solution += clock.seconds();
                solve.effort.linear_iterations += 1;
                solve.evaluate_gradient();
            }
            solve.iterations += 1;
        };
        let pressed = !solve.g.contacts.surfaces.is_empty();
        let newton = match end.is_settled() {
            false if fallback == Fallback::Newton || pressed => {
                let newton = self.fallback.get_or_insert_with(|| {
                    let settings = NewtonSettings { tolerance, ..NewtonSettings::default() };
                    Minimizer::new(settings.minimizer())
                });
                newton.prepare(model, self.kernels).is_ok().then_some(newton)
            }
            _ => None,
        };
        match newton {
            Some(newton) => {
                let (iterations, effort) = solve.abandon();
                effort.book(report);
                let solve = self.frame.minimization(context, newton.limits(), report);
                newton.minimize(solve, backward_euler::OBJECTIVE);
                report.fallback = Some("newton");
                if let Some(solve) = &mut report.solve {
                    solve.iterations += iterations;
                    solve.linear_iterations += effort.linear_iterations;
                    solve.factorizations += effort.factorizations;
                }
            }
            None => {
                if !evaluated {
                    solve.evaluate_value();
                }
                solve.finish(backward_euler::OBJECTIVE, end);
            }
        }
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

/// Whether the remaining iterations suffice, given the residual [`STRIDE`] iterations ago.
fn suffices(solve: &Minimization<'_>, before: f64) -> bool {
    let residual = solve.here.residual;
    let rate = libm::log(residual / before) / f64::from(STRIDE);
    let needed = libm::log(solve.limits.tolerance * solve.scale.value / residual) / rate;
    let left = f64::from(solve.limits.iterations - solve.iterations);
    rate < 0.0 && needed < left
}
