//! The one error of all exporters.

use crate::recording::RecordingError;
use std::io;
use std::path::{Path, PathBuf};

/// Why a recording could not be exported, in one sentence.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// A file or folder could not be written.
    #[error("{}: {action}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What was tried.
        action: &'static str,
        /// What the operating system said.
        source: io::Error,
    },
    /// A frame could not be read.
    #[error(transparent)]
    Recording(#[from] RecordingError),
    /// A frame holds what no format can hold.
    #[error("frame {frame}: {message}")]
    Frame {
        /// The frame, counted from 0.
        frame: usize,
        /// What is wrong with it.
        message: String,
    },
    /// The recording as a whole does not fit the format or the target.
    #[error("{0}")]
    Content(String),
}

pub(super) type Result<T> = std::result::Result<T, ExportError>;

impl ExportError {
    pub(super) fn io(path: &Path, action: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { path: path.to_path_buf(), action, source }
    }
}
