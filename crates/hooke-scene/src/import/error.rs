//! The one error of all importers: where in which file, what is wrong, what to do.

pub(super) use crate::words::count;

use std::fmt;
use std::path::{Path, PathBuf};

/// Why a mesh could not be read, in one sentence that names the file and the location.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportError {
    /// The file as the user named it; empty when bytes were parsed without a file.
    pub file: PathBuf,
    /// Where in the file.
    pub location: FileLocation,
    /// What sort of failure, for exit codes.
    pub kind: ErrorKind,
    /// What is wrong and, where it helps, what to do.
    pub message: String,
}

/// Where in a file a problem lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileLocation {
    /// The file as a whole.
    File,
    /// A line of a text file, counted from 1.
    Line(u64),
    /// An offset into a binary file, counted from 0.
    Byte(u64),
}

/// The sort of failure, which decides the exit code of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// The content is wrong.
    Content,
    /// The file cannot be opened or read.
    Io,
    /// The content is larger than the [`Limits`](super::Limits) allow.
    Limit,
}

pub(super) type Result<T> = std::result::Result<T, ImportError>;

impl ImportError {
    pub(super) fn content(location: FileLocation, message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Content, location, message)
    }

    pub(super) fn limit(location: FileLocation, message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Limit, location, message)
    }

    pub(crate) fn io(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Io, FileLocation::File, message)
    }

    fn new(kind: ErrorKind, location: FileLocation, message: impl Into<String>) -> Self {
        Self { file: PathBuf::new(), location, kind, message: message.into() }
    }

    /// Names the file, unless a more precise name is there already.
    pub(super) fn in_file(mut self, file: &Path) -> Self {
        if self.file.as_os_str().is_empty() {
            self.file = file.to_path_buf();
        }
        self
    }
}

impl fmt::Display for ImportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = self.file.display();
        match (self.file.as_os_str().is_empty(), self.location) {
            (true, FileLocation::File) => write!(f, "{}", self.message),
            (true, FileLocation::Line(line)) => write!(f, "line {line}: {}", self.message),
            (true, FileLocation::Byte(byte)) => write!(f, "byte {byte}: {}", self.message),
            (false, FileLocation::File) => write!(f, "{file}: {}", self.message),
            (false, FileLocation::Line(line)) => write!(f, "{file}:{line}: {}", self.message),
            (false, FileLocation::Byte(byte)) => write!(f, "{file}: byte {byte}: {}", self.message),
        }
    }
}

impl std::error::Error for ImportError {}

/// Words from a hostile file, made safe to print: escaped and cut to 40 characters.
pub(super) fn quote(bytes: &[u8]) -> String {
    const SHOWN: usize = 40;
    let text = String::from_utf8_lossy(bytes.get(..4 * SHOWN).unwrap_or(bytes));
    let mut shown: String = text.chars().take(SHOWN).collect();
    if shown.len() < bytes.len() && text.chars().count() > SHOWN {
        shown.push('…');
    }
    format!("`{}`", shown.escape_debug())
}
