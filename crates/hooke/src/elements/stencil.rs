//! All elements of one stencil, and the passes over them: elements that differ in their number of
//! corners.
//!
//! Corners and weights of all elements stand side by side, with the start of each. The energy
//! `½ k |Σ w_j x_j|²` is the same for every stencil, so its passes are written here once.

use super::gather::GatherOf;
use super::law::{LawInfo, Stencil, stencil_info};
use super::material_groups::{self, MaterialGroups, check_material};
use super::traits::{
    At, ElementConstraints, ElementEnergy, ElementSprings, ElementStore, ElementStrain,
    ElementView, RowView, VertexEnergy,
};
use super::{ConstraintRows, ElementColoring, Incidence, Sweep, VertexTerms};
use crate::error::{ModelError, a, invalid_element};
use crate::linalg::Matrix;
use crate::math::{Mat3, Vec3};
use crate::thread_pool::{Disjoint, ThreadPool};
use std::collections::HashSet;
use std::marker::PhantomData;
use std::ops::Range;

/// The elements of stencil `S`.
pub struct StencilBatch<S> {
    starts: Vec<usize>,
    corners: Vec<u32>,
    weights: Vec<f64>,
    group: Vec<u32>,
    materials: MaterialGroups<1>,
    stencil: PhantomData<S>,
}

impl<S: Stencil> StencilBatch<S> {
    /// An empty batch.
    pub fn new() -> Self {
        Self {
            starts: vec![0],
            corners: Vec::new(),
            weights: Vec::new(),
            group: Vec::new(),
            materials: MaterialGroups::new(),
            stencil: PhantomData,
        }
    }

    fn range(&self, element: usize) -> Range<usize> {
        self.starts[element]..self.starts[element + 1]
    }

    fn stiffness(&self, element: usize) -> f64 {
        let [stiffness] = self.materials.get(self.group[element]);
        stiffness
    }

    /// `Σ w_j x_j`; the weights sum to zero, so differences to the first corner will do.
    fn sum(&self, element: usize, x: &[Vec3]) -> Vec3 {
        self.sum_of(element, |corner| x[corner as usize])
    }

    fn sum_of(&self, element: usize, x: impl Fn(u32) -> Vec3) -> Vec3 {
        let range = self.range(element);
        let first = x(self.corners[range.start]);
        let mut sum = Vec3::ZERO;
        for slot in range {
            sum += (x(self.corners[slot]) - first) * self.weights[slot];
        }
        sum
    }

    /// Projects the rows of one element, one for each axis, which do not touch each other.
    ///
    /// # Safety
    /// No other thread holds its particles, multipliers or slots.
    unsafe fn project_one(
        &self,
        element: usize,
        sweep: &Sweep<'_>,
        lambda: &Disjoint<'_, f64>,
        slot: usize,
    ) -> f64 {
        // What holds nothing is infinitely soft.
        let softness = sweep.softness(1.0 / self.stiffness(element));
        let [soft, memory] = softness.unwrap_or([f64::INFINITY, 0.0]);
        let range = self.range(element);
        let (corners, own) = (&self.corners[range.clone()], &self.weights[range.clone()]);
        // SAFETY: as the caller promises.
        unsafe {
            let inverse = |corner: u32| {
                let i = corner as usize;
                sweep.particles.read(i).weights(sweep.fixed[i])
            };
            let mut whole = Vec3::new(soft, soft, soft);
            let mut square = 0.0;
            for (&corner, &w) in corners.iter().zip(own) {
                whole += inverse(corner) * (w * w);
                square += w * w;
            }
            let value = self.sum_of(element, |corner| sweep.particles.read(corner as usize).x);
            let mut step = Vec3::ZERO;
            for axis in (0..3).filter(|&axis| whole[axis] > 0.0) {
                let so_far = memory * lambda.read(3 * element + axis);
                step[axis] = -(value[axis] + so_far) / whole[axis];
            }
            let taken = sweep
                .apply(corners, slot + range.start, |a| step.times(inverse(corners[a])) * own[a]);
            for axis in 0..3 {
                *lambda.get(3 * element + axis) += taken * step[axis];
            }
            step.norm2() * square
        }
    }
}

impl<S: Stencil> Default for StencilBatch<S> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S: Stencil> ElementStore for StencilBatch<S> {
    fn law(&self) -> LawInfo {
        stencil_info::<S>()
    }

    fn len(&self) -> usize {
        self.group.len()
    }

    fn corners(&self, element: usize) -> &[u32] {
        &self.corners[self.range(element)]
    }

    fn view(&self, element: usize) -> ElementView {
        ElementView {
            corners: self.corners(element).to_vec(),
            rest: self.weights[self.range(element)].to_vec(),
            material: vec![self.stiffness(element)],
            group: self.group[element] as usize,
        }
    }

    fn push(
        &mut self,
        corners: &[u32],
        rest: Option<&[f64]>,
        material: &[f64],
        _: Option<u32>,
        positions: &[Vec3],
    ) -> Result<usize, ModelError> {
        let (name, least) = (S::NAME, S::LEAST);
        let values = material_groups::parse(name, material)?;
        if corners.len() < least {
            return invalid_element(format!("{} has at least {least} corners", a(name)));
        }
        let mut seen = HashSet::with_capacity(corners.len());
        if let Some(corner) = corners.iter().find(|corner| !seen.insert(**corner)) {
            return invalid_element(format!("a {name} joins particle {corner} to itself"));
        }
        let weights = match rest {
            Some(rest) if rest.len() == corners.len() => rest.to_vec(),
            Some(_) => return invalid_element(format!("a {name} has a rest value per corner")),
            None => {
                let x: Vec<Vec3> = corners.iter().map(|&i| positions[i as usize]).collect();
                S::weights(&x).map_err(|end| ModelError::InvalidElement {
                    sentence: format!("the {name} between particles {corners:?} {end}"),
                })?
            }
        };
        let size: f64 = weights.iter().map(|w| w.abs()).sum();
        if !size.is_finite() || weights.iter().sum::<f64>().abs() > 1e-9 * size {
            return invalid_element(format!(
                "the rest values of a {name} must be finite and sum to zero"
            ));
        }
        check_material(name, &[S::PARAM], material)?;
        let group = self.materials.insert(values);
        self.corners.extend_from_slice(corners);
        self.weights.extend_from_slice(&weights);
        self.starts.push(self.corners.len());
        self.group.push(group);
        Ok(self.group.len() - 1)
    }

    fn materials(&self) -> Vec<Vec<f64>> {
        self.materials.to_vecs()
    }

    fn set_material(&mut self, group: usize, values: &[f64]) -> Result<(), ModelError> {
        self.materials
            .set(S::NAME, group, values, |values| check_material(S::NAME, &[S::PARAM], values))
    }
}

impl<S: Stencil> ElementEnergy for StencilBatch<S> {
    fn energy(&self, at: At<'_>, pool: &ThreadPool) -> f64 {
        pool.sum(self.len(), |range| {
            range.map(|e| 0.5 * self.stiffness(e) * self.sum(e, at.x).norm2()).sum()
        })
    }

    fn gradient(&self, at: At<'_>, gather: &mut GatherOf, out: &mut [Vec3], pool: &ThreadPool) {
        pool.for_each(&mut gather.scratch, |first, chunk| {
            // The element of the first corner, then on as its corners end.
            let mut e = self.starts.partition_point(|&start| start <= first) - 1;
            let mut pull = self.sum(e, at.x) * self.stiffness(e);
            for (k, value) in chunk.iter_mut().enumerate() {
                let slot = first + k;
                if slot == self.starts[e + 1] {
                    e += 1;
                    pull = self.sum(e, at.x) * self.stiffness(e);
                }
                *value = pull * self.weights[slot];
            }
        });
        gather.gather.add(&gather.scratch, out, pool);
    }

    fn hessian(&self, _: At<'_>, _: f64, slots: &[u32], matrix: &mut Matrix<Mat3>) {
        let values = matrix.values_mut();
        let mut slots = slots.iter();
        for e in 0..self.len() {
            let weights = &self.weights[self.range(e)];
            for a in weights {
                for (b, &slot) in weights.iter().zip(&mut slots) {
                    values[slot as usize] += Mat3::diagonal(self.stiffness(e) * a * b);
                }
            }
        }
    }

    fn proxies(&self, each: &mut dyn FnMut(&[u32], &[f64])) {
        let mut proxy = Vec::new();
        for e in 0..self.len() {
            let weights = &self.weights[self.range(e)];
            proxy.clear();
            for a in weights {
                proxy.extend(weights.iter().map(|b| self.stiffness(e) * a * b));
            }
            each(self.corners(e), &proxy);
        }
    }
}

impl<S: Stencil> ElementSprings for StencilBatch<S> {}

impl<S: Stencil> VertexEnergy for StencilBatch<S> {
    fn vertices(
        &self,
        at: At<'_>,
        incidence: &Incidence,
        first: usize,
        out: &mut [VertexTerms],
        pool: &ThreadPool,
    ) {
        pool.for_each(out, |start, part| {
            for (slot, vertex) in (first + start..).zip(part) {
                for corner in incidence.at(slot) {
                    let e = self.starts.partition_point(|&start| start <= corner) - 1;
                    let (k, w) = (self.stiffness(e), self.weights[corner]);
                    let sum = self.sum(e, at.x);
                    let energy = 0.5 * k * sum.norm2();
                    vertex.energy += energy;
                    vertex.size += energy;
                    for slot in self.range(e) {
                        let x = at.x[self.corners[slot] as usize];
                        vertex.size += k * sum.norm() * self.weights[slot].abs() * x.norm();
                    }
                    vertex.gradient += sum * (k * w);
                    vertex.block += Mat3::diagonal(k * w * w);
                }
            }
        });
    }

    fn vertex_energies(
        &self,
        at: At<'_>,
        incidence: &Incidence,
        first: usize,
        moving: &[bool],
        out: &mut [VertexTerms],
        pool: &ThreadPool,
    ) {
        pool.for_each(out, |start, part| {
            for (k, vertex) in (start..).zip(part).filter(|(k, _)| moving[*k]) {
                for corner in incidence.at(first + k) {
                    let e = self.starts.partition_point(|&start| start <= corner) - 1;
                    vertex.energy += 0.5 * self.stiffness(e) * self.sum(e, at.x).norm2();
                }
            }
        });
    }
}

impl<S: Stencil> ElementStrain for StencilBatch<S> {}

impl<S: Stencil> ElementConstraints for StencilBatch<S> {
    fn rows(&self, element: usize, at: At<'_>) -> Vec<RowView> {
        let (sum, compliance) = (self.sum(element, at.x), 1.0 / self.stiffness(element));
        let weights = &self.weights[self.range(element)];
        let row = |axis: usize| {
            let gradient = weights.iter().map(|&w| Vec3::AXES[axis] * w).collect();
            (sum[axis], gradient, compliance)
        };
        (0..3).map(row).collect()
    }

    fn constraints(&self, at: At<'_>, rows: &mut ConstraintRows) {
        for e in 0..self.len() {
            let (sum, compliance) = (self.sum(e, at.x), 1.0 / self.stiffness(e));
            let range = self.range(e);
            for axis in 0..3 {
                let weights = self.weights[range.clone()].iter();
                let slopes = weights.map(|&w| Vec3::AXES[axis] * w);
                rows.push(sum[axis], compliance, &self.corners[range.clone()], slopes);
            }
        }
    }

    // The constraints are linear.
    fn geometric(&self, _: At<'_>, _: &[f64], _: f64, _: &[u32], _: &mut Matrix<Mat3>) {}

    fn project(
        &self,
        colors: &ElementColoring,
        sweep: &Sweep<'_>,
        lambda: &mut [f64],
        slot: usize,
        pool: &ThreadPool,
    ) -> f64 {
        let lambda = &Disjoint::new(lambda);
        // SAFETY: elements that are visited at once share no particle where particles move, and every
        // element has its own multipliers and slots.
        let one = |e: usize| unsafe { self.project_one(e, sweep, lambda, slot) };
        sweep.visit(colors, pool, one)
    }

    fn pull(&self, element: usize, _: At<'_>, lambda: &[f64], each: &mut dyn FnMut(u32, Vec3)) {
        let &[x, y, z] = lambda else { return };
        for slot in self.range(element) {
            each(self.corners[slot], Vec3::new(x, y, z) * self.weights[slot]);
        }
    }
}
