//! What was changed in a tab and stands in no file: it is saved when the studio ends.

use crate::Failure;
use crate::file::replace;
use crate::library::Library;
use hooke_scene::{Scene, import};
use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The scenes of open tabs that stand in no file, by the number of their tab.
#[derive(Default)]
pub(crate) struct Drafts {
    open: Mutex<Open>,
}

#[derive(Default)]
struct Open {
    tabs: u64,
    drafts: BTreeMap<u64, Scene>,
}

/// How many files of one name are made.
const SAME_NAME: u32 = 10_000;

impl Drafts {
    /// The number of a new tab.
    pub(crate) fn tab(&self) -> u64 {
        let mut open = self.open();
        open.tabs += 1;
        open.tabs
    }

    /// What a tab shows now, where it stands in no file.
    pub(crate) fn note(&self, tab: u64, draft: Option<Scene>) {
        let drafts = &mut self.open().drafts;
        match draft {
            Some(scene) => _ = drafts.insert(tab, scene),
            None => _ = drafts.remove(&tab),
        }
    }

    /// Writes all drafts into a folder, each under a name of its own, which is told.
    pub(crate) fn save(
        &self,
        library: &Library,
        folder: &Path,
        mut tell: impl FnMut(PathBuf),
    ) -> Result<(), Failure> {
        let drafts = std::mem::take(&mut self.open().drafts);
        let mut outcome = Ok(());
        for scene in drafts.into_values().filter(|scene| !library.knows(scene.text())) {
            match save(&scene, library, folder) {
                Ok(path) => tell(path),
                Err(error) => outcome = Err(Failure::NotSaved(folder.to_owned(), error)),
            }
        }
        outcome
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes a scene; one that names files gets a folder of its own, with them in it. Those that it
/// names by a way out of its folder stay where they are, and are named in full.
fn save(scene: &Scene, library: &Library, folder: &Path) -> io::Result<PathBuf> {
    fs::create_dir_all(folder)?;
    let title = plain_name(&scene.document().title);
    let files = library.files(scene);
    let folder = match files.is_empty() {
        true => folder.to_owned(),
        false => claim(folder, &title, "", |path| fs::create_dir(path))?,
    };
    let path = claim(&folder, &title, ".toml", |path| {
        OpenOptions::new().write(true).create_new(true).open(path).map(|_| ())
    })?;
    let mut draft = scene.clone();
    let renamed = draft.rename_files(&folder, |file| {
        let from = file.path.as_ref().filter(|_| !stays_inside(&file.name))?;
        from.to_str().map(str::to_owned)
    });
    let text = if renamed.is_ok() { draft.text() } else { scene.text() };
    replace(&path, text.as_bytes())?;
    for (file, from) in files.iter().filter(|(file, _)| stays_inside(&file.name)) {
        copy(from, &folder.join(&file.name))?;
    }
    Ok(path)
}

/// Whether a name leads to a place in the folder that it is looked for in.
fn stays_inside(name: &str) -> bool {
    Path::new(name).components().all(|part| matches!(part, Component::Normal(_)))
}

/// Copies a file, and those that are read with it.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let folder = to.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    fs::copy(from, to)?;
    for beside in import::companions(from) {
        if let Some(name) = beside.file_name() {
            fs::copy(&beside, folder.join(name))?;
        }
    }
    Ok(())
}

/// Makes something new under a name that nothing had before.
fn claim(
    folder: &Path,
    name: &str,
    ending: &str,
    make: impl Fn(&Path) -> io::Result<()>,
) -> io::Result<PathBuf> {
    for count in 1..SAME_NAME {
        let number = if count == 1 { String::new() } else { format!("-{count}") };
        let path = folder.join(format!("{name}{number}{ending}"));
        match make(&path) {
            Ok(()) => return Ok(path),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(ErrorKind::AlreadyExists.into())
}

/// The letters and digits of a title, for the name of a file.
pub(crate) fn plain_name(title: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let name: String = title.chars().map(plain).take(60).collect();
    match name.trim_matches('-') {
        "" => "scene".into(),
        name => name.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hooke_scene::gallery;

    #[test]
    fn drafts_never_replace_a_file() {
        let library = Library::new(None, None).expect("a folder");
        let folder = library.folder().join("saved");
        let drafts = Drafts::default();
        let changed = |name: &str| {
            let mut scene = Scene::gallery(name)?;
            scene.set("title", "Changed").ok()?;
            Some(scene)
        };
        // Every scene of the gallery that names files, after two that name none.
        let with_files =
            |name: &&str| Scene::gallery(name).is_some_and(|it| !it.files().is_empty());
        let names = gallery().iter().map(|entry| entry.name).filter(with_files);
        let names: Vec<_> = ["flag", "flag"].into_iter().chain(names).collect();
        assert!(names.contains(&"spinning-tops") && names.contains(&"skirt"), "{names:?}");
        for name in &names {
            drafts.note(drafts.tab(), changed(name));
        }
        drafts.note(drafts.tab(), Scene::gallery("flag"));
        let gone = drafts.tab();
        drafts.note(gone, changed("flag"));
        drafts.note(gone, None);
        let mut saved = Vec::new();
        drafts.save(&library, &folder, |path| saved.push(path)).expect("saved");
        let paths: Vec<_> = saved
            .iter()
            .map(|path| path.strip_prefix(&folder).expect("inside").display().to_string())
            .collect();
        assert_eq!(paths.len(), names.len(), "{paths:?}");
        assert_eq!(paths[1], paths[0].replace(".toml", "-2.toml"));
        assert!(
            paths[2..].iter().all(|path| path.contains(std::path::MAIN_SEPARATOR)),
            "{paths:?}"
        );
        for path in &saved {
            let scene = Scene::load(path).expect("a scene");
            assert!(scene.compile().is_ok(), "{}", path.display());
        }
        drafts.save(&library, &folder, |path| panic!("{}", path.display())).expect("nothing");
        library.clear();
    }

    #[test]
    fn titles_become_names() {
        for (title, name) in [("Two flags!", "two-flags"), ("", "scene"), ("../../x", "x")] {
            assert_eq!(plain_name(title), name);
        }
    }
}
