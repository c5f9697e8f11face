//! The linear system of an implicit step: `a M + b ∂²D + c ∇²E`, pins removed. Dense parts of ∇²E
//! of rank one are stored separately from the matrix.
//!
//! Under compression ∇²E is indefinite. Dropping its negative part always is slow, so it is graded:
//! all of it is kept while the factorization succeeds, halved when it fails, doubled again when it
//! succeeds.

use super::objective::{Evaluation, clear_fixed, free_norm};
use super::prefactored::PrefactoredMatrix;
use super::refusals::refuse_unfiltered_cancellation;
use crate::clock::Stopwatch;
use crate::compute::{At, assembly};
use crate::contact::Contacts;
use crate::kernels::Kernels;
use crate::linalg::{
    Indefinite, LinearSettings, LinearSolver, LowRank, Matrix, Operator, Outside, Solver,
};
use crate::math::{Mat3, Vec3};
use crate::methods::{Dissipation, Refusal, StepContext};
use crate::model::Model;
use crate::report::{End, Solve, StepReport};
use crate::settings::choice;

choice! {
    /// Treatment of the negative part of the Hessian.
    pub enum Projection {
        /// Kept while the matrix is positive definite, scaled down as far as needed otherwise.
        Graded = "graded",
        /// Always dropped: positive semidefinite, slow to converge.
        Eager = "eager",
        /// Always kept: the textbook iteration, which fails where the matrix is indefinite.
        Off = "off",
    }
}

/// The coefficients of mass, damping and stiffness in the matrix.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Coefficients {
    pub(crate) mass: f64,
    pub(crate) damping: f64,
    pub(crate) stiffness: f64,
}

impl Coefficients {
    /// The coefficients of `∇²g` for a step of `h` seconds.
    pub(crate) fn backward_euler(h: f64) -> Self {
        Self { mass: 1.0 / (h * h), damping: 1.0 / h, stiffness: 1.0 }
    }
}

/// The effort of a solve of the system.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Effort {
    pub(crate) factorizations: u32,
    pub(crate) linear_iterations: u32,
    pub(crate) indefinite: bool,
    pub(crate) kept: f64,
    /// Wall times (s).
    pub(super) assembly: f64,
    pub(super) factorization: f64,
    pub(crate) solution: f64,
}

impl Effort {
    /// No effort yet, and all of the negative part kept.
    pub(crate) fn none() -> Self {
        Self { kept: 1.0, ..Self::default() }
    }

    /// Adds the effort of another solve.
    pub(crate) fn join(&mut self, other: Self) {
        self.factorizations += other.factorizations;
        self.linear_iterations += other.linear_iterations;
        self.indefinite |= other.indefinite;
        self.kept = self.kept.min(other.kept);
        self.assembly += other.assembly;
        self.factorization += other.factorization;
        self.solution += other.solution;
    }

    /// Books the wall times in a report.
    pub(crate) fn book(&self, report: &mut StepReport) {
        report.seconds.assembly += self.assembly;
        report.seconds.factorization += self.factorization;
        report.seconds.solution += self.solution;
    }

    /// Books the wall times and the outcome of a solve in a report.
    pub(crate) fn report(&self, outcome: Outcome, report: &mut StepReport) {
        self.book(report);
        let Outcome { end, objective, iterations, here, scale } = outcome;
        report.solved(Solve {
            end,
            objective,
            iterations,
            g: here.value,
            residual: here.residual,
            scale,
            indefinite: self.indefinite,
            kept: self.kept,
            factorizations: self.factorizations,
            linear_iterations: self.linear_iterations,
        });
    }
}

/// How a solve ended.
pub(crate) struct Outcome {
    pub(crate) end: End,
    /// The function that was minimized, or the system that was solved.
    pub(crate) objective: &'static str,
    pub(crate) iterations: u32,
    /// g and the residual at the end.
    pub(crate) here: Evaluation,
    /// The scale of the residual (N).
    pub(crate) scale: f64,
}

/// The matrix with its slots and solver.
pub(crate) struct System {
    settings: LinearSettings,
    projection: Projection,
    keep: f64,
    /// Whether no matrix was assembled in this step yet.
    starts: bool,
    prepared: Option<(Kernels, [u64; 3])>,
    parts: Option<Parts>,
    /// The preconditioner of conjugate gradients, if it is the prefactored matrix.
    prefactored: Option<PrefactoredMatrix>,
}

struct Parts {
    /// The particles coupled by contacts when the pattern was made, in addition to elements.
    coupled: Vec<[u32; 4]>,
    matrix: Matrix<Mat3>,
    element_slots: Vec<Vec<u32>>,
    damper_slots: Vec<u32>,
    solver: LinearSolver,
    dense: LowRank,
    b: Vec<Vec3>,
    /// The rows of pinned particles before they were removed: right-hand side and blocks.
    pinned: Vec<PinnedRow>,
}

/// The row of a pinned particle.
#[derive(Default)]
struct PinnedRow {
    rhs: Vec3,
    blocks: Vec<(u32, Mat3)>,
    dense: Vec<Vec3>,
}

impl System {
    pub(crate) fn new(settings: LinearSettings, projection: Projection) -> Self {
        Self {
            settings,
            projection,
            keep: 1.0,
            starts: true,
            prepared: None,
            parts: None,
            prefactored: None,
        }
    }

    /// Updates pattern and analysis if the topology or the kernels changed, slots if elements
    /// changed.
    pub(crate) fn prepare(&mut self, model: &Model, kernels: Kernels) -> Result<(), Refusal> {
        if self.settings.solver != Solver::Filtered {
            refuse_unfiltered_cancellation(model)?;
        }
        if self.settings.solver == Solver::Prefactored {
            PrefactoredMatrix::analyze(&mut self.prefactored, model, kernels)?;
        }
        let now = (kernels, model.versions().elements());
        let before = self.prepared;
        let same = |known: (Kernels, [u64; 3])| known.0 == kernels && known.1[..2] == now.1[..2];
        let kept = self.parts.take().filter(|_| before.is_some_and(same));
        self.parts = Some(match kept {
            Some(mut parts) => {
                if before != Some(now) {
                    parts.element_slots = assembly::element_slots(model, &parts.matrix);
                }
                parts
            }
            None => Parts::new(model, &self.settings, kernels, Vec::new())?,
        });
        self.prepared = Some(now);
        Ok(())
    }

    /// Extends the pattern by the couplings of contacts. At the start of a step it contains exactly
    /// those, whatever was coupled before: a step depends only on its start.
    fn couple(&mut self, model: &Model, contacts: &Contacts) -> Result<(), Refusal> {
        let Some((kernels, _)) = self.prepared else { return Ok(()) };
        let Some(parts) = &self.parts else { return Ok(()) };
        let surfaces = &contacts.surfaces;
        let starts = std::mem::take(&mut self.starts);
        let fits = if starts {
            surfaces.couplings().eq(parts.coupled.iter())
        } else {
            let pattern = parts.matrix.pattern();
            surfaces
                .couplings()
                .all(|all| all.iter().all(|&i| all.iter().all(|&j| pattern.find(i, j).is_some())))
        };
        if fits {
            return Ok(());
        }
        let mut coupled: Vec<[u32; 4]> = surfaces.couplings().copied().collect();
        if !starts {
            coupled.extend(&parts.coupled);
        }
        self.parts = Some(Parts::new(model, &self.settings, kernels, coupled)?);
        Ok(())
    }

    /// Resets the share of the negative part that is kept.
    pub(crate) fn begin(&mut self) {
        self.starts = true;
        self.keep = if self.projection == Projection::Eager { 0.0 } else { 1.0 };
    }

    /// Solves for `x` with the Hessian at `at`, zero on pinned coordinates; `rhs(A, b)` writes the
    /// right-hand side for the matrix including pinned rows.
    pub(crate) fn solve(
        &mut self,
        context: StepContext<'_>,
        c: Coefficients,
        at: At<'_>,
        (dissipation, contacts): (&Dissipation, &Contacts),
        rhs: &mut dyn FnMut(Operator<'_>, &mut [Vec3]),
        x: &mut [Vec3],
    ) -> Result<Effort, Effort> {
        let mut effort = Effort::default();
        let model = context.model;
        let clock = Stopwatch::start();
        if self.couple(model, contacts).is_err() {
            return Err(effort);
        }
        effort.factorization += clock.seconds();
        let Some(Parts { matrix, element_slots, damper_slots, solver, dense, b, pinned, .. }) =
            &mut self.parts
        else {
            return Err(effort);
        };
        loop {
            effort.kept = self.keep;
            effort.factorizations += 1;

            let clock = Stopwatch::start();
            matrix.clear();
            if c.stiffness != 0.0 {
                assembly::add_hessian(model, at, self.keep, element_slots, matrix);
                if c.stiffness != 1.0 {
                    for block in matrix.values_mut() {
                        *block = *block * c.stiffness;
                    }
                }
            }
            for (i, &m) in model.masses().iter().enumerate() {
                *matrix.diagonal_mut(i) += Mat3::diagonal(c.mass * m);
            }
            dissipation.hessian(c.damping, damper_slots, matrix);
            contacts.hessian(model, at.x, (c.stiffness, self.keep), matrix);

            assembly::rank_ones(model, at, dense, context.pool);
            dense.scale(c.stiffness);

            rhs(Operator { sparse: matrix, dense }, b);
            keep_rows(model, Operator { sparse: matrix, dense }, b, pinned);
            clear_fixed(model, b);
            dense.fix(model.fixed());
            let filtered = self.settings.solver == Solver::Filtered;
            if !filtered {
                matrix.fix(model.fixed());
            }
            let filter = filtered.then_some(model.fixed());
            effort.assembly += clock.seconds();
            let clock = Stopwatch::start();
            let mut factored = solver.factor(matrix, context.pool);
            if let Some(prefactored) = &mut self.prefactored {
                effort.factorizations = prefactored.update(context, c);
                factored = if prefactored.is_factored() { factored } else { Err(Indefinite) };
            }
            effort.factorization += clock.seconds();
            let clock = Stopwatch::start();
            let mut prefactored = self.prefactored.as_mut();
            let mut outside = prefactored.as_mut().map(|prefactored| {
                |r: &[Vec3], z: &mut [Vec3]| prefactored.solve(r, z, context.pool)
            });
            let outside = outside.as_mut().map(|apply| apply as Outside<'_>);
            let a = Operator { sparse: matrix, dense };
            let outcome =
                factored.and_then(|()| solver.solve(a, b, x, filter, outside, context.pool));
            effort.solution += clock.seconds();
            match outcome {
                Ok(iterations) => {
                    effort.linear_iterations += iterations;
                    if self.projection == Projection::Graded {
                        self.keep = (self.keep * 2.0).clamp(SMALLEST, 1.0);
                    }
                    return Ok(effort);
                }
                Err(Indefinite) => {
                    effort.indefinite = true;
                    if self.projection != Projection::Graded || self.keep == 0.0 {
                        return Err(effort);
                    }
                    self.keep = if self.keep > SMALLEST { self.keep * 0.5 } else { 0.0 };
                }
            }
        }
    }

    /// `A x − b` on the rows of pinned particles, in the order of the pins: the reaction of the
    /// pins.
    pub(crate) fn supplied<'a>(&'a self, x: &'a [Vec3]) -> impl Iterator<Item = Vec3> + 'a {
        let rows =
            self.parts.iter().flat_map(|parts| parts.pinned.iter().map(move |row| (parts, row)));
        rows.map(|(parts, PinnedRow { rhs, blocks, dense })| {
            let mut sum = -*rhs;
            for (column, block) in blocks {
                sum += *block * x[*column as usize];
            }
            for (row, along) in dense.iter().zip(parts.dense.along(x)) {
                sum += *row * along;
            }
            sum
        })
    }

    /// ‖b − A x‖ over free coordinates for the last solution `x`; `scratch` is overwritten.
    pub(crate) fn residual(
        &self,
        context: StepContext<'_>,
        x: &[Vec3],
        scratch: &mut [Vec3],
    ) -> f64 {
        let Some(parts) = &self.parts else { return f64::NAN };
        let Parts { matrix, dense, .. } = parts;
        Operator { sparse: matrix, dense }.multiply(x, scratch, context.pool);
        for (value, &b) in scratch.iter_mut().zip(&parts.b) {
            *value -= b;
        }
        free_norm(context.model, scratch, context.pool)
    }
}

impl Parts {
    /// For the elements of a model and the couplings of contacts.
    fn new(
        model: &Model,
        settings: &LinearSettings,
        kernels: Kernels,
        coupled: Vec<[u32; 4]>,
    ) -> Result<Self, Refusal> {
        let matrix = Matrix::new(model.pattern_with(coupled.iter().map(|all| &all[..])));
        Ok(Self {
            element_slots: assembly::element_slots(model, &matrix),
            damper_slots: Dissipation::slots(model, &matrix),
            solver: LinearSolver::new(settings, matrix.pattern(), kernels)
                .map_err(|error| Refusal::TooLarge { sentence: error.to_string() })?,
            dense: LowRank::NONE,
            b: vec![Vec3::ZERO; model.particles()],
            pinned: Vec::new(),
            coupled,
            matrix,
        })
    }
}

/// Stores the rows of pinned particles, for their reactions.
fn keep_rows(model: &Model, a: Operator<'_>, b: &[Vec3], rows: &mut Vec<PinnedRow>) {
    let matrix = a.sparse;
    rows.resize_with(model.pins().len(), Default::default);
    for (pin, PinnedRow { rhs, blocks, dense }) in model.pins().iter().zip(rows) {
        dense.clear();
        dense.extend(a.dense.rows(pin.particle.0));
        *rhs = b[pin.particle.index()];
        blocks.clear();
        for slot in matrix.pattern().row(pin.particle.index()) {
            blocks.push((matrix.pattern().columns()[slot], matrix.values()[slot]));
        }
    }
}

/// Below this share the negative part is dropped.
const SMALLEST: f64 = 1.0 / 64.0;
