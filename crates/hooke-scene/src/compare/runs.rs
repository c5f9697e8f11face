//! The three ways to compare.

use super::reference::{Reference, Truth};
use super::{Comparison, Entrant, Outcome, Sample, Way, distance, ratio};
use crate::{NotRunnable, Scene};
use hooke::{EnergyWatch, Limit, Simulation, StepError};
use std::collections::BTreeMap;

pub(super) struct Runs<'a> {
    pub(super) scene: &'a Scene,
    pub(super) entrants: &'a [Entrant],
    pub(super) frames: u64,
    pub(super) threads: usize,
}

/// A method under comparison.
struct Runner {
    simulation: Option<Simulation>,
    watch: EnergyWatch,
    outcome: Outcome,
    /// The name of the method whose converged steps are its reference.
    family: &'static str,
}

/// The method every other is compared with, unless it minimises something of its own.
const COMMON: &str = "newton";

impl Runs<'_> {
    /// Every method from the reference's state, one step a frame.
    pub(super) fn one_step(self, each: &mut dyn FnMut(u64)) -> Result<Comparison, NotRunnable> {
        let mut references = BTreeMap::new();
        let common = Reference::converged(self.scene, COMMON, self.threads)?;
        let reference = common.name.clone();
        references.insert(COMMON, common);
        let mut runners: Vec<Runner> = self.entrants.iter().map(|e| self.runner(e)).collect();
        for runner in &mut runners {
            runner.find_family();
            if !references.contains_key(runner.family) {
                let own = Reference::converged(self.scene, runner.family, self.threads)?;
                references.insert(runner.family, own);
            }
        }
        let mut truth = Vec::new();
        for frame in 0..self.frames {
            let mut steps = BTreeMap::new();
            for (name, reference) in &mut references {
                steps.insert(*name, reference.step()?);
            }
            for runner in &mut runners {
                if let Some(step) = steps.get(runner.family) {
                    runner.one_step(step);
                }
            }
            let mut sample = Sample::default();
            for (name, reference) in &mut references {
                if *name == COMMON {
                    sample.add(reference.simulation.report());
                }
                for _ in 1..self.scene.steps_per_frame() {
                    let report = reference.simulation.step().map_err(super::refused)?;
                    if *name == COMMON {
                        sample.add(report);
                    }
                }
            }
            truth.push(sample);
            each(frame + 1);
        }
        let outcomes = runners.into_iter().map(|runner| runner.outcome).collect();
        Ok(Comparison { way: Way::OneStep, reference, uncertainty: None, truth, outcomes })
    }

    /// Every method on its own, compared with one trajectory.
    pub(super) fn free(
        self,
        way: Way,
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
                sample.add(reference.simulation.step().map_err(super::refused)?);
                if let Some(coarser) = &mut coarser {
                    coarser.simulation.step().map_err(super::refused)?;
                }
            }
            truth.push(sample);
            let end = &reference.simulation.state().positions;
            let moved = distance(end, &start);
            for runner in &mut runners {
                runner.frame(steps, |positions| {
                    let far = distance(positions, end);
                    (ratio(far, moved), far)
                });
            }
            each(frame + 1);
        }
        let end = &reference.simulation.state().positions;
        let uncertainty =
            coarser.map(|coarser| distance(&coarser.simulation.state().positions, end));
        let outcomes = runners.into_iter().map(|runner| runner.outcome).collect();
        Ok(Comparison { way, reference: reference.name, uncertainty, truth, outcomes })
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
        let family = entrant.scene.document().method.info.name;
        Runner { simulation, watch: watch.unwrap_or_default(), outcome, family }
    }
}

impl Runner {
    /// Finds what the method minimises by trying a step: what has a tolerance, and an objective of
    /// its own, is compared with itself.
    fn find_family(&mut self) {
        let own = self.family;
        self.family = COMMON;
        let Some(simulation) = &mut self.simulation else { return };
        let before = simulation.snapshot();
        // Twice, since a method of two steps begins with another one.
        let twice = simulation.step().map(drop).and_then(|()| simulation.step());
        let objective = twice.ok().and_then(|report| report.solve).map(|solve| solve.objective);
        if simulation.restore(&before).is_err() {
            return;
        }
        self.outcome.objective = objective;
        let settings = hooke::methods::find(own).map(|info| (info.settings)()).unwrap_or_default();
        let minimises = settings.iter().any(|setting| setting.name == "tolerance");
        if minimises && objective.is_some_and(|objective| objective != "backward Euler") {
            self.family = own;
        }
    }

    /// One step from where the reference stood.
    fn one_step(&mut self, truth: &Truth) {
        let Some(simulation) = &mut self.simulation else { return };
        let same = self.outcome.objective == truth.g.map(|(.., objective)| objective);
        let placed = match same {
            // What the reference remembers helps a method of the same objective to start as well.
            true => simulation.restore(&truth.before),
            false => simulation.set_state(truth.before.state().clone()),
        };
        let stepped = placed
            .map_err(|invalid| invalid.0)
            .and_then(|()| simulation.step().map(drop).map_err(|error| error.to_string()));
        if let Err(sentence) = stepped {
            return self.stop(sentence);
        }
        let report = simulation.report();
        let mut sample = Sample::default();
        sample.add(report);
        sample.distance = distance(&simulation.state().positions, &truth.end.positions);
        let moved = distance(&truth.before.state().positions, &truth.end.positions);
        sample.error = ratio(sample.distance, moved);
        if let (Some((least, start, objective)), Some(solve)) = (truth.g, report.solve)
            && solve.objective == objective
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
    fn frame(&mut self, steps: u64, error: impl Fn(&[hooke::Point]) -> (f64, f64)) {
        let Some(simulation) = &mut self.simulation else { return };
        let mut sample = Sample::default();
        for _ in 0..steps {
            let stepped: Result<_, StepError> = simulation.step().map(|report| {
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
            let (limit, parts) = simulation.stability().unwrap_or((Limit::None, 1));
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
