//! One body into the model: its particles, surface, air and forces. Its springs, its start and
//! its pins have files of their own.

use super::groups::Groups;
use super::materials::ResolvedMaterial;
use super::shape::{self, Shape};
use super::{Compiled, Counts, DeformableParts};
use crate::files::Files;
use crate::format::{Deformable, Each, WindLaw};
use crate::problem::Sink;
use crate::words::{count, number};
use hooke::dampers::{self, Damper, Drag, QuadraticWind, Wind};
use hooke::{ContactMaterial, Particles};
use std::collections::HashSet;

/// Adds a body.
pub(super) fn add(
    body: &Deformable,
    files: &Files,
    compiled: &mut Compiled,
    counts: &mut Counts<'_>,
    sink: &mut Sink,
) {
    if !counts.add(shape::estimate(body), body.source_offset, sink) {
        return;
    }
    let Some(shape) = shape::build(body, files, counts, sink) else { return };
    if body.mesh.is_some() && !counts.add(shape::size(body, &shape), body.source_offset, sink) {
        return;
    }
    let vertices = shape.positions.len() as u64;
    if !counts.choose(vertices, shape::searches(body), body.source_offset, sink) {
        return;
    }
    let first = compiled.model.particles() as u32;
    let groups = Groups::of(body, &shape, first, sink);
    let particles = first..first + shape.positions.len() as u32;
    if particles.is_empty() {
        sink.warning_in(body.source_offset, "positions", "contains no vertex");
    }

    let Some(material) = ResolvedMaterial::of(body, &shape, sink) else { return };
    let mut parts = Parts { body, shape, material, first, compiled, sink };
    parts.tell_loose();
    if parts.particles().is_none() {
        return;
    }
    parts.families(&groups);
    parts.continuum();
    parts.springs();
    parts.elements();
    parts.surface();
    parts.contact();
    parts.air();
    parts.start();
    parts.forces(&groups);
    parts.pins(&groups);
    let name = body.name.clone().unwrap_or_default();
    compiled.deformables.push(DeformableParts { name, particles, groups });
}

/// A body while it is compiled.
pub(super) struct Parts<'a> {
    pub(super) body: &'a Deformable,
    pub(super) shape: Shape,
    pub(super) material: ResolvedMaterial,
    /// Its first particle in the model.
    pub(super) first: u32,
    pub(super) compiled: &'a mut Compiled,
    pub(super) sink: &'a mut Sink,
}

impl Parts<'_> {
    /// The body's particles in the model.
    pub(super) fn range(&self) -> std::ops::Range<u32> {
        self.first..self.first + self.shape.positions.len() as u32
    }

    /// Masses and positions.
    fn particles(&mut self) -> Option<()> {
        let Self { body, shape, material, compiled, sink, .. } = self;
        let vertices = shape.positions.len();
        let field = match (&body.masses, body.density, body.mass) {
            (Some(_), ..) => "masses",
            (None, Some(_), _) => "density",
            (None, None, Some(_)) => "mass",
            (None, None, None) => "material",
        };
        let density = body.density.or(material.density.filter(|_| body.mass.is_none()));
        let masses: Vec<f64> = match (&body.masses, density) {
            (Some(Each::All(mass)), _) => vec![*mass; vertices],
            (Some(Each::List(masses)), _) if masses.len() == vertices => masses.clone(),
            (Some(Each::List(masses)), _) => {
                let (wanted, given) = (count(vertices as u64, "mass", "masses"), masses.len());
                let sentence = format!("must have {wanted}, one for each vertex (got {given})");
                sink.error_in(body.source_offset, "masses", sentence);
                return None;
            }
            (None, Some(_)) if shape.measure <= 0.0 => {
                let sentence =
                    "needs triangles, tetrahedra or the length of a rope; give mass or masses";
                sink.error_in(body.source_offset, field, sentence);
                return None;
            }
            (None, Some(density)) => {
                let shares = shape.by_area.as_ref().unwrap_or(&shape.shares);
                shares.iter().map(|share| share * density * shape.measure).collect()
            }
            (None, None) => {
                let mass = body.mass.unwrap_or_default();
                shape.shares.iter().map(|share| share * mass).collect()
            }
        };
        for (vertex, (&x, &mass)) in shape.positions.iter().zip(&masses).enumerate() {
            let sentence = if shape.shares.get(vertex) == Some(&0.0) && body.masses.is_none() {
                format!(
                    "vertex {vertex} belongs to no element and would have no mass; remove it, or \
                     give masses"
                )
            } else if !(mass.is_finite() && mass > 0.0) {
                let mass = number(mass);
                format!("vertex {vertex} would have {mass} kg; its mass must be finite and > 0")
            } else {
                match compiled.model.add_particle(x, mass) {
                    Ok(_) => continue,
                    Err(invalid) => invalid.to_string(),
                }
            };
            sink.error_in(body.source_offset, field, sentence);
            return None;
        }
        Some(())
    }

    /// Tells a body of many vertices that nothing holds together.
    fn tell_loose(&mut self) {
        let Self { body, shape, material, sink, .. } = self;
        let families = [&body.structural, &body.shear, &body.bend];
        let whole = body.grid.is_some() || body.rope.is_some() || !shape.triangles.is_empty();
        let joined = families.iter().any(|family| family.is_some())
            || material.joins()
            || !body.springs.is_empty()
            || !body.elements.is_empty();
        if whole && !joined && shape.positions.len() > 1 {
            sink.warning_in(
                body.source_offset,
                "",
                "has no springs: its vertices move each on its own",
            );
        }
    }

    /// Triangles and tetrahedra.
    fn surface(&mut self) {
        let Self { body, shape, first, compiled, sink, .. } = self;
        for triangle in &shape.triangles {
            if let Err(invalid) = compiled.model.add_triangle(triangle.map(|i| *first + i)) {
                return sink.error(body.source_offset, invalid.to_string());
            }
        }
        for tetrahedron in &shape.tetrahedra {
            if let Err(invalid) = compiled.model.add_tetrahedron(tetrahedron.map(|i| *first + i)) {
                return sink.error(body.source_offset, invalid.to_string());
            }
        }
    }

    /// How the body touches itself and others. Where it has no triangles, its links and springs do.
    fn contact(&mut self) {
        let Self { body, shape, material, first, compiled, sink } = self;
        let fallback = ContactMaterial::default();
        let contact = ContactMaterial {
            thickness: material.thickness.unwrap_or(fallback.thickness),
            self_contact: body.self_contact,
            friction: body.friction,
        };
        let particles = Particles::new(*first, shape.positions.len() as u32);
        let mut added = compiled.model.add_deformable(particles, contact);
        let mut seen = HashSet::new();
        let links = (1..).take(body.rope.as_ref().map_or(0, |rope| rope.links as usize));
        let segments = links
            .map(|link| [link - 1, link])
            .chain(shape.springs[0].iter().copied())
            .chain(body.springs.iter().map(|spring| spring.between))
            .filter(|_| shape.triangles.is_empty())
            .filter(|ends| ends.iter().all(|&end| (end as usize) < shape.positions.len()))
            .filter(|[i, j]| i != j && seen.insert([*i.min(j), *i.max(j)]));
        for ends in segments {
            added = added.and_then(|()| compiled.model.add_segment(ends.map(|i| *first + i)));
        }
        if let Err(invalid) = added {
            sink.error(body.source_offset, invalid.to_string());
        }
    }

    /// Drag on vertices and wind on triangles.
    fn air(&mut self) {
        let range = self.range();
        let Self { body, shape, first, compiled, sink, .. } = self;
        if let Some(drag) = body.drag {
            let kind = dampers::info::<Drag, 1, 0, 1>();
            for particle in range {
                if let Err(invalid) = compiled.model.add_damper(&kind, &[particle], None, &[drag]) {
                    return sink.error_in(body.source_offset, "drag", invalid.to_string());
                }
            }
        }
        let Some(wind) = &body.wind else { return };
        if shape.triangles.is_empty() {
            return sink.error_in(body.source_offset, "wind", "needs triangles to blow on");
        }
        let (kind, material) = match wind.law {
            WindLaw::Linear if wind.density.is_some() => {
                return sink.error_in(
                    wind.source_offset,
                    "density",
                    "requires law = \"quadratic\"",
                );
            }
            WindLaw::Linear => {
                (dampers::info::<Wind, 3, 1, 2>(), vec![wind.normal, wind.tangential])
            }
            WindLaw::Quadratic => {
                let density = wind.density.unwrap_or(QuadraticWind::PARAMS[0].default);
                let kind = dampers::info::<QuadraticWind, 3, 1, 3>();
                (kind, vec![density, wind.normal, wind.tangential])
            }
        };
        for triangle in &shape.triangles {
            let corners = triangle.map(|i| *first + i);
            if let Err(invalid) = compiled.model.add_damper(&kind, &corners, None, &material) {
                return sink.error(wind.source_offset, invalid.to_string());
            }
        }
    }

    /// Constant forces.
    fn forces(&mut self, groups: &Groups) {
        let range = self.range();
        for force in &self.body.forces {
            let (group, at) = (force.group.as_deref(), force.at.as_ref());
            let chosen = groups.chosen(group, at, range.clone(), force.source_offset, self.sink);
            for particle in chosen.unwrap_or_default() {
                if let Err(invalid) = self.compiled.model.add_force(particle, force.force) {
                    self.sink.error(force.source_offset, invalid.to_string());
                }
            }
        }
    }
}
