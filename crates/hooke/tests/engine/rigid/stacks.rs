//! Bodies on bodies: stacks stand, dominoes fall, walls break, and energy never rises.

use super::{ball, block, floor, start, thrown, up};
use crate::common::p;
use hooke::math::Quat;
use hooke::model::RigidBodyId;
use hooke::rigid::{Pose, RigidBodyMethod, RigidBodySettings};
use hooke::{Simulation, Vec3};

fn stack() -> Simulation {
    let mut model = floor(0.0, 0.6);
    for k in 0..10 {
        model.add_rigid_body(block(p(0.25, 0.25, 0.25), up(0.25 + 0.5 * f64::from(k)))).unwrap();
    }
    start(model, RigidBodySettings::default())
}

#[test]
fn ten_boxes_stand_still_for_ten_seconds() {
    let mut simulation = stack();
    let from: Vec<Pose> = simulation.state().rigid_bodies.iter().map(|b| b.pose).collect();
    let (mut settled, mut drift, mut rotated, mut fastest) = (from.clone(), 0.0f64, 0.0f64, 0.0f64);
    let mut deepest = 0.0f64;
    for step in 0..600 {
        let report = simulation.step().unwrap();
        deepest = deepest.max(report.rigid_bodies.unwrap().deepest);
        if step == 60 {
            settled = simulation.state().rigid_bodies.iter().map(|b| b.pose).collect();
        }
    }
    for ((now, was), settled) in simulation.state().rigid_bodies.iter().zip(&from).zip(&settled) {
        let way = now.pose.position - settled.position;
        drift = drift.max(way.norm());
        rotated = rotated.max((now.pose.rotation * was.rotation.inverse()).angle());
        fastest = fastest.max(now.twist.linear.norm());
    }
    println!(
        "stack of ten: drift after the first second {drift:.1e} m, rotated {rotated:.1e}, speed {fastest:.1e} m/s, deepest {deepest:.1e} m"
    );
    assert!(drift < 5e-3, "drifts by {drift} m");
    assert!(rotated < 1e-2, "rotations by {rotated}");
    assert!(fastest < 1e-4, "moves with {fastest} m/s");
    assert!(deepest < 5e-3, "overlaps by {deepest} m");
}

#[test]
fn dominoes_fall_one_after_the_other() {
    let mut model = floor(0.0, 0.6);
    for k in 0..12 {
        model.add_rigid_body(block(p(0.02, 0.2, 0.1), p(0.2 * f64::from(k), 0.2, 0.0))).unwrap();
    }
    // A push at the top of the first.
    let mut first = model.rigid_bodies()[0].clone();
    first.start.twist.angular = p(0.0, 0.0, -3.0);
    first.start.twist.linear = p(0.6, 0.0, 0.0);
    let mut pushed = floor(0.0, 0.6);
    pushed.add_rigid_body(first).unwrap();
    for body in &model.rigid_bodies()[1..] {
        pushed.add_rigid_body(body.clone()).unwrap();
    }
    let mut simulation = start(pushed, RigidBodySettings::default());
    let mut fell = vec![None; 12];
    for step in 0..240 {
        simulation.step().unwrap();
        for (k, body) in simulation.state().rigid_bodies.iter().enumerate() {
            if fell[k].is_none() && body.pose.rotation.rotate(up(1.0)).y < 0.7 {
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
            model.add_rigid_body(block(p(0.2, 0.1, 0.1), at)).unwrap();
        }
    }
    let bricks = model.rigid_bodies().len();
    let thrower = thrown(ball(0.25, 2000.0, p(1.1, 0.5, -2.0)), p(0.0, 1.0, 12.0), Vec3::ZERO);
    model.add_rigid_body(thrower).unwrap();
    let mut simulation = start(model, RigidBodySettings::default());
    for _ in 0..120 {
        let report = simulation.step().unwrap();
        assert!(report.rigid_bodies.unwrap().deepest < 0.06, "{:?}", report.rigid_bodies);
    }
    let bodies = &simulation.state().rigid_bodies;
    assert!(bodies[bricks].pose.position.z > 0.5, "the ball goes through");
    let moved = bodies[..bricks].iter().filter(|b| b.pose.position.z.abs() > 0.1).count();
    assert!(moved >= 4, "only {moved} bricks moved");
    assert!(bodies.iter().all(|b| b.pose.position.y > 0.0), "nothing falls through the floor");
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
        body.start.pose.rotation = Quat::about(p(1.0, f64::from(k), 2.0), f64::from(k));
        body.start.twist.angular = p(1.0, -2.0, f64::from(k % 5));
        body.start.twist.linear = (p(0.55, 1.0, 0.55) - at) * 2.0;
        model.add_rigid_body(body).unwrap();
    }
    let mut simulation = start(model, RigidBodySettings::default());
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
            simulation
                .model_mut()
                .add_rigid_body(block(p(0.1, 0.1, 0.1), up(5.1)))
                .map(drop)
                .unwrap();
        }),
        ("an obstacle", |simulation| {
            let obstacle = simulation.model().obstacles()[0].clone();
            simulation.model_mut().add_obstacle(obstacle).unwrap();
        }),
        ("a grab", |simulation| {
            simulation.grab_body(RigidBodyId::new(3), up(1.8), 100.0).unwrap();
        }),
        ("kernels", |simulation| simulation.set_kernels(hooke::Kernels::Portable)),
    ];
    for (name, edit) in edits {
        for bodies in [RigidBodyMethod::Impulse, RigidBodyMethod::ShapeMatching] {
            let mut simulation = stack();
            simulation
                .set_bodies(RigidBodySettings { name: bodies, ..RigidBodySettings::default() })
                .unwrap();
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

/// A stack of boxes.
#[derive(Clone, Copy)]
struct Stack {
    count: u32,
    half: Vec3,
    /// How far each is off at random (m), along x and z and along y, and the gap below each (m).
    aside: f64,
    above: f64,
    gap: f64,
    friction: f64,
    /// The step (s).
    h: f64,
}

const FORTY: Stack = Stack {
    count: 40,
    half: Vec3::new(0.25, 0.25, 0.25),
    aside: 1e-4,
    above: 1e-4,
    gap: 0.0,
    friction: 0.6,
    h: 1.0 / 60.0,
};

impl Stack {
    /// Steps it for some seconds: how far any box went aside in all, how far any box went after a sixth of the time (m), and how
    /// much energy was gained (J).
    fn stand(self, seconds: f64) -> [f64; 3] {
        let Self { count, half, aside, above, gap, friction, h } = self;
        let (mut model, mut dice) = (floor(0.0, friction), super::Dice(7));
        for k in 0..count {
            let [x, y, z] = [aside, above, aside].map(|most| most * dice.roll());
            let height = half.y * f64::from(2 * k + 1) + gap * f64::from(k + 1);
            let mut body = block(half, p(x, height + y, z));
            body.friction = friction;
            model.add_rigid_body(body).unwrap();
        }
        let mut simulation = start(model, RigidBodySettings::default());
        simulation.set_step(h).unwrap();
        let energy = simulation.report().energy.total();
        let anchors = |simulation: &Simulation| -> Vec<Vec3> {
            simulation.state().rigid_bodies.iter().map(|body| body.pose.position).collect()
        };
        let from = anchors(&simulation);
        let (mut settled, mut gained) = (from.clone(), 0.0f64);
        let steps = (seconds / h).round() as u32;
        for step in 0..steps {
            gained = gained.max(simulation.step().unwrap().energy.total() - energy);
            if step == steps / 6 {
                settled = anchors(&simulation);
            }
        }
        let (mut lean, mut drift) = (0.0f64, 0.0f64);
        for ((now, from), settled) in anchors(&simulation).into_iter().zip(from).zip(settled) {
            let way = now - from;
            lean = lean.max((way - up(way.y)).norm());
            drift = drift.max((now - settled).norm());
        }
        [lean, drift, gained]
    }
}

#[test]
fn forty_boxes_stand_aligned_or_not() {
    for aside in [0.0, 1e-4] {
        let [lean, drift, gained] = Stack { aside, above: 0.0, ..FORTY }.stand(7.0);
        println!(
            "forty boxes, off by {aside} m: lean {lean:.1e} m, drift {drift:.1e} m, gain {gained:.1e} J"
        );
        assert!(lean < 1e-4 && drift < 1e-4, "off by {aside} m they go by {lean} and {drift} m");
        assert!(gained < 1e-3, "off by {aside} m they gain {gained} J");
    }
}

#[test]
fn forty_boxes_with_gaps_and_overlaps_stand_for_a_minute() {
    let [lean, drift, _] = FORTY.stand(60.0);
    println!(
        "forty boxes off by 0.1 mm in every direction: lean {lean:.1e} m, drift {drift:.1e} m"
    );
    assert!(lean < 1e-5, "they lean by {lean} m");
    assert!(drift < 1e-5, "they drift by {drift} m");
}

#[test]
fn stacks_of_all_kinds_stand() {
    let flat = p(0.25, 0.05, 0.25);
    let tall = p(0.1, 0.25, 0.1);
    for (name, stack) in [
        ("12", Stack { count: 12, ..FORTY }),
        ("20", Stack { count: 20, ..FORTY }),
        ("80", Stack { count: 80, ..FORTY }),
        ("flat", Stack { half: flat, ..FORTY }),
        ("tall", Stack { half: tall, ..FORTY }),
        ("slippery", Stack { friction: 0.2, ..FORTY }),
        ("rough", Stack { friction: 1.0, ..FORTY }),
        ("a step of 1/30 s", Stack { h: 1.0 / 30.0, ..FORTY }),
        ("a step of 1/240 s", Stack { h: 1.0 / 240.0, ..FORTY }),
        ("landing from 1 cm each", Stack { gap: 0.01, ..FORTY }),
    ] {
        let [lean, drift, _] = stack.stand(4.0);
        println!("{name}: lean {lean:.1e} m, drift {drift:.1e} m");
        assert!(lean < 1e-4, "{name}: they lean by {lean} m");
        // The landing from 1 cm each takes about as long as what is left out.
        assert!(drift < 1e-3, "{name}: they drift by {drift} m");
    }
}

#[test]
fn boxes_that_fall_onto_each_other_come_to_rest_as_a_stack() {
    for (count, gap, most) in [(10, 0.1, 0.03), (20, 0.05, 0.06)] {
        let [lean, drift, gained] = Stack { count, gap, ..FORTY }.stand(10.0);
        println!("{count} boxes fall {gap} m each: lean {lean:.1e} m, drift {drift:.1e} m");
        assert!(lean < most, "they lean by {lean} m");
        assert!(drift < 1e-4, "they drift by {drift} m");
        assert!(gained <= 0.0, "they gain {gained} J");
    }
}

#[test]
fn heavy_boxes_rest_on_light_ones() {
    let mut model = floor(0.0, 0.6);
    for (k, mass) in [1.0, 100.0, 1.0, 1000.0].into_iter().enumerate() {
        let mut body = block(p(0.25, 0.25, 0.25), up(0.25 + 0.5 * k as f64));
        body.set_mass(mass).unwrap();
        model.add_rigid_body(body).unwrap();
    }
    let mut simulation = start(model, RigidBodySettings::default());
    for _ in 0..300 {
        let told = simulation.step().unwrap().rigid_bodies.unwrap();
        assert!(told.deepest < 1e-4, "{told:?}");
    }
    for (k, body) in simulation.state().rigid_bodies.iter().enumerate() {
        let off = (body.pose.position - up(0.25 + 0.5 * k as f64)).norm();
        assert!(off < 1e-4, "box {k} is off by {off} m");
    }
}

#[test]
fn bodies_that_start_within_each_other_part_slowly() {
    let mut model = floor(0.0, 0.5);
    for _ in 0..60 {
        model.add_rigid_body(block(p(0.1, 0.1, 0.1), up(0.1))).unwrap();
    }
    let overlaps = hooke::rigid::overlaps(&model, 0.02).unwrap();
    assert!(overlaps.len() > 500, "{}", overlaps.len());
    assert!((overlaps[0].depth - 0.2).abs() < 1e-9, "{:?}", overlaps[0]);
    let mut simulation = start(model, RigidBodySettings::default());
    let mut fastest = 0.0f64;
    for _ in 0..120 {
        simulation.step().unwrap();
        for body in &simulation.state().rigid_bodies {
            fastest = fastest.max(body.twist.linear.norm());
        }
    }
    println!("sixty boxes at one place part with up to {fastest:.2} m/s");
    // They are pressed apart with at most 3 m/s; what was lifted falls.
    assert!(fastest < 6.0, "{fastest} m/s");
    // And are refused where they touch at more places than fit.
    simulation.set_contact_limit(10);
    let refused = simulation.step().unwrap_err().to_string();
    assert!(refused.starts_with("the rigid bodies touch at more than 10 points"), "{refused}");
}
