//! The elastic and field energy of a model with the workspace its walks need.

use super::World;
use crate::kernels::Kernels;
use crate::linalg::{LowRank, Matrix};
use crate::math::{Mat3, Point};
use crate::model::{At, GatherOf, Model, SingleNet};
use crate::settings::choice;
use crate::team::Team;

choice! {
    /// How exactly the forces of springs are computed.
    pub enum Precision {
        /// In `f64`.
        Exact = "exact",
        /// In `f32`, to about seven digits of the scene's extent: faster, and as good as one can see.
        Interactive = "interactive",
    }
}

/// E(x), ∇E(x) and ∇²E(x) of all elements.
#[derive(Default)]
pub(crate) struct Potential {
    /// The springs in `f32`, where that is asked for.
    single: Option<SingleNet>,
    prepared: Option<[u64; 3]>,
    gathers: Vec<GatherOf>,
    stiffness: Vec<f64>,
}

impl Potential {
    /// Of a precision.
    pub(crate) fn new(precision: Precision) -> Self {
        let single = (precision == Precision::Interactive).then(SingleNet::default);
        Self { single, ..Self::default() }
    }

    /// Makes ready for a model.
    pub(crate) fn prepare(&mut self, model: &Model, kernels: Kernels) {
        if let Some(single) = &mut self.single {
            single.fit(model, kernels);
        }
        if self.prepared == Some(model.versions().elements()) {
            return;
        }
        self.gathers = model
            .elements()
            .iter()
            .map(|batch| GatherOf::new(model.particles(), batch.as_ref()))
            .collect();
        self.stiffness.clear();
        self.stiffness.resize(model.particles(), 0.0);
        for batch in model.elements() {
            batch.proxies(&mut |corners, proxy| {
                for (&corner, row) in corners.iter().zip(proxy.chunks(corners.len())) {
                    self.stiffness[corner as usize] += row.iter().map(|k| k.abs()).sum::<f64>();
                }
            });
        }
        each_rank_one(model, |particles, c, g| {
            let all: f64 = g.iter().map(|g| g.norm()).sum();
            for (&i, g) in particles.iter().zip(g) {
                self.stiffness[i as usize] += c * g.norm() * all;
            }
        });
        self.prepared = Some(model.versions().elements());
    }

    /// How stiffly each particle is held (N/m): what turns rounding of positions into forces.
    pub(crate) fn stiffness(&self) -> &[f64] {
        &self.stiffness
    }

    /// Half a unit in the last place of one.
    pub(crate) fn epsilon(&self) -> f64 {
        if self.single.is_some() { f64::from(f32::EPSILON) } else { f64::EPSILON }
    }

    /// E (J).
    pub(crate) fn energy(world: World<'_>, at: At<'_>) -> f64 {
        let World { model, net, team, .. } = world;
        let others = model.elements().iter().filter(|batch| !batch.law().springs);
        net.energy(at.x, team) + others.map(|batch| batch.energy(at, team)).sum::<f64>()
    }

    /// `out = start + ∇E` (N), then `more(out)`, then `end(first, part)` on its parts, whose results
    /// are added up. Springs alone take one walk for all of it.
    pub(crate) fn gradient(
        &mut self,
        world: World<'_>,
        at: At<'_>,
        start: impl Fn(usize) -> Point + Sync,
        more: Option<&mut dyn FnMut(&mut [Point])>,
        end: impl Fn(usize, &mut [Point]) -> f64 + Sync,
        out: &mut [Point],
    ) -> f64 {
        let World { model, net, team, .. } = world;
        if let Some(single) = &mut self.single {
            single.see(at.x, team);
        }
        let single = self.single.as_ref();
        let others = model.elements().iter().zip(&mut self.gathers);
        let mut others = others.filter(|(batch, _)| !batch.law().springs).peekable();
        let alone = others.peek().is_none() && more.is_none();
        let sum = team.sum_each(out, |first, part| {
            for (i, value) in (first..).zip(&mut *part) {
                *value = start(i);
            }
            match single {
                Some(single) => single.gradient(first, part),
                None => net.gradient(at.x, first, part),
            }
            if alone { end(first, part) } else { 0.0 }
        });
        if alone {
            return sum;
        }
        for (batch, gather) in others {
            batch.gradient(at, gather, out, team);
        }
        if let Some(more) = more {
            more(out);
        }
        team.sum_each(out, end)
    }

    /// `matrix += ∇²E` (N/m), its negative part times `keep`, but for what [`Potential::rank_ones`] has;
    /// `slots` from [`Potential::slots`].
    pub(crate) fn hessian(
        model: &Model,
        at: At<'_>,
        keep: f64,
        slots: &[Vec<u32>],
        matrix: &mut Matrix<Mat3>,
    ) {
        for (batch, slots) in model.elements().iter().zip(slots) {
            batch.hessian(at, keep, slots, matrix);
        }
    }

    /// The dense parts of ∇²E (N/m).
    pub(crate) fn rank_ones(model: &Model, at: At<'_>, out: &mut LowRank, team: &Team) {
        out.resize(model.elements().iter().map(|batch| batch.rank_ones()).sum());
        let mut term = 0;
        for batch in model.elements() {
            for element in 0..batch.rank_ones() {
                let write = |g: &mut [Point]| batch.rank_one(element, at, g, team);
                out.set(term, batch.corners(element), write);
                term += 1;
            }
        }
    }

    /// Where every element's blocks stand in a matrix.
    pub(crate) fn slots(model: &Model, matrix: &Matrix<Mat3>) -> Vec<Vec<u32>> {
        let mut all = Vec::with_capacity(model.elements().len());
        for batch in model.elements() {
            let mut slots = Vec::new();
            batch.slots(matrix, &mut slots);
            all.push(slots);
        }
        all
    }
}

/// Calls `each(particles, c, g)` for the dense parts `c g gᵀ` (N/m) of ∇²E at rest.
pub(crate) fn each_rank_one(model: &Model, mut each: impl FnMut(&[u32], f64, &[Point])) {
    let (at, team) = (At { x: model.rest(), places: &[] }, Team::new(1));
    let mut g = Vec::new();
    for batch in model.elements() {
        for element in 0..batch.rank_ones() {
            let particles = batch.corners(element);
            g.resize(particles.len(), Point::ZERO);
            let c = batch.rank_one(element, at, &mut g, &team);
            each(particles, c, &g);
        }
    }
}
