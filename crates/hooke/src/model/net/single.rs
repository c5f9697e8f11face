//! The springs of a model in `f32`: half the numbers to read, twice as many at once, and forces to
//! about seven digits.

use super::SIDE_BY_SIDE;
use super::layout::{Layout, NONE};
use crate::kernels::Kernels;
use crate::lanes::single::{LANES, Lanes, Line, Quad};
use crate::lanes::{Level, dispatch};
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
    x: Vec<Quad>,
    /// The same by axes, for runs.
    axes: [Vec<f32>; 3],
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
        self.x.resize(model.particles(), Quad::default());
        self.axes.iter_mut().for_each(|axis| axis.resize(model.particles(), 0.0));
        self.fitted = wanted;
    }

    /// Takes the positions (m), as seen from the first particle.
    pub(crate) fn see(&mut self, x: &[Point], team: &Team) {
        let from = x.first().copied().unwrap_or(Point::ZERO);
        let [xs, ys, zs] = &mut self.axes;
        let [xs, ys, zs] = [xs, ys, zs].map(|axis| Disjoint::new(axis));
        team.for_each(&mut self.x, |first, part| {
            for (i, quad) in (first..).zip(part) {
                let x = x[i] - from;
                *quad = [x.x as f32, x.y as f32, x.z as f32, 0.0];
                for (axis, value) in [&xs, &ys, &zs].into_iter().zip(*quad) {
                    // SAFETY: every particle is in one part.
                    unsafe { *axis.get(i) = value };
                }
            }
        });
    }

    /// `out += ∂E/∂x` (N) for the particles from `first` on, which is a multiple of sixteen, at the
    /// positions seen last.
    pub(crate) fn gradient(&self, first: usize, out: &mut [Point]) {
        assert!(
            first + out.len() <= self.layout.particles && self.x.len() == self.layout.particles
        );
        debug_assert_eq!(first % LANES, 0);
        let net = self;
        dispatch!(self.level, single, gradient_by(
            net: &SingleNet, first: usize, out: &mut [Point]
        ));
    }
}

/// As `Lanes` asks.
#[inline(always)]
unsafe fn gradient_by<V: Lanes>(net: &SingleNet, first: usize, out: &mut [Point]) {
    for (group, out) in (first / LANES..).zip(out.chunks_mut(LANES)) {
        // SAFETY: as the caller promises; all partners are particles.
        unsafe {
            let own = V::collected(&net.x, &net.layout.own::<true>(group));
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
            let mut xyz = [Line::default(); 3];
            for axis in 0..3 {
                sum[axis].store(&mut xyz[axis]);
            }
            for (lane, out) in out.iter_mut().enumerate() {
                let [x, y, z] = [xyz[0].0[lane], xyz[1].0[lane], xyz[2].0[lane]];
                *out += Point::new(f64::from(x), f64::from(y), f64::from(z));
            }
        }
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
            let other = match *net.layout.runs.get_unchecked(at + line) {
                true => {
                    let [x, y, z] = &net.axes;
                    let first = partner[0] as usize;
                    [V::load_at(x, first), V::load_at(y, first), V::load_at(z, first)]
                }
                false => V::collected(&net.x, partner),
            };
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
