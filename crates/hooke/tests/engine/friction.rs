//! Contact in the solve: one minimum for all methods, friction on an incline, bounces, and nothing that
//! passes through.

use crate::common::*;
use hooke::methods::METHODS;
use hooke::model::{
    Block, GlobalDamping, Obstacle, ObstacleMotion, Response, Shape, SpringDamping, SpringFamily,
};
use hooke::model::{Interpolation, Motion, Rotation, Stiffness, Track};
use hooke::{Grid, Model, Simulation, State, Substeps, Vec3};

const THICKNESS: f64 = 1e-3;

/// How far what slips on the incline goes in 2.5 s (m): ½ g (sin θ − μ cos θ) t².
const SLIPS: f64 = 0.2739183272437252;

fn obstacle(shape: Shape, pose: ObstacleMotion, restitution: f64, friction: f64) -> Obstacle {
    let response = Response::Bounce { restitution, friction };
    Obstacle { shape, pose, response, thickness: THICKNESS }
}

/// A half-space with tan θ = ½.
fn incline(friction: f64) -> Obstacle {
    let pose = ObstacleMotion::facing(Vec3::ZERO, p(1.0, 2.0, 0.0)).unwrap();
    obstacle(Shape::HalfSpace, pose, 0.0, friction)
}

fn floor(restitution: f64, friction: f64) -> Obstacle {
    obstacle(Shape::HalfSpace, ObstacleMotion::still(Vec3::ZERO), restitution, friction)
}

fn solvers() -> impl Iterator<Item = &'static str> {
    METHODS.iter().filter(|method| method.contact_in_solve()).map(|method| method.name)
}

#[derive(Clone, Copy, Debug)]
enum What {
    Particle,
    Block,
    Cloth,
}

/// Something that lies on the incline.
fn lying(what: What, friction: f64) -> Model {
    let (out, down) = (p(1.0, 2.0, 0.0).unit(), p(2.0, -1.0, 0.0).unit());
    let (corner, across) = (out * THICKNESS, p(0.0, 0.0, 1.0));
    let mut model = Model::new();
    model.set_gravity(p(0.0, -9.8, 0.0)).unwrap();
    match what {
        What::Particle => {
            model.add_particle(corner, 1.0).unwrap();
        }
        What::Block => {
            let edges = [down * 0.2, out * 0.1, across * 0.1];
            let mesh = Block { corner, edges, cells: [2, 1, 1] }.mesh().unwrap();
            for &x in &mesh.positions {
                model.add_particle(x, 1.0 / mesh.positions.len() as f64).unwrap();
            }
            let damping = SpringDamping::PerVelocity(20.0);
            let family = SpringFamily { stiffness: Stiffness::PerLength(1e5), damping };
            let mut known = std::collections::BTreeSet::new();
            for corners in &mesh.tetrahedra {
                for (a, b) in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)] {
                    let [i, j] = [corners[a].min(corners[b]), corners[a].max(corners[b])];
                    if known.insert([i, j]) {
                        model.add_spring_of(i, j, &family, None).unwrap();
                    }
                }
            }
        }
        What::Cloth => {
            let (across, down) = (across * 0.4, down * 0.4);
            Grid { origin: corner, across, down, ..Grid::square(6) }.add_to(&mut model).unwrap();
        }
    }
    model.add_obstacle(incline(friction)).unwrap();
    model
}

fn middle(x: &[Vec3]) -> Vec3 {
    x.iter().fold(Vec3::ZERO, |sum, &x| sum + x) * (1.0 / x.len() as f64)
}

/// How far the middle goes in 2.5 s (m). What can bend has settled before.
fn slide(name: &str, what: What, friction: f64, h: f64) -> f64 {
    let mut start = State::at_rest(&lying(what, friction));
    if let What::Block = what {
        let mut rough = lying(what, 5.0);
        rough.set_global_damping(Some(GlobalDamping::Rate(20.0))).unwrap();
        let mut settle = Simulation::new(rough, method(name, &[]), h).unwrap();
        run(&mut settle, (1.0 / h) as usize);
        start.positions.clone_from(&settle.state().positions);
    }
    let from = middle(&start.positions);
    let mut simulation = Simulation::new(lying(what, friction), method(name, &[]), h).unwrap();
    simulation.set_state(start).unwrap();
    run(&mut simulation, (2.5 / h).round() as usize);
    (middle(&simulation.state().positions) - from).norm()
}

#[test]
fn friction_holds_above_the_slope_and_slips_below_it() {
    let explicit = ["symplectic-euler", "velocity-verlet", "rk4", "implicit-midpoint", "pbd"];
    // Their velocity is that of no impulse: what bends under its weight hops.
    let hops = |name: &str| explicit[1..4].contains(&name);
    let mut wrong = String::new();
    for name in solvers().chain(explicit) {
        for what in [What::Particle, What::Block, What::Cloth] {
            let h = match what {
                What::Particle => 0.01,
                What::Block if hops(name) => continue,
                What::Block => 1e-3,
                What::Cloth => 2e-3,
            };
            let [holds, slips] = [0.51, 0.49].map(|friction| slide(name, what, friction, h));
            if holds >= 1e-3 || (slips / SLIPS - 1.0).abs() >= 0.02 {
                wrong += &format!("\n{name} {what:?} holds but for {holds} m, slips {slips} m");
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// A particle that a moving floor with μ = 0.5 carries.
fn carried(motion: Motion) -> Model {
    let mut model = Model::new();
    model.add_particle(p(0.1, THICKNESS, 0.0), 0.3).unwrap();
    model.add_obstacle(obstacle(Shape::HalfSpace, motion.into(), 0.0, 0.5)).unwrap();
    model
}

#[test]
fn what_sticks_does_not_creep() {
    for name in solvers() {
        // On an incline, near slipping.
        for (what, h) in [(What::Particle, 0.005), (What::Block, 1e-3), (What::Cloth, 0.005)] {
            let mut model = lying(what, 0.51);
            model.set_global_damping(Some(GlobalDamping::Rate(20.0))).unwrap();
            let start = State::at_rest(&model);
            let mut simulation = simulation(model, method(name, &[]), h, start);
            run(&mut simulation, (1.0 / h) as usize);
            let before = simulation.state().positions.clone();
            run(&mut simulation, (1.0 / h) as usize);
            let creep = apart(&simulation.state().positions, &before);
            assert!(creep < 1e-6, "{name} {what:?} creeps {creep:e} m a second");
        }
        // Once around with a floor that turns, and to and fro with one that starts and stops.
        let rotation =
            Rotation::steady(Vec3::ZERO, p(0.0, 1.0, 0.0), std::f64::consts::PI).unwrap();
        let anchors = vec![Vec3::ZERO, p(0.3, 0.0, 0.1), Vec3::ZERO];
        let track = Track::new(vec![0.0, 1.0, 2.0], anchors, Interpolation::Smooth, false).unwrap();
        for motion in [Motion::still(Vec3::ZERO).rotated(rotation), Motion::along(track)] {
            let model = carried(motion.clone());
            let start = State::at_rest(&model);
            let rotations = motion.rotates();
            let mut simulation = simulation(model, method(name, &[]), 0.005, start);
            // What turns has to be set going first.
            let lap = if rotations { 400 } else { 0 };
            run(&mut simulation, lap);
            let before = simulation.state().positions[0];
            run(&mut simulation, 400);
            let off = simulation.state().positions[0] - before;
            let off = p(off.x, 0.0, off.z).norm();
            assert!(off < 3e-6, "{name}, turning {rotations}: {off:e} m off");
        }
    }
}

/// A cloth of 5×5 that falls onto a sphere and a floor.
fn drape(friction: f64) -> Model {
    let mut model = Model::new();
    let grid = Grid {
        origin: p(-0.31, 0.402, -0.27),
        across: p(0.6, 0.0, 0.0),
        down: p(0.0, 0.0, 0.6),
        mass: 0.1,
        structural: Some(SpringFamily::stiffness(100.0)),
        shear: Some(SpringFamily::stiffness(30.0)),
        bend: Some(SpringFamily::stiffness(1.0)),
        ..Grid::square(5)
    };
    grid.add_to(&mut model).unwrap();
    let pose = ObstacleMotion::still(p(0.0, 0.2, 0.0));
    model.add_obstacle(obstacle(Shape::Sphere { radius: 0.2 }, pose, 0.0, friction)).unwrap();
    model.add_obstacle(floor(0.0, friction)).unwrap();
    model
}

/// On flat ground rows are exact, too.
fn thrown(friction: f64) -> (Model, State) {
    let mut model = Model::new();
    for k in 0..4 {
        model.add_particle(p(0.1 * f64::from(k), 0.0015, 0.02), 0.1 + 0.1 * f64::from(k)).unwrap();
    }
    model.add_obstacle(floor(0.0, friction)).unwrap();
    let mut state = State::at_rest(&model);
    for (k, v) in state.velocities.iter_mut().enumerate() {
        *v = p(0.02 * k as f64, -0.5, 0.01);
    }
    (model, state)
}

#[test]
fn all_methods_share_one_minimum() {
    let h = 0.01;
    for friction in [0.0, 0.4] {
        // While it comes to touch in many places, by Newton; all start without anchors.
        for steps in 23..28 {
            let start = State::at_rest(&drape(friction));
            let mut newton = simulation(drape(friction), exact("newton"), h, start);
            run(&mut newton, steps);
            let state = newton.state().clone();
            newton.set_state(state.clone()).unwrap();
            newton.step().unwrap();
            let report = newton.report();
            assert!(report.contact.unwrap().pairs > 2, "{:?}", report.contact);
            for name in ["quasi-newton", "vbd"] {
                let mut other = simulation(drape(friction), exact(name), h, state.clone());
                other.step().unwrap();
                for report in [newton.report(), other.report()] {
                    let relative = report.solve.as_ref().unwrap().relative();
                    assert!(relative < 1e-9, "{name}, {steps} steps: {relative:e}");
                }
                let far = apart(&other.state().positions, &newton.state().positions);
                // Coulomb's law may have several solutions; after 25 steps newton finds another than the rest.
                let another = friction > 0.0 && steps == 25;
                assert!(far < 1e-9 || another, "{name}, {steps} steps, {friction}: {far:e} m");
            }
        }
        let (model, state) = thrown(friction);
        let mut newton = simulation(model, exact("newton"), h, state);
        newton.step().unwrap();
        for name in ["quasi-newton", "vbd", "xpbd"] {
            let (model, state) = thrown(friction);
            let mut other = simulation(model, exact(name), h, state);
            other.step().unwrap();
            let far = apart(&other.state().positions, &newton.state().positions);
            assert!(far < 1e-10, "{name} ends {far:e} m from newton with friction {friction}");
        }
    }
}

#[test]
fn heights_of_bounces() {
    for name in solvers().chain(["symplectic-euler", "pbd"]) {
        let mut model = Model::new();
        model.set_gravity(p(0.0, -9.8, 0.0)).unwrap();
        model.add_particle(p(0.0, 1.0 + THICKNESS, 0.0), 0.3).unwrap();
        model.add_obstacle(floor(0.6, 0.0)).unwrap();
        let start = State::at_rest(&model);
        let mut simulation = simulation(model, method(name, &[]), 5e-4, start);
        let (mut heights, mut last) = (Vec::new(), -1.0);
        for _ in 0..4000 {
            simulation.step().unwrap();
            let v = simulation.state().velocities[0].y;
            if last > 0.0 && v <= 0.0 {
                heights.push(simulation.state().positions[0].y - THICKNESS);
            }
            last = v;
        }
        for (n, height) in heights.iter().enumerate().take(3) {
            let expected = 0.36f64.powi(n as i32 + 1);
            assert!((height / expected - 1.0).abs() < 0.03, "{name}: {heights:?}");
        }
        assert!(heights.len() >= 3, "{name}: {heights:?}");
    }
}

#[test]
fn nothing_passes_through_a_thin_plate() {
    let half = p(0.5, 0.002, 0.5);
    let plate =
        |pose: ObstacleMotion| obstacle(Shape::Box { half, inside_out: false }, pose, 0.0, 0.2);
    for name in names() {
        // A fast particle, three plates' thickness to hundreds of them a step.
        for speed in [1.0, 20.0, 300.0] {
            let mut model = Model::new();
            model.add_particle(p(0.01, 0.11, 0.02), 0.1).unwrap();
            model.add_obstacle(plate(ObstacleMotion::still(Vec3::ZERO))).unwrap();
            let mut state = State::at_rest(&model);
            state.velocities[0] = p(0.3, -speed, 0.1);
            let mut simulation = simulation(model, method(name, &[]), 0.01, state);
            run(&mut simulation, 30);
            let x = simulation.state().positions[0];
            assert!(x.y > half.y - 1e-6, "{name} at {speed} m/s: {x:?}");
        }
        // A plate that hits what rests.
        let mut model = Model::new();
        model.set_gravity(Vec3::ZERO).unwrap();
        model.add_particle(p(0.01, 0.5, 0.02), 0.1).unwrap();
        let anchors = vec![Vec3::ZERO, p(0.0, 2.0, 0.0)];
        let track = Track::new(vec![0.0, 0.1], anchors, Interpolation::Linear, false).unwrap();
        model.add_obstacle(plate(Motion::along(track).into())).unwrap();
        let start = State::at_rest(&model);
        let mut simulation = simulation(model, method(name, &[]), 0.01, start);
        run(&mut simulation, 10);
        let x = simulation.state().positions[0];
        assert!(x.y > 2.0 + half.y - 1e-6, "{name} was passed by: {x:?}");
    }
}

/// A rope across a bar whose radius (m) is less than its links are long, falling at a speed (m/s).
fn rope_over_bar(speed: f64, radius: f64) -> (Model, State) {
    let mut model = Model::new();
    for k in 0..10 {
        model.add_particle(p(0.1 * f64::from(k) - 0.43, 0.05, 0.0), 0.05).unwrap();
    }
    let damping = SpringDamping::PerVelocity(1.0);
    let family = SpringFamily { stiffness: Stiffness::PerLength(2000.0), damping };
    for k in 0..9 {
        model.add_spring_of(k, k + 1, &family, None).unwrap();
    }
    // What keeps it from folding runs past a particle and meets nothing.
    for k in 0..8 {
        model.add_spring(k, k + 2, 0.5, None).unwrap();
    }
    let bar = Shape::Capsule { radius, half_length: 0.5 };
    let pose = ObstacleMotion::facing(Vec3::ZERO, p(0.0, 0.0, 1.0)).unwrap();
    model.add_obstacle(obstacle(bar, pose, 0.0, 0.3)).unwrap();
    let mut state = State::at_rest(&model);
    state.velocities.fill(p(0.0, -speed, 0.0));
    (model, state)
}

#[test]
fn a_bar_does_not_come_between_the_particles_of_a_rope() {
    let mut wrong = String::new();
    // Forward Euler lets the rope explode.
    for name in names().filter(|name| *name != "forward-euler") {
        for (speed, steps) in [(0.0, 150), (5.0, 40), (20.0, 12)] {
            let (model, state) = rope_over_bar(speed, 0.005);
            let mut simulation = simulation(model, method(name, &[]), 2e-3, state);
            for step in 0..steps {
                simulation.step().unwrap();
                let x = &simulation.state().positions;
                // The bar is at the origin: the rope crosses x = 0 above it.
                let cross = |edge: &[Vec3]| {
                    let s = edge[0].x / (edge[0].x - edge[1].x);
                    (0.0..1.0).contains(&s).then(|| edge[0].y * (1.0 - s) + edge[1].y * s)
                };
                let highest = x.windows(2).filter_map(cross).fold(f64::MIN, f64::max);
                if highest < 0.004 {
                    wrong += &format!("\n{name} at {speed} m/s, step {step}: {highest} {x:?}");
                    break;
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn methods_share_one_minimum_over_an_edge() {
    // Slow against the bar: where ways are looked at, g depends on how a solve got there.
    let (model, state) = rope_over_bar(0.0, 0.02);
    let mut newton = simulation(model, exact("newton"), 5e-3, state);
    run(&mut newton, 40);
    let state = newton.state().clone();
    newton.step().unwrap();
    assert!(newton.report().contact.unwrap().pairs > 0);
    for name in ["quasi-newton", "vbd"] {
        let (model, _) = rope_over_bar(0.0, 0.02);
        let mut other = simulation(model, exact(name), 5e-3, state.clone());
        other.step().unwrap();
        let far = apart(&other.state().positions, &newton.state().positions);
        assert!(far < 1e-7, "{name} ends {far:e} m from newton");
    }
}

#[test]
fn work_against_friction_is_booked() {
    for name in solvers() {
        let mut model = lying(What::Cloth, 0.49);
        model.set_global_damping(None).unwrap();
        let start = State::at_rest(&model);
        let from = middle(&start.positions);
        let mut simulation = simulation(model, method(name, &[]), 2e-3, start);
        let (mut work, mut numerical) = (0.0, 0.0);
        for _ in 0..1000 {
            let report = simulation.step().unwrap();
            work += report.work.contact;
            numerical += report.numerical;
        }
        // μ m g cos θ s, with 0.3 kg.
        let gone = (middle(&simulation.state().positions) - from).norm();
        let expected = -0.49 * 0.3 * 9.8 * (2.0 / 5f64.sqrt()) * gone;
        assert!((work / expected - 1.0).abs() < 0.02, "{name}: {work} J, not {expected} J");
        assert!(numerical.abs() < 0.02 * work.abs(), "{name}: {numerical} J of {work} J");
    }
}

#[test]
fn a_cloth_comes_to_rest_on_a_sphere() {
    for name in solvers() {
        let mut model = drape(0.5);
        model.set_global_damping(Some(GlobalDamping::Rate(3.0))).unwrap();
        let start = State::at_rest(&model);
        let mut simulation = simulation(model, method(name, &[]), 0.01, start);
        run(&mut simulation, 400);
        let before = simulation.state().positions.clone();
        run(&mut simulation, 100);
        let report = simulation.report();
        // What hangs still swings, the more the further a solve is from its end.
        let (most, far) = match name {
            "newton" => (1e-7, 5e-4),
            "xpbd" => (5e-7, 2e-3),
            _ => (1e-7, 1e-3),
        };
        assert!(report.energy.kinetic < most, "{name}: {:e} J", report.energy.kinetic);
        let creep = apart(&simulation.state().positions, &before);
        assert!(creep < far, "{name} creeps {creep:e} m a second");
        assert!(report.contact.unwrap().pairs > 0);
        for x in &simulation.state().positions {
            let behind = simulation.model().obstacles().iter().map(|o| -o.distance(*x, 5.0).0);
            assert!(behind.fold(f64::MIN, f64::max) < 1e-9, "{name}: {x:?}");
        }
    }
}

#[test]
fn contact_gives_the_same_bits_on_any_number_of_threads() {
    for name in names() {
        let run_on = |threads: usize| {
            let mut model = Model::new();
            let (across, down) = (p(1.0, 0.0, 0.0), p(0.0, 0.0, 1.0));
            let origin = p(-0.5, 0.3011, -0.5);
            Grid { origin, across, down, ..Grid::square(30) }.add_to(&mut model).unwrap();
            let (shape, pose) = (Shape::Sphere { radius: 0.3 }, ObstacleMotion::still(Vec3::ZERO));
            model.add_obstacle(obstacle(shape, pose, 0.0, 0.3)).unwrap();
            model.add_obstacle(floor(0.0, 0.3)).unwrap();
            let mut simulation =
                Simulation::with_substeps(model, method(name, &[]), 2e-3, Substeps::Fixed(1))
                    .unwrap();
            simulation.set_threads(threads);
            run(&mut simulation, 8);
            let report = simulation.report();
            assert!(report.contact.unwrap().pairs > 0, "{name}");
            (simulation.state().digest(), report.work.contact.to_bits())
        };
        let alone = run_on(1);
        assert_eq!(alone, run_on(2), "{name}");
        assert_eq!(alone, run_on(3), "{name}");
    }
}

#[test]
fn stopped_and_restored_contacts_go_on_with_the_same_bits() {
    for name in solvers() {
        let start = State::at_rest(&drape(0.4));
        let mut simulation = simulation(drape(0.4), method(name, &[]), 0.01, start);
        run(&mut simulation, 20);
        let snapshot = simulation.snapshot();
        run(&mut simulation, 10);
        let digest = simulation.state().digest();
        simulation.restore(&snapshot).unwrap();
        run(&mut simulation, 10);
        assert_eq!(simulation.state().digest(), digest, "{name}");
    }
}
