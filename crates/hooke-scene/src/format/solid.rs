//! Solids made of tetrahedra: boxes, beams, balls and tori; hollow, they are closed surfaces.

use crate::field::{above, at_least, table};
use hooke::Vec3;

table! {
    /// A box.
    pub struct Cuboid as "box" {
        /// Its lowest corner.
        corner: Vec3, unit "m", or "[-0.5, 0, -0.5]";
        /// Width, height and depth.
        size: [f64; 3], unit "m", within above(0.0), or "[1, 1, 1]";
        /// Cells along x, y and z, each of five tetrahedra; with even numbers it has mirror symmetry.
        cells: [u32; 3], within at_least(1.0), or "[4, 4, 4]";
        /// Whether it is only a surface of triangles.
        hollow: bool, or "false";
    }
}

table! {
    /// A beam: a straight bar of rectangular section.
    pub struct Beam as "beam" {
        /// The center of one end.
        from: Vec3, unit "m", eg "[0, 1, 0]";
        /// The center of the other end.
        to: Vec3, unit "m", eg "[1, 1, 0]";
        /// Width and height of the section.
        section: [f64; 2], unit "m", within above(0.0), eg "[0.1, 0.1]";
        /// The direction of its height.
        up: Vec3, or "[0, 1, 0]";
        /// Cells along it, across it and up, each of five tetrahedra.
        cells: [u32; 3], within at_least(1.0), or "[12, 2, 2]";
        /// Whether it is only a surface of triangles.
        hollow: bool, or "false";
    }
}

table! {
    /// A ball.
    pub struct Ball as "ball" {
        /// Its center.
        center: Vec3, unit "m", or "[0, 0.5, 0]";
        /// Its radius.
        radius: f64, unit "m", within above(0.0), or "0.5";
        /// Layers from the center to the surface: 20·layers³ tetrahedra.
        layers: u32, within at_least(1.0), or "4";
        /// Whether it is only a surface of triangles.
        hollow: bool, or "false";
    }
}

table! {
    /// A torus.
    pub struct Torus as "torus" {
        /// Its center.
        center: Vec3, unit "m", or "[0, 0.2, 0]";
        /// The direction of its axis.
        axis: Vec3, or "[0, 1, 0]";
        /// Distance from its center to the center of the tube.
        radius: f64, unit "m", within above(0.0), or "0.4";
        /// Radius of the tube.
        tube: f64, unit "m", within above(0.0), or "0.15";
        /// Slices around the axis; with an even number it has mirror symmetry.
        slices: u32, within at_least(3.0), or "24";
        /// Layers of the tube, from its center outward: 18·layers² tetrahedra per slice.
        layers: u32, within at_least(1.0), or "2";
        /// Whether it is only a surface of triangles.
        hollow: bool, or "false";
    }
}
