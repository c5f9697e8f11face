//! What can be made of a recording: pictures, animations, files for other programs.

use super::{extension, movie, write_png};
use crate::args::{Output, Product};
use crate::failure::Failure;
use crate::progress;
use clap::ValueEnum;
use hooke_media::{Animation, Clip, Pace};
use hooke_render::Settings;
use hooke_scene::export::{Format, export};
use std::path::{Path, PathBuf};

/// Frames per second of an animated GIF, at most.
const GIF_FPS: f64 = 30.0;

/// The size of a GIF.
const GIF_SIZE: [u32; 2] = [640, 360];

impl Product {
    /// The format of files for other programs; `None` for what is drawn.
    pub(crate) fn format(self) -> Option<Format> {
        match self {
            Self::Files(format) => Some(format),
            Self::Png | Self::Gif | Self::Mp4 | Self::None => None,
        }
    }

    /// What it is called in the folder of a run.
    fn file_name(self) -> String {
        match (self, self.format()) {
            (_, Some(format)) => format.file_name("animation"),
            (Self::Png, _) => "preview.png".into(),
            (Self::Gif, _) => "animation.gif".into(),
            _ => "animation.mp4".into(),
        }
    }
}

/// Removes what an earlier run made of its recording.
pub(crate) fn clear(folder: &Path) -> Result<(), Failure> {
    for product in Product::value_variants() {
        let path = folder.join(product.file_name());
        if path.is_file() {
            std::fs::remove_file(&path).map_err(Failure::file(&path))?;
        }
    }
    Ok(())
}

/// Makes products of a recording in a folder; the files, and what there is to say about them.
pub(crate) fn make(
    clip: &mut Clip,
    products: &[Product],
    folder: &Path,
    output: &Output,
) -> Result<Made, Failure> {
    let mut made = Made::default();
    for &product in products.iter().filter(|&&product| product != Product::None) {
        let path = folder.join(product.file_name());
        match (product, product.format()) {
            (_, Some(format)) => write(clip, format, &path, output, &mut made)?,
            (Product::Png, _) => {
                let image = clip.image(clip.moment(), &Settings::default())?;
                write_png(&image, &path)?;
                made.files.push(path);
            }
            (product, _) => {
                let [width, height] = match product {
                    Product::Gif => GIF_SIZE,
                    _ => [1280, 720],
                };
                let settings = Settings { width, height, ..Settings::default() };
                let fastest = if product == Product::Gif { GIF_FPS } else { 60.0 };
                animate(clip, &path, settings, fastest, output)?;
                made.files.push(path);
            }
        }
    }
    Ok(made)
}

/// Files that were made, and what there is to say about them.
#[derive(Default)]
pub(crate) struct Made {
    pub(crate) files: Vec<PathBuf>,
    pub(crate) notes: Vec<String>,
}

/// Draws an animation, a GIF or a film by the file's extension.
pub(crate) fn animate(
    clip: &mut Clip,
    path: &Path,
    settings: Settings,
    fastest: f64,
    output: &Output,
) -> Result<(), Failure> {
    let pace = Pace::new(clip, fastest);
    let bar = progress::bar(pace.frames(), "pictures", output);
    let mut animation = Animation { clip, pace, settings };
    let step = |drawn| bar.set_position(drawn);
    let done = match extension(path).as_str() {
        "gif" => movie::gif(&mut animation, path, &step),
        _ => movie::mp4(&mut animation, path, &step),
    };
    bar.finish_and_clear();
    done
}

/// Writes a recording for other programs.
pub(crate) fn write(
    clip: &mut Clip,
    format: Format,
    path: &Path,
    output: &Output,
    made: &mut Made,
) -> Result<(), Failure> {
    if clip.is_bare() {
        made.notes.push(format!("{}: not written: the scene is empty", path.display()));
        return Ok(());
    }
    let bar = progress::bar(0, "frames", output);
    let report = export(clip, format, path, &mut |done, of| {
        bar.set_length(of as u64);
        bar.set_position(done as u64);
    });
    bar.finish_and_clear();
    let report = report?;
    made.files.extend(report.files);
    made.notes.extend(report.notes);
    Ok(())
}
