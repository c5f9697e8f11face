//! All dampers of one kind, and how they are frozen at one moment.

use super::{Invalid, invalid};
use crate::dampers::{Damper, DamperInfo, Frozen, info};
use crate::laws::Proxy;
use crate::math::Point;
use crate::team::Team;
use std::marker::PhantomData;

/// The dampers of one kind.
pub trait Dampers: Send + Sync {
    /// Their kind.
    fn kind(&self) -> DamperInfo;
    /// How many.
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
        positions: &[Point],
    ) -> Result<(), Invalid>;
    /// Whether [`Dampers::bounds`] holds in every configuration.
    fn bounded(&self) -> bool;
    /// Calls `each(corners, weights, bound)` with a number above the eigenvalues of C at relative
    /// speeds up to `air` (m/s).
    fn bounds(&self, air: f64, each: &mut dyn FnMut(&[u32], &[f64], f64));
    /// Writes C and u at positions `x`, velocities `v`, in the wind `air(place)`.
    fn freeze(
        &self,
        x: &[Point],
        v: &[Point],
        air: &(dyn Fn(Point) -> Point + Sync),
        out: &mut [Frozen],
        team: &Team,
    );
}

/// The dampers of kind `D`.
pub struct DamperBatch<D, const N: usize, const R: usize, const P: usize> {
    corners: Vec<[u32; N]>,
    rest: Vec<[f64; R]>,
    material: Vec<[f64; P]>,
    kind: PhantomData<D>,
}

impl<D: Damper<N, R, P>, const N: usize, const R: usize, const P: usize> DamperBatch<D, N, R, P> {
    /// An empty batch.
    pub fn new() -> Self {
        Self { corners: Vec::new(), rest: Vec::new(), material: Vec::new(), kind: PhantomData }
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
        self.corners.len()
    }

    fn corners(&self, damper: usize) -> &[u32] {
        &self.corners[damper]
    }

    fn push(
        &mut self,
        corners: &[u32],
        rest: Option<&[f64]>,
        material: &[f64],
        positions: &[Point],
    ) -> Result<(), Invalid> {
        let name = D::NAME;
        let (Ok(corners), Ok(material)) =
            (<[u32; N]>::try_from(corners), <[f64; P]>::try_from(material))
        else {
            return invalid(format!("a {name} has {N} corners and {P} material values"));
        };
        for (value, param) in material.iter().zip(&D::PARAMS) {
            let [low, high] = param.range;
            if !(low..=high).contains(value) {
                let (field, unit) = (param.name, param.unit);
                return invalid(format!(
                    "{field} of a {name} must be from {low:e} to {high:e} {unit} (got {value})"
                ));
            }
        }
        for (a, corner) in corners.iter().enumerate() {
            if corners[..a].contains(corner) {
                return invalid(format!("a {name} joins particle {corner} to itself"));
            }
        }
        let rest = match rest {
            Some(rest) => match <[f64; R]>::try_from(rest) {
                Ok(rest) if rest.iter().all(|value| value.is_finite()) => rest,
                _ => return invalid(format!("a {name} has {R} rest values, all finite")),
            },
            None => match D::rest(corners.map(|corner| positions[corner as usize])) {
                Some(rest) => rest,
                None => {
                    return invalid(format!(
                        "the {name} between particles {corners:?} is degenerate at rest"
                    ));
                }
            },
        };
        if let Err(sentence) = D::check(&rest) {
            return invalid(format!("{name}: {sentence}"));
        }
        self.corners.push(corners);
        self.rest.push(rest);
        self.material.push(material);
        Ok(())
    }

    fn bounded(&self) -> bool {
        D::BOUND == Proxy::Bound
    }

    fn bounds(&self, air: f64, each: &mut dyn FnMut(&[u32], &[f64], f64)) {
        for ((corners, rest), material) in self.corners.iter().zip(&self.rest).zip(&self.material) {
            each(corners, &D::WEIGHTS, D::bound(*rest, *material, air));
        }
    }

    fn freeze(
        &self,
        x: &[Point],
        v: &[Point],
        air: &(dyn Fn(Point) -> Point + Sync),
        out: &mut [Frozen],
        team: &Team,
    ) {
        team.for_each(out, |first, chunk| {
            for (k, frozen) in chunk.iter_mut().enumerate() {
                let corners = self.corners[first + k];
                let at = corners.map(|corner| x[corner as usize]);
                let velocities = corners.map(|corner| v[corner as usize]);
                let mut centre = Point::ZERO;
                for corner in at {
                    centre += corner * (1.0 / N as f64);
                }
                let (rest, material) = (self.rest[first + k], self.material[first + k]);
                let (matrix, drift) = D::freeze(at, velocities, rest, material, air(centre));
                *frozen = Frozen { corners: [corners[0]; 3], weights: [0.0; 3], matrix, drift };
                frozen.corners[..N].copy_from_slice(&corners);
                frozen.weights[..N].copy_from_slice(&D::WEIGHTS);
            }
        });
    }
}
