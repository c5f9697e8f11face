//! Pictures, animations and exports of a recording: what `hooke run` leaves behind, and what
//! `hooke render` and `hooke export` make later without simulating.

mod movie;
mod products;

pub(crate) use products::{Made, animate, clear, make, write};

use crate::failure::Failure;
use hooke_render::Image;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// Writes a file whole or not at all: to a temporary name beside it, then renamed.
pub(crate) fn write_whole(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let temporary = beside(path);
    let failed = |error| Failure::file(path)(error);
    let outcome = (|| {
        let mut file = BufWriter::new(File::create(&temporary).map_err(failed)?);
        write(&mut file)?;
        file.flush().map_err(failed)?;
        file.get_ref().sync_all().map_err(failed)?;
        std::fs::rename(&temporary, path).map_err(failed)
    })();
    if outcome.is_err() {
        // Whatever went wrong, a file half written helps nobody.
        let _ = std::fs::remove_file(&temporary);
    }
    outcome
}

/// The temporary name of a file being written.
pub(crate) fn beside(path: &Path) -> PathBuf {
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".part");
    path.with_file_name(name)
}

/// Fails where a file is there and may not be overwritten.
pub(crate) fn refuse_existing(path: &Path, force: bool) -> Result<(), Failure> {
    if path.exists() && !force {
        return Err(Failure::existing(path));
    }
    Ok(())
}

/// The extension of a file, in lower case.
pub(crate) fn extension(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase()
}

/// Writes a picture as PNG.
pub(crate) fn write_png(image: &Image, path: &Path) -> Result<(), Failure> {
    write_whole(path, |file| image.write_png(file).map_err(Failure::from))
}
