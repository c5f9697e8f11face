//! Soft shadows from a depth map seen from the sun: quick, and steady from frame to frame.
//!
//! The map holds for each texel how far the nearest obstacle reaches toward the light. The mean
//! distance of the obstacles around a point gives the width of the penumbra there (Fernando 2005,
//! *Percentage-Closer Soft Shadows*), and the comparisons follow the receiver's own plane (Isidoro
//! 2006, *Shadow Mapping: GPU-based Tips and Techniques*), so a surface does not shadow itself.

use crate::{
    camera::View,
    occlusion::FloorShade,
    scan::{Patch, bands, pixels},
    scene::{Scene, Shape},
    settings::Mood,
    shade::{Finish, Light, Probe, open_sky},
    shape::{Capsule, Ray, Sphere},
    trace::OBSTACLE,
};
use glam::{DVec3, Vec2, Vec3};
use rayon::prelude::*;

/// Tangent of half the angle under which the sun appears: softer than the real one.
pub(crate) const SUN_RADIUS: f32 = 0.036;

/// Rows of texels that are drawn together.
const BAND: u32 = 64;
/// Comparisons per question.
const TAPS: usize = 40;
/// Radii of the disk of comparisons, texels.
const NARROWEST: f32 = 1.3;
const WIDEST: f32 = 16.0;

/// Quick light: a shadow map for the sun, and an even sky that only the floor sees obstacles in.
pub(crate) struct Shadows {
    mood: Mood,
    sun: DepthMap,
    floor: Option<FloorShade>,
}

impl Shadows {
    pub fn new(scene: &Scene, view: &View, mood: &Mood) -> Self {
        let texels = (1.3 * view.size[0].max(view.size[1]) as f32).clamp(512.0, 2048.0);
        Self {
            mood: *mood,
            sun: DepthMap::new(scene, view, mood.sun, SUN_RADIUS, texels),
            floor: FloorShade::new(scene, view),
        }
    }
}

impl Light for Shadows {
    fn sun(&self, probe: &Probe) -> f32 {
        self.sun.open(probe)
    }

    fn sky(&self, probe: &Probe) -> Vec3 {
        let floor = self.floor.as_ref().filter(|_| probe.finish == Finish::Floor);
        let hidden = floor.map_or(0.0, |floor| floor.at(probe.point));
        (1.0 - (1.0 - OBSTACLE) * hidden) * open_sky(&self.mood, probe.normal)
    }
}

/// What a round lamp, far away, sees of the scene.
pub(crate) struct DepthMap {
    /// Unit vectors along rows, along columns and toward the lamp.
    axes: [Vec3; 3],
    /// Tangent of half the angle under which the lamp appears.
    radius: f32,
    /// Light-space point of the first texel's outer corner, meters.
    pub corner: Vec2,
    /// Side of a texel, meters.
    pub texel: f32,
    /// Texels along rows and columns.
    pub size: [u32; 2],
    /// Greatest height toward the lamp per texel, meters.
    heights: Vec<f32>,
    /// Greatest height of all.
    top: f32,
    taps: [Vec2; TAPS],
}

impl DepthMap {
    /// `texels` is the longer side of the map.
    pub fn new(scene: &Scene, view: &View, lamp: Vec3, radius: f32, texels: f32) -> Self {
        let across = lamp.any_orthonormal_vector();
        let mut map = Self {
            axes: [across, lamp.cross(across), lamp],
            radius,
            corner: Vec2::ZERO,
            texel: 0.0,
            size: [0; 2],
            heights: Vec::new(),
            top: f32::NEG_INFINITY,
            taps: vogel_disc(),
        };
        map.fit(scene, view, texels);
        map.draw(scene);
        map
    }

    /// Lays the map over all that stands near what the camera looks at.
    fn fit(&mut self, scene: &Scene, view: &View, texels: f32) {
        let [mut low, mut high] = [Vec3::INFINITY, Vec3::NEG_INFINITY];
        let target = self.local(view.target);
        let reach = 4.0 * view.focus;
        for number in 0..scene.len() as u32 {
            let [min, max] = self.bounds(&scene.shape(number));
            let near = (0.5 * (min + max) - target).abs().max_element() < reach;
            if near {
                low = low.min(min.max(target - reach));
                high = high.max(max.min(target + reach));
            }
        }
        let extent = (high - low).truncate().max_element();
        if extent > 0.0 && extent.is_finite() {
            let margin = 2.0;
            self.texel = extent / (texels - 2.0 * margin);
            self.corner = low.truncate() - margin * self.texel;
            let texels = (high - low).truncate() / self.texel + 2.0 * margin;
            self.size = [texels.x, texels.y].map(|n| n.ceil() as u32);
            self.top = high.z;
        }
    }

    fn draw(&mut self, scene: &Scene) {
        let [width, height] = self.size;
        let items: Vec<Caster> =
            (0..scene.len() as u32).into_par_iter().map(|n| self.caster(&scene.shape(n))).collect();
        let bands = bands(items.iter().map(|item| item.rows.clone()), height, BAND);
        let mut heights = vec![f32::NEG_INFINITY; width as usize * height as usize];
        let band_size = (width as usize * BAND as usize).max(1);
        heights.par_chunks_mut(band_size).zip(&bands).enumerate().for_each(
            |(band, (rows, numbers))| {
                let first = band as u32 * BAND;
                for item in numbers.iter().map(|&i| &items[i as usize]) {
                    let last = (first + BAND).min(item.rows.end);
                    for y in first.max(item.rows.start)..last {
                        let row =
                            &mut rows[(y - first) as usize * width as usize..][..width as usize];
                        for x in item.columns.clone() {
                            if let Some(height) = item.height(self, x, y) {
                                let texel = &mut row[x as usize];
                                *texel = texel.max(height);
                            }
                        }
                    }
                }
            },
        );
        self.heights = heights;
    }

    /// Light-space coordinates: along rows, along columns, toward the lamp.
    pub fn local(&self, p: Vec3) -> Vec3 {
        Vec3::from(self.axes.map(|axis| axis.dot(p)))
    }

    /// The corners of the box around a primitive in light space.
    fn bounds(&self, shape: &Shape) -> [Vec3; 2] {
        match shape {
            Shape::Triangle(corners) => Shape::Triangle(corners.map(|p| self.local(p))).bounds(),
            Shape::Capsule(c) => Shape::Capsule(&self.local_capsule(c)).bounds(),
            Shape::Sphere(s) => Shape::Sphere(&self.local_sphere(s)).bounds(),
        }
    }

    fn local_sphere(&self, s: &Sphere) -> Sphere {
        Sphere { center: self.local(s.center), radius: s.radius.max(0.7 * self.texel), ..*s }
    }

    fn local_capsule(&self, c: &Capsule) -> Capsule {
        let [a, b] = [c.a, c.b].map(|p| self.local(p));
        Capsule { a, b, radius: c.radius.max(0.7 * self.texel), ..*c }
    }

    fn caster(&self, shape: &Shape) -> Caster {
        let grid = |p: Vec3| {
            let at = (p.truncate() - self.corner) / self.texel;
            DVec3::new(at.x.into(), at.y.into(), p.z.into())
        };
        let [low, high] = self.bounds(shape).map(grid);
        let solid = match shape {
            Shape::Triangle(corners) => {
                Patch::new(corners.map(|p| grid(self.local(p))), self.size).map(Solid::Patch)
            }
            Shape::Capsule(capsule) => Some(Solid::Capsule(self.local_capsule(capsule))),
            Shape::Sphere(sphere) => Some(Solid::Sphere(self.local_sphere(sphere))),
        };
        let [columns, rows] =
            [0, 1].map(|axis: usize| pixels(low[axis], high[axis], self.size[axis]));
        match solid {
            Some(solid) => Caster { columns, rows, solid: Some(solid) },
            None => Caster { columns: 0..0, rows: 0..0, solid: None },
        }
    }

    /// Which part of the lamp a point sees, `0..=1`.
    fn open(&self, probe: &Probe) -> f32 {
        let normal = self.local(probe.normal);
        // The receiver's plane: its height changes by `slope` per texel along rows and columns.
        let slope = -normal.truncate() / normal.z.max(0.15) * self.texel;
        let bias = 0.8 * (self.texel + slope.length());
        let point = self.local(probe.point + self.texel * probe.normal);
        if point.z >= self.top {
            return 1.0;
        }
        let at = (point.truncate() - self.corner) / self.texel;
        let receiver = Receiver { map: self, at, height: point.z + bias - slope.dot(at), slope };

        let penumbra =
            |distance: f32| (self.radius * distance / self.texel).clamp(NARROWEST, WIDEST);
        let search = penumbra(self.top - point.z);
        let size = Vec2::from(self.size.map(|n| n as f32));
        let near = at.cmpge(Vec2::splat(-search)).all() && at.cmple(size + search).all();
        if !near {
            return 1.0;
        }
        let (mut blockers, mut distance) = (0, 0.0);
        for tap in self.taps {
            if let Some(above) = receiver.blocker(search * tap) {
                blockers += 1;
                distance += above;
            }
        }
        match blockers {
            0 => 1.0,
            TAPS => 0.0,
            _ => {
                let radius = penumbra(distance / blockers as f32);
                let sum: f32 = self.taps.iter().map(|&tap| receiver.lit(radius * tap)).sum();
                sum / TAPS as f32
            }
        }
    }

    /// Greatest height over a texel; minus infinity where there is nothing.
    pub fn height(&self, x: i32, y: i32) -> f32 {
        let [width, height] = self.size;
        // Numbers below zero turn into very large ones.
        let (x, y) = (x as u32, y as u32);
        if x < width && y < height {
            self.heights[y as usize * width as usize + x as usize]
        } else {
            f32::NEG_INFINITY
        }
    }
}

/// A primitive on the map.
struct Caster {
    columns: std::ops::Range<u32>,
    rows: std::ops::Range<u32>,
    solid: Option<Solid>,
}

enum Solid {
    Patch(Patch),
    Capsule(Capsule),
    Sphere(Sphere),
}

impl Caster {
    /// How far it reaches toward the lamp over a texel's center.
    fn height(&self, map: &DepthMap, x: u32, y: u32) -> Option<f32> {
        let down = || {
            let at = map.corner + map.texel * Vec2::new(x as f32 + 0.5, y as f32 + 0.5);
            Ray { origin: at.extend(map.top), direction: Vec3::NEG_Z }
        };
        match self.solid.as_ref()? {
            Solid::Patch(patch) => {
                patch.value(f64::from(x) + 0.5, f64::from(y) + 0.5).map(|height| height as f32)
            }
            Solid::Capsule(capsule) => capsule.hit(&down()).map(|t| map.top - t),
            Solid::Sphere(sphere) => sphere.hit(&down()).map(|t| map.top - t),
        }
    }
}

/// A small plane that the light falls on. Places are counted in texels.
struct Receiver<'a> {
    map: &'a DepthMap,
    at: Vec2,
    /// Height of the plane at the map's first corner, meters.
    height: f32,
    slope: Vec2,
}

impl Receiver<'_> {
    /// How far the obstacle over the nearest texel is above the receiver's plane, if it is.
    fn blocker(&self, offset: Vec2) -> Option<f32> {
        let at = self.at + offset;
        let above = self.above(floor(at.x), floor(at.y));
        (above > 0.0).then_some(above)
    }

    /// Which part of the four texels around a point, by distance, lets the light through.
    fn lit(&self, offset: Vec2) -> f32 {
        let at = self.at + offset - 0.5;
        let [x, y] = [floor(at.x), floor(at.y)];
        let part = at - Vec2::new(x as f32, y as f32);
        let open = |dx: i32, dy: i32| f32::from(u8::from(self.above(x + dx, y + dy) <= 0.0));
        let row = |dy: i32| open(0, dy) + part.x * (open(1, dy) - open(0, dy));
        row(0) + part.y * (row(1) - row(0))
    }

    fn above(&self, x: i32, y: i32) -> f32 {
        let center = Vec2::new(x as f32 + 0.5, y as f32 + 0.5);
        self.map.height(x, y) - (self.height + self.slope.dot(center))
    }
}

/// The texel of a coordinate that is not far below zero: rounding down without the library call
/// that the plain function is on older processors.
fn floor(x: f32) -> i32 {
    const SHIFT: i32 = 64;
    (x + SHIFT as f32) as i32 - SHIFT
}

/// Evenly spread points in the unit disk (Vogel 1979, *A Better Way to Construct the Sunflower
/// Head*).
fn vogel_disc() -> [Vec2; TAPS] {
    const GOLDEN_ANGLE: f32 = 2.399_963_2;
    std::array::from_fn(|i| {
        let radius = ((i as f32 + 0.5) / TAPS as f32).sqrt();
        radius * Vec2::from_angle(i as f32 * GOLDEN_ANGLE)
    })
}
