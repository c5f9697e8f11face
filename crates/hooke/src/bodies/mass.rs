//! Mass, centre and inertia of a solid: what its motion knows of its shape.
//!
//! Over the tetrahedron from the origin to a triangle (a, b, c), with `d = det[a b c]` and `s = a + b + c`:
//!
//! `∫ 1 = d/6`, `∫ x = d s/24`, `∫ x xᵀ = d (a aᵀ + b bᵀ + c cᵀ + s sᵀ)/120`
//!
//! Summed over a closed surface they are exact. The inertia about the centre is `tr(C) 1₃ − C` with
//! `C = ρ (∫ x xᵀ − V c cᵀ)`. Lien & Kajiya 1984, *A symbolic method for calculating the integral properties of
//! arbitrary nonconvex polyhedra*.

use crate::math::{Mat3, Point, Quat, svd};
use crate::model::{Invalid, Shape, check_closed, invalid};

/// The mass of a solid and how it is spread.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mass {
    /// The mass (kg).
    pub mass: f64,
    /// The centre of mass (m), in the axes of the shape.
    pub centre: Point,
    /// The inertia about the centre (kg·m²), in the axes of the shape.
    pub inertia: Mat3,
}

/// The axes about which a solid turns without wobbling.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Principal {
    /// The moments of inertia about the three axes (kg·m²), greatest first.
    pub moments: Point,
    /// The turn from these axes to those of the shape.
    pub axes: Quat,
}

impl Mass {
    /// Of the inside of a closed mesh at a density (kg/m³).
    pub fn of_mesh(
        vertices: &[Point],
        triangles: &[[u32; 3]],
        density: f64,
    ) -> Result<Self, Invalid> {
        check_density(density)?;
        check_closed(triangles).map_err(|Invalid(end)| Invalid(format!("a body {end}")))?;
        let count = vertices.len();
        if let Some(corner) = triangles.as_flattened().iter().find(|i| **i as usize >= count) {
            return invalid(format!(
                "a triangle refers to vertex {corner}, but the mesh has {count} vertices"
            ));
        }
        if !vertices.iter().all(|x| x.is_finite()) {
            return invalid("the vertices of a body must be finite");
        }
        // Seen from near the centre, so that a body far from the origin loses no digits.
        let from = vertices.iter().fold(Point::ZERO, |sum, &x| sum + x) * (1.0 / count as f64);
        let (mut volume, mut first, mut second) = (0.0, Point::ZERO, Mat3::ZERO);
        for triangle in triangles {
            let [a, b, c] = triangle.map(|corner| vertices[corner as usize] - from);
            let (d, s) = (a.cross(b).dot(c), a + b + c);
            volume += d / 6.0;
            first += s * (d / 24.0);
            second += (a.outer(a) + b.outer(b) + c.outer(c) + s.outer(s)) * (d / 120.0);
        }
        if volume.is_nan() || volume <= 0.0 {
            return invalid(
                "a body needs a surface that is not inside out: its triangles must run \
                 counter-clockwise seen from outside",
            );
        }
        let arm = first * (1.0 / volume);
        let spread = (second - arm.outer(arm) * volume) * density;
        let inertia = Mat3::diagonal(spread.trace()) - spread;
        let mass = Self { mass: density * volume, centre: from + arm, inertia };
        mass.check()?;
        Ok(mass)
    }

    /// Of a shape with an end, at a density (kg/m³).
    pub fn of_shape(shape: &Shape, density: f64) -> Result<Self, Invalid> {
        check_density(density)?;
        shape.check()?;
        let diagonal = |mass: f64, [x, y, z]: [f64; 3]| Self {
            mass,
            centre: Point::ZERO,
            inertia: Mat3([[x, 0.0, 0.0], [0.0, y, 0.0], [0.0, 0.0, z]]),
        };
        let mass = match shape {
            Shape::HalfSpace | Shape::Box { inside_out: true, .. } => {
                return invalid("a body needs a shape with an end: no half-space and no room");
            }
            Shape::Box { half, inside_out: false } => {
                let mass = density * 8.0 * half.x * half.y * half.z;
                let [x, y, z] = half.to_array().map(|half| mass / 3.0 * half * half);
                diagonal(mass, [y + z, x + z, x + y])
            }
            Shape::Sphere { radius } => {
                let mass = density * 4.0 / 3.0 * std::f64::consts::PI * radius * radius * radius;
                diagonal(mass, [0.4 * mass * radius * radius; 3])
            }
            Shape::Capsule { radius: r, half_length: l } => {
                // A cylinder and two half balls, whose own centres are 3r/8 beyond its ends.
                let cylinder = density * std::f64::consts::PI * r * r * 2.0 * l;
                let ball = density * 4.0 / 3.0 * std::f64::consts::PI * r * r * r;
                let along = 0.5 * cylinder * r * r + 0.4 * ball * r * r;
                let across = cylinder * (0.25 * r * r + l * l / 3.0)
                    + ball * (0.4 * r * r + l * l + 0.75 * l * r);
                diagonal(cylinder + ball, [across, along, across])
            }
            Shape::Mesh(mesh) => {
                return Self::of_mesh(mesh.vertices(), mesh.triangles(), density);
            }
        };
        mass.check()?;
        Ok(mass)
    }

    /// The axes about which it turns without wobbling.
    pub fn principal(&self) -> Principal {
        let found = svd(&self.inertia);
        Principal { moments: found.sigma.into(), axes: Quat::of_matrix(&found.v) }
    }

    pub(crate) fn check(&self) -> Result<(), Invalid> {
        if !(self.mass.is_finite() && self.mass > 0.0) {
            return invalid(format!(
                "the mass of a body must be finite and > 0 kg (got {})",
                self.mass
            ));
        }
        let finite = self.inertia.0.iter().flatten().all(|value| value.is_finite());
        if !self.centre.is_finite() || !finite || self.inertia.cholesky().is_none() {
            return invalid("the inertia of a body must be positive: its surface crosses itself");
        }
        Ok(())
    }
}

fn check_density(density: f64) -> Result<(), Invalid> {
    if density.is_finite() && density > 0.0 {
        return Ok(());
    }
    invalid(format!("the density of a body must be finite and > 0 kg/m³ (got {density})"))
}
