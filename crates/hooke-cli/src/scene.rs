//! Finding the scene a person named, and changing what was asked.

use crate::args::Choice;
use crate::failure::Failure;
use hooke_scene::words::hint;
use hooke_scene::{Scene, gallery};
use std::path::Path;

/// The scene, changed as asked, and a short name for it.
pub(crate) fn open(choice: &Choice) -> Result<(Scene, String), Failure> {
    let (mut scene, _) = named(&choice.scene)?;
    if let Some(method) = &choice.method {
        scene.use_method(method)?;
    }
    scene.set_all(choice.set.iter().map(|(path, value)| (path.as_str(), value.as_str())))?;
    if let Some(font) = &choice.font {
        scene.use_font(font)?;
    }
    if let Some(bytes) = choice.memory {
        scene.set_memory_limit(bytes);
    }
    let path = Path::new(&choice.scene);
    let name = path.file_stem().map_or("scene".into(), |stem| stem.to_string_lossy().into_owned());
    Ok((scene, name))
}

/// A scene as it is, and whether it is a file rather than of the gallery.
pub(crate) fn named(name: &str) -> Result<(Scene, bool), Failure> {
    let path = Path::new(name);
    if path.extension().is_some() || path.components().count() > 1 || path.exists() {
        return Ok((Scene::load(path)?, true));
    }
    Ok((Scene::gallery(name).ok_or_else(|| unknown(name))?, false))
}

fn unknown(name: &str) -> Failure {
    let hint = hint(name, gallery().iter().map(|entry| entry.name));
    Failure::Usage(format!("there is no file and no scene of the gallery named {name}{hint}"))
}
