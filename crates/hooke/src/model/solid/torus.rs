//! The torus: a disk of triangles, carried around an axis; every prism is cut into three
//! tetrahedra.
//!
//! The cuts of neighboring slices are mirror images, so that with an even number of slices no way
//! around is softer than the other.

use super::{ModelError, Solid, check_counts, invalid_shape};
use crate::math::Vec3;
use std::f64::consts::TAU;

/// A solid torus.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Torus {
    /// Its middle (m).
    pub center: Vec3,
    /// The direction of its axis.
    pub axis: Vec3,
    /// From its middle to the middle of the tube (m).
    pub radius: f64,
    /// The radius of the tube (m).
    pub tube: f64,
    /// Slices around the axis.
    pub slices: u32,
    /// Layers of the tube around its middle.
    pub layers: u32,
}

impl Torus {
    /// How many vertices it has.
    pub fn vertices(&self) -> u128 {
        let n = u128::from(self.layers);
        u128::from(self.slices) * (1 + 3 * n * (n + 1))
    }

    /// The mesh. Vertices run slice by slice, from the middle of the tube outwards.
    pub fn mesh(&self) -> Result<Solid, ModelError> {
        let counts = [("slices", self.slices, 3), ("layer", self.layers, 1)];
        check_counts("torus", &counts, self.vertices())?;
        let fits = self.tube > 0.0 && self.radius > self.tube && self.radius.is_finite();
        if !fits {
            return invalid_shape(format!(
                "the tube of a torus must be thinner than its radius, and both > 0 (got {} and {})",
                self.tube, self.radius
            ));
        }
        let axis = self.axis.unit();
        if axis == Vec3::ZERO || !axis.is_finite() {
            return invalid_shape("the axis of a torus must not be zero");
        }
        let aside = if axis.x.abs() < 0.9 { Vec3::AXES[0] } else { Vec3::AXES[2] };
        let first = (aside - axis * axis.dot(aside)).unit();
        let second = axis.cross(first);

        let mut solid = Solid::default();
        let disk = disk(self.layers);
        for slice in 0..self.slices {
            let (sin, cos) = libm::sincos(TAU * f64::from(slice) / f64::from(self.slices));
            let outward = first * cos + second * sin;
            for [out, up] in &disk.positions {
                let arm = outward * (self.radius + out * self.tube) + axis * (up * self.tube);
                solid.positions.push(self.center + arm);
            }
        }
        let count = disk.positions.len() as u32;
        for slice in 0..self.slices {
            let next = (slice + 1) % self.slices;
            let [near, far] = if slice % 2 == 0 { [slice, next] } else { [next, slice] };
            for corners in &disk.triangles {
                // Each side of the prism is cut from its lower corner near to its higher one far.
                let mut corners = *corners;
                corners.sort_unstable();
                let [p, q, r] = corners.map(|corner| near * count + corner);
                let [s, t, u] = corners.map(|corner| far * count + corner);
                solid.tetrahedra.extend([[p, q, r, u], [p, q, t, u], [p, s, t, u]]);
            }
        }
        Ok(solid.rotated())
    }
}

/// A disk of radius one.
struct Disk {
    positions: Vec<[f64; 2]>,
    triangles: Vec<[u32; 3]>,
}

/// A hexagon of triangles, its layers bent into circles.
fn disk(layers: u32) -> Disk {
    let mut disk = Disk { positions: vec![[0.0; 2]], triangles: Vec::new() };
    for layer in 1..=layers {
        for step in 0..6 * layer {
            let (sin, cos) = libm::sincos(TAU * f64::from(step) / f64::from(6 * layer));
            let radius = f64::from(layer) / f64::from(layers);
            disk.positions.push([radius * cos, radius * sin]);
        }
    }
    // The first vertex of a layer, and a vertex of it by its steps around.
    let first = |layer: u32| if layer == 0 { 0 } else { 1 + 3 * layer * (layer - 1) };
    let at = |layer: u32, step: u32| first(layer) + if layer == 0 { 0 } else { step % (6 * layer) };
    for layer in 1..=layers {
        for side in 0..6 {
            for step in 0..layer {
                let (outer, inner) = (side * layer + step, side * (layer - 1) + step);
                let below = at(layer - 1, inner);
                disk.triangles.push([below, at(layer, outer), at(layer, outer + 1)]);
                if step + 1 < layer {
                    disk.triangles.push([below, at(layer, outer + 1), at(layer - 1, inner + 1)]);
                }
            }
        }
    }
    disk
}
