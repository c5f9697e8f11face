//! Springs in lines, whatever they join: each particle of a group meets its next partner, line by line.

use super::sell_layout::Group;
use super::{SIDE_BY_SIDE, SLACK, SpringKernels, SpringPositions, Sum, TINY, count, spring};
use crate::lanes::double::{LANES, Lanes, Line};
use crate::math::Vec3;

/// The energy of these particles (J) where it is asked for.
///
/// # Safety
/// As [`Lanes`]; the positions are those of the particles of the kernels, and `first` begins a line.
#[inline(always)]
pub(super) unsafe fn gradient_by<V: Lanes, const ENERGY: bool>(
    spring_kernels: &SpringKernels,
    at: SpringPositions<'_>,
    first: usize,
    out: &mut [Vec3],
) -> f64 {
    let (whole, rest) = out.as_chunks_mut::<LANES>();
    let group = first / LANES;
    // SAFETY: as the caller promises.
    unsafe {
        let mut energy = V::splat(0.0);
        for (group, out) in (group..).zip(&mut *whole) {
            match spring_kernels.layout.groups[group].last {
                true => gradient_of::<V, true, ENERGY>(spring_kernels, at, group, out, &mut energy),
                false => {
                    gradient_of::<V, false, ENERGY>(spring_kernels, at, group, out, &mut energy)
                }
            }
        }
        if !rest.is_empty() {
            let mut padded = [Vec3::ZERO; LANES];
            let group = group + whole.len();
            gradient_of::<V, true, ENERGY>(spring_kernels, at, group, &mut padded, &mut energy);
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
///
/// # Safety
/// As [`gradient_by`]; the kernels have the group, whose last particle is met only with `LAST`.
#[inline(always)]
unsafe fn gradient_of<V: Lanes, const LAST: bool, const ENERGY: bool>(
    spring_kernels: &SpringKernels,
    positions: SpringPositions<'_>,
    group: usize,
    out: &mut [Vec3; LANES],
    energy: &mut V,
) {
    let lines = spring_kernels.layout.lines(group);
    // SAFETY: as the caller promises; all partners are particles.
    unsafe {
        let own = V::collect::<LAST>(positions.x, &spring_kernels.layout.own::<LAST>(group));
        let mut sum = [V::splat(0.0); 3];
        // Several lines side by side, for each waits for its root.
        let mut at = lines.start;
        while at + SIDE_BY_SIDE <= lines.end {
            add_lines::<V, LAST, ENERGY, SIDE_BY_SIDE>(
                spring_kernels,
                positions,
                own,
                at,
                &mut sum,
                energy,
            );
            at += SIDE_BY_SIDE;
        }
        for at in at..lines.end {
            add_lines::<V, LAST, ENERGY, 1>(spring_kernels, positions, own, at, &mut sum, energy);
        }
        V::put(sum, out);
    }
}

/// What K lines add.
///
/// # Safety
/// As [`difference`], of all of them.
#[inline(always)]
unsafe fn add_lines<V: Lanes, const LAST: bool, const ENERGY: bool, const K: usize>(
    spring_kernels: &SpringKernels,
    positions: SpringPositions<'_>,
    own: [V; 3],
    at: usize,
    sum: &mut [V; 3],
    energy: &mut V,
) {
    // SAFETY: as the caller promises.
    unsafe {
        let mut differences = [own; K];
        let mut square = [own[0]; K];
        for line in 0..K {
            (differences[line], square[line]) =
                difference::<V, LAST>(spring_kernels, positions, own, at + line);
        }
        let mut inverse = square;
        V::invert_roots(&mut inverse);
        let [one, slack] = [V::splat(1.0), V::splat(SLACK)];
        for line in 0..K {
            let [k, l] = spring(spring_kernels, at + line);
            // k (1 − l/|x_ij|), and nothing at all within rounding of the rest length.
            let pull = one.minus(l, inverse[line]).beyond_times(slack, k);
            for axis in 0..3 {
                sum[axis] = sum[axis].plus(pull, differences[line][axis]);
            }
            if ENERGY {
                let stretch = square[line].times(inverse[line]).less(l);
                *energy = energy.plus(k.times(stretch), stretch);
            }
        }
    }
}

/// From the partners of a line to the particles, and the squared length of it.
///
/// # Safety
/// As [`Lanes`]; the kernels have the line, the positions are those of its particles, and the line meets the
/// last of them only with `LAST`.
#[inline(always)]
pub(super) unsafe fn difference<V: Lanes, const LAST: bool>(
    spring_kernels: &SpringKernels,
    positions: SpringPositions<'_>,
    own: [V; 3],
    line: usize,
) -> ([V; 3], V) {
    // SAFETY: as the caller promises.
    unsafe {
        let partner = spring_kernels.layout.partner.get_unchecked(line);
        let other = match (*spring_kernels.layout.runs.get_unchecked(line), positions.axes) {
            (true, [[], ..]) => V::collect_run(positions.x, partner),
            (true, [x, y, z]) => {
                let first = partner[0] as usize;
                [V::load_at(x, first), V::load_at(y, first), V::load_at(z, first)]
            }
            (false, _) => V::collect::<LAST>(positions.x, partner),
        };
        let mut difference = own;
        let mut square = V::splat(TINY);
        for axis in 0..3 {
            difference[axis] = own[axis].less(other[axis]);
            square = square.plus(difference[axis], difference[axis]);
        }
        (difference, square)
    }
}

/// # Safety
/// As [`Lanes`]; there is a point for each particle of the kernels, and it has the groups.
#[inline(always)]
pub(super) unsafe fn sum_by<V: Lanes>(
    spring_kernels: &SpringKernels,
    x: &[Vec3],
    groups: std::ops::Range<usize>,
    sum: &mut Sum,
) {
    // SAFETY: as the caller promises.
    unsafe {
        let mut energy = V::splat(0.0);
        let at = SpringPositions::of(x);
        for group in groups {
            let strain = match spring_kernels.layout.groups[group].last {
                true => sum_of::<V, true>(spring_kernels, at, group, &mut energy),
                false => sum_of::<V, false>(spring_kernels, at, group, &mut energy),
            };
            sum.take_strain(strain, group);
        }
        sum.take_energy(energy);
    }
}

/// Adds twice the energy of one group; its greatest |strain| in each lane.
///
/// # Safety
/// As [`sum_by`]; the last particle is met only with `LAST`.
#[inline(always)]
unsafe fn sum_of<V: Lanes, const LAST: bool>(
    spring_kernels: &SpringKernels,
    positions: SpringPositions<'_>,
    group: usize,
    energy: &mut V,
) -> V {
    let Group { line, counted, before, .. } = spring_kernels.layout.groups[group];
    // SAFETY: as the caller promises; all partners are particles.
    unsafe {
        let own = V::collect::<LAST>(positions.x, &spring_kernels.layout.own::<LAST>(group));
        let mut sums = [*energy, V::splat(0.0)];
        let (line, counted, before) = (line as usize, counted as usize, before as usize);
        let mut k = 0;
        while k + SIDE_BY_SIDE <= counted {
            let at = (line + k, before + k);
            count_lines::<V, LAST, SIDE_BY_SIDE>(spring_kernels, positions, own, at, &mut sums);
            k += SIDE_BY_SIDE;
        }
        for k in k..counted {
            count_lines::<V, LAST, 1>(
                spring_kernels,
                positions,
                own,
                (line + k, before + k),
                &mut sums,
            );
        }
        *energy = sums[0];
        sums[1]
    }
}

/// Adds twice the energy of K lines and takes the greatest |strain|; the lines from `at` on, which are
/// those from `counted` on among the lines that count.
///
/// # Safety
/// As [`difference`], of all of them.
#[inline(always)]
unsafe fn count_lines<V: Lanes, const LAST: bool, const K: usize>(
    spring_kernels: &SpringKernels,
    positions: SpringPositions<'_>,
    own: [V; 3],
    (at, counted): (usize, usize),
    sums: &mut [V; 2],
) {
    // SAFETY: as the caller promises.
    unsafe {
        let mut square = [own[0]; K];
        for line in 0..K {
            (_, square[line]) = difference::<V, LAST>(spring_kernels, positions, own, at + line);
        }
        let mut inverse = square;
        V::invert_roots(&mut inverse);
        for line in 0..K {
            let spring = spring(spring_kernels, at + line);
            count(spring_kernels, spring, counted + line, square[line], inverse[line], sums);
        }
    }
}
