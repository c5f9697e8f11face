//! The floor: an endless checkerboard, filtered exactly and faded into the background, so that it
//! neither flickers nor shows moiré at the horizon.

use crate::{
    camera::View,
    settings::Mood,
    shade::{Finish, Surface},
    shape::Ray,
};
use glam::{Vec2, Vec3};

pub(crate) struct Ground {
    height: f32,
    /// Side of a tile, meters.
    tile: f32,
    /// Middle of what is seen clearly.
    middle: Vec2,
    /// Distances from the middle where the fade begins and ends, meters.
    fade: [f32; 2],
    /// How far below its height the floor is when compared with what lies on it, meters.
    sunk: f32,
}

impl Ground {
    /// `None` when the eye is not above the floor: from below it is invisible.
    pub fn new(height: f32, view: &View) -> Option<Self> {
        let above = view.eye.y - height;
        (above > 0.0).then(|| Self {
            height,
            tile: round_length(view.focus / 9.0),
            middle: Vec2::new(view.target.x, view.target.z),
            fade: [0.55 * view.focus, 3.6 * view.focus],
            sunk: (4e-4 * view.focus).min(0.5 * above),
        })
    }

    /// Depth at which a ray from the eye meets the floor, a little below what lies on it.
    pub fn depth(&self, ray: &Ray) -> Option<f32> {
        let t = (self.height - self.sunk - ray.origin.y) / ray.direction.y;
        (ray.direction.y < 0.0 && t.is_finite()).then_some(t)
    }

    /// The floor as seen through pixel coordinates `x`, `y`, and how visible it is, `0..=1`.
    pub fn surface(&self, view: &View, mood: &Mood, x: f32, y: f32) -> Option<(Surface, f32)> {
        let on_floor = |x: f32, y: f32| {
            let direction = view.ray(x, y);
            let t = (self.height - view.eye.y) / direction.y;
            (direction.y < 0.0 && t.is_finite()).then(|| view.eye + t * direction)
        };
        let point = on_floor(x, y)?;
        let at = Vec2::new(point.x, point.z);
        let [begin, end] = self.fade;
        let far = ((at - self.middle).length() - begin) / (end - begin);
        let near = 1.0 - far.clamp(0.0, 1.0);
        let visible = near * near * (3.0 - 2.0 * near);
        if visible <= 0.0 {
            return None;
        }
        // The box around what one pixel covers; next to the horizon it has no end.
        let step = |dx: f32, dy: f32| {
            on_floor(x + dx, y + dy)
                .map_or(Vec2::splat(f32::MAX), |p| (Vec2::new(p.x, p.z) - at).abs())
        };
        let footprint = step(1.0, 0.0) + step(0.0, 1.0);
        let dark = checker(at / self.tile, footprint / self.tile);
        let albedo = mood.tiles[0].lerp(mood.tiles[1], dark);
        let surface =
            Surface { normal: Vec3::Y, outside: [point; 2], albedo, finish: Finish::Floor };
        Some((surface, visible))
    }
}

/// Part of dark tiles in the box of size `width` around `at`, where a tile has side one. With the
/// square wave s = ±1 per axis, a tile is dark where s(x)·s(z) < 0, and the mean of a product over
/// a box is the product of the means.
fn checker(at: Vec2, width: Vec2) -> f32 {
    let mean = |x: f32, w: f32| {
        if w > 64.0 {
            return 0.0;
        }
        let (x, w) = (x.rem_euclid(2.0), w.max(1e-3));
        (wave_integral(x + 0.5 * w) - wave_integral(x - 0.5 * w)) / w
    };
    0.5 - 0.5 * mean(at.x, width.x) * mean(at.y, width.y)
}

/// Integral of the square wave that is +1 on [0, 1) and −1 on [1, 2): a triangle wave.
fn wave_integral(x: f32) -> f32 {
    1.0 - (x.rem_euclid(2.0) - 1.0).abs()
}

/// The nearest of 1, 2 and 5 times a power of ten, in ratio.
fn round_length(x: f32) -> f32 {
    let decade = 10f32.powf(x.max(f32::MIN_POSITIVE).log10().floor());
    let ratio = x / decade;
    let digit = if ratio < 1.414 {
        1.0
    } else if ratio < 3.162 {
        2.0
    } else if ratio < 7.071 {
        5.0
    } else {
        10.0
    };
    digit * decade
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filtered_checker_is_the_mean_of_the_checker() {
        let sharp = |x: f32, z: f32| ((x.floor() + z.floor()).rem_euclid(2.0) > 0.5) as u32 as f32;
        for (at, width) in [([0.3, 0.8], [0.9, 0.4]), ([-1.1, 5.0], [1.7, 3.1])] {
            let n = 400;
            let mut sum = 0.0;
            for i in 0..n * n {
                let part = |k: usize, axis: usize| {
                    at[axis] + width[axis] * ((k as f32 + 0.5) / n as f32 - 0.5)
                };
                sum += sharp(part(i % n, 0), part(i / n, 1));
            }
            let mean = sum / (n * n) as f32;
            assert!((checker(at.into(), width.into()) - mean).abs() < 5e-3);
        }
        assert!(checker(Vec2::new(0.5, 0.5), Vec2::ZERO).abs() < 1e-3);
        assert!((checker(Vec2::new(1.5, 0.5), Vec2::ZERO) - 1.0).abs() < 1e-3);
        assert_eq!(checker(Vec2::new(0.2, 0.1), Vec2::splat(f32::MAX)), 0.5);
    }

    #[test]
    fn tiles_have_round_sides() {
        let rounded = [0.13, 0.9, 1.6, 4.0, 80.0].map(round_length);
        for (found, expected) in rounded.into_iter().zip([0.1, 1.0, 2.0, 5.0, 100.0]) {
            assert!((found / expected - 1.0).abs() < 1e-5, "{found} is not {expected}");
        }
    }
}
