//! Bodies on bodies: stacks stand, dominoes fall, walls break, and energy never rises.

use super::{ball, block, floor, start, thrown, up};
use crate::common::p;
use hooke::bodies::{BodyMethod, BodySettings, Placement};
use hooke::math::Quat;
use hooke::{Point, Simulation};

fn stack() -> Simulation {
    let mut model = floor(0.0, 0.6);
    for k in 0..10 {
        model.add_body(block(p(0.25, 0.25, 0.25), up(0.25 + 0.5 * f64::from(k)))).unwrap();
    }
    start(model, BodySettings::default())
}

#[test]
fn ten_boxes_stand_still_for_ten_seconds() {
    let mut simulation = stack();
    let from: Vec<Placement> = simulation.state().bodies.iter().map(|b| b.placement).collect();
    let (mut settled, mut drift, mut turned, mut fastest) = (from.clone(), 0.0f64, 0.0f64, 0.0f64);
    let mut deepest = 0.0f64;
    for step in 0..600 {
        let report = simulation.step().unwrap();
        deepest = deepest.max(report.bodies.unwrap().deepest);
        if step == 60 {
            settled = simulation.state().bodies.iter().map(|b| b.placement).collect();
        }
    }
    for ((now, was), settled) in simulation.state().bodies.iter().zip(&from).zip(&settled) {
        let way = now.placement.position - settled.position;
        drift = drift.max(way.norm());
        turned = turned.max((now.placement.turn * was.turn.inverse()).angle());
        fastest = fastest.max(now.twist.linear.norm());
    }
    println!(
        "stack of ten: drift after the first second {drift:.1e} m, turned {turned:.1e}, speed {fastest:.1e} m/s, deepest {deepest:.1e} m"
    );
    assert!(drift < 5e-3, "drifts by {drift} m");
    assert!(turned < 1e-2, "turns by {turned}");
    assert!(fastest < 1e-4, "moves with {fastest} m/s");
    assert!(deepest < 5e-3, "overlaps by {deepest} m");
}

#[test]
fn dominoes_fall_one_after_the_other() {
    let mut model = floor(0.0, 0.6);
    for k in 0..12 {
        model.add_body(block(p(0.02, 0.2, 0.1), p(0.2 * f64::from(k), 0.2, 0.0))).unwrap();
    }
    // A push at the top of the first.
    let mut first = model.bodies()[0].clone();
    first.start.twist.angular = p(0.0, 0.0, -3.0);
    first.start.twist.linear = p(0.6, 0.0, 0.0);
    let mut pushed = floor(0.0, 0.6);
    pushed.add_body(first).unwrap();
    for body in &model.bodies()[1..] {
        pushed.add_body(body.clone()).unwrap();
    }
    let mut simulation = start(pushed, BodySettings::default());
    let mut fell = vec![None; 12];
    for step in 0..240 {
        simulation.step().unwrap();
        for (k, body) in simulation.state().bodies.iter().enumerate() {
            if fell[k].is_none() && body.placement.turn.turn(up(1.0)).y < 0.7 {
                fell[k] = Some(step);
            }
        }
    }
    assert!(fell.iter().all(Option::is_some), "{fell:?}");
    assert!(fell.windows(2).all(|pair| pair[0] < pair[1]), "one after the other: {fell:?}");
}

#[test]
fn a_ball_breaks_a_wall() {
    let mut model = floor(0.0, 0.6);
    for row in 0..5 {
        for column in 0..6 {
            let shift = if row % 2 == 1 { 0.2 } else { 0.0 };
            let at = p(0.4 * f64::from(column) + shift, 0.1 + 0.2 * f64::from(row), 0.0);
            model.add_body(block(p(0.2, 0.1, 0.1), at)).unwrap();
        }
    }
    let bricks = model.bodies().len();
    let thrower = thrown(ball(0.25, 2000.0, p(1.1, 0.5, -2.0)), p(0.0, 1.0, 12.0), Point::ZERO);
    model.add_body(thrower).unwrap();
    let mut simulation = start(model, BodySettings::default());
    for _ in 0..120 {
        let report = simulation.step().unwrap();
        assert!(report.bodies.unwrap().deepest < 0.06, "{:?}", report.bodies);
    }
    let bodies = &simulation.state().bodies;
    assert!(bodies[bricks].placement.position.z > 0.5, "the ball goes through");
    let moved = bodies[..bricks].iter().filter(|b| b.placement.position.z.abs() > 0.1).count();
    assert!(moved >= 4, "only {moved} bricks moved");
    assert!(bodies.iter().all(|b| b.placement.position.y > 0.0), "nothing falls through the floor");
}

#[test]
fn energy_never_rises_without_restitution() {
    // A heap thrown together, with turns and hits of all kinds.
    let mut model = floor(0.0, 0.4);
    for k in 0..27 {
        let at = p(f64::from(k % 3), 1.0 + 0.9 * f64::from(k / 9), f64::from(k / 3 % 3)) * 0.55;
        let mut body = match k % 3 {
            0 => block(p(0.2, 0.15, 0.1), at),
            1 => ball(0.2, 500.0, at),
            _ => block(p(0.1, 0.2, 0.25), at),
        };
        body.start.placement.turn = Quat::about(p(1.0, f64::from(k), 2.0), f64::from(k));
        body.start.twist.angular = p(1.0, -2.0, f64::from(k % 5));
        body.start.twist.linear = (p(0.55, 1.0, 0.55) - at) * 2.0;
        model.add_body(body).unwrap();
    }
    let mut simulation = start(model, BodySettings::default());
    let mut before = simulation.report().energy.total();
    let whole = before;
    let (mut worst, mut sum) = (0.0f64, 0.0);
    for _ in 0..300 {
        let now = simulation.step().unwrap().energy.total();
        worst = worst.max(now - before);
        sum += (now - before).max(0.0);
        before = now;
    }
    println!(
        "heap: the greatest rise in a step is {:.1e} of the energy, all rises {:.1e}",
        worst / whole,
        sum / whole
    );
    assert!(worst < 1e-3 * whole, "rises by {worst} J of {whole} J");
    assert!(sum < 5e-3 * whole, "rises by {sum} J of {whole} J");
}

#[test]
fn restored_and_threaded_runs_have_the_same_bits() {
    let mut simulation = stack();
    for _ in 0..20 {
        simulation.step().unwrap();
    }
    let saved = hooke::Snapshot::from_bytes(&simulation.snapshot().to_bytes()).unwrap();
    let run = |simulation: &mut Simulation| {
        for _ in 0..20 {
            simulation.step().unwrap();
        }
        simulation.state().digest()
    };
    let whole = run(&mut simulation);
    let mut other = stack();
    other.set_threads(3);
    other.restore(&saved).unwrap();
    assert_eq!(run(&mut other), whole);
}

#[test]
fn an_edit_before_a_snapshot_does_not_change_what_follows() {
    type Edit = fn(&mut Simulation);
    let edits: [(&str, Edit); 6] = [
        ("nothing", |_| ()),
        ("gravity", |simulation| simulation.model_mut().set_gravity(up(-9.0)).unwrap()),
        ("a body", |simulation| {
            simulation.model_mut().add_body(block(p(0.1, 0.1, 0.1), up(5.1))).map(drop).unwrap();
        }),
        ("an obstacle", |simulation| {
            let obstacle = simulation.model().obstacles()[0].clone();
            simulation.model_mut().add_obstacle(obstacle).unwrap();
        }),
        ("a grab", |simulation| {
            simulation.grab_body(3, up(1.8), 100.0).unwrap();
        }),
        ("kernels", |simulation| simulation.set_kernels(hooke::Kernels::Portable)),
    ];
    for (name, edit) in edits {
        for bodies in [BodyMethod::Impulse, BodyMethod::ShapeMatching] {
            let mut simulation = stack();
            simulation.set_bodies(BodySettings { bodies, ..BodySettings::default() }).unwrap();
            let steps = |simulation: &mut Simulation| {
                (0..5).for_each(|_| drop(simulation.step().unwrap().clone()));
                simulation.state().digest()
            };
            steps(&mut simulation);
            edit(&mut simulation);
            let saved = simulation.snapshot();
            let first = steps(&mut simulation);
            simulation.restore(&saved).unwrap();
            assert_eq!(steps(&mut simulation), first, "{name} under {bodies:?}");
            // And again, with an edit that changes nothing between the two.
            simulation.restore(&saved).unwrap();
            let gravity = simulation.model().gravity();
            simulation.model_mut().set_gravity(gravity).unwrap();
            assert_eq!(steps(&mut simulation), first, "{name} under {bodies:?}, planned anew");
        }
    }
}

/// Steps a stack of boxes of a half size (m), apart by a random way (m) along x and z; how far any of them went (m) and
/// how much energy was gained (J).
fn stand(count: u32, half: Point, noise: f64, steps: u32) -> (f64, f64) {
    let (mut model, mut dice) = (floor(0.0, 0.6), super::Dice(7));
    for k in 0..count {
        let [x, z] = [dice.roll(), dice.roll()].map(|roll| noise * roll);
        model.add_body(block(half, p(x, half.y * f64::from(2 * k + 1), z))).unwrap();
    }
    let mut simulation = start(model, BodySettings::default());
    let energy = simulation.report().energy.total();
    let (mut gained, mut drift) = (0.0f64, 0.0f64);
    for _ in 0..steps {
        gained = gained.max(simulation.step().unwrap().energy.total() - energy);
    }
    for (now, body) in simulation.state().bodies.iter().zip(simulation.model().bodies()) {
        let way = now.placement.position - body.start.placement.position;
        drift = drift.max(way.norm());
    }
    (drift, gained)
}

#[test]
fn forty_boxes_stand_aligned_or_not() {
    for noise in [0.0, 1e-4] {
        let (drift, gained) = stand(40, p(0.25, 0.25, 0.25), noise, 400);
        println!("forty boxes, apart by {noise} m: drift {drift:.1e} m, gain {gained:.1e} J");
        assert!(drift < 1e-4, "apart by {noise} m they drift by {drift} m");
        assert!(gained < 1e-3, "apart by {noise} m they gain {gained} J");
    }
}

#[test]
fn heavy_boxes_rest_on_light_ones() {
    let mut model = floor(0.0, 0.6);
    for (k, mass) in [1.0, 100.0, 1.0, 1000.0].into_iter().enumerate() {
        let mut body = block(p(0.25, 0.25, 0.25), up(0.25 + 0.5 * k as f64));
        body.set_mass(mass).unwrap();
        model.add_body(body).unwrap();
    }
    let mut simulation = start(model, BodySettings::default());
    for _ in 0..300 {
        let told = simulation.step().unwrap().bodies.unwrap();
        assert!(told.deepest < 1e-4, "{told:?}");
    }
    for (k, body) in simulation.state().bodies.iter().enumerate() {
        let off = (body.placement.position - up(0.25 + 0.5 * k as f64)).norm();
        assert!(off < 1e-4, "box {k} is off by {off} m");
    }
}

#[test]
fn bodies_that_start_within_each_other_part_slowly() {
    let mut model = floor(0.0, 0.5);
    for _ in 0..60 {
        model.add_body(block(p(0.1, 0.1, 0.1), up(0.1))).unwrap();
    }
    let overlaps = hooke::bodies::overlaps(&model, 0.02).unwrap();
    assert!(overlaps.len() > 500, "{}", overlaps.len());
    assert!((overlaps[0].depth - 0.2).abs() < 1e-9, "{:?}", overlaps[0]);
    let mut simulation = start(model, BodySettings::default());
    let mut fastest = 0.0f64;
    for _ in 0..120 {
        simulation.step().unwrap();
        for body in &simulation.state().bodies {
            fastest = fastest.max(body.twist.linear.norm());
        }
    }
    println!("sixty boxes at one place part with up to {fastest:.2} m/s");
    assert!(fastest < 20.0, "{fastest} m/s");
    // And are refused where they touch at more places than fit.
    simulation.set_contact_limit(10);
    let refused = simulation.step().unwrap_err().to_string();
    assert!(refused.starts_with("the rigid bodies touch at more than 10 places"), "{refused}");
}
