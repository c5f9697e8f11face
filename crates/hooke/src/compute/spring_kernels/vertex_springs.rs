//! The springs at each vertex, for moving the vertices of one color ([`VertexColoring`]) at once.
//!
//! Eight vertices go side by side, one to a lane: gradient and block of their springs are added up
//! line by line, the 3×3 systems are solved, and the step is taken, all in registers.
//!
//! A step is taken where the bound of `descent_bound` says that g falls. Elsewhere it is `−∇g/(tr B + Σ k)`, B the
//! blocks of inertia and dampers, which are quadratic: as no spring's Hessian is above `k·1₃`, that one falls
//! always.

use super::descent_bound::change_of;
use super::vertex_block::{Sum, add_vertices, hold, solve, sum_of};
use super::{SpringKernels, springs};
use crate::compute::{VertexColoring, VertexTerms};
use crate::kernels::Kernels;
use crate::lanes::dispatch;
use crate::lanes::double::{LANES, Lanes, Line};
use crate::math::Vec3;
use crate::model::Model;

/// The springs of a model in the order of its colors.
#[derive(Default)]
pub(crate) struct VertexSprings {
    fitted: Option<([u64; 3], Kernels)>,
    spring_kernels: SpringKernels,
}

/// What the vertices of one color are moved in; slots are those of the colors.
#[derive(Clone, Copy)]
pub(crate) struct Neighborhood<'a> {
    /// Positions (m).
    pub(crate) x: &'a [Vec3],
    /// y (m).
    pub(crate) y: &'a [Vec3],
    /// m/h² (N/m), a line for each eight slots.
    pub(crate) inertia: &'a [Line],
    /// One along free axes, zero along pinned ones.
    pub(crate) free: &'a [[Line; 3]],
    /// What dampers say, for the slots from `first` on; empty where there are none.
    pub(crate) dampers: &'a [VertexTerms],
    /// What elements that are no springs say, likewise.
    pub(crate) others: &'a [VertexTerms],
    pub(crate) first: usize,
}

/// A step that a vertex may take.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Proposal {
    /// The step (m).
    pub(crate) step: Vec3,
    /// A bound of what it changes g by (J), without elements that are no springs.
    pub(crate) change: f64,
}

impl VertexSprings {
    /// Brings them up to date with a model and its colors.
    pub(crate) fn fit(&mut self, model: &Model, colors: &VertexColoring, kernels: Kernels) {
        let wanted = Some((model.versions().elements(), kernels));
        if self.fitted == wanted {
            return;
        }
        let (mut all, _) = springs(model);
        for (ends, _) in &mut all {
            *ends = ends.map(|end| colors.slot(end));
        }
        self.spring_kernels.lay_out(colors.len(), &all, kernels);
        self.fitted = wanted;
    }

    /// Writes where the vertices from `start` on go. Returns the sum of |∇g|² (N²) they saw.
    pub(crate) fn descend(&self, around: Neighborhood<'_>, start: usize, out: &mut [Vec3]) -> f64 {
        self.check(&around, start, out.len());
        let (spring_kernels, mut sum) = (&self.spring_kernels, 0.0);
        let seen = &mut sum;
        // SAFETY: checked above.
        unsafe {
            dispatch!(self.spring_kernels.level, double, descend_by(
                spring_kernels: &SpringKernels, around: Neighborhood<'_>, start: usize, out: &mut [Vec3], seen: &mut f64
            ))
        };
        sum
    }

    /// Proposes steps for the vertices from `start` on. Returns the sum of |∇g|² (N²) they saw.
    pub(crate) fn propose(
        &self,
        around: Neighborhood<'_>,
        start: usize,
        out: &mut [Proposal],
    ) -> f64 {
        self.check(&around, start, out.len());
        let (spring_kernels, mut sum) = (&self.spring_kernels, 0.0);
        let seen = &mut sum;
        // SAFETY: checked above.
        unsafe {
            dispatch!(self.spring_kernels.level, double, propose_by(
                spring_kernels: &SpringKernels, around: Neighborhood<'_>, start: usize, out: &mut [Proposal], seen: &mut f64
            ))
        };
        sum
    }

    /// What the proposed steps change, once they were shortened.
    pub(crate) fn change(&self, around: Neighborhood<'_>, start: usize, out: &mut [Proposal]) {
        self.check(&around, start, out.len());
        let spring_kernels = &self.spring_kernels;
        // SAFETY: checked above.
        unsafe {
            dispatch!(self.spring_kernels.level, double, change_by(
                spring_kernels: &SpringKernels, around: Neighborhood<'_>, start: usize, out: &mut [Proposal]
            ))
        };
    }

    /// All that the kernels read without looking.
    fn check(&self, around: &Neighborhood<'_>, start: usize, count: usize) {
        let slots = self.spring_kernels.layout.particles;
        assert!(around.x.len() == slots && around.y.len() == slots);
        assert!(start.is_multiple_of(LANES) && count.is_multiple_of(LANES));
        assert!(around.first <= start && start + count <= slots);
    }
}

/// # Safety
/// As [`Lanes`]; as [`VertexSprings::check`] has it.
#[inline(always)]
unsafe fn descend_by<V: Lanes>(
    spring_kernels: &SpringKernels,
    around: Neighborhood<'_>,
    start: usize,
    out: &mut [Vec3],
    seen: &mut f64,
) {
    let (groups, _) = out.as_chunks_mut::<LANES>();
    // SAFETY: as the caller promises.
    unsafe {
        let mut squares = V::splat(0.0);
        for (group, out) in (start / LANES..).zip(groups) {
            match spring_kernels.layout.groups[group].last {
                true => descend_of::<V, true>(spring_kernels, around, group, out, &mut squares),
                false => descend_of::<V, false>(spring_kernels, around, group, out, &mut squares),
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
    spring_kernels: &SpringKernels,
    around: Neighborhood<'_>,
    group: usize,
    out: &mut [Vec3; LANES],
    squares: &mut V,
) {
    // SAFETY: as the caller promises.
    unsafe {
        let mut sum = sum_of::<V, LAST>(spring_kernels, around, group);
        hold(&mut sum, &around.free[group]);
        let step = solve(&sum);
        let (slope, change) = change_of::<V, LAST>(spring_kernels, around, group, &sum, step);
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
/// As [`Lanes`]; as [`VertexSprings::check`] has it.
#[inline(always)]
unsafe fn propose_by<V: Lanes>(
    spring_kernels: &SpringKernels,
    around: Neighborhood<'_>,
    start: usize,
    out: &mut [Proposal],
    seen: &mut f64,
) {
    let (groups, _) = out.as_chunks_mut::<LANES>();
    // SAFETY: as the caller promises.
    unsafe {
        let mut squares = V::splat(0.0);
        for (group, out) in (start / LANES..).zip(groups) {
            let springs = sum_of::<V, true>(spring_kernels, around, group);
            let mut sum = Sum { ..springs };
            add_vertices(&mut sum, around.others, group * LANES - around.first);
            hold(&mut sum, &around.free[group]);
            let step = solve(&sum);
            let (_, change) = change_of::<V, true>(spring_kernels, around, group, &springs, step);
            for axis in 0..3 {
                squares = squares.plus(sum.gradient[axis], sum.gradient[axis]);
            }
            let mut lines = [Line::default(); 4];
            for (value, line) in step.into_iter().chain([change]).zip(&mut lines) {
                value.store(line);
            }
            let [x, y, z, change] = lines;
            for (lane, out) in out.iter_mut().enumerate() {
                out.step = Vec3::new(x.0[lane], y.0[lane], z.0[lane]);
                out.change = change.0[lane];
            }
        }
        let mut line = Line::default();
        squares.store(&mut line);
        *seen = line.0.iter().sum();
    }
}

/// # Safety
/// As [`Lanes`]; as [`VertexSprings::check`] has it.
#[inline(always)]
unsafe fn change_by<V: Lanes>(
    spring_kernels: &SpringKernels,
    around: Neighborhood<'_>,
    start: usize,
    out: &mut [Proposal],
) {
    let (groups, _) = out.as_chunks_mut::<LANES>();
    // SAFETY: as the caller promises.
    unsafe {
        for (group, out) in (start / LANES..).zip(groups) {
            let sum = sum_of::<V, true>(spring_kernels, around, group);
            let mut lines = [Line::default(); 3];
            for (lane, out) in out.iter().enumerate() {
                for axis in 0..3 {
                    lines[axis].0[lane] = out.step[axis];
                }
            }
            let step = [V::load(&lines[0]), V::load(&lines[1]), V::load(&lines[2])];
            let (_, change) = change_of::<V, true>(spring_kernels, around, group, &sum, step);
            change.store(&mut lines[0]);
            for (lane, out) in out.iter_mut().enumerate() {
                out.change = lines[0].0[lane];
            }
        }
    }
}
