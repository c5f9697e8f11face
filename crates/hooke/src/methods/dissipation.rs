//! The dampers of a model, frozen at one moment: `D(v) = Σ ½ (Σ w v − u)ᵀ C (Σ w v − u)`.

use crate::dampers::Frozen;
use crate::linalg::Matrix;
use crate::math::{Mat3, Point};
use crate::model::{Gather, Model};
use crate::report::StepReport;
use crate::team::Team;

/// The frozen dampers, and the workspace to evaluate them.
#[derive(Default)]
pub(crate) struct Dissipation {
    prepared: Option<(u64, u64)>,
    frozen: Vec<Frozen>,
    gather: Gather,
    corner_values: Vec<Point>,
    strength: Vec<f64>,
}

impl Dissipation {
    /// Makes ready for a model.
    pub(crate) fn prepare(&mut self, model: &Model) {
        if self.prepared == Some(model.versions().symbolic()) {
            return;
        }
        let count = model.dampers().iter().map(|batch| batch.len()).sum();
        self.frozen = vec![Frozen::NONE; count];
        self.corner_values = vec![Point::ZERO; 3 * count];
        self.strength = vec![0.0; model.particles()];
        // Unused corners repeat the first with weight zero, so three slots per damper suffice.
        let owners = model.dampers().iter().flat_map(|batch| {
            (0..batch.len()).flat_map(move |damper| {
                let corners = batch.corners(damper);
                (0..3).map(move |k| *corners.get(k).unwrap_or(&corners[0]))
            })
        });
        self.gather = Gather::new(model.particles(), owners);
        self.prepared = Some(model.versions().symbolic());
    }

    /// Whether there is nothing to dissipate.
    pub(crate) fn is_empty(&self) -> bool {
        self.frozen.is_empty()
    }

    /// Takes C and u at positions `x`, velocities `v` and in the wind `air(place)`.
    pub(crate) fn freeze(
        &mut self,
        model: &Model,
        x: &[Point],
        v: &[Point],
        air: &(dyn Fn(Point) -> Point + Sync),
        team: &Team,
    ) {
        let mut rest = &mut self.frozen[..];
        for batch in model.dampers() {
            let (own, others) = rest.split_at_mut(batch.len());
            batch.freeze(x, v, air, own, team);
            rest = others;
        }
        self.strength.fill(0.0);
        for damper in &self.frozen {
            let trace = (0..3).map(|axis| damper.matrix.0[axis][axis]).sum::<f64>();
            for (&corner, weight) in damper.corners.iter().zip(&damper.weights) {
                self.strength[corner as usize] += weight.abs() * trace;
            }
        }
    }

    /// All dampers as they were frozen.
    pub(crate) fn frozen(&self) -> &[Frozen] {
        &self.frozen
    }

    /// How strongly each particle is damped (N·s/m): what turns rounding of velocities into forces.
    pub(crate) fn strength(&self) -> &[f64] {
        &self.strength
    }

    /// Notes in a report what freezing lagged.
    pub(crate) fn report_lag(model: &Model, report: &mut StepReport) {
        for batch in model.dampers() {
            report.lag(batch.kind().lagged);
        }
    }

    /// D (W) at the velocities `v`.
    pub(crate) fn value(&self, v: impl Fn(usize) -> Point + Sync, team: &Team) -> f64 {
        team.sum(self.frozen.len(), |range| {
            self.frozen[range]
                .iter()
                .map(|damper| {
                    let relative = damper.relative(&v);
                    0.5 * relative.dot(damper.matrix * relative)
                })
                .sum()
        })
    }

    /// The power (W) of the damping forces at the velocities `v`.
    pub(crate) fn power(&self, v: impl Fn(usize) -> Point + Sync, team: &Team) -> f64 {
        team.sum(self.frozen.len(), |range| {
            self.frozen[range]
                .iter()
                .map(|damper| {
                    let relative = damper.relative(&v);
                    -(relative + damper.drift).dot(damper.matrix * relative)
                })
                .sum()
        })
    }

    /// `out += s · ∂D/∂v` (N) at the velocities `v`.
    pub(crate) fn gradient(
        &mut self,
        v: impl Fn(usize) -> Point + Sync,
        s: f64,
        out: &mut [Point],
        team: &Team,
    ) {
        if self.is_empty() {
            return;
        }
        let (values, _) = self.corner_values.as_chunks_mut::<3>();
        team.for_each(values, |first, chunk| {
            for (k, value) in chunk.iter_mut().enumerate() {
                let damper = &self.frozen[first + k];
                let force = damper.matrix * damper.relative(&v) * s;
                *value = damper.weights.map(|weight| force * weight);
            }
        });
        self.gather.add(&self.corner_values, out, team);
    }

    /// `matrix += s · ∂²D/∂v²` (N·s/m).
    pub(crate) fn hessian(&self, s: f64, slots: &[[u32; 9]], matrix: &mut Matrix<Mat3>) {
        let values = matrix.values_mut();
        for (damper, slots) in self.frozen.iter().zip(slots) {
            for a in 0..3 {
                for b in 0..3 {
                    let weight = damper.weights[a] * damper.weights[b] * s;
                    if weight != 0.0 {
                        values[slots[3 * a + b] as usize] += damper.matrix * weight;
                    }
                }
            }
        }
    }

    /// Where every damper's blocks stand in a matrix.
    pub(crate) fn slots(model: &Model, matrix: &Matrix<Mat3>) -> Vec<[u32; 9]> {
        let mut slots = Vec::new();
        for batch in model.dampers() {
            for damper in 0..batch.len() {
                let corners = batch.corners(damper);
                let corner = |k: usize| *corners.get(k).unwrap_or(&corners[0]);
                slots.push(std::array::from_fn(|k| {
                    matrix.pattern().slot(corner(k / 3), corner(k % 3))
                }));
            }
        }
        slots
    }
}
