//! Dampers: how one kind of element loses energy. One file per damper; [`DAMPERS`] is the
//! one list.
//!
//! A damper is a potential `D(x, v)` (W), convex in v, with the force `−∂D/∂v`. All of ours are
//! quadratic in v, of one of two forms. A [`Damper`] acts on a weighted sum of corner velocities:
//! `D = ½ (Σ w_a v_a − u)ᵀ C (Σ w_a v_a − u)` with a positive semidefinite 3×3 matrix C and a drift u. A
//! [`RateDamper`] acts on how fast conditions C(x) change: `D = ½ c Ċ²`, `Ċ = Σ ∂C/∂x_a · v_a`. A damper only
//! says what these are; explicit methods evaluate them anew, implicit ones freeze them: of first order at the start
//! of a step, which is reported as lagged, of second order ahead. The traits are in `elements/damper.rs`, beside the
//! batches that evaluate them.

mod bending_damper;
mod condition_damper;
mod dashpot;
mod drag;
mod wind;

pub use bending_damper::BendingDamper;
pub use condition_damper::{ShearDamper, StretchDamper};
pub use dashpot::{Dashpot, StrainDashpot};
pub use drag::Drag;
pub use wind::{QuadraticWind, Wind};

pub use crate::elements::damper::{Damper, DamperInfo, RateDamper, Role, info, rate_info};
pub use crate::elements::frozen::{Form, Frozen};

/// Every damper. A new one is one file and one line here.
pub const DAMPERS: &[DamperInfo] = &[
    info::<Drag, 1, 0, 1>(),
    info::<Dashpot, 2, 0, 1>(),
    info::<StrainDashpot, 2, 1, 1>(),
    info::<Wind, 3, 1, 2>(),
    info::<QuadraticWind, 3, 1, 3>(),
    rate_info::<BendingDamper, 4, 5, 1, 1>(),
    rate_info::<StretchDamper, 3, 5, 1, 2>(),
    rate_info::<ShearDamper, 3, 5, 1, 1>(),
];

/// The damper of a name.
pub fn find(name: &str) -> Option<&'static DamperInfo> {
    DAMPERS.iter().find(|damper| damper.name == name)
}
