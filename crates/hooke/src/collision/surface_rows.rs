//! Contacts between surfaces as rows of position-based methods: the gap s with `λ = −ω B'(s)`, solved exactly on the ramp, too,
//! and the displacement u across it with the compliance ε/μλ and |λ_u| ≤ μλ.
//!
//! These are the conditions for a minimum of what [`SurfaceContacts`] adds to g.

use super::SurfaceContacts;
use super::barrier::Barrier;
use super::closest_points::weighted;
use crate::compute::ProjectedParticle;
use crate::math::Vec3;
use crate::step_context::StepContext;

impl SurfaceContacts {
    /// Projects every row, moving the particles if asked to. The sum of |Δλ|² (kg²m²).
    pub(crate) fn project(
        &mut self,
        context: StepContext<'_>,
        particles: &mut [ProjectedParticle],
        moves: bool,
    ) -> f64 {
        let StepContext { model, h, .. } = context;
        let square = h * h;
        let mut sum = 0.0;
        for pair in &mut self.pairs {
            let vertices = pair.features.vertices.map(|i| i as usize);
            let own = vertices.map(|i| particles[i].weights(model.fixed()[i]));
            let mut mobility = Vec3::ZERO;
            for (own, weight) in own.iter().zip(pair.weights) {
                mobility += *own * (weight * weight);
            }
            let n = pair.sliding.out;
            let r = weighted(pair.weights, vertices.map(|i| particles[i].x));
            let along = n.dot(mobility.times(n));
            if along == 0.0 {
                continue;
            }

            // λ = −ω B'(s + h² w λ)
            let Barrier { thickness, stiffness } = pair.barrier;
            let barrier = Barrier { thickness, stiffness: pair.factor * stiffness };
            let alone = n.dot(r) - along * pair.pressed;
            let pressed = barrier.balance(alone, along * square) * square;
            let change = pressed - pair.pressed;
            let mut push = n * change;
            sum += change * change;

            // u + ε λ_u/μλ = 0, |λ_u| ≤ μλ
            let most = pair.friction * pressed;
            let mut dragged = pair.dragged;
            if most > 0.0 || dragged != Vec3::ZERO {
                let soft = if most > 0.0 { self.epsilon / most } else { 0.0 };
                let w = mobility.x.max(mobility.y).max(mobility.z);
                let u = pair.sliding.slid(r + mobility.times(push));
                let mut wanted = dragged - (u + dragged * soft) * (1.0 / (w + soft));
                wanted -= n * wanted.dot(n);
                let size = wanted.norm();
                if size > most {
                    wanted = wanted * (most / size);
                }
                let change = wanted - dragged;
                dragged = wanted;
                push += change;
                sum += change.norm2();
            }
            if moves {
                (pair.pressed, pair.dragged) = (pressed, dragged);
                pair.sliding.most = most / square;
                for ((&i, own), weight) in vertices.iter().zip(own).zip(pair.weights) {
                    particles[i].x += own.times(push) * weight;
                }
            }
        }
        sum
    }
}
