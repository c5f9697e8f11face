//! Obstacles in pictures: balls, bars, boxes and meshes, walls and rooms.

use crate::skin::Skin;
use crate::stage::{Set, single};
use hooke::Vec3;
use hooke::model::{self, Boundary, Frame, Obstacle};
use hooke_render::{Ball, Bounds, Color, Mesh, Picture, Tube};
use std::collections::HashMap;

const OBSTACLE: Color = [0.62, 0.64, 0.67];
/// Every other slice of a ball that turns: one sees it turn.
const SLICE: Color = [0.46, 0.52, 0.60];
const WALL: Color = [0.80, 0.81, 0.83];

/// Cloth rests on the surface: drawn so much smaller, in sizes of the scene, obstacles stay below it.
const SUNK: f64 = 0.003;

/// An obstacle, ready to be drawn.
pub(crate) struct Prop {
    obstacle: Obstacle,
    surface: Option<Surface>,
}

/// A surface in the frame of what it belongs to.
pub(crate) struct Surface {
    vertices: Vec<Vec3>,
    /// Per vertex, where it goes if every face is moved out by one.
    out: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    /// Which vertices are of darker stripes; empty where there are none.
    dark: Vec<bool>,
    /// The least of its sides (m).
    size: f64,
}

/// The height of a level floor that stays where it is.
pub(crate) fn level(obstacle: &Obstacle) -> Option<f64> {
    let frame = obstacle.pose.at(0.0);
    let [_, up, _] = frame.rotation.columns();
    let floor = obstacle.shape.boundary() == Boundary::HalfSpace && up.y > 0.999;
    (floor && !obstacle.pose.moves()).then_some(frame.origin.y)
}

impl Prop {
    pub(crate) fn new(obstacle: &Obstacle) -> Self {
        let faces = match obstacle.shape.boundary() {
            Boundary::Faces => true,
            // One sees it turn.
            Boundary::Round { half_length, .. } => half_length == 0.0 && obstacle.pose.rotates(),
            Boundary::HalfSpace | Boundary::Room { .. } => false,
        };
        let surface = faces.then(|| Surface::new(&obstacle.shape.surface()));
        Self { obstacle: obstacle.clone(), surface }
    }

    /// Draws it where it is at a time (s).
    pub(super) fn draw(&self, time: f64, set: &Set, picture: &mut Picture) {
        let frame = self.obstacle.pose.at(time);
        let sunk = (SUNK * f64::from(set.size)).min(0.25 * self.obstacle.size());
        if let Some(surface) = &self.surface {
            picture.meshes.push(surface.mesh(&frame, sunk, [OBSTACLE, SLICE]));
            return;
        }
        match self.obstacle.shape.boundary() {
            Boundary::Round { radius, half_length } => {
                draw_round(&frame, [radius - sunk, half_length], OBSTACLE, picture);
            }
            Boundary::HalfSpace => picture.meshes.extend(wall(&frame, set)),
            Boundary::Room { half } => picture.meshes.extend(room(&frame, half, set)),
            Boundary::Faces => {}
        }
    }

    /// Grows bounds by what is seen of it at a time (s); walls and rooms have no end.
    pub(super) fn include(&self, time: f64, bounds: &mut Bounds) {
        let frame = self.obstacle.pose.at(time);
        match self.obstacle.shape.boundary() {
            Boundary::Round { radius, half_length } => {
                for end in ends(&frame, half_length) {
                    bounds.include(single(end), radius as f32);
                }
            }
            Boundary::Faces => {
                if let Some(surface) = &self.surface {
                    surface.include(&frame, bounds);
                }
            }
            Boundary::HalfSpace | Boundary::Room { .. } => {}
        }
    }
}

impl Surface {
    pub(crate) fn new(surface: &model::Surface) -> Self {
        let (vertices, triangles) = (&surface.vertices, &surface.triangles);
        let normals: Vec<Vec3> = triangles
            .iter()
            .map(|triangle| {
                let [a, b, c] = triangle.map(|corner| vertices[corner as usize]);
                (b - a).cross(c - a).unit()
            })
            .collect();
        // Coincident vertices move out together; each plane counts once, however many triangles it has there.
        let mut planes: HashMap<[u64; 3], Vec<Vec3>> = HashMap::new();
        let site = |x: Vec3| x.to_array().map(|value| (value + 0.0).to_bits());
        for (triangle, &normal) in triangles.iter().zip(&normals) {
            for &corner in triangle {
                let known = planes.entry(site(vertices[corner as usize])).or_default();
                if known.iter().all(|plane| plane.dot(normal) < 0.999) {
                    known.push(normal);
                }
            }
        }
        let out: Vec<Vec3> = vertices
            .iter()
            .map(|&vertex| {
                let planes = planes.get(&site(vertex)).map_or(&[][..], Vec::as_slice);
                let middle = planes.iter().fold(Vec3::ZERO, |sum, &plane| sum + plane).unit();
                let least = planes.iter().map(|plane| plane.dot(middle)).fold(1.0, f64::min);
                middle * (1.0 / least.max(0.4))
            })
            .collect();
        let skin = Skin::new(triangles, Some(vertices));
        let of = |list: &[Vec3]| skin.particles.iter().map(|&i| list[i as usize]).collect();
        let mut dark = Vec::new();
        if !surface.dark.is_empty() {
            dark.extend(skin.particles.iter().map(|&i| surface.dark[i as usize]));
        }
        let side = |axis: usize| {
            let values = || vertices.iter().map(|vertex| vertex.to_array()[axis]);
            values().fold(f64::MIN, f64::max) - values().fold(f64::MAX, f64::min)
        };
        let size = [0, 1, 2].map(side).into_iter().fold(f64::MAX, f64::min);
        Self { vertices: of(vertices), out: of(&out), triangles: skin.triangles, dark, size }
    }

    /// How many triangles it has.
    pub(crate) fn triangles(&self) -> usize {
        self.triangles.len()
    }

    /// How far (m) it is drawn below itself, so that cloth stays above it.
    pub(crate) fn sunk(&self, set: &Set) -> f64 {
        (SUNK * f64::from(set.size)).min(0.1 * self.size)
    }

    /// As a mesh of its color, and that of its stripes.
    pub(crate) fn mesh(&self, frame: &Frame, sunk: f64, [light, dark]: [Color; 2]) -> Mesh {
        let vertex = |(x, out): (&Vec3, &Vec3)| single(frame.world(*x - *out * sunk));
        let positions = self.vertices.iter().zip(&self.out).map(vertex).collect();
        let mut mesh = Mesh::new(positions, self.triangles.clone());
        (mesh.front, mesh.back) = (light, light);
        if !self.dark.is_empty() {
            let color = |is_dark: &bool| if *is_dark { dark } else { light };
            mesh.colors = Some(self.dark.iter().map(color).collect());
        }
        mesh
    }

    pub(crate) fn include(&self, frame: &Frame, bounds: &mut Bounds) {
        for vertex in &self.vertices {
            bounds.include(single(frame.world(*vertex)), 0.0);
        }
    }
}

/// The corners of each side of a box, counter-clockwise seen from outside.
const SIDES: [[u32; 4]; 6] =
    [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];

/// The corners of a box: the bits of their number say on which side of x, y and z they are.
fn corners(half: Vec3) -> Vec<Vec3> {
    let side = |corner: u32, axis: u32| if corner >> axis & 1 == 1 { 1.0 } else { -1.0 };
    (0..8).map(|i| half.times(Vec3::new(side(i, 0), side(i, 1), side(i, 2)))).collect()
}

fn ends(frame: &Frame, half_length: f64) -> [Vec3; 2] {
    [-half_length, half_length].map(|y| frame.world(Vec3::new(0.0, y, 0.0)))
}

/// Draws a round shape along y, of a radius and half a length (m).
pub(crate) fn draw_round(
    frame: &Frame,
    [radius, half_length]: [f64; 2],
    color: Color,
    picture: &mut Picture,
) {
    let ([a, b], radius) = (ends(frame, half_length).map(single), radius as f32);
    match half_length == 0.0 {
        true => picture.balls.push(Ball { center: a, radius, color }),
        false => picture.tubes.push(Tube { a, b, radius, color }),
    }
}

/// How far walls stand behind the surface (m): particles have a size in pictures only.
fn behind(set: &Set) -> f64 {
    if set.lines { 0.022 * f64::from(set.size) } else { 0.0 }
}

/// A wall as a square behind the scene; none where it would stand before it.
fn wall(frame: &Frame, set: &Set) -> Option<Mesh> {
    let [_, normal, _] = frame.rotation.columns();
    let eye = Vec3::from(set.camera.eye.map(f64::from));
    let center = Vec3::from(set.center.map(f64::from));
    if (eye - frame.origin).dot(normal) <= 0.0 || (center - eye).dot(normal) >= 0.0 {
        return None;
    }
    let foot = center - normal * ((center - frame.origin).dot(normal) + behind(set));
    let along = if normal.y.abs() < 0.9 { Vec3::AXES[1] } else { Vec3::AXES[0] };
    let u = normal.cross(along).unit() * (0.75 * f64::from(set.size));
    let v = normal.cross(u.unit()) * (0.75 * f64::from(set.size));
    Some(plate([foot - u - v, foot + u - v, foot + u + v, foot - u + v]))
}

/// The walls of a room that are seen from inside.
fn room(frame: &Frame, half: Vec3, set: &Set) -> Vec<Mesh> {
    let eye = Vec3::from(set.camera.eye.map(f64::from));
    let back = behind(set);
    let vertices = corners(half + Vec3::new(back, back, back));
    let sides = SIDES.map(|side| side.map(|corner| frame.world(vertices[corner as usize])));
    let seen = |[a, b, c, _]: &[Vec3; 4]| (eye - *a).dot((*b - *a).cross(*c - *a)) < 0.0;
    sides.into_iter().filter(seen).map(|[a, b, c, d]| plate([d, c, b, a])).collect()
}

fn plate(corners: [Vec3; 4]) -> Mesh {
    let mut plate = Mesh::new(corners.map(single).to_vec(), vec![[0, 1, 2], [0, 2, 3]]);
    (plate.front, plate.back) = (WALL, WALL);
    plate
}

#[cfg(test)]
mod tests {
    use super::*;
    use hooke::model::{Motion, ObstacleMotion, Response, Rotation, Shape};

    fn obstacle(shape: Shape, pose: ObstacleMotion) -> Obstacle {
        Obstacle { shape, pose, response: Response::PushOut, thickness: 0.0 }
    }

    #[test]
    fn surfaces_are_sunk_by_the_same_amount_everywhere() {
        let half = Vec3::new(0.5, 0.2, 0.3);
        let pose = ObstacleMotion::still(Vec3::new(1.0, 0.0, 0.0));
        let prop = Prop::new(&obstacle(Shape::Box { half, inside_out: false }, pose.clone()));
        let mesh = prop.surface.expect("a box").mesh(&pose.at(0.0), 0.01, [OBSTACLE; 2]);
        assert_eq!(mesh.positions.len(), 24, "sides are shaded apart");
        for x in mesh.positions {
            let x = [x[0] - 1.0, x[1], x[2]].map(f32::abs);
            let inner = [0.49, 0.19, 0.29];
            assert!((0..3).all(|k| (x[k] - inner[k]).abs() < 1e-6), "{x:?}");
        }
    }

    #[test]
    fn a_ball_that_turns_is_in_slices() {
        let rotation = Rotation::steady(Vec3::ZERO, Vec3::AXES[1], 1.0).expect("a rotation");
        let pose: ObstacleMotion = Motion::still(Vec3::ZERO).rotated(rotation).into();
        let prop = Prop::new(&obstacle(Shape::Sphere { radius: 0.5 }, pose));
        let surface = prop.surface.expect("slices");
        assert!(surface.vertices.iter().all(|x| (x.norm() - 0.5).abs() < 1e-12));
        let mesh = surface.mesh(&ObstacleMotion::default().at(0.0), 0.0, [OBSTACLE, SLICE]);
        let shades: std::collections::HashSet<_> =
            mesh.colors.expect("colors").iter().map(|c| c.map(f32::to_bits)).collect();
        assert_eq!(shades.len(), 2);
        for t in &surface.triangles {
            let [a, b, c] = t.map(|corner| surface.vertices[corner as usize]);
            assert!((b - a).cross(c - a).dot(a + b + c) > 0.0, "outwards");
        }
        let still = Prop::new(&obstacle(Shape::Sphere { radius: 0.5 }, ObstacleMotion::default()));
        assert!(still.surface.is_none());
    }
}
