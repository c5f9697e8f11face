//! All elements of one law, and the walks over them.
//!
//! A [`Batch`] is compiled once per law; a method sees it as [`Elements`], one virtual call per
//! walk and none inside a loop.

use super::sweep::{Block, MOST_ROWS, Sweep};
use super::visits::Visits;
use super::{Gather, Inertia, Invalid, Joints, Rows, Vertex, a, invalid};
use crate::laws::{Law, LawInfo, Param, Row, info};
use crate::linalg::Matrix;
use crate::math::{Mat3, Point};
use crate::team::{Disjoint, Team};
use std::collections::HashMap;
use std::marker::PhantomData;

/// Where energies are evaluated.
#[derive(Clone, Copy)]
pub struct At<'a> {
    /// Positions of the particles (m).
    pub x: &'a [Point],
    /// Positions of the places (m).
    pub places: &'a [Point],
}

/// One element as data, for probes and files.
#[derive(Clone, Debug)]
pub struct ElementView {
    /// The particles.
    pub corners: Vec<u32>,
    /// The rest values.
    pub rest: Vec<f64>,
    /// The material values.
    pub material: Vec<f64>,
    /// Which material group.
    pub group: usize,
}

/// A constraint of an element: value, gradient per corner, compliance.
pub type RowView = (f64, Vec<Point>, f64);

/// The elements of one law.
pub trait Elements: Send + Sync {
    /// Their law.
    fn law(&self) -> LawInfo;
    /// How many.
    fn len(&self) -> usize;
    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The particles of an element.
    fn corners(&self, element: usize) -> &[u32];
    /// An element as data.
    fn view(&self, element: usize) -> ElementView;
    /// Adds an element; its index, or what is wrong with it.
    fn push(
        &mut self,
        corners: &[u32],
        rest: Option<&[f64]>,
        material: &[f64],
        place: Option<u32>,
        positions: &[Point],
    ) -> Result<usize, Invalid>;
    /// Removes the elements that refer to a place.
    fn remove_placed(&mut self, place: u32);
    /// The material values of each group.
    fn materials(&self) -> Vec<Vec<f64>>;
    /// Changes the material values of a group.
    fn set_material(&mut self, group: usize, values: &[f64]) -> Result<(), Invalid>;

    /// Σ E (J).
    fn energy(&self, at: At<'_>, team: &Team) -> f64;
    /// Calls `each([i, j], [k, l])` for elements that are springs.
    fn springs(&self, each: &mut dyn FnMut([u32; 2], [f64; 2]));
    /// `out += ∂E/∂x` (N).
    fn gradient(&self, at: At<'_>, gather: &mut GatherOf, out: &mut [Point], team: &Team);
    /// The greatest |strain| and its element.
    fn worst_strain(&self, at: At<'_>) -> Option<(f64, usize)>;
    /// How many elements are turned inside out.
    fn inverted(&self, at: At<'_>) -> usize;
    /// Adds ∂²E/∂x² (N/m) into the slots found by [`Elements::slots`].
    fn hessian(&self, at: At<'_>, keep: f64, slots: &[u32], matrix: &mut Matrix<Mat3>);
    /// The slots of every element's blocks, row by row.
    fn slots(&self, matrix: &Matrix<Mat3>, out: &mut Vec<u32>);
    /// Adds what the elements at each vertex say about it, for the slots from `first` on.
    fn vertices(&self, at: At<'_>, joints: &Joints, first: usize, out: &mut [Vertex], team: &Team);
    /// Adds to each vertex that is `moving` the energy of its elements alone.
    fn vertex_energies(
        &self,
        at: At<'_>,
        joints: &Joints,
        first: usize,
        moving: &[bool],
        out: &mut [Vertex],
        team: &Team,
    );
    /// How many sets of particles [`Elements::hessian`] couples.
    fn couplings(&self) -> usize {
        self.len()
    }
    /// A set of particles that [`Elements::hessian`] couples.
    fn coupled(&self, index: usize) -> &[u32] {
        self.corners(index)
    }
    /// How many parts `c g gᵀ` of ∂²E/∂x² are not in [`Elements::hessian`], for they are dense: one for
    /// each of the first elements.
    fn rank_ones(&self) -> usize {
        0
    }
    /// Writes g for the corners of an element and returns c ≥ 0; `c g gᵀ` in N/m.
    fn rank_one(&self, _element: usize, _at: At<'_>, _out: &mut [Point], _team: &Team) -> f64 {
        0.0
    }
    /// Calls `each(corners, proxy)` with the proxy by rows.
    fn proxies(&self, each: &mut dyn FnMut(&[u32], &[f64]));
    /// The first rigid element, which has rows but no energy.
    fn rigid(&self) -> Option<usize>;
    /// Appends the constraints of all elements, the same number for each.
    fn constraints(&self, at: At<'_>, rows: &mut Rows);
    /// Adds the geometric stiffness `−Σ λ ∂²C/∂x²` (N/m) of all constraints into the slots found by
    /// [`Elements::slots`]; for a law without constraints, ∂²E/∂x².
    fn geometric(
        &self,
        at: At<'_>,
        multipliers: &[f64],
        keep: f64,
        slots: &[u32],
        matrix: &mut Matrix<Mat3>,
    );
    /// How far (in σ) the element stretched or compressed most is outside `[least, most]`.
    fn excess(&self, x: &[Point], range: [f64; 2]) -> f64;
    /// Projects the elements outside `[least, most]`, one after the other. Returns how far outside
    /// the worst of them was when it was met.
    fn limit(&self, x: &mut [Point], inertia: Inertia<'_>, range: [f64; 2], backwards: bool)
    -> f64;
    /// The constraints of an element.
    fn rows(&self, element: usize, at: At<'_>) -> Vec<RowView>;
    /// Projects the rows of all elements in the order of `colours`, with a multiplier per element and
    /// row. An element's rows are solved at once. Returns the sum over corners of `|Σ ∇C Δλ|²`.
    fn project(
        &self,
        colours: &Visits,
        sweep: &Sweep<'_>,
        lambda: &mut [f64],
        slot: usize,
        team: &Team,
    ) -> f64;
    /// Calls `each(corner, Σ ∇C λ)` for the corners of an element, given its multipliers.
    fn pull(&self, element: usize, at: At<'_>, lambda: &[f64], each: &mut dyn FnMut(u32, Point));
}

/// The order in which particles add up corner values, with room for the corner values of one batch.
/// Springs need neither.
#[derive(Default)]
pub struct GatherOf {
    pub(super) gather: Gather,
    pub(super) scratch: Vec<Point>,
}

impl GatherOf {
    /// For the elements of a batch over `particles`.
    pub(crate) fn new(particles: usize, elements: &dyn Elements) -> Self {
        if elements.law().springs {
            return Self::default();
        }
        let owners = (0..elements.len()).flat_map(|e| elements.corners(e).iter().copied());
        let gather = Gather::new(particles, owners.clone());
        Self { gather, scratch: vec![Point::ZERO; owners.count()] }
    }
}

/// The elements of law `L`.
pub struct Batch<L, const N: usize, const R: usize, const P: usize> {
    corners: Vec<[u32; N]>,
    rest: Vec<[f64; R]>,
    group: Vec<u32>,
    /// The place of each element, `NO_PLACE` for none; empty where no element has one.
    places: Vec<u32>,
    materials: Vec<[f64; P]>,
    known: HashMap<[u64; P], u32>,
    law: PhantomData<L>,
}

const NO_PLACE: u32 = u32::MAX;

impl<L: Law<N, R, P>, const N: usize, const R: usize, const P: usize> Batch<L, N, R, P> {
    /// An empty batch.
    pub fn new() -> Self {
        Self {
            corners: Vec::new(),
            rest: Vec::new(),
            group: Vec::new(),
            places: Vec::new(),
            materials: Vec::new(),
            known: HashMap::new(),
            law: PhantomData,
        }
    }

    #[inline]
    fn x(&self, element: usize, x: &[Point]) -> [Point; N] {
        self.corners[element].map(|corner| x[corner as usize])
    }

    #[inline]
    fn rest(&self, element: usize, places: &[Point]) -> [f64; R] {
        let mut rest = self.rest[element];
        if let Some(&place) = self.places.get(element)
            && place != NO_PLACE
        {
            rest[..3].copy_from_slice(&places[place as usize].to_array());
        }
        rest
    }

    #[inline]
    fn material(&self, element: usize) -> [f64; P] {
        self.materials[self.group[element] as usize]
    }

    #[inline]
    fn block(&self, element: usize, x: [Point; N], places: &[Point]) -> Block<N> {
        let mut block = Block::new();
        let rest = self.rest(element, places);
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
            let beads = corners.map(|corner| sweep.beads.read(corner as usize));
            let mut weights = [Point::ZERO; N];
            for a in 0..N {
                weights[a] = beads[a].weights(sweep.fixed[corners[a] as usize]);
            }
            let block = self.block(element, beads.map(|bead| bead.x), sweep.places);
            let step = block.solve(sweep, &weights, |row| lambda.read(first + row));
            let mut forces = [Point::ZERO; N];
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

impl<L: Law<N, R, P>, const N: usize, const R: usize, const P: usize> Elements
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
        place: Option<u32>,
        positions: &[Point],
    ) -> Result<usize, Invalid> {
        let name = L::NAME;
        let (Ok(corners), Ok(material)) =
            (<[u32; N]>::try_from(corners), <[f64; P]>::try_from(material))
        else {
            return invalid(format!("{} has {N} corners and {P} material values", a(name)));
        };
        for (k, corner) in corners.iter().enumerate() {
            if corners[..k].contains(corner) {
                return invalid(format!("{} joins particle {corner} to itself", a(name)));
            }
        }
        let rest = match rest {
            Some(rest) => match <[f64; R]>::try_from(rest) {
                Ok(rest) => rest,
                Err(_) => return invalid(format!("{} has {R} rest values", a(name))),
            },
            None => match L::rest(corners.map(|corner| positions[corner as usize])) {
                Some(rest) => rest,
                None => {
                    return invalid(format!(
                        "the {name} between particles {corners:?} {}",
                        L::unfit(corners.map(|corner| positions[corner as usize]))
                    ));
                }
            },
        };
        check_values::<L, N, R, P>(&rest, &material)?;
        let key = material.map(f64::to_bits);
        let group = *self.known.entry(key).or_insert_with(|| {
            self.materials.push(material);
            (self.materials.len() - 1) as u32
        });
        if place.is_some() || !self.places.is_empty() {
            self.places.resize(self.corners.len(), NO_PLACE);
            self.places.push(place.unwrap_or(NO_PLACE));
        }
        self.corners.push(corners);
        self.rest.push(rest);
        self.group.push(group);
        Ok(self.corners.len() - 1)
    }

    fn remove_placed(&mut self, place: u32) {
        let mut kept = 0;
        for element in 0..self.places.len() {
            if self.places[element] == place {
                continue;
            }
            self.corners[kept] = self.corners[element];
            self.rest[kept] = self.rest[element];
            self.group[kept] = self.group[element];
            self.places[kept] = self.places[element];
            kept += 1;
        }
        if !self.places.is_empty() {
            self.corners.truncate(kept);
            self.rest.truncate(kept);
            self.group.truncate(kept);
            self.places.truncate(kept);
        }
    }

    fn materials(&self) -> Vec<Vec<f64>> {
        self.materials.iter().map(|values| values.to_vec()).collect()
    }

    fn set_material(&mut self, group: usize, values: &[f64]) -> Result<(), Invalid> {
        let name = L::NAME;
        let Ok(values) = <[f64; P]>::try_from(values) else {
            return invalid(format!("{} has {P} material values", a(name)));
        };
        if group >= self.materials.len() {
            return invalid(format!("there is no group {group} of {name}"));
        }
        for (rest, own) in self.rest.iter().zip(&self.group) {
            if *own as usize == group {
                check_values::<L, N, R, P>(rest, &values)?;
            }
        }
        self.known.remove(&self.materials[group].map(f64::to_bits));
        self.materials[group] = values;
        Ok(())
    }

    fn energy(&self, at: At<'_>, team: &Team) -> f64 {
        team.sum(self.len(), |range| {
            range
                .map(|e| L::energy(self.x(e, at.x), self.rest(e, at.places), self.material(e)))
                .sum()
        })
    }

    fn gradient(&self, at: At<'_>, gather: &mut GatherOf, out: &mut [Point], team: &Team) {
        let (values, _) = gather.scratch.as_chunks_mut::<N>();
        team.for_each(values, |first, chunk| {
            for (k, value) in chunk.iter_mut().enumerate() {
                let e = first + k;
                *value = L::gradient(self.x(e, at.x), self.rest(e, at.places), self.material(e));
            }
        });
        gather.gather.add(&gather.scratch, out, team);
    }

    fn springs(&self, each: &mut dyn FnMut([u32; 2], [f64; 2])) {
        for (e, corners) in self.corners.iter().enumerate() {
            if let [i, j] = corners[..] {
                each([i, j], L::spring(self.rest[e], self.material(e)));
            }
        }
    }

    fn worst_strain(&self, at: At<'_>) -> Option<(f64, usize)> {
        let mut worst: Option<(f64, usize)> = None;
        for e in 0..self.len() {
            if let Some(strain) = L::strain(self.x(e, at.x), self.rest(e, at.places))
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
        let inverted = |&e: &usize| L::inverted(self.x(e, at.x), self.rest(e, at.places));
        (0..self.len()).filter(inverted).count()
    }

    fn hessian(&self, at: At<'_>, keep: f64, slots: &[u32], matrix: &mut Matrix<Mat3>) {
        let values = matrix.values_mut();
        for (e, slots) in slots.chunks_exact(N * N).enumerate() {
            let blocks =
                L::hessian(self.x(e, at.x), self.rest(e, at.places), self.material(e), keep);
            for (&slot, block) in slots.iter().zip(blocks.iter().flatten()) {
                values[slot as usize] += *block;
            }
        }
    }

    fn slots(&self, matrix: &Matrix<Mat3>, out: &mut Vec<u32>) {
        for corners in &self.corners {
            for &i in corners {
                out.extend(corners.iter().map(|&j| matrix.pattern().slot(i, j)));
            }
        }
    }

    fn vertices(&self, at: At<'_>, joints: &Joints, first: usize, out: &mut [Vertex], team: &Team) {
        team.for_each(out, |start, part| {
            for (slot, vertex) in (first + start..).zip(part) {
                for corner in joints.at(slot) {
                    let (e, a) = (corner / N, corner % N);
                    let (x, rest) = (self.x(e, at.x), self.rest(e, at.places));
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
        joints: &Joints,
        first: usize,
        moving: &[bool],
        out: &mut [Vertex],
        team: &Team,
    ) {
        team.for_each(out, |start, part| {
            for (k, vertex) in (start..).zip(part).filter(|(k, _)| moving[*k]) {
                for corner in joints.at(first + k) {
                    let e = corner / N;
                    let rest = self.rest(e, at.places);
                    vertex.energy += L::energy(self.x(e, at.x), rest, self.material(e));
                }
            }
        });
    }

    fn proxies(&self, each: &mut dyn FnMut(&[u32], &[f64])) {
        for (e, corners) in self.corners.iter().enumerate() {
            let proxy = L::proxy(self.rest[e], self.material(e));
            each(corners, proxy.as_flattened());
        }
    }

    fn rigid(&self) -> Option<usize> {
        let rigid = |group: &u32| L::rigid(self.materials[*group as usize]);
        if self.materials.iter().any(|&material| L::rigid(material)) {
            return self.group.iter().position(rigid);
        }
        None
    }

    fn constraints(&self, at: At<'_>, rows: &mut Rows) {
        for (e, corners) in self.corners.iter().enumerate() {
            let mut out = |row: Row<N>| {
                rows.push(row.value, row.compliance, corners, row.gradient.into_iter())
            };
            let rest = self.rest(e, at.places);
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
            let (rest, material) = (self.rest(e, at.places), self.material(e));
            let blocks = L::geometric(self.x(e, at.x), rest, material, own, keep);
            for (&slot, block) in slots.iter().zip(blocks.iter().flatten()) {
                values[slot as usize] += *block;
            }
        }
    }

    fn excess(&self, x: &[Point], range: [f64; 2]) -> f64 {
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

    fn limit(
        &self,
        x: &mut [Point],
        inertia: Inertia<'_>,
        range: [f64; 2],
        backwards: bool,
    ) -> f64 {
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

    fn rows(&self, element: usize, at: At<'_>) -> Vec<RowView> {
        let mut rows = Vec::new();
        let mut out = |row: Row<N>| rows.push((row.value, row.gradient.to_vec(), row.compliance));
        let rest = self.rest(element, at.places);
        L::rows(self.x(element, at.x), rest, self.material(element), &mut out);
        rows
    }

    fn project(
        &self,
        colours: &Visits,
        sweep: &Sweep<'_>,
        lambda: &mut [f64],
        slot: usize,
        team: &Team,
    ) -> f64 {
        let lambda = &Disjoint::new(lambda);
        let body = |range: std::ops::Range<usize>| {
            let mut sum = 0.0;
            for &e in &colours.order()[range] {
                let e = e as usize;
                // SAFETY: elements that are visited side by side share no particle where particles
                // move, and every element has its own multipliers and slots.
                sum += unsafe { self.project_one(e, sweep, lambda, slot + N * e) };
            }
            sum
        };
        if sweep.moves() { colours.walk(team, body) } else { colours.together(team, body) }
    }

    fn pull(&self, element: usize, at: At<'_>, lambda: &[f64], each: &mut dyn FnMut(u32, Point)) {
        let block = self.block(element, self.x(element, at.x), at.places);
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
) -> Result<(), Invalid> {
    let name = L::NAME;
    if let Some(value) = rest.iter().find(|value| !value.is_finite()) {
        return invalid(format!("the rest values of {} must be finite (got {value})", a(name)));
    }
    check_material(name, &L::PARAMS, material)?;
    L::check(rest, material).map_err(|sentence| Invalid(format!("{name}: {sentence}")))
}

/// Whether every material value is in its range.
pub(super) fn check_material(
    name: &str,
    params: &[Param],
    material: &[f64],
) -> Result<(), Invalid> {
    for (value, param) in material.iter().zip(params) {
        let [low, high] = param.range;
        if !(low..=high).contains(value) {
            let (field, unit) = (param.name, param.unit);
            return invalid(format!(
                "{field} of {} must be from {low:e} to {high:e} {unit} (got {value})",
                a(name)
            ));
        }
    }
    Ok(())
}
