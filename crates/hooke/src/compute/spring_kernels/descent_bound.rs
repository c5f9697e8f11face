//! A bound of what a step changes g by, which guarantees descent.
//!
//! With `d = x_ij/r`, a step δ of one end has a part `p = d·δ` along the spring and a part s across it, and with
//! `P = r + p`
//!
//! `E(x+δ) = E + ∇E·δ + ½ δᵀHδ + R`, `R ≤ ½ s² (k − t − 4 k l P/(4P² + s²))`,
//!
//! where `H = k d dᵀ + t (1₃ − d dᵀ)` and `t = max(k (1 − l/r), 0)`, as `√(P² + s²) ≤ P + s²/(2P)`.

use super::sell::difference;
use super::vertex_block::Sum;
use super::vertex_springs::Neighborhood;
use super::{SIDE_BY_SIDE, SpringKernels, SpringPositions, TINY};
use crate::lanes::double::Lanes;
use crate::math::Vec3;

/// `∇g·δ`, and a bound of what δ changes g by.
///
/// # Safety
/// As [`sum_of`](super::vertex_block::sum_of).
#[inline(always)]
pub(super) unsafe fn change_of<V: Lanes, const LAST: bool>(
    spring_kernels: &SpringKernels,
    around: Neighborhood<'_>,
    group: usize,
    sum: &Sum<V>,
    step: [V; 3],
) -> (V, V) {
    let lines = spring_kernels.layout.lines(group);
    // SAFETY: as the caller promises.
    unsafe {
        let [zero, half] = [V::splat(0.0), V::splat(0.5)];
        let [xx, xy, xz, yy, yz, zz] = sum.block;
        let [x, y, z] = step;
        let slope = sum.gradient[0].times(x).plus(sum.gradient[1], y).plus(sum.gradient[2], z);
        let mut bent = xx.times(x).plus(xy, y).plus(xz, z).times(x);
        bent = bent.plus(y, xy.times(x).plus(yy, y).plus(yz, z));
        bent = bent.plus(z, xz.times(x).plus(yz, y).plus(zz, z));
        let length = x.times(x).plus(y, y).plus(z, z);
        let mut more = zero;
        let mut at = lines.start;
        while at + SIDE_BY_SIDE <= lines.end {
            let own = sum.own;
            add_change::<V, LAST, SIDE_BY_SIDE>(
                spring_kernels,
                around.x,
                at,
                own,
                step,
                length,
                &mut more,
            );
            at += SIDE_BY_SIDE;
        }
        for at in at..lines.end {
            add_change::<V, LAST, 1>(
                spring_kernels,
                around.x,
                at,
                sum.own,
                step,
                length,
                &mut more,
            );
        }
        (slope, slope.plus(half, bent).plus(half, more))
    }
}

/// Adds twice the bounds R of K lines.
///
/// # Safety
/// As [`difference`], of all of them.
#[inline(always)]
unsafe fn add_change<V: Lanes, const LAST: bool, const K: usize>(
    spring_kernels: &SpringKernels,
    x: &[Vec3],
    at: usize,
    own: [V; 3],
    step: [V; 3],
    length: V,
    more: &mut V,
) {
    // SAFETY: as the caller promises.
    unsafe {
        let mut differences = [own; K];
        let mut square = [own[0]; K];
        for line in 0..K {
            (differences[line], square[line]) =
                difference::<V, LAST>(spring_kernels, SpringPositions::of(x), own, at + line);
        }
        let mut inverse = square;
        V::invert_roots(&mut inverse);
        let [zero, one, four] = [V::splat(0.0), V::splat(1.0), V::splat(4.0)];
        for line in 0..K {
            let k = V::load(spring_kernels.stiffness.get_unchecked(at + line));
            let l = V::load(spring_kernels.length.get_unchecked(at + line));
            let along = differences[line][0].times(step[0]);
            let along =
                along.plus(differences[line][1], step[1]).plus(differences[line][2], step[2]);
            let p = along.times(inverse[line]);
            let s = length.minus(p, p).max(zero);
            let end = square[line].times(inverse[line]).plus(one, p);
            let under = s.plus(four.times(end), end).max(V::splat(TINY));
            // Seven digits, then all of them.
            let over = one.roughly_over(under);
            let over = over.plus(over, one.minus(under, over));
            let kl = k.times(l);
            let along = k.less(k.minus(kl, inverse[line]).max(zero));
            let rise = along.minus(four.times(kl), end.times(over));
            *more = more.plus(s, rise);
        }
    }
}
