//! A constant matrix above the Hessian, factored once: `A = a M + b Σ bounds + c Σ proxies`.
//!
//! It is the same for x, y and z, so it is n×n with three right-hand sides. It changes only with
//! the step, masses, stiffness, topology or pins. `quasi-newton` descends with it, and it can
//! precondition Newton's conjugate gradients.
//!
//! Dense parts of the Hessian of rank one couple the axes and change with the positions. They are
//! evaluated at the start of a step and added to A by a low-rank correction of its solves.

use super::system::Coefficients;
use crate::compute::{At, assembly};
use crate::kernels::Kernels;
use crate::laws::Proxy;
use crate::linalg::{LowPrecisionFactor, LowRank, Matrix, Woodbury};
use crate::math::Vec3;
use crate::methods::{Refusal, StepContext};
use crate::model::Model;
use crate::thread_pool::ThreadPool;

/// The factored matrix: one for all axes, or one per axis if pins differ between axes.
pub(crate) struct PrefactoredMatrix {
    /// The model's topology and the kernels; and the values, pins and coefficients for which the
    /// factor is valid.
    symbolic: ((u64, u64), Kernels),
    factored: Option<([u64; 4], Coefficients)>,
    matrix: Matrix<f64>,
    factors: Vec<LowPrecisionFactor>,
    bound: bool,
    /// Particles with additional stiffness (N/m).
    stiffened: Vec<(u32, f64)>,
    dense: LowRank,
    woodbury: Woodbury,
    step: Vec<Vec3>,
}

impl PrefactoredMatrix {
    /// Refactors if values, pins or coefficients changed. Returns the number of factorizations.
    pub(crate) fn update(&mut self, context: StepContext<'_>, c: Coefficients) -> u32 {
        let wanted = Some((context.model.versions().numeric(), c));
        if self.factored == wanted {
            return 0;
        }
        self.factored = None;
        for axis in 0..self.factors.len() {
            self.fill(context, c);
            self.matrix.fix_axis(context.model.fixed(), axis);
            if self.factors[axis].factor(&self.matrix, context.pool).is_err() {
                return axis as u32 + 1;
            }
        }
        self.factored = wanted;
        self.factors.len() as u32
    }

    /// Sets additional stiffness (N/m) of these particles, in all directions, and removes it from
    /// all others.
    pub(crate) fn hold(&mut self, stiffened: &[(u32, f64)]) {
        if self.stiffened != stiffened {
            self.stiffened.clear();
            self.stiffened.extend_from_slice(stiffened);
            self.factored = None;
        }
    }

    /// The symbolic factorization, if the topology or the kernels changed, or if pins began to
    /// differ between axes.
    pub(crate) fn analyze(
        prefactored: &mut Option<Self>,
        model: &Model,
        kernels: Kernels,
    ) -> Result<(), Refusal> {
        let symbolic = (model.versions().symbolic(), kernels);
        let mut known = match prefactored.take() {
            Some(known) if known.symbolic == symbolic => known,
            _ => {
                let matrix = Matrix::new(model.pattern());
                Self {
                    symbolic,
                    factored: None,
                    matrix,
                    factors: Vec::new(),
                    bound: true,
                    stiffened: Vec::new(),
                    dense: LowRank::NONE,
                    woodbury: Woodbury::default(),
                    step: Vec::new(),
                }
            }
        };
        // Pins usually fix all axes or none, and one matrix serves x, y and z.
        let alike = model.fixed().iter().all(|fixed| fixed[0] == fixed[1] && fixed[1] == fixed[2]);
        let needed = if alike { 1 } else { 3 };
        if known.factors.len() != needed {
            known.factored = None;
            known.factors.truncate(needed);
            while known.factors.len() < needed {
                let factor = LowPrecisionFactor::new(known.matrix.pattern(), kernels);
                let too_large = |error: crate::linalg::TooLarge| Refusal::TooLarge {
                    sentence: error.to_string(),
                };
                known.factors.push(factor.map_err(too_large)?);
            }
        }
        *prefactored = Some(known);
        Ok(())
    }

    fn fill(&mut self, context: StepContext<'_>, c: Coefficients) {
        let model = context.model;
        let matrix = &mut self.matrix;
        matrix.clear();
        for (i, &m) in model.masses().iter().enumerate() {
            *matrix.diagonal_mut(i) += c.mass * m;
        }
        for &(i, stiffness) in &self.stiffened {
            *matrix.diagonal_mut(i as usize) += stiffness;
        }
        let mut add = |corners: &[u32], block: &dyn Fn(usize, usize) -> f64| {
            for (a, &i) in corners.iter().enumerate() {
                for (b, &j) in corners.iter().enumerate() {
                    let slot = matrix.pattern().slot(i, j) as usize;
                    matrix.values_mut()[slot] += block(a, b);
                }
            }
        };
        for batch in model.elements() {
            batch.proxies(&mut |corners, proxy| {
                add(corners, &|a, b| c.stiffness * proxy[a * corners.len() + b]);
            });
        }
        let air = model.air().greatest();
        for batch in model.dampers() {
            batch.bounds(air, &mut |corners, weights, bound| {
                add(corners, &|a, b| c.damping * weights[a] * weights[b] * bound);
            });
        }
        self.bound = model.elements().iter().all(|batch| batch.law().proxy == Proxy::Bound)
            && model.dampers().iter().all(|batch| batch.bounded());
    }

    /// Whether there is a factor.
    pub(crate) fn is_factored(&self) -> bool {
        self.factored.is_some()
    }

    /// Whether the matrix is an upper bound of the Hessian, or only an estimate.
    pub(crate) fn is_bound(&self) -> bool {
        self.bound
    }

    /// Evaluates the dense parts of the Hessian at these positions.
    pub(crate) fn aim(&mut self, context: StepContext<'_>, at: At<'_>, c: Coefficients) {
        let Self { dense, woodbury, factors, .. } = self;
        assembly::rank_ones(context.model, at, dense, context.pool);
        if dense.is_empty() || self.factored.is_none() {
            return;
        }
        dense.scale(c.stiffness);
        dense.fix(context.model.fixed());
        woodbury.fit(dense, at.x.len(), |g, z| {
            z.fill(Vec3::ZERO);
            subtract_solution(factors, g, norm(g, context.pool), z, context.pool);
            z.iter_mut().for_each(|z| *z = -*z);
        });
    }

    /// `x ← x − A⁻¹ b`; `size` is the norm of `b`.
    pub(crate) fn descend(&mut self, b: &[Vec3], size: f64, x: &mut [Vec3], pool: &ThreadPool) {
        let Self { dense, woodbury, factors, step, .. } = self;
        if dense.is_empty() {
            return subtract_solution(factors, b, size, x, pool);
        }
        step.clear();
        step.resize(x.len(), Vec3::ZERO);
        subtract_solution(factors, b, size, step, pool);
        step.iter_mut().for_each(|step| *step = -*step);
        woodbury.correct(dense, b, step, pool);
        for (x, &step) in x.iter_mut().zip(&*step) {
            *x -= step;
        }
    }

    /// `z = A⁻¹ r`.
    pub(crate) fn solve(&mut self, r: &[Vec3], z: &mut [Vec3], pool: &ThreadPool) {
        z.fill(Vec3::ZERO);
        self.descend(r, norm(r, pool), z, pool);
        for z in z {
            *z = -*z;
        }
    }
}

fn norm(values: &[Vec3], pool: &ThreadPool) -> f64 {
    pool.sum(values.len(), |range| values[range].iter().map(|value| value.norm2()).sum()).sqrt()
}

/// `x ← x − A⁻¹ b` with the factors alone; `size` is the norm of `b`.
fn subtract_solution(
    factors: &mut [LowPrecisionFactor],
    b: &[Vec3],
    size: f64,
    x: &mut [Vec3],
    pool: &ThreadPool,
) {
    let alone = factors.len() == 1;
    for (axis, factor) in factors.iter_mut().enumerate() {
        factor.solve(b, size, x, pool, |x, step| {
            if alone {
                *x -= step;
            } else {
                x[axis] -= step[axis];
            }
        });
    }
}
