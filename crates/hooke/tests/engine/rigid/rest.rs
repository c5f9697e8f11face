//! Single bodies: they bounce as high as restitution says, slide as friction says, and come to rest.

use super::{ball, block, floor, start, thrown, up};
use crate::common::p;
use crate::reference::{number, read};
use hooke::math::Quat;
use hooke::model::{Obstacle, ObstacleMotion, Response, RigidBodyId, Shape};
use hooke::rigid::{Pose, RigidBodyMethod, RigidBodySettings};
use hooke::{Model, Vec3};

const BOTH: [RigidBodyMethod; 2] = [RigidBodyMethod::Impulse, RigidBodyMethod::ShapeMatching];

fn fine(bodies: RigidBodyMethod) -> RigidBodySettings {
    RigidBodySettings { name: bodies, substeps: 64, ..RigidBodySettings::default() }
}

#[test]
fn a_ball_bounces_as_high_as_the_reference() {
    BOTH.into_iter().for_each(bounce);
}

fn bounce(by: RigidBodyMethod) {
    let case = &read("two_body_and_misc")["outputs"]["restitution_bounce"];
    let mut model = floor(0.5, 0.0);
    model.set_gravity(up(-9.81)).unwrap();
    let radius = 0.1;
    model.add_rigid_body(ball(radius, 500.0, up(radius + number(&case["drop_height"])))).unwrap();
    let mut simulation = start(model, fine(by));
    let (mut tops, mut last) = (vec![], -1.0);
    for _ in 0..100 {
        simulation.step().unwrap();
        let body = &simulation.state().rigid_bodies[0];
        let v = body.twist.linear.y;
        if last > 0.0 && v <= 0.0 {
            tops.push(body.pose.position.y - radius + v * v / 2.0 / 9.81);
        }
        last = v;
    }
    for (k, top) in tops.iter().take(3).enumerate() {
        let expected = number(&case["heights"][k + 1]);
        assert!((top / expected - 1.0).abs() < 0.05, "{by:?}: bounce {k}: {top} for {expected}");
    }
    assert!(tops.len() >= 3, "{by:?}");
    for _ in 0..100 {
        simulation.step().unwrap();
    }
    let body = &simulation.state().rigid_bodies[0];
    // The points of a matched ball are the corners of a polyhedron, which rocks a little.
    let still = if by == RigidBodyMethod::Impulse { 1e-6 } else { 2e-3 };
    assert!(body.twist.linear.norm() < still, "{by:?} comes to rest: {:?}", body.twist);
}

#[test]
fn a_box_on_a_slope_sticks_or_slides_as_friction_says() {
    BOTH.into_iter().for_each(slope);
}

fn slope(by: RigidBodyMethod) {
    let case = &read("two_body_and_misc")["outputs"]["incline"];
    let angle = number(&case["slope_deg"]).to_radians();
    let slide = |friction: f64, seconds: f64| {
        let mut model = Model::new();
        let up = p(-angle.sin(), angle.cos(), 0.0);
        let pose = ObstacleMotion::facing(hooke::model::Motion::still(Vec3::ZERO), up).unwrap();
        let response = Response::Bounce { restitution: 0.0, friction };
        model
            .add_obstacle(Obstacle { shape: Shape::HalfSpace, pose, response, thickness: 0.0 })
            .unwrap();
        let mut body = block(p(0.2, 0.1, 0.2), up * 0.1);
        body.friction = friction;
        body.start.pose.rotation = Quat::between(p(0.0, 1.0, 0.0), up);
        model.add_rigid_body(body).unwrap();
        let mut simulation = start(model, fine(by));
        for _ in 0..(seconds * 60.0) as usize {
            simulation.step().unwrap();
        }
        (simulation.state().rigid_bodies[0].pose.position - up * 0.1).norm()
    };
    let far = slide(0.49, 2.5);
    let expected = number(&case["distance_after_2.5s_mu_0.49"]);
    assert!((far / expected - 1.0).abs() < 0.05, "{by:?}: {far} m for {expected} m");
    let far = slide(0.3, 1.0);
    let expected = 0.5 * number(&case["accel_mu_0.3"]);
    assert!((far / expected - 1.0).abs() < 0.03, "{by:?}: {far} m for {expected} m");
    let stuck = slide(0.51, 2.5);
    assert!(stuck < 3e-3, "{by:?} creeps by {stuck} m");
}

#[test]
fn a_thrown_mesh_comes_to_rest_under_every_method_and_rule() {
    let (vertices, triangles) = super::masses::box_mesh(p(0.3, 0.2, 0.1));
    for settings in [
        RigidBodySettings::default(),
        RigidBodySettings {
            rule: hooke::rigid::impulse::Rule::Classic,
            ..RigidBodySettings::default()
        },
        RigidBodySettings { name: RigidBodyMethod::ShapeMatching, ..RigidBodySettings::default() },
    ] {
        let mut model = floor(0.3, 0.5);
        let mut body = hooke::rigid::RigidBody::of_mesh(&vertices, &triangles, 500.0).unwrap();
        body.restitution = 0.3;
        body.start.pose = Pose { position: up(1.0), rotation: Quat::about(p(1.0, 2.0, 3.0), 1.0) };
        model.add_rigid_body(thrown(body, p(1.0, 0.5, 0.0), p(2.0, 1.0, -3.0))).unwrap();
        let mut simulation = start(model, settings.clone());
        for _ in 0..400 {
            simulation.step().unwrap();
        }
        let (mut fastest, mut lowest) = (0.0f64, f64::MAX);
        for _ in 0..60 {
            simulation.step().unwrap();
            let body = simulation.state().rigid_bodies[0];
            fastest = fastest.max(body.twist.linear.norm() + body.twist.angular.norm());
            lowest = lowest.min(body.pose.position.y);
        }
        println!("{settings:?}: rests with {fastest:.1e}, at a height of {lowest:.4}");
        assert!(fastest < 1e-2, "{settings:?} jitters with {fastest}");
        assert!((lowest - 0.1).abs() < 0.01, "{settings:?} lies flat, at {lowest}");
    }
}

#[test]
fn an_elastic_ball_keeps_its_energy() {
    let mut model = floor(1.0, 0.0);
    model.add_rigid_body(ball(0.1, 500.0, up(1.0))).unwrap();
    let mut simulation = start(model, fine(RigidBodyMethod::Impulse));
    let whole = simulation.report().energy.total();
    let mut most = 0.0f64;
    for _ in 0..600 {
        most = most.max(simulation.step().unwrap().energy.total() / whole);
    }
    assert!(most < 1.01, "rises to {most}");
    assert!(simulation.report().energy.total() > 0.9 * whole);
}

#[test]
fn a_room_and_a_moving_plate_hold_what_is_in_them() {
    let mut model = Model::new();
    let response = Response::Bounce { restitution: 0.5, friction: 0.3 };
    let shape = Shape::Box { half: p(1.0, 1.0, 1.0), inside_out: true };
    model
        .add_obstacle(Obstacle { shape, pose: ObstacleMotion::default(), response, thickness: 0.0 })
        .unwrap();
    for k in 0..8 {
        let at =
            p(f64::from(k & 1), f64::from(k >> 1 & 1), f64::from(k >> 2)) * 0.8 - p(0.4, 0.4, 0.4);
        let mut body = ball(0.2, 500.0, at);
        body.restitution = 0.5;
        model.add_rigid_body(thrown(body, at * -7.0, Vec3::ZERO)).unwrap();
    }
    let mut simulation = start(model, RigidBodySettings::default());
    for _ in 0..300 {
        simulation.step().unwrap();
        for body in &simulation.state().rigid_bodies {
            let x = body.pose.position;
            let far = x.x.abs().max(x.y.abs()).max(x.z.abs());
            assert!(far < 0.81, "leaves the room: {x:?}");
        }
    }
}

#[test]
fn a_hand_carries_a_body_and_lets_it_go() {
    let mut model = floor(0.0, 0.5);
    model.add_rigid_body(block(p(0.2, 0.1, 0.2), up(0.1))).unwrap();
    let weight = model.rigid_bodies()[0].mass().mass * 9.81;
    let mut simulation = start(model, RigidBodySettings::default());
    // By the middle of its top, by springs that sag by a centimeter and by a micrometer.
    for stiffness in [weight / 1e-2, weight / 1e-6] {
        let top = simulation.state().rigid_bodies[0].pose.world(up(0.1));
        let grab = simulation.grab_body(RigidBodyId::new(0), top, stiffness).unwrap();
        for k in 0..400 {
            let to = top + up(f64::from(k).min(60.0) / 60.0);
            simulation.move_grab(&grab, to).unwrap();
            simulation.step().unwrap();
        }
        let body = simulation.state().rigid_bodies[0];
        let sags = top.y + 1.0 - body.pose.world(up(0.1)).y;
        assert!((sags * stiffness / weight - 1.0).abs() < 0.1, "sags by {sags} m");
        simulation.release(grab);
        (0..200).for_each(|_| drop(simulation.step().unwrap().clone()));
        let body = simulation.state().rigid_bodies[0];
        assert!(body.pose.position.y < 0.25, "falls: {:?}", body.pose);
        assert!(body.twist.linear.norm() < 1e-2, "and lies: {:?}", body.twist);
    }
    assert!(simulation.grab_body(RigidBodyId::new(1), Vec3::ZERO, 1.0).is_err());
    assert!(simulation.grab_body(RigidBodyId::new(0), Vec3::ZERO, 0.0).is_err());
}

#[test]
fn rolling_friction_stops_a_ball_where_it_should() {
    // With a torque ρ N against it, a solid ball slows by ρ g/(1.4 r).
    let (rolling, radius, speed) = (0.01, 0.1, 1.0);
    let roll = |rolling: f64, seconds: f64| {
        let mut model = floor(0.0, 0.5);
        let mut body = ball(radius, 500.0, up(radius));
        body.rolling = rolling;
        model
            .add_rigid_body(thrown(body, p(speed, 0.0, 0.0), p(0.0, 0.0, -speed / radius)))
            .unwrap();
        let mut simulation = start(model, RigidBodySettings::default());
        (0..(60.0 * seconds) as usize).for_each(|_| drop(simulation.step().unwrap().clone()));
        simulation.state().rigid_bodies[0]
    };
    let slows = rolling * 9.81 / (1.4 * radius);
    let far = roll(rolling, 3.0).pose.position.x;
    let expected = speed * speed / (2.0 * slows);
    assert!((far / expected - 1.0).abs() < 0.05, "{far} m for {expected} m");
    let end = roll(rolling, 5.0).twist;
    assert!(end.linear.norm() < 1e-6 && end.angular.norm() < 1e-5, "lies still: {end:?}");
    let free = roll(0.0, 3.0).twist.linear.x;
    assert!((free - speed).abs() < 5e-3, "rolls on without it: {free} m/s");
}

#[test]
fn a_heap_of_balls_comes_to_rest_with_rolling_friction() {
    let end = |rolling: f64| {
        let (mut model, mut dice) = (floor(0.0, 0.5), super::Dice(7));
        for k in 0..64 {
            let grid = p(f64::from(k % 4), f64::from(k / 16), f64::from(k / 4 % 4)) * 0.21;
            let mut body = ball(0.1, 500.0, up(0.1) + grid + dice.point() * 0.01);
            body.rolling = rolling;
            model.add_rigid_body(body).unwrap();
        }
        let mut simulation = start(model, RigidBodySettings::default());
        (0..3600).for_each(|_| drop(simulation.step().unwrap().clone()));
        let bodies = simulation.state().rigid_bodies.iter();
        bodies.map(|body| body.twist.linear.norm()).fold(0.0, f64::max)
    };
    let [with, without] = [0.002, 0.0].map(end);
    println!(
        "64 balls after a minute: {with:.1e} m/s with rolling friction, {without:.1e} m/s without"
    );
    assert!(with < 1e-4, "{with} m/s");
    assert!(without > 0.1, "without it the outer ones roll on: {without} m/s");
}

#[test]
fn inertia_can_be_given_by_hand() {
    use hooke::math::Mat3;
    let mut body = block(p(0.1, 0.1, 0.1), Vec3::ZERO);
    let given = Mat3([[0.3, 0.02, 0.0], [0.02, 0.25, 0.0], [0.0, 0.0, 0.2]]);
    body.set_inertia(given).unwrap();
    assert_eq!(body.mass().inertia, given);
    let inverse = body.inverse_inertia_in(Quat::IDENTITY) * given;
    for (row, values) in inverse.0.iter().enumerate() {
        for (column, value) in values.iter().enumerate() {
            let one = if row == column { 1.0 } else { 0.0 };
            assert!((value - one).abs() < 1e-12, "{inverse:?}");
        }
    }
    let diagonal = |x: f64, y: f64, z: f64| Mat3([[x, 0.0, 0.0], [0.0, y, 0.0], [0.0, 0.0, z]]);
    for wrong in [diagonal(1.0, 0.2, 0.2), diagonal(-1.0, 1.0, 1.0), diagonal(f64::NAN, 1.0, 1.0)] {
        assert!(body.set_inertia(wrong).is_err(), "{wrong:?}");
    }
    assert_eq!(body.mass().inertia, given, "what is refused changes nothing");
}
