//! All springs of a model as each particle sees them.
//!
//! `∂E/∂x_i = Σ_j k (1 − l/|x_ij|) x_ij`: a particle adds up its own springs, so every spring is
//! computed twice, nothing is stored in between, no two threads write the same place and the bits do
//! not depend on them. Eight particles go side by side, one to a lane ([`crate::lanes`]): line by
//! line, each meets its next partner.

use super::Model;
use crate::kernels::Kernels;
use crate::lanes::double::{LANES, Lanes, Line};
use crate::lanes::{Level, dispatch};
use crate::math::Point;
use crate::report::Strain;
use crate::team::Team;

/// The springs of a model.
#[derive(Default)]
pub(crate) struct Net {
    fitted: Option<([u64; 3], Kernels)>,
    level: Level,
    particles: usize,
    groups: Vec<Group>,
    partner: Vec<[u32; LANES]>,
    stiffness: Vec<Line>,
    length: Vec<Line>,
    /// The springs of the lines that count, for those that ask which one it is.
    spring: Vec<[u32; LANES]>,
    /// For each batch of springs its law and the number of springs before it.
    laws: Vec<(&'static str, usize)>,
}

/// The lines of eight particles.
#[derive(Clone, Copy, Debug)]
struct Group {
    /// The first line.
    line: u32,
    /// The first lines hold springs to later particles: each spring of the model once.
    counted: u32,
    /// The first of `spring`.
    spring: u32,
    /// Whether the last particle is among these or their partners.
    last: bool,
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

/// The least squared length (m²): where both ends coincide, the force is zero.
const TINY: f64 = 1e-300;

impl Net {
    /// Brings them up to date with a model.
    pub(crate) fn fit(&mut self, model: &Model, kernels: Kernels) {
        let wanted = Some((model.versions().elements(), kernels));
        if self.fitted == wanted {
            return;
        }
        let particles = model.particles();
        let mut ends = vec![[0u32; 2]; particles];
        let mut all: Vec<([u32; 2], [f64; 2])> = Vec::new();
        self.laws.clear();
        for batch in model.elements().iter().filter(|batch| batch.law().springs) {
            self.laws.push((batch.law().name, all.len()));
            batch.springs(&mut |pair, spring| all.push((pair, spring)));
        }
        // How many partners each particle has after it and before it.
        for ([i, j], _) in &all {
            let (first, last) = (i.min(j), i.max(j));
            ends[*first as usize][0] += 1;
            ends[*last as usize][1] += 1;
        }
        self.level = Level::of(kernels);
        self.particles = particles;
        self.groups.clear();
        let (mut line, mut spring) = (0, 0);
        for group in ends.chunks(LANES) {
            let [after, before] = [0, 1].map(|k| group.iter().map(|ends| ends[k]).max());
            self.groups.push(Group { line, counted: after.unwrap_or(0), spring, last: false });
            line += after.unwrap_or(0) + before.unwrap_or(0);
            spring += after.unwrap_or(0);
        }
        self.groups.push(Group { line, counted: 0, spring, last: true });
        for vec in [&mut self.stiffness, &mut self.length] {
            vec.clear();
            vec.resize(line as usize, Line::default());
        }
        self.spring.clear();
        self.spring.resize(spring as usize, [0; LANES]);
        // A lane without a spring meets its own particle.
        self.partner.clear();
        let last = particles.saturating_sub(1) as u32;
        for (g, pair) in self.groups.windows(2).enumerate() {
            let own = std::array::from_fn(|lane| ((g * LANES + lane) as u32).min(last));
            self.partner.resize(pair[1].line as usize, own);
        }
        if let Some(group) = self.groups.len().checked_sub(2) {
            self.groups[group].last = true;
        }
        for ends in &mut ends {
            *ends = [0; 2];
        }
        for (index, &([i, j], [k, l])) in all.iter().enumerate() {
            for (own, other) in [(i, j), (j, i)] {
                let (group, lane) = (own as usize / LANES, own as usize % LANES);
                let Group { line, counted, spring, .. } = self.groups[group];
                self.groups[group].last |= other == last;
                let before = usize::from(other < own);
                let next = &mut ends[own as usize][before];
                let at = (line + *next + if before == 1 { counted } else { 0 }) as usize;
                self.partner[at][lane] = other;
                self.stiffness[at].0[lane] = k;
                self.length[at].0[lane] = l;
                if before == 0 {
                    self.spring[(spring + *next) as usize][lane] = index as u32;
                }
                *next += 1;
            }
        }
        self.fitted = wanted;
    }

    /// `out += ∂E/∂x` (N) for the particles from `first` on, which is a multiple of eight.
    pub(crate) fn gradient(&self, x: &[Point], first: usize, out: &mut [Point]) {
        assert!(x.len() == self.particles && first + out.len() <= self.particles);
        debug_assert_eq!(first % LANES, 0);
        let net = self;
        dispatch!(self.level, double, gradient_by(
            net: &Net, x: &[Point], first: usize, out: &mut [Point]
        ));
    }

    /// Σ E (J).
    pub(crate) fn energy(&self, x: &[Point], team: &Team) -> f64 {
        self.sum(x, team).energy
    }

    /// Σ E (J), and the spring stretched or compressed most.
    pub(crate) fn measure(&self, x: &[Point], team: &Team) -> (f64, Option<Strain>) {
        let Sum { energy, strain, group } = self.sum(x, team);
        let groups = if strain > 0.0 { group..group + 1 } else { 0..self.groups.len() };
        (energy, groups.into_iter().find_map(|group| self.find(x, group)))
    }

    /// The particles of a group; where there are fewer than eight, the last again.
    #[inline(always)]
    fn own<const LAST: bool>(&self, group: usize) -> [u32; LANES] {
        let last = self.particles.saturating_sub(1);
        let end = if LAST { last } else { usize::MAX };
        std::array::from_fn(|lane| (group * LANES + lane).min(end) as u32)
    }

    fn sum(&self, x: &[Point], team: &Team) -> Sum {
        assert!(x.len() == self.particles);
        let sum_of = |range: std::ops::Range<usize>| {
            let (net, mut out) = (self, Sum::default());
            let (groups, sum) = (range.start / LANES..range.end.div_ceil(LANES), &mut out);
            dispatch!(self.level, double, sum_by(
                net: &Net, x: &[Point], groups: std::ops::Range<usize>, sum: &mut Sum
            ));
            out
        };
        team.fold(self.particles, sum_of, |mut a: Sum, b| {
            a.energy += b.energy;
            if b.strain > a.strain {
                (a.strain, a.group) = (b.strain, b.group);
            }
            a
        })
    }

    /// The spring stretched or compressed most of a group.
    fn find(&self, x: &[Point], group: usize) -> Option<Strain> {
        let Group { line, counted, spring, .. } = self.groups[group];
        let mut worst: Option<(f64, u32)> = None;
        for k in 0..counted as usize {
            let at = line as usize + k;
            for lane in 0..LANES {
                let length = self.length[at].0[lane];
                if length > 0.0 {
                    let own = x[group * LANES + lane];
                    let other = x[self.partner[at][lane] as usize];
                    let strain = (own - other).norm() / length - 1.0;
                    if worst.is_none_or(|(value, _)| strain.abs() > value.abs()) {
                        worst = Some((strain, self.spring[spring as usize + k][lane]));
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
unsafe fn gradient_by<V: Lanes>(net: &Net, x: &[Point], first: usize, out: &mut [Point]) {
    let (whole, rest) = out.as_chunks_mut::<LANES>();
    let group = first / LANES;
    // SAFETY: as the caller promises.
    unsafe {
        for (group, out) in (group..).zip(&mut *whole) {
            match net.groups[group].last {
                true => gradient_of::<V, true>(net, x, group, out),
                false => gradient_of::<V, false>(net, x, group, out),
            }
        }
        if !rest.is_empty() {
            let mut padded = [Point::ZERO; LANES];
            padded[..rest.len()].copy_from_slice(rest);
            gradient_of::<V, true>(net, x, group + whole.len(), &mut padded);
            rest.copy_from_slice(&padded[..rest.len()]);
        }
    }
}

/// Of one group.
#[inline(always)]
unsafe fn gradient_of<V: Lanes, const LAST: bool>(
    net: &Net,
    x: &[Point],
    group: usize,
    out: &mut [Point; LANES],
) {
    let lines = net.groups[group].line as usize..net.groups[group + 1].line as usize;
    // SAFETY: as the caller promises; all partners are particles.
    unsafe {
        let own = V::collect::<LAST>(x, &net.own::<LAST>(group));
        let mut sum = [V::splat(0.0); 3];
        // Several lines side by side, for each waits for its root.
        let mut at = lines.start;
        while at + SIDE_BY_SIDE <= lines.end {
            add_lines::<V, LAST, SIDE_BY_SIDE>(net, x, own, at, &mut sum);
            at += SIDE_BY_SIDE;
        }
        for at in at..lines.end {
            add_lines::<V, LAST, 1>(net, x, own, at, &mut sum);
        }
        V::add_to(sum, out);
    }
}

/// What K lines add.
#[inline(always)]
unsafe fn add_lines<V: Lanes, const LAST: bool, const K: usize>(
    net: &Net,
    x: &[Point],
    own: [V; 3],
    at: usize,
    sum: &mut [V; 3],
) {
    // SAFETY: as the caller promises.
    unsafe {
        let mut ways = [own; K];
        let mut inverse = [own[0]; K];
        for line in 0..K {
            (ways[line], inverse[line]) =
                way::<V, LAST>(own, x, net.partner.get_unchecked(at + line));
        }
        V::invert_roots(&mut inverse);
        for line in 0..K {
            let k = V::load(net.stiffness.get_unchecked(at + line));
            let l = V::load(net.length.get_unchecked(at + line));
            let pull = k.minus(k.times(l), inverse[line]);
            for axis in 0..3 {
                sum[axis] = sum[axis].plus(pull, ways[line][axis]);
            }
        }
    }
}

/// From the partners to the particles, and the squared length of it.
#[inline(always)]
unsafe fn way<V: Lanes, const LAST: bool>(
    own: [V; 3],
    x: &[Point],
    partner: &[u32; LANES],
) -> ([V; 3], V) {
    // SAFETY: as the caller promises.
    unsafe {
        let other = V::collect::<LAST>(x, partner);
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
unsafe fn sum_by<V: Lanes>(net: &Net, x: &[Point], groups: std::ops::Range<usize>, sum: &mut Sum) {
    // SAFETY: as the caller promises.
    unsafe {
        let mut energy = V::splat(0.0);
        let mut line = Line::default();
        for group in groups {
            let strain = match net.groups[group].last {
                true => sum_of::<V, true>(net, x, group, &mut energy),
                false => sum_of::<V, false>(net, x, group, &mut energy),
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
    x: &[Point],
    group: usize,
    energy: &mut V,
) -> V {
    let Group { line, counted, .. } = net.groups[group];
    // SAFETY: as the caller promises; all partners are particles.
    unsafe {
        let own = V::collect::<LAST>(x, &net.own::<LAST>(group));
        let mut sums = [*energy, V::splat(0.0)];
        let (mut at, end) = (line as usize, (line + counted) as usize);
        while at + SIDE_BY_SIDE <= end {
            count_lines::<V, LAST, SIDE_BY_SIDE>(net, x, own, at, &mut sums);
            at += SIDE_BY_SIDE;
        }
        for at in at..end {
            count_lines::<V, LAST, 1>(net, x, own, at, &mut sums);
        }
        *energy = sums[0];
        sums[1]
    }
}

/// Adds twice the energy of K lines and takes the greatest |strain|.
#[inline(always)]
unsafe fn count_lines<V: Lanes, const LAST: bool, const K: usize>(
    net: &Net,
    x: &[Point],
    own: [V; 3],
    at: usize,
    [energy, strain]: &mut [V; 2],
) {
    // SAFETY: as the caller promises.
    unsafe {
        let mut square = [own[0]; K];
        for line in 0..K {
            (_, square[line]) = way::<V, LAST>(own, x, net.partner.get_unchecked(at + line));
        }
        let mut inverse = square;
        V::invert_roots(&mut inverse);
        let [zero, tiny] = [V::splat(0.0), V::splat(TINY)];
        for line in 0..K {
            let k = V::load(net.stiffness.get_unchecked(at + line));
            let l = V::load(net.length.get_unchecked(at + line));
            let stretch = square[line].times(inverse[line]).less(l);
            *energy = energy.plus(k.times(stretch), stretch);
            // Without a rest length there is no strain.
            let relative = stretch.roughly_over(l.max(tiny)).where_positive(l);
            *strain = strain.max(relative).max(zero.less(relative));
        }
    }
}
