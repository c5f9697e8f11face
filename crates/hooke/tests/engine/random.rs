//! Small random models, edited while they run, under every method: a step, a refusal or a
//! divergence, never a panic, and never a state that is not finite.

use crate::common::*;
use hooke::model::{
    Air, GlobalDamping, Gust, Motion, Obstacle, ObstacleMotion, PinEnforcement, Response, Rotation,
    Shape, SpringDamping, SpringFamily, Stiffness,
};
use hooke::{Model, Simulation, Substeps, Vec3, dampers, laws, methods};

impl Numbers {
    /// A number of any size, often zero.
    fn wild(&mut self) -> f64 {
        let sizes = [1.0, 1.0, 1.0, 1e-3, 1e3, 1e-8, 1e8, 0.0];
        self.next() * sizes[self.below(sizes.len())]
    }

    fn wild_point(&mut self) -> Vec3 {
        p(self.wild(), self.wild(), self.wild())
    }

    fn below(&mut self, count: usize) -> usize {
        ((0.5 * (self.next() + 1.0) * count as f64) as usize).min(count.saturating_sub(1))
    }

    fn coin(&mut self) -> bool {
        self.next() > 0.0
    }
}

/// Adds something random; what the model refuses is left out.
fn add_something(model: &mut Model, r: &mut Numbers) {
    let n = model.particles();
    let any = |r: &mut Numbers| r.below(n) as u32;
    // What is refused is refused with a sentence; here it only matters that it is not a panic.
    let _ = match r.below(10) {
        0..=3 => {
            let family = SpringFamily {
                stiffness: match r.coin() {
                    true => Stiffness::PerLength(1e3 * r.wild().abs()),
                    false => Stiffness::PerStrain(1e2 * r.wild().abs()),
                },
                damping: match r.below(3) {
                    0 => SpringDamping::None,
                    1 => SpringDamping::PerVelocity(r.wild().abs()),
                    _ => SpringDamping::PerStrainRate(r.wild().abs()),
                },
            };
            let length = r.coin().then(|| r.wild().abs());
            model.add_spring_of(any(r), any(r), &family, length).map(drop)
        }
        4 => {
            let kind = &dampers::DAMPERS[r.below(dampers::DAMPERS.len())];
            let corners: Vec<u32> = (0..kind.corners).map(|_| any(r)).collect();
            let material: Vec<f64> = kind.params.iter().map(|_| r.wild().abs()).collect();
            model.add_damper(kind, &corners, None, &material).map(drop)
        }
        5 => model.add_anchor(Motion::still(r.wild_point())).and_then(|place| {
            let name = ["attachment", "linear-attractor", "attractor"][r.below(3)];
            let law = laws::find(name).unwrap();
            let material: Vec<f64> = law.params.iter().map(|_| r.wild()).collect();
            model.add_anchored(law, any(r), place, &material).map(drop)
        }),
        6 if r.coin() => {
            let law = &laws::LAWS[r.below(laws::LAWS.len())];
            let mut corners: Vec<u32> = (0..law.corners).map(|_| any(r)).collect();
            if law.surface {
                let [a, b, c, d] = [0; 4].map(|_| any(r));
                corners = vec![a, c, b, a, b, d, a, d, c, b, c, d];
            }
            let rest: Vec<f64> = (0..law.rest_values).map(|_| r.wild()).collect();
            let rest = r.coin().then_some(&rest[..]);
            let material: Vec<f64> =
                law.params.iter().map(|param| param.default * r.wild().abs()).collect();
            model.add_element(law, &corners, rest, &material).map(drop)
        }
        6 => model
            .pin(any(r), [r.coin(), r.coin(), r.coin()], Motion::still(r.wild_point()))
            .map(drop),
        7 => {
            let mut length = || r.wild().abs();
            let shape = match [0; 3].map(|_| length()) {
                [x, y, z] if x < y => Shape::Box { half: p(x, y, z), inside_out: y < z },
                [radius, y, half_length] if y < 0.5 => Shape::Capsule { radius, half_length },
                [radius, y, _] if y < 1.0 => Shape::Sphere { radius },
                _ => Shape::HalfSpace,
            };
            let response = match r.coin() {
                true => Response::PushOut,
                false => Response::Bounce { restitution: r.next().abs(), friction: r.wild().abs() },
            };
            let mut center = Motion::still(r.wild_point());
            if let (true, Ok(rotation)) =
                (r.coin(), Rotation::steady(r.wild_point(), r.wild_point(), r.wild()))
            {
                center = center.rotated(rotation);
            }
            let thickness = r.wild().abs();
            ObstacleMotion::facing(center, r.wild_point())
                .and_then(|pose| model.add_obstacle(Obstacle { shape, pose, response, thickness }))
                .map(drop)
        }
        8 => model.set_global_damping(Some(match r.coin() {
            true => GlobalDamping::Factor(r.next().abs()),
            false => GlobalDamping::Rate(r.wild().abs()),
        })),
        _ => {
            let [strength, length, period] = [0; 3].map(|_| r.wild().abs());
            let gust = Some(Gust { strength, length, period, seed: r.0 });
            model.set_air(Air { mean: Motion::still(r.wild_point()), gust })
        }
    };
}

fn edit(simulation: &mut Simulation, start: &hooke::Snapshot, r: &mut Numbers) {
    let n = simulation.model().particles();
    let _ = match r.below(8) {
        0 => simulation.grab(r.below(n + 1) as u32, r.wild()).map(|grab| {
            let _ = simulation.move_grab(&grab, r.wild_point());
            if r.coin() {
                simulation.release(grab);
            }
        }),
        1 => simulation.restore(start),
        2 => simulation.model_mut().add_particle(r.wild_point(), 1.0).map(drop),
        3 => {
            simulation.model_mut().unpin(r.below(n + 1) as u32);
            Ok(())
        }
        4 => match simulation.model().pins().get(r.below(3)).map(|pin| pin.id) {
            Some(pin) => simulation.control_mut().set_pin(pin, r.wild_point()),
            None => Ok(()),
        },
        5 => {
            let _ = simulation.set_step([0.01, 0.1, 1e-4][r.below(3)]);
            Ok(())
        }
        6 => {
            let info = &methods::METHODS[r.below(methods::METHODS.len())];
            let _ = simulation.set_method((info.build)(&[]).unwrap());
            Ok(())
        }
        _ => Ok(()),
    };
}

#[test]
fn random_models_step_refuse_or_diverge() {
    let (mut stepped, mut failed) = (0, 0);
    for seed in 0..3000 {
        let r = &mut Numbers(seed);
        let mut model = Model::new();
        for _ in 0..r.below(12) {
            let _ = model.add_particle(r.wild_point(), r.wild().abs());
        }
        for _ in 0..r.below(30).min(30 * model.particles()) {
            add_something(&mut model, r);
        }
        if r.below(5) == 0 {
            model.set_pin_enforcement(PinEnforcement::Cancellation);
        }
        let info = &methods::METHODS[r.below(methods::METHODS.len())];
        let solvers = hooke::linalg::Solver::NAMES;
        let solver = solvers[r.below(solvers.len())];
        let has_solver = (info.settings)().iter().any(|setting| setting.name == "solver");
        let settings: &[(&str, &str)] =
            if has_solver { &[("solver", solver), ("cg_iterations", "50")] } else { &[] };
        let h = [0.01, 1e-3, 0.1, 1.0, 1e-9, 1e3][r.below(6)];
        let substeps =
            if r.coin() { Substeps::Auto } else { Substeps::Fixed(1 + r.below(3) as u32) };
        let built = method(info.name, settings);
        let Ok(mut simulation) = Simulation::with_substeps(model, built, h, substeps) else {
            continue;
        };
        let start = simulation.snapshot();
        for _ in 0..4 {
            edit(&mut simulation, &start, r);
            if simulation.stability().is_ok_and(|(_, substeps)| substeps > 300) {
                break;
            }
            match simulation.step() {
                Ok(report) => {
                    assert!(report.energy.total().is_finite(), "seed {seed}");
                    stepped += 1;
                }
                Err(_) => failed += 1,
            }
            assert_eq!(simulation.state().first_not_finite(), None, "seed {seed}");
        }
    }
    assert!(stepped > 5000 && failed > 50, "{stepped} stepped, {failed} failed");
}
