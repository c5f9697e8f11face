//! Whether a run gains energy that nothing explains.
//!
//! The balance of a run is its energy minus all work that was booked: `B = E − W`, the sum of
//! [`StepReport::numerical`]. Exact motion keeps it; numerical damping lowers it; nothing but an error of the
//! method raises it. A run has gained energy where B rose above its lowest value before by more than 1 % of
//! the largest energy that moved in it: kinetic, elastic, or the change of the total. Under symplectic methods B
//! swings to and fro; what a run has given back of a rise is allowed to rise again, up to 5 %.

use crate::methods::StabilityLimit;
use crate::report::StepReport;

/// The share of the largest energy by which the balance may rise.
const SHARE: f64 = 0.01;

/// The share up to which what was given back may rise again.
const SWING: f64 = 0.05;

/// What rounding may do to a sum of energies, relative to the largest of them.
const ROUNDING: f64 = 1e-10;

/// Watches the balance of a run, step by step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EnergyWatch {
    /// The total energy at the start (J).
    start: f64,
    /// B since the start, and its lowest value (J).
    balance: f64,
    lowest: f64,
    /// The highest value of B since its lowest, and the most by which it has fallen from there (J).
    highest: f64,
    returned: f64,
    /// The largest energy that moved, and the largest there was at all (J).
    moved: f64,
    largest: f64,
    /// The first step of those in a row, up to the last, after which B was too high; 0 where there is none.
    since: u64,
    /// The highest rise (J), and the first step of those in a row that led there.
    rise: f64,
    rise_since: u64,
}

/// Energy that a run gained by no work.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gain {
    /// The step at which it began.
    pub step: u64,
    /// How much (J).
    pub energy: f64,
    /// The largest energy that moved in the run (J).
    pub largest: f64,
}

impl EnergyWatch {
    /// Starts at a report: that of a simulation before its first step.
    pub fn new(report: &StepReport) -> Self {
        let mut watch = Self { start: report.energy.total(), ..Self::default() };
        watch.see(report);
        watch
    }

    /// Adds a step.
    pub fn add(&mut self, report: &StepReport) {
        self.see(report);
        self.balance += report.numerical;
        if self.balance <= self.lowest {
            self.returned = self.returned.max(self.highest - self.lowest);
            (self.lowest, self.highest) = (self.balance, self.balance);
        }
        self.highest = self.highest.max(self.balance);
        self.returned = self.returned.max(self.highest - self.balance);
        let rise = self.balance - self.lowest;
        if rise <= self.allowed() {
            self.since = 0;
        } else if self.since == 0 {
            self.since = report.step;
        }
        if rise > self.rise {
            (self.rise, self.rise_since) = (rise, self.since);
        }
    }

    /// What the run has gained, where that is too much.
    pub fn gain(&self) -> Option<Gain> {
        let gained = self.rise > self.allowed() && self.rise_since > 0;
        gained.then_some(Gain { step: self.rise_since, energy: self.rise, largest: self.moved })
    }

    /// All it knows, to be saved.
    pub fn numbers(&self) -> [f64; 10] {
        let Self { start, balance, lowest, highest, returned, moved, largest, rise, .. } = *self;
        let steps = [self.since, self.rise_since].map(|step| step as f64);
        [start, balance, lowest, highest, returned, moved, largest, rise, steps[0], steps[1]]
    }

    /// Takes back what [`EnergyWatch::numbers`] gave.
    pub fn of_numbers(numbers: [f64; 10]) -> Self {
        let [start, balance, lowest, highest, returned, moved, largest, rise, since, rise_since] =
            numbers;
        let [since, rise_since] = [since, rise_since].map(|step| step as u64);
        Self { start, balance, lowest, highest, returned, moved, largest, since, rise, rise_since }
    }

    fn see(&mut self, report: &StepReport) {
        let energy = &report.energy;
        let change = (energy.total() - self.start).abs();
        self.moved = self.moved.max(change).max(energy.kinetic).max(energy.elastic.abs());
        let all = [energy.kinetic, energy.elastic, energy.gravitational, energy.field];
        self.largest = all.iter().fold(self.largest, |largest, part| largest.max(part.abs()));
    }

    fn allowed(&self) -> f64 {
        let swing = self.returned.min(SWING * self.moved);
        (SHARE * self.moved + swing).max(ROUNDING * self.largest)
    }
}

impl Gain {
    /// One sentence for a run of a method of this limit in steps of `h` seconds: what, since when, and
    /// what to do.
    pub fn tell(&self, limit: StabilityLimit, h: f64) -> String {
        format!(
            "from step {} on the run gained {:.3e} J without work, {:.1} % of the largest energy in it; {}",
            self.step,
            self.energy,
            100.0 * self.energy / self.largest,
            limit.blame(h)
        )
    }
}
