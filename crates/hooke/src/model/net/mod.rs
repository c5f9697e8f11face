//! All springs of a model as each particle sees them.
//!
//! `∂E/∂x_i = Σ_j k (1 − l/|x_ij|) x_ij`: a particle adds up its own springs, so every spring is
//! computed twice, nothing is stored in between, no two threads write the same place and the bits do
//! not depend on them. Eight particles go side by side, one to a lane ([`crate::lanes`]): line by
//! line, each meets its next partner. Where partners follow each other they are read from [`Axes`].

mod layout;
mod single;
mod vertices;

pub(crate) use single::SingleNet;
pub(crate) use vertices::{Neighbourhood, Proposal, VertexNet};

use super::Model;
use crate::kernels::Kernels;
use crate::lanes::double::{LANES, Lanes, Line};
use crate::lanes::{Level, dispatch};
use crate::math::Point;
use crate::report::Strain;
use crate::team::{Disjoint, Team};
use layout::{Group, Layout, NONE};

/// The springs of a model.
#[derive(Default)]
pub(crate) struct Net {
    fitted: Option<([u64; 3], Kernels)>,
    level: Level,
    layout: Layout<LANES>,
    stiffness: Vec<Line>,
    length: Vec<Line>,
    /// Of the lines that count: 1/l, or zero, and the springs, for those that ask which one it is.
    inverse_length: Vec<Line>,
    spring: Vec<[u32; LANES]>,
    laws: Vec<Counted>,
}

/// A law of springs and the number of springs before its own.
pub(super) type Counted = (&'static str, usize);

/// Two particles with k (N/m) and l (m) of the spring between them.
pub(super) type Joined = ([u32; 2], [f64; 2]);

/// All springs of a model, and their laws.
pub(super) fn springs(model: &Model) -> (Vec<Joined>, Vec<Counted>) {
    let (mut all, mut laws) = (Vec::new(), Vec::new());
    for batch in model.elements().iter().filter(|batch| batch.law().springs) {
        laws.push((batch.law().name, all.len()));
        batch.springs(&mut |pair, spring| all.push((pair, spring)));
    }
    (all, laws)
}

/// x, y and z of all particles (m), each by itself.
#[derive(Default)]
pub(crate) struct Axes([Vec<f64>; 3]);

/// Where particles are (m).
#[derive(Clone, Copy)]
pub(crate) struct Places<'a> {
    x: &'a [Point],
    /// The same by axes, where lines are runs.
    axes: Option<&'a Axes>,
}

/// What springs hold together.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    energy: f64,
    /// The greatest |strain| and its group.
    strain: f64,
    group: usize,
}

/// How many lines are computed together.
const SIDE_BY_SIDE: usize = 3;

/// Within so small a strain of its rest length a spring is at rest, and what rests feels no force.
const SLACK: f64 = 1e-15;

/// The least squared length (m²): where both ends coincide, the force is zero.
const TINY: f64 = 1e-300;

impl Net {
    /// Brings them up to date with a model.
    pub(crate) fn fit(&mut self, model: &Model, kernels: Kernels) {
        let wanted = Some((model.versions().elements(), kernels));
        if self.fitted == wanted {
            return;
        }
        let (all, laws) = springs(model);
        self.lay_out(model.particles(), &all, kernels);
        self.laws = laws;
        self.fitted = wanted;
    }

    /// Lays these springs between `particles` out in lines.
    fn lay_out(&mut self, particles: usize, all: &[Joined], kernels: Kernels) {
        let (layout, springs) = Layout::new(particles, all);
        (self.layout, self.level) = (layout, Level::of(kernels));
        for lines in [&mut self.stiffness, &mut self.length] {
            lines.clear();
            lines.resize(self.layout.partner.len(), Line::default());
        }
        for (line, springs) in springs.iter().enumerate() {
            for (lane, &spring) in springs.iter().enumerate().filter(|(_, spring)| **spring != NONE)
            {
                let [k, l] = all[spring as usize].1;
                self.stiffness[line].0[lane] = k;
                self.length[line].0[lane] = l;
            }
        }
        self.spring.clear();
        self.inverse_length.clear();
        for group in &self.layout.groups {
            let counted = group.line as usize..(group.line + group.counted) as usize;
            self.spring.extend_from_slice(&springs[counted.clone()]);
            let inverse = |l: f64| if l > 0.0 { 1.0 / l } else { 0.0 };
            let lengths = self.length[counted].iter().map(|line| Line(line.0.map(inverse)));
            self.inverse_length.extend(lengths);
        }
    }

    /// The instructions that compute.
    pub(crate) fn level(&self) -> Level {
        self.level
    }

    /// Makes ready for [`Net::gradient`] at `x` (m).
    pub(crate) fn see<'a>(&self, x: &'a [Point], axes: &'a mut Axes, team: &Team) -> Places<'a> {
        assert!(x.len() == self.layout.particles);
        if !self.layout.by_runs {
            return Places { x, axes: None };
        }
        axes.0.iter_mut().for_each(|axis| axis.resize(x.len(), 0.0));
        let [xs, ys, zs] = &mut axes.0;
        let [xs, ys, zs] = [xs, ys, zs].map(|axis| Disjoint::new(axis));
        team.chunks(x.len(), |range| {
            // SAFETY: every particle is in one chunk.
            let axes = unsafe { [&xs, &ys, &zs].map(|axis| axis.slice(range.clone())) };
            let x = &x[range];
            dispatch!(self.level, double, part_by(x: &[Point], axes: [&mut [f64]; 3]));
        });
        Places { x, axes: Some(axes) }
    }

    /// `out = ∂E/∂x` (N) for the particles from `first` on, which is a multiple of eight.
    pub(crate) fn gradient(&self, at: Places<'_>, first: usize, out: &mut [Point]) {
        let particles = self.layout.particles;
        assert!(at.x.len() == particles && first + out.len() <= particles);
        assert!(at.axes.is_none_or(|axes| axes.0.iter().all(|axis| axis.len() == particles)));
        debug_assert_eq!(first % LANES, 0);
        let net = self;
        dispatch!(self.level, double, gradient_by<false>(
            net: &Net, at: Places<'_>, first: usize, out: &mut [Point]
        ) -> f64);
    }

    /// As [`Net::gradient`]; also the energy of these particles (J): half that of their springs.
    pub(crate) fn gradient_and_energy(
        &self,
        at: Places<'_>,
        first: usize,
        out: &mut [Point],
    ) -> f64 {
        let particles = self.layout.particles;
        assert!(at.x.len() == particles && first + out.len() <= particles);
        assert!(at.axes.is_none_or(|axes| axes.0.iter().all(|axis| axis.len() == particles)));
        debug_assert_eq!(first % LANES, 0);
        let net = self;
        dispatch!(self.level, double, gradient_by<true>(
            net: &Net, at: Places<'_>, first: usize, out: &mut [Point]
        ) -> f64)
    }

    /// Σ E (J).
    pub(crate) fn energy(&self, x: &[Point], team: &Team) -> f64 {
        self.sum(x, team).energy
    }

    /// Σ E (J), and the spring stretched or compressed most.
    pub(crate) fn measure(&self, x: &[Point], team: &Team) -> (f64, Option<Strain>) {
        let Sum { energy, strain, group } = self.sum(x, team);
        let groups = if strain > 0.0 { group..group + 1 } else { 0..self.layout.groups.len() };
        (energy, groups.into_iter().find_map(|group| self.find(x, group)))
    }

    fn sum(&self, x: &[Point], team: &Team) -> Sum {
        assert!(x.len() == self.layout.particles);
        let sum_of = |range: std::ops::Range<usize>| {
            let (net, mut out) = (self, Sum::default());
            let (groups, sum) = (range.start / LANES..range.end.div_ceil(LANES), &mut out);
            let at = Places { x, axes: None };
            dispatch!(self.level, double, sum_by(
                net: &Net, at: Places<'_>, groups: std::ops::Range<usize>, sum: &mut Sum
            ));
            out
        };
        team.fold(self.layout.particles, sum_of, |mut a: Sum, b| {
            a.energy += b.energy;
            if b.strain > a.strain {
                (a.strain, a.group) = (b.strain, b.group);
            }
            a
        })
    }

    /// The spring stretched or compressed most of a group.
    fn find(&self, x: &[Point], group: usize) -> Option<Strain> {
        let Group { line, counted, before, .. } = self.layout.groups[group];
        let mut worst: Option<(f64, u32)> = None;
        for k in 0..counted as usize {
            let at = line as usize + k;
            for lane in 0..LANES {
                let length = self.length[at].0[lane];
                if length > 0.0 {
                    let own = x[group * LANES + lane];
                    let other = x[self.layout.partner[at][lane] as usize];
                    let strain = (own - other).norm() / length - 1.0;
                    if worst.is_none_or(|(value, _)| strain.abs() > value.abs()) {
                        worst = Some((strain, self.spring[before as usize + k][lane]));
                    }
                }
            }
        }
        let (value, spring) = worst?;
        let (law, before) = self.laws.iter().rfind(|(_, before)| *before <= spring as usize)?;
        Some(Strain { value, law, element: spring as usize - before })
    }
}

/// As `Lanes` asks.
#[inline(always)]
unsafe fn part_by<V: Lanes>(x: &[Point], axes: [&mut [f64]; 3]) {
    let (whole, rest) = x.as_chunks::<LANES>();
    // SAFETY: as the caller promises.
    unsafe {
        let mut line = Line::default();
        for (group, _) in whole.iter().enumerate() {
            let first = (group * LANES) as u32;
            let xyz = V::collect_run(x, &std::array::from_fn(|lane| first + lane as u32));
            for axis in 0..3 {
                xyz[axis].store(&mut line);
                axes[axis][group * LANES..(group + 1) * LANES].copy_from_slice(&line.0);
            }
        }
    }
    for (i, point) in (whole.len() * LANES..).zip(rest) {
        for axis in 0..3 {
            axes[axis][i] = point[axis];
        }
    }
}

/// As `Lanes` asks. The energy of these particles (J) where it is asked for.
#[inline(always)]
unsafe fn gradient_by<V: Lanes, const ENERGY: bool>(
    net: &Net,
    at: Places<'_>,
    first: usize,
    out: &mut [Point],
) -> f64 {
    let (whole, rest) = out.as_chunks_mut::<LANES>();
    let group = first / LANES;
    // SAFETY: as the caller promises.
    unsafe {
        let mut energy = V::splat(0.0);
        for (group, out) in (group..).zip(&mut *whole) {
            match net.layout.groups[group].last {
                true => gradient_of::<V, true, ENERGY>(net, at, group, out, &mut energy),
                false => gradient_of::<V, false, ENERGY>(net, at, group, out, &mut energy),
            }
        }
        if !rest.is_empty() {
            let mut padded = [Point::ZERO; LANES];
            let group = group + whole.len();
            gradient_of::<V, true, ENERGY>(net, at, group, &mut padded, &mut energy);
            rest.copy_from_slice(&padded[..rest.len()]);
        }
        if !ENERGY {
            return 0.0;
        }
        let mut line = Line::default();
        energy.store(&mut line);
        // Every spring is met from both its ends.
        0.25 * line.0.iter().sum::<f64>()
    }
}

/// Of one group; adds twice the energy of its lines.
#[inline(always)]
unsafe fn gradient_of<V: Lanes, const LAST: bool, const ENERGY: bool>(
    net: &Net,
    places: Places<'_>,
    group: usize,
    out: &mut [Point; LANES],
    energy: &mut V,
) {
    let lines = net.layout.lines(group);
    // SAFETY: as the caller promises; all partners are particles.
    unsafe {
        let own = V::collect::<LAST>(places.x, &net.layout.own::<LAST>(group));
        let mut sum = [V::splat(0.0); 3];
        // Several lines side by side, for each waits for its root.
        let mut at = lines.start;
        while at + SIDE_BY_SIDE <= lines.end {
            add_lines::<V, LAST, ENERGY, SIDE_BY_SIDE>(net, places, own, at, &mut sum, energy);
            at += SIDE_BY_SIDE;
        }
        for at in at..lines.end {
            add_lines::<V, LAST, ENERGY, 1>(net, places, own, at, &mut sum, energy);
        }
        V::put(sum, out);
    }
}

/// What K lines add.
#[inline(always)]
unsafe fn add_lines<V: Lanes, const LAST: bool, const ENERGY: bool, const K: usize>(
    net: &Net,
    places: Places<'_>,
    own: [V; 3],
    at: usize,
    sum: &mut [V; 3],
    energy: &mut V,
) {
    // SAFETY: as the caller promises.
    unsafe {
        let mut ways = [own; K];
        let mut square = [own[0]; K];
        for line in 0..K {
            (ways[line], square[line]) = way::<V, LAST>(net, places, own, at + line);
        }
        let mut inverse = square;
        V::invert_roots(&mut inverse);
        let [one, slack] = [V::splat(1.0), V::splat(SLACK)];
        for line in 0..K {
            let k = V::load(net.stiffness.get_unchecked(at + line));
            let l = V::load(net.length.get_unchecked(at + line));
            // k (1 − l/|x_ij|), and nothing at all within rounding of the rest length.
            let pull = one.minus(l, inverse[line]).beyond_times(slack, k);
            for axis in 0..3 {
                sum[axis] = sum[axis].plus(pull, ways[line][axis]);
            }
            if ENERGY {
                let stretch = square[line].times(inverse[line]).less(l);
                *energy = energy.plus(k.times(stretch), stretch);
            }
        }
    }
}

/// From the partners of a line to the particles, and the squared length of it.
#[inline(always)]
unsafe fn way<V: Lanes, const LAST: bool>(
    net: &Net,
    places: Places<'_>,
    own: [V; 3],
    line: usize,
) -> ([V; 3], V) {
    // SAFETY: as the caller promises.
    unsafe {
        let partner = net.layout.partner.get_unchecked(line);
        let other = match (*net.layout.runs.get_unchecked(line), places.axes) {
            (true, Some(Axes([x, y, z]))) => {
                let first = partner[0] as usize;
                [V::load_at(x, first), V::load_at(y, first), V::load_at(z, first)]
            }
            (true, None) => V::collect_run(places.x, partner),
            (false, _) => V::collect::<LAST>(places.x, partner),
        };
        let mut way = own;
        let mut square = V::splat(TINY);
        for axis in 0..3 {
            way[axis] = own[axis].less(other[axis]);
            square = square.plus(way[axis], way[axis]);
        }
        (way, square)
    }
}

/// As `Lanes` asks.
#[inline(always)]
unsafe fn sum_by<V: Lanes>(
    net: &Net,
    at: Places<'_>,
    groups: std::ops::Range<usize>,
    sum: &mut Sum,
) {
    // SAFETY: as the caller promises.
    unsafe {
        let mut energy = V::splat(0.0);
        let mut line = Line::default();
        for group in groups {
            let strain = match net.layout.groups[group].last {
                true => sum_of::<V, true>(net, at, group, &mut energy),
                false => sum_of::<V, false>(net, at, group, &mut energy),
            };
            if strain.any_above(V::splat(sum.strain)) {
                strain.store(&mut line);
                sum.strain = line.0.iter().fold(0.0, |a: f64, &b| if b > a { b } else { a });
                sum.group = group;
            }
        }
        energy.store(&mut line);
        sum.energy = 0.5 * line.0.iter().sum::<f64>();
    }
}

/// Adds twice the energy of one group; its greatest |strain| in each lane.
#[inline(always)]
unsafe fn sum_of<V: Lanes, const LAST: bool>(
    net: &Net,
    places: Places<'_>,
    group: usize,
    energy: &mut V,
) -> V {
    let Group { line, counted, before, .. } = net.layout.groups[group];
    // SAFETY: as the caller promises; all partners are particles.
    unsafe {
        let own = V::collect::<LAST>(places.x, &net.layout.own::<LAST>(group));
        let mut sums = [*energy, V::splat(0.0)];
        let (line, counted, before) = (line as usize, counted as usize, before as usize);
        let mut k = 0;
        while k + SIDE_BY_SIDE <= counted {
            let at = (line + k, before + k);
            count_lines::<V, LAST, SIDE_BY_SIDE>(net, places, own, at, &mut sums);
            k += SIDE_BY_SIDE;
        }
        for k in k..counted {
            count_lines::<V, LAST, 1>(net, places, own, (line + k, before + k), &mut sums);
        }
        *energy = sums[0];
        sums[1]
    }
}

/// Adds twice the energy of K lines and takes the greatest |strain|; the lines from `at` on, which are
/// those from `counted` on among the lines that count.
#[inline(always)]
unsafe fn count_lines<V: Lanes, const LAST: bool, const K: usize>(
    net: &Net,
    places: Places<'_>,
    own: [V; 3],
    (at, counted): (usize, usize),
    [energy, strain]: &mut [V; 2],
) {
    // SAFETY: as the caller promises.
    unsafe {
        let mut square = [own[0]; K];
        for line in 0..K {
            (_, square[line]) = way::<V, LAST>(net, places, own, at + line);
        }
        let mut inverse = square;
        V::invert_roots(&mut inverse);
        for line in 0..K {
            let k = V::load(net.stiffness.get_unchecked(at + line));
            let l = V::load(net.length.get_unchecked(at + line));
            let stretch = square[line].times(inverse[line]).less(l);
            *energy = energy.plus(k.times(stretch), stretch);
            // Without a rest length there is no strain.
            let inverse = V::load(net.inverse_length.get_unchecked(counted + line));
            *strain = strain.max(stretch.times(inverse).size());
        }
    }
}
