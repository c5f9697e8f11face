//! The moments that were seen, in bounded memory: when it is full, every second one is forgotten
//! and from then on half as many are kept.

use super::run::Tally;
use crate::limits;
use hooke::State;
use std::sync::Arc;

/// A moment: the state of every run, and where its energy went until then.
pub(super) type Moment = Vec<(Arc<State>, Tally)>;

pub(super) struct Timeline {
    moments: Vec<Moment>,
    /// The moment that is shown.
    at: usize,
    /// How many steps lie between two moments.
    every: u64,
    /// How many moments fit.
    most: usize,
}

impl Timeline {
    /// Keeps a moment every so many steps of runs with so many particles in all.
    pub(super) fn new(every: u64, particles: usize) -> Self {
        let most = (limits::TIMELINE / (48 * particles.max(1))).clamp(2, 100_000);
        Self { moments: Vec::new(), at: 0, every: every.max(1), most }
    }

    /// Keeps a moment if its turn has come; what was seen after the moment shown is forgotten.
    pub(super) fn keep<'a>(
        &mut self,
        runs: impl Iterator<Item = (&'a State, Tally)> + Clone,
    ) -> bool {
        let Some(step) = runs.clone().map(|(state, _)| state.step).max() else { return false };
        self.moments.truncate(self.at + 1);
        let last = self.moments.last().and_then(steps);
        if last.is_some_and(|last| step < last + self.every) {
            return false;
        }
        if self.moments.len() >= self.most {
            let mut index = 0;
            self.moments.retain(|_| {
                index += 1;
                index % 2 == 1
            });
            self.every *= 2;
        }
        let kept = |(state, tally): (&State, Tally)| (Arc::new(state.clone()), tally);
        self.moments.push(runs.map(kept).collect());
        self.at = self.moments.len() - 1;
        true
    }

    /// Goes to a moment.
    pub(super) fn seek(&mut self, index: usize) -> Option<&Moment> {
        let moment = self.moments.get(index)?;
        self.at = index;
        Some(moment)
    }

    pub(super) fn len(&self) -> usize {
        self.moments.len()
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// How many steps lie between two moments.
    pub(super) fn every(&self) -> u64 {
        self.every
    }

    /// The states of one run, up to the moment shown.
    pub(super) fn of(&self, run: usize) -> Vec<Arc<State>> {
        let seen = self.moments.iter().take(self.at + 1);
        seen.filter_map(|moment| moment.get(run).map(|(state, _)| Arc::clone(state))).collect()
    }
}

/// How many steps were taken at a moment.
fn steps(moment: &Moment) -> Option<u64> {
    moment.iter().map(|(state, _)| state.step).max()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keep(timeline: &mut Timeline, step: u64) {
        let state = State { step, ..State::default() };
        timeline.keep([(&state, Tally::default())].into_iter());
    }

    #[test]
    fn memory_is_bounded_and_all_of_the_run_is_covered() {
        let mut timeline = Timeline { moments: Vec::new(), at: 0, every: 1, most: 8 };
        for step in 0..1000 {
            keep(&mut timeline, step);
            assert!(timeline.len() <= 8);
        }
        let steps: Vec<u64> = timeline.of(0).iter().map(|state| state.step).collect();
        assert_eq!(steps[0], 0);
        assert!(steps.last().is_some_and(|last| *last > 700), "{steps:?}");
        assert!(steps.windows(2).all(|pair| pair[1] - pair[0] == timeline.every()), "{steps:?}");
    }

    #[test]
    fn what_came_later_is_forgotten_once_time_goes_on() {
        let mut timeline = Timeline::new(1, 1);
        for step in 0..10 {
            keep(&mut timeline, step);
        }
        assert!(timeline.seek(10).is_none());
        assert!(timeline.seek(4).is_some());
        assert_eq!((timeline.len(), timeline.at()), (10, 4));
        keep(&mut timeline, 5);
        assert_eq!((timeline.len(), timeline.at()), (6, 5));
    }
}
