//! What contacts between surfaces remember from step to step.

use super::SurfaceContacts;
use super::closest_points::{Features, Kind};

impl SurfaceContacts {
    /// Appends what survives a step: the pairs that were hardened.
    pub(crate) fn save(&self, memory: &mut Vec<f64>) {
        memory.push(self.hardened.len() as f64);
        for (features, times) in &self.hardened {
            memory.push(f64::from(features.kind as u8));
            memory.extend(features.vertices.map(f64::from));
            memory.push(f64::from(*times));
        }
    }

    /// Takes back what [`SurfaceContacts::save`] wrote, and returns what follows it.
    pub(crate) fn restore<'a>(&mut self, memory: &'a [f64]) -> &'a [f64] {
        self.hardened.clear();
        let Some((&count, rest)) = memory.split_first() else { return &[] };
        let Some((own, rest)) = rest.split_at_checked(6 * count as usize) else { return &[] };
        self.hardened.extend(own.as_chunks::<6>().0.iter().map(|&[kind, a, b, c, d, times]| {
            let kind = match kind as u8 {
                0 => Kind::PointTriangle,
                1 => Kind::EdgeEdge,
                _ => Kind::PointEdge,
            };
            (Features { kind, vertices: [a, b, c, d].map(|i| i as u32) }, times as u32)
        }));
        rest
    }
}
