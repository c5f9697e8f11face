//! `hooke render` and `hooke export`: pictures and files from a recording, without simulating.

use crate::args::{Export, Output, Render};
use crate::failure::Failure;
use crate::interrupt;
use crate::media::{Made, animate, extension, refuse_existing, write, write_png};
use crate::out::Out;
use hooke_media::Clip;
use hooke_render::Settings;
use hooke_scene::export::Format;
use std::path::{Path, PathBuf};

pub(crate) fn render(options: &Render, output: &Output, out: &mut Out) -> Result<(), Failure> {
    interrupt::listen();
    let mut clip = Clip::open(&options.recording)?;
    if let Some(style) = options.style {
        clip.draw_as(style);
    }
    let path = match &options.out {
        Some(path) => path.clone(),
        None => beside(&options.recording, "picture.png"),
    };
    let extension = extension(&path);
    if !["png", "gif", "mp4"].contains(&extension.as_str()) {
        let sentence = "a picture must be a .png, an animation a .gif or .mp4";
        return Err(Failure::Usage(format!("{}: {sentence}", path.display())));
    }
    refuse_existing(&path, options.force)?;
    let (width, height) = options.size;
    let settings = Settings {
        width,
        height,
        samples: options.samples,
        quality: options.quality,
        theme: options.theme,
        ..Settings::default()
    };
    if extension == "png" {
        let index = match (options.frame, options.time) {
            (Some(frame), _) => frame,
            (None, Some(time)) => (time * clip.fps()).round().max(0.0) as u64,
            (None, None) => clip.moment(),
        };
        if index >= clip.frames() {
            let last = clip.frames() - 1;
            let end = last as f64 / clip.fps();
            return Err(Failure::Usage(format!(
                "there is no frame {index}: the recording has frames 0 to {last}, {end:.3} s"
            )));
        }
        let image = clip.image(index, &settings)?;
        write_png(&image, &path)?;
    } else {
        animate(&mut clip, &path, settings, options.fps, output)?;
    }
    out.files(&[path], &[])
}

pub(crate) fn export(options: &Export, output: &Output, out: &mut Out) -> Result<(), Failure> {
    let mut formats = Vec::new();
    for product in &options.to {
        match product.format() {
            Some(format) => formats.push(format),
            None => {
                let names: Vec<_> = Format::ALL.iter().map(|format| format.name).collect();
                return Err(Failure::Usage(format!(
                    "hooke render makes pictures and animations; --to accepts {}",
                    names.join(", ")
                )));
            }
        }
    }
    let mut clip = Clip::open(&options.recording)?;
    let folder = options.out.clone().unwrap_or_else(|| beside(&options.recording, ""));
    std::fs::create_dir_all(&folder).map_err(Failure::file(&folder))?;
    let mut made = Made::default();
    for format in formats {
        let path = folder.join(format.file_name("animation"));
        refuse_existing(&path, options.force)?;
        write(&mut clip, format, &path, output, &mut made)?;
    }
    out.files(&made.files, &made.notes)
}

/// A file in the folder of a recording.
fn beside(recording: &Path, name: &str) -> PathBuf {
    if recording.is_dir() {
        return recording.join(name);
    }
    recording.with_file_name(name)
}
