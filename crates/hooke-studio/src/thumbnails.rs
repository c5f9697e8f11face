//! Pictures of scenes. The program carries those of the gallery, as some take a minute to run to the
//! moment they are best seen at; that of the command line is drawn when it is first asked for.

use crate::routes::Studio;
use axum::body::Bytes;
use hooke_render::Settings;
use hooke_scene::Scene;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// The pictures of the gallery: `/NAME.png` and its bytes.
const CARRIED: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/pictures.rs"));

/// Width and height of a picture (pixels).
const SIZE: [u32; 2] = [320, 200];

/// The pictures drawn so far; `None` where a scene has none.
#[derive(Default)]
pub(crate) struct Thumbnails(Mutex<HashMap<String, Option<Bytes>>>);

impl Thumbnails {
    /// The picture of a scene, as PNG.
    pub(crate) async fn get(studio: &Arc<Studio>, name: &str) -> Option<Bytes> {
        if let Some(picture) = carried(name) {
            return Some(Bytes::from_static(picture));
        }
        let scene = studio.library.named(name)?;
        if let Some(known) = studio.thumbnails.known(name) {
            return known;
        }
        let _permit = studio.pictures.acquire().await.ok()?;
        // Whoever waited before us may have asked for the same.
        if let Some(known) = studio.thumbnails.known(name) {
            return known;
        }
        let drawn = tokio::task::spawn_blocking(move || draw(&scene)).await.ok().flatten();
        if let Ok(mut pictures) = studio.thumbnails.0.lock() {
            pictures.insert(name.to_owned(), drawn.clone());
        }
        drawn
    }

    fn known(&self, name: &str) -> Option<Option<Bytes>> {
        self.0.lock().ok()?.get(name).cloned()
    }
}

/// The picture of a scene of the gallery, as PNG.
pub fn carried(name: &str) -> Option<&'static [u8]> {
    CARRIED
        .iter()
        .find(|(path, _)| {
            path.strip_prefix('/').and_then(|path| path.strip_suffix(".png")) == Some(name)
        })
        .map(|(_, bytes)| *bytes)
}

fn draw(scene: &Scene) -> Option<Bytes> {
    let [width, height] = SIZE;
    let settings = Settings { width, height, ..Settings::default() };
    let image = hooke_media::thumbnail(scene, 1, &settings).ok()?;
    let mut png = Vec::new();
    image.write_png(&mut png).ok()?;
    Some(png.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use hooke_scene::gallery;
    use std::path::PathBuf;

    /// Scenes that run in a moment: their pictures are drawn again and compared.
    const QUICK: [&str; 8] =
        ["attractor", "dashpot", "drag", "free-fall", "pendulum", "rope", "spring", "springs"];

    /// `HOOKE_ACCEPT=1` draws all of them anew, which takes some minutes.
    #[test]
    fn every_scene_of_the_gallery_has_its_picture() {
        if std::env::var_os("HOOKE_ACCEPT").is_some() {
            return accept();
        }
        let names: Vec<String> =
            gallery().iter().map(|entry| format!("/{}.png", entry.name)).collect();
        for (path, _) in CARRIED {
            assert!(names.iter().any(|name| name == path), "{path} is of no scene");
        }
        for entry in gallery() {
            let picture = carried(entry.name);
            assert!(picture.is_some_and(|bytes| bytes.starts_with(b"\x89PNG")), "{}", entry.name);
        }
        for name in QUICK {
            let drawn = Scene::gallery(name).and_then(|scene| draw(&scene)).expect("a picture");
            let [now, then] = [&drawn[..], carried(name).expect("a picture")].map(pixels);
            assert_eq!(now.len(), then.len(), "{name}");
            // Processors round differently.
            let apart: u64 = now.iter().zip(&then).map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
            assert!(apart as usize <= now.len() / 50, "{name} looks different now: {apart}");
        }
    }

    fn pixels(picture: &[u8]) -> Vec<u8> {
        let decoder = png::Decoder::new(std::io::Cursor::new(picture));
        let mut reader = decoder.read_info().expect("a PNG");
        let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
        reader.next_frame(&mut pixels).expect("a frame");
        pixels
    }

    fn accept() {
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("pictures");
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("a folder");
        let entries = Mutex::new(gallery().iter());
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        std::thread::scope(|scope| {
            for _ in 0..cores {
                scope.spawn(|| {
                    loop {
                        let next = entries.lock().expect("a list").next();
                        let Some(entry) = next else { return };
                        let scene = Scene::gallery(entry.name).expect("a scene");
                        let picture = draw(&scene).expect("a picture");
                        let path = folder.join(format!("{}.png", entry.name));
                        std::fs::write(path, picture).expect("a file");
                    }
                });
            }
        });
    }
}
