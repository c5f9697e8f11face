//! The scale of residuals in a step, and the level of rounding.
//!
//! `‖∇g‖ ≤ tolerance · (‖M g + f‖ + ‖∇E(x_t)‖ + ‖∂D/∂v(v_t)‖)` ends a solve: the scale is that of
//! the acting forces at the start of the step.

use super::objective::{Objective, free_norm, side_by_side, square};
use crate::compute::At;
use crate::lanes::rows;
use crate::math::{Vec3, flat};
use crate::methods::StepContext;
use crate::report::End;

/// The smallest acting force, relative to stiffness times length.
const SLIGHT: f64 = 1e-9;

impl Objective {
    /// The scale of residuals in a step. `scratch` is overwritten.
    pub(crate) fn scale(&mut self, context: StepContext<'_>, scratch: &mut [Vec3]) -> Scale {
        let StepContext { pool, start, .. } = context;
        let at = At { x: &start.positions, anchors: &self.anchors };
        let (free, level) = (&self.free, self.potential.level());
        let squares = |first: usize, part: &mut [Vec3]| {
            rows::squares(level, flat(part), flat(&free[first..]))
        };
        let mut forces = self.potential.gradient(context, at, None, squares, scratch).sqrt();
        if !self.dissipation.is_empty() {
            scratch.fill(Vec3::ZERO);
            self.dissipation.gradient(|i| start.velocities[i], 1.0, scratch, pool);
            forces += free_norm(context.model, scratch, pool);
        }
        self.scale_of(context, forces, |i| self.stiffness(i))
    }

    /// The stiffness of energies at a particle (N/m).
    fn stiffness(&self, i: usize) -> f64 {
        self.potential.stiffness()[i] + self.contacts.strength(i)
    }

    /// As [`Objective::scale`], given the forces (N) of elements and dampers at the start of the
    /// step and the stiffness at each particle (N/m).
    pub(crate) fn scale_of(
        &self,
        context: StepContext<'_>,
        forces: f64,
        stiffness: impl Fn(usize) -> f64 + Sync,
    ) -> Scale {
        let StepContext { model, pool, .. } = context;
        let (x, free) = (&context.start.positions, &self.free);
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
        let Terms { load, size } = pool.fold(x.len(), several, Terms::with);
        let acting = load.sqrt() + forces;
        let [rounding, spread] = self.rounding(context, [x, &self.y], stiffness);
        Scale {
            value: greater(acting, SLIGHT * spread),
            floor: rounding + 2.0 * f64::EPSILON * acting,
            noise: 8.0 * f64::EPSILON * acting * size,
        }
    }

    /// Why a solve at `x` with this residual can stop, if so. If the scale says that the residual
    /// is below rounding, that is checked again at `x`.
    pub(crate) fn end(
        &self,
        context: StepContext<'_>,
        scale: &Scale,
        x: &[Vec3],
        residual: f64,
        tolerance: f64,
    ) -> Option<End> {
        let end = scale.end(residual, tolerance)?;
        let certain = end == End::Converged || {
            let [rounding, _] = self.rounding(context, [x, x], |i| self.stiffness(i));
            residual <= rounding + 2.0 * f64::EPSILON * scale.value
        };
        certain.then_some(end)
    }

    /// The rounding error of ∇g (N) with each particle at or between two positions: of the terms
    /// `m (x − y)/h²`, and of stiffness times position. Then stiffness times the distance from the
    /// first particle (N).
    fn rounding(
        &self,
        context: StepContext<'_>,
        at: [&[Vec3]; 2],
        stiffness: impl Fn(usize) -> f64 + Sync,
    ) -> [f64; 2] {
        let StepContext { model, pool, .. } = context;
        let (y, masses, free) = (&self.y, model.masses(), &self.free);
        let strength = self.dissipation.strength();
        let from = at.map(|x| x.first().copied().unwrap_or(Vec3::ZERO));
        let (by_square, by) = (1.0 / (self.h * self.h), 1.0 / self.h);
        let terms = |i: usize| {
            let stiffness = stiffness(i);
            let (inertia, elastic) = (masses[i] * by_square, stiffness + strength[i] * by);
            let mut sums = [0.0; 2];
            for axis in 0..3 {
                let x = greater(at[0][i][axis].abs(), at[1][i][axis].abs());
                let far = [0, 1].map(|k| (at[k][i] - from[k])[axis].abs());
                let term = inertia * (x + y[i][axis].abs()) + elastic * x;
                sums[0] += square(term * free[i][axis]);
                sums[1] += square(greater(far[0], far[1]) * stiffness * free[i][axis]);
            }
            sums
        };
        let add = |a: [f64; 2], b: [f64; 2]| [a[0] + b[0], a[1] + b[1]];
        let several = |range| side_by_side(range, terms, add);
        let [terms, spread] = pool.fold(at[0].len(), several, add).map(f64::sqrt);
        [2.0 * f64::EPSILON * terms + self.potential.rounding() * spread, spread]
    }
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

/// The scale of a residual (N).
#[derive(Clone, Copy)]
pub(crate) struct Scale {
    /// ‖M g + f‖ + ‖∇E(x_t)‖ + ‖∂D/∂v(v_t)‖: the acting forces at the start of the step, whatever
    /// its length; at least a small share of stiffness times length.
    pub(crate) value: f64,
    /// An upper bound of the rounding error.
    pub(crate) floor: f64,
    /// Differences of g (J) below rounding, besides those relative to g itself.
    noise: f64,
}

impl Scale {
    /// With a size and a rounding error (N).
    pub(crate) fn new(value: f64, floor: f64) -> Self {
        Self { value, floor, noise: 0.0 }
    }

    /// Why a solve with this residual can stop, if so.
    pub(crate) fn end(&self, residual: f64, tolerance: f64) -> Option<End> {
        if !residual.is_finite() {
            return None;
        }
        // If the scale is zero, only the rounding error can be tested.
        if residual <= tolerance * self.value || (self.value == 0.0 && residual <= self.floor) {
            return Some(End::Converged);
        }
        (residual <= self.floor).then_some(End::Rounding)
    }

    /// Differences of g (J) below rounding.
    pub(crate) fn noise(&self) -> f64 {
        self.noise
    }

    /// Whether a step of length `alpha` from `g` to `there` along a direction of this slope
    /// decreases g enough (Armijo), within rounding.
    pub(crate) fn falls(&self, g: f64, there: f64, alpha: f64, slope: f64) -> bool {
        there <= g + 1e-4 * alpha * slope + self.noise + 8.0 * f64::EPSILON * g.abs()
    }
}
