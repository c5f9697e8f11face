//! Reading the text of a scene file, or telling what the file is instead.

use crate::problem::Cause;
use crate::recording::Reader;
use crate::words::{io, nearest};
use crate::{gallery, import, limits};
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;

/// Why a file is not the text of a scene.
pub(crate) struct NotText {
    pub(crate) cause: Cause,
    /// The line, counted from 1; 0 where no line is meant.
    pub(crate) line: usize,
    pub(crate) sentence: String,
}

impl NotText {
    fn new(cause: Cause, sentence: impl Into<String>) -> Self {
        Self { cause, line: 0, sentence: sentence.into() }
    }
}

/// A file with this many entries beside it is not searched for similar names any further.
const MOST_ENTRIES: usize = 1000;

/// How many bytes are looked at to tell whether a file is text.
const BEGINNING: usize = 8192;

/// The text of a scene file.
pub(crate) fn text(path: &Path) -> Result<String, NotText> {
    let unreadable = |error| NotText::new(Cause::File, format!("cannot be read: {}", io(&error)));
    if path.is_dir() {
        return Err(NotText::new(Cause::File, folder(path)));
    }
    let file = File::open(path).map_err(|error| match error.kind() {
        ErrorKind::NotFound => NotText::new(Cause::File, missing(path)),
        _ => unreadable(error),
    })?;
    let mut bytes = Vec::new();
    file.take(limits::TEXT + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if let Some(sentence) = something_else(path, &bytes) {
        return Err(NotText::new(Cause::Input, sentence));
    }
    if bytes.len() as u64 > limits::TEXT {
        return Err(NotText::new(Cause::Limit, too_long()));
    }
    String::from_utf8(bytes).map_err(|error| {
        let good = error.utf8_error().valid_up_to();
        let lines = error.as_bytes().iter().take(good).filter(|byte| **byte == b'\n').count();
        let (cause, sentence) = (Cause::Input, "is not text in UTF-8".into());
        NotText { cause, line: lines + 1, sentence }
    })
}

/// What to say about a text that is too long.
pub(crate) fn too_long() -> String {
    let most = limits::TEXT >> 20;
    format!("is longer than {most} MiB; put large geometry into a mesh file")
}

/// What to say about a folder: most likely that of a run.
fn folder(path: &Path) -> String {
    match path.join("scene.toml") {
        scene if scene.is_file() => format!("is a folder; did you mean {}?", scene.display()),
        _ => "is a folder; name a scene file".into(),
    }
}

/// What to say about a file that is not there: which one of the folder or gallery was meant.
fn missing(path: &Path) -> String {
    let folder = path.parent().unwrap_or(Path::new(""));
    let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let entries = here.read_dir().into_iter().flatten().take(MOST_ENTRIES).flatten();
    // By their names alone: folders and .toml are what all have in common.
    let name = |path: &Path| path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let mut known: Vec<(String, String)> = entries
        .map(|entry| folder.join(entry.file_name()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .filter_map(|path| Some((name(&path)?, path.display().to_string())))
        .collect();
    known.extend(gallery().iter().map(|entry| (entry.name.into(), entry.name.into())));
    let near =
        nearest(&name(path).unwrap_or_default(), known.iter().map(|(name, _)| name.as_str()));
    match known.iter().find(|(name, _)| near == Some(name)) {
        Some((_, path)) => format!("there is no such file; did you mean {path}?"),
        None => "there is no such file".into(),
    }
}

/// What a file is that is no scene.
fn something_else(path: &Path, bytes: &[u8]) -> Option<String> {
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    if Reader::open(path).is_ok() {
        return Some("is a recording, not a scene; hooke render draws it".into());
    }
    if import::EXTENSIONS.contains(&extension.as_str()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        return Some(format!("is a mesh, not a scene; a body of a scene may say mesh = {name:?}"));
    }
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        return Some("is text in UTF-16; save it as UTF-8".into());
    }
    let beginning = bytes.get(..BEGINNING).unwrap_or(bytes);
    beginning.contains(&0).then(|| "is not a text file; a scene is written in TOML".into())
}
