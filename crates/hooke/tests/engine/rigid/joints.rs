//! Joints hold, swing as they should, and stop at their limits.

use super::{block, start, up};
use crate::common::p;
use crate::reference::{number, read};
use hooke::model::RigidBodyId;
use hooke::rigid::{Joint, JointKind, RigidBodySettings};
use hooke::{Model, Vec3};

fn numbered(index: u32) -> Option<RigidBodyId> {
    Some(RigidBodyId::new(index))
}

#[test]
fn a_chain_of_ten_boxes_holds_its_anchors() {
    let mut model = Model::new();
    for k in 0..10 {
        let mut body = block(p(0.1, 0.03, 0.03), p(0.1 + 0.2 * f64::from(k), 0.0, 0.0));
        // A heavy end makes it hard for what relaxes joint by joint.
        if k == 9 {
            body.set_mass(100.0 * body.mass().mass).unwrap();
        }
        model.add_rigid_body(body).unwrap();
        let before = (k > 0).then(|| RigidBodyId::new(k as u32 - 1));
        model
            .add_joint(Joint::ball([before, numbered(k as u32)], p(0.2 * f64::from(k), 0.0, 0.0)))
            .unwrap();
    }
    let mut simulation = start(model, RigidBodySettings::default());
    let energy = simulation.report().energy.total();
    let (mut apart, mut told, mut most, mut least) = (0.0f64, 0.0f64, 0.0f64, 0.0f64);
    for _ in 0..600 {
        let report = simulation.step().unwrap();
        told = told.max(report.rigid_bodies.unwrap().joints);
        most = most.max(report.energy.total() - energy);
        least = least.min(report.energy.total() - energy);
        let bodies = &simulation.state().rigid_bodies;
        for k in 0..10 {
            let own = bodies[k].pose.world(p(-0.1, 0.0, 0.0));
            let other =
                if k == 0 { Vec3::ZERO } else { bodies[k - 1].pose.world(p(0.1, 0.0, 0.0)) };
            apart = apart.max((own - other).norm());
        }
    }
    let scale =
        simulation.model().rigid_bodies().iter().map(|b| b.mass().mass).sum::<f64>() * 9.81 * 2.0;
    println!(
        "chain of ten: anchors apart by {apart:.1e} m, told {told:.1e}, energy {:+.1e} {:+.1e} of m g l",
        least / scale,
        most / scale
    );
    assert!(apart < 1e-6, "apart by {apart} m");
    assert!(told < 1e-6 && told > 0.0);
    assert!(most < 0.02 * scale, "gains {most} J of {scale} J");
}

#[test]
fn a_pendulum_on_a_hinge_has_the_exact_period() {
    // Small against its length: a point on a rod of 1 m.
    let case = &read("two_body_and_misc")["outputs"]["pendulum_period"];
    for (name, angle) in [("theta0=0.5", 0.5f64), ("theta0=2", 2.0)] {
        let mut model = Model::new();
        let half = 0.01;
        let mut body = block(p(half, half, half), p(angle.sin(), -angle.cos(), 0.0));
        body.set_mass(1.0).unwrap();
        model.add_rigid_body(body).unwrap();
        let kind = JointKind::Hinge { range: None };
        model
            .add_joint(Joint::new([None, numbered(0)], Vec3::ZERO, p(0.0, 0.0, 1.0), kind))
            .unwrap();
        let mut simulation =
            start(model, RigidBodySettings { substeps: 32, ..RigidBodySettings::default() });
        let mut crossings = vec![];
        let mut last = angle.sin();
        for step in 1..1200 {
            simulation.step().unwrap();
            let x = simulation.state().rigid_bodies[0].pose.position.x;
            if last < 0.0 && x >= 0.0 {
                crossings.push((f64::from(step) - x / (x - last)) / 60.0);
            }
            last = x;
        }
        let period = (crossings[crossings.len() - 1] - crossings[0]) / (crossings.len() - 1) as f64;
        let expected = number(&case[name]);
        assert!((period / expected - 1.0).abs() < 2e-3, "{name}: {period} s for {expected} s");
    }
}

#[test]
fn limits_stop_hinges_sliders_strings_and_cones() {
    let axis = p(0.0, 0.0, 1.0);
    let fall = |joint: Joint, at: Vec3| {
        let mut model = Model::new();
        model.add_rigid_body(block(p(0.1, 0.05, 0.05), at)).unwrap();
        model.add_joint(joint).unwrap();
        let mut simulation = start(model, RigidBodySettings::default());
        let mut path = vec![];
        for _ in 0..180 {
            simulation.step().unwrap();
            path.push(simulation.state().rigid_bodies[0].pose);
        }
        path
    };
    // A flap that falls to 45 degrees below the horizontal.
    let kind = JointKind::Hinge { range: Some([-0.785, 0.5]) };
    let path = fall(Joint::new([None, numbered(0)], Vec3::ZERO, axis, kind), p(0.5, 0.0, 0.0));
    let lowest = path.iter().map(|at| at.position.y).fold(0.0, f64::min);
    assert!((lowest + 0.5 * 0.785f64.sin()).abs() < 0.01, "{lowest}");
    // A bead that slides down 0.3 m, and does not turn.
    let kind = JointKind::Slider { range: Some([-0.3, 0.1]) };
    let path = fall(Joint::new([None, numbered(0)], Vec3::ZERO, up(1.0), kind), p(0.5, 0.0, 0.0));
    let end = path[179];
    assert!(
        (end.position - p(0.5, -0.3, 0.0)).norm() < 0.01 && end.rotation.angle() < 1e-6,
        "{end:?}"
    );
    // A string of 1 m, slack at first.
    let kind = JointKind::Distance { range: [0.0, 1.0] };
    let path = fall(
        Joint {
            anchors: [Vec3::ZERO, p(0.2, 0.0, 0.0)],
            ..Joint::new([None, numbered(0)], Vec3::ZERO, axis, kind)
        },
        p(0.2, 0.0, 0.0),
    );
    let farthest = path.iter().map(|at| at.position.norm()).fold(0.0, f64::max);
    assert!((farthest - 1.0).abs() < 0.01, "{farthest}");
    // A cone of 0.5 about where it starts.
    let kind = JointKind::Ball { swing: Some(0.5) };
    let path =
        fall(Joint::new([None, numbered(0)], Vec3::ZERO, p(1.0, 0.0, 0.0), kind), p(0.5, 0.0, 0.0));
    let most = path.iter().map(|at| at.rotation.angle()).fold(0.0, f64::max);
    assert!(most > 0.49 && most < 0.52, "{most}");
}

/// Steps free joined bodies; momenta stay, joints hold, and no energy comes from nowhere.
fn stays_whole(name: &str, mut model: Model, most: f64) {
    model.set_gravity(Vec3::ZERO).unwrap();
    let mut simulation = start(model, RigidBodySettings::default());
    let (linear, angular) = (simulation.report().momentum, simulation.report().angular_momentum);
    let (mut errors, mut apart, mut gained) = ([0.0f64; 2], 0.0f64, 0.0f64);
    let mut energy = simulation.report().energy.kinetic;
    let whole = energy;
    for _ in 0..300 {
        let report = simulation.step().unwrap();
        let told = report.rigid_bodies.unwrap();
        assert_eq!(told.contacts, 0, "{name}: only joints act");
        errors[0] = errors[0].max((report.momentum - linear).norm() / linear.norm());
        errors[1] = errors[1].max((report.angular_momentum - angular).norm() / angular.norm());
        apart = apart.max(told.joints);
        gained += (report.energy.kinetic - energy).max(0.0);
        energy = report.energy.kinetic;
    }
    let (kept, gained) = (energy / whole, gained / whole);
    println!(
        "{name}: momentum off by {:.1e}, angular momentum by {:.1e}, joints by {apart:.1e}, \
         keeps {kept:.3} of its energy, all rises {gained:.1e}",
        errors[0], errors[1]
    );
    assert!(errors.iter().all(|error| *error < 1e-9), "{name}: {errors:?}");
    assert!(apart < most, "{name}: joints off by {apart}");
    assert!(gained < 1e-2, "{name}: gains {gained} of its energy");
}

/// Four small boxes in a row.
fn row() -> Model {
    let mut model = Model::new();
    for k in 0..4 {
        let mut body = block(p(0.02, 0.01, 0.015), p(0.3 * f64::from(k), 0.0, 0.0));
        body.start.twist.linear = p(0.1, f64::from(k), -0.5);
        body.start.twist.angular = p(1.0, 0.0, f64::from(k));
        model.add_rigid_body(body).unwrap();
    }
    model.add_joint(Joint::ball([numbered(0), numbered(1)], p(0.15, 0.0, 0.0))).unwrap();
    let kind = JointKind::Hinge { range: None };
    model
        .add_joint(Joint::new([numbered(1), numbered(2)], p(0.45, 0.0, 0.0), up(1.0), kind))
        .unwrap();
    let ends = [p(0.65, 0.0, 0.0), p(0.85, 0.0, 0.0)];
    model.add_joint(Joint::rod([numbered(2), numbered(3)], ends)).unwrap();
    model
}

#[test]
fn free_bodies_that_are_joined_keep_momentum() {
    stays_whole("an open row", row(), 1e-9);
    // Four bars and four hinges that all say that the motion is plane.
    let mut ring = Model::new();
    for k in 0..4u32 {
        let at = [p(0.0, 0.0, 0.0), p(0.5, 0.0, 0.1), p(0.6, 0.0, 0.6), p(-0.1, 0.0, 0.5)];
        let mut body = block(p(0.03, 0.01, 0.02), at[k as usize]);
        body.start.twist.linear = p(0.3, f64::from(k), -0.5 * f64::from(k));
        body.start.twist.angular = p(0.2, f64::from(k), 0.1);
        ring.add_rigid_body(body).unwrap();
    }
    let kind = JointKind::Hinge { range: None };
    for (k, at) in [p(0.3, 0.0, -0.1), p(0.7, 0.0, 0.3), p(0.2, 0.0, 0.7), p(-0.2, 0.0, 0.2)]
        .iter()
        .enumerate()
    {
        let pair = [numbered(k as u32), numbered((k as u32 + 1) % 4)];
        ring.add_joint(Joint::new(pair, *at, up(1.0), kind)).unwrap();
    }
    stays_whole("a ring of four hinges", ring, 1e-9);
    // A rod as long as the row is straight: only to first order can any of them still move.
    let mut taut = row();
    let ends = [p(0.0, 0.0, 0.0), p(0.9, 0.0, 0.0)];
    taut.add_joint(Joint::rod([numbered(0), numbered(3)], ends)).unwrap();
    stays_whole("a taut loop", taut, 3e-6);
}

#[test]
fn joints_hold_ten_thousand_times_the_weight_of_a_link() {
    // Hanging with a little push, and let go level.
    for level in [false, true] {
        let way = if level { p(0.2, 0.0, 0.0) } else { p(0.0, -0.2, 0.0) };
        let mut model = Model::new();
        for k in 0..10u32 {
            let half = p(0.03, 0.03, 0.03) + p(way.x.abs(), way.y.abs(), 0.0) * 0.35;
            let mut body = block(half, way * (f64::from(k) + 0.5));
            body.start.twist.linear = p(0.01, 0.0, 0.02);
            if k == 9 {
                body.set_mass(1e4 * body.mass().mass).unwrap();
            }
            model.add_rigid_body(body).unwrap();
            let joint = Joint::ball(
                [k.checked_sub(1).map(RigidBodyId::new), Some(RigidBodyId::new(k))],
                way * f64::from(k),
            );
            model.add_joint(joint).unwrap();
        }
        let mut simulation = start(model, RigidBodySettings::default());
        let energy = simulation.report().energy.total();
        let weight: f64 =
            simulation.model().rigid_bodies().iter().map(|body| body.mass().mass).sum();
        let (mut apart, mut gained) = (0.0f64, 0.0f64);
        for _ in 0..90 {
            let report = simulation.step().unwrap();
            apart = apart.max(report.rigid_bodies.unwrap().joints);
            gained = gained.max((report.energy.total() - energy) / (weight * 9.81 * 2.0));
        }
        println!(
            "10 000 : 1, level {level}: joints off by {apart:.1e} m, gains {gained:.1e} of m g l"
        );
        assert!(apart < 1e-6 * 2.0, "level {level}: joints off by {apart} m");
        assert!(gained < 1e-3, "level {level}: gains {gained} of m g l");
    }
}
