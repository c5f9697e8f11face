//! The springs of a model in `f32`: half the numbers to read, twice as many at once, and forces to
//! about seven digits.

use super::SIDE_BY_SIDE;
use super::dia::Dia;
use super::sell_layout::{NONE, SellLayout};
use crate::kernels::Kernels;
use crate::lanes::single::{LANES, Lanes, Line, Quad};
use crate::lanes::{SimdLevel, dispatch, double};
use crate::math::Vec3;
use crate::model::Model;
use crate::thread_pool::{Disjoint, ThreadPool};

/// The springs of a model, with room for where the particles are.
#[derive(Default)]
pub(crate) struct SingleSpringKernels {
    fitted: Option<([u64; 3], Kernels)>,
    level: SimdLevel,
    /// Where springs stand: in diagonals, or in the lines of a layout.
    dia: Option<Dia<LANES>>,
    layout: SellLayout<LANES>,
    /// k, and k l.
    stiffness: Vec<Line>,
    tension: Vec<Line>,
    /// Where the particles are: x, y and z each by itself in diagonals and where most lines are runs, else
    /// together.
    axes: [Vec<Line>; 3],
    quads: Vec<Quad>,
    /// `k (1 − l/|x_ij|)` (N/m) of all springs, where they are diagonals.
    pulls: Vec<Line>,
}

/// The least squared length (m²): where both ends coincide, the force is zero.
const TINY: f32 = 1e-30;

impl SingleSpringKernels {
    /// Brings them up to date with a model.
    pub(crate) fn fit(&mut self, model: &Model, kernels: Kernels) {
        let wanted = Some((model.versions().elements(), kernels));
        if self.fitted == wanted {
            return;
        }
        let ((all, _), particles) = (super::springs(model), model.particles());
        let springs = match Dia::new(particles, &all) {
            Some((dia, springs)) => {
                self.layout = SellLayout { particles, ..SellLayout::default() };
                self.dia = Some(dia);
                springs
            }
            None => {
                let (layout, springs) = SellLayout::new(particles, &all);
                (self.layout, self.dia) = (layout, None);
                springs
            }
        };
        self.level = SimdLevel::of(kernels);
        for lines in [&mut self.stiffness, &mut self.tension] {
            lines.clear();
            lines.resize(springs.len(), Line::default());
        }
        for (line, springs) in springs.iter().enumerate() {
            for (lane, &spring) in springs.iter().enumerate().filter(|(_, spring)| **spring != NONE)
            {
                let [k, l] = all[spring as usize].1;
                self.stiffness[line].0[lane] = k as f32;
                self.tension[line].0[lane] = k as f32 * l as f32;
            }
        }
        let groups = particles.div_ceil(LANES);
        let (by_axes, by_quads, pulls) = match &self.dia {
            Some(dia) => (dia.lines(), 0, dia.distances.len() * dia.lines()),
            None if self.layout.by_runs => (groups, 0, 0),
            None => (0, particles, 0),
        };
        for (lines, count) in
            self.axes.iter_mut().zip([by_axes; 3]).chain([(&mut self.pulls, pulls)])
        {
            lines.clear();
            lines.resize(count, Line::default());
        }
        self.quads.resize(by_quads, Quad::default());
        self.fitted = wanted;
    }

    /// Takes the positions (m), as seen from the first particle.
    pub(crate) fn load_positions(&mut self, x: &[Vec3], pool: &ThreadPool) {
        assert!(x.len() == self.layout.particles);
        let from = x.first().copied().unwrap_or(Vec3::ZERO);
        let margin = match &self.dia {
            Some(dia) => dia.margin,
            None if self.layout.by_runs => 0,
            None => {
                pool.for_each(&mut self.quads, |first, part| {
                    for (quad, &x) in part.iter_mut().zip(&x[first..]) {
                        let x = x - from;
                        *quad = [x.x as f32, x.y as f32, x.z as f32, 0.0];
                    }
                });
                return;
            }
        };
        let [xs, ys, zs] = &mut self.axes;
        let [xs, ys, zs] = [xs, ys, zs].map(|axis| Disjoint::new(&mut axis[margin..]));
        pool.chunks(x.len(), |range| {
            let groups = range.start / LANES..range.end.div_ceil(LANES);
            // SAFETY: every group is in one chunk.
            let axes = unsafe { [&xs, &ys, &zs].map(|axis| axis.slice(groups.clone())) };
            let x = &x[range];
            // SAFETY: asks for instructions alone.
            unsafe {
                dispatch!(self.level, double, see_by(x: &[Vec3], from: Vec3, axes: [&mut [Line]; 3]))
            };
        });
        let Some(dia) = &self.dia else { return };
        let mut pulls = std::mem::take(&mut self.pulls);
        let lines = &Disjoint::new(&mut pulls);
        pool.chunks(x.len(), |range| {
            let (spring_kernels, groups) = (&*self, range.start / LANES..range.end.div_ceil(LANES));
            // SAFETY: the diagonals are those of the kernels, whose numbers were laid out for them; every
            // group is in one chunk, and has its own lines of pulls.
            unsafe {
                dispatch!(self.level, single, pull_by(
                    spring_kernels: &SingleSpringKernels, dia: &Dia<LANES>, groups: std::ops::Range<usize>,
                    lines: &Disjoint<'_, Line>,
                ))
            };
        });
        self.pulls = pulls;
    }

    /// `out = ∂E/∂x` (N) for the particles from `first` on, which is a multiple of sixteen, at the
    /// positions seen last.
    pub(crate) fn gradient(&self, first: usize, out: &mut [Vec3]) {
        assert!(first.is_multiple_of(LANES) && first + out.len() <= self.layout.particles);
        let spring_kernels = self;
        if let Some(dia) = &self.dia {
            // SAFETY: the diagonals are those of the kernels, and the particles are there and begin a line.
            return unsafe {
                dispatch!(self.level, single, gather_by(
                    spring_kernels: &SingleSpringKernels, dia: &Dia<LANES>, first: usize, out: &mut [Vec3],
                ))
            };
        }
        // SAFETY: the particles are there and begin a line.
        unsafe {
            dispatch!(self.level, single, gradient_by(
                spring_kernels: &SingleSpringKernels, first: usize, out: &mut [Vec3]
            ))
        };
    }
}

/// # Safety
/// As [`Lanes`](double::Lanes).
#[inline(always)]
unsafe fn see_by<V: double::Lanes>(x: &[Vec3], from: Vec3, axes: [&mut [Line]; 3]) {
    let (whole, rest) = x.as_chunks::<{ double::LANES }>();
    // SAFETY: as the caller promises.
    unsafe {
        let origin = [V::splat(from.x), V::splat(from.y), V::splat(from.z)];
        let run = std::array::from_fn(|lane| lane as u32);
        for (group, points) in whole.iter().enumerate() {
            let xyz = V::collect_run(points, &run);
            for axis in 0..3 {
                let (halves, _) = axes[axis][group / 2].0.as_chunks_mut::<{ double::LANES }>();
                xyz[axis].less(origin[axis]).narrow(&mut halves[group % 2]);
            }
        }
    }
    for (i, &point) in (whole.len() * double::LANES..).zip(rest) {
        for axis in 0..3 {
            axes[axis][i / LANES].0[i % LANES] = (point - from)[axis] as f32;
        }
    }
}

/// Computes every spring once.
///
/// # Safety
/// As [`Lanes`]; the diagonals are those of the kernels, and nobody else holds the lines of the groups.
#[inline(always)]
unsafe fn pull_by<V: Lanes>(
    spring_kernels: &SingleSpringKernels,
    dia: &Dia<LANES>,
    groups: std::ops::Range<usize>,
    pulls: &Disjoint<'_, Line>,
) {
    // SAFETY: as the caller promises; margins are as wide as the greatest distance, and every group
    // is in one range.
    unsafe {
        let axes = [&spring_kernels.axes[0], &spring_kernels.axes[1], &spring_kernels.axes[2]];
        let [x, y, z] = [Line::numbers(axes[0]), Line::numbers(axes[1]), Line::numbers(axes[2])];
        let count = dia.distances.len();
        for group in groups {
            let here = dia.offset(group * LANES);
            let own = [V::load_at(x, here), V::load_at(y, here), V::load_at(z, here)];
            for diagonal in 0..count {
                let there = here + *dia.distances.get_unchecked(diagonal);
                let other = [V::load_at(x, there), V::load_at(y, there), V::load_at(z, there)];
                let mut square = V::splat(TINY);
                for axis in 0..3 {
                    let difference = own[axis].less(other[axis]);
                    square = square.plus(difference, difference);
                }
                let k = V::load(spring_kernels.stiffness.get_unchecked(group * count + diagonal));
                let kl = V::load(spring_kernels.tension.get_unchecked(group * count + diagonal));
                let pull = k.minus(kl, square.inverse_root());
                pull.store(pulls.get(diagonal * dia.lines() + dia.margin + group));
            }
        }
    }
}

/// # Safety
/// As [`Lanes`]; the diagonals are those of the kernels, and the particles are there and begin a line.
#[inline(always)]
unsafe fn gather_by<V: Lanes>(
    spring_kernels: &SingleSpringKernels,
    dia: &Dia<LANES>,
    first: usize,
    out: &mut [Vec3],
) {
    let (whole, rest) = out.as_chunks_mut::<LANES>();
    // SAFETY: as the caller promises.
    unsafe {
        for (group, out) in whole.iter_mut().enumerate() {
            V::put(gather_of(spring_kernels, dia, first + group * LANES), out);
        }
        if !rest.is_empty() {
            let mut padded = [Vec3::ZERO; LANES];
            V::put(gather_of(spring_kernels, dia, first + whole.len() * LANES), &mut padded);
            rest.copy_from_slice(&padded[..rest.len()]);
        }
    }
}

/// Of one group, whose first particle is `first`.
///
/// # Safety
/// As [`gather_by`].
#[inline(always)]
unsafe fn gather_of<V: Lanes>(
    spring_kernels: &SingleSpringKernels,
    dia: &Dia<LANES>,
    first: usize,
) -> [V; 3] {
    // SAFETY: as the caller promises; margins are as wide as the greatest distance.
    unsafe {
        let axes = [&spring_kernels.axes[0], &spring_kernels.axes[1], &spring_kernels.axes[2]];
        let axes = [Line::numbers(axes[0]), Line::numbers(axes[1]), Line::numbers(axes[2])];
        let pulls = Line::numbers(&spring_kernels.pulls);
        let (here, stride) = (dia.offset(first), dia.lines() * LANES);
        let own = [V::load_at(axes[0], here), V::load_at(axes[1], here), V::load_at(axes[2], here)];
        let mut sum = [V::zero(); 3];
        for (diagonal, distance) in dia.distances.iter().enumerate() {
            let pull = V::load_at(pulls, diagonal * stride + here);
            add::<V>(axes, own, here + distance, pull, &mut sum);
        }
        for (diagonal, distance) in dia.distances.iter().enumerate().rev() {
            let pull = V::load_at(pulls, diagonal * stride + here - distance);
            add::<V>(axes, own, here - distance, pull, &mut sum);
        }
        sum
    }
}

/// Adds what pulls toward the particles at `other`.
///
/// # Safety
/// As [`Lanes`]; there are sixteen numbers from `other` on.
#[inline(always)]
unsafe fn add<V: Lanes>(axes: [&[f32]; 3], own: [V; 3], other: usize, pull: V, sum: &mut [V; 3]) {
    // SAFETY: as the caller promises.
    unsafe {
        for axis in 0..3 {
            let difference = own[axis].less(V::load_at(axes[axis], other));
            sum[axis] = sum[axis].plus(pull, difference);
        }
    }
}

/// # Safety
/// As [`Lanes`]; the particles are there and begin a line.
#[inline(always)]
unsafe fn gradient_by<V: Lanes>(
    spring_kernels: &SingleSpringKernels,
    first: usize,
    out: &mut [Vec3],
) {
    let (whole, rest) = out.as_chunks_mut::<LANES>();
    let group = first / LANES;
    // SAFETY: as the caller promises.
    unsafe {
        for (group, out) in (group..).zip(&mut *whole) {
            gradient_of::<V>(spring_kernels, group, out);
        }
        if !rest.is_empty() {
            let mut padded = [Vec3::ZERO; LANES];
            gradient_of::<V>(spring_kernels, group + whole.len(), &mut padded);
            rest.copy_from_slice(&padded[..rest.len()]);
        }
    }
}

/// Of one group.
///
/// # Safety
/// As [`Lanes`]; the kernels have the group.
#[inline(always)]
unsafe fn gradient_of<V: Lanes>(
    spring_kernels: &SingleSpringKernels,
    group: usize,
    out: &mut [Vec3; LANES],
) {
    // SAFETY: as the caller promises; all partners are particles.
    unsafe {
        let rows = spring_kernels.layout.own::<true>(group);
        let own = positions::<V>(
            spring_kernels,
            &rows,
            rows[LANES - 1] as usize == group * LANES + LANES - 1,
        );
        let mut sum = [V::zero(); 3];
        // Several lines side by side, for each waits for its root.
        let lines = spring_kernels.layout.lines(group);
        let mut at = lines.start;
        while at + SIDE_BY_SIDE <= lines.end {
            add_lines::<V, SIDE_BY_SIDE>(spring_kernels, own, at, &mut sum);
            at += SIDE_BY_SIDE;
        }
        for at in at..lines.end {
            add_lines::<V, 1>(spring_kernels, own, at, &mut sum);
        }
        V::put(sum, out);
    }
}

/// Where some particles are; `run` where they are adjacent.
///
/// # Safety
/// As [`Lanes`]; the rows are particles of the kernels.
#[inline(always)]
unsafe fn positions<V: Lanes>(
    spring_kernels: &SingleSpringKernels,
    rows: &[u32; LANES],
    run: bool,
) -> [V; 3] {
    // SAFETY: as the caller promises.
    unsafe {
        if !spring_kernels.layout.by_runs {
            return V::collected(&spring_kernels.quads, rows);
        }
        let axes = [&spring_kernels.axes[0], &spring_kernels.axes[1], &spring_kernels.axes[2]];
        let [x, y, z] = [Line::numbers(axes[0]), Line::numbers(axes[1]), Line::numbers(axes[2])];
        if run {
            let first = rows[0] as usize;
            return [V::load_at(x, first), V::load_at(y, first), V::load_at(z, first)];
        }
        let mut lines = [Line::default(); 3];
        for lane in 0..LANES {
            let row = rows[lane] as usize;
            for (line, axis) in lines.iter_mut().zip([x, y, z]) {
                line.0[lane] = *axis.get_unchecked(row);
            }
        }
        [V::load(&lines[0]), V::load(&lines[1]), V::load(&lines[2])]
    }
}

/// What K lines add.
///
/// # Safety
/// As [`Lanes`]; the kernels have the lines.
#[inline(always)]
unsafe fn add_lines<V: Lanes, const K: usize>(
    spring_kernels: &SingleSpringKernels,
    own: [V; 3],
    at: usize,
    sum: &mut [V; 3],
) {
    // SAFETY: as the caller promises.
    unsafe {
        let mut differences = [own; K];
        let mut inverse = [own[0]; K];
        for line in 0..K {
            let partner = spring_kernels.layout.partner.get_unchecked(at + line);
            let other = positions::<V>(
                spring_kernels,
                partner,
                *spring_kernels.layout.runs.get_unchecked(at + line),
            );
            let mut square = V::splat(TINY);
            for axis in 0..3 {
                differences[line][axis] = own[axis].less(other[axis]);
                square = square.plus(differences[line][axis], differences[line][axis]);
            }
            inverse[line] = square.inverse_root();
        }
        for line in 0..K {
            let k = V::load(spring_kernels.stiffness.get_unchecked(at + line));
            let kl = V::load(spring_kernels.tension.get_unchecked(at + line));
            // k (1 − l/|x_ij|)
            let pull = k.minus(kl, inverse[line]);
            for axis in 0..3 {
                sum[axis] = sum[axis].plus(pull, differences[line][axis]);
            }
        }
    }
}
