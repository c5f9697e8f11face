//! The shapes of bodies and obstacles as parry knows them, and where two of them touch.
//!
//! Contacts depend on nothing but how one shape is seen from the other, so that a restored run finds the same ones.

use super::{Pose, RigidBody};
use crate::math::{Quat, Vec3};
use crate::model::{ClosedMesh, Frame, ModelError, Obstacle, Shape, invalid_shape};
use parry3d_f64::bounding_volume::Aabb;
use parry3d_f64::math::{Pose as Isometry, Rotation, Vector};
use parry3d_f64::query::{
    ContactManifold, ContactManifoldsWorkspace, DefaultQueryDispatcher, PersistentQueryDispatcher,
};
use parry3d_f64::shape::{ConvexPolyhedron, HalfSpace, Shape as Parry, SharedShape, TriMesh};
use std::sync::Arc;

/// A shape that touches others.
pub(super) enum Geometry {
    Convex(Shape, SharedShape),
    Hull(ConvexPolyhedron),
    Mesh(Arc<ClosedMesh>, TriMesh),
    HalfSpace(HalfSpace),
}

/// A point where two shapes touch or soon will.
#[derive(Clone, Copy, Debug)]
pub(super) struct Touch {
    /// In the middle between the two surfaces (m), as each of the two sees it.
    pub(super) points: [Vec3; 2],
    /// The gap between the surfaces (m), negative where they overlap.
    pub(super) gap: f64,
    /// Which features touch.
    pub(super) feature: u64,
}

/// Touches that share a direction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patch {
    /// The direction in which the first leaves the second, as the first sees it.
    pub(super) normal: Vec3,
    /// How many touches there are.
    pub(super) count: u32,
}

/// The workspace of a contact query.
#[derive(Default)]
pub(super) struct CollisionQuery {
    manifolds: Vec<ContactManifold<(), ()>>,
    /// What the last query found: touches, patch by patch.
    pub(super) touches: Vec<Touch>,
    pub(super) patches: Vec<Patch>,
}

impl Geometry {
    /// Of a body.
    pub(super) fn of_body(body: &RigidBody) -> Result<Self, ModelError> {
        Ok(match &body.shape {
            Shape::Mesh(mesh) if body.hull => {
                let points: Vec<Vector> = mesh.vertices().iter().map(|&x| vector(x)).collect();
                match ConvexPolyhedron::from_convex_hull(&points) {
                    Some(hull) => Self::Hull(hull),
                    None => return invalid_shape("a body is too flat for a convex hull"),
                }
            }
            shape => match Self::of_shape(shape) {
                Some(geometry) => geometry,
                None => return invalid_shape("a body needs a shape with an end"),
            },
        })
    }

    /// Of an obstacle: a room is six half-spaces, all others one shape, each with its pose in the obstacle.
    pub(super) fn of_obstacle(obstacle: &Obstacle) -> Vec<(Self, Pose)> {
        let Shape::Box { half, inside_out: true } = obstacle.shape else {
            let shape = Self::of_shape(&obstacle.shape);
            return shape.map(|shape| (shape, Pose::default())).into_iter().collect();
        };
        let wall = |axis: usize, side: f64| {
            let out = Vec3::AXES[axis] * -side;
            let rotation = Quat::between(Vec3::AXES[1], out);
            let position = Vec3::AXES[axis] * (side * half[axis]);
            (Self::HalfSpace(HalfSpace::new(Vector::Y)), Pose { position, rotation })
        };
        (0..3).flat_map(|axis| [wall(axis, -1.0), wall(axis, 1.0)]).collect()
    }

    fn of_shape(shape: &Shape) -> Option<Self> {
        Some(match shape {
            Shape::HalfSpace => Self::HalfSpace(HalfSpace::new(Vector::Y)),
            Shape::Box { inside_out: true, .. } => return None,
            Shape::Box { half, inside_out: false } => {
                Self::Convex(shape.clone(), SharedShape::cuboid(half.x, half.y, half.z))
            }
            Shape::Sphere { radius } => Self::Convex(shape.clone(), SharedShape::ball(*radius)),
            Shape::Capsule { radius, half_length } => {
                Self::Convex(shape.clone(), SharedShape::capsule_y(*half_length, *radius))
            }
            Shape::Mesh(mesh) => {
                let points = mesh.vertices().iter().map(|&x| vector(x)).collect();
                Self::Mesh(mesh.clone(), TriMesh::new(points, mesh.triangles().to_vec()).ok()?)
            }
        })
    }

    fn parry(&self) -> &dyn Parry {
        match self {
            Self::Convex(_, shape) => &**shape,
            Self::Hull(shape) => shape,
            Self::Mesh(_, shape) => shape,
            Self::HalfSpace(shape) => shape,
        }
    }

    /// Whether it goes on without end.
    pub(super) fn endless(&self) -> bool {
        matches!(self, Self::HalfSpace(_))
    }

    /// The box around it (m), wider by a margin.
    pub(super) fn around(&self, at: &Pose, margin: f64) -> Aabb {
        let mut around = self.parry().compute_aabb(&pose(at));
        around.mins -= Vector::splat(margin);
        around.maxs += Vector::splat(margin);
        around
    }

    /// The signed distance (m) from a point in its own axes, and its gradient.
    fn distance(&self, x: Vec3) -> (f64, Vec3) {
        match self {
            Self::Mesh(mesh, _) => Shape::Mesh(mesh.clone()).distance(x, 0.0),
            Self::HalfSpace(_) => Shape::HalfSpace.distance(x, 0.0),
            Self::Convex(shape, _) => shape.distance(x, 0.0),
            Self::Hull(_) => (f64::INFINITY, Vec3::AXES[1]),
        }
    }
}

impl CollisionQuery {
    /// Finds where `a` and `b`, which is seen from it at `at`, touch or are nearer than `margin` (m).
    pub(super) fn find(&mut self, a: &Geometry, b: &Geometry, at: &Pose, margin: f64) {
        self.touches.clear();
        self.patches.clear();
        match (a, b) {
            // What parry has no contacts for: the vertices of each in the other.
            (Geometry::Mesh(mesh, _), Geometry::HalfSpace(_) | Geometry::Mesh(..)) => {
                let own = Pose::default();
                self.vertices_in((mesh, &own), (b, at), at, margin, 1.0);
                if let Geometry::Mesh(other, _) = b {
                    self.vertices_in((other, at), (a, &own), at, margin, -1.0);
                }
            }
            (Geometry::HalfSpace(_), Geometry::Mesh(mesh, _)) => {
                self.vertices_in((mesh, at), (a, &Pose::default()), at, margin, -1.0);
            }
            _ => self.query_parry(a, b, at, margin),
        }
    }

    fn query_parry(&mut self, a: &Geometry, b: &Geometry, at: &Pose, margin: f64) {
        let whole = matches!(a, Geometry::Mesh(..)) || matches!(b, Geometry::Mesh(..));
        if whole {
            self.manifolds.clear();
        }
        // Nothing of the last query may be found again.
        for manifold in &mut self.manifolds {
            manifold.points.clear();
            manifold.local_n1 = Vector::ZERO;
            manifold.local_n2 = Vector::ZERO;
        }
        let mut workspace: Option<ContactManifoldsWorkspace> = None;
        let pose = pose(at);
        let result = DefaultQueryDispatcher.contact_manifolds(
            &pose,
            a.parry(),
            b.parry(),
            margin,
            &mut self.manifolds,
            &mut workspace,
        );
        if result.is_err() {
            return;
        }
        for manifold in self.manifolds.iter().filter(|manifold| !manifold.points.is_empty()) {
            let own = |sub: Option<&Isometry>, x: Vector| sub.map_or(x, |sub| *sub * x);
            let normal = match manifold.subshape_pos1() {
                Some(sub) => sub.rotation * manifold.local_n1,
                None => manifold.local_n1,
            };
            let mut count = 0;
            for found in manifold.points.iter().filter(|found| found.dist <= margin) {
                let on_a = own(manifold.subshape_pos1(), found.local_p1);
                let on_b = pose * own(manifold.subshape_pos2(), found.local_p2);
                let middle = point((on_a + on_b) * 0.5);
                let sub = u64::from(manifold.subshape1 ^ manifold.subshape2.rotate_left(16));
                let features = u64::from(found.fid1.0) << 32 | u64::from(found.fid2.0);
                let feature = features ^ sub.wrapping_mul(0x9e37_79b9_7f4a_7c15);
                let points = [middle, at.local(middle)];
                self.touches.push(Touch { points, gap: found.dist, feature });
                count += 1;
            }
            if count > 0 {
                self.patches.push(Patch { normal: -point(normal), count });
            }
        }
    }

    /// The vertices of a mesh that are in or near another shape; `side` is −1 where the mesh is the second, which is
    /// `at`.
    fn vertices_in(
        &mut self,
        (mesh, own): (&ClosedMesh, &Pose),
        (other, of): (&Geometry, &Pose),
        at: &Pose,
        margin: f64,
        side: f64,
    ) {
        let frame = of.frame();
        for (index, &vertex) in mesh.vertices().iter().enumerate() {
            let x = own.world(vertex);
            let (gap, out) = other.distance(frame.local(x));
            if gap > margin {
                continue;
            }
            let out = frame.rotation * out;
            let middle = x - out * (0.5 * gap);
            let feature = (index as u64) << 1 | u64::from(side < 0.0);
            self.touches.push(Touch { points: [middle, at.local(middle)], gap, feature });
            self.patches.push(Patch { normal: out * side, count: 1 });
        }
    }
}

/// The pose of an obstacle's part in the world.
pub(super) fn part_of(frame: &Frame, part: &Pose) -> Pose {
    let rotation = Quat::of_matrix(&frame.rotation);
    Pose { position: frame.world(part.position), rotation: rotation * part.rotation }
}

fn pose(at: &Pose) -> Isometry {
    let Quat { w, v } = at.rotation;
    Isometry::from_parts(vector(at.position), Rotation::from_xyzw(v.x, v.y, v.z, w))
}

fn vector(x: Vec3) -> Vector {
    Vector::new(x.x, x.y, x.z)
}

fn point(x: Vector) -> Vec3 {
    Vec3::new(x.x, x.y, x.z)
}
