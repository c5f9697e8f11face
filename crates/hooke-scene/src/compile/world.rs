//! What is around all bodies: gravity, air, water, attractors, the limit of strain.

use super::shape::Size;
use super::{Compiled, Counts, DeformableParts};
use crate::format::{self, Attraction, Attractor, Document, StrainLimit, Water};
use crate::problem::{Sink, SourceOffset};
use crate::words::hint;
use hooke::Vec3;
use hooke::laws::{self, Attractor as AttractorLaw, Buoyancy, Law, LinearAttractor};
use hooke::model::{self, Air, GlobalDamping, Gust, PinEnforcement};

/// Adds everything around the bodies.
pub(super) fn add(
    document: &Document,
    compiled: &mut Compiled,
    counts: &mut Counts<'_>,
    sink: &mut Sink,
) {
    let whole = !sink.failed();
    let world = &document.world;
    let model = &mut compiled.model;
    if let Err(invalid) = model.set_gravity(world.gravity) {
        sink.error_in(world.source_offset, "gravity", invalid.to_string());
    }
    if let Some(Err(invalid)) =
        world.contact_stiffness.map(|stiffness| model.set_contact_stiffness(Some(stiffness)))
    {
        sink.error_in(world.source_offset, "contact_stiffness", invalid.to_string());
    }
    model.set_contact_between(world.contact_between);
    model.set_check_intersections(world.check_intersections);
    if world.pins == format::PinEnforcement::ForceCancellation {
        model.set_pin_enforcement(PinEnforcement::Cancellation);
    }
    if let Some(global_damping) = &world.global_damping {
        let factor = global_damping.factor.map(GlobalDamping::Factor);
        if let Err(invalid) =
            model.set_global_damping(factor.or(global_damping.rate.map(GlobalDamping::Rate)))
        {
            sink.error(global_damping.source_offset, invalid.to_string());
        }
    }
    if let Some(wind) = &world.wind {
        let gust = wind.gust.as_ref().map(|gust| Gust {
            strength: gust.strength,
            length: gust.length,
            period: gust.period,
            seed: u64::from(gust.seed),
        });
        let mean = wind.velocity.motion(sink);
        if let Some(Err(invalid)) = mean.map(|mean| model.set_air(Air { mean, gust })) {
            sink.error_in(wind.source_offset, "velocity", invalid.to_string());
        }
        if document.deformables.iter().all(|body| body.wind.is_none()) {
            sink.warning_in(wind.source_offset, "", "blows on nothing: no body has wind");
        }
    }
    if let Some(water) = &world.water {
        fill(water, document, compiled, sink);
    }
    for attractor in &document.attractors {
        if !count(attractor, compiled, counts, sink) {
            return;
        }
    }
    // Where a body could not be built, its name and groups are not known.
    for attractor in document.attractors.iter().filter(|_| whole) {
        attract(attractor, compiled, sink);
    }
    if let Some(limit) = &document.strain_limit {
        confine(limit, compiled, sink);
    }
}

/// Limits the strain of springs and membranes.
fn confine(limit: &StrainLimit, compiled: &mut Compiled, sink: &mut Sink) {
    let given = model::StrainLimit {
        min: limit.min,
        max: limit.max,
        iterations: limit.iterations,
        order: limit.order,
    };
    if let Err(invalid) = compiled.model.set_limit(Some(given)) {
        return sink.error_in(limit.source_offset, "min", invalid.to_string());
    }
    if !compiled.model.elements().iter().any(|batch| batch.law().stretches) {
        sink.warning_in(
            limit.source_offset,
            "",
            "limits nothing: there are no springs and no membranes",
        );
    }
}

/// Buoyancy on every particle with volume.
fn fill(water: &Water, document: &Document, compiled: &mut Compiled, sink: &mut Sink) {
    let gravity = document.world.gravity;
    if gravity.x != 0.0 || gravity.z != 0.0 || gravity.y > 0.0 {
        return sink.error_in(water.source_offset, "", "needs gravity straight down, along −y");
    }
    if gravity == Vec3::ZERO {
        return sink.warning_in(water.source_offset, "", "lifts nothing: there is no gravity");
    }
    let mut volumes = compiled.model.volumes();
    for (body, parts) in document.deformables.iter().zip(&compiled.deformables) {
        let own = parts.particles.start as usize..parts.particles.end as usize;
        if let (Some(volume), Some(volumes)) = (body.volume, volumes.get_mut(own)) {
            let count = volumes.len().max(1) as f64;
            volumes.fill(volume / count);
        }
    }
    if volumes.iter().all(|volume| *volume == 0.0) {
        return sink.warning_in(
            water.source_offset,
            "",
            "lifts nothing: no body has tetrahedra or a volume",
        );
    }
    let law = laws::info::<Buoyancy, 1, 1, 3>();
    let material = [water.density * gravity.norm(), water.level, water.depth];
    for (particle, volume) in (0u32..).zip(volumes).filter(|(_, volume)| *volume > 0.0) {
        let added = compiled.model.add_element(&law, &[particle], Some(&[volume]), &material);
        if let Err(invalid) = added {
            return sink.error(water.source_offset, invalid.to_string());
        }
    }
}

/// Counts the elements of an attractor; `false` where there are too many.
fn count(attractor: &Attractor, compiled: &Compiled, counts: &mut Counts, sink: &mut Sink) -> bool {
    let named =
        |body: &&DeformableParts| attractor.body.as_ref().is_none_or(|name| body.name == *name);
    let chosen = |body: &DeformableParts| match &attractor.group {
        Some(group) => body.group(group).map_or(0, <[u32]>::len),
        None => body.particles.len(),
    };
    let pulled: usize = compiled.deformables.iter().filter(named).map(chosen).sum();
    counts.choose(compiled.deformables.len() as u64, 1, attractor.source_offset, sink)
        && counts.add(
            Size { elements: pulled as u64, ..Size::default() },
            attractor.source_offset,
            sink,
        )
}

/// An attractor.
fn attract(attractor: &Attractor, compiled: &mut Compiled, sink: &mut Sink) {
    let (body, group) = (attractor.body.as_deref(), attractor.group.as_deref());
    let Some(chosen) = particles_of(compiled, body, group, attractor.source_offset, sink) else {
        return;
    };
    let (law, material) = match attractor.law {
        Attraction::Softened => {
            let softening = attractor.softening.unwrap_or(AttractorLaw::PARAMS[1].default);
            (laws::info::<AttractorLaw, 1, 4, 2>(), vec![attractor.strength, softening])
        }
        Attraction::Linear if attractor.softening.is_some() => {
            return sink.error_in(
                attractor.source_offset,
                "softening",
                "requires law = \"attractor\"",
            );
        }
        Attraction::Linear => (laws::info::<LinearAttractor, 1, 3, 1>(), vec![attractor.strength]),
    };
    let Some(motion) = attractor.position.motion(sink) else { return };
    let location = match compiled.model.add_anchor(motion) {
        Ok(location) => location,
        Err(invalid) => {
            return sink.error_in(attractor.source_offset, "position", invalid.to_string());
        }
    };
    for particle in chosen {
        match compiled.model.add_anchored(&law, particle, location, &material) {
            Ok(element) => compiled.placed.push((element, location)),
            Err(invalid) => return sink.error(attractor.source_offset, invalid.to_string()),
        }
    }
}

/// The particles of a body, or of a group of it.
fn particles_of(
    compiled: &Compiled,
    body: Option<&str>,
    group: Option<&str>,
    source_offset: SourceOffset,
    sink: &mut Sink,
) -> Option<Vec<u32>> {
    let bodies: Vec<&DeformableParts> = match body {
        Some(name) => compiled.deformables.iter().filter(|body| body.name == name).collect(),
        None => compiled.deformables.iter().collect(),
    };
    if let (Some(name), []) = (body, &bodies[..]) {
        let hint = hint(name, compiled.deformables.iter().map(|body| body.name.as_str()));
        sink.error_in(source_offset, "body", format!("there is no body {name:?}{hint}"));
        return None;
    }
    let Some(name) = group else {
        return Some(bodies.into_iter().flat_map(|body| body.particles.clone()).collect());
    };
    let having: Vec<_> = bodies.iter().filter_map(|body| body.group(name)).collect();
    if having.is_empty() {
        // The last body's groups are those the message can compare with.
        let groups = bodies.last().map(|body| body.groups.clone()).unwrap_or_default();
        groups.find(name, source_offset, "group", sink)?;
    }
    Some(having.concat())
}
