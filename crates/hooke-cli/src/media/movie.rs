//! Animations: a GIF of our own, or a film through the user's ffmpeg.

use super::{Clip, beside, write_whole};
use crate::failure::Failure;
use crate::interrupt;
use hooke_render::{GifWriter, Image, Settings};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// Which frames of a recording an animation shows.
#[derive(Clone, Copy)]
pub(crate) struct Pace {
    stride: u64,
    frames: u64,
    /// Frames per second shown.
    pub(crate) fps: f64,
}

/// Where frames are farther apart than this (1/s), an animation is faster than the recording.
const SLOWEST: f64 = 0.5;

impl Pace {
    /// As many frames as `most` per second allows, in real time.
    pub(crate) fn new(clip: &Clip, most: f64) -> Self {
        // A rate a trifle above the limit is not worth every other frame.
        let stride = (clip.fps() / most - 0.05).ceil().max(1.0) as u64;
        let fps = (clip.fps() / stride as f64).max(SLOWEST);
        Self { stride, frames: clip.frames().div_ceil(stride), fps }
    }

    /// How many frames are shown.
    pub(crate) fn frames(&self) -> u64 {
        self.frames
    }
}

/// An animation being made.
pub(crate) struct Movie<'a> {
    pub(crate) clip: &'a mut Clip,
    pub(crate) pace: Pace,
    pub(crate) settings: Settings,
}

impl Movie<'_> {
    /// Writes a GIF; `progress` counts the frames drawn.
    pub(crate) fn gif(&mut self, path: &Path, progress: &dyn Fn(u64)) -> Result<(), Failure> {
        write_whole(path, |file| {
            // The palette is taken from moments spread over the whole.
            let last = self.pace.frames - 1;
            let mut typical = Vec::new();
            for k in 0..=last.min(5) {
                typical.push(self.frame(last * k / last.clamp(1, 5))?);
            }
            let mut gif = GifWriter::new(file, self.pace.fps, &typical)?;
            for index in 0..self.pace.frames {
                gif.add(&self.frame(index)?)?;
                progress(index + 1);
            }
            gif.finish()?;
            Ok(())
        })
    }

    /// Writes a film by piping frames to ffmpeg.
    pub(crate) fn mp4(&mut self, path: &Path, progress: &dyn Fn(u64)) -> Result<(), Failure> {
        let temporary = beside(path).with_extension("part.mp4");
        let (width, height) = (self.settings.width, self.settings.height);
        let mut ffmpeg = Command::new("ffmpeg")
            .args(["-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgba"])
            .args(["-s", &format!("{width}x{height}"), "-r", &self.pace.fps.to_string(), "-i", "-"])
            // The codec wants even sides.
            .args(["-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2"])
            .args(["-pix_fmt", "yuv420p", "-movflags", "+faststart"])
            .arg(&temporary)
            .stdin(Stdio::piped())
            .spawn()
            .map_err(|error| {
                Failure::Io(format!(
                    "ffmpeg could not be started ({error}): install it, or write a .gif"
                ))
            })?;
        let piped = match ffmpeg.stdin.take() {
            Some(mut pipe) => self.pipe(&mut pipe, progress),
            None => Ok(()),
        };
        let ended = ffmpeg.wait().map_err(Failure::file(path))?;
        if piped.is_err() || !ended.success() {
            let _ = std::fs::remove_file(&temporary);
            piped?;
            return Err(Failure::Io(format!("{}: ffmpeg failed ({ended})", path.display())));
        }
        std::fs::rename(&temporary, path).map_err(Failure::file(path))
    }

    fn pipe(&mut self, to: &mut impl Write, progress: &dyn Fn(u64)) -> Result<(), Failure> {
        for index in 0..self.pace.frames {
            let image = self.frame(index)?;
            to.write_all(&image.pixels)
                .map_err(|error| Failure::Io(format!("ffmpeg stopped reading: {error}")))?;
            progress(index + 1);
        }
        Ok(())
    }

    fn frame(&mut self, index: u64) -> Result<Image, Failure> {
        interrupt::check()?;
        self.clip.image(index * self.pace.stride, &self.settings)
    }
}
