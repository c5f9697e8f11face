//! Obstacles by projection.

use crate::common::*;
use hooke::model::{Motion, Obstacle, ObstacleMotion, Response, Shape};
use hooke::{Model, Simulation, State, Vec3};

fn floor(restitution: f64, friction: f64) -> Obstacle {
    Obstacle {
        shape: Shape::HalfSpace,
        pose: ObstacleMotion::facing(Vec3::ZERO, p(0.0, 2.0, 0.0)).unwrap(),
        response: Response::Bounce { restitution, friction },
        thickness: 0.0,
    }
}

#[test]
fn bounces_lose_height_by_the_square_of_restitution() {
    let mut model = Model::new();
    model.set_gravity(p(0.0, -9.8, 0.0)).unwrap();
    model.add_particle(p(0.0, 1.0, 0.0), 0.3).unwrap();
    model.add_obstacle(floor(0.5, 0.0)).unwrap();
    let start = State::at_rest(&model);
    let mut simulation = simulation(model, method("velocity-verlet", &[]), 1e-4, start);
    let mut heights = Vec::new();
    let mut last = -1.0;
    for _ in 0..13_000 {
        simulation.step().unwrap();
        let v = simulation.state().velocities[0].y;
        if last > 0.0 && v <= 0.0 {
            heights.push(simulation.state().positions[0].y);
        }
        last = v;
    }
    for (height, expected) in heights.iter().zip([0.25, 0.0625, 0.015625]) {
        assert!((height / expected - 1.0).abs() < 0.02, "{heights:?}");
    }
    assert!(heights.len() >= 3);
}

/// Work of contact and unexplained energy (J) of so many steps.
fn books(simulation: &mut Simulation, steps: u32) -> [f64; 2] {
    let mut sum = [0.0; 2];
    for _ in 0..steps {
        let report = simulation.step().unwrap();
        sum[0] += report.work.contact;
        sum[1] += report.numerical;
    }
    sum
}

/// Two masses of which one stands on the other, on a spring that is soft for the step or hardly
/// stable: what the dynamics try against the floor is no work of contact, and no error.
#[test]
fn what_rests_on_the_floor_costs_no_energy() {
    for share in [0.2, 1.0, 1.9] {
        let (h, mass) = (0.01, 0.3);
        let stiffness = mass * (share / h) * (share / h) / 2.0;
        let sag = mass * 9.8 / stiffness;
        let mut model = Model::new();
        model.set_gravity(p(0.0, -9.8, 0.0)).unwrap();
        let [low, high] = [p(0.0, 0.0, 0.0), p(0.0, 1.0 - sag, 0.0)];
        let (a, b) =
            (model.add_particle(low, mass).unwrap(), model.add_particle(high, mass).unwrap());
        model.add_spring(a, b, stiffness, Some(1.0)).unwrap();
        model.add_obstacle(floor(0.0, 0.0)).unwrap();
        let start = State::at_rest(&model);
        let mut simulation = simulation(model, method("symplectic-euler", &[]), h, start);
        let weight = mass * 9.8 * sag;
        for work in books(&mut simulation, 500) {
            assert!(work.abs() < 1e-6 * weight, "at hω = {share}: {work:e} J");
        }
    }
}

#[test]
fn a_bounce_costs_what_restitution_takes() {
    let explicit = ["symplectic-euler", "velocity-verlet", "rk4"];
    for (name, restitution) in explicit.into_iter().zip([0.0, 0.5, 0.9]) {
        let mut model = Model::new();
        model.set_gravity(p(0.0, -9.8, 0.0)).unwrap();
        model.add_particle(p(0.0, 1.0, 0.0), 0.3).unwrap();
        model.add_obstacle(floor(restitution, 0.0)).unwrap();
        let start = State::at_rest(&model);
        let mut simulation = simulation(model, method(name, &[]), 1e-4, start);
        // Half a second: it has landed once.
        let [contact, numerical] = books(&mut simulation, 5000);
        let lost = 0.3 * 9.8 * (1.0 - restitution * restitution);
        assert!((contact / -lost - 1.0).abs() < 5e-3, "{name}: {contact} J of {lost} J");
        assert!(numerical.abs() < 5e-3 * 0.3 * 9.8, "{name}: {numerical} J");
    }
}

#[test]
fn what_lands_comes_to_rest() {
    for name in names() {
        let mut model = Model::new();
        model.add_particle(p(0.0, 0.1, 0.0), 0.3).unwrap();
        model.add_obstacle(floor(0.4, 0.3)).unwrap();
        let mut state = State::at_rest(&model);
        state.velocities[0] = p(0.5, 0.0, 0.0);
        let mut simulation = simulation(model, method(name, &[]), 0.005, state);
        run(&mut simulation, 1000);
        let state = simulation.state();
        // Forward Euler notices a fall one step late.
        let slack = if name == "forward-euler" { 3.0 * 9.81 * 0.005 } else { 1e-9 };
        assert!(state.velocities[0].norm() < slack, "{name}: {:?}", state.velocities[0]);
        // Where contact is a potential, weight presses a little into it.
        let pressed = if method(name, &[]).contact_in_solve() { 1e-5 } else { 0.0 };
        assert!(state.positions[0].y.abs() <= 0.005 * slack + pressed, "{name}");
        assert!(simulation.report().contact.is_some());
    }
}

#[test]
fn friction_holds_above_the_slope_and_slips_below() {
    // tan θ = ½: μ = 0.51 holds, μ = 0.49 slips by 0.274 m in 2.5 s (reference case).
    let normal = p(1.0, 2.0, 0.0);
    let slide = |friction: f64| {
        let mut model = Model::new();
        model.set_gravity(p(0.0, -9.8, 0.0)).unwrap();
        model.add_particle(Vec3::ZERO, 1.0).unwrap();
        let pose = ObstacleMotion::facing(Vec3::ZERO, normal).unwrap();
        model.add_obstacle(Obstacle { pose, ..floor(0.0, friction) }).unwrap();
        let start = State::at_rest(&model);
        let mut simulation = simulation(model, method("symplectic-euler", &[]), 1e-3, start);
        run(&mut simulation, 2500);
        simulation.state().positions[0].norm()
    };
    assert!(slide(0.51) < 1e-3, "{}", slide(0.51));
    assert!((slide(0.49) / 0.2739183272437252 - 1.0).abs() < 0.02, "{}", slide(0.49));
}

#[test]
fn a_moving_sphere_carries_a_cloth() {
    let mut model = Model::new();
    let grid = hooke::Grid {
        down: p(0.0, 0.0, 1.0),
        origin: p(-0.5, 0.31, -0.5),
        ..hooke::Grid::square(12)
    };
    grid.add_to(&mut model).unwrap();
    let track = hooke::model::Track::new(
        vec![0.0, 1.0],
        vec![Vec3::ZERO, p(0.0, 0.5, 0.0)],
        hooke::model::Interpolation::Linear,
        false,
    );
    let center = Motion::along(track.unwrap());
    let shape = Shape::Sphere { radius: 0.3 };
    let pose = center.clone().into();
    model.add_obstacle(Obstacle { shape, pose, ..floor(0.0, 0.5) }).unwrap();
    let mut simulation = Simulation::new(model, "newton", 1.0 / 120.0).unwrap();
    run(&mut simulation, 120);
    let top = simulation.state().positions.iter().map(|x| x.y).fold(f64::MIN, f64::max);
    assert!((top - 0.8).abs() < 0.02, "{top}");
    for x in &simulation.state().positions {
        assert!((*x - center.at(1.0)).norm() >= 0.3 - 1e-5);
    }
}
