//! Sky light on the floor under and around things, for quick pictures: without it they float.
//!
//! A map from below gives what covers the floor and how high it hangs, gathered into coarse cells.
//! A cell of area `a²` at height `h` and horizontal distance `d` hides `h²a² / (π(h² + d²)²)` of the
//! cosine-weighted sky from a point on the floor: the form factor between parallel surfaces. The
//! sum is smooth, so a coarse grid of points is enough.

use crate::{camera::View, scene::Scene, shadow::DepthMap};
use glam::{Vec2, Vec3};
use rayon::prelude::*;

/// Cells along the longer side of what stands on the floor, and texels of the map per cell.
const CELLS: u32 = 32;
const TEXELS: u32 = 4;
/// Cells around that which are still darkened.
const MARGIN: u32 = 16;

pub(crate) struct FloorShade {
    map: DepthMap,
    /// Side of a cell, meters.
    cell: f32,
    /// Places along rows and columns.
    size: [u32; 2],
    /// Part of the sky that each point does not see.
    hidden: Vec<f32>,
}

impl FloorShade {
    pub fn new(scene: &Scene, view: &View) -> Option<Self> {
        let floor = scene.ground?;
        let map = DepthMap::new(scene, view, Vec3::NEG_Y, 0.0, (CELLS * TEXELS) as f32);
        let cell = map.texel * TEXELS as f32;
        let covers = covers(&map, floor);
        let size = map.size.map(|n| n.div_ceil(TEXELS) + 2 * MARGIN);
        let hidden = (0..size[0] * size[1])
            .into_par_iter()
            .map(|i| {
                let at = [i % size[0], i / size[0]].map(|n| n as f32 - MARGIN as f32);
                hidden(map.corner + cell * Vec2::from(at), &covers).min(1.0)
            })
            .collect();
        (!covers.is_empty()).then_some(Self { map, cell, size, hidden })
    }

    /// Part of the sky, weighted by the cosine, that is hidden from a point on the floor.
    pub fn at(&self, point: Vec3) -> f32 {
        let at = (self.map.local(point).truncate() - self.map.corner) / self.cell + MARGIN as f32;
        let last = Vec2::from(self.size.map(|n| (n - 1) as f32));
        if !(at.cmpge(Vec2::ZERO).all() && at.cmplt(last).all()) {
            return 0.0;
        }
        let from_border = at.min(last - at).min_element() / MARGIN as f32;
        let fade = from_border.min(1.0);
        let (x, y) = (at.x as usize, at.y as usize);
        let part = at.fract();
        let row = |y: usize| {
            let first = y * self.size[0] as usize + x;
            self.hidden[first] + part.x * (self.hidden[first + 1] - self.hidden[first])
        };
        (row(y) + part.y * (row(y + 1) - row(y))) * fade * fade * (3.0 - 2.0 * fade)
    }
}

/// Part of a cell that is covered: its center, squared height and area over π.
struct Cover {
    at: Vec2,
    height2: f32,
    area: f32,
}

fn covers(map: &DepthMap, floor: f32) -> Vec<Cover> {
    let [columns, rows] = map.size.map(|n| n.div_ceil(TEXELS));
    let cell = map.texel * TEXELS as f32;
    let mut covers = Vec::new();
    for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))) {
        let (mut count, mut sum) = (0.0, 0.0);
        for i in 0..TEXELS * TEXELS {
            let [x, y] = [column * TEXELS + i % TEXELS, row * TEXELS + i / TEXELS];
            let above = -map.height(x as i32, y as i32) - floor;
            if above.is_finite() && above > -map.texel {
                count += 1.0;
                sum += above.max(0.25 * cell);
            }
        }
        if count > 0.0 {
            let height: f32 = sum / count;
            covers.push(Cover {
                at: map.corner + cell * (Vec2::new(column as f32, row as f32) + 0.5),
                height2: height * height,
                area: count * map.texel * map.texel / std::f32::consts::PI,
            });
        }
    }
    covers
}

fn hidden(at: Vec2, covers: &[Cover]) -> f32 {
    let mut sum = 0.0;
    for cover in covers {
        let distance2 = cover.height2 + cover.at.distance_squared(at);
        sum += cover.height2 * cover.area / (distance2 * distance2);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Ball, Camera, Picture, Settings};

    #[test]
    fn a_high_ball_hides_its_share_of_the_sky() {
        let (height, radius) = (2.0, 0.3);
        let picture = Picture {
            balls: vec![Ball { center: [0.0, height, 0.0], radius, color: [0.5; 3] }],
            ground: Some(0.0),
            ..Picture::default()
        };
        let camera = Camera { eye: [0.0, 2.0, 6.0], target: [0.0, 1.0, 0.0], fov_y: 40.0 };
        let view = camera.view(&Settings::default()).expect("a view");
        let scene = Scene::new(&picture, &view).expect("a scene");
        let shade = FloorShade::new(&scene, &view).expect("something above a floor");
        // The ball's lower half hangs a little below its center, hence the tolerance.
        let expected = (radius / height) * (radius / height);
        let found = shade.at(Vec3::ZERO);
        assert!((found / expected - 1.0).abs() < 0.3, "{found} is not {expected}");
        assert_eq!(shade.at(Vec3::new(50.0, 0.0, 0.0)), 0.0);
    }
}
