//! Named groups of vertices, chosen on the rest shape.

use super::Vertices;
use crate::field::{Bounds, Kind, Value, at_least, mismatch, table};
use crate::problem::Sink;
use crate::source::Node;
use hooke::Vec3;

table! {
    /// The vertices near a plane.
    pub struct Plane as "plane" {
        /// A point on it.
        point: Vec3, unit "m", eg "[0, 0, 0]";
        /// Its direction.
        normal: Vec3, eg "[0, 1, 0]";
        /// Distance from it, on either side.
        within: f64, unit "m", within at_least(0.0), or "1e-6";
    }
}

/// The vertices on the border of the triangles; written `true`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Border;

impl Value for Border {
    fn kind(_: Bounds) -> Kind {
        Kind::Form("true")
    }

    fn read(node: &Node<'_>, bounds: Bounds, sink: &mut Sink) -> Option<Self> {
        match node.get_ref().as_bool() {
            Some(true) => Some(Self),
            _ => mismatch::<Self>(node, bounds, sink),
        }
    }
}

table! {
    /// A group of vertices, chosen on the rest shape.
    pub struct Group as "group" {
        /// Near a plane.
        plane: Option<Plane>, eg "{ point = [0, 0, 0], normal = [0, 1, 0] }";
        /// Inside a box, from its lowest to its highest corner.
        r#box: Option<[Vec3; 2]>, unit "m", eg "[[-1, -1, -1], [0, 1, 1]]";
        /// On the border of the triangles.
        border: Option<Border>, eg "true";
        /// By number.
        vertices: Option<Vertices>, eg "[0, 19]";
        /// The nearest vertex to each of these points.
        nearest: Option<Vec<Vec3>>, unit "m", eg "[[-0.5, 0, 0], [0.5, 0, 0]]";
        exactly one of [plane, r#box, border, vertices, nearest];
    }
}
