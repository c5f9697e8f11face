//! Rigid bodies into the model: their shapes and masses, those that are repeated, and what is tied to them.

use super::placed::{Form, Placed};
use super::start::out_of_reach;
use super::{Compiled, Counts, DeformableParts};
use crate::files::Files;
use crate::format::{Attach, Document, Repeat, Rigid};
use crate::problem::Sink;
use crate::words::{hint, short};
use hooke::Vec3;
use hooke::math::noise::mix;
use hooke::math::{Mat3, Quat};
use hooke::model::RigidBodyId;
use hooke::rigid::{RigidBody, Twist, Within, overlaps};
use std::collections::HashSet;
use std::ops::Range;

/// The density (kg/m³) where none is given: water's.
const DENSITY: f64 = 1000.0;

/// How far (m) a vertex may start from where it rests to count as there.
const THERE: f64 = 1e-9;

/// Where a rigid body, or all those it repeats, are in the model.
#[derive(Clone, Debug)]
pub struct RigidParts {
    /// Its name, empty where it has none.
    pub name: String,
    /// Its bodies, in the order of the model's.
    pub rigid_bodies: Range<u32>,
    /// The anchors that tie deformable bodies to it.
    pub tied: Range<u32>,
}

/// Adds the rigid bodies.
pub(super) fn add(
    document: &Document,
    files: &Files,
    compiled: &mut Compiled,
    counts: &mut Counts<'_>,
    sink: &mut Sink,
) {
    let mut names = HashSet::new();
    for rigid in &document.rigid_bodies {
        let copies = rigid
            .repeat
            .as_ref()
            .map_or(1, |repeat| repeat.count.iter().map(|count| u64::from(*count)).product());
        if !counts.add_rigid(copies, rigid.source_offset, sink) {
            return;
        }
        let Some(body) = build(rigid, files, counts, sink) else { continue };
        if counts.exceeded {
            return;
        }
        let first = compiled.model.rigid_bodies().len() as u32;
        if location(rigid, &body, compiled, sink).is_none() {
            continue;
        }
        let rigid_bodies = first..compiled.model.rigid_bodies().len() as u32;
        let name = rigid.name.clone().unwrap_or_default();
        if !name.is_empty() && !names.insert(name.clone()) {
            sink.error_in(
                rigid.source_offset,
                "name",
                format!("there is a rigid body {name:?} already"),
            );
        }
        let first_anchor = compiled.model.anchors().len() as u32;
        for attach in &rigid.attach {
            tie(attach, rigid, first, compiled, counts, sink);
        }
        let tied = first_anchor..compiled.model.anchors().len() as u32;
        compiled.rigid.push(RigidParts { name, rigid_bodies, tied });
    }
}

/// A body as the engine takes it, where it stands against its position, or messages.
fn build(
    rigid: &Rigid,
    files: &Files,
    counts: &mut Counts<'_>,
    sink: &mut Sink,
) -> Option<RigidBody> {
    let density = rigid.density.unwrap_or(DENSITY);
    let placed = Placed::of(&rigid.shape, files, counts, sink)?;
    let (source_offset, field) = (placed.source_offset, placed.field);
    let built = match placed.form {
        Form::Shape(shape) => RigidBody::solid(shape, density),
        Form::Mesh { positions, triangles } => RigidBody::of_mesh(&positions, &triangles, density),
    };
    let mut body = match built {
        Ok(body) => body,
        Err(invalid) => {
            sink.error_in(source_offset, field, invalid.to_string());
            return None;
        }
    };
    if let Some(mass) = rigid.mass
        && let Err(invalid) = body.set_mass(mass)
    {
        sink.error_in(rigid.source_offset, "mass", invalid.to_string());
        return None;
    }
    if let Some([x, y, z]) = rigid.inertia
        && let Err(invalid) = body.set_inertia(Mat3([[x, 0.0, 0.0], [0.0, y, 0.0], [0.0, 0.0, z]]))
    {
        sink.error_in(rigid.source_offset, "inertia", invalid.to_string());
        return None;
    }
    body.hull = rigid.shape.mesh.as_ref().is_none_or(|mesh| mesh.hull);
    body.restitution = rigid.restitution;
    body.friction = rigid.friction;
    body.rolling = rigid.rolling;
    body.thickness = rigid.thickness;
    let start = &mut body.start.pose;
    if placed.up != Vec3::AXES[1] {
        start.rotation = Quat::between(Vec3::AXES[1], placed.up.unit());
        start.position = start.rotation.rotate(start.position);
    }
    start.position += placed.center;
    Some(body)
}

/// Puts a body, or all those it repeats, where they start.
fn location(
    rigid: &Rigid,
    body: &RigidBody,
    compiled: &mut Compiled,
    sink: &mut Sink,
) -> Option<()> {
    let rotation = match &rigid.rotate {
        Some(rotation) if rotation.axis == Vec3::ZERO => {
            sink.error_in(rotation.source_offset, "axis", "must not be zero");
            return None;
        }
        Some(rotation) => Quat::about(rotation.axis, rotation.degrees.to_radians()),
        None => Quat::IDENTITY,
    };
    let angular = match &rigid.spin {
        Some(spin) if spin.axis == Vec3::ZERO => {
            sink.error_in(spin.source_offset, "axis", "must not be zero");
            return None;
        }
        Some(spin) => spin.axis.unit() * spin.rate.to_radians(),
        None => Vec3::ZERO,
    };
    // A mesh has its center of mass elsewhere than its origin, and a shape may have a center of its own.
    let offset = rotation.rotate(body.start.pose.position);
    let own = body.start.pose.rotation;
    let rotation = if own == Quat::IDENTITY { rotation } else { rotation * own };
    for step in steps(rigid.repeat.as_ref()) {
        let mut own = body.clone();
        own.start.pose.position = rigid.position + step + offset;
        own.start.pose.rotation = rotation;
        own.start.twist = Twist { linear: rigid.velocity, angular };
        if let Some((_, sentence)) = out_of_reach(&[own.start.pose.position]) {
            sink.error_in(rigid.source_offset, "position", format!("is {sentence}"));
            return None;
        }
        compiled.start.rigid_bodies.push(own.start);
        if let Err(invalid) = compiled.model.add_rigid_body(own) {
            sink.error(rigid.source_offset, invalid.to_string());
            return None;
        }
    }
    Some(())
}

/// How deep bodies may overlap at the start without a word, relative to their reach.
const OVERLAP: f64 = 0.02;

/// How many overlaps are reported one by one.
const REPORTED: usize = 3;

/// Reports bodies that overlap each other or an obstacle at the start: the step separates them, which is seldom intended.
pub(super) fn tell_overlaps(document: &Document, compiled: &Compiled, sink: &mut Sink) {
    if compiled.model.rigid_bodies().is_empty() || sink.failed() {
        return;
    }
    let Ok(found) = overlaps(&compiled.model, OVERLAP) else { return };
    let part = |body: u32| compiled.rigid.iter().position(|part| part.rigid_bodies.contains(&body));
    let name = |body: u32| {
        let index = part(body).unwrap_or(0);
        let RigidParts { name, rigid_bodies, .. } = &compiled.rigid[index];
        let name = if name.is_empty() { format!("rigid_bodies[{index}]") } else { name.clone() };
        match rigid_bodies.len() {
            1 => name,
            _ => format!("{name}[{}]", body - rigid_bodies.start),
        }
    };
    for (count, overlap) in found.iter().enumerate() {
        let Some(rigid) = part(overlap.body).and_then(|index| document.rigid_bodies.get(index))
        else {
            return;
        };
        let (own, depth) = (name(overlap.body), short(overlap.depth));
        let other = match overlap.with {
            Within::RigidBody(other) => name(other),
            Within::Obstacle(obstacle) => format!("obstacles[{obstacle}]"),
        };
        if count == REPORTED {
            let more = found.len() - REPORTED;
            let sentence = format!("{more} more pairs of rigid bodies and obstacles overlap");
            return sink.warning_in(rigid.source_offset, "position", sentence);
        }
        let sentence = format!("{own} starts {depth} m deep in {other}: they will be pushed apart");
        sink.warning_in(rigid.source_offset, "position", sentence);
    }
}

/// From the first of the repeated bodies to each of them (m): layer by layer.
fn steps(repeat: Option<&Repeat>) -> Vec<Vec3> {
    let Some(repeat) = repeat else { return vec![Vec3::ZERO] };
    let [columns, layers, rows] = repeat.count;
    let mut all = Vec::new();
    for layer in 0..layers {
        for row in 0..rows {
            for column in 0..columns {
                let [x, y, z] = [column, layer, row].map(f64::from);
                let mut step = repeat.step.times(Vec3::new(x, y, z));
                if layer % 2 == 1 {
                    step += repeat.shift;
                }
                if repeat.noise > 0.0 {
                    let key = mix(u64::from(repeat.seed) << 32 ^ all.len() as u64);
                    let signed =
                        |axis: u64| (mix(key ^ axis) >> 11) as f64 / (1u64 << 52) as f64 - 1.0;
                    step += Vec3::new(signed(1), signed(2), signed(3)) * repeat.noise;
                }
                all.push(step);
            }
        }
    }
    all
}

/// Ties vertices of a deformable body to a rigid one.
fn tie(
    attach: &Attach,
    rigid: &Rigid,
    to: u32,
    compiled: &mut Compiled,
    counts: &mut Counts<'_>,
    sink: &mut Sink,
) -> Option<()> {
    if rigid.repeat.is_some() {
        sink.error(attach.source_offset, "requires a body that is not repeated");
        return None;
    }
    if !counts.choose(compiled.deformables.len() as u64, 1, attach.source_offset, sink) {
        return None;
    }
    let body = deformable(attach, &compiled.deformables, sink)?;
    let range = body.particles.clone();
    let first = range.start;
    let vertices = u64::from(range.end - range.start);
    if !counts.choose(vertices, 1, attach.source_offset, sink) {
        return None;
    }
    let (group, at) = (attach.group.as_deref(), attach.at.as_ref());
    let particles = body.groups.chosen(group, at, range, attach.source_offset, sink)?;
    for particle in particles {
        let vertex = particle - first;
        let [rest, start] = [compiled.model.rest(), &compiled.start.positions]
            .map(|list| list.get(particle as usize).copied().unwrap_or(Vec3::ZERO));
        if (rest - start).norm() > THERE {
            let sentence =
                format!("vertex {vertex} starts elsewhere than it rests; leave out start");
            sink.error(attach.source_offset, sentence);
            return None;
        }
        let tied = compiled.model.attach_to_body(particle, RigidBodyId::new(to), attach.stiffness);
        if let Err(invalid) = tied {
            sink.error(attach.source_offset, invalid.to_string());
            return None;
        }
    }
    Some(())
}

/// The deformable body that a table names.
fn deformable<'a>(
    attach: &Attach,
    deformables: &'a [DeformableParts],
    sink: &mut Sink,
) -> Option<&'a DeformableParts> {
    let named =
        |body: &&DeformableParts| attach.body.as_ref().is_none_or(|name| body.name == *name);
    let mut chosen = deformables.iter().filter(named);
    match (chosen.next(), chosen.next(), &attach.body) {
        (Some(body), None, _) => Some(body),
        (Some(_), Some(_), _) => {
            sink.error(
                attach.source_offset,
                "there are several deformables; name one by body = \"…\"",
            );
            None
        }
        (None, _, Some(name)) => {
            let hint = hint(name, deformables.iter().map(|body| body.name.as_str()));
            sink.error_in(attach.source_offset, "body", format!("there is no body {name:?}{hint}"));
            None
        }
        (None, _, None) => {
            sink.error(attach.source_offset, "there is no body to attach");
            None
        }
    }
}
