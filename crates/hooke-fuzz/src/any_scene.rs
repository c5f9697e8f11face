//! A small model made up by bytes, under every method: three steps, a refusal or a divergence.

use crate::check_message;
use crate::choices::Choices;
use hooke::methods::{METHODS, MethodInfo};
use hooke::model::{
    Air, ClosedMesh, GlobalDamping, Gust, Interpolation, Motion, Obstacle, ObstacleMotion,
    PinEnforcement, Response, Rotation, Shape, SpringDamping, SpringFamily, Stiffness, Track,
};
use hooke::settings::{Kind, Value};
use hooke::{Model, ModelError, Simulation, State, Substeps, dampers, laws};

const MOST_PARTICLES: usize = 10;
const MOST_PARTS: usize = 24;
/// Steps cut into more parts than this take too long to be tried often.
const MOST_SUBSTEPS: u32 = 50;

/// Builds a model as the bytes say and takes three steps of every method.
pub fn any_scene(bytes: &[u8]) {
    for method in METHODS {
        let mut choices = Choices(bytes);
        if let Some(mut simulation) = start(method, &mut choices) {
            run(&mut simulation, &mut choices);
        }
    }
}

/// A simulation of the model under a method, where it does not refuse.
fn start(method: &MethodInfo, choices: &mut Choices<'_>) -> Option<Simulation> {
    let steps = [1.0 / 60.0, 0.01, 1e-3, 0.1, 1.0, 1e-9, 1e3, f64::NAN];
    let h = if choices.coin() { choices.number() } else { choices.one_of(&steps)? };
    let substeps = match choices.below(8) {
        parts @ 0..=3 => Substeps::Fixed(parts as u32),
        _ => Substeps::Auto,
    };
    let [moved, set] = std::array::from_fn(|_| choices.coin());
    let model = model(choices);
    let start = moved.then(|| state(&model, choices));
    let settings = if set { settings(method, choices) } else { Vec::new() };
    let built =
        (method.build)(&settings).map_err(|refusal| check_message(&refusal.to_string())).ok()?;
    let simulation = Simulation::with_substeps(model, built, h, substeps);
    let mut simulation = simulation.map_err(|refusal| check_message(&refusal.to_string())).ok()?;
    if let Some(start) = start {
        simulation.set_state(start).map_err(|invalid| check_message(&invalid.to_string())).ok()?;
    }
    Some(simulation)
}

/// Settings of every kind, with counts that do not take long.
fn settings(method: &MethodInfo, choices: &mut Choices<'_>) -> Vec<(String, Value)> {
    let mut given = Vec::new();
    for setting in (method.settings)() {
        let value: Value = match setting.kind {
            Kind::Number([low, high]) => {
                (low + (high - low) * f64::from(choices.byte()) / 255.0).into()
            }
            Kind::Count([low, _]) => (low + choices.below(20) as f64).into(),
            Kind::Flag => choices.coin().into(),
            Kind::Choice(names) => choices.one_of(names).unwrap_or_default().into(),
        };
        given.push((setting.name.to_owned(), value));
    }
    given
}

/// What the bytes ask for; what the model refuses is left out.
fn model(choices: &mut Choices<'_>) -> Model {
    let mut model = Model::new();
    for _ in 0..choices.below(MOST_PARTICLES + 1) {
        check(model.add_particle(choices.point(), choices.size()));
    }
    for _ in 0..choices.below(MOST_PARTS + 1) {
        if choices.ended() {
            break;
        }
        check(add(&mut model, choices));
    }
    model
}

/// Whatever was refused was refused with a sentence.
fn check<T>(result: Result<T, ModelError>) {
    if let Err(invalid) = result {
        check_message(&invalid.to_string());
    }
}

/// Adds something. One index in ten or so is of a particle that is not there.
fn add(model: &mut Model, choices: &mut Choices<'_>) -> Result<(), ModelError> {
    let count = model.particles() + 1;
    let any = |choices: &mut Choices<'_>| choices.below(count) as u32;
    match choices.below(16) {
        0..=3 => {
            let stiffness = match choices.coin() {
                true => Stiffness::PerLength(1e2 * choices.number()),
                false => Stiffness::PerStrain(1e2 * choices.number()),
            };
            let damping = match choices.below(3) {
                0 => SpringDamping::None,
                1 => SpringDamping::PerVelocity(choices.number()),
                _ => SpringDamping::PerStrainRate(choices.number()),
            };
            let family = SpringFamily { stiffness, damping };
            let length = choices.coin().then(|| choices.number());
            model.add_spring_of(any(choices), any(choices), &family, length).map(drop)
        }
        4 => {
            let Some(law) = choices.one_of(laws::LAWS) else { return Ok(()) };
            let corners: Vec<u32> = (0..law.corners).map(|_| any(choices)).collect();
            let rest: Vec<f64> = (0..law.rest_values).map(|_| choices.number()).collect();
            let rest = Some(&rest[..]).filter(|_| choices.coin());
            let material: Vec<f64> = law.params.iter().map(|_| choices.number()).collect();
            model.add_element(&law, &corners, rest, &material).map(drop)
        }
        5 | 6 => {
            let Some(kind) = choices.one_of(dampers::DAMPERS) else { return Ok(()) };
            let corners: Vec<u32> = (0..kind.corners).map(|_| any(choices)).collect();
            let material: Vec<f64> = kind.params.iter().map(|_| choices.number()).collect();
            model.add_damper(&kind, &corners, None, &material).map(drop)
        }
        7 => {
            let place = model.add_anchor(motion(choices)?)?;
            let Some(law) = choices.one_of(laws::LAWS) else { return Ok(()) };
            let material: Vec<f64> = law.params.iter().map(|_| choices.number()).collect();
            model.add_anchored(&law, any(choices), place, &material).map(drop)
        }
        8 | 9 => {
            let axes = std::array::from_fn(|_| choices.coin());
            model.pin(any(choices), axes, motion(choices)?).map(drop)
        }
        10 | 11 => {
            let shape = shape(choices)?;
            let response = match choices.coin() {
                true => Response::PushOut,
                false => {
                    Response::Bounce { restitution: choices.number(), friction: choices.number() }
                }
            };
            let pose = match choices.coin() {
                true => ObstacleMotion::facing(motion(choices)?, choices.point())?,
                false => motion(choices)?.into(),
            };
            let thickness = if choices.coin() { choices.number() } else { 0.0 };
            model.add_obstacle(Obstacle { shape, pose, response, thickness }).map(drop)
        }
        12 => model.set_global_damping(Some(match choices.coin() {
            true => GlobalDamping::Factor(choices.number()),
            false => GlobalDamping::Rate(choices.number()),
        })),
        13 => {
            let gust = Gust {
                strength: choices.number(),
                length: choices.number(),
                period: choices.number(),
                seed: u64::from(choices.byte()),
            };
            let gust = Some(gust).filter(|_| choices.coin());
            model.set_air(Air { mean: motion(choices)?, gust })
        }
        14 => {
            if choices.coin() {
                model.set_pin_enforcement(PinEnforcement::Cancellation);
            }
            model.set_gravity(choices.point())
        }
        _ => model.add_force(any(choices), choices.point()),
    }
}

/// An obstacle of any shape.
fn shape(choices: &mut Choices<'_>) -> Result<Shape, ModelError> {
    Ok(match choices.below(6) {
        0 => Shape::HalfSpace,
        1 => Shape::Sphere { radius: choices.number() },
        2 => Shape::Capsule { radius: choices.number(), half_length: choices.number() },
        3 => {
            let vertices = (0..4).map(|_| choices.point()).collect();
            let triangles = vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
            Shape::Mesh(ClosedMesh::new(vertices, triangles)?.into())
        }
        _ => Shape::Box { half: choices.point(), inside_out: choices.coin() },
    })
}

/// Something that stands, turns, or follows a few keyframes.
fn motion(choices: &mut Choices<'_>) -> Result<Motion, ModelError> {
    let kind = choices.below(8);
    if kind == 7 {
        let rotation = Rotation::steady(choices.point(), choices.point(), choices.number())?;
        return Ok(Motion::still(choices.point()).rotated(rotation));
    }
    if !matches!(kind, 0 | 4) {
        return Ok(Motion::still(choices.point()));
    }
    let keys = choices.below(4);
    let times = (0..keys).map(|_| choices.number()).collect();
    let points = (0..keys).map(|_| choices.point()).collect();
    let interpolation = if choices.coin() { Interpolation::Smooth } else { Interpolation::Linear };
    let track = Track::new(times, points, interpolation, choices.coin())?;
    Ok(Motion::along(track).shifted(choices.point()))
}

/// A start elsewhere than at rest.
fn state(model: &Model, choices: &mut Choices<'_>) -> State {
    let mut state = State::at_rest(model);
    if choices.below(8) == 0 {
        state.time = choices.number();
        state.step = u64::MAX >> choices.below(64);
    }
    for (x, v) in state.positions.iter_mut().zip(&mut state.velocities) {
        (*x, *v) = (choices.point(), choices.point());
    }
    state
}

/// Three steps; the third, taken again from a snapshot, comes to the same bits.
fn run(simulation: &mut Simulation, choices: &mut Choices<'_>) {
    for _ in 0..2 {
        if step(simulation).is_none() {
            return;
        }
        edit(simulation, choices);
    }
    let snapshot = simulation.snapshot();
    let Some(first) = step(simulation) else { return };
    check(simulation.restore(&snapshot));
    assert_eq!(step(simulation), Some(first), "a restored run goes another way");
}

/// The bits of the state after a step; `None` where none is taken.
fn step(simulation: &mut Simulation) -> Option<Vec<u64>> {
    match simulation.stability() {
        Ok((_, substeps)) if substeps <= MOST_SUBSTEPS => {}
        Ok(_) => return None,
        Err(refusal) => {
            check_message(&refusal.to_string());
            return None;
        }
    }
    let taken = match simulation.step() {
        Ok(report) => {
            assert!(report.energy.total().is_finite());
            true
        }
        Err(error) => {
            check_message(&error.to_string());
            false
        }
    };
    let state = simulation.state();
    assert_eq!(state.first_not_finite(), None);
    assert!(state.time.is_finite());
    let points = state.positions.iter().chain(&state.velocities);
    taken.then(|| points.flat_map(|point| point.to_array().map(f64::to_bits)).collect())
}

/// Changes something between two steps.
fn edit(simulation: &mut Simulation, choices: &mut Choices<'_>) {
    let count = simulation.model().particles() + 1;
    match choices.below(8) {
        0 | 1 => {}
        2 => check(simulation.grab(choices.below(count) as u32, choices.number()).map(|grab| {
            check(simulation.move_grab(&grab, choices.point()));
            if choices.coin() {
                simulation.release(grab);
            }
        })),
        3 => check(simulation.model_mut().add_particle(choices.point(), choices.size())),
        4 => simulation.model_mut().unpin(choices.below(count) as u32),
        5 => {
            let (pin, to) = (choices.below(3), choices.point());
            if let Some(pin) = simulation.model().pins().get(pin).map(|pin| pin.id) {
                check(simulation.control_mut().set_pin(pin, to));
            }
        }
        6 => check(simulation.control_mut().set_wind(choices.point())),
        _ => check(add(simulation.model_mut(), choices)),
    }
}
