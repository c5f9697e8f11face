//! Springs at a few distances in the numbering, as on grids.
//!
//! All springs at one distance d are a *diagonal*: its number i is the spring from particle i to particle
//! i + d, where there is one. Each is computed once, `p = k (1 − l/|x_ij|)`; then every particle adds
//! up `p_i (x_i − x_{i+d})` and `p_{i−d} (x_i − x_{i−d})` over the diagonals. Both passes read numbers that
//! are adjacent. Terms come in the order of [`super::SellLayout`], so the bits are the same.

use super::sell_layout::NONE;
use super::{
    Joined, SIDE_BY_SIDE, SLACK, SpringCache, SpringKernels, SpringPositions, Sum, TINY, count,
    spring,
};
use crate::lanes::dispatch;
use crate::lanes::double::{LANES, Lanes, Line};
use crate::math::Vec3;
use crate::thread_pool::{Disjoint, ThreadPool};
use std::ops::Range;

/// How springs stand in diagonals, L particles to a line: line `group · diagonals + diagonal`.
pub(super) struct Dia<const L: usize> {
    /// The least first.
    pub(super) distances: Vec<usize>,
    pub(super) groups: usize,
    /// How many lines of numbers stand before the first group and after the last, so that whoever
    /// has no partner reads something.
    pub(super) margin: usize,
}

/// The most diagonals.
const MOST: usize = 16;

impl<const L: usize> Dia<L> {
    /// Diagonals for springs that fill at least half of them; also the spring of each lane of each line.
    pub(super) fn new(particles: usize, springs: &[Joined]) -> Option<(Self, Vec<[u32; L]>)> {
        let mut distances: Vec<usize> = Vec::new();
        for &([i, j], _) in springs {
            let distance = i.abs_diff(j) as usize;
            if let Err(at) = distances.binary_search(&distance) {
                if distances.len() == MOST {
                    return None;
                }
                distances.insert(at, distance);
            }
        }
        let (least, greatest) = (*distances.first()?, *distances.last()?);
        let filled = 2 * springs.len() >= distances.len() * particles;
        if least == 0 || 2 * greatest > particles || !filled {
            return None;
        }
        let groups = particles.div_ceil(L);
        let mut of_lines = vec![[NONE; L]; groups * distances.len()];
        for (spring, &([i, j], _)) in (0..).zip(springs) {
            let diagonal = distances.binary_search(&(i.abs_diff(j) as usize)).ok()?;
            let own = i.min(j) as usize;
            let lane = &mut of_lines[own / L * distances.len() + diagonal][own % L];
            if *lane != NONE {
                return None;
            }
            *lane = spring;
        }
        let margin = greatest.div_ceil(L);
        Some((Self { distances, groups, margin }, of_lines))
    }

    /// How many lines a number of each particle takes, margins included.
    pub(super) fn lines(&self) -> usize {
        self.groups + 2 * self.margin
    }

    /// Where the number of particle `i` stands in such lines.
    #[inline(always)]
    pub(super) fn offset(&self, i: usize) -> usize {
        self.margin * L + i
    }
}

impl SpringKernels {
    /// Computes every spring once, and what they hold where `MEASURE` asks for it.
    pub(super) fn pull<const MEASURE: bool>(
        &self,
        dia: &Dia<LANES>,
        spring_cache: &mut SpringCache,
        pool: &ThreadPool,
    ) {
        let (count, stride) = (dia.distances.len(), dia.lines());
        spring_cache.pulls.resize(count * stride, Line::default());
        for diagonal in 0..count {
            spring_cache.pulls[diagonal * stride..][..dia.margin].fill(Line::default());
        }
        assert!(spring_cache.axes.iter().all(|axis| axis.len() == stride));
        let axes = spring_cache.axes.each_ref().map(|axis| Line::numbers(axis));
        let pulls = Disjoint::new(&mut spring_cache.pulls);
        let pull = |range: Range<usize>| {
            let (spring_kernels, pulls, mut out) = (self, &pulls, Sum::default());
            let (groups, sum) = (range.start / LANES..range.end.div_ceil(LANES), &mut out);
            if MEASURE {
                // SAFETY: the axes have the lines of the diagonals, which are those of the kernels; every group is
                // in one chunk, and has its own lines of pulls.
                unsafe {
                    dispatch!(self.level, double, pull_by<true>(
                        spring_kernels: &SpringKernels, dia: &Dia<LANES>, axes: [&[f64]; 3], groups: Range<usize>,
                        pulls: &Disjoint<'_, Line>, sum: &mut Sum,
                    ))
                };
            } else {
                // SAFETY: as above.
                unsafe {
                    dispatch!(self.level, double, pull_by<false>(
                        spring_kernels: &SpringKernels, dia: &Dia<LANES>, axes: [&[f64]; 3], groups: Range<usize>,
                        pulls: &Disjoint<'_, Line>, sum: &mut Sum,
                    ))
                };
            }
            out
        };
        spring_cache.sum = pool.fold(self.layout.particles, pull, Sum::with);
    }

    /// `out = ∂E/∂x` (N) for the particles from `first` on, of what was computed.
    pub(super) fn gather(
        &self,
        dia: &Dia<LANES>,
        at: SpringPositions<'_>,
        first: usize,
        out: &mut [Vec3],
    ) {
        let numbers = dia.lines() * LANES;
        assert!(at.axes.iter().all(|axis| axis.len() == numbers));
        assert!(at.pulls.len() == dia.distances.len() * numbers);
        // SAFETY: axes and pulls have the lines of the diagonals; the particles are there and begin a
        // line, as the caller has checked.
        unsafe {
            dispatch!(self.level, double, gather_by(
                dia: &Dia<LANES>, at: SpringPositions<'_>, first: usize, out: &mut [Vec3],
            ))
        };
    }
}

/// # Safety
/// As [`Lanes`]; the diagonals are those of the kernels, the axes have their lines, and nobody else holds the
/// pulls of the groups.
#[inline(always)]
unsafe fn pull_by<V: Lanes, const MEASURE: bool>(
    spring_kernels: &SpringKernels,
    dia: &Dia<LANES>,
    axes: [&[f64]; 3],
    groups: Range<usize>,
    pulls: &Disjoint<'_, Line>,
    sum: &mut Sum,
) {
    // SAFETY: as the caller promises; margins are as wide as the greatest distance.
    unsafe {
        let mut energy = V::splat(0.0);
        let count = dia.distances.len();
        for group in groups {
            let at = dia.offset(group * LANES);
            let own = [V::load_at(axes[0], at), V::load_at(axes[1], at), V::load_at(axes[2], at)];
            let mut sums = [energy, V::splat(0.0)];
            let mut diagonal = 0;
            while diagonal + SIDE_BY_SIDE <= count {
                pull_lines::<V, MEASURE, SIDE_BY_SIDE>(
                    spring_kernels,
                    dia,
                    axes,
                    own,
                    group,
                    diagonal,
                    pulls,
                    &mut sums,
                );
                diagonal += SIDE_BY_SIDE;
            }
            for diagonal in diagonal..count {
                pull_lines::<V, MEASURE, 1>(
                    spring_kernels,
                    dia,
                    axes,
                    own,
                    group,
                    diagonal,
                    pulls,
                    &mut sums,
                );
            }
            energy = sums[0];
            if MEASURE {
                sum.take_strain(sums[1], group);
            }
        }
        sum.take_energy(energy);
    }
}

/// What K diagonals do to a group.
///
/// # Safety
/// As [`pull_by`]; there are these diagonals.
#[inline(always)]
#[allow(clippy::too_many_arguments)] // What is not inlined loses the instructions; a struct would not be seen through.
unsafe fn pull_lines<V: Lanes, const MEASURE: bool, const K: usize>(
    spring_kernels: &SpringKernels,
    dia: &Dia<LANES>,
    axes: [&[f64]; 3],
    own: [V; 3],
    group: usize,
    diagonal: usize,
    pulls: &Disjoint<'_, Line>,
    sums: &mut [V; 2],
) {
    // SAFETY: as the caller promises; every group is in one range.
    unsafe {
        let mut square = [V::splat(TINY); K];
        for k in 0..K {
            let distance = *dia.distances.get_unchecked(diagonal + k);
            let at = dia.offset(group * LANES + distance);
            for axis in 0..3 {
                let difference = own[axis].less(V::load_at(axes[axis], at));
                square[k] = square[k].plus(difference, difference);
            }
        }
        let mut inverse = square;
        V::invert_roots(&mut inverse);
        let [one, slack] = [V::splat(1.0), V::splat(SLACK)];
        for k in 0..K {
            let line = group * dia.distances.len() + diagonal + k;
            let spring = spring::<V>(spring_kernels, line);
            let [stiffness, l] = spring;
            // k (1 − l/|x_ij|), and nothing at all within rounding of the rest length.
            let pull = one.minus(l, inverse[k]).beyond_times(slack, stiffness);
            if MEASURE {
                count(spring_kernels, spring, line, square[k], inverse[k], sums);
            }
            pull.store(pulls.get((diagonal + k) * dia.lines() + dia.margin + group));
        }
    }
}

/// # Safety
/// As [`Lanes`]; axes and pulls have the lines of the diagonals, and the particles are there and begin a
/// line.
#[inline(always)]
unsafe fn gather_by<V: Lanes>(
    dia: &Dia<LANES>,
    at: SpringPositions<'_>,
    first: usize,
    out: &mut [Vec3],
) {
    let (whole, rest) = out.as_chunks_mut::<LANES>();
    // SAFETY: as the caller promises.
    unsafe {
        for (group, out) in whole.iter_mut().enumerate() {
            V::put(gather_of(dia, at, first + group * LANES), out);
        }
        if !rest.is_empty() {
            let mut padded = [Vec3::ZERO; LANES];
            V::put(gather_of(dia, at, first + whole.len() * LANES), &mut padded);
            rest.copy_from_slice(&padded[..rest.len()]);
        }
    }
}

/// Of one group, whose first particle is `first`.
///
/// # Safety
/// As [`gather_by`].
#[inline(always)]
unsafe fn gather_of<V: Lanes>(dia: &Dia<LANES>, at: SpringPositions<'_>, first: usize) -> [V; 3] {
    // SAFETY: as the caller promises; margins are as wide as the greatest distance.
    unsafe {
        let (here, stride) = (dia.offset(first), dia.lines() * LANES);
        let [x, y, z] = at.axes;
        let own = [V::load_at(x, here), V::load_at(y, here), V::load_at(z, here)];
        let mut sum = [V::splat(0.0); 3];
        for (diagonal, distance) in dia.distances.iter().enumerate() {
            let pull = V::load_at(at.pulls, diagonal * stride + here);
            add::<V>(at.axes, own, here + distance, pull, &mut sum);
        }
        for (diagonal, distance) in dia.distances.iter().enumerate().rev() {
            let pull = V::load_at(at.pulls, diagonal * stride + here - distance);
            add::<V>(at.axes, own, here - distance, pull, &mut sum);
        }
        sum
    }
}

/// Adds what pulls toward the particles at `other`.
///
/// # Safety
/// As [`Lanes`]; there are eight numbers from `other` on.
#[inline(always)]
unsafe fn add<V: Lanes>(axes: [&[f64]; 3], own: [V; 3], other: usize, pull: V, sum: &mut [V; 3]) {
    // SAFETY: as the caller promises.
    unsafe {
        for axis in 0..3 {
            let difference = own[axis].less(V::load_at(axes[axis], other));
            sum[axis] = sum[axis].plus(pull, difference);
        }
    }
}

/// What the springs of some groups hold, of points not yet seen.
///
/// # Safety
/// As [`Lanes`]; the diagonals are those of the kernels, and there is a point for each particle.
#[inline(always)]
pub(super) unsafe fn sum_dia_by<V: Lanes>(
    spring_kernels: &SpringKernels,
    dia: &Dia<LANES>,
    x: &[Vec3],
    groups: Range<usize>,
    sum: &mut Sum,
) {
    // SAFETY: as the caller promises.
    unsafe {
        let mut energy = V::splat(0.0);
        let lines = dia.distances.len();
        for group in groups {
            let own = points::<V>(x, group * LANES);
            let mut sums = [energy, V::splat(0.0)];
            for (diagonal, distance) in dia.distances.iter().enumerate() {
                let other = points::<V>(x, group * LANES + distance);
                let mut square = [V::splat(TINY)];
                for axis in 0..3 {
                    let difference = own[axis].less(other[axis]);
                    square[0] = square[0].plus(difference, difference);
                }
                let mut inverse = square;
                V::invert_roots(&mut inverse);
                let line = group * lines + diagonal;
                count(
                    spring_kernels,
                    spring(spring_kernels, line),
                    line,
                    square[0],
                    inverse[0],
                    &mut sums,
                );
            }
            energy = sums[0];
            sum.take_strain(sums[1], group);
        }
        sum.take_energy(energy);
    }
}

/// Points from `first` on; where there are fewer, the last again.
///
/// # Safety
/// As [`Lanes`]; there is a point.
#[inline(always)]
unsafe fn points<V: Lanes>(x: &[Vec3], first: usize) -> [V; 3] {
    // SAFETY: as the caller promises.
    unsafe {
        let mut rows = [0; LANES];
        for (lane, row) in rows.iter_mut().enumerate() {
            *row = (first + lane).min(x.len() - 1) as u32;
        }
        match first + LANES <= x.len() {
            true => V::collect_run(x, &rows),
            false => V::collect::<true>(x, &rows),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::Kernels;
    use crate::lanes::SimdLevel;
    use crate::math::noise::mix;

    /// A number in [−1, 1).
    fn uniform(seed: u64, key: u64) -> f64 {
        (mix(seed ^ mix(key)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    /// A sheet of `across` × `along` with springs to near neighbors, some of them cut.
    fn sheet([across, along]: [u32; 2], seed: u64) -> (Vec<Joined>, Vec<Vec3>) {
        let (mut springs, mut drawn) = (Vec::new(), 0);
        for (row, column) in (0..along).flat_map(|row| (0..across).map(move |column| (row, column)))
        {
            for (down, right) in [(0, 1), (1, 0), (1, 1), (1, -1), (0, 2), (2, 0)] {
                let (there, other) = (row + down, column as i32 + right);
                drawn += 1;
                let number = uniform(seed, drawn);
                if there < along && (0..across as i32).contains(&other) && number > -0.9 {
                    let ends = [row * across + column, there * across + other as u32];
                    let ends = if number > 0.0 { ends } else { [ends[1], ends[0]] };
                    let length = if number > 0.95 { 0.0 } else { 1.5 + number };
                    springs.push((ends, [20.0 + number, length]));
                }
            }
        }
        let number = |i: u32, axis: u64| uniform(seed + 1 + axis, u64::from(i));
        let point = |i| Vec3::new(number(i, 0), number(i, 1), number(i, 2));
        let mut points: Vec<_> = (0..across * along).map(point).collect();
        points[1] = points[0];
        (springs, points)
    }

    #[test]
    fn diagonals_give_the_bits_of_lines() {
        let sizes = [[8, 8], [5, 9], [16, 40], [23, 31], [47, 47]];
        let sizes = &sizes[..if cfg!(miri) { 2 } else { sizes.len() }];
        for (seed, &size) in sizes.iter().enumerate() {
            let (springs, x) = sheet(size, seed as u64);
            for level in SimdLevel::all() {
                let mut lines = SpringKernels::default();
                lines.lay_out(x.len(), &springs, Kernels::Native);
                let mut diagonal_kernels = SpringKernels::default();
                assert!(diagonal_kernels.lay_in_diagonals(x.len(), &springs, Kernels::Native));
                (lines.level, diagonal_kernels.level) = (level, level);
                lines.laws = vec![("spring", 0)];
                diagonal_kernels.laws = vec![("spring", 0)];
                let pool = ThreadPool::new(2);
                let (mut by_lines, mut by_diagonals) =
                    (SpringCache::default(), SpringCache::default());
                let sell = lines.measure(&x, &mut by_lines, &pool);
                assert_eq!(
                    diagonal_kernels.measure(&x, &mut by_diagonals, &pool),
                    sell,
                    "{level:?} {size:?}"
                );
                assert_eq!(diagonal_kernels.energy(&x, &pool), sell.0);
                let mut expected = vec![Vec3::ZERO; x.len()];
                let positions = lines.positions(&x, &mut by_lines, &pool);
                lines.gradient(positions, 0, &mut expected);
                let mut gradient = expected.clone();
                diagonal_kernels.gradient(
                    diagonal_kernels.cached_positions(&x, &by_diagonals),
                    0,
                    &mut gradient,
                );
                assert_eq!(gradient, expected, "{level:?} {size:?}");
                let half = x.len() / 2 / LANES * LANES;
                gradient.fill(Vec3::ZERO);
                let positions = diagonal_kernels.positions(&x, &mut by_diagonals, &pool);
                diagonal_kernels.gradient(positions, half, &mut gradient[half..]);
                assert_eq!(gradient[half..], expected[half..], "{level:?} {size:?}");
            }
        }
    }

    #[test]
    fn what_is_no_grid_has_no_diagonals() {
        let (mut springs, x) = sheet([12, 12], 3);
        assert!(Dia::<8>::new(x.len(), &springs).is_some());
        assert!(Dia::<8>::new(x.len(), &springs[..100]).is_none());
        springs.push(springs[7]);
        assert!(Dia::<8>::new(x.len(), &springs).is_none());
        springs.pop();
        springs.push(([0, 130], [1.0, 1.0]));
        assert!(Dia::<8>::new(x.len(), &springs).is_none());
        assert!(Dia::<8>::new(0, &[]).is_none());
    }
}
