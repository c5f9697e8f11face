//! The surfaces of rigid bodies as triangles: what pictures, recordings and exports show of them.

use hooke::Point;
use hooke::bodies::Placement;
use hooke::model::Shape;
use std::f64::consts::{PI, TAU};

/// Slices of a ball, steps within a slice, and steps from pole to pole.
const BALL: [u32; 3] = [8, 6, 24];

/// Steps around a bar, and along each of its round ends.
const BAR: [u32; 2] = [32, 8];

/// A surface about the centre of mass of a body. Vertices of its sharp edges are there once for each side, so that
/// normals are those of the sides.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surface {
    /// Where its vertices are in the body's own axes (m).
    pub vertices: Vec<Point>,
    /// Its triangles, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Which vertices are of darker stripes, by which one sees a ball turn; empty where there are none.
    pub dark: Vec<bool>,
}

impl Surface {
    /// The surface of a shape; none of what has no end.
    pub fn of(shape: &Shape) -> Self {
        match shape {
            Shape::HalfSpace | Shape::Box { inside_out: true, .. } => Self::default(),
            Shape::Box { half, .. } => cuboid(*half),
            Shape::Sphere { radius } => ball(*radius),
            Shape::Capsule { radius, half_length } => bar(*radius, *half_length),
            Shape::Mesh(mesh) => Self {
                vertices: mesh.vertices().to_vec(),
                triangles: mesh.triangles().to_vec(),
                dark: Vec::new(),
            },
        }
    }

    /// Its vertices in the world (m).
    pub fn placed(&self, placement: &Placement) -> impl Iterator<Item = Point> {
        let turn = placement.turn.matrix();
        let position = placement.position;
        self.vertices.iter().map(move |&x| position + turn * x)
    }
}

fn cuboid(half: Point) -> Surface {
    let mut surface = Surface::default();
    for axis in 0..3 {
        let [n, u, v] = [0, 1, 2].map(|k| Point::AXES[(axis + k) % 3]);
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

fn ball(radius: f64) -> Surface {
    let [slices, across, down] = BALL;
    let mut surface = Surface::default();
    for slice in 0..slices {
        let turn = move |step: u32| part(slice * across + step, slices * across);
        let profile: Vec<_> = (0..=down).map(|ring| round(ring, down, radius)).collect();
        surface.lathe(&profile, across, turn);
        surface.dark.resize(surface.vertices.len(), slice % 2 == 1);
    }
    surface
}

fn bar(radius: f64, half_length: f64) -> Surface {
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
    fn lathe(&mut self, profile: &[[f64; 2]], steps: u32, turn: impl Fn(u32) -> [f64; 2]) {
        let first = self.vertices.len() as u32;
        for &[r, y] in profile {
            let around = (0..=steps).map(&turn);
            self.vertices.extend(around.map(|[sin, cos]| Point::new(r * cos, y, -r * sin)));
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
        let half = Point::new(0.1, 0.2, 0.3);
        let cuboid = Surface::of(&Shape::Box { half, inside_out: false });
        assert!((volume(&cuboid) - 0.048).abs() < 1e-15);
        assert_eq!(cuboid.vertices.len(), 24, "sides have vertices of their own");
        let ball = Surface::of(&Shape::Sphere { radius: 0.5 });
        let whole = 4.0 / 3.0 * PI * 0.125;
        assert!((volume(&ball) / whole - 1.0).abs() < 0.02, "{}", volume(&ball) / whole);
        assert_eq!(ball.dark.len(), ball.vertices.len());
        let bar = Surface::of(&Shape::Capsule { radius: 0.5, half_length: 1.0 });
        let whole = whole + PI * 0.25 * 2.0;
        assert!((volume(&bar) / whole - 1.0).abs() < 0.02, "{}", volume(&bar) / whole);
    }

    #[test]
    fn a_surface_goes_where_its_body_is() {
        let surface = Surface::of(&Shape::Sphere { radius: 1.0 });
        let turn = hooke::math::Quat::about(Point::AXES[2], 1.0);
        let placement = Placement { position: Point::new(3.0, 0.0, 0.0), turn };
        for (local, world) in surface.vertices.iter().zip(surface.placed(&placement)) {
            assert!((placement.world(*local) - world).norm() < 1e-14);
        }
    }
}
