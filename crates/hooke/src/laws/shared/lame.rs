//! Lamé's parameters from Young's modulus E and Poisson's ratio ν.

use crate::laws::Param;
use crate::math::Scalar;

/// λ and μ (Pa).
#[derive(Clone, Copy, Debug)]
pub struct Lame<T> {
    /// First parameter, λ.
    pub lambda: T,
    /// Shear modulus, μ.
    pub mu: T,
}

impl<T: Scalar> Lame<T> {
    /// Of a solid: `λ = Eν/((1+ν)(1−2ν))`, `μ = E/(2(1+ν))`.
    pub fn solid(young: T, poisson: T) -> Self {
        let (one, two) = (T::of(1.0), T::of(2.0));
        let mu = young / (two * (one + poisson));
        Self { lambda: young * poisson / ((one + poisson) * (one - two * poisson)), mu }
    }

    /// Of a sheet free to become thinner (plane stress): `λ = Eν/(1−ν²)`, `μ = E/(2(1+ν))`.
    pub fn sheet(young: T, poisson: T) -> Self {
        let one = T::of(1.0);
        let mu = young / (T::of(2.0) * (one + poisson));
        Self { lambda: young * poisson / (one - poisson * poisson), mu }
    }
}

/// Young's modulus as a material value.
pub const YOUNG: Param = Param {
    name: "young",
    unit: "Pa",
    doc: "Young's modulus, stress per strain, E",
    range: [0.0, 1e15],
    default: 1e5,
};

/// Poisson's ratio as a material value.
pub const POISSON: Param = Param {
    name: "poisson",
    unit: "",
    doc: "Poisson's ratio, narrowing per stretch, ν",
    range: [-0.9, 0.499],
    default: 0.3,
};

impl Lame<f64> {
    /// The greatest eigenvalue (Pa) of the stiffness at rest over plane waves, `2μ + λ`.
    pub(in crate::laws) fn stiffest(self) -> f64 {
        2.0 * self.mu + self.lambda.max(0.0)
    }
}
