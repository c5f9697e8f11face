//! The same bits for any number of threads.

use crate::common::*;
use hooke::{Simulation, State};

/// A cloth large enough that loops are cut into several chunks, with dashpots and wind.
fn busy_cloth() -> hooke::Model {
    let mut model = hooke::Model::new();
    let damped = hooke::model::SpringFamily {
        stiffness: hooke::model::Stiffness::PerLength(300.0),
        damping: hooke::model::SpringDamping::PerVelocity(0.02),
    };
    let grid = hooke::Grid { structural: Some(damped), ..hooke::Grid::square(40) };
    grid.add_to(&mut model).unwrap();
    model.pin_at_rest(grid.index(0, 0)).unwrap();
    model.pin_at_rest(grid.index(39, 0)).unwrap();
    let wind = hooke::dampers::find("wind").unwrap();
    for triangle in model.triangles().to_vec() {
        model.add_damper(wind, &triangle, None, &[1.0, 0.1]).unwrap();
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
    let mut settings: Vec<(&str, Vec<(&str, &str)>)> =
        names().map(|name| (name, Vec::new())).collect();
    settings.push(("newton", vec![("solver", "pcg-jacobi")]));
    settings.push(("newton", vec![("solver", "pcg-incomplete")]));
    for (name, settings) in settings {
        let run_on = |threads: usize| {
            let mut simulation = Simulation::with_substeps(
                busy_cloth(),
                method(name, &settings),
                1e-3,
                hooke::Substeps::Fixed(1),
            )
            .unwrap();
            simulation.set_threads(threads);
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
