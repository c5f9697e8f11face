//! Where and how fast a body starts.

use super::deformable::Parts;
use crate::format::Start;
use crate::limits::REACH;
use crate::words::{count, number};
use hooke::Vec3;
use hooke::math::noise::mix;

impl Parts<'_> {
    /// Where and how fast the vertices start.
    pub(super) fn start(&mut self) {
        let vertices = self.shape.positions.len();
        let mut positions = self.shape.positions.clone();
        let mut velocities = vec![Vec3::ZERO; vertices];
        if let Some(start) = &self.body.start {
            let lists = [("positions", &start.positions), ("velocities", &start.velocities)];
            for (field, list) in lists {
                if let Some(given) = list.as_ref().map(Vec::len).filter(|given| *given != vertices)
                {
                    let wanted = count(vertices as u64, "entry", "entries");
                    let sentence = format!("must have {wanted}, one for each vertex (got {given})");
                    return self.sink.error_in(start.source_offset, field, sentence);
                }
            }
            if let Some(given) = &start.positions {
                positions.clone_from(given);
            }
            if start.rotate.as_ref().is_some_and(|rotation| rotation.axis == Vec3::ZERO) {
                return self.sink.error_in(start.source_offset, "rotate.axis", "must not be zero");
            }
            location(start, &mut positions);
            if let Some((vertex, sentence)) = out_of_reach(&positions) {
                let sentence = format!("vertex {vertex} starts {sentence}");
                return self.sink.error_in(self.body.source_offset, "start", sentence);
            }
            velocities.fill(start.velocity);
            if let Some(given) = &start.velocities {
                velocities.clone_from(given);
            }
        }
        self.compiled.start.positions.extend(positions);
        self.compiled.start.velocities.extend(velocities);
    }
}

/// Scales, turns, moves and disturbs a body.
fn location(start: &Start, positions: &mut [Vec3]) {
    let count = positions.len().max(1) as f64;
    let mut middle = Vec3::ZERO;
    for x in &*positions {
        middle += *x * (1.0 / count);
    }
    let rotation =
        start.rotate.as_ref().map(|rotation| (rotation.axis.unit(), rotation.degrees.to_radians()));
    let moved = start.scale != 1.0 || rotation.is_some() || start.translate != Vec3::ZERO;
    for (index, x) in positions.iter_mut().enumerate() {
        if moved {
            let mut arm = (*x - middle) * start.scale;
            if let Some((axis, angle)) = rotation {
                // Rodrigues' rotation
                let (sin, cos) = libm::sincos(angle);
                arm = arm * cos + axis.cross(arm) * sin + axis * (axis.dot(arm) * (1.0 - cos));
            }
            *x = middle + arm + start.translate;
        }
        if start.noise > 0.0 {
            let key = mix(u64::from(start.seed) << 32 ^ index as u64);
            let signed = |axis: u64| (mix(key ^ axis) >> 11) as f64 / (1u64 << 52) as f64 - 1.0;
            *x += Vec3::new(signed(1), signed(2), signed(3)) * start.noise;
        }
    }
}

/// The first vertex that is farther away than a run may go, and how far that is.
pub(super) fn out_of_reach(positions: &[Vec3]) -> Option<(usize, String)> {
    let far = |x: &Vec3| !x.to_array().iter().all(|value| value.abs() <= REACH);
    let vertex = positions.iter().position(far)?;
    Some((vertex, format!("farther than {} m from the origin", number(REACH))))
}
