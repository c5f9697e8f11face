//! Constrained dynamics: backward Euler for positions and constraint forces together.
//!
//! With the rows Φ of all laws that have them, `J = ∂Φ/∂x` and the compliance C (1/k for springs,
//! zero for rigid rows), it repeats
//!
//! ```text
//! [ M̃   −h Jᵀ ] [Δv]     [r₁]      r₁ = M (v^k − v) − h f − h J(x^k)ᵀ λ^k
//! [ h J   C   ] [Δλ] = − [r₂]      r₂ = Φ(x^k) + C λ^k          x^k = x + h v^k
//! ```
//!
//! from `x⁰ = x` to a tolerance. The first solve alone is the classic scheme, in which rods
//! stretch. M̃ is M with the dampers and the Hessian of the laws without rows, which enter f
//! implicitly, and with the geometric stiffness `−h² Σ λ ∂²Φ` unless that is disabled. Rows under
//! tension deflect the motion of their ends; without the geometric stiffness, oscillations of stiff
//! rows grow. A step is halved until the residuals of both equations decrease, or until the energy
//! it descends on decreases.
//!
//! Order 1: if all rows have a compliance, it finds the same minimum as [`Newton`](super::Newton).
//! One sparse factorization per iteration. Tournier, Nesme, Gilles & Faure 2015; Servin,
//! Lacoursière & Melin 2006.

use super::shared::objective::{self, Evaluation, Objective, free_norm};
use super::shared::redundancy::Redundancy;
use super::shared::refusals;
use super::shared::saddle::{self, Linearized, Saddle};
use super::shared::scale::Scale;
use super::shared::system::{Effort, Outcome};
use super::{
    Cancellation, Configured, Facts, Method, Refusal, StabilityLimit, StepContext, Unknowns,
};
use crate::compute::{At, ConstraintRows};
use crate::kernels::Kernels;
use crate::math::Vec3;
use crate::model::Model;
use crate::report::{ElementOf, End, Solve, StepReport};
use crate::settings::settings;
use crate::stability::Stability;
use crate::state::State;
use std::ops::Range;

pub(super) const FACTS: Facts = Facts {
    doc: "Backward Euler over positions and the forces of constraints, rigid ones included.",
    order: 1,
    cost: "1 factorization per iteration",
    stable: "every h of a linear model; may gain energy on a nonlinear one",
    good: "rigid rods, and springs from soft to nearly rigid",
    bad: "large meshes: the system has a row for every element",
    reference: "Servin, Lacoursière & Melin 2006; Tournier, Nesme, Gilles & Faure 2015",
    cancellation: Cancellation::No,
    unknowns: Unknowns::Blocks,
};

settings! {
    /// Settings of constrained dynamics.
    pub struct ConstrainedSettings {
        /// Maximum number of iterations per step; 1: a single linear solve with its full step.
        iterations: u32 = 50, "", [0.0, 1e6];
        /// Tolerance on ‖r₁‖ and ‖r₂‖ as forces, relative to the acting forces.
        tolerance: f64 = 1e-8, "", [0.0, 1.0];
        /// Whether an iteration accounts for the rotation of constraint forces.
        geometric_stiffness: bool = true;
    }
}

/// The method.
pub struct Constrained {
    settings: ConstrainedSettings,
    prepared: Option<(Kernels, [u64; 4])>,
    objective: Objective,
    saddle: Option<Saddle>,
    redundancy: Option<Redundancy>,
    /// The rows of each batch, and whether it has any.
    ranges: Vec<Range<usize>>,
    with_rows: Vec<bool>,
    here: Iterate,
    there: Iterate,
    dx: Vec<Vec3>,
    dl: Vec<f64>,
}

/// A point (x, λ) and its residuals.
#[derive(Default)]
struct Iterate {
    x: Vec<Vec3>,
    multipliers: Vec<f64>,
    rows: ConstraintRows,
    /// r₁/h (N), on pinned coordinates too.
    r1: Vec<Vec3>,
    /// r₂, zero for inactive rows.
    r2: Vec<f64>,
    by_size: Vec<f64>,
    /// ‖r₁‖/h over free coordinates (N).
    imbalance: f64,
    /// ‖r₂‖ as the force (N) that would remove it within the step.
    violation: f64,
    /// The size of both (J), see [`saddle::size`].
    size: f64,
}

impl Iterate {
    fn fit(&mut self, particles: usize, rows: usize) {
        self.x.resize(particles, Vec3::ZERO);
        self.r1.resize(particles, Vec3::ZERO);
        for buffer in [&mut self.multipliers, &mut self.r2, &mut self.by_size] {
            buffer.resize(rows, 0.0);
        }
    }

    fn residual(&self) -> f64 {
        (self.imbalance * self.imbalance + self.violation * self.violation).sqrt()
    }

    /// Evaluates the rows at x.
    fn update_rows(&mut self, model: &Model, objective: &Objective) {
        self.rows.clear();
        for batch in model.elements() {
            batch.constraints(objective.at(&self.x), &mut self.rows);
        }
    }

    /// r₁ and r₂ of the rows and multipliers at x.
    fn evaluate(
        &mut self,
        context: StepContext<'_>,
        objective: &mut Objective,
        with_rows: &[bool],
    ) {
        let StepContext { model, h, pool, .. } = context;
        let Self { x, rows, multipliers, r1, r2, by_size, .. } = self;
        objective.partial_gradient(context, x, with_rows, r1);
        rows.push_back(|row| -multipliers[row], r1);
        let mut violation = 0.0;
        for row in 0..rows.len() {
            let compliance = rows.compliances[row];
            let moved = h * h * saddle::mobility(model, rows, row);
            // A row with zero gradient is measured as if it moved its corners; a row between pins
            // is ignored.
            let (size, slope) = if compliance + moved > 0.0 {
                (compliance + moved, free_slope(model, rows, row))
            } else {
                (h * h * looseness(model, rows, row), 1.0)
            };
            let counts = size > 0.0 && size.is_finite();
            by_size[row] = if counts { 1.0 / size } else { 0.0 };
            let left = rows.values[row] + compliance * multipliers[row];
            r2[row] = if counts { left } else { 0.0 };
            let force = r2[row] * slope * by_size[row];
            violation += force * force;
        }
        self.imbalance = free_norm(model, r1, pool);
        self.violation = violation.sqrt();
        self.size = saddle::size(context, r1, r2, by_size);
    }

    /// The scale of the residuals: the acting forces (N) at the start of the step; of a row, at
    /// most the force that would bring it to zero within the step.
    fn scale(
        &self,
        context: StepContext<'_>,
        objective: &mut Objective,
        with_rows: &[bool],
        scratch: &mut [Vec3],
    ) -> Scale {
        scratch.fill(Vec3::ZERO);
        objective.add_partial_forces(context, &self.x, with_rows, scratch);
        self.rows.push_back(|row| self.rows.values[row] * self.by_size[row], scratch);
        let elastic = free_norm(context.model, scratch, context.pool);
        objective.scale_of(context, elastic, |_| 0.0)
    }

    /// The residual (N) that rounding of positions and of forces leaves in the rows.
    fn floor(&self, model: &Model) -> f64 {
        let mut sum = 0.0;
        for (row, by_size) in self.by_size.iter().enumerate() {
            let anchor = self.rows.slopes(row).map(|(i, slope)| self.x[i].norm() * slope.norm());
            let slope = free_slope(model, &self.rows, row);
            let force = anchor.sum::<f64>() * by_size * slope + self.multipliers[row].abs() * slope;
            sum += force * force;
        }
        4.0 * f64::EPSILON * sum.sqrt()
    }
}

/// ‖∂C/∂x‖ of a row over free coordinates.
fn free_slope(model: &Model, rows: &ConstraintRows, row: usize) -> f64 {
    let own = rows.slopes(row).map(|(i, slope)| {
        let free = (0..3).filter(|&axis| !model.fixed()[i][axis]);
        free.map(|axis| slope[axis] * slope[axis]).sum::<f64>()
    });
    own.sum::<f64>().sqrt()
}

/// The inverse masses (1/kg) of a row's corners, over all axes.
fn looseness(model: &Model, rows: &ConstraintRows, row: usize) -> f64 {
    let axes = |(i, _)| (0..3).map(|axis| model.inverse_mass(i, axis)).sum::<f64>();
    rows.slopes(row).map(axes).sum()
}

impl Configured for Constrained {
    type Settings = ConstrainedSettings;
    fn with(settings: ConstrainedSettings) -> Self {
        Self {
            settings,
            prepared: None,
            objective: Objective::default(),
            saddle: None,
            redundancy: None,
            ranges: Vec::new(),
            with_rows: Vec::new(),
            here: Iterate::default(),
            there: Iterate::default(),
            dx: Vec::new(),
            dl: Vec::new(),
        }
    }
}

impl Constrained {
    /// Moves `here` by one iteration; otherwise returns why that failed.
    fn iterate(
        &mut self,
        context: StepContext<'_>,
        scale: &Scale,
        total: &mut Effort,
    ) -> Result<(), End> {
        let Self { settings, objective, saddle, ranges, with_rows, here, there, dx, dl, .. } = self;
        let Some(saddle) = saddle else { return Err(End::Factorization) };
        let at = Linearized {
            objective,
            x: &here.x,
            rows: &here.rows,
            multipliers: &here.multipliers,
            ranges,
            geometric: settings.geometric_stiffness,
        };
        let factored = saddle.factor(context, at);
        let mut effort = factored.unwrap_or_else(|effort| effort);
        let right = (&here.r1[..], &here.r2[..]);
        let slope = match factored {
            Ok(_) => saddle.solve(context, &here.rows, right, (dx, dl), &mut effort),
            Err(_) => f64::NAN,
        };
        total.join(effort);
        if factored.is_err() {
            return Err(End::Factorization);
        }

        // (x, λ) ← (x, λ) + α (Δx, Δλ), α halved until both residuals decrease, or the energy that
        // Δx descends on decreases.
        let value = |objective: &Objective, saddle: &Saddle, x: &[Vec3], rows: &ConstraintRows| {
            objective.partial_value(context, x, with_rows) + saddle.lowered(rows, &here.multipliers)
        };
        let from = value(objective, saddle, &here.x, &here.rows);
        let mut alpha = 1.0;
        loop {
            for ((to, &x), &dx) in there.x.iter_mut().zip(&here.x).zip(&*dx) {
                *to = x + dx * alpha;
            }
            let multipliers = there.multipliers.iter_mut().zip(&here.multipliers);
            for ((to, from), dl) in multipliers.zip(&*dl) {
                *to = from + dl * alpha;
            }
            there.update_rows(context.model, objective);
            if there.rows.len() != here.rows.len() {
                return Err(End::LineSearch);
            }
            there.evaluate(context, objective, with_rows);
            let better = there.size <= (1.0 - 1e-4 * alpha) * here.size;
            let falls =
                || scale.falls(from, value(objective, saddle, &there.x, &there.rows), alpha, slope);
            if settings.iterations == 1 || better || falls() {
                break;
            }
            alpha *= 0.5;
            if alpha < SHORTEST {
                return Err(End::LineSearch);
            }
        }
        std::mem::swap(&mut self.here, &mut self.there);
        Ok(())
    }

    fn report_rows(&mut self, model: &Model, report: &mut StepReport) {
        let rows = &self.here.rows;
        let constraints = &mut report.constraints;
        let rigid = |row: &usize| rows.compliances[*row] == 0.0;
        constraints.rows = rows.len();
        constraints.rigid = (0..rows.len()).filter(rigid).count();
        constraints.imbalance = self.here.imbalance;
        let left = (0..rows.len()).filter(rigid).map(|row| self.here.r2[row].abs());
        constraints.violation = left.fold(0.0, |a, b| if b > a { b } else { a });
        constraints.redundant.clear();
        if let Some(redundancy) = &mut self.redundancy {
            redundancy.find(model, rows, &mut constraints.redundant);
        }
    }
}

/// The smallest fraction of a step that is tried.
const SHORTEST: f64 = 1.0 / (1u64 << 40) as f64;

impl Method for Constrained {
    fn prepare(&mut self, model: &Model, kernels: Kernels) -> Result<(), Refusal> {
        refusals::refuse_dense_elements("constrained", model)?;
        refusals::refuse_cancellation("constrained", model)?;
        self.objective.prepare(model, kernels);
        let now = Some((kernels, model.versions().numeric()));
        if self.prepared == now {
            return Ok(());
        }
        let anchors: Vec<Vec3> = model.anchors().iter().map(|anchor| anchor.at(0.0)).collect();
        let rows = &mut self.here.rows;
        rows.clear();
        self.ranges.clear();
        self.with_rows.clear();
        for batch in model.elements() {
            let first = rows.len();
            batch.constraints(At { x: model.rest(), anchors: &anchors }, rows);
            let own = first..rows.len();
            let law = batch.law();
            if law.springs && own.len() != batch.len() {
                let law = law.name;
                let sentence = format!(
                    "constrained needs one row for each {law}, and the law does not give it; newton \
                     would do"
                );
                return Err(Refusal::UnsupportedLaw { law, sentence });
            }
            self.with_rows.push(law.springs || !own.is_empty());
            self.ranges.push(own);
        }
        let element = |row: usize| {
            let batch = self.ranges.partition_point(|range| range.end <= row);
            let (own, batch) = (&self.ranges[batch], &model.elements()[batch]);
            let each = own.len() / batch.len();
            ElementOf { law: batch.law().name, element: (row - own.start) / each }
        };
        self.redundancy = Redundancy::new(model, rows, element)?;
        Saddle::prepare(&mut self.saddle, model, rows, kernels)?;
        let [particles, count] = [model.particles(), rows.len()];
        self.here.fit(particles, count);
        self.there.fit(particles, count);
        self.dx.resize(particles, Vec3::ZERO);
        self.dl.resize(count, 0.0);
        self.prepared = now;
        Ok(())
    }

    fn step(&mut self, context: StepContext<'_>, state: &mut State, report: &mut StepReport) {
        let StepContext { model, h, .. } = context;
        let from = (&state.positions[..], &state.velocities[..]);
        self.objective.begin(context, h, 1.0, from, report);

        // x⁰ = x, λ⁰ = −Φ/C
        let here = &mut self.here;
        here.x.copy_from_slice(&state.positions);
        objective::hold(context, 1.0, &mut here.x);
        here.update_rows(model, &self.objective);
        if here.rows.len() != here.multipliers.len() {
            report.solved(Solve::lost(OBJECTIVE));
            return;
        }
        for (row, multiplier) in here.multipliers.iter_mut().enumerate() {
            let compliance = saddle::soft(context, &here.rows, row);
            *multiplier = compliance.map_or(0.0, |compliance| -here.rows.values[row] / compliance);
        }
        here.evaluate(context, &mut self.objective, &self.with_rows);
        let scale = here.scale(context, &mut self.objective, &self.with_rows, &mut self.dx);

        if let Some(saddle) = &mut self.saddle {
            saddle.begin();
        }
        let mut total = Effort::none();
        let mut iterations = 0;
        report.residuals.clear();
        let (end, residual) = loop {
            let residual = self.here.residual();
            report.residuals.push(residual);
            if let Some(end) = scale.end(residual, self.settings.tolerance) {
                break (end, residual);
            }
            if residual <= self.here.floor(model) {
                break (End::Rounding, residual);
            }
            if iterations == self.settings.iterations {
                break (End::Cap, residual);
            }
            if let Err(end) = self.iterate(context, &scale, &mut total) {
                break (end, residual);
            }
            iterations += 1;
        };
        objective::reactions(model, &self.here.r1, report);
        self.report_rows(model, report);
        let here = Evaluation { value: self.objective.value(context, &self.here.x), residual };
        let (objective, scale) = (OBJECTIVE, scale.value);
        total.report(Outcome { end, objective, iterations, here, scale }, report);
        state.arrive(&self.here.x, h, context.pool);
    }

    fn accepts_hard_constraints(&self) -> bool {
        true
    }

    fn limit(&self, _: &Stability) -> StabilityLimit {
        StabilityLimit::Linear
    }
}

/// The name of the system in reports.
const OBJECTIVE: &str = "constrained backward Euler";
