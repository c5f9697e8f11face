//! The forces of pins in a position-based step: `m (x − y)/h² − Σ ∇C λ/h²` at each pin.

use super::projection::{BatchRows, Projector};
use crate::compute::{At, DistanceConstraints};
use crate::math::Vec3;
use crate::model::Model;
use crate::report::StepReport;

/// The elements at pins.
#[derive(Default)]
pub(super) struct Pinned {
    /// The pin of each particle, `NONE` for none.
    of: Vec<u32>,
    links: Vec<(u32, [u32; 2])>,
    /// Indices into `Projector::batches`, and elements.
    elements: Vec<(usize, u32)>,
}

const NONE: u32 = u32::MAX;

impl Pinned {
    pub(super) fn prepare(
        &mut self,
        model: &Model,
        links: &DistanceConstraints,
        batches: &[BatchRows],
    ) {
        *self = Self::default();
        if model.pins().is_empty() {
            return;
        }
        self.of = vec![NONE; model.particles()];
        for (k, pin) in model.pins().iter().enumerate() {
            self.of[pin.particle.index()] = k as u32;
        }
        let pinned = |corner: &u32| self.of[*corner as usize] != NONE;
        let ends = (0..).zip(links.ends());
        self.links = ends.filter(|(_, ends)| ends.iter().any(pinned)).collect();
        for (index, rows) in batches.iter().enumerate() {
            let batch = model.elements()[rows.batch].as_ref();
            let own = (0..batch.len()).filter(|&e| batch.corners(e).iter().any(pinned));
            self.elements.extend(own.map(|e| (index, e as u32)));
        }
    }
}

impl Projector {
    /// Records the forces of the pins: the force for their motion minus that of the rows.
    pub(super) fn react(&self, model: &Model, report: &mut StepReport) {
        let pins = model.pins();
        for (pin, reaction) in pins.iter().zip(&mut report.reactions) {
            let i = pin.particle.index();
            *reaction = (self.x[i] - self.y[i]) * (self.masses[i] * self.by);
        }
        let mut take = |corner: u32, pull: Vec3| {
            let pin = self.pins.of[corner as usize] as usize;
            if let Some(reaction) = report.reactions.get_mut(pin) {
                *reaction -= pull * self.by;
            }
        };
        for &(link, [i, j]) in &self.pins.links {
            let pull = self.links.pull(link as usize, &self.x);
            take(i, pull);
            take(j, -pull);
        }
        let at = At { x: &self.x, anchors: &self.anchors };
        for &(index, e) in &self.pins.elements {
            let rows = &self.batches[index];
            let (e, k) = (e as usize, rows.rows);
            let lambda = &rows.lambda[e * k..(e + 1) * k];
            model.elements()[rows.batch].pull(e, at, lambda, &mut take);
        }
        if !self.pins.of.is_empty() {
            self.dampers.pulls(take);
        }
        for (pin, reaction) in pins.iter().zip(&mut report.reactions) {
            for axis in (0..3).filter(|&axis| !pin.axes[axis]) {
                reaction[axis] = 0.0;
            }
        }
    }
}
