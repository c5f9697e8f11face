//! All springs of a model as rows, laid out in the order of a sweep.
//!
//! One spring is the row `C = |x_i − x_j| − l`, whose gradient is ±d. Within a step `w_i + w_j + α̃` does
//! not change, so that its inverse is known and a projection costs one root:
//!
//! `Δλ = (l − |x_ij| − α̃ λ)/(w_i + w_j + α̃)`, `x_i += w_i Δλ d`, `x_j −= w_j Δλ d`
//!
//! Numbers of springs are read in a stream, while the particles fit into the cache. Springs of one color
//! share no particle, so eight go side by side, one to a lane ([`crate::lanes`]).

use super::spring_kernels::springs;
use crate::elements::{Apply, ComplianceMode, ElementColoring, ProjectedParticle, Sweep};
use crate::lanes::double::{LANES, Lanes, Line};
use crate::lanes::{SimdLevel, dispatch};
use crate::math::Vec3;
use crate::model::Model;
use crate::thread_pool::{Disjoint, ThreadPool};
use std::ops::Range;

/// Springs in the order of a sweep.
#[derive(Default)]
pub(crate) struct DistanceConstraints {
    colors: ElementColoring,
    ends: [Vec<u32>; 2],
    /// Rest lengths (m) and 1/k (m/N).
    length: Vec<f64>,
    compliance: Vec<f64>,
    /// α̃ (1/kg), `1/(w_i + w_j + α̃)` (kg) or zero where nothing moves, and λ.
    soft: Vec<f64>,
    give: Vec<f64>,
    lambda: Vec<f64>,
    /// What α̃ and the inverses were computed for.
    fitted: Option<(f64, ComplianceMode)>,
    masses: Vec<f64>,
    /// Whether they only pull.
    slack: bool,
    /// The greatest number of a particle at an end.
    last: usize,
}

/// The greatest α̃ (1/kg): next to nothing is held, and nothing overflows.
const SOFTEST: f64 = 1e200;

impl DistanceConstraints {
    /// The springs of a model that hold anything, in the order that `order` makes of their ends.
    pub(crate) fn of(model: &Model, order: impl Fn(&[[u32; 2]]) -> ElementColoring) -> Self {
        let (mut all, _) = springs(model);
        all.retain(|(_, [k, _])| *k > 0.0);
        let ends: Vec<[u32; 2]> = all.iter().map(|(ends, _)| *ends).collect();
        let colors = order(&ends);
        let mut links = Self::new(colors, &ends, |e| all[e].1[1]);
        links.compliance =
            links.colors.order().iter().map(|&e| 1.0 / all[e as usize].1[0]).collect();
        links
    }

    /// Links that only pull, each of two ends and a length (m).
    pub(crate) fn slack(particles: usize, all: &[([u32; 2], f64)]) -> Self {
        let colors = ElementColoring::greedy(particles, all.len(), |e| &all[e].0);
        let ends: Vec<[u32; 2]> = all.iter().map(|(ends, _)| *ends).collect();
        Self { slack: true, ..Self::new(colors, &ends, |e| all[e].1) }
    }

    fn new(colors: ElementColoring, ends: &[[u32; 2]], length: impl Fn(usize) -> f64) -> Self {
        let order = colors.order();
        let zeros = vec![0.0; ends.len()];
        Self {
            ends: [0, 1].map(|end| order.iter().map(|&e| ends[e as usize][end]).collect()),
            length: order.iter().map(|&e| length(e as usize)).collect(),
            compliance: zeros.clone(),
            soft: zeros.clone(),
            give: zeros.clone(),
            lambda: zeros,
            fitted: None,
            masses: Vec::new(),
            slack: false,
            last: ends.iter().flatten().max().map_or(0, |&last| last as usize),
            colors,
        }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.length.len()
    }

    /// The particles at the ends of each, in the order of the sweep.
    pub(crate) fn ends(&self) -> impl Iterator<Item = [u32; 2]> + Clone {
        self.ends[0].iter().zip(&self.ends[1]).map(|(&i, &j)| [i, j])
    }

    /// Forgets all multipliers, and makes ready for a step with this 1/h² and these masses (kg) of the
    /// particles.
    pub(crate) fn begin(
        &mut self,
        (by, compliance_mode): (f64, ComplianceMode),
        masses: &[f64],
        particles: &[ProjectedParticle],
        pool: &ThreadPool,
    ) {
        if self.fitted == Some((by, compliance_mode)) && self.masses == masses {
            pool.for_each(&mut self.lambda, |_, part| part.fill(0.0));
            return;
        }
        self.lambda.fill(0.0);
        for (at, [i, j]) in
            self.ends[0].iter().zip(&self.ends[1]).map(|(&i, &j)| [i, j]).enumerate()
        {
            let soft = if compliance_mode == ComplianceMode::Rigid {
                0.0
            } else {
                self.compliance[at] * by
            };
            self.soft[at] = if soft < SOFTEST { soft } else { SOFTEST };
            let whole = particles[i as usize].w + particles[j as usize].w + self.soft[at];
            self.give[at] = if whole > 0.0 { 1.0 / whole } else { 0.0 };
        }
        self.masses.clear();
        self.masses.extend_from_slice(masses);
        self.fitted = Some((by, compliance_mode));
    }

    /// One sweep; the sum over ends of |Δλ|².
    pub(crate) fn project(
        &mut self,
        sweep: &Sweep<'_>,
        level: SimdLevel,
        pool: &ThreadPool,
    ) -> f64 {
        let keep = if sweep.compliance_mode == ComplianceMode::Compliant { 1.0 } else { 0.0 };
        let Self { colors, ends: [i, j], length, soft, give, lambda, slack, last, .. } = self;
        let lambda = &Disjoint::new(lambda);
        let run = &Run { i, j, length, soft, give, lambda, sweep, keep, slack: *slack };
        // Every end is a particle, and there is an entry for each.
        assert!(*last < sweep.particles.len() || length.is_empty());
        match sweep.apply {
            Apply::Move => colors.walk_knowing(pool, WORTH, |range, independent| {
                // SAFETY: links of a range are its own, and those of one color share no particle.
                unsafe { run.walk(range, independent, level) }
            }),
            _ => colors.together(pool, |range| {
                let mut sum = 0.0;
                for at in range {
                    // SAFETY: every link is visited by one thread, which has its two slots; nobody
                    // writes particles.
                    unsafe {
                        let ends = [i[at], j[at]];
                        let particles = ends.map(|i| sweep.particles.read(i as usize));
                        let (s, [wa, wb], step) = run.correct(at, particles);
                        let d = particles[0].x - particles[1].x;
                        *lambda.get(at) += step
                            * sweep.apply(&ends, 2 * at, |end| match end {
                                0 => d.times(wa) * s,
                                _ => d.times(wb) * -s,
                            });
                        sum += 2.0 * step * step;
                    }
                }
                sum
            }),
        }
    }

    /// λ of every link, in the order in which they were given.
    pub(crate) fn multipliers(&self) -> Vec<f64> {
        let mut out = vec![0.0; self.lambda.len()];
        for (&e, &lambda) in self.colors.order().iter().zip(&self.lambda) {
            out[e as usize] = lambda;
        }
        out
    }

    /// `d λ` of a link at its first end: what it pulls with, times h².
    pub(crate) fn pull(&self, link: usize, x: &[Vec3]) -> Vec3 {
        let [i, j] = [&self.ends[0], &self.ends[1]].map(|ends| x[ends[link] as usize]);
        (i - j).unit() * self.lambda[link]
    }
}

/// How many links of a color are worth a second thread: fewer take less time than it to wake up and
/// fetch the particles.
const WORTH: usize = 1600;

/// What a sweep reads and writes.
struct Run<'a> {
    i: &'a [u32],
    j: &'a [u32],
    length: &'a [f64],
    soft: &'a [f64],
    give: &'a [f64],
    lambda: &'a Disjoint<'a, f64>,
    sweep: &'a Sweep<'a>,
    keep: f64,
    slack: bool,
}

/// The least squared length (m²): where both ends coincide, nothing moves.
const TINY: f64 = 1e-300;

impl Run<'_> {
    /// Moves the ends of a range of links, eight at a time where they are independent.
    ///
    /// # Safety
    /// No other thread holds these links or their particles, and every end is a particle.
    unsafe fn walk(&self, range: Range<usize>, independent: bool, level: SimdLevel) -> f64 {
        assert!(range.end <= self.length.len());
        let whole = if independent { range.len() - range.len() % LANES } else { 0 };
        let (first, eights, mut sum) = (range.start, whole / LANES, 0.0);
        if eights > 0 {
            let run = self;
            // SAFETY: as the caller promises; the links of the range are there and independent.
            sum = unsafe {
                dispatch!(level, double, move_eights(
                    run: &Run<'_>, first: usize, eights: usize
                ) -> f64)
            };
        }
        for at in first + whole..range.end {
            // SAFETY: as the caller promises.
            sum += unsafe { self.move_one(at) };
        }
        sum
    }

    /// Moves the ends of one link.
    ///
    /// # Safety
    /// As of [`Run::walk`].
    #[inline]
    unsafe fn move_one(&self, at: usize) -> f64 {
        let [i, j] = [self.i[at], self.j[at]].map(|i| i as usize);
        // SAFETY: as the caller promises.
        unsafe {
            let particles = [self.sweep.particles.read(i), self.sweep.particles.read(j)];
            let (s, [wa, wb], step) = self.correct(at, particles);
            let d = particles[0].x - particles[1].x;
            self.sweep.particles.get(i).x += d.times(wa) * s;
            self.sweep.particles.get(j).x -= d.times(wb) * s;
            *self.lambda.get(at) += step;
            2.0 * step * step
        }
    }

    /// Δλ over the distance, the inverse masses of the ends, and Δλ: where an end may be pinned along
    /// some axes.
    ///
    /// # Safety
    /// No other thread writes the multiplier of the link.
    #[inline]
    unsafe fn correct(&self, at: usize, [a, b]: [ProjectedParticle; 2]) -> (f64, [Vec3; 2], f64) {
        let fixed = self.sweep.fixed;
        let wa = a.weights(fixed[self.i[at] as usize]);
        let wb = b.weights(fixed[self.j[at] as usize]);
        let d = a.x - b.x;
        let distance = (d.norm2() + TINY).sqrt();
        // SAFETY: as the caller promises.
        let lambda = unsafe { self.lambda.read(at) };
        let short = self.length[at] - distance - self.keep * self.soft[at] * lambda;
        let give = if a.w < 0.0 || b.w < 0.0 {
            let unit = d.unit();
            let whole = unit.times(wa + wb).dot(unit) + self.soft[at];
            if whole > 0.0 { 1.0 / whole } else { 0.0 }
        } else {
            self.give[at]
        };
        let step = if self.slack && short > 0.0 { 0.0 } else { short * give };
        (step / distance, [wa, wb], step)
    }
}

/// Moves the ends of eights of links that share no particle; the sum over ends of |Δλ|².
///
/// # Safety
/// As [`Lanes`] and [`Run::walk`]; there are so many links from `first` on.
#[inline(always)]
unsafe fn move_eights<V: Lanes>(run: &Run<'_>, first: usize, eights: usize) -> f64 {
    let mut sum = Line::default();
    // SAFETY: as the caller promises; a particle is the four numbers of a row.
    unsafe {
        let particles = run.sweep.particles.pointer().cast();
        let lambdas = run.lambda.pointer();
        let (zero, keep) = (V::splat(0.0), V::splat(run.keep));
        let mut squares = zero;
        for at in (first..).step_by(LANES).take(eights) {
            let rows = [run.i, run.j].map(|ends| *ends.as_ptr().add(at).cast::<[u32; LANES]>());
            let a = V::take_rows(particles, &rows[0]);
            let b = V::take_rows(particles, &rows[1]);
            // Some end is pinned along some axes.
            if zero.any_above(a[3]) || zero.any_above(b[3]) {
                squares.store(&mut sum);
                for at in at..at + LANES {
                    sum.0[0] += 0.5 * run.move_one(at);
                }
                squares = V::load(&sum);
                continue;
            }
            let mut d = a;
            let mut square = V::splat(TINY);
            for axis in 0..3 {
                d[axis] = a[axis].less(b[axis]);
                square = square.plus(d[axis], d[axis]);
            }
            let mut inverse = [square];
            V::invert_roots(&mut inverse);
            let lambda = std::slice::from_raw_parts_mut(lambdas.add(at), LANES);
            let before = V::load_at(lambda, 0);
            let soft = V::load_at(run.soft, at);
            let distance = square.times(inverse[0]);
            let short = V::load_at(run.length, at).less(distance).minus(keep.times(soft), before);
            let mut step = short.times(V::load_at(run.give, at));
            if run.slack {
                step = step.where_positive(zero.less(short));
            }
            let s = step.times(inverse[0]);
            let mut line = Line::default();
            before.plus(step, V::splat(1.0)).store(&mut line);
            lambda.copy_from_slice(&line.0);
            squares = squares.plus(step, step);
            let [by_a, by_b] = [s.times(a[3]), s.times(b[3])];
            let (mut to_a, mut to_b) = (a, b);
            for axis in 0..3 {
                to_a[axis] = a[axis].plus(by_a, d[axis]);
                to_b[axis] = b[axis].minus(by_b, d[axis]);
            }
            V::put_rows(to_a, particles, &rows[0]);
            V::put_rows(to_b, particles, &rows[1]);
        }
        squares.store(&mut sum);
    }
    2.0 * sum.0.iter().sum::<f64>()
}
