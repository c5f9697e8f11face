//! Faster than plain quasi-Newton steps, and never up: what follows from the steps before says
//! where to go instead, and g says whether that is any good.
//!
//! A step is taken where g falls at least as a short plain step would make it fall (Armijo). One that
//! is not good enough is replaced by the plain one, which falls as A bounds the Hessian, or is
//! halved until it does where A is an estimate. What is remembered is forgotten at the end of a
//! step in time, so that a run that is stopped and restored goes on with the same bits.

mod anderson;
mod chebyshev;
mod lbfgs;

use super::World;
use super::global::Global;
use super::objective::{Look, Objective, Scale, clear_fixed};
use crate::contact::Held;
use crate::math::{Point, flat, flat_mut};
use crate::report::StepReport;
use crate::settings::choice;
use crate::team::Team;
use anderson::Anderson;
use chebyshev::Chebyshev;
use lbfgs::Lbfgs;
use std::time::Instant;

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

/// The most steps that are remembered.
pub(super) const MOST: usize = 16;

/// A way to make use of the steps before.
trait Accelerate: Send {
    /// Forgets all, and makes room for so many particles.
    fn begin(&mut self, particles: usize);

    /// Turns ∇g before A is solved for it.
    fn turn(&mut self, _gradient: &mut [Point], _team: &Team) {}

    /// Turns what A gave: the step from x to `to`. Whether `to` is no longer the plain step.
    fn turn_back(&mut self, _x: &[Point], _to: &mut [Point], _team: &Team) -> bool {
        false
    }

    /// Writes where to go instead of the plain step; `false` where there is no better place.
    fn beyond(&mut self, _plain: Plain<'_>, _there: &mut [Point], _team: &Team) -> bool {
        false
    }

    /// That place did not lower g.
    fn refused(&mut self) {}

    /// A step was taken.
    fn took(&mut self, _from: Place<'_>, _to: Place<'_>, _team: &Team) {}
}

/// A plain step.
#[derive(Clone, Copy)]
struct Plain<'a> {
    x: &'a [Point],
    to: &'a [Point],
    /// `∇g · (to − x)` (J): −‖∇g‖² in the norm of A⁻¹.
    slope: f64,
}

/// Positions and ∇g there.
#[derive(Clone, Copy)]
struct Place<'a> {
    x: &'a [Point],
    gradient: &'a [Point],
}

/// Steps that are watched by g, with their workspace.
pub(super) struct Descent {
    accelerator: Option<Box<dyn Accelerate>>,
    /// The right-hand side of the solve.
    b: Vec<Point>,
    /// Where the solve leads.
    to: Vec<Point>,
    /// Where the accelerator leads.
    beyond: Vec<Point>,
    /// ∇g at either.
    gradient: Vec<Point>,
}

impl Descent {
    pub(super) fn new(accelerator: Accelerator, window: u32, radius: f64) -> Self {
        let window = (window as usize).clamp(1, MOST);
        let accelerator: Option<Box<dyn Accelerate>> = match accelerator {
            Accelerator::None => None,
            Accelerator::Chebyshev => Some(Box::new(Chebyshev::new(radius))),
            Accelerator::Anderson => Some(Box::new(Anderson::new(window))),
            Accelerator::Lbfgs => Some(Box::new(Lbfgs::new(window))),
        };
        let [b, to, beyond, gradient] = [const { Vec::new() }; 4];
        Self { accelerator, b, to, beyond, gradient }
    }

    /// Whether steps are plain.
    pub(super) fn is_plain(&self) -> bool {
        self.accelerator.is_none()
    }

    /// Starts anew, for so many particles.
    pub(super) fn begin(&mut self, particles: usize) {
        for buffer in [&mut self.b, &mut self.to, &mut self.gradient] {
            buffer.resize(particles, Point::ZERO);
        }
        if let Some(accelerator) = &mut self.accelerator {
            self.beyond.resize(particles, Point::ZERO);
            accelerator.begin(particles);
        }
    }

    /// Lowers g: moves `x`, where g and `gradient` are known, and returns what is seen there; `None`
    /// where no step lowers g.
    pub(super) fn advance(
        &mut self,
        mut way: Way<'_>,
        here: Look,
        x: &mut Vec<Point>,
        gradient: &mut Vec<Point>,
        report: &mut StepReport,
    ) -> Option<Look> {
        let World { model, team, .. } = way.world;
        let there = loop {
            // to = x − A⁻¹ ∇g
            self.b.copy_from_slice(gradient);
            self.to.copy_from_slice(x);
            if let Some(accelerator) = &mut self.accelerator {
                accelerator.turn(&mut self.b, team);
            }
            clear_fixed(model, &mut self.b);
            way.held.take(&mut self.b);
            let clock = Instant::now();
            way.global.descend(&self.b, here.residual, &mut self.to, team);
            way.held.put(x, &mut self.to);
            report.seconds.solution += clock.elapsed().as_secs_f64();
            *way.solves += 1;
            let turned = match &mut self.accelerator {
                Some(accelerator) => accelerator.turn_back(x, &mut self.to, team),
                None => false,
            };
            way.held.stop(model, &way.g.contacts, &mut self.to);
            // Above zero by rounding only; then g itself must fall.
            let slope = team.sum(x.len(), |range| slope(gradient, x, &self.to, range)).min(0.0);

            // Further than that, if g falls there.
            if let Some(accelerator) = &mut self.accelerator {
                let plain = Plain { x, to: &self.to, slope };
                if accelerator.beyond(plain, &mut self.beyond, team) {
                    let there = way.g.look(way.world, &self.beyond, &mut self.gradient);
                    if way.scale.falls(here.value, there.value, 1.0, slope) {
                        std::mem::swap(&mut self.to, &mut self.beyond);
                        break there;
                    }
                    accelerator.refused();
                }
            }

            // Not as far, until g falls.
            let halvings = if turned { HALVINGS } else { ALL_HALVINGS };
            match self.search(&mut way, here, x, slope, halvings) {
                Some(there) => break there,
                None if turned => {
                    let accelerator = self.accelerator.as_mut()?;
                    accelerator.refused();
                }
                None => return None,
            }
        };
        std::mem::swap(x, &mut self.to);
        std::mem::swap(gradient, &mut self.gradient);
        if let Some(accelerator) = &mut self.accelerator {
            let from = Place { x: &self.to, gradient: &self.gradient };
            accelerator.took(from, Place { x, gradient }, team);
        }
        Some(there)
    }

    /// Halves the step from x to `to` until g falls.
    fn search(
        &mut self,
        way: &mut Way<'_>,
        here: Look,
        x: &[Point],
        slope: f64,
        halvings: u32,
    ) -> Option<Look> {
        let Way { world, g, scale, .. } = way;
        let world = *world;
        let there = g.look(world, &self.to, &mut self.gradient);
        let mut alpha = 1.0;
        if scale.falls(here.value, there.value, alpha, slope) {
            return Some(there);
        }
        for _ in 0..halvings {
            alpha *= 0.5;
            world.team.for_each(&mut self.to, |first, part| {
                for (to, &x) in part.iter_mut().zip(&x[first..]) {
                    *to = x + (*to - x) * 0.5;
                }
            });
            let value = g.value(world, &self.to);
            if scale.falls(here.value, value, alpha, slope) {
                let residual = g.gradient(world, &self.to, &mut self.gradient);
                return Some(Look { value, residual });
            }
        }
        None
    }
}

/// How often a step is halved before what is remembered is forgotten, and before g is given up.
const HALVINGS: u32 = 3;
const ALL_HALVINGS: u32 = 40;

/// What a descent goes by.
pub(super) struct Way<'a> {
    pub(super) world: World<'a>,
    pub(super) g: &'a mut Objective,
    pub(super) global: &'a mut Global,
    /// What contact holds.
    pub(super) held: &'a mut Held,
    pub(super) scale: Scale,
    /// Counts solves with A.
    pub(super) solves: &'a mut u32,
}

/// `v · (to − x)` within a range. Steps are zero on pinned coordinates.
fn slope(v: &[Point], x: &[Point], to: &[Point], range: std::ops::Range<usize>) -> f64 {
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

/// The scalar products of a vector with the first `count` of others.
fn dots<'a>(
    count: usize,
    others: impl Fn(usize) -> &'a [Point] + Sync,
    vector: &[Point],
    team: &Team,
) -> [f64; MOST] {
    team.sums(vector.len(), |range| {
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
    terms: impl Fn(usize) -> (f64, &'a [Point]) + Sync,
    out: &mut [Point],
    team: &Team,
) {
    team.for_each(out, |first, part| {
        for k in 0..count {
            let (c, vector) = terms(k);
            let vector = flat(&vector[first..first + part.len()]);
            for (out, value) in flat_mut(part).iter_mut().zip(vector) {
                *out += c * value;
            }
        }
    });
}

fn dot(a: &[Point], b: &[Point]) -> f64 {
    let [a, b] = [a, b].map(|all| flat(all).as_chunks::<WIDTH>());
    let sums = a.0.iter().zip(b.0).fold([0.0; WIDTH], |mut sums, (a, b)| {
        for k in 0..WIDTH {
            sums[k] += a[k] * b[k];
        }
        sums
    });
    sums.iter().sum::<f64>() + a.1.iter().zip(b.1).map(|(a, b)| a * b).sum::<f64>()
}

/// How many sums run side by side, for one would wait for itself.
const WIDTH: usize = 8;
