//! Free rotation: energy and angular momentum over many steps.

use crate::common::p;
use hooke::Point;
use hooke::bodies::free::turn_freely;
use hooke::bodies::{Body, Mass};
use hooke::math::Quat;
use hooke::model::Shape;

fn asymmetric() -> Mass {
    Mass::of_shape(&Shape::Box { half: p(0.1, 0.2, 0.35), inside_out: false }, 500.0).unwrap()
}

#[test]
fn an_asymmetric_top_keeps_energy_and_angular_momentum() {
    let mass = asymmetric();
    let principal = mass.principal();
    // Near the middle axis, about which it flips over and over.
    let mut turn = Quat::about(p(0.3, 1.0, -0.2), 0.7);
    let mut angular = turn.turn(p(0.01, 6.0, 0.02));
    let measure = |turn: Quat, angular: Point| {
        let local = turn.inverse().turn(angular);
        let spin = mass.inertia * local;
        (0.5 * local.dot(spin), turn.turn(spin))
    };
    let (energy, momentum) = measure(turn, angular);
    let (mut worst_energy, mut worst_momentum) = (0.0f64, 0.0f64);
    let (mut flips, mut side) = (0, 1.0);
    for _ in 0..100_000 {
        (turn, angular) = turn_freely(turn, angular, &principal, 0.01);
        let (e, l) = measure(turn, angular);
        worst_energy = worst_energy.max((e / energy - 1.0).abs());
        worst_momentum = worst_momentum.max((l - momentum).norm() / momentum.norm());
        let now = turn.inverse().turn(angular).y.signum();
        flips += i32::from(now != side);
        side = now;
    }
    println!(
        "drift over 100000 steps: energy {worst_energy:.1e}, angular momentum {worst_momentum:.1e}, {flips} flips"
    );
    assert!(worst_energy < 1e-9, "energy drifts by {worst_energy:e}");
    assert!(worst_momentum < 1e-9, "angular momentum drifts by {worst_momentum:e}");
    assert!(flips > 100, "the middle axis flips, here {flips} times");
}

#[test]
fn the_error_falls_with_the_square_of_the_step() {
    let principal = asymmetric().principal();
    let end = |parts: u32| {
        let (mut turn, mut angular) = (Quat::IDENTITY, p(1.0, 3.0, -2.0));
        for _ in 0..parts {
            (turn, angular) = turn_freely(turn, angular, &principal, 1.0 / f64::from(parts));
        }
        turn.turn(p(1.0, 1.0, 1.0))
    };
    let exact = end(100_000);
    let [coarse, fine] = [100, 200].map(|parts| (end(parts) - exact).norm());
    let order = (coarse / fine).log2();
    assert!((order - 2.0).abs() < 0.05, "order {order}");
}

#[test]
fn a_symmetric_top_wobbles_as_fast_as_the_closed_form() {
    // ω₁ turns about the symmetry axis with (I₃ − I₁)/I₁ ω₃ in the body.
    let body =
        Body::solid(Shape::Box { half: p(0.1, 0.1, 0.02), inside_out: false }, 500.0).unwrap();
    let (i1, i3) = (body.mass().inertia.0[0][0], body.mass().inertia.0[2][2]);
    let (mut turn, mut angular) = (Quat::IDENTITY, p(0.5, 0.0, 4.0));
    let h = 1e-4;
    for _ in 0..10_000 {
        (turn, angular) = turn_freely(turn, angular, body.principal(), h);
    }
    let local = turn.inverse().turn(angular);
    let angle = (i3 - i1) / i1 * 4.0;
    let exact = p(0.5 * angle.cos(), 0.5 * angle.sin(), 4.0);
    assert!((local - exact).norm() < 1e-6, "{local:?} {exact:?}");
}

#[test]
fn a_fast_spin_stays_finite_and_keeps_its_energy() {
    let mass = asymmetric();
    let principal = mass.principal();
    let (mut turn, mut angular) = (Quat::IDENTITY, p(10.0, 900.0, 20.0));
    let energy = |turn: Quat, angular: Point| {
        let local = turn.inverse().turn(angular);
        0.5 * local.dot(mass.inertia * local)
    };
    let before = energy(turn, angular);
    for _ in 0..1000 {
        (turn, angular) = turn_freely(turn, angular, &principal, 1.0 / 60.0);
    }
    assert!((energy(turn, angular) / before - 1.0).abs() < 1e-9);
}
