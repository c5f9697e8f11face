//! Pictures of the gallery, drawn when they are first asked for and kept.

use crate::routes::Studio;
use axum::body::Bytes;
use hooke_render::Settings;
use hooke_scene::Scene;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// How long a scene runs towards the moment it is best seen at: where that is far, the picture is of
/// the moment that was reached.
const PATIENCE: Duration = Duration::from_millis(1500);

/// Width and height of a picture (pixels).
const SIZE: [u32; 2] = [320, 200];

/// The pictures drawn so far; `None` where a scene has none.
#[derive(Default)]
pub(crate) struct Thumbnails(Mutex<HashMap<String, Option<Bytes>>>);

impl Thumbnails {
    /// The picture of a scene, as PNG.
    pub(crate) async fn get(studio: &Arc<Studio>, name: &str) -> Option<Bytes> {
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

fn draw(scene: &Scene) -> Option<Bytes> {
    let [width, height] = SIZE;
    let settings = Settings { width, height, ..Settings::default() };
    let image = hooke_media::thumbnail(scene, 1, Some(PATIENCE), &settings).ok()?;
    let mut png = Vec::new();
    image.write_png(&mut png).ok()?;
    Some(png.into())
}
