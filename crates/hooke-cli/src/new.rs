//! `hooke new`: a commented scene to start from.

use crate::args::Output;
use crate::failure::Failure;
use crate::out::Out;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::Path;

pub(crate) fn new(file: &Path, force: bool, output: &Output, out: &mut Out) -> Result<(), Failure> {
    let text = hooke_scene::template();
    if file == Path::new("-") {
        return out.result(&text);
    }
    let mut options = OpenOptions::new();
    options.write(true);
    if force {
        options.create(true).truncate(true);
    } else {
        options.create_new(true);
    }
    let mut opened = options.open(file).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => Failure::existing(file),
        _ => Failure::file(file)(error),
    })?;
    opened.write_all(text.as_bytes()).map_err(Failure::file(file))?;
    if output.json {
        return out.files(&[file.to_owned()], &[]);
    }
    let name = file.display();
    out.remark(&format!("wrote {name}; run it with: hooke run {name}"))
}
