//! What an energy loss is to a batch: [`Damper`] acts on a weighted sum of velocities, [`RateDamper`] on the rates of
//! conditions.

use super::law::{Param, Proxy};
use super::{DamperBatch, Dampers, RateBatch};
use crate::math::{Mat3, Vec3};
use std::any::TypeId;

/// What a damper is to a body that is made of a material.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Role {
    /// It damps the strain of a surface along warp and weft, with this part of the surface's damping.
    Membrane {
        /// The part.
        part: f64,
    },
    /// It damps the bending of a surface, at every hinge.
    Bending,
}

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
    fn rest(x: [Vec3; N]) -> Option<[f64; R]>;

    /// Whether rest values given by hand make sense: one sentence where they do not.
    fn check(_rest: &[f64; R]) -> Result<(), &'static str> {
        Ok(())
    }

    /// The matrix C (N·s/m) and the drift u (m/s); `air` is the wind at the element.
    fn freeze(
        x: [Vec3; N],
        v: [Vec3; N],
        rest: [f64; R],
        material: [f64; P],
        air: Vec3,
    ) -> (Mat3, Vec3);

    /// A number above the eigenvalues of C, at relative speeds up to `air` (m/s).
    fn bound(rest: [f64; R], material: [f64; P], air: f64) -> f64;
}

/// How one kind of element loses energy as K conditions of it change: N corners, R rest values, P
/// material values.
pub trait RateDamper<const N: usize, const R: usize, const P: usize, const K: usize>:
    Send + Sync + 'static
{
    /// The name in scenes.
    const NAME: &'static str;
    /// The potential as a formula.
    const EQUATION: &'static str;
    /// One sentence on what it is.
    const DOC: &'static str;
    /// The material values.
    const PARAMS: [Param; P];
    /// Whether [`RateDamper::bounds`] holds in every configuration.
    const BOUND: Proxy;
    /// What an implicit method takes from the start of the step.
    const LAGGED: &'static str;
    /// What it is to a body made of a material, where it is that.
    const ROLE: Option<Role> = None;

    /// The rest values of an element whose corners rest at `x`; `None` where it is degenerate.
    fn rest(x: [Vec3; N]) -> Option<[f64; R]>;

    /// Whether rest values given by hand make sense: one sentence where they do not.
    fn check(_rest: &[f64; R]) -> Result<(), &'static str> {
        Ok(())
    }

    /// The coefficient c, and ∂C/∂x of every condition at each corner; c Ċ ∂C/∂x is a force (N).
    fn freeze(x: [Vec3; N], rest: [f64; R], material: [f64; P]) -> (f64, [[Vec3; N]; K]);

    /// Calls `each(w, c)` so that the sum of `½ c |Σ w_a v_a|²` is above D, or near it: see
    /// [`RateDamper::BOUND`].
    fn bounds(rest: [f64; R], material: [f64; P], each: &mut impl FnMut([f64; N], f64));
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
    /// What it is to a body made of a material, where it is that.
    pub role: Option<Role>,
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
        role: None,
        batch: || Box::new(DamperBatch::<D, N, R, P>::new()),
        identity: TypeId::of::<D>,
    }
}

/// Describes a damper of rates.
pub const fn rate_info<D, const N: usize, const R: usize, const P: usize, const K: usize>()
-> DamperInfo
where
    D: RateDamper<N, R, P, K>,
{
    DamperInfo {
        name: D::NAME,
        equation: D::EQUATION,
        doc: D::DOC,
        corners: N,
        params: &D::PARAMS,
        lagged: D::LAGGED,
        role: D::ROLE,
        batch: || Box::new(RateBatch::<D, N, R, P, K>::new()),
        identity: TypeId::of::<D>,
    }
}
