//! Dampers of rates: the forces of their papers written out, what they leave alone, and what they do to runs.

use crate::common::*;
use hooke::dampers::{
    self, BendingDamper, DamperInfo, Frozen, RateDamper, ShearDamper, StretchDamper,
};
use hooke::laws::{self, BaraffWitkinShear, BaraffWitkinStretch, Law};
use hooke::model::surface;
use hooke::{Model, State, Vec3};

/// Corners whose triangles on the first edge have an area.
fn corners<const N: usize>(r: &mut Numbers) -> [Vec3; N] {
    loop {
        let x = [0; N].map(|_| r.point());
        if (2..N).all(|i| (x[1] - x[0]).cross(x[i] - x[0]).norm() > 0.2) {
            return x;
        }
    }
}

fn bending() -> DamperInfo {
    dampers::rate_info::<BendingDamper, 4, 5, 1, 1>()
}

/// The forces of a damper by one explicit step.
fn forces<const N: usize>(
    kind: &DamperInfo,
    k: f64,
    rest_at: [Vec3; N],
    x: [Vec3; N],
    v: [Vec3; N],
) -> [Vec3; N] {
    let mut model = Model::new();
    model.set_gravity(Vec3::ZERO).unwrap();
    for x in rest_at {
        model.add_particle(x, 1.0).unwrap();
    }
    let all: Vec<u32> = (0..N as u32).collect();
    model.add_damper(kind, &all, None, &[k]).unwrap();
    let mut state = State::at_rest(&model);
    (state.positions, state.velocities) = (x.to_vec(), v.to_vec());
    let h = 1e-3;
    let mut simulation = simulation(model, method("symplectic-euler", &[]), h, state);
    run(&mut simulation, 1);
    std::array::from_fn(|i| (simulation.state().velocities[i] - v[i]) * (1.0 / h))
}

/// `F_i = −k |E| (Σ u_j·v_j) u_i` as Bridson, Marino & Fedkiw print it.
#[test]
fn bending_dampers_follow_the_paper() {
    let mut r = Numbers(21);
    for _ in 0..200 {
        let (rest_at, x) = (corners::<4>(&mut r), corners::<4>(&mut r));
        let v = [0; 4].map(|_| r.point());
        let [x3, x4, x1, x2] = x;
        let e = x4 - x3;
        let n1 = (x1 - x3).cross(x1 - x4);
        let n2 = (x2 - x4).cross(x2 - x3);
        let (m1, m2) = (n1 * (1.0 / n1.norm2()), n2 * (1.0 / n2.norm2()));
        let along = |x: Vec3| x.dot(e) / e.norm();
        let u = [
            m1 * along(x1 - x4) + m2 * along(x2 - x4),
            -(m1 * along(x1 - x3)) - m2 * along(x2 - x3),
            m1 * e.norm(),
            m2 * e.norm(),
        ];
        let rate: f64 = u.iter().zip(v).map(|(u, v)| u.dot(v)).sum();
        let size: f64 = u.iter().map(|u| u.norm()).sum();
        let got = forces(&bending(), 0.3, rest_at, x, v);
        for (got, u) in got.into_iter().zip(u) {
            let expected = u * (-0.3 * e.norm() * rate);
            assert!((got - expected).norm() <= 1e-10 * (1.0 + size * size), "{got:?} {expected:?}");
        }
    }
}

/// `f = −k Ċ ∂C/∂x`, with the conditions of the laws and their change by differences.
#[test]
fn condition_dampers_follow_the_paper() {
    let mut r = Numbers(22);
    for _ in 0..200 {
        let (rest_at, x) = (corners::<3>(&mut r), corners::<3>(&mut r));
        let v = [0; 3].map(|_| r.point());
        let rest = BaraffWitkinStretch::rest(rest_at).unwrap();
        let rows = |x: [Vec3; 3], shear: bool| {
            let mut rows = Vec::new();
            match shear {
                true => BaraffWitkinShear::rows(x, rest, [1.0], &mut |row| rows.push(row)),
                false => {
                    BaraffWitkinStretch::rows(x, rest, [1.0, 1.0, 1.0], &mut |row| rows.push(row))
                }
            }
            rows
        };
        let stretch = dampers::rate_info::<StretchDamper, 3, 5, 1, 2>();
        let shear = dampers::rate_info::<ShearDamper, 3, 5, 1, 1>();
        for (kind, is_shear) in [(stretch, false), (shear, true)] {
            let e = 1e-6;
            let moved = |s: f64| rows(std::array::from_fn(|i| x[i] + v[i] * s), is_shear);
            let (ahead, behind) = (moved(e), moved(-e));
            let mut expected = [Vec3::ZERO; 3];
            for (k, row) in rows(x, is_shear).into_iter().enumerate() {
                let rate = (ahead[k].value - behind[k].value) / (2.0 * e);
                for (force, gradient) in expected.iter_mut().zip(row.gradient) {
                    *force -= gradient * (0.4 * rate);
                }
            }
            let size: f64 = expected.iter().map(|force| force.norm()).sum();
            for (got, expected) in forces(&kind, 0.4, rest_at, x, v).into_iter().zip(expected) {
                assert!((got - expected).norm() <= 1e-6 * (1.0 + size), "{got:?} {expected:?}");
            }
        }
    }
}

fn check<D: RateDamper<N, R, 1, K>, const N: usize, const R: usize, const K: usize>() {
    let mut r = Numbers(23);
    for _ in 0..300 {
        let (rest_at, x) = (corners::<N>(&mut r), corners::<N>(&mut r));
        let rest = D::rest(rest_at).unwrap();
        let (c, slopes) = D::freeze(x, rest, [0.7]);
        let frozen =
            slopes.map(|slopes| Frozen::rate(std::array::from_fn(|i| i as u32), slopes, c));
        let v = [0; N].map(|_| r.point());
        let d: f64 = frozen.iter().map(|frozen| frozen.potential(|i| v[i])).sum();
        let power: f64 = frozen.iter().map(|frozen| frozen.power(|i| v[i])).sum();
        assert!(d >= 0.0 && (power + 2.0 * d).abs() <= 1e-12 * (1.0 + d), "{}", D::NAME);
        // The force is the slope of the potential, and the blocks are its slope.
        for frozen in &frozen {
            let (g, e) = (frozen.gradient(|i| v[i], 1.0), 1e-3);
            for a in 0..N {
                for axis in 0..3 {
                    let moved = |s: f64| {
                        let mut v = v;
                        v[a][axis] += s;
                        v
                    };
                    let (up, down) = (moved(e), moved(-e));
                    let slope = frozen.potential(|i| up[i]) - frozen.potential(|i| down[i]);
                    let size = 1.0 + g.iter().map(|g| g.norm()).sum::<f64>();
                    assert!((slope / (2.0 * e) - g[a][axis]).abs() <= 1e-8 * size);
                }
                let mut sum = Vec3::ZERO;
                for (b, &v) in v.iter().enumerate() {
                    sum += frozen.block(a, b, 1.0) * v;
                }
                assert!((sum - g[a]).norm() <= 1e-10 * (1.0 + g[a].norm()));
            }
        }
        // Rigid motions feel nothing.
        let (shift, spin) = (r.point(), r.point());
        let rigid = x.map(|x| shift + spin.cross(x));
        for frozen in &frozen {
            let scale: f64 = (0..N).map(|a| frozen.block(a, a, 1.0).0[0][0].abs()).sum();
            for g in frozen.gradient(|i| rigid[i], 1.0) {
                assert!(g.norm() <= 1e-10 * (1.0 + scale), "{}: {g:?}", D::NAME);
            }
        }
        // A bound holds everywhere, the estimate of a triangle at rest; of hinges only flat ones.
        let (c, slopes) = match D::BOUND {
            laws::Proxy::Bound => (c, slopes),
            laws::Proxy::Estimate if N == 3 => D::freeze(rest_at, rest, [0.7]),
            laws::Proxy::Estimate => continue,
        };
        let mut bound = 0.0;
        D::bounds(rest, [0.7], &mut |w, c| {
            let mut sum = Vec3::ZERO;
            for (v, w) in v.iter().zip(w) {
                sum += *v * w;
            }
            bound += 0.5 * c * sum.norm2();
        });
        let mut d = 0.0;
        for slopes in slopes {
            let rate: f64 = slopes.iter().zip(v).map(|(slope, v)| slope.dot(v)).sum();
            d += 0.5 * c * rate * rate;
        }
        assert!(d <= bound * (1.0 + 1e-12), "{}: {d} {bound}", D::NAME);
    }
}

#[test]
fn rate_dampers_only_take_and_leave_rigid_motions_alone() {
    check::<BendingDamper, 4, 5, 1>();
    check::<StretchDamper, 3, 5, 2>();
    check::<ShearDamper, 3, 5, 1>();
}

/// On a flat hinge moving along its normal the bound is D itself.
#[test]
fn the_bound_of_a_flat_hinge_is_tight() {
    let x = [p(0.0, 0.0, 0.0), p(1.2, 0.0, 0.0), p(0.4, 0.9, 0.0), p(0.7, -0.8, 0.0)];
    let rest = BendingDamper::rest(x).unwrap();
    let (c, [slopes]) = BendingDamper::freeze(x, rest, [0.5]);
    BendingDamper::bounds(rest, [0.5], &mut |w, bound| {
        assert!((bound - c).abs() <= 1e-15);
        for (w, slope) in w.into_iter().zip(slopes) {
            assert!((w.abs() - slope.norm()).abs() <= 1e-13, "{w} {slope:?}");
        }
    });
}

/// A crease in the middle of a small free sheet, with what resists and what damps.
fn sheet(damping: [f64; 2]) -> (Model, State) {
    let mut model = Model::new();
    model.set_gravity(Vec3::ZERO).unwrap();
    let grid = hooke::Grid { structural: None, shear: None, bend: None, ..hooke::Grid::square(4) };
    grid.add_to(&mut model).unwrap();
    let [membrane, bend] = ["stvk-membrane", "dihedral"].map(|name| laws::find(name).unwrap());
    for triangle in model.triangles().to_vec() {
        model.add_element(membrane, &triangle, None, &[2e3, 0.3, 1e-2]).unwrap();
        if damping[0] > 0.0 {
            for (name, k) in [("stretch-damper", damping[0]), ("shear-damper", 0.5 * damping[0])] {
                model.add_damper(dampers::find(name).unwrap(), &triangle, None, &[k]).unwrap();
            }
        }
    }
    for hinge in surface::hinges(model.triangles()).unwrap() {
        model.add_element(bend, &hinge, None, &[2e-3]).unwrap();
        if damping[1] > 0.0 {
            model.add_damper(&bending(), &hinge, None, &[damping[1]]).unwrap();
        }
    }
    let mut state = State::at_rest(&model);
    let mut r = Numbers(24);
    for (x, v) in state.positions.iter_mut().zip(&mut state.velocities) {
        *x += r.point() * 0.02;
        *v = p(0.3, 0.0, 0.0) + p(0.0, 0.5, 0.0).cross(*x) + r.point() * 0.2;
    }
    (model, state)
}

#[test]
fn damped_sheets_lose_energy_under_every_method_and_go_on_as_a_whole() {
    // Methods of no order take every row as rigid: what is left of the energy says little.
    let rigid = |name: &&str| hooke::methods::find(name).unwrap().order == 0;
    for name in names().filter(|name| !rigid(name)) {
        let finish = |damping: [f64; 2]| {
            let (model, state) = sheet(damping);
            let mut simulation = simulation(model, method(name, &[]), 5e-4, state);
            let before = simulation.report().momentum;
            let mut lost = 0.0;
            for _ in 0..400 {
                let work = simulation.step().unwrap().work.damping;
                assert!(work <= 1e-15, "{name}: {work}");
                lost += work;
            }
            let report = simulation.report();
            assert!((report.momentum - before).norm() <= 1e-6 * before.norm(), "{name}");
            (report.energy.total(), lost)
        };
        let (free, none) = finish([0.0, 0.0]);
        assert_eq!(none, 0.0);
        for damping in [[5.0, 0.0], [0.0, 1e-4]] {
            let (damped, lost) = finish(damping);
            assert!(lost < -1e-4, "{name}: {lost}");
            assert!(damped < free, "{name}: {damped} {free}");
        }
    }
}

/// Second-order methods that freeze the geometry at the start of a step keep the first; all others
/// keep theirs.
#[test]
fn damping_of_rates_keeps_the_order() {
    let run_with = |name: &str, steps: u32| {
        let (model, state) = sheet([5.0, 1e-4]);
        let mut simulation = simulation(model, exact(name), 0.1 / f64::from(steps), state);
        run(&mut simulation, steps as usize);
        simulation.state().positions.clone()
    };
    let fine = run_with("rk4", 6400);
    for (name, order) in [
        ("forward-euler", 1.0),
        ("symplectic-euler", 1.0),
        ("newton", 1.0),
        ("quasi-newton", 1.0),
        ("implicit-midpoint", 1.0),
        ("bdf2", 1.0),
        ("rk4", 4.0),
    ] {
        let coarse = if order == 4.0 { 200 } else { 800 };
        let errors = [coarse, 2 * coarse].map(|steps| apart(&run_with(name, steps), &fine));
        let slope = (errors[0] / errors[1]).log2();
        assert!(slope > order - 0.15 * order, "{name}: slope {slope} {errors:?}");
    }
}

#[test]
fn bad_rate_dampers_are_refused() {
    let mut model = Model::new();
    for x in [p(0.0, 0.0, 0.0), p(1.0, 0.0, 0.0), p(2.0, 0.0, 0.0), p(0.0, 1.0, 0.0)] {
        model.add_particle(x, 1.0).unwrap();
    }
    let mut add = |kind: &str, corners: &[u32], rest: Option<&[f64]>, k: f64| {
        model.add_damper(dampers::find(kind).unwrap(), corners, rest, &[k]).unwrap_err().to_string()
    };
    assert_eq!(
        add("bending-damper", &[0, 1, 2, 3], None, 1.0),
        "the bending-damper between particles [0, 1, 2, 3] is degenerate at rest"
    );
    assert_eq!(
        add("bending-damper", &[0, 1, 2, 3], Some(&[0.0, 1.0, 1.0, 1.0, 1.0]), 1.0),
        "bending-damper: the first rest value, the length of the edge, must be > 0"
    );
    assert_eq!(
        add("stretch-damper", &[0, 1, 2], None, 1.0),
        "the stretch-damper between particles [0, 1, 2] is degenerate at rest"
    );
    assert_eq!(
        add("shear-damper", &[0, 1, 3], None, -1.0),
        "damping of a shear-damper must be from 0e0 to 1e15 N·s/m³ (got -1)"
    );
}
