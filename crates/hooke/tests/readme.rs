//! The numbers in the README are those of the engine.
#![allow(clippy::unwrap_used, missing_docs)]

use hooke::{Model, Simulation, Substeps, Vec3};

#[test]
fn the_table_of_one_spring_under_every_method() {
    let readme = concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md");
    let readme = std::fs::read_to_string(readme).unwrap();
    let mut missing = Vec::new();
    for method in hooke::methods::METHODS {
        let mut model = Model::new();
        model.set_gravity(Vec3::ZERO).unwrap();
        model.add_particle(Vec3::ZERO, 1.0).unwrap();
        model.add_particle(Vec3::new(11.0, 0.0, 0.0), 1.0).unwrap();
        model.add_spring(0, 1, 100.0, Some(10.0)).unwrap();
        model.pin_at_rest(0).unwrap();
        let built = (method.build)(&[]).unwrap();
        let mut simulation =
            Simulation::with_substeps(model, built, 0.02, Substeps::Fixed(1)).unwrap();
        let start = simulation.report().energy.total();
        for _ in 0..100 {
            simulation.step().unwrap();
        }
        let ratio = simulation.report().energy.total() / start;
        let row = format!("| {} | {} | {ratio:.4} |", method.name, method.order);
        if !readme.contains(&row) {
            missing.push(row);
        }
    }
    assert!(missing.is_empty(), "the README must say\n{}", missing.join("\n"));
}
