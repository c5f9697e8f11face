//! `hooke scenes --sheet`: the whole gallery in one picture.

use crate::args::Output;
use crate::failure::Failure;
use crate::interrupt;
use crate::media::{Stage, refuse_existing, write_png};
use crate::out::Out;
use crate::progress;
use hooke_render::{Bounds, Image, Settings, Theme, contact_sheet};
use hooke_scene::Scene;
use hooke_scene::recording::{Frame, Header};
use std::collections::VecDeque;
use std::path::Path;

/// Pictures side by side.
const COLUMNS: usize = 4;

pub(crate) fn sheet(
    path: &Path,
    force: bool,
    output: &Output,
    out: &mut Out,
) -> Result<(), Failure> {
    refuse_existing(path, force)?;
    interrupt::listen();
    let gallery = hooke_scene::gallery();
    let bar = progress::bar(gallery.len() as u64, "scenes", output);
    let mut images = Vec::new();
    for entry in gallery {
        if let Some(scene) = Scene::gallery(entry.name) {
            interrupt::check()?;
            images.push((thumbnail(&scene)?, entry.name));
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    let pictures: Vec<(&Image, &str)> = images.iter().map(|(image, name)| (image, *name)).collect();
    write_png(&contact_sheet(&pictures, COLUMNS, Theme::Paper)?, path)?;
    out.files(&[path.to_owned()], &[])
}

/// A scene at the moment it is best seen.
fn thumbnail(scene: &Scene) -> Result<Image, Failure> {
    let compiled = scene.compile()?;
    let header = Header::of(scene, &compiled);
    let stage = Stage::new(&header, scene);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut simulation = scene.simulation_of(compiled, threads)?;
    let last = match stage.moment() {
        Some(seconds) => ((seconds * scene.fps()).round() as u64).min(scene.frames()),
        None => scene.frames(),
    };
    let show = |index: u64, state: &hooke::State| Frame {
        index,
        time: state.time,
        positions: state.positions.clone(),
        velocities: state.velocities.clone(),
    };
    let mut frame = show(0, simulation.state());
    let mut past = VecDeque::new();
    let mut bounds: Bounds = stage.bounds(&frame);
    for index in 1..=last {
        for _ in 0..scene.steps_per_frame() {
            simulation.step()?;
        }
        past.push_back(std::mem::replace(&mut frame, show(index, simulation.state())));
        if past.len() > stage.trails() {
            past.pop_front();
        }
        bounds = bounds.union(&stage.bounds(&frame));
    }
    let settings = Settings { width: 420, height: 270, samples: 3, ..Settings::default() };
    stage.draw(&frame, past.make_contiguous(), &bounds, &settings)
}
