//! What every report says about a state, whatever the method.

use crate::laws::Store;
use crate::math::Point;
use crate::model::{At, Model, Net};
use crate::report::{Energies, Strain};
use crate::state::State;
use crate::team::Team;

/// What a state is measured with.
#[derive(Clone, Copy)]
pub(crate) struct Measure<'a> {
    pub(crate) model: &'a Model,
    pub(crate) net: &'a Net,
    /// Positions of the places (m).
    pub(crate) places: &'a [Point],
    pub(crate) team: &'a Team,
}

/// What is known about a state.
pub(crate) struct Measured {
    /// Energies (J).
    pub(crate) energy: Energies,
    /// Linear momentum (kg·m/s).
    pub(crate) momentum: Point,
    /// Angular momentum about the origin (kg·m²/s).
    pub(crate) angular_momentum: Point,
    /// The element stretched or compressed most.
    pub(crate) strain: Option<Strain>,
    /// How many elements are turned inside out.
    pub(crate) inverted: usize,
}

/// Sums over particles.
#[derive(Clone, Copy, Default)]
struct Bulk {
    kinetic: f64,
    gravitational: f64,
    momentum: Point,
    angular_momentum: Point,
}

fn add(a: Bulk, b: Bulk) -> Bulk {
    Bulk {
        kinetic: a.kinetic + b.kinetic,
        gravitational: a.gravitational + b.gravitational,
        momentum: a.momentum + b.momentum,
        angular_momentum: a.angular_momentum + b.angular_momentum,
    }
}

impl Measure<'_> {
    /// All of it.
    pub(crate) fn all(self, state: &State) -> Measured {
        let Bulk { kinetic, gravitational, momentum, angular_momentum } = self.bulk(state);
        let (elastic, mut strain) = self.net.measure(&state.positions, self.team);
        let mut energy = Energies { kinetic, gravitational, elastic, ..Energies::default() };
        self.add_others(state, &mut energy);
        for batch in self.model.elements().iter().filter(|batch| !batch.law().springs) {
            if let Some((value, element)) =
                batch.worst_strain(At { x: &state.positions, places: self.places })
                && strain.is_none_or(|strain| value.abs() > strain.value.abs())
            {
                strain = Some(Strain { value, law: batch.law().name, element });
            }
        }
        let at = At { x: &state.positions, places: self.places };
        let inverted = self.model.elements().iter().map(|batch| batch.inverted(at)).sum();
        Measured { energy, momentum, angular_momentum, strain, inverted }
    }

    /// Energies (J) alone.
    pub(crate) fn energies(self, state: &State) -> Energies {
        let Bulk { kinetic, gravitational, .. } = self.bulk(state);
        let elastic = self.net.energy(&state.positions, self.team);
        let mut energy = Energies { kinetic, gravitational, elastic, ..Energies::default() };
        self.add_others(state, &mut energy);
        energy
    }

    fn bulk(self, state: &State) -> Bulk {
        let (x, v, m) = (&state.positions, &state.velocities, self.model.masses());
        let gravity = self.model.gravity();
        let sum = |range: std::ops::Range<usize>| {
            // Two sums side by side, for one would wait for itself.
            let (mut even, mut odd) = (Bulk::default(), Bulk::default());
            let particle = |i: usize, sum: &mut Bulk| {
                let momentum = v[i] * m[i];
                sum.kinetic += 0.5 * v[i].dot(momentum);
                sum.gravitational -= m[i] * gravity.dot(x[i]);
                sum.momentum += momentum;
                sum.angular_momentum += x[i].cross(momentum);
            };
            for i in range.clone().step_by(2) {
                particle(i, &mut even);
                if i + 1 < range.end {
                    particle(i + 1, &mut odd);
                }
            }
            add(even, odd)
        };
        self.team.fold(x.len(), sum, add)
    }

    /// Adds the energies of elements that are no springs.
    fn add_others(self, state: &State, energy: &mut Energies) {
        for batch in self.model.elements().iter().filter(|batch| !batch.law().springs) {
            let value = batch.energy(At { x: &state.positions, places: self.places }, self.team);
            match batch.law().store {
                Store::Elastic => energy.elastic += value,
                Store::Gravitational => energy.gravitational += value,
                Store::Field => energy.field += value,
            }
        }
    }
}
