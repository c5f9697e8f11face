//! Free rotation: energy and angular momentum over many steps.

use crate::common::p;
use hooke::Vec3;
use hooke::math::Quat;
use hooke::model::Shape;
use hooke::rigid::free_rotation::{rotate_freely, rotate_once};
use hooke::rigid::{Mass, RigidBody};

fn asymmetric() -> Mass {
    Mass::of_shape(&Shape::Box { half: p(0.1, 0.2, 0.35), inside_out: false }, 500.0).unwrap()
}

#[test]
fn an_asymmetric_top_keeps_energy_and_angular_momentum() {
    let mass = asymmetric();
    let principal = mass.principal();
    // Near the middle axis, about which it flips over and over.
    let mut rotation = Quat::about(p(0.3, 1.0, -0.2), 0.7);
    let mut angular = rotation.rotate(p(0.01, 6.0, 0.02));
    let measure = |rotation: Quat, angular: Vec3| {
        let local = rotation.inverse().rotate(angular);
        let spin = mass.inertia * local;
        (0.5 * local.dot(spin), rotation.rotate(spin))
    };
    let (energy, momentum) = measure(rotation, angular);
    let (mut worst_energy, mut worst_momentum) = (0.0f64, 0.0f64);
    let (mut flips, mut side) = (0, 1.0);
    for _ in 0..100_000 {
        (rotation, angular) = rotate_freely(rotation, angular, &principal, 0.01);
        let (e, l) = measure(rotation, angular);
        worst_energy = worst_energy.max((e / energy - 1.0).abs());
        worst_momentum = worst_momentum.max((l - momentum).norm() / momentum.norm());
        let now = rotation.inverse().rotate(angular).y.signum();
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
fn the_error_of_one_step_falls_with_its_square() {
    let principal = asymmetric().principal();
    let end = |parts: u32| {
        let (mut rotation, mut angular) = (Quat::IDENTITY, p(1.0, 3.0, -2.0));
        for _ in 0..parts {
            (rotation, angular) =
                rotate_once(rotation, angular, &principal, 1.0 / f64::from(parts));
        }
        rotation.rotate(p(1.0, 1.0, 1.0))
    };
    let exact = end(100_000);
    let [coarse, fine] = [100, 200].map(|parts| (end(parts) - exact).norm());
    let order = (coarse / fine).log2();
    assert!((order - 2.0).abs() < 0.05, "order {order}");
}

#[test]
fn free_flight_ends_where_runge_and_kutta_do() {
    // Four seconds at the step and the parts of a simulation, against a fine step of another method.
    let mass = asymmetric();
    let (start, spin) = (Quat::about(p(0.3, 1.0, -0.2), 0.7), p(0.5, 4.0, 0.3));
    let inverse = mass.inertia.inverse();
    let rate = |q: Quat, w: Vec3| {
        let local = w.cross(mass.inertia * w);
        let rotation = q * Quat { w: 0.0, v: w * 0.5 };
        (rotation, inverse * -local)
    };
    let add = |q: Quat, d: Quat, h: f64| Quat { w: q.w + d.w * h, v: q.v + d.v * h };
    let (mut q, mut w, steps) = (start, start.inverse().rotate(spin), 40_000);
    let h = 4.0 / f64::from(steps);
    for _ in 0..steps {
        let (a, e) = rate(q, w);
        let (b, f) = rate(add(q, a, 0.5 * h), w + e * (0.5 * h));
        let (c, g) = rate(add(q, b, 0.5 * h), w + f * (0.5 * h));
        let (d, i) = rate(add(q, c, h), w + g * h);
        q = [(a, 1.0), (b, 2.0), (c, 2.0), (d, 1.0)]
            .into_iter()
            .fold(q, |sum, (rate, by)| add(sum, rate, by * h / 6.0));
        w += (e + f * 2.0 + g * 2.0 + i) * (h / 6.0);
    }
    let (mut rotation, mut angular) = (start, spin);
    for _ in 0..4 * 480 {
        (rotation, angular) = rotate_freely(rotation, angular, &mass.principal(), 1.0 / 480.0);
    }
    let way = (rotation.rotate(p(1.0, 1.0, 1.0)) - q.unit().rotate(p(1.0, 1.0, 1.0))).norm();
    let spin = (angular - q.unit().rotate(w)).norm();
    println!("free flight of 4 s is off by {way:.1e} and {spin:.1e}");
    assert!(way < 1e-10 && spin < 1e-10, "{way:e} {spin:e}");
}

#[test]
fn rounding_takes_hardly_any_energy() {
    let mass = asymmetric();
    let principal = mass.principal();
    let (mut rotation, mut angular) = (Quat::about(p(0.3, 1.0, -0.2), 0.7), p(0.5, 4.0, 0.3));
    let energy = |rotation: Quat, angular: Vec3| {
        let local = rotation.inverse().rotate(angular);
        0.5 * local.dot(mass.inertia * local)
    };
    let (before, steps) = (energy(rotation, angular), 100_000);
    for _ in 0..steps {
        (rotation, angular) = rotate_once(rotation, angular, &principal, 1.0 / 480.0);
    }
    let lost = (1.0 - energy(rotation, angular) / before) / f64::from(steps);
    println!("loses {lost:.1e} of its energy a step");
    assert!(lost.abs() < 4e-16, "loses {lost:e} of its energy a step");
}

#[test]
fn a_symmetric_top_wobbles_as_fast_as_the_closed_form() {
    // ω₁ turns about the symmetry axis with (I₃ − I₁)/I₁ ω₃ in the body.
    let body =
        RigidBody::solid(Shape::Box { half: p(0.1, 0.1, 0.02), inside_out: false }, 500.0).unwrap();
    let (i1, i3) = (body.mass().inertia.0[0][0], body.mass().inertia.0[2][2]);
    let (mut rotation, mut angular) = (Quat::IDENTITY, p(0.5, 0.0, 4.0));
    let h = 1e-4;
    for _ in 0..10_000 {
        (rotation, angular) = rotate_freely(rotation, angular, body.principal(), h);
    }
    let local = rotation.inverse().rotate(angular);
    let angle = (i3 - i1) / i1 * 4.0;
    let exact = p(0.5 * angle.cos(), 0.5 * angle.sin(), 4.0);
    assert!((local - exact).norm() < 1e-6, "{local:?} {exact:?}");
}

#[test]
fn a_fast_spin_stays_finite_and_keeps_its_energy() {
    let mass = asymmetric();
    let principal = mass.principal();
    let (mut rotation, mut angular) = (Quat::IDENTITY, p(10.0, 900.0, 20.0));
    let energy = |rotation: Quat, angular: Vec3| {
        let local = rotation.inverse().rotate(angular);
        0.5 * local.dot(mass.inertia * local)
    };
    let before = energy(rotation, angular);
    for _ in 0..1000 {
        (rotation, angular) = rotate_freely(rotation, angular, &principal, 1.0 / 60.0);
    }
    assert!((energy(rotation, angular) / before - 1.0).abs() < 1e-9);
}
