//! Backward Euler by quasi-Newton steps with a matrix factored once: fast mass-spring when all
//! elements are springs.
//!
//! `x ← x − A⁻¹ ∇g(x)`, `A = M/h² + L`, where L sums the laws' proxies and the dampers' bounds
//! over h. A acts on x, y and z alike, so it is n×n with three right-hand sides, and changes only
//! with h, masses, stiffness, topology or pins.
//!
//! For springs this is the local/global iteration of Liu et al. 2013: local
//! `d_i = r_i (p₁−p₂)/|p₁−p₂|` for every spring, global `(M + h²L) x = h²Jd + My`; both give the
//! same iterates to round-off (a test). For energies `w/2 |G x − p(x)|²` with a projection p it is
//! projective dynamics (Bouaziz et al. 2014). As A lies above the Hessian, g falls at every iteration;
//! where a proxy is only an estimate, the step is shortened until it does.
//!
//! Contact is in g, but not in A: under contact steps are those of L-BFGS, watched by g, with the directions
//! that contact holds taken out of A (`contact/held.rs`).
//!
//! Order 1. Two triangular solves and a gradient per iteration. Converges linearly to the minimum
//! that [`Newton`](super::Newton) finds; accelerators (`accelerate`) get there in fewer iterations.

use super::accelerate::{Accelerator, Descent, Fallback, Way};
use super::energy_guard::EnergyGuard;
use super::global::Global;
use super::newton::{Minimiser, MinimizerSettings};
use super::objective::{self, Look, Objective, clear_fixed};
use super::start::{Memory, Start};
use super::system::Coefficients;
use super::{Cancellation, Configured, Facts, Limit, Method, Precision, Refusal, Unknowns, World};
use crate::contact::{FOLLOWS, Held};
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
    good: "a rough answer on large cloths and nets of springs, frame after frame",
    bad: "edits that factor anew; many digits; stiff solids",
    reference: "Liu, Bargteil, O'Brien & Kavan 2013; Liu, Bouaziz & Kavan 2017",
    cancellation: Cancellation::No,
    unknowns: Unknowns::Numbers,
};

settings! {
    /// Settings of the quasi-Newton method.
    pub struct QuasiNewtonSettings {
        /// Most iterations in a step.
        iterations: u32 = 20, "", [0.0, 1e9];
        /// ‖∇g‖ relative to the forces that act at which a step is converged.
        tolerance: f64 = 1e-6, "", [0.0, 1.0];
        /// Where the iteration starts.
        start: Start = Start::Adaptive;
        /// How exactly the forces of springs are computed.
        precision: Precision = Precision::Exact;
        /// What makes iterations faster.
        accelerator: Accelerator = Accelerator::None;
        /// How many iterations Anderson and L-BFGS remember.
        window: u32 = 5, "", [1.0, 16.0];
        /// The greatest factor by which an iteration leaves an error, for Chebyshev; 0: estimated.
        radius: f64 = 0.0, "", [0.0, 0.99999];
        /// Whether a step that stops early is shortened where it would add energy.
        energy_guard: bool = true;
        /// What goes on where these iterations do not suffice, or will not at the rate they converge.
        fallback: Fallback = Fallback::None;
    }
}

/// So many iterations tell the rate at which they converge.
const STRIDE: u32 = 16;

/// The method.
pub struct QuasiNewton {
    settings: QuasiNewtonSettings,
    objective: Objective,
    memory: Memory,
    guard: EnergyGuard,
    /// Newton's method, once it was needed.
    fallback: Option<Minimiser>,
    kernels: Kernels,
    global: Option<Global>,
    descent: Descent,
    /// Steps under contact, and the directions it holds.
    touching: Descent,
    held: Held,
    /// What sticks, and how stiffly (N/m).
    stuck: Vec<(u32, f64)>,
    x: Vec<Point>,
    gradient: Vec<Point>,
}

impl Configured for QuasiNewton {
    type Settings = QuasiNewtonSettings;
    fn with(settings: QuasiNewtonSettings) -> Self {
        let [x, gradient] = [const { Vec::new() }; 2];
        let objective = Objective::new(settings.precision).with_contacts();
        let (memory, held) = (Memory::default(), Held::default());
        let QuasiNewtonSettings { accelerator, window, radius, .. } = settings;
        let descent = Descent::new(accelerator, window, radius);
        let touching = Descent::new(Accelerator::Lbfgs, window.max(SHORTEST), radius);
        let (global, stuck, guard) = (None, Vec::new(), EnergyGuard::default());
        Self {
            settings,
            objective,
            memory,
            guard,
            fallback: None,
            kernels: Kernels::default(),
            global,
            descent,
            touching,
            held,
            stuck,
            x,
            gradient,
        }
    }
}

/// What L-BFGS remembers under contact, at the least.
const SHORTEST: u32 = 8;

impl Method for QuasiNewton {
    fn prepare(&mut self, model: &Model, kernels: Kernels) -> Result<(), Refusal> {
        Global::analyse(&mut self.global, model, kernels)?;
        if model.hold() == Hold::Cancellation && !model.pins().is_empty() {
            return Err(Refusal(
                "quasi-newton cannot hold pins by force cancellation; pins by elimination work"
                    .into(),
            ));
        }
        self.kernels = kernels;
        self.objective.prepare(model, kernels);
        self.guard.prepare(model);
        for buffer in [&mut self.x, &mut self.gradient] {
            buffer.resize(model.particles(), Point::ZERO);
        }
        Ok(())
    }

    fn step(&mut self, world: World<'_>, state: &mut State, report: &mut StepReport) {
        let World { model, h, team, .. } = world;
        let from = (&state.positions[..], &state.velocities[..]);
        self.objective.begin(world, h, 1.0, from, report);
        let clock = Instant::now();
        self.objective.contacts.stuck(world, &mut self.stuck);
        let factorisations = self.global.as_mut().map_or(0, |global| {
            global.hold(&self.stuck);
            global.update(world, Coefficients::backward_euler(h))
        });
        report.seconds.factorisation += clock.elapsed().as_secs_f64();
        self.memory.start(self.settings.start, world, h, &self.objective.y, &mut self.x);
        objective::hold(world, 1.0, &mut self.x);
        let slide = |i: usize| self.memory.slide(self.settings.start, world, i);
        self.objective.contacts.start(world.model, slide, &mut self.x);

        let g = &mut self.objective;
        if let Some(global) = &mut self.global {
            global.aim(world, g.at(&self.x), Coefficients::backward_euler(h));
        }
        let scale = g.scale(world, &mut self.gradient);
        let tolerance = self.settings.tolerance;
        let touching = !g.contacts.is_empty();
        let descent = if touching { &mut self.touching } else { &mut self.descent };
        // A bound makes g fall by itself; an estimate or an accelerator is watched.
        let watched = !descent.is_plain() || !self.global.as_ref().is_some_and(Global::is_bound);
        let mut here = if watched {
            descent.begin(model.particles());
            g.look(world, &self.x, &mut self.gradient)
        } else {
            let residual = g.gradient(world, &self.x, &mut self.gradient);
            Look { value: f64::NAN, residual }
        };
        let (mut iterations, mut solves) = (0u32, 0);
        let mut known = here.residual;
        let end = loop {
            report.residuals.push(here.residual);
            let settled = g.end(world, &scale, &self.x, here.residual, tolerance);
            // Friction follows after 1, 2, 4… iterations and at the end: g changes, and what is
            // remembered of it is of no use.
            if touching
                && (iterations.is_power_of_two() || settled.is_some())
                && let Some(there) =
                    g.follow(world, &self.x, here, &mut self.gradient, tolerance, FOLLOWS)
            {
                descent.begin(model.particles());
                here = there;
                if settled.is_some() {
                    continue;
                }
            } else if let Some(end) = settled {
                break end;
            }
            if iterations == self.settings.iterations {
                break End::Cap;
            }
            if self.settings.fallback != Fallback::None
                && iterations > 0
                && iterations % STRIDE == 0
            {
                // Iterations that this rate still asks for.
                let rate = libm::log(here.residual / known) / f64::from(STRIDE);
                let needed = libm::log(tolerance * scale.value / here.residual) / rate;
                let left = f64::from(self.settings.iterations - iterations);
                let suffice = rate < 0.0 && needed < left;
                if !suffice {
                    break End::Cap;
                }
                known = here.residual;
            }
            let Some(global) = self.global.as_mut().filter(|global| global.is_factored()) else {
                break End::Factorisation;
            };

            // x ← x − A⁻¹ ∇g
            let (x, gradient) = (&mut self.x, &mut self.gradient);
            if watched {
                let held = &mut self.held;
                held.find(world, &g.contacts, &self.stuck, x, |i| g.diagonal(world, i));
                let way = Way { world, g, global, held, scale, solves: &mut solves };
                match descent.advance(way, here, x, gradient, report) {
                    Some(there) => here = there,
                    None => break End::LineSearch,
                }
            } else {
                let clock = Instant::now();
                clear_fixed(model, gradient);
                global.descend(gradient, here.residual, x, team);
                report.seconds.solution += clock.elapsed().as_secs_f64();
                solves += 1;
                here.residual = g.gradient(world, x, gradient);
            }
            iterations += 1;
        };
        let done = Done { iterations, solves, factorisations };
        if end.is_settled() || !self.finish_by_newton(world, done, report) {
            let g = &mut self.objective;
            if !watched {
                here.value = g.value(world, &self.x);
            }
            if !end.is_settled() && self.settings.energy_guard {
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
                kept: 1.0,
                factorisations,
                linear_iterations: solves,
            });
        }
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

/// What iterations have cost.
#[derive(Clone, Copy)]
struct Done {
    iterations: u32,
    solves: u32,
    factorisations: u32,
}

impl QuasiNewton {
    /// Goes on by Newton's method where that is wanted; whether it was.
    fn finish_by_newton(&mut self, world: World<'_>, done: Done, report: &mut StepReport) -> bool {
        let QuasiNewtonSettings { fallback, tolerance, energy_guard, .. } = self.settings;
        if fallback == Fallback::None {
            return false;
        }
        let settings = || MinimizerSettings { tolerance, ..MinimizerSettings::default() };
        let newton = self.fallback.get_or_insert_with(|| Minimiser::new(settings()));
        if newton.prepare(world.model, self.kernels).is_err() {
            return false;
        }
        let how = ("backward Euler", energy_guard.then_some(&mut self.guard));
        newton.minimise(world, &mut self.objective, how, &mut self.x, report);
        report.fallback = Some("newton");
        if let Some(solve) = &mut report.solve {
            solve.iterations += done.iterations;
            solve.linear_iterations += done.solves;
            solve.factorisations += done.factorisations;
        }
        true
    }
}
