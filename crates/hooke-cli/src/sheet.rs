//! `hooke scenes --sheet`: the whole gallery in one picture.

use crate::args::Output;
use crate::failure::Failure;
use crate::interrupt;
use crate::media::{refuse_existing, write_png};
use crate::out::Out;
use crate::progress;
use hooke_media::thumbnail;
use hooke_render::{Image, Settings, Theme, contact_sheet};
use hooke_scene::Scene;
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
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let settings = Settings { width: 420, height: 270, samples: 3, ..Settings::default() };
    let mut images = Vec::new();
    for entry in gallery {
        if let Some(scene) = Scene::gallery(entry.name) {
            interrupt::check()?;
            images.push((thumbnail(&scene, threads, &settings)?, entry.name));
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    let pictures: Vec<(&Image, &str)> = images.iter().map(|(image, name)| (image, *name)).collect();
    write_png(&contact_sheet(&pictures, COLUMNS, Theme::Paper)?, path)?;
    out.files(&[path.to_owned()], &[])
}
