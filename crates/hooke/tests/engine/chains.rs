//! Inverse kinematics: what is reachable is reached, limits hold, nothing breaks.

use crate::common::*;
use hooke::chains::{
    Chain, ChainPose, End, Follower, Joint, JointLimits, Pole, Rig, SOLVERS, Settings, Smoothing,
    Solver, Target, reachable,
};
use hooke::math::Quat;
use hooke::model::{AnchorId, ChainId, Interpolation, Motion, ParticleId, PinEnforcement, Track};
use hooke::{Grid, Model, Simulation, Snapshot, Substeps, Vec3};
use std::f64::consts::PI;

/// Numbers that look random, the same in every run.
struct Dice(u64);

impl Dice {
    fn unit(&mut self) -> f64 {
        self.0 += 1;
        (hooke::math::noise::mix(self.0) >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    fn direction(&mut self) -> Vec3 {
        let (z, angle) = (self.between(-1.0, 1.0), self.between(-PI, PI));
        let r = (1.0 - z * z).sqrt();
        p(r * angle.cos(), r * angle.sin(), z)
    }

    fn limits(&mut self) -> JointLimits {
        match (5.0 * self.unit()) as u32 {
            0 => JointLimits::Fixed,
            1 => JointLimits::FREE,
            2 => JointLimits::Ball {
                bone: self.direction(),
                swing: self.between(0.0, 2.0),
                twist: [self.between(-1.0, 0.0), self.between(0.0, 1.0)],
            },
            _ => JointLimits::Hinge {
                axis: self.direction(),
                limits: [self.between(-PI, 0.3), self.between(0.3, PI)],
            },
        }
    }
}

fn solver(name: &str) -> Solver {
    Solver::new(name, Settings { iterations: 2000, ..Settings::default() }).unwrap()
}

#[test]
fn what_is_reachable_is_reached() {
    let mut dice = Dice(1);
    for info in &SOLVERS {
        let mut solver = solver(info.name);
        let (mut iterations, mut most) = (0, 0);
        for _ in 0..300 {
            let bones = 2 + (8.0 * dice.unit()) as usize;
            let lengths: Vec<_> = (0..bones).map(|_| dice.between(0.3, 1.0)).collect();
            let chain = Chain::straight(&lengths, JointLimits::FREE).unwrap();
            let range = reachable(&chain, bones).unwrap();
            let share = dice.between(0.02, 0.97);
            let distance = range.near + share * (range.far - range.near);
            let target = Target::new(bones, dice.direction() * distance);
            let mut pose = chain.rest();
            let reach = solver.solve(&chain, &mut pose, &[target]).unwrap();
            assert_eq!(reach.end, End::Converged, "{}: {lengths:?} {target:?}", info.name);
            let left = (pose.positions()[bones] - target.position).norm();
            assert!(left <= 1e-6 * range.far && left == reach.distance);
            (iterations, most) = (iterations + reach.iterations, most.max(reach.iterations));
        }
        println!("{}: {:.1} iterations, {most} at most", info.name, f64::from(iterations) / 300.0);
    }
}

#[test]
fn what_is_not_is_said_before_it_is_tried() {
    let lengths = [2.0, 0.5, 0.5];
    let chain = Chain::straight(&lengths, JointLimits::FREE).unwrap();
    for info in &SOLVERS {
        for (target, end, left) in [
            (p(0.0, 4.0, 0.0), End::TooFar, 1.0),
            (p(0.0, 0.0, 0.4), End::TooNear, 0.6),
            (p(0.0, 0.0, 0.0), End::TooNear, 1.0),
            (p(0.0, 0.0, 3.0), End::Converged, 0.0),
            (p(0.0, 1.0, 0.0), End::Converged, 0.0),
        ] {
            let mut pose = chain.rest();
            let reach =
                solver(info.name).solve(&chain, &mut pose, &[Target::new(3, target)]).unwrap();
            assert_eq!((reach.end, reach.iterations), (end, 0), "{target:?}");
            assert!((reach.distance - left).abs() < 1e-9, "{target:?}: {}", reach.distance);
            assert!((pose.positions()[3] - target).norm() - left < 1e-9);
        }
    }
}

#[test]
fn limits_hold_in_every_solve() {
    let ends = solve_random_trees(2000, 7);
    assert!(ends.iter().all(|&count| count > 0), "every end was met: {ends:?}");
}

/// `cargo test --profile checked -p hooke --test engine a_million -- --ignored --nocapture`
#[test]
#[ignore = "takes minutes"]
fn limits_hold_in_a_million_solves() {
    let ends = solve_random_trees(1_000_000_usize.div_ceil(SOLVERS.len()), 11);
    let solves: usize = ends.iter().sum();
    println!("{solves} solves of random trees, no limit violated, no bone stretched: {ends:?}");
    assert!(solves >= 1_000_000);
}

/// Solves so many random trees with every solver; every limit is checked. How often each end was met.
fn solve_random_trees(solves: usize, seed: u64) -> [usize; 5] {
    let mut dice = Dice(seed << 40);
    let mut ends = [0; 5];
    for info in &SOLVERS {
        let mut solver =
            Solver::new(info.name, Settings { iterations: 30, ..Settings::default() }).unwrap();
        for _ in 0..solves {
            let joints = 2 + (7.0 * dice.unit()) as usize;
            let chain = random_tree(&mut dice, joints);
            let mut pose = chain.rest();
            let targets: Vec<_> = chain
                .leaves()
                .iter()
                .map(|&leaf| Target::new(leaf, dice.direction() * dice.between(0.0, 4.0)))
                .collect();
            let reach = solver.solve(&chain, &mut pose, &targets).unwrap();
            ends[reach.end as usize] += 1;
            check(&chain, &pose);
            assert!(pose.excess(&chain) < 1e-7, "{}: {}", info.name, pose.excess(&chain));
            let best = solver.errors().iter().fold(f64::INFINITY, |a, &b| a.min(b));
            // A chain does not jump to another start for less than a hundredth.
            assert!(0.99 * reach.distance <= best + 1e-12, "the best pose is kept");
        }
    }
    ends
}

/// A tree of joints with limits of every kind.
fn random_tree(dice: &mut Dice, joints: usize) -> Chain {
    let joint = |j: usize| Joint {
        parent: j.checked_sub(1).map(|last| if dice.unit() < 0.8 { last } else { last / 2 }),
        offset: dice.direction() * dice.between(0.0, 1.0),
        rest: Quat::about(dice.direction(), dice.between(-1.0, 1.0)),
        limits: dice.limits(),
    };
    Chain::new((0..joints).map(joint).collect()).unwrap()
}

impl Dice {
    /// A turn within limits.
    fn rotate(&mut self, limits: &JointLimits) -> Quat {
        match *limits {
            JointLimits::Fixed => Quat::IDENTITY,
            JointLimits::Hinge { axis, limits: [low, high] } => {
                Quat::about(axis, self.between(low, high))
            }
            JointLimits::Ball { bone, swing, twist: [low, high] } => {
                let lean = self.direction().cross(bone);
                Quat::about(lean, swing * self.unit().sqrt())
                    * Quat::about(bone, self.between(low, high))
            }
        }
    }

    /// A pose within limits.
    fn pose(&mut self, chain: &Chain) -> ChainPose {
        let rotations: Vec<_> = chain.joints().iter().map(|j| self.rotate(&j.limits)).collect();
        let mut pose = chain.rest();
        pose.set_rotations(chain, &rotations);
        pose
    }
}

/// A chain of so many bones of 0.3 to 1 m, joints of one kind with limits.
fn limited(dice: &mut Dice, kind: &str, bones: usize) -> Chain {
    let mut limits = |j: usize| {
        let bone = p(1.0, 0.0, 0.0);
        let twist = [dice.between(-1.0, 0.0), dice.between(0.0, 1.0)];
        match kind {
            "hinges" => JointLimits::Hinge {
                axis: dice.direction(),
                limits: [dice.between(-1.5, 0.0), dice.between(0.0, 1.5)],
            },
            "flat hinges" => JointLimits::Hinge {
                axis: Vec3::AXES[2],
                limits: [dice.between(-2.0, 0.0), dice.between(0.0, 2.0)],
            },
            "narrow cones" => JointLimits::Ball { bone, swing: dice.between(0.2, 0.6), twist },
            "wide cones" => JointLimits::Ball { bone, swing: dice.between(0.8, 2.5), twist },
            _ if j == 0 => JointLimits::Ball { bone, swing: 1.7, twist: [-PI, PI] },
            _ if j % 2 == 1 => JointLimits::Hinge { axis: Vec3::AXES[2], limits: [0.0, 2.6] },
            _ => JointLimits::Ball { bone, swing: 1.3, twist: [-PI, PI] },
        }
    };
    let freedoms: Vec<_> = (0..=bones).map(&mut limits).collect();
    let joint = |(j, limits)| Joint {
        parent: usize::checked_sub(j, 1),
        offset: p(if j == 0 { 0.0 } else { dice.between(0.3, 1.0) }, 0.0, 0.0),
        rest: Quat::IDENTITY,
        limits,
    };
    Chain::new(freedoms.into_iter().enumerate().map(joint).collect()).unwrap()
}

/// How many of so many targets are missed: those of a chain from rest or along a way, where a random pose
/// within limits has its end or on the way from one such pose to the next.
fn missed(solver: &mut Solver, chain: &Chain, dice: &mut Dice, targets: u32, along: bool) -> u32 {
    let end = chain.len() - 1;
    let [mut pose, mut from, mut to] = [chain.rest(), chain.rest(), dice.pose(chain)];
    let mut missed = 0;
    for k in 0..targets {
        let mut wanted = to.clone();
        if along {
            let s = f64::from(k % 8 + 1) / 8.0;
            let both = from.local_rotations().iter().zip(to.local_rotations());
            let rotations: Vec<_> = both.map(|(a, b)| a.toward(*b, s)).collect();
            wanted.set_rotations(chain, &rotations);
        } else {
            pose.copy_from(&chain.rest());
        }
        if !along || k % 8 == 7 {
            from = std::mem::replace(&mut to, dice.pose(chain));
        }
        let target = Target::new(end, wanted.positions()[end]);
        let reach = solver.solve(chain, &mut pose, &[target]).unwrap();
        missed += u32::from(reach.end != End::Converged);
        assert!(pose.excess(chain) < 1e-7);
    }
    missed
}

#[test]
fn least_squares_reaches_targets_within_limits() {
    let mut dice = Dice(17 << 40);
    let mut solver = Solver::new("damped-least-squares", Settings::default()).unwrap();
    let mut told = String::new();
    for kind in ["hinges", "flat hinges", "narrow cones", "wide cones", "arms"] {
        for along in [false, true] {
            let mut count = 0;
            for _ in 0..10 {
                let bones = 3 + (4.0 * dice.unit()) as usize;
                let chain = limited(&mut dice, kind, bones);
                count += missed(&mut solver, &chain, &mut dice, 24, along);
            }
            if count > 2 {
                told += &format!("\n{count} of 240 missed by {kind}, along a way: {along}");
            }
        }
    }
    let hinge = JointLimits::Hinge { axis: Vec3::AXES[1], limits: [-0.7, 0.7] };
    let snake = Chain::straight(&[0.08; 30], hinge).unwrap();
    let count = missed(&mut solver, &snake, &mut dice, 100, false);
    if count > 2 {
        told += &format!("\n{count} of 100 missed by a snake");
    }
    let mut count = 0;
    for _ in 0..300 {
        let chain = random_tree(&mut dice, 12);
        let (mut pose, goal) = (chain.rest(), dice.pose(&chain));
        let target = |&leaf: &usize| Target::new(leaf, goal.positions()[leaf]);
        let targets: Vec<_> = chain.leaves().iter().map(target).collect();
        let reach = solver.solve(&chain, &mut pose, &targets).unwrap();
        count += u32::from(reach.end != End::Converged);
    }
    if count > 5 {
        told += &format!("\n{count} of 300 missed by trees");
    }
    assert!(told.is_empty(), "{told}");
}

#[test]
fn fabrik_goes_on_where_stalling_is_off() {
    let chain = Chain::straight(&[0.5, 0.8, 0.3, 0.6], JointLimits::FREE).unwrap();
    let target = p(1.4, -2.3, 1.9);
    let far = |stall: f64| {
        let settings = Settings {
            iterations: 3000,
            tolerance: 0.0,
            range: false,
            stall,
            ..Settings::default()
        };
        let mut pose = chain.rest();
        let mut solver = Solver::new("fabrik", settings).unwrap();
        let reach = solver.solve(&chain, &mut pose, &[Target::new(4, target)]).unwrap();
        let end = if stall > 0.0 { End::Stalled } else { End::Cap };
        assert_eq!(reach.end, end);
        // Out of reach, all joints end on the line to the target.
        let reaches = [0.0, 0.5, 1.3, 1.6, 2.2].into_iter().zip(pose.positions());
        reaches.map(|(r, &x)| (x - target.unit() * r).norm()).fold(0.0, f64::max)
    };
    assert!(far(1e-3) > 1e-10, "{:e}", far(1e-3));
    assert!(far(0.0) < 1e-12, "{:e}", far(0.0));
}

/// Everything finite, bones as long as they are.
fn check(chain: &Chain, pose: &ChainPose) {
    for (j, joint) in chain.joints().iter().enumerate() {
        assert!(pose.positions()[j].is_finite() && pose.local_rotations()[j].is_finite());
        if let Some(parent) = joint.parent {
            let length = (pose.positions()[j] - pose.positions()[parent]).norm();
            assert!((length - joint.offset.norm()).abs() < 1e-9, "{length}");
        }
    }
}

#[test]
fn degenerate_chains_do_not_break() {
    let free = JointLimits::FREE;
    let hinge = JointLimits::Hinge { axis: p(0.0, 0.0, 1.0), limits: [-PI, PI] };
    for info in &SOLVERS {
        for limits in [free, hinge, JointLimits::Fixed] {
            for lengths in
                [&[0.0, 0.0][..], &[1.0, 0.0, 1.0], &[0.0], &[1.0], &[1e-300, 1.0], &[1e90, 1.0]]
            {
                let chain = Chain::straight(lengths, limits).unwrap();
                let end = lengths.len();
                // At joints, at the root, on the line, across, far away.
                for target in [
                    p(0.0, 0.0, 0.0),
                    p(1.0, 0.0, 0.0),
                    p(0.5, 0.0, 0.0),
                    p(-1.0, 0.0, 0.0),
                    p(0.0, 0.7, 0.0),
                    p(1e90, 0.0, 0.0),
                ] {
                    let mut pose = chain.rest();
                    let reach = solver(info.name)
                        .solve(&chain, &mut pose, &[Target::new(end, target)])
                        .unwrap();
                    assert!(reach.distance.is_finite(), "{} {lengths:?} {target:?}", info.name);
                    assert!(pose.positions().iter().all(|place| place.is_finite()));
                    assert!(pose.local_rotations().iter().all(|rotation| rotation.is_finite()));
                }
            }
        }
    }
}

#[test]
fn a_straight_chain_can_leave_its_line() {
    let hinge = JointLimits::Hinge { axis: p(0.0, 0.0, 1.0), limits: [-2.9, 0.0] };
    for info in &SOLVERS {
        for limits in [JointLimits::FREE, hinge] {
            let joint = |j: usize| Joint {
                parent: j.checked_sub(1),
                offset: p(if j == 0 { 0.0 } else { 1.0 }, 0.0, 0.0),
                rest: Quat::IDENTITY,
                limits: if j == 0 { JointLimits::FREE } else { limits },
            };
            let chain = Chain::new((0..4).map(joint).collect()).unwrap();
            let target = Target::new(3, p(1.5, 0.0, 0.0));
            let mut pose = chain.rest();
            let reach = solver(info.name).solve(&chain, &mut pose, &[target]).unwrap();
            assert_eq!(reach.end, End::Converged, "{} {limits:?}: {reach:?}", info.name);
        }
    }
}

#[test]
fn two_arms_reach_two_targets_and_say_when_they_cannot() {
    let joint = |parent: Option<usize>, offset| Joint {
        parent,
        offset,
        rest: Quat::IDENTITY,
        limits: JointLimits::FREE,
    };
    let y = p(0.0, 1.0, 0.0);
    let (right, left) = (p(0.5, 0.0, 0.0), p(-0.5, 0.0, 0.0));
    let chain = Chain::new(vec![
        joint(None, Vec3::ZERO),
        joint(Some(0), y),
        joint(Some(1), right),
        joint(Some(2), right),
        joint(Some(1), left),
        joint(Some(4), left),
    ])
    .unwrap();
    for info in &SOLVERS {
        let solve = |a: Vec3, b: Vec3| {
            let mut pose = chain.rest();
            let targets = [Target::new(3, a), Target::new(5, b)];
            solver(info.name).solve(&chain, &mut pose, &targets).unwrap()
        };
        let reach = solve(p(0.6, 1.4, 0.3), p(-0.5, 0.6, 0.4));
        assert_eq!(reach.end, End::Converged, "{}: {reach:?}", info.name);
        let reach = solve(p(3.0, 1.0, 0.0), p(-3.0, 1.0, 0.0));
        assert!(matches!(reach.end, End::Stalled | End::Cap), "{}: {reach:?}", info.name);
        assert!(reach.distance > 1.5 && reach.distance < 2.6, "{}: {reach:?}", info.name);
    }
}

#[test]
fn an_elbow_leans_toward_its_pole() {
    let chain = Chain::straight(&[1.0, 0.9], JointLimits::FREE).unwrap();
    for info in &SOLVERS {
        for pole in [p(0.3, 2.0, 0.0), p(0.5, -1.0, -2.0), p(0.4, 0.0, 3.0)] {
            let mut solver = solver(info.name);
            solver.pole = Some(Pole { joint: 1, position: pole });
            let mut pose = chain.rest();
            let end = p(1.2, 0.2, 0.1);
            let reach = solver.solve(&chain, &mut pose, &[Target::new(2, end)]).unwrap();
            assert_eq!(reach.end, End::Converged, "{}", info.name);
            let across = |x: Vec3| x - end.unit() * x.dot(end.unit());
            let (elbow, pole) = (across(pose.positions()[1]), across(pole));
            assert!(elbow.unit().dot(pole.unit()) > 1.0 - 1e-6, "{} {elbow:?} {pole:?}", info.name);
        }
    }
}

#[test]
fn a_speed_limit_keeps_poses_from_jumping() {
    let chain = Chain::straight(&[1.0, 0.8, 0.6, 0.4], JointLimits::FREE).unwrap();
    let h = 1.0 / 60.0;
    // A fast path that goes near the root, where poses flip.
    let path = |t: f64| p(2.0 * (9.0 * t).sin(), 0.05 + 0.3 * (5.0 * t).cos(), 0.2 * t.sin());
    for info in &SOLVERS {
        let run = |smoothing: Smoothing| {
            let mut follower = Follower::new(solver(info.name), smoothing);
            let mut pose = chain.rest();
            let (mut fastest, mut lag) = (0.0_f64, 0.0_f64);
            for frame in 1..=300 {
                let targets = [Target::new(4, path(f64::from(frame) * h))];
                let before = pose.clone();
                let followed = follower.step(&chain, &mut pose, &targets, h).unwrap();
                assert!((before.apart(&pose) / h - followed.fastest).abs() < 1e-6);
                fastest = fastest.max(followed.fastest);
                lag = lag.max(followed.lag);
            }
            (fastest, lag)
        };
        let (jumps, none) = run(Smoothing::default());
        let (limited, lag) = run(Smoothing { speed: 6.0, ..Smoothing::default() });
        let (damped, _) = run(Smoothing { lag: 0.1, ..Smoothing::default() });
        println!(
            "{}: {jumps:.1}, limited {limited:.1}, damped {damped:.1} rad/s, lag {lag:.3} m",
            info.name
        );
        assert!(none < 1e-12 && jumps > 12.0, "{}: {jumps}", info.name);
        assert!(limited <= 6.0 + 1e-9 && lag > 0.01);
        assert!(damped < 0.5 * jumps);
    }
}

#[test]
fn several_starts_keep_the_nearest_pose() {
    let hinge = JointLimits::Hinge { axis: p(0.0, 0.0, 1.0), limits: [-2.5, 2.5] };
    let chain = Chain::straight(&[1.0, 1.0, 0.5], hinge).unwrap();
    let mut dice = Dice(3);
    let mut one = Follower::new(solver("ccd"), Smoothing::default());
    let mut many = Follower::new(solver("ccd"), Smoothing { starts: 8, ..Smoothing::default() });
    let [mut missed, mut missed_by_many] = [0, 0];
    for _ in 0..200 {
        let angle = dice.between(-PI, PI);
        let place = p(angle.cos(), angle.sin(), 0.0) * dice.between(0.5, 2.2);
        let targets = [Target::new(3, place)];
        let (mut a, mut b) = (chain.rest(), chain.rest());
        let single = one.step(&chain, &mut a, &targets, 0.1).unwrap();
        let best = many.step(&chain, &mut b, &targets, 0.1).unwrap();
        missed += i32::from(single.reach.end != End::Converged);
        missed_by_many += i32::from(best.reach.end != End::Converged);
        assert!(best.reach.iterations >= single.reach.iterations, "the cost of all is told");
        if single.reach.end == End::Converged {
            assert!(chain.rest().apart(&b) <= chain.rest().apart(&a) + 1e-12);
        }
    }
    assert!(missed_by_many <= missed, "{missed_by_many} {missed}");
}

#[test]
fn what_makes_no_sense_is_refused() {
    let chain = Chain::straight(&[1.0], JointLimits::FREE).unwrap();
    let refused = |targets: &[Target]| {
        solver("ccd").solve(&chain, &mut chain.rest(), targets).unwrap_err().to_string()
    };
    assert_eq!(refused(&[]), "a solve needs at least one target");
    assert_eq!(refused(&[Target::new(2, Vec3::ZERO)]), "target 0 is for joint 2; there are 2");
    let nowhere = Target::new(1, p(f64::NAN, 0.0, 0.0));
    assert!(refused(&[nowhere]).starts_with("target 0 must be within 1e100 m"));
    let error = Solver::new("magic", Settings::default()).err().unwrap().to_string();
    assert_eq!(error, "there is no solver \"magic\"; there are ccd, fabrik, damped-least-squares");
    let joint = |parent| Joint {
        parent,
        offset: Vec3::ZERO,
        rest: Quat::IDENTITY,
        limits: JointLimits::FREE,
    };
    for (joints, told) in [
        (vec![], "a chain has 1 to 100000 joints (got 0)"),
        (vec![joint(None), joint(None)], "joint 1 has no parent"),
        (vec![joint(None), joint(Some(1))], "joint 1 hangs on joint 1"),
    ] {
        let error = Chain::new(joints).unwrap_err().to_string();
        assert!(error.starts_with(told), "{error}");
    }
}

/// A cloth whose corners two joints of an arm carry, which follows keyframes.
fn arm_with_cloth(solver: &str) -> (Model, [ParticleId; 2]) {
    let mut model = Model::new();
    let cloth = Grid { origin: p(1.5, 0.0, 0.0), ..Grid::square(6) }.add_to(&mut model).unwrap();
    let corners = [cloth.at(0, 0), cloth.at(5, 0)];
    let times = vec![0.0, 0.5, 1.0];
    let points = vec![p(1.6, 0.6, 0.1), p(1.0, 1.0, 0.3), p(0.5, -1.0, 0.2)];
    let track = Track::new(times, points, Interpolation::Smooth, true).unwrap();
    let goal = model.add_anchor(Motion::along(track)).unwrap();
    let chain = Chain::straight(&[0.7, 0.7, 0.6], JointLimits::FREE).unwrap();
    let mut rig = Rig::new(chain, solver).unwrap();
    rig.add_goal(3, goal);
    for (joint, corner) in [2, 3].into_iter().zip(corners) {
        model.pin_at_rest(corner).unwrap();
        rig.carry(joint, corner, model.rest()[corner.index()]).unwrap();
    }
    model.add_chain(rig).unwrap();
    (model, corners)
}

#[test]
fn an_arm_carries_a_cloth() {
    for info in &SOLVERS {
        for method in ["newton", "symplectic-euler", "xpbd"] {
            let (model, corners) = arm_with_cloth(info.name);
            let rest = model.rest().to_vec();
            let mut simulation = Simulation::new(model, method, 0.01).unwrap();
            let start = simulation.pose(ChainId::new(0)).unwrap().clone();
            for step in 1..=60 {
                let report = simulation.step().unwrap().clone();
                let told = &report.chains[0];
                assert_eq!(told.end, Some(End::Converged), "{step}");
                assert_eq!(told.errors.len() as u32, told.iterations + 1);
                assert!(told.errors[told.errors.len() - 1] == told.distance);
                assert!(told.distance < 1e-5 && told.fastest > 0.0);
                let pose = simulation.pose(ChainId::new(0)).unwrap();
                let goal = simulation.model().anchors()[0].at(simulation.state().time);
                assert!((pose.positions()[3] - goal).norm() < 1e-5, "{method} {step}");
                for (joint, corner) in [2, 3].into_iter().zip(corners) {
                    let at = rest[corner.index()] - start.positions()[joint];
                    let wanted = pose.positions()[joint] + pose.world_rotations()[joint].rotate(at);
                    let x = simulation.state().positions[corner.index()];
                    assert!((x - wanted).norm() < 1e-12, "{method} {step}: {x:?} {wanted:?}");
                }
                assert!(report.numerical.is_finite());
            }
        }
    }
}

#[test]
fn joints_are_saved_and_restored() {
    let (model, _) = arm_with_cloth("ccd");
    let mut simulation = Simulation::new(model, "newton", 0.01).unwrap();
    for _ in 0..10 {
        simulation.step().unwrap();
    }
    let bytes = simulation.snapshot().to_bytes();
    for _ in 0..10 {
        simulation.step().unwrap();
    }
    let (digest, rotations) = (simulation.state().digest(), simulation.state().joints.clone());
    let saved = Snapshot::from_bytes(&bytes).unwrap();
    assert_ne!(saved.state().joints, rotations);
    let (model, _) = arm_with_cloth("ccd");
    let mut other = Simulation::new(model, "newton", 0.01).unwrap();
    other.restore(&saved).unwrap();
    assert_eq!(other.pose(ChainId::new(0)).unwrap().local_rotations(), saved.state().joints);
    for _ in 0..10 {
        other.step().unwrap();
    }
    assert_eq!(other.state().digest(), digest, "the same bits");
    assert_eq!(other.state().joints, rotations);
    for length in 0..bytes.len() {
        assert!(Snapshot::from_bytes(&bytes[..length]).is_none());
    }
    let mut fewer = simulation.state().clone();
    fewer.joints.pop();
    let told = simulation.set_state(fewer).unwrap_err().to_string();
    assert_eq!(told, "a state of this model has 4 joint rotations, all finite");
}

#[test]
fn a_goal_is_moved_by_hand() {
    let mut model = Model::new();
    let goal = model.add_anchor(Motion::still(p(1.0, 0.5, 0.0))).unwrap();
    let chain = Chain::straight(&[1.0, 1.0], JointLimits::FREE).unwrap();
    let mut rig = Rig::new(chain, "fabrik").unwrap();
    rig.add_goal(2, goal);
    model.add_chain(rig).unwrap();
    let mut simulation = Simulation::new(model, "newton", 0.01).unwrap();
    for place in [p(1.0, 1.0, 0.0), p(-1.0, 0.2, 0.7), p(0.0, 5.0, 0.0)] {
        simulation.control_mut().set_anchor(AnchorId::new(0), place).unwrap();
        let report = simulation.step().unwrap();
        let far = place.norm() > 2.0;
        let end = if far { End::TooFar } else { End::Converged };
        assert_eq!(report.chains[0].end, Some(end));
        let left = (simulation.pose(ChainId::new(0)).unwrap().positions()[2] - place).norm();
        assert!((left - (place.norm() - 2.0).max(0.0)).abs() < 1e-5);
    }
    let along = Track::new(vec![0.0], vec![p(0.3, 0.3, 0.3)], Interpolation::Linear, false);
    simulation.model_mut().move_anchor(AnchorId::new(0), Motion::along(along.unwrap())).unwrap();
    simulation.step().unwrap();
    assert!(
        (simulation.pose(ChainId::new(0)).unwrap().positions()[2] - p(0.3, 0.3, 0.3)).norm() < 1e-5
    );
    assert!(simulation.model_mut().move_anchor(AnchorId::new(1), Motion::default()).is_err());
}

#[test]
fn a_joint_is_grabbed_by_its_goal() {
    let (mut model, _) = arm_with_cloth("ccd");
    let first = model.particles() as u32;
    let mut rig =
        Rig::new(Chain::straight(&[0.6, 0.6], JointLimits::FREE).unwrap(), "ccd").unwrap();
    let track = Track::new(vec![0.0, 1.0], vec![p(0.6, 0.6, 0.0); 2], Interpolation::Linear, true);
    rig.add_goal(2, model.add_anchor(Motion::along(track.unwrap())).unwrap());
    for joint in 0..3 {
        let at = p(0.6 * joint as f64, 0.0, 0.0);
        let particle = model.add_particle(at, 1e-6).unwrap();
        model.pin_at_rest(particle).unwrap();
        rig.carry(joint, particle, at).unwrap();
    }
    model.add_chain(rig).unwrap();
    let mut simulation = Simulation::new(model, "newton", 0.01).unwrap();
    simulation.step().unwrap();
    let end = |simulation: &Simulation| simulation.state().positions[first as usize + 2];
    assert!((end(&simulation) - p(0.6, 0.6, 0.0)).norm() < 1e-5);
    // By the end, and by a joint that follows nothing itself.
    for (joint, to) in [(2, p(0.2, -0.5, 0.4)), (1, p(-0.3, 0.8, 0.1))] {
        let grab = simulation.grab(first + joint, 100.0).unwrap();
        simulation.move_grab(&grab, to).unwrap();
        simulation.step().unwrap();
        assert!((end(&simulation) - to).norm() < 1e-5);
        simulation.release(grab);
        simulation.step().unwrap();
        assert!((end(&simulation) - to).norm() < 1e-5, "it stays");
    }
    assert!(simulation.model().elements().iter().all(|batch| batch.law().name != "attachment"));
}

#[test]
fn a_goal_beyond_numbers_is_refused_and_nothing_moves() {
    let (model, _) = arm_with_cloth("ccd");
    let mut simulation = Simulation::new(model, "newton", 0.01).unwrap();
    simulation.step().unwrap();
    let digest = simulation.state().digest();
    simulation
        .model_mut()
        .move_anchor(AnchorId::new(0), Motion::still(p(1e200, 0.0, 0.0)))
        .unwrap();
    simulation.control_mut().set_anchor(AnchorId::new(0), p(1e200, 0.0, 0.0)).unwrap();
    let told = simulation.step().unwrap_err().to_string();
    assert!(told.starts_with("target 0 must be within 1e100 m"), "{told}");
    assert_eq!(simulation.state().digest(), digest);
}

#[test]
fn rigs_that_make_no_sense_are_refused() {
    let chain = || Chain::straight(&[1.0], JointLimits::FREE).unwrap();
    assert!(Rig::new(chain(), "magic").unwrap_err().to_string().starts_with("there is no solver"));
    let refused = |change: fn(&mut Rig)| {
        let mut model = Model::new();
        let mut rig = Rig::new(chain(), "ccd").unwrap();
        change(&mut rig);
        model.add_chain(rig).unwrap_err().to_string()
    };
    assert_eq!(
        refused(|rig| rig.add_goal(2, AnchorId::new(0))),
        "a goal is for joint 2; the chain has 2"
    );
    assert_eq!(refused(|rig| rig.add_goal(1, AnchorId::new(0))), "there is no anchor 0");
    let told = refused(|rig| rig.carry(1, 3, Vec3::ZERO).unwrap());
    assert!(told.starts_with("there is no particle 3 to carry"), "{told}");
    let (mut model, _) = arm_with_cloth("ccd");
    model.set_pin_enforcement(PinEnforcement::Cancellation);
    let method = (hooke::methods::find("symplectic-euler").unwrap().build)(&[]).unwrap();
    let told = Simulation::with_substeps(model, method, 0.001, Substeps::Fixed(1))
        .err()
        .unwrap()
        .to_string();
    assert!(told.starts_with("pins by force cancellation cannot follow chains"), "{told}");
}
