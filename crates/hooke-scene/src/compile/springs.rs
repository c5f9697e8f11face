//! The springs of a body: its families with the materials of groups, single springs, elements of
//! any law.

use super::deformable::Parts;
use super::groups::{Groups, no_vertex};
use super::shape::FAMILIES;
use crate::format::{Element, Family};
use crate::problem::{Sink, SourceOffset};
use crate::words::{count, hint, number};
use hooke::laws::{self, LAWS, LawInfo};
use hooke::model::{SpringFamily, Stiffness};
use std::collections::{HashMap, HashSet};

/// What a group says about springs instead of the body.
struct OfGroup {
    source_offset: SourceOffset,
    /// Ascending.
    vertices: Vec<u32>,
    families: [Option<SpringFamily>; 3],
    /// How many springs of each family lie inside, and how many of them it was taken for.
    inside: [usize; 3],
    taken: [usize; 3],
}

impl Parts<'_> {
    /// The springs of the body's families, with what groups say instead.
    pub(super) fn families(&mut self, groups: &Groups) {
        let mut materials = self.materials(groups);
        let of_body = [&self.body.structural, &self.body.shear, &self.body.bend];
        let springs = std::mem::take(&mut self.shape.springs);
        for (index, springs) in springs.iter().enumerate() {
            let family = of_body[index].as_ref();
            let links = self.material.links.filter(|_| index == 0);
            if family.is_none() && links.is_none() {
                continue;
            }
            if springs.is_empty() {
                self.sink.warning_in(
                    self.body.source_offset,
                    FAMILIES[index],
                    "makes no spring in this body",
                );
            }
            let whole = family.and_then(|family| coefficients(family, self.sink)).or(links);
            let Some(whole) = whole else { continue };
            for &[i, j] in springs {
                let ends = [self.first + i, self.first + j];
                let mut own = None;
                for material in &mut materials {
                    let Some(family) = material.families[index] else { continue };
                    if ends.iter().all(|end| material.vertices.binary_search(end).is_ok()) {
                        material.inside[index] += 1;
                        material.taken[index] += usize::from(own.is_none());
                        own = own.or(Some(family));
                    }
                }
                if !self.spring(ends, own.unwrap_or(whole), None, FAMILIES[index]) {
                    break;
                }
            }
        }
        self.shape.springs = springs;
        for material in &materials {
            self.tell_idle(material);
        }
    }

    /// What groups say about springs.
    fn materials(&mut self, groups: &Groups) -> Vec<OfGroup> {
        let mut out = Vec::new();
        for material in &self.body.materials {
            let source_offset = material.source_offset;
            let Some(group) = groups.find(&material.group, source_offset, "group", self.sink)
            else {
                continue;
            };
            let given = [&material.structural, &material.shear, &material.bend];
            if given.iter().all(|family| family.is_none()) {
                self.sink.warning_in(
                    source_offset,
                    "",
                    "has no effect: it says nothing about any springs",
                );
            }
            let families = given.map(|family| coefficients(family.as_ref()?, self.sink));
            let vertices = group.to_vec();
            out.push(OfGroup { source_offset, vertices, families, inside: [0; 3], taken: [0; 3] });
        }
        out
    }

    /// Warns about values of a material without effect.
    fn tell_idle(&mut self, material: &OfGroup) {
        let has = [&self.body.structural, &self.body.shear, &self.body.bend].map(Option::is_some);
        for (index, name) in FAMILIES.into_iter().enumerate() {
            if material.families[index].is_none() || material.taken[index] > 0 {
                continue;
            }
            let why = if !has[index] {
                format!("the deformable has no {name} springs")
            } else if material.inside[index] == 0 {
                format!("no {name} spring has both its vertices in the group")
            } else {
                format!("materials before it have the {name} springs of the group")
            };
            self.sink.warning_in(material.source_offset, name, format!("has no effect: {why}"));
        }
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
                self.sink.error_in(self.body.source_offset, tail, invalid.to_string());
                false
            }
        }
    }

    /// Single springs, in their order.
    pub(super) fn springs(&mut self) {
        if self.body.springs.is_empty() {
            return;
        }
        let vertices = self.shape.positions.len();
        let key = |[i, j]: [u32; 2]| [i.min(j), i.max(j)];
        let mut seen: HashMap<[u32; 2], Option<usize>> =
            self.shape.springs.iter().flatten().map(|ends| (key(*ends), None)).collect();
        for (index, spring) in self.body.springs.iter().enumerate() {
            let [i, j] = spring.between;
            if let Some(end) = [i, j].into_iter().position(|vertex| vertex as usize >= vertices) {
                let sentence = no_vertex(spring.between[end], vertices);
                self.sink.error_in(spring.source_offset, format!("between[{end}]"), sentence);
                continue;
            }
            if i == j {
                self.sink.error_in(
                    spring.source_offset,
                    "between",
                    format!("joins vertex {i} to itself"),
                );
                continue;
            }
            if let Some(earlier) = seen.insert(key([i, j]), Some(index)) {
                let earlier = earlier
                    .map_or("a spring of the deformable".into(), |n| format!("springs[{n}]"));
                let sentence = format!("joins the same vertices as {earlier}; both are kept");
                self.sink.warning_in(spring.source_offset, "between", sentence);
            }
            let Some(family) = coefficients(&spring.family, self.sink) else { continue };
            if self.shape.positions[i as usize] == self.shape.positions[j as usize] {
                let mut sentence = format!("vertices {i} and {j} rest at the same position");
                let needs_length = !matches!(family.stiffness, Stiffness::PerLength(_));
                if needs_length && spring.rest_length.is_none_or(|length| length == 0.0) {
                    let who = match family.stiffness {
                        Stiffness::Compliance(_) => "a rod",
                        _ => "strain",
                    };
                    sentence.push_str(&format!("; {who} needs a rest_length > 0"));
                    self.sink.error_in(spring.source_offset, "between", sentence);
                    continue;
                }
                self.sink.warning_in(spring.source_offset, "between", sentence);
            }
            let ends = [self.first + i, self.first + j];
            self.spring(ends, family, spring.rest_length, &format!("springs[{index}]"));
        }
    }

    /// Elements of any law, in their order.
    pub(super) fn elements(&mut self) {
        let mut seen: HashMap<(&str, Vec<u32>), usize> = HashMap::new();
        for (index, element) in self.body.elements.iter().enumerate() {
            let Some(law) = laws::find(&element.law) else {
                let hint = hint(&element.law, LAWS.iter().map(|law| law.name));
                let sentence = format!("there is no law {:?}{hint}", element.law);
                self.sink.error_in(element.source_offset, "law", sentence);
                continue;
            };
            if let Some((tail, sentence)) = unfit(element, law, self.shape.positions.len()) {
                self.sink.error_in(element.source_offset, tail, sentence);
                continue;
            }
            let mut key = element.corners.clone();
            key.sort_unstable();
            if let Some(earlier) = seen.insert((law.name, key), index) {
                let sentence =
                    format!("has the law and the corners of elements[{earlier}]; both are kept");
                self.sink.warning_in(element.source_offset, "", sentence);
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
                Err(invalid) => self.sink.error(element.source_offset, invalid.to_string()),
            }
        }
    }
}

/// A family's coefficients, or a message.
fn coefficients(family: &Family, sink: &mut Sink) -> Option<SpringFamily> {
    family.coefficients().map_err(|sentence| sink.error(family.source_offset, sentence)).ok()
}

/// What about an element does not fit its law or its body: which field, and why.
fn unfit(element: &Element, law: &LawInfo, vertices: usize) -> Option<(String, String)> {
    let name = law.name;
    let corners = element.corners.len();
    let more = law.more_corners && corners > law.corners;
    let wanted = match more {
        true if law.surface => [corners, law.rest_values],
        true => [corners; 2],
        false => [law.corners, law.rest_values],
    };
    let rest = element.rest.as_ref().map_or(wanted[1], Vec::len);
    for (field, given, wanted, [one, many]) in [
        ("corners", corners, wanted[0], ["corner", "corners"]),
        ("material", element.material.len(), law.params.len(), ["value", "values"]),
        ("rest", rest, wanted[1], ["value", "values"]),
    ] {
        if given != wanted {
            let wanted = count(wanted as u64, one, many);
            return Some((
                field.into(),
                format!("must be {wanted} for the law {name} (got {given})"),
            ));
        }
    }
    let mut seen = HashSet::new();
    for (index, corner) in element.corners.iter().enumerate() {
        let tail = format!("corners[{index}]");
        if *corner as usize >= vertices {
            return Some((tail, no_vertex(*corner, vertices)));
        }
        // Triangles of a surface share their vertices.
        if !law.surface && !seen.insert(*corner) {
            return Some((tail, format!("names vertex {corner} twice")));
        }
    }
    for (index, (value, param)) in element.material.iter().zip(law.params).enumerate() {
        let bounds = crate::field::of(*param);
        if !bounds.contains(*value) {
            let (what, value) = (param.name, number(*value));
            let sentence = format!("the {what} must be {bounds} (got {value})");
            return Some((format!("material[{index}]"), sentence));
        }
    }
    None
}
