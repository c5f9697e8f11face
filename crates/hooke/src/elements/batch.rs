//! All elements of one law, and the passes over them. A [`Batch`] is compiled once per law.

use super::Inertia;
use super::gather::GatherOf;
use super::law::{Law, LawInfo, Row, info};
use super::material_groups::{self, MaterialGroups, check_material};
use super::projection_sweep::{Block, MOST_ROWS, Sweep};
use super::traits::{
    At, ElementConstraints, ElementEnergy, ElementSprings, ElementStore, ElementStrain,
    ElementView, RowView, VertexEnergy,
};
use super::{ConstraintRows, ElementColoring, Incidence, VertexTerms};
use crate::error::{ModelError, a, invalid_element};
use crate::linalg::Matrix;
use crate::math::{Mat3, Vec3};
use crate::thread_pool::{Disjoint, ThreadPool};
use std::marker::PhantomData;

/// The elements of law `L`.
pub struct Batch<L, const N: usize, const R: usize, const P: usize> {
    corners: Vec<[u32; N]>,
    rest: Vec<[f64; R]>,
    group: Vec<u32>,
    /// The anchor of each element, `NO_ANCHOR` for none; empty where no element has one.
    anchors: Vec<u32>,
    materials: MaterialGroups<P>,
    law: PhantomData<L>,
}

const NO_ANCHOR: u32 = u32::MAX;

impl<L: Law<N, R, P>, const N: usize, const R: usize, const P: usize> Batch<L, N, R, P> {
    /// An empty batch.
    pub fn new() -> Self {
        Self {
            corners: Vec::new(),
            rest: Vec::new(),
            group: Vec::new(),
            anchors: Vec::new(),
            materials: MaterialGroups::new(),
            law: PhantomData,
        }
    }

    #[inline]
    fn x(&self, element: usize, x: &[Vec3]) -> [Vec3; N] {
        self.corners[element].map(|corner| x[corner as usize])
    }

    #[inline]
    fn rest(&self, element: usize, anchors: &[Vec3]) -> [f64; R] {
        let mut rest = self.rest[element];
        if let Some(&anchor) = self.anchors.get(element)
            && anchor != NO_ANCHOR
        {
            rest[..3].copy_from_slice(&anchors[anchor as usize].to_array());
        }
        rest
    }

    #[inline]
    fn material(&self, element: usize) -> [f64; P] {
        self.materials.get(self.group[element])
    }

    #[inline]
    fn block(&self, element: usize, x: [Vec3; N], anchors: &[Vec3]) -> Block<N> {
        let mut block = Block::new();
        let rest = self.rest(element, anchors);
        L::rows(x, rest, self.material(element), &mut |row| block.push(row));
        block
    }

    /// Projects the rows of one element, whose first multiplier and slot are given.
    ///
    /// # Safety
    /// No other thread holds its particles, multipliers or slots.
    #[inline]
    unsafe fn project_one(
        &self,
        element: usize,
        sweep: &Sweep<'_>,
        lambda: &Disjoint<'_, f64>,
        slot: usize,
    ) -> f64 {
        let corners = &self.corners[element];
        let first = element * L::ROWS;
        // SAFETY: as the caller promises.
        unsafe {
            let particles = corners.map(|corner| sweep.particles.read(corner as usize));
            let mut weights = [Vec3::ZERO; N];
            for a in 0..N {
                weights[a] = particles[a].weights(sweep.fixed[corners[a] as usize]);
            }
            let block = self.block(element, particles.map(|particle| particle.x), sweep.anchors);
            let step = block.solve(sweep, &weights, |row| lambda.read(first + row));
            let mut forces = [Vec3::ZERO; N];
            let mut sum = 0.0;
            for (a, force) in forces.iter_mut().enumerate() {
                *force = block.along(a, &step);
                sum += force.norm2();
            }
            let taken = sweep.apply(corners, slot, |a| forces[a].times(weights[a]));
            for (row, step) in step.iter().enumerate().take(L::ROWS) {
                *lambda.get(first + row) += taken * step;
            }
            sum
        }
    }
}

impl<L: Law<N, R, P>, const N: usize, const R: usize, const P: usize> Default
    for Batch<L, N, R, P>
{
    fn default() -> Self {
        Self::new()
    }
}

impl<L: Law<N, R, P>, const N: usize, const R: usize, const P: usize> ElementStore
    for Batch<L, N, R, P>
{
    fn law(&self) -> LawInfo {
        info::<L, N, R, P>()
    }

    fn len(&self) -> usize {
        self.corners.len()
    }

    fn corners(&self, element: usize) -> &[u32] {
        &self.corners[element]
    }

    fn view(&self, element: usize) -> ElementView {
        ElementView {
            corners: self.corners[element].to_vec(),
            rest: self.rest[element].to_vec(),
            material: self.material(element).to_vec(),
            group: self.group[element] as usize,
        }
    }

    fn push(
        &mut self,
        corners: &[u32],
        rest: Option<&[f64]>,
        material: &[f64],
        anchor: Option<u32>,
        positions: &[Vec3],
    ) -> Result<usize, ModelError> {
        let name = L::NAME;
        let material = material_groups::parse(name, material)?;
        let Ok(corners) = <[u32; N]>::try_from(corners) else {
            return invalid_element(format!("{} has {N} corners", a(name)));
        };
        for (k, corner) in corners.iter().enumerate() {
            if corners[..k].contains(corner) {
                return invalid_element(format!("{} joins particle {corner} to itself", a(name)));
            }
        }
        let rest = match rest {
            Some(rest) => match <[f64; R]>::try_from(rest) {
                Ok(rest) => rest,
                Err(_) => return invalid_element(format!("{} has {R} rest values", a(name))),
            },
            None => match L::rest(corners.map(|corner| positions[corner as usize])) {
                Some(rest) => rest,
                None => {
                    return invalid_element(format!(
                        "the {name} between particles {corners:?} {}",
                        L::unfit(corners.map(|corner| positions[corner as usize]))
                    ));
                }
            },
        };
        check_values::<L, N, R, P>(&rest, &material)?;
        let group = self.materials.insert(material);
        if anchor.is_some() || !self.anchors.is_empty() {
            self.anchors.resize(self.corners.len(), NO_ANCHOR);
            self.anchors.push(anchor.unwrap_or(NO_ANCHOR));
        }
        self.corners.push(corners);
        self.rest.push(rest);
        self.group.push(group);
        Ok(self.corners.len() - 1)
    }

    fn remove_anchored(&mut self, anchor: u32) {
        let mut kept = 0;
        for element in 0..self.anchors.len() {
            if self.anchors[element] == anchor {
                continue;
            }
            self.corners[kept] = self.corners[element];
            self.rest[kept] = self.rest[element];
            self.group[kept] = self.group[element];
            self.anchors[kept] = self.anchors[element];
            kept += 1;
        }
        if !self.anchors.is_empty() {
            self.corners.truncate(kept);
            self.rest.truncate(kept);
            self.group.truncate(kept);
            self.anchors.truncate(kept);
        }
    }

    fn materials(&self) -> Vec<Vec<f64>> {
        self.materials.to_vecs()
    }

    fn set_material(&mut self, group: usize, values: &[f64]) -> Result<(), ModelError> {
        let elements = self.rest.iter().zip(&self.group);
        let mut own = elements.filter(|(_, own)| **own as usize == group);
        self.materials.set(L::NAME, group, values, |values| {
            own.try_for_each(|(rest, _)| check_values::<L, N, R, P>(rest, values))
        })
    }
}

impl<L: Law<N, R, P>, const N: usize, const R: usize, const P: usize> ElementEnergy
    for Batch<L, N, R, P>
{
    fn energy(&self, at: At<'_>, pool: &ThreadPool) -> f64 {
        pool.sum(self.len(), |range| {
            range
                .map(|e| L::energy(self.x(e, at.x), self.rest(e, at.anchors), self.material(e)))
                .sum()
        })
    }

    fn gradient(&self, at: At<'_>, gather: &mut GatherOf, out: &mut [Vec3], pool: &ThreadPool) {
        let (values, _) = gather.scratch.as_chunks_mut::<N>();
        pool.for_each(values, |first, chunk| {
            for (k, value) in chunk.iter_mut().enumerate() {
                let e = first + k;
                *value = L::gradient(self.x(e, at.x), self.rest(e, at.anchors), self.material(e));
            }
        });
        gather.gather.add(&gather.scratch, out, pool);
    }

    fn hessian(&self, at: At<'_>, keep: f64, slots: &[u32], matrix: &mut Matrix<Mat3>) {
        let values = matrix.values_mut();
        for (e, slots) in slots.chunks_exact(N * N).enumerate() {
            let blocks =
                L::hessian(self.x(e, at.x), self.rest(e, at.anchors), self.material(e), keep);
            for (&slot, block) in slots.iter().zip(blocks.iter().flatten()) {
                values[slot as usize] += *block;
            }
        }
    }

    fn proxies(&self, each: &mut dyn FnMut(&[u32], &[f64])) {
        for (e, corners) in self.corners.iter().enumerate() {
            let proxy = L::proxy(self.rest[e], self.material(e));
            each(corners, proxy.as_flattened());
        }
    }
}

impl<L: Law<N, R, P>, const N: usize, const R: usize, const P: usize> ElementSprings
    for Batch<L, N, R, P>
{
    fn springs(&self, each: &mut dyn FnMut([u32; 2], [f64; 2])) {
        for (e, corners) in self.corners.iter().enumerate() {
            if let [i, j] = corners[..] {
                each([i, j], L::spring(self.rest[e], self.material(e)));
            }
        }
    }
}

impl<L: Law<N, R, P>, const N: usize, const R: usize, const P: usize> VertexEnergy
    for Batch<L, N, R, P>
{
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
                    let (e, a) = (corner / N, corner % N);
                    let (x, rest) = (self.x(e, at.x), self.rest(e, at.anchors));
                    let material = self.material(e);
                    let energy = L::energy(x, rest, material);
                    let gradient = L::gradient(x, rest, material);
                    vertex.energy += energy;
                    vertex.size += energy.abs();
                    for (g, x) in gradient.iter().zip(x) {
                        vertex.size += g.norm() * x.norm();
                    }
                    vertex.gradient += gradient[a];
                    vertex.block += L::hessian(x, rest, material, 1.0)[a][a];
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
                    let e = corner / N;
                    let rest = self.rest(e, at.anchors);
                    vertex.energy += L::energy(self.x(e, at.x), rest, self.material(e));
                }
            }
        });
    }
}

impl<L: Law<N, R, P>, const N: usize, const R: usize, const P: usize> ElementStrain
    for Batch<L, N, R, P>
{
    fn worst_strain(&self, at: At<'_>) -> Option<(f64, usize)> {
        let mut worst: Option<(f64, usize)> = None;
        for e in 0..self.len() {
            if let Some(strain) = L::strain(self.x(e, at.x), self.rest(e, at.anchors))
                && worst.is_none_or(|(value, _)| strain.abs() > value.abs())
            {
                worst = Some((strain, e));
            }
        }
        worst
    }

    fn inverted(&self, at: At<'_>) -> usize {
        if !L::INVERTS {
            return 0;
        }
        let inverted = |&e: &usize| L::inverted(self.x(e, at.x), self.rest(e, at.anchors));
        (0..self.len()).filter(inverted).count()
    }

    fn excess(&self, x: &[Vec3], range: [f64; 2]) -> f64 {
        let mut worst = 0.0;
        for e in (0..self.len()).take_while(|_| L::STRETCHES) {
            if let Some((excess, _)) = L::limited(self.x(e, x), self.rest[e], range)
                && excess > worst
            {
                worst = excess;
            }
        }
        worst
    }

    fn limit(&self, x: &mut [Vec3], inertia: Inertia<'_>, range: [f64; 2], backwards: bool) -> f64 {
        let (mut worst, count) = (0.0, if L::STRETCHES { self.len() } else { 0 });
        for k in 0..count {
            let e = if backwards { count - 1 - k } else { k };
            if let Some((excess, shape)) = L::limited(self.x(e, x), self.rest[e], range)
                && excess > 0.0
            {
                worst = if excess > worst { excess } else { worst };
                inertia.settle(self.corners[e], shape, x);
            }
        }
        worst
    }
}

impl<L: Law<N, R, P>, const N: usize, const R: usize, const P: usize> ElementConstraints
    for Batch<L, N, R, P>
{
    fn rigid(&self) -> Option<usize> {
        let any = self.materials.all().iter().any(|&material| L::rigid(material));
        let rigid = |&group: &u32| L::rigid(self.materials.get(group));
        any.then(|| self.group.iter().position(rigid)).flatten()
    }

    fn rows(&self, element: usize, at: At<'_>) -> Vec<RowView> {
        let mut rows = Vec::new();
        let mut out = |row: Row<N>| rows.push((row.value, row.gradient.to_vec(), row.compliance));
        let rest = self.rest(element, at.anchors);
        L::rows(self.x(element, at.x), rest, self.material(element), &mut out);
        rows
    }

    fn constraints(&self, at: At<'_>, rows: &mut ConstraintRows) {
        for (e, corners) in self.corners.iter().enumerate() {
            let mut out = |row: Row<N>| {
                rows.push(row.value, row.compliance, corners, row.gradient.into_iter())
            };
            let rest = self.rest(e, at.anchors);
            L::rows(self.x(e, at.x), rest, self.material(e), &mut out);
        }
    }

    fn geometric(
        &self,
        at: At<'_>,
        multipliers: &[f64],
        keep: f64,
        slots: &[u32],
        matrix: &mut Matrix<Mat3>,
    ) {
        let values = matrix.values_mut();
        let each = multipliers.len().checked_div(self.len()).unwrap_or(0);
        for (e, slots) in slots.chunks_exact(N * N).enumerate() {
            let own = multipliers.get(e * each..(e + 1) * each).unwrap_or_default();
            let (rest, material) = (self.rest(e, at.anchors), self.material(e));
            let blocks = L::geometric(self.x(e, at.x), rest, material, own, keep);
            for (&slot, block) in slots.iter().zip(blocks.iter().flatten()) {
                values[slot as usize] += *block;
            }
        }
    }

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
        let one = |e: usize| unsafe { self.project_one(e, sweep, lambda, slot + N * e) };
        sweep.visit(colors, pool, one)
    }

    fn pull(&self, element: usize, at: At<'_>, lambda: &[f64], each: &mut dyn FnMut(u32, Vec3)) {
        let block = self.block(element, self.x(element, at.x), at.anchors);
        let mut all = [0.0; MOST_ROWS];
        all.iter_mut().zip(lambda).for_each(|(all, lambda)| *all = *lambda);
        for (a, &corner) in self.corners[element].iter().enumerate() {
            each(corner, block.along(a, &all));
        }
    }
}

fn check_values<L: Law<N, R, P>, const N: usize, const R: usize, const P: usize>(
    rest: &[f64; R],
    material: &[f64; P],
) -> Result<(), ModelError> {
    let name = L::NAME;
    if let Some(value) = rest.iter().find(|value| !value.is_finite()) {
        return invalid_element(format!(
            "the rest values of {} must be finite (got {value})",
            a(name)
        ));
    }
    check_material(name, &L::PARAMS, material)?;
    L::check(rest, material)
        .map_err(|sentence| ModelError::InvalidElement { sentence: format!("{name}: {sentence}") })
}
