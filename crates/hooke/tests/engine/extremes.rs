//! Numbers at the ends of what can be written, under every method: every number of a report is finite, or
//! the model is refused or the step not taken, with a sentence.

use crate::common::*;
use hooke::dampers;
use hooke::model::{Air, GlobalDamping, Motion, Obstacle, Response, Shape};
use hooke::{ModelError, Model, Simulation, State, StepReport, Substeps};

/// A quantity of the model that is made extreme.
type Extreme = fn(&mut Abused, f64);

/// What a small cloth over a floor is made of.
struct Abused {
    mass: f64,
    first_mass: f64,
    size: f64,
    stiffness: f64,
    dashpot: f64,
    drag: f64,
    wind: f64,
    air: f64,
    global_damping: f64,
    gravity: f64,
    force: f64,
    friction: f64,
    restitution: f64,
    thickness: f64,
    attachment: f64,
    speed: f64,
    h: f64,
}

const EXTREMES: [(&str, Extreme); 17] = [
    ("mass", |abused, value| abused.mass = value),
    ("mass of one", |abused, value| abused.first_mass = value),
    ("size", |abused, value| abused.size = value),
    ("stiffness", |abused, value| abused.stiffness = value),
    ("dashpot", |abused, value| abused.dashpot = value),
    ("drag", |abused, value| abused.drag = value),
    ("wind", |abused, value| abused.wind = value),
    ("air", |abused, value| abused.air = value),
    ("global_damping", |abused, value| abused.global_damping = value),
    ("gravity", |abused, value| abused.gravity = value),
    ("force", |abused, value| abused.force = value),
    ("friction", |abused, value| abused.friction = value),
    ("restitution", |abused, value| abused.restitution = value),
    ("thickness", |abused, value| abused.thickness = value),
    ("attachment", |abused, value| abused.attachment = value),
    ("speed", |abused, value| abused.speed = value),
    ("step", |abused, value| abused.h = value),
];

impl Abused {
    fn usual() -> Self {
        Self {
            mass: 0.1,
            first_mass: 0.1,
            size: 0.5,
            stiffness: 200.0,
            dashpot: 0.05,
            drag: 0.02,
            wind: 0.5,
            air: 1.0,
            global_damping: 0.1,
            gravity: 9.8,
            force: 0.2,
            friction: 0.4,
            restitution: 0.5,
            thickness: 0.01,
            attachment: 50.0,
            speed: 1.0,
            h: 1.0 / 60.0,
        }
    }

    fn model(&self) -> Result<(Model, State), ModelError> {
        let mut model = Model::new();
        model.set_gravity(p(0.0, -self.gravity, 0.0))?;
        for k in 0..9 {
            let at = p(f64::from(k % 3), 0.0, f64::from(k / 3)) * self.size;
            model.add_particle(at, if k == 4 { self.first_mass } else { self.mass })?;
        }
        let [dashpot, drag, wind] =
            ["dashpot", "drag", "wind"].map(|name| dampers::find(name).unwrap());
        for (i, j) in [(0, 1), (1, 2), (3, 4), (4, 5), (6, 7), (7, 8), (0, 3), (1, 4), (2, 5)] {
            model.add_spring(i, j, self.stiffness, None)?;
            model.add_damper(dashpot, &[i, j], None, &[self.dashpot])?;
        }
        for (i, j) in [(3, 6), (4, 7), (5, 8), (0, 4), (1, 3), (4, 8), (5, 7)] {
            model.add_spring(i, j, self.stiffness, None)?;
        }
        model.add_damper(drag, &[8], None, &[self.drag])?;
        model.add_damper(wind, &[3, 4, 6], None, &[self.wind, 0.1])?;
        model.set_air(Air { mean: Motion::still(p(self.air, 0.0, 0.0)), gust: None })?;
        model.set_global_damping(Some(GlobalDamping::Rate(self.global_damping)))?;
        model.add_force(2, p(self.force, 0.0, 0.0))?;
        let place = model.add_anchor(Motion::still(p(0.0, 0.2, 0.0)))?;
        model.attach(7, place, self.attachment)?;
        model.pin_at_rest(0)?;
        model.add_obstacle(Obstacle {
            shape: Shape::HalfSpace,
            pose: Motion::still(p(0.0, -0.01, 0.0)).into(),
            response: Response::Bounce { restitution: self.restitution, friction: self.friction },
            thickness: self.thickness,
        })?;
        let mut state = State::at_rest(&model);
        state.velocities[1..].fill(p(self.speed, -self.speed, 0.0));
        Ok((model, state))
    }
}

/// Every number of a report, and no other word of it.
#[track_caller]
fn finite(report: &StepReport, what: &str) {
    let text = format!("{report:?}");
    let mut words = text.split(|letter: char| !letter.is_alphanumeric());
    assert!(words.all(|word| word != "NaN" && word != "inf"), "{what}: {text}");
}

#[test]
fn every_number_of_every_report_is_finite() {
    let (mut stepped, mut refused, mut diverged) = (0, 0, 0);
    for name in names() {
        for (quantity, set) in EXTREMES {
            for value in [1e-300, 1e-154, 1e-30, 1e30, 1e154, 1e300] {
                let what = format!("{name}, {quantity} {value:e}");
                let mut abused = Abused::usual();
                set(&mut abused, value);
                let Ok((model, state)) = abused.model() else {
                    refused += 1;
                    continue;
                };
                let built = method(name, &[]);
                let one = Substeps::Fixed(1);
                let started = Simulation::with_substeps(model, built, abused.h, one);
                let Ok(mut simulation) = started else {
                    refused += 1;
                    continue;
                };
                if simulation.set_state(state).is_err() {
                    refused += 1;
                }
                finite(simulation.report(), &what);
                for _ in 0..3 {
                    match simulation.step() {
                        Ok(_) => stepped += 1,
                        Err(_) => diverged += 1,
                    }
                    finite(simulation.report(), &what);
                    assert_eq!(simulation.state().first_not_finite(), None, "{what}");
                }
            }
        }
    }
    assert!(stepped > 1000 && refused > 100 && diverged > 100, "{stepped} {refused} {diverged}");
}

#[test]
fn what_cannot_be_computed_with_is_refused_at_the_start() {
    let mut model = Model::new();
    model.add_particle(p(0.0, 1e10, 0.0), 1e300).unwrap();
    let refusal = Simulation::new(model, "newton", 0.01).err().unwrap();
    assert!(refusal.to_string().contains("at the start is not finite"), "{refusal}");

    let (model, mut state) = Abused::usual().model().unwrap();
    let mut simulation = Simulation::new(model, "newton", 0.01).unwrap();
    simulation.step().unwrap();
    let before = simulation.state().clone();
    state.velocities[3] = p(1e200, 0.0, 0.0);
    let told = simulation.set_state(state).unwrap_err();
    assert!(told.0.starts_with("the energy at the start is not finite"), "{told}");
    assert_eq!(*simulation.state(), before);
    finite(simulation.step().unwrap(), "after a state that was refused");
}
