//! The connected parts of a model, and the descent that moves each of them as a whole.
//!
//! If a part moves by t, no energy between its own particles changes: only its inertia, its damping
//! against the air, and external forces contribute to g. So
//!
//! `t = −Σ ∂g/∂x_i / K`, `K = Σ m_i/h² + k + c/h`
//!
//! with bounds k (N/m) and c (N·s/m) of external terms decreases g; for a freely falling part it is
//! the minimum over t. Methods that move one vertex at a time need thousands of sweeps to find it.

use super::objective::Objective;
use crate::math::Vec3;
use crate::methods::StepContext;
use crate::model::Model;

/// The parts, with their workspace.
#[derive(Default)]
pub(crate) struct Parts {
    /// The versions of model, topology, values and pins for which they were prepared.
    prepared: Option<[u64; 4]>,
    /// The part of every particle.
    part: Vec<u32>,
    /// The axes along which no particle of a part is pinned.
    free: Vec<[bool; 3]>,
    /// The stiffness of elements against translation of a part (N/m).
    outside: Vec<f64>,
    /// A stiffness or mass of each part, and a sum over its particles.
    sums: Vec<(f64, Vec3)>,
}

impl Parts {
    pub(crate) fn prepare(&mut self, model: &Model) {
        let versions = model.versions();
        let now = [versions.model, versions.topology, versions.values, versions.pins];
        if self.prepared == Some(now) {
            return;
        }
        self.prepared = Some(now);
        let n = model.particles();
        let mut parent: Vec<u32> = (0..n as u32).collect();
        for batch in model.elements() {
            for element in 0..batch.len() {
                for pair in batch.corners(element).windows(2) {
                    let [a, b] = [pair[0], pair[1]].map(|i| root(&mut parent, i));
                    parent[a.max(b) as usize] = a.min(b);
                }
            }
        }
        self.part.clear();
        self.free.clear();
        for i in 0..n as u32 {
            // The root is the first particle of its part.
            let root = root(&mut parent, i);
            let part = if root == i { self.free.len() as u32 } else { self.part[root as usize] };
            if root == i {
                self.free.push([true; 3]);
            }
            self.part.push(part);
            for axis in 0..3 {
                self.free[part as usize][axis] &= !model.fixed()[i as usize][axis];
            }
        }
        self.outside.clear();
        self.outside.resize(self.free.len(), 0.0);
        for batch in model.elements() {
            batch.proxies(&mut |corners, proxy| {
                let [sum, size] = [proxy.iter().sum(), proxy.iter().map(|k| k.abs()).sum::<f64>()];
                if let Some(&first) = corners.first().filter(|_| sum > 1e-9 * size) {
                    self.outside[self.part[first as usize] as usize] += sum;
                }
            });
        }
    }

    /// Whether no part can move as a whole.
    pub(crate) fn are_pinned(&self) -> bool {
        self.free.iter().all(|free| *free == [false; 3])
    }

    /// Moves `x`, where ∇g is `gradient`, by t.
    pub(crate) fn descend(
        &mut self,
        context: StepContext<'_>,
        g: &Objective,
        gradient: &[Vec3],
        x: &mut [Vec3],
    ) {
        let model = context.model;
        let (by, by_square) = (1.0 / g.h, 1.0 / (g.h * g.h));
        self.sums.clear();
        self.sums.extend(self.outside.iter().map(|&k| (k, Vec3::ZERO)));
        for (i, &gradient) in gradient.iter().enumerate() {
            let (stiffness, force) = &mut self.sums[self.part[i] as usize];
            *stiffness += model.masses()[i] * by_square;
            *force -= gradient;
        }
        for damper in g.dissipation.frozen() {
            let Some((&first, others)) = damper.corners().split_first() else { continue };
            let part = self.part[first as usize];
            if others.iter().all(|&other| self.part[other as usize] == part) {
                self.sums[part as usize].0 += by * damper.strength_of_all();
            } else {
                for (k, &corner) in damper.corners().iter().enumerate() {
                    self.sums[self.part[corner as usize] as usize].0 += by * damper.strength(k);
                }
            }
        }
        self.shift(|(stiffness, force), axis| force[axis] / stiffness, x);
    }

    /// Moves every particle from `from` by the mean displacement of its part to `x`.
    pub(crate) fn move_by_mean(&mut self, model: &Model, x: &[Vec3], from: &mut [Vec3]) {
        self.sums.clear();
        self.sums.resize(self.free.len(), (0.0, Vec3::ZERO));
        for (i, (&x, &from)) in x.iter().zip(&*from).enumerate() {
            let (mass, displacement) = &mut self.sums[self.part[i] as usize];
            *mass += model.masses()[i];
            *displacement += (x - from) * model.masses()[i];
        }
        self.shift(|(mass, displacement), axis| displacement[axis] / mass, from);
    }

    /// Moves parts as a whole, along their free axes.
    fn shift(&self, by: impl Fn((f64, Vec3), usize) -> f64, x: &mut [Vec3]) {
        for (i, x) in x.iter_mut().enumerate() {
            let part = self.part[i] as usize;
            for axis in (0..3).filter(|&axis| self.free[part][axis]) {
                x[axis] += by(self.sums[part], axis);
            }
        }
    }
}

/// The root of a particle's part, with path halving.
fn root(parent: &mut [u32], mut i: u32) -> u32 {
    while parent[i as usize] != i {
        parent[i as usize] = parent[parent[i as usize] as usize];
        i = parent[i as usize];
    }
    i
}
