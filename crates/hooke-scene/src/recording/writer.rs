//! Writing a recording, one frame after the other.

use super::reader::numbers_of;
use super::{Header, MAGIC, Reader, RecordingCause, RecordingError, VERSIONS};
use hooke::State;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A recording being written. While it lives, no other writer can open the file.
pub struct Writer {
    path: PathBuf,
    file: File,
    frames: u64,
    /// One frame, encoded.
    buffer: Vec<u8>,
}

impl Writer {
    /// Creates a recording; an existing file only with `force`.
    pub fn create(path: &Path, header: &Header, force: bool) -> Result<Self, RecordingError> {
        let io = RecordingError::io(path);
        let failed = |cause| RecordingError { path: path.to_owned(), cause };
        let mut options = OpenOptions::new();
        options.read(true).write(true);
        let opened = if force {
            options.create(true).truncate(false).open(path)
        } else {
            options.create_new(true).open(path)
        };
        let mut file = match opened {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                return Err(failed(RecordingCause::Exists));
            }
            opened => opened.map_err(&io)?,
        };
        lock(&file, path)?;
        file.set_len(0).map_err(&io)?;
        file.seek(SeekFrom::Start(0)).map_err(&io)?;

        let body = header.encode();
        let mut bytes = Vec::with_capacity(body.len() + 24);
        bytes.extend(MAGIC);
        let version = VERSIONS[usize::from(!header.rigid_bodies.is_empty())];
        bytes.extend(version.to_le_bytes());
        bytes.extend((body.len() as u64).to_le_bytes());
        bytes.extend(body);
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        file.write_all(&bytes).map_err(&io)?;
        file.flush().map_err(&io)?;
        Ok(Self { path: path.to_owned(), file, frames: 0, buffer: Vec::new() })
    }

    /// Opens a recording to go on with it. Nothing is changed before [`Writer::cut`].
    pub fn reopen(path: &Path) -> Result<(Self, Reader), RecordingError> {
        let io = RecordingError::io(path);
        let file = OpenOptions::new().read(true).write(true).open(path).map_err(&io)?;
        lock(&file, path)?;
        let reader = Reader::open(path)?;
        let frames = reader.frames();
        Ok((Self { path: path.to_owned(), file, frames, buffer: Vec::new() }, reader))
    }

    /// Drops everything after the first `frames`, as `reader` found them.
    pub fn cut(&mut self, reader: &Reader, frames: u64) -> Result<(), RecordingError> {
        let io = RecordingError::io(&self.path);
        let end = reader.end_of(frames);
        self.file.set_len(end).map_err(&io)?;
        self.file.seek(SeekFrom::Start(end)).map_err(&io)?;
        self.frames = frames;
        Ok(())
    }

    /// Makes sure every frame so far is on the disk, in the file of that name.
    pub fn sync(&self) -> Result<(), RecordingError> {
        self.file.sync_data().map_err(RecordingError::io(&self.path))?;
        match self.is_there() {
            true => Ok(()),
            false => Err(RecordingError { path: self.path.clone(), cause: RecordingCause::Gone }),
        }
    }

    /// Whether the file still has its name: one that was deleted takes every frame without a word.
    fn is_there(&self) -> bool {
        let (Ok(own), Ok(named)) = (self.file.metadata(), std::fs::metadata(&self.path)) else {
            return false;
        };
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            (own.dev(), own.ino()) == (named.dev(), named.ino())
        }
        #[cfg(not(unix))]
        {
            own.len() == named.len()
        }
    }

    /// Appends a state as the next frame, in one write.
    pub fn append(&mut self, state: &State) -> Result<(), RecordingError> {
        let out = &mut self.buffer;
        out.clear();
        out.extend(self.frames.to_le_bytes());
        out.extend(state.time.to_le_bytes());
        for value in state.positions.iter().chain(&state.velocities).flat_map(|v| v.to_array()) {
            out.extend(value.to_le_bytes());
        }
        for value in state.rigid_bodies.iter().flat_map(numbers_of) {
            out.extend(value.to_le_bytes());
        }
        out.extend(crc32fast::hash(out).to_le_bytes());
        let io = RecordingError::io(&self.path);
        self.file.write_all(out).map_err(&io)?;
        self.file.flush().map_err(&io)?;
        self.frames += 1;
        Ok(())
    }

    /// Frames written.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// Makes sure everything is on the disk.
    pub fn finish(self) -> Result<(), RecordingError> {
        self.file.sync_all().map_err(RecordingError::io(&self.path))
    }
}

/// Makes sure that nobody else writes the file.
fn lock(file: &File, path: &Path) -> Result<(), RecordingError> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => {
            Err(RecordingError { path: path.to_owned(), cause: RecordingCause::Locked })
        }
        Err(TryLockError::Error(error)) if error.kind() == std::io::ErrorKind::Unsupported => {
            Ok(())
        }
        Err(TryLockError::Error(error)) => Err(RecordingError::io(path)(error)),
    }
}
