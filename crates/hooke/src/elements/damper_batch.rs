//! All dampers of one kind, and how they are frozen at one moment.

use super::damper::{Damper, DamperInfo, RateDamper, info, rate_info};
use super::frozen::Frozen;
use super::law::{Param, Proxy};
use super::material_groups::check_material;
use crate::error::{ModelError, invalid_element};
use crate::math::Vec3;
use crate::thread_pool::ThreadPool;
use std::marker::PhantomData;

/// The dampers of one kind.
pub trait Dampers: Send + Sync {
    /// Their kind.
    fn kind(&self) -> DamperInfo;
    /// How many; an element of several conditions counts once for each.
    fn len(&self) -> usize;
    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The particles of a damper.
    fn corners(&self, damper: usize) -> &[u32];
    /// Adds a damper.
    fn push(
        &mut self,
        corners: &[u32],
        rest: Option<&[f64]>,
        material: &[f64],
        positions: &[Vec3],
    ) -> Result<(), ModelError>;
    /// Whether [`Dampers::bounds`] holds in every configuration.
    fn bounded(&self) -> bool;
    /// Calls `each(corners, weights, bound)` so that the sum of `½ bound |Σ w v|²` is above D at relative
    /// speeds up to `air` (m/s).
    fn bounds(&self, air: f64, each: &mut dyn FnMut(&[u32], &[f64], f64));
    /// Takes each damper at positions `x`, velocities `v`, in the wind `air(position)`.
    fn freeze(
        &self,
        x: &[Vec3],
        v: &[Vec3],
        air: &(dyn Fn(Vec3) -> Vec3 + Sync),
        out: &mut [Frozen],
        pool: &ThreadPool,
    );
}

/// The dampers of kind `D`.
pub struct DamperBatch<D, const N: usize, const R: usize, const P: usize> {
    list: DamperList<N, R, P>,
    kind: PhantomData<D>,
}

impl<D: Damper<N, R, P>, const N: usize, const R: usize, const P: usize> DamperBatch<D, N, R, P> {
    /// An empty batch.
    pub fn new() -> Self {
        Self { list: DamperList::new(), kind: PhantomData }
    }
}

impl<D: Damper<N, R, P>, const N: usize, const R: usize, const P: usize> Default
    for DamperBatch<D, N, R, P>
{
    fn default() -> Self {
        Self::new()
    }
}

impl<D: Damper<N, R, P>, const N: usize, const R: usize, const P: usize> Dampers
    for DamperBatch<D, N, R, P>
{
    fn kind(&self) -> DamperInfo {
        info::<D, N, R, P>()
    }

    fn len(&self) -> usize {
        self.list.len()
    }

    fn corners(&self, damper: usize) -> &[u32] {
        &self.list[damper].0
    }

    fn push(
        &mut self,
        corners: &[u32],
        rest: Option<&[f64]>,
        material: &[f64],
        positions: &[Vec3],
    ) -> Result<(), ModelError> {
        let values = (corners, rest, material);
        self.list.push(checked(D::NAME, &D::PARAMS, values, positions, D::rest, D::check)?);
        Ok(())
    }

    fn bounded(&self) -> bool {
        D::BOUND == Proxy::Bound
    }

    fn bounds(&self, air: f64, each: &mut dyn FnMut(&[u32], &[f64], f64)) {
        for &(corners, rest, material) in &self.list {
            each(&corners, &D::WEIGHTS, D::bound(rest, material, air));
        }
    }

    fn freeze(
        &self,
        x: &[Vec3],
        v: &[Vec3],
        air: &(dyn Fn(Vec3) -> Vec3 + Sync),
        out: &mut [Frozen],
        pool: &ThreadPool,
    ) {
        pool.for_each(out, |first, chunk| {
            for (k, frozen) in chunk.iter_mut().enumerate() {
                let (corners, rest, material) = self.list[first + k];
                let at = corners.map(|corner| x[corner as usize]);
                let velocities = corners.map(|corner| v[corner as usize]);
                let mut center = Vec3::ZERO;
                for corner in at {
                    center += corner * (1.0 / N as f64);
                }
                let (matrix, drift) = D::freeze(at, velocities, rest, material, air(center));
                *frozen = Frozen::sum(corners, D::WEIGHTS, matrix, drift);
            }
        });
    }
}

/// The dampers of rates of kind `D`: K for every element.
pub struct RateBatch<D, const N: usize, const R: usize, const P: usize, const K: usize> {
    list: DamperList<N, R, P>,
    kind: PhantomData<D>,
}

impl<D, const N: usize, const R: usize, const P: usize, const K: usize> RateBatch<D, N, R, P, K> {
    /// An empty batch.
    pub fn new() -> Self {
        Self { list: DamperList::new(), kind: PhantomData }
    }
}

impl<D, const N: usize, const R: usize, const P: usize, const K: usize> Default
    for RateBatch<D, N, R, P, K>
{
    fn default() -> Self {
        Self::new()
    }
}

impl<D, const N: usize, const R: usize, const P: usize, const K: usize> Dampers
    for RateBatch<D, N, R, P, K>
where
    D: RateDamper<N, R, P, K>,
{
    fn kind(&self) -> DamperInfo {
        rate_info::<D, N, R, P, K>()
    }

    fn len(&self) -> usize {
        K * self.list.len()
    }

    fn corners(&self, damper: usize) -> &[u32] {
        &self.list[damper / K].0
    }

    fn push(
        &mut self,
        corners: &[u32],
        rest: Option<&[f64]>,
        material: &[f64],
        positions: &[Vec3],
    ) -> Result<(), ModelError> {
        let values = (corners, rest, material);
        self.list.push(checked(D::NAME, &D::PARAMS, values, positions, D::rest, D::check)?);
        Ok(())
    }

    fn bounded(&self) -> bool {
        D::BOUND == Proxy::Bound
    }

    fn bounds(&self, _: f64, each: &mut dyn FnMut(&[u32], &[f64], f64)) {
        for &(corners, rest, material) in &self.list {
            D::bounds(rest, material, &mut |weights, bound| each(&corners, &weights, bound));
        }
    }

    fn freeze(
        &self,
        x: &[Vec3],
        _: &[Vec3],
        _: &(dyn Fn(Vec3) -> Vec3 + Sync),
        out: &mut [Frozen],
        pool: &ThreadPool,
    ) {
        let (elements, _) = out.as_chunks_mut::<K>();
        pool.for_each(elements, |first, chunk| {
            for (k, element) in chunk.iter_mut().enumerate() {
                let (corners, rest, material) = self.list[first + k];
                let (c, slopes) = D::freeze(corners.map(|i| x[i as usize]), rest, material);
                *element = slopes.map(|slopes| Frozen::rate(corners, slopes, c));
            }
        });
    }
}

/// The corners, rest and material values of every damper of one kind.
type DamperList<const N: usize, const R: usize, const P: usize> = Vec<DamperValues<N, R, P>>;
type DamperValues<const N: usize, const R: usize, const P: usize> = ([u32; N], [f64; R], [f64; P]);

/// Corners, rest and material values of a damper, or what is wrong with them.
fn checked<const N: usize, const R: usize, const P: usize>(
    name: &str,
    params: &[Param; P],
    (corners, rest, material): (&[u32], Option<&[f64]>, &[f64]),
    positions: &[Vec3],
    of: fn([Vec3; N]) -> Option<[f64; R]>,
    check: fn(&[f64; R]) -> Result<(), &'static str>,
) -> Result<DamperValues<N, R, P>, ModelError> {
    let (Ok(corners), Ok(material)) =
        (<[u32; N]>::try_from(corners), <[f64; P]>::try_from(material))
    else {
        return invalid_element(format!("a {name} has {N} corners and {P} material values"));
    };
    check_material(name, params, &material)?;
    for (a, corner) in corners.iter().enumerate() {
        if corners[..a].contains(corner) {
            return invalid_element(format!("a {name} joins particle {corner} to itself"));
        }
    }
    let rest = match rest {
        Some(rest) => match <[f64; R]>::try_from(rest) {
            Ok(rest) if rest.iter().all(|value| value.is_finite()) => rest,
            _ => return invalid_element(format!("a {name} has {R} rest values, all finite")),
        },
        None => match of(corners.map(|corner| positions[corner as usize])) {
            Some(rest) => rest,
            None => {
                return invalid_element(format!(
                    "the {name} between particles {corners:?} is degenerate at rest"
                ));
            }
        },
    };
    match check(&rest) {
        Ok(()) => Ok((corners, rest, material)),
        Err(sentence) => invalid_element(format!("{name}: {sentence}")),
    }
}
