//! Stability limits, said before a run.
//!
//! `ω² ≤ max_i Σ_j |L_ij|/√(m_i m_j)` over the sum L of the laws' proxies, pins at infinite mass:
//! for springs `max_i Σ_j k_ij (1/m_i + 1/√(m_i m_j))`, valid in every configuration. Damping γ is
//! bounded alike. Explicit damping lowers the limit: `h²ω² + 2hγ < 4`.

use crate::control::Control;
use crate::linalg::{LowRank, Matrix, Operator};
use crate::math::{Mat3, Point};
use crate::methods::{Limit, Potential, each_rank_one};
use crate::model::{At, Ether, Model};
use crate::team::Team;

/// Bounds on what a model can do, from which every method's limit follows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stability {
    /// A bound on the highest angular frequency ω (1/s).
    pub omega: f64,
    /// A bound on the highest damping rate γ (1/s).
    pub gamma: f64,
    /// The least damping rate (1/s) that every particle feels.
    pub drag: f64,
}

impl Stability {
    /// Bounds for a model whose particles move through the air at up to `air` (m/s), with a step of
    /// `h` (s) for ether drag.
    pub fn of(model: &Model, air: f64, h: f64) -> Self {
        let n = model.particles();
        // w_i, the root of the inverse mass
        let w: Vec<f64> =
            (0..n)
                .map(|i| {
                    if model.fixed()[i] == [true; 3] {
                        0.0
                    } else {
                        model.masses()[i].sqrt().recip()
                    }
                })
                .collect();
        let mut stiffness = vec![0.0; n];
        for batch in model.elements() {
            batch.proxies(&mut |corners, proxy| {
                for (a, &i) in corners.iter().enumerate() {
                    for (b, &j) in corners.iter().enumerate() {
                        let (i, j) = (i as usize, j as usize);
                        stiffness[i] += proxy[a * corners.len() + b].abs() * w[i] * w[j];
                    }
                }
            });
        }
        each_rank_one(model, |particles, c, g| {
            let weighted = |(&i, g): (&u32, &Point)| g.norm() * w[i as usize];
            let all: f64 = particles.iter().zip(g).map(weighted).sum();
            for (&i, g) in particles.iter().zip(g) {
                stiffness[i as usize] += c * g.norm() * w[i as usize] * all;
            }
        });
        let mut damping = vec![0.0; n];
        let mut drag = vec![0.0; n];
        for batch in model.dampers() {
            batch.bounds(air, &mut |corners, weights, bound| {
                for (a, &i) in corners.iter().enumerate() {
                    for (b, &j) in corners.iter().enumerate() {
                        let (i, j) = (i as usize, j as usize);
                        let weight = (weights[a] * weights[b]).abs();
                        damping[i] += weight * bound * w[i] * w[j];
                    }
                }
                if let [i] = corners {
                    let w = w[*i as usize];
                    drag[*i as usize] += bound * (w * w);
                }
            });
        }
        let greatest = |values: &[f64]| values.iter().copied().fold(0.0, f64::max);
        let least = (0..n).filter(|&i| w[i] > 0.0).map(|i| drag[i]).fold(f64::INFINITY, f64::min);
        let ether = match model.ether() {
            Some(Ether::Rate(rate)) => rate,
            Some(Ether::Factor(a)) => -libm::log(a.max(1e-300)) / h,
            None => 0.0,
        };
        let least = if least.is_finite() { least } else { 0.0 };
        Self { omega: greatest(&stiffness).sqrt(), gamma: greatest(&damping), drag: least + ether }
    }

    /// Forward Euler: `h < γ/ω²`, with γ the least damping.
    pub fn forward_euler(&self) -> Limit {
        let below = if self.gamma > 0.0 { 2.0 / self.gamma } else { f64::INFINITY };
        match self {
            Self { omega, .. } if *omega == 0.0 => bounded(below),
            Self { drag, .. } if *drag == 0.0 => Limit::Never,
            Self { omega, drag, .. } => bounded((drag / (omega * omega)).min(below)),
        }
    }

    /// Symplectic Euler and Verlet: `h²ω² + 2hγ < 4`.
    pub fn symplectic(&self) -> Limit {
        let (w2, gamma) = (self.omega * self.omega, self.gamma);
        // The positive root of h²ω² + 2hγ = 4, in the form that stands ω = 0.
        bounded(4.0 / (gamma + (gamma * gamma + 4.0 * w2).sqrt()))
    }

    /// RK4: `hω < 2√2` on the imaginary axis, 2.785 on the real one.
    pub fn rk4(&self) -> Limit {
        if self.gamma == 0.0 {
            return bounded(8f64.sqrt() / self.omega);
        }
        // The most damped mode need not be the stiffest.
        bounded(2.6 / self.omega.max(self.gamma))
    }

    /// The β family: `hω < 2/√(1−2β)` below ½, no limit from there on where forces are linear; its
    /// damping is implicit.
    pub fn beta(&self, beta: f64) -> Limit {
        if beta >= 0.5 {
            return Limit::Linear;
        }
        bounded(2.0 / ((1.0 - 2.0 * beta).sqrt() * self.omega))
    }
}

fn bounded(h: f64) -> Limit {
    if h.is_finite() { Limit::Below(h) } else { Limit::None }
}

/// The highest angular frequency ω (1/s) at the positions `x`, by power iteration on
/// `M^{−½} ∇²E M^{−½}` with pins removed, to a relative accuracy of about 1e-3.
pub fn highest_frequency(model: &Model, control: &Control, x: &[Point], team: &Team) -> f64 {
    let mut matrix = Matrix::<Mat3>::new(model.pattern());
    let slots = Potential::slots(model, &matrix);
    let at = At { x, places: control.places() };
    Potential::hessian(model, at, 1.0, &slots, &mut matrix);
    let mut dense = LowRank::NONE;
    Potential::rank_ones(model, at, &mut dense, team);
    let hessian = Operator { sparse: &matrix, dense: &dense };
    let scale = |i: usize, value: &mut Point| {
        for axis in 0..3 {
            value[axis] *= model.inverse_mass(i, axis).sqrt();
        }
    };
    let mut z: Vec<Point> = (0..x.len())
        .map(|i| crate::math::noise::noise(7, Point::new(i as f64 + 0.5, 0.25, 0.75), 0.5))
        .collect();
    let mut product = vec![Point::ZERO; x.len()];
    let mut eigenvalue = 0.0;
    for _ in 0..400 {
        let norm = z.iter().map(|z| z.norm2()).sum::<f64>().sqrt();
        if norm == 0.0 || !norm.is_finite() {
            return 0.0;
        }
        for (i, z) in z.iter_mut().enumerate() {
            *z = *z * (1.0 / norm);
            scale(i, z);
        }
        hessian.multiply(&z, &mut product, team);
        for (i, value) in product.iter_mut().enumerate() {
            scale(i, value);
        }
        let next = product.iter().map(|p| p.norm2()).sum::<f64>().sqrt();
        let settled = (next - eigenvalue).abs() <= 1e-7 * next;
        eigenvalue = next;
        std::mem::swap(&mut z, &mut product);
        if settled {
            break;
        }
    }
    eigenvalue.sqrt()
}
