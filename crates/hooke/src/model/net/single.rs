//! The springs of a model in `f32`: half the numbers to read, twice as many at once, and forces to
//! about seven digits.

use super::SIDE_BY_SIDE;
use super::layout::{Layout, NONE};
use crate::kernels::Kernels;
use crate::lanes::single::{LANES, Lanes, Line, Quad};
use crate::lanes::{Level, dispatch, double};
use crate::math::Point;
use crate::model::Model;
use crate::team::{Disjoint, Team};

/// The springs of a model, with room for where the particles are.
#[derive(Default)]
pub(crate) struct SingleNet {
    fitted: Option<([u64; 3], Kernels)>,
    level: Level,
    layout: Layout<LANES>,
    stiffness: Vec<Line>,
    length: Vec<Line>,
    /// Where the particles are: x, y and z each by itself where most lines are runs, else together.
    axes: [Vec<f32>; 3],
    quads: Vec<Quad>,
}

/// The least squared length (m²): where both ends coincide, the force is zero.
const TINY: f32 = 1e-30;

impl SingleNet {
    /// Brings them up to date with a model.
    pub(crate) fn fit(&mut self, model: &Model, kernels: Kernels) {
        let wanted = Some((model.versions().elements(), kernels));
        if self.fitted == wanted {
            return;
        }
        let (all, _) = super::springs(model);
        let (layout, springs) = Layout::new(model.particles(), &all);
        (self.layout, self.level) = (layout, Level::of(kernels));
        for lines in [&mut self.stiffness, &mut self.length] {
            lines.clear();
            lines.resize(self.layout.partner.len(), Line::default());
        }
        for (line, springs) in springs.iter().enumerate() {
            for (lane, &spring) in springs.iter().enumerate().filter(|(_, spring)| **spring != NONE)
            {
                let [k, l] = all[spring as usize].1;
                self.stiffness[line].0[lane] = k as f32;
                self.length[line].0[lane] = l as f32;
            }
        }
        let (by_axes, by_quads) =
            if self.layout.by_runs { (model.particles(), 0) } else { (0, model.particles()) };
        self.axes.iter_mut().for_each(|axis| axis.resize(by_axes, 0.0));
        self.quads.resize(by_quads, Quad::default());
        self.fitted = wanted;
    }

    /// Takes the positions (m), as seen from the first particle.
    pub(crate) fn see(&mut self, x: &[Point], team: &Team) {
        assert!(x.len() == self.layout.particles);
        let from = x.first().copied().unwrap_or(Point::ZERO);
        if !self.layout.by_runs {
            team.for_each(&mut self.quads, |first, part| {
                for (quad, &x) in part.iter_mut().zip(&x[first..]) {
                    let x = x - from;
                    *quad = [x.x as f32, x.y as f32, x.z as f32, 0.0];
                }
            });
            return;
        }
        let [xs, ys, zs] = &mut self.axes;
        let [xs, ys, zs] = [xs, ys, zs].map(|axis| Disjoint::new(axis));
        team.chunks(x.len(), |range| {
            // SAFETY: every particle is in one chunk.
            let axes = unsafe { [&xs, &ys, &zs].map(|axis| axis.slice(range.clone())) };
            let x = &x[range];
            dispatch!(self.level, double, see_by(x: &[Point], from: Point, axes: [&mut [f32]; 3]));
        });
    }

    /// `out = ∂E/∂x` (N) for the particles from `first` on, which is a multiple of sixteen, at the
    /// positions seen last.
    pub(crate) fn gradient(&self, first: usize, out: &mut [Point]) {
        assert!(first + out.len() <= self.layout.particles);
        debug_assert_eq!(first % LANES, 0);
        let net = self;
        dispatch!(self.level, single, gradient_by(
            net: &SingleNet, first: usize, out: &mut [Point]
        ));
    }
}

/// As `Lanes` asks.
#[inline(always)]
unsafe fn see_by<V: double::Lanes>(x: &[Point], from: Point, axes: [&mut [f32]; 3]) {
    let (whole, rest) = x.as_chunks::<{ double::LANES }>();
    // SAFETY: as the caller promises.
    unsafe {
        let from = [V::splat(from.x), V::splat(from.y), V::splat(from.z)];
        let run = std::array::from_fn(|lane| lane as u32);
        for (group, points) in whole.iter().enumerate() {
            let xyz = V::collect_run(points, &run);
            for axis in 0..3 {
                let (parts, _) = axes[axis].as_chunks_mut::<{ double::LANES }>();
                xyz[axis].less(from[axis]).narrow(&mut parts[group]);
            }
        }
    }
    for (i, &point) in (whole.len() * double::LANES..).zip(rest) {
        for axis in 0..3 {
            axes[axis][i] = (point - from)[axis] as f32;
        }
    }
}

/// As `Lanes` asks.
#[inline(always)]
unsafe fn gradient_by<V: Lanes>(net: &SingleNet, first: usize, out: &mut [Point]) {
    let (whole, rest) = out.as_chunks_mut::<LANES>();
    let group = first / LANES;
    // SAFETY: as the caller promises.
    unsafe {
        for (group, out) in (group..).zip(&mut *whole) {
            gradient_of::<V>(net, group, out);
        }
        if !rest.is_empty() {
            let mut padded = [Point::ZERO; LANES];
            gradient_of::<V>(net, group + whole.len(), &mut padded);
            rest.copy_from_slice(&padded[..rest.len()]);
        }
    }
}

/// Of one group.
#[inline(always)]
unsafe fn gradient_of<V: Lanes>(net: &SingleNet, group: usize, out: &mut [Point; LANES]) {
    // SAFETY: as the caller promises; all partners are particles.
    unsafe {
        let rows = net.layout.own::<true>(group);
        let own = places::<V>(net, &rows, rows[LANES - 1] as usize == group * LANES + LANES - 1);
        let mut sum = [V::zero(); 3];
        // Several lines side by side, for each waits for its root.
        let lines = net.layout.lines(group);
        let mut at = lines.start;
        while at + SIDE_BY_SIDE <= lines.end {
            add_lines::<V, SIDE_BY_SIDE>(net, own, at, &mut sum);
            at += SIDE_BY_SIDE;
        }
        for at in at..lines.end {
            add_lines::<V, 1>(net, own, at, &mut sum);
        }
        V::put(sum, out);
    }
}

/// Where some particles are; `run` where they follow each other.
#[inline(always)]
unsafe fn places<V: Lanes>(net: &SingleNet, rows: &[u32; LANES], run: bool) -> [V; 3] {
    // SAFETY: as the caller promises.
    unsafe {
        if !net.layout.by_runs {
            return V::collected(&net.quads, rows);
        }
        let [x, y, z] = &net.axes;
        if run {
            let first = rows[0] as usize;
            return [V::load_at(x, first), V::load_at(y, first), V::load_at(z, first)];
        }
        let mut lines = [Line::default(); 3];
        for lane in 0..LANES {
            let row = rows[lane] as usize;
            for (line, axis) in lines.iter_mut().zip(&net.axes) {
                line.0[lane] = *axis.get_unchecked(row);
            }
        }
        [V::load(&lines[0]), V::load(&lines[1]), V::load(&lines[2])]
    }
}

/// What K lines add.
#[inline(always)]
unsafe fn add_lines<V: Lanes, const K: usize>(
    net: &SingleNet,
    own: [V; 3],
    at: usize,
    sum: &mut [V; 3],
) {
    // SAFETY: as the caller promises.
    unsafe {
        let mut ways = [own; K];
        let mut inverse = [own[0]; K];
        for line in 0..K {
            let partner = net.layout.partner.get_unchecked(at + line);
            let other = places::<V>(net, partner, *net.layout.runs.get_unchecked(at + line));
            let mut square = V::splat(TINY);
            for axis in 0..3 {
                ways[line][axis] = own[axis].less(other[axis]);
                square = square.plus(ways[line][axis], ways[line][axis]);
            }
            inverse[line] = square.inverse_root();
        }
        for line in 0..K {
            let k = V::load(net.stiffness.get_unchecked(at + line));
            let l = V::load(net.length.get_unchecked(at + line));
            // k (1 − l/|x_ij|)
            let pull = k.minus(k.times(l), inverse[line]);
            for axis in 0..3 {
                sum[axis] = sum[axis].plus(pull, ways[line][axis]);
            }
        }
    }
}
