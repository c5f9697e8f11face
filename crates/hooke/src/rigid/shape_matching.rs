//! Shape matching: the points of a body move alone, then go back to the nearest rigid image of its rest shape.
//!
//! With the points y after they moved, their rest arms r from the mass center and masses m:
//!
//! `c = Σ m y/Σ m`, `A_pq = Σ m (y − c) rᵀ`, `R = polar(A_pq)`, goals `c + R r`
//!
//! Points come to their goals wholly, or by a stiffness s for a soft body: `x = y + s (c + R r − y)`, and
//! `v = (x − x_t)/h`. `polar(A_pq)` is the rotation that fits best ([`Polar::Fit`], also of flat bodies); courses
//! take `polar(A_pq A_qq⁻¹)`, `A_qq = Σ m r rᵀ` ([`Polar::Map`]), the rotation nearest to the best linear map. They
//! differ on deformed bodies. Müller, Heidelberger, Teschner & Gross 2005, *Meshless deformations based on shape
//! matching*.

use crate::math::{Mat3, Vec3, svd};
use crate::settings::choice;

choice! {
    /// Which rotation is taken.
    pub enum Polar {
        /// `polar(A_pq)`: the rotation that fits best.
        Fit = "fit",
        /// `polar(A_pq A_qq⁻¹)`: the rotation nearest to the best linear map. For flat bodies, which have none,
        /// the one that fits best.
        Map = "map",
    }
}

/// Where a shape is found again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Match {
    /// c (m).
    pub center: Vec3,
    /// R.
    pub rotation: Mat3,
}

/// The rest of a shape.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rest {
    /// r (m), from the mass center.
    arms: Vec<Vec3>,
    masses: Vec<f64>,
    /// 1/Σ m.
    share: f64,
    /// A_qq⁻¹, where there is one.
    unspread: Option<Mat3>,
}

impl Rest {
    /// Of points (m) and their masses (kg).
    pub fn new(points: &[Vec3], masses: &[f64]) -> Self {
        let share = 1.0 / masses.iter().sum::<f64>();
        let weigh = |sum: Vec3, (&x, &m): (&Vec3, &f64)| sum + x * m;
        let center = points.iter().zip(masses).fold(Vec3::ZERO, weigh) * share;
        let arms: Vec<Vec3> = points.iter().map(|&x| x - center).collect();
        let mut spread = Mat3::ZERO;
        for (&r, &m) in arms.iter().zip(masses) {
            spread += r.outer(r) * m;
        }
        let found = svd(&spread).sigma;
        let solid = found[2] > 1e-12 * found[0];
        Self { arms, masses: masses.to_vec(), share, unspread: solid.then(|| spread.inverse()) }
    }

    /// r (m).
    pub fn arms(&self) -> &[Vec3] {
        &self.arms
    }

    /// The masses (kg).
    pub fn masses(&self) -> &[f64] {
        &self.masses
    }

    /// Finds the shape in points `y` (m).
    pub fn find(&self, y: &[Vec3], polar: Polar) -> Match {
        let weigh = |sum: Vec3, (&y, &m): (&Vec3, &f64)| sum + y * m;
        let center = y.iter().zip(&self.masses).fold(Vec3::ZERO, weigh) * self.share;
        let mut a = Mat3::ZERO;
        for ((&y, &r), &m) in y.iter().zip(&self.arms).zip(&self.masses) {
            a += (y - center).outer(r) * m;
        }
        if let (Polar::Map, Some(unspread)) = (polar, self.unspread) {
            a = a * unspread;
        }
        Match { center, rotation: svd(&a).rotation() }
    }
}

impl Match {
    /// Where a point with the rest arm r belongs (m).
    #[inline]
    pub fn goal(&self, r: Vec3) -> Vec3 {
        self.center + self.rotation * r
    }
}
