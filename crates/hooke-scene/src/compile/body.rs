//! One body into the model: particles, springs, air, start, pins.

use super::groups::{Groups, no_vertex};
use super::shape::{self, FAMILIES, Shape};
use super::{BodyParts, Compiled, Counts};
use crate::format::{Body, Each, Family, How, Pin, Start, WindLaw};
use crate::nearest;
use crate::problem::{Place, Sink};
use crate::scene::Files;
use hooke::Point;
use hooke::dampers::{self, Damper, Drag, QuadraticWind, Wind};
use hooke::laws::{self, Attachment, LAWS, Law};
use hooke::math::noise::mix;
use hooke::model::{Motion, SpringFamily};
use std::collections::HashMap;
use std::sync::Arc;

/// Adds a body.
pub(super) fn add(
    body: &Body,
    files: &Files,
    compiled: &mut Compiled,
    counts: &mut Counts<'_>,
    sink: &mut Sink,
) {
    let (vertices, elements) = shape::estimate(body);
    if !counts.add(vertices, elements, body.spot, sink) {
        return;
    }
    let Some(shape) = shape::build(body, files, sink) else { return };
    if body.mesh.is_some() {
        let elements = shape.springs.iter().map(Vec::len).sum::<usize>() + shape.triangles.len();
        if !counts.add(shape.positions.len() as u64, elements as u64, body.spot, sink) {
            return;
        }
    }
    let vertices = shape.positions.len() as u64;
    if !counts.choose(vertices, shape::searches(body), body.spot, sink) {
        return;
    }
    let first = compiled.model.particles() as u32;
    let groups = Groups::of(body, &shape, first, sink);
    let particles = first..first + shape.positions.len() as u32;
    if particles.is_empty() {
        sink.warning_in(body.spot, "positions", "holds no vertex");
    }

    let mut parts = Parts { body, shape, first, compiled, sink };
    if parts.particles().is_none() {
        return;
    }
    parts.families(&groups);
    parts.springs();
    parts.elements();
    parts.surface();
    parts.air();
    parts.start();
    parts.forces(&groups);
    parts.pins(&groups);
    let name = body.name.clone().unwrap_or_default();
    compiled.bodies.push(BodyParts { name, particles, groups });
}

/// A body on its way into the model.
struct Parts<'a> {
    body: &'a Body,
    shape: Shape,
    /// Its first particle in the model.
    first: u32,
    compiled: &'a mut Compiled,
    sink: &'a mut Sink,
}

impl Parts<'_> {
    /// The body's particles in the model.
    fn range(&self) -> std::ops::Range<u32> {
        self.first..self.first + self.shape.positions.len() as u32
    }

    /// Masses and positions.
    fn particles(&mut self) -> Option<()> {
        let Self { body, shape, compiled, sink, .. } = self;
        let count = shape.positions.len();
        let masses: Vec<f64> = match (&body.masses, body.density) {
            (Some(Each::All(mass)), _) => vec![*mass; count],
            (Some(Each::List(masses)), _) if masses.len() == count => masses.clone(),
            (Some(Each::List(masses)), _) => {
                let given = masses.len();
                let sentence =
                    format!("must have {count} masses, one for each vertex (got {given})");
                sink.error_in(body.spot, "masses", sentence);
                return None;
            }
            (None, Some(_)) if shape.measure <= 0.0 => {
                let sentence =
                    "needs triangles, tetrahedra or the length of a rope; give mass or masses";
                sink.error_in(body.spot, "density", sentence);
                return None;
            }
            (None, Some(density)) => {
                shape.shares.iter().map(|share| share * density * shape.measure).collect()
            }
            (None, None) => {
                let mass = body.mass.unwrap_or_default();
                shape.shares.iter().map(|share| share * mass).collect()
            }
        };
        for (&x, &mass) in shape.positions.iter().zip(&masses) {
            if let Err(invalid) = compiled.model.add_particle(x, mass) {
                sink.error(body.spot, invalid.0);
                return None;
            }
        }
        Some(())
    }

    /// The springs of the body's families, with what groups say instead.
    fn families(&mut self, groups: &Groups) {
        let mut named = Vec::new();
        for material in &self.body.materials {
            let Some(group) = groups.find(&material.group, material.spot, "group", self.sink)
            else {
                continue;
            };
            let families = [&material.structural, &material.shear, &material.bend]
                .map(|family| family.as_ref().and_then(|family| coefficients(family, self.sink)));
            named.push((group, families));
        }
        let of_body = [&self.body.structural, &self.body.shear, &self.body.bend];
        let springs = std::mem::take(&mut self.shape.springs);
        for (index, springs) in springs.iter().enumerate() {
            let Some(family) = of_body[index].as_ref() else { continue };
            let Some(whole) = coefficients(family, self.sink) else { continue };
            for &[i, j] in springs {
                let ends = [self.first + i, self.first + j];
                let own = named.iter().find_map(|(group, families)| {
                    let inside = |end| group.binary_search(end).is_ok();
                    families[index].filter(|_| ends.iter().all(inside))
                });
                if !self.spring(ends, own.unwrap_or(whole), None, FAMILIES[index]) {
                    break;
                }
            }
        }
        self.shape.springs = springs;
    }

    /// Adds a spring; `false` where the engine will not have it.
    fn spring(
        &mut self,
        ends: [u32; 2],
        family: SpringFamily,
        rest: Option<f64>,
        tail: &str,
    ) -> bool {
        let [i, j] = ends;
        match self.compiled.model.add_spring_of(i, j, &family, rest) {
            Ok(_) => {
                self.compiled.edges.push(ends);
                true
            }
            Err(invalid) => {
                self.sink.error_in(self.body.spot, tail, invalid.0);
                false
            }
        }
    }

    /// Single springs, in their order.
    fn springs(&mut self) {
        if self.body.springs.is_empty() {
            return;
        }
        let count = self.shape.positions.len();
        let key = |[i, j]: [u32; 2]| [i.min(j), i.max(j)];
        let mut seen: HashMap<[u32; 2], Option<usize>> =
            self.shape.springs.iter().flatten().map(|ends| (key(*ends), None)).collect();
        for (index, spring) in self.body.springs.iter().enumerate() {
            let [i, j] = spring.between;
            if let Some(vertex) = [i, j].into_iter().find(|vertex| *vertex as usize >= count) {
                self.sink.error_in(spring.spot, "between", no_vertex(vertex, count));
                continue;
            }
            if i == j {
                self.sink.error_in(spring.spot, "between", format!("joins vertex {i} to itself"));
                continue;
            }
            if let Some(earlier) = seen.insert(key([i, j]), Some(index)) {
                let earlier =
                    earlier.map_or("a spring of the body".into(), |n| format!("springs[{n}]"));
                let sentence = format!("joins the same vertices as {earlier}; both are kept");
                self.sink.warning_in(spring.spot, "between", sentence);
            }
            if self.shape.positions[i as usize] == self.shape.positions[j as usize] {
                let sentence = format!("vertices {i} and {j} rest at the same place");
                self.sink.warning_in(spring.spot, "between", sentence);
            }
            let Some(family) = coefficients(&spring.family, self.sink) else { continue };
            let ends = [self.first + i, self.first + j];
            self.spring(ends, family, spring.rest_length, &format!("springs[{index}]"));
        }
    }

    /// Elements of any law, in their order.
    fn elements(&mut self) {
        let count = self.shape.positions.len();
        for element in &self.body.elements {
            let Some(law) = laws::find(&element.law) else {
                let names: Vec<_> = LAWS.iter().map(|law| law.name).collect();
                let hint = match nearest(&element.law, names.iter().copied()) {
                    Some(near) => format!("did you mean {near:?}?"),
                    None => format!("there are: {}", names.join(", ")),
                };
                let sentence = format!("there is no law {:?}; {hint}", element.law);
                self.sink.error_in(element.spot, "law", sentence);
                continue;
            };
            if let Some(index) = element.corners.iter().position(|c| *c as usize >= count) {
                let sentence = no_vertex(element.corners[index], count);
                self.sink.error_in(element.spot, format!("corners[{index}]"), sentence);
                continue;
            }
            let corners: Vec<_> =
                element.corners.iter().map(|corner| self.first + corner).collect();
            let (rest, material) = (element.rest.as_deref(), &element.material);
            match self.compiled.model.add_element(law, &corners, rest, material) {
                Ok(_) => {
                    if let [i, j] = corners[..] {
                        self.compiled.edges.push([i, j]);
                    }
                }
                Err(invalid) => self.sink.error(element.spot, invalid.0),
            }
        }
    }

    /// Triangles and tetrahedra.
    fn surface(&mut self) {
        let Self { body, shape, first, compiled, sink } = self;
        for triangle in &shape.triangles {
            if let Err(invalid) = compiled.model.add_triangle(triangle.map(|i| *first + i)) {
                return sink.error(body.spot, invalid.0);
            }
        }
        for tetrahedron in &shape.tetrahedra {
            if let Err(invalid) = compiled.model.add_tetrahedron(tetrahedron.map(|i| *first + i)) {
                return sink.error(body.spot, invalid.0);
            }
        }
    }

    /// Drag on vertices and wind on triangles.
    fn air(&mut self) {
        let range = self.range();
        let Self { body, shape, first, compiled, sink } = self;
        if let Some(drag) = body.drag {
            let kind = dampers::info::<Drag, 1, 0, 1>();
            for particle in range {
                if let Err(invalid) = compiled.model.add_damper(&kind, &[particle], None, &[drag]) {
                    return sink.error_in(body.spot, "drag", invalid.0);
                }
            }
        }
        let Some(wind) = &body.wind else { return };
        if shape.triangles.is_empty() {
            return sink.error_in(body.spot, "wind", "needs triangles to blow on");
        }
        let (kind, material) = match wind.law {
            WindLaw::Linear if wind.density.is_some() => {
                return sink.error_in(wind.spot, "density", "goes with law = \"quadratic\"");
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
                return sink.error(wind.spot, invalid.0);
            }
        }
    }

    /// Where and how fast the vertices start.
    fn start(&mut self) {
        let count = self.shape.positions.len();
        let mut positions = self.shape.positions.clone();
        let mut velocities = vec![Point::ZERO; count];
        if let Some(start) = &self.body.start {
            let lists = [("positions", &start.positions), ("velocities", &start.velocities)];
            for (field, list) in lists {
                if let Some(given) = list.as_ref().map(Vec::len).filter(|given| *given != count) {
                    let sentence =
                        format!("must have {count} entries, one for each vertex (got {given})");
                    return self.sink.error_in(start.spot, field, sentence);
                }
            }
            if let Some(given) = &start.positions {
                positions.clone_from(given);
            }
            if start.rotate.as_ref().is_some_and(|turn| turn.axis == Point::ZERO) {
                return self.sink.error_in(start.spot, "rotate.axis", "must not be zero");
            }
            place(start, &mut positions);
            velocities.fill(start.velocity);
            if let Some(given) = &start.velocities {
                velocities.clone_from(given);
            }
        }
        self.compiled.start.positions.extend(positions);
        self.compiled.start.velocities.extend(velocities);
    }

    /// Constant forces.
    fn forces(&mut self, groups: &Groups) {
        let range = self.range();
        for force in &self.body.forces {
            let (group, at) = (force.group.as_deref(), force.at.as_ref());
            let chosen = groups.chosen(group, at, range.clone(), force.spot, self.sink);
            for particle in chosen.unwrap_or_default() {
                if let Err(invalid) = self.compiled.model.add_force(particle, force.force) {
                    self.sink.error(force.spot, invalid.0);
                }
            }
        }
    }

    /// What is held.
    fn pins(&mut self, groups: &Groups) {
        let mut pinned: HashMap<u32, usize> = HashMap::new();
        for (index, pin) in self.body.pins.iter().enumerate() {
            let (group, at) = (pin.group.as_deref(), pin.at.as_ref());
            let chosen = groups.chosen(group, at, self.range(), pin.spot, self.sink);
            let Some(axes) = axes(pin, self.sink) else { continue };
            let track = match pin.keyframes.as_ref().map(|keyframes| keyframes.track()).transpose()
            {
                Ok(track) => track.map(Arc::new),
                Err(invalid) => {
                    self.sink.error_in(pin.spot, "keyframes", invalid.0);
                    continue;
                }
            };
            for particle in chosen.unwrap_or_default() {
                let home = self.compiled.start.positions.get(particle as usize);
                let home = home.copied().unwrap_or(Point::ZERO);
                let motion = match &track {
                    Some(track) => Motion::along(Arc::clone(track)).shifted(home),
                    None => Motion::still(home),
                };
                if let Some(earlier) = pinned.insert(particle, index) {
                    let vertex = particle - self.first;
                    let sentence = format!("vertex {vertex} is already held by pins[{earlier}]");
                    self.sink.error(pin.spot, sentence);
                    break;
                }
                let model = &mut self.compiled.model;
                let held = match pin.how {
                    How::Hard => model.pin(particle, axes, motion),
                    How::Penalty => {
                        let stiffness = pin.stiffness.unwrap_or(Attachment::PARAMS[0].default);
                        let placed = &mut self.compiled.placed;
                        model.add_place(motion).and_then(|place| {
                            let element = model.attach(particle, place, stiffness)?;
                            placed.push((element, place));
                            Ok(())
                        })
                    }
                };
                if let Err(invalid) = held {
                    self.sink.error(pin.spot, invalid.0);
                    break;
                }
            }
        }
    }
}

/// A family's coefficients, or a message.
fn coefficients(family: &Family, sink: &mut Sink) -> Option<SpringFamily> {
    family.coefficients().map_err(|sentence| sink.error(family.spot, sentence)).ok()
}

/// The axes a pin holds, or a message.
fn axes(pin: &Pin, sink: &mut Sink) -> Option<[bool; 3]> {
    let mut axes = [false; 3];
    for letter in pin.axes.chars() {
        match "xyz".find(letter).and_then(|axis| axes.get_mut(axis)) {
            Some(axis) if !*axis => *axis = true,
            _ => {
                axes = [false; 3];
                break;
            }
        }
    }
    if axes == [false; 3] {
        let sentence = format!("must be some of x, y and z, like \"xz\" (got {:?})", pin.axes);
        sink.error_in(pin.spot, "axes", sentence);
        return None;
    }
    if pin.how == How::Penalty && axes != [true; 3] {
        sink.error_in(pin.spot, "axes", "a pin by penalty holds x, y and z; use how = \"hard\"");
        return None;
    }
    if pin.how == How::Hard && pin.stiffness.is_some() {
        sink.error_in(pin.spot, "stiffness", "goes with how = \"penalty\"");
        return None;
    }
    Some(axes)
}

/// Scales, turns, moves and disturbs a body.
fn place(start: &Start, positions: &mut [Point]) {
    let count = positions.len().max(1) as f64;
    let mut middle = Point::ZERO;
    for x in &*positions {
        middle += *x * (1.0 / count);
    }
    let turn = start.rotate.as_ref().map(|turn| (turn.axis.unit(), turn.degrees.to_radians()));
    let moved = start.scale != 1.0 || turn.is_some() || start.translate != Point::ZERO;
    for (index, x) in positions.iter_mut().enumerate() {
        if moved {
            let mut arm = (*x - middle) * start.scale;
            if let Some((axis, angle)) = turn {
                // Rodrigues' rotation
                let (sin, cos) = libm::sincos(angle);
                arm = arm * cos + axis.cross(arm) * sin + axis * (axis.dot(arm) * (1.0 - cos));
            }
            *x = middle + arm + start.translate;
        }
        if start.noise > 0.0 {
            let key = mix(u64::from(start.seed) << 32 ^ index as u64);
            let signed = |axis: u64| (mix(key ^ axis) >> 11) as f64 / (1u64 << 52) as f64 - 1.0;
            *x += Point::new(signed(1), signed(2), signed(3)) * start.noise;
        }
    }
}

/// For attractors: the particles of a body, or of a group of it.
pub(super) fn particles_of(
    compiled: &Compiled,
    body: Option<&str>,
    group: Option<&str>,
    spot: Place,
    sink: &mut Sink,
) -> Option<Vec<u32>> {
    let bodies: Vec<&BodyParts> = match body {
        Some(name) => compiled.bodies.iter().filter(|body| body.name == name).collect(),
        None => compiled.bodies.iter().collect(),
    };
    if let (Some(name), []) = (body, &bodies[..]) {
        let names: Vec<_> = compiled.bodies.iter().map(|body| body.name.as_str()).collect();
        let hint =
            nearest(name, names).map_or(String::new(), |near| format!("; did you mean {near:?}?"));
        sink.error_in(spot, "body", format!("there is no body {name:?}{hint}"));
        return None;
    }
    let Some(name) = group else {
        return Some(bodies.into_iter().flat_map(|body| body.particles.clone()).collect());
    };
    let having: Vec<_> = bodies.iter().filter_map(|body| body.group(name)).collect();
    if having.is_empty() {
        // The last body's groups are those the message can compare with.
        let groups = bodies.last().map(|body| body.groups.clone()).unwrap_or_default();
        groups.find(name, spot, "group", sink)?;
    }
    Some(having.concat())
}
