//! The same bits for any number of threads, and the digest that shows it.

use crate::common::*;
use hooke::{Kernels, Simulation, State};

/// A cloth large enough that loops are cut into several chunks, with dashpots, wind and damped
/// folds.
fn busy_cloth() -> hooke::Model {
    let mut model = hooke::Model::new();
    let damped = hooke::model::SpringFamily {
        stiffness: hooke::model::Stiffness::PerLength(300.0),
        damping: hooke::model::SpringDamping::PerVelocity(0.02),
    };
    let grid = hooke::Grid { structural: Some(damped), ..hooke::Grid::square(40) }
        .add_to(&mut model)
        .unwrap();
    model.pin_at_rest(grid.at(0, 0)).unwrap();
    model.pin_at_rest(grid.at(39, 0)).unwrap();
    let wind = hooke::dampers::find("wind").unwrap();
    for triangle in model.triangles().to_vec() {
        model.add_damper(wind, &triangle, None, &[1.0, 0.1]).unwrap();
    }
    let bending = hooke::dampers::find("bending-damper").unwrap();
    for hinge in hooke::model::surface::hinges(model.triangles()).unwrap() {
        model.add_damper(bending, &hinge, None, &[1e-6]).unwrap();
    }
    model
        .set_air(hooke::model::Air {
            mean: hooke::model::Motion::still(p(0.5, 0.0, 2.0)),
            gust: Some(hooke::model::Gust { strength: 1.0, length: 0.3, period: 0.5, seed: 9 }),
        })
        .unwrap();
    model
}

fn bits(state: &State) -> Vec<u64> {
    let points = state.positions.iter().chain(&state.velocities);
    points.flat_map(|point| point.to_array().map(f64::to_bits)).collect()
}

#[test]
fn same_bits_for_1_2_4_and_8_threads() {
    let mut runs: Vec<(&str, Vec<(&str, &str)>, Kernels)> =
        names().map(|name| (name, Vec::new(), Kernels::Native)).collect();
    runs.push(("newton", vec![("solver", "pcg-jacobi")], Kernels::Native));
    runs.push(("newton", vec![("solver", "pcg-incomplete")], Kernels::Native));
    runs.push(("quasi-newton", vec![("precision", "interactive")], Kernels::Native));
    runs.push(("vbd", vec![("accelerator", "chebyshev")], Kernels::Native));
    runs.push(("vbd", Vec::new(), Kernels::Portable));
    for accelerator in ["chebyshev", "anderson", "l-bfgs"] {
        runs.push(("quasi-newton", vec![("accelerator", accelerator)], Kernels::Native));
    }
    runs.push(("newton", Vec::new(), Kernels::Portable));
    runs.push(("quasi-newton", Vec::new(), Kernels::Portable));
    for (name, settings, kernels) in runs {
        let run_on = |threads: usize| {
            let mut simulation = Simulation::with_substeps(
                busy_cloth(),
                method(name, &settings),
                1e-3,
                hooke::Substeps::Fixed(1),
            )
            .unwrap();
            simulation.set_threads(threads);
            simulation.set_kernels(kernels);
            run(&mut simulation, 3);
            let report = simulation.report();
            let sums = [report.energy.total(), report.work.damping, report.numerical];
            (bits(simulation.state()), sums.map(f64::to_bits))
        };
        let alone = run_on(1);
        for threads in [2, 4, 8] {
            assert!(run_on(threads) == alone, "{name} {settings:?} on {threads} threads");
        }
    }
}

/// 64-bit FNV-1a, as its authors define it.
fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf29ce484222325, |hash: u64, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100000001b3)
    })
}

#[test]
fn the_digest_is_fnv_over_all_bits() {
    // From the test suite of the authors of FNV.
    assert_eq!(fnv(b""), 0xcbf29ce484222325);
    assert_eq!(fnv(b"a"), 0xaf63dc4c8601ec8c);
    assert_eq!(fnv(b"foobar"), 0x85944171f73967e8);

    let state = State {
        step: 258,
        time: 4.3,
        positions: vec![p(1.0, -2.5, 1e-300), p(0.0, -0.0, 3.0)],
        velocities: vec![p(0.1, 0.2, 0.3), p(-1e9, 5e-324, 7.0)],
        joints: vec![hooke::math::Quat { w: 0.8, v: p(0.0, 0.6, -0.0) }],
        ..State::default()
    };
    let mut bytes = 258u64.to_le_bytes().to_vec();
    for point in state.positions.iter().chain(&state.velocities) {
        for value in [point.x, point.y, point.z] {
            bytes.extend(value.to_le_bytes());
        }
    }
    for value in [0.8, 0.0, 0.6, -0.0] {
        bytes.extend(f64::to_le_bytes(value));
    }
    assert_eq!(state.digest(), fnv(&bytes));

    let changes: [fn(&mut State); 5] = [
        |state| state.joints[0].v.z = 0.0,
        |state| state.step = 259,
        |state| state.positions[1].y = 0.0,
        |state| state.velocities[1].z = 7.000000000000001,
        |state| state.positions.swap(0, 1),
    ];
    for change in changes {
        let mut other = state.clone();
        change(&mut other);
        assert_ne!(other.digest(), state.digest());
    }
}
