//! Compares methods on one scene with a reference.
//!
//! There are three modes:
//!
//! - [`Mode::Step`]: how well is a step solved? Every method starts each frame from the state of a
//!   converged reference and takes one step. The result is compared with the minimizer of the same
//!   objective. A method with another objective than backward Euler has its own reference.
//! - [`Mode::Run`]: where does that lead? Every method runs by itself and is compared with converged
//!   backward Euler.
//! - [`Mode::Time`]: how far is it from the true motion? Every method runs by itself and is compared
//!   with a trajectory of much finer steps.
//!
//! [`solvers`] compares the solvers of chains over many random targets.

mod chains;
mod entrant;
mod reference;
mod runs;

pub use chains::{Aim, Trial, solvers};
pub use entrant::Entrant;
pub use reference::converged;

use crate::{NotRunnable, Scene, estimate, words};
use hooke::{Contact, End, Energies, StepReport, Work};
use reference::Reference;

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Single steps from the states of the reference.
    Step,
    /// Whole runs against converged backward Euler.
    Run,
    /// Whole runs against a trajectory of finer steps.
    Time,
}

impl Mode {
    /// The name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Step => "step",
            Self::Run => "run",
            Self::Time => "time",
        }
    }
}

/// What came out.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// What was compared.
    pub mode: Mode,
    /// The reference, as a person would name it.
    pub reference: String,
    /// How far the reference may itself be off at the end (m, root mean square), where that was
    /// measured.
    pub uncertainty: Option<f64>,
    /// The reference's own frames.
    pub truth: Vec<Sample>,
    /// The methods, in the order they were given.
    pub outcomes: Vec<Outcome>,
}

/// One method's part.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The method as it was asked for.
    pub label: String,
    /// What it minimizes; `None` for explicit methods.
    pub objective: Option<&'static str>,
    /// Frame by frame.
    pub samples: Vec<Sample>,
    /// ‖∇g‖ relative to the scale of the step before each iteration, at the last frame.
    pub residuals: Vec<f64>,
    /// Why it stopped early, or never began.
    pub stopped: Option<String>,
    /// Where it gained energy by no work, in whole runs: since when, and what to do.
    pub gained: Option<String>,
}

/// One frame of one method.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sample {
    /// Time at its end (s).
    pub time: f64,
    /// Distance from the reference, relative to how far the reference moved in the step (one step)
    /// or from its start (whole runs).
    pub error: f64,
    /// The same in meters, root mean square over the particles.
    pub distance: f64,
    /// (g − g*)/(g₀ − g*): 0 at the reference's minimum, 1 where the step starts, negative in a
    /// lower minimum. `None` where nothing is minimized.
    pub gap: Option<f64>,
    /// ‖∇g‖ relative to its scale at the end.
    pub residual: Option<f64>,
    /// Iterations.
    pub iterations: u32,
    /// Whether every solve converged; `None` where nothing is solved.
    pub converged: Option<bool>,
    /// Wall time of a step (ms).
    pub milliseconds: f64,
    /// Energies at its end (J).
    pub energy: Energies,
    /// Work in the frame (J).
    pub work: Work,
    /// Energy that no work explains (J).
    pub numerical: f64,
    /// Contacts in the frame, the most of its steps; `None` where there are no obstacles.
    pub contact: Option<Contact>,
    /// Wall time of contacts outside of solves (ms).
    pub contact_milliseconds: f64,
}

impl Sample {
    /// Adds a step of the frame.
    fn add(&mut self, report: &StepReport) {
        self.time = report.time;
        if let Some(solve) = &report.solve {
            self.iterations += solve.iterations;
            let converged = solve.end == End::Converged;
            self.converged = Some(converged && self.converged.unwrap_or(true));
            self.residual = Some(self.residual.unwrap_or(0.0).max(solve.relative()));
        }
        self.milliseconds += 1e3 * report.seconds.total;
        self.energy = report.energy;
        self.work += report.work;
        self.numerical += report.numerical;
        if let Some(contact) = report.contact {
            self.contact = Some(self.contact.unwrap_or_default().join(contact));
        }
        self.contact_milliseconds += 1e3 * report.seconds.contact;
    }
}

/// Compares methods over the first `frames` of a scene. `each` is called after every frame with how many
/// are done; where `stop` says so, the comparison ends early with what there is.
pub fn compare(
    scene: &Scene,
    entrants: &[Entrant],
    mode: Mode,
    frames: u64,
    threads: usize,
    each: &mut dyn FnMut(u64),
    stop: &dyn Fn() -> bool,
) -> Result<Comparison, NotRunnable> {
    budget(scene, entrants)?;
    let runs = runs::Runs { scene, entrants, frames: frames.max(1), threads, stop };
    match mode {
        Mode::Step => runs.single_steps(each),
        Mode::Run => runs.whole_runs(mode, Reference::common(scene, threads)?, None, each),
        Mode::Time => {
            let (finer, coarser) = Reference::refined(scene, threads)?;
            runs.whole_runs(mode, finer, Some(coarser), each)
        }
    }
}

/// Refuses methods that together would take more memory than the scene may.
fn budget(scene: &Scene, entrants: &[Entrant]) -> Result<(), NotRunnable> {
    let Some(limit) = scene.memory_limit() else { return Ok(()) };
    let mut needed = 0;
    for entrant in entrants {
        needed += entrant.scene.compile()?.memory;
    }
    if needed <= limit {
        return Ok(());
    }
    let [needed, limit] = [needed, limit].map(estimate::bytes);
    let methods = words::count(entrants.len() as u64, "method", "methods");
    Err(scene.too_much(format!(
        "comparing {methods} at once needs about {needed}, the limit is {limit}; name fewer with \
         --methods, or raise it with --memory"
    )))?
}

/// How far a step ended from where the truth ends, relative to how far the truth moved.
pub fn relative_error(end: &[hooke::Vec3], truth: &[hooke::Vec3], start: &[hooke::Vec3]) -> f64 {
    ratio(distance(end, truth), distance(truth, start))
}

/// Root mean square distance (m).
fn distance(a: &[hooke::Vec3], b: &[hooke::Vec3]) -> f64 {
    let sum: f64 = a.iter().zip(b).map(|(&a, &b)| (a - b).norm2()).sum();
    (sum / a.len().max(1) as f64).sqrt()
}

/// A ratio that is 0 where there is nothing to compare with.
fn ratio(a: f64, b: f64) -> f64 {
    if a == 0.0 { 0.0 } else { a / b.max(f64::MIN_POSITIVE) }
}

fn refused(sentence: impl std::fmt::Display) -> NotRunnable {
    NotRunnable::NotComparable(sentence.to_string())
}
