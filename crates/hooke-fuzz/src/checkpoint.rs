//! Checkpoints: an error, or a moment from which finite steps or an error follow.

use crate::checksum::sign;
use hooke::{Model, Simulation, Vec3};
use hooke_scene::recording::Checkpoint;

/// A checkpoint, as it is and with its checksum set right.
pub fn parse_checkpoint(bytes: &[u8]) {
    go_on(bytes);
    let mut mended = bytes.to_vec();
    if let Some(end) = mended.len().checked_sub(4)
        && sign(&mut mended, 0..end).is_some()
    {
        go_on(&mended);
    }
}

/// Restores a moment into small models, whatever it was saved from, and takes two steps.
fn go_on(bytes: &[u8]) {
    let Some(checkpoint) = Checkpoint::decode(bytes) else { return };
    assert!(checkpoint.snapshot.state().first_not_finite().is_none());
    for method in ["bdf2", "newton", "rk4"] {
        let Some(mut simulation) = small(method) else { return };
        if simulation.restore(&checkpoint.snapshot).is_err() {
            continue;
        }
        for _ in 0..2 {
            let stepped = simulation.step().is_ok();
            assert!(simulation.state().first_not_finite().is_none());
            if !stepped {
                break;
            }
        }
    }
}

/// Three particles, a pin and two springs.
fn small(method: &str) -> Option<Simulation> {
    let mut model = Model::new();
    for x in 0..3 {
        model.add_particle(Vec3::new(f64::from(x), 0.0, 0.0), 1.0).ok()?;
    }
    model.pin_at_rest(0).ok()?;
    model.add_spring(0, 1, 100.0, None).ok()?;
    model.add_spring(1, 2, 100.0, None).ok()?;
    Simulation::new(model, method, 0.01).ok()
}
