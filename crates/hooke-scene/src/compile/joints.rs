//! Joints between rigid bodies, or a rigid body and the world.

use super::{Compiled, RigidParts};
use crate::format::{Document, RigidJoint};
use crate::problem::Sink;
use crate::words::{count, hint};
use hooke::Vec3;
use hooke::model::RigidBodyId;
use hooke::rigid::{Joint, JointKind, RigidBodyMethod};
use std::collections::HashMap;

/// Adds the joints.
pub(super) fn add(document: &Document, compiled: &mut Compiled, sink: &mut Sink) {
    let matched = document.rigid_method.chosen.name == RigidBodyMethod::ShapeMatching;
    if let Some(joint) = document.joints.first().filter(|_| matched) {
        let sentence = "shape matching has no joints; use rigid_method.name = \"impulse\"";
        sink.error(joint.source_offset, sentence);
        return;
    }
    let rigid = std::mem::take(&mut compiled.rigid);
    let named: Named<'_> = rigid.iter().rev().map(|parts| (parts.name.as_str(), parts)).collect();
    for joint in &document.joints {
        for pair in pairs(joint, &named, sink).unwrap_or_default() {
            let Some(built) = build(joint, pair, compiled, sink) else { break };
            if let Err(invalid) = compiled.model.add_joint(built) {
                sink.error(joint.source_offset, invalid.to_string());
                break;
            }
        }
    }
    drop(named);
    compiled.rigid = rigid;
}

/// The rigid bodies by their names; the first of a name counts.
type Named<'a> = HashMap<&'a str, &'a RigidParts>;

/// The bodies that a joint joins.
fn pairs(joint: &RigidJoint, named: &Named<'_>, sink: &mut Sink) -> Option<Vec<[Option<u32>; 2]>> {
    if let Some(name) = &joint.row {
        let Some(parts) = named.get(name.as_str()) else {
            unknown(name, "row", joint, named, sink);
            return None;
        };
        if parts.rigid_bodies.len() < 2 {
            sink.error_in(
                joint.source_offset,
                "row",
                format!("{name:?} is one body; a row has more"),
            );
            return None;
        }
        let next = |body: u32| [Some(body), Some(body + 1)];
        return Some((parts.rigid_bodies.start..parts.rigid_bodies.end - 1).map(next).collect());
    }
    let names = joint.between.as_deref().unwrap_or_default();
    if !(1..=2).contains(&names.len()) {
        let given = count(names.len() as u64, "name", "names");
        let sentence = format!("takes two names, or one for a joint with the world (got {given})");
        sink.error_in(joint.source_offset, "between", sentence);
        return None;
    }
    let mut found = [None; 2];
    for (k, name) in names.iter().enumerate() {
        found[k] = Some(find(name, &format!("between[{k}]"), joint, named, sink)?);
    }
    if found[0] == found[1] {
        sink.error_in(joint.source_offset, "between", "names the same body twice");
        return None;
    }
    Some(vec![found])
}

/// A body by its name; one of those that are repeated by `name[3]`.
fn find(
    name: &str,
    field: &str,
    joint: &RigidJoint,
    named: &Named<'_>,
    sink: &mut Sink,
) -> Option<u32> {
    let numbered = name.strip_suffix(']').and_then(|name| name.rsplit_once('['));
    let (own, number) = match numbered.map(|(own, number)| (own, number.parse::<u32>())) {
        Some((own, Ok(number))) => (own, Some(number)),
        _ => (name, None),
    };
    let Some(parts) = named.get(own).filter(|_| !own.is_empty()) else {
        unknown(own, field, joint, named, sink);
        return None;
    };
    let rigid_bodies = parts.rigid_bodies.len() as u32;
    match number {
        None if rigid_bodies > 1 => {
            let sentence =
                format!("there are {rigid_bodies} of {own:?}; name one, such as \"{own}[0]\"");
            sink.error_in(joint.source_offset, field, sentence);
            None
        }
        Some(number) if number >= rigid_bodies => {
            let rigid_bodies = count(u64::from(rigid_bodies), "body", "bodies");
            let sentence =
                format!("there is no {name:?}: {own:?} is {rigid_bodies}, counted from 0");
            sink.error_in(joint.source_offset, field, sentence);
            None
        }
        number => Some(parts.rigid_bodies.start + number.unwrap_or(0)),
    }
}

fn unknown(name: &str, field: &str, joint: &RigidJoint, named: &Named<'_>, sink: &mut Sink) {
    if sink.enough() {
        return;
    }
    let mut known: Vec<_> = named.values().collect();
    known.sort_by_key(|parts| parts.rigid_bodies.start);
    let hint = hint(name, known.iter().map(|parts| parts.name.as_str()));
    sink.error_in(joint.source_offset, field, format!("there is no rigid body {name:?}{hint}"));
}

/// A joint as the engine takes it, or a message.
fn build(
    joint: &RigidJoint,
    pair: [Option<u32>; 2],
    compiled: &Compiled,
    sink: &mut Sink,
) -> Option<Joint> {
    let center = |body: Option<u32>| {
        let moving = compiled.start.rigid_bodies.get(body? as usize)?;
        Some(moving.pose.position)
    };
    let [first, second] = pair.map(center);
    let first = first?;
    let radians = |limits: Option<[f64; 2]>| limits.map(|all| all.map(f64::to_radians));
    let (axis, kind, source_offset) = if let Some(ball) = &joint.ball {
        (ball.axis, JointKind::Ball { swing: ball.swing.map(f64::to_radians) }, ball.source_offset)
    } else if let Some(hinge) = &joint.hinge {
        (hinge.axis, JointKind::Hinge { range: radians(hinge.limits) }, hinge.source_offset)
    } else if let Some(slider) = &joint.slider {
        (slider.axis, JointKind::Slider { range: slider.limits }, slider.source_offset)
    } else {
        let distance = joint.distance.as_ref()?;
        if joint.at.is_some() {
            sink.error_in(
                joint.source_offset,
                "at",
                "requires ball, hinge or slider; a distance has from and to",
            );
            return None;
        }
        if joint.row.is_some() && (distance.from.is_some() || distance.to.is_some()) {
            sink.error(
                distance.source_offset,
                "joins the centers of a row; from and to go with between",
            );
            return None;
        }
        let Some(to) = distance.to.or(second) else {
            sink.error_in(
                distance.source_offset,
                "to",
                "is missing: where the joint holds the world",
            );
            return None;
        };
        let anchors = [distance.from.unwrap_or(first), to];
        let length = (anchors[0] - anchors[1]).norm();
        let range = distance.limits.unwrap_or([length; 2]);
        let kind = JointKind::Distance { range };
        let touch = joint.touch;
        if range[0] > range[1] {
            sink.error_in(
                distance.source_offset,
                "limits",
                "must go from a lesser to a greater distance",
            );
            return None;
        }
        return Some(Joint {
            bodies: pair.map(|body| body.map(RigidBodyId::new)),
            anchors,
            axis: Vec3::AXES[1],
            kind,
            touch,
        });
    };
    if axis.unit() == Vec3::ZERO {
        sink.error_in(source_offset, "axis", "must not be zero");
        return None;
    }
    if let JointKind::Hinge { range: Some([low, high]) }
    | JointKind::Slider { range: Some([low, high]) } = kind
        && low > high
    {
        sink.error_in(source_offset, "limits", "must go from a lesser to a greater one");
        return None;
    }
    if joint.row.is_some() && joint.at.is_some() {
        sink.error_in(joint.source_offset, "at", "requires between; a row is joined midway");
        return None;
    }
    let midway = second.map_or(first, |second| first.lerp(second, 0.5));
    let at = joint.at.unwrap_or(midway);
    Some(Joint {
        touch: joint.touch,
        ..Joint::new(pair.map(|body| body.map(RigidBodyId::new)), at, axis, kind)
    })
}
