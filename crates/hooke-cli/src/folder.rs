//! The folder of a run or a comparison: new and numbered, or named; never overwritten unasked.

use crate::failure::Failure;
use hooke_scene::Cause;
use hooke_scene::recording::CHECKPOINT;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The folder to write into: `named`, or a new one in `parent`.
pub(crate) fn open(
    named: Option<&Path>,
    parent: &str,
    scene: &str,
    force: bool,
) -> Result<PathBuf, Failure> {
    match named {
        Some(folder) => {
            fs::create_dir_all(folder).map_err(Failure::file(folder))?;
            let mut entries = fs::read_dir(folder).map_err(Failure::file(folder))?;
            if !force && entries.next().is_some() {
                let sentence = match folder.join(CHECKPOINT).exists() {
                    true => "contains a run; hooke resume continues it, --force starts again",
                    false => "is not empty; --force writes into it",
                };
                return Err(Failure::unfit(folder, Cause::File, sentence));
            }
            Ok(folder.to_owned())
        }
        None => numbered(Path::new(parent), scene),
    }
}

/// The first free `runs/scene-001`, `-002`, …; making the folder is what claims it.
fn numbered(parent: &Path, scene: &str) -> Result<PathBuf, Failure> {
    fs::create_dir_all(parent).map_err(Failure::file(parent))?;
    for number in 1..=999_999 {
        let folder = parent.join(format!("{scene}-{number:03}"));
        match fs::create_dir(&folder) {
            Ok(()) => return Ok(folder),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(Failure::file(&folder)(error)),
        }
    }
    Err(Failure::unfit(parent, Cause::File, "has no free number"))
}
