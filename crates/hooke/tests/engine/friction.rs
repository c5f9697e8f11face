//! Friction on an incline and contact in the solve.

use crate::common::*;
use hooke::model::{Block, Obstacle, Pose, Response, Shape};
use hooke::{Grid, Model, Point, Simulation, State, Substeps};

const THICKNESS: f64 = 1e-3;

/// An incline with tan θ = ½ and friction.
fn incline(friction: f64) -> Obstacle {
    Obstacle {
        shape: Shape::HalfSpace,
        pose: Pose::facing(Point::ZERO, p(1.0, 2.0, 0.0)).unwrap(),
        response: Response::Bounce { restitution: 0.0, friction },
        thickness: THICKNESS,
    }
}

#[derive(Clone, Copy, Debug)]
enum What {
    Particle,
    Block,
    Cloth,
}

/// Something that lies on the incline.
fn model(what: What, friction: f64) -> Model {
    let out = p(1.0, 2.0, 0.0).unit();
    let down = p(2.0, -1.0, 0.0).unit();
    let across = p(0.0, 0.0, 1.0);
    let corner = out * THICKNESS;
    let mut model = Model::new();
    model.set_gravity(p(0.0, -9.8, 0.0)).unwrap();
    match what {
        What::Particle => {
            model.add_particle(corner, 1.0).unwrap();
        }
        What::Block => {
            let edges = [down * 0.2, out * 0.1, across * 0.1];
            let mesh = Block { corner, edges, cells: [4, 2, 2] }.mesh().unwrap();
            for &x in &mesh.positions {
                model.add_particle(x, 1.0 / mesh.positions.len() as f64).unwrap();
            }
            let mut pairs = std::collections::BTreeSet::new();
            for corners in &mesh.tetrahedra {
                for a in 0..4 {
                    for b in 0..a {
                        pairs.insert((corners[a].min(corners[b]), corners[a].max(corners[b])));
                    }
                }
            }
            for (i, j) in pairs {
                let family = hooke::model::SpringFamily {
                    stiffness: hooke::model::Stiffness::PerLength(4000.0),
                    damping: hooke::model::SpringDamping::PerVelocity(1.0),
                };
                model.add_spring_of(i, j, &family, None).unwrap();
            }
        }
        What::Cloth => {
            let (across, down) = (across * 0.4, down * 0.4);
            Grid { origin: corner, across, down, ..Grid::square(8) }.add_to(&mut model).unwrap();
        }
    }
    model.add_obstacle(incline(friction)).unwrap();
    model
}

/// How far the middle has gone (m).
fn slide(name: &str, what: What, friction: f64, h: f64) -> f64 {
    let model = model(what, friction);
    let middle = |x: &[Point]| {
        let sum = x.iter().fold(Point::ZERO, |sum, &x| sum + x);
        sum * (1.0 / x.len() as f64)
    };
    let start = State::at_rest(&model);
    let from = middle(&start.positions);
    let mut simulation =
        Simulation::with_substeps(model, method(name, &[]), h, Substeps::Auto).unwrap();
    for _ in 0..(2.5 / h) as usize {
        if let Err(error) = simulation.step() {
            println!("{error}");
            return f64::NAN;
        }
    }
    (middle(&simulation.state().positions) - from).norm()
}

#[test]
#[ignore]
fn explore() {
    for what in [What::Particle, What::Block, What::Cloth] {
        for name in names() {
            if name == "forward-euler" {
                continue;
            }
            for h in [1.0 / 100.0, 1e-3] {
                let clock = std::time::Instant::now();
                let [holds, slips] = [0.51, 0.49].map(|mu| slide(name, what, mu, h));
                println!(
                    "{what:?} {name:26} h {h:.3} holds {:9.4} mm  slips {:7.4} m ({:+.2} %) {:.1} s",
                    1e3 * holds,
                    slips,
                    100.0 * (slips / 0.2739183272437252 - 1.0),
                    clock.elapsed().as_secs_f64()
                );
            }
        }
    }
}
