//! The surfaces of shapes as triangles: what pictures, recordings, exports and the studio show of
//! obstacles and rigid bodies.

use crate::math::Vec3;
use crate::model::rigid::Pose;
use std::f64::consts::{PI, TAU};

/// Slices of a ball, steps within a slice, and steps from pole to pole.
const BALL: [u32; 3] = [8, 6, 24];

/// Steps around a bar with round ends, and along each of its round ends.
const BAR: [u32; 2] = [32, 8];

/// A surface in the axes of what it belongs to. Vertices of its sharp edges are there once for each side, so that
/// normals are those of the sides.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surface {
    /// Where its vertices are in these axes (m).
    pub vertices: Vec<Vec3>,
    /// Its triangles, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Which vertices are of darker stripes, by which one sees a ball turn; empty where there are none.
    pub dark: Vec<bool>,
}

impl Surface {
    /// Its vertices in the world (m).
    pub fn placed(&self, pose: &Pose) -> impl Iterator<Item = Vec3> {
        let rotation = pose.rotation.matrix();
        let position = pose.position;
        self.vertices.iter().map(move |&x| position + rotation * x)
    }
}

pub(super) fn cuboid(half: Vec3) -> Surface {
    let mut surface = Surface::default();
    for axis in 0..3 {
        let [n, u, v] = [0, 1, 2].map(|k| Vec3::AXES[(axis + k) % 3]);
        for side in [1.0, -1.0] {
            let first = surface.vertices.len() as u32;
            for [a, b] in [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]] {
                let corner = (n + u * a) * side + v * b;
                surface.vertices.push(half.times(corner));
            }
            surface.triangles.extend([[0, 1, 2], [0, 2, 3]].map(|t| t.map(|k| first + k)));
        }
    }
    surface
}

pub(super) fn ball(radius: f64) -> Surface {
    let [slices, across, down] = BALL;
    let mut surface = Surface::default();
    for slice in 0..slices {
        let rotation = move |step: u32| part(slice * across + step, slices * across);
        let profile: Vec<_> = (0..=down).map(|ring| round(ring, down, radius)).collect();
        surface.lathe(&profile, across, rotation);
        surface.dark.resize(surface.vertices.len(), slice % 2 == 1);
    }
    surface
}

pub(super) fn bar(radius: f64, half_length: f64) -> Surface {
    let [around, steps] = BAR;
    let end = |ring: u32, up: f64| {
        let [r, y] = round(ring, 2 * steps, radius);
        [r, y + up]
    };
    let top = (0..=steps).map(|ring| end(ring, half_length));
    let bottom = (steps..=2 * steps).map(|ring| end(ring, -half_length));
    let profile: Vec<_> = top.chain(bottom).collect();
    let mut surface = Surface::default();
    surface.lathe(&profile, around, |step| part(step % around, around));
    surface
}

/// Points on a ball: the corners of an icosahedron and the middles of its edges.
pub(super) fn points_of_ball(radius: f64) -> impl Iterator<Item = Vec3> {
    let g = 0.5 * (1.0 + 5f64.sqrt());
    let mut corners = Vec::new();
    for [a, b] in [[1.0, g], [-1.0, g], [1.0, -g], [-1.0, -g]] {
        for point in [Vec3::new(0.0, a, b), Vec3::new(a, b, 0.0), Vec3::new(b, 0.0, a)] {
            corners.push(point.unit());
        }
    }
    let mut points: Vec<Vec3> = corners.clone();
    for (i, a) in corners.iter().enumerate() {
        for b in &corners[i + 1..] {
            if a.dot(*b) > 0.4 {
                points.push((*a + *b).unit());
            }
        }
    }
    points.into_iter().map(move |x| x * radius)
}

/// How far from the axis and how high a half circle is, from the top down.
fn round(ring: u32, rings: u32, radius: f64) -> [f64; 2] {
    let (sin, cos) = libm::sincos(PI * f64::from(ring) / f64::from(rings));
    let sin = if ring.is_multiple_of(rings) { 0.0 } else { sin };
    [radius * sin, radius * cos]
}

/// A part of a whole turn, as its sine and cosine.
fn part(step: u32, steps: u32) -> [f64; 2] {
    let (sin, cos) = libm::sincos(TAU * f64::from(step) / f64::from(steps));
    [sin, cos]
}

impl Surface {
    /// Turns a profile of radii and heights, from the top down, about the y axis.
    fn lathe(&mut self, profile: &[[f64; 2]], steps: u32, rotation: impl Fn(u32) -> [f64; 2]) {
        let first = self.vertices.len() as u32;
        for &[r, y] in profile {
            let around = (0..=steps).map(&rotation);
            self.vertices.extend(around.map(|[sin, cos]| Vec3::new(r * cos, y, -r * sin)));
        }
        for (ring, pair) in (0..).zip(profile.windows(2)) {
            for step in 0..steps {
                let a = first + ring * (steps + 1) + step;
                let (b, c, d) = (a + steps + 1, a + steps + 2, a + 1);
                // At a pole one of the two has no area.
                if pair[1][0] > 0.0 {
                    self.triangles.push([a, b, c]);
                }
                if pair[0][0] > 0.0 {
                    self.triangles.push([a, c, d]);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Shape;

    /// The volume within a surface: it is right only where every triangle faces outwards.
    fn volume(surface: &Surface) -> f64 {
        let of = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|k| surface.vertices[k as usize]);
            a.dot(b.cross(c)) / 6.0
        };
        surface.triangles.iter().map(of).sum()
    }

    #[test]
    fn surfaces_hold_the_volume_of_their_shapes() {
        let half = Vec3::new(0.1, 0.2, 0.3);
        let cuboid = Shape::Box { half, inside_out: false }.surface();
        assert!((volume(&cuboid) - 0.048).abs() < 1e-15);
        assert_eq!(cuboid.vertices.len(), 24, "sides have vertices of their own");
        let ball = Shape::Sphere { radius: 0.5 }.surface();
        let whole = 4.0 / 3.0 * PI * 0.125;
        assert!((volume(&ball) / whole - 1.0).abs() < 0.02, "{}", volume(&ball) / whole);
        assert_eq!(ball.dark.len(), ball.vertices.len());
        let bar = bar(0.5, 1.0);
        let whole = whole + PI * 0.25 * 2.0;
        assert!((volume(&bar) / whole - 1.0).abs() < 0.02, "{}", volume(&bar) / whole);
    }

    #[test]
    fn a_surface_goes_where_its_body_is() {
        let surface = Shape::Sphere { radius: 1.0 }.surface();
        let rotation = crate::math::Quat::about(Vec3::AXES[2], 1.0);
        let pose = Pose { position: Vec3::new(3.0, 0.0, 0.0), rotation };
        for (local, world) in surface.vertices.iter().zip(surface.placed(&pose)) {
            assert!((pose.world(*local) - world).norm() < 1e-14);
        }
    }
}
