//! Dampers: how one kind of element loses energy. One file per damper; [`DAMPERS`] is the
//! one list.
//!
//! A damper is a potential `D(x, v)` (W), convex in v, with the force `−∂D/∂v`. All of ours are
//! quadratic in a weighted sum of corner velocities: `D = ½ (Σ w_a v_a − u)ᵀ C (Σ w_a v_a − u)`
//! with a positive semidefinite 3×3 matrix C and a drift u. A damper only says what C and u are;
//! explicit methods evaluate them anew, implicit ones freeze them at the start of a step and
//! report that as lagged.

mod dashpot;
mod drag;
mod wind;

pub use dashpot::{Dashpot, StrainDashpot};
pub use drag::Drag;
pub use wind::{QuadraticWind, Wind};

use crate::laws::{Param, Proxy};
use crate::math::{Mat3, Point};
use crate::model::{DamperBatch, Dampers};
use std::any::TypeId;

/// How one kind of element loses energy: N corners, R rest values, P material values.
pub trait Damper<const N: usize, const R: usize, const P: usize>: Send + Sync + 'static {
    /// The name in scenes.
    const NAME: &'static str;
    /// The potential as a formula.
    const EQUATION: &'static str;
    /// One sentence on what it is.
    const DOC: &'static str;
    /// The material values.
    const PARAMS: [Param; P];
    /// The weights w of the corners.
    const WEIGHTS: [f64; N];
    /// Whether [`Damper::bound`] holds in every configuration.
    const BOUND: Proxy;
    /// What an implicit method takes from the start of the step, empty where nothing.
    const LAGGED: &'static str;

    /// The rest values of an element whose corners rest at `x`; `None` where it is degenerate.
    fn rest(x: [Point; N]) -> Option<[f64; R]>;

    /// Whether rest values given by hand make sense: one sentence where they do not.
    fn check(_rest: &[f64; R]) -> Result<(), &'static str> {
        Ok(())
    }

    /// The matrix C (N·s/m) and the drift u (m/s); `air` is the wind at the element.
    fn freeze(
        x: [Point; N],
        v: [Point; N],
        rest: [f64; R],
        material: [f64; P],
        air: Point,
    ) -> (Mat3, Point);

    /// A number above the eigenvalues of C, at relative speeds up to `air` (m/s).
    fn bound(rest: [f64; R], material: [f64; P], air: f64) -> f64;
}

/// A damper with its matrix taken at one moment: `D = ½ (Σ w v − u)ᵀ C (Σ w v − u)`.
/// Elements with fewer than three corners repeat the first with weight zero.
#[derive(Clone, Copy, Debug)]
pub struct Frozen {
    /// The particles.
    pub corners: [u32; 3],
    /// Their weights w.
    pub weights: [f64; 3],
    /// The matrix C (N·s/m).
    pub matrix: Mat3,
    /// The drift u (m/s).
    pub drift: Point,
}

impl Frozen {
    /// A damper that does nothing.
    pub const NONE: Self =
        Self { corners: [0; 3], weights: [0.0; 3], matrix: Mat3::ZERO, drift: Point::ZERO };

    /// `Σ w v − u`.
    #[inline]
    pub fn relative(&self, velocity: impl Fn(usize) -> Point) -> Point {
        let mut sum = -self.drift;
        for (&corner, &weight) in self.corners.iter().zip(&self.weights) {
            if weight != 0.0 {
                sum += velocity(corner as usize) * weight;
            }
        }
        sum
    }
}

/// What the registry knows about a damper.
#[derive(Clone, Copy, Debug)]
pub struct DamperInfo {
    /// The name in scenes.
    pub name: &'static str,
    /// The potential as a formula.
    pub equation: &'static str,
    /// One sentence on what it is.
    pub doc: &'static str,
    /// Corners of an element.
    pub corners: usize,
    /// The material values.
    pub params: &'static [Param],
    /// What an implicit method lags, empty where nothing.
    pub lagged: &'static str,
    /// An empty batch of this damper.
    pub batch: fn() -> Box<dyn Dampers>,
    /// The damper's type: two of one name are still two.
    pub(crate) identity: fn() -> TypeId,
}

/// Describes a damper.
pub const fn info<D, const N: usize, const R: usize, const P: usize>() -> DamperInfo
where
    D: Damper<N, R, P>,
{
    DamperInfo {
        name: D::NAME,
        equation: D::EQUATION,
        doc: D::DOC,
        corners: N,
        params: &D::PARAMS,
        lagged: D::LAGGED,
        batch: || Box::new(DamperBatch::<D, N, R, P>::new()),
        identity: TypeId::of::<D>,
    }
}

/// Every damper. A new one is one file and one line here.
pub const DAMPERS: &[DamperInfo] = &[
    info::<Drag, 1, 0, 1>(),
    info::<Dashpot, 2, 0, 1>(),
    info::<StrainDashpot, 2, 1, 1>(),
    info::<Wind, 3, 1, 2>(),
    info::<QuadraticWind, 3, 1, 3>(),
];

/// The damper of a name.
pub fn find(name: &str) -> Option<&'static DamperInfo> {
    DAMPERS.iter().find(|damper| damper.name == name)
}
