//! What position-based methods share: the prediction, sweeps over the rows of a model, and the report.
//!
//! A step predicts `y = x_t + h v_t + h² M⁻¹ f`, where f holds gravity, constant forces and the
//! fields that have no rows, then moves particles until the rows are content
//! ([`model/rows.rs`](crate::model::Sweep)). The velocity is that of the motion, `v = (x − x_t)/h`.
//! Dampers take part as `damper_rows` says.
//!
//! The residual of a sweep is the norm of the forces that it still had to apply, `‖∇Cᵀ Δλ‖/h²` over
//! all corners (N). It is compared with ‖M g‖ plus that of the first sweep.

use super::damper_rows::DamperRows;
use super::levels::Level;
use super::objective::{Scale, hold};
use super::{Dissipation, Refusal, World};
use crate::contact::ContactRows;
use crate::laws::Store;
use crate::math::Point;
use crate::model::{
    At, Bead, Effect, Elements, Gather, GatherOf, Hold, Links, Model, Sweep, Visits, Yield,
};
use crate::report::{End, Solve, StepReport};
use crate::settings::choice;
use crate::state::State;
use crate::team::Disjoint;

choice! {
    /// In which order rows are projected.
    pub enum Order {
        /// By colours: rows of one colour share no particle and are projected side by side.
        Coloured = "coloured",
        /// As the elements are given, one after the other.
        Given = "given",
        /// One after the other in an order that `seed` picks.
        Shuffled = "shuffled",
    }
}

impl Order {
    /// Puts `count` elements over `particles` in order.
    fn of<'a>(
        self,
        seed: u32,
        particles: usize,
        count: usize,
        corners: impl Fn(usize) -> &'a [u32],
    ) -> Visits {
        match self {
            Self::Coloured => Visits::greedy(particles, count, corners),
            Self::Given => Visits::given(count),
            Self::Shuffled => Visits::shuffled(count, u64::from(seed)),
        }
    }
}

/// The rows of one batch that is not of springs.
pub(super) struct BatchRows {
    pub(super) batch: usize,
    colours: Visits,
    pub(super) lambda: Vec<f64>,
    /// Rows of an element.
    pub(super) rows: usize,
    /// Whether its rows yield by their compliance whatever the method.
    soft: bool,
    /// Its first slot among those of displacements put aside.
    slot: usize,
}

/// The rows of a model and the particles they move.
#[derive(Default)]
pub(crate) struct Projector {
    prepared: Option<[u64; 4]>,
    /// How elastic rows yield.
    yields: Option<Yield>,
    pub(super) links: Links,
    pub(super) batches: Vec<BatchRows>,
    /// Batches without rows, whose forces are taken at the start of the step.
    fields: Vec<(usize, GatherOf)>,
    dampers: DamperRows,
    contacts: ContactRows,
    pins: Pinned,
    /// Where rows are averaged: displacements by corner, who adds them up, and the shares.
    aside: Vec<Point>,
    gather: Gather,
    shares: Vec<f64>,
    /// Masses with what drag adds to them (kg), and predictions (m).
    masses: Vec<f64>,
    y: Vec<Point>,
    places: Vec<Point>,
    beads: Vec<Bead>,
    x: Vec<Point>,
    by: f64,
}

/// The elements at pins, which hold them.
#[derive(Default)]
struct Pinned {
    /// The pin of each particle, `NONE` for none.
    of: Vec<u32>,
    links: Vec<(u32, [u32; 2])>,
    /// Places in `Projector::batches`, and elements.
    elements: Vec<(usize, u32)>,
}

const NONE: u32 = u32::MAX;

/// How far the sweeps came.
pub(crate) struct Outcome {
    pub(crate) end: End,
    pub(crate) iterations: u32,
    residual: f64,
    scale: f64,
}

impl Projector {
    /// One that projects contacts, too.
    pub(crate) fn with_contacts() -> Self {
        Self { contacts: ContactRows::wanted(), ..Self::default() }
    }

    /// Makes ready for a model; `averaged` is the ω of Jacobi sweeps.
    pub(crate) fn prepare(
        &mut self,
        name: &str,
        model: &Model,
        (order, seed): (Order, u32),
        yields: Yield,
        averaged: Option<f64>,
    ) -> Result<(), Refusal> {
        if model.hold() == Hold::Cancellation && !model.pins().is_empty() {
            return Err(Refusal(format!(
                "{name} cannot hold pins by force cancellation; pins by elimination work"
            )));
        }
        super::refuse_wholes(name, model)?;
        for batch in model.elements().iter().filter(|batch| !batch.is_empty()) {
            let law = batch.law();
            if law.store == Store::Elastic && law.rows == 0 {
                return Err(Refusal(format!(
                    "{name} cannot hold elements of {}, which has no rows to project; newton or \
                     quasi-newton would do",
                    law.name
                )));
            }
        }
        let n = model.particles();
        self.contacts.prepare(model);
        self.dampers.prepare(model, |all| order.of(seed, n, all.len(), |e| &all[e]));
        if self.prepared == Some(model.versions().numeric()) {
            return Ok(());
        }
        self.yields = Some(yields);
        self.links = Links::of(model, |all| order.of(seed, n, all.len(), |e| &all[e]));
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
                colours: order.of(seed, n, batch.len(), |e| batch.corners(e)),
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
        self.beads.resize(n, Bead::default());
        for buffer in [&mut self.y, &mut self.x] {
            buffer.resize(n, Point::ZERO);
        }
        self.prepared = Some(model.versions().numeric());
        Ok(())
    }

    /// Who adds up which displacements, and what part of a displacement a particle makes.
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
        self.aside = vec![Point::ZERO; owners.len()];
        self.gather = Gather::new(model.particles(), owners.iter().copied());
    }

    /// Predicts, and forgets what was applied in the step before.
    pub(crate) fn begin(&mut self, world: World<'_>, report: &mut StepReport) {
        let World { model, control, start, team, h, .. } = world;
        self.by = 1.0 / (h * h);
        self.places.resize(control.places().len(), Point::ZERO);
        for (k, place) in self.places.iter_mut().enumerate() {
            *place = control.place(k, 1.0);
        }
        // −∇E of the fields, in the room for x.
        let at = At { x: &start.positions, places: &self.places };
        self.x.fill(Point::ZERO);
        for (batch, gather) in &mut self.fields {
            model.elements()[*batch].gradient(at, gather, &mut self.x, team);
        }
        let field = &self.x;
        team.for_both(&mut self.y, &mut self.masses, |first, y, masses| {
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
            dampers.dissipation.freeze(model, x, v, &air, team);
            Dissipation::report_lag(model, report);
            dampers.begin(h, x, &mut self.masses, &mut self.y);
        }
        self.contacts.begin(world, &self.y);
        self.x.copy_from_slice(&self.y);
        hold(world, 1.0, &mut self.x);
        let (x, masses) = (&self.x, &self.masses);
        team.for_each(&mut self.beads, |first, part| {
            for (i, bead) in (first..).zip(part) {
                *bead = Bead::new(x[i], masses[i], model.fixed()[i]);
            }
        });
        let yields = self.yields();
        self.links.begin((self.by, yields), &self.masses, &self.beads, team);
        self.batches.iter_mut().for_each(|rows| rows.lambda.fill(0.0));
    }

    fn yields(&self) -> Yield {
        self.yields.unwrap_or(Yield::Compliant)
    }

    /// Rows of a sweep over all elements.
    pub(crate) fn rows(&self) -> usize {
        let others: usize = self.batches.iter().map(|rows| rows.lambda.len()).sum();
        self.links.len() + others
    }

    /// Sweeps until the residual is small enough, as often as `iterations` at the most.
    pub(crate) fn solve(
        &mut self,
        world: World<'_>,
        (iterations, tolerance): (u32, f64),
        report: &mut StepReport,
        mut sweep: impl FnMut(&mut Self, World<'_>) -> f64,
    ) -> Outcome {
        report.residuals.clear();
        let mut scale: Option<Scale> = None;
        let mut taken = 0;
        loop {
            let last = taken == iterations;
            let residual = if last { self.residual(world) } else { sweep(self, world) };
            taken += u32::from(!last);
            report.residuals.push(residual);
            let scale = *scale.get_or_insert_with(|| self.scale(world, residual));
            let end = scale.end(residual, tolerance).or(last.then_some(End::Cap));
            // A residual that is not a number will not become one.
            let end = end.or((!residual.is_finite()).then_some(End::Cap));
            if let Some(end) = end {
                return Outcome { end, iterations: taken, residual, scale: scale.value };
            }
        }
    }

    /// ‖M g‖ + `first` (N), and what rounding leaves of a residual.
    fn scale(&self, world: World<'_>, first: f64) -> Scale {
        let World { model, team, .. } = world;
        let gravity = model.gravity();
        let sums = team.fold(
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

    /// One Gauss–Seidel sweep; its residual (N).
    pub(crate) fn gauss_seidel(&mut self, world: World<'_>) -> f64 {
        self.visit(world, Effect::Move, true, true)
    }

    /// One Jacobi sweep, `x_i = (Σ targets + ω x_i)/(n_i + ω)`; its residual (N). Fields and dampers
    /// follow by Gauss and Seidel.
    pub(crate) fn jacobi(&mut self, world: World<'_>) -> f64 {
        let mut aside = std::mem::take(&mut self.aside);
        let shares = std::mem::take(&mut self.shares);
        let hard = {
            let slots = Disjoint::new(&mut aside);
            self.visit(world, Effect::Aside(&slots, &shares), true, false)
        };
        self.x.fill(Point::ZERO);
        self.gather.add(&aside, &mut self.x, world.team);
        let moved = &self.x;
        world.team.for_each(&mut self.beads, |first, part| {
            for (bead, &moved) in part.iter_mut().zip(&moved[first..]) {
                bead.x += moved;
            }
        });
        (self.aside, self.shares) = (aside, shares);
        let soft = self.visit(world, Effect::Move, false, true);
        (hard * hard + soft * soft).sqrt()
    }

    /// The residual (N) where all particles are.
    pub(crate) fn residual(&mut self, world: World<'_>) -> f64 {
        self.visit(world, Effect::Nothing, true, true)
    }

    /// Visits the elastic rows, the soft ones, or both.
    fn visit(&mut self, world: World<'_>, effect: Effect<'_>, hard: bool, soft: bool) -> f64 {
        let World { model, team, h, start, net, .. } = world;
        let yields = self.yields();
        let beads = &Disjoint::new(&mut self.beads);
        let (fixed, places, by) = (model.fixed(), &self.places[..], self.by);
        let sweep = |yields| Sweep { beads, fixed, places, by, yields, effect };
        let mut sum = 0.0;
        if hard {
            sum += self.links.project(&sweep(yields), net.level(), team);
        }
        for rows in &mut self.batches {
            let batch = &model.elements()[rows.batch];
            let (yields, wanted) =
                if rows.soft { (Yield::Compliant, soft) } else { (yields, hard) };
            if wanted {
                let BatchRows { colours, lambda, slot, .. } = rows;
                sum += batch.project(colours, &sweep(yields), lambda, *slot, team);
            }
        }
        if soft {
            let sweep = sweep(Yield::Compliant);
            sum += self.dampers.project(h, &start.positions, &sweep, team);
            let moves = sweep.moves();
            sum += self.contacts.project(world, &mut self.beads, moves);
        }
        sum.sqrt() * by
    }

    /// Sweeps over the links of a coarse level, then lets its children follow.
    pub(crate) fn descend(&mut self, world: World<'_>, level: &mut Level, iterations: u32) {
        let World { model, team, net, .. } = world;
        level.links.begin((self.by, Yield::Rigid), &self.masses, &self.beads, team);
        let (fixed, places, by) = (model.fixed(), &self.places[..], self.by);
        {
            let beads = &Disjoint::new(&mut self.beads);
            let (yields, effect) = (Yield::Rigid, Effect::Move);
            let sweep = Sweep { beads, fixed, places, by, yields, effect };
            for _ in 0..iterations {
                level.links.project(&sweep, net.level(), team);
            }
        }
        level.prolong(&self.y, fixed, &mut self.beads, team);
    }

    /// Ends a step: positions, velocities and report.
    pub(crate) fn finish(
        &mut self,
        world: World<'_>,
        objective: &'static str,
        outcome: &Outcome,
        state: &mut State,
        report: &mut StepReport,
    ) {
        let World { model, team, h, .. } = world;
        let beads = &self.beads;
        team.for_each(&mut self.x, |first, part| {
            for (x, bead) in part.iter_mut().zip(&beads[first..]) {
                *x = bead.x;
            }
        });
        self.react(model, report);
        report.solved(Solve {
            end: outcome.end,
            objective,
            iterations: outcome.iterations,
            g: self.value(world),
            residual: outcome.residual,
            scale: outcome.scale,
            indefinite: false,
            kept: 1.0,
            factorisations: 0,
            linear_iterations: 0,
        });
        state.arrive(&self.x, h, team);
        self.contacts.finish(world, state, report);
    }

    /// Inertia, and what rows that yield hold (J).
    fn value(&self, world: World<'_>) -> f64 {
        let World { model, team, start, h, net, .. } = world;
        let (x, y) = (&self.x, &self.y);
        let inertia =
            team.sum(x.len(), |range| range.map(|i| self.masses[i] * (x[i] - y[i]).norm2()).sum());
        let at = At { x, places: &self.places };
        let yields = self.yields() == Yield::Compliant;
        let springs = if yields { net.energy(x, team) } else { 0.0 };
        let yielding = self.batches.iter().filter(|rows| yields || rows.soft);
        let others: f64 = yielding.map(|rows| model.elements()[rows.batch].energy(at, team)).sum();
        let dampers = self.dampers.energy(h, &start.positions, x, team);
        let contacts = self.contacts.energy(world, x);
        0.5 * self.by * inertia + springs + others + dampers + contacts
    }

    /// Notes the forces that hold the pins: what their motion asks for beyond what rows apply.
    fn react(&self, model: &Model, report: &mut StepReport) {
        let pins = model.pins();
        for (pin, reaction) in pins.iter().zip(&mut report.reactions) {
            let i = pin.particle as usize;
            *reaction = (self.x[i] - self.y[i]) * (self.masses[i] * self.by);
        }
        let mut take = |corner: u32, pull: Point| {
            let pin = self.pins.of[corner as usize] as usize;
            if let Some(reaction) = report.reactions.get_mut(pin) {
                *reaction -= pull * self.by;
            }
        };
        for &(link, [i, j]) in &self.pins.links {
            let pull = self.links.pull(link as usize, &self.x);
            take(i, pull);
            take(j, -pull);
        }
        let at = At { x: &self.x, places: &self.places };
        for &(index, e) in &self.pins.elements {
            let rows = &self.batches[index];
            let (e, k) = (e as usize, rows.rows);
            let lambda = &rows.lambda[e * k..(e + 1) * k];
            model.elements()[rows.batch].pull(e, at, lambda, &mut take);
        }
        if !self.pins.of.is_empty() {
            self.dampers.pulls(take);
        }
        for (pin, reaction) in pins.iter().zip(&mut report.reactions) {
            for axis in (0..3).filter(|&axis| !pin.axes[axis]) {
                reaction[axis] = 0.0;
            }
        }
    }
}

impl Pinned {
    fn prepare(&mut self, model: &Model, links: &Links, batches: &[BatchRows]) {
        *self = Self::default();
        if model.pins().is_empty() {
            return;
        }
        self.of = vec![NONE; model.particles()];
        for (k, pin) in model.pins().iter().enumerate() {
            self.of[pin.particle as usize] = k as u32;
        }
        let held = |corner: &u32| self.of[*corner as usize] != NONE;
        let ends = (0..).zip(links.ends());
        self.links = ends.filter(|(_, ends)| ends.iter().any(held)).collect();
        for (index, rows) in batches.iter().enumerate() {
            let batch = model.elements()[rows.batch].as_ref();
            let own = (0..batch.len()).filter(|&e| batch.corners(e).iter().any(held));
            self.elements.extend(own.map(|e| (index, e as u32)));
        }
    }
}

fn corners_of(batch: &dyn Elements) -> impl Iterator<Item = u32> {
    (0..batch.len()).flat_map(|e| batch.corners(e).iter().copied())
}
