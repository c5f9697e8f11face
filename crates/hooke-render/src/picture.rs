//! What one frame shows, in the caller's words: surfaces, springs, particles and a floor.

/// A point in the world: meters, Y up.
pub type Point3 = [f32; 3];

/// An sRGB color, each channel in `0..=1`, as one would type it into a drawing program.
pub type Color = [f32; 3];

/// What one frame shows. Build it anew per frame, or keep it and update the positions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Picture {
    /// Cloth and other surfaces.
    pub meshes: Vec<Mesh>,
    /// Springs and ropes.
    pub tubes: Vec<Tube>,
    /// Particles, pins and sphere obstacles.
    pub balls: Vec<Ball>,
    /// Height of the checker floor in meters, if there is one. The side of a tile is 1, 2 or 5
    /// times a power of ten meters, chosen from the distance between the camera and its target.
    pub ground: Option<f32>,
}

/// A smooth two-sided surface.
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    /// Places of the vertices.
    pub positions: Vec<Point3>,
    /// Corners of each triangle, counter-clockwise as seen from the front.
    pub triangles: Vec<[u32; 3]>,
    /// Color of the front side.
    pub front: Color,
    /// Color of the back side.
    pub back: Color,
    /// One color per vertex for both sides, in point of `front` and `back`.
    pub colors: Option<Vec<Color>>,
}

impl Mesh {
    /// A mesh in the default colors: a warm red front and a pale back.
    pub fn new(positions: Vec<Point3>, triangles: Vec<[u32; 3]>) -> Self {
        Self {
            positions,
            triangles,
            front: [0.78, 0.30, 0.24],
            back: [0.90, 0.80, 0.68],
            colors: None,
        }
    }
}

/// A straight round bar with round ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tube {
    /// One end of the axis.
    pub a: Point3,
    /// The other end of the axis.
    pub b: Point3,
    /// Radius in meters.
    pub radius: f32,
    /// Color of the surface.
    pub color: Color,
}

/// A sphere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ball {
    /// Its center.
    pub center: Point3,
    /// Radius in meters.
    pub radius: f32,
    /// Color of the surface.
    pub color: Color,
}

impl Picture {
    /// The box around everything drawable but the floor. For a clip, take the
    /// [union](Bounds::union) over its frames.
    pub fn bounds(&self) -> Bounds {
        let mut bounds = Bounds::EMPTY;
        for mesh in &self.meshes {
            for &corner in mesh.triangles.iter().flatten() {
                if let Some(&p) = mesh.positions.get(corner as usize) {
                    bounds.include(p, 0.0);
                }
            }
        }
        for tube in &self.tubes {
            bounds.include(tube.a, tube.radius);
            bounds.include(tube.b, tube.radius);
        }
        for ball in &self.balls {
            bounds.include(ball.center, ball.radius);
        }
        bounds
    }
}

/// An axis-aligned box in meters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The corner with the smallest coordinates.
    pub min: Point3,
    /// The corner with the largest coordinates.
    pub max: Point3,
}

impl Bounds {
    /// The box around nothing: the neutral element of [`Bounds::union`].
    pub const EMPTY: Self = Self { min: [f32::INFINITY; 3], max: [f32::NEG_INFINITY; 3] };

    /// Grows the box to hold a ball of `radius` meters around `point`; a non-finite one is ignored.
    pub fn include(&mut self, point: Point3, radius: f32) {
        let drawable = |x: f32| x.is_finite() && x.abs() <= crate::scene::FARTHEST;
        if point.iter().copied().all(drawable) && drawable(radius) && radius >= 0.0 {
            for (axis, x) in point.into_iter().enumerate() {
                self.min[axis] = self.min[axis].min(x - radius);
                self.max[axis] = self.max[axis].max(x + radius);
            }
        }
    }

    /// The smallest box around both.
    pub fn union(&self, other: &Self) -> Self {
        Self {
            min: std::array::from_fn(|i| self.min[i].min(other.min[i])),
            max: std::array::from_fn(|i| self.max[i].max(other.max[i])),
        }
    }

    /// Whether the box holds nothing, or is not a box because a bound is not finite.
    pub fn is_empty(&self) -> bool {
        let is_box = |i: usize| {
            self.min[i].is_finite() && self.max[i].is_finite() && self.min[i] <= self.max[i]
        };
        !(0..3).all(is_box)
    }
}
