//! What every report says about a state, whatever the method.

use crate::laws::Store;
use crate::math::Point;
use crate::model::{At, Model};
use crate::report::{Energies, Strain};
use crate::state::State;
use crate::team::Team;

/// Energies (J) of a state with the places at `places`.
pub fn energies(model: &Model, state: &State, places: &[Point], team: &Team) -> Energies {
    let (x, v, m) = (&state.positions, &state.velocities, model.masses());
    let gravity = model.gravity();
    let mut energy = Energies {
        kinetic: team.sum(v.len(), |range| range.map(|i| 0.5 * m[i] * v[i].norm2()).sum()),
        gravitational: team.sum(x.len(), |range| range.map(|i| -m[i] * gravity.dot(x[i])).sum()),
        ..Energies::default()
    };
    for batch in model.elements() {
        let value = batch.energy(At { x, places }, team);
        match batch.law().store {
            Store::Elastic => energy.elastic += value,
            Store::Gravitational => energy.gravitational += value,
            Store::Field => energy.field += value,
        }
    }
    energy
}

/// Linear momentum (kg·m/s) and angular momentum about the origin (kg·m²/s).
pub fn momenta(model: &Model, state: &State) -> (Point, Point) {
    let (mut linear, mut angular) = (Point::ZERO, Point::ZERO);
    for ((&m, &x), &v) in model.masses().iter().zip(&state.positions).zip(&state.velocities) {
        linear += v * m;
        angular += x.cross(v) * m;
    }
    (linear, angular)
}

/// The element stretched or compressed most.
pub fn worst_strain(model: &Model, state: &State, places: &[Point]) -> Option<Strain> {
    let mut worst: Option<Strain> = None;
    for batch in model.elements() {
        if let Some((value, element)) = batch.worst_strain(At { x: &state.positions, places })
            && worst.is_none_or(|strain| value.abs() > strain.value.abs())
        {
            worst = Some(Strain { value, law: batch.law().name, element });
        }
    }
    worst
}

/// How many elements are turned inside out.
pub fn inverted(model: &Model, state: &State, places: &[Point]) -> usize {
    let at = At { x: &state.positions, places };
    model.elements().iter().map(|batch| batch.inverted(at)).sum()
}
