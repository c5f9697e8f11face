//! A method as it is asked for on the command line: `newton`, `quasi-newton:iterations=10`.

use crate::{Problems, Scene};

/// A scene under one method with its settings.
#[derive(Clone, Debug)]
pub struct Entrant {
    /// The method as it was asked for.
    pub label: String,
    /// The scene under it.
    pub scene: Scene,
    /// The most parts a step may be cut into, where nobody asked for the method by name.
    pub(super) patience: Option<u32>,
}

/// What a method that was not asked for may cut a step into.
const PATIENCE: u32 = 1000;

impl Entrant {
    /// Reads `NAME` or `NAME:SETTING=VALUE:SETTING=VALUE`; `substeps` is the scene's own. What is
    /// not said stays as in the scene, where the method has such a setting.
    pub fn parse(text: &str, scene: &Scene) -> Result<Self, Problems> {
        let mut parts = text.split(':');
        let mut own = scene.clone();
        let option = format!("--methods {}", text.trim());
        own.change_method(parts.next().unwrap_or_default().trim(), &option)?;
        let changes: Vec<(String, &str)> = parts
            .map(|part| {
                let (name, value) = part.split_once('=').unwrap_or((part, ""));
                let table = if name.trim() == "substeps" { "time" } else { "method" };
                (format!("{table}.{}", name.trim()), value.trim())
            })
            .collect();
        let changes = changes.iter().map(|(path, value)| (path.as_str(), *value));
        own.change(changes, |_, _| option.clone())?;
        Ok(Self { label: text.trim().to_owned(), scene: own, patience: None })
    }

    /// Every method, with its default settings; those that need very many sub-steps stay aside.
    pub fn all(scene: &Scene) -> Result<Vec<Self>, Problems> {
        let names = hooke::methods::METHODS.iter().map(|info| info.name);
        names
            .map(|name| Ok(Self { patience: Some(PATIENCE), ..Self::parse(name, scene)? }))
            .collect()
    }
}
