//! The factor of a matrix that only says in which direction to go.
//!
//! `x ← x − A⁻¹ ∇g(x)` ends where ∇g is zero, whatever A is: rounding in the factor changes how
//! fast, never where. So the kernels of the processor keep it in `f32`, large ones in `f16`.

use super::ldlt::Ldlt;
use super::panels::PanelFactor;
use super::{Indefinite, Matrix, Pattern, TooLarge};
use crate::kernels::Kernels;
use crate::math::Point;
use crate::team::Team;

/// A factor for the steps of a minimisation: ordering and symbolic analysis once per pattern,
/// numeric factorisation and solves into buffers that are kept.
pub struct RoughFactor(Kind);

enum Kind {
    Native(Box<PanelFactor>),
    Portable(Box<Ldlt<f64>>, Vec<Point>),
}

impl RoughFactor {
    /// Orders the pattern and analyses it.
    pub fn new(pattern: &Pattern, kernels: Kernels) -> Result<Self, TooLarge> {
        Ok(Self(match kernels {
            Kernels::Native => Kind::Native(Box::new(PanelFactor::new(pattern)?)),
            Kernels::Portable => Kind::Portable(Box::new(Ldlt::new(pattern)?), Vec::new()),
        }))
    }

    /// The numeric factorisation of a matrix on the pattern given to [`RoughFactor::new`].
    pub fn factor(&mut self, matrix: &Matrix<f64>, team: &Team) -> Result<(), Indefinite> {
        match &mut self.0 {
            Kind::Native(factor) => factor.factor(matrix, team),
            Kind::Portable(factor, _) => factor.factor(matrix),
        }
    }

    /// Calls `put(x_i, step_i)` for every particle, with `step = A⁻¹ b`; `size` is the norm of `b` or
    /// near it.
    pub fn solve(
        &mut self,
        b: &[Point],
        size: f64,
        x: &mut [Point],
        team: &Team,
        put: impl Fn(&mut Point, Point) + Sync,
    ) {
        match &mut self.0 {
            Kind::Native(factor) => factor.solve(b, size, x, team, put),
            Kind::Portable(factor, steps) => {
                steps.clear();
                steps.extend_from_slice(b);
                factor.solve(steps);
                for (x, &step) in x.iter_mut().zip(&*steps) {
                    put(x, step);
                }
            }
        }
    }

    /// How many numbers the factor holds.
    pub fn numbers(&self) -> usize {
        match &self.0 {
            Kind::Native(factor) => factor.numbers(),
            Kind::Portable(factor, _) => factor.numbers(),
        }
    }
}
