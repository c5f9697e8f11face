//! The scenes a page can open, and the one folder in which the files they name are looked for.
//!
//! A text from the page may name mesh files by plain names only, of files that were dropped on the
//! page, that the gallery brings, or that lie beside the scene of the command line. No other path is
//! ever opened.

use crate::file::SceneFile;
use crate::{Failure, guard, limits};
use hooke_scene::{Cause, Problem, Problems, Scene, Severity, gallery, words};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::fs::OpenOptions;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{ErrorKind, Write};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// What the page opens first.
pub enum First {
    /// A scene of the gallery, by its name.
    Gallery(String),
    /// A scene file, and its path; the files it names are beside it.
    File(Box<Scene>, PathBuf),
}

/// What the scene of the command line is called in addresses.
const FIRST: &str = "@";

/// The scenes there are.
pub(crate) struct Library {
    /// Where files that come and go are; only this user can enter it.
    folder: PathBuf,
    /// The scene of the gallery that the page opens first.
    first: Option<String>,
    /// The scene file that the page opens first.
    file: Option<SceneFile>,
    /// What came from files that were dropped, as a hash.
    dropped: Mutex<HashSet<u64>>,
    /// Bytes of the files that came.
    used: AtomicU64,
}

impl Library {
    pub(crate) fn new(first: Option<First>) -> Result<Self, Failure> {
        let name = format!("hooke-studio-{}", guard::secret()?);
        let folder = std::env::temp_dir().join(name);
        make_private(&folder).map_err(Failure::Folder)?;
        let folder = folder.canonicalize().map_err(Failure::Folder)?;
        for scene in gallery().iter().filter_map(|entry| Scene::gallery(entry.name)) {
            for (name, bytes) in scene.embedded_meshes() {
                std::fs::write(folder.join(name), bytes).map_err(Failure::Folder)?;
            }
        }
        let (first, file) = match first {
            None => (None, None),
            Some(First::Gallery(name)) => (Some(name), None),
            Some(First::File(scene, path)) => match SceneFile::new(*scene, &path) {
                Ok(file) => (None, Some(file)),
                Err(error) => return Err(Failure::Gone(path, error)),
            },
        };
        let (dropped, used) = (Mutex::default(), AtomicU64::new(0));
        Ok(Self { folder, first, file, dropped, used })
    }

    /// The folder for files that come and go.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Removes what came.
    pub(crate) fn clear(&self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }

    /// Whether the files a scene names are in the folder of files that come and go.
    pub(crate) fn owns(&self, scene: &Scene) -> bool {
        let meshes = scene.document().bodies.iter().filter_map(|body| body.mesh.as_deref());
        meshes.into_iter().all(|name| is_inside(&self.folder, name))
    }

    /// Keeps a file under a name of its own, which is told.
    pub(crate) fn store(&self, name: &str, bytes: &[u8]) -> Result<String, String> {
        let used = self.used.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        if used + bytes.len() as u64 > limits::FILES {
            return Err("too many files were dropped: start hooke studio again".into());
        }
        let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
        let plain = |text: &str| -> String {
            let fine = |c: &char| c.is_ascii_alphanumeric() || *c == '-' || *c == '_';
            text.chars().filter(fine).take(60).collect()
        };
        let (stem, extension) = (plain(stem), plain(extension).to_ascii_lowercase());
        for count in 0..1000 {
            let number = if count == 0 { String::new() } else { format!("-{count}") };
            let name = format!("{stem}{number}.{extension}");
            let file =
                OpenOptions::new().write(true).create_new(true).open(self.folder.join(&name));
            match file {
                Ok(mut file) => {
                    let written = file.write_all(bytes);
                    return written.map(|()| name).map_err(|error| words::io(&error));
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(words::io(&error)),
            }
        }
        Err("too many files of this name were dropped".into())
    }

    /// The files that a scene names, and where they are.
    pub(crate) fn meshes<'a>(&self, scene: &'a Scene) -> Vec<(&'a str, PathBuf)> {
        let names = scene.document().bodies.iter().filter_map(|body| body.mesh.as_deref());
        let beside = self.file.as_ref().map(SceneFile::folder);
        let folders = || [Some(self.folder()), beside].into_iter().flatten();
        names
            .filter_map(|name| {
                let folder = folders().find(|folder| is_inside(folder, name))?;
                Some((name, folder.join(name)))
            })
            .collect()
    }

    /// A scene by the name it has in addresses.
    pub(crate) fn named(&self, name: &str) -> Option<Scene> {
        match (&self.file, name) {
            (Some(file), FIRST) => Some(file.scene()),
            _ => Scene::gallery(name),
        }
    }

    /// Whether a text stands in a file, or came from one.
    pub(crate) fn knows(&self, text: &str) -> bool {
        let dropped = || self.dropped.lock().unwrap_or_else(PoisonError::into_inner);
        gallery().iter().any(|entry| entry.text == text)
            || self.file.as_ref().is_some_and(|file| file.says(text))
            || dropped().contains(&hash(text))
    }

    /// Notes a text that came from a file that was dropped.
    pub(crate) fn note(&self, text: &str) {
        self.dropped.lock().unwrap_or_else(PoisonError::into_inner).insert(hash(text));
    }

    /// Writes a text to the file of the command line, and tells its name.
    pub(crate) fn save(&self, text: &str) -> Result<String, String> {
        match &self.file {
            Some(_) if text.len() > limits::TEXT => {
                Err(format!("the text is longer than {} bytes", limits::TEXT))
            }
            Some(file) => file.save(text),
            None => Err("hooke studio was started without a file: download the text".into()),
        }
    }

    /// What the page opens first, for the page.
    pub(crate) fn first(&self) -> Value {
        match (&self.first, &self.file) {
            (_, Some(file)) => {
                json!({ "name": FIRST, "title": file.scene().document().title, "file": true })
            }
            (Some(name), None) => json!({ "name": name }),
            (None, None) => Value::Null,
        }
    }

    /// Reads a text of the page.
    pub(crate) fn read(&self, text: &str) -> Result<Scene, Problems> {
        if text.len() > limits::TEXT {
            let sentence = format!("is longer than {} bytes", limits::TEXT);
            return Err(problem(Cause::Limit, "", sentence));
        }
        let scene = Scene::parse_in(text, "scene.toml", &self.folder)?;
        let missing = |folder: &Path| {
            let bodies = scene.document().bodies.iter().enumerate();
            bodies
                .filter_map(|(index, body)| Some((index, body.mesh.as_deref()?)))
                .find(|(_, name)| !is_inside(folder, name))
                .map(|(index, _)| index)
        };
        let Some(index) = missing(&self.folder) else { return Ok(scene) };
        match self.file.as_ref().map(SceneFile::folder) {
            Some(beside) if missing(beside).is_none() => {
                Scene::parse_in(text, "scene.toml", beside)
            }
            _ => Err(problem(
                Cause::File,
                &format!("bodies[{index}].mesh"),
                "is not among the files of this studio: drop the mesh onto the page".into(),
            )),
        }
    }

    /// What is wrong with a text, for the page.
    pub(crate) fn check(&self, text: &str) -> Value {
        let problems = self.read(text).and_then(|mut scene| {
            if let Some(bytes) = limits::memory() {
                scene.set_memory_limit(bytes);
            }
            scene.compile().map(|compiled| compiled.warnings)
        });
        let problems = problems.unwrap_or_else(|problems| problems);
        json!({ "problems": problems.list.iter().map(told).collect::<Vec<_>>() })
    }
}

/// A problem, for the page.
pub(crate) fn told(problem: &Problem) -> Value {
    json!({
        "line": problem.line,
        "column": problem.column,
        "field": problem.path,
        "message": problem.sentence,
        "kind": problem.severity.to_string(),
    })
}

fn problem(cause: Cause, path: &str, sentence: String) -> Problems {
    let problem = Problem {
        severity: Severity::Error,
        cause,
        file: "scene.toml".into(),
        option: String::new(),
        line: 0,
        column: 0,
        path: path.into(),
        sentence,
        excerpt: String::new(),
    };
    Problems { list: vec![problem], more: 0 }
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// Whether a name is that of a file in a folder, and nowhere else. The folder is canonical.
fn is_inside(folder: &Path, name: &str) -> bool {
    let plain = Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
    let real = folder.join(name).canonicalize();
    plain && real.is_ok_and(|path| path.starts_with(folder) && path.is_file())
}

/// Makes a folder that nobody else can enter.
fn make_private(folder: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_names_of_files_inside() {
        let library = Library::new(None).expect("a folder");
        let folder = library.folder();
        assert!(is_inside(folder, "skirt.obj"));
        for name in ["../etc/passwd", "/etc/passwd", "nothing.obj", "", ".", "a/../../x"] {
            assert!(!is_inside(folder, name), "{name}");
        }
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("/etc/passwd", folder.join("link.obj")).expect("a link");
            assert!(!is_inside(folder, "link.obj"));
        }
        library.clear();
        assert!(!folder.exists());
    }

    #[test]
    fn a_scene_of_the_gallery_can_be_edited() {
        let library = Library::new(None).expect("a folder");
        let text =
            library.named("skirt").expect("a scene").text().replace("format = 1", "format = 1\n");
        assert!(library.read(&text).expect("read").compile().is_ok());
        let outside = text.replace("skirt.obj", "/etc/hostname");
        let problems = library.read(&outside).expect_err("refused");
        assert!(problems.to_string().contains("bodies[0].mesh"), "{problems}");
        library.clear();
    }
}
