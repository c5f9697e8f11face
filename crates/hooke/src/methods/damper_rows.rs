//! Frozen dampers as rows, for methods that project.
//!
//! Over a step, a damper adds `h D((x−b)/h) = 1/(2h) rᵀ C r` to what backward Euler minimises, with
//! `r = Σ w (x − b) − h u`: a spring of stiffness C/h on the change r. As a row of three numbers it
//! asks for `λ = −S r`, `S = h C`; with `W = Σ w² M⁻¹` its projection is
//! `(1 + S W) Δλ = −(S r + λ)`, `x_a += w_a M_a⁻¹ Δλ`. So written, C may be singular, as that of a
//! dashpot is. The matrix `1 + S W` never is.
//!
//! A damper of one particle whose C is a number c needs no row: it turns the mass m into `m + hc` and the
//! prediction y into `(m y + hc (b + h u))/(m + hc)`, which is exact.

use super::Dissipation;
use crate::dampers::Frozen;
use crate::math::{Mat3, Point};
use crate::model::{Bead, Model, Sweep, Visits};
use crate::team::{Disjoint, Team};

/// The dampers of a model as rows.
#[derive(Default)]
pub(crate) struct DamperRows {
    pub(crate) dissipation: Dissipation,
    colours: Visits,
    lambda: Vec<Point>,
    prepared: Option<(u64, u64)>,
    /// Whether any damper is a row.
    any: bool,
}

/// c, where a damper is `½ c |v − u|²` of one particle.
fn plain(damper: &Frozen) -> Option<f64> {
    let c = damper.matrix.0[0][0];
    let alone = damper.weights == [1.0, 0.0, 0.0] && damper.matrix == Mat3::diagonal(c);
    alone.then_some(c)
}

impl DamperRows {
    /// Makes ready for a model, in the order that `order` makes of the dampers' particles.
    pub(crate) fn prepare(&mut self, model: &Model, order: impl Fn(&[[u32; 3]]) -> Visits) {
        self.dissipation.prepare(model);
        if self.prepared == Some(model.versions().symbolic()) {
            return;
        }
        let mut corners = Vec::new();
        for batch in model.dampers() {
            corners.extend((0..batch.len()).map(|damper| {
                let own = batch.corners(damper);
                std::array::from_fn(|k| *own.get(k).unwrap_or(&own[0]))
            }));
        }
        self.colours = order(&corners);
        self.lambda = vec![Point::ZERO; corners.len()];
        self.prepared = Some(model.versions().symbolic());
    }

    /// Forgets all multipliers; what needs no row joins the masses and predictions, from `b`.
    pub(crate) fn begin(&mut self, h: f64, b: &[Point], masses: &mut [f64], y: &mut [Point]) {
        self.lambda.fill(Point::ZERO);
        self.any = false;
        for damper in self.dissipation.frozen() {
            let Some(c) = plain(damper) else {
                self.any = true;
                continue;
            };
            let i = damper.corners[0] as usize;
            let (m, more) = (masses[i], h * c);
            masses[i] = m + more;
            let share = more / masses[i];
            y[i] += (b[i] + damper.drift * h - y[i]) * share;
        }
    }

    /// One sweep; the sum over corners of |w Δλ|².
    pub(crate) fn project(&mut self, h: f64, b: &[Point], sweep: &Sweep<'_>, team: &Team) -> f64 {
        if !self.any {
            return 0.0;
        }
        let (colours, frozen) = (&self.colours, self.dissipation.frozen());
        let lambda = &Disjoint::new(&mut self.lambda);
        let body = |range: std::ops::Range<usize>| {
            let mut sum = 0.0;
            for &d in &colours.order()[range] {
                let damper = &frozen[d as usize];
                // SAFETY: dampers that are visited side by side share no particle where particles
                // move, and each has its own multiplier.
                unsafe {
                    let own = lambda.get(d as usize);
                    let Some((step, weights)) = correct(damper, h, b, sweep, *own) else {
                        continue;
                    };
                    let taken = sweep
                        .apply(&damper.corners, 0, |a| step.times(weights[a]) * damper.weights[a]);
                    *own += step * taken;
                    sum += step.norm2() * damper.weights.iter().map(|w| w * w).sum::<f64>();
                }
            }
            sum
        };
        if sweep.moves() { colours.walk(team, body) } else { colours.together(team, body) }
    }

    /// Calls `each(corner, w λ)` for the corners of all rows.
    pub(crate) fn pulls(&self, mut each: impl FnMut(u32, Point)) {
        if !self.any {
            return;
        }
        for (damper, &lambda) in self.dissipation.frozen().iter().zip(&self.lambda) {
            for (&corner, &weight) in damper.corners.iter().zip(&damper.weights) {
                each(corner, lambda * weight);
            }
        }
    }

    /// What the rows hold (J).
    pub(crate) fn energy(&self, h: f64, b: &[Point], x: &[Point], team: &Team) -> f64 {
        let frozen = self.dissipation.frozen();
        team.sum(if self.any { frozen.len() } else { 0 }, |range| {
            let mut sum = 0.0;
            for damper in frozen[range].iter().filter(|damper| plain(damper).is_none()) {
                let relative = damper.relative(|i| (x[i] - b[i]) * (1.0 / h));
                sum += 0.5 * h * relative.dot(damper.matrix * relative);
            }
            sum
        })
    }
}

/// Δλ of a damper, and the inverse masses of its corners.
///
/// # Safety
/// No other thread writes its particles.
unsafe fn correct(
    damper: &Frozen,
    h: f64,
    b: &[Point],
    sweep: &Sweep<'_>,
    lambda: Point,
) -> Option<(Point, [Point; 3])> {
    if plain(damper).is_some() {
        return None;
    }
    // SAFETY: as the caller promises.
    let beads: [Bead; 3] =
        unsafe { std::array::from_fn(|a| sweep.beads.read(damper.corners[a] as usize)) };
    let mut r = damper.drift * -h;
    let (mut weights, mut whole) = ([Point::ZERO; 3], Point::ZERO);
    for a in 0..3 {
        let (i, w) = (damper.corners[a] as usize, damper.weights[a]);
        weights[a] = beads[a].weights(sweep.fixed[i]);
        r += (beads[a].x - b[i]) * w;
        whole += weights[a] * (w * w);
    }
    let s = damper.matrix * h;
    let wanted = -(s * r + lambda);
    // The columns of 1 + S W, and Cramer's rule.
    let [x, y, z] = s.columns();
    let [e, f, g] = Point::AXES;
    let [x, y, z] = [e + x * whole.x, f + y * whole.y, g + z * whole.z];
    let by = 1.0 / x.dot(y.cross(z));
    let step = Point::new(
        wanted.dot(y.cross(z)) * by,
        wanted.dot(z.cross(x)) * by,
        wanted.dot(x.cross(y)) * by,
    );
    Some((step, weights))
}
