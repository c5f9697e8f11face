//! Deformables that intersect at the start: the engine keeps apart what is apart, so they are refused.

use super::Compiled;
use crate::format::Document;
use crate::problem::Sink;
use crate::words::short;
use hooke::Intersection;

/// Refuses deformables that touch each other, or themselves, and intersect at the start.
pub(super) fn refuse(document: &Document, compiled: &Compiled, sink: &mut Sink) {
    if sink.failed() {
        return;
    }
    let found = compiled.model.intersections(&compiled.start.positions, 1);
    let Some(Intersection { edge, triangle, at }) = found.first.first() else { return };
    let of = |particle: u32| {
        compiled.deformables.iter().position(|body| body.particles.contains(&particle)).unwrap_or(0)
    };
    // A place in the file says what it is; a name does not.
    let name = |body: usize, noun: &str| match compiled.deformables[body].name.as_str() {
        "" => format!("deformables[{body}]"),
        name => format!("{noun}'{name}'"),
    };
    let (own, other) = (of(edge[0]), of(triangle[0]));
    let who = match own == other {
        true => format!("{} intersects itself", name(own, "deformable ")),
        false => format!("{} and {} intersect", name(own, "deformables "), name(other, "")),
    };
    let [p, q] = edge.map(|particle| particle - compiled.deformables[own].particles.start);
    let [a, b, c] = triangle.map(|particle| particle - compiled.deformables[other].particles.start);
    // To the micrometer.
    let rounded = |x: f64| (1e6 * x).round() / 1e6;
    let signed = |x: f64| format!("{}{}", if x < 0.0 { "-" } else { "" }, short(x.abs()));
    let [x, y, z] = at.to_array().map(rounded).map(signed);
    let more = match found.count - 1 {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    let what = match own == other {
        true => "change its start, or set its self_contact = false",
        false => "move them apart, or set world.contact_between = false",
    };
    let sentence = format!(
        "{who} at the start: edge {p}–{q} goes through triangle {a}-{b}-{c} at ({x}, {y}, {z}){more}; {what}"
    );
    sink.error(document.deformables[own].source_offset, sentence);
}
