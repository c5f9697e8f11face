//! Tests that need no reference: what changes in the scene and what must not.

use crate::common::*;
use hooke::model::{Motion, ParticleId, SpringFamily};
use hooke::{Grid, Model, Simulation, State, Vec3};

/// A small cloth built from an explicit list, so that it can be changed in every way.
#[derive(Clone)]
struct Plan {
    positions: Vec<Vec3>,
    velocities: Vec<Vec3>,
    masses: Vec<f64>,
    springs: Vec<(u32, u32, f64, f64)>,
    pins: Vec<u32>,
    gravity: Vec3,
    drag: f64,
}

fn plan() -> Plan {
    let mut model = Model::new();
    Grid { down: p(0.0, -0.6, 0.8), ..Grid::square(4) }.add_to(&mut model).unwrap();
    let batch = &model.elements()[0];
    let springs = (0..batch.len())
        .map(|e| {
            let view = batch.view(e);
            (view.corners[0], view.corners[1], view.material[0], view.rest[0])
        })
        .collect();
    let mut numbers = Numbers(5);
    Plan {
        positions: model.rest().iter().map(|&x| x + numbers.point() * 0.02).collect(),
        velocities: model.rest().iter().map(|_| numbers.point() * 0.1).collect(),
        masses: model.masses().iter().map(|m| m * (1.0 + 0.3 * numbers.next())).collect(),
        springs,
        pins: vec![0, 3],
        gravity: model.gravity(),
        drag: 0.01,
    }
}

impl Plan {
    fn model(&self) -> (Model, State) {
        let mut model = Model::new();
        model.set_gravity(self.gravity).unwrap();
        let drag = hooke::dampers::find("drag").unwrap();
        for (i, (&x, &m)) in self.positions.iter().zip(&self.masses).enumerate() {
            model.add_particle(x, m).unwrap();
            model.add_damper(drag, &[i as u32], None, &[self.drag]).unwrap();
        }
        for &(i, j, k, l) in &self.springs {
            model.add_spring(i, j, k, Some(l)).unwrap();
        }
        let mut state = State::at_rest(&model);
        state.velocities = self.velocities.clone();
        for &pin in &self.pins {
            model.pin_at_rest(pin).unwrap();
            state.velocities[pin as usize] = Vec3::ZERO;
        }
        (model, state)
    }

    fn run(&self, name: &str) -> State {
        let (model, state) = self.model();
        let mut simulation = simulation(model, exact(name), 2e-3, state);
        run(&mut simulation, 12);
        simulation.state().clone()
    }
}

/// Methods that move particles row after row: the order of the rows is part of the method, and in space
/// so is the path to where they end.
const BY_ROWS: [&str; 3] = ["pbd", "xpbd", "hierarchical-pbd"];

/// Runs both plans under every method and compares where `map` says they should agree.
fn same(changed: &Plan, map: impl Fn(usize, Vec3) -> (usize, Vec3), allowed: f64, what: &str) {
    same_but_for(&[], changed, map, allowed, what);
}

fn same_but_for(
    exceptions: &[&str],
    changed: &Plan,
    map: impl Fn(usize, Vec3) -> (usize, Vec3),
    allowed: f64,
    what: &str,
) {
    for name in names().filter(|name| !exceptions.contains(name)) {
        let (before, after) = (plan().run(name), changed.run(name));
        for (i, &x) in before.positions.iter().enumerate() {
            let (j, expected) = map(i, x);
            let error = (after.positions[j] - expected).norm();
            assert!(error < allowed, "{what}, {name}: particle {i} off by {error:e}");
        }
    }
}

#[test]
fn translated() {
    let mut changed = plan();
    let by = p(3.0, -2.0, 1.0);
    changed.positions.iter_mut().for_each(|x| *x += by);
    same(&changed, |i, x| (i, x + by), 1e-9, "translated");
}

#[test]
fn rotated() {
    let mut changed = plan();
    let (c, s) = (0.6, 0.8);
    let rotation = |x: Vec3| p(c * x.x - s * x.y, s * x.x + c * x.y, x.z);
    for x in changed.positions.iter_mut().chain(&mut changed.velocities) {
        *x = rotation(*x);
    }
    changed.gravity = rotation(changed.gravity);
    same(&changed, |i, x| (i, rotation(x)), 1e-9, "rotated");
}

#[test]
fn scaled_in_length() {
    // Lengths, velocities and gravity × 3: the same motion, three times as large.
    let mut changed = plan();
    for x in changed.positions.iter_mut().chain(&mut changed.velocities) {
        *x = *x * 3.0;
    }
    changed.springs.iter_mut().for_each(|spring| spring.3 *= 3.0);
    changed.gravity = changed.gravity * 3.0;
    same(&changed, |i, x| (i, x * 3.0), 1e-9, "scaled");
}

#[test]
fn mass_stiffness_and_force_times_seven() {
    let mut changed = plan();
    changed.masses.iter_mut().for_each(|m| *m *= 7.0);
    changed.springs.iter_mut().for_each(|spring| spring.2 *= 7.0);
    changed.drag *= 7.0;
    same(&changed, |i, x| (i, x), 1e-9, "times seven");
}

#[test]
fn renumbered_and_reversed() {
    let original = plan();
    let n = original.positions.len();
    let to = |i: usize| (i * 5 + 3) % n;
    let mut changed = original.clone();
    for i in 0..n {
        changed.positions[to(i)] = original.positions[i];
        changed.velocities[to(i)] = original.velocities[i];
        changed.masses[to(i)] = original.masses[i];
    }
    for spring in &mut changed.springs {
        *spring = (to(spring.1 as usize) as u32, to(spring.0 as usize) as u32, spring.2, spring.3);
    }
    changed.springs.reverse();
    changed.pins = original.pins.iter().map(|&pin| to(pin as usize) as u32).collect();
    same_but_for(&BY_ROWS, &changed, |i, x| (to(i), x), 1e-9, "renumbered");
}

#[test]
fn a_spring_split_in_two_parallel_halves() {
    let mut changed = plan();
    changed.springs = changed
        .springs
        .iter()
        .flat_map(|&(i, j, k, l)| [(i, j, 0.25 * k, l), (i, j, 0.75 * k, l)])
        .collect();
    same_but_for(&BY_ROWS, &changed, |i, x| (i, x), 1e-9, "split");
}

/// Two springs of twice the stiffness in a row, with next to nothing between them, are one as long
/// as they are pulled.
#[test]
fn a_spring_split_in_two_in_series() {
    let mass = 0.3;
    let run = |method: &str, split: bool| {
        let mut model = Model::new();
        let top = model.add_particle(Vec3::ZERO, 1.0).expect("a particle");
        let end = model.add_particle(Vec3::new(0.1, -0.715, 0.0), mass).expect("a particle");
        model.pin_at_rest(top).expect("a pin");
        let spring = |model: &mut Model, [i, j]: [ParticleId; 2], k: f64, length: f64| {
            model.add_spring(i, j, k, Some(length)).expect("a spring");
        };
        if split {
            let middle =
                model.add_particle(Vec3::new(0.05, -0.3575, 0.0), 1e-7).expect("a particle");
            spring(&mut model, [top, middle], 400.0, 0.35);
            spring(&mut model, [middle, end], 400.0, 0.35);
        } else {
            spring(&mut model, [top, end], 200.0, 0.7);
        }
        let mut simulation = Simulation::new(model, method, 0.01).expect("it starts");
        for _ in 0..60 {
            simulation.step().expect("a step");
        }
        simulation.state().positions[end.index()]
    };
    for method in ["newton", "implicit-midpoint", "bdf2"] {
        let (one, two) = (run(method, false), run(method, true));
        assert!((one - two).norm() < 1e-5, "{method}: {one:?} and {two:?}");
    }
}

#[test]
fn two_copies_move_alike() {
    let original = plan();
    let n = original.positions.len();
    let away = p(0.0, 0.0, 40.0);
    let mut changed = original.clone();
    changed.positions.extend(original.positions.iter().map(|&x| x + away));
    changed.velocities.extend(&original.velocities);
    changed.masses.extend(&original.masses);
    let moved = |&(i, j, k, l): &(u32, u32, f64, f64)| (i + n as u32, j + n as u32, k, l);
    changed.springs.extend(original.springs.iter().map(moved));
    changed.pins.extend(original.pins.iter().map(|pin| pin + n as u32));
    for name in names() {
        let state = changed.run(name);
        let (first, second) = state.positions.split_at(n);
        let back: Vec<Vec3> = second.iter().map(|&x| x - away).collect();
        let error = apart(first, &back);
        assert!(error < 1e-9, "{name}: {error:e}");
    }
}

#[test]
fn ten_steps_are_five_and_five() {
    for name in names() {
        let (model, state) = plan().model();
        let mut simulation = simulation(model, method(name, &[]), 2e-3, state);
        run(&mut simulation, 5);
        let middle = simulation.snapshot();
        run(&mut simulation, 5);
        let straight = simulation.state().clone();
        simulation.restore(&middle).unwrap();
        run(&mut simulation, 5);
        assert_eq!(*simulation.state(), straight, "{name}");

        // In another simulation of the same model, too.
        let (model, _) = plan().model();
        let mut other =
            Simulation::with_substeps(model, method(name, &[]), 2e-3, hooke::Substeps::Fixed(1))
                .unwrap();
        other.restore(&middle).unwrap();
        run(&mut other, 5);
        assert_eq!(*other.state(), straight, "{name}");
    }
}

#[test]
fn a_step_that_is_stopped_was_not_begun() {
    for name in names() {
        let start = || {
            let (model, state) = plan().model();
            let mut simulation = simulation(model, method(name, &[]), 2e-3, state);
            simulation.set_substeps(hooke::Substeps::Fixed(5));
            run(&mut simulation, 3);
            simulation
        };
        let mut straight = start();
        run(&mut straight, 2);
        // Before the step, and before each of its parts after the first.
        for parts in 0..5 {
            let mut stopped = start();
            let before = stopped.snapshot();
            let asked = std::cell::Cell::new(0);
            let stop = || asked.replace(asked.get() + 1) == parts;
            let ended = stopped.step_unless(&stop).map(drop);
            assert_eq!(ended, Err(hooke::StepError::Stopped), "{name}, part {parts}");
            assert_eq!(asked.get(), parts + 1, "{name}: asked once a part");
            assert_eq!(stopped.snapshot(), before, "{name}, part {parts}");
            stopped.step_unless(&|| false).unwrap();
            run(&mut stopped, 1);
            assert_eq!(*stopped.state(), *straight.state(), "{name}, part {parts}");
        }
    }
}

#[test]
fn midpoint_and_verlet_run_backwards_to_the_start() {
    for name in ["implicit-midpoint", "velocity-verlet"] {
        let mut undamped = plan();
        undamped.drag = 0.0;
        let (model, state) = undamped.model();
        let mut simulation = simulation(model, exact(name), 2e-3, state.clone());
        run(&mut simulation, 50);
        let mut reversed = simulation.state().clone();
        assert!(apart(&reversed.positions, &state.positions) > 1e-2);
        reversed.velocities.iter_mut().for_each(|v| *v = -*v);
        simulation.set_state(reversed).unwrap();
        run(&mut simulation, 50);
        let error = apart(&simulation.state().positions, &state.positions);
        assert!(error < 1e-9, "{name}: {error:e}");
    }
}

#[test]
fn a_pin_equals_a_heavy_particle() {
    for name in names() {
        let steps = |heavy: bool| {
            let mut model = Model::new();
            let family = SpringFamily::stiffness(500.0);
            model.set_gravity(Vec3::ZERO).unwrap();
            let rope = hooke::Rope {
                from: Vec3::ZERO,
                to: p(1.0, 0.0, 0.0),
                links: 4,
                mass: 0.1,
                structural: family,
                bend: None,
            };
            rope.add_to(&mut model).unwrap();
            if heavy {
                model.set_mass(0, 1e12).unwrap();
            } else {
                model.pin_at_rest(0).unwrap();
            }
            let mut state = State::at_rest(&model);
            state.velocities[4] = p(0.5, 1.0, 0.0);
            let mut simulation = simulation(model, exact(name), 1e-3, state);
            run(&mut simulation, 40);
            simulation.state().positions.clone()
        };
        let error = apart(&steps(true), &steps(false));
        assert!(error < 1e-8, "{name}: {error:e}");
    }
}

#[test]
fn a_moved_pin_carries_the_scene() {
    // A pin that moves at constant velocity, seen from its own frame, does not move.
    let v = p(0.4, 0.1, -0.2);
    for name in names() {
        let steps = |moving: bool| {
            let (mut model, mut state) = plan().model();
            let drift = if moving { v } else { Vec3::ZERO };
            for pin in [0u32, 3] {
                let home = model.rest()[pin as usize];
                model.unpin(pin);
                let track = hooke::model::Track::new(
                    vec![0.0, 10.0],
                    vec![home, home + drift * 10.0],
                    hooke::model::Interpolation::Linear,
                    false,
                );
                model.pin(pin, [true; 3], Motion::along(track.unwrap())).unwrap();
            }
            state.velocities.iter_mut().for_each(|velocity| *velocity += drift);
            (model, state)
        };
        let positions = |moving: bool| {
            let (mut model, state) = steps(moving);
            // Drag is not the same in both frames.
            model = undamped(model);
            let mut simulation = simulation(model, exact(name), 2e-3, state);
            run(&mut simulation, 12);
            let shift = if moving { v * simulation.state().time } else { Vec3::ZERO };
            simulation.state().positions.iter().map(|&x| x - shift).collect::<Vec<_>>()
        };
        let error = apart(&positions(true), &positions(false));
        assert!(error < 1e-9, "{name}: {error:e}");
    }
}

fn undamped(model: Model) -> Model {
    let mut copy = Model::new();
    copy.set_gravity(model.gravity()).unwrap();
    for (&x, &m) in model.rest().iter().zip(model.masses()) {
        copy.add_particle(x, m).unwrap();
    }
    let batch = &model.elements()[0];
    for e in 0..batch.len() {
        let view = batch.view(e);
        let [i, j] = [view.corners[0], view.corners[1]];
        copy.add_spring(i, j, view.material[0], Some(view.rest[0])).unwrap();
    }
    for pin in model.pins() {
        copy.pin(pin.particle, pin.axes, pin.motion.clone()).unwrap();
    }
    copy
}

#[test]
fn a_restored_run_in_a_rising_wind_has_the_same_bits() {
    let build = || {
        let mut model = Model::new();
        let grid = Grid::square(6);
        grid.add_to(&mut model).unwrap();
        model.pin_at_rest(0).unwrap();
        let wind = hooke::dampers::find("quadratic-wind").unwrap();
        for triangle in model.triangles().to_vec() {
            model.add_damper(wind, &triangle, None, &[1.2, 1.3, 0.1]).unwrap();
        }
        let track = hooke::model::Track::new(
            vec![0.0, 0.2],
            vec![Vec3::ZERO, p(2.0, 0.0, 12.0)],
            hooke::model::Interpolation::Smooth,
            false,
        );
        let air = hooke::model::Air { mean: Motion::along(track.unwrap()), gust: None };
        model.set_air(air).unwrap();
        model
    };
    for name in names().filter(|&name| name != "forward-euler") {
        let mut straight = Simulation::new(build(), name, 0.01).unwrap();
        run(&mut straight, 12);
        let middle = straight.snapshot();
        run(&mut straight, 6);
        let mut resumed = Simulation::new(build(), name, 0.01).unwrap();
        resumed.restore(&middle).unwrap();
        run(&mut resumed, 6);
        assert_eq!(straight.state(), resumed.state(), "{name}");
    }
}
