//! Particles against bodies after the step, for methods that do not hold contact in their solve.
//!
//! Each particle that has come nearer than the thickness gets the impulse of an impact between two masses, and the
//! body the opposite one, so momentum is kept to rounding. Then the particle is set onto the surface.

use super::impulse::{Rule, Surfaces, contact_matrix, impulse};
use crate::math::{Mat3, Vec3};
use crate::model::{Frame, Model};
use crate::report::Contact;
use crate::state::State;

/// How often impacts are passed on.
const PASSES: u32 = 4;

/// Parts particles and bodies at the end of a step of `h` (s), and tells `displaced` which particles were set elsewhere.
pub(crate) fn touch(
    model: &Model,
    frames: &[[Frame; 2]],
    h: f64,
    state: &mut State,
    displaced: &mut dyn FnMut(usize, &State),
    contact: &mut Contact,
) {
    let still = 2.0 * h * model.gravity().norm();
    let first = model.obstacles().len();
    let mut touching = 0;
    for (index, body) in model.rigid_bodies().iter().enumerate() {
        let (solid, [_, frame]) = (&model.solids()[first + index], &frames[first + index]);
        let inverse_mass = 1.0 / body.mass().mass;
        let inverse = body.inverse_inertia_in(state.rigid_bodies[index].pose.rotation);
        let reach = body.shape.reach() + body.thickness;
        for pass in 0..PASSES {
            let mut any = false;
            for i in 0..model.particles() {
                let x = state.positions[i];
                if (x - frame.origin).norm2() > reach * reach {
                    continue;
                }
                let (distance, normal) = solid.distance_in(frame, x);
                let depth = body.thickness - distance;
                if depth <= 0.0 {
                    continue;
                }
                let fixed = model.fixed()[i];
                let free = |axis: usize| if fixed[axis] { 0.0 } else { 1.0 / model.masses()[i] };
                let own = Mat3([[free(0), 0.0, 0.0], [0.0, free(1), 0.0], [0.0, 0.0, free(2)]]);
                let twist = &mut state.rigid_bodies[index].twist;
                let arm = x - frame.origin;
                let v = state.velocities[i] - twist.at(arm);
                let slow = -v.dot(normal) < still;
                let restitution = if slow { 0.0 } else { body.restitution };
                let k = own + contact_matrix(inverse_mass, &inverse, arm);
                let manifolds = Surfaces { normal, restitution, friction: body.friction };
                let j = impulse(Rule::Physical, v, &k, &manifolds);
                any |= j != Vec3::ZERO;
                state.velocities[i] += own * j;
                twist.linear -= j * inverse_mass;
                twist.angular -= inverse * arm.cross(j);
                if pass == 0 {
                    touching += 1;
                    contact.deepest = contact.deepest.max(-distance);
                }
            }
            if !any {
                break;
            }
        }
        for i in 0..model.particles() {
            let x = state.positions[i];
            if (x - frame.origin).norm2() > reach * reach {
                continue;
            }
            let (distance, normal) = solid.distance_in(frame, x);
            let depth = body.thickness - distance;
            if depth > 0.0 {
                for axis in (0..3).filter(|&axis| !model.fixed()[i][axis]) {
                    state.positions[i][axis] += normal[axis] * depth;
                }
                displaced(i, state);
            }
        }
    }
    contact.pairs = contact.pairs.max(touching);
}
