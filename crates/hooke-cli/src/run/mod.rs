//! `hooke run`: steps a scene, records it, and says what the run was worth.

mod folder;
mod summary;
mod table;

use crate::args::{Output, Run};
use crate::failure::{Failure, error_line, tell_problems};
use crate::interrupt;
use crate::media::{self, Clip};
use crate::out::Out;
use crate::progress;
use crate::scene;
use hooke::{Limit, Simulation};
use hooke_scene::recording::{Header, Writer};
use hooke_scene::{Compiled, Scene};
use std::io::Write;
use std::time::Instant;
use summary::Summary;
use table::{Frame, Tables};

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
    let introduction = introduce(&scene, &compiled);
    let threads = options.threads.map_or_else(|| threads(&compiled), usize::from);
    let mut simulation = scene.simulation_of(compiled, threads)?;
    if !output.json {
        out.remark(&introduction)?;
        out.remark(&stability(&scene, &mut simulation)?)?;
    }

    let folder = folder::open(options.out.as_deref(), &name, options.force)?;
    media::clear(&folder)?;
    let recording = folder.join(hooke_scene::recording::FILE);
    let writer = Writer::create(&recording, &header, options.force)?;
    media::write_whole(&folder.join("scene.toml"), |file| {
        file.write_all(scene.text().as_bytes()).map_err(Failure::file(&folder))
    })?;
    for (name, bytes) in scene.embedded_meshes() {
        let path = folder.join(name);
        media::write_whole(&path, |file| file.write_all(bytes).map_err(Failure::file(&path)))?;
    }
    let tables = Tables::create(&folder)?;

    let summary = Summary::new(&simulation);
    interrupt::listen();
    let bar = progress::bar(scene.frames(), "frames", output);
    let mut record = Record { writer, tables, summary };
    let ended = simulate(&scene, &mut simulation, &mut record, |frame| {
        bar.inc(1);
        if output.verbose {
            bar.suspend(|| error_line(&frame.line()));
        }
    });
    bar.finish_and_clear();
    let Record { writer, summary, .. } = record;
    writer.finish()?;
    let ended = match ended {
        Err(Failure::Numerical(sentence)) => Err(Failure::Numerical(format!(
            "{sentence}; the {} frames before are kept in {}",
            summary.frames,
            folder.display()
        ))),
        Ok(()) if interrupt::asked() => {
            let (frames, folder) = (summary.frames, folder.display());
            Err(Failure::Interrupted(format!("stopped; {frames} frames are saved in {folder}")))
        }
        ended => ended,
    };
    if output.json {
        out.result(&summary.json(&folder).to_string())?;
    } else {
        out.remark(&summary.table(&folder))?;
    }
    // A run that went wrong is shown as far as it went; one that was stopped is not waited for.
    // Whatever happens to its pictures, how the run itself ended is what counts.
    if matches!(ended, Err(Failure::Interrupted(_))) {
        return ended;
    }
    let made = Clip::open(&folder)
        .and_then(|mut clip| media::make(&mut clip, &options.export, &folder, output));
    match (ended, made) {
        (Ok(()), Ok(made)) => {
            made.notes.iter().try_for_each(|note| out.remark(&format!("note: {note}")))
        }
        (Ok(()), Err(failure)) => Err(failure),
        (failed, _) => failed,
    }
}

/// What a run leaves behind.
struct Record {
    writer: Writer,
    tables: Tables,
    summary: Summary,
}

/// Steps, frame by frame, until the end or until stopped; `each` is called after every frame.
fn simulate(
    scene: &Scene,
    simulation: &mut Simulation,
    record: &mut Record,
    mut each: impl FnMut(&Frame),
) -> Result<(), Failure> {
    let Record { writer, tables, summary } = record;
    writer.append(simulation.state())?;
    tables.append(&Frame::start(simulation.report()))?;
    summary.frames = 1;
    for index in 1..=scene.frames() {
        let clock = Instant::now();
        let mut frame = Frame::new(index);
        for _ in 0..scene.steps_per_frame() {
            simulation.step()?;
            if let Some(sentence) = hooke_scene::runaway(simulation) {
                return Err(Failure::Numerical(sentence));
            }
            frame.add(simulation.report());
            summary.add(simulation.report());
        }
        writer.append(simulation.state())?;
        frame.seconds = clock.elapsed().as_secs_f64();
        tables.append(&frame)?;
        summary.frames += 1;
        each(&frame);
        if interrupt::asked() {
            break;
        }
    }
    Ok(())
}

fn threads(compiled: &Compiled) -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    cores.min(1 + compiled.model.particles() / PARTICLES_PER_THREAD)
}

/// What is about to be run.
fn introduce(scene: &Scene, compiled: &Compiled) -> String {
    let document = scene.document();
    let elements: usize = compiled.model.elements().iter().map(|batch| batch.len()).sum();
    format!(
        "{}: {} particles, {elements} elements, {} triangles; {}\n{} frames of {} steps of {:.4} ms",
        document.title,
        compiled.model.particles(),
        compiled.model.triangles().len(),
        document.method.info.name,
        scene.frames(),
        scene.steps_per_frame(),
        1e3 * scene.step_length(),
    )
}

/// The method's limit, and what is done about it.
fn stability(scene: &Scene, simulation: &mut Simulation) -> Result<String, Failure> {
    let (limit, substeps) = simulation.stability()?;
    let parts = match substeps {
        1 => "steps are taken whole".to_owned(),
        n => {
            format!("steps are cut into {n} parts of {:.3e} s", scene.step_length() / f64::from(n))
        }
    };
    Ok(match limit {
        Limit::None => format!("stable at every step; {parts}"),
        Limit::Below(limit) => {
            let above = scene.step_length() / f64::from(substeps) >= limit;
            let warning = if above { ": it may diverge" } else { "" };
            format!("stable below {limit:.3e} s; {parts}{warning}")
        }
        Limit::Never => format!("grows at every step for lack of damping; {parts}"),
    })
}
