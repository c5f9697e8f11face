//! The dampers of a model, frozen at one state: D(v), a convex quadratic function of the
//! velocities.

use crate::compute::{Gather, Incidence, VertexColoring, VertexTerms};
use crate::dampers::Frozen;
use crate::linalg::Matrix;
use crate::math::{Mat3, Vec3};
use crate::model::Model;
use crate::report::StepReport;
use crate::thread_pool::ThreadPool;

/// The frozen dampers, and the workspace to evaluate them.
#[derive(Default)]
pub(crate) struct Dissipation {
    prepared: Option<(u64, u64)>,
    frozen: Vec<Frozen>,
    gather: Gather,
    corner_values: Vec<Vec3>,
    strength: Vec<f64>,
}

impl Dissipation {
    /// Prepares for a model.
    pub(crate) fn prepare(&mut self, model: &Model) {
        if self.prepared == Some(model.versions().symbolic()) {
            return;
        }
        let count = model.dampers().iter().map(|batch| batch.len()).sum();
        self.frozen = vec![Frozen::NONE; count];
        self.corner_values = vec![Vec3::ZERO; Frozen::CORNERS * count];
        self.strength = vec![0.0; model.particles()];
        self.gather = Gather::chosen(model.particles(), owners(model));
        self.prepared = Some(model.versions().symbolic());
    }

    /// Whether there are no dampers.
    pub(crate) fn is_empty(&self) -> bool {
        self.frozen.is_empty()
    }

    /// Freezes every damper at positions `x` and velocities `v`, in the wind `air(position)`.
    pub(crate) fn freeze(
        &mut self,
        model: &Model,
        x: &[Vec3],
        v: &[Vec3],
        air: &(dyn Fn(Vec3) -> Vec3 + Sync),
        pool: &ThreadPool,
    ) {
        let mut rest = &mut self.frozen[..];
        for batch in model.dampers() {
            let (own, others) = rest.split_at_mut(batch.len());
            batch.freeze(x, v, air, own, pool);
            rest = others;
        }
        self.strength.fill(0.0);
        for damper in &self.frozen {
            for (k, &corner) in damper.corners().iter().enumerate() {
                self.strength[corner as usize] += damper.strength(k);
            }
        }
    }

    /// All frozen dampers.
    pub(crate) fn frozen(&self) -> &[Frozen] {
        &self.frozen
    }

    /// The damping of each particle (N·s/m): it turns rounding of velocities into forces.
    pub(crate) fn strength(&self) -> &[f64] {
        &self.strength
    }

    /// Records in a report which quantities freezing lagged.
    pub(crate) fn report_lag(model: &Model, report: &mut StepReport) {
        for batch in model.dampers() {
            report.lag(batch.kind().lagged);
        }
    }

    /// D (W) at the velocities `v`.
    pub(crate) fn value(&self, v: impl Fn(usize) -> Vec3 + Sync, pool: &ThreadPool) -> f64 {
        pool.sum(self.frozen.len(), |range| {
            self.frozen[range].iter().map(|damper| damper.potential(&v)).sum()
        })
    }

    /// The power (W) of the damping forces at the velocities `v`.
    pub(crate) fn power(&self, v: impl Fn(usize) -> Vec3 + Sync, pool: &ThreadPool) -> f64 {
        pool.sum(self.frozen.len(), |range| {
            self.frozen[range].iter().map(|damper| damper.power(&v)).sum()
        })
    }

    /// `out += s · ∂D/∂v` (N) at the velocities `v`.
    pub(crate) fn gradient(
        &mut self,
        v: impl Fn(usize) -> Vec3 + Sync,
        s: f64,
        out: &mut [Vec3],
        pool: &ThreadPool,
    ) {
        if self.is_empty() {
            return;
        }
        let (values, _) = self.corner_values.as_chunks_mut::<{ Frozen::CORNERS }>();
        pool.for_each(values, |first, chunk| {
            for (k, value) in chunk.iter_mut().enumerate() {
                *value = self.frozen[first + k].gradient(&v, s);
            }
        });
        self.gather.add(&self.corner_values, out, pool);
    }

    /// `matrix += s · ∂²D/∂v²` (N·s/m).
    pub(crate) fn hessian(&self, s: f64, slots: &[u32], matrix: &mut Matrix<Mat3>) {
        let values = matrix.values_mut();
        let mut slots = slots.iter();
        for damper in &self.frozen {
            let corners = damper.corners().len();
            for a in 0..corners {
                for (b, &slot) in (0..corners).zip(&mut slots) {
                    values[slot as usize] += damper.block(a, b, s);
                }
            }
        }
    }

    /// The dampers at each vertex, for [`Dissipation::vertices`].
    pub(crate) fn incidence(model: &Model, colors: &VertexColoring) -> Incidence {
        colors.incidence(owners(model))
    }

    /// Adds gradient (N) and diagonal block (N/m) of `h D((x−b)/h)` at each vertex, for the slots
    /// from `first` on; `v(i) = (x_i − b_i)/h`.
    pub(crate) fn vertices(
        &self,
        v: impl Fn(usize) -> Vec3 + Sync,
        h: f64,
        incidence: &Incidence,
        first: usize,
        out: &mut [VertexTerms],
        pool: &ThreadPool,
    ) {
        pool.for_each(out, |start, part| {
            for (slot, vertex) in (first + start..).zip(part) {
                for corner in incidence.at(slot) {
                    let (damper, k) = (corner / Frozen::CORNERS, corner % Frozen::CORNERS);
                    vertex.gradient += self.frozen[damper].gradient(&v, 1.0)[k];
                    vertex.block += self.frozen[damper].block(k, k, 1.0 / h);
                }
            }
        });
    }

    /// The slots of every damper's blocks in a matrix.
    pub(crate) fn slots(model: &Model, matrix: &Matrix<Mat3>) -> Vec<u32> {
        let mut slots = Vec::new();
        for batch in model.dampers() {
            for damper in 0..batch.len() {
                let corners = batch.corners(damper);
                for &i in corners {
                    slots.extend(corners.iter().map(|&j| matrix.pattern().slot(i, j)));
                }
            }
        }
        slots
    }
}

/// The corners of all dampers, each with its particle.
fn owners(model: &Model) -> impl Iterator<Item = (usize, u32)> + Clone {
    let dampers = model.dampers().iter();
    let corners =
        dampers.flat_map(|batch| (0..batch.len()).map(move |damper| batch.corners(damper)));
    corners
        .enumerate()
        .flat_map(|(damper, corners)| (damper * Frozen::CORNERS..).zip(corners.iter().copied()))
}
