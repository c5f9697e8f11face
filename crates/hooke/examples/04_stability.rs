//! Explicit steps explode above a limit; Hooke says the limit before, and the reason after.

use hooke::methods::{NewtonSettings, SymplecticEulerSettings};
use hooke::{Grid, Model, Simulation, StabilityLimit, StepError, Substeps};

fn stiff_cloth() -> Result<Model, Box<dyn std::error::Error>> {
    let mut model = Model::new();
    let family = hooke::model::SpringFamily::stiffness(10_000.0);
    let cloth = Grid { structural: Some(family), ..Grid::square(10) }.add_to(&mut model)?;
    model.pin_at_rest(cloth.at(0, 0))?;
    Ok(model)
}

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let h = 0.033;

    // As written: one part per step.
    let settings = SymplecticEulerSettings::default();
    let mut wild =
        Simulation::with_substeps(stiff_cloth()?, settings.clone(), h, Substeps::Fixed(1))?;
    let error = loop {
        if let Err(error) = wild.step() {
            break error;
        }
    };
    println!("{error}");
    assert!(matches!(error, StepError::Diverged(_)));

    // With automatic sub-steps the same method runs.
    let mut tame = Simulation::new(stiff_cloth()?, settings, h)?;
    let (limit, substeps) = tame.stability()?;
    println!("{limit:?}: {substeps} sub-steps");
    let StabilityLimit::Below(limit) = limit else {
        return Err("explicit methods have a limit".into());
    };
    assert!(h / f64::from(substeps) < limit);
    for _ in 0..30 {
        tame.step()?;
    }

    // Backward Euler needs one.
    let mut implicit = Simulation::new(stiff_cloth()?, NewtonSettings::default(), h)?;
    assert_eq!(implicit.stability()?, (StabilityLimit::None, 1));
    for _ in 0..30 {
        implicit.step()?;
    }
    Ok(())
}
