//! Hinges: the force of the paper written out, small angles, rest shapes, corner orders, fold directions.

use crate::common::*;
use hooke::laws::{self, BridsonBending, CurvedBending, Dihedral, Law, QuadraticBending};
use hooke::math::{Mat3, svd};
use hooke::model::surface;
use hooke::{Model, State, Vec3};

/// A hinge along x whose wings are `bend` (rad) from flat.
fn hinge(bend: f64) -> [Vec3; 4] {
    let wing = |side: f64, x: f64, height: f64| {
        let angle = 0.5 * bend;
        p(x, height * libm::sin(angle), side * height * libm::cos(angle))
    };
    [p(0.0, 0.0, 0.0), p(1.2, 0.0, 0.0), wing(1.0, 0.4, 0.9), wing(-1.0, 0.7, 0.8)]
}

fn random_hinge(r: &mut Numbers) -> [Vec3; 4] {
    loop {
        let x = [0; 4].map(|_| r.point());
        let area = |i: usize| (x[1] - x[0]).cross(x[i] - x[0]).norm();
        if area(2) > 0.2 && area(3) > 0.2 {
            return x;
        }
    }
}

/// The force of Bridson, Marino & Fedkiw as they print it, with the coefficient of the rest shape.
#[test]
fn bridson_forces_are_those_of_the_paper() {
    let mut r = Numbers(11);
    for _ in 0..500 {
        let (rest_at, x) = (random_hinge(&mut r), random_hinge(&mut r));
        let modes = |x: [Vec3; 4]| {
            let [x3, x4, x1, x2] = x;
            let e = x4 - x3;
            let n1 = (x1 - x3).cross(x1 - x4);
            let n2 = (x2 - x4).cross(x2 - x3);
            let (m1, m2) = (n1 * (1.0 / n1.norm2()), n2 * (1.0 / n2.norm2()));
            let along = |x: Vec3| x.dot(e) / e.norm();
            let u1 = m1 * e.norm();
            let u2 = m2 * e.norm();
            let u3 = m1 * along(x1 - x4) + m2 * along(x2 - x4);
            let u4 = -(m1 * along(x1 - x3)) - m2 * along(x2 - x3);
            let cosine = n1.unit().dot(n2.unit()).clamp(-1.0, 1.0);
            let sign = n1.cross(n2).dot(e).signum();
            let sine = sign * ((1.0 - cosine) / 2.0).sqrt();
            (e.norm2() / (n1.norm() + n2.norm()), sine, [u3, u4, u1, u2])
        };
        let (shape, sine_at_rest, _) = modes(rest_at);
        let (_, mut sine, u) = modes(x);
        // Counted on past ±π, where that costs less, the half angle has the other sine.
        let cosine = |sine: f64| (1.0 - sine * sine).sqrt();
        let least = (std::f64::consts::FRAC_PI_2 * sine_at_rest.abs()).min(cosine(sine_at_rest));
        if sine * sine_at_rest < 0.0 && cosine(sine) < least {
            sine = -sine;
        }
        let rest = BridsonBending::rest(rest_at).unwrap();
        let got = BridsonBending::gradient(x, rest, [0.7]);
        for (g, u) in got.into_iter().zip(u) {
            let force = u * (0.7 * shape * (sine - sine_at_rest));
            assert!((force + g).norm() <= 1e-11 * (1.0 + u.norm()), "{force:?} {g:?}");
        }
    }
}

#[test]
fn small_angles_are_the_same_for_all() {
    let rest_at = hinge(0.0);
    let rest = Dihedral::rest(rest_at).unwrap();
    let weights = QuadraticBending::rest(rest_at).unwrap();
    let (bend, k) = (1e-4, 0.3);
    let x = hinge(bend);
    let expected = Dihedral::energy(x, rest, [k]);
    assert!(expected > 0.0);
    for (name, energy) in [
        ("bridson", BridsonBending::energy(x, rest, [12.0 * k])),
        ("quadratic", QuadraticBending::energy(x, weights, [k])),
        ("curved", CurvedBending::energy(x, rest, [k])),
    ] {
        assert!((energy / expected - 1.0).abs() < 1e-6, "{name}: {energy} {expected}");
    }
    let dihedral = Dihedral::gradient(x, rest, [k]);
    let bridson = BridsonBending::gradient(x, rest, [12.0 * k]);
    for (a, b) in dihedral.into_iter().zip(bridson) {
        assert!((a - b).norm() <= 1e-6 * dihedral[0].norm());
    }
}

/// Either fold has its sign, swapped ends and swapped wings give the same energy and forces.
#[test]
fn the_order_of_corners_does_not_matter() {
    let mut r = Numbers(12);
    for _ in 0..300 {
        let (rest_at, x) = (random_hinge(&mut r), random_hinge(&mut r));
        for order in [[1, 0, 3, 2], [0, 1, 2, 3], [1, 0, 2, 3], [0, 1, 3, 2]] {
            let permuted = |x: [Vec3; 4]| order.map(|i| x[i]);
            let rest = Dihedral::rest(rest_at).unwrap();
            let other = Dihedral::rest(permuted(rest_at)).unwrap();
            let expected = permuted(Dihedral::gradient(x, rest, [1.0]));
            let got = Dihedral::gradient(permuted(x), other, [1.0]);
            let size = expected.iter().map(|g| g.norm()).fold(1.0, f64::max);
            for (a, b) in expected.into_iter().zip(got) {
                assert!((a - b).norm() <= 1e-10 * size, "{order:?}: {a:?} {b:?}");
            }
        }
    }
    for (bend, sign) in [(0.3, 1.0), (-0.3, -1.0)] {
        let angle = Dihedral::rest(hinge(bend)).unwrap()[0];
        assert!((angle - sign * 0.3).abs() < 1e-14, "{angle}");
    }
}

/// Hinges at rest, bent or flat, carry nothing however they are turned; forces balance.
#[test]
fn forces_balance_and_rigid_motions_cost_nothing() {
    fn check<L: Law<4, R, 1>, const R: usize>(rest_at: [Vec3; 4], r: &mut Numbers) {
        let rest = L::rest(rest_at).unwrap();
        let rotation = svd(&Mat3([0; 3].map(|_| r.point().to_array()))).u;
        let shift = r.point();
        let moved = rest_at.map(|x| rotation * x + shift);
        assert!(L::energy(moved, rest, [1.0]).abs() < 1e-14);
        for g in L::gradient(moved, rest, [1.0]) {
            assert!(g.norm() < 1e-11, "{}: {g:?}", L::NAME);
        }
        let x = random_hinge(r);
        let g = L::gradient(x, rest, [1.0]);
        let scale: f64 = g.iter().map(|g| g.norm()).sum();
        let (mut sum, mut torque) = (Vec3::ZERO, Vec3::ZERO);
        for (x, g) in x.into_iter().zip(g) {
            sum += g;
            torque += x.cross(g);
        }
        assert!(sum.norm() <= 1e-12 * scale, "{}: momentum", L::NAME);
        assert!(torque.norm() <= 1e-12 * scale, "{}: angular momentum", L::NAME);
    }
    let mut r = Numbers(13);
    for _ in 0..200 {
        let rest_at = random_hinge(&mut r);
        check::<Dihedral, 6>(rest_at, &mut r);
        check::<BridsonBending, 6>(rest_at, &mut r);
        check::<CurvedBending, 6>(rest_at, &mut r);
        check::<QuadraticBending, 4>(hinge(0.0), &mut r);
    }
}

#[test]
fn collapsed_hinges_have_no_force() {
    let rest = Dihedral::rest(hinge(0.2)).unwrap();
    let mut x = hinge(0.5);
    x[2] = p(0.7, 0.0, 0.0);
    for x in [x, [p(0.1, 0.2, 0.3); 4]] {
        assert_eq!(Dihedral::gradient(x, rest, [1.0]), [Vec3::ZERO; 4]);
        assert_eq!(BridsonBending::gradient(x, rest, [1.0]), [Vec3::ZERO; 4]);
        assert_eq!(Dihedral::hessian(x, rest, [1.0], 0.0), [[Mat3::ZERO; 4]; 4]);
        assert!(Dihedral::energy(x, rest, [1.0]).is_finite());
    }
}

/// Four particles of a hinge, edge along x.
fn model_of(x: [Vec3; 4]) -> Model {
    let mut model = Model::new();
    model.set_gravity(Vec3::ZERO).unwrap();
    for x in x {
        model.add_particle(x, 0.1).unwrap();
    }
    model
}

#[test]
fn quadratic_bending_refuses_bent_rest_shapes() {
    let law = laws::find("quadratic-bending").unwrap();
    let mut bent = model_of(hinge(0.1));
    let error = bent.add_element(law, &[0, 1, 2, 3], None, &[1.0]).unwrap_err();
    assert!(error.to_string().contains("is bent at rest"), "{error}");
    assert!(model_of(hinge(0.0)).add_element(law, &[0, 1, 2, 3], None, &[1.0]).is_ok());
    // A hinge whose wings lie on one side is folded, not flat.
    let mut folded = hinge(0.0);
    folded[3].z = 0.8;
    assert!(model_of(folded).add_element(law, &[0, 1, 2, 3], None, &[1.0]).is_err());
    let mut flat = hinge(0.0);
    flat[2].z = 0.0;
    let error = model_of(flat).add_element(law, &[0, 1, 2, 3], None, &[1.0]).unwrap_err();
    assert!(error.to_string().contains("without area"), "{error}");
}

/// A strip of springs and hinges hung up by one end sags alike under every method.
#[test]
fn methods_agree_on_the_sag() {
    for law in ["dihedral", "bridson-bending", "quadratic-bending", "curved-bending"] {
        let model = || {
            let mut model = Model::new();
            for i in 0..5 {
                for j in 0..2 {
                    let x = p(0.1 * f64::from(i), 0.0, 0.1 * f64::from(j));
                    model.add_particle(x, 1e-3).unwrap();
                }
            }
            for i in 0..5u32 {
                let a = 2 * i;
                model.add_spring(a, a + 1, 200.0, None).unwrap();
                if i < 4 {
                    for (i, j) in [(a, a + 2), (a + 1, a + 3), (a, a + 3)] {
                        model.add_spring(i, j, 200.0, None).unwrap();
                    }
                }
            }
            let (law, k) = (laws::find(law).unwrap(), 2e-3);
            let k = if law.name == "bridson-bending" { 12.0 * k } else { k };
            for i in 0..4u32 {
                let a = 2 * i;
                model.add_element(law, &[a, a + 3, a + 2, a + 1], None, &[k]).unwrap();
                if i > 0 {
                    model.add_element(law, &[a, a + 1, a - 2, a + 3], None, &[k]).unwrap();
                }
            }
            for i in 0..4 {
                model.pin_at_rest(i).unwrap();
            }
            let drag = hooke::dampers::find("drag").unwrap();
            for i in 0..model.particles() as u32 {
                model.add_damper(drag, &[i], None, &[0.02]).unwrap();
            }
            model
        };
        let settle = |name: &str, settings: &[(&str, &str)], h: f64, steps: usize| {
            let model = model();
            let state = State::at_rest(&model);
            let mut simulation = simulation(model, method(name, settings), h, state);
            run(&mut simulation, steps);
            simulation.state().positions.clone()
        };
        let tight = [("tolerance", "1e-12"), ("iterations", "2000")];
        let newton = settle("newton", &tight, 0.2, 80);
        let quasi = settle("quasi-newton", &tight, 0.2, 80);
        let explicit = settle("symplectic-euler", &[], 5e-4, 16_000);
        assert!(newton[9].y < -0.005, "{law} sags: {:?}", newton[9]);
        assert!(apart(&newton, &quasi) < 1e-8, "{law}: {:e}", apart(&newton, &quasi));
        assert!(apart(&newton, &explicit) < 1e-6, "{law}: {:e}", apart(&newton, &explicit));
    }
}

/// A flat sheet of alternating triangles in the plane y = 0.
fn sheet(n: u32) -> (Model, Vec<[u32; 3]>) {
    let mut model = Model::new();
    let grid = hooke::Grid {
        columns: n,
        rows: n,
        down: p(0.0, 0.0, 1.0),
        mass: 0.1,
        structural: Some(hooke::model::SpringFamily::stiffness(300.0)),
        shear: Some(hooke::model::SpringFamily::stiffness(150.0)),
        bend: None,
        diagonals: hooke::model::Diagonals::Alternating,
        ..hooke::Grid::default()
    };
    grid.add_to(&mut model).unwrap();
    let triangles = model.triangles().to_vec();
    (model, triangles)
}

fn energy(model: &Model, x: &[Vec3]) -> f64 {
    let at = hooke::compute::At { x, anchors: &[] };
    model.elements().iter().map(|batch| batch.energy(at, &hooke::ThreadPool::new(2))).sum()
}

#[test]
fn rings_and_hinges_of_a_surface() {
    let (model, triangles) = sheet(5);
    let rings = surface::rings(&triangles);
    assert_eq!(rings.len(), 9, "the vertices inside 5 × 5");
    for ring in &rings {
        assert!(ring.len() == 5 || ring.len() == 9, "{ring:?}");
        for k in 1..ring.len() {
            let next = ring[if k + 1 == ring.len() { 1 } else { k + 1 }];
            let sorted = |mut t: [u32; 3]| {
                t.sort_unstable();
                t
            };
            let wanted = sorted([ring[0], ring[k], next]);
            assert!(triangles.iter().any(|&t| sorted(t) == wanted), "{wanted:?}");
        }
    }
    // Edges of a disk: 3 n_v − 3 − n_b, of which n_b are on the boundary.
    let hinges = surface::hinges(&triangles).unwrap();
    assert_eq!(hinges.len(), 3 * model.particles() - 3 - 2 * 16);
    // A closed surface has a ring around every vertex; triangles may be turned either way.
    let closed = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 3, 2]];
    assert_eq!(surface::rings(&closed).len(), 4);
    assert!(surface::rings(&closed[..3]).iter().all(|ring| ring[0] == 0));
    let three = surface::hinges(&[[0, 1, 2], [0, 1, 3], [0, 1, 4]]).unwrap_err();
    assert!(three.to_string().contains("vertices 0 and 1"), "{three}");
}

/// The walks over rings against differences of the energy, and what a flat sheet must do.
#[test]
fn vertex_bending_is_its_energy() {
    let law = laws::find("vertex-bending").unwrap();
    let (_, triangles) = sheet(5);
    let mut r = Numbers(14);
    let (springs, _) = sheet(5);
    let mut model = Model::new();
    model.set_gravity(Vec3::ZERO).unwrap();
    for &x in springs.rest() {
        // Flat, but with vertices off the grid.
        model.add_particle(x + p(0.05 * r.next(), 0.0, 0.05 * r.next()), 0.1).unwrap();
    }
    for ring in surface::rings(&triangles) {
        model.add_element(law, &ring, None, &[0.3]).unwrap();
    }
    assert!(energy(&model, model.rest()) < 1e-25);
    // A flat sheet costs nothing, however it is turned or evenly stretched.
    let f = Mat3([0; 3].map(|_| r.point().to_array()));
    let stretched: Vec<_> = model.rest().iter().map(|&x| f * x + p(1.0, 2.0, 3.0)).collect();
    assert!(energy(&model, &stretched) < 1e-25);

    let x: Vec<_> = model.rest().iter().map(|&x| x + r.point() * 0.3).collect();
    let batch = &model.elements()[0];
    let from_rows: f64 = (0..batch.len())
        .flat_map(|e| batch.rows(e, hooke::compute::At { x: &x, anchors: &[] }))
        .map(|(value, _, compliance)| 0.5 * value * value / compliance)
        .sum();
    let expected = energy(&model, &x);
    assert!((from_rows - expected).abs() <= 1e-12 * expected);

    // One explicit step from rest shows the force; a quadratic energy has exact central differences.
    let mut state = State::at_rest(&model);
    state.positions.clone_from(&x);
    let (h, mass) = (1e-3, 0.1);
    let mut moved = simulation(model, method("symplectic-euler", &[]), h, state);
    moved.set_threads(2);
    moved.step().unwrap();
    let forces: Vec<_> = moved.state().velocities.iter().map(|&v| v * (mass / h)).collect();
    let largest = forces.iter().map(|f| f.norm()).fold(0.0, f64::max);
    let (mut sum, mut torque) = (Vec3::ZERO, Vec3::ZERO);
    for (i, &force) in forces.iter().enumerate() {
        for axis in 0..3 {
            let shifted = |by: f64| {
                let mut x = x.clone();
                x[i][axis] += by;
                energy(moved.model(), &x)
            };
            let slope = (shifted(0.1) - shifted(-0.1)) / 0.2;
            assert!((slope + force[axis]).abs() <= 1e-9 * largest, "{slope} {}", force[axis]);
        }
        sum += force;
        torque += x[i].cross(force);
    }
    assert!(sum.norm() <= 1e-11 * largest && torque.norm() <= 1e-10 * largest);
}

#[test]
fn vertex_bending_refuses_what_is_no_ring() {
    let law = laws::find("vertex-bending").unwrap();
    let (mut model, triangles) = sheet(3);
    let ring = surface::rings(&triangles).remove(0);
    let mut refused = |corners: &[u32], rest: Option<&[f64]>, value: f64, words: &str| {
        let error = model.add_element(law, corners, rest, &[value]).unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
    };
    refused(&ring[..3], None, 1.0, "at least 4 corners");
    refused(&[0, 1, 2, 3], None, 1.0, "without area");
    refused(&[4, 0, 1, 0], None, 1.0, "joins particle 0 to itself");
    refused(&ring, Some(&[1.0; 3]), 1.0, "a rest value per corner");
    refused(&ring, Some(&vec![1.0; ring.len()]), 1.0, "sum to zero");
    refused(&ring, None, -1.0, "rigidity of a vertex-bending must be");
    refused(&ring, None, f64::NAN, "rigidity of a vertex-bending must be");
}

/// A cloth with rigidity: every implicit method to the same sag, its rigidity may be changed in between.
#[test]
fn vertex_bending_runs_under_every_method() {
    let law = laws::find("vertex-bending").unwrap();
    let build = || {
        let (mut model, triangles) = sheet(5);
        for ring in surface::rings(&triangles) {
            model.add_element(law, &ring, None, &[0.1]).unwrap();
        }
        for i in 0..10 {
            model.pin_at_rest(i).unwrap();
        }
        model
    };
    let sag = |name: &str, settings: &[(&str, &str)]| {
        let model = build();
        let state = State::at_rest(&model);
        let batch = model.elements().len() - 1;
        let mut simulation = simulation(model, method(name, settings), 0.1, state);
        run(&mut simulation, 3);
        simulation
            .model_mut()
            .set_material(hooke::model::MaterialId { batch, group: 0 }, &[0.2])
            .unwrap();
        run(&mut simulation, 150);
        simulation.state().positions.clone()
    };
    let tight = [("tolerance", "1e-12"), ("iterations", "3000")];
    let newton = sag("newton", &tight);
    let quasi = sag("quasi-newton", &tight);
    assert!(apart(&newton, &quasi) < 1e-6, "{:e}", apart(&newton, &quasi));
    for name in names() {
        let model = build();
        let state = State::at_rest(&model);
        let mut simulation = simulation(model, method(name, &[]), 1e-4, state);
        run(&mut simulation, 20);
        assert!(simulation.state().positions[24].y < 0.0, "{name}");
    }
}

/// Energy over k, and whether the gradient is its slope, of a hinge on its way around the circle.
fn around<L: Law<4, 6, 1>>(rest_angle: f64, bend: f64) -> f64 {
    let rest = L::rest(hinge(rest_angle)).unwrap();
    let e = 1e-6;
    let at = |bend: f64| L::energy(hinge(bend), rest, [1.0]);
    let moved: Vec<Vec3> = hinge(bend + e)
        .into_iter()
        .zip(hinge(bend - e))
        .map(|(ahead, behind)| (ahead - behind) * (0.5 / e))
        .collect();
    let gradient = L::gradient(hinge(bend), rest, [1.0]);
    let slope: f64 = gradient.iter().zip(moved).map(|(g, v)| g.dot(v)).sum();
    let difference = (at(bend + e) - at(bend - e)) / (2.0 * e);
    // On a crest the slope is that of one side.
    let crest = (at(bend + 1e-3) + at(bend - 1e-3) - 2.0 * at(bend)).abs() > 1e-4;
    assert!(
        crest || (slope - difference).abs() < 1e-5,
        "{}: {bend}: {slope} {difference}",
        L::NAME
    );
    at(bend)
}

/// The greatest jump of the energy between neighboring angles, once around, over the greatest energy.
fn greatest_jump<L: Law<4, 6, 1>>(rest_angle: f64) -> f64 {
    let count = 4000;
    let step = std::f64::consts::TAU / f64::from(count);
    let energies: Vec<f64> =
        (0..=count).map(|k| around::<L>(rest_angle, -3.2 + step * f64::from(k))).collect();
    let most = energies.iter().copied().fold(0.0, f64::max);
    assert!((energies[0] - energies[count as usize]).abs() < 1e-9 * most, "once around is nothing");
    energies.windows(2).map(|pair| (pair[1] - pair[0]).abs()).fold(0.0, f64::max) / most
}

#[test]
fn the_energy_of_a_hinge_does_not_jump_where_a_fold_closes() {
    for rest in [0.0, 0.2, -0.7, 1.1, -1.13] {
        for jump in [
            greatest_jump::<Dihedral>(rest),
            greatest_jump::<BridsonBending>(rest),
            greatest_jump::<CurvedBending>(rest),
        ] {
            assert!(jump < 5e-3, "rest {rest}: {jump}");
        }
    }
    for rest in [2.0, -2.6, 3.1] {
        assert!(
            greatest_jump::<Dihedral>(rest) < 5e-3 && greatest_jump::<CurvedBending>(rest) < 5e-3
        );
    }
}

/// Beyond 65° Bridson's force has no energy all around: what its page says it jumps by.
#[test]
fn a_sharp_bridson_hinge_jumps_on_its_crest_by_what_is_written() {
    for rest_angle in [1.5_f64, 2.2] {
        let rest = BridsonBending::rest(hinge(rest_angle)).unwrap();
        let at = |bend: f64| BridsonBending::energy(hinge(bend), rest, [1.0]) / (rest[1] / 6.0);
        let crest = std::f64::consts::TAU - rest[0].abs();
        let way = rest_angle.signum();
        let jump = at(way * (crest + 1e-7)) - at(way * (crest - 1e-7));
        let half = 0.5 * rest[0].abs();
        let written = std::f64::consts::TAU * half.sin() - 4.0 * half.cos();
        assert!((jump - written).abs() < 1e-5, "{rest_angle}: {jump} {written}");
    }
}

/// A hinge bent at rest swings through a closed fold and back: its energy is kept.
#[test]
fn swinging_through_a_closed_fold_keeps_the_energy() {
    for (law, rest) in [("dihedral", 2.6), ("bridson-bending", 1.0), ("curved-bending", 2.6)] {
        let mut model = Model::new();
        model.set_gravity(Vec3::ZERO).unwrap();
        for x in hinge(rest) {
            model.add_particle(x, 0.1).unwrap();
        }
        for (i, j) in [(0, 2), (1, 2), (0, 3), (1, 3)] {
            model.add_spring(i, j, 2000.0, None).unwrap();
        }
        let element = laws::find(law).unwrap();
        model.add_element(element, &[0, 1, 2, 3], None, &[0.1]).unwrap();
        model.pin_at_rest(0).unwrap();
        model.pin_at_rest(1).unwrap();
        // The wings turn about the edge with what brings them 0.4 past the closed fold.
        let at = hooke::compute::At { x: &hinge(std::f64::consts::PI + 0.4), anchors: &[] };
        let needed = model.elements()[1].energy(at, &hooke::ThreadPool::new(1));
        let mut state = State::at_rest(&model);
        let (wings, mut inertia) = ([2, 3], [0.0; 2]);
        for (inertia, i) in inertia.iter_mut().zip(wings) {
            let x = state.positions[i];
            *inertia = 0.1 * (x.y * x.y + x.z * x.z);
        }
        let rate = (2.0 * needed / (inertia[0] + inertia[1])).sqrt();
        for i in wings {
            let x = state.positions[i];
            state.velocities[i] = p(0.0, x.z.abs(), -x.y * x.z.signum()) * rate;
        }
        let mut simulation = simulation(model, method("rk4", &[]), 2e-4, state);
        let before = simulation.report().energy.total();
        let (mut passed, mut back) = (false, false);
        for _ in 0..20_000 {
            let report = simulation.step().unwrap();
            let off = report.energy.total() - before;
            assert!(off.abs() < 1e-5 * before, "{law}: {off} of {before}");
            let x = &simulation.state().positions;
            // The angle between the wings, about the edge.
            let crossed = x[2].y * x[3].z - x[2].z * x[3].y > 0.0;
            passed |= crossed;
            back |= passed && !crossed;
        }
        assert!(passed && back, "{law}: {passed} {back}");
    }
}
