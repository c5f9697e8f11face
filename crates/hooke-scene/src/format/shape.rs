//! Shapes: what obstacles and rigid bodies look like, one table for both.

use crate::field::{above, between, table};
use crate::files::FileName;
use hooke::Vec3;

table! {
    /// A horizontal floor.
    pub struct Floor as "floor" {
        /// Its height.
        height: f64, unit "m", or "0.0";
    }
}

table! {
    /// Everything behind a plane.
    pub struct HalfSpace as "half-space" {
        /// A point on the plane.
        point: Vec3, unit "m", or "[0, 0, 0]";
        /// The direction out of it.
        normal: Vec3, or "[0, 1, 0]";
    }
}

table! {
    /// A box, or a room.
    pub struct BoxShape as "box as a shape" {
        /// Its center.
        center: Vec3, unit "m", or "[0, 0, 0]";
        /// Width, height and depth.
        size: [f64; 3], unit "m", within above(0.0), eg "[1, 0.2, 1]";
        /// Whether it is a room, as an obstacle: particles stay in it. Its edges are rounded by the
        /// thickness.
        inside_out: bool, or "false";
    }
}

table! {
    /// A ball.
    pub struct Sphere as "sphere" {
        /// Its center.
        center: Vec3, unit "m", or "[0, 0, 0]";
        /// Its radius.
        radius: f64, unit "m", within above(0.0), eg "0.5";
    }
}

table! {
    /// A bar with round ends: between two points, or of a length along its own y axis.
    pub struct Capsule as "capsule" {
        /// The center of one end.
        from: Option<Vec3>, unit "m", eg "[-0.5, 1, 0]";
        /// The center of the other end.
        to: Option<Vec3>, unit "m", eg "[0.5, 1, 0]";
        /// Distance between the centers of the round ends.
        length: Option<f64>, unit "m", within above(0.0), eg "0.2";
        /// Its radius.
        radius: f64, unit "m", within above(0.0), eg "0.05";
        exactly one of [from, length];
    }
}

table! {
    /// The inside of a closed surface of triangles.
    pub struct MeshShape as "mesh as a shape" {
        /// A mesh file, beside the scene: .obj, .ply, .stl, .gltf, .glb, .msh.
        file: FileName, eg "\"jack.obj\"";
        /// Scale relative to the file.
        scale: f64, within between(1e-9, 1e9), or "1.0";
        /// Position of the origin of the file.
        center: Vec3, unit "m", or "[0, 0, 0]";
        /// Whether a rigid body collides by its convex hull, which is fast; otherwise by all its
        /// triangles.
        hull: bool, or "true";
    }
}

table! {
    /// The shape of an obstacle or a rigid body. What has no end is for obstacles: a floor, a
    /// half-space, a room.
    pub struct Shape as "shape" {
        /// A horizontal floor.
        floor: Option<Floor>, eg "{ height = -1.2 }";
        /// Everything behind a plane.
        half_space: Option<HalfSpace>, eg "{ point = [0, 0, 0], normal = [1, 0, 0] }";
        /// A box, or a room.
        r#box: Option<BoxShape>, eg "{ size = [0.6, 0.2, 0.6] }";
        /// A ball.
        sphere: Option<Sphere>, eg "{ radius = 0.3 }";
        /// A bar with round ends.
        capsule: Option<Capsule>, eg "{ length = 0.2, radius = 0.05 }";
        /// The inside of a closed surface.
        mesh: Option<MeshShape>, eg "{ file = \"jack.obj\" }";
        exactly one of [floor, half_space, r#box, sphere, capsule, mesh];
    }
}
