//! Projecting the rows of elements: what position-based methods do with a constraint.
//!
//! A row C(x) with compliance α asks for `C + α̃ λ = 0`, `α̃ = α/h²`. With inverse masses W its
//! projection is `Δλ = −(C + α̃ λ)/(∇C W ∇Cᵀ + α̃)`, `λ += Δλ`, `x += W ∇Cᵀ Δλ`. An element of
//! several rows solves them at once, for they share its corners: a k×k system, symmetric and positive
//! definite. It is small, and solved where it stands.

use super::ElementColoring;
use super::law::Row;
use crate::math::Vec3;
use crate::thread_pool::{Disjoint, ThreadPool};
use std::ops::Range;

/// The most rows of an element.
pub const MOST_ROWS: usize = 7;

/// A particle as rows see it.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(32))]
pub struct ProjectedParticle {
    /// Its position (m).
    pub(crate) x: Vec3,
    /// Its inverse mass (1/kg), 0 where it is pinned; negative where it is pinned along some axes.
    pub(crate) w: f64,
}

impl ProjectedParticle {
    /// At `x`, of a mass (kg), pinned along some axes.
    #[inline]
    pub(crate) fn new(x: Vec3, mass: f64, fixed: [bool; 3]) -> Self {
        let w = match fixed {
            [false, false, false] => 1.0 / mass,
            [true, true, true] => 0.0,
            _ => -1.0 / mass,
        };
        Self { x, w }
    }

    /// Its inverse masses along the axes (1/kg).
    #[inline]
    pub(crate) fn weights(&self, fixed: [bool; 3]) -> Vec3 {
        if self.w < 0.0 {
            return Vec3::from(fixed.map(|fixed| if fixed { 0.0 } else { -self.w }));
        }
        Vec3::new(self.w, self.w, self.w)
    }
}

/// What is done with a row's correction.
#[derive(Clone, Copy)]
pub(crate) enum Apply<'a> {
    /// The particles move at once.
    Move,
    /// Nothing moves: only the residual is asked for.
    Nothing,
    /// The corners' displacements, each times the share of its particle, are put into slots.
    Aside(&'a Disjoint<'a, Vec3>, &'a [f64]),
}

/// How rows yield.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ComplianceMode {
    /// Not at all: `α = 0`.
    Rigid,
    /// By their compliance, forgetting what was applied: the more sweeps, the stiffer.
    Forgetful,
    /// By their compliance, with the sum of what was applied.
    Compliant,
}

/// One sweep over rows.
pub struct Sweep<'a> {
    /// The particles.
    pub(crate) particles: &'a Disjoint<'a, ProjectedParticle>,
    /// Which of their coordinates are pinned.
    pub(crate) fixed: &'a [[bool; 3]],
    /// Positions of the anchors (m).
    pub(crate) anchors: &'a [Vec3],
    /// 1/h² (1/s²).
    pub(crate) by: f64,
    /// How rows yield.
    pub(crate) compliance_mode: ComplianceMode,
    /// What becomes of corrections.
    pub(crate) apply: Apply<'a>,
}

impl Sweep<'_> {
    /// Whether particles move as rows are met.
    pub(crate) fn moves(&self) -> bool {
        matches!(self.apply, Apply::Move)
    }

    /// Calls `one` with all elements in the order of `colors`, on all threads; the sum of what it returns.
    #[inline]
    pub(super) fn visit(
        &self,
        colors: &ElementColoring,
        pool: &ThreadPool,
        one: impl Fn(usize) -> f64 + Sync,
    ) -> f64 {
        let body = |range: Range<usize>| {
            let mut sum = 0.0;
            for &e in &colors.order()[range] {
                sum += one(e as usize);
            }
            sum
        };
        if self.moves() { colors.walk(pool, body) } else { colors.together(pool, body) }
    }

    /// α̃ of a compliance, and what of it is multiplied with λ; `None` where a row holds nothing.
    #[inline]
    pub(crate) fn softness(&self, compliance: f64) -> Option<[f64; 2]> {
        let soft = compliance * self.by;
        match self.compliance_mode {
            _ if !soft.is_finite() => None,
            ComplianceMode::Rigid => Some([0.0; 2]),
            ComplianceMode::Forgetful => Some([soft, 0.0]),
            ComplianceMode::Compliant => Some([soft; 2]),
        }
    }

    /// Does with the displacements of an element's corners what is wanted, `slot` being the first of
    /// its corners; what its multipliers grow by of Δλ.
    ///
    /// # Safety
    /// No other thread holds these particles or slots.
    #[inline]
    pub(crate) unsafe fn apply(
        &self,
        corners: &[u32],
        slot: usize,
        displacement: impl Fn(usize) -> Vec3,
    ) -> f64 {
        match self.apply {
            Apply::Nothing => 0.0,
            Apply::Move => {
                for (a, &corner) in corners.iter().enumerate() {
                    let moved = displacement(a);
                    // SAFETY: as the caller promises.
                    unsafe { self.particles.get(corner as usize).x += moved };
                }
                1.0
            }
            Apply::Aside(slots, shares) => {
                let mut sum = 0.0;
                for (a, &corner) in corners.iter().enumerate() {
                    let share = shares[corner as usize];
                    // SAFETY: as the caller promises.
                    unsafe { *slots.get(slot + a) = displacement(a) * share };
                    sum += share;
                }
                sum / corners.len() as f64
            }
        }
    }
}

/// The rows of one element.
pub(crate) struct Block<const N: usize> {
    rows: [Row<N>; MOST_ROWS],
    count: usize,
}

impl<const N: usize> Block<N> {
    /// None yet.
    #[inline]
    pub(crate) fn new() -> Self {
        let none = Row { value: 0.0, gradient: [Vec3::ZERO; N], compliance: f64::INFINITY };
        Self { rows: [none; MOST_ROWS], count: 0 }
    }

    /// One more.
    #[inline]
    pub(crate) fn push(&mut self, row: Row<N>) {
        if let Some(slot) = self.rows.get_mut(self.count) {
            *slot = row;
            self.count += 1;
        }
    }

    /// `Σ ∇C s` of a corner.
    #[inline]
    pub(crate) fn along(&self, corner: usize, s: &[f64; MOST_ROWS]) -> Vec3 {
        let mut sum = Vec3::ZERO;
        for (row, s) in self.rows.iter().zip(s).take(self.count) {
            sum += row.gradient[corner] * *s;
        }
        sum
    }

    /// Δλ of all rows, from the inverse masses of the corners and the λ so far.
    #[inline]
    pub(crate) fn solve(
        &self,
        sweep: &Sweep<'_>,
        weights: &[Vec3; N],
        lambda: impl Fn(usize) -> f64,
    ) -> [f64; MOST_ROWS] {
        let (k, mut d) = (self.count, [0.0; MOST_ROWS]);
        // The lower half of ∇C W ∇Cᵀ + α̃, factored as L D Lᵀ row by row.
        let (mut l, mut pivots) = ([[0.0; MOST_ROWS]; MOST_ROWS], [0.0; MOST_ROWS]);
        for r in 0..k {
            let row = &self.rows[r];
            let Some([soft, memory]) = sweep.softness(row.compliance) else { continue };
            let mut weighted = row.gradient;
            for (g, w) in weighted.iter_mut().zip(weights) {
                *g = g.times(*w);
            }
            let product = |other: &Row<N>| {
                weighted.iter().zip(&other.gradient).map(|(a, b)| a.dot(*b)).sum::<f64>()
            };
            let whole = product(row) + soft;
            let (mut pivot, mut value) = (whole, -(row.value + memory * lambda(r)));
            for s in 0..r {
                let mut entry = product(&self.rows[s]);
                for t in 0..s {
                    entry -= l[r][t] * l[s][t] * pivots[t];
                }
                // A row without a pivot holds nothing.
                l[r][s] = if pivots[s] > 0.0 { entry / pivots[s] } else { 0.0 };
                pivot -= l[r][s] * l[r][s] * pivots[s];
                value -= l[r][s] * d[s];
            }
            // Rows that say the same as those before them, or move nothing, are left out.
            if pivot > 1e-12 * whole {
                (pivots[r], d[r]) = (pivot, value);
            } else {
                l[r] = [0.0; MOST_ROWS];
            }
        }
        for r in (0..k).rev() {
            d[r] = if pivots[r] > 0.0 { d[r] / pivots[r] } else { 0.0 };
            for s in r + 1..k {
                d[r] -= l[s][r] * d[s];
            }
        }
        d
    }
}
