//! The scenes a page can open, and the files that they may name: those that were dropped on the page,
//! that the gallery brings, that lie beside the scene of the command line or that its file names.

use crate::file::SceneFile;
use crate::folder::Folder;
use crate::{Failure, limits};
use hooke_scene::{Allowed, Cause, NamedFile, Problem, Problems, Scene, Severity, gallery, words};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::fs::OpenOptions;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

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
    /// Where files that come and go are.
    folder: Folder,
    /// What scenes of the page may name.
    allowed: Arc<Allowed>,
    /// The memory that a tab may take (bytes).
    memory: Option<u64>,
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
    pub(crate) fn new(first: Option<First>, memory: Option<u64>) -> Result<Self, Failure> {
        let folder = Folder::new()?;
        for scene in gallery().iter().filter_map(|entry| Scene::gallery(entry.name)) {
            for (name, bytes) in scene.embedded_meshes() {
                std::fs::write(folder.path().join(name), bytes).map_err(Failure::Folder)?;
            }
        }
        let mut allowed = Allowed {
            folders: vec![folder.path().to_owned()],
            others: Vec::new(),
            refusal: "is not among the files of this studio: drop a mesh onto the page, or start hooke \
                      studio with the file of the scene",
        };
        let (mut gallery_scene, mut of_file) = (None, None);
        match first {
            None => {}
            Some(First::Gallery(name)) => gallery_scene = Some(name),
            Some(First::File(scene, path)) => {
                let gone = |error| Failure::Gone(path.clone(), error);
                let real = path.canonicalize().map_err(gone)?;
                allowed.folders.extend(real.parent().map(Path::to_owned));
                let named =
                    |file: NamedFile| Some((file.name, std::path::absolute(file.path?).ok()?));
                allowed.others = scene.files().into_iter().filter_map(named).collect();
                of_file = Some((scene, real));
            }
        }
        let allowed = Arc::new(allowed);
        let file = of_file.map(|(scene, path)| SceneFile::new(*scene, path, Arc::clone(&allowed)));
        let (dropped, used) = (Mutex::default(), AtomicU64::new(0));
        Ok(Self { folder, allowed, memory, first: gallery_scene, file, dropped, used })
    }

    /// The folder for files that come and go.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Removes what came.
    pub(crate) fn clear(&self) {
        self.folder.clear();
    }

    /// The files that a scene names, and where they are.
    pub(crate) fn files(&self, scene: &Scene) -> Vec<(NamedFile, PathBuf)> {
        let located = |file: NamedFile| {
            let path = file.path.clone().unwrap_or_else(|| self.folder().join(&file.name));
            (file, path)
        };
        scene.files().into_iter().map(located).collect()
    }

    /// Names the files of a scene that outlive the studio by their full paths; the others are looked
    /// for in the folder of those that come and go.
    pub(crate) fn settle(&self, scene: &mut Scene) -> Result<(), Problems> {
        scene.rename_files(self.folder(), |file| {
            let path = file.path.as_ref()?.canonicalize().ok()?;
            let stays = !path.starts_with(self.folder());
            stays.then(|| path.to_str().map(str::to_owned)).flatten()
        })
    }

    /// A message without the folders of this machine.
    pub(crate) fn bare(&self, message: &str) -> String {
        self.allowed.folders.iter().fold(message.to_owned(), |message, folder| {
            let folder = folder.display().to_string();
            let within = format!("{folder}{}", std::path::MAIN_SEPARATOR);
            message.replace(&within, "").replace(&folder, "the folder")
        })
    }

    /// Keeps a file under a name of its own, which is told.
    pub(crate) fn store(&self, name: &str, bytes: &[u8]) -> Result<String, String> {
        let used = self.used.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        if used + bytes.len() as u64 > limits::FILES {
            return Err("too many files were dropped: start hooke studio again".into());
        }
        let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
        let plain = |text: &str| -> String {
            let fine = |c: &char| c.is_alphanumeric() || *c == '-' || *c == '_';
            text.chars().filter(fine).take(60).collect()
        };
        let (stem, extension) = (plain(stem), plain(extension).to_ascii_lowercase());
        let stem = if stem.is_empty() { "mesh".into() } else { stem };
        for count in 0..1000 {
            let number = if count == 0 { String::new() } else { format!("-{count}") };
            let name = format!("{stem}{number}.{extension}");
            // Not one that stands for something else already, such as a file beside that of the command line.
            if self.allowed.find(&name).is_some() {
                continue;
            }
            let file =
                OpenOptions::new().write(true).create_new(true).open(self.folder().join(&name));
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

    /// A scene by the name it has in addresses.
    pub(crate) fn named(&self, name: &str) -> Option<Scene> {
        let scene = match (&self.file, name) {
            (Some(file), FIRST) => Some(file.scene()),
            _ => Scene::gallery(name),
        };
        scene.map(|scene| self.limited(scene))
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
        Scene::parse_within(text, "scene.toml", &self.allowed).map(|scene| self.limited(scene))
    }

    /// A scene that takes no more memory than a tab may.
    fn limited(&self, mut scene: Scene) -> Scene {
        if let Some(bytes) = self.memory {
            scene.set_memory_limit(bytes);
        }
        scene
    }

    /// What is wrong with a text, for the page.
    pub(crate) fn check(&self, text: &str) -> Value {
        let problems = self.read(text).and_then(|scene| Ok(scene.compile()?.warnings));
        let problems = problems.unwrap_or_else(|problems| problems);
        json!({ "problems": problems.list.iter().map(outgoing).collect::<Vec<_>>() })
    }
}

/// A problem, for the page.
pub(crate) fn outgoing(problem: &Problem) -> Value {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scene_of_the_gallery_can_be_edited() {
        let library = Library::new(None, None).expect("a folder");
        let text =
            library.named("skirt").expect("a scene").text().replace("format = 1", "format = 1\n");
        assert!(library.read(&text).expect("read").compile().is_ok());
        let outside = text.replace("skirt.obj", "/etc/hostname");
        let problems = library.read(&outside).expect_err("refused");
        assert!(problems.to_string().contains("deformables[0].mesh"), "{problems}");
        library.clear();
    }
}
