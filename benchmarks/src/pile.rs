//! Boxes that fall into a pile: Hooke's bodies, and rapier3d beside it in the same process where the feature
//! `rapier3d` is on. Neither sleeps, both use one thread and as many parts of a step.

use hooke::math::Quat;
use hooke::model::{Obstacle, ObstacleMotion, Response, Shape};
use hooke::rigid::{Pose, RigidBody, RigidBodySettings};
use hooke::{Model, Simulation, Vec3};
use std::error::Error;
use std::time::Instant;

/// Half the side of a box (m), its density (kg/m³), the step (s) and the parts of a step.
const HALF: f64 = 0.25;
const DENSITY: f64 = 500.0;
const STEP: f64 = 1.0 / 60.0;
const SUBSTEPS: u32 = 4;
const FRICTION: f64 = 0.5;

/// What a program made of the pile.
struct Outcome {
    name: &'static str,
    /// Seconds of every step.
    seconds: Vec<f64>,
    /// The deepest overlap (m) in the last second.
    deepest: f64,
    /// All rises of the energy, relative to the energy of the start.
    rises: f64,
    /// The mean height (m) at the end.
    height: f64,
}

/// Drops so many boxes for so many steps; one line of JSON.
pub(crate) fn pile(count: usize, steps: usize) -> Result<String, Box<dyn Error>> {
    let starts = starts(count);
    let outcomes = [
        with_hooke(&starts, steps)?,
        #[cfg(feature = "rapier3d")]
        with_rapier(&starts, steps),
    ];
    let told: Vec<String> = outcomes.iter().map(Outcome::json).collect();
    Ok(format!("{{\"boxes\":{count},\"steps\":{steps},\"programs\":[{}]}}", told.join(",")))
}

impl Outcome {
    fn json(&self) -> String {
        let mut sorted = self.seconds.clone();
        sorted.sort_by(f64::total_cmp);
        let total: f64 = sorted.iter().sum();
        let median = sorted.get(sorted.len() / 2).copied().unwrap_or(0.0);
        let Self { name, deepest, rises, height, .. } = self;
        format!(
            "{{\"name\":\"{name}\",\"seconds\":{total:.4},\"median\":{median:.6},\"deepest\":{deepest:.5},\
             \"rises\":{rises:.2e},\"height\":{height:.4}}}"
        )
    }
}

/// Where boxes start: layers of a loose grid, each box turned a little.
fn starts(count: usize) -> Vec<Pose> {
    let side = (count as f64).cbrt().ceil() as usize;
    let at = |k: usize| {
        let [i, j, l] = [k % side, k / side % side, k / (side * side)].map(|i| i as f64);
        let shift = 0.1 * (l % 3.0);
        let middle = 0.5 * side as f64;
        let position = Vec3::new(i - middle + shift, 1.0 + l, j - middle - shift) * (3.6 * HALF);
        let rotation = Quat::about(Vec3::new(1.0, i, j), 0.1 * (i + 2.0 * j + 3.0 * l));
        Pose { position, rotation }
    };
    (0..count).map(at).collect()
}

fn with_hooke(starts: &[Pose], steps: usize) -> Result<Outcome, Box<dyn Error>> {
    let mut model = Model::new();
    model.add_obstacle(Obstacle {
        shape: Shape::HalfSpace,
        pose: ObstacleMotion::default(),
        response: Response::Bounce { restitution: 0.0, friction: FRICTION },
        thickness: 0.0,
    })?;
    let half = Vec3::new(HALF, HALF, HALF);
    let cube = RigidBody::solid(Shape::Box { half, inside_out: false }, DENSITY)?;
    for &pose in starts {
        let mut body = cube.clone();
        body.friction = FRICTION;
        body.start.pose = pose;
        model.add_rigid_body(body)?;
    }
    let mut simulation = Simulation::new(model, "symplectic-euler", STEP)?;
    simulation
        .set_bodies(RigidBodySettings { substeps: SUBSTEPS, ..RigidBodySettings::default() })?;
    let first = simulation.report().energy.total();
    let (mut seconds, mut before) = (Vec::new(), first);
    let (mut deepest, mut rises) = (0.0f64, 0.0);
    for step in 0..steps {
        let clock = Instant::now();
        let report = simulation.step()?;
        seconds.push(clock.elapsed().as_secs_f64());
        let now = report.energy.total();
        rises += (now - before).max(0.0) / first;
        before = now;
        if step + 60 >= steps {
            deepest = deepest.max(report.rigid_bodies.map_or(0.0, |bodies| bodies.deepest));
        }
    }
    let bodies = &simulation.state().rigid_bodies;
    let height = bodies.iter().map(|b| b.pose.position.y).sum::<f64>() / bodies.len() as f64;
    Ok(Outcome { name: "hooke", seconds, deepest, rises, height })
}

#[cfg(feature = "rapier3d")]
fn with_rapier(starts: &[Pose], steps: usize) -> Outcome {
    use rapier3d::prelude::*;

    let mut world = PhysicsWorld::new();
    world.gravity = Vector::new(0.0, -9.81, 0.0);
    world.integration_parameters.dt = STEP as f32;
    world.integration_parameters.num_solver_iterations = SUBSTEPS as usize;
    let floor = ColliderBuilder::new(SharedShape::halfspace(Vector::Y)).friction(FRICTION as f32);
    world.colliders.insert(floor);
    let mut handles = Vec::new();
    for at in starts {
        let x = at.position;
        let body = RigidBodyBuilder::dynamic()
            .translation(Vector::new(x.x as f32, x.y as f32, x.z as f32))
            .rotation({
                let rotation = at.rotation.vector();
                Vector::new(rotation.x as f32, rotation.y as f32, rotation.z as f32)
            })
            .can_sleep(false);
        let half = HALF as f32;
        let cube = ColliderBuilder::cuboid(half, half, half)
            .density(DENSITY as f32)
            .friction(FRICTION as f32);
        let body = world.rigid_bodies.insert(body);
        let cube = world.colliders.insert_with_parent(cube, body, &mut world.rigid_bodies);
        handles.push((body, cube));
    }
    let (mass, moment) = {
        let mass = DENSITY * 8.0 * HALF * HALF * HALF;
        (mass, mass * 2.0 / 3.0 * HALF * HALF)
    };
    let energy = |world: &PhysicsWorld| -> f64 {
        let of = |body: &RigidBody| {
            let v = f64::from(body.linvel().length_squared());
            let w = f64::from(body.angvel().length_squared());
            0.5 * (mass * v + moment * w) + mass * 9.81 * f64::from(body.translation().y)
        };
        handles.iter().map(|(body, _)| of(&world.rigid_bodies[*body])).sum()
    };
    let first = energy(&world);
    let (mut seconds, mut before) = (Vec::new(), first);
    let (mut deepest, mut rises) = (0.0f64, 0.0);
    for step in 0..steps {
        let clock = Instant::now();
        world.step();
        seconds.push(clock.elapsed().as_secs_f64());
        let now = energy(&world);
        rises += (now - before).max(0.0) / first;
        before = now;
        if step + 60 >= steps {
            for (_, cube) in &handles {
                for pair in world.narrow_phase.contact_pairs_with(*cube) {
                    let points = pair.manifolds().iter().flat_map(|manifold| &manifold.points);
                    deepest = points.fold(deepest, |most, point| most.max(f64::from(-point.dist)));
                }
            }
        }
    }
    let sum: f64 =
        handles.iter().map(|(body, _)| f64::from(world.rigid_bodies[*body].translation().y)).sum();
    let height = sum / handles.len() as f64;
    Outcome { name: "rapier3d", seconds, deepest, rises, height }
}
