//! The function implicit methods minimise:
//!
//! `g(x) = 1/(2h²) (x−y)ᵀ M (x−y) + E(x) + h D((x−b)/h)`
//!
//! For backward Euler `y = x_t + h v_t + h² M⁻¹ f_ext` and `b = x_t`; BDF2 and the midpoint rule
//! use the same function with their own h, y and b. D is frozen at the start of the step.

use super::{Dissipation, Potential, Precision, World};
use crate::kernels::Kernels;
use crate::math::Point;
use crate::model::{At, Model};
use crate::report::{End, StepReport};
use crate::team::Team;

/// g with its workspace.
#[derive(Default)]
pub(crate) struct Objective {
    /// The length of the step in g (s).
    pub(crate) h: f64,
    /// y (m).
    pub(crate) y: Vec<Point>,
    /// b (m).
    pub(crate) base: Vec<Point>,
    /// Places at the end of the step (m).
    places: Vec<Point>,
    pub(crate) potential: Potential,
    pub(crate) dissipation: Dissipation,
}

impl Objective {
    pub(crate) fn new(precision: Precision) -> Self {
        Self { potential: Potential::new(precision), ..Self::default() }
    }

    pub(crate) fn prepare(&mut self, model: &Model, kernels: Kernels) {
        self.potential.prepare(model, kernels);
        self.dissipation.prepare(model);
        self.y.resize(model.particles(), Point::ZERO);
        self.base.resize(model.particles(), Point::ZERO);
    }

    /// Sets up backward Euler over `h` from the positions and velocities `b`, `v` (which for BDF2
    /// are not those of the state), a fraction `s` of the step through.
    pub(crate) fn begin(
        &mut self,
        world: World<'_>,
        h: f64,
        s: f64,
        from: (&[Point], &[Point]),
        report: &mut StepReport,
    ) {
        let World { model, control, start, team, .. } = world;
        self.h = h;
        self.base.copy_from_slice(from.0);
        team.for_each(&mut self.y, |first, part| {
            for (i, y) in (first..).zip(part) {
                *y = from.0[i] + from.1[i] * h + model.load(i) * (h * h / model.masses()[i]);
            }
        });
        self.places.resize(control.places().len(), Point::ZERO);
        for (k, place) in self.places.iter_mut().enumerate() {
            *place = control.place(k, s);
        }
        if !self.dissipation.is_empty() {
            let air = |at| control.air(model, at, s);
            self.dissipation.freeze(model, &start.positions, &start.velocities, &air, team);
            Dissipation::report_lag(model, report);
        }
    }

    pub(crate) fn at<'a>(&'a self, x: &'a [Point]) -> At<'a> {
        At { x, places: &self.places }
    }

    /// g (J).
    pub(crate) fn value(&self, world: World<'_>, x: &[Point]) -> f64 {
        let World { model, team, .. } = world;
        let inertia = team.sum(x.len(), |range| {
            range.map(|i| model.masses()[i] * (x[i] - self.y[i]).norm2()).sum()
        });
        let velocity = |i: usize| (x[i] - self.base[i]) * (1.0 / self.h);
        inertia / (2.0 * self.h * self.h)
            + Potential::energy(world, self.at(x))
            + self.h * self.dissipation.value(velocity, team)
    }

    /// `out = ∇g` (N), on pinned coordinates too: there it is the force that holds the pin. Returns
    /// its norm over the others.
    pub(crate) fn gradient(&mut self, world: World<'_>, x: &[Point], out: &mut [Point]) -> f64 {
        let World { model, team, .. } = world;
        let (y, base, h) = (&self.y, &self.base, self.h);
        let at = At { x, places: &self.places };
        let (masses, by) = (model.masses(), 1.0 / (h * h));
        let inertia = |i: usize| (x[i] - y[i]) * (masses[i] * by);
        let dissipation = &mut self.dissipation;
        let damped = !dissipation.is_empty();
        let mut damping = |out: &mut [Point]| {
            dissipation.gradient(|i| (x[i] - base[i]) * (1.0 / h), 1.0, out, team);
        };
        let more: Option<&mut dyn FnMut(&mut [Point])> =
            if damped { Some(&mut damping) } else { None };
        let end = |first: usize, part: &mut [Point]| free_squares(model, first, part);
        self.potential.gradient(world, at, inertia, more, end, out).sqrt()
    }

    /// ‖M g‖ + ‖∇E(x)‖ (N) over free coordinates at the start of a step, and the residual below
    /// which rounding hides everything. `scratch` is overwritten.
    pub(crate) fn scale(&mut self, world: World<'_>, scratch: &mut [Point]) -> Scale {
        let World { model, team, .. } = world;
        let x = &world.start.positions;
        let at = At { x, places: &self.places };
        let end = |first: usize, part: &mut [Point]| free_squares(model, first, part);
        let none = |_| Point::ZERO;
        let elastic = self.potential.gradient(world, at, none, None, end, scratch).sqrt();
        let (y, masses, fixed) = (&self.y, model.masses(), model.fixed());
        let (stiffness, strength) = (self.potential.stiffness(), self.dissipation.strength());
        let gravity = model.gravity();
        let (by_square, by) = (1.0 / (self.h * self.h), 1.0 / self.h);
        let terms = |range: std::ops::Range<usize>| {
            let mut terms = Terms::default();
            for i in range {
                let held = masses[i] * by_square + stiffness[i] + strength[i] * by;
                for axis in 0..3 {
                    let place = x[i][axis].abs();
                    terms.size = if place > terms.size { place } else { terms.size };
                    if !fixed[i][axis] {
                        terms.weight += square(masses[i] * gravity[axis]);
                        terms.held += square(y[i][axis] * held);
                    }
                }
            }
            terms
        };
        let Terms { weight, held, size } = team.fold(x.len(), terms, |a: Terms, b| Terms {
            weight: a.weight + b.weight,
            held: a.held + b.held,
            size: if b.size > a.size { b.size } else { a.size },
        });
        let weight = weight.sqrt();
        let epsilon = self.potential.epsilon();
        let floor = 2.0 * epsilon * (held.sqrt() + elastic + weight);
        let noise = 8.0 * epsilon * (weight + elastic) * size;
        Scale { value: weight + elastic, floor, noise }
    }
}

/// Sums over particles for a [`Scale`].
#[derive(Clone, Copy, Default)]
struct Terms {
    weight: f64,
    held: f64,
    size: f64,
}

/// What a residual is compared with (N).
#[derive(Clone, Copy)]
pub(crate) struct Scale {
    /// ‖M g‖ + ‖∇E(x_t)‖.
    pub(crate) value: f64,
    /// What rounding leaves.
    pub(crate) floor: f64,
    /// Differences of g (J) that rounding hides, besides those relative to g itself.
    noise: f64,
}

impl Scale {
    /// Of a size and what rounding leaves (N).
    pub(crate) fn new(value: f64, floor: f64) -> Self {
        Self { value, floor, noise: 0.0 }
    }

    /// Why a solve with this residual need not go on, if so.
    pub(crate) fn end(&self, residual: f64, tolerance: f64) -> Option<End> {
        if !residual.is_finite() {
            return None;
        }
        // Where there is nothing to compare with, rounding is all that can be asked for.
        if residual <= tolerance * self.value || (self.value == 0.0 && residual <= self.floor) {
            return Some(End::Converged);
        }
        (residual <= self.floor).then_some(End::Rounding)
    }

    /// Differences of g (J) that rounding hides.
    pub(crate) fn noise(&self) -> f64 {
        self.noise
    }

    /// Whether a step of length `alpha` from `g` to `there` along a direction of this slope falls
    /// enough (Armijo), as far as rounding lets one tell.
    pub(crate) fn falls(&self, g: f64, there: f64, alpha: f64, slope: f64) -> bool {
        there <= g + 1e-4 * alpha * slope + self.noise + 8.0 * f64::EPSILON * g.abs()
    }
}

/// The Euclidean norm over coordinates that are not pinned.
pub(crate) fn free_norm(model: &Model, values: &[Point], team: &Team) -> f64 {
    team.sum(values.len(), |range| free_squares(model, range.start, &values[range])).sqrt()
}

/// The sum of squares over coordinates that are not pinned, of the particles from `first` on.
fn free_squares(model: &Model, first: usize, values: &[Point]) -> f64 {
    let fixed = &model.fixed()[first..first + values.len()];
    let free = |value: f64, fixed: bool| if fixed { 0.0 } else { square(value) };
    // Four sums side by side, for one would wait for itself.
    let mut sums = [[0.0; 3]; 4];
    let (groups, rest) = values.as_chunks::<4>();
    let (fixed_groups, fixed_rest) = fixed.as_chunks::<4>();
    for (values, fixed) in groups.iter().zip(fixed_groups) {
        for k in 0..4 {
            let value = values[k].to_array();
            for axis in 0..3 {
                sums[k][axis] += free(value[axis], fixed[k][axis]);
            }
        }
    }
    for (k, (value, fixed)) in rest.iter().zip(fixed_rest).enumerate() {
        let value = value.to_array();
        for axis in 0..3 {
            sums[k][axis] += free(value[axis], fixed[axis]);
        }
    }
    sums.as_flattened().iter().sum()
}

fn square(value: f64) -> f64 {
    value * value
}

/// Sets pinned coordinates to zero.
pub(crate) fn clear_fixed(model: &Model, values: &mut [Point]) {
    for pin in model.pins() {
        for axis in (0..3).filter(|&axis| pin.axes[axis]) {
            values[pin.particle as usize][axis] = 0.0;
        }
    }
}

/// Sets pinned coordinates to where they are a fraction `s` of the step through.
pub(crate) fn hold(world: World<'_>, s: f64, x: &mut [Point]) {
    for (pin, &target) in world.model.pins().iter().zip(world.control.pins()) {
        let i = pin.particle as usize;
        for axis in (0..3).filter(|&axis| pin.axes[axis]) {
            let start = world.start.positions[i][axis];
            x[i][axis] = if s == 1.0 { target[axis] } else { start + s * (target[axis] - start) };
        }
    }
}

/// Notes the forces that hold the pins, from the gradient at the end of a solve.
pub(crate) fn reactions(model: &Model, gradient: &[Point], report: &mut StepReport) {
    for (pin, reaction) in model.pins().iter().zip(&mut report.reactions) {
        for axis in (0..3).filter(|&axis| pin.axes[axis]) {
            reaction[axis] = gradient[pin.particle as usize][axis];
        }
    }
}
