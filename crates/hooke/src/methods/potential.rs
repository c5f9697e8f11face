//! The elastic and field energy of a model with the workspace its walks need.

use super::World;
use crate::kernels::Kernels;
use crate::lanes::Level;
use crate::linalg::{LowRank, Matrix};
use crate::math::{Mat3, Point};
use crate::model::{At, GatherOf, Model, Seen, SingleNet};
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
    seen: Seen,
    level: Level,
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
        self.level = Level::of(kernels);
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

    /// The instructions that loops over particles use.
    pub(crate) fn level(&self) -> Level {
        self.level
    }

    /// How stiffly each particle is held (N/m): what turns rounding of positions into forces.
    pub(crate) fn stiffness(&self) -> &[f64] {
        &self.stiffness
    }

    /// What rounding of positions to `f32` leaves of a force, relative to that of stiffness times
    /// distance.
    pub(crate) fn rounding(&self) -> f64 {
        if self.single.is_some() { 0.15 * f64::from(f32::EPSILON) } else { 0.0 }
    }

    /// E (J).
    pub(crate) fn energy(world: World<'_>, at: At<'_>) -> f64 {
        let World { model, net, team, .. } = world;
        let others = model.elements().iter().filter(|batch| !batch.law().springs);
        net.energy(at.x, team) + others.map(|batch| batch.energy(at, team)).sum::<f64>()
    }

    /// E (J) of the batches that are not marked in `left_out`.
    pub(crate) fn partial_energy(world: World<'_>, at: At<'_>, left_out: &[bool]) -> f64 {
        let batches = world.model.elements().iter().zip(left_out);
        let batches = batches.filter(|(_, left_out)| !**left_out);
        batches.map(|(batch, _)| batch.energy(at, world.team)).sum()
    }

    /// `out += ∇E` (N) of the batches that are not marked in `left_out`, among which no springs may be.
    pub(crate) fn add_partial_gradient(
        &mut self,
        world: World<'_>,
        at: At<'_>,
        left_out: &[bool],
        out: &mut [Point],
    ) {
        let batches = world.model.elements().iter().zip(&mut self.gathers).zip(left_out);
        for ((batch, gather), _) in batches.filter(|(_, left_out)| !**left_out) {
            batch.gradient(at, gather, out, world.team);
        }
    }

    /// `out = ∇E` (N), then `more(out)`, then `end(first, part)` on its parts, whose results are added
    /// up. Springs alone take one walk for all of it.
    pub(crate) fn gradient(
        &mut self,
        world: World<'_>,
        at: At<'_>,
        more: Option<&mut dyn FnMut(&mut [Point])>,
        end: impl Fn(usize, &mut [Point]) -> f64 + Sync,
        out: &mut [Point],
    ) -> f64 {
        let end = |first: usize, part: &mut [Point]| [end(first, part), 0.0];
        self.walk::<false>(world, at, more, end, out)[0]
    }

    /// As [`Potential::gradient`], with E (J) added to the second sum.
    pub(crate) fn gradient_and_energy(
        &mut self,
        world: World<'_>,
        at: At<'_>,
        more: Option<&mut dyn FnMut(&mut [Point])>,
        end: impl Fn(usize, &mut [Point]) -> [f64; 2] + Sync,
        out: &mut [Point],
    ) -> [f64; 2] {
        let [sum, energy] = self.walk::<true>(world, at, more, end, out);
        let World { model, net, team, .. } = world;
        let others = model.elements().iter().filter(|batch| !batch.law().springs);
        let others: f64 = others.map(|batch| batch.energy(at, team)).sum();
        let springs = if self.single.is_some() { net.energy(at.x, team) } else { 0.0 };
        [sum, energy + springs + others]
    }

    /// As [`Potential::gradient`], with the energy of springs computed in `f64` in the second sum.
    fn walk<const ENERGY: bool>(
        &mut self,
        world: World<'_>,
        at: At<'_>,
        more: Option<&mut dyn FnMut(&mut [Point])>,
        end: impl Fn(usize, &mut [Point]) -> [f64; 2] + Sync,
        out: &mut [Point],
    ) -> [f64; 2] {
        let World { model, net, team, .. } = world;
        let others = model.elements().iter().zip(&mut self.gathers);
        let mut others = others.filter(|(batch, _)| !batch.law().springs).peekable();
        let alone = others.peek().is_none() && more.is_none();
        let mut springs = 0.0;
        let mut sums = match &mut self.single {
            Some(single) => {
                single.see(at.x, team);
                team.sum_each(out, |first, part| {
                    single.gradient(first, part);
                    if alone { end(first, part) } else { [0.0; 2] }
                })
            }
            None => {
                let places = match world.seen_at(at.x) {
                    Some(seen) => net.seen(at.x, seen),
                    None if ENERGY => net.see_energy(at.x, &mut self.seen, team),
                    None => net.see(at.x, &mut self.seen, team),
                };
                springs = places.energy();
                team.sum_each(out, |first, part| {
                    let mut energy = 0.0;
                    if ENERGY {
                        energy = net.gradient_and_energy(places, first, part);
                    } else {
                        net.gradient(places, first, part);
                    }
                    let [sum, more] = if alone { end(first, part) } else { [0.0; 2] };
                    [sum, more + energy]
                })
            }
        };
        sums[1] += springs;
        if alone {
            return sums;
        }
        for (batch, gather) in others {
            batch.gradient(at, gather, out, team);
        }
        if let Some(more) = more {
            more(out);
        }
        let [sum, energy] = team.sum_each(out, end);
        [sum, energy + sums[1]]
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
