//! Files that appear complete or not at all.
//!
//! Everything is written under a temporary name in the folder of its target and renamed when it
//! is complete, so that an interrupted or failed export leaves neither half a file under the
//! right name nor a ruined older one. What was not renamed is removed.

use std::fmt;
use std::fs::{self, File};
use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::error::{ExportError, Result};

/// A file under its temporary name.
pub(super) struct StagedFile {
    writer: BufWriter<File>,
    path: PathBuf,
    target: PathBuf,
    complete: bool,
}

impl StagedFile {
    pub(super) fn create(target: &Path) -> Result<Self> {
        if target.is_dir() {
            let target = target.display();
            return Err(ExportError::Content(format!("{target} is a folder; name a file")));
        }
        Self::open(temporary(target)?, target.to_path_buf())
    }

    fn open(path: PathBuf, target: PathBuf) -> Result<Self> {
        let file =
            File::create_new(&path).map_err(ExportError::io(&target, "cannot be created"))?;
        Ok(Self { writer: BufWriter::with_capacity(1 << 16, file), path, target, complete: false })
    }

    pub(super) fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.writer.write_all(bytes).map_err(ExportError::io(&self.target, "cannot be written"))
    }

    /// Writes numbers given by their bytes.
    pub(super) fn put_all<const N: usize>(
        &mut self,
        values: impl IntoIterator<Item = [u8; N]>,
    ) -> Result<()> {
        in_blocks(values, |block| self.put(block))
    }

    pub(super) fn print(&mut self, text: fmt::Arguments) -> Result<()> {
        self.writer.write_fmt(text).map_err(ExportError::io(&self.target, "cannot be written"))
    }

    /// Overwrites bytes at an earlier offset and returns to the end.
    pub(super) fn patch(&mut self, offset: u64, bytes: &[u8]) -> Result<()> {
        let writer = &mut self.writer;
        (writer.seek(SeekFrom::Start(offset)))
            .and_then(|_| writer.write_all(bytes))
            .and_then(|()| writer.seek(SeekFrom::End(0)))
            .map(|_| ())
            .map_err(ExportError::io(&self.target, "cannot be written"))
    }

    /// Gives the file its own name, and returns it.
    pub(super) fn commit(mut self) -> Result<PathBuf> {
        let failed = || ExportError::io(&self.target, "cannot be completed");
        self.writer.flush().map_err(failed())?;
        if self.path != self.target {
            self.writer.get_ref().sync_all().map_err(failed())?;
            fs::rename(&self.path, &self.target).map_err(failed())?;
        }
        self.complete = true;
        Ok(self.target.clone())
    }
}

impl Drop for StagedFile {
    fn drop(&mut self) {
        if !self.complete {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Gathers numbers into blocks, since one call for each would take most of the time.
pub(super) fn in_blocks<const N: usize>(
    values: impl IntoIterator<Item = [u8; N]>,
    mut put: impl FnMut(&[u8]) -> Result<()>,
) -> Result<()> {
    const BLOCK: usize = 1 << 13;
    let mut block = Vec::with_capacity(BLOCK + N);
    for value in values {
        block.extend_from_slice(&value);
        if block.len() >= BLOCK {
            put(&block)?;
            block.clear();
        }
    }
    put(&block)
}

/// A folder of numbered frames under its temporary name.
pub(super) struct StagedFolder {
    path: PathBuf,
    target: PathBuf,
    extension: &'static str,
    digits: usize,
    names: Vec<String>,
    complete: bool,
}

impl StagedFolder {
    /// A folder for `frames` files `frame_00000.extension` and so on. An older folder is replaced
    /// only if it holds nothing else.
    pub(super) fn create(target: &Path, extension: &'static str, frames: usize) -> Result<Self> {
        check_replaceable(target, extension)?;
        let path = temporary(target)?;
        fs::create_dir(&path).map_err(ExportError::io(target, "cannot be created"))?;
        let digits = frames.saturating_sub(1).to_string().len().max(5);
        let target = target.to_path_buf();
        Ok(Self { path, target, extension, digits, names: Vec::new(), complete: false })
    }

    /// The file of the next frame. It needs no second temporary name: the folder has one.
    pub(super) fn next_file(&mut self) -> Result<StagedFile> {
        let number = self.names.len();
        let name = format!("frame_{number:0digits$}.{}", self.extension, digits = self.digits);
        let path = self.path.join(&name);
        self.names.push(name);
        StagedFile::open(path.clone(), path)
    }

    /// Names of the files so far.
    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    /// Gives the folder its own name, and returns its files.
    pub(super) fn commit(mut self) -> Result<Vec<PathBuf>> {
        let failed = || ExportError::io(&self.target, "cannot be completed");
        check_replaceable(&self.target, self.extension)?;
        if self.target.exists() {
            let old = temporary(&self.target)?;
            fs::rename(&self.target, &old).map_err(failed())?;
            let replaced = fs::rename(&self.path, &self.target);
            if replaced.is_err() {
                let _ = fs::rename(&old, &self.target);
            }
            replaced.map_err(failed())?;
            fs::remove_dir_all(&old).map_err(ExportError::io(&old, "cannot be removed"))?;
        } else {
            fs::rename(&self.path, &self.target).map_err(failed())?;
        }
        self.complete = true;
        Ok(self.names.iter().map(|name| self.target.join(name)).collect())
    }
}

impl Drop for StagedFolder {
    fn drop(&mut self) {
        if !self.complete {
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}

fn check_replaceable(target: &Path, extension: &str) -> Result<()> {
    let refuse = |what: &str| {
        let message = format!("{} {what}; choose another name", target.display());
        Err(ExportError::Content(message))
    };
    if !target.exists() {
        return Ok(());
    }
    if !target.is_dir() {
        return refuse("is a file, but a folder is to be written");
    }
    let failed = || ExportError::io(target, "cannot be read");
    for entry in fs::read_dir(target).map_err(failed())? {
        let name = entry.map_err(failed())?.file_name();
        let number = name.to_str().and_then(|name| {
            name.strip_prefix("frame_")?.strip_suffix(extension)?.strip_suffix('.')
        });
        if !number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit())) {
            return refuse("is a folder with other files in it");
        }
    }
    Ok(())
}

/// A name beside the target that no other export uses.
fn temporary(target: &Path) -> Result<PathBuf> {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let name = target.file_name().ok_or_else(|| {
        ExportError::Content(format!("`{}` does not end in a file name", target.display()))
    })?;
    loop {
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        let mut temporary = std::ffi::OsString::from(".");
        temporary.push(name);
        temporary.push(format!(".{}-{number}.part", std::process::id()));
        let path = target.with_file_name(temporary);
        // A program that was killed may have had this number, and left its files.
        if fs::symlink_metadata(&path).is_err() {
            return Ok(path);
        }
    }
}
