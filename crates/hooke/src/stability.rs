//! Stability limits, said before a run.
//!
//! `ω² ≤ max_i Σ_j |L_ij|/√(m_i m_j)` over the sum L of the laws' proxies, pins at infinite mass:
//! for springs `max_i Σ_j k_ij (1/m_i + 1/√(m_i m_j))`, valid in every configuration. Damping γ is
//! bounded alike. Explicit damping lowers the limit: `h²ω² + 2hγ < 4`.

use crate::compute::{At, assembly};
use crate::control::Control;
use crate::linalg::{LowRank, Matrix, Operator};
use crate::math::{Mat3, Vec3};
use crate::model::{GlobalDamping, Model};
use crate::thread_pool::ThreadPool;

/// A stability limit. Its text is what every command says of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StabilityLimit {
    /// Stable at every step.
    None,
    /// Stable at every step of a model whose forces are linear in positions and velocities, and
    /// nothing is promised on others.
    Linear,
    /// Stable below this step (s).
    Below(f64),
    /// Grows at every step, for lack of damping.
    Never,
}

impl std::fmt::Display for StabilityLimit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::None => f.write_str("stable at every step"),
            Self::Linear => f.write_str(
                "stable at every step of a linear model; may gain energy on a nonlinear one",
            ),
            Self::Below(limit) => write!(f, "stable below {limit:.3e} s"),
            Self::Never => f.write_str("unstable at every step without damping"),
        }
    }
}

impl StabilityLimit {
    /// Whether steps of `h` seconds are known to be unstable.
    pub fn exceeded(self, h: f64) -> bool {
        match self {
            Self::None | Self::Linear => false,
            Self::Below(limit) => h >= limit,
            Self::Never => true,
        }
    }

    /// Why a run in steps of `h` seconds went wrong, and what to do: half a sentence.
    pub fn blame(self, h: f64) -> String {
        match self {
            Self::Below(limit) if h > limit => format!(
                "the step of {h:.3e} s is above the method's limit of {limit:.3e} s: use substeps = \
                 \"auto\" or an implicit method"
            ),
            Self::Below(_) | Self::None => {
                format!(
                    "the forces grew beyond what a step of {h:.3e} s can follow: take shorter steps"
                )
            }
            Self::Linear => format!(
                "the method is stable on linear models only, and a step of {h:.3e} s is too long for \
                 this one: take shorter steps, or newton"
            ),
            Self::Never => "the method grows at every step without damping".into(),
        }
    }
}

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
    /// `h` (s) for global damping.
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
        assembly::each_rank_one(model, |particles, c, g| {
            let weighted = |(&i, g): (&u32, &Vec3)| g.norm() * w[i as usize];
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
        let global_damping = match model.global_damping() {
            Some(GlobalDamping::Rate(rate)) => rate,
            Some(GlobalDamping::Factor(a)) => -libm::log(a.max(1e-300)) / h,
            None => 0.0,
        };
        let least = if least.is_finite() { least } else { 0.0 };
        Self {
            omega: greatest(&stiffness).sqrt(),
            gamma: greatest(&damping),
            drag: least + global_damping,
        }
    }

    /// Forward Euler: `h < γ/ω²`, with γ the least damping.
    pub fn forward_euler(&self) -> StabilityLimit {
        let below = if self.gamma > 0.0 { 2.0 / self.gamma } else { f64::INFINITY };
        match self {
            Self { omega, .. } if *omega == 0.0 => bounded(below),
            Self { drag, .. } if *drag == 0.0 => StabilityLimit::Never,
            Self { omega, drag, .. } => bounded((drag / (omega * omega)).min(below)),
        }
    }

    /// Symplectic Euler and Verlet: `h²ω² + 2hγ < 4`.
    pub fn symplectic(&self) -> StabilityLimit {
        let (w2, gamma) = (self.omega * self.omega, self.gamma);
        // The positive root of h²ω² + 2hγ = 4, in the form that stands ω = 0.
        bounded(4.0 / (gamma + (gamma * gamma + 4.0 * w2).sqrt()))
    }

    /// RK4: `hω < 2√2` on the imaginary axis, 2.785 on the real one.
    pub fn rk4(&self) -> StabilityLimit {
        if self.gamma == 0.0 {
            return bounded(8f64.sqrt() / self.omega);
        }
        // The most damped mode need not be the stiffest.
        bounded(2.6 / self.omega.max(self.gamma))
    }

    /// The β family: `hω < 2/√(1−2β)` below ½, no limit from there on where forces are linear; its
    /// damping is implicit.
    pub fn beta(&self, beta: f64) -> StabilityLimit {
        if beta >= 0.5 {
            return StabilityLimit::Linear;
        }
        bounded(2.0 / ((1.0 - 2.0 * beta).sqrt() * self.omega))
    }
}

fn bounded(h: f64) -> StabilityLimit {
    if h.is_finite() { StabilityLimit::Below(h) } else { StabilityLimit::None }
}

/// The highest angular frequency ω (1/s) at the positions `x`, by power iteration on
/// `M^{−½} ∇²E M^{−½}` with pins removed, to a relative accuracy of about 1e-3.
pub fn highest_frequency(model: &Model, control: &Control, x: &[Vec3], pool: &ThreadPool) -> f64 {
    let mut matrix = Matrix::<Mat3>::new(model.pattern());
    let slots = assembly::element_slots(model, &matrix);
    let at = At { x, anchors: control.anchors() };
    assembly::add_hessian(model, at, 1.0, &slots, &mut matrix);
    let mut dense = LowRank::NONE;
    assembly::rank_ones(model, at, &mut dense, pool);
    let hessian = Operator { sparse: &matrix, dense: &dense };
    let scale = |i: usize, value: &mut Vec3| {
        for axis in 0..3 {
            value[axis] *= model.inverse_mass(i, axis).sqrt();
        }
    };
    let mut z: Vec<Vec3> = (0..x.len())
        .map(|i| crate::math::noise::noise(7, Vec3::new(i as f64 + 0.5, 0.25, 0.75), 0.5))
        .collect();
    let mut product = vec![Vec3::ZERO; x.len()];
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
        hessian.multiply(&z, &mut product, pool);
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
