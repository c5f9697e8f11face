//! Particles and bodies push each other: what one loses the other gains.

use super::{ball, block, thrown, up};
use crate::common::{exact, method, p};
use hooke::methods::METHODS;
use hooke::{Grid, Model, Simulation, Vec3};

/// A cloth of n × n particles over 1 m at y = 0, its corners pinned.
fn trampoline(n: usize, stiffness: f64) -> Model {
    let mut model = Model::new();
    let at =
        |i: usize, j: usize| p(i as f64, 0.0, j as f64) * (1.0 / (n - 1) as f64) - p(0.5, 0.0, 0.5);
    for j in 0..n {
        for i in 0..n {
            model.add_particle(at(i, j), 0.3 / (n * n) as f64).unwrap();
        }
    }
    let index = |i: usize, j: usize| (j * n + i) as u32;
    for j in 0..n {
        for i in 0..n {
            for (di, dj) in [(1, 0), (0, 1)] {
                if i + di < n && j + dj < n {
                    model.add_spring(index(i, j), index(i + di, j + dj), stiffness, None).unwrap();
                }
            }
            if i + 1 < n && j + 1 < n {
                model.add_spring(index(i, j), index(i + 1, j + 1), stiffness, None).unwrap();
                model.add_spring(index(i + 1, j), index(i, j + 1), stiffness, None).unwrap();
            }
        }
    }
    for k in 0..n {
        for at in [index(k, 0), index(k, n - 1), index(0, k), index(n - 1, k)] {
            let _ = model.pin_at_rest(at);
        }
    }
    model
}

#[test]
fn a_ball_dropped_on_a_pinned_cloth_is_carried() {
    // XPBD passes a force on by one particle in a sweep, and gives way under what is much heavier than the cloth.
    let xpbd = || method("xpbd", &[("iterations", "200")]);
    let methods: [(&str, fn() -> Box<dyn hooke::Method>); 4] = [
        ("newton", || method("newton", &[])),
        ("quasi-newton", || method("quasi-newton", &[])),
        ("vbd", || method("vbd", &[])),
        ("xpbd", xpbd),
    ];
    for (name, build) in methods {
        // From a tenth of the cloth's mass to thirty times it.
        let densities: &[f64] = if name == "xpbd" { &[7.0, 200.0] } else { &[7.0, 200.0, 2000.0] };
        for &density in densities {
            let mut model = trampoline(15, 3000.0);
            let mut body = ball(0.1, density, up(0.3));
            body.thickness = 0.02;
            model.add_rigid_body(body).unwrap();
            let mut simulation = Simulation::new(model, build(), 1.0 / 60.0).unwrap();
            let (mut lowest, mut last) = (f64::MAX, Vec3::ZERO);
            for step in 0..300 {
                simulation.step().unwrap();
                let body = simulation.state().rigid_bodies[0];
                lowest = lowest.min(body.pose.position.y);
                if step >= 240 {
                    last = Vec3::new(last.x.max(body.twist.linear.norm()), 0.0, 0.0);
                }
            }
            let end = simulation.state().rigid_bodies[0].pose.position;
            println!(
                "{name}, {density} kg/m³: lowest {lowest:.3}, ends at {:.3}, speed {:.1e}",
                end.y, last.x
            );
            assert!(lowest > -0.9, "{name}, {density}: fell through, to {lowest}");
            assert!(end.y > -0.6, "{name}, {density}: fell through, to {end:?}");
            assert!(last.x < 1.0, "{name}, {density}: thrown about with {} m/s", last.x);
        }
    }
}

#[test]
fn momentum_is_kept_to_rounding_under_every_method() {
    for info in METHODS {
        // A free cloth and a ball thrown into it.
        let mut model = Model::new();
        model.set_gravity(Vec3::ZERO).unwrap();
        let cloth = Grid::square(6);
        cloth.add_to(&mut model).unwrap();
        let (mut mass, mut center) = (0.0, Vec3::ZERO);
        for (x, m) in model.rest().iter().zip(model.masses()) {
            mass += m;
            center += *x * *m;
        }
        let center = center * (1.0 / mass);
        let (a, b) = (model.rest()[0], model.rest()[5]);
        let c = model.rest()[30];
        let out = (b - a).cross(c - a).unit();
        let mut body = ball(0.15, 50.0, center + out * 0.4);
        body.thickness = 0.02;
        model.add_rigid_body(thrown(body, out * -3.0, p(0.0, 1.0, 0.0))).unwrap();
        let before = model.rigid_bodies()[0].mass().mass * 3.0;
        let Ok(mut simulation) = Simulation::new(model, exact(info.name), 1.0 / 120.0) else {
            continue;
        };
        let start = simulation.report().momentum;
        let mut touched = false;
        let mut worst = 0.0f64;
        // BDF2 spreads an impulse over the steps that follow, a third of the rest in each.
        let (steps, after) = if info.name == "bdf2" { (80, 79) } else { (40, 0) };
        for step in 0..steps {
            match simulation.step() {
                Ok(report) => {
                    touched |= report.contact.is_some_and(|contact| contact.any());
                    if step >= after {
                        worst = worst.max((report.momentum - start).norm() / before);
                    }
                }
                Err(error) => panic!("{}: {error}", info.name),
            }
        }

        println!("{}: momentum off by {worst:.1e} of the ball's", info.name);
        assert!(touched, "{}: nothing touched", info.name);
        assert!(worst < 1e-9, "{}: momentum off by {worst:e}", info.name);
    }
}

#[test]
fn a_jelly_carries_a_box() {
    let mut model = super::floor(0.0, 0.5);
    let n = 4u32;
    for k in 0..n {
        for j in 0..n {
            for i in 0..n {
                let at = p(f64::from(i), f64::from(j), f64::from(k)) * 0.1 + p(-0.15, 0.002, -0.15);
                model.add_particle(at, 0.02).unwrap();
            }
        }
    }
    for a in 0..n * n * n {
        for b in a + 1..n * n * n {
            let apart = (model.rest()[a as usize] - model.rest()[b as usize]).norm();
            if apart < 0.18 {
                model.add_spring(a, b, 400.0, None).unwrap();
            }
        }
    }
    let mut body = block(p(0.1, 0.1, 0.1), up(0.45));
    body.thickness = 0.01;
    model.add_rigid_body(body).unwrap();
    let mut simulation = Simulation::new(model, "newton", 1.0 / 60.0).unwrap();
    for _ in 0..300 {
        simulation.step().unwrap();
    }
    let body = simulation.state().rigid_bodies[0];
    println!("jelly: the box rests at {:?} with {:?}", body.pose.position, body.twist);
    assert!(body.pose.position.y > 0.25, "carried: {body:?}");
    assert!(body.twist.linear.norm() < 0.1, "at rest: {body:?}");
}

/// A strip of 3 × 9 particles that hangs from y = 0 along −y, with a box at its end.
fn hanging() -> Model {
    let mut model = Model::new();
    for j in 0..9 {
        for i in 0..3 {
            model
                .add_particle(p(0.1 * f64::from(i) - 0.1, -0.1 * f64::from(j), 0.0), 0.005)
                .unwrap();
        }
    }
    for a in 0..27u32 {
        for b in a + 1..27 {
            if (model.rest()[a as usize] - model.rest()[b as usize]).norm() < 0.15 {
                model.add_spring(a, b, 2000.0, None).unwrap();
            }
        }
    }
    let body = model.add_rigid_body(block(p(0.1, 0.05, 0.05), p(0.0, -0.85, 0.0))).unwrap();
    for particle in 24..27 {
        model.attach_to_body(particle, body, 1e5).unwrap();
    }
    model
}

#[test]
fn a_cloth_pulls_a_body_that_hangs_from_it() {
    for name in ["newton", "quasi-newton", "vbd", "xpbd"] {
        let mut model = hanging();
        for particle in 0..3 {
            model.pin_at_rest(particle).unwrap();
        }
        let settings: &[_] = if name == "xpbd" { &[("iterations", "400")] } else { &[] };
        let mut simulation = Simulation::new(model, method(name, settings), 1.0 / 60.0).unwrap();
        for _ in 0..300 {
            simulation.step().unwrap();
        }
        let body = simulation.state().rigid_bodies[0];
        println!(
            "{name}: hangs at {:.4} with {:.1e} m/s",
            body.pose.position.y,
            body.twist.linear.norm()
        );
        assert!((body.pose.position.y + 0.87).abs() < 0.03, "{name}: {body:?}");
        assert!(body.twist.linear.norm() < 0.1, "{name}: {body:?}");
    }
}

#[test]
fn a_free_cloth_and_the_body_on_it_keep_momentum() {
    let mut model = hanging();
    model.set_gravity(Vec3::ZERO).unwrap();
    let mut simulation = Simulation::new(model, exact("newton"), 1.0 / 60.0).unwrap();
    let mut state = simulation.state().clone();
    state.rigid_bodies[0].twist.linear = p(1.0, -2.0, 0.5);
    state.rigid_bodies[0].twist.angular = p(0.5, 1.0, 0.0);
    simulation.set_state(state).unwrap();
    let start = simulation.report().momentum;
    let mut moved = 0.0f64;
    for _ in 0..120 {
        let report = simulation.step().unwrap();
        let error = (report.momentum - start).norm() / start.norm();
        assert!(error < 1e-9, "momentum off by {error:e}");
        moved = moved.max((report.rigid_bodies.unwrap().momentum - start).norm() / start.norm());
    }
    assert!(moved > 1e-3, "the cloth takes its share: {moved}");
}

#[test]
fn methods_that_set_back_carry_a_ball_too() {
    for name in ["symplectic-euler", "velocity-verlet"] {
        let mut model = trampoline(15, 1000.0);
        let mut body = ball(0.1, 200.0, up(0.2));
        body.thickness = 0.02;
        model.add_rigid_body(body).unwrap();
        let mut simulation = Simulation::new(model, name, 1.0 / 60.0).unwrap();
        let mut lowest = f64::MAX;
        for _ in 0..120 {
            simulation.step().unwrap();
            lowest = lowest.min(simulation.state().rigid_bodies[0].pose.position.y);
        }
        println!("{name}: lowest {lowest:.3}");
        assert!(lowest > -0.5, "{name}: fell through, to {lowest}");
    }
}
