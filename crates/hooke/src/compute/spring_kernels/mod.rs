//! All springs of a model as each particle sees them.
//!
//! `∂E/∂x_i = Σ_j k (1 − l/|x_ij|) x_ij`: a particle adds up its own springs, so every spring is
//! computed twice, nothing is stored in between, no two threads write the same value and the bits do
//! not depend on them. Eight particles go side by side, one to a lane ([`crate::lanes`]): line by
//! line, each meets its next partner. Where partners are adjacent they are read from [`SpringCache`].
//! Grids do better: their springs are diagonals ([`dia`]), each computed once.

mod cache;
mod descent_bound;
mod dia;
mod sell;
mod sell_layout;
mod single;
mod vertex_block;
mod vertex_springs;

pub(crate) use cache::{SpringCache, SpringPositions};
pub(crate) use single::SingleSpringKernels;
pub(crate) use vertex_springs::{Neighborhood, Proposal, VertexSprings};

use super::Strain;
use crate::kernels::Kernels;
use crate::lanes::double::{LANES, Lanes, Line};
use crate::lanes::{SimdLevel, dispatch};
use crate::math::Vec3;
use crate::model::Model;
use crate::thread_pool::{Disjoint, ThreadPool};
use dia::{Dia, sum_dia_by};
use sell::{gradient_by, sum_by};
use sell_layout::{Group, NONE, SellLayout};

/// The springs of a model.
#[derive(Default)]
pub(crate) struct SpringKernels {
    fitted: Option<([u64; 3], Kernels)>,
    level: SimdLevel,
    /// Where springs stand: in diagonals, or in the lines of a layout.
    dia: Option<Dia<LANES>>,
    layout: SellLayout<LANES>,
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

/// What springs hold together.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    energy: f64,
    /// The greatest |strain| and its group.
    strain: f64,
    group: usize,
}

impl Sum {
    /// Both together.
    fn with(mut self, other: Self) -> Self {
        self.energy += other.energy;
        if other.strain > self.strain {
            (self.strain, self.group) = (other.strain, other.group);
        }
        self
    }

    /// Takes the |strains| of a group, if one is above all before.
    #[inline(always)]
    fn take_strain<V: Lanes>(&mut self, strain: V, group: usize) {
        if strain.any_above(strain.all(self.strain)) {
            let mut line = Line::default();
            strain.store(&mut line);
            self.strain = line.0.iter().fold(0.0, |a: f64, &b| if b > a { b } else { a });
            self.group = group;
        }
    }

    /// Takes the energy, of which `twice` is twice.
    #[inline(always)]
    fn take_energy<V: Lanes>(&mut self, twice: V) {
        let mut line = Line::default();
        twice.store(&mut line);
        self.energy = 0.5 * line.0.iter().sum::<f64>();
    }
}

/// How many lines are computed together.
const SIDE_BY_SIDE: usize = 3;

/// Within so small a strain of its rest length a spring is at rest, and what rests feels no force.
const SLACK: f64 = 1e-15;

/// The least squared length (m²): where both ends coincide, the force is zero.
const TINY: f64 = 1e-300;

impl SpringKernels {
    /// Brings them up to date with a model; whether that changed anything.
    pub(crate) fn fit(&mut self, model: &Model, kernels: Kernels) -> bool {
        let wanted = Some((model.versions().elements(), kernels));
        if self.fitted == wanted {
            return false;
        }
        let (all, laws) = springs(model);
        if !self.lay_in_diagonals(model.particles(), &all, kernels) {
            self.lay_out(model.particles(), &all, kernels);
        }
        self.laws = laws;
        self.fitted = wanted;
        true
    }

    /// Lays these springs between `particles` in diagonals, if they fill such.
    fn lay_in_diagonals(&mut self, particles: usize, all: &[Joined], kernels: Kernels) -> bool {
        let Some((dia, springs)) = Dia::new(particles, all) else { return false };
        self.layout = SellLayout { particles, ..SellLayout::default() };
        (self.level, self.dia) = (SimdLevel::of(kernels), Some(dia));
        self.fill(all, &springs);
        self.count(0..springs.len(), &springs);
        true
    }

    /// Lays these springs between `particles` out in lines.
    fn lay_out(&mut self, particles: usize, all: &[Joined], kernels: Kernels) {
        let (layout, springs) = SellLayout::new(particles, all);
        (self.layout, self.level, self.dia) = (layout, SimdLevel::of(kernels), None);
        self.fill(all, &springs);
        let groups = std::mem::take(&mut self.layout.groups);
        for group in &groups {
            self.count(group.line as usize..(group.line + group.counted) as usize, &springs);
        }
        self.layout.groups = groups;
    }

    /// Takes what the springs of all lines are made of.
    fn fill(&mut self, all: &[Joined], springs: &[[u32; LANES]]) {
        self.spring.clear();
        self.inverse_length.clear();
        for lines in [&mut self.stiffness, &mut self.length] {
            lines.clear();
            lines.resize(springs.len(), Line::default());
        }
        for (line, springs) in springs.iter().enumerate() {
            for (lane, &spring) in springs.iter().enumerate().filter(|(_, spring)| **spring != NONE)
            {
                let [k, l] = all[spring as usize].1;
                self.stiffness[line].0[lane] = k;
                self.length[line].0[lane] = l;
            }
        }
    }

    /// Adds lines to those that count.
    fn count(&mut self, lines: std::ops::Range<usize>, springs: &[[u32; LANES]]) {
        self.spring.extend_from_slice(&springs[lines.clone()]);
        let inverse = |l: f64| if l > 0.0 { 1.0 / l } else { 0.0 };
        let lengths = self.length[lines].iter().map(|line| Line(line.0.map(inverse)));
        self.inverse_length.extend(lengths);
    }

    /// The instructions that compute.
    pub(crate) fn level(&self) -> SimdLevel {
        self.level
    }

    /// Makes ready for [`SpringKernels::gradient`] at `x` (m).
    pub(crate) fn positions<'a>(
        &self,
        x: &'a [Vec3],
        spring_cache: &'a mut SpringCache,
        pool: &ThreadPool,
    ) -> SpringPositions<'a> {
        self.update_cache(x, spring_cache, pool);
        if let Some(dia) = &self.dia {
            self.pull::<false>(dia, spring_cache, pool);
        }
        self.cached_positions(x, spring_cache)
    }

    /// Makes ready for [`SpringKernels::gradient_and_energy`] at `x` (m).
    pub(crate) fn positions_and_energy<'a>(
        &self,
        x: &'a [Vec3],
        spring_cache: &'a mut SpringCache,
        pool: &ThreadPool,
    ) -> SpringPositions<'a> {
        self.update_cache(x, spring_cache, pool);
        if let Some(dia) = &self.dia {
            self.pull::<true>(dia, spring_cache, pool);
        }
        self.cached_positions(x, spring_cache)
    }

    /// What was seen at `x` by [`SpringKernels::positions_and_energy`] or [`SpringKernels::measure`].
    pub(crate) fn cached_positions<'a>(
        &self,
        x: &'a [Vec3],
        spring_cache: &'a SpringCache,
    ) -> SpringPositions<'a> {
        let mut positions = SpringPositions::of(x);
        if self.dia.is_some() {
            (positions.pulls, positions.energy) =
                (Line::numbers(&spring_cache.pulls), spring_cache.sum.energy);
        }
        if self.dia.is_some() || self.layout.by_runs {
            positions.axes = spring_cache.axes.each_ref().map(|axis| Line::numbers(axis));
        }
        positions
    }

    /// Whether [`SpringKernels::measure`] sees what [`SpringKernels::gradient`] needs.
    pub(crate) fn shares(&self) -> bool {
        self.dia.is_some()
    }

    /// Parts positions (m) into axes, if they are read so.
    fn update_cache(&self, x: &[Vec3], spring_cache: &mut SpringCache, pool: &ThreadPool) {
        assert!(x.len() == self.layout.particles);
        let groups = x.len().div_ceil(LANES);
        let margin = match &self.dia {
            Some(dia) => dia.margin,
            None if self.layout.by_runs => 0,
            None => return,
        };
        for axis in &mut spring_cache.axes {
            axis.resize(groups + 2 * margin, Line::default());
            axis[..margin].fill(Line::default());
            axis[groups + margin..].fill(Line::default());
        }
        let [xs, ys, zs] = &mut spring_cache.axes;
        let [xs, ys, zs] = [xs, ys, zs].map(|axis| Disjoint::new(&mut axis[margin..]));
        pool.chunks(x.len(), |range| {
            let groups = range.start / LANES..range.end.div_ceil(LANES);
            // SAFETY: every group is in one chunk.
            let axes = unsafe { [&xs, &ys, &zs].map(|axis| axis.slice(groups.clone())) };
            let x = &x[range];
            // SAFETY: asks for instructions alone.
            unsafe { dispatch!(self.level, double, part_by(x: &[Vec3], axes: [&mut [Line]; 3])) };
        });
    }

    /// `out = ∂E/∂x` (N) for the particles from `first` on, which is a multiple of eight.
    pub(crate) fn gradient(&self, at: SpringPositions<'_>, first: usize, out: &mut [Vec3]) {
        self.check(at, first, out.len());
        if let Some(dia) = &self.dia {
            return self.gather(dia, at, first, out);
        }
        let spring_kernels = self;
        // SAFETY: checked above.
        unsafe {
            dispatch!(self.level, double, gradient_by<false>(
                spring_kernels: &SpringKernels, at: SpringPositions<'_>, first: usize, out: &mut [Vec3]
            ) -> f64)
        };
    }

    /// As [`SpringKernels::gradient`]; also the energy of these particles (J): half that of their springs, or
    /// nothing where [`SpringPositions::energy`] tells all of it.
    pub(crate) fn gradient_and_energy(
        &self,
        at: SpringPositions<'_>,
        first: usize,
        out: &mut [Vec3],
    ) -> f64 {
        self.check(at, first, out.len());
        if let Some(dia) = &self.dia {
            self.gather(dia, at, first, out);
            return 0.0;
        }
        let spring_kernels = self;
        // SAFETY: checked above.
        unsafe {
            dispatch!(self.level, double, gradient_by<true>(
                spring_kernels: &SpringKernels, at: SpringPositions<'_>, first: usize, out: &mut [Vec3]
            ) -> f64)
        }
    }

    /// All that the kernels read without looking.
    fn check(&self, at: SpringPositions<'_>, first: usize, count: usize) {
        let particles = self.layout.particles;
        assert!(at.x.len() == particles && first + count <= particles);
        assert!(first.is_multiple_of(LANES));
        assert!(!self.layout.by_runs || at.axes.iter().all(|axis| axis.len() >= particles));
    }

    /// Σ E (J).
    pub(crate) fn energy(&self, x: &[Vec3], pool: &ThreadPool) -> f64 {
        self.sum(x, pool).energy
    }

    /// Σ E (J), and the spring stretched or compressed most; what [`SpringKernels::gradient`] can use of it stays
    /// in `seen`.
    pub(crate) fn measure(
        &self,
        x: &[Vec3],
        spring_cache: &mut SpringCache,
        pool: &ThreadPool,
    ) -> (f64, Option<Strain>) {
        if let Some(dia) = &self.dia {
            self.update_cache(x, spring_cache, pool);
            self.pull::<true>(dia, spring_cache, pool);
        } else {
            spring_cache.sum = self.sum(x, pool);
        }
        let Sum { energy, strain, group } = spring_cache.sum;
        let all = x.len().div_ceil(LANES);
        let groups = if strain > 0.0 { group..group + 1 } else { 0..all };
        (energy, groups.into_iter().find_map(|group| self.find(x, group)))
    }

    fn sum(&self, x: &[Vec3], pool: &ThreadPool) -> Sum {
        assert!(x.len() == self.layout.particles);
        let sum_of = |range: std::ops::Range<usize>| {
            let (spring_kernels, mut out) = (self, Sum::default());
            let (groups, sum) = (range.start / LANES..range.end.div_ceil(LANES), &mut out);
            if let Some(dia) = &self.dia {
                // SAFETY: there is a point for each particle, and groups are those of particles.
                unsafe {
                    dispatch!(self.level, double, sum_dia_by(
                        spring_kernels: &SpringKernels, dia: &Dia<LANES>, x: &[Vec3],
                        groups: std::ops::Range<usize>, sum: &mut Sum
                    ))
                };
            } else {
                // SAFETY: as above.
                unsafe {
                    dispatch!(self.level, double, sum_by(
                        spring_kernels: &SpringKernels, x: &[Vec3], groups: std::ops::Range<usize>, sum: &mut Sum
                    ))
                };
            }
            out
        };
        pool.fold(self.layout.particles, sum_of, Sum::with)
    }

    /// The spring stretched or compressed most of a group.
    fn find(&self, x: &[Vec3], group: usize) -> Option<Strain> {
        let (line, counted, before) = match &self.dia {
            Some(dia) => {
                let counted = dia.distances.len();
                (group * counted, counted, group * counted)
            }
            None => {
                let Group { line, counted, before, .. } = self.layout.groups[group];
                (line as usize, counted as usize, before as usize)
            }
        };
        let mut worst: Option<(f64, u32)> = None;
        for k in 0..counted {
            let at = line + k;
            for lane in 0..LANES {
                let length = self.length[at].0[lane];
                if length > 0.0 {
                    let own = group * LANES + lane;
                    let other = match &self.dia {
                        Some(dia) => own + dia.distances[k],
                        None => self.layout.partner[at][lane] as usize,
                    };
                    let strain = (x[own] - x[other]).norm() / length - 1.0;
                    if worst.is_none_or(|(value, _)| strain.abs() > value.abs()) {
                        worst = Some((strain, self.spring[before + k][lane]));
                    }
                }
            }
        }
        let (value, spring) = worst?;
        let (law, before) = self.laws.iter().rfind(|(_, before)| *before <= spring as usize)?;
        Some(Strain { value, law, element: spring as usize - before })
    }
}

/// # Safety
/// As [`Lanes`].
#[inline(always)]
unsafe fn part_by<V: Lanes>(x: &[Vec3], [xs, ys, zs]: [&mut [Line]; 3]) {
    let (whole, rest) = x.as_chunks::<LANES>();
    let run = std::array::from_fn(|lane| lane as u32);
    // SAFETY: as the caller promises.
    unsafe {
        for ((points, x), (y, z)) in whole.iter().zip(&mut *xs).zip(ys.iter_mut().zip(&mut *zs)) {
            let [own_x, own_y, own_z] = V::collect_run(points, &run);
            own_x.store(x);
            own_y.store(y);
            own_z.store(z);
        }
    }
    if !rest.is_empty() {
        for (axis, lines) in [xs, ys, zs].into_iter().enumerate() {
            let line = &mut lines[whole.len()];
            *line = Line::default();
            for (number, point) in line.0.iter_mut().zip(rest) {
                *number = point[axis];
            }
        }
    }
}

/// k and l of a line.
///
/// # Safety
/// As [`Lanes`]; the kernels have the line.
#[inline(always)]
unsafe fn spring<V: Lanes>(spring_kernels: &SpringKernels, line: usize) -> [V; 2] {
    // SAFETY: as the caller promises.
    unsafe {
        let k = V::load(spring_kernels.stiffness.get_unchecked(line));
        [k, V::load(spring_kernels.length.get_unchecked(line))]
    }
}

/// Adds twice the energy of a line and takes its greatest |strain|, from k and l, the squared length
/// and one over the length; `counted` is its number among the lines that count.
///
/// # Safety
/// As [`Lanes`]; the kernels have so many lines that count.
#[inline(always)]
unsafe fn count<V: Lanes>(
    spring_kernels: &SpringKernels,
    [k, l]: [V; 2],
    counted: usize,
    square: V,
    inverse: V,
    [energy, strain]: &mut [V; 2],
) {
    // SAFETY: as the caller promises.
    unsafe {
        let stretch = square.times(inverse).less(l);
        *energy = energy.plus(k.times(stretch), stretch);
        // Without a rest length there is no strain.
        let inverse = V::load(spring_kernels.inverse_length.get_unchecked(counted));
        *strain = strain.max(stretch.times(inverse).size());
    }
}
