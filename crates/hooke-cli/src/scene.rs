//! Finding the scene a person named, and changing what was asked.

use crate::args::Choice;
use crate::failure::Failure;
use hooke_scene::words::hint;
use hooke_scene::{Scene, gallery};
use std::path::Path;

/// The scene, changed as asked, and a short name for it.
pub(crate) fn open(choice: &Choice) -> Result<(Scene, String), Failure> {
    let path = Path::new(&choice.scene);
    let is_file = path.extension().is_some() || path.components().count() > 1 || path.exists();
    let mut scene = if is_file {
        Scene::load(path)?
    } else {
        Scene::gallery(&choice.scene).ok_or_else(|| unknown(&choice.scene))?
    };
    if let Some(method) = &choice.method {
        scene.use_method(method)?;
    }
    scene.set_all(choice.set.iter().map(|(path, value)| (path.as_str(), value.as_str())))?;
    if let Some(bytes) = choice.memory {
        scene.set_memory_limit(bytes);
    }
    let name = path.file_stem().map_or("scene".into(), |stem| stem.to_string_lossy().into_owned());
    Ok((scene, name))
}

fn unknown(name: &str) -> Failure {
    let hint = hint(name, gallery().iter().map(|entry| entry.name));
    Failure::Usage(format!("there is no file and no scene of the gallery named {name}{hint}"))
}
