//! The function implicit methods minimize:
//!
//! `g(x) = 1/(2h²) (x−y)ᵀ M (x−y) + E(x) + h D((x−b)/h)`
//!
//! For backward Euler `y = x_t + h v_t + h² M⁻¹ f_ext` and `b = x_t`; BDF2 and the midpoint rule
//! use the same function with their own h, y and b. D is frozen at the start of the step, or by
//! second-order methods where they evaluate forces. Methods with contact in their solve add its
//! energy to E.

use crate::compute::At;
use crate::contact::Contacts;
use crate::kernels::Kernels;
use crate::lanes::rows;
use crate::math::{Vec3, flat, flat_mut};
use crate::methods::{Dissipation, Potential, Precision, StepContext};
use crate::model::Model;
use crate::report::StepReport;
use crate::state::State;
use crate::thread_pool::ThreadPool;

/// g with its workspace.
#[derive(Default)]
pub(crate) struct Objective {
    /// The length of the step in g (s).
    pub(crate) h: f64,
    /// y (m).
    pub(crate) y: Vec<Vec3>,
    /// b (m).
    pub(crate) base: Vec<Vec3>,
    /// Positions of the anchors at the end of the step (m).
    pub(super) anchors: Vec<Vec3>,
    /// The mass (kg) of each coordinate, and whether it is free: 1, or 0 where pinned.
    weights: Vec<Vec3>,
    pub(super) free: Vec<Vec3>,
    pub(crate) potential: Potential,
    pub(crate) dissipation: Dissipation,
    pub(crate) contacts: Contacts,
}

impl Objective {
    pub(crate) fn new(precision: Precision) -> Self {
        Self { potential: Potential::new(precision), ..Self::default() }
    }

    /// Adds the energy of contacts.
    pub(crate) fn with_contacts(self) -> Self {
        Self { contacts: Contacts::wanted(), ..self }
    }

    pub(crate) fn prepare(&mut self, model: &Model, kernels: Kernels) {
        self.potential.prepare(model, kernels);
        self.dissipation.prepare(model);
        self.contacts.prepare(model);
        self.y.resize(model.particles(), Vec3::ZERO);
        self.base.resize(model.particles(), Vec3::ZERO);
        self.weights.clear();
        self.weights.extend(model.masses().iter().map(|&m| Vec3::new(m, m, m)));
        self.free.clear();
        let free = |fixed: &[bool; 3]| Vec3::from(fixed.map(|fixed| f64::from(!fixed)));
        self.free.extend(model.fixed().iter().map(free));
    }

    /// Sets up backward Euler over `h` from the positions and velocities `b`, `v` (which for BDF2
    /// are not those of the state), at the fraction `s` of the step.
    pub(crate) fn begin(
        &mut self,
        context: StepContext<'_>,
        h: f64,
        s: f64,
        from: (&[Vec3], &[Vec3]),
        report: &mut StepReport,
    ) {
        report.residuals.clear();
        let State { positions, velocities, .. } = context.start;
        self.begin_damped(context, h, s, from, (positions, velocities));
        Dissipation::report_lag(context.model, report);
    }

    /// As [`Objective::begin`], with dampers evaluated at the positions and velocities `damped`:
    /// for order 2, within h² of those at the fraction `s`.
    pub(crate) fn begin_damped(
        &mut self,
        context: StepContext<'_>,
        h: f64,
        s: f64,
        from: (&[Vec3], &[Vec3]),
        damped: (&[Vec3], &[Vec3]),
    ) {
        let StepContext { model, control, pool, .. } = context;
        self.h = h;
        self.base.copy_from_slice(from.0);
        pool.for_each(&mut self.y, |first, part| {
            for (i, y) in (first..).zip(part) {
                *y = from.0[i] + from.1[i] * h + model.load(i) * (h * h / model.masses()[i]);
            }
        });
        self.anchors.resize(control.anchors().len(), Vec3::ZERO);
        for (k, anchor) in self.anchors.iter_mut().enumerate() {
            *anchor = control.anchor(k, s);
        }
        if !self.dissipation.is_empty() {
            let air = |at| control.air(model, at, s);
            self.dissipation.freeze(model, damped.0, damped.1, &air, pool);
        }
        self.contacts.begin(context, &self.y);
    }

    /// An approximate diagonal (N/m) of a matrix above ∇²g, without contact.
    pub(crate) fn diagonal(&self, context: StepContext<'_>, i: usize) -> f64 {
        context.model.masses()[i] / (self.h * self.h) + 0.5 * self.potential.stiffness()[i]
    }

    pub(crate) fn at<'a>(&'a self, x: &'a [Vec3]) -> At<'a> {
        At { x, anchors: &self.anchors }
    }

    /// g (J).
    pub(crate) fn value(&self, context: StepContext<'_>, x: &[Vec3]) -> f64 {
        let contact = self.contacts.energy(context.model, x, context.pool);
        self.motion(context, x) + Potential::energy(context, self.at(x)) + contact
    }

    /// g (J) without the energy of the batches marked in `left_out`.
    pub(crate) fn partial_value(
        &self,
        context: StepContext<'_>,
        x: &[Vec3],
        left_out: &[bool],
    ) -> f64 {
        self.motion(context, x) + Potential::partial_energy(context, self.at(x), left_out)
    }

    /// `out = ∇g` (N) without the energy of the batches marked in `left_out`, which must include
    /// all springs.
    pub(crate) fn partial_gradient(
        &mut self,
        context: StepContext<'_>,
        x: &[Vec3],
        left_out: &[bool],
        out: &mut [Vec3],
    ) {
        let StepContext { model, pool, .. } = context;
        let (y, masses) = (&self.y, model.masses());
        let (by, by_square) = (1.0 / self.h, 1.0 / (self.h * self.h));
        pool.for_each(out, |first, part| {
            for (i, value) in (first..).zip(part) {
                *value = (x[i] - y[i]) * (masses[i] * by_square);
            }
        });
        self.add_partial_forces(context, x, left_out, out);
        let base = &self.base;
        self.dissipation.gradient(|i| (x[i] - base[i]) * by, 1.0, out, pool);
    }

    /// `out += ∇E` (N) without the batches marked in `left_out`, which must include all springs.
    pub(crate) fn add_partial_forces(
        &mut self,
        context: StepContext<'_>,
        x: &[Vec3],
        left_out: &[bool],
        out: &mut [Vec3],
    ) {
        let at = At { x, anchors: &self.anchors };
        self.potential.add_partial_gradient(context, at, left_out, out);
    }

    /// The part of g (J) that is not potential energy.
    fn motion(&self, context: StepContext<'_>, x: &[Vec3]) -> f64 {
        let StepContext { model, pool, .. } = context;
        let inertia = pool.sum(x.len(), |range| {
            range.map(|i| model.masses()[i] * (x[i] - self.y[i]).norm2()).sum()
        });
        let velocity = |i: usize| (x[i] - self.base[i]) * (1.0 / self.h);
        inertia / (2.0 * self.h * self.h) + self.h * self.dissipation.value(velocity, pool)
    }

    /// `out = ∇g` (N), also on pinned coordinates, where it is the force of the pin. Returns its
    /// norm over free coordinates.
    pub(crate) fn gradient(
        &mut self,
        context: StepContext<'_>,
        x: &[Vec3],
        out: &mut [Vec3],
    ) -> f64 {
        self.evaluate_all::<false>(context, x, out).residual
    }

    /// As [`Objective::gradient`], with g, in one pass if there are only springs.
    pub(crate) fn evaluate(
        &mut self,
        context: StepContext<'_>,
        x: &[Vec3],
        out: &mut [Vec3],
    ) -> Evaluation {
        self.evaluate_all::<true>(context, x, out)
    }

    fn evaluate_all<const VALUE: bool>(
        &mut self,
        context: StepContext<'_>,
        x: &[Vec3],
        out: &mut [Vec3],
    ) -> Evaluation {
        let StepContext { model, pool, .. } = context;
        let (y, base, h) = (&self.y, &self.base, self.h);
        let at = At { x, anchors: &self.anchors };
        let velocity = |i: usize| (x[i] - base[i]) * (1.0 / h);
        let dissipation = &mut self.dissipation;
        let damped = !dissipation.is_empty();
        let lost = if VALUE { h * dissipation.value(velocity, pool) } else { 0.0 };
        let mut damping = |out: &mut [Vec3]| dissipation.gradient(velocity, 1.0, out, pool);
        let more: Option<&mut dyn FnMut(&mut [Vec3])> =
            if damped { Some(&mut damping) } else { None };
        let (free, level) = (&self.free, self.potential.level());
        let (weights, by) = (&self.weights, 1.0 / (h * h));
        let contacts = &self.contacts;
        let inertia = |first: usize, part: &mut [Vec3]| {
            let [x, y] = [x, y].map(|points| flat(&points[first..]));
            let [weights, free] = [weights, free].map(|points| flat(&points[first..]));
            rows::add_inertia(level, flat_mut(part), [x, y], (weights, by), free)
        };
        if !VALUE {
            let end = |first: usize, part: &mut [Vec3]| {
                contacts.add_gradient(model, x, 1.0, first, part);
                inertia(first, part)
            };
            let squares = self.potential.gradient(context, at, more, end, out);
            return Evaluation { value: f64::NAN, residual: squares.sqrt() };
        }
        let masses = model.masses();
        let end = |first: usize, part: &mut [Vec3]| {
            let far = |i: usize| masses[i] * (x[i] - y[i]).norm2();
            let moved = side_by_side(first..first + part.len(), far, |a, b| a + b);
            let contact = contacts.add_gradient(model, x, 1.0, first, part);
            [inertia(first, part), 0.5 * by * moved + contact]
        };
        let [squares, value] = self.potential.gradient_and_energy(context, at, more, end, out);
        Evaluation { value: value + lost, residual: squares.sqrt() }
    }

    /// Updates lagged contact, see [`Contacts::update_lagged`]. Returns the new evaluation if g has
    /// changed; only the contact part of the gradient is recomputed.
    pub(crate) fn update_lagged(
        &mut self,
        context: StepContext<'_>,
        x: &[Vec3],
        here: Evaluation,
        gradient: &mut [Vec3],
        tolerance: f64,
        times: u32,
    ) -> Option<Evaluation> {
        let StepContext { model, pool, .. } = context;
        let before = self.contacts.add_gradient(model, x, -1.0, 0, gradient);
        let changed = self.contacts.update_lagged(context, |i| x[i], tolerance, times);
        let after = self.contacts.add_gradient(model, x, 1.0, 0, gradient);
        let evaluate = || Evaluation {
            value: here.value + (after - before),
            residual: free_norm(model, gradient, pool),
        };
        changed.then(evaluate)
    }
}

/// g and ‖∇g‖ at some positions.
#[derive(Clone, Copy)]
pub(crate) struct Evaluation {
    /// g (J); NaN if it was not evaluated.
    pub(crate) value: f64,
    /// ‖∇g‖ (N) over free coordinates.
    pub(crate) residual: f64,
}

/// The Euclidean norm over coordinates that are not pinned.
pub(crate) fn free_norm(model: &Model, values: &[Vec3], pool: &ThreadPool) -> f64 {
    let squares = |i: usize| {
        let free = (0..3).filter(|&axis| !model.fixed()[i][axis]);
        free.map(|axis| square(values[i][axis])).sum::<f64>()
    };
    pool.sum(values.len(), |range| range.map(squares).sum()).sqrt()
}

/// The sum of terms, with four partial sums to hide latency.
pub(super) fn side_by_side<T: Copy + Default>(
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

pub(super) fn square(value: f64) -> f64 {
    value * value
}

/// Sets pinned coordinates to zero.
pub(crate) fn clear_fixed(model: &Model, values: &mut [Vec3]) {
    for pin in model.pins() {
        for axis in (0..3).filter(|&axis| pin.axes[axis]) {
            values[pin.particle.index()][axis] = 0.0;
        }
    }
}

/// Sets pinned coordinates to their positions at the fraction `s` of the step.
pub(crate) fn hold(context: StepContext<'_>, s: f64, x: &mut [Vec3]) {
    for (pin, &target) in context.model.pins().iter().zip(context.control.pins()) {
        let i = pin.particle.index();
        for axis in (0..3).filter(|&axis| pin.axes[axis]) {
            let start = context.start.positions[i][axis];
            x[i][axis] = if s == 1.0 { target[axis] } else { start + s * (target[axis] - start) };
        }
    }
}

/// Records the forces of the pins, from the gradient at the end of a solve.
pub(crate) fn reactions(model: &Model, gradient: &[Vec3], report: &mut StepReport) {
    for (pin, reaction) in model.pins().iter().zip(&mut report.reactions) {
        for axis in (0..3).filter(|&axis| pin.axes[axis]) {
            reaction[axis] = gradient[pin.particle.index()][axis];
        }
    }
}
