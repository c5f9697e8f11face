//! Springs of one family: how stiff and how damped.

/// A pair of coefficients of springs of one family, and their damping.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpringFamily {
    /// How stiff.
    pub stiffness: Stiffness,
    /// How damped.
    pub damping: SpringDamping,
}

impl SpringFamily {
    /// Undamped springs of stiffness `k` (N/m).
    pub const fn stiffness(k: f64) -> Self {
        Self { stiffness: Stiffness::PerLength(k), damping: SpringDamping::None }
    }

    /// Undamped rods of a compliance (m/N), rigid at 0.
    pub const fn rods(compliance: f64) -> Self {
        Self { stiffness: Stiffness::Compliance(compliance), damping: SpringDamping::None }
    }
}

/// How stiff a spring is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stiffness {
    /// k (N/m), the same for every length.
    PerLength(f64),
    /// Y (N), `k = Y/l`.
    PerStrain(f64),
    /// α (m/N), `k = 1/α`: a rod, rigid at 0.
    Compliance(f64),
}

/// How a spring is damped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SpringDamping {
    /// Not at all.
    None,
    /// β (N·s/m).
    PerVelocity(f64),
    /// k_d (N·s), `β = k_d/l`.
    PerStrainRate(f64),
}
