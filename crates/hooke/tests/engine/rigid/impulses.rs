//! The impulse of an impact against reference numbers, and its promises on random ones.

use super::{Dice, block, start};
use crate::common::p;
use crate::reference::{number, point, points, read};
use hooke::math::{Mat3, Quat};
use hooke::rigid::RigidBodySettings;
use hooke::rigid::impulse::{Rule, Surfaces, contact_matrix, impulse};
use hooke::{Model, Vec3};

fn matrix(value: &serde_json::Value) -> Mat3 {
    Mat3(std::array::from_fn(|row| points(value)[row].to_array()))
}

#[test]
fn single_contacts_match_the_reference() {
    let case = read("rigid_impulse");
    let inputs = &case["inputs"];
    let mass = number(&inputs["mass"]);
    let r = matrix(&inputs["R"]);
    let inverse = (r * matrix(&inputs["I_ref"]) * r.transpose()).inverse();
    let (arm, normal) = (point(&inputs["Rr"]), point(&inputs["N"]));
    let (linear, angular) = (point(&inputs["v"]), point(&inputs["omega"]));
    let k = contact_matrix(1.0 / mass, &inverse, arm);
    let v = linear + angular.cross(arm);
    for (name, rule, restitution, friction) in [
        ("slip_muN_0.5_muT_0.2", Rule::Classic, 0.5, 0.2),
        ("stick_muN_0.5_muT_0.9", Rule::Classic, 0.5, 0.9),
        ("inelastic_frictionless", Rule::Classic, 0.0, 0.0),
        ("elastic_frictionless", Rule::Classic, 1.0, 0.0),
        ("physical_frictionless_elastic_e=1_mu=0", Rule::Physical, 1.0, 0.0),
        ("physical_coulomb_e=0.5_mu=0.2", Rule::Physical, 0.5, 0.2),
        ("physical_coulomb_e=0.5_mu=0.9", Rule::Physical, 0.5, 0.9),
    ] {
        let expected = &case["outputs"][name];
        let j = impulse(rule, v, &k, &Surfaces { normal, restitution, friction });
        let after = [linear + j * (1.0 / mass), angular + inverse * arm.cross(j)];
        let close = |got: Vec3, field: &str| {
            let error = (got - point(&expected[field])).norm();
            assert!(error < 1e-11, "{name}: {field} is off by {error:e}");
        };
        close(j, "impulse_j");
        close(after[0], "v_after");
        close(after[1], "omega_after");
        close(after[0] + after[1].cross(arm), "v_contact_after");
        if let Some(expected) = expected["K"].as_array() {
            let expected: Vec<Vec3> = expected.iter().map(point).collect();
            for (row, expected) in k.0.iter().zip(expected) {
                assert!((Vec3::from(*row) - expected).norm() < 1e-11);
            }
        }
    }
}

#[test]
fn the_physical_rule_never_creates_energy_and_stays_in_the_cone() {
    let mut dice = Dice(1);
    let (mut classic_gains, mut sticks) = (0, 0);
    for _ in 0..20_000 {
        let axes = Mat3::rotation(dice.point().unit(), 3.0 * dice.roll());
        let moments = Vec3::new(1.3, 1.0, 0.5) * (0.2 + 0.1 * dice.roll());
        let inverse = axes.scaled_columns(p(1.0 / moments.x, 1.0 / moments.y, 1.0 / moments.z))
            * axes.transpose();
        let k = contact_matrix(1.0 + 0.5 * dice.roll(), &inverse, dice.point());
        let (v, normal) = (dice.point() * 3.0, dice.point().unit());
        let friction = 1.0 + dice.roll();
        let restitution = 0.5 + 0.5 * dice.roll();
        let surfaces = Surfaces { normal, restitution, friction };
        let gain = |j: Vec3| v.dot(j) + 0.5 * j.dot(k * j);
        let j = impulse(Rule::Physical, v, &k, &surfaces);
        assert!(gain(j) <= 1e-12, "gains {:e}", gain(j));
        let (pressed, dragged) = (j.dot(normal), (j - normal * j.dot(normal)).norm());
        assert!(pressed >= 0.0 && dragged <= friction * pressed + 1e-9, "{pressed} {dragged}");
        if v.dot(normal) < 0.0 {
            let after = v + k * j;
            assert!(after.dot(normal) >= -1e-9, "still approaches: {after:?}");
            sticks += i32::from((after - normal * after.dot(normal)).norm() < 1e-9);
        } else {
            assert_eq!(j, Vec3::ZERO);
        }
        classic_gains += i32::from(gain(impulse(Rule::Classic, v, &k, &surfaces)) > 1e-9);
    }
    // Why it is the default.
    assert!(classic_gains > 100 && sticks > 100, "{classic_gains} {sticks}");
}

#[test]
fn a_straight_hit_divides_by_nothing() {
    let k = contact_matrix(0.5, &Mat3::diagonal(2.0), p(0.0, -1.0, 0.0));
    for rule in [Rule::Classic, Rule::Physical] {
        let surfaces = Surfaces { normal: p(0.0, 1.0, 0.0), restitution: 0.5, friction: 0.3 };
        let j = impulse(rule, p(0.0, -2.0, 0.0), &k, &surfaces);
        assert!((j - p(0.0, 6.0, 0.0)).norm() < 1e-12, "{j:?}");
    }
}

#[test]
fn a_thousand_hits_keep_momentum_and_angular_momentum() {
    let mut dice = Dice(3);
    for (restitution, friction) in [(1.0, 0.0), (1.0, 0.5), (0.0, 0.5), (0.3, 0.0)] {
        let (mut worst, mut touched) = (0.0f64, 0);
        for _ in 0..300 {
            let mut model = Model::new();
            model.set_gravity(Vec3::ZERO).unwrap();
            // Some start within each other, and are pushed out.
            let apart = 0.45 + 0.25 * dice.roll();
            for side in [-1.0, 1.0] {
                let at = p(3.0 + side * apart, 1.0, -2.0) + dice.point() * 0.1;
                let mut body = block(p(0.2, 0.2, 0.2) + dice.point() * 0.1, at);
                body.start.pose.rotation = Quat::about(dice.point(), 3.0 * dice.roll());
                body.start.twist.linear = p(-2.0 * side, 0.0, 0.0) + dice.point();
                body.start.twist.angular = dice.point() * 4.0;
                (body.restitution, body.friction) = (restitution, friction);
                model.add_rigid_body(body).unwrap();
            }
            let mut simulation = start(model, RigidBodySettings::default());
            let moving =
                simulation.model().rigid_bodies().iter().zip(&simulation.state().rigid_bodies);
            let scale: f64 = moving
                .map(|(body, now)| {
                    let spin = body.inertia_in(now.pose.rotation) * now.twist.angular;
                    let way = now.pose.position.norm() * body.mass().mass;
                    way * now.twist.linear.norm() + spin.norm()
                })
                .sum();
            let before = [simulation.report().momentum, simulation.report().angular_momentum];
            let mut hit = false;
            for _ in 0..30 {
                let report = simulation.step().unwrap();
                hit |= report.rigid_bodies.unwrap().contacts > 0;
                for (now, before) in
                    [report.momentum, report.angular_momentum].into_iter().zip(before)
                {
                    worst = worst.max((now - before).norm() / scale);
                }
            }
            touched += i32::from(hit);
        }
        println!(
            "e = {restitution}, μ = {friction}: {touched} of 300 hit, momenta off by {worst:.1e}"
        );
        assert!(touched > 100, "only {touched} hit");
        assert!(worst < 1e-12, "e = {restitution}, μ = {friction}: off by {worst:e}");
    }
}
