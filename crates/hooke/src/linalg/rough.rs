//! The factor of a matrix that only says in which direction to go.
//!
//! `x ← x − A⁻¹ ∇g(x)` ends where ∇g is zero, whatever A is: rounding in the factor changes how
//! fast, never where. So the kernels of the processor keep it in `f32`.

use super::ldlt::Ldlt;
use super::panels::PanelFactor;
use super::{Indefinite, Matrix, Pattern, TooLarge};
use crate::kernels::Kernels;
use crate::math::Point;
use crate::team::{Disjoint, Team};

/// A factor for the steps of a minimisation: ordering and symbolic analysis once per pattern,
/// numeric factorisation and solves into buffers that are kept.
pub struct RoughFactor(Kind);

enum Kind {
    Native(Box<PanelFactor>),
    Portable(Box<Ldlt<f64>>),
}

impl RoughFactor {
    /// Orders the pattern and analyses it.
    pub fn new(pattern: &Pattern, kernels: Kernels) -> Result<Self, TooLarge> {
        Ok(Self(match kernels {
            Kernels::Native => Kind::Native(Box::new(PanelFactor::new(pattern)?)),
            Kernels::Portable => Kind::Portable(Box::new(Ldlt::new(pattern)?)),
        }))
    }

    /// The numeric factorisation of a matrix on the pattern given to [`RoughFactor::new`].
    pub fn factor(&mut self, matrix: &Matrix<f64>) -> Result<(), Indefinite> {
        match &mut self.0 {
            Kind::Native(factor) => factor.factor(matrix),
            Kind::Portable(factor) => factor.factor(matrix),
        }
    }

    /// `x = A⁻¹ b`; `size` is the norm of `b` or near it.
    pub fn solve(&mut self, b: &[Point], size: f64, x: &mut [Point], team: &Team) {
        match &mut self.0 {
            Kind::Native(factor) => {
                let x = Disjoint::new(x);
                // SAFETY: `solve` hands over each particle once.
                factor.solve(b, size, team, |i, value| unsafe { *x.get(i) = value });
            }
            Kind::Portable(factor) => {
                x.copy_from_slice(b);
                factor.solve(x);
            }
        }
    }

    /// As [`RoughFactor::solve`], for coordinate `axis` of every point alone.
    pub fn solve_axis(
        &mut self,
        b: &[Point],
        size: f64,
        x: &mut [Point],
        axis: usize,
        team: &Team,
    ) {
        match &mut self.0 {
            Kind::Native(factor) => {
                let x = Disjoint::new(x);
                // SAFETY: `solve` hands over each particle once.
                factor.solve(b, size, team, |i, value| unsafe { x.get(i)[axis] = value[axis] });
            }
            Kind::Portable(factor) => {
                for (x, b) in x.iter_mut().zip(b) {
                    x[axis] = b[axis];
                }
                factor.solve_axis(x, axis);
            }
        }
    }

    /// How many numbers the factor holds.
    pub fn numbers(&self) -> usize {
        match &self.0 {
            Kind::Native(factor) => factor.numbers(),
            Kind::Portable(factor) => factor.numbers(),
        }
    }
}
