//! `hooke run` and `hooke resume`: step a scene, record it, and say what the run was worth.

mod failed;
mod job;
mod summary;
mod table;
mod twin;

use crate::args::{Output, Resume, Run, Work};
use crate::check;
use crate::failure::{Failure, error_line, tell_problems};
use crate::folder;
use crate::interrupt;
use crate::media;
use crate::message::tell_warning;
use crate::out::Out;
use crate::progress;
use crate::scene;
use hooke::Kernels;
use hooke_media::Clip;
use hooke_scene::json::results;
use hooke_scene::recording::{self, Checkpoint, Header, Writer, fingerprint};
use hooke_scene::{Compiled, Scene};
use job::Job;
use std::io::Write;
use std::path::Path;
use std::time::Duration;
use summary::Summary;
use table::Tables;
use twin::Twin;

/// One thread for so many particles.
const PARTICLES_PER_THREAD: usize = 2000;

pub(crate) fn run(options: &Run, output: &Output, out: &mut Out) -> Result<(), Failure> {
    let (mut scene, name) = scene::open(&options.choice)?;
    if let Some(frames) = options.frames {
        scene.set_frames(frames)?;
    }
    scene.resolve_meshes()?;
    let compiled = scene.compile()?;
    if !compiled.warnings.is_empty() && !output.quiet {
        tell_problems(&compiled.warnings, output);
    }
    let header = Header::of(&scene, &compiled);
    let fingerprint = fingerprint(&header, &compiled.model);
    let introduction = check::introduce(&scene, &compiled);
    let needs = check::needs(&scene, &compiled);
    let threads = options.work.threads.map_or_else(|| threads(&compiled), usize::from);
    let mut simulation = scene.simulation_of(compiled, threads)?;
    let kernels = if options.portable { Kernels::Portable } else { Kernels::Native };
    simulation.set_kernels(kernels);
    if !output.json {
        out.remark(&introduction)?;
        out.remark(&check::stability(&scene, &mut simulation)?)?;
    }
    if options.dry_run {
        return out.result(&needs);
    }
    let twin = match options.work.check_determinism {
        true => Some(Twin::of(&scene, threads, kernels)?),
        false => None,
    };

    let folder = folder::open(options.out.as_deref(), "runs", &name, options.force)?;
    let writer = Writer::create(&folder.join(recording::FILE), &header, options.force)?;
    media::clear(&folder)?;
    failed::clear(&folder)?;
    Checkpoint::clear(&folder)?;
    media::write_whole(&folder.join("scene.toml"), |file| {
        file.write_all(scene.text().as_bytes()).map_err(Failure::file(&folder))
    })?;
    for (name, bytes) in scene.embedded_meshes() {
        let path = folder.join(name);
        media::write_whole(&path, |file| file.write_all(bytes).map_err(Failure::file(&path)))?;
    }
    let tables = Tables::create(&folder)?;
    let summary = Summary::new(&simulation);
    let pause = Duration::from_secs_f64(options.work.checkpoint);
    let last = scene.frames();
    let mut job = Job {
        scene,
        simulation,
        fingerprint,
        folder,
        writer,
        tables,
        summary,
        twin,
        pause,
        safe: 0,
    };
    interrupt::listen();
    let begun = job.begin();
    work(job, begun, last, &options.work, output, out)
}

pub(crate) fn resume(options: &Resume, output: &Output, out: &mut Out) -> Result<(), Failure> {
    let folder = &options.folder;
    let path = folder.join(recording::FILE);
    let (mut writer, mut reader) = Writer::reopen(&path)?;
    let recorded = reader.header().clone();
    let name = folder.join("scene.toml");
    let scene = Scene::parse_in(recorded.scene.as_str(), name.display().to_string(), folder)?;
    let compiled = scene.compile()?;
    let header = Header::of(&scene, &compiled);
    let fingerprint = fingerprint(&header, &compiled.model);
    let found = Checkpoint::load(folder, |checkpoint| checkpoint.frame < reader.frames());
    let found = found.map_err(|error| no_checkpoint(folder, &error.to_string()))?;
    let checkpoint = &found.checkpoint;
    if (checkpoint.scene, &header) != (fingerprint, &recorded) {
        return Err(Failure::Refused(format!(
            "{}: the scene is no longer what it was, most likely because a mesh file was changed; \
             start again with hooke run",
            folder.display()
        )));
    }
    let whole = reader.verify(checkpoint.frame + 1).map_err(Failure::from);
    whole.map_err(|failure| failure.adding(&again(folder)))?;
    let threads = options.work.threads.map_or_else(|| threads(&compiled), usize::from);
    let mut simulation = scene.simulation_of(compiled, threads)?;
    let unusable = || no_checkpoint(folder, &format!("{}: is damaged", found.path.display()));
    let kernels = Kernels::find(&checkpoint.kernels).ok_or_else(unusable)?;
    simulation.set_kernels(kernels);
    simulation.restore(&checkpoint.snapshot).map_err(|_| unusable())?;
    let summary = Summary::restored(&checkpoint.totals).ok_or_else(unusable)?;
    let last = match options.frames {
        Some(frames) if frames < checkpoint.frame => {
            return Err(Failure::Usage(format!(
                "{}: {} frames are already recorded",
                folder.display(),
                checkpoint.frame
            )));
        }
        Some(frames) => frames,
        None => scene.frames().max(checkpoint.frame),
    };
    if let Some(error) = &found.passed_over {
        out.remark(&format!("note: {error}; continuing from {}", found.path.display()))?;
    }
    let dropped = reader.frames() - (checkpoint.frame + 1);
    if !output.json {
        out.remark(&resumed(&scene, checkpoint, last, dropped))?;
    }
    if checkpoint.program != env!("CARGO_PKG_VERSION") {
        let program = &checkpoint.program;
        out.remark(&format!(
            "note: started by version {program}; the bits may differ from here on"
        ))?;
    }
    let twin = match options.work.check_determinism {
        true => Some(Twin::of(&scene, threads, kernels)?),
        false => None,
    };
    let tables = Tables::reopen(folder, &checkpoint.tables);
    let tables = tables.map_err(|failure| failure.adding(&again(folder)))?;
    writer.cut(&reader, checkpoint.frame + 1)?;
    media::clear(folder)?;
    failed::clear(folder)?;
    let safe = checkpoint.frame + 1;
    let pause = Duration::from_secs_f64(options.work.checkpoint);
    let folder = folder.clone();
    let job =
        Job { scene, simulation, fingerprint, folder, writer, tables, summary, twin, pause, safe };
    interrupt::listen();
    work(job, Ok(()), last, &options.work, output, out)
}

/// Steps to the last frame, tells what the run was worth, and makes its products.
fn work(
    mut job: Job,
    begun: Result<(), Failure>,
    last: u64,
    options: &Work,
    output: &Output,
    out: &mut Out,
) -> Result<(), Failure> {
    let bar = progress::bar(last, "frames", output);
    bar.set_position(job.summary.frames.saturating_sub(1));
    let ended = begun.and_then(|()| {
        job.go_on(last, |frame| {
            bar.inc(1);
            if output.verbose {
                bar.suspend(|| error_line(&frame.line()));
            }
        })
    });
    bar.finish_and_clear();
    let ended = match ended {
        Err(Failure::Numerical(sentence)) => {
            let written = failed::write(&job, &sentence);
            let (frames, folder) = (job.summary.frames, job.folder.display());
            let sentence = format!("{sentence}; the {frames} frames before are kept in {folder}");
            // How the run ended counts, even where its last state could not be written.
            Err(Failure::Numerical(match written {
                Ok(()) => sentence,
                Err(_) => format!("{sentence}, but not the last state"),
            }))
        }
        Err(failure @ (Failure::Io(_) | Failure::File { .. })) => {
            let folder = job.folder.display();
            Err(match job.left() {
                0 => failure,
                frames => failure.adding(&format!(
                    "{frames} frames are safe: once there is room again, hooke resume {folder} \
                     continues it"
                )),
            })
        }
        Ok(()) if interrupt::requested() && job.summary.frames <= last => {
            let (frames, folder) = (job.summary.frames, job.folder.display());
            Err(Failure::Interrupted(format!(
                "stopped; {frames} frames are saved in {folder}: hooke resume {folder} continues it"
            )))
        }
        ended => ended,
    };
    let gained = job.gained();
    let Job { folder, summary, twin, writer, .. } = job;
    drop(writer);
    if ended.is_ok() {
        Checkpoint::settle(&folder);
    }
    if !output.json {
        out.remark(&summary.table(&folder))?;
        if let (Some(twin), Ok(())) = (&twin, &ended) {
            out.remark(&twin.verdict())?;
        }
    }
    // A run that went wrong is shown as far as it went; one that was stopped or could not write is
    // not. Whatever happens to its pictures, how the run itself ended is what counts.
    let made = match ended {
        Err(Failure::Interrupted(_) | Failure::Io(_) | Failure::File { .. }) => {
            Ok(media::Made::default())
        }
        _ => Clip::open(&folder)
            .map_err(Failure::from)
            .and_then(|mut clip| media::make(&mut clip, &options.export, &folder, output)),
    };
    if output.json {
        let none = media::Made::default();
        out.result(&results(&summary.json(&folder, made.as_ref().unwrap_or(&none))))?;
    }
    if let (Ok(()), Ok(made), false) = (&ended, &made, output.json) {
        made.notes.iter().try_for_each(|note| out.remark(&format!("note: {note}")))?;
    }
    // What was not quite right is told last, unless the run ended with something worse.
    ended?;
    made?;
    let unconverged = summary.unconverged();
    if options.strict && (gained.is_some() || unconverged.is_some()) {
        let warnings: Vec<String> = gained.into_iter().chain(unconverged).collect();
        return Err(Failure::Numerical(format!(
            "{}; all {} frames are kept in {}",
            warnings.join("; "),
            summary.frames,
            folder.display()
        )));
    }
    for sentence in gained.into_iter().chain(summary.shortened()).chain(summary.replaced()) {
        tell_warning(&sentence, output);
    }
    Ok(())
}

fn no_checkpoint(folder: &Path, why: &str) -> Failure {
    let again = again(folder);
    Failure::Refused(format!("{why}; there is no checkpoint to continue from, {again}"))
}

/// What to do with a run that cannot go on.
fn again(folder: &Path) -> String {
    let folder = folder.display();
    format!("start again with hooke run {folder}/scene.toml --out {folder} --force")
}

fn threads(compiled: &Compiled) -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    cores.min(1 + compiled.model.particles() / PARTICLES_PER_THREAD)
}

/// What is gone on with.
fn resumed(scene: &Scene, checkpoint: &Checkpoint, last: u64, dropped: u64) -> String {
    let title = &scene.document().title;
    let frame = checkpoint.frame;
    let again = match dropped {
        0 => String::new(),
        n => format!(" ({n} recorded after the checkpoint are computed again)"),
    };
    match last - frame {
        0 => format!("{title}: all {frame} frames are recorded"),
        n => format!("{title}: continues after frame {frame}, {n} to go{again}"),
    }
}
