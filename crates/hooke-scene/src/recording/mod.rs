//! Recordings: what a run leaves behind, frame by frame.
//!
//! A recording survives whatever stops a run: every frame has a checksum of its own, and a file
//! cut or damaged anywhere gives the good frames or an error. Beside it stands a [`Checkpoint`], from
//! which the run goes on. All numbers are little endian:
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `HOOKEREC` |
//! | 4 | version of the format: 1, or 2 where there are rigid bodies |
//! | 8 | length of the header |
//! | | the header: see [`Header`] |
//! | 4 | CRC-32 of everything before |
//! | | frames, each: index (8), time (8), positions (24 n), velocities (24 n), rigid bodies (104 each), CRC-32 of these (4) |

mod bytes;
mod checkpoint;
mod header;
mod reader;
mod writer;

pub use checkpoint::{CHECKPOINT, Checkpoint, Found, fingerprint};
pub use header::Header;
pub use reader::{Frame, Reader};
pub use writer::Writer;

use std::fmt;
use std::path::{Path, PathBuf};

/// The usual name of a recording within the folder of a run.
pub const FILE: &str = "recording.hooke";

const MAGIC: &[u8; 8] = b"HOOKEREC";
/// The version of recordings without rigid bodies, and that of those with.
const VERSIONS: [u32; 2] = [1, 2];

/// Bytes before the header: magic, version, length.
const PREFIX: u64 = 20;

/// The bytes of a frame.
fn frame_size(header: &Header) -> u64 {
    16 + 48 * header.particles + 104 * header.rigid_bodies.len() as u64 + 4
}

/// Why a recording cannot be written or read.
#[derive(Debug)]
pub struct RecordingError {
    /// The file.
    pub path: PathBuf,
    /// What happened.
    pub cause: RecordingCause,
}

/// What happened to a recording.
#[derive(Debug)]
pub enum RecordingCause {
    /// The system could not read or write.
    Io(std::io::Error),
    /// The file is there already.
    Exists,
    /// Another run writes it.
    Locked,
    /// It was deleted or replaced while it was written.
    Gone,
    /// It is damaged, or none: one sentence.
    Damaged(String),
}

impl fmt::Display for RecordingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.path.display())?;
        match &self.cause {
            RecordingCause::Io(error) => write!(f, "{error}"),
            RecordingCause::Exists => f.write_str("already exists; --force overwrites it"),
            RecordingCause::Locked => f.write_str("another run is writing it"),
            RecordingCause::Gone => {
                f.write_str("was deleted or replaced during the run, and its frames with it")
            }
            RecordingCause::Damaged(sentence) => f.write_str(sentence),
        }
    }
}

impl std::error::Error for RecordingError {}

impl RecordingError {
    fn io(path: &Path) -> impl Fn(std::io::Error) -> Self + '_ {
        |error| Self { path: path.to_owned(), cause: RecordingCause::Io(error) }
    }

    fn damaged(path: &Path, sentence: impl Into<String>) -> Self {
        Self { path: path.to_owned(), cause: RecordingCause::Damaged(sentence.into()) }
    }
}

#[cfg(test)]
mod tests;
