//! The three modes of a comparison.

use super::reference::{Reference, Truth, has};
use super::{Comparison, Entrant, Mode, Outcome, Sample, distance, ratio};
use crate::{NotRunnable, Scene};
use hooke::{EnergyWatch, Simulation, StabilityLimit, StepError};

pub(super) struct Runs<'a> {
    pub(super) scene: &'a Scene,
    pub(super) entrants: &'a [Entrant],
    pub(super) frames: u64,
    pub(super) threads: usize,
    /// Whether to stop early, with what there is.
    pub(super) stop: &'a dyn Fn() -> bool,
}

/// A method under comparison.
struct Runner {
    simulation: Option<Simulation>,
    watch: EnergyWatch,
    outcome: Outcome,
    /// The method.
    method: &'static str,
    /// Which of the references it is measured against.
    reference: usize,
}

impl Runs<'_> {
    /// Every method from the reference's state, one step a frame.
    pub(super) fn single_steps(self, each: &mut dyn FnMut(u64)) -> Result<Comparison, NotRunnable> {
        let mut references = vec![Reference::common(self.scene, self.threads)?];
        let name = references[0].name.clone();
        let mut runners: Vec<Runner> = self.entrants.iter().map(|e| self.runner(e)).collect();
        for runner in &mut runners {
            self.assign(runner, &mut references);
        }
        let mut references: Vec<Option<Reference>> = references.into_iter().map(Some).collect();
        let mut truth = Vec::new();
        for frame in 0..self.frames {
            for (index, slot) in references.iter_mut().enumerate() {
                let Some(reference) = slot else { continue };
                let own = runners.iter_mut().filter(|runner| runner.reference == index);
                match self.frame_of(reference, own) {
                    Ok(sample) if index == 0 => truth.push(sample),
                    Ok(_) => {}
                    Err(lost) => {
                        let sentence = format!("its reference ended: {lost}");
                        let own = runners.iter_mut().filter(|runner| runner.reference == index);
                        own.for_each(|runner| runner.stop(sentence.clone()));
                        *slot = None;
                    }
                }
                if (self.stop)() {
                    break;
                }
            }
            if (self.stop)() || references.iter().all(Option::is_none) {
                break;
            }
            each(frame + 1);
        }
        let outcomes = runners.into_iter().map(|runner| runner.outcome).collect();
        Ok(Comparison { mode: Mode::Step, reference: name, uncertainty: None, truth, outcomes })
    }

    /// One frame of a reference, with a step of every method that is measured against it.
    fn frame_of<'r>(
        &self,
        reference: &mut Reference,
        runners: impl Iterator<Item = &'r mut Runner>,
    ) -> Result<Sample, NotRunnable> {
        let truth = reference.step(self.stop)?;
        runners.for_each(|runner| runner.one_step(&truth, self.stop));
        let mut sample = Sample::default();
        sample.add(reference.simulation.report());
        for _ in 1..self.scene.steps_per_frame() {
            let stepped = reference.simulation.step_unless(self.stop);
            sample.add(stepped.map_err(super::refused)?);
        }
        Ok(sample)
    }

    /// Finds the reference of a method: what minimizes an objective of its own is compared with itself,
    /// converged.
    fn assign(&self, runner: &mut Runner, references: &mut Vec<Reference>) {
        let Some(objective) = runner.try_objective() else { return };
        let known = references.iter().position(|known| known.objective == objective);
        if let Some(known) = known {
            runner.reference = known;
            return;
        }
        match Reference::converged(self.scene, (runner.method, objective), self.threads) {
            Ok(own) => {
                runner.reference = references.len();
                references.push(own);
            }
            Err(refusal) => runner.stop(refusal.to_string()),
        }
    }

    /// Every method on its own, compared with one trajectory.
    pub(super) fn whole_runs(
        self,
        mode: Mode,
        mut reference: Reference,
        mut coarser: Option<Reference>,
        each: &mut dyn FnMut(u64),
    ) -> Result<Comparison, NotRunnable> {
        let mut runners: Vec<Runner> = self.entrants.iter().map(|e| self.runner(e)).collect();
        let start = reference.simulation.state().positions.clone();
        let steps = self.scene.steps_per_frame();
        let mut truth = Vec::new();
        for frame in 0..self.frames {
            let mut sample = Sample::default();
            for _ in 0..steps {
                let stepped = reference.simulation.step_unless(self.stop);
                sample.add(stepped.map_err(super::refused)?);
                if let Some(coarser) = &mut coarser {
                    coarser.simulation.step_unless(self.stop).map_err(super::refused)?;
                }
            }
            truth.push(sample);
            let end = &reference.simulation.state().positions;
            let moved = distance(end, &start);
            for runner in &mut runners {
                runner.frame(steps, self.stop, |positions| {
                    let far = distance(positions, end);
                    (ratio(far, moved), far)
                });
            }
            if (self.stop)() {
                break;
            }
            each(frame + 1);
        }
        let end = &reference.simulation.state().positions;
        let uncertainty =
            coarser.map(|coarser| distance(&coarser.simulation.state().positions, end));
        let outcomes = runners.into_iter().map(|runner| runner.outcome).collect();
        Ok(Comparison { mode, reference: reference.name, uncertainty, truth, outcomes })
    }

    fn runner(&self, entrant: &Entrant) -> Runner {
        let mut outcome = Outcome {
            label: entrant.label.clone(),
            objective: None,
            samples: Vec::new(),
            residuals: Vec::new(),
            stopped: None,
            gained: None,
        };
        let started = entrant.scene.simulation(self.threads).and_then(|mut simulation| {
            let (_, parts) = simulation.stability()?;
            match entrant.patience.filter(|most| parts > *most) {
                None => Ok(simulation),
                Some(_) => Err(super::refused(format!(
                    "needs {parts} sub-steps of a step; it is waited for when asked for by name"
                ))),
            }
        });
        let simulation = started.map_err(|reason| outcome.stopped = Some(reason.to_string())).ok();
        let watch = simulation.as_ref().map(|simulation| EnergyWatch::new(simulation.report()));
        let method = entrant.scene.document().method.info.name;
        Runner { simulation, watch: watch.unwrap_or_default(), outcome, method, reference: 0 }
    }
}

impl Runner {
    /// What a method that iterates to a tolerance minimizes, found by trying a step.
    fn try_objective(&mut self) -> Option<&'static str> {
        let simulation = self.simulation.as_mut()?;
        if !has(self.method, "tolerance") {
            return None;
        }
        let before = simulation.snapshot();
        // Twice, since a method of two steps begins with another one.
        let twice = simulation.step().map(drop).and_then(|()| simulation.step());
        let objective = twice.ok().and_then(|report| report.solve).map(|solve| solve.objective);
        simulation.restore(&before).ok()?;
        self.outcome.objective = objective;
        objective
    }

    /// One step from where the reference stood.
    fn one_step(&mut self, truth: &Truth, stop: &dyn Fn() -> bool) {
        let Some(simulation) = &mut self.simulation else { return };
        let same = self.outcome.objective == Some(truth.objective);
        let placed = match same {
            // What the reference remembers helps a method of the same objective to start as well.
            true => simulation.restore(&truth.before),
            false => simulation.set_state(truth.before.state().clone()),
        };
        let stepped = placed.map_err(|invalid| invalid.to_string()).and_then(|()| {
            simulation.step_unless(stop).map(drop).map_err(|error| error.to_string())
        });
        if let Err(sentence) = stepped {
            return self.stop(sentence);
        }
        let report = simulation.report();
        let objective = report.solve.map(|solve| solve.objective);
        self.outcome.objective = self.outcome.objective.or(objective);
        let mut sample = Sample::default();
        sample.add(report);
        sample.distance = distance(&simulation.state().positions, &truth.end.positions);
        let moved = distance(&truth.before.state().positions, &truth.end.positions);
        sample.error = ratio(sample.distance, moved);
        if let (Some([least, start]), Some(solve)) = (truth.g, report.solve)
            && solve.objective == truth.objective
            && report.substeps == 1
        {
            sample.gap = Some((solve.g - least) / (start - least).max(f64::MIN_POSITIVE));
        }
        let scale = report.solve.map_or(1.0, |solve| solve.scale);
        let residuals = report.residuals.iter().map(|residual| residual / scale).collect();
        self.outcome.residuals = residuals;
        self.outcome.samples.push(sample);
    }

    /// One frame on its own; `error` gives relative and absolute distance from the reference.
    fn frame(
        &mut self,
        steps: u64,
        stop: &dyn Fn() -> bool,
        error: impl Fn(&[hooke::Vec3]) -> (f64, f64),
    ) {
        let Some(simulation) = &mut self.simulation else { return };
        let mut sample = Sample::default();
        for _ in 0..steps {
            let stepped: Result<_, StepError> = simulation.step_unless(stop).map(|report| {
                sample.add(report);
                self.watch.add(report);
            });
            let sentence = match stepped {
                Err(error) => Some(error.to_string()),
                Ok(()) => crate::runaway(simulation),
            };
            if let Some(sentence) = sentence {
                return self.stop(sentence);
            }
        }
        sample.milliseconds /= steps.max(1) as f64;
        (sample.error, sample.distance) = error(&simulation.state().positions);
        self.outcome.gained = self.watch.gain().map(|gain| {
            let (limit, parts) = simulation.stability().unwrap_or((StabilityLimit::None, 1));
            gain.tell(limit, simulation.step_length() / f64::from(parts))
        });
        let report = simulation.report();
        self.outcome.objective = report.solve.map(|solve| solve.objective);
        let scale = report.solve.map_or(1.0, |solve| solve.scale);
        self.outcome.residuals = report.residuals.iter().map(|residual| residual / scale).collect();
        self.outcome.samples.push(sample);
    }

    fn stop(&mut self, sentence: String) {
        self.outcome.stopped = Some(sentence);
        self.simulation = None;
    }
}
