//! Limited-memory BFGS: the factored matrix, corrected by the curvature along the last steps.
//!
//! With `s_i` the last steps, `y_i` the changes of ∇g along them and `ρ_i = 1/(s_i·y_i)`:
//!
//! ```text
//! b = ∇g;       newest to oldest:  α_i = ρ_i s_i·b,   b ← b − α_i y_i
//! d = A⁻¹ b;    oldest to newest:  β_i = ρ_i y_i·d,   d ← d + (α_i − β_i) s_i
//! x ← x − d
//! ```
//!
//! Liu, Bouaziz & Kavan 2017, *Quasi-Newton methods for real-time simulation of hyperelastic
//! materials*. The scalar products in the loops follow from those with ∇g and d, and from `s_i·y_j`
//! of earlier iterations, so each loop reads its vectors twice (Chen, Wang & Zhou 2014).

use super::{Accelerate, MOST, SolverIterate, add, dots};
use crate::math::Vec3;
use crate::thread_pool::ThreadPool;

/// The method with its memory.
pub(super) struct Lbfgs {
    window: usize,
    /// Oldest first.
    pairs: Vec<Pair>,
    count: usize,
    /// `s_i · y_j`, for i not newer than j.
    products: [[f64; MOST]; MOST],
    /// `s_i · ∇g` of this iteration.
    along: [f64; MOST],
    /// Whether the newest pair was added after that was last computed.
    fresh: bool,
    alpha: [f64; MOST],
}

#[derive(Default)]
struct Pair {
    s: Vec<Vec3>,
    y: Vec<Vec3>,
}

/// The smallest relative curvature of a step that is stored.
const LEAST_CURVATURE: f64 = 1e-10;

impl Lbfgs {
    pub(super) fn new(window: usize) -> Self {
        Self {
            window,
            pairs: (0..window).map(|_| Pair::default()).collect(),
            count: 0,
            products: [[0.0; MOST]; MOST],
            along: [0.0; MOST],
            fresh: false,
            alpha: [0.0; MOST],
        }
    }
}

impl Accelerate for Lbfgs {
    fn begin(&mut self, particles: usize) {
        for buffer in self.pairs.iter_mut().flat_map(|pair| [&mut pair.s, &mut pair.y]) {
            buffer.resize(particles, Vec3::ZERO);
        }
        self.refused();
    }

    fn first_loop(&mut self, gradient: &mut [Vec3], pool: &ThreadPool) {
        let (count, pairs) = (self.count, &self.pairs);
        if count == 0 {
            return;
        }
        let along = dots(count, |i| &pairs[i].s[..], gradient, pool);
        if self.fresh {
            // y of the newest pair is the change of ∇g since then.
            for i in 0..count - 1 {
                self.products[i][count - 1] = along[i] - self.along[i];
            }
            self.fresh = false;
        }
        self.along = along;
        for i in (0..count).rev() {
            let newer = (i + 1..count).map(|j| self.alpha[j] * self.products[i][j]);
            self.alpha[i] = (along[i] - newer.sum::<f64>()) / self.products[i][i];
        }
        let alpha = self.alpha;
        add(count, |i| (-alpha[i], &pairs[i].y[..]), gradient, pool);
    }

    fn second_loop(&mut self, x: &[Vec3], to: &mut [Vec3], pool: &ThreadPool) -> bool {
        let (count, pairs) = (self.count, &self.pairs);
        if count == 0 {
            return false;
        }
        // y_i · d, with d = x − to
        let met = pool.sums(x.len(), |range| {
            let mut sums = [0.0; MOST];
            for (pair, sum) in pairs[..count].iter().zip(&mut sums) {
                *sum = super::slope(&pair.y, x, to, range.clone());
            }
            sums
        });
        let mut more = [0.0; MOST];
        for i in 0..count {
            let older = (0..i).map(|j| more[j] * self.products[j][i]).sum::<f64>();
            more[i] = self.alpha[i] - (older - met[i]) / self.products[i][i];
        }
        add(count, |i| (-more[i], &pairs[i].s[..]), to, pool);
        true
    }

    fn refused(&mut self) {
        (self.count, self.fresh) = (0, false);
    }

    fn took(&mut self, from: SolverIterate<'_>, to: SolverIterate<'_>, pool: &ThreadPool) {
        let new = if self.count < self.window {
            self.count
        } else {
            self.pairs.rotate_left(1);
            self.products.rotate_left(1);
            self.products.iter_mut().for_each(|row| row.rotate_left(1));
            self.along.rotate_left(1);
            self.window - 1
        };
        let Pair { s, y } = &mut self.pairs[new];
        pool.for_both(s, y, |first, s, y| {
            for (i, (s, y)) in (first..).zip(s.iter_mut().zip(y)) {
                (*s, *y) = (to.x[i] - from.x[i], to.gradient[i] - from.gradient[i]);
            }
        });
        let Pair { s, y } = &self.pairs[new];
        let [slope, curvature, ..] = dots(2, |k| [from.gradient, y][k], s, pool);
        self.count = new;
        self.fresh = curvature > LEAST_CURVATURE * slope.abs();
        if self.fresh {
            self.products[new][new] = curvature;
            self.count += 1;
        }
    }
}
