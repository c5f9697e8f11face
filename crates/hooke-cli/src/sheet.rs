//! `hooke scenes --sheet`: the whole gallery in one picture.

use crate::failure::Failure;
use crate::media::{refuse_existing, write_png};
use crate::out::Out;
use hooke_render::{Image, Theme, contact_sheet};
use std::path::Path;

/// Pictures side by side.
const COLUMNS: usize = 4;

/// Puts the pictures that the program carries side by side.
pub(crate) fn sheet(path: &Path, force: bool, out: &mut Out) -> Result<(), Failure> {
    refuse_existing(path, force)?;
    let mut images = Vec::new();
    for entry in hooke_scene::gallery() {
        if let Some(picture) = hooke_studio::picture(entry.name) {
            images.push((Image::read_png(picture)?, entry.name));
        }
    }
    let pictures: Vec<(&Image, &str)> = images.iter().map(|(image, name)| (image, *name)).collect();
    write_png(&contact_sheet(&pictures, COLUMNS, Theme::Paper)?, path)?;
    out.files(&[path.to_owned()], &[])
}
