//! Common parts of position-based methods: prediction, sweeps over the rows of a model, and report.
//!
//! A step predicts `y = x_t + h v_t + h² M⁻¹ f`, where f contains gravity, constant forces and
//! fields without rows. Then particles move until the rows are satisfied ([`Sweep`]). The velocity
//! follows from the displacement, `v = (x − x_t)/h`. For dampers see `damper_rows`.
//!
//! The residual of a sweep is the norm of the forces that it applied, `‖∇Cᵀ Δλ‖/h²` over all
//! corners (N). It is compared with ‖M g‖ plus that of the first sweep.

use super::damper_rows::DamperRows;
use super::hierarchy::HierarchyLevel;
use super::objective::{Evaluation, hold};
use super::pin_reactions::Pinned;
use super::refusals;
use super::scale::Scale;
use super::system::{Effort, Outcome};
use crate::compute::{
    Apply, At, ComplianceMode, DistanceConstraints, ElementColoring, Elements, Gather, GatherOf,
    ProjectedParticle, Sweep,
};
use crate::contact::ContactRows;
use crate::laws::Store;
use crate::math::Vec3;
use crate::methods::{Dissipation, Refusal, StepContext};
use crate::model::Model;
use crate::report::{End, StepReport};
use crate::settings::choice;
use crate::state::State;
use crate::thread_pool::Disjoint;

choice! {
    /// The order in which rows are projected.
    pub enum Order {
        /// By colors: rows of one color share no particle and are projected side by side.
        Colored = "colored",
        /// As the elements are given, one after the other.
        Given = "given",
        /// One after the other in an order that `seed` picks.
        Shuffled = "shuffled",
    }
}

impl Order {
    /// Orders `count` elements over `particles`.
    fn of<'a>(
        self,
        seed: u32,
        particles: usize,
        count: usize,
        corners: impl Fn(usize) -> &'a [u32],
    ) -> ElementColoring {
        match self {
            Self::Colored => ElementColoring::greedy(particles, count, corners),
            Self::Given => ElementColoring::given(count),
            Self::Shuffled => ElementColoring::shuffled(count, u64::from(seed)),
        }
    }
}

/// The rows of one batch of elements other than springs.
pub(crate) struct BatchRows {
    pub(crate) batch: usize,
    colors: ElementColoring,
    pub(crate) lambda: Vec<f64>,
    /// The number of rows of an element.
    pub(crate) rows: usize,
    /// Whether its rows are compliant for every method.
    soft: bool,
    /// Its first slot in the buffer of displacements.
    slot: usize,
}

/// The rows of a model and the particles they move.
#[derive(Default)]
pub(crate) struct Projector {
    prepared: Option<[u64; 4]>,
    /// The compliance of elastic rows.
    compliance_mode: Option<ComplianceMode>,
    pub(crate) links: DistanceConstraints,
    pub(crate) batches: Vec<BatchRows>,
    /// Batches without rows, whose forces are evaluated at the start of the step.
    fields: Vec<(usize, GatherOf)>,
    pub(super) dampers: DamperRows,
    pub(in crate::methods) contacts: ContactRows,
    pub(super) pins: Pinned,
    /// For averaged rows: displacements by corner, the corners of each particle, and the shares.
    aside: Vec<Vec3>,
    gather: Gather,
    shares: Vec<f64>,
    /// Masses including drag (kg), and predictions (m).
    pub(super) masses: Vec<f64>,
    pub(super) y: Vec<Vec3>,
    pub(super) anchors: Vec<Vec3>,
    particles: Vec<ProjectedParticle>,
    pub(super) x: Vec<Vec3>,
    pub(super) by: f64,
}

impl Projector {
    /// A projector that includes contacts.
    pub(crate) fn with_contacts() -> Self {
        Self { contacts: ContactRows::wanted(), ..Self::default() }
    }

    /// Prepares for a model; `averaged` is the ω of Jacobi sweeps.
    pub(crate) fn prepare(
        &mut self,
        name: &str,
        model: &Model,
        (order, seed): (Order, u32),
        compliance_mode: ComplianceMode,
        averaged: Option<f64>,
    ) -> Result<(), Refusal> {
        refusals::refuse_cancellation(name, model)?;
        refusals::refuse_dense_elements(name, model)?;
        for batch in model.elements().iter().filter(|batch| !batch.is_empty()) {
            let law = batch.law();
            if law.store == Store::Elastic && law.rows == 0 {
                let law = law.name;
                let sentence = format!(
                    "{name} cannot hold elements of {law}, which has no rows to project; newton or \
                     quasi-newton would do"
                );
                return Err(Refusal::UnsupportedLaw { law, sentence });
            }
        }
        let n = model.particles();
        self.contacts.prepare(model);
        self.dampers.prepare(model, |all| order.of(seed, n, all.len(), |e| &all[e]));
        if self.prepared == Some(model.versions().numeric()) {
            return Ok(());
        }
        self.compliance_mode = Some(compliance_mode);
        self.links =
            DistanceConstraints::of(model, |all| order.of(seed, n, all.len(), |e| &all[e]));
        (self.batches, self.fields) = (Vec::new(), Vec::new());
        let mut slot = 2 * self.links.len();
        for (index, batch) in model.elements().iter().enumerate() {
            let law = batch.law();
            if law.springs {
                continue;
            }
            if law.rows == 0 {
                self.fields.push((index, GatherOf::new(n, batch.as_ref())));
                continue;
            }
            self.batches.push(BatchRows {
                batch: index,
                colors: order.of(seed, n, batch.len(), |e| batch.corners(e)),
                lambda: vec![0.0; law.rows * batch.len()],
                rows: law.rows,
                soft: law.store != Store::Elastic || !law.compatible,
                slot,
            });
            slot += corners_of(batch.as_ref()).count();
        }
        if let Some(omega) = averaged {
            self.average(model, omega);
        }
        self.pins.prepare(model, &self.links, &self.batches);
        self.masses.resize(n, 0.0);
        self.particles.resize(n, ProjectedParticle::default());
        for buffer in [&mut self.y, &mut self.x] {
            buffer.resize(n, Vec3::ZERO);
        }
        self.prepared = Some(model.versions().numeric());
        Ok(())
    }

    /// The displacements that each particle sums, and the share of a displacement that it takes.
    fn average(&mut self, model: &Model, omega: f64) {
        let links: Vec<u32> = self.links.ends().flatten().collect();
        let others = self.batches.iter().flat_map(|rows| {
            let batch = model.elements()[rows.batch].as_ref();
            corners_of(batch)
        });
        let owners: Vec<u32> = links.into_iter().chain(others).collect();
        let mut counts = vec![0.0; model.particles()];
        let hard = |slot: usize| {
            let own = self.batches.iter().rfind(|rows| rows.slot <= slot);
            own.is_none_or(|rows| !rows.soft)
        };
        for (slot, &owner) in owners.iter().enumerate() {
            counts[owner as usize] += if hard(slot) { 1.0 } else { 0.0 };
        }
        self.shares = counts.iter().map(|count| 1.0 / (count + omega).max(1e-300)).collect();
        self.aside = vec![Vec3::ZERO; owners.len()];
        self.gather = Gather::new(model.particles(), owners.iter().copied());
    }

    /// Predicts, and clears the multipliers of the previous step.
    pub(crate) fn begin(&mut self, context: StepContext<'_>, report: &mut StepReport) {
        let StepContext { model, control, start, pool, h, .. } = context;
        self.by = 1.0 / (h * h);
        self.anchors.resize(control.anchors().len(), Vec3::ZERO);
        for (k, anchor) in self.anchors.iter_mut().enumerate() {
            *anchor = control.anchor(k, 1.0);
        }
        // −∇E of the fields, stored in the buffer for x.
        let at = At { x: &start.positions, anchors: &self.anchors };
        self.x.fill(Vec3::ZERO);
        for (batch, gather) in &mut self.fields {
            model.elements()[*batch].gradient(at, gather, &mut self.x, pool);
        }
        let field = &self.x;
        pool.for_both(&mut self.y, &mut self.masses, |first, y, masses| {
            for (i, (y, mass)) in (first..).zip(y.iter_mut().zip(masses)) {
                *mass = model.masses()[i];
                let force = model.load(i) - field[i];
                *y = start.positions[i] + start.velocities[i] * h + force * (h * h / *mass);
            }
        });
        let dampers = &mut self.dampers;
        if !dampers.dissipation.is_empty() {
            let air = |at| control.air(model, at, 1.0);
            let (x, v) = (&start.positions, &start.velocities);
            dampers.dissipation.freeze(model, x, v, &air, pool);
            Dissipation::report_lag(model, report);
            dampers.begin(h, x, &mut self.masses, &mut self.y);
        }
        self.contacts.begin(context, &self.y);
        self.x.copy_from_slice(&self.y);
        hold(context, 1.0, &mut self.x);
        let (x, masses) = (&self.x, &self.masses);
        pool.for_each(&mut self.particles, |first, part| {
            for (i, particle) in (first..).zip(part) {
                *particle = ProjectedParticle::new(x[i], masses[i], model.fixed()[i]);
            }
        });
        let compliance_mode = self.compliance_mode();
        self.links.begin((self.by, compliance_mode), &self.masses, &self.particles, pool);
        self.batches.iter_mut().for_each(|rows| rows.lambda.fill(0.0));
    }

    fn compliance_mode(&self) -> ComplianceMode {
        self.compliance_mode.unwrap_or(ComplianceMode::Compliant)
    }

    /// The name of the system in reports.
    fn objective(&self) -> &'static str {
        match self.compliance_mode() {
            ComplianceMode::Compliant => "compliant rows",
            ComplianceMode::Forgetful | ComplianceMode::Rigid => "rigid rows",
        }
    }

    /// The number of rows in a sweep over all elements.
    pub(crate) fn rows(&self) -> usize {
        let others: usize = self.batches.iter().map(|rows| rows.lambda.len()).sum();
        self.links.len() + others
    }

    /// Sweeps until the residual is small enough, at most `iterations` times.
    pub(crate) fn solve(
        &mut self,
        context: StepContext<'_>,
        (iterations, tolerance): (u32, f64),
        report: &mut StepReport,
        mut sweep: impl FnMut(&mut Self, StepContext<'_>) -> f64,
    ) -> Outcome {
        report.residuals.clear();
        let mut scale: Option<Scale> = None;
        let mut taken = 0;
        loop {
            let last = taken == iterations;
            let residual = if last { self.residual(context) } else { sweep(self, context) };
            taken += u32::from(!last);
            report.residuals.push(residual);
            let scale = *scale.get_or_insert_with(|| self.scale(context, residual));
            let end = scale.end(residual, tolerance).or(last.then_some(End::Cap));
            // A residual that is NaN stays NaN.
            let end = end.or((!residual.is_finite()).then_some(End::Cap));
            if let Some(end) = end {
                let here = Evaluation { value: f64::NAN, residual };
                let (objective, scale) = (self.objective(), scale.value);
                return Outcome { end, objective, iterations: taken, here, scale };
            }
        }
    }

    /// ‖M g‖ + `first` (N), and the rounding error of a residual.
    fn scale(&self, context: StepContext<'_>, first: f64) -> Scale {
        let StepContext { model, pool, .. } = context;
        let gravity = model.gravity();
        let sums = pool.fold(
            self.y.len(),
            |range| {
                let mut sums = [0.0; 2];
                for i in range {
                    for axis in (0..3).filter(|&axis| !model.fixed()[i][axis]) {
                        let weight = model.masses()[i] * gravity[axis];
                        let held = self.masses[i] * self.y[i][axis] * self.by;
                        sums = [sums[0] + weight * weight, sums[1] + held * held];
                    }
                }
                sums
            },
            |a: [f64; 2], b| [a[0] + b[0], a[1] + b[1]],
        );
        let [weight, held] = sums.map(f64::sqrt);
        Scale::new(weight + first, 8.0 * f64::EPSILON * (held + weight))
    }

    /// One Gauss–Seidel sweep; returns its residual (N).
    pub(crate) fn gauss_seidel(&mut self, context: StepContext<'_>) -> f64 {
        self.visit(context, Apply::Move, true, true)
    }

    /// One Jacobi sweep, `x_i = (Σ targets + ω x_i)/(n_i + ω)`, then Gauss–Seidel over fields and
    /// dampers; returns its residual (N).
    pub(crate) fn jacobi(&mut self, context: StepContext<'_>) -> f64 {
        let mut aside = std::mem::take(&mut self.aside);
        let shares = std::mem::take(&mut self.shares);
        let hard = {
            let slots = Disjoint::new(&mut aside);
            self.visit(context, Apply::Aside(&slots, &shares), true, false)
        };
        self.x.fill(Vec3::ZERO);
        self.gather.add(&aside, &mut self.x, context.pool);
        let moved = &self.x;
        context.pool.for_each(&mut self.particles, |first, part| {
            for (particle, &moved) in part.iter_mut().zip(&moved[first..]) {
                particle.x += moved;
            }
        });
        (self.aside, self.shares) = (aside, shares);
        let soft = self.visit(context, Apply::Move, false, true);
        (hard * hard + soft * soft).sqrt()
    }

    /// The residual (N) at the current positions.
    pub(crate) fn residual(&mut self, context: StepContext<'_>) -> f64 {
        self.visit(context, Apply::Nothing, true, true)
    }

    /// Visits the elastic rows, the compliant ones, or both.
    fn visit(&mut self, context: StepContext<'_>, apply: Apply<'_>, hard: bool, soft: bool) -> f64 {
        let StepContext { model, pool, h, start, spring_kernels, .. } = context;
        let compliance_mode = self.compliance_mode();
        let particles = &Disjoint::new(&mut self.particles);
        let (fixed, anchors, by) = (model.fixed(), &self.anchors[..], self.by);
        let sweep =
            |compliance_mode| Sweep { particles, fixed, anchors, by, compliance_mode, apply };
        let mut sum = 0.0;
        if hard {
            sum += self.links.project(&sweep(compliance_mode), spring_kernels.level(), pool);
        }
        for rows in &mut self.batches {
            let batch = &model.elements()[rows.batch];
            let (compliance_mode, wanted) =
                if rows.soft { (ComplianceMode::Compliant, soft) } else { (compliance_mode, hard) };
            if wanted {
                let BatchRows { colors, lambda, slot, .. } = rows;
                sum += batch.project(colors, &sweep(compliance_mode), lambda, *slot, pool);
            }
        }
        if soft {
            let sweep = sweep(ComplianceMode::Compliant);
            sum += self.dampers.project(h, &start.positions, &sweep, pool);
            let moves = sweep.moves();
            sum += self.contacts.project(context, &mut self.particles, moves);
        }
        sum.sqrt() * by
    }

    /// Sweeps over the links of a coarse level, then moves its children.
    pub(crate) fn descend(
        &mut self,
        context: StepContext<'_>,
        level: &mut HierarchyLevel,
        iterations: u32,
    ) {
        let StepContext { model, pool, spring_kernels, .. } = context;
        level.links.begin((self.by, ComplianceMode::Rigid), &self.masses, &self.particles, pool);
        let (fixed, anchors, by) = (model.fixed(), &self.anchors[..], self.by);
        {
            let particles = &Disjoint::new(&mut self.particles);
            let (compliance_mode, apply) = (ComplianceMode::Rigid, Apply::Move);
            let sweep = Sweep { particles, fixed, anchors, by, compliance_mode, apply };
            for _ in 0..iterations {
                level.links.project(&sweep, spring_kernels.level(), pool);
            }
        }
        level.prolong(&self.y, fixed, &mut self.particles, pool);
    }

    /// Writes the positions of all particles to x.
    pub(crate) fn collect(&mut self, context: StepContext<'_>) {
        let particles = &self.particles;
        context.pool.for_each(&mut self.x, |first, part| {
            for (x, particle) in part.iter_mut().zip(&particles[first..]) {
                *x = particle.x;
            }
        });
    }

    /// Ends a step: positions, velocities and report.
    pub(crate) fn finish(
        &mut self,
        context: StepContext<'_>,
        outcome: Outcome,
        state: &mut State,
        report: &mut StepReport,
    ) {
        let StepContext { model, pool, h, .. } = context;
        self.collect(context);
        self.react(model, report);
        let here = Evaluation { value: self.value(context), ..outcome.here };
        Effort::none().report(Outcome { here, ..outcome }, report);
        self.contacts.hold_apart(context, &mut self.x, report);
        state.arrive(&self.x, h, pool);
        self.contacts.finish(context, state, report);
    }

    /// The energy (J) of inertia and of compliant rows.
    fn value(&self, context: StepContext<'_>) -> f64 {
        let StepContext { model, pool, start, h, spring_kernels, .. } = context;
        let (x, y) = (&self.x, &self.y);
        let inertia =
            pool.sum(x.len(), |range| range.map(|i| self.masses[i] * (x[i] - y[i]).norm2()).sum());
        let at = At { x, anchors: &self.anchors };
        let compliance_mode = self.compliance_mode() == ComplianceMode::Compliant;
        let springs = if compliance_mode { spring_kernels.energy(x, pool) } else { 0.0 };
        let yielding = self.batches.iter().filter(|rows| compliance_mode || rows.soft);
        let others: f64 = yielding.map(|rows| model.elements()[rows.batch].energy(at, pool)).sum();
        let dampers = self.dampers.energy(h, &start.positions, x, pool);
        let contacts = self.contacts.energy(context, x);
        0.5 * self.by * inertia + springs + others + dampers + contacts
    }
}

fn corners_of(batch: &dyn Elements) -> impl Iterator<Item = u32> {
    (0..batch.len()).flat_map(|e| batch.corners(e).iter().copied())
}
