//! Where a ray meets a triangle, a ball or a tube. Shared by the rasterizer, which draws balls and
//! tubes exactly at any size, by the shadow map and by the ray tracer.

use glam::Vec3;

/// A half line `origin + t · direction`, `t > 0`; `t` is in units of the direction's length.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ray {
    pub origin: Vec3,
    pub direction: Vec3,
}

impl Ray {
    pub fn at(&self, t: f32) -> Vec3 {
        self.origin + t * self.direction
    }
}

/// A ball in linear color.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sphere {
    pub center: Vec3,
    pub radius: f32,
    pub color: Vec3,
}

/// A tube in linear color.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Capsule {
    pub a: Vec3,
    pub b: Vec3,
    pub radius: f32,
    pub color: Vec3,
}

impl Sphere {
    pub fn hit(&self, ray: &Ray) -> Option<f32> {
        first_ahead(circle(ray.origin - self.center, ray.direction, self.radius)?)
    }

    pub fn normal(&self, at: Vec3) -> Vec3 {
        (at - self.center).normalize_or(Vec3::Y)
    }
}

impl Capsule {
    pub fn hit(&self, ray: &Ray) -> Option<f32> {
        let axis = self.b - self.a;
        let length2 = axis.length_squared();
        let across = |v: Vec3| v - axis * (v.dot(axis) / length2);
        let from_a = ray.origin - self.a;
        let flat = across(ray.direction);
        let end = |center: Vec3| circle(ray.origin - center, ray.direction, self.radius);
        let slanted = flat.length_squared() > 1e-12 * ray.direction.length_squared();
        if !slanted {
            // Along the axis, or without an axis: only the end balls can be met first and last.
            let (a, b) = (end(self.a), end(self.b));
            let roots = match (a, b) {
                (Some(a), Some(b)) => [a[0].min(b[0]), a[1].max(b[1])],
                (a, b) => a.or(b)?,
            };
            return first_ahead(roots);
        }
        // The infinite cylinder is entered and left at these; where that is past an end, the ball
        // there decides.
        let side = circle(across(from_a), flat, self.radius)?;
        let bounded = |root: usize| {
            let along = (from_a + side[root] * ray.direction).dot(axis);
            if along < 0.0 {
                end(self.a).map(|t| t[root])
            } else if along > length2 {
                end(self.b).map(|t| t[root])
            } else {
                Some(side[root])
            }
        };
        first_ahead([bounded(0)?, bounded(1)?])
    }

    pub fn normal(&self, at: Vec3) -> Vec3 {
        let axis = self.b - self.a;
        let along = (at - self.a).dot(axis) / axis.length_squared().max(f32::MIN_POSITIVE);
        (at - self.a - along.clamp(0.0, 1.0) * axis).normalize_or(Vec3::Y)
    }
}

/// Where the line `from + t · direction` enters and leaves the ball of `radius` around the origin.
/// The discriminant is taken from the point of closest approach, which keeps small balls round from
/// afar (Haines et al. 2019, *Precision Improvements for Ray/Sphere Intersection*).
fn circle(from: Vec3, direction: Vec3, radius: f32) -> Option<[f32; 2]> {
    let a = direction.length_squared();
    let closest = -from.dot(direction) / a;
    let gap = radius * radius - (from + closest * direction).length_squared();
    let half = (gap / a).sqrt();
    (gap >= 0.0).then_some([closest - half, closest + half])
}

fn first_ahead([enter, leave]: [f32; 2]) -> Option<f32> {
    if enter > 0.0 { Some(enter) } else { (leave > 0.0).then_some(leave) }
}

/// Distance and the weights of the second and third corner where the ray meets the plane of a
/// triangle (Möller & Trumbore 1997); the weights tell whether that is inside.
pub(crate) fn triangle_plane(ray: &Ray, corners: [Vec3; 3]) -> Option<[f32; 3]> {
    let [a, b, c] = corners;
    let (ab, ac) = (b - a, c - a);
    let p = ray.direction.cross(ac);
    let scale = ab.dot(p).recip();
    let from_a = ray.origin - a;
    let q = from_a.cross(ab);
    let hit = [ac.dot(q), from_a.dot(p), ray.direction.dot(q)].map(|x| x * scale);
    hit.iter().all(|x| x.is_finite()).then_some(hit)
}

/// Distance to a triangle along the ray.
pub(crate) fn triangle_hit(ray: &Ray, corners: [Vec3; 3]) -> Option<f32> {
    let [t, u, v] = triangle_plane(ray, corners)?;
    (t > 0.0 && u >= 0.0 && v >= 0.0 && u + v <= 1.0).then_some(t)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TUBE: Capsule = Capsule {
        a: Vec3::new(-1.0, 0.0, 0.0),
        b: Vec3::new(1.0, 0.0, 0.0),
        radius: 0.5,
        color: Vec3::ONE,
    };

    fn hit(origin: [f32; 3], direction: [f32; 3]) -> Option<f32> {
        TUBE.hit(&Ray { origin: origin.into(), direction: direction.into() })
    }

    #[test]
    fn tube_is_met_on_its_side_its_ends_and_along_its_axis() {
        assert_eq!(hit([0.3, 3.0, 0.0], [0.0, -1.0, 0.0]), Some(2.5));
        assert_eq!(hit([4.0, 0.0, 0.0], [-1.0, 0.0, 0.0]), Some(2.5));
        let end = hit([1.3, 3.0, 0.0], [0.0, -1.0, 0.0]).expect("the round end");
        assert!((end - 2.6).abs() < 1e-5);
        assert_eq!(hit([1.6, 3.0, 0.0], [0.0, -1.0, 0.0]), None);
        assert_eq!(hit([0.0, 3.0, 0.0], [0.0, 1.0, 0.0]), None);
        assert_eq!(hit([0.0, 0.0, 0.0], [0.0, 1.0, 0.0]), Some(0.5), "from inside");
    }

    #[test]
    fn a_tube_without_length_is_a_ball() {
        let point = Capsule { b: TUBE.a, ..TUBE };
        let ray = Ray { origin: Vec3::new(-1.0, 0.0, 3.0), direction: Vec3::NEG_Z };
        assert_eq!(point.hit(&ray), Some(2.5));
    }

    #[test]
    fn triangle_is_met_inside_only_and_from_both_sides() {
        let corners = [Vec3::ZERO, Vec3::X, Vec3::Y];
        let down = |x, y| Ray { origin: Vec3::new(x, y, 2.0), direction: Vec3::NEG_Z };
        assert_eq!(triangle_hit(&down(0.2, 0.2), corners), Some(2.0));
        assert_eq!(triangle_hit(&down(0.6, 0.6), corners), None);
        let up = Ray { origin: Vec3::new(0.2, 0.2, -1.0), direction: Vec3::Z };
        assert_eq!(triangle_hit(&up, corners), Some(1.0));
        assert_eq!(triangle_hit(&down(0.0, 0.0), [Vec3::ZERO; 3]), None);
    }
}
