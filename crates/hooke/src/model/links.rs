//! All springs of a model as rows, laid out in the order of a sweep.
//!
//! One spring is the row `C = |x_i − x_j| − l`, whose gradient is ±d: two ends, a length, a compliance
//! and a multiplier, 32 bytes that are read and written in a stream, while the particles fit into the
//! cache. Springs of one colour share no particle, so a processor computes several at a time.

use super::Model;
use super::colours::Colours;
use super::net::springs;
use super::rows::{Bead, Effect, Sweep, Yield};
use crate::math::Point;
use crate::team::{Disjoint, Team};

/// Springs in the order of a sweep.
#[derive(Default)]
pub(crate) struct Links {
    colours: Colours,
    links: Vec<Link>,
    /// 1/k (m/N) of each.
    compliance: Vec<f64>,
    /// What α̃ was computed for.
    fitted: Option<(f64, Yield)>,
    /// Whether they only pull.
    slack: bool,
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
    pub(crate) fn of(model: &Model, order: impl Fn(&[[u32; 2]]) -> Colours) -> Self {
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
        Self { colours, links, compliance, fitted: None, slack: false }
    }

    /// Links that only pull, each of two ends and a length (m).
    pub(crate) fn slack(particles: usize, all: &[([u32; 2], f64)]) -> Self {
        let colours = Colours::greedy(particles, all.len(), |e| &all[e].0);
        let of = |&e: &u32| {
            let (ends, length) = all[e as usize];
            Link { ends, length, soft: 0.0, lambda: 0.0 }
        };
        let links = colours.order().iter().map(of).collect();
        Self { colours, links, compliance: vec![0.0; all.len()], fitted: None, slack: true }
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
            Effect::Move => colours.walk(team, |range| {
                // SAFETY: links of a range are its own, and those of one colour share no particle.
                unsafe {
                    match slack {
                        true => run::<true>(links, range, sweep, keep),
                        false => run::<false>(links, range, sweep, keep),
                    }
                }
            }),
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

/// Moves the ends of a range of links, one after the other.
///
/// # Safety
/// No other thread holds these links or their particles.
#[inline]
unsafe fn run<const SLACK: bool>(
    links: &Disjoint<'_, Link>,
    range: std::ops::Range<usize>,
    sweep: &Sweep<'_>,
    keep: f64,
) -> f64 {
    let mut sum = 0.0;
    for at in range {
        // SAFETY: as the caller promises; a link has two different ends.
        unsafe {
            let link = links.get(at);
            let [i, j] = link.ends;
            let (a, b) = (sweep.beads.get(i as usize), sweep.beads.get(j as usize));
            let d = a.x - b.x;
            if a.w < 0.0 || b.w < 0.0 {
                let (s, [wa, wb], step) = correct(link, [*a, *b], sweep, keep, SLACK);
                a.x += d.times(wa) * s;
                b.x -= d.times(wb) * s;
                link.lambda += step;
                sum += 2.0 * step * step;
                continue;
            }
            let distance = d.norm();
            let short = link.length - distance - keep * link.soft * link.lambda;
            let whole = (a.w + b.w + link.soft) * distance;
            let idle = (SLACK && short > 0.0) || whole <= 0.0;
            let s = if idle { 0.0 } else { short / whole };
            let step = s * distance;
            a.x += d * (s * a.w);
            b.x -= d * (s * b.w);
            link.lambda += step;
            sum += 2.0 * step * step;
        }
    }
    sum
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
