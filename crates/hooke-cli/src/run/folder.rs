//! The folder of a run: new and numbered, or named; never overwritten unasked.

use crate::failure::Failure;
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// The folder to write into.
pub(super) fn open(named: Option<&Path>, scene: &str, force: bool) -> Result<PathBuf, Failure> {
    match named {
        Some(folder) => {
            fs::create_dir_all(folder).map_err(Failure::file(folder))?;
            let mut entries = fs::read_dir(folder).map_err(Failure::file(folder))?;
            if !force && entries.next().is_some() {
                let sentence = "is not empty; --force writes into it";
                return Err(Failure::Io(format!("{}: {sentence}", folder.display())));
            }
            Ok(folder.to_owned())
        }
        None => numbered(Path::new("runs"), scene),
    }
}

/// The first free `runs/scene-001`, `-002`, …; making the folder is what claims it.
fn numbered(runs: &Path, scene: &str) -> Result<PathBuf, Failure> {
    fs::create_dir_all(runs).map_err(Failure::file(runs))?;
    for number in 1..=999_999 {
        let folder = runs.join(format!("{scene}-{number:03}"));
        match fs::create_dir(&folder) {
            Ok(()) => return Ok(folder),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(Failure::file(&folder)(error)),
        }
    }
    Err(Failure::Io(format!("{}: has no free number left", runs.display())))
}

/// Writes a file under another name and moves it into place, so that it is whole or not there.
pub(super) fn write_whole(path: &Path, text: &str) -> Result<(), Failure> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".part");
    let part = path.with_file_name(name);
    let written = fs::File::create(&part).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.sync_all()
    });
    written.and_then(|()| fs::rename(&part, path)).map_err(Failure::file(path))
}
