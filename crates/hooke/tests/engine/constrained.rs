//! Constrained dynamics: rigid rods keep their length, springs find Newton's minimum, and what does not
//! fit together is said.

use crate::common::*;
use hooke::model::{Motion, SpringDamping, SpringFamily};
use hooke::{End, Model, Point, Rope, Simulation, State, methods};

/// A horizontal rope of `links` rods of `length`, held at its first particle.
fn rope(links: u32, length: f64, compliance: f64) -> Model {
    let mut model = Model::new();
    Rope {
        from: Point::ZERO,
        to: p(length * f64::from(links), 0.0, 0.0),
        links,
        mass: 0.05 * f64::from(links + 1),
        structural: SpringFamily::rods(compliance),
        bend: None,
    }
    .add_to(&mut model)
    .unwrap();
    model.pin_at_rest(0).unwrap();
    model
}

fn strain(simulation: &Simulation) -> f64 {
    simulation.report().strain.map_or(0.0, |strain| strain.value.abs())
}

#[test]
fn a_rope_of_rods_neither_stretches_nor_gains_energy() {
    let mut simulation = Simulation::new(rope(20, 0.05, 0.0), "constrained", 1.0 / 60.0).unwrap();
    let mut energy = simulation.report().energy.total();
    for step in 0..600 {
        let report = simulation.step().unwrap();
        let solve = report.solve.unwrap();
        assert!(solve.end.is_settled(), "step {step}: {solve:?}");
        assert!(report.constraints.redundant.is_empty());
        assert_eq!(report.energy.elastic, 0.0);
        let now = report.energy.total();
        assert!(now <= energy + 1e-9, "step {step}: from {energy} to {now}");
        energy = now;
        assert!(strain(&simulation) < 1e-8, "step {step}: {:e}", strain(&simulation));
    }
}
