//! The elastic and field energy of a model, with its workspace.

use crate::compute::{At, GatherOf, SingleSpringKernels, SpringCache, assembly};
use crate::kernels::Kernels;
use crate::lanes::SimdLevel;
use crate::math::Vec3;
use crate::model::Model;
use crate::settings::choice;
use crate::step_context::StepContext;

choice! {
    /// Precision of the forces of springs.
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
    /// The springs in `f32`, if requested.
    single: Option<SingleSpringKernels>,
    spring_cache: SpringCache,
    level: SimdLevel,
    prepared: Option<[u64; 3]>,
    gathers: Vec<GatherOf>,
    stiffness: Vec<f64>,
}

impl Potential {
    /// With a precision.
    pub(crate) fn new(precision: Precision) -> Self {
        let single = (precision == Precision::Interactive).then(SingleSpringKernels::default);
        Self { single, ..Self::default() }
    }

    /// Prepares for a model.
    pub(crate) fn prepare(&mut self, model: &Model, kernels: Kernels) {
        self.level = SimdLevel::of(kernels);
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
        assembly::each_rank_one(model, |particles, c, g| {
            let all: f64 = g.iter().map(|g| g.norm()).sum();
            for (&i, g) in particles.iter().zip(g) {
                self.stiffness[i as usize] += c * g.norm() * all;
            }
        });
        self.prepared = Some(model.versions().elements());
    }

    /// The instruction set for loops over particles.
    pub(crate) fn level(&self) -> SimdLevel {
        self.level
    }

    /// The stiffness at each particle (N/m): it turns rounding of positions into forces.
    pub(crate) fn stiffness(&self) -> &[f64] {
        &self.stiffness
    }

    /// The rounding error of a force due to positions in `f32`, relative to stiffness times
    /// distance.
    pub(crate) fn rounding(&self) -> f64 {
        if self.single.is_some() { 0.15 * f64::from(f32::EPSILON) } else { 0.0 }
    }

    /// E (J).
    pub(crate) fn energy(context: StepContext<'_>, at: At<'_>) -> f64 {
        let StepContext { model, spring_kernels, pool, .. } = context;
        let others = model.elements().iter().filter(|batch| !batch.law().springs);
        spring_kernels.energy(at.x, pool) + others.map(|batch| batch.energy(at, pool)).sum::<f64>()
    }

    /// E (J) of the batches not marked in `left_out`.
    pub(crate) fn partial_energy(context: StepContext<'_>, at: At<'_>, left_out: &[bool]) -> f64 {
        let batches = context.model.elements().iter().zip(left_out);
        let batches = batches.filter(|(_, left_out)| !**left_out);
        batches.map(|(batch, _)| batch.energy(at, context.pool)).sum()
    }

    /// `out += ∇E` (N) of the batches not marked in `left_out`; these must not be springs.
    pub(crate) fn add_partial_gradient(
        &mut self,
        context: StepContext<'_>,
        at: At<'_>,
        left_out: &[bool],
        out: &mut [Vec3],
    ) {
        let batches = context.model.elements().iter().zip(&mut self.gathers).zip(left_out);
        for ((batch, gather), _) in batches.filter(|(_, left_out)| !**left_out) {
            batch.gradient(at, gather, out, context.pool);
        }
    }

    /// `out = ∇E` (N), then `more(out)`, then `end(first, part)` on its parts, whose results are
    /// summed. With springs only, one pass does all of it.
    pub(crate) fn gradient(
        &mut self,
        context: StepContext<'_>,
        at: At<'_>,
        more: Option<&mut dyn FnMut(&mut [Vec3])>,
        end: impl Fn(usize, &mut [Vec3]) -> f64 + Sync,
        out: &mut [Vec3],
    ) -> f64 {
        let end = |first: usize, part: &mut [Vec3]| [end(first, part), 0.0];
        self.evaluate_all::<false>(context, at, more, end, out)[0]
    }

    /// As [`Potential::gradient`], with E (J) added to the second sum.
    pub(crate) fn gradient_and_energy(
        &mut self,
        context: StepContext<'_>,
        at: At<'_>,
        more: Option<&mut dyn FnMut(&mut [Vec3])>,
        end: impl Fn(usize, &mut [Vec3]) -> [f64; 2] + Sync,
        out: &mut [Vec3],
    ) -> [f64; 2] {
        let [sum, energy] = self.evaluate_all::<true>(context, at, more, end, out);
        let StepContext { model, spring_kernels, pool, .. } = context;
        let others = model.elements().iter().filter(|batch| !batch.law().springs);
        let others: f64 = others.map(|batch| batch.energy(at, pool)).sum();
        let springs = if self.single.is_some() { spring_kernels.energy(at.x, pool) } else { 0.0 };
        [sum, energy + springs + others]
    }

    /// As [`Potential::gradient`], with the energy of springs computed in `f64` in the second sum.
    fn evaluate_all<const ENERGY: bool>(
        &mut self,
        context: StepContext<'_>,
        at: At<'_>,
        more: Option<&mut dyn FnMut(&mut [Vec3])>,
        end: impl Fn(usize, &mut [Vec3]) -> [f64; 2] + Sync,
        out: &mut [Vec3],
    ) -> [f64; 2] {
        let StepContext { model, spring_kernels, pool, .. } = context;
        let others = model.elements().iter().zip(&mut self.gathers);
        let mut others = others.filter(|(batch, _)| !batch.law().springs).peekable();
        let alone = others.peek().is_none() && more.is_none();
        let mut springs = 0.0;
        let mut sums = match &mut self.single {
            Some(single) => {
                single.load_positions(at.x, pool);
                pool.sum_each(out, |first, part| {
                    single.gradient(first, part);
                    if alone { end(first, part) } else { [0.0; 2] }
                })
            }
            None => {
                let anchors = match context.spring_cache_at(at.x) {
                    Some(spring_cache) => spring_kernels.cached_positions(at.x, spring_cache),
                    None if ENERGY => {
                        spring_kernels.positions_and_energy(at.x, &mut self.spring_cache, pool)
                    }
                    None => spring_kernels.positions(at.x, &mut self.spring_cache, pool),
                };
                springs = anchors.energy();
                pool.sum_each(out, |first, part| {
                    let mut energy = 0.0;
                    if ENERGY {
                        energy = spring_kernels.gradient_and_energy(anchors, first, part);
                    } else {
                        spring_kernels.gradient(anchors, first, part);
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
            batch.gradient(at, gather, out, pool);
        }
        if let Some(more) = more {
            more(out);
        }
        let [sum, energy] = pool.sum_each(out, end);
        [sum, energy + sums[1]]
    }
}
