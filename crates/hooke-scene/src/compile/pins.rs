//! What of a body is held, and how.

use super::deformable::Parts;
use super::groups::Groups;
use crate::format::{How, Pin};
use crate::problem::Sink;
use hooke::Vec3;
use hooke::laws::{Attachment, Law};
use hooke::model::Motion;
use std::collections::HashMap;
use std::sync::Arc;

impl Parts<'_> {
    /// What is held.
    pub(super) fn pins(&mut self, groups: &Groups) {
        let mut pinned: HashMap<u32, usize> = HashMap::new();
        for (index, pin) in self.body.pins.iter().enumerate() {
            let (group, at) = (pin.group.as_deref(), pin.at.as_ref());
            let chosen = groups.chosen(group, at, self.range(), pin.source_offset, self.sink);
            let Some(axes) = axes(pin, self.sink) else { continue };
            let track = match &pin.keyframes {
                Some(keyframes) => match keyframes.track(self.sink) {
                    None => continue,
                    track => track.map(Arc::new),
                },
                None => None,
            };
            let rotation = match &pin.rotation_keyframes {
                Some(rotation) => match rotation.rotate(Vec3::ZERO, self.sink) {
                    None => continue,
                    rotation => rotation.map(Arc::new),
                },
                None => None,
            };
            for particle in chosen.unwrap_or_default() {
                let home = self.compiled.start.positions.get(particle as usize);
                let home = home.copied().unwrap_or(Vec3::ZERO);
                let motion = match &track {
                    Some(track) => Motion::along(Arc::clone(track)).shifted(home),
                    None => Motion::still(home),
                };
                let motion = match &rotation {
                    Some(rotation) => motion.rotated(Arc::clone(rotation)),
                    None => motion,
                };
                if let Some(earlier) = pinned.insert(particle, index) {
                    let vertex = particle - self.first;
                    let sentence = format!("vertex {vertex} is already pinned by pins[{earlier}]");
                    self.sink.error(pin.source_offset, sentence);
                    break;
                }
                let model = &mut self.compiled.model;
                let result = match pin.how {
                    How::Hard => model.pin(particle, axes, motion).map(drop),
                    How::Penalty => {
                        let stiffness = pin.stiffness.unwrap_or(Attachment::PARAMS[0].default);
                        let placed = &mut self.compiled.placed;
                        model.add_anchor(motion).and_then(|location| {
                            let element = model.attach(particle, location, stiffness)?;
                            placed.push((element, location));
                            Ok(())
                        })
                    }
                };
                if let Err(invalid) = result {
                    self.sink.error(pin.source_offset, invalid.to_string());
                    break;
                }
            }
        }
    }
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
        sink.error_in(pin.source_offset, "axes", sentence);
        return None;
    }
    if pin.how == How::Penalty && axes != [true; 3] {
        sink.error_in(
            pin.source_offset,
            "axes",
            "a pin by penalty holds x, y and z; use how = \"hard\"",
        );
        return None;
    }
    if pin.how == How::Hard && pin.stiffness.is_some() {
        sink.error_in(pin.source_offset, "stiffness", "requires how = \"penalty\"");
        return None;
    }
    Some(axes)
}
