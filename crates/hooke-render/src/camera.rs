//! The pinhole camera: where it stands by default, and how points become pixels and back.

use crate::{Bounds, Point3, RenderError, Settings};
use glam::{DVec3, Vec3};

/// A pinhole camera, held upright.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Where it stands.
    pub eye: Point3,
    /// What is in the middle of the picture. The distance to it sets the scale of the floor.
    pub target: Point3,
    /// Angle between the lower and the upper edge of the picture in degrees, above 0 and below 170.
    pub fov_y: f32,
}

impl Camera {
    /// A three-quarter view from slightly above that shows all of `bounds` (over a whole clip) with
    /// a margin, for a picture of the given `aspect` (width over height) and `fov_y` (degrees).
    ///
    /// With a ground the camera stands above it, and a ground that is near shows below the subject.
    pub fn framing(bounds: &Bounds, ground: Option<f32>, aspect: f32, fov_y: f32) -> Self {
        const AZIMUTH: f32 = 28.0;
        const ELEVATION: f32 = 21.0;
        const FILL: f32 = 0.88;
        let fov_y = if fov_y > 0.0 && fov_y < 170.0 { fov_y } else { 30.0 };
        let aspect = if aspect > 0.0 && aspect.is_finite() { aspect } else { 1.0 };
        let ground = ground.filter(|height| height.is_finite());
        let (low, high) = if bounds.is_empty() {
            (Vec3::splat(-0.5), Vec3::splat(0.5))
        } else {
            (Vec3::from(bounds.min), Vec3::from(bounds.max))
        };
        let size = (high - low).length().max(1e-3);
        let middle = 0.5 * (low + high);
        let mut points: Vec<Vec3> = corners(low, high).into();
        if let Some(height) = ground
            && (0.0..0.8 * size).contains(&(low.y - height))
        {
            let inner = 0.45 * (high - low);
            let at = Vec3::new(middle.x, height, middle.z);
            let flat = Vec3::new(inner.x, 0.0, inner.z);
            points.extend(corners(at - flat, at + flat));
        }

        let (sin_a, cos_a) = AZIMUTH.to_radians().sin_cos();
        let (sin_e, cos_e) = ELEVATION.to_radians().sin_cos();
        let back = Vec3::new(sin_a * cos_e, sin_e, cos_a * cos_e);
        let (right, up) = axes(-back);
        let tan_y = (0.5 * fov_y).to_radians().tan();
        let tan_x = tan_y * aspect;

        let mut target = middle;
        let mut distance = size;
        for _ in 0..12 {
            let projected = |p: &Vec3| {
                let p = *p - target;
                Vec3::new(p.dot(right), p.dot(up), p.dot(back))
            };
            distance = points.iter().map(projected).fold(1e-3 * size, |d, p| {
                d.max(p.z + p.x.abs() / (FILL * tan_x)).max(p.z + p.y.abs() / (FILL * tan_y))
            });
            let slopes =
                points.iter().map(projected).map(|p| p / (distance - p.z).max(1e-3 * distance));
            let [least, most] = slopes.fold([Vec3::MAX, Vec3::MIN], |[least, most], slope| {
                [least.min(slope), most.max(slope)]
            });
            let shift = 0.5 * distance * (least + most);
            target += shift.x * right + shift.y * up;
        }
        let mut eye = target + distance * back;
        if let Some(height) = ground {
            eye.y = eye.y.max(height + 0.1 * distance);
        }
        Self { eye: eye.into(), target: target.into(), fov_y }
    }

    pub(crate) fn view(&self, settings: &Settings) -> Result<View, RenderError> {
        let (eye, target) = (Vec3::from(self.eye), Vec3::from(self.target));
        let reach = target - eye;
        let focus = reach.length();
        if !(eye.abs().max_element() <= crate::scene::FARTHEST && focus.is_finite()) {
            return Err(RenderError::Camera("its eye or target is not a point within 10^9 m"));
        }
        if focus <= f32::EPSILON * eye.abs().max_element().max(1e-6) {
            return Err(RenderError::Camera("its eye and target are the same point"));
        }
        if !(self.fov_y > 0.0 && self.fov_y < 170.0) {
            return Err(RenderError::Camera("its field of view is not between 0 and 170 degrees"));
        }
        let forward = reach / focus;
        let (right, up) = axes(forward);
        let tan_y = (0.5 * self.fov_y).to_radians().tan().max(1e-6);
        Ok(View {
            eye,
            right,
            up,
            forward,
            target,
            focus,
            near: 1e-3 * focus,
            tan: [tan_y * settings.aspect(), tan_y],
            size: [settings.width, settings.height],
        })
    }
}

fn corners(low: Vec3, high: Vec3) -> [Vec3; 8] {
    std::array::from_fn(|i| {
        let take = |bit: usize| if i & bit == 0 { 0.0 } else { 1.0 };
        low + (high - low) * Vec3::new(take(1), take(2), take(4))
    })
}

/// Right and up of an upright camera that looks along the unit vector `forward`.
fn axes(forward: Vec3) -> (Vec3, Vec3) {
    let right = forward.cross(Vec3::Y).try_normalize().unwrap_or(Vec3::X);
    (right, right.cross(forward))
}

/// A camera made ready for one picture.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    pub eye: Vec3,
    pub right: Vec3,
    pub up: Vec3,
    /// Unit vector along which depth is measured.
    pub forward: Vec3,
    pub target: Vec3,
    /// Distance between eye and target in meters.
    pub focus: f32,
    /// Depth before which nothing is drawn, meters.
    pub near: f32,
    /// Half extents of the picture at depth one.
    pub tan: [f32; 2],
    /// Width and height in pixels.
    pub size: [u32; 2],
}

impl View {
    /// Right, up and depth of a point as the camera sees it, meters.
    pub fn local(&self, p: Vec3) -> Vec3 {
        let p = p - self.eye;
        Vec3::new(p.dot(self.right), p.dot(self.up), p.dot(self.forward))
    }

    /// Pixel coordinates of a local point in front of the camera, and its inverse depth.
    pub fn project(&self, local: Vec3) -> DVec3 {
        let local = local.as_dvec3();
        let inverse = 1.0 / local.z;
        let [x, y] = [local.x * inverse, -local.y * inverse];
        DVec3::new(self.pixel_at(0, x), self.pixel_at(1, y), inverse)
    }

    /// Pixel coordinate along `axis` (0 right, 1 down) of a slope against the depth axis.
    pub fn pixel_at(&self, axis: usize, slope: f64) -> f64 {
        0.5 * f64::from(self.size[axis]) * (1.0 + slope / f64::from(self.tan[axis]))
    }

    /// Direction through pixel coordinates `x`, `y`, scaled to advance one meter of depth.
    pub fn ray(&self, x: f32, y: f32) -> Vec3 {
        let [w, h] = self.size.map(|n| n as f32);
        let right = (2.0 * x / w - 1.0) * self.tan[0];
        let up = (1.0 - 2.0 * y / h) * self.tan[1];
        self.forward + right * self.right + up * self.up
    }

    /// Side of a pixel in meters at a depth of one meter.
    pub fn pixel(&self) -> f32 {
        2.0 * self.tan[1] / self.size[1] as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec2;

    #[test]
    fn framing_shows_every_corner_and_fills_the_picture() {
        let boxes = [([-1.0, 0.5, -1.0], [1.0, 2.0, 1.0]), ([3.0, 10.0, 4.0], [9.0, 10.1, 4.2])];
        for (min, max) in boxes {
            for aspect in [0.5, 1.0, 16.0 / 9.0] {
                let camera = Camera::framing(&Bounds { min, max }, None, aspect, 35.0);
                let settings =
                    Settings { width: (900.0 * aspect) as u32, height: 900, ..Settings::default() };
                let view = camera.view(&settings).expect("a view");
                let mut widest: f64 = 0.0;
                for corner in corners(min.into(), max.into()) {
                    let p = view.project(view.local(corner)).truncate();
                    let half = 0.5 * DVec2::new(settings.width.into(), settings.height.into());
                    widest = widest.max((p / half - 1.0).abs().max_element());
                }
                assert!((0.8..0.93).contains(&widest), "{min:?} {aspect}: {widest}");
            }
        }
    }

    #[test]
    fn framing_stays_above_the_ground_and_finite() {
        let below = Bounds { min: [-1.0, -8.0, -1.0], max: [1.0, -6.0, 1.0] };
        assert!(Camera::framing(&below, Some(0.0), 1.5, 30.0).eye[1] > 0.0);
        for bounds in [Bounds::EMPTY, Bounds { min: [f32::NAN; 3], max: [0.0; 3] }] {
            let camera = Camera::framing(&bounds, Some(f32::NAN), f32::NAN, f32::NAN);
            assert!(camera.view(&Settings::default()).is_ok());
        }
    }

    #[test]
    fn rays_and_projection_are_inverse() {
        let camera = Camera { eye: [1.0, 2.0, 5.0], target: [0.0, 0.5, 0.0], fov_y: 40.0 };
        let view = camera.view(&Settings::default()).expect("a view");
        let p = view.eye + 3.0 * view.ray(200.25, 600.5);
        let back = view.project(view.local(p));
        assert!((back - DVec3::new(200.25, 600.5, 1.0 / 3.0)).abs().max_element() < 1e-3);
    }
}
