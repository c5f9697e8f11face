//! All springs of a model as rows, laid out in the order of a sweep.
//!
//! One spring is the row `C = |x_i − x_j| − l`, whose gradient is ±d: two ends, a length, a compliance
//! and a multiplier, 32 bytes that are read and written in a stream, while the particles fit into the
//! cache. Springs of one colour share no particle, so a processor computes several at a time.

use super::Model;
use super::net::springs;
use super::sweep::{Bead, Effect, Sweep, Yield};
use super::visits::Visits;
use crate::math::Point;
use crate::team::{Disjoint, Team};

/// Springs in the order of a sweep.
#[derive(Default)]
pub(crate) struct Links {
    colours: Visits,
    links: Vec<Link>,
    /// 1/k (m/N) of each.
    compliance: Vec<f64>,
    /// What α̃ was computed for.
    fitted: Option<(f64, Yield)>,
    /// Whether they only pull.
    slack: bool,
    /// The greatest number of a particle at an end.
    last: usize,
}

/// One spring.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
struct Link {
    ends: [u32; 2],
    length: f64,
    /// α̃.
    soft: f64,
    lambda: f64,
}

/// The greatest α̃ (1/kg): next to nothing is held, and nothing overflows.
const SOFTEST: f64 = 1e200;

impl Links {
    /// The springs of a model that hold anything, in the order that `order` makes of their ends.
    pub(crate) fn of(model: &Model, order: impl Fn(&[[u32; 2]]) -> Visits) -> Self {
        let (mut all, _) = springs(model);
        all.retain(|(_, [k, _])| *k > 0.0);
        let ends: Vec<[u32; 2]> = all.iter().map(|(ends, _)| *ends).collect();
        let colours = order(&ends);
        let of = |&e: &u32| {
            let (ends, [_, length]) = all[e as usize];
            Link { ends, length, soft: 0.0, lambda: 0.0 }
        };
        let links = colours.order().iter().map(of).collect();
        let compliance = colours.order().iter().map(|&e| 1.0 / all[e as usize].1[0]).collect();
        let last = last(ends.iter());
        Self { colours, links, compliance, fitted: None, slack: false, last }
    }

    /// Links that only pull, each of two ends and a length (m).
    pub(crate) fn slack(particles: usize, all: &[([u32; 2], f64)]) -> Self {
        let colours = Visits::greedy(particles, all.len(), |e| &all[e].0);
        let of = |&e: &u32| {
            let (ends, length) = all[e as usize];
            Link { ends, length, soft: 0.0, lambda: 0.0 }
        };
        let links = colours.order().iter().map(of).collect();
        let (compliance, last) = (vec![0.0; all.len()], last(all.iter().map(|(ends, _)| ends)));
        Self { colours, links, compliance, fitted: None, slack: true, last }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.links.len()
    }

    /// The particles at the ends of each, in the order of the sweep.
    pub(crate) fn ends(&self) -> impl Iterator<Item = [u32; 2]> + Clone {
        self.links.iter().map(|link| link.ends)
    }

    /// Forgets all multipliers, and takes α̃ for steps with this 1/h².
    pub(crate) fn begin(&mut self, by: f64, yields: Yield, team: &Team) {
        let anew = self.fitted != Some((by, yields));
        let compliance = &self.compliance;
        team.for_each(&mut self.links, |first, part| {
            for (link, compliance) in part.iter_mut().zip(&compliance[first..]) {
                link.lambda = 0.0;
                if anew {
                    let soft = if yields == Yield::Rigid { 0.0 } else { compliance * by };
                    link.soft = if soft < SOFTEST { soft } else { SOFTEST };
                }
            }
        });
        self.fitted = Some((by, yields));
    }

    /// One sweep; the sum over ends of |Δλ|².
    pub(crate) fn project(&mut self, sweep: &Sweep<'_>, team: &Team) -> f64 {
        let keep = if sweep.yields == Yield::Compliant { 1.0 } else { 0.0 };
        let (colours, slack) = (&self.colours, self.slack);
        let links = &Disjoint::new(&mut self.links);
        match sweep.effect {
            Effect::Move => {
                // Every end is a particle, and there is a bead for each.
                assert!(self.last < sweep.beads.len() || links.len() == 0);
                colours.walk_knowing(team, |range, independent| {
                    // SAFETY: links of a range are its own, and those of one colour share no particle.
                    unsafe {
                        match slack {
                            true => run::<true>(links, range, independent, sweep, keep),
                            false => run::<false>(links, range, independent, sweep, keep),
                        }
                    }
                })
            }
            _ => colours.together(team, |range| {
                let mut sum = 0.0;
                for at in range {
                    // SAFETY: every link is visited by one thread, which has its two slots; nobody
                    // writes particles.
                    unsafe {
                        let link = links.get(at);
                        let beads = link.ends.map(|i| sweep.beads.read(i as usize));
                        let (s, [wa, wb], step) = correct(link, beads, sweep, keep, slack);
                        let d = beads[0].x - beads[1].x;
                        link.lambda += step
                            * sweep.apply(&link.ends, 2 * at, |end| match end {
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

    /// `d λ` of a link at its first end: what it pulls with, times h².
    pub(crate) fn pull(&self, link: usize, x: &[Point]) -> Point {
        let Link { ends: [i, j], lambda, .. } = self.links[link];
        (x[i as usize] - x[j as usize]).unit() * lambda
    }
}

/// The greatest number of a particle at an end.
fn last<'a>(ends: impl Iterator<Item = &'a [u32; 2]>) -> usize {
    ends.flatten().max().map_or(0, |&last| last as usize)
}

/// Moves the ends of a range of links.
///
/// # Safety
/// No other thread holds these links or their particles, and every end has a bead.
#[inline]
unsafe fn run<const SLACK: bool>(
    links: &Disjoint<'_, Link>,
    range: std::ops::Range<usize>,
    independent: bool,
    sweep: &Sweep<'_>,
    keep: f64,
) -> f64 {
    assert!(range.end <= links.len());
    let (mut at, mut sum) = (range.start, 0.0);
    // SAFETY: as the caller promises.
    unsafe {
        while independent && at + SIDE_BY_SIDE <= range.end {
            sum += move_links::<SLACK, SIDE_BY_SIDE>(links, at, sweep, keep);
            at += SIDE_BY_SIDE;
        }
        for at in at..range.end {
            sum += move_links::<SLACK, 1>(links, at, sweep, keep);
        }
    }
    sum
}

/// How many links of one colour are computed together, for each waits for its root and its quotient.
const SIDE_BY_SIDE: usize = 4;

/// Moves the ends of K links that share no particle: all are read before any is written.
///
/// # Safety
/// As of [`run`].
#[inline(always)]
unsafe fn move_links<const SLACK: bool, const K: usize>(
    links: &Disjoint<'_, Link>,
    first: usize,
    sweep: &Sweep<'_>,
    keep: f64,
) -> f64 {
    // SAFETY: as the caller promises.
    unsafe {
        let mut own = [Link { ends: [0; 2], length: 0.0, soft: 0.0, lambda: 0.0 }; K];
        let (mut d, mut w, mut square) = ([Point::ZERO; K], [[0.0; 2]; K], [0.0; K]);
        let mut least = 0.0f64;
        for k in 0..K {
            own[k] = links.read_unchecked(first + k);
            let [a, b] = own[k].ends.map(|i| sweep.beads.read_unchecked(i as usize));
            (d[k], w[k]) = (a.x - b.x, [a.w, b.w]);
            square[k] = d[k].norm2();
            least = least.min(a.w).min(b.w);
        }
        // Some end is pinned along some axes.
        if least < 0.0 {
            return (first..first + K)
                .map(|at| move_slider(links.get(at), sweep, keep, SLACK))
                .sum();
        }
        let mut distance = [0.0; K];
        for k in 0..K {
            distance[k] = square[k].sqrt();
        }
        let (mut s, mut sum) = ([0.0; K], 0.0);
        for k in 0..K {
            let short = own[k].length - distance[k] - keep * own[k].soft * own[k].lambda;
            let whole = (w[k][0] + w[k][1] + own[k].soft) * distance[k];
            let idle = (SLACK && short > 0.0) || whole <= 0.0;
            s[k] = if idle { 0.0 } else { short / whole };
        }
        for k in 0..K {
            let step = s[k] * distance[k];
            let [i, j] = own[k].ends;
            sweep.beads.get_unchecked(i as usize).x += d[k] * (s[k] * w[k][0]);
            sweep.beads.get_unchecked(j as usize).x -= d[k] * (s[k] * w[k][1]);
            links.get_unchecked(first + k).lambda = own[k].lambda + step;
            sum += 2.0 * step * step;
        }
        sum
    }
}

/// Moves the ends of a link of which one is pinned along some axes.
///
/// # Safety
/// As of [`run`].
#[cold]
unsafe fn move_slider(link: &mut Link, sweep: &Sweep<'_>, keep: f64, slack: bool) -> f64 {
    let [i, j] = link.ends.map(|i| i as usize);
    // SAFETY: as the caller promises.
    unsafe {
        let beads = [sweep.beads.read(i), sweep.beads.read(j)];
        let (s, [wa, wb], step) = correct(link, beads, sweep, keep, slack);
        let d = beads[0].x - beads[1].x;
        sweep.beads.get(i).x += d.times(wa) * s;
        sweep.beads.get(j).x -= d.times(wb) * s;
        link.lambda += step;
        2.0 * step * step
    }
}

/// Δλ over the distance, the inverse masses of the ends, and Δλ: where an end may be pinned along
/// some axes.
#[inline]
fn correct(
    link: &Link,
    [a, b]: [Bead; 2],
    sweep: &Sweep<'_>,
    keep: f64,
    slack: bool,
) -> (f64, [Point; 2], f64) {
    let [wa, wb] = [(a, link.ends[0]), (b, link.ends[1])]
        .map(|(bead, i)| bead.weights(sweep.fixed[i as usize]));
    let d = a.x - b.x;
    let (distance, unit) = (d.norm(), d.unit());
    let short = link.length - distance - keep * link.soft * link.lambda;
    let whole = (unit.times(wa + wb).dot(unit) + link.soft) * distance;
    let idle = (slack && short > 0.0) || whole <= 0.0;
    let s = if idle { 0.0 } else { short / whole };
    (s, [wa, wb], s * distance)
}
