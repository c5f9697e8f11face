//! Soft shadows and ambient occlusion by rays, for figures: part of the sun's disk and of the whole
//! sky that a point sees.
//!
//! Directions come from the R2 sequence (Roberts 2018, *The Unreasonable Effectiveness of
//! Quasirandom Sequences*), shifted per pixel by a hash: the noise is fine, and the same in every
//! frame and for any number of threads.

use crate::{
    bvh::Bvh,
    camera::View,
    scene::Scene,
    settings::Mood,
    shade::{Light, Probe, open_sky},
    shadow::SUN_RADIUS,
    shape::Ray,
};
use glam::{Vec2, Vec3};
use std::f32::consts::TAU;

/// Rays per pixel toward the sun.
const SUN_RAYS: f32 = 32.0;
/// Rays per pixel toward the sky.
const SKY_RAYS: f32 = 96.0;
/// What an obstacle sends back, relative to the open sky: light that has bounced once or more.
pub(crate) const OBSTACLE: f32 = 0.22;

pub(crate) struct Rays<'a> {
    scene: &'a Scene,
    mood: Mood,
    bvh: Bvh,
    /// Distance from a surface at which its rays start, meters.
    gap: f32,
}

impl<'a> Rays<'a> {
    pub fn new(scene: &'a Scene, view: &View, mood: &Mood) -> Self {
        let boxes: Vec<_> = (0..scene.len() as u32).map(|n| scene.shape(n).bounds()).collect();
        Self { scene, mood: *mood, bvh: Bvh::new(&boxes), gap: 1.5e-4 * view.focus }
    }

    fn blocked(&self, ray: &Ray) -> bool {
        self.bvh.any(ray, |number| self.scene.shape(number).hit(ray).is_some())
    }

    fn start(&self, probe: &Probe) -> Vec3 {
        let rounding = 4.0 * f32::EPSILON * probe.point.abs().max_element();
        probe.point + (self.gap + rounding) * probe.normal
    }
}

impl Light for Rays<'_> {
    fn sun(&self, probe: &Probe) -> f32 {
        let origin = self.start(probe);
        let across = self.mood.sun.any_orthonormal_vector();
        let along = self.mood.sun.cross(across);
        let count = (SUN_RAYS * probe.share).ceil();
        let open = spread(probe.pixel, 1, count as u32).filter(|sample| {
            let at = SUN_RADIUS * sample.x.sqrt() * Vec2::from_angle(TAU * sample.y);
            let direction = self.mood.sun + at.x * across + at.y * along;
            !self.blocked(&Ray { origin, direction })
        });
        open.count() as f32 / count
    }

    fn sky(&self, probe: &Probe) -> Vec3 {
        let origin = self.start(probe);
        let count = (SKY_RAYS * probe.share).ceil();
        let behind = OBSTACLE * open_sky(&self.mood, probe.normal);
        let sum: Vec3 = spread(probe.pixel, 2, count as u32)
            .map(|sample| {
                // A unit sphere on top of the point: its points lie in cosine-weighted directions.
                let height = 1.0 - 2.0 * sample.x;
                let ring =
                    (1.0 - height * height).max(0.0).sqrt() * Vec2::from_angle(TAU * sample.y);
                let direction = probe.normal + Vec3::new(ring.x, height, ring.y);
                if self.blocked(&Ray { origin, direction }) {
                    behind
                } else if direction.y > 0.0 {
                    self.mood.sky
                } else {
                    self.mood.bounce
                }
            })
            .sum();
        sum / count
    }
}

/// `count` evenly spread points in the unit square.
fn spread(pixel: [u32; 2], stream: u32, count: u32) -> impl Iterator<Item = Vec2> {
    const STEP: [u32; 2] = [3_242_174_889, 2_447_445_414];
    let seed = hash(pixel[0] ^ hash(pixel[1] ^ hash(stream)));
    let shift = [seed, hash(seed)];
    (0..count).map(move |i| {
        let unit = |axis: usize| {
            let fixed = shift[axis].wrapping_add(i.wrapping_mul(STEP[axis]));
            (fixed >> 8) as f32 / (1 << 24) as f32
        };
        Vec2::new(unit(0), unit(1))
    })
}

/// A good mix of the bits of a 32-bit number (Wellons 2018, *Prospecting for Hash Functions*).
fn hash(x: u32) -> u32 {
    let x = (x ^ x >> 16).wrapping_mul(0x7feb_352d);
    let x = (x ^ x >> 15).wrapping_mul(0x846c_a68b);
    x ^ x >> 16
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Ball, Camera, Picture, Settings, shade::Finish};

    fn probe_under_ball(height: f32, radius: f32) -> (Vec3, Vec3) {
        let picture = Picture {
            balls: vec![Ball { center: [0.0, height, 0.0], radius, color: [0.5; 3] }],
            ..Picture::default()
        };
        let settings = Settings::default();
        let camera = Camera { eye: [0.0, 1.0, 5.0], target: [0.0; 3], fov_y: 40.0 };
        let view = camera.view(&settings).expect("a view");
        let scene = Scene::new(&picture, &view).expect("a scene");
        let mood = settings.mood();
        let rays = Rays::new(&scene, &view, &mood);
        let mut mean = Vec3::ZERO;
        for i in 0..64 {
            let probe = Probe {
                point: Vec3::ZERO,
                normal: Vec3::Y,
                finish: Finish::Floor,
                pixel: [i, 7],
                share: 1.0,
            };
            mean += rays.sky(&probe) / 64.0;
        }
        (mean, mood.sky)
    }

    #[test]
    fn a_ball_overhead_hides_its_share_of_the_sky() {
        // The cosine-weighted part of the sky behind a ball straight above is (radius / height)².
        for (height, radius) in [(2.0, 1.0), (3.0, 0.9)] {
            let (found, sky) = probe_under_ball(height, radius);
            let hidden = (radius / height) * (radius / height);
            let expected = sky * (1.0 - hidden * (1.0 - OBSTACLE));
            assert!((found - expected).abs().max_element() < 0.01 * sky.x, "{found} {expected}");
        }
    }
}
