//! `auto` chooses by its table, says so, and steps as what it chose.

use crate::common::{cloth, exact, method, run};
use hooke::methods::Auto;
use hooke::model::{PinEnforcement, SpringFamily};
use hooke::{Grid, Method, Model, Simulation};

fn start(model: Model, method: Box<dyn Method>) -> Simulation {
    Simulation::new(model, method, 1.0 / 60.0).unwrap()
}

/// What is said after a step.
fn chosen(model: Model, tolerance: &str) -> &'static str {
    let mut simulation = start(model, method("auto", &[("tolerance", tolerance)]));
    simulation.step().unwrap().chosen.unwrap()
}

fn rods(n: u32) -> Model {
    let mut model = Model::new();
    let structural = Some(SpringFamily::rods(0.0));
    Grid { structural, shear: None, bend: None, ..Grid::square(n) }.add_to(&mut model).unwrap();
    model.pin_at_rest(0).unwrap();
    model
}

#[test]
fn the_table() {
    assert!(chosen(rods(4), "1e-6").starts_with("constrained, "));
    assert!(chosen(cloth(6), "1e-8").starts_with("newton, "));
    assert!(chosen(cloth(6), "0.1").starts_with("newton, "), "small");
    assert!(chosen(cloth(100), "1e-8").starts_with("newton, "), "tight");
    assert!(chosen(cloth(100), "0.1").starts_with("quasi-newton with anderson, "));
    let mut canceled = cloth(6);
    canceled.set_pin_enforcement(PinEnforcement::Cancellation);
    assert!(chosen(canceled, "0.1").starts_with("newton with pcg-filtered, "));
    assert_eq!(Simulation::new(cloth(6), "newton", 0.01).unwrap().step().unwrap().chosen, None);
    assert!(Auto::choices().any(|sentence| sentence == chosen(cloth(6), "1e-8")));
}

#[test]
fn it_steps_as_what_it_chose() {
    let loose: &[(&str, &str)] =
        &[("tolerance", "0.1"), ("iterations", "400"), ("accelerator", "anderson")];
    let cases: [(fn() -> Model, _, _); 3] = [
        (|| cloth(6), exact("auto"), method("newton", &[("tolerance", "0")])),
        (|| rods(4), method("auto", &[]), method("constrained", &[("tolerance", "1e-4")])),
        (|| cloth(100), method("auto", &[("tolerance", "0.1")]), method("quasi-newton", loose)),
    ];
    for (model, auto, other) in cases {
        let (mut auto, mut other) = (start(model(), auto), start(model(), other));
        run(&mut auto, 5);
        run(&mut other, 5);
        assert_eq!(auto.state().positions, other.state().positions);
    }
}

#[test]
fn an_edit_chooses_anew_and_a_snapshot_of_another_choice_is_no_memory() {
    let mut model = rods(4);
    model.set_material(hooke::model::MaterialId { batch: 0, group: 0 }, &[1e-3]).unwrap();
    let mut simulation = start(model, method("auto", &[]));
    assert!(simulation.step().unwrap().chosen.unwrap().starts_with("newton, "));
    let before = simulation.snapshot();
    simulation
        .model_mut()
        .set_material(hooke::model::MaterialId { batch: 0, group: 0 }, &[0.0])
        .unwrap();
    assert!(simulation.step().unwrap().chosen.unwrap().starts_with("constrained, "));
    let after = simulation.state().positions.clone();
    simulation.restore(&before).unwrap();
    simulation.step().unwrap();
    assert_eq!(simulation.state().positions, after);
}
