//! `--iterations`: the same moment under several iteration counts, side by side.

use super::{rows, write_png};
use crate::args::Output;
use crate::failure::Failure;
use crate::interrupt;
use crate::progress;
use hooke_media::Stage;
use hooke_render::{Image, Settings, Theme, contact_sheet};
use hooke_scene::Scene;
use hooke_scene::compare::{Comparison, Entrant};
use hooke_scene::recording::{Frame, Header};
use std::path::Path;

/// A method once per count.
pub(super) fn counted(
    method: &str,
    counts: &[u32],
    scene: &Scene,
) -> Result<Vec<Entrant>, Failure> {
    let entrant = |count: &u32| Entrant::parse(&format!("{method}:iterations={count}"), scene);
    counts.iter().map(|count| entrant(count).map_err(Failure::from)).collect()
}

/// Runs every entrant and the converged reference to the same moment, and draws them.
pub(super) fn sheet(
    scene: &Scene,
    entrants: &[Entrant],
    comparison: &Comparison,
    frames: u64,
    threads: usize,
    folder: &Path,
    output: &Output,
) -> Result<(), Failure> {
    let compiled = scene.compile()?;
    let header = Header::of(scene, &compiled);
    let stage = Stage::new(&header, scene);
    let last = match stage.moment() {
        Some(seconds) => ((seconds * scene.fps()).round() as u64).min(frames),
        None => frames,
    };
    let converged = Entrant::parse("newton", scene)?;
    let all: Vec<&Entrant> = entrants.iter().chain([&converged]).collect();
    let bar = progress::bar(all.len() as u64, "pictures", output);
    let mut ends = Vec::new();
    for entrant in &all {
        ends.push(end(&entrant.scene, last, threads));
        interrupt::check()?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    let mut bounds = hooke_render::Bounds::EMPTY;
    if let Some(reference) = ends.last().and_then(|end| end.as_ref().ok()) {
        bounds = bounds.union(&stage.bounds(reference));
    }
    let settings = Settings { width: 420, height: 270, samples: 3, ..Settings::default() };
    let mut pictures: Vec<(Image, String)> = Vec::new();
    let rows = rows(comparison);
    for (index, end) in ends.into_iter().enumerate() {
        let caption = match rows.get(index) {
            None => "converged".to_owned(),
            Some(row) => {
                let (_, count) = row.label.rsplit_once('=').unwrap_or(("", row.label));
                let number =
                    |value: Option<f64>| value.map_or("-".into(), |value| format!("{value:.1e}"));
                let ms = row.milliseconds.unwrap_or(f64::NAN);
                format!("{count} iterations: error {}, {ms:.2} ms", number(row.error))
            }
        };
        // What has diverged has no picture; the table says so.
        if let Ok(frame) = end {
            pictures.push((stage.draw(&frame, &[], &bounds, &settings)?, caption));
        }
    }
    let pictures: Vec<(&Image, &str)> =
        pictures.iter().map(|(image, caption)| (image, caption.as_str())).collect();
    let image = contact_sheet(&pictures, 3, Theme::Paper)?;
    write_png(&image, &folder.join("iterations.png"))
}

/// Where a run is at a frame.
fn end(scene: &Scene, last: u64, threads: usize) -> Result<Frame, Failure> {
    let mut simulation = scene.simulation(threads)?;
    for _ in 0..last * scene.steps_per_frame() {
        simulation.step_unless(&interrupt::requested)?;
    }
    Ok(Frame::of(last, simulation.state()))
}
