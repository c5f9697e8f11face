//! The classic Runge–Kutta method of fourth order on (x, v).
//!
//! `k₁ = F(z)`, `k₂ = F(z + ½h k₁)`, `k₃ = F(z + ½h k₂)`, `k₄ = F(z + h k₃)`,
//! `z' = z + h/6 (k₁ + 2k₂ + 2k₃ + k₄)` with `z = (x, v)`, `F = (v, M⁻¹ f(x, v))`.
//!
//! Order 4. Four force evaluations a step. Stable for `hω < 2√2`, slowly damping. Kutta 1901.

use super::shared::explicit::Explicit;
use super::{
    Cancellation, Configured, Facts, Method, NoSettings, Refusal, StabilityLimit, StepContext,
    Unknowns,
};
use crate::kernels::Kernels;
use crate::math::Vec3;
use crate::model::Model;
use crate::report::StepReport;
use crate::stability::Stability;
use crate::state::State;

pub(super) const FACTS: Facts = Facts {
    doc: "Four evaluations, weighted 1, 2, 2, 1.",
    order: 4,
    cost: "4 force evaluations",
    stable: "hω < 2√2",
    good: "smooth soft motion to high accuracy",
    bad: "stiff springs: many sub-steps of four evaluations; friction of deformables: some percent off",
    reference: "Kutta 1901",
    cancellation: Cancellation::Yes,
    unknowns: Unknowns::None,
};

/// The method.
#[derive(Default)]
pub struct Rk4 {
    explicit: Explicit,
    /// Accelerations of the four stages.
    a: [Vec<Vec3>; 4],
    /// Positions and velocities of the stage, and the weighted sums over the previous stages.
    x: Vec<Vec3>,
    v: Vec<Vec3>,
    v_sum: Vec<Vec3>,
}

impl Configured for Rk4 {
    type Settings = NoSettings;
    fn with(_: NoSettings) -> Self {
        Self::default()
    }
}

impl Method for Rk4 {
    fn prepare(&mut self, model: &Model, kernels: Kernels) -> Result<(), Refusal> {
        self.explicit.prepare(model, kernels);
        let [a, b, c, d] = &mut self.a;
        for buffer in [a, b, c, d, &mut self.x, &mut self.v, &mut self.v_sum] {
            buffer.resize(model.particles(), Vec3::ZERO);
        }
        Ok(())
    }

    fn step(&mut self, context: StepContext<'_>, state: &mut State, report: &mut StepReport) {
        let h = context.h;
        let State { positions: x0, velocities: v0, .. } = context.start;
        self.x.copy_from_slice(x0);
        self.v.copy_from_slice(v0);
        self.v_sum.fill(Vec3::ZERO);
        // (step to the next stage, time of this stage within the step, its weight)
        for (stage, (ahead, at, weight)) in
            [(0.5, 0.0, 1.0), (0.5, 0.5, 2.0), (1.0, 0.5, 2.0), (0.0, 1.0, 1.0)]
                .into_iter()
                .enumerate()
        {
            let a = &mut self.a[stage];
            self.explicit.acceleration(context, at, &self.x, &self.v, a);
            for i in 0..x0.len() {
                self.v_sum[i] += self.v[i] * weight;
                self.x[i] = x0[i] + self.v[i] * (ahead * h);
                self.v[i] = v0[i] + a[i] * (ahead * h);
            }
            Explicit::hold(context, ahead, &mut self.x, &mut self.v);
        }
        let (x, v) = (&mut state.positions, &mut state.velocities);
        for i in 0..x.len() {
            let a_sum = self.a[0][i] + (self.a[1][i] + self.a[2][i]) * 2.0 + self.a[3][i];
            self.a[0][i] = a_sum * (1.0 / 6.0);
            x[i] += self.v_sum[i] * (h / 6.0);
            v[i] += self.a[0][i] * h;
        }
        Explicit::hold(context, 1.0, x, v);
        Explicit::reactions(context, state, &self.a[0], report);
    }

    fn damped_ahead(&self) -> bool {
        true
    }

    fn limit(&self, stability: &Stability) -> StabilityLimit {
        stability.rk4()
    }
}
