//! The kernels whose instructions are counted.

use crate::run;
use crate::scene::Scene;
use hooke::{Simulation, Substeps};
use std::error::Error;

/// Runs a kernel by its name on one thread: set-up and first step, or a step in steady state.
pub(crate) fn count(kernel: &str) -> Result<(), Box<dyn Error>> {
    let frame = 1.0 / 30.0;
    let (n, h, method, settings): (_, _, _, &[&str]) = match kernel {
        "set-up" => (47, frame, "quasi-newton", &["iterations=0", "tolerance=0"]),
        "quasi-newton" => (47, frame, "quasi-newton", &["iterations=10", "tolerance=0"]),
        "newton" => (20, frame, "newton", &["iterations=1", "tolerance=0"]),
        "explicit" => (47, 1e-4, "symplectic-euler", &[]),
        _ => return Err("there is no such kernel".into()),
    };
    let scene = Scene::cloth(n, h)?;
    let method = run::method(method, settings)?;
    let model = scene.model()?;
    if kernel == "set-up" {
        return counted(|| {
            let mut simulation = Simulation::with_substeps(model, method, h, Substeps::Fixed(1))?;
            simulation.step()?;
            Ok(())
        });
    }
    let mut simulation = Simulation::with_substeps(model, method, h, Substeps::Fixed(1))?;
    simulation.set_state(scene.state())?;
    simulation.step()?;
    counted(|| {
        simulation.step()?;
        Ok(())
    })
}

/// What callgrind counts: it looks for this name.
#[inline(never)]
fn counted<T>(kernel: impl FnOnce() -> T) -> T {
    std::hint::black_box(kernel())
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_kernel_runs() {
        for kernel in ["set-up", "quasi-newton", "newton", "explicit"] {
            super::count(kernel).unwrap();
        }
        assert!(super::count("rope").is_err());
    }
}
