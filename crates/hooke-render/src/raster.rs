//! The picture itself: what each sample of a pixel sees, found with a depth buffer in bands of rows
//! that need nothing from each other, and the color of each pixel.
//!
//! Samples of a pixel that see the same primitive are lit once, in the middle between them: edges
//! get all samples, smooth surfaces cost one.

use crate::{
    Image,
    camera::View,
    color::{bytes, tone},
    ground::Ground,
    scan::{Patch, bands, pixels},
    scene::{Scene, Shape},
    settings::Mood,
    shade::{Light, Surface, shade},
    shape::Ray,
};
use glam::Vec3;
use rayon::prelude::*;
use std::ops::Range;

/// Rows of pixels that are drawn together.
const BAND: u32 = 8;

const FLOOR: u32 = u32::MAX - 1;
const NOTHING: u32 = u32::MAX;

/// A primitive, or a part of one, on the picture.
struct Item {
    number: u32,
    columns: Range<u32>,
    rows: Range<u32>,
    /// Its patch if it is a triangle; balls and tubes are asked ray by ray.
    patch: Option<Patch>,
}

pub(crate) fn draw<L: Light>(
    scene: &Scene,
    view: &View,
    mood: &Mood,
    samples: u32,
    light: &L,
) -> Image {
    let items: Vec<Item> = (0..scene.len() as u32)
        .into_par_iter()
        .flat_map_iter(|number| project(scene, view, number))
        .collect();
    let [width, height] = view.size;
    let bands = bands(items.iter().map(|item| item.rows.clone()), height, BAND);
    let painter = Painter {
        scene,
        view,
        mood,
        light,
        ground: scene.ground.and_then(|height| Ground::new(height, view)),
        offsets: sample_offsets(samples),
    };
    let mut image = Image::filled(width, height, [0; 3]);
    image
        .pixels
        .par_chunks_mut(4 * width as usize * BAND as usize)
        .zip(&bands)
        .enumerate()
        .for_each(|(band, (rows, numbers))| {
            painter.paint(band as u32 * BAND, rows, numbers.iter().map(|&i| &items[i as usize]));
        });
    image
}

/// Places of the samples in a pixel: one in each cell of a square grid, and no two in the same
/// column or row of the finer grid, which suits edges near the axes (Chiu, Shirley & Wang 1994,
/// *Multi-Jittered Sampling*).
fn sample_offsets(samples: u32) -> Vec<[f32; 2]> {
    let n = samples as f32;
    (0..samples * samples)
        .map(|k| {
            let (i, j) = ((k % samples) as f32, (k / samples) as f32);
            [(i + (j + 0.5) / n) / n, (j + (n - i - 0.5) / n) / n]
        })
        .collect()
}

/// The parts of a primitive on the picture: none, one, or two where the near plane cuts a triangle.
fn project(scene: &Scene, view: &View, number: u32) -> impl Iterator<Item = Item> {
    let parts = match scene.shape(number) {
        Shape::Triangle(corners) => {
            let (polygon, count) = clip(corners.map(|p| view.local(p)), view.near);
            [2, 3].map(|end| {
                let corners = [polygon[0], polygon[end - 1], polygon[end]];
                let patch = Patch::new(corners.map(|p| view.project(p)), view.size);
                patch.filter(|_| end < count).map(|patch| Item {
                    number,
                    columns: patch.columns.clone(),
                    rows: patch.rows.clone(),
                    patch: Some(patch),
                })
            })
        }
        Shape::Sphere(sphere) => {
            let slopes = outline(view, sphere.center, sphere.radius);
            [slopes.and_then(|slopes| round_item(view, number, slopes)), None]
        }
        Shape::Capsule(capsule) => {
            let ends = [capsule.a, capsule.b].map(|end| outline(view, end, capsule.radius));
            let slopes =
                match ends {
                    [Some(a), Some(b)] => Some([0, 1].map(|axis: usize| {
                        [a[axis][0].min(b[axis][0]), a[axis][1].max(b[axis][1])]
                    })),
                    [None, None] => None,
                    _ => Some([[f64::NEG_INFINITY, f64::INFINITY]; 2]),
                };
            [slopes.and_then(|slopes| round_item(view, number, slopes)), None]
        }
    };
    parts.into_iter().flatten()
}

/// The part of a triangle beyond the near plane: a polygon of `count` corners. A cut edge is always
/// followed from its inner end, so neighbors are cut at the same point.
fn clip(corners: [Vec3; 3], near: f32) -> ([Vec3; 4], usize) {
    let mut polygon = [Vec3::ZERO; 4];
    let mut count = 0;
    let mut push = |p: Vec3| {
        polygon[count] = p;
        count += 1;
    };
    for k in 0..3 {
        let [p, q] = [corners[k], corners[(k + 1) % 3]];
        let [p_in, q_in] = [p.z > near, q.z > near];
        if p_in {
            push(p);
        }
        if p_in != q_in {
            let [inner, outer] = if p_in { [p, q] } else { [q, p] };
            push(inner.lerp(outer, (inner.z - near) / (inner.z - outer.z)));
        }
    }
    (polygon, count)
}

/// Least and greatest slope of a ball against the depth axis, rightwards and downwards: its tangent
/// planes through the eye (Mara & McGuire 2013, *2D Polyhedral Bounds of a Clipped,
/// Perspective-Projected 3D Sphere*). `None` if it is behind the near plane.
fn outline(view: &View, center: Vec3, radius: f32) -> Option<[[f64; 2]; 2]> {
    const SIDEWAYS: f64 = std::f64::consts::FRAC_PI_2 - 1e-4;
    let local = view.local(center).as_dvec3();
    let radius = f64::from(radius);
    let slopes = [local.x, -local.y].map(|across| {
        let opening = radius / across.hypot(local.z);
        if opening >= 1.0 {
            return [f64::NEG_INFINITY, f64::INFINITY];
        }
        let (middle, half) = (across.atan2(local.z), opening.asin());
        let slope = |angle: f64| {
            if angle.abs() < SIDEWAYS { angle.tan() } else { angle.signum() * f64::INFINITY }
        };
        [slope(middle - half), slope(middle + half)]
    });
    (local.z + radius > f64::from(view.near)).then_some(slopes)
}

fn round_item(view: &View, number: u32, slopes: [[f64; 2]; 2]) -> Option<Item> {
    let [columns, rows] = [0, 1].map(|axis: usize| {
        let [low, high] = slopes[axis].map(|slope| view.pixel_at(axis, slope));
        pixels(low, high, view.size[axis])
    });
    let seen = !columns.is_empty() && !rows.is_empty();
    seen.then_some(Item { number, columns, rows, patch: None })
}

struct Painter<'a, L> {
    scene: &'a Scene,
    view: &'a View,
    mood: &'a Mood,
    light: &'a L,
    ground: Option<Ground>,
    /// Places of the samples in a pixel.
    offsets: Vec<[f32; 2]>,
}

/// What one sample sees.
#[derive(Clone, Copy)]
struct Visible {
    inverse_depth: f32,
    number: u32,
}

impl<L: Light> Painter<'_, L> {
    /// Paints the rows from `top` on that fit into `out`.
    fn paint<'i>(&self, top: u32, out: &mut [u8], items: impl Iterator<Item = &'i Item>) {
        let width = self.view.size[0] as usize;
        let rows = top..top + (out.len() / (4 * width)) as u32;
        let per_pixel = self.offsets.len();
        let nothing = Visible { inverse_depth: 0.0, number: NOTHING };
        let mut seen = vec![nothing; out.len() / 4 * per_pixel];
        for item in items {
            for y in item.rows.start.max(rows.start)..item.rows.end.min(rows.end) {
                for x in item.columns.clone() {
                    let first = ((y - top) as usize * width + x as usize) * per_pixel;
                    self.cover(item, x, y, &mut seen[first..first + per_pixel]);
                }
            }
        }
        for (i, (pixel, seen)) in
            out.chunks_exact_mut(4).zip(seen.chunks_exact_mut(per_pixel)).enumerate()
        {
            let (x, y) = ((i % width) as u32, top + (i / width) as u32);
            let [r, g, b] = bytes(self.pixel(x, y, seen));
            pixel.copy_from_slice(&[r, g, b, 255]);
        }
    }

    fn cover(&self, item: &Item, x: u32, y: u32, seen: &mut [Visible]) {
        for (seen, [dx, dy]) in seen.iter_mut().zip(&self.offsets) {
            let (x, y) = (x as f32 + dx, y as f32 + dy);
            let inverse_depth = match &item.patch {
                Some(patch) => patch.value(x.into(), y.into()).map(|value| value as f32),
                None => {
                    let t = self.scene.shape(item.number).hit(&self.ray(x, y));
                    t.filter(|&t| t > self.view.near).map(f32::recip)
                }
            };
            if let Some(inverse_depth) = inverse_depth
                && inverse_depth > seen.inverse_depth
            {
                *seen = Visible { inverse_depth, number: item.number };
            }
        }
    }

    /// Displayed linear color of a pixel.
    fn pixel(&self, x: u32, y: u32, seen: &mut [Visible]) -> Vec3 {
        if let Some(ground) = &self.ground {
            for (seen, [dx, dy]) in seen.iter_mut().zip(&self.offsets) {
                let depth = ground.depth(&self.ray(x as f32 + dx, y as f32 + dy));
                if depth.is_some_and(|depth| depth * seen.inverse_depth < 1.0) {
                    seen.number = FLOOR;
                }
            }
        }
        let mut color = Vec3::ZERO;
        for k in 0..seen.len() {
            let number = seen[k].number;
            if seen[..k].iter().any(|earlier| earlier.number == number) {
                continue;
            }
            let (mut count, mut middle) = (0.0, [0.0; 2]);
            for (_, [dx, dy]) in
                seen[k..].iter().zip(&self.offsets[k..]).filter(|(s, _)| s.number == number)
            {
                count += 1.0;
                middle = [middle[0] + dx, middle[1] + dy];
            }
            let [dx, dy] = middle.map(|sum| sum / count);
            let share = count / seen.len() as f32;
            color += share * self.part(number, [x, y], x as f32 + dx, y as f32 + dy, share);
        }
        color
    }

    /// Displayed linear color of what `number` shows at pixel coordinates `x`, `y`.
    fn part(&self, number: u32, pixel: [u32; 2], x: f32, y: f32, share: f32) -> Vec3 {
        let ray = self.ray(x, y);
        let along = ray.direction.normalize();
        let lit =
            |surface: &Surface| tone(shade(surface, -along, self.mood, self.light, pixel, share));
        let background = self.mood.background(along);
        match number {
            NOTHING => background,
            FLOOR => {
                let floor = self.ground.as_ref();
                let floor = floor.and_then(|floor| floor.surface(self.view, self.mood, x, y));
                floor.map_or(background, |(surface, visible)| {
                    background.lerp(lit(&surface), visible)
                })
            }
            _ => self.scene.surface(number, &ray).map_or(background, |surface| lit(&surface)),
        }
    }

    fn ray(&self, x: f32, y: f32) -> Ray {
        Ray { origin: self.view.eye, direction: self.view.ray(x, y) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_fill_every_fine_row_and_column_once() {
        for samples in 1..=8 {
            let offsets = sample_offsets(samples);
            let fine = (samples * samples) as f32;
            for axis in 0..2 {
                let mut cells: Vec<u32> = offsets.iter().map(|o| (o[axis] * fine) as u32).collect();
                cells.sort_unstable();
                assert!(cells.into_iter().eq(0..samples * samples));
            }
        }
    }

    #[test]
    fn the_near_plane_cuts_a_triangle_into_what_is_beyond() {
        let at = |z: [f32; 3]| [0.0, 1.0, 2.0].map(|x| Vec3::new(x, x * x, z[x as usize]));
        for (z, corners) in
            [([2.0; 3], 3), ([0.5; 3], 0), ([2.0, 0.5, 0.5], 3), ([2.0, 2.0, 0.5], 4)]
        {
            let (polygon, count) = clip(at(z), 1.0);
            assert_eq!(count, corners);
            assert!(polygon[..count].iter().all(|p| p.z >= 0.999));
        }
    }
}
