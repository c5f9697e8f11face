//! A game loop: fixed steps under a varying frame rate, picking, grabbing, rewinding.

use hooke::methods::QuasiNewtonSettings;
use hooke::{Grid, Model, Simulation, Vec3};

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut model = Model::new();
    let cloth = Grid::square(16).add_to(&mut model)?;
    for column in 0..16 {
        model.pin_at_rest(cloth.at(column, 0))?;
    }
    let mut simulation = Simulation::new(model, QuasiNewtonSettings::default(), 1.0 / 120.0)?;

    // The player points at the middle of the curtain and pulls it toward the camera.
    let eye = Vec3::new(0.0, -0.6, 2.0);
    let pick = simulation.pick(eye, Vec3::new(0.0, 0.0, -1.0), 0.05).ok_or("a hit")?;
    let grab = simulation.grab(pick.particle, 100.0)?;
    let before = simulation.snapshot();

    let mut drawn = Vec::new();
    for frame in 0..60 {
        // Frames take between 10 and 30 ms; a hitch of more than eight steps is dropped.
        let seconds = 0.01 + 0.02 * f64::from(frame % 5) / 4.0;
        simulation.move_grab(&grab, pick.point + Vec3::new(0.0, 0.0, 0.005 * f64::from(frame)))?;
        simulation.advance(seconds, 8)?;
        drawn.push(simulation.interpolated(pick.particle).ok_or("it exists")?);
    }
    println!("pulled out to z = {:.3} m", drawn[59].z);
    assert!(drawn[59].z > 0.15);

    // What is drawn never jumps: it lies between the last two steps.
    assert!(drawn.windows(2).all(|pair| (pair[1] - pair[0]).norm() < 0.1));

    // Rewind, and the same inputs give the same bits.
    let pulled = simulation.state().clone();
    simulation.restore(&before)?;
    for frame in 0..60 {
        let seconds = 0.01 + 0.02 * f64::from(frame % 5) / 4.0;
        simulation.move_grab(&grab, pick.point + Vec3::new(0.0, 0.0, 0.005 * f64::from(frame)))?;
        simulation.advance(seconds, 8)?;
    }
    assert_eq!(*simulation.state(), pulled);
    simulation.release(grab);
    simulation.step()?;
    Ok(())
}
