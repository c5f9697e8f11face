//! Rigid bodies alone: a ball falls onto a floor, a pendulum swings. No method for particles is named.

use hooke::model::{Obstacle, ObstacleMotion, Response, Shape};
use hooke::rigid::{Joint, RigidBody};
use hooke::{Model, Simulation, Vec3};

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut model = Model::new();
    let response = Response::Bounce { restitution: 0.0, friction: 0.5 };
    let pose = ObstacleMotion::still(Vec3::ZERO);
    model.add_obstacle(Obstacle { shape: Shape::HalfSpace, pose, response, thickness: 0.0 })?;

    // A ball of 500 kg/m³, a meter above the floor.
    let mut ball = RigidBody::solid(Shape::Sphere { radius: 0.1 }, 500.0)?;
    ball.start.pose.position = Vec3::new(0.0, 1.0, 0.0);
    let ball = model.add_rigid_body(ball)?;

    // A box that hangs from a point of the world, pulled aside.
    let half = Vec3::new(0.05, 0.05, 0.05);
    let mut bob = RigidBody::solid(Shape::Box { half, inside_out: false }, 1000.0)?;
    bob.start.pose.position = Vec3::new(2.5, 2.0, 0.0);
    let bob = model.add_rigid_body(bob)?;
    model.add_joint(Joint::ball([None, Some(bob)], Vec3::new(2.0, 2.0, 0.0)))?;

    let mut simulation = Simulation::rigid(model, 1.0 / 120.0)?;
    for _ in 0..240 {
        simulation.step()?;
    }
    let bodies = &simulation.state().rigid_bodies;
    let (ball, bob) = (bodies[ball.index()].pose.position, bodies[bob.index()].pose.position);
    println!("the ball lies at {:.3} m, the bob swings at {:.3} m", ball.y, bob.y);
    assert!((ball.y - 0.1).abs() < 1e-3);
    assert!(((bob - Vec3::new(2.0, 2.0, 0.0)).norm() - 0.5).abs() < 1e-3);
    Ok(())
}
