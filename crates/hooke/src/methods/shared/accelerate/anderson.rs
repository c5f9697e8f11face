//! Anderson mixing: the combination of the last plain steps that minimizes the remaining step.
//!
//! With the plain step `q_k` from `x_k`, `f_k = q_k − x_k` and differences Δ between consecutive
//! iterations, `x_{k+1} = q_k − Σ θ_j Δq_j` where θ minimizes `|f_k − Σ θ_j Δf_j|`. Peng et al.
//! 2018, *Anderson acceleration for geometry optimization and physics simulation*.

use super::{Accelerate, MOST, Plain, add, dot};
use crate::math::Vec3;
use crate::thread_pool::ThreadPool;

/// The iteration with its memory.
pub(super) struct Anderson {
    window: usize,
    /// Whether there is a last plain step; the step and its end.
    known: bool,
    step: Vec<Vec3>,
    end: Vec<Vec3>,
    /// Oldest first.
    differences: Vec<Difference>,
    count: usize,
    /// `Δf_i · Δf_j`.
    gram: [[f64; MOST]; MOST],
}

#[derive(Default)]
struct Difference {
    step: Vec<Vec3>,
    end: Vec<Vec3>,
}

impl Anderson {
    pub(super) fn new(window: usize) -> Self {
        Self {
            window,
            known: false,
            step: Vec::new(),
            end: Vec::new(),
            differences: (0..window).map(|_| Difference::default()).collect(),
            count: 0,
            gram: [[0.0; MOST]; MOST],
        }
    }

    /// Drops the oldest difference if the window is full, and returns the index of the new one.
    fn make_room(&mut self) -> usize {
        if self.count < self.window {
            self.count += 1;
        } else {
            self.differences.rotate_left(1);
            self.gram.rotate_left(1);
            self.gram.iter_mut().for_each(|row| row.rotate_left(1));
        }
        self.count - 1
    }
}

impl Accelerate for Anderson {
    fn begin(&mut self, particles: usize) {
        let own = [&mut self.step, &mut self.end];
        let others = self.differences.iter_mut().flat_map(|d| [&mut d.step, &mut d.end]);
        for buffer in own.into_iter().chain(others) {
            buffer.resize(particles, Vec3::ZERO);
        }
        (self.known, self.count) = (false, 0);
    }

    fn beyond(&mut self, plain: Plain<'_>, there: &mut [Vec3], pool: &ThreadPool) -> bool {
        let new = if self.known { self.make_room() } else { 0 };
        let Difference { step, end } = &mut self.differences[new];
        pool.for_both(step, &mut self.step, |first, difference, last| {
            for (i, (difference, last)) in (first..).zip(difference.iter_mut().zip(last)) {
                let now = plain.to[i] - plain.x[i];
                *difference = now - *last;
                *last = now;
            }
        });
        pool.for_both(end, &mut self.end, |first, difference, last| {
            for (i, (difference, last)) in (first..).zip(difference.iter_mut().zip(last)) {
                *difference = plain.to[i] - *last;
                *last = plain.to[i];
            }
        });
        if !self.known {
            self.known = true;
            return false;
        }

        // Δf_j · Δf_new and Δf_j · f
        let (count, differences, step) = (self.count, &self.differences, &self.step);
        let sums: [f64; 2 * MOST] = pool.sums(step.len(), |range| {
            let mut sums = [0.0; 2 * MOST];
            for (j, difference) in differences[..count].iter().enumerate() {
                let own = &difference.step[range.clone()];
                sums[j] = dot(own, &differences[new].step[range.clone()]);
                sums[MOST + j] = dot(own, &step[range.clone()]);
            }
            sums
        });
        for j in 0..count {
            (self.gram[new][j], self.gram[j][new]) = (sums[j], sums[j]);
        }
        let mut theta = [0.0; MOST];
        theta[..count].copy_from_slice(&sums[MOST..MOST + count]);
        if !solve(self.gram, &mut theta[..count]) {
            return false;
        }

        there.copy_from_slice(plain.to);
        add(count, |j| (-theta[j], &differences[j].end[..]), there, pool);
        true
    }
}

/// `b ← A⁻¹ b` for the leading block of a Gram matrix, regularized so that nearly equal rows do no
/// harm; `false` if it has no inverse.
fn solve(mut a: [[f64; MOST]; MOST], b: &mut [f64]) -> bool {
    let n = b.len();
    for k in 0..n {
        a[k][k] *= 1.0 + RIDGE;
    }
    for k in 0..n {
        if a[k][k].is_nan() || a[k][k] <= 0.0 {
            return false;
        }
        for i in k + 1..n {
            let factor = a[i][k] / a[k][k];
            for j in k..n {
                a[i][j] -= factor * a[k][j];
            }
            b[i] -= factor * b[k];
        }
    }
    for k in (0..n).rev() {
        for j in k + 1..n {
            b[k] -= a[k][j] * b[j];
        }
        b[k] /= a[k][k];
    }
    b.iter().all(|value| value.is_finite())
}

/// The regularization of the diagonal, relative to it.
const RIDGE: f64 = 1e-12;
