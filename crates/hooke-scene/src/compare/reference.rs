//! What methods are compared with.

use super::refused;
use crate::{NotRunnable, Problems, Scene};
use hooke::{Simulation, Snapshot, State};

/// The smallest relative residual a reference asks for; rounding stops it where that is more.
const TOLERANCE: &str = "1e-12";

/// Into how many parts the finest trajectory cuts a step.
const PARTS: u32 = 32;

/// A scene under a minimising method that solves as far as rounding allows.
pub fn converged(scene: &Scene, method: &str) -> Result<Scene, Problems> {
    let mut tight = scene.clone();
    tight.use_method(method)?;
    tight.set_all([("method.tolerance", TOLERANCE), ("method.iterations", "1000")])?;
    Ok(tight)
}

/// A reference simulation.
pub(super) struct Reference {
    pub(super) name: String,
    pub(super) simulation: Simulation,
    /// The same without an iteration, started where the step starts: gives g there.
    idle: Option<Simulation>,
}

/// A step of a reference.
pub(super) struct Truth {
    /// The moment before the step.
    pub(super) before: Snapshot,
    /// Where it ends.
    pub(super) end: State,
    /// g at the minimum and where the step starts (J), and of what.
    pub(super) g: Option<(f64, f64, &'static str)>,
}

impl Reference {
    /// A minimising method, solved as far as rounding allows.
    pub(super) fn converged(
        scene: &Scene,
        method: &str,
        threads: usize,
    ) -> Result<Self, NotRunnable> {
        let tight = converged(scene, method)?;
        let mut idle = tight.clone();
        idle.set_all([("method.iterations", "0"), ("method.start", "current")])?;
        Ok(Self {
            name: format!("{method}, relative residual below {TOLERANCE}"),
            simulation: tight.simulation(threads)?,
            idle: Some(idle.simulation(threads)?),
        })
    }

    /// Much finer steps of a method of second order, and the same with half as many, whose
    /// difference says how far they may be trusted.
    pub(super) fn refined(scene: &Scene, threads: usize) -> Result<(Self, Self), NotRunnable> {
        let cut = |parts: u32| -> Result<Self, NotRunnable> {
            let mut own = Self::converged(scene, "implicit-midpoint", threads)?;
            own.simulation.set_substeps(hooke::Substeps::Fixed(parts));
            own.name = format!("implicit-midpoint, {parts} parts of a step");
            Ok(own)
        };
        Ok((cut(PARTS)?, cut(PARTS / 2)?))
    }

    /// Takes one step, and tells what a method should find from where it began.
    pub(super) fn step(&mut self) -> Result<Truth, NotRunnable> {
        let before = self.simulation.snapshot();
        let report = self.simulation.step().map_err(refused)?;
        let solve = report.solve;
        let mut g = None;
        if let (Some(idle), Some(solve)) = (&mut self.idle, solve) {
            idle.restore(&before).map_err(|invalid| refused(invalid.0))?;
            let start = idle.step().map_err(refused)?.solve;
            g = start.map(|start| (solve.g, start.g, solve.objective));
        }
        Ok(Truth { before, end: self.simulation.state().clone(), g })
    }
}
