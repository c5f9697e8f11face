//! The linear system of an implicit step: `a M + b ∂²D + c ∇²E`, pins removed. Parts of ∇²E that are dense but
//! of rank one stand beside the matrix.
//!
//! Under compression ∇²E is indefinite. Dropping its negative part always is
//! slow, so it is graded: all of it is kept while the factorisation succeeds, halved when it
//! fails, doubled again when it succeeds.

use super::global::Global;
use super::objective::{clear_fixed, free_norm};
use super::{Dissipation, Potential, Refusal, World};
use crate::contact::Contacts;
use crate::kernels::Kernels;
use crate::linalg::{
    Indefinite, LinearSettings, LinearSolver, LowRank, Matrix, Operator, Outside, Solver,
};
use crate::math::{Mat3, Point};
use crate::model::{At, Hold, Model};
use crate::report::StepReport;
use crate::settings::choice;
use std::time::Instant;

choice! {
    /// What is done about the negative part of the Hessian.
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
    /// Those of `∇²g` for a step of `h` seconds.
    pub(crate) fn backward_euler(h: f64) -> Self {
        Self { mass: 1.0 / (h * h), damping: 1.0 / h, stiffness: 1.0 }
    }
}

/// What a solve of the system did.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Effort {
    pub(crate) factorisations: u32,
    pub(crate) linear_iterations: u32,
    pub(crate) indefinite: bool,
    pub(crate) kept: f64,
    /// Wall times (s).
    pub(super) assembly: f64,
    pub(super) factorisation: f64,
    pub(super) solution: f64,
}

impl Effort {
    /// Nothing done yet, and everything kept.
    pub(crate) fn none() -> Self {
        Self { kept: 1.0, ..Self::default() }
    }

    /// Adds what another solve did.
    pub(crate) fn join(&mut self, other: Self) {
        self.factorisations += other.factorisations;
        self.linear_iterations += other.linear_iterations;
        self.indefinite |= other.indefinite;
        self.kept = self.kept.min(other.kept);
        self.assembly += other.assembly;
        self.factorisation += other.factorisation;
        self.solution += other.solution;
    }

    /// Books the wall times in a report.
    pub(crate) fn book(&self, report: &mut StepReport) {
        report.seconds.assembly += self.assembly;
        report.seconds.factorisation += self.factorisation;
        report.seconds.solution += self.solution;
    }
}

/// The matrix with its slots and solver.
pub(crate) struct System {
    settings: LinearSettings,
    projection: Projection,
    keep: f64,
    prepared: Option<(Kernels, [u64; 3])>,
    parts: Option<Parts>,
    /// What conjugate gradients are preconditioned with, where it is this.
    global: Option<Global>,
}

struct Parts {
    matrix: Matrix<Mat3>,
    element_slots: Vec<Vec<u32>>,
    damper_slots: Vec<u32>,
    solver: LinearSolver,
    dense: LowRank,
    b: Vec<Point>,
    /// The rows of pinned particles before they were removed: right-hand side and blocks.
    pinned: Vec<PinnedRow>,
}

/// The row of a pinned particle.
#[derive(Default)]
struct PinnedRow {
    rhs: Point,
    blocks: Vec<(u32, Mat3)>,
    dense: Vec<Point>,
}

impl System {
    pub(crate) fn new(settings: LinearSettings, projection: Projection) -> Self {
        Self { settings, projection, keep: 1.0, prepared: None, parts: None, global: None }
    }

    /// Pattern and analysis where the topology or the kernels changed, slots where elements did.
    pub(crate) fn prepare(&mut self, model: &Model, kernels: Kernels) -> Result<(), Refusal> {
        if model.hold() == Hold::Cancellation
            && !model.pins().is_empty()
            && self.settings.solver != Solver::Filtered
        {
            return Err(Refusal(
                "pins by force cancellation need an explicit method or solver = \"pcg-filtered\"; \
                 pins by elimination work everywhere"
                    .into(),
            ));
        }
        if self.settings.solver == Solver::Prefactored {
            Global::analyse(&mut self.global, model, kernels)?;
        }
        let now = (kernels, model.versions().elements());
        let before = self.prepared;
        let same = |known: (Kernels, [u64; 3])| known.0 == kernels && known.1[..2] == now.1[..2];
        let kept = self.parts.take().filter(|_| before.is_some_and(same));
        self.parts = Some(match kept {
            Some(mut parts) => {
                if before != Some(now) {
                    parts.element_slots = Potential::slots(model, &parts.matrix);
                }
                parts
            }
            None => {
                let matrix = Matrix::new(model.pattern());
                Parts {
                    element_slots: Potential::slots(model, &matrix),
                    damper_slots: Dissipation::slots(model, &matrix),
                    solver: LinearSolver::new(&self.settings, matrix.pattern(), kernels)
                        .map_err(|error| Refusal(error.to_string()))?,
                    dense: LowRank::NONE,
                    b: vec![Point::ZERO; model.particles()],
                    pinned: Vec::new(),
                    matrix,
                }
            }
        });
        self.prepared = Some(now);
        Ok(())
    }

    /// Forgets how much of the negative part was kept.
    pub(crate) fn begin(&mut self) {
        self.keep = if self.projection == Projection::Eager { 0.0 } else { 1.0 };
    }

    /// Solves for `x` with the Hessian at `at`, zero on pinned coordinates; `rhs(A, b)` writes the
    /// right-hand side for the matrix with all its rows.
    pub(crate) fn solve(
        &mut self,
        world: World<'_>,
        c: Coefficients,
        at: At<'_>,
        (dissipation, contacts): (&Dissipation, &Contacts),
        rhs: &mut dyn FnMut(Operator<'_>, &mut [Point]),
        x: &mut [Point],
    ) -> Result<Effort, Effort> {
        let mut effort = Effort::default();
        let model = world.model;
        let Some(Parts { matrix, element_slots, damper_slots, solver, dense, b, pinned }) =
            &mut self.parts
        else {
            return Err(effort);
        };
        loop {
            effort.kept = self.keep;
            effort.factorisations += 1;

            let clock = Instant::now();
            matrix.clear();
            if c.stiffness != 0.0 {
                Potential::hessian(model, at, self.keep, element_slots, matrix);
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
            contacts.hessian(model, at.x, c.stiffness, matrix);

            Potential::rank_ones(model, at, dense, world.team);
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
            effort.assembly += seconds(clock);
            let clock = Instant::now();
            let mut factored = solver.factor(matrix, world.team);
            if let Some(global) = &mut self.global {
                effort.factorisations = global.update(world, c);
                factored = if global.is_factored() { factored } else { Err(Indefinite) };
            }
            effort.factorisation += seconds(clock);
            let clock = Instant::now();
            let mut global = self.global.as_mut();
            let mut outside = global
                .as_mut()
                .map(|global| |r: &[Point], z: &mut [Point]| global.solve(r, z, world.team));
            let outside = outside.as_mut().map(|apply| apply as Outside<'_>);
            let a = Operator { sparse: matrix, dense };
            let outcome =
                factored.and_then(|()| solver.solve(a, b, x, filter, outside, world.team));
            effort.solution += seconds(clock);
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

    /// `A x − b` on the rows of pinned particles, in the order of the pins: what the pins supply.
    pub(crate) fn supplied<'a>(&'a self, x: &'a [Point]) -> impl Iterator<Item = Point> + 'a {
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
    pub(crate) fn residual(&self, world: World<'_>, x: &[Point], scratch: &mut [Point]) -> f64 {
        let Some(parts) = &self.parts else { return f64::NAN };
        let Parts { matrix, dense, .. } = parts;
        Operator { sparse: matrix, dense }.multiply(x, scratch, world.team);
        for (value, &b) in scratch.iter_mut().zip(&parts.b) {
            *value -= b;
        }
        free_norm(world.model, scratch, world.team)
    }
}

/// Keeps the rows of pinned particles, from which their reactions follow.
fn keep_rows(model: &Model, a: Operator<'_>, b: &[Point], rows: &mut Vec<PinnedRow>) {
    let matrix = a.sparse;
    rows.resize_with(model.pins().len(), Default::default);
    for (pin, PinnedRow { rhs, blocks, dense }) in model.pins().iter().zip(rows) {
        dense.clear();
        dense.extend(a.dense.rows(pin.particle));
        *rhs = b[pin.particle as usize];
        blocks.clear();
        for slot in matrix.pattern().row(pin.particle as usize) {
            blocks.push((matrix.pattern().columns()[slot], matrix.values()[slot]));
        }
    }
}

fn seconds(clock: Instant) -> f64 {
    clock.elapsed().as_secs_f64()
}

/// Below this share the negative part is dropped altogether.
const SMALLEST: f64 = 1.0 / 64.0;
