//! A damper taken at one moment: a quadratic function of the velocities of its corners.

use crate::math::{Mat3, Vec3};

/// A damper taken at one moment.
#[derive(Clone, Copy, Debug)]
pub struct Frozen {
    corners: [u32; 4],
    count: u32,
    form: Form,
}

/// What a damper acts on. Past the last corner weights and slopes are zero.
#[derive(Clone, Copy, Debug)]
pub enum Form {
    /// `D = ½ (Σ w v − u)ᵀ C (Σ w v − u)`: weights w, matrix C (N·s/m), drift u (m/s).
    Sum([f64; 3], Mat3, Vec3),
    /// `D = ½ c (Σ g·v)²`: slopes g, coefficient c.
    Rate([Vec3; 4], f64),
}

impl Frozen {
    /// The most corners.
    pub const CORNERS: usize = 4;

    /// A damper that does nothing.
    pub const NONE: Self =
        Self { corners: [0; 4], count: 0, form: Form::Sum([0.0; 3], Mat3::ZERO, Vec3::ZERO) };

    /// `D = ½ (Σ w v − u)ᵀ C (Σ w v − u)` of up to three corners.
    pub fn sum<const N: usize>(
        corners: [u32; N],
        weights: [f64; N],
        matrix: Mat3,
        drift: Vec3,
    ) -> Self {
        const { assert!(N <= 3) };
        let mut all = [0.0; 3];
        all[..N].copy_from_slice(&weights);
        Self::of(corners, Form::Sum(all, matrix, drift))
    }

    /// `D = ½ c (Σ g·v)²` of up to four corners.
    pub fn rate<const N: usize>(corners: [u32; N], slopes: [Vec3; N], c: f64) -> Self {
        let mut all = [Vec3::ZERO; 4];
        all[..N].copy_from_slice(&slopes);
        Self::of(corners, Form::Rate(all, c))
    }

    fn of<const N: usize>(corners: [u32; N], form: Form) -> Self {
        const { assert!(N <= Self::CORNERS) };
        let mut all = [0; 4];
        all[..N].copy_from_slice(&corners);
        Self { corners: all, count: N as u32, form }
    }

    /// What it acts on.
    #[inline]
    pub fn form(&self) -> &Form {
        &self.form
    }

    /// The particles.
    #[inline]
    pub fn corners(&self) -> &[u32] {
        &self.corners[..self.count as usize]
    }

    /// D (W) at the velocities `v` of particles.
    #[inline]
    pub fn potential(&self, v: impl Fn(usize) -> Vec3) -> f64 {
        match &self.form {
            Form::Sum(weights, matrix, drift) => {
                let relative = self.relative(weights, *drift, v);
                0.5 * relative.dot(*matrix * relative)
            }
            Form::Rate(slopes, c) => {
                let rate = self.change(slopes, v);
                0.5 * c * rate * rate
            }
        }
    }

    /// The power (W) of its forces at the velocities `v` of particles.
    #[inline]
    pub fn power(&self, v: impl Fn(usize) -> Vec3) -> f64 {
        match &self.form {
            Form::Sum(weights, matrix, drift) => {
                let relative = self.relative(weights, *drift, v);
                -(relative + *drift).dot(*matrix * relative)
            }
            Form::Rate(slopes, c) => {
                let rate = self.change(slopes, v);
                -c * rate * rate
            }
        }
    }

    /// `s · ∂D/∂v` (N) for each corner at the velocities `v` of particles; zero past the last corner.
    #[inline]
    pub fn gradient(&self, v: impl Fn(usize) -> Vec3, s: f64) -> [Vec3; 4] {
        match &self.form {
            Form::Sum(weights, matrix, drift) => {
                let force = *matrix * self.relative(weights, *drift, v) * s;
                let [a, b, c] = weights.map(|weight| force * weight);
                [a, b, c, Vec3::ZERO]
            }
            Form::Rate(slopes, c) => {
                let pull = c * self.change(slopes, v) * s;
                slopes.map(|slope| slope * pull)
            }
        }
    }

    /// `s · ∂²D/∂v_a∂v_b` (N·s/m) for two of its corners.
    #[inline]
    pub fn block(&self, a: usize, b: usize, s: f64) -> Mat3 {
        match &self.form {
            Form::Sum(weights, matrix, _) => *matrix * (weights[a] * weights[b] * s),
            Form::Rate(slopes, c) => slopes[a].outer(slopes[b]) * (c * s),
        }
    }

    /// How strongly a corner is damped (N·s/m): what turns rounding of velocities into forces.
    #[inline]
    pub(crate) fn strength(&self, corner: usize) -> f64 {
        match &self.form {
            Form::Sum(weights, matrix, _) => {
                let trace = (0..3).map(|axis| matrix.0[axis][axis]).sum::<f64>();
                weights[corner].abs() * trace
            }
            Form::Rate(slopes, c) => {
                let all: f64 = slopes.iter().map(|slope| slope.norm()).sum();
                c * slopes[corner].norm() * all
            }
        }
    }

    /// A bound of how strongly it damps all its corners moving alike (N·s/m).
    pub(crate) fn strength_of_all(&self) -> f64 {
        match &self.form {
            Form::Sum(weights, matrix, _) => {
                let sum: f64 = weights.iter().sum();
                sum * sum * (0..3).map(|axis| matrix.0[axis][axis]).sum::<f64>()
            }
            Form::Rate(slopes, c) => {
                c * slopes.iter().fold(Vec3::ZERO, |sum, &slope| sum + slope).norm2()
            }
        }
    }

    /// `Σ w v − u`.
    #[inline]
    fn relative(&self, weights: &[f64; 3], drift: Vec3, v: impl Fn(usize) -> Vec3) -> Vec3 {
        let mut sum = -drift;
        for (&corner, &weight) in self.corners().iter().zip(weights) {
            sum += v(corner as usize) * weight;
        }
        sum
    }

    /// `Σ g·v`.
    #[inline]
    fn change(&self, slopes: &[Vec3; 4], v: impl Fn(usize) -> Vec3) -> f64 {
        let corners = self.corners().iter().zip(slopes);
        corners.map(|(&corner, slope)| slope.dot(v(corner as usize))).sum()
    }
}
