//! Frozen dampers as rows, for methods that project.
//!
//! Over a step, a damper adds `h D((x−b)/h) = 1/(2h) rᵀ C r` to the objective of backward Euler,
//! with `r = Σ w (x − b) − h u`: a spring of stiffness C/h on the change r. As a row with three
//! components it requires `λ = −S r`, `S = h C`; with `W = Σ w² M⁻¹` its projection is
//! `(1 + S W) Δλ = −(S r + λ)`, `x_a += w_a M_a⁻¹ Δλ`. In this form C may be singular, as for a
//! dashpot; the matrix `1 + S W` never is. A rate damper, `½ c (Σ g·v)²`, is a row with one
//! component, with `r = Σ g·(x − b)`, `S = h c` and `W = Σ g M⁻¹ g`.
//!
//! A damper of one particle with a scalar C = c needs no row: it changes the mass m to `m + hc` and
//! the prediction y to `(m y + hc (b + h u))/(m + hc)`, which is exact.

use crate::compute::{ElementColoring, Sweep};
use crate::dampers::{Form, Frozen};
use crate::math::{Mat3, Vec3};
use crate::methods::Dissipation;
use crate::model::Model;
use crate::thread_pool::{Disjoint, ThreadPool};

/// The dampers of a model as rows.
#[derive(Default)]
pub(crate) struct DamperRows {
    pub(crate) dissipation: Dissipation,
    colors: ElementColoring,
    lambda: Vec<Vec3>,
    prepared: Option<(u64, u64)>,
    /// Whether any damper is a row.
    any: bool,
}

/// c and u, if a damper is `½ c |v − u|²` of one particle.
fn plain(damper: &Frozen) -> Option<(f64, Vec3)> {
    let Form::Sum([1.0, 0.0, 0.0], matrix, drift) = damper.form() else { return None };
    let c = matrix.0[0][0];
    (*matrix == Mat3::diagonal(c)).then_some((c, *drift))
}

impl DamperRows {
    /// Prepares for a model, with the order that `order` gives to the dampers' particles.
    pub(crate) fn prepare(
        &mut self,
        model: &Model,
        order: impl Fn(&[[u32; Frozen::CORNERS]]) -> ElementColoring,
    ) {
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
        self.colors = order(&corners);
        self.lambda = vec![Vec3::ZERO; corners.len()];
        self.prepared = Some(model.versions().symbolic());
    }

    /// Clears all multipliers; dampers without a row are added to the masses and predictions, from
    /// `b`.
    pub(crate) fn begin(&mut self, h: f64, b: &[Vec3], masses: &mut [f64], y: &mut [Vec3]) {
        self.lambda.fill(Vec3::ZERO);
        self.any = false;
        for damper in self.dissipation.frozen() {
            let Some((c, drift)) = plain(damper) else {
                self.any = true;
                continue;
            };
            let i = damper.corners()[0] as usize;
            let (m, more) = (masses[i], h * c);
            masses[i] = m + more;
            let share = more / masses[i];
            y[i] += (b[i] + drift * h - y[i]) * share;
        }
    }

    /// One sweep; returns the sum over corners of |w Δλ|².
    pub(crate) fn project(
        &mut self,
        h: f64,
        b: &[Vec3],
        sweep: &Sweep<'_>,
        pool: &ThreadPool,
    ) -> f64 {
        if !self.any {
            return 0.0;
        }
        let (colors, frozen) = (&self.colors, self.dissipation.frozen());
        let lambda = &Disjoint::new(&mut self.lambda);
        let body = |range: std::ops::Range<usize>| {
            let mut sum = 0.0;
            for &d in &colors.order()[range] {
                let damper = &frozen[d as usize];
                // SAFETY: dampers visited in parallel share no particle if particles move, and each
                // has its own multiplier.
                unsafe {
                    let own = lambda.get(d as usize);
                    let Some(Correction { step, pulls, moves }) =
                        correct(damper, h, b, sweep, *own)
                    else {
                        continue;
                    };
                    *own += step * sweep.apply(damper.corners(), 0, |a| moves[a]);
                    sum += pulls.iter().map(|pull| pull.norm2()).sum::<f64>();
                }
            }
            sum
        };
        if sweep.moves() { colors.walk(pool, body) } else { colors.together(pool, body) }
    }

    /// Calls `each(corner, w λ)` for the corners of all rows.
    pub(crate) fn pulls(&self, mut each: impl FnMut(u32, Vec3)) {
        if !self.any {
            return;
        }
        for (damper, &lambda) in self.dissipation.frozen().iter().zip(&self.lambda) {
            for (&corner, pull) in damper.corners().iter().zip(pulls(damper, lambda)) {
                each(corner, pull);
            }
        }
    }

    /// The energy of the rows (J).
    pub(crate) fn energy(&self, h: f64, b: &[Vec3], x: &[Vec3], pool: &ThreadPool) -> f64 {
        let frozen = self.dissipation.frozen();
        pool.sum(if self.any { frozen.len() } else { 0 }, |range| {
            let mut sum = 0.0;
            for damper in frozen[range].iter().filter(|damper| plain(damper).is_none()) {
                sum += h * damper.potential(|i| (x[i] - b[i]) * (1.0 / h));
            }
            sum
        })
    }
}

/// The forces of a multiplier on the corners of a damper: `w λ`, or `g λ` for a rate.
fn pulls(damper: &Frozen, lambda: Vec3) -> [Vec3; Frozen::CORNERS] {
    match damper.form() {
        Form::Sum([a, b, c], ..) => [lambda * *a, lambda * *b, lambda * *c, Vec3::ZERO],
        Form::Rate(slopes, _) => slopes.map(|slope| slope * lambda.x),
    }
}

/// The projection of a damper's row.
struct Correction {
    /// Δλ; for a rate damper only the first component.
    step: Vec3,
    /// Its forces on the corners, and their displacements.
    pulls: [Vec3; Frozen::CORNERS],
    moves: [Vec3; Frozen::CORNERS],
}

/// The projection of a damper's row with the multiplier `lambda`.
///
/// # Safety
/// No other thread writes its particles.
unsafe fn correct(
    damper: &Frozen,
    h: f64,
    b: &[Vec3],
    sweep: &Sweep<'_>,
    lambda: Vec3,
) -> Option<Correction> {
    if plain(damper).is_some() {
        return None;
    }
    let mut inverse = [Vec3::ZERO; Frozen::CORNERS];
    let mut moved = [Vec3::ZERO; Frozen::CORNERS];
    for (a, &corner) in damper.corners().iter().enumerate() {
        let i = corner as usize;
        // SAFETY: as the caller promises.
        let particle = unsafe { sweep.particles.read(i) };
        inverse[a] = particle.weights(sweep.fixed[i]);
        moved[a] = particle.x - b[i];
    }
    let step = match damper.form() {
        Form::Sum(weights, matrix, drift) => {
            let (mut r, mut whole) = (*drift * -h, Vec3::ZERO);
            for a in 0..3 {
                r += moved[a] * weights[a];
                whole += inverse[a] * (weights[a] * weights[a]);
            }
            let s = *matrix * h;
            solve(s, whole, -(s * r + lambda))
        }
        Form::Rate(slopes, c) => {
            let (mut r, mut whole) = (0.0, 0.0);
            for a in 0..Frozen::CORNERS {
                r += slopes[a].dot(moved[a]);
                whole += slopes[a].dot(slopes[a].times(inverse[a]));
            }
            let s = c * h;
            Vec3::new(-(s * r + lambda.x) / (1.0 + s * whole), 0.0, 0.0)
        }
    };
    let pulls = pulls(damper, step);
    let moves = std::array::from_fn(|a| pulls[a].times(inverse[a]));
    Some(Correction { step, pulls, moves })
}

/// `(1 + S W)⁻¹ b` for a diagonal W, by Cramer's rule.
fn solve(s: Mat3, w: Vec3, b: Vec3) -> Vec3 {
    let [x, y, z] = s.columns();
    let [e, f, g] = Vec3::AXES;
    let [x, y, z] = [e + x * w.x, f + y * w.y, g + z * w.z];
    let by = 1.0 / x.dot(y.cross(z));
    Vec3::new(b.dot(y.cross(z)) * by, b.dot(z.cross(x)) * by, b.dot(x.cross(y)) * by)
}
