//! The springs at each vertex, for moving the vertices of one [colour](Colours) at once.
//!
//! Eight vertices go side by side, one to a lane: gradient and block of their springs are added up
//! line by line, the 3×3 systems are solved, and the step is taken, all in registers.
//!
//! What guarantees descent: with `d = x_ij/r`, a step δ of one end has a part `p = d·δ` along the
//! spring and a part s across it, and with `P = r + p`
//!
//! `E(x+δ) = E + ∇E·δ + ½ δᵀHδ + R`, `R ≤ ½ s² (k − t − 4 k l P/(4P² + s²))`,
//!
//! where `H = k d dᵀ + t (1₃ − d dᵀ)` and `t = max(k (1 − l/r), 0)`, as
//! `√(P² + s²) ≤ P + s²/(2P)`. Where the sum of these bounds says that the whole falls, the step is
//! taken. Elsewhere the step is `−∇g/(tr B + Σ k)`, B the blocks of inertia and dampers, which are
//! quadratic: as no spring's Hessian is above `k·1₃`, that one falls always.

use super::lines::way;
use super::{Net, Places, SIDE_BY_SIDE, SLACK, TINY, springs};
use crate::kernels::Kernels;
use crate::lanes::dispatch;
use crate::lanes::double::{LANES, Lanes, Line};
use crate::math::Point;
use crate::model::{Colours, Model, Vertex};

/// The springs of a model in the order of its colours.
#[derive(Default)]
pub(crate) struct VertexNet {
    fitted: Option<([u64; 3], Kernels)>,
    net: Net,
}

/// What the vertices of one colour are moved in; slots are those of the colours.
#[derive(Clone, Copy)]
pub(crate) struct Neighbourhood<'a> {
    /// Positions (m).
    pub(crate) x: &'a [Point],
    /// y (m).
    pub(crate) y: &'a [Point],
    /// m/h² (N/m), a line for each eight slots.
    pub(crate) inertia: &'a [Line],
    /// One along free axes, zero along pinned ones.
    pub(crate) free: &'a [[Line; 3]],
    /// What dampers say, for the slots from `first` on; empty where there are none.
    pub(crate) dampers: &'a [Vertex],
    /// What elements that are no springs say, likewise.
    pub(crate) others: &'a [Vertex],
    pub(crate) first: usize,
}

/// A step that a vertex may take.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Proposal {
    /// The step (m).
    pub(crate) step: Point,
    /// A bound of what it changes g by (J), without elements that are no springs.
    pub(crate) change: f64,
}

impl VertexNet {
    /// Brings them up to date with a model and its colours.
    pub(crate) fn fit(&mut self, model: &Model, colours: &Colours, kernels: Kernels) {
        let wanted = Some((model.versions().elements(), kernels));
        if self.fitted == wanted {
            return;
        }
        let (mut all, _) = springs(model);
        for (ends, _) in &mut all {
            *ends = ends.map(|end| colours.slot(end));
        }
        self.net.lay_out(colours.len(), &all, kernels);
        self.fitted = wanted;
    }

    /// Writes where the vertices from `start` on go. Returns the sum of |∇g|² (N²) they saw.
    pub(crate) fn descend(
        &self,
        around: Neighbourhood<'_>,
        start: usize,
        out: &mut [Point],
    ) -> f64 {
        self.check(&around, start, out.len());
        let (net, mut sum) = (&self.net, 0.0);
        let seen = &mut sum;
        // SAFETY: checked above.
        unsafe {
            dispatch!(self.net.level, double, descend_by(
                net: &Net, around: Neighbourhood<'_>, start: usize, out: &mut [Point], seen: &mut f64
            ))
        };
        sum
    }

    /// Proposes steps for the vertices from `start` on. Returns the sum of |∇g|² (N²) they saw.
    pub(crate) fn propose(
        &self,
        around: Neighbourhood<'_>,
        start: usize,
        out: &mut [Proposal],
    ) -> f64 {
        self.check(&around, start, out.len());
        let (net, mut sum) = (&self.net, 0.0);
        let seen = &mut sum;
        // SAFETY: checked above.
        unsafe {
            dispatch!(self.net.level, double, propose_by(
                net: &Net, around: Neighbourhood<'_>, start: usize, out: &mut [Proposal], seen: &mut f64
            ))
        };
        sum
    }

    /// What the proposed steps change, once they were shortened.
    pub(crate) fn change(&self, around: Neighbourhood<'_>, start: usize, out: &mut [Proposal]) {
        self.check(&around, start, out.len());
        let net = &self.net;
        // SAFETY: checked above.
        unsafe {
            dispatch!(self.net.level, double, change_by(
                net: &Net, around: Neighbourhood<'_>, start: usize, out: &mut [Proposal]
            ))
        };
    }

    /// All that the kernels read without looking.
    fn check(&self, around: &Neighbourhood<'_>, start: usize, count: usize) {
        let slots = self.net.layout.particles;
        assert!(around.x.len() == slots && around.y.len() == slots);
        assert!(start.is_multiple_of(LANES) && count.is_multiple_of(LANES));
        assert!(around.first <= start && start + count <= slots);
    }
}

/// What acts on eight vertices.
struct Sum<V> {
    own: [V; 3],
    /// ∇g.
    gradient: [V; 3],
    /// ∇²g without negative parts: xx, xy, xz, yy, yz, zz.
    block: [V; 6],
    /// The trace of what is quadratic and all k: above every eigenvalue of ∇²g.
    bound: V,
}

const DIAGONAL: [usize; 3] = [0, 3, 5];

/// # Safety
/// As [`Lanes`]; as [`VertexNet::check`] has it.
#[inline(always)]
unsafe fn descend_by<V: Lanes>(
    net: &Net,
    around: Neighbourhood<'_>,
    start: usize,
    out: &mut [Point],
    seen: &mut f64,
) {
    let (groups, _) = out.as_chunks_mut::<LANES>();
    // SAFETY: as the caller promises.
    unsafe {
        let mut squares = V::splat(0.0);
        for (group, out) in (start / LANES..).zip(groups) {
            match net.layout.groups[group].last {
                true => descend_of::<V, true>(net, around, group, out, &mut squares),
                false => descend_of::<V, false>(net, around, group, out, &mut squares),
            }
        }
        let mut line = Line::default();
        squares.store(&mut line);
        *seen = line.0.iter().sum();
    }
}

/// Of one group.
///
/// # Safety
/// As [`descend_by`]; the last slot is met only with `LAST`.
#[inline(always)]
unsafe fn descend_of<V: Lanes, const LAST: bool>(
    net: &Net,
    around: Neighbourhood<'_>,
    group: usize,
    out: &mut [Point; LANES],
    squares: &mut V,
) {
    // SAFETY: as the caller promises.
    unsafe {
        let mut sum = sum_of::<V, LAST>(net, around, group);
        hold(&mut sum, &around.free[group]);
        let step = solve(&sum);
        let (slope, change) = change_of::<V, LAST>(net, around, group, &sum, step);
        // Where the bound does not say that g falls, the short step that always does.
        let falls = slope.times(V::splat(ENOUGH)).less(change);
        let [zero, one] = [V::splat(0.0), V::splat(1.0)];
        let short = zero.less(one.roughly_over(sum.bound));
        let mut there = sum.own;
        for axis in 0..3 {
            let short = sum.gradient[axis].times(short);
            let long = step[axis].where_positive(falls);
            let taken = long.plus(one, short.less(short.where_positive(falls)));
            there[axis] = there[axis].plus(one, taken);
            *squares = squares.plus(sum.gradient[axis], sum.gradient[axis]);
        }
        V::put(there, out);
    }
}

/// The share of the slope by which g must fall.
pub(crate) const ENOUGH: f64 = 1e-4;

/// # Safety
/// As [`Lanes`]; as [`VertexNet::check`] has it.
#[inline(always)]
unsafe fn propose_by<V: Lanes>(
    net: &Net,
    around: Neighbourhood<'_>,
    start: usize,
    out: &mut [Proposal],
    seen: &mut f64,
) {
    let (groups, _) = out.as_chunks_mut::<LANES>();
    // SAFETY: as the caller promises.
    unsafe {
        let mut squares = V::splat(0.0);
        for (group, out) in (start / LANES..).zip(groups) {
            let springs = sum_of::<V, true>(net, around, group);
            let mut sum = Sum { ..springs };
            add_vertices(&mut sum, around.others, group * LANES - around.first);
            hold(&mut sum, &around.free[group]);
            let step = solve(&sum);
            let (_, change) = change_of::<V, true>(net, around, group, &springs, step);
            for axis in 0..3 {
                squares = squares.plus(sum.gradient[axis], sum.gradient[axis]);
            }
            let mut lines = [Line::default(); 4];
            for (value, line) in step.into_iter().chain([change]).zip(&mut lines) {
                value.store(line);
            }
            let [x, y, z, change] = lines;
            for (lane, out) in out.iter_mut().enumerate() {
                out.step = Point::new(x.0[lane], y.0[lane], z.0[lane]);
                out.change = change.0[lane];
            }
        }
        let mut line = Line::default();
        squares.store(&mut line);
        *seen = line.0.iter().sum();
    }
}

/// # Safety
/// As [`Lanes`]; as [`VertexNet::check`] has it.
#[inline(always)]
unsafe fn change_by<V: Lanes>(
    net: &Net,
    around: Neighbourhood<'_>,
    start: usize,
    out: &mut [Proposal],
) {
    let (groups, _) = out.as_chunks_mut::<LANES>();
    // SAFETY: as the caller promises.
    unsafe {
        for (group, out) in (start / LANES..).zip(groups) {
            let sum = sum_of::<V, true>(net, around, group);
            let mut lines = [Line::default(); 3];
            for (lane, out) in out.iter().enumerate() {
                for axis in 0..3 {
                    lines[axis].0[lane] = out.step[axis];
                }
            }
            let step = [V::load(&lines[0]), V::load(&lines[1]), V::load(&lines[2])];
            let (_, change) = change_of::<V, true>(net, around, group, &sum, step);
            change.store(&mut lines[0]);
            for (lane, out) in out.iter_mut().enumerate() {
                out.change = lines[0].0[lane];
            }
        }
    }
}

/// Inertia, dampers and springs of a group.
///
/// # Safety
/// As [`descend_of`].
#[inline(always)]
unsafe fn sum_of<V: Lanes, const LAST: bool>(
    net: &Net,
    around: Neighbourhood<'_>,
    group: usize,
) -> Sum<V> {
    let rows = net.layout.own::<false>(group);
    let lines = net.layout.lines(group);
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
            add_lines::<V, LAST, SIDE_BY_SIDE>(net, around.x, at, &mut sum, &mut across);
            at += SIDE_BY_SIDE;
        }
        for at in at..lines.end {
            add_lines::<V, LAST, 1>(net, around.x, at, &mut sum, &mut across);
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
/// As [`way`], of all of them.
#[inline(always)]
unsafe fn add_lines<V: Lanes, const LAST: bool, const K: usize>(
    net: &Net,
    x: &[Point],
    at: usize,
    sum: &mut Sum<V>,
    across: &mut V,
) {
    // SAFETY: as the caller promises.
    unsafe {
        let mut ways = [sum.own; K];
        let mut inverse = [sum.own[0]; K];
        for line in 0..K {
            (ways[line], inverse[line]) = way::<V, LAST>(net, Places::of(x), sum.own, at + line);
        }
        V::invert_roots(&mut inverse);
        let [zero, one, slack] = [V::splat(0.0), V::splat(1.0), V::splat(SLACK)];
        for line in 0..K {
            let k = V::load(net.stiffness.get_unchecked(at + line));
            let l = V::load(net.length.get_unchecked(at + line));
            let pull = one.minus(l, inverse[line]).beyond_times(slack, k);
            let transverse = pull.max(zero);
            let along = k.less(transverse);
            let mut d = ways[line];
            for axis in 0..3 {
                sum.gradient[axis] = sum.gradient[axis].plus(pull, ways[line][axis]);
                d[axis] = ways[line][axis].times(inverse[line]);
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
unsafe fn add_vertices<V: Lanes>(sum: &mut Sum<V>, vertices: &[Vertex], at: usize) {
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
unsafe fn hold<V: Lanes>(sum: &mut Sum<V>, free: &[Line; 3]) {
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
fn solve<V: Lanes>(sum: &Sum<V>) -> [V; 3] {
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

/// `∇g·δ`, and a bound of what δ changes g by.
///
/// # Safety
/// As [`descend_of`].
#[inline(always)]
unsafe fn change_of<V: Lanes, const LAST: bool>(
    net: &Net,
    around: Neighbourhood<'_>,
    group: usize,
    sum: &Sum<V>,
    step: [V; 3],
) -> (V, V) {
    let lines = net.layout.lines(group);
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
            add_change::<V, LAST, SIDE_BY_SIDE>(net, around.x, at, own, step, length, &mut more);
            at += SIDE_BY_SIDE;
        }
        for at in at..lines.end {
            add_change::<V, LAST, 1>(net, around.x, at, sum.own, step, length, &mut more);
        }
        (slope, slope.plus(half, bent).plus(half, more))
    }
}

/// Adds twice the bounds R of K lines.
///
/// # Safety
/// As [`way`], of all of them.
#[inline(always)]
unsafe fn add_change<V: Lanes, const LAST: bool, const K: usize>(
    net: &Net,
    x: &[Point],
    at: usize,
    own: [V; 3],
    step: [V; 3],
    length: V,
    more: &mut V,
) {
    // SAFETY: as the caller promises.
    unsafe {
        let mut ways = [own; K];
        let mut square = [own[0]; K];
        for line in 0..K {
            (ways[line], square[line]) = way::<V, LAST>(net, Places::of(x), own, at + line);
        }
        let mut inverse = square;
        V::invert_roots(&mut inverse);
        let [zero, one, four] = [V::splat(0.0), V::splat(1.0), V::splat(4.0)];
        for line in 0..K {
            let k = V::load(net.stiffness.get_unchecked(at + line));
            let l = V::load(net.length.get_unchecked(at + line));
            let along = ways[line][0].times(step[0]);
            let along = along.plus(ways[line][1], step[1]).plus(ways[line][2], step[2]);
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
