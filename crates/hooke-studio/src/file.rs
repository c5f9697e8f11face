//! The scene file of the command line: every tab can open it, and a tab saves to it when asked,
//! but never over what someone else wrote meanwhile.

use hooke_scene::{Allowed, Scene, words};
use std::ffi::OsString;
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

pub(crate) struct SceneFile {
    /// Canonical.
    path: PathBuf,
    allowed: Arc<Allowed>,
    now: Mutex<Now>,
}

/// What the file says.
struct Now {
    /// As it was last read or written here; `None` where it cannot be read.
    content: Option<Vec<u8>>,
    /// The last content that makes a scene.
    scene: Scene,
}

impl SceneFile {
    /// The file at a canonical path, and the scene that it holds; texts that are saved later name
    /// only files that are allowed.
    pub(crate) fn new(scene: Scene, path: PathBuf, allowed: Arc<Allowed>) -> Self {
        let content = fs::read(&path).ok();
        let scene = Scene::parse_within(scene.text(), scene.name(), &allowed).unwrap_or(scene);
        Self { path, allowed, now: Mutex::new(Now { content, scene }) }
    }

    pub(crate) fn scene(&self) -> Scene {
        self.now.lock().unwrap_or_else(PoisonError::into_inner).scene.clone()
    }

    /// Whether this is what the file says.
    pub(crate) fn says(&self, text: &str) -> bool {
        let now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        // A mark of UTF-8 before it is no part of the text.
        let content = now.content.as_deref();
        content.map(|all| all.strip_prefix(b"\xef\xbb\xbf").unwrap_or(all)) == Some(text.as_bytes())
    }

    /// Writes a text to the file, and tells its name; or one sentence on why not.
    pub(crate) fn save(&self, text: &str) -> Result<String, String> {
        let mut now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        let name = self.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let found = match fs::read(&self.path) {
            Ok(content) => Some(content),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(format!("{name}: cannot be read: {}", words::io(&error))),
        };
        if found != now.content {
            return Err(format!(
                "{name}: was changed elsewhere since it was opened here; download this text \
                 instead, or start hooke studio again to see the change"
            ));
        }
        replace(&self.path, text.as_bytes())
            .map_err(|error| format!("{name}: cannot be written: {}", words::io(&error)))?;
        now.content = Some(text.as_bytes().to_vec());
        if let Ok(scene) = Scene::parse_within(text, now.scene.name(), &self.allowed) {
            now.scene = scene;
        }
        Ok(name)
    }
}

/// Replaces the content of a file: whoever reads it sees the old or the new, never a part.
pub(crate) fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".{}.tmp", std::process::id()));
    let temporary = path.with_file_name(name);
    let written = write(&temporary, path, content).and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// Writes a file that is allowed to whoever was allowed the file it will stand for.
fn write(temporary: &Path, path: &Path, content: &[u8]) -> io::Result<()> {
    let mut file = fs::OpenOptions::new().write(true).create_new(true).open(temporary)?;
    file.set_permissions(fs::metadata(path)?.permissions())?;
    file.write_all(content)?;
    file.sync_all()
}
