//! A closed triangle mesh with its signed distance.
//!
//! The nearest point of the surface comes from parry's hierarchy of boxes. Which side of it a point is
//! on follows from the normal of the face, or at an edge or a corner from the mean of the normals
//! around it, weighted by their angles (Bærentzen & Aanæs 2005, *Signed Distance Computation Using
//! the Angle Weighted Pseudonormal*). Those are computed here, so that they have the same bits on
//! every machine.

use crate::math::{Vec3, check_closed, is_flat_triangle, share_of_volume};
use crate::model::{ModelError, invalid_shape};
use parry3d_f64::math::Vector;
use parry3d_f64::query::{PointQueryWithLocation, Ray, RayCast};
use parry3d_f64::shape::{TriMesh, TrianglePointLocation};
use std::collections::BTreeMap;
use std::fmt;

/// How far from the box around a mesh its distance is still computed, relative to its reach.
const NEARBY: f64 = 0.1;

/// A closed surface of triangles that run counter-clockwise seen from outside.
pub struct ClosedMesh {
    vertices: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    surface: TriMesh,
    /// Of every triangle: its unit normal.
    faces: Vec<Vec3>,
    /// Of every triangle: the mean normals of the edges from its first, second and third corner on.
    edges: Vec<[Vec3; 3]>,
    /// The mean normal at every vertex.
    corners: Vec<Vec3>,
    thinnest: f64,
    reach: f64,
    /// The corners of the box around it.
    low: Vec3,
    high: Vec3,
}

impl ClosedMesh {
    /// From vertices (m) and triangles. The sentence for a surface that is not closed starts with
    /// "an obstacle".
    pub fn new(vertices: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Result<Self, ModelError> {
        check_closed(&triangles)
            .map_err(|end| ModelError::InvalidShape { sentence: format!("an obstacle {end}") })?;
        let count = vertices.len();
        if let Some(corner) = triangles.as_flattened().iter().find(|i| **i as usize >= count) {
            return invalid_shape(format!(
                "a triangle refers to vertex {corner}, but the mesh has {count} vertices"
            ));
        }
        let reach = vertices.iter().map(|x| x.norm()).fold(0.0, f64::max);
        if !vertices.iter().all(|x| x.is_finite()) || reach > 1e100 {
            return invalid_shape(
                "the vertices of an obstacle must be finite, and not far beyond reason",
            );
        }
        let at = |triangle: [u32; 3]| triangle.map(|corner| vertices[corner as usize]);
        if let Some(flat) = triangles.iter().position(|&triangle| is_flat_triangle(at(triangle))) {
            return invalid_shape(format!(
                "triangle {flat} {:?} of an obstacle has no area",
                triangles[flat]
            ));
        }
        let volume = share_of_volume(&vertices, &triangles, vertices[triangles[0][0] as usize]);
        if volume <= 0.0 {
            return invalid_shape(
                "an obstacle needs a surface that is not inside out: its triangles must run \
                 counter-clockwise seen from outside",
            );
        }
        let faces: Vec<Vec3> = triangles
            .iter()
            .map(|&triangle| {
                let [a, b, c] = at(triangle);
                (b - a).unit().cross((c - a).unit()).unit()
            })
            .collect();
        let mut corners = vec![Vec3::ZERO; count];
        let mut across: BTreeMap<[u32; 2], Vec3> = BTreeMap::new();
        let edges_of =
            |[a, b, c]: [u32; 3]| [[a, b], [b, c], [c, a]].map(|[i, j]| [i.min(j), i.max(j)]);
        for (&triangle, &normal) in triangles.iter().zip(&faces) {
            for edge in edges_of(triangle) {
                *across.entry(edge).or_default() += normal;
            }
            for k in 0..3 {
                let [x, y, z] = [0, 1, 2].map(|step| vertices[triangle[(k + step) % 3] as usize]);
                let (to, from) = (y - x, z - x);
                let angle = libm::atan2(to.cross(from).norm(), to.dot(from));
                corners[triangle[k] as usize] += normal * angle;
            }
        }
        let edges = triangles
            .iter()
            .map(|&triangle| edges_of(triangle).map(|edge| across[&edge].unit()))
            .collect();
        corners.iter_mut().for_each(|normal| *normal = normal.unit());
        let points = vertices.iter().map(|&x| vector(x)).collect();
        let Ok(surface) = TriMesh::new(points, triangles.clone()) else {
            return invalid_shape("an obstacle needs triangles");
        };
        let extreme = |pick: fn(f64, f64) -> f64| {
            let first = vertices[triangles[0][0] as usize];
            triangles
                .as_flattened()
                .iter()
                .map(|&corner| vertices[corner as usize])
                .fold(first, |a, b| Vec3::new(pick(a.x, b.x), pick(a.y, b.y), pick(a.z, b.z)))
        };
        let (low, high) = (extreme(f64::min), extreme(f64::max));
        let mut mesh = Self {
            vertices,
            triangles,
            surface,
            faces,
            edges,
            corners,
            thinnest: 0.0,
            reach,
            low,
            high,
        };
        mesh.thinnest = mesh.measure_thinnest();
        Ok(mesh)
    }

    /// The vertices (m).
    pub fn vertices(&self) -> &[Vec3] {
        &self.vertices
    }

    /// The triangles.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// The signed distance (m), negative inside, and its gradient.
    pub(super) fn distance(&self, x: Vec3) -> (f64, Vec3) {
        let far = f64::MAX;
        let nearest =
            self.surface.project_local_point_and_get_location_with_max_dist(vector(x), false, far);
        // Beyond what squares of numbers hold, the mesh is a point.
        let Some((projection, (triangle, location))) = nearest else {
            return (f64::INFINITY, Vec3::AXES[1]);
        };
        let triangle = triangle as usize;
        let normal = match location {
            TrianglePointLocation::OnFace(..) | TrianglePointLocation::OnSolid => {
                let normal = self.faces[triangle];
                let corner = self.vertices[self.triangles[triangle][0] as usize];
                return ((x - corner).dot(normal), normal);
            }
            TrianglePointLocation::OnEdge(edge, _) => self.edges[triangle][edge as usize],
            TrianglePointLocation::OnVertex(corner) => {
                self.corners[self.triangles[triangle][corner as usize] as usize]
            }
        };
        let arm = x - point(projection.point);
        let distance = arm.norm();
        // On the surface the direction to it is undefined.
        if distance <= 1e-12 * self.reach {
            return (0.0, normal);
        }
        let sign = if arm.dot(normal) < 0.0 { -1.0 } else { 1.0 };
        (sign * distance, arm * (sign / distance))
    }

    /// A distance (m) that is not above the signed one: exact nearby, to the box around it elsewhere.
    pub(super) fn at_least(&self, x: Vec3) -> f64 {
        let beyond = |x: f64, low: f64, high: f64| (low - x).max(x - high).max(0.0);
        let [low, high] = [self.low, self.high];
        let to_box = Vec3::new(
            beyond(x.x, low.x, high.x),
            beyond(x.y, low.y, high.y),
            beyond(x.z, low.z, high.z),
        )
        .norm();
        if to_box > NEARBY * self.reach { to_box } else { self.distance(x).0 }
    }

    /// The shortest distance (m) through it from the middle of a triangle.
    pub(super) fn thinnest(&self) -> f64 {
        self.thinnest
    }

    /// How far it reaches from the origin (m).
    pub(super) fn reach(&self) -> f64 {
        self.reach
    }

    fn measure_thinnest(&self) -> f64 {
        let skin = 1e-9 * self.reach;
        let mut thinnest = 2.0 * self.reach;
        for (triangle, &normal) in self.triangles.iter().zip(&self.faces) {
            let [a, b, c] = triangle.map(|corner| self.vertices[corner as usize]);
            let middle = (a + b + c) * (1.0 / 3.0) - normal * skin;
            let ray = Ray::new(vector(middle), vector(normal * -1.0));
            if let Some(distance) = self.surface.cast_local_ray(&ray, thinnest, false) {
                thinnest = thinnest.min(distance + skin);
            }
        }
        thinnest
    }
}

impl fmt::Debug for ClosedMesh {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ClosedMesh({} triangles)", self.triangles.len())
    }
}

fn vector(x: Vec3) -> Vector {
    Vector::new(x.x, x.y, x.z)
}

fn point(x: Vector) -> Vec3 {
    Vec3::new(x.x, x.y, x.z)
}
