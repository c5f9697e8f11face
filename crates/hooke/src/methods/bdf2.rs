//! The second-order backward differentiation formula.
//!
//! `x̄ = (4x_n − x_{n−1})/3`, v̄ likewise, `H = 2h/3`; `x' = argmin g` with
//! `y = x̄ + H v̄ + H² M⁻¹ f_ext` and H for h; `v' = (x' − x̄)/H`. The first step uses the implicit
//! midpoint rule. Dampers are evaluated at `x_n + h v_n` and `2v_n − v_{n−1}`, within h² of the
//! end.
//!
//! Order 2. A Newton solve a step. Stable at every step of a linear model, damps less than
//! backward Euler.
//! Curtiss & Hirschfelder 1952; Choi & Ko 2002 for cloth.

use super::implicit_midpoint::ImplicitMidpoint;
use super::newton::{Minimizer, minimizer_settings};
use super::shared::minimization::{Iterate, Minimization};
use super::shared::objective::{self, Objective};
use super::{
    Cancellation, Configured, Facts, Method, Refusal, StabilityLimit, StepContext, Unknowns,
};
use crate::kernels::Kernels;
use crate::math::Vec3;
use crate::model::Model;
use crate::report::StepReport;
use crate::stability::Stability;
use crate::state::State;

pub(super) const FACTS: Facts = Facts {
    doc: "Backward differences over two steps.",
    order: 2,
    cost: "1 factorization per iteration",
    stable: "every h of a linear model; may gain energy on a nonlinear one",
    good: "accuracy at large steps with little damping",
    bad: "contacts and edits, which reset its history: friction of deformables is some percent off",
    reference: "Curtiss & Hirschfelder 1952; Choi & Ko 2002",
    cancellation: Cancellation::Filtered,
    unknowns: Unknowns::Blocks,
};

minimizer_settings! {
    /// Settings of BDF2.
    pub struct Bdf2Settings {}
}

/// The method.
pub struct Bdf2 {
    first: ImplicitMidpoint,
    minimizer: Minimizer,
    objective: Objective,
    /// Positions and velocities of the previous step, which had the length `h`; empty before the
    /// first.
    before: State,
    h: f64,
    x_bar: Vec<Vec3>,
    v_bar: Vec<Vec3>,
    iterate: Iterate,
    /// Velocities at which dampers are evaluated (m/s).
    v: Vec<Vec3>,
    /// The change of velocities in the step, before any particle was displaced (m/s).
    gained: Vec<Vec3>,
}

impl Configured for Bdf2 {
    type Settings = Bdf2Settings;
    fn with(settings: Bdf2Settings) -> Self {
        let [x_bar, v_bar, v, gained] = [const { Vec::new() }; 4];
        Self {
            first: ImplicitMidpoint::new(settings.start, settings.minimizer()),
            minimizer: Minimizer::new(settings.minimizer()),
            objective: Objective::default(),
            before: State::default(),
            h: 0.0,
            x_bar,
            v_bar,
            iterate: Iterate::default(),
            v,
            gained,
        }
    }
}

impl Method for Bdf2 {
    fn prepare(&mut self, model: &Model, kernels: Kernels) -> Result<(), Refusal> {
        self.objective.prepare(model, kernels);
        self.iterate.resize(model.particles());
        let Self { x_bar, v_bar, v, gained, .. } = self;
        for buffer in [x_bar, v_bar, v, gained] {
            buffer.resize(model.particles(), Vec3::ZERO);
        }
        self.first.prepare(model, kernels)?;
        self.minimizer.prepare(model, kernels)
    }

    fn step(&mut self, context: StepContext<'_>, state: &mut State, report: &mut StepReport) {
        let known = self.h == context.h && self.before.positions.len() == state.positions.len();
        if !known {
            self.before.copy_from(state, context.pool);
            self.h = context.h;
            self.first.restore(&[]);
            self.first.step(context, state, report);
            self.gain(state);
            return;
        }
        let bar = |now: Vec3, before: Vec3| (now * 4.0 - before) * (1.0 / 3.0);
        for i in 0..self.iterate.x.len() {
            self.x_bar[i] = bar(state.positions[i], self.before.positions[i]);
            self.v_bar[i] = bar(state.velocities[i], self.before.velocities[i]);
        }
        for i in 0..self.iterate.x.len() {
            self.iterate.x[i] = state.positions[i] + state.velocities[i] * context.h;
            self.v[i] = state.velocities[i] * 2.0 - self.before.velocities[i];
        }
        objective::hold(context, 1.0, &mut self.iterate.x);
        let h = context.h * 2.0 / 3.0;
        let from = (&self.x_bar[..], &self.v_bar[..]);
        report.residuals.clear();
        self.objective.begin_damped(context, h, 1.0, from, (&self.iterate.x, &self.v));
        let (g, limits) = (&mut self.objective, self.minimizer.limits());
        let solve = Minimization::new(context, g, &mut self.iterate, None, limits, report);
        self.minimizer.minimize(solve, "BDF2");
        self.before.copy_from(state, context.pool);
        for (i, &x) in self.iterate.x.iter().enumerate() {
            state.velocities[i] = (x - self.x_bar[i]) * (1.0 / h);
            state.positions[i] = x;
        }
        self.gain(state);
    }

    fn damped_ahead(&self) -> bool {
        true
    }

    fn limit(&self, _: &Stability) -> StabilityLimit {
        StabilityLimit::Linear
    }

    fn displaced(&mut self, i: usize, state: &State) {
        // The history is set as if the particle had always moved with this velocity and
        // acceleration, so the next step continues as if it were free.
        if let (Some(x), Some(v), Some(&gained)) = (
            self.before.positions.get_mut(i),
            self.before.velocities.get_mut(i),
            self.gained.get(i),
        ) {
            *v = state.velocities[i] - gained;
            *x = state.positions[i] - (state.velocities[i] + *v) * (0.5 * self.h);
        }
    }

    fn slowed(&mut self, a: f64, model: &Model, state: &State) {
        // The history is changed so that the previous step ended with the slower velocity: x̄ = x +
        // a h v/3.
        let State { positions, velocities, .. } = &mut self.before;
        for (i, (x, v)) in positions.iter_mut().zip(velocities).enumerate() {
            for axis in (0..3).filter(|&axis| !model.fixed()[i][axis]) {
                let now = state.positions[i][axis];
                v[axis] *= a;
                x[axis] = now - a * (now - x[axis]);
            }
        }
    }

    fn save(&self, memory: &mut Vec<f64>) {
        memory.push(self.h);
        let points = self.before.positions.iter().chain(&self.before.velocities);
        memory.extend(points.flat_map(|point| point.to_array()));
    }

    fn restore(&mut self, memory: &[f64]) {
        self.h = memory.first().copied().unwrap_or(0.0);
        let (points, _) = memory.get(1..).unwrap_or_default().as_chunks::<3>();
        let (positions, velocities) = points.split_at(points.len() / 2);
        self.before.positions = positions.iter().map(|&point| point.into()).collect();
        self.before.velocities = velocities.iter().map(|&point| point.into()).collect();
        self.first.restore(&[]);
    }
}

impl Bdf2 {
    /// Stores the change of velocities.
    fn gain(&mut self, state: &State) {
        for (i, gained) in self.gained.iter_mut().enumerate() {
            *gained = state.velocities[i] - self.before.velocities[i];
        }
    }
}
