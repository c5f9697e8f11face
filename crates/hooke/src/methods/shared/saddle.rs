//! The linear system of a constrained step, over positions and the forces λ of the constraints:
//!
//! ```text
//! [ K   −Jᵀ ] [Δx]   [e₁]
//! [ J    C  ] [Δλ] = [e₂]
//! ```
//!
//! with `K = M/h² + ∂²D/h + ∇²E − Σ λ ∂²Φ`: inertia, dampers, the laws without rows, and the
//! geometric stiffness. It is reduced to `(K + Jᵀ C⁻¹ J) Δx = e₁ + Jᵀ C⁻¹ e₂`, a matrix with the
//! pattern of the model. A compliance too small for that, such as zero, is raised to slightly above
//! rounding, and the solution is corrected by iterative refinement until the equations hold: each
//! correction gains about ten digits, and contradictory rows do no harm.

use super::objective::{Objective, clear_fixed};
use super::system::Effort;
use crate::clock::Stopwatch;
use crate::compute::{ConstraintRows, assembly};
use crate::kernels::Kernels;
use crate::linalg::{Factor, Matrix};
use crate::math::{Mat3, Vec3};
use crate::methods::{Dissipation, Refusal, StepContext};
use crate::model::Model;

/// The smallest compliance of a row, relative to its effective inverse mass in a step.
const LEAST: f64 = 1e-10;

/// The maximum number of corrections of a solution.
const CORRECTIONS: u32 = 20;

/// Below this share, the negative part of the geometric stiffness is dropped.
const SMALLEST: f64 = 1.0 / 64.0;

/// The matrices with their slots and factor.
pub(crate) struct Saddle {
    prepared: (Kernels, [u64; 3]),
    stiffness: Matrix<Mat3>,
    condensed: Matrix<Mat3>,
    element_slots: Vec<Vec<u32>>,
    damper_slots: Vec<u32>,
    row_slots: Vec<u32>,
    factor: Factor<Mat3>,
    /// The share of the negative part of K that is kept.
    keep: f64,
    /// The inverse compliance of each row, limited to what can be factored.
    by_soft: Vec<f64>,
    /// Whether any compliance was raised.
    raised: bool,
    /// The inverse size of each row: its compliance plus its effective inverse mass in a step.
    by_size: Vec<f64>,
    e1: Vec<Vec3>,
    e2: Vec<f64>,
    correction: Vec<Vec3>,
    descent: Vec<Vec3>,
}

/// A point (x, λ) at which the system is assembled, with its rows and the terms of K.
#[derive(Clone, Copy)]
pub(crate) struct Linearized<'a> {
    pub(crate) objective: &'a Objective,
    pub(crate) x: &'a [Vec3],
    pub(crate) rows: &'a ConstraintRows,
    pub(crate) multipliers: &'a [f64],
    /// The rows of each batch: its range in `multipliers`.
    pub(crate) ranges: &'a [std::ops::Range<usize>],
    pub(crate) geometric: bool,
}

impl Saddle {
    /// Analyzes the pattern of a model if its topology or the kernels changed.
    pub(crate) fn prepare(
        saddle: &mut Option<Self>,
        model: &Model,
        rows: &ConstraintRows,
        kernels: Kernels,
    ) -> Result<(), Refusal> {
        let now = (kernels, model.versions().elements());
        let same =
            |known: &Self| known.prepared.0 == kernels && known.prepared.1[..2] == now.1[..2];
        let mut known = match saddle.take().filter(same) {
            Some(known) => known,
            None => {
                let matrix = Matrix::new(model.pattern());
                let factor = Factor::new(matrix.pattern(), kernels).map_err(|error| {
                    Refusal::TooLarge { sentence: format!("{error}, under newton") }
                })?;
                Self {
                    prepared: now,
                    damper_slots: Dissipation::slots(model, &matrix),
                    element_slots: Vec::new(),
                    row_slots: Vec::new(),
                    condensed: matrix.clone(),
                    stiffness: matrix,
                    factor,
                    keep: 1.0,
                    by_soft: Vec::new(),
                    raised: false,
                    by_size: Vec::new(),
                    e1: vec![Vec3::ZERO; model.particles()],
                    e2: Vec::new(),
                    correction: vec![Vec3::ZERO; model.particles()],
                    descent: vec![Vec3::ZERO; model.particles()],
                }
            }
        };
        known.element_slots = assembly::element_slots(model, &known.stiffness);
        known.row_slots.clear();
        for row in 0..rows.len() {
            let corners = &rows.corners[rows.range(row)];
            let slots = corners.iter().flat_map(|&i| corners.iter().map(move |&j| (i, j)));
            let pattern = known.stiffness.pattern();
            known.row_slots.extend(slots.map(|(i, j)| pattern.slot(i, j)));
        }
        known.by_soft.resize(rows.len(), 0.0);
        known.by_size.resize(rows.len(), 0.0);
        known.e2.resize(rows.len(), 0.0);
        known.prepared = now;
        *saddle = Some(known);
        Ok(())
    }

    /// Restores the full geometric stiffness.
    pub(crate) fn begin(&mut self) {
        self.keep = 1.0;
    }

    /// Assembles and factors the system at a point; the negative part of K is scaled down as far as
    /// needed.
    pub(crate) fn factor(
        &mut self,
        context: StepContext<'_>,
        at: Linearized<'_>,
    ) -> Result<Effort, Effort> {
        let mut effort = Effort::none();
        let StepContext { model, h, .. } = context;
        self.raised = false;
        for row in 0..self.by_soft.len() {
            let compliance = at.rows.compliances[row];
            let moved = h * h * mobility(model, at.rows, row);
            let soft = soft(context, at.rows, row).unwrap_or(LEAST * moved);
            self.raised |= soft != compliance;
            self.by_soft[row] = if soft > 0.0 { 1.0 / soft } else { 0.0 };
            self.by_size[row] = if soft > 0.0 { 1.0 / (compliance + moved) } else { 0.0 };
        }
        loop {
            effort.kept = self.keep;
            effort.factorizations += 1;
            let clock = Stopwatch::start();
            self.assemble(context, at);
            effort.assembly += clock.seconds();
            let clock = Stopwatch::start();
            let factored = self.factor.factor(&self.condensed, context.pool);
            effort.factorization += clock.seconds();
            if factored.is_ok() {
                self.keep = (self.keep * 2.0).clamp(SMALLEST, 1.0);
                return Ok(effort);
            }
            effort.indefinite = true;
            if self.keep == 0.0 {
                return Err(effort);
            }
            self.keep = if self.keep > SMALLEST { self.keep * 0.5 } else { 0.0 };
        }
    }

    fn assemble(&mut self, context: StepContext<'_>, at: Linearized<'_>) {
        let StepContext { model, h, .. } = context;
        let (matrix, anchors) = (&mut self.stiffness, at.objective.at(at.x));
        matrix.clear();
        let batches = model.elements().iter().zip(at.ranges).zip(&self.element_slots);
        for ((batch, range), slots) in batches {
            let own = &at.multipliers[range.clone()];
            if at.geometric || own.is_empty() {
                batch.geometric(anchors, own, self.keep, slots, matrix);
            }
        }
        for (i, &m) in model.masses().iter().enumerate() {
            *matrix.diagonal_mut(i) += Mat3::diagonal(m / (h * h));
        }
        at.objective.dissipation.hessian(1.0 / h, &self.damper_slots, matrix);

        let values = self.condensed.values_mut();
        values.copy_from_slice(self.stiffness.values());
        let mut slots = self.row_slots.iter();
        for (row, &by_soft) in self.by_soft.iter().enumerate() {
            let gradients = &at.rows.gradients[at.rows.range(row)];
            for &a in gradients {
                for (&b, &slot) in gradients.iter().zip(&mut slots) {
                    values[slot as usize] += a.outer(b) * by_soft;
                }
            }
        }
        self.condensed.fix(model.fixed());
    }

    /// Solves for Δx and Δλ with the right-hand sides `−r₁`, `−r₂`; Δx is zero on pinned
    /// coordinates. Returns the slope of [`Saddle::lowered`] along Δx.
    pub(crate) fn solve(
        &mut self,
        context: StepContext<'_>,
        rows: &ConstraintRows,
        (r1, r2): (&[Vec3], &[f64]),
        (dx, dl): (&mut [Vec3], &mut [f64]),
        effort: &mut Effort,
    ) -> f64 {
        let clock = Stopwatch::start();
        let StepContext { model, pool, .. } = context;
        let Self { by_soft, by_size, e1, e2, correction, descent, .. } = self;
        for (e, r) in e1.iter_mut().zip(r1) {
            *e = -*r;
        }
        clear_fixed(model, e1);
        for ((e, r), &by_soft) in e2.iter_mut().zip(r2).zip(&*by_soft) {
            *e = if by_soft > 0.0 { -r } else { 0.0 };
        }
        dx.fill(Vec3::ZERO);
        dl.fill(0.0);
        let mut left = size(context, e1, e2, by_size);
        let enough = left * 1e-30;
        for k in 0..=CORRECTIONS {
            correction.copy_from_slice(e1);
            rows.push_back(|row| by_soft[row] * e2[row], correction);
            clear_fixed(model, correction);
            if k == 0 {
                descent.copy_from_slice(correction);
            }
            self.factor.solve(correction, pool);
            effort.linear_iterations += 1;
            for (dx, &more) in dx.iter_mut().zip(&*correction) {
                *dx += more;
            }
            for (row, dl) in dl.iter_mut().enumerate() {
                *dl += by_soft[row] * (e2[row] - rows.along(row, correction));
            }
            if !self.raised {
                break;
            }
            self.stiffness.multiply(dx, e1, pool);
            for (e, &r) in e1.iter_mut().zip(r1) {
                *e = -*e - r;
            }
            rows.push_back(|row| dl[row], e1);
            clear_fixed(model, e1);
            for (row, e) in e2.iter_mut().enumerate() {
                if by_soft[row] > 0.0 {
                    *e = -r2[row] - rows.along(row, dx) - rows.compliances[row] * dl[row];
                }
            }
            let before = std::mem::replace(&mut left, size(context, e1, e2, by_size));
            if left.is_nan() || left <= enough || left >= 0.25 * before {
                break;
            }
        }
        effort.solution += clock.seconds();
        -descent.iter().zip(&*dx).map(|(b, dx)| b.dot(*dx)).sum::<f64>()
    }

    /// The merit function, besides the part of g without rows, that every small enough step along
    /// Δx decreases: `Σ ½ (Φ − (c − C) λ)²/c` with the raised compliances c. It is the energy of
    /// the rows where c is C.
    pub(crate) fn lowered(&self, rows: &ConstraintRows, multipliers: &[f64]) -> f64 {
        let mut sum = 0.0;
        for (row, &by_soft) in self.by_soft.iter().enumerate() {
            if by_soft > 0.0 {
                let raised = 1.0 / by_soft - rows.compliances[row];
                let value = rows.values[row] - raised * multipliers[row];
                sum += 0.5 * value * value * by_soft;
            }
        }
        sum
    }
}

/// The squared size (J) of the residuals of both equations, each scaled by the response of a step.
pub(crate) fn size(context: StepContext<'_>, e1: &[Vec3], e2: &[f64], by_size: &[f64]) -> f64 {
    let StepContext { model, h, .. } = context;
    let motion = e1.iter().enumerate().map(|(i, e)| {
        (0..3).map(|axis| model.inverse_mass(i, axis) * e[axis] * e[axis]).sum::<f64>()
    });
    let rows = e2.iter().zip(by_size).map(|(e, by_size)| e * e * by_size);
    h * h * motion.sum::<f64>() + rows.sum::<f64>()
}

/// The compliance of a row; `None` if it is too small to divide by.
pub(crate) fn soft(context: StepContext<'_>, rows: &ConstraintRows, row: usize) -> Option<f64> {
    let compliance = rows.compliances[row];
    let least = LEAST * context.h * context.h * mobility(context.model, rows, row);
    (compliance > 0.0 && compliance >= least).then_some(compliance)
}

/// `J M⁻¹ Jᵀ` of a row (m/N·s⁻²): its effective inverse mass.
pub(crate) fn mobility(model: &Model, rows: &ConstraintRows, row: usize) -> f64 {
    let own = rows.slopes(row).map(|(i, slope)| {
        (0..3).map(|axis| model.inverse_mass(i, axis) * slope[axis] * slope[axis]).sum::<f64>()
    });
    own.sum()
}
