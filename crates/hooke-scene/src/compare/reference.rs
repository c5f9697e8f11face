//! What methods are compared with.

use super::refused;
use crate::{NotRunnable, Problems, Scene};
use hooke::{Simulation, Snapshot, State};

/// The smallest relative residual a reference asks for; rounding stops it where that is more.
const TOLERANCE: &str = "1e-12";

/// The most iterations of a reference.
const ITERATIONS: &str = "1000";

/// Into how many parts the finest trajectory cuts a step.
const PARTS: u32 = 32;

/// Methods that every other is compared with, and what they minimize: the first that runs the scene. Rigid
/// elements have no energy to minimize; what holds them by constraints is the reference there.
pub(super) const COMMON: [(&str, &str); 2] =
    [("newton", "backward Euler"), ("constrained", "constrained backward Euler")];

/// Methods for the motion in finer steps, the first that runs the scene: of second order, or for rigid
/// elements of first.
const FINE: [&str; 2] = ["implicit-midpoint", "constrained"];

/// A scene under a minimizing method that solves as far as rounding allows.
pub fn converged(scene: &Scene, method: &str) -> Result<Scene, Problems> {
    let mut tight = scene.clone();
    tight.use_method(method)?;
    tight.set_all([("method.tolerance", TOLERANCE), ("method.iterations", ITERATIONS)])?;
    Ok(tight)
}

/// Whether a method has a setting.
pub(super) fn has(method: &str, setting: &str) -> bool {
    let settings = hooke::methods::find(method).map(|info| (info.settings)()).unwrap_or_default();
    settings.iter().any(|own| own.name == setting)
}

/// A reference simulation.
pub(super) struct Reference {
    pub(super) name: String,
    /// What it minimizes.
    pub(super) objective: &'static str,
    pub(super) simulation: Simulation,
    /// The same without an iteration, started where the step starts: gives g there. Not every method can
    /// be started so.
    idle: Option<Simulation>,
}

/// A step of a reference.
pub(super) struct Truth {
    /// The moment before the step.
    pub(super) before: Snapshot,
    /// Where it ends.
    pub(super) end: State,
    /// What is minimized.
    pub(super) objective: &'static str,
    /// g at the minimum and where the step starts (J).
    pub(super) g: Option<[f64; 2]>,
}

impl Reference {
    /// A method that minimizes `objective`, solved as far as rounding allows.
    pub(super) fn converged(
        scene: &Scene,
        (method, objective): (&'static str, &'static str),
        threads: usize,
    ) -> Result<Self, NotRunnable> {
        let tight = converged(scene, method)?;
        let idle = match has(method, "start") {
            true => {
                let mut idle = tight.clone();
                idle.set_all([("method.iterations", "0"), ("method.start", "current")])?;
                Some(idle.simulation(threads)?)
            }
            false => None,
        };
        Ok(Self {
            name: format!("{method}, relative residual below {TOLERANCE}"),
            objective,
            simulation: tight.simulation(threads)?,
            idle,
        })
    }

    /// The reference of all methods that have none of their own.
    pub(super) fn common(scene: &Scene, threads: usize) -> Result<Self, NotRunnable> {
        first_of(&COMMON, |method| Self::converged(scene, method, threads))
    }

    /// Much finer steps, and the same with half as many, whose difference says how far they may be
    /// trusted.
    pub(super) fn refined(scene: &Scene, threads: usize) -> Result<(Self, Self), NotRunnable> {
        let cut = |method: &'static str, parts: u32| -> Result<Self, NotRunnable> {
            let mut own = Self::converged(scene, (method, ""), threads)?;
            own.simulation.set_substeps(hooke::Substeps::Fixed(parts));
            own.name = format!("{method}, {parts} parts of a step");
            Ok(own)
        };
        first_of(&FINE, |method| Ok((cut(method, PARTS)?, cut(method, PARTS / 2)?)))
    }

    /// Takes one step, and tells what a method should find from where it began.
    pub(super) fn step(&mut self, stop: &dyn Fn() -> bool) -> Result<Truth, NotRunnable> {
        let before = self.simulation.snapshot();
        let report = self.simulation.step_unless(stop).map_err(refused)?;
        let solve = report.solve;
        let mut g = None;
        if let (Some(idle), Some(solve)) = (&mut self.idle, solve) {
            idle.restore(&before).map_err(refused)?;
            let start = idle.step().map_err(refused)?.solve;
            g = start.map(|start| [solve.g, start.g]);
        }
        let (end, objective) = (self.simulation.state().clone(), self.objective);
        Ok(Truth { before, end, objective, g })
    }
}

/// What the first method that can makes of the scene, or why the first of all cannot.
fn first_of<M: Copy, T>(
    methods: &[M],
    make: impl Fn(M) -> Result<T, NotRunnable>,
) -> Result<T, NotRunnable> {
    let mut made = methods.iter().map(|method| make(*method));
    let first = made.next().unwrap_or_else(|| Err(refused("there is nothing to compare with")));
    first.or_else(|refusal| made.find_map(Result::ok).ok_or(refusal))
}
