//! All closed surfaces whose volume has an energy of one law, and the walks over them.
//!
//! `E = f(V)`, `V = Σ det[x_a x_b x_c]/6`. An element is a whole surface and couples all its vertices:
//! `∂²E = f″ ∇V ∇Vᵀ + f′ ∇²V`. The sparse second part goes into the matrix, the first is handed out as the vector ∇V.
//!
//! Positions are taken relative to one vertex: a closed surface has the same volume about every point, and
//! so fewer digits are lost far from the origin.

use super::batch::{At, ElementView, Elements, GatherOf, RowView, check_material};
use super::surface::share_of_volume;
use super::{Inertia, Invalid, Joints, Rows, Sweep, Vertex, Visits, invalid};
use crate::laws::{Enclosed, LawInfo, enclosed_info};
use crate::linalg::Matrix;
use crate::math::{Dual, Mat3, Point};
use crate::team::Team;
use std::collections::{BTreeMap, HashMap};
use std::marker::PhantomData;

/// The closed surfaces of law `L`.
pub struct EnclosureBatch<L> {
    surfaces: Vec<Surface>,
    /// All triangles, surface after surface.
    triangles: Vec<[u32; 3]>,
    materials: Vec<f64>,
    known: HashMap<u64, u32>,
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
    fn origin(&self, x: &[Point]) -> Point {
        x[self.corners[0] as usize]
    }

    /// V (m³).
    fn volume(&self, x: &[Point], team: &Team) -> f64 {
        let origin = self.origin(x);
        team.sum(self.triangles.len(), |range| share_of_volume(x, &self.triangles[range], origin))
    }

    /// V (m³), where there is no team.
    fn volume_alone(&self, x: &[Point]) -> f64 {
        share_of_volume(x, &self.triangles, self.origin(x))
    }

    /// ∂V/∂x (m²) of the vertex in a place of [`Surface::corners`].
    fn slope(&self, place: usize, x: &[Point], origin: Point) -> Point {
        let own = self.starts[place] as usize..self.starts[place + 1] as usize;
        let mut sum = Point::ZERO;
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
            materials: Vec::new(),
            known: HashMap::new(),
            law: PhantomData,
        }
    }

    fn material(&self, surface: &Surface) -> f64 {
        self.materials[surface.group as usize]
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

impl<L: Enclosed> Elements for EnclosureBatch<L> {
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
        positions: &[Point],
    ) -> Result<usize, Invalid> {
        let name = L::NAME;
        let &[value] = material else {
            return invalid(format!("a {name} has 1 material value"));
        };
        let (triangles, []) = corners.as_chunks::<3>() else {
            return invalid(format!("the corners of a {name} are triangles, three by three"));
        };
        check_closed(triangles).map_err(|Invalid(end)| Invalid(format!("a {name} {end}")))?;
        check_material(name, &[L::PARAM], material)?;
        let mut surface = Surface::new(triangles.to_vec(), 0.0, 0);
        surface.rest = match rest {
            Some(&[rest]) => rest,
            Some(_) => return invalid(format!("a {name} has 1 rest value")),
            None => surface.volume_alone(positions),
        };
        if !(surface.rest > 0.0 && surface.rest.is_finite()) {
            return invalid(match rest {
                Some(_) => format!("the rest value of a {name}, V₀, must be finite and > 0"),
                None => format!(
                    "a {name} needs a surface that is not inside out: its triangles must run \
                     counter-clockwise seen from outside"
                ),
            });
        }
        surface.group = *self.known.entry(value.to_bits()).or_insert_with(|| {
            self.materials.push(value);
            (self.materials.len() - 1) as u32
        });
        self.triangles.extend_from_slice(triangles);
        self.surfaces.push(surface);
        Ok(self.surfaces.len() - 1)
    }

    // Surfaces refer to no place.
    fn remove_placed(&mut self, _: u32) {}

    fn materials(&self) -> Vec<Vec<f64>> {
        self.materials.iter().map(|&value| vec![value]).collect()
    }

    fn set_material(&mut self, group: usize, values: &[f64]) -> Result<(), Invalid> {
        let name = L::NAME;
        let &[value] = values else {
            return invalid(format!("a {name} has 1 material value"));
        };
        if group >= self.materials.len() {
            return invalid(format!("there is no group {group} of {name}"));
        }
        check_material(name, &[L::PARAM], values)?;
        self.known.remove(&self.materials[group].to_bits());
        self.materials[group] = value;
        Ok(())
    }

    fn energy(&self, at: At<'_>, team: &Team) -> f64 {
        let energy = |surface: &Surface| {
            L::energy(surface.volume(at.x, team), surface.rest, self.material(surface))
        };
        self.surfaces.iter().map(energy).sum()
    }

    fn springs(&self, _: &mut dyn FnMut([u32; 2], [f64; 2])) {}

    fn gradient(&self, at: At<'_>, gather: &mut GatherOf, out: &mut [Point], team: &Team) {
        let mut rest = &mut gather.scratch[..];
        for surface in &self.surfaces {
            let [pull, _] = self.slopes(surface, surface.volume(at.x, team));
            let (own, others) = rest.split_at_mut(surface.corners.len());
            let origin = surface.origin(at.x);
            team.for_each(own, |first, part| {
                for (place, value) in (first..).zip(part) {
                    *value = surface.slope(place, at.x, origin) * pull;
                }
            });
            rest = others;
        }
        gather.gather.add(&gather.scratch, out, team);
    }

    fn worst_strain(&self, _: At<'_>) -> Option<(f64, usize)> {
        None
    }

    fn inverted(&self, at: At<'_>) -> usize {
        self.surfaces.iter().filter(|surface| surface.volume_alone(at.x) <= 0.0).count()
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

    fn slots(&self, matrix: &Matrix<Mat3>, out: &mut Vec<u32>) {
        for triangle in &self.triangles {
            for &i in triangle {
                out.extend(triangle.map(|j| matrix.pattern().slot(i, j)));
            }
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

    fn rank_one(&self, index: usize, at: At<'_>, out: &mut [Point], team: &Team) -> f64 {
        let surface = &self.surfaces[index];
        let origin = surface.origin(at.x);
        team.for_each(out, |first, part| {
            for (place, value) in (first..).zip(part) {
                *value = surface.slope(place, at.x, origin);
            }
        });
        let [_, curve] = self.slopes(surface, surface.volume(at.x, team));
        curve
    }

    // What is no rank-one part has no definite sign and changes with the positions.
    fn proxies(&self, _: &mut dyn FnMut(&[u32], &[f64])) {}

    fn rows(&self, element: usize, at: At<'_>) -> Vec<RowView> {
        let surface = &self.surfaces[element];
        let volume = surface.volume_alone(at.x);
        let [value, slope, compliance] = L::row(volume, surface.rest, self.material(surface));
        let origin = surface.origin(at.x);
        let gradient =
            (0..surface.corners.len()).map(|place| surface.slope(place, at.x, origin) * slope);
        vec![(value, gradient.collect(), compliance)]
    }

    fn rigid(&self) -> Option<usize> {
        None
    }

    // One row over all vertices: what visits vertices or elements in colours refuses these.
    fn vertices(&self, _: At<'_>, _: &Joints, _: usize, _: &mut [Vertex], _: &Team) {}

    fn vertex_energies(
        &self,
        _: At<'_>,
        _: &Joints,
        _: usize,
        _: &[bool],
        _: &mut [Vertex],
        _: &Team,
    ) {
    }

    fn constraints(&self, _: At<'_>, _: &mut Rows) {}

    fn geometric(
        &self,
        at: At<'_>,
        _: &[f64],
        keep: f64,
        slots: &[u32],
        matrix: &mut Matrix<Mat3>,
    ) {
        self.hessian(at, keep, slots, matrix);
    }

    fn project(&self, _: &Visits, _: &Sweep<'_>, _: &mut [f64], _: usize, _: &Team) -> f64 {
        0.0
    }

    fn pull(&self, _: usize, _: At<'_>, _: &[f64], _: &mut dyn FnMut(u32, Point)) {}

    // A volume has no stretch.
    fn excess(&self, _: &[Point], _: [f64; 2]) -> f64 {
        0.0
    }

    fn limit(&self, _: &mut [Point], _: Inertia<'_>, _: [f64; 2], _: bool) -> f64 {
        0.0
    }
}

/// Whether triangles close: along every edge as many run one way as the other. The end of a sentence
/// where they do not.
pub(crate) fn check_closed(triangles: &[[u32; 3]]) -> Result<(), Invalid> {
    let mut edges: BTreeMap<[u32; 2], i32> = BTreeMap::new();
    for &[a, b, c] in triangles {
        if a == b || b == c || c == a {
            return invalid(format!("has a triangle {:?} that names a vertex twice", [a, b, c]));
        }
        for [i, j] in [[a, b], [b, c], [c, a]] {
            *edges.entry([i.min(j), i.max(j)]).or_default() += if i < j { 1 } else { -1 };
        }
    }
    if edges.is_empty() {
        return invalid("needs triangles");
    }
    match edges.into_iter().find(|(_, balance)| *balance != 0) {
        None => Ok(()),
        Some(([i, j], _)) => invalid(format!(
            "needs a closed surface, all triangles turned alike; along the edge between vertices {i} and {j} \
             they do not close"
        )),
    }
}
