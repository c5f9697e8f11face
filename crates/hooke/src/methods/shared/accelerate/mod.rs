//! Accelerated quasi-Newton steps that never increase g: accelerators propose positions from
//! previous steps, and g decides whether they are accepted.
//!
//! A step is accepted if g decreases at least as much as a short plain step would achieve (Armijo).
//! A rejected step is replaced by the plain one, which decreases g as A bounds the Hessian. If A is
//! an estimate, it is halved until g decreases. Stored steps are cleared at the end of a time step,
//! so that a run that is stopped and restored continues with the same bits.

mod anderson;
mod lbfgs;
mod semi_iteration;

use super::minimization::Minimization;
use super::objective::{Evaluation, clear_fixed};
use super::prefactored::PrefactoredMatrix;
use crate::clock::Stopwatch;
use crate::contact::ConstrainedDirections;
use crate::math::{Vec3, flat, flat_mut};
use crate::methods::StepContext;
use crate::settings::choice;
use crate::thread_pool::ThreadPool;
use anderson::Anderson;
use lbfgs::Lbfgs;
use semi_iteration::SemiIteration;

choice! {
    /// What makes quasi-Newton steps faster.
    pub enum Accelerator {
        /// Nothing: plain steps.
        None = "none",
        /// Chebyshev's semi-iteration, Wang 2015: least work.
        Chebyshev = "chebyshev",
        /// Anderson's mixing, Peng et al. 2018.
        Anderson = "anderson",
        /// Limited-memory BFGS that starts from the factored matrix, Liu et al. 2017.
        Lbfgs = "l-bfgs",
    }
}

choice! {
    /// What goes on where quasi-Newton iterations do not suffice.
    pub enum Fallback {
        /// Nothing: the step ends unconverged.
        None = "none",
        /// Newton's method, from where they have come to.
        Newton = "newton",
    }
}

/// The maximum number of stored steps.
pub(crate) const MOST: usize = 16;

/// An accelerator that uses previous steps.
trait Accelerate: Send {
    /// Clears the memory, for a number of particles.
    fn begin(&mut self, particles: usize);

    /// Modifies ∇g before the solve with A.
    fn first_loop(&mut self, _gradient: &mut [Vec3], _pool: &ThreadPool) {}

    /// Modifies the result of the solve with A: the step from x to `to`. Returns whether `to` is no
    /// longer the plain step.
    fn second_loop(&mut self, _x: &[Vec3], _to: &mut [Vec3], _pool: &ThreadPool) -> bool {
        false
    }

    /// Writes a proposal that replaces the plain step; `false` if there is none.
    fn beyond(&mut self, _plain: Plain<'_>, _there: &mut [Vec3], _pool: &ThreadPool) -> bool {
        false
    }

    /// Called when the proposal did not decrease g.
    fn refused(&mut self) {}

    /// Called when a step was accepted.
    fn took(&mut self, _from: SolverIterate<'_>, _to: SolverIterate<'_>, _pool: &ThreadPool) {}
}

/// A plain step.
#[derive(Clone, Copy)]
struct Plain<'a> {
    x: &'a [Vec3],
    to: &'a [Vec3],
    /// `∇g · (to − x)` (J): −‖∇g‖² in the norm of A⁻¹.
    slope: f64,
}

/// Positions and ∇g there.
#[derive(Clone, Copy)]
struct SolverIterate<'a> {
    x: &'a [Vec3],
    gradient: &'a [Vec3],
}

/// Descent steps checked by g, with their workspace.
pub(crate) struct Descent {
    accelerator: Option<Box<dyn Accelerate>>,
    /// The right-hand side of the solve.
    b: Vec<Vec3>,
    /// The end of the plain step.
    to: Vec<Vec3>,
    /// The proposal of the accelerator.
    beyond: Vec<Vec3>,
    /// ∇g at either of them.
    gradient: Vec<Vec3>,
}

impl Descent {
    pub(crate) fn new(accelerator: Accelerator, window: u32, radius: f64) -> Self {
        let window = (window as usize).clamp(1, MOST);
        let accelerator: Option<Box<dyn Accelerate>> = match accelerator {
            Accelerator::None => None,
            Accelerator::Chebyshev => Some(Box::new(SemiIteration::new(radius))),
            Accelerator::Anderson => Some(Box::new(Anderson::new(window))),
            Accelerator::Lbfgs => Some(Box::new(Lbfgs::new(window))),
        };
        let [b, to, beyond, gradient] = [const { Vec::new() }; 4];
        Self { accelerator, b, to, beyond, gradient }
    }

    /// Whether steps are plain.
    pub(crate) fn is_plain(&self) -> bool {
        self.accelerator.is_none()
    }

    /// Restarts, for a number of particles.
    pub(crate) fn begin(&mut self, particles: usize) {
        for buffer in [&mut self.b, &mut self.to, &mut self.gradient] {
            buffer.resize(particles, Vec3::ZERO);
        }
        if let Some(accelerator) = &mut self.accelerator {
            self.beyond.resize(particles, Vec3::ZERO);
            accelerator.begin(particles);
        }
    }

    /// Decreases g by a step from x, where g and ∇g are known, with A and the constrained
    /// directions of contact. Returns whether any step decreases g.
    pub(crate) fn advance(
        &mut self,
        solve: &mut Minimization<'_>,
        prefactored: &mut PrefactoredMatrix,
        constrained: &mut ConstrainedDirections,
    ) -> bool {
        let StepContext { model, pool, .. } = solve.context;
        let here = solve.here;
        let there = loop {
            // to = x − A⁻¹ ∇g
            self.b.copy_from_slice(solve.gradient);
            self.to.copy_from_slice(solve.x);
            if let Some(accelerator) = &mut self.accelerator {
                accelerator.first_loop(&mut self.b, pool);
            }
            clear_fixed(model, &mut self.b);
            constrained.take(&mut self.b);
            let clock = Stopwatch::start();
            prefactored.descend(&self.b, here.residual, &mut self.to, pool);
            constrained.put(solve.x, &mut self.to);
            solve.effort.solution += clock.seconds();
            solve.effort.linear_iterations += 1;
            let changed = match &mut self.accelerator {
                Some(accelerator) => accelerator.second_loop(solve.x, &mut self.to, pool),
                None => false,
            };
            constrained.stop(model, &solve.g.contacts, &mut self.to);
            // Positive only by rounding; then g itself must decrease.
            let (x, gradient) = (&*solve.x, &*solve.gradient);
            let slope = pool.sum(x.len(), |range| slope(gradient, x, &self.to, range)).min(0.0);

            // Try the proposal, if g decreases there.
            if let Some(accelerator) = &mut self.accelerator {
                let plain = Plain { x, to: &self.to, slope };
                if accelerator.beyond(plain, &mut self.beyond, pool) {
                    let there = solve.g.evaluate(solve.context, &self.beyond, &mut self.gradient);
                    if solve.scale.falls(here.value, there.value, 1.0, slope) {
                        std::mem::swap(&mut self.to, &mut self.beyond);
                        break there;
                    }
                    accelerator.refused();
                }
            }

            // Shorten the step until g decreases.
            let halvings = if changed { HALVINGS } else { ALL_HALVINGS };
            match (self.search(solve, slope, halvings), &mut self.accelerator) {
                (Some(there), _) => break there,
                (None, Some(accelerator)) if changed => accelerator.refused(),
                (None, _) => return false,
            }
        };
        std::mem::swap(solve.x, &mut self.to);
        std::mem::swap(solve.gradient, &mut self.gradient);
        solve.here = there;
        if let Some(accelerator) = &mut self.accelerator {
            let from = SolverIterate { x: &self.to, gradient: &self.gradient };
            let to = SolverIterate { x: solve.x, gradient: solve.gradient };
            accelerator.took(from, to, pool);
        }
        true
    }

    /// Halves the step from x to `to` until g decreases.
    fn search(
        &mut self,
        solve: &mut Minimization<'_>,
        slope: f64,
        halvings: u32,
    ) -> Option<Evaluation> {
        let Minimization { context, g, x, scale, here, .. } = solve;
        let (context, x) = (*context, &**x);
        let there = g.evaluate(context, &self.to, &mut self.gradient);
        let mut alpha = 1.0;
        if scale.falls(here.value, there.value, alpha, slope) {
            return Some(there);
        }
        for _ in 0..halvings {
            alpha *= 0.5;
            context.pool.for_each(&mut self.to, |first, part| {
                for (to, &x) in part.iter_mut().zip(&x[first..]) {
                    *to = x + (*to - x) * 0.5;
                }
            });
            let value = g.value(context, &self.to);
            if scale.falls(here.value, value, alpha, slope) {
                let residual = g.gradient(context, &self.to, &mut self.gradient);
                return Some(Evaluation { value, residual });
            }
        }
        None
    }
}

/// The maximum number of halvings before the memory is cleared, and before the descent ends.
const HALVINGS: u32 = 3;
const ALL_HALVINGS: u32 = 40;

/// `v · (to − x)` within a range. Steps are zero on pinned coordinates.
fn slope(v: &[Vec3], x: &[Vec3], to: &[Vec3], range: std::ops::Range<usize>) -> f64 {
    let [v, x, to] = [v, x, to].map(|all| flat(&all[range.clone()]).as_chunks::<WIDTH>());
    let whole = v.0.iter().zip(x.0.iter().zip(to.0));
    let sums = whole.fold([0.0; WIDTH], |mut sums, (v, (x, to))| {
        for k in 0..WIDTH {
            sums[k] += v[k] * (to[k] - x[k]);
        }
        sums
    });
    let rest = v.1.iter().zip(x.1.iter().zip(to.1)).map(|(v, (x, to))| v * (to - x));
    sums.iter().sum::<f64>() + rest.sum::<f64>()
}

/// The scalar products of a vector with the first `count` vectors of others.
fn dots<'a>(
    count: usize,
    others: impl Fn(usize) -> &'a [Vec3] + Sync,
    vector: &[Vec3],
    pool: &ThreadPool,
) -> [f64; MOST] {
    pool.sums(vector.len(), |range| {
        let mut sums = [0.0; MOST];
        for (k, sum) in sums[..count].iter_mut().enumerate() {
            *sum = dot(&others(k)[range.clone()], &vector[range.clone()]);
        }
        sums
    })
}

/// `out += Σ c_k v_k` over the first `count` of `(c_k, v_k)`.
fn add<'a>(
    count: usize,
    terms: impl Fn(usize) -> (f64, &'a [Vec3]) + Sync,
    out: &mut [Vec3],
    pool: &ThreadPool,
) {
    pool.for_each(out, |first, part| {
        for k in 0..count {
            let (c, vector) = terms(k);
            let vector = flat(&vector[first..first + part.len()]);
            for (out, value) in flat_mut(part).iter_mut().zip(vector) {
                *out += c * value;
            }
        }
    });
}

fn dot(a: &[Vec3], b: &[Vec3]) -> f64 {
    let [a, b] = [a, b].map(|all| flat(all).as_chunks::<WIDTH>());
    let sums = a.0.iter().zip(b.0).fold([0.0; WIDTH], |mut sums, (a, b)| {
        for k in 0..WIDTH {
            sums[k] += a[k] * b[k];
        }
        sums
    });
    sums.iter().sum::<f64>() + a.1.iter().zip(b.1).map(|(a, b)| a * b).sum::<f64>()
}

/// The number of partial sums, to hide latency.
const WIDTH: usize = 8;
