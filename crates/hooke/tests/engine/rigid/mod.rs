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
use hooke::model::{Obstacle, ObstacleMotion, Response, Shape};
use hooke::rigid::{Pose, RigidBody, RigidBodySettings, RigidBodyState, Twist};
use hooke::{Model, Simulation, Vec3};

/// Numbers from −1 to 1, the same in every run.
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
    pub fn point(&mut self) -> Vec3 {
        p(self.roll(), self.roll(), self.roll())
    }
}

/// A box of a half size (m) at a place, of wood's density.
pub fn block(half: Vec3, at: Vec3) -> RigidBody {
    let mut body = RigidBody::solid(Shape::Box { half, inside_out: false }, 500.0).unwrap();
    body.start.pose = Pose::at(at);
    body
}

/// A ball of a radius (m) at a place.
pub fn ball(radius: f64, density: f64, at: Vec3) -> RigidBody {
    let mut body = RigidBody::solid(Shape::Sphere { radius }, density).unwrap();
    body.start.pose = Pose::at(at);
    body
}

/// A model with a floor at y = 0.
pub fn floor(restitution: f64, friction: f64) -> Model {
    let mut model = Model::new();
    let response = Response::Bounce { restitution, friction };
    let pose = ObstacleMotion::default();
    model
        .add_obstacle(Obstacle { shape: Shape::HalfSpace, pose, response, thickness: 0.0 })
        .unwrap();
    model
}

pub fn start(model: Model, settings: RigidBodySettings) -> Simulation {
    let mut simulation =
        Simulation::new(model, method("symplectic-euler", &[]), 1.0 / 60.0).unwrap();
    simulation.set_bodies(settings).unwrap();
    simulation
}

pub fn thrown(mut body: RigidBody, linear: Vec3, angular: Vec3) -> RigidBody {
    body.start = RigidBodyState { twist: Twist { linear, angular }, ..body.start };
    body
}

pub fn up(y: f64) -> Vec3 {
    p(0.0, y, 0.0)
}
