//! Triangles and tetrahedra: invariance, small strains, finite volumes, crushed and inverted bodies.

use crate::common::*;
use hooke::laws::deformation::{of_tetrahedron, of_triangle};
use hooke::laws::{self, Corotated, Lame, Law, LawInfo, NeoHookean, Pressure, Stvk, StvkMembrane};
use hooke::laws::{BaraffWitkinShear, BaraffWitkinStretch, finite_volume};
use hooke::math::{Mat3, svd};
use hooke::{Model, State, Vec3};

/// The laws of solids.
fn solids() -> impl Iterator<Item = &'static str> {
    let solid = |law: &&LawInfo| matches!(law.role, Some(laws::Role::Solid));
    laws::LAWS.iter().filter(solid).map(|law| law.name)
}

fn random_rotation(r: &mut Numbers) -> Mat3 {
    svd(&Mat3([0; 3].map(|_| r.point().to_array()))).u
}

/// A tetrahedron that is not a sliver.
fn tetrahedron(r: &mut Numbers) -> [Vec3; 4] {
    loop {
        let x = [0; 4].map(|_| r.point());
        if finite_volume::edges(x).determinant().abs() > 0.3 {
            return x;
        }
    }
}

fn triangle(r: &mut Numbers) -> [Vec3; 3] {
    loop {
        let x = [0; 3].map(|_| r.point());
        if (x[1] - x[0]).cross(x[2] - x[0]).norm() > 0.3 {
            return x;
        }
    }
}

/// Rest states have no energy and no force however they are turned and moved; forces of any state
/// have no sum and no torque, and turn along.
fn check_invariance<L: Law<N, R, P>, const N: usize, const R: usize, const P: usize>(
    sample: fn(&mut Numbers) -> [Vec3; N],
) {
    let mut r = Numbers(5);
    let material = L::PARAMS.map(|param| param.default);
    for _ in 0..300 {
        let rest_at = sample(&mut r);
        let rest = L::rest(rest_at).unwrap();
        let (rotation, shift) = (random_rotation(&mut r), r.point() * 3.0);
        let moved = |x: [Vec3; N]| x.map(|x| rotation * x + shift);
        let size: f64 = L::proxy(rest, material).iter().flatten().map(|k| k.abs()).sum();

        let at_rest = moved(rest_at);
        assert!(L::energy(at_rest, rest, material).abs() <= 1e-12 * size, "{}", L::NAME);
        for g in L::gradient(at_rest, rest, material) {
            assert!(g.norm() <= 1e-12 * size, "{}: {} at rest", L::NAME, g.norm() / size);
        }

        let x: [Vec3; N] = std::array::from_fn(|_| r.point());
        let g = L::gradient(x, rest, material);
        let scale = size + g.iter().map(|g| g.norm()).sum::<f64>();
        let (mut sum, mut torque) = (Vec3::ZERO, Vec3::ZERO);
        for (x, g) in x.iter().zip(g) {
            sum += g;
            torque += x.cross(g);
        }
        assert!(sum.norm() <= 1e-13 * scale, "{}: momentum", L::NAME);
        assert!(torque.norm() <= 1e-12 * scale, "{}: angular momentum", L::NAME);
        for (rotated, g) in L::gradient(moved(x), rest, material).into_iter().zip(g) {
            assert!((rotated - rotation * g).norm() <= 1e-11 * scale, "{}: rotated", L::NAME);
        }
    }
}

#[test]
fn rigid_motions_cost_nothing_and_forces_balance() {
    check_invariance::<Stvk, 4, 10, 2>(tetrahedron);
    check_invariance::<Corotated, 4, 10, 2>(tetrahedron);
    check_invariance::<NeoHookean, 4, 10, 2>(tetrahedron);
    check_invariance::<StvkMembrane, 3, 5, 3>(triangle);
    check_invariance::<BaraffWitkinStretch, 3, 5, 3>(triangle);
    check_invariance::<BaraffWitkinShear, 3, 5, 1>(triangle);
}

/// At rest the Hessians of all solids are that of linear elasticity.
#[test]
fn small_strains_are_linear_elasticity() {
    let mut r = Numbers(6);
    for material in [[1e5, 0.3], [2e6, 0.0], [1e3, 0.49], [1e5, -0.5]] {
        let x = tetrahedron(&mut r);
        let rest = Stvk::rest(x).unwrap();
        let Lame { lambda, mu } = Lame::solid(material[0], material[1]);
        let hessians = [
            Stvk::hessian(x, rest, material, 1.0),
            Corotated::hessian(x, rest, material, 1.0),
            NeoHookean::hessian(x, rest, material, 1.0),
        ];
        for _ in 0..20 {
            let v = [0; 4].map(|_| r.point());
            let f = of_tetrahedron(v, rest);
            let e = [0, 1, 2].map(|i| [0, 1, 2].map(|j| 0.5 * (f[i][j] + f[j][i])));
            let trace = e[0][0] + e[1][1] + e[2][2];
            let squares: f64 = e.iter().flatten().map(|e| e * e).sum();
            let expected = rest[9] * (lambda * trace * trace + 2.0 * mu * squares);
            for hessian in &hessians {
                let mut got = 0.0;
                for a in 0..4 {
                    for b in 0..4 {
                        got += v[a].dot(hessian[a][b] * v[b]);
                    }
                }
                assert!((got - expected).abs() <= 1e-10 * expected, "{got} {expected}");
            }
        }
    }
}

/// A strip pulled along one axis narrows by ν and pulls back with E: plane stress.
#[test]
fn membranes_are_in_plane_stress() {
    let x = [p(0.0, 0.0, 0.0), p(1.0, 0.0, 0.0), p(0.0, 1.0, 0.0)];
    let rest = StvkMembrane::rest(x).unwrap();
    let (young, poisson, t, strain) = (2e5, 0.3, 2e-3, 1e-6);
    let pulled = x.map(|x| p(x.x * (1.0 + strain), x.y * (1.0 - poisson * strain), 0.0));
    let g = StvkMembrane::gradient(pulled, rest, [young, poisson, t]);
    // Half of the stress on the unit edge across the pull.
    let expected = 0.5 * young * t * strain;
    assert!((g[1].x - expected).abs() <= 1e-5 * expected, "{} {expected}", g[1].x);
    assert!(g[2].y.abs() <= 1e-5 * expected, "no force across: {}", g[2].y);
}

#[test]
fn finite_elements_finite_volumes_and_cauchy_agree() {
    let mut r = Numbers(7);
    let mut inverted = 0;
    for _ in 0..1000 {
        let rest_at = tetrahedron(&mut r);
        let x = tetrahedron(&mut r);
        let rest = Stvk::rest(rest_at).unwrap();
        let f = Mat3::of_columns(of_tetrahedron(x, rest));
        inverted += usize::from(f.determinant() < 0.0);
        let material = [1e5, 0.3];
        let Lame { lambda, mu } = Lame::solid(material[0], material[1]);
        let g = (f.transpose() * f - Mat3::IDENTITY) * 0.5;
        let trace = g.0[0][0] + g.0[1][1] + g.0[2][2];
        let stress = f * (g * (2.0 * mu) + Mat3::diagonal(lambda * trace));
        let elements = Stvk::gradient(x, rest, material);
        let volumes = finite_volume::tetrahedron_forces(stress, rest_at);
        let cauchy = finite_volume::cauchy(stress, f);
        let deformed = finite_volume::cauchy_forces(cauchy, x, f.determinant());
        let scale = elements.iter().map(|g| g.norm()).fold(0.0, f64::max);
        for i in 0..4 {
            assert!((elements[i] + volumes[i]).norm() <= 1e-13 * scale);
            assert!((elements[i] + deformed[i]).norm() <= 1e-11 * scale);
        }
    }
    assert!(inverted > 200);

    for _ in 0..500 {
        let flat = triangle(&mut r).map(|x| [x.x, x.y]);
        let rest_at = flat.map(|[x, y]| p(x, y, 0.0));
        let Some(rest) = StvkMembrane::rest(rest_at).filter(|rest| rest[4] > 0.05) else {
            continue;
        };
        // The plane's axes are u = x and v = ±y, as the triangle looks up or down.
        let up = (flat[1][0] - flat[0][0]) * (flat[2][1] - flat[0][1])
            > (flat[1][1] - flat[0][1]) * (flat[2][0] - flat[0][0]);
        let flat = flat.map(|[x, y]| [x, if up { y } else { -y }]);
        let x = [0; 3].map(|_| r.point());
        let [a, b] = of_triangle(x, rest);
        let (young, poisson, t) = (1e5, 0.3, 1e-3);
        let Lame { lambda, mu } = Lame::sheet(young, poisson);
        let g = [0.5 * (a.norm2() - 1.0), 0.5 * a.dot(b), 0.5 * (b.norm2() - 1.0)];
        let trace = lambda * (g[0] + g[2]);
        let stress = [
            a * (2.0 * mu * g[0] + trace) + b * (2.0 * mu * g[1]),
            a * (2.0 * mu * g[1]) + b * (2.0 * mu * g[2] + trace),
        ];
        let elements = StvkMembrane::gradient(x, rest, [young, poisson, t]);
        let volumes = finite_volume::triangle_forces(stress, t, flat);
        let scale = elements.iter().map(|g| g.norm()).fold(0.0, f64::max);
        for (a, b) in elements.into_iter().zip(volumes) {
            assert!((a + b).norm() <= 1e-13 * scale, "{a:?} {b:?}");
        }
    }
}

/// A box of `n³` cells of six tetrahedra each, one meter wide, of a law.
fn cube(law: &str, n: u32, material: &[f64]) -> Model {
    let mut model = Model::new();
    model.set_gravity(Vec3::ZERO).unwrap();
    let count = (n + 1) * (n + 1) * (n + 1);
    let at = |i: u32, j: u32, k: u32| (i * (n + 1) + j) * (n + 1) + k;
    for i in 0..=n {
        for j in 0..=n {
            for k in 0..=n {
                let x = p(f64::from(i), f64::from(j), f64::from(k)) * (1.0 / f64::from(n));
                model.add_particle(x, 1000.0 / f64::from(count)).unwrap();
            }
        }
    }
    let law = laws::find(law).unwrap();
    let paths = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    for i in 0..n {
        for j in 0..n {
            for k in 0..n {
                for path in paths {
                    let mut corner = [i, j, k];
                    let mut corners = vec![at(i, j, k)];
                    for axis in path {
                        corner[axis] += 1;
                        corners.push(at(corner[0], corner[1], corner[2]));
                    }
                    model.add_element(law, &corners, None, material).unwrap();
                }
            }
        }
    }
    model
}

/// How far the edges between all particles are from their rest lengths, at most.
fn misshapen(model: &Model, x: &[Vec3]) -> f64 {
    let mut worst: f64 = 0.0;
    for i in 0..x.len() {
        for j in 0..i {
            let rest = (model.rest()[i] - model.rest()[j]).norm();
            worst = worst.max(((x[i] - x[j]).norm() - rest).abs());
        }
    }
    worst
}

#[test]
fn crushed_cubes_return_to_their_shape() {
    let mut r = Numbers(8);
    for crush in 0..4 {
        let model = cube("neo-hookean", 2, &[1e5, 0.4]);
        let mut state = State::at_rest(&model);
        for x in &mut state.positions {
            *x = match crush {
                0 => p(x.x, 0.0, x.z) + r.point() * 1e-3,
                1 => p(x.x, -x.y, x.z),
                2 => r.point(),
                _ => r.point() * 1e-3,
            };
        }
        let mut simulation =
            simulation(model, method("newton", &[("iterations", "200")]), 0.02, state);
        let mut settled = 0;
        assert!(simulation.report().inverted > 0, "crush {crush} inverts");
        for _ in 0..200 {
            let report = simulation.step().unwrap();
            settled += usize::from(report.solve.unwrap().end.is_settled());
        }
        assert!(settled >= 190, "{settled} of 200 solves settled");
        let off = misshapen(simulation.model(), &simulation.state().positions);
        // What is left is the spin that backward Euler made of it.
        assert!(off < 1e-2, "crush {crush}: off by {off}");
        assert_eq!(simulation.report().inverted, 0);
    }
}

#[test]
fn collapsed_elements_have_finite_forces() {
    let mut r = Numbers(9);
    let rest_at = tetrahedron(&mut r);
    let rest = Stvk::rest(rest_at).unwrap();
    let material = [1e5, 0.3];
    let point = [r.point(); 4];
    let line = rest_at.map(|x| p(x.x, 0.0, 0.0));
    let plane = rest_at.map(|x| p(x.x, x.y, 0.0));
    let mirror = rest_at.map(|x| p(x.x, x.y, -x.z));
    let inside_out = rest_at.map(|x| -x);
    for x in [point, line, plane, mirror, inside_out] {
        for keep in [1.0, 0.0] {
            let views = [
                (Stvk::gradient(x, rest, material), Stvk::hessian(x, rest, material, keep)),
                (
                    Corotated::gradient(x, rest, material),
                    Corotated::hessian(x, rest, material, keep),
                ),
                (
                    NeoHookean::gradient(x, rest, material),
                    NeoHookean::hessian(x, rest, material, keep),
                ),
            ];
            for (gradient, hessian) in views {
                assert!(gradient.iter().all(|g| g.is_finite()), "{gradient:?}");
                let entries = hessian.iter().flatten().flat_map(|block| block.0).flatten();
                assert!(entries.into_iter().all(f64::is_finite), "{hessian:?}");
            }
        }
        for inverted in
            [Stvk::inverted(x, rest), Corotated::inverted(x, rest), NeoHookean::inverted(x, rest)]
        {
            assert!(inverted);
        }
    }
    assert!(!Stvk::inverted(rest_at, rest));
}

/// Newton and quasi-Newton find the same equilibrium; symplectic Euler with drag settles there.
#[test]
fn methods_agree_on_the_equilibrium() {
    for law in solids() {
        let model = || {
            let mut model = cube(law, 2, &[1e6, 0.3]);
            model.set_gravity(p(0.0, -9.81, 0.0)).unwrap();
            for i in 0..9 {
                model.pin_at_rest(i).unwrap();
            }
            let drag = hooke::dampers::find("drag").unwrap();
            for i in 0..model.particles() as u32 {
                model.add_damper(drag, &[i], None, &[400.0]).unwrap();
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
        let explicit = settle("symplectic-euler", &[], 1e-3, 8_000);
        assert!(newton[26].y < 0.999, "{law} sags: {:?}", newton[26]);
        assert!(apart(&newton, &quasi) < 1e-8, "{law}: {:e}", apart(&newton, &quasi));
        assert!(apart(&newton, &explicit) < 1e-6, "{law}: {:e}", apart(&newton, &explicit));
    }
}

/// A sheet of 5 × 5 vertices that hangs in its plane from its upper row.
fn sheet(laws: &[(&str, &[f64])]) -> Model {
    let mut model = Model::new();
    let grid = hooke::Grid {
        mass: 0.2,
        structural: None,
        shear: None,
        bend: None,
        diagonals: hooke::model::Diagonals::Alternating,
        ..hooke::Grid::square(5)
    };
    grid.add_to(&mut model).unwrap();
    for triangle in model.triangles().to_vec() {
        for (law, material) in laws {
            model.add_element(laws::find(law).unwrap(), &triangle, None, material).unwrap();
        }
    }
    for i in 0..5 {
        model.pin_at_rest(i).unwrap();
    }
    model
}

/// A closed surface of springs under pressure.
fn balloon() -> Model {
    let mut model = Model::new();
    model.set_gravity(Vec3::ZERO).unwrap();
    for axis in Vec3::AXES {
        for x in [axis, -axis] {
            model.add_particle(x + p(0.0, 0.0, 3.0), 0.1).unwrap();
        }
    }
    let pressure = laws::find("pressure").unwrap();
    for (x, y, z) in [(0, 2, 4), (2, 1, 4), (1, 3, 4), (3, 0, 4)] {
        for (a, b, c) in [(x, y, z), (y, x, 5)] {
            model.add_element(pressure, &[a, b, c], None, &[30.0]).unwrap();
            model.add_triangle([a, b, c]).unwrap();
        }
    }
    for i in 0..6 {
        for j in 0..i {
            model.add_spring(i, j, 100.0, None).unwrap();
        }
    }
    // Three pins, so that it cannot turn.
    for i in [0, 2, 4] {
        model.pin_at_rest(i).unwrap();
    }
    model
}

#[test]
fn methods_agree_on_sheets_and_balloons() {
    let stretch: (&str, &[f64]) = ("baraff-witkin-stretch", &[1e4, 1.0, 1.0]);
    let build: [(&str, Box<dyn Fn() -> Model>); 3] = [
        ("membrane", Box::new(|| sheet(&[("stvk-membrane", &[3e4, 0.3, 1e-3])]))),
        ("conditions", Box::new(move || sheet(&[stretch, ("baraff-witkin-shear", &[1e4])]))),
        ("balloon", Box::new(balloon)),
    ];
    for (name, build) in build {
        let settle = |name: &str, settings: &[(&str, &str)], h: f64, steps: usize| {
            let mut model = build();
            let drag = hooke::dampers::find("drag").unwrap();
            for i in 0..model.particles() as u32 {
                let rate = 12.0 * model.masses()[i as usize];
                model.add_damper(drag, &[i], None, &[rate]).unwrap();
            }
            let state = State::at_rest(&model);
            let mut simulation = simulation(model, method(name, settings), h, state);
            run(&mut simulation, steps);
            simulation.state().positions.clone()
        };
        let tight = [("tolerance", "1e-12"), ("iterations", "5000")];
        let newton = settle("newton", &tight, 0.1, 100);
        let quasi = settle("quasi-newton", &tight, 0.1, 100);
        let explicit = settle("symplectic-euler", &[], 2e-4, 50_000);
        let moved = apart(&newton, build().rest());
        assert!(moved > 1e-3 && moved < 0.5, "{name} moved by {moved}");
        assert!(apart(&newton, &quasi) < 1e-7, "{name}: {:e}", apart(&newton, &quasi));
        assert!(apart(&newton, &explicit) < 1e-6, "{name}: {:e}", apart(&newton, &explicit));
    }
}

/// The limit said before a run holds: explicit steps just below it keep the energy.
#[test]
fn the_stability_limit_holds_for_solids() {
    for law in solids() {
        for poisson in [0.0, 0.3, 0.45] {
            let model = cube(law, 3, &[1e6, poisson]);
            let said = hooke::stability::Stability::of(&model, 0.0, 1e-3).omega;
            let control = hooke::Control::new(&model);
            let pool = hooke::ThreadPool::new(1);
            let x = model.rest();
            let found = hooke::stability::highest_frequency(&model, &control, x, &pool);
            assert!(said >= found && said < 3.0 * found, "{law} {poisson}: {said} {found}");
        }
    }
}

/// A closed surface: pressure pushes outwards, wherever the origin is, and its work is p ΔV.
#[test]
fn pressure_does_not_see_the_origin() {
    // A tetrahedron, corners counter-clockwise from outside.
    let x = [p(0.0, 0.0, 0.0), p(1.0, 0.0, 0.1), p(0.1, 1.0, 0.0), p(0.0, 0.2, 1.0)];
    let faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    let volume = |x: &[Vec3]| (x[1] - x[0]).cross(x[2] - x[0]).dot(x[3] - x[0]) / 6.0;
    let energy = |x: &[Vec3]| -> f64 {
        faces.iter().map(|face| Pressure::energy(face.map(|i| x[i]), [], [100.0])).sum()
    };
    let forces = |x: &[Vec3]| {
        let mut out = [Vec3::ZERO; 4];
        for face in faces {
            let g = Pressure::gradient(face.map(|i| x[i]), [], [100.0]);
            for (i, g) in face.into_iter().zip(g) {
                out[i] -= g;
            }
        }
        out
    };
    let far = x.map(|x| x + p(7.0, -3.0, 11.0));
    assert!((energy(&x) + 100.0 * volume(&x)).abs() < 1e-12);
    assert!((energy(&far) - energy(&x)).abs() < 1e-9);
    let (near_forces, far_forces) = (forces(&x), forces(&far));
    let center = (x[0] + x[1] + x[2] + x[3]) * 0.25;
    let (mut sum, mut torque) = (Vec3::ZERO, Vec3::ZERO);
    for i in 0..4 {
        assert!((near_forces[i] - far_forces[i]).norm() < 1e-10);
        assert!(near_forces[i].dot(x[i] - center) > 0.0, "outwards");
        sum += near_forces[i];
        torque += x[i].cross(near_forces[i]);
    }
    assert!(sum.norm() < 1e-12 && torque.norm() < 1e-12);
}

#[test]
fn flat_elements_are_refused() {
    let mut model = Model::new();
    for x in [p(0.0, 0.0, 0.0), p(1.0, 0.0, 0.0), p(0.0, 1.0, 0.0), p(0.3, 0.3, 0.0)] {
        model.add_particle(x, 1.0).unwrap();
    }
    for law in solids() {
        let law = laws::find(law).unwrap();
        let error = model.add_element(law, &[0, 1, 2, 3], None, &[1e5, 0.3]).unwrap_err();
        assert!(error.to_string().contains("is degenerate at rest"), "{error}");
        let error = model.add_element(law, &[0, 1, 2, 3], None, &[1e5, 0.5]).unwrap_err();
        assert!(
            error.to_string().contains("degenerate") || error.to_string().contains("poisson"),
            "{error}"
        );
        let error = model.add_element(law, &[0, 1, 2, 3], Some(&[0.0; 10]), &[1e5, 0.3]);
        assert!(error.unwrap_err().to_string().contains("the volume must be > 0"));
    }
}
