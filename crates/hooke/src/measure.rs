//! What every report says about a state, whatever the method.

use crate::compute::{At, SpringKernels};
use crate::lanes::dispatch;
use crate::lanes::double::{LANES, Lanes, Line};
use crate::laws::Store;
use crate::math::Vec3;
use crate::model::Model;
use crate::report::{Energies, RigidBodyReport, Strain};
use crate::state::State;
use crate::thread_pool::ThreadPool;

/// What a state is measured with.
#[derive(Clone, Copy)]
pub(crate) struct Measure<'a> {
    pub(crate) model: &'a Model,
    pub(crate) spring_kernels: &'a SpringKernels,
    /// Positions of the anchors (m).
    pub(crate) anchors: &'a [Vec3],
    pub(crate) pool: &'a ThreadPool,
}

/// What is known about a state.
pub(crate) struct Measured {
    /// Energies (J).
    pub(crate) energy: Energies,
    /// Linear momentum (kg·m/s).
    pub(crate) momentum: Vec3,
    /// Angular momentum about the origin (kg·m²/s).
    pub(crate) angular_momentum: Vec3,
    /// The element stretched or compressed most.
    pub(crate) strain: Option<Strain>,
    /// How many elements are turned inside out.
    pub(crate) inverted: usize,
}

/// Sums over particles: kinetic and gravitational energy (J), then linear and angular momentum.
type Bulk = [f64; 8];

impl Measure<'_> {
    /// All of it, with what [`SpringKernels::measure`] found.
    pub(crate) fn all(self, state: &State, springs: (f64, Option<Strain>)) -> Measured {
        let [kinetic, gravitational, px, py, pz, lx, ly, lz] = self.bulk(state);
        let (mut momentum, mut angular_momentum) = (Vec3::new(px, py, pz), Vec3::new(lx, ly, lz));
        let (elastic, mut strain) = springs;
        let mut energy = Energies { kinetic, gravitational, elastic, ..Energies::default() };
        self.add_others(state, &mut energy);
        let rigid_bodies = self.rigid_bodies(state);
        momentum += rigid_bodies.momentum;
        angular_momentum += rigid_bodies.angular_momentum;
        for batch in self.model.elements().iter().filter(|batch| !batch.law().springs) {
            if let Some((value, element)) =
                batch.worst_strain(At { x: &state.positions, anchors: self.anchors })
                && strain.is_none_or(|strain| value.abs() > strain.value.abs())
            {
                strain = Some(Strain { value, law: batch.law().name, element });
            }
        }
        let at = At { x: &state.positions, anchors: self.anchors };
        let inverted = self.model.elements().iter().map(|batch| batch.inverted(at)).sum();
        Measured { energy, momentum, angular_momentum, strain, inverted }
    }

    /// Energies (J) alone.
    pub(crate) fn energies(self, state: &State) -> Energies {
        let [kinetic, gravitational, ..] = self.bulk(state);
        let elastic = self.spring_kernels.energy(&state.positions, self.pool);
        let mut energy = Energies { kinetic, gravitational, elastic, ..Energies::default() };
        self.add_others(state, &mut energy);
        energy
    }

    fn bulk(self, state: &State) -> Bulk {
        let (x, v, m) = (&state.positions, &state.velocities, self.model.masses());
        let (gravity, level) = (self.model.gravity(), self.spring_kernels.level());
        let sum = |range: std::ops::Range<usize>| {
            let [x, v] = [x, v].map(|points| &points[range.clone()]);
            let m = &m[range];
            let (mut sums, mut out) = ([Line::default(); 8], Bulk::default());
            let sums_out = &mut sums;
            // SAFETY: points, velocities and masses are of the same range.
            unsafe {
                dispatch!(level, double, bulk_by(
                    x: &[Vec3], v: &[Vec3], m: &[f64], gravity: Vec3, sums_out: &mut [Line; 8],
                ))
            };
            for (out, sum) in out.iter_mut().zip(sums) {
                *out = sum.0.iter().sum();
            }
            out[0] *= 0.5;
            out
        };
        let add = |mut a: Bulk, b: Bulk| {
            a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
            a
        };
        self.pool.fold(x.len(), sum, add)
    }

    /// What is told of bodies: energy and momenta.
    pub(crate) fn rigid_bodies(self, state: &State) -> RigidBodyReport {
        let mut report = RigidBodyReport::default();
        for (body, moving) in self.model.rigid_bodies().iter().zip(&state.rigid_bodies) {
            report.kinetic += body.kinetic(moving);
            let [linear, angular] = body.momenta(moving);
            report.momentum += linear;
            report.angular_momentum += angular;
        }
        report
    }

    /// Adds the energies of elements that are no springs, and of bodies.
    fn add_others(self, state: &State, energy: &mut Energies) {
        let gravity = self.model.gravity();
        for (body, moving) in self.model.rigid_bodies().iter().zip(&state.rigid_bodies) {
            energy.kinetic += body.kinetic(moving);
            energy.gravitational -= body.mass().mass * gravity.dot(moving.pose.position);
        }
        for batch in self.model.elements().iter().filter(|batch| !batch.law().springs) {
            let value = batch.energy(At { x: &state.positions, anchors: self.anchors }, self.pool);
            match batch.law().store {
                Store::Elastic => energy.elastic += value,
                Store::Gravitational => energy.gravitational += value,
                Store::Field => energy.field += value,
            }
        }
    }
}

/// Twice the kinetic energy, the energy of height, momentum and angular momentum, lane by lane.
///
/// # Safety
/// As [`Lanes`]; there are as many velocities and masses as positions.
#[inline(always)]
unsafe fn bulk_by<V: Lanes>(
    x: &[Vec3],
    v: &[Vec3],
    m: &[f64],
    gravity: Vec3,
    sums: &mut [Line; 8],
) {
    // SAFETY: as the caller promises; all rows are particles.
    unsafe {
        let mut own = [V::splat(0.0); 8];
        let g = [V::splat(gravity.x), V::splat(gravity.y), V::splat(gravity.z)];
        let whole = x.len() - x.len() % LANES;
        for first in (0..whole).step_by(LANES) {
            let run = std::array::from_fn(|lane| (first + lane) as u32);
            let [x, v] = [V::collect_run(x, &run), V::collect_run(v, &run)];
            own = add_bulk(own, x, v, V::load_at(m, first), g);
        }
        if whole < x.len() {
            let mut rest = [[Vec3::ZERO; LANES]; 2];
            let mut masses = [0.0; LANES];
            rest[0][..x.len() - whole].copy_from_slice(&x[whole..]);
            rest[1][..x.len() - whole].copy_from_slice(&v[whole..]);
            masses[..x.len() - whole].copy_from_slice(&m[whole..]);
            let run = std::array::from_fn(|lane| lane as u32);
            let [x, v] = [V::collect_run(&rest[0], &run), V::collect_run(&rest[1], &run)];
            own = add_bulk(own, x, v, V::load_at(&masses, 0), g);
        }
        for (sum, own) in sums.iter_mut().zip(own) {
            own.store(sum);
        }
    }
}

/// Adds eight particles.
#[inline(always)]
fn add_bulk<V: Lanes>(mut sums: [V; 8], x: [V; 3], v: [V; 3], m: V, g: [V; 3]) -> [V; 8] {
    let p = [v[0].times(m), v[1].times(m), v[2].times(m)];
    for axis in 0..3 {
        let (next, last) = ((axis + 1) % 3, (axis + 2) % 3);
        sums[0] = sums[0].plus(v[axis], p[axis]);
        sums[1] = sums[1].minus(g[axis].times(m), x[axis]);
        sums[2 + axis] = sums[2 + axis].plus(m.all(1.0), p[axis]);
        sums[5 + axis] = sums[5 + axis].plus(x[next], p[last]).minus(x[last], p[next]);
    }
    sums
}
