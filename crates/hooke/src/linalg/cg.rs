//! Conjugate gradients on block matrices (Hestenes & Stiefel 1952), preconditioned, and filtered
//! as in Baraff & Witkin 1998 §5.3.
//!
//! A filter removes pinned directions from the right-hand side and from every product, so that
//! the iteration stays in the space of allowed motions and the matrix keeps its rows.

use super::precondition::Precondition;
use super::{Indefinite, Matrix, Operator};
use crate::math::{Mat3, Vec3};
use crate::thread_pool::ThreadPool;

/// The directions a solve must leave alone: `fixed[i][axis]`, or none.
pub type Filter<'a> = Option<&'a [[bool; 3]]>;

/// An approximate inverse: writes `z ≈ A⁻¹ r` for `(r, z)`.
pub type Outside<'a> = &'a mut dyn FnMut(&[Vec3], &mut [Vec3]);

/// The iteration with its workspace.
pub struct ConjugateGradient {
    precondition: Precondition,
    tolerance: f64,
    most: u32,
    r: Vec<Vec3>,
    z: Vec<Vec3>,
    p: Vec<Vec3>,
    q: Vec<Vec3>,
}

impl ConjugateGradient {
    /// Stops at `‖r‖ ≤ tolerance·‖b‖` or after `most` iterations.
    pub fn new(precondition: Precondition, tolerance: f64, most: u32, size: usize) -> Self {
        let zero = || vec![Vec3::ZERO; size];
        Self { precondition, tolerance, most, r: zero(), z: zero(), p: zero(), q: zero() }
    }

    /// Prepares the preconditioner.
    pub fn factor(&mut self, matrix: &Matrix<Mat3>) -> Result<(), Indefinite> {
        self.precondition.factor(matrix)
    }

    /// `x = a⁻¹ b` from x = 0; `Err` where a direction of negative curvature appears.
    pub fn solve<'a>(
        &mut self,
        a: impl Into<Operator<'a>>,
        b: &[Vec3],
        x: &mut [Vec3],
        filter: Filter<'_>,
        mut outside: Option<Outside<'_>>,
        pool: &ThreadPool,
    ) -> Result<u32, Indefinite> {
        let a = a.into();
        let Self { precondition, r, z, p, q, .. } = self;
        let mut apply = |r: &[Vec3], z: &mut [Vec3]| match &mut outside {
            Some(outside) => outside(r, z),
            None => precondition.apply(r, z),
        };
        x.fill(Vec3::ZERO);
        r.copy_from_slice(b);
        clear(filter, r);
        // Below rounding the recursion only loses its meaning.
        let goal = self.tolerance.max(f64::EPSILON) * dot(r, r, pool).sqrt();
        apply(r, z);
        clear(filter, z);
        p.copy_from_slice(z);
        let mut rz = dot(r, z, pool);
        let mut iterations = 0;
        while iterations < self.most && dot(r, r, pool).sqrt() > goal {
            a.multiply(p, q, pool);
            clear(filter, q);
            let curvature = dot(p, q, pool);
            if curvature <= 0.0 || !curvature.is_finite() {
                return Err(Indefinite);
            }
            let alpha = rz / curvature;
            axpy(alpha, p, x, pool);
            axpy(-alpha, q, r, pool);
            apply(r, z);
            clear(filter, z);
            let next = dot(r, z, pool);
            let beta = next / rz;
            rz = next;
            pool.for_each(p, |first, chunk| {
                for (p, &z) in chunk.iter_mut().zip(&z[first..]) {
                    *p = z + *p * beta;
                }
            });
            iterations += 1;
        }
        Ok(iterations)
    }
}

fn clear(filter: Filter<'_>, values: &mut [Vec3]) {
    let Some(fixed) = filter else { return };
    for (value, fixed) in values.iter_mut().zip(fixed) {
        for axis in 0..3 {
            if fixed[axis] {
                value[axis] = 0.0;
            }
        }
    }
}

/// `a·b`, summed in a fixed order.
pub(crate) fn dot(a: &[Vec3], b: &[Vec3], pool: &ThreadPool) -> f64 {
    pool.sum(a.len(), |range| range.map(|i| a[i].dot(b[i])).sum())
}

/// `y += s x`.
pub(crate) fn axpy(s: f64, x: &[Vec3], y: &mut [Vec3], pool: &ThreadPool) {
    pool.for_each(y, |first, chunk| {
        for (y, &x) in chunk.iter_mut().zip(&x[first..]) {
            *y += x * s;
        }
    });
}
