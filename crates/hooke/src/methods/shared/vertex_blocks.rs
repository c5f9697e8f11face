//! The vertices of a model, ordered by color, and sweeps over them: every vertex moves once, those
//! of one color in parallel.
//!
//! Steps are guarded, so that g decreases, or exact: the full Newton step of each vertex.

use super::objective::Objective;
use crate::compute::{
    ColoringOrder, Incidence, Neighborhood, Proposal, VertexColoring, VertexSprings, VertexTerms,
};
use crate::contact::Contacts;
use crate::kernels::Kernels;
use crate::lanes::double::{LANES, Line};
use crate::math::{Mat3, Vec3, scale_negative_part};
use crate::methods::{Dissipation, StepContext};
use crate::model::Model;
use crate::settings::choice;
use crate::thread_pool::ThreadPool;
use std::ops::Range;

choice! {
    /// The order in which a sweep visits the vertices.
    pub enum VertexOrder {
        /// By colors: vertices of one color share no element and move at once.
        Colored = "colored",
        /// As they are given, one after the other.
        Given = "given",
    }
}

choice! {
    /// The Hessian of a vertex, and what becomes of its step.
    pub enum VertexHessian {
        /// Without negative parts, and the step only as far as g falls.
        Projected = "projected",
        /// As it is, and Newton's step as it comes.
        Exact = "exact",
    }
}

/// The vertices, ordered by color, with the data for a sweep.
#[derive(Default)]
pub(crate) struct VertexBlocks {
    prepared: Option<[u64; 3]>,
    order: ColoringOrder,
    /// Whether steps are exact.
    exact: bool,
    colors: VertexColoring,
    spring_kernels: VertexSprings,
    /// The corners at each vertex, for each batch of elements other than springs; with exact steps,
    /// for all batches.
    incidence: Vec<(usize, Incidence)>,
    damped: Option<Incidence>,
    /// Slots of vertices in contact, each with four times a pair plus the end of it, sorted.
    near: Vec<(u32, u32)>,
    /// Their positions (m).
    pub(crate) x: Vec<Vec3>,
    y: Vec<Vec3>,
    inertia: Vec<Line>,
    free: Vec<[Line; 3]>,
    moved: Vec<Vec3>,
    dampers: Vec<VertexTerms>,
    others: Vec<VertexTerms>,
    there: Vec<VertexTerms>,
    proposals: Vec<Proposal>,
    moving: Vec<bool>,
}

impl VertexBlocks {
    /// Vertices with a coloring order, and exact or guarded steps.
    pub(crate) fn new(order: ColoringOrder, exact: bool) -> Self {
        Self { order, exact, ..Self::default() }
    }

    /// Prepares for a model.
    pub(crate) fn prepare(&mut self, model: &Model, kernels: Kernels) {
        let changed = self.colors.fit(model, self.order);
        if !self.exact {
            self.spring_kernels.fit(model, &self.colors, kernels);
        }
        let touches = !model.solids().is_empty() || model.surfaces_touch();
        let fitted = !touches || !self.proposals.is_empty();
        if !changed && fitted && self.prepared == Some(model.versions().elements()) {
            return;
        }
        let batches = model.elements().iter().enumerate();
        self.incidence = batches
            .filter(|(_, batch)| self.exact || !batch.law().springs)
            .map(|(k, batch)| (k, Incidence::of(&self.colors, batch.as_ref())))
            .collect();
        let damped = model.dampers().iter().any(|batch| !batch.is_empty());
        self.damped = damped.then(|| Dissipation::incidence(model, &self.colors));
        let slots = self.colors.len();
        for points in [&mut self.x, &mut self.y] {
            points.clear();
            points.resize(slots, Vec3::ZERO);
        }
        self.inertia.clear();
        self.inertia.resize(slots / LANES, Line([1.0; LANES]));
        self.free.clear();
        self.free.resize(slots / LANES, [Line([1.0; LANES]); 3]);
        let largest = self.colors.ranges().iter().map(Range::len).max().unwrap_or(0);
        self.moved.resize(largest, Vec3::ZERO);
        self.dampers.resize(if damped { largest } else { 0 }, VertexTerms::default());
        let alone = self.incidence.is_empty() && !touches;
        let others = if alone { 0 } else { largest };
        for vertices in [&mut self.others, &mut self.there] {
            vertices.resize(others, VertexTerms::default());
        }
        self.proposals.resize(others, Proposal::default());
        self.moving.resize(others, false);
        self.prepared = Some(model.versions().elements());
    }

    /// Starts a solve at `x`.
    pub(crate) fn begin(&mut self, context: StepContext<'_>, g: &Objective, x: &[Vec3]) {
        let by = 1.0 / (g.h * g.h);
        self.update_contacts(&g.contacts);
        self.colors.spread(x, &mut self.x);
        self.colors.spread(&g.y, &mut self.y);
        for (i, (m, fixed)) in context.model.masses().iter().zip(context.model.fixed()).enumerate()
        {
            let slot = self.colors.slot(i as u32) as usize;
            let (group, lane) = (slot / LANES, slot % LANES);
            self.inertia[group].0[lane] = m * by;
            for axis in 0..3 {
                self.free[group][axis].0[lane] = if fixed[axis] { 0.0 } else { 1.0 };
            }
        }
    }

    /// Updates the pairs of contacts, if they have changed.
    pub(crate) fn update_contacts(&mut self, contacts: &Contacts) {
        self.near.clear();
        for k in 0..contacts.len() {
            for (end, i) in contacts.ends(k).enumerate() {
                self.near.push((self.colors.slot(i), 4 * k as u32 + end as u32));
            }
        }
        self.near.sort_unstable();
    }

    /// Visits every vertex once. Dampers and elements other than springs read `x`, which is kept up
    /// to date. Returns the norm (N) of the gradients at the vertices when visited.
    pub(crate) fn sweep(&mut self, context: StepContext<'_>, g: &Objective, x: &mut [Vec3]) -> f64 {
        let mut squares = 0.0;
        for color in 0..self.colors.ranges().len() {
            let range = self.colors.ranges()[color].clone();
            if let Some(incidence) = &self.damped {
                let vertices = &mut self.dampers[..range.len()];
                vertices.fill(VertexTerms::default());
                let velocity = |i: usize| (x[i] - g.base[i]) * (1.0 / g.h);
                let first = range.start;
                g.dissipation.vertices(velocity, g.h, incidence, first, vertices, context.pool);
            }
            let alone = self.incidence.is_empty() && self.near(&range).is_empty();
            squares += if self.exact {
                self.step_exactly(context, g, range.clone(), x)
            } else if alone {
                self.descend(context, range.clone())
            } else {
                self.descend_together(context, g, range.clone(), x)
            };
            let read = self.damped.is_some() || !self.incidence.is_empty() || !self.near.is_empty();
            if self.exact || read {
                self.show(range, x);
            }
        }
        squares.sqrt()
    }

    /// The vertices of a color that are in contact, with their pairs.
    fn near(&self, range: &Range<usize>) -> &[(u32, u32)] {
        let at = |slot: usize| self.near.partition_point(|near| (near.0 as usize) < slot);
        &self.near[at(range.start)..at(range.end)]
    }

    /// The data for moving the vertices of a color.
    fn around<'a>(&'a self, range: &Range<usize>, others: &'a [VertexTerms]) -> Neighborhood<'a> {
        let Self { x, y, inertia, free, dampers, .. } = self;
        Neighborhood { x, y, inertia, free, dampers, others, first: range.start }
    }

    /// Moves the vertices of a color that have only springs and dampers.
    fn descend(&mut self, context: StepContext<'_>, range: Range<usize>) -> f64 {
        let mut moved = std::mem::take(&mut self.moved);
        let part = &mut moved[..range.len()];
        let around = self.around(&range, &[]);
        let [squares] = context.pool.sum_each(part, |start, part| {
            [self.spring_kernels.descend(around, range.start + start, part)]
        });
        self.x[range].copy_from_slice(part);
        self.moved = moved;
        squares
    }

    /// Moves the vertices of a color that also have other elements or contacts.
    fn descend_together(
        &mut self,
        context: StepContext<'_>,
        g: &Objective,
        range: Range<usize>,
        x: &mut [Vec3],
    ) -> f64 {
        let StepContext { model, pool, .. } = context;
        let count = range.len();
        let mut others = std::mem::take(&mut self.others);
        let mut proposals = std::mem::take(&mut self.proposals);
        let (said, steps) = (&mut others[..count], &mut proposals[..count]);
        self.listen(context, g, &range, x, said);
        let around = self.around(&range, said);
        let [squares] = pool.sum_each(steps, |start, part| {
            [self.spring_kernels.propose(around, range.start + start, part)]
        });
        self.moving[..count].fill(true);
        for round in 0..=ROUNDS {
            for (k, step) in steps.iter().enumerate().filter(|(k, _)| self.moving[*k]) {
                if let Some(i) = self.colors.particle(range.start + k) {
                    x[i] = self.x[range.start + k] + step.step;
                }
            }
            self.evaluate(model, g, x, range.clone(), pool);
            let mut any = false;
            for (k, step) in steps.iter_mut().enumerate() {
                if !self.moving[k] {
                    continue;
                }
                let (before, after) = (&said[k], &self.there[k]);
                let change = step.change + (after.energy - before.energy);
                let noise = NOISE * before.size;
                let falls = change <= noise;
                self.moving[k] = !falls;
                if !falls {
                    step.step = if round < ROUNDS { step.step * 0.5 } else { Vec3::ZERO };
                    any = true;
                }
            }
            if !any {
                break;
            }
            let around = self.around(&range, said);
            pool.for_each(steps, |start, part| {
                self.spring_kernels.change(around, range.start + start, part)
            });
        }
        for (x, step) in self.x[range].iter_mut().zip(&*steps) {
            *x += step.step;
        }
        (self.others, self.proposals) = (others, proposals);
        squares
    }

    /// Terms of elements and contacts at the vertices of a color; without negative parts, unless
    /// steps are exact.
    fn listen(
        &self,
        StepContext { model, pool, .. }: StepContext<'_>,
        g: &Objective,
        range: &Range<usize>,
        x: &[Vec3],
        said: &mut [VertexTerms],
    ) {
        said.fill(VertexTerms::default());
        for (batch, incidence) in &self.incidence {
            model.elements()[*batch].vertices(g.at(x), incidence, range.start, said, pool);
        }
        if !self.incidence.is_empty() && !self.exact {
            pool.for_each(said, |_, part| part.iter_mut().for_each(drop_negative));
        }
        let moves = |i: u32| range.contains(&(self.colors.slot(i) as usize));
        for &(slot, pair) in self.near(range) {
            let (slot, pair, end) = (slot as usize, pair as usize / 4, pair as usize % 4);
            let together = g.contacts.ends(pair).filter(|&i| moves(i)).count() as f64;
            let vertex = &mut said[slot - range.start];
            g.contacts.add_vertex(model, (pair, end, together), x, vertex);
        }
    }

    /// Moves the vertices of a color by `−H⁻¹ ∇g`; those with a singular H do not move.
    fn step_exactly(
        &mut self,
        context: StepContext<'_>,
        g: &Objective,
        range: Range<usize>,
        x: &[Vec3],
    ) -> f64 {
        let mut others = std::mem::take(&mut self.others);
        self.listen(context, g, &range, x, &mut others[..range.len()]);
        let mut squares = 0.0;
        for (k, slot) in range.enumerate() {
            let Some(i) = self.colors.particle(slot) else { continue };
            let dampers = self.dampers.get(k).copied().unwrap_or_default();
            let inertia = self.inertia[slot / LANES].0[slot % LANES];
            let mut gradient = (self.x[slot] - self.y[slot]) * inertia;
            gradient += others[k].gradient + dampers.gradient;
            let mut block = Mat3::IDENTITY * inertia + others[k].block + dampers.block;
            for axis in (0..3).filter(|&axis| context.model.fixed()[i][axis]) {
                gradient[axis] = 0.0;
                for other in 0..3 {
                    block.0[axis][other] = 0.0;
                    block.0[other][axis] = 0.0;
                }
                block.0[axis][axis] = 1.0;
            }
            squares += gradient.norm2();
            let step = block.inverse() * gradient;
            if step.is_finite() {
                self.x[slot] -= step;
            }
        }
        self.others = others;
        squares
    }

    /// The energies of other elements and contacts at `x`, for the vertices that still move.
    fn evaluate(
        &mut self,
        model: &Model,
        g: &Objective,
        x: &[Vec3],
        range: Range<usize>,
        pool: &ThreadPool,
    ) {
        let mut there = std::mem::take(&mut self.there);
        let (first, now) = (range.start, &mut there[..range.len()]);
        now.fill(VertexTerms::default());
        let moving = &self.moving[..range.len()];
        for (batch, incidence) in &self.incidence {
            model.elements()[*batch].vertex_energies(g.at(x), incidence, first, moving, now, pool);
        }
        for &(slot, pair) in self.near(&range) {
            let at = slot as usize - first;
            if moving[at] {
                now[at].energy += g.contacts.vertex_energy(model, pair as usize / 4, x);
            }
        }
        self.there = there;
    }

    /// Writes the positions of the vertices of a color to `x`.
    fn show(&self, range: Range<usize>, x: &mut [Vec3]) {
        for slot in range {
            if let Some(i) = self.colors.particle(slot) {
                x[i] = self.x[slot];
            }
        }
    }

    /// Writes the positions of all vertices to `x`.
    pub(crate) fn collect(&self, x: &mut [Vec3]) {
        self.colors.collect(&self.x, x);
    }
}

/// The maximum number of halvings before a step is rejected.
const ROUNDS: u32 = 20;

/// Differences of energies, relative to [`VertexTerms::size`], that are below rounding.
const NOISE: f64 = 8.0 * f64::EPSILON;

/// Makes the block positive semidefinite.
fn drop_negative(vertex: &mut VertexTerms) {
    let block = vertex.block;
    let safe = block + Mat3::diagonal(1e-12 * (0..3).map(|k| block.0[k][k].abs()).sum::<f64>());
    if safe.cholesky().is_none() {
        let mut blocks = [[block]];
        scale_negative_part(&mut blocks, 0.0);
        vertex.block = blocks[0][0];
    }
}
