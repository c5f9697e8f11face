//! `hooke compare`: methods side by side on one scene, as a table, plots and pictures.

mod chains;
mod pictures;
mod plots;
mod rigid;
mod table;

use crate::args::{Compare, Output};
use crate::failure::{Failure, tell_problems};
use crate::folder;
use crate::interrupt;
use crate::media::{self, write_png};
use crate::out::Out;
use crate::progress;
use crate::scene;
use hooke_scene::compare::{Comparison, Entrant, Mode, compare as run};
use hooke_scene::json::results;
use hooke_scene::{Compiled, Scene};
use std::io::Write;
use std::path::Path;

/// Over how many frames methods are compared where nobody says: enough to see, soon enough to wait for.
const FRAMES: u64 = 5;

/// The same for rigid bodies, which need time to come to rest.
const RIGID_FRAMES: u64 = 120;

pub(crate) fn compare(options: &Compare, output: &Output, out: &mut Out) -> Result<(), Failure> {
    let (scene, name) = scene::open(&options.choice)?;
    let compiled = scene.compile()?;
    if !compiled.warnings.is_empty() && !output.quiet {
        tell_problems(&compiled.warnings, output);
    }
    if scene.document().deformables.is_empty() && !compiled.chains.is_empty() {
        return of_chains(&scene, &name, &compiled, options, out, output);
    }
    if scene.document().deformables.is_empty() && !compiled.model.rigid_bodies().is_empty() {
        return of_rigid_bodies(&scene, &name, options, out, output);
    }
    let counts = &options.iterations;
    let entrants = match (&options.methods[..], &counts[..]) {
        ([], []) => Entrant::all(&scene)?,
        ([], counts) => pictures::counted("quasi-newton", counts, &scene)?,
        ([method], counts @ [_, ..]) => pictures::counted(method, counts, &scene)?,
        (_, [_, ..]) => {
            let sentence = "--iterations requires one method; --methods names several";
            return Err(Failure::Usage(sentence.into()));
        }
        (methods, []) => {
            let parsed: Result<Vec<_>, _> =
                methods.iter().map(|text| Entrant::parse(text, &scene)).collect();
            parsed?
        }
    };
    let frames = options.frames.unwrap_or(scene.frames().min(FRAMES));
    let threads = options.threads.map_or(1, usize::from);
    let folder = folder::open(options.out.as_deref(), "compare", &name, options.force)?;
    interrupt::listen();
    let bar = progress::bar(frames, "frames", output);
    let mut each = |done| bar.set_position(done);
    let comparison = run(
        &scene,
        &entrants,
        options.mode.into(),
        frames,
        threads,
        &mut each,
        &interrupt::requested,
    );
    bar.finish_and_clear();
    interrupt::check()?;
    let comparison = comparison?;

    let json = results(&table::json(&comparison, &scene));
    write(&folder.join("compare.json"), json.as_bytes())?;
    write(&folder.join("frames.csv"), table::csv(&comparison).as_bytes())?;
    plots::draw(&comparison, &folder)?;
    if !counts.is_empty() {
        pictures::sheet(&scene, &entrants, &comparison, frames, threads, &folder, output)?;
    }
    match output.json {
        true => out.result(&json),
        false => {
            out.result(&table::text(&comparison, &scene))?;
            out.remark(&format!("\nfiles  {}/", folder.display()))
        }
    }
}

/// Solvers on the chains of a scene that has nothing else.
fn of_chains(
    scene: &Scene,
    name: &str,
    compiled: &Compiled,
    options: &Compare,
    out: &mut Out,
    output: &Output,
) -> Result<(), Failure> {
    if !options.methods.is_empty() || !options.iterations.is_empty() {
        let sentence = "the scene has only chains: their solvers are compared, not methods";
        return Err(Failure::Usage(sentence.into()));
    }
    let folder = folder::open(options.out.as_deref(), "compare", name, options.force)?;
    let names: Vec<String> = compiled.chains.iter().map(|chain| chain.name.clone()).collect();
    let tried = chains::run(&compiled.model, &names, options.targets as usize)?;
    let json = results(&chains::json(&tried, scene));
    write(&folder.join("compare.json"), json.as_bytes())?;
    chains::draw(&tried, &folder)?;
    match output.json {
        true => out.result(&json),
        false => {
            out.result(&chains::text(&tried, scene))?;
            out.remark(&format!("\nfiles  {}/", folder.display()))
        }
    }
}

/// Methods for the rigid bodies of a scene without particles.
fn of_rigid_bodies(
    scene: &Scene,
    name: &str,
    options: &Compare,
    out: &mut Out,
    output: &Output,
) -> Result<(), Failure> {
    if !options.methods.is_empty() || !options.iterations.is_empty() {
        let sentence = "the scene has no particles: methods for rigid bodies are compared, not methods for \
                        particles";
        return Err(Failure::Usage(sentence.into()));
    }
    let folder = folder::open(options.out.as_deref(), "compare", name, options.force)?;
    interrupt::listen();
    let frames = options.frames.unwrap_or(scene.frames().min(RIGID_FRAMES));
    let threads = options.threads.map_or(1, usize::from);
    let outcomes = rigid::run(scene, frames, threads, output)?;
    let json = results(&rigid::json(&outcomes, scene));
    write(&folder.join("compare.json"), json.as_bytes())?;
    rigid::draw(&outcomes, scene, &folder, output)?;
    match output.json {
        true => out.result(&json),
        false => {
            out.result(&rigid::text(&outcomes, scene))?;
            out.remark(&format!("\nfiles  {}/", folder.display()))
        }
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    media::write_whole(path, |file| file.write_all(bytes).map_err(Failure::file(path)))
}

/// The middle of a list of numbers, of those that are finite.
fn median(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.filter(|value| value.is_finite()).collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

/// What a comparison says of each method in one line.
struct Row<'a> {
    label: &'a str,
    objective: Option<&'static str>,
    error: Option<f64>,
    worst: Option<f64>,
    gap: Option<f64>,
    residual: Option<f64>,
    iterations: Option<f64>,
    milliseconds: Option<f64>,
    converged: Option<(usize, usize)>,
    numerical: f64,
    /// The most contacts, and the deepest behind a surface (m).
    contact: Option<(usize, f64)>,
    stopped: Option<&'a str>,
    gained: Option<&'a str>,
}

/// The rows of a comparison: medians over single steps, the last frame of whole runs.
fn rows(comparison: &Comparison) -> Vec<Row<'_>> {
    let single_steps = comparison.mode == Mode::Step;
    let row = |outcome: &'_ hooke_scene::compare::Outcome| {
        let samples = &outcome.samples;
        let errors = || samples.iter().map(|sample| sample.error);
        let solved = samples.iter().filter_map(|sample| sample.converged);
        let (done, of) = (solved.clone().filter(|done| *done).count(), solved.count());
        (
            if single_steps { median(errors()) } else { errors().next_back() },
            errors().reduce(f64::max),
            (done, of),
        )
    };
    comparison
        .outcomes
        .iter()
        .map(|outcome| {
            let samples = &outcome.samples;
            let (error, worst, (done, of)) = row(outcome);
            Row {
                label: &outcome.label,
                objective: outcome.objective,
                error,
                worst,
                gap: median(samples.iter().filter_map(|sample| sample.gap)),
                residual: median(samples.iter().filter_map(|sample| sample.residual)),
                iterations: median(samples.iter().map(|sample| f64::from(sample.iterations)))
                    .filter(|_| of > 0),
                milliseconds: median(samples.iter().map(|sample| sample.milliseconds)),
                converged: (of > 0).then_some((done, of)),
                numerical: samples.iter().map(|sample| sample.numerical).sum(),
                contact: samples.iter().filter_map(|sample| sample.contact).fold(
                    None,
                    |most, now| {
                        let (pairs, deepest) = most.unwrap_or((0, 0.0));
                        Some((now.pairs.max(pairs), now.deepest.max(deepest)))
                    },
                ),
                stopped: outcome.stopped.as_deref(),
                gained: outcome.gained.as_deref(),
            }
        })
        .collect()
}
