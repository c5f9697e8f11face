//! Rigid bodies into the model: their shapes and masses, those that are repeated, and what is tied to them.

use super::shape::surface;
use super::start::out_of_reach;
use super::{BodyParts, Compiled, Counts};
use crate::files::Files;
use crate::format::{
    Attach, Document, ImpactRule, MatchedTurn, Repeat, Rigid, RigidMesh, RigidStep,
};
use crate::problem::Sink;
use crate::words::{hint, short};
use hooke::Point;
use hooke::bodies::impulse::Rule;
use hooke::bodies::shape_matching::Polar;
use hooke::bodies::{Body, BodyMethod, BodySettings, Twist, Within, overlaps};
use hooke::math::noise::mix;
use hooke::math::{Mat3, Quat};
use hooke::model::{Invalid, Shape};
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
    pub bodies: Range<u32>,
    /// The places at which deformable bodies are tied to it.
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
    for rigid in &document.rigid {
        let copies = rigid
            .repeat
            .as_ref()
            .map_or(1, |repeat| repeat.count.iter().map(|count| u64::from(*count)).product());
        if !counts.add_rigid(copies, rigid.spot, sink) {
            return;
        }
        let Some(body) = build(rigid, files, counts, sink) else { continue };
        if counts.exceeded {
            return;
        }
        let first = compiled.model.bodies().len() as u32;
        if place(rigid, &body, compiled, sink).is_none() {
            continue;
        }
        let bodies = first..compiled.model.bodies().len() as u32;
        let name = rigid.name.clone().unwrap_or_default();
        if !name.is_empty() && !names.insert(name.clone()) {
            sink.error_in(rigid.spot, "name", format!("there is a rigid body {name:?} already"));
        }
        let places = compiled.model.places().len() as u32;
        for attach in &rigid.attach {
            tie(attach, rigid, first, compiled, counts, sink);
        }
        let tied = places..compiled.model.places().len() as u32;
        compiled.rigid.push(RigidParts { name, bodies, tied });
    }
}

/// A body as the engine takes it, at the origin, or messages.
fn build(rigid: &Rigid, files: &Files, counts: &mut Counts<'_>, sink: &mut Sink) -> Option<Body> {
    let density = rigid.density.unwrap_or(DENSITY);
    let (built, spot, field) = if let Some(given) = &rigid.r#box {
        let half = Point::from(given.size) * 0.5;
        (Body::solid(Shape::Box { half, inside_out: false }, density), given.spot, "size")
    } else if let Some(sphere) = &rigid.sphere {
        let shape = Shape::Sphere { radius: sphere.radius };
        (Body::solid(shape, density), sphere.spot, "radius")
    } else if let Some(capsule) = &rigid.capsule {
        let shape = Shape::Capsule { radius: capsule.radius, half_length: 0.5 * capsule.length };
        (Body::solid(shape, density), capsule.spot, "radius")
    } else {
        let mesh = rigid.mesh.as_ref()?;
        (closed(mesh, density, files, counts, sink)?, mesh.spot, "file")
    };
    let mut body = match built {
        Ok(body) => body,
        Err(Invalid(sentence)) => {
            sink.error_in(spot, field, sentence);
            return None;
        }
    };
    if let Some(mass) = rigid.mass
        && let Err(Invalid(sentence)) = body.set_mass(mass)
    {
        sink.error_in(rigid.spot, "mass", sentence);
        return None;
    }
    if let Some([x, y, z]) = rigid.inertia
        && let Err(Invalid(sentence)) =
            body.set_inertia(Mat3([[x, 0.0, 0.0], [0.0, y, 0.0], [0.0, 0.0, z]]))
    {
        sink.error_in(rigid.spot, "inertia", sentence);
        return None;
    }
    body.hull = rigid.mesh.as_ref().is_none_or(|mesh| mesh.hull);
    body.restitution = rigid.restitution;
    body.friction = rigid.friction;
    body.rolling = rigid.rolling;
    body.thickness = rigid.thickness;
    Some(body)
}

/// The inside of a mesh file as a body.
fn closed(
    mesh: &RigidMesh,
    density: f64,
    files: &Files,
    counts: &mut Counts<'_>,
    sink: &mut Sink,
) -> Option<Result<Body, Invalid>> {
    let (positions, triangles) = surface(&mesh.file, mesh.scale, mesh.spot, (files, counts), sink)?;
    Some(Body::of_mesh(&positions, &triangles, density))
}

/// Puts a body, or all those it repeats, where they start.
fn place(rigid: &Rigid, body: &Body, compiled: &mut Compiled, sink: &mut Sink) -> Option<()> {
    let turn = match &rigid.rotate {
        Some(rotation) if rotation.axis == Point::ZERO => {
            sink.error_in(rotation.spot, "axis", "must not be zero");
            return None;
        }
        Some(rotation) => Quat::about(rotation.axis, rotation.degrees.to_radians()),
        None => Quat::IDENTITY,
    };
    let angular = match &rigid.spin {
        Some(spin) if spin.axis == Point::ZERO => {
            sink.error_in(spin.spot, "axis", "must not be zero");
            return None;
        }
        Some(spin) => spin.axis.unit() * spin.rate.to_radians(),
        None => Point::ZERO,
    };
    // A mesh has its centre of mass elsewhere than its origin.
    let offset = turn.turn(body.start.placement.position);
    for step in steps(rigid.repeat.as_ref()) {
        let mut own = body.clone();
        own.start.placement.position = rigid.position + step + offset;
        own.start.placement.turn = turn;
        own.start.twist = Twist { linear: rigid.velocity, angular };
        if let Some((_, sentence)) = out_of_reach(&[own.start.placement.position]) {
            sink.error_in(rigid.spot, "position", format!("is {sentence}"));
            return None;
        }
        compiled.start.bodies.push(own.start);
        if let Err(invalid) = compiled.model.add_body(own) {
            sink.error(rigid.spot, invalid.0);
            return None;
        }
    }
    Some(())
}

/// How deep bodies may overlap at the start without a word, relative to their reach.
const OVERLAP: f64 = 0.02;

/// How many overlaps are told one by one.
const TOLD: usize = 3;

/// Tells which bodies start within each other or within an obstacle: they are pushed apart, which is seldom meant.
pub(super) fn tell_overlaps(document: &Document, compiled: &Compiled, sink: &mut Sink) {
    if compiled.model.bodies().is_empty() || sink.failed() {
        return;
    }
    let Ok(found) = overlaps(&compiled.model, OVERLAP) else { return };
    let part = |body: u32| compiled.rigid.iter().position(|part| part.bodies.contains(&body));
    let name = |body: u32| {
        let index = part(body).unwrap_or(0);
        let RigidParts { name, bodies, .. } = &compiled.rigid[index];
        let name = if name.is_empty() { format!("rigid[{index}]") } else { name.clone() };
        match bodies.len() {
            1 => name,
            _ => format!("{name}[{}]", body - bodies.start),
        }
    };
    for (count, overlap) in found.iter().enumerate() {
        let Some(rigid) = part(overlap.body).and_then(|index| document.rigid.get(index)) else {
            return;
        };
        let (own, depth) = (name(overlap.body), short(overlap.depth));
        let other = match overlap.with {
            Within::Body(other) => name(other),
            Within::Obstacle(obstacle) => format!("obstacles[{obstacle}]"),
        };
        if count == TOLD {
            let more = found.len() - TOLD;
            let sentence = format!("{more} more pairs of rigid bodies and obstacles overlap");
            return sink.warning_in(rigid.spot, "position", sentence);
        }
        let sentence = format!("{own} starts {depth} m deep in {other}: they will be pushed apart");
        sink.warning_in(rigid.spot, "position", sentence);
    }
}

/// From the first of the repeated bodies to each of them (m): layer by layer.
fn steps(repeat: Option<&Repeat>) -> Vec<Point> {
    let Some(repeat) = repeat else { return vec![Point::ZERO] };
    let [columns, layers, rows] = repeat.count;
    let mut all = Vec::new();
    for layer in 0..layers {
        for row in 0..rows {
            for column in 0..columns {
                let [x, y, z] = [column, layer, row].map(f64::from);
                let mut step = repeat.step.times(Point::new(x, y, z));
                if layer % 2 == 1 {
                    step += repeat.shift;
                }
                if repeat.noise > 0.0 {
                    let key = mix(u64::from(repeat.seed) << 32 ^ all.len() as u64);
                    let signed =
                        |axis: u64| (mix(key ^ axis) >> 11) as f64 / (1u64 << 52) as f64 - 1.0;
                    step += Point::new(signed(1), signed(2), signed(3)) * repeat.noise;
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
        sink.error(attach.spot, "goes with a body that is not repeated");
        return None;
    }
    if !counts.choose(compiled.bodies.len() as u64, 1, attach.spot, sink) {
        return None;
    }
    let body = deformable(attach, &compiled.bodies, sink)?;
    let range = body.particles.clone();
    let first = range.start;
    let vertices = u64::from(range.end - range.start);
    if !counts.choose(vertices, 1, attach.spot, sink) {
        return None;
    }
    let (group, at) = (attach.group.as_deref(), attach.at.as_ref());
    let particles = body.groups.chosen(group, at, range, attach.spot, sink)?;
    for particle in particles {
        let vertex = particle - first;
        let [rest, start] = [compiled.model.rest(), &compiled.start.positions]
            .map(|list| list.get(particle as usize).copied().unwrap_or(Point::ZERO));
        if (rest - start).norm() > THERE {
            let sentence =
                format!("vertex {vertex} starts elsewhere than it rests; leave out start");
            sink.error(attach.spot, sentence);
            return None;
        }
        let tied = compiled.model.attach_to_body(particle, to, attach.stiffness);
        if let Err(Invalid(sentence)) = tied {
            sink.error(attach.spot, sentence);
            return None;
        }
    }
    Some(())
}

/// The deformable body that a table names.
fn deformable<'a>(
    attach: &Attach,
    bodies: &'a [BodyParts],
    sink: &mut Sink,
) -> Option<&'a BodyParts> {
    let named = |body: &&BodyParts| attach.body.as_ref().is_none_or(|name| body.name == *name);
    let mut chosen = bodies.iter().filter(named);
    match (chosen.next(), chosen.next(), &attach.body) {
        (Some(body), None, _) => Some(body),
        (Some(_), Some(_), _) => {
            sink.error(attach.spot, "there are several bodies; name one by body = \"…\"");
            None
        }
        (None, _, Some(name)) => {
            let hint = hint(name, bodies.iter().map(|body| body.name.as_str()));
            sink.error_in(attach.spot, "body", format!("there is no body {name:?}{hint}"));
            None
        }
        (None, _, None) => {
            sink.error(attach.spot, "there is no body to attach");
            None
        }
    }
}

/// How rigid bodies are stepped, as the engine takes it.
pub(crate) fn settings(document: &Document) -> BodySettings {
    let method = &document.rigid_method;
    BodySettings {
        bodies: match method.name {
            RigidStep::Impulse => BodyMethod::Impulse,
            RigidStep::ShapeMatching => BodyMethod::ShapeMatching,
        },
        rule: match method.rule {
            ImpactRule::Physical => Rule::Physical,
            ImpactRule::Classic => Rule::Classic,
        },
        parts: method.parts,
        frequency: method.frequency,
        damping_ratio: method.damping_ratio,
        polar: match method.polar {
            MatchedTurn::Fit => Polar::Fit,
            MatchedTurn::Map => Polar::Map,
        },
        stiffness: method.stiffness,
    }
}
