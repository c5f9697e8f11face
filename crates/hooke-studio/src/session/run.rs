//! One method on the scene: its simulation, what its steps were worth, and the converged step it is
//! measured against on demand.

use super::Refusal;
use super::exploded::Explosion;
use super::interactions::{Handles, Interactions};
use crate::message::Choice;
use hooke::{EnergyWatch, Seconds, Simulation, State, StepReport, Work};
use hooke_scene::compare::{converged, relative_error};
use hooke_scene::{Compiled, Problems, RigidParts, Scene};

/// One thread for so many particles.
const PARTICLES_PER_THREAD: usize = 2000;

/// The method whose converged step is the truth.
const TRUTH: &str = "newton";

pub(super) struct Run {
    /// The scene under this run's method.
    pub(super) scene: Scene,
    /// Its springs, as they are drawn.
    pub(super) edges: Vec<[u32; 2]>,
    /// Its rigid bodies, as they are written.
    pub(super) rigid: Vec<RigidParts>,
    pub(super) simulation: Simulation,
    handles: Handles,
    /// What steps are measured against.
    twin: Option<(Simulation, Handles)>,
    /// It exploded, and stays where it was.
    pub(super) stopped: bool,
    pub(super) ledger: Ledger,
    /// The relative error of the last step that was measured.
    pub(super) error: Option<f64>,
}

/// Where the energy of a run went since its start.
#[derive(Clone, Copy, Default)]
pub(super) struct Tally {
    /// Work (J).
    pub(super) work: Work,
    /// Energy that no work explains (J).
    pub(super) numerical: f64,
    /// Whether that grows.
    pub(super) watch: EnergyWatch,
}

/// What the steps of a run were worth together.
#[derive(Clone, Default)]
pub(super) struct Ledger {
    pub(super) tally: Tally,
    /// Wall times since the last report (s), and of how many steps.
    seconds: Seconds,
    steps: u32,
    /// Their mean in the last report.
    mean: Seconds,
}

impl Ledger {
    fn add(&mut self, report: &StepReport) {
        self.tally.work += report.work;
        self.tally.numerical += report.numerical;
        self.tally.watch.add(report);
        self.seconds += report.seconds;
        self.steps += 1;
    }

    /// The mean wall times (s) of the steps since this was last asked, or what was told then.
    pub(super) fn seconds(&mut self) -> Seconds {
        if self.steps == 0 {
            return self.mean;
        }
        self.mean = std::mem::take(&mut self.seconds) * (1.0 / f64::from(self.steps));
        self.steps = 0;
        self.mean
    }
}

/// A scene under another method.
pub(super) fn under(scene: &Scene, choice: &Choice) -> Result<Scene, Problems> {
    let mut own = scene.clone();
    own.use_method(&choice.name)?;
    let settings: Vec<(String, String)> = choice
        .settings
        .iter()
        .map(|(name, value)| (format!("method.{name}"), value.given().to_string()))
        .collect();
    own.set_all(settings.iter().map(|(path, value)| (path.as_str(), value.as_str())))?;
    Ok(own)
}

/// A compiled scene ready to step, with what a hand has done to it.
fn build(
    scene: &Scene,
    compiled: Compiled,
    interactions: &Interactions,
    state: Option<&State>,
) -> Result<(Simulation, Handles), Refusal> {
    let particles = compiled.model.particles();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = cores.min(1 + particles / PARTICLES_PER_THREAD);
    let mut simulation = scene.simulation_of(compiled, threads)?;
    match state.filter(|state| state.positions.len() == particles) {
        Some(state) => simulation.set_state(state.clone())?,
        None => return Ok((simulation, Handles::default())),
    }
    let handles = interactions.repeat(&mut simulation)?;
    Ok((simulation, handles))
}

impl Run {
    /// Builds a run of a scene; from `state`, where it fits, with what a hand has done by then.
    pub(super) fn build(
        scene: Scene,
        runs: usize,
        interactions: &Interactions,
        state: Option<&State>,
    ) -> Result<Self, Refusal> {
        let mut part = scene.clone();
        if let Some(bytes) = scene.memory_limit() {
            part.set_memory_limit(bytes / runs.max(1) as u64);
        }
        let mut compiled = part.compile()?;
        let edges = std::mem::take(&mut compiled.edges);
        let rigid = std::mem::take(&mut compiled.rigid);
        let (mut simulation, handles) = build(&scene, compiled, interactions, state)?;
        simulation.stability()?;
        let mut ledger = Ledger::default();
        ledger.tally.watch = EnergyWatch::new(simulation.report());
        Ok(Self {
            scene,
            edges,
            rigid,
            simulation,
            handles,
            twin: None,
            stopped: false,
            ledger,
            error: None,
        })
    }

    /// Takes a step and goes back, so that what the first step has to prepare is there.
    pub(super) fn warm(&mut self) -> Result<(), Refusal> {
        let here = self.simulation.state().clone();
        // A step that fails here fails again when it is taken, and is then told of.
        let _ = self.simulation.step();
        Ok(self.simulation.set_state(here)?)
    }

    /// Goes on where another run of the same particles is; a hand that had done `before` has done
    /// `live` by now.
    pub(super) fn take_over(
        &mut self,
        other: &Self,
        before: &Interactions,
        interactions: &Interactions,
    ) -> Result<(), Refusal> {
        self.each(|simulation, handles| {
            simulation.set_state(other.simulation.state().clone())?;
            interactions.catch_up(before, simulation, handles)
        })?;
        if self.refers() != other.refers() {
            self.refer(other.refers(), interactions)?;
        }
        Ok(())
    }

    /// Measures steps against a converged one from now on, or no longer.
    pub(super) fn refer(&mut self, on: bool, interactions: &Interactions) -> Result<(), Refusal> {
        self.error = None;
        self.twin = match on {
            true => {
                let scene = converged(&self.scene, TRUTH)?;
                let compiled = scene.compile()?;
                Some(build(&scene, compiled, interactions, Some(self.simulation.state()))?)
            }
            false => None,
        };
        Ok(())
    }

    /// Whether steps are measured.
    pub(super) fn refers(&self) -> bool {
        self.twin.is_some()
    }

    /// Takes a step, and measures it where `measured`.
    pub(super) fn step(&mut self, measured: bool) -> Result<(), Explosion> {
        let start =
            self.twin.as_ref().filter(|_| measured).map(|_| self.simulation.state().clone());
        match self.simulation.step() {
            Ok(report) => self.ledger.add(report),
            Err(error) => return Err(Explosion::of(error, &mut self.simulation)),
        }
        if let Some(explosion) = Explosion::runaway(&mut self.simulation) {
            return Err(explosion);
        }
        if let (Some((twin, _)), Some(start)) = (&mut self.twin, start) {
            let from = start.positions.clone();
            let truth = twin.set_state(start).is_ok() && twin.step().is_ok();
            self.error = truth.then(|| {
                relative_error(&self.simulation.state().positions, &twin.state().positions, &from)
            });
        }
        Ok(())
    }

    /// Goes to a state, with what was known of the energy then.
    pub(super) fn go(&mut self, state: &State, tally: Tally) -> Result<(), Refusal> {
        self.simulation.set_state(state.clone())?;
        self.ledger.tally = tally;
        self.stopped = false;
        Ok(())
    }

    /// Does something to the simulation, and to its twin.
    pub(super) fn each<E>(
        &mut self,
        mut act: impl FnMut(&mut Simulation, &mut Handles) -> Result<(), E>,
    ) -> Result<(), E> {
        act(&mut self.simulation, &mut self.handles)?;
        match &mut self.twin {
            Some((twin, handles)) => act(twin, handles),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What takes over after a step of its own goes on to the bit like what was built there.
    #[test]
    fn taking_over_is_the_same_as_starting_there() {
        for (name, method) in [("hanging-cloth", "quasi-newton"), ("cloth-on-sphere", "newton")] {
            let mut scene = Scene::gallery(name).expect("a scene");
            scene.use_method(method).expect("a method");
            let interactions = Interactions::default();
            let build = |interactions: &Interactions, state: Option<&State>| {
                Run::build(scene.clone(), 1, interactions, state).ok().expect("it runs")
            };
            let mut old = build(&interactions, None);
            let mut new = build(&interactions, None);
            assert!(new.warm().is_ok());
            for _ in 0..3 {
                assert!(old.step(false).is_ok());
            }
            let mut by_now = interactions.clone();
            by_now.pins.insert(30, true);
            by_now.grab = Some((
                crate::session::interactions::Grabbed::Particle(40),
                old.simulation.state().positions[40],
                20.0,
            ));
            assert!(new.take_over(&old, &interactions, &by_now).is_ok());
            let mut there = build(&by_now, Some(old.simulation.state()));
            for _ in 0..3 {
                assert!(new.step(false).is_ok() && there.step(false).is_ok());
            }
            assert_eq!(new.simulation.state(), there.simulation.state(), "{name}");
            assert_eq!(new.simulation.state().step, 6);
        }
    }

    /// Every phase of every step is reported to the page.
    #[test]
    fn the_mean_wall_times_hold_every_phase() {
        let seconds = Seconds {
            total: 11.0,
            method: 1.0,
            assembly: 2.0,
            factorization: 3.0,
            solution: 4.0,
            limit: 5.0,
            rigid_bodies: 6.0,
            contact: 7.0,
            chains: 8.0,
            measure: 9.0,
        };
        let mut ledger = Ledger::default();
        for factor in [1.0, 3.0] {
            let mut report = StepReport::default();
            report.seconds = seconds * factor;
            ledger.add(&report);
        }
        assert_eq!(ledger.seconds(), seconds * 2.0);
        assert_eq!(ledger.seconds(), seconds * 2.0, "and again where no step was taken since");
    }

    /// The times of chains and rigid bodies are phases of their own.
    #[test]
    fn chains_and_rigid_bodies_are_phases() {
        for (name, phase) in [("word", "chains"), ("box-stack", "rigid_bodies")] {
            let scene = Scene::gallery(name).expect("a scene");
            let mut run =
                Run::build(scene, 1, &Interactions::default(), None).ok().expect("it runs");
            assert!(run.step(false).is_ok());
            let report = crate::session::outgoing::report(0, &mut run, 0.0);
            let seconds = report["seconds"].as_object().expect("seconds");
            let of = |name: &str| seconds[name].as_f64().expect("a number");
            assert!(of(phase) > 0.0, "{name}: {seconds:?}");
            let phases = ["method", "limit", "contact", "rigid_bodies", "chains", "measure"];
            let sum: f64 = phases.iter().map(|phase| of(phase)).sum();
            assert!(sum <= 1.001 * of("total"), "{name}: {seconds:?}");
        }
    }
}
