//! What a whole run was worth.

use crate::media::Made;
use crate::out::columns;
use hooke::{End, EnergyWatch, Gain, Simulation, StepReport, Work};
use hooke_scene::words::count;
use serde_json::Value;
use std::path::Path;

/// Gathered step by step.
#[derive(Clone)]
pub(super) struct Summary {
    /// Which method was chosen for the last step and why, where a method chooses.
    chosen: Option<&'static str>,
    /// Whether the method solves.
    solves: bool,
    /// Recorded frames, the start included.
    pub(super) frames: u64,
    steps: u64,
    seconds: f64,
    unconverged: u64,
    /// Steps whose solve rounding ended above the tolerance.
    rounded: u64,
    /// Steps that were shortened so as not to add energy.
    shortened: u64,
    /// Steps in which another method went on, and which.
    finished: u64,
    fallback: Option<&'static str>,
    worst_residual: f64,
    energy_at_start: f64,
    energy_at_end: f64,
    work: Work,
    numerical: f64,
    watch: EnergyWatch,
    worst_strain: Option<f64>,
    /// How far the worst element was outside the limit of strain, before and after, where there is
    /// one.
    limited: Option<[f64; 2]>,
    /// Rigid rows, the worst violation of one (m) and the most that were redundant, for methods that
    /// solve for constraint forces.
    constraints: Option<[f64; 3]>,
    /// The most contacts of rigid bodies, the deepest overlap (m) and how far the worst joint was off (m, rad).
    rigid: Option<[f64; 3]>,
    /// Steps in which a chain missed a target, and the greatest distance (m) its solution and its pose
    /// were away, where there are chains.
    chains: Option<[f64; 3]>,
    /// The most elements that were inverted at once, when, and how many are at the end.
    inverted: u64,
    inverted_step: u64,
    inverted_at_end: u64,
}

impl Summary {
    pub(super) fn new(simulation: &Simulation) -> Self {
        let report = simulation.report();
        let energy = report.energy.total();
        Self {
            chosen: None,
            solves: false,
            frames: 0,
            steps: 0,
            seconds: 0.0,
            unconverged: 0,
            rounded: 0,
            shortened: 0,
            finished: 0,
            fallback: None,
            worst_residual: 0.0,
            energy_at_start: energy,
            energy_at_end: energy,
            work: Work::default(),
            numerical: 0.0,
            watch: EnergyWatch::new(report),
            worst_strain: report.strain.map(|strain| strain.value),
            limited: None,
            constraints: None,
            rigid: None,
            chains: None,
            inverted: report.inverted as u64,
            inverted_step: report.step,
            inverted_at_end: report.inverted as u64,
        }
    }

    /// Adds a step.
    pub(super) fn add(&mut self, report: &StepReport) {
        self.steps += 1;
        self.chosen = report.chosen;
        self.seconds += report.seconds.total;
        if let Some(solve) = &report.solve {
            self.solves = true;
            self.unconverged += u64::from(!solve.end.is_settled());
            self.rounded += u64::from(solve.end == End::Rounding);
            self.worst_residual = self.worst_residual.max(solve.relative());
        }
        self.shortened += u64::from(report.shortened > 0);
        self.finished += u64::from(report.fallback.is_some());
        self.fallback = self.fallback.or(report.fallback);
        self.energy_at_end = report.energy.total();
        self.work += report.work;
        if let Some(limit) = &report.limit {
            let [before, after] = self.limited.unwrap_or_default();
            self.limited = Some([before.max(limit.before), after.max(limit.after)]);
        }
        let constraints = &report.constraints;
        if constraints.rows > 0 {
            let [_, violation, redundant] = self.constraints.unwrap_or_default();
            self.constraints = Some([
                constraints.rigid as f64,
                violation.max(constraints.violation),
                redundant.max(constraints.redundant.len() as f64),
            ]);
        }
        if let Some(bodies) = &report.rigid_bodies {
            let [contacts, deepest, joints] = self.rigid.unwrap_or_default();
            self.rigid = Some([
                contacts.max(bodies.contacts as f64),
                deepest.max(bodies.deepest),
                joints.max(bodies.joints),
            ]);
        }
        if report.chains.iter().any(|chain| chain.end.is_some()) {
            let [missed, distance, away] = self.chains.unwrap_or_default();
            let solved = || report.chains.iter().filter(|chain| chain.end.is_some());
            let miss = solved().any(|chain| chain.end != Some(hooke::chains::End::Converged));
            self.chains = Some([
                missed + f64::from(u8::from(miss)),
                solved().map(|chain| chain.distance).fold(distance, f64::max),
                solved().map(|chain| chain.distance + chain.lag).fold(away, f64::max),
            ]);
        }
        self.numerical += report.numerical;
        self.watch.add(report);
        if let Some(strain) = report.strain
            && self.worst_strain.is_none_or(|worst| strain.value.abs() > worst.abs())
        {
            self.worst_strain = Some(strain.value);
        }
        self.inverted_at_end = report.inverted as u64;
        if self.inverted_at_end > self.inverted {
            (self.inverted, self.inverted_step) = (self.inverted_at_end, report.step);
        }
    }

    /// Everything, for a checkpoint.
    pub(super) fn totals(&self) -> Vec<f64> {
        let flag = f64::from(u8::from(self.solves));
        let solved = [self.unconverged, self.rounded, self.shortened, self.finished];
        let counts = [&[self.frames, self.steps], &solved[..]].concat();
        let counts: Vec<f64> = counts.into_iter().map(|count| count as f64).collect();
        let numbers = [
            self.seconds,
            self.worst_residual,
            self.energy_at_start,
            self.energy_at_end,
            self.work.damping,
            self.work.external,
            self.work.contact,
            self.work.limit,
            self.numerical,
            self.worst_strain.unwrap_or(f64::NAN),
            self.limited.map_or(f64::NAN, |[before, _]| before),
            self.limited.map_or(f64::NAN, |[_, after]| after),
        ];
        let constraints = self.constraints.unwrap_or([f64::NAN; 3]);
        let rigid = self.rigid.unwrap_or([f64::NAN; 3]);
        let chains = self.chains.unwrap_or([f64::NAN; 3]);
        let inverted =
            [self.inverted, self.inverted_step, self.inverted_at_end].map(|count| count as f64);
        let watch = self.watch.numbers();
        [&[flag], &counts[..], &numbers, &constraints, &chains, &inverted, &rigid, &watch].concat()
    }

    /// Takes back what [`Summary::totals`] gave; `None` where it is anything else.
    pub(super) fn restored(totals: &[f64]) -> Option<Self> {
        let [solves, counts @ ..] = totals else { return None };
        let [frames, steps, unconverged, rounded, shortened, finished, rest @ ..] = counts else {
            return None;
        };
        let &[
            seconds,
            worst_residual,
            energy_at_start,
            energy_at_end,
            damping,
            external,
            contact,
            limit,
            numerical,
            strain,
            before,
            after,
            rigid,
            violation,
            redundant,
            missed,
            distance,
            away,
            inverted,
            inverted_step,
            inverted_at_end,
            contacts,
            deepest,
            joints,
            ref watch @ ..,
        ] = rest
        else {
            return None;
        };
        let watch = EnergyWatch::of_numbers(watch.try_into().ok()?);
        let all_finite = |values: &[f64]| values.iter().all(|value| value.is_finite());
        Some(Self {
            chosen: None,
            solves: *solves != 0.0,
            frames: *frames as u64,
            steps: *steps as u64,
            seconds,
            unconverged: *unconverged as u64,
            rounded: *rounded as u64,
            shortened: *shortened as u64,
            finished: *finished as u64,
            fallback: None,
            worst_residual,
            energy_at_start,
            energy_at_end,
            work: Work { damping, external, contact, limit },
            numerical,
            watch,
            worst_strain: Some(strain).filter(|strain| strain.is_finite()),
            limited: Some([before, after]).filter(|both| all_finite(both)),
            constraints: Some([rigid, violation, redundant]).filter(|all| all_finite(all)),
            rigid: Some([contacts, deepest, joints]).filter(|all| all_finite(all)),
            chains: Some([missed, distance, away]).filter(|all| all_finite(all)),
            inverted: inverted as u64,
            inverted_step: inverted_step as u64,
            inverted_at_end: inverted_at_end as u64,
        })
    }

    /// Energy that was gained by no work, where that is too much.
    pub(super) fn gain(&self) -> Option<Gain> {
        self.watch.gain()
    }

    /// How many steps did not converge, in words; `None` where all did.
    pub(super) fn unconverged(&self) -> Option<String> {
        (self.unconverged > 0)
            .then(|| format!("{} of {} steps did not converge", self.unconverged, self.steps))
    }

    /// What there is to say about steps that were shortened.
    pub(super) fn shortened(&self) -> Option<String> {
        (self.shortened > 0).then(|| {
            format!(
                "{} of {} steps stopped so far from their solution that they were shortened to add no energy: the \
                 motion is too slow; use more iterations, a shorter step or newton",
                self.shortened, self.steps
            )
        })
    }

    /// What there is to say about steps that another method took, as they would have added energy.
    pub(super) fn replaced(&self) -> Option<String> {
        let name = self.fallback.filter(|&name| name == "vbd" && self.finished > 0)?;
        Some(format!(
            "{} of {} steps would have added energy and were taken by {name} instead; use more iterations, more sub-steps \
             or newton",
            self.finished, self.steps
        ))
    }

    fn milliseconds(&self) -> f64 {
        1e3 * self.seconds / self.steps.max(1) as f64
    }

    /// For people.
    pub(super) fn table(&self, folder: &Path) -> String {
        let mut rows = Vec::new();
        let mut row = |name: &str, text: String| rows.push(vec![name.to_owned(), text]);
        row("frames", format!("{} ({} steps)", self.frames, self.steps));
        row("time", format!("{:.2} s, {:.3} ms a step", self.seconds, self.milliseconds()));
        if let Some(sentence) = self.chosen {
            row("method", sentence.to_owned());
        }
        if self.solves {
            let rounded = (self.rounded > 0)
                .then(|| format!("{} of {} steps ended by rounding", self.rounded, self.steps));
            let not: Vec<String> = self.unconverged().into_iter().chain(rounded).collect();
            let not = if not.is_empty() { "every step converged".into() } else { not.join(", ") };
            let text = format!("{:.1e} relative at worst; {not}", self.worst_residual);
            row("residual", text);
            if self.finished > 0 {
                let name = self.fallback.unwrap_or("another method");
                let text = format!("{name} continued {} of {} steps", self.finished, self.steps);
                row("fallback", text);
            }
        }
        let joule = |value: f64| {
            if value.abs() < 1e6 { format!("{value:.6} J") } else { format!("{value:.6e} J") }
        };
        let energies = [self.energy_at_start, self.energy_at_end].map(joule);
        row("energy", energies.join(" → "));
        let mut work = format!(
            "damping {:.3e} J, external {:.3e} J, contact {:.3e} J",
            self.work.damping, self.work.external, self.work.contact
        );
        if self.limited.is_some() {
            work += &format!(", limit {:.3e} J", self.work.limit);
        }
        row("work", work);
        row("numerical", format!("{:.3e} J", self.numerical));
        if let Some(strain) = self.worst_strain {
            let percent = 100.0 * strain;
            let percent = if percent.abs() < 1e6 {
                format!("{percent:+.2}")
            } else {
                format!("{percent:+.2e}")
            };
            row("strain", format!("{percent} % at worst"));
        }
        if let Some(both) = self.limited {
            let [before, after] = both.map(|excess| 100.0 * excess);
            let left =
                if after < 1e-6 { "none left".into() } else { format!("{after:.2e} % left") };
            row("limit", format!("exceeded by {before:.2} % at worst, {left}"));
        }
        if let Some([contacts, deepest, joints]) = self.rigid {
            let contacts = count(contacts as u64, "contact", "contacts");
            let mut text = format!("{contacts} at most, {:.2} mm deep at worst", 1e3 * deepest);
            if joints > 0.0 {
                text += &format!("; joints off by {joints:.1e} at worst");
            }
            row("rigid", text);
        }
        if let Some([rigid, violation, redundant]) = self.constraints {
            let rigid = count(rigid as u64, "rigid row", "rigid rows");
            let redundant = match redundant as u64 {
                0 => String::new(),
                n => format!("; {n} redundant at most: their forces are not unique"),
            };
            row(
                "constraints",
                format!("{rigid}, violated by {violation:.1e} m at worst{redundant}"),
            );
        }
        if let Some([missed, distance, away]) = self.chains {
            let reached = match missed as u64 {
                0 => "every solve reached its target".into(),
                n => format!(
                    "targets missed in {n} of {} steps, by {distance:.1e} m at most",
                    self.steps
                ),
            };
            row("chains", format!("{reached}; ends as shown at most {away:.1e} m away"));
        }
        if self.inverted > 0 {
            let most = count(self.inverted, "element", "elements");
            let end = match self.inverted_at_end {
                0 => "none".into(),
                n => n.to_string(),
            };
            row("inverted", format!("{most} at step {}; {end} at the end", self.inverted_step));
        }
        row("files", format!("{}/", folder.display()));
        columns(&rows).trim_end().to_owned()
    }

    /// For programs.
    pub(super) fn json(&self, folder: &Path, made: &Made) -> Value {
        let files = made.files.iter().map(|file| Value::from(file.display().to_string()));
        let limited = |k: usize| self.limited.map_or(Value::Null, |both| Value::from(both[k]));
        let constrained =
            |k: usize| self.constraints.map_or(Value::Null, |all| Value::from(all[k]));
        let chain = |k: usize| self.chains.map_or(Value::Null, |all| Value::from(all[k]));
        let rigid = |k: usize| self.rigid.map_or(Value::Null, |all| Value::from(all[k]));
        let solved = |value: Value| if self.solves { value } else { Value::Null };
        let most_at = match self.inverted {
            0 => Value::Null,
            _ => Value::from(self.inverted_step),
        };
        Value::from_iter([
            ("folder", Value::from(folder.display().to_string())),
            ("frames", Value::from(self.frames)),
            ("steps", Value::from(self.steps)),
            ("seconds", Value::from(self.seconds)),
            ("milliseconds_per_step", Value::from(self.milliseconds())),
            ("chosen", self.chosen.map_or(Value::Null, Value::from)),
            ("steps_not_converged", solved(Value::from(self.unconverged))),
            ("steps_ended_by_rounding", solved(Value::from(self.rounded))),
            ("steps_shortened", solved(Value::from(self.shortened))),
            ("steps_finished_by_fallback", solved(Value::from(self.finished))),
            ("worst_relative_residual", solved(Value::from(self.worst_residual))),
            ("energy_at_start", Value::from(self.energy_at_start)),
            ("energy_at_end", Value::from(self.energy_at_end)),
            ("work_damping", Value::from(self.work.damping)),
            ("work_external", Value::from(self.work.external)),
            ("work_contact", Value::from(self.work.contact)),
            ("work_limit", Value::from(self.work.limit)),
            ("numerical", Value::from(self.numerical)),
            ("energy_gained", self.gain().map_or(Value::Null, |gain| Value::from(gain.energy))),
            (
                "energy_gained_from_step",
                self.gain().map_or(Value::Null, |gain| Value::from(gain.step)),
            ),
            ("worst_strain", self.worst_strain.map_or(Value::Null, Value::from)),
            ("limit_exceeded", limited(0)),
            ("limit_left", limited(1)),
            ("rigid_rows", constrained(0)),
            ("worst_violation", constrained(1)),
            ("most_redundant", constrained(2)),
            ("most_rigid_contacts", rigid(0)),
            ("deepest_overlap", rigid(1)),
            ("worst_joint", rigid(2)),
            ("steps_targets_missed", chain(0)),
            ("worst_target_distance", chain(1)),
            ("worst_end_distance", chain(2)),
            ("most_inverted", Value::from(self.inverted)),
            ("most_inverted_at_step", most_at),
            ("inverted_at_end", Value::from(self.inverted_at_end)),
            ("files", Value::from_iter(files)),
            ("notes", Value::from_iter(made.notes.iter().map(|text| Value::from(text.as_str())))),
        ])
    }
}
