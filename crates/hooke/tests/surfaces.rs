//! Contact between surfaces of deformables: nothing passes through anything, under any method.
#![allow(clippy::unwrap_used, missing_docs)]

use hooke::methods::METHODS;
use hooke::model::{Block, Obstacle, ObstacleMotion, Response, Shape, SpringFamily};
use hooke::{ContactMaterial, Grid, Model, Particles, Rope, Simulation, State, StepError, Vec3};

const STEP: f64 = 1.0 / 60.0;

/// A soft sheet of `n × n` particles with 0.2 kg/m².
fn sheet(n: u32, origin: Vec3, across: Vec3, down: Vec3) -> Grid {
    let soft = |k: f64| Some(SpringFamily::stiffness(k));
    let mass = 0.2 * across.norm() * down.norm();
    let (structural, shear, bend) = (soft(200.0), soft(100.0), soft(1.0));
    Grid { origin, across, down, mass, structural, shear, bend, ..Grid::square(n) }
}

#[track_caller]
fn assert_apart(simulation: &Simulation, what: &str) {
    let found = simulation.model().intersections(&simulation.state().positions, 1);
    assert_eq!(found.count, 0, "{what}: {:?}", found.first);
}

fn momentum(simulation: &Simulation) -> Vec3 {
    let masses = simulation.model().masses().iter();
    masses.zip(&simulation.state().velocities).fold(Vec3::ZERO, |sum, (&m, &v)| sum + v * m)
}

/// Two sheets of 10 cm that fly against each other, without gravity.
fn thrown(method: &str, speed: f64) -> Option<Simulation> {
    let mut model = Model::new();
    model.set_gravity(Vec3::ZERO).unwrap();
    model.set_contact_between(true);
    let x = |x, y, z| Vec3::new(x, y, z);
    let lower = sheet(6, Vec3::ZERO, x(0.1, 0.0, 0.0), x(0.0, 0.0, 0.1));
    let upper = sheet(6, x(0.03, 0.008, -0.03), x(0.1, 0.0, 0.03), x(-0.03, 0.0, 0.1));
    let sheets = [lower, upper].map(|sheet| sheet.add_to(&mut model).unwrap().particles());
    let mut simulation = Simulation::new(model, method, STEP).ok()?;
    let mut state = simulation.state().clone();
    for (sheet, up) in sheets.into_iter().zip([0.5, -0.5]) {
        for i in sheet.indices() {
            state.velocities[i] = x(0.1 * up, up * speed, 0.05);
        }
    }
    simulation.set_state(state).unwrap();
    Some(simulation)
}

#[test]
fn sheets_that_meet_do_not_pass_through_each_other() {
    for method in METHODS {
        for speed in [1.0, 5.0] {
            let Some(mut simulation) = thrown(method.name, speed) else { continue };
            let before = momentum(&simulation);
            let (mut touched, mut ended) = (false, true);
            for step in 0..12 {
                let Ok(report) = simulation.step() else {
                    ended = false;
                    break;
                };
                touched |= report.contact.is_some_and(|contact| contact.least_distance.is_some());
                assert_apart(&simulation, &format!("{} at {speed} m/s, step {step}", method.name));
            }
            assert!(touched || !ended, "{} at {speed} m/s", method.name);
            if method.name == "newton" {
                let change = (momentum(&simulation) - before).norm();
                assert!(change < 1e-12, "{} at {speed} m/s: {change:e}", method.name);
            }
            if ["newton", "vbd", "xpbd"].contains(&method.name) {
                let energy = simulation.report().energy.total();
                assert!(energy < 0.5 * 2e-3 * speed * speed, "{}: {energy}", method.name);
            }
        }
    }
}

/// A cloth of `n × n` particles and 1 m in eight layers 1.1 δ apart, 5 cm above a floor.
fn folded(n: u32) -> (Model, State) {
    let (mut model, thickness) = (Model::new(), 2e-3);
    let cloth = sheet(n, Vec3::ZERO, Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 0.0, 1.0));
    cloth.add_to(&mut model).unwrap();
    let contact = ContactMaterial { thickness, self_contact: true, ..Default::default() };
    model.set_contact(0, contact).unwrap();
    let floor = Obstacle {
        shape: Shape::HalfSpace,
        pose: ObstacleMotion::still(Vec3::ZERO),
        response: Response::Bounce { restitution: 0.0, friction: 0.3 },
        thickness: 1e-3,
    };
    model.add_obstacle(floor).unwrap();
    let mut state = State::at_rest(&model);
    let width = 1.0 / 8.0;
    for x in &mut state.positions {
        let layer = (x.x / width).floor().min(7.0);
        let along = x.x - layer * width;
        x.x = if layer as u32 % 2 == 1 { width - along } else { along };
        x.y = 0.05 + layer * 1.1 * thickness;
    }
    (model, state)
}

fn lands(n: u32, method: &str, threads: usize) -> Simulation {
    let (model, state) = folded(n);
    assert_eq!(model.intersections(&state.positions, 1).count, 0);
    let mut simulation = Simulation::new(model, method, STEP).unwrap();
    simulation.set_threads(threads);
    simulation.set_state(state).unwrap();
    simulation
}

#[test]
fn a_folded_cloth_lands_without_an_intersection() {
    for method in ["newton", "quasi-newton", "vbd", "xpbd", "symplectic-euler", "pbd"] {
        let mut simulation = lands(13, method, 2);
        for step in 0..20 {
            simulation.step().unwrap();
            assert_apart(&simulation, &format!("{method}, step {step}"));
        }
    }
}

#[test]
fn contacts_give_the_same_bits_on_any_number_of_threads_and_after_a_restore() {
    for method in ["newton", "vbd", "xpbd", "symplectic-euler"] {
        let digests = [1, 3].map(|threads| {
            let mut simulation = lands(11, method, threads);
            for _ in 0..7 {
                simulation.step().unwrap();
            }
            let saved = simulation.snapshot();
            for _ in 0..3 {
                simulation.step().unwrap();
            }
            let digest = simulation.state().digest();
            // Another simulation knows nothing of the pairs before.
            let mut again = lands(11, method, threads);
            again.restore(&saved).unwrap();
            for _ in 0..3 {
                again.step().unwrap();
            }
            assert_eq!(again.state().digest(), digest, "{method}, restored");
            digest
        });
        assert_eq!(digests[0], digests[1], "{method}");
    }
}

#[test]
fn a_flat_cloth_of_edges_below_its_thickness_is_at_rest() {
    for method in ["newton", "vbd", "xpbd", "symplectic-euler"] {
        let mut model = Model::new();
        model.set_gravity(Vec3::ZERO).unwrap();
        let edge = 1e-4;
        let side = |x: f64, z: f64| Vec3::new(9.0 * edge * x, 0.0, 9.0 * edge * z);
        let cloth = sheet(10, Vec3::ZERO, side(1.0, 0.0), side(0.0, 1.0));
        cloth.add_to(&mut model).unwrap();
        model.set_contact(0, ContactMaterial { self_contact: true, ..Default::default() }).unwrap();
        let mut simulation = Simulation::new(model, method, STEP).unwrap();
        for _ in 0..3 {
            simulation.step().unwrap();
        }
        assert_eq!(simulation.state().positions, simulation.model().rest(), "{method}");
    }
}

fn pinned(model: &mut Model, particles: Particles) {
    for particle in particles.iter() {
        model.pin_at_rest(particle).unwrap();
    }
}

#[test]
fn a_rope_lies_on_a_rope_and_on_a_sheet() {
    let thread = |from: Vec3, to: Vec3| Rope {
        from,
        to,
        links: 9,
        mass: 0.02,
        structural: SpringFamily::stiffness(500.0),
        bend: None,
    };
    for method in ["newton", "vbd", "xpbd", "symplectic-euler"] {
        for on_sheet in [false, true] {
            let mut model = Model::new();
            model.set_contact_between(true);
            let x = |x, y, z| Vec3::new(x, y, z);
            if on_sheet {
                let held = sheet(5, x(-0.5, 0.0, -0.5), x(1.0, 0.0, 0.0), x(0.0, 0.0, 1.0));
                let held = held.add_to(&mut model).unwrap().particles();
                pinned(&mut model, held);
            } else {
                for z in [-0.05, 0.1] {
                    let held = thread(x(-0.5, 0.0, z), x(0.5, 0.0, z)).add_to(&mut model).unwrap();
                    pinned(&mut model, held);
                }
            }
            let falls = thread(x(0.03, 0.05, -0.3), x(0.07, 0.06, 0.3)).add_to(&mut model).unwrap();
            let mut simulation = Simulation::new(model, method, STEP).unwrap();
            for _ in 0..30 {
                simulation.step().unwrap();
            }
            let state = simulation.state();
            let highest = state.positions[falls.indices()].iter().map(|x| x.y).fold(-1.0, f64::max);
            assert!(highest > 0.0, "{method}, on a sheet: {on_sheet}: {highest}");
            if on_sheet {
                let lowest =
                    state.positions[falls.indices()].iter().map(|x| x.y).fold(1.0, f64::min);
                assert!(lowest > 0.0, "{method}: {lowest}");
            }
        }
    }
}

#[test]
fn a_block_rests_on_a_block() {
    for method in ["newton", "vbd"] {
        let mut model = Model::new();
        model.set_contact_between(true);
        let law = hooke::laws::find("neo-hookean").unwrap();
        let mut blocks = Vec::new();
        for (k, y) in [0.0, 0.105].into_iter().enumerate() {
            let first = model.particles() as u32;
            let edges = Vec3::AXES.map(|axis| axis * 0.1);
            let corner = Vec3::new(0.01 * k as f64, y, 0.013 * k as f64);
            let solid = Block { cells: [3, 3, 3], edges, corner }.mesh().unwrap();
            for &x in &solid.positions {
                model.add_particle(x, 1.0 / solid.positions.len() as f64).unwrap();
            }
            for t in &solid.tetrahedra {
                let corners = t.map(|i| first + i);
                model.add_element(law, &corners, None, &[5e4, 0.3]).unwrap();
                model.add_tetrahedron(corners).unwrap();
            }
            for t in &hooke::model::solid::surface(&solid.tetrahedra) {
                model.add_triangle(t.map(|i| first + i)).unwrap();
            }
            let particles = Particles::new(first, solid.positions.len() as u32);
            model.add_deformable(particles, ContactMaterial::default()).unwrap();
            blocks.push(particles);
        }
        for i in blocks[0].indices() {
            if model.rest()[i].y == 0.0 {
                model.pin_at_rest(i as u32).unwrap();
            }
        }
        let mut simulation = Simulation::new(model, method, STEP).unwrap();
        for step in 0..40 {
            simulation.step().unwrap();
            assert_apart(&simulation, &format!("{method}, step {step}"));
        }
        let positions = &simulation.state().positions[blocks[1].indices()];
        let middle = positions.iter().map(|x| x.y).sum::<f64>() / positions.len() as f64;
        assert!(middle > 0.1, "{method}: {middle}");
    }
}

#[test]
fn surfaces_that_are_too_fast_are_told() {
    let mut simulation = thrown("newton", 500.0).unwrap();
    let before = simulation.state().clone();
    let error = simulation.step().unwrap_err();
    let StepError::TooFast { step: 1, below } = error else { panic!("{error}") };
    assert!(below < STEP && below > 1e-4, "{error}");
    assert_eq!(simulation.state().positions, before.positions);
}
