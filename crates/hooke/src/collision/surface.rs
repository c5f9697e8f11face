//! The surfaces of all deformables of a model: triangles and segments, which feature belongs to which of them, and a
//! tree for each deformable.
//!
//! Each vertex and each edge belongs to one of the primitives it is part of, so that two primitives that come near each
//! other name each pair of features once.

use super::closest_points::{Features, Kind};
use super::tree::{Aabb, Swept, Tree};
use crate::math::Vec3;
use crate::model::{ContactMaterial, Model};
use crate::thread_pool::ThreadPool;
use std::collections::BTreeSet;

/// A triangle or a segment.
#[derive(Clone, Copy, Debug)]
struct Primitive {
    /// Its vertices; a segment has its second one twice.
    vertices: [u32; 3],
    is_segment: bool,
    /// Which of its vertices, and which of its edges (k from vertex k on), belong to it, as bits.
    vertices_owned: u8,
    edges_owned: u8,
}

/// The surface of one deformable.
struct DeformableSurface {
    primitives: Vec<Primitive>,
    tree: Tree,
    material: ContactMaterial,
}

/// The surfaces of a model.
#[derive(Default)]
pub(super) struct Surfaces {
    bodies: Vec<DeformableSurface>,
    /// For each particle its body; [`NONE`] where it is of no surface.
    body: Vec<u32>,
    between: bool,
    /// The mean length (m) of an edge at rest.
    mean_edge: f64,
    /// Pairs of primitives that come near each other.
    near: Vec<[u32; 2]>,
}

const NONE: u32 = u32::MAX;

/// Where a search looks: positions at the start and the end of a motion, and how far each vertex may stray from it (m).
#[derive(Clone, Copy)]
pub(super) struct Sweep<'a> {
    pub(super) start: &'a [Vec3],
    pub(super) end: &'a [Vec3],
    pub(super) margin: &'a [f64],
}

impl Sweep<'_> {
    /// The boxes of vertices with their greatest margin.
    #[inline]
    fn boxes(&self, vertices: &[u32]) -> Swept {
        let margin = vertices.iter().map(|&i| self.margin[i as usize]).fold(0.0, f64::max);
        let [start, end] = [self.start, self.end]
            .map(|x| Aabb::of(vertices.iter().map(|&i| x[i as usize])).grown(margin));
        Swept { start, end }
    }
}

impl Surfaces {
    /// The surfaces of a model.
    pub(super) fn of(model: &Model) -> Self {
        if !model.surfaces_touch() {
            return Self::default();
        }
        let mut surfaces = Self {
            body: vec![NONE; model.particles()],
            between: model.contact_between(),
            ..Self::default()
        };
        let mut lists = vec![Vec::new(); model.deformables().len()];
        let owner = |vertex: u32| {
            let after = model
                .deformables()
                .partition_point(|d| d.particles.indices().start <= vertex as usize);
            let index = after.checked_sub(1)?;
            model.deformables()[index]
                .particles
                .indices()
                .contains(&(vertex as usize))
                .then_some(index)
        };
        let triangles = model.triangles().iter().map(|&vertices| (vertices, false));
        let segments = model.segments().iter().map(|&[a, b]| ([a, b, b], true));
        let mut seen = (BTreeSet::new(), BTreeSet::new());
        for (vertices, is_segment) in triangles.chain(segments) {
            let owners = vertices.map(owner);
            let Some(index) = owners[0].filter(|_| owners[1..].iter().all(|&o| o == owners[0]))
            else {
                continue;
            };
            let mut primitive =
                Primitive { vertices, is_segment, vertices_owned: 0, edges_owned: 0 };
            for k in 0..if is_segment { 2 } else { 3 } {
                surfaces.body[vertices[k] as usize] = index as u32;
                primitive.vertices_owned |= u8::from(seen.0.insert(vertices[k])) << k;
            }
            for k in 0..if is_segment { 1 } else { 3 } {
                let (a, b) = (vertices[k], vertices[(k + 1) % 3]);
                let new = seen.1.insert((a.min(b), a.max(b)));
                primitive.edges_owned |= u8::from(new) << k;
            }
            lists[index].push(primitive);
        }
        let length =
            |&(a, b): &(u32, u32)| (model.rest()[a as usize] - model.rest()[b as usize]).norm();
        let edges = &seen.1;
        surfaces.mean_edge = edges.iter().map(length).sum::<f64>() / edges.len().max(1) as f64;
        let center = |primitive: &Primitive| {
            let [a, b, c] = primitive.vertices.map(|vertex| model.rest()[vertex as usize]);
            (a + b + c) * (1.0 / 3.0)
        };
        surfaces.bodies = lists
            .into_iter()
            .zip(model.deformables())
            .map(|(primitives, deformable)| {
                let centers: Vec<Vec3> = primitives.iter().map(center).collect();
                DeformableSurface {
                    primitives,
                    tree: Tree::new(&centers),
                    material: deformable.contact,
                }
            })
            .collect();
        surfaces
    }

    /// Whether nothing can touch.
    pub(super) fn is_empty(&self) -> bool {
        let alone =
            |body: &DeformableSurface| !body.primitives.is_empty() && body.material.self_contact;
        let with_surface = self.bodies.iter().filter(|body| !body.primitives.is_empty()).count();
        !(self.bodies.iter().any(alone) || self.between && with_surface > 1)
    }

    /// The mean length (m) of an edge at rest.
    pub(super) fn mean_edge(&self) -> f64 {
        self.mean_edge
    }

    /// Whether a particle is of a surface.
    pub(super) fn has(&self, particle: usize) -> bool {
        self.body[particle] != NONE
    }

    /// The thickness (m) of a particle's body.
    pub(super) fn thickness(&self, particle: usize) -> f64 {
        self.bodies.get(self.body[particle] as usize).map_or(0.0, |body| body.material.thickness)
    }

    /// The thickness δ (m), the friction μ, and whether both are of one body, of two features.
    pub(super) fn material(&self, features: &Features) -> (f64, f64, bool) {
        let [a, b] = [0, features.split()].map(|k| self.body[features.vertices[k] as usize]);
        let [a_material, b_material] = [a, b].map(|body| self.bodies[body as usize].material);
        let thickness = 0.5 * (a_material.thickness + b_material.thickness);
        (thickness, (a_material.friction * b_material.friction).sqrt(), a == b)
    }

    /// Calls `each` with all features that may come within their margins of each other in the course of a motion.
    pub(super) fn search(
        &mut self,
        sweep: Sweep<'_>,
        pool: &ThreadPool,
        mut each: impl FnMut(Features),
    ) {
        for DeformableSurface { primitives, tree, .. } in &mut self.bodies {
            tree.refit(|k| sweep.boxes(&primitives[k].vertices), pool);
        }
        let Self { bodies, near, between, .. } = self;
        for (k, body) in bodies.iter().enumerate() {
            near.clear();
            if body.material.self_contact {
                body.tree.self_pairs(pool, near);
                for &[a, b] in &*near {
                    let pair = [a, b].map(|a| &body.primitives[a as usize]);
                    features(pair, &sweep, &mut each);
                }
            }
            for other in bodies[k + 1..].iter().filter(|_| *between) {
                near.clear();
                body.tree.pairs_with(&other.tree, pool, near);
                for &[a, b] in &*near {
                    let pair = [&body.primitives[a as usize], &other.primitives[b as usize]];
                    features(pair, &sweep, &mut each);
                }
            }
        }
    }
}

/// The pairs of features of two primitives.
fn features([a, b]: [&Primitive; 2], sweep: &Sweep<'_>, each: &mut impl FnMut(Features)) {
    let mut meet = |features: Features| {
        let (a, b) = features.vertices.split_at(features.split());
        if !features.is_joined() && sweep.boxes(a).meets(&sweep.boxes(b)) {
            each(features);
        }
    };
    for (one, other) in [(a, b), (b, a)] {
        for k in (0..3).filter(|k| one.vertices_owned >> k & 1 == 1) {
            let ([x, y, z], point) = (other.vertices, one.vertices[k]);
            let kind = if other.is_segment { Kind::PointEdge } else { Kind::PointTriangle };
            meet(Features { kind, vertices: [point, x, y, z] });
        }
    }
    let edges = |of: &Primitive| {
        let of = *of;
        let owned = (0..3).filter(move |k| of.edges_owned >> k & 1 == 1);
        owned.map(move |k| [of.vertices[k], of.vertices[(k + 1) % 3]])
    };
    for [p, q] in edges(a) {
        for [r, s] in edges(b) {
            meet(Features { kind: Kind::EdgeEdge, vertices: [p, q, r, s] });
        }
    }
}
