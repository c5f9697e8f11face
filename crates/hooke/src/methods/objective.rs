//! The function implicit methods minimise:
//!
//! `g(x) = 1/(2h²) (x−y)ᵀ M (x−y) + E(x) + h D((x−b)/h)`
//!
//! For backward Euler `y = x_t + h v_t + h² M⁻¹ f_ext` and `b = x_t`; BDF2 and the midpoint rule
//! use the same function with their own h, y and b. D is frozen at the start of the step, and by methods of
//! second order where they evaluate forces. Methods that hold contact in their solve add its energy to E.

use super::{Dissipation, Potential, Precision, World};
use crate::contact::Contacts;
use crate::kernels::Kernels;
use crate::lanes::rows;
use crate::math::{Point, flat, flat_mut};
use crate::model::{At, Model};
use crate::report::{End, StepReport};
use crate::state::State;
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
    /// The mass (kg) of each coordinate, and whether it is free: 1, or 0 where pinned.
    weights: Vec<Point>,
    free: Vec<Point>,
    pub(crate) potential: Potential,
    pub(crate) dissipation: Dissipation,
    pub(crate) contacts: Contacts,
}

impl Objective {
    pub(crate) fn new(precision: Precision) -> Self {
        Self { potential: Potential::new(precision), ..Self::default() }
    }

    /// The same with the energy of contacts.
    pub(crate) fn with_contacts(self) -> Self {
        Self { contacts: Contacts::wanted(), ..self }
    }

    pub(crate) fn prepare(&mut self, model: &Model, kernels: Kernels) {
        self.potential.prepare(model, kernels);
        self.dissipation.prepare(model);
        self.contacts.prepare(model);
        self.y.resize(model.particles(), Point::ZERO);
        self.base.resize(model.particles(), Point::ZERO);
        self.weights.clear();
        self.weights.extend(model.masses().iter().map(|&m| Point::new(m, m, m)));
        self.free.clear();
        let free = |fixed: &[bool; 3]| Point::from(fixed.map(|fixed| f64::from(!fixed)));
        self.free.extend(model.fixed().iter().map(free));
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
        report.residuals.clear();
        let State { positions, velocities, .. } = world.start;
        self.begin_damped(world, h, s, from, (positions, velocities));
        Dissipation::report_lag(world.model, report);
    }

    /// As [`Objective::begin`], with dampers taken at the positions and velocities `damped`: for order 2
    /// to within h² of those at the fraction `s`.
    pub(crate) fn begin_damped(
        &mut self,
        world: World<'_>,
        h: f64,
        s: f64,
        from: (&[Point], &[Point]),
        damped: (&[Point], &[Point]),
    ) {
        let World { model, control, team, .. } = world;
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
            self.dissipation.freeze(model, damped.0, damped.1, &air, team);
        }
        self.contacts.begin(world, &self.y);
    }

    /// About the diagonal (N/m) of a matrix above ∇²g, without contact.
    pub(crate) fn diagonal(&self, world: World<'_>, i: usize) -> f64 {
        world.model.masses()[i] / (self.h * self.h) + 0.5 * self.potential.stiffness()[i]
    }

    pub(crate) fn at<'a>(&'a self, x: &'a [Point]) -> At<'a> {
        At { x, places: &self.places }
    }

    /// g (J).
    pub(crate) fn value(&self, world: World<'_>, x: &[Point]) -> f64 {
        let contact = self.contacts.energy(world.model, x, world.team);
        self.motion(world, x) + Potential::energy(world, self.at(x)) + contact
    }

    /// g (J) without the energy of the batches marked in `left_out`.
    pub(crate) fn partial_value(&self, world: World<'_>, x: &[Point], left_out: &[bool]) -> f64 {
        self.motion(world, x) + Potential::partial_energy(world, self.at(x), left_out)
    }

    /// `out = ∇g` (N) without the energy of the batches marked in `left_out`, among which all springs
    /// must be.
    pub(crate) fn partial_gradient(
        &mut self,
        world: World<'_>,
        x: &[Point],
        left_out: &[bool],
        out: &mut [Point],
    ) {
        let World { model, team, .. } = world;
        let (y, masses) = (&self.y, model.masses());
        let (by, by_square) = (1.0 / self.h, 1.0 / (self.h * self.h));
        team.for_each(out, |first, part| {
            for (i, value) in (first..).zip(part) {
                *value = (x[i] - y[i]) * (masses[i] * by_square);
            }
        });
        self.add_partial_forces(world, x, left_out, out);
        let base = &self.base;
        self.dissipation.gradient(|i| (x[i] - base[i]) * by, 1.0, out, team);
    }

    /// `out += ∇E` (N) without the batches marked in `left_out`, among which all springs must be.
    pub(crate) fn add_partial_forces(
        &mut self,
        world: World<'_>,
        x: &[Point],
        left_out: &[bool],
        out: &mut [Point],
    ) {
        let at = At { x, places: &self.places };
        self.potential.add_partial_gradient(world, at, left_out, out);
    }

    /// The part of g (J) that is no potential energy.
    fn motion(&self, world: World<'_>, x: &[Point]) -> f64 {
        let World { model, team, .. } = world;
        let inertia = team.sum(x.len(), |range| {
            range.map(|i| model.masses()[i] * (x[i] - self.y[i]).norm2()).sum()
        });
        let velocity = |i: usize| (x[i] - self.base[i]) * (1.0 / self.h);
        inertia / (2.0 * self.h * self.h) + self.h * self.dissipation.value(velocity, team)
    }

    /// `out = ∇g` (N), on pinned coordinates too: there it is the force that holds the pin. Returns
    /// its norm over the others.
    pub(crate) fn gradient(&mut self, world: World<'_>, x: &[Point], out: &mut [Point]) -> f64 {
        self.walk::<false>(world, x, out).residual
    }

    /// As [`Objective::gradient`], and g, in one walk where there are springs only.
    pub(crate) fn look(&mut self, world: World<'_>, x: &[Point], out: &mut [Point]) -> Look {
        self.walk::<true>(world, x, out)
    }

    fn walk<const VALUE: bool>(
        &mut self,
        world: World<'_>,
        x: &[Point],
        out: &mut [Point],
    ) -> Look {
        let World { model, team, .. } = world;
        let (y, base, h) = (&self.y, &self.base, self.h);
        let at = At { x, places: &self.places };
        let velocity = |i: usize| (x[i] - base[i]) * (1.0 / h);
        let dissipation = &mut self.dissipation;
        let damped = !dissipation.is_empty();
        let lost = if VALUE { h * dissipation.value(velocity, team) } else { 0.0 };
        let mut damping = |out: &mut [Point]| dissipation.gradient(velocity, 1.0, out, team);
        let more: Option<&mut dyn FnMut(&mut [Point])> =
            if damped { Some(&mut damping) } else { None };
        let (free, level) = (&self.free, self.potential.level());
        let (weights, by) = (&self.weights, 1.0 / (h * h));
        let contacts = &self.contacts;
        let inertia = |first: usize, part: &mut [Point]| {
            let [x, y] = [x, y].map(|points| flat(&points[first..]));
            let [weights, free] = [weights, free].map(|points| flat(&points[first..]));
            rows::add_inertia(level, flat_mut(part), [x, y], (weights, by), free)
        };
        if !VALUE {
            let end = |first: usize, part: &mut [Point]| {
                contacts.add_gradient(model, x, 1.0, first, part);
                inertia(first, part)
            };
            let squares = self.potential.gradient(world, at, more, end, out);
            return Look { value: f64::NAN, residual: squares.sqrt() };
        }
        let masses = model.masses();
        let end = |first: usize, part: &mut [Point]| {
            let far = |i: usize| masses[i] * (x[i] - y[i]).norm2();
            let moved = side_by_side(first..first + part.len(), far, |a, b| a + b);
            let contact = contacts.add_gradient(model, x, 1.0, first, part);
            [inertia(first, part), 0.5 * by * moved + contact]
        };
        let [squares, value] = self.potential.gradient_and_energy(world, at, more, end, out);
        Look { value: value + lost, residual: squares.sqrt() }
    }

    /// Lets contacts follow, see [`Contacts::follow`]. Where that has changed g, what is seen now: of the
    /// gradient, only the part of contacts is found anew.
    pub(crate) fn follow(
        &mut self,
        world: World<'_>,
        x: &[Point],
        here: Look,
        gradient: &mut [Point],
        tolerance: f64,
        times: u32,
    ) -> Option<Look> {
        let World { model, team, .. } = world;
        let before = self.contacts.add_gradient(model, x, -1.0, 0, gradient);
        let changed = self.contacts.follow(world, |i| x[i], tolerance, times);
        let after = self.contacts.add_gradient(model, x, 1.0, 0, gradient);
        let look = || Look {
            value: here.value + (after - before),
            residual: free_norm(model, gradient, team),
        };
        changed.then(look)
    }

    /// What residuals of a step are compared with. `scratch` is overwritten.
    pub(crate) fn scale(&mut self, world: World<'_>, scratch: &mut [Point]) -> Scale {
        let World { team, start, .. } = world;
        let at = At { x: &start.positions, places: &self.places };
        let (free, level) = (&self.free, self.potential.level());
        let squares = |first: usize, part: &mut [Point]| {
            rows::squares(level, flat(part), flat(&free[first..]))
        };
        let mut forces = self.potential.gradient(world, at, None, squares, scratch).sqrt();
        if !self.dissipation.is_empty() {
            scratch.fill(Point::ZERO);
            self.dissipation.gradient(|i| start.velocities[i], 1.0, scratch, team);
            forces += free_norm(world.model, scratch, team);
        }
        self.scale_of(world, forces, |i| self.stiffness(i))
    }

    /// How stiffly energies hold a particle (N/m).
    fn stiffness(&self, i: usize) -> f64 {
        self.potential.stiffness()[i] + self.contacts.strength(i)
    }

    /// As [`Objective::scale`], given the forces (N) of elements and dampers at the start of the step and how
    /// stiffly energies hold each particle (N/m).
    pub(crate) fn scale_of(
        &self,
        world: World<'_>,
        forces: f64,
        stiffness: impl Fn(usize) -> f64 + Sync,
    ) -> Scale {
        let World { model, team, .. } = world;
        let (x, free) = (&world.start.positions, &self.free);
        let terms = |i: usize| {
            let load = model.load(i);
            let mut terms = Terms::default();
            for axis in 0..3 {
                terms.size = greater(terms.size, x[i][axis].abs());
                terms.load += square(load[axis] * free[i][axis]);
            }
            terms
        };
        let several = |range| side_by_side(range, terms, Terms::with);
        let Terms { load, size } = team.fold(x.len(), several, Terms::with);
        let acting = load.sqrt() + forces;
        let [rounding, spread] = self.rounding(world, [x, &self.y], stiffness);
        Scale {
            value: greater(acting, SLIGHT * spread),
            floor: rounding + 2.0 * f64::EPSILON * acting,
            noise: 8.0 * f64::EPSILON * acting * size,
        }
    }

    /// Why a solve that has come to `x` with this residual need not go on, if so. Where the
    /// scale says that rounding hides what is left, that is looked at anew at `x`.
    pub(crate) fn end(
        &self,
        world: World<'_>,
        scale: &Scale,
        x: &[Point],
        residual: f64,
        tolerance: f64,
    ) -> Option<End> {
        let end = scale.end(residual, tolerance)?;
        let told = end == End::Converged || {
            let [rounding, _] = self.rounding(world, [x, x], |i| self.stiffness(i));
            residual <= rounding + 2.0 * f64::EPSILON * scale.value
        };
        told.then_some(end)
    }

    /// What rounding leaves of ∇g (N) where particles are at or between two positions each: of the terms
    /// `m (x − y)/h²`, and of stiffness times position. Then stiffness times the distance from the
    /// first particle (N).
    fn rounding(
        &self,
        world: World<'_>,
        at: [&[Point]; 2],
        stiffness: impl Fn(usize) -> f64 + Sync,
    ) -> [f64; 2] {
        let World { model, team, .. } = world;
        let (y, masses, free) = (&self.y, model.masses(), &self.free);
        let strength = self.dissipation.strength();
        let from = at.map(|x| x.first().copied().unwrap_or(Point::ZERO));
        let (by_square, by) = (1.0 / (self.h * self.h), 1.0 / self.h);
        let terms = |i: usize| {
            let stiffness = stiffness(i);
            let (inertia, held) = (masses[i] * by_square, stiffness + strength[i] * by);
            let mut sums = [0.0; 2];
            for axis in 0..3 {
                let x = greater(at[0][i][axis].abs(), at[1][i][axis].abs());
                let far = [0, 1].map(|k| (at[k][i] - from[k])[axis].abs());
                let term = inertia * (x + y[i][axis].abs()) + held * x;
                sums[0] += square(term * free[i][axis]);
                sums[1] += square(greater(far[0], far[1]) * stiffness * free[i][axis]);
            }
            sums
        };
        let add = |a: [f64; 2], b: [f64; 2]| [a[0] + b[0], a[1] + b[1]];
        let several = |range| side_by_side(range, terms, add);
        let [terms, spread] = team.fold(at[0].len(), several, add).map(f64::sqrt);
        [2.0 * f64::EPSILON * terms + self.potential.rounding() * spread, spread]
    }
}

/// Of stiffness times length: a force that counts as one that acts.
const SLIGHT: f64 = 1e-9;

/// What is seen at some positions.
#[derive(Clone, Copy)]
pub(crate) struct Look {
    /// g (J); NaN where it was not asked for.
    pub(crate) value: f64,
    /// ‖∇g‖ (N) over free coordinates.
    pub(crate) residual: f64,
}

/// Sums over particles for a [`Scale`].
#[derive(Clone, Copy, Default)]
struct Terms {
    load: f64,
    size: f64,
}

impl Terms {
    fn with(self, other: Self) -> Self {
        Self { load: self.load + other.load, size: greater(self.size, other.size) }
    }
}

fn greater(a: f64, b: f64) -> f64 {
    if b > a { b } else { a }
}

/// What a residual is compared with (N).
#[derive(Clone, Copy)]
pub(crate) struct Scale {
    /// ‖M g + f‖ + ‖∇E(x_t)‖ + ‖∂D/∂v(v_t)‖: the forces that act where the step starts, whatever its
    /// length; at the least a slight share of stiffness times length.
    pub(crate) value: f64,
    /// What rounding leaves, at the most.
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
    let squares = |i: usize| {
        let free = (0..3).filter(|&axis| !model.fixed()[i][axis]);
        free.map(|axis| square(values[i][axis])).sum::<f64>()
    };
    team.sum(values.len(), |range| range.map(squares).sum()).sqrt()
}

/// The sum of terms, as four sums side by side, for one would wait for itself.
fn side_by_side<T: Copy + Default>(
    range: std::ops::Range<usize>,
    term: impl Fn(usize) -> T,
    add: impl Fn(T, T) -> T,
) -> T {
    let mut sums = [T::default(); 4];
    let whole = range.start + range.len() / 4 * 4;
    for i in (range.start..whole).step_by(4) {
        for k in 0..4 {
            sums[k] = add(sums[k], term(i + k));
        }
    }
    let sum = sums.into_iter().fold(T::default(), &add);
    add(sum, (whole..range.end).fold(T::default(), |sum, i| add(sum, term(i))))
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
