//! The compliance of rigid bodies at their contacts with particles.

use super::Contacts;
use crate::math::Vec3;
use crate::step_context::StepContext;

/// The factor by which the compliance must grow before contacts are softened again.
const SOFTER: f64 = 1.01;

impl Contacts {
    /// Softens contacts with bodies by the compliance of the bodies, and returns whether any became
    /// softer.
    ///
    /// A body moves by `h² W f` under the forces f of all its contacts. With `u = M^{−½} Jᵀ` of
    /// each contact, W is below the diagonal matrix of `|u| Σ|u|` over touching contacts. So the
    /// compliance used is at least that of the body, and no force can throw it back further than it
    /// came, whatever the masses. More contacts may touch during a solve, so a contact never
    /// becomes stiffer within a step.
    pub(super) fn soften(&mut self, context: StepContext<'_>, x: impl Fn(usize) -> Vec3) -> bool {
        let StepContext { model, h, .. } = context;
        if model.rigid_bodies().is_empty() {
            return false;
        }
        let first = model.obstacles().len() as u32;
        self.sums.clear();
        self.sums.resize(model.rigid_bodies().len(), [0.0; 2]);
        let mut softer = false;
        for round in 0..2 {
            for k in 0..self.pairs.list.len() {
                let pair = &self.pairs.list[k];
                let Some(index) = pair.obstacle.checked_sub(first) else { continue };
                let body = &model.rigid_bodies()[index as usize];
                let at = pair.point.at(&x);
                let depth = self.pairs.depth(model, pair, at);
                let touches = depth.depth > 0.0 || (pair.depth > 0.0 && !pair.gone);
                let frame = self.pairs.frame(pair);
                let m = body.principal().moments;
                let (arm, whole) = (at - frame.origin, 1.0 / body.mass().mass);
                let rotation = frame.local(frame.origin + arm.cross(depth.out));
                let rotation = body.principal().axes.inverse().rotate(rotation);
                let spin = rotation.x * rotation.x / m.x
                    + rotation.y * rotation.y / m.y
                    + rotation.z * rotation.z / m.z;
                let sizes = [(whole + spin).sqrt(), (whole + arm.norm2() / m.z).sqrt()];
                let sum = &mut self.sums[index as usize];
                if round == 0 {
                    if touches {
                        *sum = [sum[0] + sizes[0], sum[1] + sizes[1]];
                    }
                    continue;
                }
                let body_compliance = [0, 1].map(|k| h * h * sizes[k] * sum[k].max(sizes[k]));
                let pair = &mut self.pairs.list[k];
                for (known, body_compliance) in pair.body_compliance.iter_mut().zip(body_compliance)
                {
                    if body_compliance > SOFTER * *known {
                        softer |= touches;
                        *known = body_compliance;
                    }
                }
                pair.stiffness = 1.0 / (1.0 / pair.hardness + pair.body_compliance[0]);
            }
        }
        softer
    }
}
