//! All closed surfaces whose volume has an energy of one law, and the passes over them.
//!
//! `E = f(V)`, `V = Σ det[x_a x_b x_c]/6`. An element is a whole surface and couples all its vertices:
//! `∂²E = f″ ∇V ∇Vᵀ + f′ ∇²V`. The sparse second part goes into the matrix, the first is handed out as the vector ∇V.
//!
//! Positions are taken relative to one vertex: a closed surface has the same volume about every point, and
//! so fewer digits are lost far from the origin.

use super::gather::GatherOf;
use super::law::{Enclosed, LawInfo, enclosed_info};
use super::material_groups::{self, MaterialGroups, check_material};
use super::traits::{
    At, ElementConstraints, ElementEnergy, ElementSprings, ElementStore, ElementStrain,
    ElementView, RowView, VertexEnergy,
};
use crate::error::{ModelError, invalid_element};
use crate::linalg::Matrix;
use crate::math::{Dual, Mat3, Vec3, check_closed, share_of_volume};
use crate::thread_pool::ThreadPool;
use std::marker::PhantomData;

/// The closed surfaces of law `L`.
pub struct EnclosureBatch<L> {
    surfaces: Vec<Surface>,
    /// All triangles, surface after surface.
    triangles: Vec<[u32; 3]>,
    materials: MaterialGroups<1>,
    law: PhantomData<L>,
}

struct Surface {
    /// The vertices, ascending.
    corners: Vec<u32>,
    triangles: Vec<[u32; 3]>,
    /// Where the triangles at each vertex start, and from each the two other vertices in their order.
    starts: Vec<u32>,
    others: Vec<[u32; 2]>,
    rest: f64,
    group: u32,
}

impl Surface {
    fn new(triangles: Vec<[u32; 3]>, rest: f64, group: u32) -> Self {
        let mut corners = triangles.as_flattened().to_vec();
        corners.sort_unstable();
        corners.dedup();
        let mut around = vec![Vec::new(); corners.len()];
        for &[a, b, c] in &triangles {
            for (corner, others) in [(a, [b, c]), (b, [c, a]), (c, [a, b])] {
                around[corners.partition_point(|&known| known < corner)].push(others);
            }
        }
        let mut starts = vec![0];
        let mut others = Vec::with_capacity(3 * triangles.len());
        for around in around {
            others.extend(around);
            starts.push(others.len() as u32);
        }
        Self { corners, triangles, starts, others, rest, group }
    }

    /// The vertex that positions are relative to.
    fn origin(&self, x: &[Vec3]) -> Vec3 {
        x[self.corners[0] as usize]
    }

    /// V (m³).
    fn volume(&self, x: &[Vec3], pool: &ThreadPool) -> f64 {
        let origin = self.origin(x);
        pool.sum(self.triangles.len(), |range| share_of_volume(x, &self.triangles[range], origin))
    }

    /// V (m³) on one thread.
    fn volume_alone(&self, x: &[Vec3]) -> f64 {
        share_of_volume(x, &self.triangles, self.origin(x))
    }

    /// ∂V/∂x (m²) of a vertex by its index in [`Surface::corners`].
    fn slope(&self, vertex: usize, x: &[Vec3], origin: Vec3) -> Vec3 {
        let own = self.starts[vertex] as usize..self.starts[vertex + 1] as usize;
        let mut sum = Vec3::ZERO;
        for others in &self.others[own] {
            let [b, c] = others.map(|corner| x[corner as usize] - origin);
            sum += b.cross(c);
        }
        sum * (1.0 / 6.0)
    }
}

impl<L: Enclosed> EnclosureBatch<L> {
    /// An empty batch.
    pub fn new() -> Self {
        Self {
            surfaces: Vec::new(),
            triangles: Vec::new(),
            materials: MaterialGroups::new(),
            law: PhantomData,
        }
    }

    fn material(&self, surface: &Surface) -> f64 {
        let [value] = self.materials.get(surface.group);
        value
    }

    /// f′ (Pa) and f″ (Pa/m³).
    fn slopes(&self, surface: &Surface, volume: f64) -> [f64; 2] {
        let twice = |value: f64| Dual::constant(Dual::constant(value));
        let variable = Dual { v: Dual::variable(volume), d: Dual::constant(1.0) };
        let f = L::energy(variable, twice(surface.rest), twice(self.material(surface)));
        [f.d.v, f.d.d]
    }
}

impl<L: Enclosed> Default for EnclosureBatch<L> {
    fn default() -> Self {
        Self::new()
    }
}

impl<L: Enclosed> ElementStore for EnclosureBatch<L> {
    fn law(&self) -> LawInfo {
        enclosed_info::<L>()
    }

    fn len(&self) -> usize {
        self.surfaces.len()
    }

    /// The vertices of a surface, each once.
    fn corners(&self, element: usize) -> &[u32] {
        &self.surfaces[element].corners
    }

    /// The corners as they were given: triangles.
    fn view(&self, element: usize) -> ElementView {
        let surface = &self.surfaces[element];
        ElementView {
            corners: surface.triangles.as_flattened().to_vec(),
            rest: vec![surface.rest],
            material: vec![self.material(surface)],
            group: surface.group as usize,
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
        let name = L::NAME;
        let values = material_groups::parse(name, material)?;
        let (triangles, []) = corners.as_chunks::<3>() else {
            return invalid_element(format!(
                "the corners of a {name} are triangles, three by three"
            ));
        };
        check_closed(triangles)
            .map_err(|end| ModelError::InvalidElement { sentence: format!("a {name} {end}") })?;
        check_material(name, &[L::PARAM], material)?;
        let mut surface = Surface::new(triangles.to_vec(), 0.0, 0);
        surface.rest = match rest {
            Some(&[rest]) => rest,
            Some(_) => return invalid_element(format!("a {name} has 1 rest value")),
            None => surface.volume_alone(positions),
        };
        if !(surface.rest > 0.0 && surface.rest.is_finite()) {
            return invalid_element(match rest {
                Some(_) => format!("the rest value of a {name}, V₀, must be finite and > 0"),
                None => format!(
                    "a {name} needs a surface that is not inside out: its triangles must run \
                     counter-clockwise seen from outside"
                ),
            });
        }
        surface.group = self.materials.insert(values);
        self.triangles.extend_from_slice(triangles);
        self.surfaces.push(surface);
        Ok(self.surfaces.len() - 1)
    }

    fn materials(&self) -> Vec<Vec<f64>> {
        self.materials.to_vecs()
    }

    fn set_material(&mut self, group: usize, values: &[f64]) -> Result<(), ModelError> {
        self.materials
            .set(L::NAME, group, values, |values| check_material(L::NAME, &[L::PARAM], values))
    }
}

impl<L: Enclosed> ElementEnergy for EnclosureBatch<L> {
    fn energy(&self, at: At<'_>, pool: &ThreadPool) -> f64 {
        let energy = |surface: &Surface| {
            L::energy(surface.volume(at.x, pool), surface.rest, self.material(surface))
        };
        self.surfaces.iter().map(energy).sum()
    }

    fn gradient(&self, at: At<'_>, gather: &mut GatherOf, out: &mut [Vec3], pool: &ThreadPool) {
        let mut rest = &mut gather.scratch[..];
        for surface in &self.surfaces {
            let [pull, _] = self.slopes(surface, surface.volume(at.x, pool));
            let (own, others) = rest.split_at_mut(surface.corners.len());
            let origin = surface.origin(at.x);
            pool.for_each(own, |first, part| {
                for (vertex, value) in (first..).zip(part) {
                    *value = surface.slope(vertex, at.x, origin) * pull;
                }
            });
            rest = others;
        }
        gather.gather.add(&gather.scratch, out, pool);
    }

    /// `f′ ∇²V`. It has both signs and means something for the whole surface only, so all of it is graded.
    fn hessian(&self, at: At<'_>, keep: f64, slots: &[u32], matrix: &mut Matrix<Mat3>) {
        let values = matrix.values_mut();
        let (mut slots, _) = slots.as_chunks::<9>();
        for surface in &self.surfaces {
            let [pull, _] = self.slopes(surface, surface.volume_alone(at.x));
            let origin = surface.origin(at.x);
            let (own, others) = slots.split_at(surface.triangles.len());
            for (triangle, slots) in surface.triangles.iter().zip(own) {
                let [a, b, c] = triangle.map(|corner| {
                    Mat3::cross(at.x[corner as usize] - origin) * (keep * pull / 6.0)
                });
                let blocks = [
                    (1, c, -1.0),
                    (2, b, 1.0),
                    (3, c, 1.0),
                    (5, a, -1.0),
                    (6, b, -1.0),
                    (7, a, 1.0),
                ];
                for (k, block, sign) in blocks {
                    values[slots[k] as usize] += block * sign;
                }
            }
            slots = others;
        }
    }

    fn couplings(&self) -> usize {
        self.triangles.len()
    }

    fn coupled(&self, index: usize) -> &[u32] {
        &self.triangles[index]
    }

    fn rank_ones(&self) -> usize {
        self.surfaces.len()
    }

    fn rank_one(&self, index: usize, at: At<'_>, out: &mut [Vec3], pool: &ThreadPool) -> f64 {
        let surface = &self.surfaces[index];
        let origin = surface.origin(at.x);
        pool.for_each(out, |first, part| {
            for (vertex, value) in (first..).zip(part) {
                *value = surface.slope(vertex, at.x, origin);
            }
        });
        let [_, curve] = self.slopes(surface, surface.volume(at.x, pool));
        curve
    }
}

impl<L: Enclosed> ElementSprings for EnclosureBatch<L> {}

// Methods that visit vertices or elements in colors refuse whole surfaces.
impl<L: Enclosed> VertexEnergy for EnclosureBatch<L> {}

impl<L: Enclosed> ElementStrain for EnclosureBatch<L> {
    fn inverted(&self, at: At<'_>) -> usize {
        self.surfaces.iter().filter(|surface| surface.volume_alone(at.x) <= 0.0).count()
    }
}

impl<L: Enclosed> ElementConstraints for EnclosureBatch<L> {
    fn rows(&self, element: usize, at: At<'_>) -> Vec<RowView> {
        let surface = &self.surfaces[element];
        let volume = surface.volume_alone(at.x);
        let [value, slope, compliance] = L::row(volume, surface.rest, self.material(surface));
        let origin = surface.origin(at.x);
        let gradient =
            (0..surface.corners.len()).map(|vertex| surface.slope(vertex, at.x, origin) * slope);
        vec![(value, gradient.collect(), compliance)]
    }
}
