//! A picture made ready for drawing: checked, in linear color, with smooth normals and without
//! what cannot be drawn.

use crate::{
    Mesh, Picture, RenderError,
    camera::View,
    color::linear,
    shade::{Finish, Surface},
    shape::{Capsule, Ray, Sphere, triangle_hit, triangle_plane},
};
use glam::Vec3;

/// Coordinates beyond this are not drawn, meters: their squares still fit an `f32`.
pub(crate) const FARTHEST: f32 = 1e9;

/// The longest triangle or tube, in distances of the camera from what it looks at. Longer ones come
/// from explosions; thousands of them would each cover the whole picture.
const LONGEST: f32 = 10.0;

/// Radius in pixels below which tubes and balls are thickened.
const THINNEST: f32 = 0.55;

pub(crate) struct Scene {
    corners: Vec<Vertex>,
    triangles: Vec<Triangle>,
    sides: Vec<[Vec3; 2]>,
    capsules: Vec<Capsule>,
    spheres: Vec<Sphere>,
    pub ground: Option<f32>,
}

#[derive(Clone, Copy)]
struct Vertex {
    position: Vec3,
    normal: Vec3,
    color: Option<Vec3>,
}

#[derive(Clone, Copy)]
struct Triangle {
    corners: [u32; 3],
    mesh: u32,
}

/// One primitive, found by its number in `0..scene.len()`.
pub(crate) enum Shape<'a> {
    Triangle([Vec3; 3]),
    Capsule(&'a Capsule),
    Sphere(&'a Sphere),
}

impl Shape<'_> {
    pub fn hit(&self, ray: &Ray) -> Option<f32> {
        match self {
            Self::Triangle(corners) => triangle_hit(ray, *corners),
            Self::Capsule(capsule) => capsule.hit(ray),
            Self::Sphere(sphere) => sphere.hit(ray),
        }
    }

    /// The corners of the box around it.
    pub fn bounds(&self) -> [Vec3; 2] {
        match self {
            Self::Triangle([a, b, c]) => [a.min(*b).min(*c), a.max(*b).max(*c)],
            Self::Capsule(c) => [c.a.min(c.b) - c.radius, c.a.max(c.b) + c.radius],
            Self::Sphere(s) => [s.center - s.radius, s.center + s.radius],
        }
    }
}

impl Scene {
    pub fn new(picture: &Picture, view: &View) -> Result<Self, RenderError> {
        let mut scene = Self {
            corners: Vec::new(),
            triangles: Vec::new(),
            sides: Vec::new(),
            capsules: Vec::new(),
            spheres: Vec::new(),
            ground: picture.ground.filter(|height| height.abs() <= FARTHEST),
        };
        for (number, mesh) in picture.meshes.iter().enumerate() {
            scene.add_mesh(number, mesh, LONGEST * view.focus)?;
        }
        let visible = |center: Vec3, radius: f32| {
            let depth = view.local(center).z.max(view.near);
            radius.max(THINNEST * view.pixel() * depth)
        };
        let round = |radius: f32| radius > 0.0 && radius <= FARTHEST;
        for tube in &picture.tubes {
            let [a, b] = [tube.a, tube.b].map(Vec3::from);
            let short = (a - b).abs().max_element() <= LONGEST * view.focus;
            if drawable(a) && drawable(b) && short && round(tube.radius) {
                let radius = visible(0.5 * (a + b), tube.radius);
                scene.capsules.push(Capsule { a, b, radius, color: linear(tube.color) });
            }
        }
        for ball in &picture.balls {
            let center = Vec3::from(ball.center);
            if drawable(center) && round(ball.radius) {
                let radius = visible(center, ball.radius);
                scene.spheres.push(Sphere { center, radius, color: linear(ball.color) });
            }
        }
        // The two largest numbers mean floor and background in the rasterizer.
        let countable = |n: usize| n < u32::MAX as usize - 2;
        if countable(scene.len()) && countable(scene.corners.len()) {
            Ok(scene)
        } else {
            Err(RenderError::TooLarge)
        }
    }

    /// Triangles with a side beyond `longest` are left out.
    fn add_mesh(&mut self, number: usize, mesh: &Mesh, longest: f32) -> Result<(), RenderError> {
        let vertices = mesh.positions.len();
        if let Some(colors) = &mesh.colors
            && colors.len() != vertices
        {
            return Err(RenderError::ColorCount { mesh: number, colors: colors.len(), vertices });
        }
        let first = self.corners.len();
        let color = |i: usize| mesh.colors.as_ref().map(|colors| linear(colors[i]));
        self.corners.extend(mesh.positions.iter().enumerate().map(|(i, &p)| Vertex {
            position: p.into(),
            normal: Vec3::ZERO,
            color: color(i),
        }));
        for (triangle, corners) in mesh.triangles.iter().enumerate() {
            if let Some(&index) = corners.iter().find(|&&i| i as usize >= vertices) {
                return Err(RenderError::VertexIndex { mesh: number, triangle, index, vertices });
            }
            let corners = corners.map(|i| (first + i as usize) as u32);
            let corners_at = corners.map(|i| self.corners[i as usize].position);
            let [low, high] = Shape::Triangle(corners_at).bounds();
            if corners_at.iter().all(|&p| drawable(p))
                && (high - low).max_element() <= longest
                && self.add_normals(corners, corners_at)
            {
                self.triangles.push(Triangle { corners, mesh: self.sides.len() as u32 });
            }
        }
        for vertex in &mut self.corners[first..] {
            vertex.normal = vertex.normal.normalize_or_zero();
        }
        self.sides.push([mesh.front, mesh.back].map(linear));
        Ok(())
    }

    /// Adds a triangle's share to the normals of its corners: the cross product over the squared
    /// lengths of both edges, which is exact on a sphere (Max 1999, *Weights for Computing Vertex
    /// Normals from Facet Normals*). Says whether the triangle has an area at all.
    fn add_normals(&mut self, corners: [u32; 3], corners_at: [Vec3; 3]) -> bool {
        let [a, b, c] = corners_at;
        let area = (b - a).cross(c - a);
        if !(area.length_squared() > 0.0 && area.is_finite()) {
            return false;
        }
        for k in 0..3 {
            let [at, next, last] =
                [corners_at[k], corners_at[(k + 1) % 3], corners_at[(k + 2) % 3]];
            let weight = (next - at).length_squared() * (last - at).length_squared();
            let share = area / weight;
            if share.is_finite() {
                self.corners[corners[k] as usize].normal += share;
            }
        }
        true
    }

    /// How many primitives there are.
    pub fn len(&self) -> usize {
        self.triangles.len() + self.capsules.len() + self.spheres.len()
    }

    /// The primitive of a number below [`Scene::len`].
    pub fn shape(&self, number: u32) -> Shape<'_> {
        let (t, c) = (self.triangles.len(), self.capsules.len());
        let i = number as usize;
        if i < t {
            Shape::Triangle(self.triangles[i].corners.map(|k| self.corners[k as usize].position))
        } else if i < t + c {
            Shape::Capsule(&self.capsules[i - t])
        } else {
            Shape::Sphere(&self.spheres[i - t - c])
        }
    }

    /// The primitive's surface where the ray meets it; just missing it counts as grazing it.
    pub fn surface(&self, number: u32, ray: &Ray) -> Option<Surface> {
        let round = |t: Option<f32>, middle: Vec3| {
            t.unwrap_or_else(|| {
                (middle - ray.origin).dot(ray.direction) / ray.direction.length_squared()
            })
        };
        let solid = |at: Vec3, normal: Vec3, albedo: Vec3| Surface {
            normal,
            outside: [at; 2],
            albedo,
            finish: Finish::Solid,
        };
        Some(match self.shape(number) {
            Shape::Triangle(corners_at) => return self.cloth(number, corners_at, ray),
            Shape::Capsule(capsule) => {
                let at = ray.at(round(capsule.hit(ray), 0.5 * (capsule.a + capsule.b)));
                solid(at, capsule.normal(at), capsule.color)
            }
            Shape::Sphere(sphere) => {
                let at = ray.at(round(sphere.hit(ray), sphere.center));
                solid(at, sphere.normal(at), sphere.color)
            }
        })
    }

    fn cloth(&self, number: u32, corners_at: [Vec3; 3], ray: &Ray) -> Option<Surface> {
        let triangle = self.triangles[number as usize];
        let vertices = triangle.corners.map(|k| self.corners[k as usize]);
        let [t, u, v] = triangle_plane(ray, corners_at)?;
        let weights = [1.0 - u - v, u, v].map(|w| w.clamp(0.0, 1.0));
        let weights = weights.map(|w| w / weights.iter().sum::<f32>());
        let blend = |values: [Vec3; 3]| -> Vec3 {
            weights[0] * values[0] + weights[1] * values[1] + weights[2] * values[2]
        };
        let flat = (corners_at[1] - corners_at[0])
            .cross(corners_at[2] - corners_at[0])
            .normalize_or(Vec3::Y);
        let front = flat.dot(ray.direction) <= 0.0;
        let facing = if front { 1.0 } else { -1.0 };
        let point = ray.at(t);
        let normals = vertices.map(|vertex| facing * vertex.normal);

        // Toward the silhouette the smooth normal may lean away from the viewer: bend it back.
        let to_eye = -ray.direction.normalize();
        let smooth = blend(normals).normalize_or(facing * flat);
        let away = smooth.dot(to_eye).min(0.0);
        let normal = (smooth - (1.01 * away) * to_eye).normalize_or(facing * flat);

        // Rays toward the light start on the surface that the smooth normals describe, not on the
        // facet below it (Hanika 2021, *Hacking the Shadow Terminator*).
        let outside = [1.0, -1.0].map(|side| {
            let lift = std::array::from_fn(|k| {
                let n = side * normals[k];
                n * -(point - corners_at[k]).dot(n).min(0.0)
            });
            point + blend(lift)
        });
        let [front_color, back_color] = self.sides[triangle.mesh as usize];
        let plain = if front { front_color } else { back_color };
        let albedo = blend(vertices.map(|vertex| vertex.color.unwrap_or(plain)));
        Some(Surface { normal, outside, albedo, finish: Finish::Cloth })
    }
}

fn drawable(p: Vec3) -> bool {
    p.abs().max_element() <= FARTHEST && p.is_finite()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Camera, Settings};

    #[test]
    fn vertex_normals_of_an_uneven_sphere_point_outwards() {
        let (rings, spokes) = (9u32, 14u32);
        let mut positions = Vec::new();
        for i in 0..rings * spokes {
            // Uneven steps make triangles of very different sizes meet.
            let lift = 2.6 * ((i / spokes) as f32 / (rings - 1) as f32).powf(1.4) + 0.2;
            let rotation = std::f32::consts::TAU * ((i % spokes) as f32 / spokes as f32).powf(1.3);
            let at = [lift.sin() * rotation.cos(), lift.cos(), lift.sin() * rotation.sin()];
            positions.push(at);
        }
        let mut triangles = Vec::new();
        for i in 0..(rings - 1) * spokes {
            let next = i / spokes * spokes + (i + 1) % spokes;
            triangles.extend([[i, next, i + spokes], [next, next + spokes, i + spokes]]);
        }
        let picture =
            Picture { meshes: vec![Mesh::new(positions, triangles)], ..Picture::default() };
        let camera = Camera { eye: [0.0, 0.0, 5.0], target: [0.0; 3], fov_y: 40.0 };
        let view = camera.view(&Settings::default()).expect("a view");
        let scene = Scene::new(&picture, &view).expect("a scene");
        let inner = &scene.corners[spokes as usize..((rings - 1) * spokes) as usize];
        for vertex in inner {
            let along = vertex.normal.dot(vertex.position.normalize());
            assert!(along > 1.0 - 1e-4, "{} at {}", vertex.normal, vertex.position);
        }
    }
}
