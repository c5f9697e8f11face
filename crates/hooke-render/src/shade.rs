//! Light on a surface: a sun and a sky over matte floor, woven cloth and satin solids.

use crate::settings::Mood;
use glam::Vec3;
use std::f32::consts::PI;

/// A point that is seen, as the light needs to know it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Surface {
    /// Smooth unit normal on the side of the viewer.
    pub normal: Vec3,
    /// The point, as light arrives there on the viewer's side and on the other side.
    pub outside: [Vec3; 2],
    /// Reflectance, linear.
    pub albedo: Vec3,
    pub finish: Finish,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Finish {
    Floor,
    Cloth,
    Solid,
}

/// A question about the light at a point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Probe {
    pub point: Vec3,
    /// Unit normal on the side asked about.
    pub normal: Vec3,
    /// What kind of surface asks.
    pub finish: Finish,
    /// Which pixel asks: the seed of anything that looks random.
    pub pixel: [u32; 2],
    /// Which part of the pixel asks, above 0 and at most 1: how much care the answer deserves.
    pub share: f32,
}

/// What stands between a point and the light.
pub(crate) trait Light: Sync {
    /// Which part of the sun is seen, `0..=1`.
    fn sun(&self, probe: &Probe) -> f32;
    /// What sky and surroundings add to a white surface.
    fn sky(&self, probe: &Probe) -> Vec3;
}

/// The even sky without anything in the way, on a white surface with unit `normal`: exactly the
/// cosine-weighted mean of a sky above and a bounce below.
pub(crate) fn open_sky(mood: &Mood, normal: Vec3) -> Vec3 {
    mood.bounce.lerp(mood.sky, 0.5 + 0.5 * normal.y)
}

/// Light sent to the eye, where `to_eye` is a unit vector.
pub(crate) fn shade(
    surface: &Surface,
    to_eye: Vec3,
    mood: &Mood,
    light: &impl Light,
    pixel: [u32; 2],
    share: f32,
) -> Vec3 {
    /// Part of the light that a cloth lets through.
    const THROUGH: f32 = 0.16;
    let Surface { normal, albedo, finish, .. } = *surface;
    let n_sun = normal.dot(mood.sun);
    let n_eye = normal.dot(to_eye).clamp(1e-3, 1.0);
    let half = (mood.sun + to_eye).normalize_or(normal);

    let behind = n_sun < 0.0;
    let reach = match finish {
        Finish::Cloth if behind => -THROUGH * n_sun,
        _ => n_sun.max(0.0),
    };
    let probe = Probe { point: surface.outside[0], normal, finish, pixel, share };
    let around = light.sky(&probe);
    let sunlight = if reach > 0.0 {
        let normal = if behind { -normal } else { normal };
        let point = surface.outside[usize::from(behind)];
        mood.sunlight * light.sun(&Probe { point, normal, ..probe })
    } else {
        Vec3::ZERO
    };
    let matte = albedo * (sunlight * reach + around);

    let n_half = normal.dot(half).clamp(0.0, 1.0);
    let lit = if behind { 0.0 } else { reach };
    let gloss = match finish {
        Finish::Floor => Vec3::ZERO,
        Finish::Cloth => {
            let tint = Vec3::splat(0.35).lerp(albedo.max(Vec3::splat(0.05)), 0.65);
            let rim = 0.45 * (1.0 - n_eye).powi(4);
            tint * (0.34 * sheen(n_half, lit, n_eye) * lit * sunlight + rim * around)
        }
        Finish::Solid => {
            let fresnel = |cosine: f32| 0.04 + 0.96 * (1.0 - cosine).max(0.0).powi(5);
            let shine = highlight(n_half, lit, n_eye) * fresnel(half.dot(to_eye).max(0.0));
            sunlight * (shine * lit) + around * (0.55 * fresnel(n_eye))
        }
    };
    matte + gloss
}

/// Fuzz of woven fibers: the distribution of Estevez & Kulla 2017 (*Production Friendly
/// Microfacet Sheen BRDF*) with the visibility of Neubelt & Pettineo 2013, times π.
fn sheen(n_half: f32, n_sun: f32, n_eye: f32) -> f32 {
    const INVERSE_ROUGHNESS: f32 = 2.0;
    let sine2 = 1.0 - n_half * n_half;
    let spread = (2.0 + INVERSE_ROUGHNESS) * sine2.powf(0.5 * INVERSE_ROUGHNESS) * 0.5;
    spread / (4.0 * (n_sun + n_eye - n_sun * n_eye).max(1e-3))
}

/// Satin highlight: the distribution of Walter et al. 2007 (GGX) with an approximate visibility
/// (Karis 2013), times π.
fn highlight(n_half: f32, n_sun: f32, n_eye: f32) -> f32 {
    const ALPHA: f32 = 0.16;
    let alpha2 = ALPHA * ALPHA;
    let spread = n_half * n_half * (alpha2 - 1.0) + 1.0;
    let distribution = alpha2 / (PI * spread * spread);
    let masked = |cosine: f32| cosine * (1.0 - 0.5 * ALPHA) + 0.5 * ALPHA;
    PI * distribution / (4.0 * masked(n_sun) * masked(n_eye))
}
