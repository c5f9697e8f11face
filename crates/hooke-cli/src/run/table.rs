//! The tables of a run: what each recorded frame was worth, and apart from it what it took.

use crate::failure::Failure;
use hooke::{ChainReport, Contact, End, Limited, Seconds, StepReport, Work};
use hooke_scene::Cause;
use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// One row: the steps since the last frame together. Counts, work and numerical damping add up,
/// the solve is that of the worst step, inverted elements are those of the step with most, everything
/// else is as the last step ended.
pub(super) struct Frame {
    index: u64,
    report: StepReport,
    iterations: u64,
    end: Option<End>,
    /// Residual and scale (N) of the step with the greatest relative residual, and that.
    worst: Option<[f64; 3]>,
    work: Work,
    limit: Option<Limited>,
    numerical: f64,
    /// The most elements that were inverted at once.
    inverted: usize,
    contacts: usize,
    deepest: f64,
    /// Of all steps together, where anything can touch.
    contact: Option<Contact>,
    /// Of the chain that missed its targets most: what it was worth.
    chain: Option<ChainReport>,
    /// Of rigid bodies, where there are any: contacts, and the worst overlap and joint of the frame.
    rigid: Option<(usize, [f64; 2])>,
    /// Wall times of the steps (s).
    phases: Seconds,
    /// Wall time of the frame (s), writing included.
    pub(super) seconds: f64,
}

impl Frame {
    pub(super) fn new(index: u64) -> Self {
        Self {
            index,
            report: StepReport::default(),
            iterations: 0,
            end: None,
            worst: None,
            work: Work::default(),
            limit: None,
            numerical: 0.0,
            inverted: 0,
            contacts: 0,
            deepest: 0.0,
            contact: None,
            chain: None,
            rigid: None,
            phases: Seconds::default(),
            seconds: 0.0,
        }
    }

    /// The start, before any step.
    pub(super) fn start(report: &StepReport) -> Self {
        Self { report: report.clone(), inverted: report.inverted, ..Self::new(0) }
    }

    /// Adds a step.
    pub(super) fn add(&mut self, report: &StepReport) {
        self.report.clone_from(report);
        if let Some(solve) = &report.solve {
            self.iterations += u64::from(solve.iterations);
            let relative = solve.relative();
            if self.worst.is_none_or(|[.., worst]| relative >= worst) {
                self.worst = Some([solve.residual, solve.scale, relative]);
            }
            if self.end.is_none_or(|end| end == End::Converged) {
                self.end = Some(solve.end);
            }
        }
        self.work += report.work;
        if let Some(limit) = report.limit {
            self.limit = Some(self.limit.unwrap_or_default().join(limit));
        }
        self.numerical += report.numerical;
        self.inverted = self.inverted.max(report.inverted);
        if let Some(contact) = &report.contact {
            self.contacts = contact.pairs;
            self.deepest = self.deepest.max(contact.deepest);
            self.contact = Some(self.contact.unwrap_or_default().join(*contact));
        }
        if let Some(bodies) = &report.rigid_bodies {
            let (_, [deepest, joints]) = self.rigid.unwrap_or_default();
            let worst = [deepest.max(bodies.deepest), joints.max(bodies.joints)];
            self.rigid = Some((bodies.contacts, worst));
        }
        for chain in report.chains.iter().filter(|chain| chain.end.is_some()) {
            let missed = |chain: &ChainReport| chain.distance + chain.lag;
            if self.chain.as_ref().is_none_or(|worst| missed(chain) >= missed(worst)) {
                self.chain = Some(chain.clone());
            }
        }
        self.phases += report.seconds;
    }

    /// The columns of `report.csv` and this frame's values in them.
    fn cells(&self) -> Vec<(&'static str, String)> {
        let Self { report, work, .. } = self;
        fn number(value: f64) -> String {
            format!("{value:e}")
        }
        let solve = |index: usize| self.worst.map_or(String::new(), |worst| number(worst[index]));
        let limit = |cell: fn(&Limited) -> String| self.limit.as_ref().map_or(String::new(), cell);
        let surface =
            |cell: fn(&Contact) -> String| self.contact.as_ref().map_or(String::new(), cell);
        let chain =
            |cell: fn(&ChainReport) -> String| self.chain.as_ref().map_or(String::new(), cell);
        let (energy, momentum) = (&report.energy, &report.momentum);
        vec![
            ("frame", self.index.to_string()),
            ("step", report.step.to_string()),
            ("time_s", number(report.time)),
            ("substeps", report.substeps.to_string()),
            ("iterations", self.iterations.to_string()),
            ("end", self.end.map_or(String::new(), |end| end.to_string())),
            ("residual_N", solve(0)),
            ("scale_N", solve(1)),
            ("relative", solve(2)),
            ("kinetic_J", number(energy.kinetic)),
            ("elastic_J", number(energy.elastic)),
            ("gravitational_J", number(energy.gravitational)),
            ("field_J", number(energy.field)),
            ("work_damping_J", number(work.damping)),
            ("work_external_J", number(work.external)),
            ("work_contact_J", number(work.contact)),
            ("work_limit_J", number(work.limit)),
            ("numerical_J", number(self.numerical)),
            ("momentum_x_kg_m_s", number(momentum.x)),
            ("momentum_y_kg_m_s", number(momentum.y)),
            ("momentum_z_kg_m_s", number(momentum.z)),
            ("strain", report.strain.map_or(String::new(), |strain| number(strain.value))),
            ("limit_before", limit(|limit| number(limit.before))),
            ("limit_after", limit(|limit| number(limit.after))),
            ("limit_sweeps", limit(|limit| limit.sweeps.to_string())),
            ("inverted", self.inverted.to_string()),
            ("contacts", self.contacts.to_string()),
            ("deepest_m", number(self.deepest)),
            ("surface_pairs", surface(|contact| contact.surface_pairs.to_string())),
            (
                "least_distance_m",
                surface(|contact| contact.least_distance.map_or(String::new(), number)),
            ),
            ("held_back_m", surface(|contact| number(contact.held_back))),
            (
                "intersections",
                surface(|contact| contact.intersections.map_or(String::new(), |n| n.to_string())),
            ),
            ("chain_end", chain(|chain| chain.end.map_or("", |end| end.name()).to_owned())),
            ("chain_iterations", chain(|chain| chain.iterations.to_string())),
            ("chain_distance_m", chain(|chain| number(chain.distance))),
            ("chain_lag_m", chain(|chain| number(chain.lag))),
            ("chain_speed_rad_s", chain(|chain| number(chain.fastest))),
            (
                "rigid_contacts",
                self.rigid.map_or(String::new(), |(contacts, _)| contacts.to_string()),
            ),
            ("rigid_deepest_m", self.rigid.map_or(String::new(), |(_, worst)| number(worst[0]))),
            ("rigid_joints", self.rigid.map_or(String::new(), |(_, worst)| number(worst[1]))),
        ]
    }

    /// The columns of `timing.csv` and this frame's values in them.
    fn timings(&self) -> Vec<(&'static str, String)> {
        let Seconds {
            total,
            method,
            assembly,
            factorization,
            solution,
            limit,
            rigid_bodies,
            contact,
            chains,
            measure,
        } = self.phases;
        let times = [
            ("stepping_s", total),
            ("method_s", method),
            ("assembly_s", assembly),
            ("factorization_s", factorization),
            ("solution_s", solution),
            ("limit_s", limit),
            ("contact_s", contact),
            ("chains_s", chains),
            ("rigid_bodies_s", rigid_bodies),
            ("measure_s", measure),
            ("frame_s", self.seconds),
        ];
        let counts = [("frame", self.index.to_string()), ("step", self.report.step.to_string())];
        counts.into_iter().chain(times.map(|(name, value)| (name, format!("{value:e}")))).collect()
    }

    /// One line for a person who asked for more.
    pub(super) fn line(&self) -> String {
        let end = self.end.map_or("explicit".into(), |end| end.to_string());
        let inverted = match self.inverted {
            0 => String::new(),
            n => format!(", {n} inverted"),
        };
        format!(
            "frame {}: t = {:.4} s, {} iterations, {end}, relative residual {}{inverted}, {:.1} ms",
            self.index,
            self.report.time,
            self.iterations,
            self.worst.map_or("-".into(), |[.., relative]| format!("{relative:.1e}")),
            1e3 * self.seconds,
        )
    }
}

/// `report.csv` and `timing.csv`, written row by row.
pub(super) struct Tables {
    report: (PathBuf, File),
    timing: (PathBuf, File),
}

impl Tables {
    pub(super) fn create(folder: &Path) -> Result<Self, Failure> {
        let create = |name: &str| {
            let path = folder.join(name);
            File::create(&path).map_err(Failure::file(&path)).map(|file| (path.clone(), file))
        };
        let mut tables = Self { report: create("report.csv")?, timing: create("timing.csv")? };
        let first = Frame::new(0);
        write(&mut tables.report, first.cells().into_iter().map(|(name, _)| name.to_owned()))?;
        write(&mut tables.timing, first.timings().into_iter().map(|(name, _)| name.to_owned()))?;
        Ok(tables)
    }

    /// Opens the tables of a run to go on with them, cut to the lengths they had.
    pub(super) fn reopen(folder: &Path, lengths: &[u64]) -> Result<Self, Failure> {
        let open = |name: &str, length: Option<&u64>| {
            let (path, length) = (folder.join(name), length.copied().unwrap_or(0));
            let opened = OpenOptions::new().write(true).open(&path);
            let opened = opened.and_then(|file| file.metadata().map(|data| (file, data.len())));
            let (file, left) = opened.map_err(Failure::file(&path))?;
            if left < length {
                let sentence =
                    format!("is truncated: {left} bytes instead of {length} at the checkpoint");
                return Err(Failure::unfit(&path, Cause::Input, sentence));
            }
            Ok((path, file, length))
        };
        let cut = |(path, mut file, length): (PathBuf, File, u64)| {
            let cut = file.set_len(length).and_then(|()| file.seek(SeekFrom::End(0)));
            cut.map_err(Failure::file(&path)).map(|_| (path.clone(), file))
        };
        // Nothing is cut before both are known to be whole.
        let [report, timing] =
            [open("report.csv", lengths.first())?, open("timing.csv", lengths.get(1))?];
        Ok(Self { report: cut(report)?, timing: cut(timing)? })
    }

    /// Makes sure that everything is on the disk; the lengths of the tables (bytes).
    pub(super) fn sync(&mut self) -> Result<Vec<u64>, Failure> {
        let sync = |(path, file): &mut (PathBuf, File)| {
            file.sync_data().and_then(|()| file.stream_position()).map_err(Failure::file(path))
        };
        Ok(vec![sync(&mut self.report)?, sync(&mut self.timing)?])
    }

    pub(super) fn append(&mut self, frame: &Frame) -> Result<(), Failure> {
        write(&mut self.report, frame.cells().into_iter().map(|(_, cell)| cell))?;
        write(&mut self.timing, frame.timings().into_iter().map(|(_, cell)| cell))
    }
}

fn write(
    (path, file): &mut (PathBuf, File),
    cells: impl Iterator<Item = String>,
) -> Result<(), Failure> {
    let line = cells.collect::<Vec<_>>().join(",");
    writeln!(file, "{line}").map_err(Failure::file(path))
}
