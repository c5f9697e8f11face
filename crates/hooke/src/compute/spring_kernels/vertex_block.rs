//! Gradient and block of g at eight vertices, one to a lane: springs are added line by line, and the 3×3 systems are
//! solved in registers.

use super::sell::difference;
use super::vertex_springs::Neighborhood;
use super::{SIDE_BY_SIDE, SLACK, SpringKernels, SpringPositions, TINY};
use crate::compute::VertexTerms;
use crate::lanes::double::{LANES, Lanes, Line};
use crate::math::Vec3;

/// What acts on eight vertices.
pub(super) struct Sum<V> {
    pub(super) own: [V; 3],
    /// ∇g.
    pub(super) gradient: [V; 3],
    /// ∇²g without negative parts: xx, xy, xz, yy, yz, zz.
    pub(super) block: [V; 6],
    /// The trace of what is quadratic and all k: above every eigenvalue of ∇²g.
    pub(super) bound: V,
}

const DIAGONAL: [usize; 3] = [0, 3, 5];

/// Inertia, dampers and springs of a group.
///
/// # Safety
/// As [`Lanes`]; the neighborhood was checked, and the last slot is met only with `LAST`.
#[inline(always)]
pub(super) unsafe fn sum_of<V: Lanes, const LAST: bool>(
    spring_kernels: &SpringKernels,
    around: Neighborhood<'_>,
    group: usize,
) -> Sum<V> {
    let rows = spring_kernels.layout.own::<false>(group);
    let lines = spring_kernels.layout.lines(group);
    // SAFETY: as the caller promises; a group has eight slots, and all partners are slots.
    unsafe {
        let [zero, inertia] = [V::splat(0.0), V::load(&around.inertia[group])];
        let own = V::collect_run(around.x, &rows);
        let y = V::collect_run(around.y, &rows);
        let mut gradient = [zero; 3];
        for axis in 0..3 {
            gradient[axis] = inertia.times(own[axis].less(y[axis]));
        }
        let block = [inertia, zero, zero, inertia, zero, inertia];
        let mut sum = Sum { own, gradient, block, bound: inertia };
        if !around.dampers.is_empty() {
            add_vertices(&mut sum, around.dampers, group * LANES - around.first);
            sum.bound = sum.block[0].plus(V::splat(1.0), sum.block[3]);
            sum.bound = sum.bound.plus(V::splat(1.0), sum.block[5]);
        }
        let mut across = zero;
        let mut at = lines.start;
        while at + SIDE_BY_SIDE <= lines.end {
            add_lines::<V, LAST, SIDE_BY_SIDE>(spring_kernels, around.x, at, &mut sum, &mut across);
            at += SIDE_BY_SIDE;
        }
        for at in at..lines.end {
            add_lines::<V, LAST, 1>(spring_kernels, around.x, at, &mut sum, &mut across);
        }
        for entry in DIAGONAL {
            sum.block[entry] = sum.block[entry].plus(V::splat(1.0), across);
        }
        sum
    }
}

/// What K lines add; what they hold across themselves goes into `across`.
///
/// # Safety
/// As [`difference`], of all of them.
#[inline(always)]
unsafe fn add_lines<V: Lanes, const LAST: bool, const K: usize>(
    spring_kernels: &SpringKernels,
    x: &[Vec3],
    at: usize,
    sum: &mut Sum<V>,
    across: &mut V,
) {
    // SAFETY: as the caller promises.
    unsafe {
        let mut differences = [sum.own; K];
        let mut inverse = [sum.own[0]; K];
        for line in 0..K {
            (differences[line], inverse[line]) =
                difference::<V, LAST>(spring_kernels, SpringPositions::of(x), sum.own, at + line);
        }
        V::invert_roots(&mut inverse);
        let [zero, one, slack] = [V::splat(0.0), V::splat(1.0), V::splat(SLACK)];
        for line in 0..K {
            let k = V::load(spring_kernels.stiffness.get_unchecked(at + line));
            let l = V::load(spring_kernels.length.get_unchecked(at + line));
            let pull = one.minus(l, inverse[line]).beyond_times(slack, k);
            let transverse = pull.max(zero);
            let along = k.less(transverse);
            let mut d = differences[line];
            for axis in 0..3 {
                sum.gradient[axis] = sum.gradient[axis].plus(pull, differences[line][axis]);
                d[axis] = differences[line][axis].times(inverse[line]);
            }
            let [ax, ay, az] = [along.times(d[0]), along.times(d[1]), along.times(d[2])];
            sum.block[0] = sum.block[0].plus(ax, d[0]);
            sum.block[1] = sum.block[1].plus(ax, d[1]);
            sum.block[2] = sum.block[2].plus(ax, d[2]);
            sum.block[3] = sum.block[3].plus(ay, d[1]);
            sum.block[4] = sum.block[4].plus(ay, d[2]);
            sum.block[5] = sum.block[5].plus(az, d[2]);
            *across = across.plus(one, transverse);
            sum.bound = sum.bound.plus(one, k);
        }
    }
}

/// Adds what was said about the vertices from `at` on.
///
/// # Safety
/// As [`Lanes`].
#[inline(always)]
pub(super) unsafe fn add_vertices<V: Lanes>(sum: &mut Sum<V>, vertices: &[VertexTerms], at: usize) {
    let mut lines = [Line::default(); 9];
    for (lane, vertex) in vertices[at..at + LANES].iter().enumerate() {
        let (g, b) = (vertex.gradient, &vertex.block.0);
        let all = [g.x, g.y, g.z, b[0][0], b[0][1], b[0][2], b[1][1], b[1][2], b[2][2]];
        for (line, value) in lines.iter_mut().zip(all) {
            line.0[lane] = value;
        }
    }
    // SAFETY: as the caller promises.
    unsafe {
        let one = V::splat(1.0);
        for axis in 0..3 {
            sum.gradient[axis] = sum.gradient[axis].plus(one, V::load(&lines[axis]));
        }
        for entry in 0..6 {
            sum.block[entry] = sum.block[entry].plus(one, V::load(&lines[3 + entry]));
        }
    }
}

/// Takes pinned axes out of the system: their rows become those of the identity.
///
/// # Safety
/// As [`Lanes`].
#[inline(always)]
pub(super) unsafe fn hold<V: Lanes>(sum: &mut Sum<V>, free: &[Line; 3]) {
    // SAFETY: as the caller promises.
    unsafe {
        let free = [V::load(&free[0]), V::load(&free[1]), V::load(&free[2])];
        for axis in 0..3 {
            sum.gradient[axis] = sum.gradient[axis].times(free[axis]);
            let entry = &mut sum.block[DIAGONAL[axis]];
            *entry = V::splat(1.0).less(free[axis]).plus(*entry, free[axis]);
        }
        for (entry, a, b) in [(1, 0, 1), (2, 0, 2), (4, 1, 2)] {
            sum.block[entry] = sum.block[entry].times(free[a].times(free[b]));
        }
    }
}

/// `−H⁻¹ ∇g` by Cholesky's method; pivots that rounding took are put back.
#[inline(always)]
pub(super) fn solve<V: Lanes>(sum: &Sum<V>) -> [V; 3] {
    let [xx, xy, xz, yy, yz, zz] = sum.block;
    let [zero, tiny, lost] = [xx.all(0.0), xx.all(TINY), xx.all(LOST)];
    let mut first = [xx.max(tiny)];
    V::invert_roots(&mut first);
    let [ix] = first;
    let (a, b) = (xy.times(ix), xz.times(ix));
    let mut second = [yy.minus(a, a).max(tiny.plus(yy, lost))];
    V::invert_roots(&mut second);
    let [iy] = second;
    let c = yz.minus(a, b).times(iy);
    let mut third = [zz.minus(b, b).minus(c, c).max(tiny.plus(zz, lost))];
    V::invert_roots(&mut third);
    let [iz] = third;
    let u = zero.minus(sum.gradient[0], ix);
    let v = zero.less(sum.gradient[1]).minus(a, u).times(iy);
    let w = zero.less(sum.gradient[2]).minus(b, u).minus(c, v).times(iz);
    let z = w.times(iz);
    let y = v.minus(c, z).times(iy);
    let x = u.minus(a, y).minus(b, z).times(ix);
    [x, y, z]
}

/// What rounding leaves of a pivot, relative to its diagonal.
const LOST: f64 = 1e-14;
