//! Rigid bodies.

mod coupling;
mod impulses;
mod joints;
mod masses;
mod matching;
mod rest;
mod rotation;
mod stacks;

use crate::common::{method, p};
use hooke::bodies::{Body, BodySettings, Moving, Placement, Twist};
use hooke::model::{Obstacle, Pose, Response, Shape};
use hooke::{Model, Point, Simulation};

/// Numbers from −1 to 1, the same in every run.
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
    pub fn point(&mut self) -> Point {
        p(self.roll(), self.roll(), self.roll())
    }
}

/// A box of a half size (m) at a place, of wood's density.
pub fn block(half: Point, at: Point) -> Body {
    let mut body = Body::solid(Shape::Box { half, inside_out: false }, 500.0).unwrap();
    body.start.placement = Placement::at(at);
    body
}

/// A ball of a radius (m) at a place.
pub fn ball(radius: f64, density: f64, at: Point) -> Body {
    let mut body = Body::solid(Shape::Sphere { radius }, density).unwrap();
    body.start.placement = Placement::at(at);
    body
}

/// A model with a floor at y = 0.
pub fn floor(restitution: f64, friction: f64) -> Model {
    let mut model = Model::new();
    let response = Response::Bounce { restitution, friction };
    let pose = Pose::default();
    model
        .add_obstacle(Obstacle { shape: Shape::HalfSpace, pose, response, thickness: 0.0 })
        .unwrap();
    model
}

pub fn start(model: Model, settings: BodySettings) -> Simulation {
    let mut simulation =
        Simulation::with_method(model, method("symplectic-euler", &[]), 1.0 / 60.0).unwrap();
    simulation.set_bodies(settings).unwrap();
    simulation
}

pub fn thrown(mut body: Body, linear: Point, angular: Point) -> Body {
    body.start = Moving { twist: Twist { linear, angular }, ..body.start };
    body
}

pub fn up(y: f64) -> Point {
    p(0.0, y, 0.0)
}
