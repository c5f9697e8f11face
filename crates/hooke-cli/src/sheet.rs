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
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

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
    // Scenes are drawn side by side, each on one thread.
    let (next, images) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let draw = || -> Result<(), Failure> {
        while let Some(entry) = gallery.get(next.fetch_add(1, Ordering::Relaxed)) {
            if let Some(scene) = Scene::gallery(entry.name) {
                interrupt::check()?;
                let image = thumbnail(&scene, 1, &settings)?;
                images.lock().unwrap_or_else(PoisonError::into_inner).push((entry.name, image));
            }
            bar.inc(1);
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (1..threads).map(|_| scope.spawn(draw)).collect();
        let own = draw();
        let others = workers.into_iter().map(|worker| worker.join().unwrap_or(Ok(())));
        others.fold(own, Result::and)
    })?;
    bar.finish_and_clear();
    let images = images.into_inner().unwrap_or_else(PoisonError::into_inner);
    let find = |name: &'static str| images.iter().find(|(known, _)| *known == name);
    let pictures: Vec<(&Image, &str)> = gallery
        .iter()
        .filter_map(|entry| find(entry.name))
        .map(|(name, image)| (image, *name))
        .collect();
    write_png(&contact_sheet(&pictures, COLUMNS, Theme::Paper)?, path)?;
    out.files(&[path.to_owned()], &[])
}
